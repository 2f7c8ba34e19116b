//! The phrases in the README are read as it says.

use everwhen_time::phrase::{Meaning, Prefer, read};
use everwhen_time::{Period, Zone};
use jiff::Timestamp;

/// The rows of the tables between the headings "Phrases" and the next: a phrase, its days.
fn rows(readme: &str) -> Vec<(&str, &str)> {
    let (_, table) = readme.split_once("## Phrases").expect("a heading");
    let table = table.split("\n## ").next().expect("a section");
    table
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "))
        .filter(|(phrase, _)| *phrase != "phrase")
        .collect()
}

fn shown(period: &Period, zone: &Zone) -> String {
    let wall = |instant: Timestamp| {
        let text = zone.minute(instant);
        text.strip_suffix(" 00:00").map_or(text.clone(), str::to_owned)
    };
    match (period.since(), period.until()) {
        (Some(since), Some(until)) => format!("{} to {}", wall(since), wall(until)),
        (Some(since), None) => format!("from {}", wall(since)),
        (None, Some(until)) => format!("up to {}", wall(until)),
        (None, None) => "always".to_owned(),
    }
}

#[test]
fn phrases_are_read_as_the_readme_says() {
    let rows = rows(include_str!("../README.md"));
    assert!(rows.len() > 60, "{} rows", rows.len());
    let anchor = "2023-06-14T10:00:00Z".parse().expect("an anchor");
    let zone = Zone::utc();
    let mut wrong = Vec::new();
    for (phrase, expected) in rows {
        let reading = read(phrase, anchor, &zone, Prefer::Past);
        let found = match reading.phrases.as_slice() {
            [] => "not read".to_owned(),
            [one] => match &one.meaning {
                Meaning::Period(period) => shown(&period.period, &zone),
                Meaning::Ordinal(_) => "an order".to_owned(),
                Meaning::Question(_) => "a question".to_owned(),
            },
            several => format!("{} phrases", several.len()),
        };
        if found != expected {
            wrong.push(format!("| {phrase} | {found} |"));
        }
    }
    assert!(wrong.is_empty(), "the README should say:\n{}", wrong.join("\n"));
}
