//! One language as a table: words to recognize it by, words for slots, and patterns with what they
//! are in English.
//!
//! A line is one of:
//!
//! * `words: ...` function words that tell the language and mean nothing here
//! * `week: woche, wochen` what the language says for an English word: a unit, weekday, month,
//!   season, part of the day or number (`= number` files it under its slot)
//! * `vor {n} {u} = {n} {u} ago` a pattern and its English
//! * `guten morgen + ø` words that are translated, but no time by themselves; `ø` is no word of time
//! * `binds: ab bis` words that change what a time beside them means: one that no pattern took up
//!   refuses that time, since it would be read without what was said of it
//!
//! In a pattern `a|b` is either word, `?a` may be missing, `a_b` is two words, `-` is a dash of any
//! kind, another mark is itself, and `^` is where a sentence begins. Slots are listed at [`Slot`].

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::pieces::{What, pieces};

type Map<T> = HashMap<Box<str>, T, FixedState>;

/// What a pattern can leave open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    /// `{n}`: a number in figures or words, exact or vague.
    Number,
    /// `{u}`: a unit.
    Unit,
    /// `{w}`: a weekday.
    Weekday,
    /// `{m}`: a month by name.
    Month,
    /// `{M}`: a month by number.
    MonthNumber,
    /// `{s}`: a season.
    Season,
    /// `{p}`: a part of the day.
    Part,
    /// `{d}`: the number of a day; a dot behind it belongs to it.
    Day,
    /// `{o}`: which one of several, in words or figures up to five, or the last.
    Nth,
    /// `{y}`: a year of four figures.
    Year,
    /// `{h}`: an hour of the day in figures.
    Hour,
    /// `{i}`: minutes in figures.
    Minute,
    /// `{t}`: a clock time in figures.
    Clock,
    /// `{f}`: a date in figures.
    Date,
    /// `{e}`: day and month in figures, with dots.
    DayMonth,
    /// `{x}`: another time.
    Time,
}

impl Slot {
    /// The slot that a letter names.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "n" => Self::Number,
            "u" => Self::Unit,
            "w" => Self::Weekday,
            "m" => Self::Month,
            "M" => Self::MonthNumber,
            "s" => Self::Season,
            "p" => Self::Part,
            "d" => Self::Day,
            "o" => Self::Nth,
            "y" => Self::Year,
            "h" => Self::Hour,
            "i" => Self::Minute,
            "t" => Self::Clock,
            "f" => Self::Date,
            "e" => Self::DayMonth,
            "x" => Self::Time,
            _ => return None,
        })
    }

    /// The slot that an English word of the vocabulary fills.
    fn of(english: &str) -> Option<Self> {
        Some(match english {
            "minute" | "hour" | "day" | "week" | "weekend" | "month" | "quarter" | "year"
            | "decade" => Self::Unit,
            "Monday" | "Tuesday" | "Wednesday" | "Thursday" | "Friday" | "Saturday" | "Sunday" => {
                Self::Weekday
            }
            "January" | "February" | "March" | "April" | "May" | "June" | "July" | "August"
            | "September" | "October" | "November" | "December" => Self::Month,
            "spring" | "summer" | "autumn" | "winter" => Self::Season,
            "morning" | "lunchtime" | "afternoon" | "evening" | "night" | "early morning" => {
                Self::Part
            }
            "a few" | "several" | "a couple of" => Self::Number,
            "first" | "second" | "third" | "fourth" | "fifth" | "last" => Self::Nth,
            number if number.parse::<u32>().is_ok() => Self::Number,
            _ => return None,
        })
    }
}

/// One element of a pattern.
#[derive(Debug, Clone)]
pub(super) enum Element {
    /// One of these word sequences, longer ones first.
    Words(Vec<Vec<Box<str>>>),
    Slot(Slot),
    /// A punctuation mark.
    Mark(char),
    /// Where a sentence begins; nothing stands there.
    Start,
}

/// A pattern and its English.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) elements: Vec<Element>,
    pub(super) english: &'static str,
    /// The pattern is a time, not a word that joins times.
    pub(super) is_time: bool,
}

/// Words that fill a slot, and their English.
type Filler = (Slot, Vec<Box<str>>, &'static str);

/// A language.
#[derive(Debug, Default)]
pub(super) struct Table {
    words: Vec<Box<str>>,
    /// Function words.
    functions: Vec<Box<str>>,
    /// Words that change what a time beside them means.
    binds: Vec<Box<str>>,
    /// What a word sequence fills, by its first word.
    vocabulary: Map<Vec<Filler>>,
    patterns: Vec<Pattern>,
    /// Patterns by their first word.
    by_word: Map<Vec<usize>>,
    /// Patterns that begin with anything else.
    by_slot: Vec<usize>,
}

impl Table {
    /// Reads a table. A line that is none of the kinds is passed over; a test finds it.
    pub(super) fn parse(source: &'static str) -> Self {
        let mut table = Self::default();
        for line in source.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(words) = line.strip_prefix("words: ") {
                table.functions.extend(sequence(words));
                table.words.extend(sequence(words));
            } else if let Some(words) = line.strip_prefix("binds: ") {
                table.binds.extend(sequence(words));
                table.words.extend(sequence(words));
            } else if let Some((pattern, english)) = line.split_once(" = ") {
                table.add_pattern(pattern, english, true);
            } else if let Some((pattern, english)) = line.split_once(" + ") {
                table.add_pattern(pattern, english, false);
            } else if let Some((english, said)) = line.split_once(": ") {
                table.add_words(english, said);
            }
        }
        table
    }

    fn add_words(&mut self, english: &'static str, said: &str) {
        let Some(slot) = Slot::of(english) else { return };
        for words in said.split(", ").map(sequence).filter(|words| !words.is_empty()) {
            self.words.extend(words.iter().cloned());
            let entries = self.vocabulary.entry(words[0].clone()).or_default();
            entries.push((slot, words, english));
            entries.sort_by_key(|(_, words, _)| std::cmp::Reverse(words.len()));
        }
    }

    fn add_pattern(&mut self, pattern: &str, english: &'static str, is_time: bool) {
        for elements in expanded(pattern) {
            let number = self.patterns.len();
            match elements.first() {
                None => continue,
                Some(Element::Slot(_) | Element::Mark(_) | Element::Start) => {
                    self.by_slot.push(number);
                }
                Some(Element::Words(choices)) => {
                    for word in choices.iter().filter_map(|words| words.first()) {
                        self.by_word.entry(word.clone()).or_default().push(number);
                    }
                }
            }
            for element in &elements {
                if let Element::Words(choices) = element {
                    self.words.extend(choices.iter().flatten().cloned());
                }
            }
            self.patterns.push(Pattern { elements, english, is_time });
        }
    }

    /// Every word of the language that is known.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| &**word)
    }

    /// Whether a word changes what a time beside it means.
    pub(super) fn binds(&self, word: &str) -> bool {
        self.binds.iter().any(|known| **known == *word)
    }

    /// Whether a word is a function word, which may join two numbers.
    pub(super) fn joins(&self, word: &str) -> bool {
        self.functions.iter().any(|known| **known == *word)
    }

    /// Whether a pattern that begins with a word is one of these in English.
    pub(super) fn begins(&self, word: &str, english: &[&str]) -> bool {
        let numbers = self.by_word.get(word).into_iter().flatten();
        let mut patterns = numbers.filter_map(|number| self.patterns.get(*number));
        patterns.any(|pattern| english.iter().any(|begin| pattern.english.starts_with(begin)))
    }

    /// The patterns that can begin with a word, or with anything else if there is none.
    pub(super) fn beginning(&self, word: Option<&str>) -> impl Iterator<Item = &Pattern> {
        let by_word = word.and_then(|word| self.by_word.get(word));
        let numbers = by_word.into_iter().flatten().chain(&self.by_slot);
        numbers.filter_map(|number| self.patterns.get(*number))
    }

    /// What can begin with a word and fill a slot, longer ones first.
    pub(super) fn fillers(
        &self,
        slot: Slot,
        word: &str,
    ) -> impl Iterator<Item = (&[Box<str>], &'static str)> {
        let entries = self.vocabulary.get(word).into_iter().flatten();
        entries.filter(move |(known, ..)| *known == slot).map(|(_, words, out)| (&words[..], *out))
    }

    /// The patterns, for tests.
    #[cfg(test)]
    pub(super) fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }
}

/// The words of a text, as the pieces of a text have them.
fn sequence(text: &str) -> Vec<Box<str>> {
    let text = text.replace('_', " ");
    let word = |what: What<'_>| match what {
        What::Word(word) => Some(word.into()),
        _ => None,
    };
    pieces(&text).into_iter().filter_map(|piece| word(piece.what)).collect()
}

/// A pattern once for every choice of its optional elements.
fn expanded(pattern: &str) -> Vec<Vec<Element>> {
    let mut all = vec![Vec::new()];
    for written in pattern.split(' ') {
        let optional = written.strip_prefix('?');
        let Some(element) = element(optional.unwrap_or(written)) else { return Vec::new() };
        let without = if optional.is_some() { all.clone() } else { Vec::new() };
        for elements in &mut all {
            elements.push(element.clone());
        }
        all.extend(without);
    }
    all
}

fn element(written: &str) -> Option<Element> {
    if let Some(name) = written.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        return Slot::named(name).map(Element::Slot);
    }
    if let (Some(mark), true) = (written.chars().next(), written.chars().count() == 1)
        && !mark.is_alphanumeric()
    {
        return Some(if mark == '^' { Element::Start } else { Element::Mark(mark) });
    }
    let mut choices: Vec<Vec<Box<str>>> = written.split('|').map(sequence).collect();
    choices.sort_by_key(|words| std::cmp::Reverse(words.len()));
    choices.iter().all(|words| !words.is_empty()).then_some(Element::Words(choices))
}
