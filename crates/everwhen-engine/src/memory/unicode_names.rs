//! What Unicode says of names: their composed and decomposed forms, and characters that are not seen.

use std::ops::RangeInclusive;

use unicode_normalization::UnicodeNormalization;

/// A text with letters and accents composed (NFC).
pub(super) fn composed(text: &str) -> String {
    text.nfc().collect()
}

/// A text with letters and accents apart (NFD).
pub(super) fn decomposed(text: &str) -> String {
    text.nfd().collect()
}

/// Spaces without width, marks of writing direction, fillers, and characters for other uses than text.
const INVISIBLE: [RangeInclusive<char>; 17] = [
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180e}'..='\u{180e}',
    '\u{200b}'..='\u{200b}',
    '\u{200e}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{3164}'..='\u{3164}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fffb}',
    '\u{e0000}'..='\u{e001f}',
    JOINERS,
    FLAG_TAGS,
];
/// Join the letters or emoji beside them, or keep them apart.
const JOINERS: RangeInclusive<char> = '\u{200c}'..='\u{200d}';
/// Say which flag a flag without a picture is, such as that of Scotland.
const FLAG_TAGS: RangeInclusive<char> = '\u{e0020}'..='\u{e007f}';
/// A flag without a picture yet.
const FLAG: char = '\u{1f3f4}';

/// The characters that are not seen, or only by what they do to their neighbours.
pub(super) fn invisible() -> &'static [RangeInclusive<char>] {
    &INVISIBLE
}

/// The first character that is not seen. Joiners beside ASCII do nothing, nor do tags behind anything but a flag.
pub(super) fn first_invisible(text: &str) -> Option<char> {
    let letters: Vec<char> = text.chars().collect();
    let place = (0..letters.len()).find(|place| {
        let letter = letters[*place];
        let does_something = JOINERS.contains(&letter) && joins(&letters, *place)
            || FLAG_TAGS.contains(&letter) && is_of_flag(&letters[..*place]);
        !does_something && INVISIBLE.iter().any(|range| range.contains(&letter))
    })?;
    Some(letters[place])
}

/// Whether what stands at a place has a character beyond ASCII on each side.
fn joins(letters: &[char], place: usize) -> bool {
    let beside = [place.checked_sub(1), Some(place + 1)];
    let is_other = |place: usize| letters.get(place).is_some_and(|letter| !letter.is_ascii());
    beside.into_iter().all(|place| place.is_some_and(is_other))
}

/// Whether what stands before is a flag, perhaps with some of its tags.
fn is_of_flag(before: &[char]) -> bool {
    before.iter().rev().find(|letter| !FLAG_TAGS.contains(*letter)) == Some(&FLAG)
}
