//! Planning, pure: the text of a question becomes terms, speakers and what it asks for.

use super::about::Target;
use super::index::{Index, Term};
use super::text::{is_frame_word, tokens};

/// What a word that mostly frames a question counts.
const FRAME: f32 = 0.25;

/// The distinct terms of a question that occur in the memory, with what they count; `scale` says
/// how much a word counts beside that.
pub(crate) fn terms(index: &Index, text: &str, scale: impl Fn(&str) -> f32) -> Vec<(Term, f32)> {
    let mut terms: Vec<(Term, f32)> = Vec::new();
    for token in tokens(text) {
        if let Some(term) = index.term(&token)
            && terms.iter().all(|(known, _)| *known != term)
        {
            let counts = if is_frame_word(&token) { FRAME } else { 1.0 };
            terms.push((term, counts * scale(&token)));
        }
    }
    terms
}

/// The numbers of the speakers whose name, or one word of it, the question contains.
pub(crate) fn speakers(index: &Index, text: &str) -> Vec<u16> {
    if index.speakers.is_empty() {
        return Vec::new();
    }
    let asked: Vec<_> = tokens(text).collect();
    let is_named = |name: &String| tokens(name).any(|part| asked.contains(&part));
    let named = index.speakers.iter().zip(1..).filter(|(name, _)| is_named(name));
    named.map(|(_, number)| number).collect()
}

/// The question apart from when and who.
pub(crate) fn rest(index: &Index, text: &str, target: &Target) -> String {
    without_names(index, &target.rest(text))
}

/// The question without the names of speakers: who spoke is known, the names mislead.
fn without_names(index: &Index, text: &str) -> String {
    let names: Vec<_> = index.speakers.iter().flat_map(|name| tokens(name)).collect();
    let is_name = |word: &str| tokens(word).any(|token| names.contains(&token));
    let mut rest = String::with_capacity(text.len());
    for word in text.split_whitespace().filter(|word| names.is_empty() || !is_name(word)) {
        if !rest.is_empty() {
            rest.push(' ');
        }
        rest.push_str(word);
    }
    rest
}

/// What to embed of a question of which this is left apart from when and who.
pub(crate) fn meant<'t>(rest: &'t str, text: &'t str) -> &'t str {
    if rest.is_empty() { text } else { rest }
}
