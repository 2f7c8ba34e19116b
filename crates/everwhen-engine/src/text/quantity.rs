//! Quantities in a text, each whole: times, dates, ratios, ranges, phone numbers, amounts with units.
//!
//! "3 pm" and "3 am" are different quantities, and so are "3 years" and "3 months", "120/80" and
//! "120/95". A quantity is a run of words, so that a value can be shown as it was written.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::time::phrase::MONTHS;

/// What may stand behind a number and belongs to it.
const UNITS: [&str; 82] = [
    "am",
    "pm",
    "a.m",
    "p.m",
    "o'clock",
    "percent",
    "percentage",
    "points",
    "degrees",
    "celsius",
    "fahrenheit",
    "second",
    "seconds",
    "sec",
    "secs",
    "minute",
    "minutes",
    "min",
    "mins",
    "hour",
    "hours",
    "hr",
    "hrs",
    "day",
    "days",
    "night",
    "nights",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "years",
    "yr",
    "yrs",
    "times",
    "mg",
    "mcg",
    "g",
    "gram",
    "grams",
    "kg",
    "kilo",
    "kilos",
    "kilogram",
    "kilograms",
    "lb",
    "lbs",
    "pound",
    "pounds",
    "oz",
    "ounces",
    "stone",
    "ml",
    "l",
    "liter",
    "liters",
    "litre",
    "litres",
    "cups",
    "mm",
    "cm",
    "m",
    "meters",
    "metres",
    "km",
    "k",
    "miles",
    "mile",
    "feet",
    "ft",
    "inches",
    "mmhg",
    "bpm",
    "mmol/l",
    "mg/dl",
    "dollars",
    "usd",
    "euros",
    "eur",
    "steps",
    "calories",
];
/// What a rate is per.
const PER: [&str; 4] = ["a", "per", "each", "every"];
const PERIODS: [&str; 8] = ["second", "minute", "hour", "day", "night", "week", "month", "year"];
const REGULARLY: [&str; 5] = ["daily", "weekly", "monthly", "yearly", "nightly"];
/// Words between the two numbers of a ratio or a range.
const JOINS: [&str; 7] = ["over", "to", "-", "–", "/", "x", "until"];
/// Numbers in words; the place is the number.
const WORDS: [&[&str]; 13] = [
    &["zero"],
    &["once"],
    &["two", "twice"],
    &["three", "thrice"],
    &["four"],
    &["five"],
    &["six"],
    &["seven"],
    &["eight"],
    &["nine"],
    &["ten"],
    &["eleven"],
    &["twelve"],
];

/// A quantity among the words of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Quantity {
    /// Which of the words.
    pub(crate) words: Range<usize>,
    /// Its normal form, equal for all ways of writing it that differ only in case, marks or plural.
    pub(crate) normal: String,
}

/// A word without the marks around it, in its own spelling. A sign of currency and a percent sign
/// belong to the word.
pub(crate) fn bare(word: &str) -> &str {
    word.trim_start_matches(['(', '[', '"', '“', '\'', '*', '~'])
        .trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '"', '”', '\'', '*'])
}

/// All quantities of a text, whatever their order.
pub(crate) fn quantities(text: &str) -> BTreeSet<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (mut found, mut at) = (BTreeSet::new(), 0);
    while at < words.len() {
        match quantity(&words, at) {
            Some(quantity) => {
                at = quantity.words.end;
                found.insert(quantity.normal);
            }
            None => at += 1,
        }
    }
    found
}

/// The quantity that begins with this word, with all that belongs to it.
pub(crate) fn quantity(words: &[&str], at: usize) -> Option<Quantity> {
    let mut end = date(words, at).or_else(|| number(words, at))?;
    if let Some(join) = word(words, end)
        && JOINS.contains(&join.as_str())
        && is_open(words, end)
        && let Some(second) = number(words, end + 1)
    {
        end = second;
    }
    let parts: Vec<String> = (at..end).filter_map(|place| word(words, place)).collect();
    Some(Quantity { words: at..end, normal: normal(&parts) })
}

/// "June 12", "June 12, 2025", "12 June 2025", "12th of June".
fn date(words: &[&str], at: usize) -> Option<usize> {
    let is_month = |place: usize| word(words, place).is_some_and(|one| is_month(&one));
    let day = |place: usize| word(words, place).is_some_and(|one| is_day(&one));
    let mut end = match () {
        () if is_month(at) && day(at + 1) => at + 2,
        () if day(at) && is_month(at + 1) => at + 2,
        () if day(at) && word(words, at + 1)? == "of" && is_month(at + 2) => at + 3,
        () => return None,
    };
    let is_year = |one: String| one.len() == 4 && one.bytes().all(|byte| byte.is_ascii_digit());
    if word(words, end).is_some_and(is_year) {
        end += 1;
    }
    Some(end)
}

fn is_month(word: &str) -> bool {
    MONTHS.iter().any(|month| *month == word || (word.len() == 3 && month.starts_with(word)))
}

fn is_day(word: &str) -> bool {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    digits.parse().is_ok_and(|day: u8| (1..=31).contains(&day))
}

/// A number with its unit and rate: "3 pm", "500 mg twice daily", "555 123 4567".
fn number(words: &[&str], at: usize) -> Option<usize> {
    let first = word(words, at)?;
    if !starts_with_digit(&first) && in_words(&first).is_none() {
        return None;
    }
    let mut end = at + 1;
    while is_open(words, end - 1) && is_dialled(words, end - 1) && is_dialled(words, end) {
        end += 1;
    }
    while is_open(words, end - 1) && word(words, end).is_some_and(|unit| is_unit(&unit)) {
        end += 1;
    }
    if is_open(words, end - 1) && word(words, end).is_some_and(|one| one == "old") {
        end += 1;
    }
    Some(rate(words, end))
}

/// Where a number ends with what it is per: "a week", "daily".
fn rate(words: &[&str], end: usize) -> usize {
    let Some(next) = word(words, end).filter(|_| is_open(words, end - 1)) else { return end };
    if REGULARLY.contains(&next.as_str()) {
        return end + 1;
    }
    let period = word(words, end + 1).is_some_and(|one| PERIODS.contains(&one.as_str()));
    if PER.contains(&next.as_str()) && period { end + 2 } else { end }
}

/// Whether a word goes on into the next: no mark ends the thought behind it.
fn is_open(words: &[&str], at: usize) -> bool {
    words
        .get(at)
        .is_some_and(|word| !word.ends_with([',', ';', ':', '!', '?', ')']) && !is_end(word))
}

/// Whether a full stop ends a sentence here; those in "a.m." do not.
fn is_end(word: &str) -> bool {
    word.ends_with('.') && !bare(word).contains('.')
}

/// Whether a word is a part of a number as it is dialled.
fn is_dialled(words: &[&str], at: usize) -> bool {
    let dialled = |c: char| c.is_ascii_digit() || matches!(c, '-' | '(' | ')' | '+');
    word(words, at).is_some_and(|one| one.len() >= 3 && one.chars().all(dialled))
}

fn is_unit(word: &str) -> bool {
    UNITS.contains(&word)
}

fn starts_with_digit(word: &str) -> bool {
    let written = word.trim_start_matches(['$', '€', '£', '¥', '#', '+', '-', '±', '~', '<', '>']);
    written.starts_with(|c: char| c.is_ascii_digit())
}

/// A word in lower case without the marks around it.
fn word(words: &[&str], at: usize) -> Option<String> {
    words.get(at).map(|word| bare(word).to_lowercase()).filter(|word| !word.is_empty())
}

/// The number that a word in lower case is: 2 for "two" and "twice".
pub(crate) fn in_words(word: &str) -> Option<usize> {
    WORDS.iter().position(|names| names.contains(&word))
}

fn normal(parts: &[String]) -> String {
    let one = |part: &String| match in_words(part) {
        Some(number) => number.to_string(),
        None if is_unit(part) && part.len() > 2 => part.trim_end_matches('s').replace('.', ""),
        None if starts_with_digit(part) => part.replace(',', "."),
        None => part.clone(),
    };
    parts.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        quantities(text).into_iter().collect()
    }

    #[test]
    fn quantities_are_whole() {
        let cases = [
            ("My blood pressure is 120/80.", "120/80"),
            ("It came back at 120 over 80", "120 over 80"),
            ("My appointment is at 10:30", "10:30"),
            ("My flight is at 3 pm", "3 pm"),
            ("at 3 p.m. sharp", "3 pm"),
            ("The interview is on 2025-06-12", "2025-06-12"),
            ("It is on June 12, 2025.", "june 12 2025"),
            ("on the 12th of June", "12th of june"),
            ("My phone number is 555-1234", "555-1234"),
            ("call 555 123 4567 now", "555 123 4567"),
            ("My daughter is 3 years old", "3 year old"),
            ("it takes 10 to 12 minutes", "10 to 12 minute"),
            ("I pay $1,200 a month", "$1.200 a month"),
            ("I run 3 times a week", "3 time a week"),
            ("metformin 500mg", "500mg"),
            ("twice daily", "2 daily"),
        ];
        for (text, quantity) in cases {
            assert_eq!(read(text), [quantity], "{text}");
        }
        assert_eq!(read("I like tea"), [""; 0]);
        assert_eq!(read("May I ask for 5, 6 or 7 of them?"), ["5", "6", "7"]);
    }
}
