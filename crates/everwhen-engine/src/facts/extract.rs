//! Rule-based fact extraction from first-person statements.
//!
//! A closed set of rules that rather misses a fact than makes one up. A sentence counts if it speaks
//! in the first person or states a value, and is neither a question nor a request.

mod matter;

use unicode_segmentation::UnicodeSegmentation;

use super::WrittenBy;
use super::draft::{Draft, event};
use crate::memory::{Entry, Role};
use crate::time::Zone;

/// Fewer words tell nothing…
const LEAST_WORDS: usize = 3;
/// …and more are a story.
const MOST_WORDS: usize = 60;

/// The facts that users state about themselves in these entries.
pub(crate) fn drafts(entries: &[Entry], zone: &Zone) -> Vec<Draft> {
    let by_user = entries.iter().filter(|entry| entry.role == Role::User);
    by_user.flat_map(|entry| of_entry(entry, zone)).collect()
}

fn of_entry(entry: &Entry, zone: &Zone) -> Vec<Draft> {
    let content = entry.content.as_str();
    let sentences = content.split_sentence_bound_indices().flat_map(|(start, sentence)| {
        // A line is a sentence of its own, whether or not it ends in a mark.
        let offset =
            move |line: &str| start + (line.as_ptr() as usize - sentence.as_ptr() as usize);
        sentence.lines().map(str::trim).filter(|line| !line.is_empty()).map(move |l| (offset(l), l))
    });
    sentences.filter_map(|(start, sentence)| of_sentence(entry, start, sentence, zone)).collect()
}

fn of_sentence(entry: &Entry, start: usize, sentence: &str, zone: &Zone) -> Option<Draft> {
    let lower = sentence.to_lowercase().replace('’', "'");
    let words: Vec<&str> = lower.unicode_words().collect();
    let matter = matter::read(sentence);
    let has_subject = matter.is_some() || words.iter().any(|word| is_first_person(word));
    let length = (LEAST_WORDS..=MOST_WORDS).contains(&words.len());
    if !has_subject || !length || sentence.ends_with('?') || is_talk(&lower) {
        return None;
    }
    let statement = match &entry.speaker {
        Some(name) => format!("{name}: {sentence}"),
        None => sentence.to_owned(),
    };
    let range = start..start + sentence.len();
    let mut draft = Draft::on(entry, range, &statement, WrittenBy::Extractive);
    draft.event = event(sentence, entry.conversation_time, zone);
    if let Some((key, value)) = matter {
        let key = entry.speaker.as_ref().map_or(key.clone(), |name| format!("{name}: {key}"));
        draft = draft.with_matter(&key, &value);
    }
    Some(draft.with_tags(tags(&words)))
}

/// The one value a sentence states, if it states one, with the name of what it is a value of.
pub(crate) fn stated_matter(sentence: &str) -> Option<(String, String)> {
    matter::read(sentence)
}

/// Whether a key is one that a fixed way of saying it gives.
pub(crate) fn is_framed(key: &str) -> bool {
    matter::is_framed(key)
}

fn is_first_person(word: &str) -> bool {
    const FIRST: [&str; 8] = ["i", "my", "mine", "myself", "me", "we", "our", "ours"];
    FIRST.contains(&word.split('\'').next().unwrap_or(word))
}

/// Whether a sentence is about the talk itself: a request, an answer, a courtesy.
fn is_talk(lower: &str) -> bool {
    TALK.iter().any(|start| {
        lower.strip_prefix(start).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })
}

const TALK: [&str; 33] = [
    "i think so",
    "i see",
    "i know",
    "i mean",
    "i guess",
    "i hope",
    "i wonder",
    "i understand",
    "i agree",
    "i don't know",
    "i appreciate",
    "thank you",
    "thanks",
    "ok",
    "okay",
    "please",
    "can you",
    "could you",
    "would you",
    "will you",
    "do you",
    "tell me",
    "give me",
    "show me",
    "help me",
    "remind me",
    "let me",
    "let's",
    "i want you to",
    "i'd like you to",
    "i need you to",
    "ignore",
    "i'm sorry",
];

/// What a sentence is about, in single words.
fn tags(words: &[&str]) -> impl Iterator<Item = &'static str> {
    let has = |keys: &[&str]| words.iter().any(|word| keys.contains(word));
    TAGS.iter().filter(move |(_, keys)| has(keys)).map(|(tag, _)| *tag)
}

const TAGS: [(&str, &[&str]); 7] = [
    (
        "preference",
        &["like", "love", "prefer", "enjoy", "hate", "dislike", "favorite", "favourite"],
    ),
    ("decision", &["decided", "chose", "choose", "picked", "agreed", "settled", "going"]),
    (
        "health",
        &[
            "a1c",
            "doctor",
            "dentist",
            "allergic",
            "allergy",
            "medication",
            "mg",
            "diagnosed",
            "pain",
            "weight",
            "weigh",
            "diabetes",
            "metformin",
            "blood",
            "therapy",
        ],
    ),
    (
        "people",
        &[
            "wife",
            "husband",
            "partner",
            "mother",
            "father",
            "mom",
            "dad",
            "sister",
            "brother",
            "son",
            "daughter",
            "friend",
            "boss",
            "colleague",
            "kids",
            "children",
        ],
    ),
    ("work", &["work", "job", "company", "office", "project", "meeting", "manager", "career"]),
    (
        "place",
        &["live", "moved", "city", "house", "apartment", "flat", "trip", "visited", "travel"],
    ),
    ("plan", &["will", "plan", "planning", "tomorrow", "next", "appointment", "i'll", "deadline"]),
];

#[cfg(test)]
pub(crate) mod tests;
