//! Planning, pure: the text of a question becomes terms, speakers and what it asks for.

use std::borrow::Cow;

use super::about::Target;
use super::index::{Index, Term};
use super::text::{is_frame_word, is_stop_word, tokens};

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
    let names = Names::of(index.speakers.iter().map(String::as_str));
    let asked = names.in_question(text);
    let is_named = |name: &String| {
        let part = |word: &str| asked.iter().any(|asked| asked.as_str() == word);
        distinctive(name).any(|token| part(&token)) || common_words(name).any(part)
    };
    let named = index.speakers.iter().zip(1..).filter(|(name, _)| is_named(name));
    named.map(|(_, number)| number).collect()
}

/// Words by which speakers are known.
struct Names<'i> {
    /// Words that mean nobody else, in lower case.
    distinctive: Vec<Cow<'i, str>>,
    /// Names made of nothing but common words, such as Will, as they are written.
    common: Vec<&'i str>,
}

impl<'i> Names<'i> {
    fn of(names: impl Iterator<Item = &'i str> + Clone) -> Self {
        Self {
            distinctive: names.clone().flat_map(distinctive).collect(),
            common: names.flat_map(common_words).collect(),
        }
    }

    /// Whether a word of a question names a speaker. A common word does where it is written as a
    /// name in the middle of a sentence.
    fn has(&self, word: &str, begins_sentence: bool) -> bool {
        tokens(word).any(|token| self.distinctive.contains(&token))
            || (!begins_sentence && self.common.contains(&bare(word)))
    }

    /// The words of a question that name speakers: in lower case, or as written if they are common.
    fn in_question(&self, text: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for (word, begins_sentence) in words(text) {
            let known = tokens(word).filter(|token| self.distinctive.contains(token));
            found.extend(known.map(Cow::into_owned));
            if !begins_sentence && self.common.contains(&bare(word)) {
                found.push(bare(word).to_owned());
            }
        }
        found
    }
}

/// The words of a name that are not common ones.
fn distinctive(name: &str) -> impl Iterator<Item = Cow<'_, str>> {
    tokens(name).filter(|token| !is_common(token))
}

/// The words of a name that has no others, where they are written as names.
fn common_words(name: &str) -> impl Iterator<Item = &str> {
    let is_common = distinctive(name).next().is_none();
    let words = name.split_whitespace().filter(move |_| is_common);
    words.filter(|word| word.starts_with(char::is_uppercase))
}

fn is_common(token: &str) -> bool {
    is_stop_word(token) || is_frame_word(token)
}

/// The words of a text, and whether each begins a sentence.
fn words(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut begins = true;
    text.split_whitespace().map(move |word| {
        (word, std::mem::replace(&mut begins, word.ends_with(['.', '?', '!', ':'])))
    })
}

/// A word without marks around it and without a possessive.
fn bare(word: &str) -> &str {
    let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

/// The question apart from when and who.
pub(crate) fn rest(index: &Index, text: &str, target: &Target) -> String {
    without_names(index, &target.rest(text))
}

/// The question without the names of speakers: who spoke is known, the names mislead.
fn without_names(index: &Index, text: &str) -> String {
    let names = Names::of(index.speakers.iter().map(String::as_str));
    let mut rest = String::with_capacity(text.len());
    for (word, _) in words(text).filter(|(word, begins)| !names.has(word, *begins)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn index(speakers: &[&str]) -> Index {
        let mut index = Index::default();
        index.speakers = speakers.iter().map(ToString::to_string).collect();
        index
    }

    #[test]
    fn a_common_word_in_a_name_names_nobody() {
        let index = index(&["The Narrator", "Will", "Ana Will"]);
        assert_eq!(speakers(&index, "What will the weather be?"), [0_u16; 0]);
        assert_eq!(speakers(&index, "Will it rain?"), [0_u16; 0]);
        assert_eq!(without_names(&index, "What will the weather be?"), "What will the weather be?");
    }

    #[test]
    fn a_name_is_found_by_its_own_words() {
        let index = index(&["The Narrator", "Will", "Ana Will"]);
        assert_eq!(speakers(&index, "what did the narrator say?"), [1]);
        assert_eq!(speakers(&index, "What will Will do?"), [2]);
        assert_eq!(speakers(&index, "Where is Will's hat?"), [2]);
        assert_eq!(speakers(&index, "where does ana live?"), [3]);
        assert_eq!(without_names(&index, "What will Will do?"), "What will do?");
        assert_eq!(without_names(&index, "where does Ana live?"), "where does live?");
    }
}
