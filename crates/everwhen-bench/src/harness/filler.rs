//! Synthetic dialogue of made-up words, and questions about it, identical for all systems that are measured.

use anyhow::Result;
use everwhen::memory::{Name, NewEntry, Role, Said};
use jiff::{SignedDuration, Timestamp};

/// The words of a question: four, the most frequent ones left out.
pub(crate) fn question(number: usize) -> Vec<String> {
    (0..4).map(|place| word(number * 7919 + place * 104_729, 20)).collect()
}

/// Ten entries to a conversation, an hour apart, user and assistant in turn; one in a hundred has a
/// tag.
pub(crate) fn entry(number: usize) -> Result<NewEntry> {
    let role = if number.is_multiple_of(2) { Role::User } else { Role::Assistant };
    let mut entry = NewEntry::new(role, Said::new(text(number))?).said_at(time(number)?);
    if number.is_multiple_of(100) {
        entry.tags.push(tag()?);
    }
    Ok(entry)
}

/// The tag.
pub(crate) fn tag() -> Result<Name> {
    Ok(Name::new("tag", "note")?)
}

/// When it is said.
pub(crate) fn time(number: usize) -> Result<Timestamp> {
    let minutes = (number as i64 / 10) * 60 + number as i64 % 10;
    Ok(Timestamp::from_second(1_200_000_000)? + SignedDuration::from_mins(minutes))
}

/// What is said in it.
pub(crate) fn text(number: usize) -> String {
    let words: Vec<String> =
        (0..40 + number % 80).map(|place| word(number * 127 + place * 31_337, 1)).collect();
    words.join(" ")
}

/// A word of a vocabulary of 60,000 in which rank r occurs about once in r; `rarest` skips the
/// most frequent ones.
fn word(seed: usize, rarest: usize) -> String {
    let mixed = (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let share = (mixed >> 11) as f64 / (1u64 << 53) as f64;
    let rank = (rarest as f64 * (60_000.0 / rarest as f64).powf(share)) as usize;
    let letters = b"bdfgklmnprstvz";
    let vowels = b"aeiou";
    let mut left = rank + 14 * 5;
    let mut text = String::new();
    while left > 0 {
        text.push(letters[left % 14] as char);
        text.push(vowels[left / 14 % 5] as char);
        left /= 70;
    }
    text
}
