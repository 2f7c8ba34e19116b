//! Planning, pure: the text of a question becomes terms, speakers and what it asks for.

use jiff::Timestamp;

use super::Query;
use super::about::Target;
use super::index::{Index, Term};
use super::text::{is_frame_word, tokens};
use crate::when::Zone;

/// What a word that mostly frames a question counts.
const FRAME: f32 = 0.25;

/// The distinct terms of a question that occur in the memory, with what they count.
pub(crate) fn terms(index: &Index, text: &str) -> Vec<(Term, f32)> {
    let mut terms: Vec<(Term, f32)> = Vec::new();
    for token in tokens(text) {
        if let Some(term) = index.term(&token)
            && terms.iter().all(|(known, _)| *known != term)
        {
            terms.push((term, if is_frame_word(&token) { FRAME } else { 1.0 }));
        }
    }
    terms
}

/// The numbers of the speakers whose name, or one word of it, the question contains.
pub(crate) fn speakers(index: &Index, text: &str) -> Vec<u16> {
    let asked: Vec<_> = tokens(text).collect();
    let is_named = |name: &String| tokens(name).any(|part| asked.contains(&part));
    let named = index.speakers.iter().zip(1..).filter(|(name, _)| is_named(name));
    named.map(|(_, number)| number).collect()
}

/// What the question means apart from when and who: the text to embed.
pub(crate) fn meant(index: &Index, query: &Query, asked_at: Timestamp, zone: &Zone) -> String {
    let rest = Target::read(&query.text, asked_at, zone, query.period).rest(&query.text);
    let meant = without_names(index, &rest);
    if meant.trim().is_empty() { query.text.clone() } else { meant }
}

/// The question without the names of speakers: who spoke is known, the names mislead.
pub(crate) fn without_names(index: &Index, text: &str) -> String {
    let names: Vec<_> = index.speakers.iter().flat_map(|name| tokens(name)).collect();
    let kept = |word: &&str| !tokens(word).any(|token| names.contains(&token));
    let rest: Vec<&str> = text.split_whitespace().filter(kept).collect();
    rest.join(" ")
}

/// Phrases by which people ask for what the assistant said.
const ABOUT_REPLIES: [&str; 16] = [
    "you said",
    "you told",
    "you suggest",
    "you recommend",
    "you mention",
    "you gave",
    "you provid",
    "you list",
    "you shar",
    "you creat",
    "you wrote",
    "you help",
    "remind me",
    "previous conversation",
    "previous chat",
    "our last",
];

/// Whether a question asks for what the assistant said.
pub(crate) fn is_about_replies(text: &str) -> bool {
    let text = text.to_lowercase();
    ABOUT_REPLIES.iter().any(|phrase| text.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_about_replies_are_told_apart() {
        assert!(is_about_replies("What was the shop you recommended last time?"));
        assert!(!is_about_replies("When did I last see the dentist?"));
    }
}
