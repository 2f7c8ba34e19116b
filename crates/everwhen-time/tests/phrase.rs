//! Tables of phrases with what they mean; see the README beside them.

use everwhen_time::phrase::{
    Confidence, Length, Meaning, Measure, Ordinal, OrdinalOf, Phrase, Prefer, Side, TimeQuestion,
    TimeUnit, read,
};
use everwhen_time::{Period, Precision, Zone};
use jiff::Timestamp;

/// Every table, so that one without a test cannot be forgotten.
const TABLES: [(&str, &str); 14] = [
    ("listed", include_str!("phrases/listed.txt")),
    ("calendar", include_str!("phrases/calendar.txt")),
    ("holidays", include_str!("phrases/holidays.txt")),
    ("relative", include_str!("phrases/relative.txt")),
    ("units", include_str!("phrases/units.txt")),
    ("turns", include_str!("phrases/turns.txt")),
    ("offsets", include_str!("phrases/offsets.txt")),
    ("clock", include_str!("phrases/clock.txt")),
    ("spans", include_str!("phrases/spans.txt")),
    ("ordinals", include_str!("phrases/ordinals.txt")),
    ("asked", include_str!("phrases/asked.txt")),
    ("refusals", include_str!("phrases/refusals.txt")),
    ("tense", include_str!("phrases/tense.txt")),
    ("zones", include_str!("phrases/zones.txt")),
];

struct Row<'t> {
    anchor: Timestamp,
    zone: Zone,
    prefer: Prefer,
    text: &'t str,
    expected: &'t str,
}

fn rows(table: &'static str) -> Vec<Row<'static>> {
    let (mut anchor, mut zone, mut prefer) = (Timestamp::UNIX_EPOCH, Zone::utc(), Prefer::Past);
    let mut rows = Vec::new();
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        if let Some(setting) = line.strip_prefix("@ ") {
            let parts: Vec<&str> = setting.split(' ').collect();
            (anchor, zone) = (parts[0].parse().expect("an anchor"), zone_named(parts[1]));
            prefer = prefer_named(parts[2]);
            continue;
        }
        let (text, expected) = line.split_once(" => ").expect("an arrow");
        rows.push(Row { anchor, zone: zone.clone(), prefer, text, expected });
    }
    rows
}

fn zone_named(name: &str) -> Zone {
    Zone::named(name).expect("a zone")
}

fn prefer_named(name: &str) -> Prefer {
    match name {
        "past" => Prefer::Past,
        "future" => Prefer::Future,
        "nearest" => Prefer::Nearest,
        "tense" => Prefer::Tense,
        other => panic!("no prefer {other}"),
    }
}

fn shown(phrase: &Phrase, zone: &Zone) -> String {
    let meaning = match phrase.meaning {
        Meaning::Period(when) => period_shown(&when.period, zone),
        Meaning::Ordinal(ordinal) => ordinal_shown(ordinal),
        Meaning::Question(asked) => asked_shown(asked),
    };
    let mark = if phrase.confidence == Confidence::Likely { " ?" } else { "" };
    format!("{meaning}{mark}")
}

fn period_shown(period: &Period, zone: &Zone) -> String {
    let end = |instant: Option<Timestamp>| match instant.map(|instant| zone.show(instant)) {
        None => "..".to_owned(),
        Some(wall) if wall.time() == jiff::civil::Time::midnight() => wall.date().to_string(),
        Some(wall) => wall.strftime("%Y-%m-%dT%H:%M").to_string(),
    };
    let precision = precision_shown(period.precision());
    format!("{}/{} {precision}", end(period.since()), end(period.until()))
}

fn precision_shown(precision: Precision) -> &'static str {
    match precision {
        Precision::Minute => "minute",
        Precision::Day => "day",
        Precision::Month => "month",
        Precision::Year => "year",
    }
}

fn ordinal_shown(ordinal: Ordinal) -> String {
    let of = if ordinal.of == OrdinalOf::Conversations { "conversations" } else { "matches" };
    let from = if ordinal.from == Side::First { "first" } else { "last" };
    let (first, last) = (ordinal.first, ordinal.last);
    let range = if first == last { first.to_string() } else { format!("{first}-{last}") };
    format!("{of} {from} {range}")
}

fn asked_shown(asked: TimeQuestion) -> String {
    match asked {
        TimeQuestion::When(None) => "when".into(),
        TimeQuestion::When(Some(precision)) => format!("when {}", precision_shown(precision)),
        TimeQuestion::Order => "order".into(),
        TimeQuestion::HowLong { unit, length } => {
            format!("long {} {}", unit.map_or("-".into(), measure_shown), length_shown(length))
        }
    }
}

fn measure_shown(measure: Measure) -> String {
    let unit = match measure.unit {
        TimeUnit::Minute => "minutes",
        TimeUnit::Hour => "hours",
        TimeUnit::Day => "days",
        TimeUnit::Week => "weeks",
        TimeUnit::Month => "months",
        TimeUnit::Year => "years",
    };
    if measure.count == 1 { unit.to_owned() } else { format!("{} {unit}", measure.count) }
}

fn length_shown(length: Length) -> &'static str {
    match length {
        Length::Ago => "ago",
        Length::Until => "until",
        Length::Between => "between",
        Length::Lasting => "lasting",
    }
}

fn check(name: &str) -> usize {
    let (_, table) = TABLES.into_iter().find(|(known, _)| *known == name).expect("a table");
    let rows = rows(table);
    let mut wrong = Vec::new();
    for row in &rows {
        let reading = read(row.text, row.anchor, &row.zone, row.prefer);
        let found: Vec<String> =
            reading.phrases.iter().map(|phrase| shown(phrase, &row.zone)).collect();
        let found = if found.is_empty() { "-".to_owned() } else { found.join(" ; ") };
        if found != row.expected {
            wrong.push(format!("{:<45} expected {:<40} found {found}", row.text, row.expected));
        }
    }
    assert!(wrong.is_empty(), "{name}: {} of {}\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    rows.len()
}

macro_rules! tables {
    ($($name:ident),*) => {
        $(#[test] fn $name() { check(stringify!($name)); })*

        #[test]
        fn every_table_has_a_test() {
            assert_eq!([$(stringify!($name)),*], TABLES.map(|(name, _)| name));
        }
    };
}

tables!(
    listed, calendar, holidays, relative, units, turns, offsets, clock, spans, ordinals, asked,
    refusals, tense, zones
);

#[test]
fn there_are_many() {
    let count: usize = TABLES.iter().map(|(_, table)| rows(table).len()).sum();
    assert!(count > 700, "{count}");
}

/// A word for several of a unit means what the unit does, counted out: the same days, the same
/// tolerance, as sure.
#[test]
fn a_multiple_of_a_unit_is_read_as_the_unit() {
    let anchor = "2023-06-14T12:00:00Z".parse().expect("an anchor");
    let zone = Zone::utc();
    for (word, counted) in [
        ("a fortnight ago", "two weeks ago"),
        ("two fortnights ago", "four weeks ago"),
        ("a couple of fortnights ago", "four to six weeks ago"),
        ("the first fortnight of May", "the first two weeks of May"),
        ("the last fortnight of May", "the last two weeks of May"),
        ("the past fortnight", "the past two weeks"),
        ("the next fortnight", "the next two weeks"),
        ("in the past quarter", "in the past three months"),
        ("in the past decade", "in the past ten years"),
        ("the next decade", "the next ten years"),
        ("a fortnight after May 8, 2023", "two weeks after May 8, 2023"),
        ("the two fortnights before Christmas", "the four weeks before Christmas"),
    ] {
        let period = |text: &str| {
            let reading = read(text, anchor, &zone, Prefer::Past);
            let (when, sure) = reading.periods().next().unwrap_or_else(|| panic!("{text}"));
            (when.period, when.likely.since(), sure)
        };
        assert_eq!(period(word), period(counted), "{word} and {counted}");
    }
}

/// The stretch a text is about, and where to look beyond it, at noon of 14 June 2023 in UTC.
fn about(text: &str) -> (String, String) {
    let anchor = "2023-06-14T12:00:00Z".parse().expect("an anchor");
    let zone = Zone::utc();
    let reading = read(text, anchor, &zone, Prefer::Past);
    let show = |period: Option<Period>| period.map_or("-".into(), |p| period_shown(&p, &zone));
    (show(reading.about()), show(reading.reach()))
}

#[test]
fn several_phrases_are_about_one_stretch() {
    for (text, expected) in [
        ("What did we say in May and in March?", "2023-03-01/2023-06-01 month"),
        ("What did we say in June, yesterday?", "2023-06-13/2023-06-14 month"),
        ("What did she do last Friday, as said on February 21, 2023?", "2023-02-21/2023-02-22 day"),
        (
            "What did he fail recently, according to the talk on January 1, 2023?",
            "2023-01-01/2023-01-02 day",
        ),
        ("What did she recently say in March?", "2023-03-01/2023-04-01 month"),
        ("Was it this week or last week?", "2023-06-05/2023-06-19 day"),
        ("What did we discuss in our third session?", "-"),
        ("How many days ago did I call?", "-"),
        ("Where do I swim?", "-"),
    ] {
        assert_eq!(about(text).0, expected, "{text}");
    }
}

#[test]
fn careless_speakers_are_within_reach() {
    for (text, period, reach) in [
        ("last Tuesday", "2023-06-13/2023-06-14 day", "2023-06-06/2023-06-14 day"),
        ("38 days ago", "2023-05-07/2023-05-08 day", "2023-05-06/2023-05-08 day"),
        ("two weeks ago", "2023-05-28/2023-06-04 day", "2023-05-24/2023-06-08 day"),
        ("a month ago", "2023-05-01/2023-06-01 month", "2023-04-16/2023-06-16 month"),
        ("a year ago", "2022-01-01/2023-01-01 year", "2021-10-01/2023-04-03 year"),
        ("last week", "2023-06-05/2023-06-12 day", "2023-06-02/2023-06-15 day"),
        ("last summer", "2022-06-01/2022-09-01 month", "2022-05-11/2022-09-22 month"),
        ("on May 8, 2023", "2023-05-08/2023-05-09 day", "2023-05-08/2023-05-09 day"),
        ("until March", "../2023-03-01 month", "../2023-04-01 month"),
        (
            "yesterday at 5:30 pm",
            "2023-06-13T17:30/2023-06-13T17:31 minute",
            "2023-06-13T17:00/2023-06-13T18:01 minute",
        ),
    ] {
        assert_eq!(about(text), (period.to_owned(), reach.to_owned()), "{text}");
    }
}

#[test]
fn an_exact_speaker_points_at_the_day() {
    let anchor = "2023-06-14T12:00:00Z".parse().expect("an anchor");
    let zone = Zone::utc();
    for (text, expected) in [
        ("two weeks ago", "2023-05-31/2023-06-01 day"),
        ("two months ago", "2023-04-14/2023-04-15 day"),
        ("a year ago", "2022-06-14/2022-06-15 day"),
        ("about two weeks ago", "2023-05-31/2023-06-01 day"),
        ("a couple of days ago", "2023-06-12/2023-06-13 day"),
        ("this time last year", "2022-06-14/2022-06-15 day"),
        ("in March", "2023-03-01/2023-04-01 month"),
    ] {
        let reading = read(text, anchor, &zone, Prefer::Past);
        let (when, _) = reading.periods().next().expect("a period");
        assert_eq!(period_shown(&when.likely, &zone), expected, "{text}");
    }
}

#[test]
fn earlier_leaves_out_the_present_conversation() {
    let anchor = "2023-06-14T12:00:00Z".parse().expect("an anchor");
    for (text, earlier) in [("earlier today", true), ("today", false), ("later today", false)] {
        let reading = read(text, anchor, &Zone::utc(), Prefer::Past);
        let (when, _) = reading.periods().next().expect("a period");
        assert_eq!(when.earlier, earlier, "{text}");
    }
}

#[test]
fn a_phrase_keeps_its_words_and_place() {
    let text = "Über Ostern — was it “last Friday” or in May 2022?";
    let reading = read(text, Timestamp::UNIX_EPOCH, &Zone::utc(), Prefer::Past);
    let found: Vec<_> =
        reading.phrases.iter().map(|p| (p.text.as_str(), &text[p.range.clone()])).collect();
    assert_eq!(found, [("last Friday", "last Friday"), ("in May 2022", "in May 2022")]);
}
