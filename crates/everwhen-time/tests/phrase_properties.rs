//! What holds for every phrase, anchor and zone.

use everwhen_time::phrase::{Meaning, PhrasePeriod, Prefer, Reading, read};
use everwhen_time::{Period, Zone};
use jiff::civil::{Date, Weekday};
use jiff::{Timestamp, ToSpan};
use proptest::prelude::*;

const ZONES: [&str; 8] = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Sao_Paulo",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Pacific/Auckland",
    "America/St_Johns",
];

/// Words of the grammar and around it, to make texts that almost mean something.
const WORDS: &str = "the a an in on at of to from between and since until before after last next \
    this past few couple two three 3 3rd 21st 2023 1990s '90s 2023-05-08 5/8 5/8/2023 13:56 5pm \
    pm am day days week weeks weekend month months year years hour minutes ago today yesterday \
    tomorrow morning evening night monday friday sun march may June Sept. summer winter Q3 early \
    mid-late end beginning half first second third session sessions conversation time times \
    christmas easter new year's eve weekend thanksgiving the how many long when what did I we \
    about around exactly more than , . ? ! - ( ) ' ’ – ~ # $ % it's 999999999 4294967295 0 00:00 \
    2.5 1/2 v1.2 ½ ß é 日本 🎉 the now back not but one that recently earlier later through by";

fn anchors() -> impl Strategy<Value = Timestamp> {
    // 1971 to 2100, to the second.
    (31_536_000i64..4_102_444_800)
        .prop_map(|second| Timestamp::from_second(second).expect("in range"))
}

fn zones() -> impl Strategy<Value = Zone> {
    (0..ZONES.len()).prop_map(|at| Zone::named(ZONES[at]).expect("a zone"))
}

fn preferences() -> impl Strategy<Value = Prefer> {
    (0..4usize).prop_map(|at| [Prefer::Past, Prefer::Future, Prefer::Nearest, Prefer::Tense][at])
}

fn near_texts() -> impl Strategy<Value = String> {
    let words: Vec<&'static str> = WORDS.split_whitespace().collect();
    let count = words.len();
    proptest::collection::vec((0..count, 0..5u8), 1..14).prop_map(move |picks| {
        picks
            .into_iter()
            .map(
                |(at, glue)| {
                    if glue == 0 { words[at].to_owned() } else { format!("{} ", words[at]) }
                },
            )
            .collect()
    })
}

fn only(reading: &Reading) -> PhrasePeriod {
    match reading.phrases.as_slice() {
        [phrase] => match phrase.meaning {
            Meaning::Period(when) => when,
            other => panic!("no period: {other:?}"),
        },
        other => panic!("not one phrase: {other:?}"),
    }
}

fn period(text: &str, anchor: Timestamp, zone: &Zone) -> Period {
    only(&read(text, anchor, zone, Prefer::Past)).period
}

fn within(inner: &Period, outer: &Period) -> bool {
    let since = outer.since().is_none_or(|o| inner.since().is_some_and(|i| o <= i));
    let until = outer.until().is_none_or(|o| inner.until().is_some_and(|i| i <= o));
    since && until
}

fn sound(text: &str, reading: &Reading) -> Result<(), TestCaseError> {
    let mut end = 0;
    for phrase in &reading.phrases {
        prop_assert!(phrase.range.start >= end && phrase.range.start < phrase.range.end);
        end = phrase.range.end;
        prop_assert_eq!(text.get(phrase.range.clone()), Some(phrase.text.as_str()));
        if let Meaning::Period(when) = phrase.meaning {
            prop_assert!(within(&when.period, &when.reach), "{:?}", phrase);
            prop_assert!(within(&when.likely, &when.reach), "{:?}", phrase);
        }
        if let Meaning::Ordinal(ordinal) = phrase.meaning {
            prop_assert!(1 <= ordinal.first && ordinal.first <= ordinal.last);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_without_harm(
        text in "\\PC{0,80}", anchor in anchors(), zone in zones(), prefer in preferences()
    ) {
        sound(&text, &read(&text, anchor, &zone, prefer))?;
    }

    #[test]
    fn texts_that_almost_mean_something_are_read_without_harm(
        text in near_texts(), anchor in anchors(), zone in zones(), prefer in preferences()
    ) {
        sound(&text, &read(&text, anchor, &zone, prefer))?;
    }

    #[test]
    fn the_ends_of_time_are_no_harm(text in near_texts(), last in any::<bool>(), zone in zones()) {
        let anchor = if last { Timestamp::MAX } else { Timestamp::MIN };
        sound(&text, &read(&text, anchor, &zone, Prefer::Past))?;
    }

    #[test]
    fn yesterday_is_the_calendar_day_before(anchor in anchors(), zone in zones()) {
        let day = zone.day(anchor).yesterday().unwrap();
        prop_assert_eq!(period("yesterday", anchor, &zone), Period::day(day, &zone).unwrap());
        let today = Period::day(zone.day(anchor), &zone).unwrap();
        prop_assert_eq!(period("today", anchor, &zone), today);
        prop_assert!(today.contains(anchor));
    }

    #[test]
    fn days_ago_count_midnights(anchor in anchors(), zone in zones(), days in 1i32..3000) {
        let text = format!("What did we discuss {days} days ago?");
        let day = zone.day(anchor).checked_sub(days.days()).unwrap();
        prop_assert_eq!(period(&text, anchor, &zone), Period::day(day, &zone).unwrap());
        // A speaker who counts 24 hours instead is within reach.
        let elapsed = anchor.checked_sub((24 * i64::from(days)).hours()).unwrap();
        let reach = only(&read(&text, anchor, &zone, Prefer::Past)).reach;
        prop_assert!(reach.contains(elapsed - 2.hours()));
    }

    #[test]
    fn weeks_and_months_ago_point_at_the_day(anchor in anchors(), zone in zones(), n in 1i32..200) {
        let today = zone.day(anchor);
        for (text, day) in [
            (format!("{n} weeks ago"), today.checked_sub(n.weeks()).unwrap()),
            (format!("{n} months ago"), today.checked_sub(n.months()).unwrap()),
        ] {
            let when = only(&read(&text, anchor, &zone, Prefer::Past));
            prop_assert_eq!(when.likely, Period::day(day, &zone).unwrap());
            prop_assert!(within(&when.likely, &when.period));
        }
    }

    #[test]
    fn a_weekday_is_in_the_week_behind(anchor in anchors(), zone in zones(), offset in 0i8..7) {
        let weekday = Weekday::from_monday_zero_offset(offset).unwrap();
        let today = zone.day(anchor);
        let day = |text: &str| zone.day(period(text, anchor, &zone).since().unwrap());
        let name = format!("{weekday:?}");
        let ago = |day: Date| (today - day).get_days();
        let [on, last, next] =
            ["on", "last", "next"].map(|turn| day(&format!("{turn} {name}")));
        prop_assert_eq!([on, last, next].map(Date::weekday), [weekday; 3]);
        prop_assert!((0..7).contains(&ago(on)));
        prop_assert!((1..8).contains(&ago(last)));
        prop_assert!((-7..0).contains(&ago(next)));
    }

    #[test]
    fn a_month_has_begun_by_today(anchor in anchors(), zone in zones(), month in 1i8..=12) {
        let name = Date::constant(2000, 1, 1).with().month(month).build().unwrap().strftime("%B");
        let found = period(&format!("in {name}"), anchor, &zone);
        let (first, today) = (zone.day(found.since().unwrap()), zone.day(anchor));
        prop_assert_eq!((first.month(), first.day()), (month, 1));
        prop_assert!(first <= today && today < first.checked_add(1.year()).unwrap());
    }

    #[test]
    fn a_leap_day_is_in_a_leap_year(anchor in anchors(), zone in zones()) {
        let day = zone.day(period("on February 29", anchor, &zone).since().unwrap());
        let today = zone.day(anchor);
        prop_assert_eq!((day.month(), day.day()), (2, 29));
        prop_assert!(day <= today && today < day.checked_add(8.years()).unwrap());
    }

    #[test]
    fn a_written_date_is_that_day(
        anchor in anchors(), zone in zones(), offset in 0i32..40_000, form in 0usize..8
    ) {
        let day = Date::constant(1950, 1, 1).checked_add(offset.days()).unwrap();
        let form = [
            "on %B %-d, %Y", "%-d %B %Y", "the %-d. %B %Y", "%Y-%m-%d", "%A, %B %-d, %Y",
            "%d.%m.%Y", "%Y/%m/%d", "on %b %-d, %Y",
        ][form];
        let text = day.strftime(form).to_string().replace(". ", "th of ");
        prop_assert_eq!(period(&text, anchor, &zone), Period::day(day, &zone).unwrap(), "{}", text);
    }

    #[test]
    fn a_stretch_holds_both_its_ends(
        anchor in anchors(), zone in zones(), first in 0i32..20_000, length in 0i32..900
    ) {
        let first = Date::constant(1970, 1, 1).checked_add(first.days()).unwrap();
        let last = first.checked_add(length.days()).unwrap();
        let text = format!("between {} and {last}", first.strftime("%B %-d, %Y"));
        let found = period(&text, anchor, &zone);
        prop_assert!(within(&Period::day(first, &zone).unwrap(), &found));
        prop_assert!(within(&Period::day(last, &zone).unwrap(), &found));
        prop_assert_eq!(found.since(), Period::day(first, &zone).unwrap().since());
        prop_assert_eq!(found.until(), Period::day(last, &zone).unwrap().until());
    }

    #[test]
    fn a_bare_stretch_is_over_or_going_on(
        anchor in anchors(), zone in zones(), a in 1i8..=12, b in 1i8..=12
    ) {
        prop_assume!(a != b);
        let name = |month: i8| {
            Date::constant(2000, 1, 1).with().month(month).build().unwrap().strftime("%B").to_string()
        };
        let found = period(&format!("from {} to {}", name(a), name(b)), anchor, &zone);
        let (since, until) = (zone.day(found.since().unwrap()), zone.day(found.until().unwrap()));
        prop_assert_eq!(since.month(), a);
        prop_assert_eq!(until.yesterday().unwrap().month(), b);
        prop_assert!(found.since().unwrap() <= anchor);
        prop_assert!((until - since).get_days() <= 366);
    }

    #[test]
    fn words_around_a_phrase_change_nothing(
        anchor in anchors(), zone in zones(), before in "[b-df-h]{3,8}", after in "[b-df-h]{3,8}"
    ) {
        for text in ["two weeks ago", "last Friday", "in March 2021", "since last month"] {
            let alone = only(&read(text, anchor, &zone, Prefer::Past));
            let inside = format!("{before} {text}, {after}");
            let reading = read(&inside, anchor, &zone, Prefer::Past);
            prop_assert_eq!(only(&reading), alone);
            prop_assert_eq!(&reading.phrases[0].text, text);
        }
    }
}

#[test]
fn a_tower_of_phrases_neither_overflows_nor_stalls() {
    let zone = Zone::utc();
    for part in ["the day before ", "between May and ", "first, ", "in June, ", "two weeks and "] {
        let text = part.repeat(1000) + "Christmas";
        let reading = read(&text, Timestamp::UNIX_EPOCH, &zone, Prefer::Tense);
        assert!(reading.phrases.len() <= 1001);
    }
}
