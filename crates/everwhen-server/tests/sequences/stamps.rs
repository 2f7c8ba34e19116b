//! Stamps in what reached the upstream: found, told in short, and taken out again.

use std::ops::Range;

use everwhen::ledger::read_absolute;
use everwhen::time::Zone;
use jiff::Timestamp;
use serde_json::Value;

/// A stamp has this many bytes at least: `(Friday, 2025-06-06 12:00:00) `.
const SHORTEST: usize = "(Friday, 2025-06-06 12:00:00)".len();
/// The number of characters after a stamp that are shown.
const EXCERPT: usize = 60;

/// Every stamp in the strings of a value, in order: `12:00 the text behind it`.
pub(crate) fn found(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => {
            let stamps = places(text).into_iter();
            stamps
                .map(|(place, time)| format!("{} {}", clock(time), begun(&text[place.end..])))
                .collect()
        }
        Value::Array(items) => items.iter().flat_map(found).collect(),
        Value::Object(fields) => fields.values().flat_map(found).collect(),
        _ => Vec::new(),
    }
}

/// The text without stamps.
pub(crate) fn without(text: &str) -> String {
    let mut left = text.to_owned();
    for (place, _) in places(text).into_iter().rev() {
        left.replace_range(place, "");
    }
    left
}

/// A time as sequences write it: `12:00`, with seconds and a date where they matter.
pub(crate) fn clock(time: Timestamp) -> String {
    let form = match (time.strftime("%F").to_string().as_str(), time.as_second() % 60) {
        ("2025-06-01", 0) => "%H:%M",
        ("2025-06-01", _) => "%H:%M:%S",
        (_, 0) => "%F %H:%M",
        _ => "%F %H:%M:%S",
    };
    time.strftime(form).to_string()
}

fn places(text: &str) -> Vec<(Range<usize>, Timestamp)> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices('(') {
        let Some(length) = text[start..].find(')') else { continue };
        if length + 1 < SHORTEST {
            continue;
        }
        let end = start + length + 1;
        if let Ok(time) = read_absolute(&text[start..end], &Zone::utc()) {
            let space = usize::from(text[end..].starts_with(' '));
            found.push((start..end + space, time));
        }
    }
    found
}

fn begun(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(EXCERPT).collect()
}
