//! The public suites of time phrases, one file per language; `phrases/README.md` says what the columns mean.

use std::collections::HashSet;

use everwhen_time::phrase::{Prefer, read};
use everwhen_time::{Period, Zone};
use jiff::Timestamp;
use jiff::civil::{DateTime, Time};

/// Every suite: the language, its file, and the fewest phrases it may have.
const SUITES: [(&str, &str, usize); 12] = [
    ("en", include_str!("../phrases/en.tsv"), 1_000),
    ("de", include_str!("../phrases/de.tsv"), 60),
    ("es", include_str!("../phrases/es.tsv"), 60),
    ("fr", include_str!("../phrases/fr.tsv"), 60),
    ("it", include_str!("../phrases/it.tsv"), 60),
    ("ja", include_str!("../phrases/ja.tsv"), 60),
    ("ko", include_str!("../phrases/ko.tsv"), 60),
    ("nl", include_str!("../phrases/nl.tsv"), 60),
    ("pl", include_str!("../phrases/pl.tsv"), 60),
    ("pt", include_str!("../phrases/pt.tsv"), 60),
    ("ru", include_str!("../phrases/ru.tsv"), 60),
    ("zh", include_str!("../phrases/zh.tsv"), 60),
];

/// The texts that are read otherwise than expected, by language; the test fails if the list is not exact.
const KNOWN_WRONG: [(&str, &str); 0] = [];

/// How many phrases of a thousand may be read otherwise than expected.
const WRONG_PER_THOUSAND: usize = 5;

struct Row {
    asked_at: Timestamp,
    zone: Zone,
    text: &'static str,
    expected: String,
}

fn rows(suite: &'static str) -> Vec<Row> {
    suite.lines().skip(1).map(row).collect()
}

fn row(line: &'static str) -> Row {
    let columns: Vec<&str> = line.split('\t').collect();
    let [asked_at, zone, text, since, until, _note] = columns[..] else {
        panic!("six columns: {line}")
    };
    let zone = Zone::named(zone).expect("a zone");
    let wall: DateTime = asked_at.parse().expect("a wall-clock time");
    let asked_at = wall.to_zoned(zone.time_zone().clone()).expect("a time").timestamp();
    let expected =
        if since == "refused" { since.to_owned() } else { format!("{since} to {until}") };
    Row { asked_at, zone, text, expected }
}

fn shown(period: Option<Period>, zone: &Zone) -> String {
    let end = |instant: Option<Timestamp>| match instant.map(|instant| zone.show(instant)) {
        None => "..".to_owned(),
        Some(wall) if wall.time() == Time::midnight() => wall.date().to_string(),
        Some(wall) => wall.strftime("%Y-%m-%dT%H:%M").to_string(),
    };
    period.map_or("refused".into(), |p| format!("{} to {}", end(p.since()), end(p.until())))
}

/// What a row is read as, if that is not what it should be.
fn misread(row: &Row) -> Option<String> {
    let found = shown(read(row.text, row.asked_at, &row.zone, Prefer::Past).about(), &row.zone);
    (found != row.expected).then_some(found)
}

#[test]
fn phrases_mean_what_the_suites_say() {
    let mut surprises = Vec::new();
    for (language, suite, _) in SUITES {
        let rows = rows(suite);
        let mut wrong = 0;
        for row in &rows {
            let found = misread(row);
            wrong += usize::from(found.is_some());
            if found.is_some() != KNOWN_WRONG.contains(&(language, row.text)) {
                let (asked, found) = (row.zone.minute(row.asked_at), found.unwrap_or_default());
                let expected = &row.expected;
                surprises.push(format!(
                    "{language} {asked} {:<50} expected {expected} found {found}",
                    row.text
                ));
            }
        }
        let allowed = WRONG_PER_THOUSAND * rows.len() / 1_000;
        assert!(KNOWN_WRONG.iter().filter(|(known, _)| *known == language).count() <= allowed);
        surprises
            .extend((wrong > allowed).then(|| format!("{language}: {wrong} of {}", rows.len())));
    }
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
}

#[test]
fn every_suite_is_large_and_repeats_no_phrase() {
    for (language, suite, fewest) in SUITES {
        let rows = rows(suite);
        let distinct: HashSet<&str> = rows.iter().map(|row| row.text).collect();
        assert_eq!(distinct.len(), rows.len(), "{language} repeats a phrase");
        assert!(rows.len() >= fewest, "{language} has {}", rows.len());
    }
}
