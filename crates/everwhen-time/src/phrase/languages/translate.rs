//! A text rewritten in English by a table, with the way back to where each word stood.

use std::fmt::Write;
use std::ops::Range;

use super::pieces::{Piece, What, pieces};
use super::table::{Element, Pattern, Slot, Table};

/// What stands in the translation for a word that the table does not know. The English grammar takes
/// it for a function word: no noun that could join a name before it, and no word for a time.
pub(super) const UNKNOWN: &str = "ø";

/// What fills `{o}`, from the first on.
const ORDINALS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A text in English, as far as it is about time.
pub(super) struct Translation<'t> {
    pub(super) english: String,
    pub(super) pieces: Vec<Piece<'t>>,
    /// Places in the translation and where they come from, in order.
    places: Vec<(Range<usize>, Range<usize>)>,
}

impl<'t> Translation<'t> {
    /// Rewrites a text: at each piece the longest pattern wins.
    pub(super) fn new(text: &'t str, table: &Table) -> Self {
        let pieces = pieces(text);
        let english = String::with_capacity(text.len());
        let mut translation = Self { english, pieces: vec![], places: vec![] };
        let mut at = 0;
        while let Some(piece) = pieces.get(at) {
            let matched = Matcher { table, pieces: &pieces }.longest(at);
            let (end, english) = matched.unwrap_or_else(|| (at + 1, unmatched(piece, text)));
            let source = piece.start..pieces[end - 1].end;
            let glued = piece.glued && end == at + 1 && !matches!(piece.what, What::Word(_));
            translation.push(&english, source, glued);
            at = end;
        }
        Self { pieces, ..translation }
    }

    fn push(&mut self, english: &str, source: Range<usize>, glued: bool) {
        if !glued && !self.english.is_empty() {
            self.english.push(' ');
        }
        let start = self.english.len();
        self.english.push_str(english);
        self.places.push((start..self.english.len(), source));
    }

    /// Where a range of the translation stands in the text. Nothing if a pattern said more than the
    /// range has: half of what was said is another time.
    pub(super) fn source(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let touches = |(place, _): &&(Range<usize>, Range<usize>)| {
            place.start < range.end && range.start < place.end
        };
        let (first_place, first) = self.places.iter().find(touches)?;
        let (last_place, last) = self.places.iter().rev().find(touches)?;
        let is_whole = range.start <= first_place.start && last_place.end <= range.end;
        is_whole.then_some(first.start..last.end)
    }
}

/// A piece that no pattern begins with: dates and marks as they are, words and numbers unknown. A
/// number that the language did not take for a part of a time must not become one in English.
fn unmatched(piece: &Piece<'_>, text: &str) -> String {
    let written = &text[piece.start..piece.end];
    match piece.what {
        What::Word(_) | What::Number(_) => UNKNOWN.to_owned(),
        What::Date(day, month, year) => format!("{year}-{month:02}-{day:02}"),
        What::Mark('。' | '．') => ".".to_owned(),
        What::Mark('？') => "?".to_owned(),
        What::Mark('！') => "!".to_owned(),
        What::Mark('，' | '、') => ",".to_owned(),
        _ => written.to_owned(),
    }
}

/// What a slot was filled with.
#[derive(Clone)]
struct Filled {
    slot: Slot,
    english: String,
    number: u32,
}

impl Filled {
    fn words(slot: Slot, english: impl Into<String>) -> Self {
        Self { slot, english: english.into(), number: 0 }
    }

    fn number(slot: Slot, number: u32) -> Self {
        Self { slot, english: number.to_string(), number }
    }
}

#[derive(Clone, Copy)]
struct Matcher<'m, 't> {
    table: &'m Table,
    pieces: &'m [Piece<'t>],
}

impl Matcher<'_, '_> {
    /// The longest pattern at a place: where it ends, and its English.
    fn longest(self, at: usize) -> Option<(usize, String)> {
        self.all(at, false).into_iter().next()
    }

    /// Every pattern at a place with its English, longer ones first, of equally long ones those that
    /// stand first in the table. Inside another pattern only times count, and none that begins with
    /// a time itself.
    fn all(self, at: usize, inside: bool) -> Vec<(usize, String)> {
        let plain = self.pieces.get(at).is_some_and(|piece| !piece.is_mark());
        if !plain || self.is_inside_word(at) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut begun: Vec<(Slot, Vec<(usize, Filled)>)> = Vec::new();
        for pattern in self.table.beginning(self.word(at)) {
            if inside && !pattern.is_time {
                continue;
            }
            let mut filled = Vec::new();
            let end = match &pattern.elements[..] {
                [Element::Slot(slot), rest @ ..] => {
                    // Many patterns begin with the same slot; what fills it here is found once.
                    if !begun.iter().any(|(known, _)| known == slot) {
                        begun.push((*slot, self.ways(*slot, at, inside)));
                    }
                    let ways = begun.iter().find(|(known, _)| known == slot).map(|(_, ways)| ways);
                    ways.and_then(|ways| self.after(ways, rest, inside, &mut filled))
                }
                elements => self.matches(elements, at, inside, &mut filled),
            };
            if let Some(end) = end {
                found.push((end, pattern, filled));
            }
        }
        found.sort_by_key(|(end, ..)| std::cmp::Reverse(*end));
        let english = |(end, pattern, filled): (usize, &Pattern, Vec<Filled>)| {
            (end, written(pattern.english, &filled))
        };
        found.into_iter().map(english).collect()
    }

    /// Where a pattern ends that begins here, with what fills its slots.
    fn matches(
        self,
        elements: &[Element],
        at: usize,
        inside: bool,
        filled: &mut Vec<Filled>,
    ) -> Option<usize> {
        let Some((first, rest)) = elements.split_first() else { return Some(at) };
        match first {
            Element::Words(choices) => {
                let end = choices.iter().find_map(|words| self.past(words, at))?;
                self.matches(rest, end, inside, filled)
            }
            Element::Mark(mark) => {
                let end = self.mark(at, *mark).then_some(at + 1)?;
                self.matches(rest, end, inside, filled)
            }
            Element::Start => {
                self.opens_sentence(at).then(|| self.matches(rest, at, inside, filled))?
            }
            Element::Slot(slot) => self.after(&self.ways(*slot, at, inside), rest, inside, filled),
        }
    }

    /// Everything that fills a slot here, and where it ends, best first.
    fn ways(self, slot: Slot, at: usize, inside: bool) -> Vec<(usize, Filled)> {
        if slot != Slot::Time {
            return self.fill(slot, at).into_iter().collect();
        }
        if inside {
            return Vec::new();
        }
        let time = |(end, text): (usize, String)| (end, Filled::words(slot, bare(&text)));
        self.all(at, true).into_iter().map(time).collect()
    }

    /// Where the rest of a pattern ends behind what fills its first slot.
    fn after(
        self,
        ways: &[(usize, Filled)],
        rest: &[Element],
        inside: bool,
        filled: &mut Vec<Filled>,
    ) -> Option<usize> {
        for (end, value) in ways {
            filled.push(value.clone());
            if let Some(end) = self.matches(rest, *end, inside, filled) {
                return Some(end);
            }
            filled.pop();
        }
        None
    }

    fn word(&self, at: usize) -> Option<&str> {
        match &self.pieces.get(at)?.what {
            What::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Whether this mark is here; dashes of every length are one.
    fn mark(self, at: usize, mark: char) -> bool {
        let plain =
            |c: char| if matches!(c, '–' | '—' | '−' | '‐' | '‑') { '-' } else { c };
        self.pieces.get(at).is_some_and(|p| matches!(p.what, What::Mark(c) if plain(c) == mark))
    }

    fn opens_sentence(self, at: usize) -> bool {
        at == 0 || ['.', '!', '?'].iter().any(|end| self.mark(at - 1, *end))
    }

    /// Whether a Hangul syllable continues a word, which begins after a blank, a mark or a number.
    fn is_inside_word(self, at: usize) -> bool {
        let is_hangul = |at: usize| {
            self.word(at)
                .and_then(|word| word.chars().next())
                .is_some_and(|c| matches!(u32::from(c), 0xAC00..=0xD7AF))
        };
        let glued = self.pieces.get(at).is_some_and(|piece| piece.glued);
        glued && at > 0 && is_hangul(at) && is_hangul(at - 1)
    }

    /// Past these words, if they are here.
    fn past(self, words: &[Box<str>], at: usize) -> Option<usize> {
        let here = words.iter().enumerate().all(|(n, word)| self.word(at + n) == Some(word));
        here.then_some(at + words.len())
    }

    fn number(self, at: usize) -> Option<u32> {
        match self.pieces.get(at)?.what {
            What::Number(number) => Some(number),
            _ => None,
        }
    }

    /// What fills a slot here, and where it ends.
    fn fill(self, slot: Slot, at: usize) -> Option<(usize, Filled)> {
        let within = |low: u32, high: u32| {
            let (end, number) = self.counted(at)?;
            (low..=high).contains(&number).then_some((end, number))
        };
        match slot {
            Slot::Number => self.quantity(at),
            Slot::Unit | Slot::Weekday | Slot::Month | Slot::Season | Slot::Part => {
                let (end, english) = self.known(slot, at)?;
                // The dot of "Okt. 2019" and "oct. de 2019" ends no sentence.
                let dot = slot == Slot::Month && self.mark(end, '.');
                let goes_on = dot && (1..=2).any(|ahead| self.number(end + ahead).is_some());
                let end = end + usize::from(goes_on);
                Some((end, Filled::words(slot, english)))
            }
            Slot::MonthNumber => {
                let (end, number) = within(1, 12)?;
                Some((end, Filled::words(slot, MONTHS[number as usize - 1])))
            }
            Slot::Day => self.day(at),
            Slot::Nth => self.nth(at),
            Slot::Year => within(1900, 2099).map(|(end, n)| (end, Filled::number(slot, n))),
            Slot::Hour => within(0, 23).map(|(end, n)| (end, Filled::number(slot, n))),
            Slot::Minute => within(0, 59).map(|(end, n)| (end, Filled::number(slot, n))),
            Slot::Time => None,
            Slot::Clock | Slot::Date | Slot::DayMonth => self.figures(slot, at),
        }
    }

    fn figures(self, slot: Slot, at: usize) -> Option<(usize, Filled)> {
        let filled = match (slot, &self.pieces.get(at)?.what) {
            (Slot::Clock, What::Clock(hour, minute)) => {
                Filled::words(slot, twelve_hours(*hour, Some(*minute)))
            }
            (Slot::Date, What::Date(day, month, year)) => {
                Filled::words(slot, format!("{year}-{month:02}-{day:02}"))
            }
            (Slot::DayMonth, What::DayMonth(day, month)) => {
                Filled::words(slot, format!("{day} {}", MONTHS.get(*month as usize - 1)?))
            }
            _ => return None,
        };
        Some((at + 1, filled))
    }

    /// A word sequence of the vocabulary.
    fn known(self, slot: Slot, at: usize) -> Option<(usize, &'static str)> {
        let word = self.word(at)?;
        self.table
            .fillers(slot, word)
            .find_map(|(words, english)| Some((self.past(words, at)?, english)))
    }

    fn quantity(self, at: usize) -> Option<(usize, Filled)> {
        if let Some((end, number)) = self.counted(at) {
            return Some((end, Filled::number(Slot::Number, number)));
        }
        let (end, english) = self.known(Slot::Number, at)?;
        Some((end, Filled::words(Slot::Number, english)))
    }

    /// A number in figures, in Chinese characters or in words.
    fn counted(self, at: usize) -> Option<(usize, u32)> {
        if let Some(number) = self.number(at) {
            return Some((at + 1, number));
        }
        let characters = (at..).map_while(|at| self.word(at).and_then(numeral)).count();
        if characters > 0 {
            let values = (at..at + characters).filter_map(|at| self.word(at).and_then(numeral));
            return Some((at + characters, chinese_number(values)?));
        }
        let (end, english) = self.known(Slot::Number, at)?;
        Some((end, english.parse().ok()?))
    }

    /// Which one of several: in words, or in figures with a dot or an ending.
    fn nth(self, at: usize) -> Option<(usize, Filled)> {
        if let Some((end, english)) = self.known(Slot::Nth, at) {
            return Some((end, Filled::words(Slot::Nth, english)));
        }
        let (end, day) = self.day(at)?;
        let english = ORDINALS.get(day.number.checked_sub(1)? as usize)?;
        Some((end, Filled::words(Slot::Nth, *english)))
    }

    /// The number of a day, with a dot or an ending of one or two letters: `3.`, `1er`, `3-го`.
    fn day(self, at: usize) -> Option<(usize, Filled)> {
        let (end, number) = self.counted(at).filter(|(_, day)| (1..=31).contains(day))?;
        let tied = |at: usize| self.pieces.get(at).filter(|piece| piece.glued);
        let mark = |at: usize, marks: &[char]| {
            tied(at).is_some_and(|p| matches!(p.what, What::Mark(m) if marks.contains(&m)))
        };
        let ending = if mark(end, &['-']) { end + 1 } else { end };
        let is_short =
            |word: &str| word.chars().count() <= 2 && !word.chars().any(super::pieces::is_unspaced);
        let after = match tied(ending).and_then(|_| self.word(ending)) {
            Some(word) if is_short(word) => ending + 1,
            _ if mark(end, &['.', 'º', 'ª', '°']) => end + 1,
            _ => end,
        };
        Some((after, Filled::number(Slot::Day, number)))
    }
}

/// The value of a Chinese numeral; tens and hundreds multiply.
fn numeral(character: &str) -> Option<u32> {
    let digits = ["〇", "一", "二", "三", "四", "五", "六", "七", "八", "九", "十"];
    match character {
        "零" => Some(0),
        "两" | "兩" => Some(2),
        "百" => Some(100),
        _ => digits.iter().position(|digit| *digit == character).and_then(|n| n.try_into().ok()),
    }
}

/// `二十三` is 23, `十` is 10, `一百二十` is 120.
fn chinese_number(values: impl Iterator<Item = u32>) -> Option<u32> {
    let (mut total, mut digit) = (0_u32, None);
    for value in values {
        if value >= 10 {
            total = total.checked_add(value.checked_mul(digit.take().unwrap_or(1))?)?;
        } else if digit.replace(value).is_some_and(|before| before > 0) {
            return None;
        }
    }
    total.checked_add(digit.unwrap_or(0))
}

/// A time without the preposition that carries it, to put another one before it.
fn bare(english: &str) -> &str {
    ["in ", "on ", "at "].iter().find_map(|p| english.strip_prefix(p)).unwrap_or(english)
}

/// `15:30` as `3:30 pm`, and the hour alone as `3 pm`.
fn twelve_hours(hour: u32, minute: Option<u32>) -> String {
    let half = if hour < 12 { "am" } else { "pm" };
    let shown = if hour.is_multiple_of(12) { 12 } else { hour % 12 };
    minute.map_or_else(|| format!("{shown} {half}"), |m| format!("{shown}:{m:02} {half}"))
}

/// The English of a pattern with its slots filled. `{x2}` is the second of a kind, `{h+}` an hour
/// after noon; minutes belong to the hour before them.
fn written(english: &str, filled: &[Filled]) -> String {
    let mut text = String::with_capacity(english.len() + 16);
    let mut rest = english;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        let _ = write!(text, "{}", filling(name, filled));
        rest = after;
    }
    text.push_str(rest);
    text
}

fn filling(name: &str, filled: &[Filled]) -> String {
    let letter = name.chars().next().map(|c| c.to_string()).unwrap_or_default();
    let second = usize::from(name.ends_with('2'));
    let Some(slot) = Slot::named(&letter) else { return String::new() };
    let Some(value) = filled.iter().filter(|value| value.slot == slot).nth(second) else {
        return String::new();
    };
    if slot != Slot::Hour {
        return value.english.clone();
    }
    let minute = filled.iter().find(|value| value.slot == Slot::Minute).map(|value| value.number);
    let noon = if name.ends_with('+') && value.number < 12 { 12 } else { 0 };
    twelve_hours(value.number + noon, minute)
}
