//! Planning, pure: the text of a question becomes terms, speakers and what it asks for.

use super::index::{Index, Term};
use super::text::tokens;

/// The distinct terms of a question that occur in the memory, in the order they are asked.
pub(crate) fn terms(index: &Index, text: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    for token in tokens(text) {
        if let Some(term) = index.term(&token)
            && !terms.contains(&term)
        {
            terms.push(term);
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

/// Phrases by which people ask for what the assistant said.
const ABOUT_REPLIES: [&str; 16] = [
    "you said", "you told", "you suggest", "you recommend", "you mention", "you gave", "you provid",
    "you list", "you shar", "you creat", "you wrote", "you help", "remind me", "previous conversation",
    "previous chat", "our last",
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
