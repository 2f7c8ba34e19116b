//! Dates, lengths of time and numbers, as people write them in answers.

use everwhen::time::phrase::{MONTHS, number_in_words};
use jiff::civil::Date;

/// Something that can be compared by what it means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    Date(Date),
    /// In minutes; months and years keep to themselves.
    Length(f64),
    Months(f64),
    Number(f64),
}

impl Value {
    /// Whether both values are equal.
    pub(super) fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Date(a), Self::Date(b)) => a == b,
            (Self::Length(a), Self::Length(b))
            | (Self::Months(a), Self::Months(b))
            | (Self::Number(a), Self::Number(b)) => (a - b).abs() < 1e-9,
            _ => false,
        }
    }
}

/// Every value in a text, in order.
pub(super) fn values(text: &str) -> Vec<Value> {
    let words = words(text);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let rest = &words[at..];
        let (value, length) = date(rest)
            .or_else(|| measured(rest))
            .map_or((None, 1), |(value, length)| (Some(value), length));
        found.extend(value);
        at += length;
    }
    found
}

/// Whether a text says nothing but this value.
pub(super) fn is_whole(text: &str, value: &Value) -> bool {
    let words = words(text);
    let small = ["on", "about", "exactly", "the", "of", "in", "ago", "around", "approximately"];
    let counted = words.iter().filter(|word| !small.contains(&word.as_str())).count();
    let most = match value {
        Value::Date(_) => 3,
        Value::Length(_) | Value::Months(_) => 2,
        Value::Number(_) => 1,
    };
    counted <= most
}

/// Words and numbers; dashes inside dates stay.
fn words(text: &str) -> Vec<String> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | ',');
    text.split(|c: char| !part(c))
        .map(|word| word.trim_matches(['-', '.', ',']).replace(',', "").to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

/// `2023-05-07`, `7 may 2023`, `may 7 2023`, `7th of may 2023`, and how many words it took.
fn date(words: &[String]) -> Option<(Value, usize)> {
    if let Some(date) = words.first().and_then(|word| word.parse::<Date>().ok()) {
        return Some((Value::Date(date), 1));
    }
    let of = usize::from(words.get(1).is_some_and(|word| word == "of"));
    let orders = [(0, 1 + of, 2 + of), (1, 0, 2)];
    orders.into_iter().find_map(|(day, month, year)| {
        let day: i8 =
            words.get(day)?.trim_end_matches(['s', 't', 'n', 'd', 'r', 'h']).parse().ok()?;
        let month = month_number(words.get(month)?)?;
        let end = year;
        let year: i16 = words.get(year).filter(|year| year.len() == 4)?.parse().ok()?;
        let date = Date::new(year, month, day).ok()?;
        Some((Value::Date(date), end + 1))
    })
}

fn month_number(word: &str) -> Option<i8> {
    let known = |month: &str| month == word || (word.len() == 3 && month.starts_with(word));
    MONTHS.iter().position(|month| known(month)).and_then(|at| i8::try_from(at + 1).ok())
}

/// A number with or without a unit of time, and how many words it took.
fn measured(words: &[String]) -> Option<(Value, usize)> {
    let first = words.first()?;
    let unit = words.get(1).and_then(|word| unit(word));
    let one = matches!(first.as_str(), "a" | "an").then_some(1.0).filter(|_| unit.is_some());
    let number = one.or_else(|| number(first))?;
    Some(match unit {
        Some(Unit::Minutes(minutes)) => (Value::Length(number * minutes), 2),
        Some(Unit::Months(months)) => (Value::Months(number * months), 2),
        None => (Value::Number(number), 1),
    })
}

enum Unit {
    Minutes(f64),
    Months(f64),
}

fn unit(word: &str) -> Option<Unit> {
    Some(match word.trim_end_matches('s') {
        "minute" => Unit::Minutes(1.0),
        "hour" => Unit::Minutes(60.0),
        "day" => Unit::Minutes(1440.0),
        "week" => Unit::Minutes(10_080.0),
        "month" => Unit::Months(1.0),
        "year" => Unit::Months(12.0),
        _ => return None,
    })
}

fn number(word: &str) -> Option<f64> {
    number_in_words(word)
        .map(f64::from)
        .or_else(|| word.parse().ok().filter(|number: &f64| number.is_finite()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_among_words() {
        let found = values("On 8 May 2023, two weeks and 3.5 hours before, I paid 1,200");
        let day = jiff::civil::date(2023, 5, 8);
        let expected = [
            Value::Date(day),
            Value::Length(20_160.0),
            Value::Length(210.0),
            Value::Number(1200.0),
        ];
        assert_eq!(found, expected);
        assert_eq!(values("may I ask"), []);
        assert_eq!(values("a year"), [Value::Months(12.0)]);
        assert_eq!(values("twenty-five days"), [Value::Length(36_000.0)]);
        assert!(is_whole("about 14 days", &Value::Length(1.0)));
        assert!(!is_whole("14 days in Rome", &Value::Length(1.0)));
    }
}
