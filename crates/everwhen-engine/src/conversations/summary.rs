//! The built-in summariser: chooses a title and sentences from the conversation itself.
//!
//! No model, no chance: the same conversation always gets the same words. Sentences are weighed by
//! how much of the conversation's own vocabulary they carry; what the user said counts more.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::LazyLock;

use unicode_segmentation::UnicodeSegmentation;

use crate::aside::quote;
use crate::memory::{Entry, Role, Summary, SummaryBy};
use crate::time::Zone;

/// A title has at least so many words…
pub(super) const TITLE_LEAST: usize = 5;
/// …and at most so many.
pub(super) const TITLE_MOST: usize = 8;
/// A summary has at most so many sentences.
pub(super) const SENTENCES: usize = 3;
/// A longer sentence is cut here.
const SENTENCE_CHARS: usize = 280;
/// Only so much of a conversation is read, from its beginning and its end.
const ENTRIES_READ: usize = 400;

struct Sentence<'a> {
    text: &'a str,
    role: Role,
    words: Vec<String>,
}

/// Title and summary of these entries, which stand in order.
pub(crate) fn extract(entries: &[Entry], zone: &Zone) -> Summary {
    let sentences = sentences(entries);
    let weights = word_weights(&sentences);
    let mut ranked: Vec<(usize, f64)> = sentences
        .iter()
        .enumerate()
        .map(|(index, sentence)| (index, weigh(sentence, &weights)))
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    Summary {
        title: title(&sentences, &ranked, entries, zone),
        text: summary(&sentences, &ranked),
        by: SummaryBy::Extractive,
    }
}

fn sentences(entries: &[Entry]) -> Vec<Sentence<'_>> {
    let spoken = entries.iter().filter(|entry| matches!(entry.role, Role::User | Role::Assistant));
    let spoken: Vec<&Entry> = spoken.collect();
    let skipped = spoken.len().saturating_sub(ENTRIES_READ);
    let (head, tail) = (ENTRIES_READ / 2, ENTRIES_READ / 2 + skipped);
    let read = spoken
        .iter()
        .enumerate()
        .filter(|(index, _)| *index < head || *index >= tail || skipped == 0);
    read.flat_map(|(_, entry)| {
        entry.content.as_str().unicode_sentences().map(|text| Sentence {
            text: text.trim(),
            role: entry.role,
            words: content_words(text),
        })
    })
    .filter(|sentence| sentence.text.unicode_words().next().is_some())
    .collect()
}

/// Whether a word, in lower case, says nothing about what a text is about.
pub(crate) fn is_stop_word(word: &str) -> bool {
    static ALL: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP_WORDS.iter().copied().collect());
    ALL.contains(word)
}

fn content_words(text: &str) -> Vec<String> {
    text.unicode_words().map(str::to_lowercase).filter(|word| !is_stop_word(word)).collect()
}

/// How many sentences share a word.
fn word_weights(sentences: &[Sentence<'_>]) -> HashMap<String, f64> {
    let mut weights = HashMap::new();
    for sentence in sentences {
        for word in sentence.words.iter().collect::<HashSet<_>>() {
            *weights.entry(word.clone()).or_insert(0.0) += 1.0;
        }
    }
    weights
}

/// The vocabulary a sentence carries, dampened by its length; the user's words count half again.
fn weigh(sentence: &Sentence<'_>, weights: &HashMap<String, f64>) -> f64 {
    let unique: HashSet<&String> = sentence.words.iter().collect();
    let mut carried: Vec<f64> = unique.iter().map(|word| weights[word.as_str()].ln_1p()).collect();
    carried.sort_by(f64::total_cmp);
    let speaker = if sentence.role == Role::User { 1.5 } else { 1.0 };
    speaker * carried.iter().sum::<f64>() / (unique.len() as f64 + 4.0).sqrt()
}

fn summary(sentences: &[Sentence<'_>], ranked: &[(usize, f64)]) -> String {
    let mut seen = HashSet::new();
    let mut chosen: Vec<usize> = ranked
        .iter()
        .map(|(index, _)| *index)
        .filter(|index| seen.insert(sentences[*index].text))
        .take(SENTENCES)
        .collect();
    chosen.sort_unstable();
    let texts: Vec<String> = chosen
        .into_iter()
        .map(|index| closed(shorten(sentences[index].text, SENTENCE_CHARS)))
        .collect();
    texts.join(" ")
}

/// A sentence that can be followed by another: with a mark at its end.
fn closed(mut sentence: String) -> String {
    if sentence.ends_with(char::is_alphanumeric) {
        sentence.push('.');
    }
    sentence
}

fn title(
    sentences: &[Sentence<'_>],
    ranked: &[(usize, f64)],
    entries: &[Entry],
    zone: &Zone,
) -> String {
    let by_user =
        |(index, weight): &&(usize, f64)| sentences[*index].role == Role::User && *weight > 0.0;
    let best = ranked.iter().find(by_user).or(ranked.first());
    let text = best.map_or("", |(index, _)| sentences[*index].text);
    if text.unicode_words().count() >= TITLE_LEAST {
        return first_words(text, title_length(text));
    }
    let day = entries
        .first()
        .map_or_else(String::new, |entry| format!(" on {}", zone.day(entry.conversation_time)));
    let words = first_words(text, TITLE_MOST - TITLE_LEAST + 1);
    if words.is_empty() {
        return format!("Exchange without any words{day}");
    }
    format!("Short exchange{day}: {words}")
}

/// How many words of a text make a title: one that is cut does not end in a word like "and".
fn title_length(text: &str) -> usize {
    let words: Vec<String> = text.unicode_words().map(str::to_lowercase).collect();
    if words.len() <= TITLE_MOST {
        return TITLE_MOST;
    }
    let says_something = |word: &String| !STOP_WORDS.contains(&word.as_str());
    let last = words[TITLE_LEAST..TITLE_MOST].iter().rposition(says_something);
    last.map_or(TITLE_LEAST, |last| TITLE_LEAST + last + 1)
}

/// The beginning of a text, up to so many words, on one line, without the marks at its end.
pub(super) fn first_words(text: &str, most: usize) -> String {
    let end = text
        .unicode_word_indices()
        .nth(most - 1)
        .map_or(text.len(), |(start, word)| start + word.len());
    let line: Vec<&str> = text[..end].split_whitespace().collect();
    let line = without_controls(&line.join(" "));
    line.trim_end_matches(|letter: char| !letter.is_alphanumeric()).to_owned()
}

/// A title as it may be shown anywhere: without characters that would move or color a terminal.
pub(crate) fn without_controls(title: &str) -> String {
    title.chars().filter(|letter| !letter.is_control()).collect()
}

/// A text on one line, cut at a word if it is longer than so many characters.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    Shortened::new(text, most).to_string()
}

/// A text on one line, cut at a word if it is longer than so many characters. Copied only where
/// blanks in it change.
pub(crate) struct Shortened<'t> {
    line: Cow<'t, str>,
    is_cut: bool,
}

impl<'t> Shortened<'t> {
    pub(crate) fn new(text: &'t str, most: usize) -> Self {
        if text.len() <= most && is_one_line(text) && !text.ends_with(' ') {
            return Self { line: Cow::Borrowed(text), is_cut: false };
        }
        match text.split_at_checked(most) {
            Some((head, rest)) if has_words(rest) && is_one_line(head) => {
                Self { line: Cow::Borrowed(whole_words(&head[..most - 1])), is_cut: true }
            }
            _ => Self::copied(text, most),
        }
    }

    fn copied(text: &str, most: usize) -> Self {
        let (mut line, is_cut) = joined(text, most);
        if is_cut {
            let end = line.char_indices().nth(most - 1).map_or(line.len(), |(place, _)| place);
            line.truncate(whole_words(&line[..end]).len());
        }
        Self { line: Cow::Owned(line), is_cut }
    }

    /// The same as it may stand in a text for a model.
    pub(crate) fn quoted(mut self) -> Self {
        self.line = quote(self.line);
        self
    }

    /// How many characters it has.
    pub(crate) fn chars(&self) -> usize {
        self.line.chars().count() + usize::from(self.is_cut)
    }

    /// How many bytes it takes, or a few less.
    pub(crate) fn size(&self) -> usize {
        self.line.len()
    }
}

impl fmt::Display for Shortened<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)?;
        if self.is_cut { f.write_str("…") } else { Ok(()) }
    }
}

/// Most bytes that a character takes.
const CHAR_BYTES: usize = 4;

/// The words of a text parted by single spaces, up to the first that is beyond so many characters,
/// and whether there is such a one.
fn joined(text: &str, most: usize) -> (String, bool) {
    let (mut line, mut chars) = (String::with_capacity(text.len().min(CHAR_BYTES * most)), 0);
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
            chars += 1;
        }
        line.push_str(word);
        chars += word.chars().count();
        if chars > most {
            return (line, true);
        }
    }
    (line, false)
}

/// A line that was cut somewhere, up to its last whole word.
fn whole_words(line: &str) -> &str {
    let words = line.rsplit_once(' ').map_or(line, |(head, _)| head);
    words.trim_end_matches([',', ';', ':', ' '])
}

/// Whether the text begins with a word and words are parted by single spaces, as far as that can be
/// seen without looking at letters beyond ASCII.
fn is_one_line(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Without a way out in the middle, so that many letters are looked at together.
    let is_plain = bytes.iter().fold(true, |is, byte| is & (b' '..0x7f).contains(byte));
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    let is_parted = pairs.fold(true, |is, (a, b)| is & ((*a != b' ') | (*b != b' ')));
    is_plain && is_parted && !text.starts_with(' ')
}

fn has_words(text: &str) -> bool {
    text.contains(|letter: char| !letter.is_whitespace())
}

/// Words that say nothing about what a conversation was about.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at",
    "be", "because", "been", "before", "but", "by", "can", "could", "did", "do", "does", "don't",
    "for", "from", "get", "got", "had", "has", "have", "he", "hello", "her", "here", "hi", "him",
    "his", "how", "i", "i'd", "i'll", "i'm", "i've", "if", "in", "into", "is", "it", "it's", "its",
    "just", "let", "like", "me", "more", "my", "no", "not", "now", "of", "ok", "okay", "on", "or",
    "our", "out", "please", "she", "should", "so", "some", "sure", "than", "thank", "thanks",
    "that", "that's", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "to", "too", "up", "us", "very", "was", "we", "well", "were", "what", "when", "where", "which",
    "while", "who", "why", "will", "with", "would", "yes", "you", "you're", "your",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn extracted(lines: &[(Role, &str)]) -> Summary {
        let entries: Vec<Entry> =
            lines.iter().map(|(role, text)| Entry::said(*role, text)).collect();
        extract(&entries, &Zone::utc())
    }

    #[test]
    fn chooses_sentences_of_the_conversation() {
        let summary = extracted(&[
            (Role::User, "Hi! I moved the dentist appointment to Friday. The dentist was kind."),
            (Role::Assistant, "Noted. Your dentist appointment is on Friday at nine."),
            (Role::User, "Remind me to bring the insurance card to the dentist on Friday."),
        ]);
        let words = summary.title.unicode_words().count();
        assert!((TITLE_LEAST..=TITLE_MOST).contains(&words), "{}", summary.title);
        assert_eq!(summary.text.unicode_sentences().count(), 3, "{}", summary.text);
        assert!(summary.text.contains("dentist appointment to Friday"), "{}", summary.text);
    }

    #[test]
    fn words_that_say_little_come_last_but_come() {
        let summary = extracted(&[
            (Role::User, "Hi"),
            (Role::User, "Could you send the invoice"),
            (Role::Assistant, "Here it is."),
        ]);
        assert_eq!(summary.text, "Hi. Could you send the invoice. Here it is.");
        assert_eq!(summary.title, "Could you send the invoice");
        assert_eq!(extracted(&[(Role::User, "ok")]).text, "ok.");
    }

    #[test]
    fn a_title_carries_no_control_sequences() {
        let title = extracted(&[(Role::User, "Please \u{1b}]0;OWNED\u{7}send me the old invoice")]);
        assert_eq!(title.title, "Please ]0;OWNEDsend me the old invoice");
    }

    #[test]
    fn a_title_that_is_cut_ends_in_a_word_that_says_something() {
        let cut =
            extracted(&[(Role::User, "I will write to the landlord today and ask for proof.")]);
        assert_eq!(cut.title, "I will write to the landlord today");
        let whole = extracted(&[(Role::User, "What did the landlord want from me?")]);
        assert_eq!(whole.title, "What did the landlord want from me");
    }

    #[test]
    fn a_title_has_five_to_eight_words_however_little_was_said() {
        for text in ["ok", "Hello there", "one two three four", "…", "今天天气很好我们去公园散步吧"]
        {
            let title = extracted(&[(Role::User, text)]).title;
            let words = title.split_whitespace().count().max(title.unicode_words().count());
            assert!(words >= TITLE_LEAST, "{title:?} for {text:?}");
        }
        let long = extracted(&[(Role::User, &"word and another ".repeat(50))]).title;
        assert!(long.unicode_words().count() <= TITLE_MOST, "{long}");
    }

    #[test]
    fn a_long_line_is_cut_at_a_word() {
        assert_eq!(shorten("one two three", 9), "one two…");
        assert_eq!(shorten("one\n two", 9), "one two");
    }

    proptest! {
        #[test]
        fn what_is_not_copied_reads_the_same(text in "[ab,é \n]{0,30}", most in 1usize..20) {
            let copied = Shortened::copied(&text, most).to_string();
            prop_assert!(copied.chars().count() <= most);
            let shortened = Shortened::new(&text, most);
            prop_assert_eq!(shortened.chars(), copied.chars().count());
            prop_assert_eq!(shortened.to_string(), copied);
        }
    }
}
