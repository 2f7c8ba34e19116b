//! Time phrases in other languages, read by the English grammar.
//!
//! A language is a table: its words for units, weekdays, months and numbers, and patterns that say
//! what a phrase is in English ("vor {n} {u}" is "{n} {u} ago"). A text is rewritten by the table,
//! word by word and pattern by pattern; what the table does not know becomes one neutral word. The
//! English grammar then reads the result, so every language follows the same rules and refuses what
//! they refuse. Nothing in the code is about one language.
//!
//! A table knows only part of a language. What it read is refused if the words beside it change what
//! it means and were not read (`beside`): "5 March" in "from 1 to 5 March" is another time.
//!
//! Which language a text is in is decided by its script, or by how many of its words each table
//! knows. A text with as many English words is English. Where two languages know equally many words,
//! the one that reads more of the text is taken; where that is undecided too and they read it
//! differently, it is not read in either.

mod beside;
mod pieces;
mod table;
mod translate;

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use foldhash::fast::FixedState;
use jiff::Timestamp;

use super::classes::NONE;
use super::lexer::{Kind, Token};
use super::{Meaning, Phrase, Prefer, Reading, Zone, read_english};
use beside::Neighbors;
use pieces::fold;
use table::Table;
use translate::Translation;

/// The tables of languages in Latin script, then of the other scripts.
const SOURCES: [&str; 11] = [
    include_str!("languages/de.txt"),
    include_str!("languages/es.txt"),
    include_str!("languages/fr.txt"),
    include_str!("languages/it.txt"),
    include_str!("languages/nl.txt"),
    include_str!("languages/pl.txt"),
    include_str!("languages/pt.txt"),
    include_str!("languages/ru.txt"),
    include_str!("languages/zh.txt"),
    include_str!("languages/ja.txt"),
    include_str!("languages/ko.txt"),
];

/// The number of tables that are distinguished by their words.
const LATIN: usize = 7;
const RUSSIAN: usize = 7;
const CHINESE: usize = 8;
const JAPANESE: usize = 9;
const KOREAN: usize = 10;

/// English words that stand for the language, including those that a table of another one has.
const ENGLISH: &str = include_str!("languages/en.txt");

/// A set of languages in Latin script, by number; English has a bit of its own.
type Languages = u16;
const IS_ENGLISH: Languages = 1 << LATIN;

static TABLES: [OnceLock<Table>; SOURCES.len()] = [const { OnceLock::new() }; SOURCES.len()];

/// The languages that know a word.
static VOCABULARY: LazyLock<HashMap<Box<str>, Languages, FixedState>> = LazyLock::new(|| {
    let mut words: HashMap<Box<str>, Languages, FixedState> = HashMap::default();
    for number in 0..LATIN {
        for word in table(number).words() {
            *words.entry(word.into()).or_default() |= 1 << number;
        }
    }
    for word in ENGLISH.split_whitespace() {
        *words.entry(word.into()).or_default() |= IS_ENGLISH;
    }
    words
});

fn table(number: usize) -> &'static Table {
    TABLES[number].get_or_init(|| Table::parse(SOURCES[number]))
}

/// The time phrases of a text in another language than English, or nothing if it is English or has
/// none that the tables know.
pub(super) fn read_other(
    text: &str,
    tokens: &[Token<'_>],
    anchor: Timestamp,
    zone: &Zone,
    prefer: Prefer,
) -> Option<Reading> {
    let in_language = |number: usize| {
        let translation = Translation::new(text, table(number));
        let reading = read_english(&translation.english, anchor, zone, prefer);
        in_source(&translation, reading, (text, table(number)))
    };
    let read: Vec<Found> = candidates(text, tokens).into_iter().map(in_language).collect();
    let most = read.iter().map(|found| covered(&found.phrases)).max()?;
    if most == 0 {
        // English would read what its own language refused.
        return read.iter().any(|found| found.refused).then(Reading::default);
    }
    let mut best = read.into_iter().map(|found| found.phrases).filter(|one| covered(one) == most);
    let phrases = best.next()?;
    let meant = |phrases: &[Phrase]| phrases.iter().map(|p| p.meaning).collect::<Vec<_>>();
    best.all(|other| meant(&other) == meant(&phrases)).then_some(Reading { phrases })
}

/// What a text says in one language.
struct Found {
    phrases: Vec<Phrase>,
    /// A time was left out because it is only part of what was said.
    refused: bool,
}

/// How much of a text phrases cover: the language that reads more of it is more likely.
fn covered(phrases: &[Phrase]) -> usize {
    phrases.iter().map(|phrase| phrase.range.len()).sum()
}

/// The phrases with their words and places in the text that was translated, without those that are
/// only part of what was said.
fn in_source(
    translation: &Translation<'_>,
    reading: Reading,
    (text, table): (&str, &Table),
) -> Found {
    let all = reading.phrases.len();
    let mut end = 0;
    let place = |phrase: Phrase| {
        let range = translation.source(&phrase.range)?;
        let later = range.start >= end && range.start < range.end;
        end = end.max(range.end);
        let english = phrase.text;
        later.then(|| (english, Phrase { text: text[range.clone()].to_owned(), range, ..phrase }))
    };
    let placed: Vec<(String, Phrase)> = reading.phrases.into_iter().filter_map(place).collect();
    let read: Vec<_> =
        placed.iter().map(|(english, phrase)| (english.clone(), phrase.range.clone())).collect();
    let neighbors = Neighbors { table, pieces: &translation.pieces, read: &read };
    let stands = |(english, phrase): &(String, Phrase)| {
        !matches!(phrase.meaning, Meaning::Period(_)) || !neighbors.cut_off(&phrase.range, english)
    };
    let phrases: Vec<Phrase> =
        placed.into_iter().filter(stands).map(|(_, phrase)| phrase).collect();
    Found { refused: phrases.len() < all, phrases }
}

/// The languages that a text may be in, by number.
fn candidates(text: &str, tokens: &[Token<'_>]) -> Vec<usize> {
    match script(text) {
        Script::Latin => by_words(tokens),
        Script::Cyrillic => vec![RUSSIAN],
        Script::Han => vec![CHINESE, JAPANESE],
        Script::Kana => vec![JAPANESE],
        Script::Hangul => vec![KOREAN],
    }
}

enum Script {
    Latin,
    Cyrillic,
    Han,
    Kana,
    Hangul,
}

/// The script that a text is in, if one letter tells.
fn script(text: &str) -> Script {
    if text.is_ascii() {
        return Script::Latin;
    }
    let mut script = Script::Latin;
    for letter in text.chars() {
        match u32::from(letter) {
            0x3040..=0x30FF => return Script::Kana,
            0xAC00..=0xD7AF | 0x1100..=0x11FF => return Script::Hangul,
            0x3400..=0x4DBF | 0x4E00..=0x9FFF => script = Script::Han,
            0x0400..=0x04FF => script = Script::Cyrillic,
            _ => {}
        }
    }
    script
}

/// The languages in Latin script that know the most words, if they know more than English does.
fn by_words(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut votes = [0_u32; LATIN + 1];
    for token in tokens.iter().filter(|token| token.kind == Kind::Word) {
        let english = if token.classes == NONE { 0 } else { IS_ENGLISH };
        vote(&mut votes, token.text, english);
    }
    let most = votes[..LATIN].iter().copied().max().unwrap_or(0);
    if most == 0 || most <= votes[LATIN] {
        return Vec::new();
    }
    (0..LATIN).filter(|number| votes[*number] == most).collect()
}

/// Counts a word, or each of its parts between apostrophes, for the languages that know it.
fn vote(votes: &mut [u32; LATIN + 1], word: &str, english: Languages) {
    for part in word.split(['\'', '’']).filter(|part| !part.is_empty()) {
        let known = VOCABULARY.get(&*fold(part)).copied().unwrap_or(0) | english;
        for (number, count) in votes.iter_mut().enumerate() {
            *count += u32::from(known >> number & 1);
        }
    }
}

#[cfg(test)]
mod tests;
