//! Numbers in words and figures, exact and vague.

use super::classes::{COUNT, NTH};
use super::cursor::{Cursor, Read};
use super::lexer::{self, Kind};

/// How many, as said. An exact number has `low == high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Count {
    pub(super) low: u32,
    pub(super) likely: u32,
    pub(super) high: u32,
    /// And a half.
    pub(super) half: bool,
}

impl Count {
    /// Exactly this number.
    pub(super) const fn exactly(number: u32) -> Self {
        Self::between(number, number, number)
    }

    /// Between `low` and `high`.
    pub(super) const fn between(low: u32, likely: u32, high: u32) -> Self {
        Self { low, likely, high, half: false }
    }

    /// Whether a number was said.
    pub(super) fn is_exact(self) -> bool {
        self.low == self.high && !self.half
    }
}

/// "A few": the number behind every unsaid plural ("in recent weeks").
pub(super) const FEW: Count = Count::between(2, 3, 5);

const VAGUE: [(&str, Count); 12] = [
    ("a couple of", Count::between(2, 2, 3)),
    ("a couple", Count::between(2, 2, 3)),
    ("couple of", Count::between(2, 2, 3)),
    ("couple", Count::between(2, 2, 3)),
    ("a few", FEW),
    ("few", FEW),
    ("several", Count::between(3, 5, 8)),
    ("a handful of", Count::between(3, 4, 6)),
    ("half a dozen", Count::exactly(6)),
    ("a dozen", Count::exactly(12)),
    ("half a", Count { low: 0, likely: 0, high: 0, half: true }),
    ("half an", Count { low: 0, likely: 0, high: 0, half: true }),
];

const UNITS: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];

const TENS: [&str; 10] =
    ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

const NTH_UNITS: [&str; 20] = [
    "",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];

const NTH_TENS: [&str; 10] = [
    "",
    "",
    "twentieth",
    "thirtieth",
    "fortieth",
    "fiftieth",
    "sixtieth",
    "seventieth",
    "eightieth",
    "ninetieth",
];

/// A number: `three`, `twenty-five`, `a hundred and two`, `167`.
pub(super) fn cardinal(c: Cursor<'_>) -> Read<'_, u32> {
    let c = c.at_one_of(COUNT)?;
    if let Some(Kind::Number(number)) = c.kind() {
        return Some((number, c.step()));
    }
    let (number, after) = below_hundred(c)
        .or_else(|| Some((1, c.word("a").filter(|after| after.word("hundred").is_some())?)))?;
    let Some(after) = after.word("hundred") else { return Some((number, after)) };
    match below_hundred(after.maybe(&["and"])) {
        Some((rest, end)) => Some((number * 100 + rest, end)),
        None => Some((number * 100, after)),
    }
}

/// The number that a text spells and nothing else, below a hundred: `three`, `twenty-five`.
pub fn number_in_words(text: &str) -> Option<u32> {
    let lower = text.to_ascii_lowercase();
    let tokens = lexer::tokens(text, &lower);
    below_hundred(Cursor::new(&tokens))
        .filter(|(_, end)| end.peek().is_none())
        .map(|(number, _)| number)
}

/// An ordinal number: `third`, `3rd`, `twenty-first`.
pub(super) fn ordinal(c: Cursor<'_>) -> Read<'_, u32> {
    let c = c.at_one_of(NTH)?;
    if let Some(Kind::Nth(number)) = c.kind() {
        return Some((number, c.step()));
    }
    let word = c.text()?;
    if let Some(number) = index_in(&NTH_UNITS, word) {
        return Some((number, c.step()));
    }
    if let Some(tens) = index_in(&NTH_TENS, word) {
        return Some((tens * 10, c.step()));
    }
    let tens = index_in(&TENS, word)?;
    let after = c.step().hyphen();
    let ones = index_in(&NTH_UNITS, after.text()?).filter(|ones| *ones < 10)?;
    Some((tens * 10 + ones, after.step()))
}

/// How many: exact, vague (`a few`), a range (`two or three`), with a half, or `a`.
pub(super) fn quantity(c: Cursor<'_>) -> Read<'_, Count> {
    let c = c.at_one_of(COUNT)?;
    if let Some(read) = c.pick(&VAGUE) {
        return Some(read);
    }
    if let Some(Kind::Half(number)) = c.kind() {
        return Some((Count { half: true, ..Count::exactly(number) }, c.step()));
    }
    let Some((number, after)) = cardinal(c) else {
        return Some((Count::exactly(1), c.any(&["a", "an"])?));
    };
    if let Some(after) = after.word("dozen") {
        return Some((Count::exactly(number.checked_mul(12)?), after));
    }
    if let Some(after) = after.words("and a half") {
        return Some((Count { half: true, ..Count::exactly(number) }, after));
    }
    range(number, after).or(Some((Count::exactly(number), after)))
}

/// The second half of `two or three`, `2-3`, `two to three`.
fn range(low: u32, c: Cursor<'_>) -> Read<'_, Count> {
    let after = c
        .any(&["or", "to"])
        .or_else(|| Some(c.hyphen()).filter(|h| h.position() > c.position()))?;
    let (high, after) = cardinal(after)?;
    (low < high).then_some((Count::between(low, low, high), after))
}

fn below_hundred(c: Cursor<'_>) -> Read<'_, u32> {
    let word = c.text()?;
    if let Some(number) = UNITS.iter().position(|unit| *unit == word) {
        return Some((u32::try_from(number).ok()?, c.step()));
    }
    let tens = index_in(&TENS, word)? * 10;
    let after = c.step().hyphen();
    let ones = after.text().and_then(|word| index_in(&UNITS, word)).filter(|ones| *ones < 10);
    Some(ones.map_or((tens, c.step()), |ones| (tens + ones, after.step())))
}

/// The index of a word in a table.
fn index_in(table: &[&str], word: &str) -> Option<u32> {
    table.iter().position(|entry| *entry == word).and_then(|at| u32::try_from(at).ok())
}

/// Words that can begin a quantity.
pub(super) fn quantity_words() -> Vec<&'static str> {
    let vague = VAGUE.iter().map(|(words, _)| *words);
    vague
        .chain(UNITS)
        .chain(TENS)
        .chain(["a", "an", "a hundred"])
        .filter(|word| !word.is_empty())
        .collect()
}

/// Words that can begin an ordinal.
pub(super) fn ordinal_words() -> Vec<&'static str> {
    NTH_UNITS.into_iter().chain(NTH_TENS).chain(TENS).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(text: &str, rule: fn(Cursor<'_>) -> Read<'_, T>) -> Option<T> {
        let tokens = lexer::tokens(text, text);
        rule(Cursor::new(&tokens)).filter(|(_, end)| end.peek().is_none()).map(|(value, _)| value)
    }

    #[test]
    fn numbers_in_words() {
        for (text, number) in [
            ("three", 3),
            ("twenty-five", 25),
            ("twenty five", 25),
            ("a hundred", 100),
            ("one hundred and two", 102),
            ("two hundred sixty-seven", 267),
            ("167", 167),
            ("1,000", 1000),
        ] {
            assert_eq!(with(text, cardinal), Some(number), "{text}");
        }
    }

    #[test]
    fn a_word_spells_a_number_or_does_not() {
        assert_eq!(
            [number_in_words("Seven"), number_in_words("twenty-five"), number_in_words("zero")],
            [Some(7), Some(25), Some(0)]
        );
        assert_eq!(
            [number_in_words("sevens"), number_in_words("seven days"), number_in_words("")],
            [None; 3]
        );
    }

    #[test]
    fn ordinals_in_words_and_figures() {
        for (text, number) in
            [("first", 1), ("3rd", 3), ("twelfth", 12), ("thirtieth", 30), ("twenty-first", 21)]
        {
            assert_eq!(with(text, ordinal), Some(number), "{text}");
        }
    }

    #[test]
    fn vague_numbers_keep_their_bounds() {
        assert_eq!(with("a few", quantity), Some(FEW));
        assert_eq!(with("two or three", quantity), Some(Count::between(2, 2, 3)));
        assert_eq!(with("2-3", quantity), Some(Count::between(2, 2, 3)));
        assert_eq!(with("2.5", quantity), Some(Count { half: true, ..Count::exactly(2) }));
        assert_eq!(with("two dozen", quantity), Some(Count::exactly(24)));
    }
}
