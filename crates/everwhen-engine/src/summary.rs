//! The built-in summariser: chooses a title and sentences from the conversation itself.
//!
//! No model, no chance: the same conversation always gets the same words. Sentences are weighed by
//! how much of the conversation's own vocabulary they carry; what the user said counts more.

use std::collections::{HashMap, HashSet};

use unicode_segmentation::UnicodeSegmentation;

use crate::memory::{Entry, Role, Summary, SummaryBy};
use crate::text::{content_words, is_stop_word, shorten};
use crate::time::Zone;

/// The minimum number of words of a title.
pub(crate) const TITLE_LEAST: usize = 5;
/// The maximum number of words of a title.
pub(crate) const TITLE_MOST: usize = 8;
/// The maximum number of sentences of a summary.
pub(crate) const SENTENCES: usize = 3;
/// A longer sentence is cut here.
const SENTENCE_CHARS: usize = 280;
/// Only so much of a conversation is read, from its beginning and its end.
const ENTRIES_READ: usize = 400;

struct Sentence<'a> {
    text: &'a str,
    role: Role,
    /// Its words, each once, by their numbers in the vocabulary of the conversation.
    words: Vec<u32>,
}

/// Title and summary of these entries, which stand in order.
pub(crate) fn extract(entries: &[Entry], zone: &Zone) -> Summary {
    let sentences = sentences(entries.iter().map(|entry| (entry.role, entry.content.as_str())));
    let ranked = rank(&sentences);
    Summary {
        title: title(&sentences, &ranked, entries, zone),
        text: summary(&sentences, &ranked),
        by: SummaryBy::Extractive,
    }
}

/// The summary of what was said, without a title.
pub(crate) fn extract_text<'a>(said: impl Iterator<Item = (Role, &'a str)>) -> String {
    let sentences = sentences(said);
    summary(&sentences, &rank(&sentences))
}

/// The places of sentences and their weights, the heaviest first.
fn rank(sentences: &[Sentence<'_>]) -> Vec<(usize, f64)> {
    let weights = word_weights(sentences);
    let weighed = sentences.iter().map(|sentence| weigh(sentence, &weights));
    let mut ranked: Vec<(usize, f64)> = weighed.enumerate().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked
}

fn sentences<'a>(said: impl Iterator<Item = (Role, &'a str)>) -> Vec<Sentence<'a>> {
    let spoken = said.filter(|(role, _)| matches!(role, Role::User | Role::Assistant));
    let spoken: Vec<(Role, &str)> = spoken.collect();
    let skipped = spoken.len().saturating_sub(ENTRIES_READ);
    let (head, tail) = (ENTRIES_READ / 2, ENTRIES_READ / 2 + skipped);
    let read = spoken
        .iter()
        .enumerate()
        .filter(|(index, _)| *index < head || *index >= tail || skipped == 0);
    let texts = read.flat_map(|(_, (role, content))| {
        content.unicode_sentences().map(|text| (*role, text.trim()))
    });
    let mut vocabulary = HashMap::new();
    texts
        .filter(|(_, text)| text.unicode_words().next().is_some())
        .map(|(role, text)| Sentence { text, role, words: numbers(text, &mut vocabulary) })
        .collect()
}

/// The numbers of the words of a sentence, each once; a new word gets the next number.
fn numbers(text: &str, vocabulary: &mut HashMap<String, u32>) -> Vec<u32> {
    let mut number = |word: String| {
        let next = vocabulary.len() as u32;
        *vocabulary.entry(word).or_insert(next)
    };
    let mut numbers: Vec<u32> = content_words(text).map(&mut number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The weight of each word, by its number: how many sentences share it, dampened.
fn word_weights(sentences: &[Sentence<'_>]) -> Vec<f64> {
    let all = || sentences.iter().flat_map(|sentence| &sentence.words);
    let mut counts = vec![0.0_f64; all().max().map_or(0, |last| *last as usize + 1)];
    all().for_each(|word| counts[*word as usize] += 1.0);
    counts.into_iter().map(f64::ln_1p).collect()
}

/// The vocabulary a sentence carries, dampened by its length; the user's words count half again.
fn weigh(sentence: &Sentence<'_>, weights: &[f64]) -> f64 {
    let mut carried: Vec<f64> = sentence.words.iter().map(|word| weights[*word as usize]).collect();
    carried.sort_by(f64::total_cmp);
    let speaker = if sentence.role == Role::User { 1.5 } else { 1.0 };
    speaker * carried.iter().sum::<f64>() / (carried.len() as f64 + 4.0).sqrt()
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
    let said = best.map_or("", |(index, _)| sentences[*index].text);
    let text = own_summary(entries).unwrap_or(said);
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

/// The short version that a caller gave to the first thing a user said, if it gave one.
fn own_summary(entries: &[Entry]) -> Option<&str> {
    let by_user = entries.iter().filter(|entry| entry.role == Role::User);
    let mut own = by_user.filter_map(|entry| entry.summary.as_deref());
    own.find(|summary| summary.unicode_words().count() >= TITLE_LEAST)
}

/// Words before which a phrase ends.
const BREAKS: [&str; 32] = [
    "and", "but", "or", "because", "so", "since", "while", "when", "where", "which", "that", "who",
    "if", "as", "to", "for", "in", "on", "at", "with", "by", "from", "about", "after", "before",
    "during", "until", "into", "than", "then", "without", "through",
];

/// How many words of a text make a title: all of a short one; else a whole phrase, so that no title
/// ends in mid-thought.
fn title_length(text: &str) -> usize {
    let words: Vec<String> = text.unicode_words().map(str::to_lowercase).collect();
    if words.len() <= TITLE_MOST {
        return TITLE_MOST;
    }
    let ends: Vec<usize> =
        text.unicode_word_indices().map(|(start, word)| start + word.len()).collect();
    let marked = |count: &usize| {
        text[ends[*count - 1]..].starts_with([',', ';', ':', '.', '!', '?', ')', '–', '—'])
    };
    let breaks = |count: &usize| BREAKS.contains(&words[*count].as_str());
    let is_whole =
        |count: &usize| (marked(count) || breaks(count)) && !is_stop_word(&words[*count - 1]);
    if let Some(count) = (TITLE_LEAST..=TITLE_MOST).rev().find(is_whole) {
        return count;
    }
    let says_something = |word: &String| !is_stop_word(word);
    let last = words[TITLE_LEAST..TITLE_MOST].iter().rposition(says_something);
    last.map_or(TITLE_LEAST, |last| TITLE_LEAST + last + 1)
}

/// The beginning of a text, up to this many words, on one line, without the marks at its end.
pub(crate) fn first_words(text: &str, most: usize) -> String {
    let end = text
        .unicode_word_indices()
        .nth(most - 1)
        .map_or(text.len(), |(start, word)| start + word.len());
    // A sign of percent is part of its figure.
    let end = if text[end..].starts_with('%') { end + 1 } else { end };
    let line: Vec<&str> = text[..end].split_whitespace().collect();
    let line = without_controls(&line.join(" "));
    line.trim_end_matches(|letter: char| !letter.is_alphanumeric() && letter != '%').to_owned()
}

/// A title as it may be shown anywhere: without characters that would move or color a terminal.
pub(crate) fn without_controls(title: &str) -> String {
    title.chars().filter(|letter| !letter.is_control()).collect()
}

#[cfg(test)]
mod tests {
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
    fn d15_titles_are_whole_phrases() {
        let title = |text: &str| extracted(&[(Role::User, text)]).title;
        let museum = "I visited the MoMA today and saw the modern art exhibition.";
        assert_eq!(title(museum), "I visited the MoMA today");
        let trip = "I plan a trip to London for September 15th with my sister.";
        assert_eq!(title(trip), "I plan a trip to London");
        assert_eq!(title("Could you send the invoice"), "Could you send the invoice");
        let mut said = Entry::said(Role::User, museum);
        said.summary = Some("User visited MoMA and discussed modern art".into());
        let summary = extract(&[said], &Zone::utc());
        assert_eq!(summary.title, "User visited MoMA and discussed modern art");
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
}
