//! Reads the text of a query: its terms, and the speakers it names.

use std::borrow::Cow;

use crate::document::Micros;
use crate::index::{Form, Index, Term};
use crate::shared_rarity::SharedRarity;
use crate::text::{Language, is_stop_word, tokens};

/// English words by which the asker means themselves.
const FIRST_PERSON: [&str; 7] = ["i", "me", "my", "mine", "myself", "we", "our"];
/// English words by which the asker means the one who replies.
const SECOND_PERSON: [&str; 4] = ["you", "your", "yours", "yourself"];
/// After these words, "you" does not say who spoke: they ask for an answer ("can you tell me"), are
/// polite, or make it the one who was spoken to ("what did I tell you").
const BEFORE_OBJECT: [&str; 17] = [
    "can", "could", "would", "will", "do", "if", "thank", "let", "tell", "told", "to", "with",
    "ask", "asked", "show", "showed", "for",
];

/// The weight of each form of a word with an accent: it counts fully where it is written so, and half
/// where it is written without.
const ACCENT_WEIGHT: f32 = 0.5;

/// The distinct terms of a query that occur in an index, with their weights.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueryTerms(pub(crate) Vec<(Term, f32)>);

/// Who said what a query asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskedSpeakers {
    /// Speakers of the index that the query names, by number.
    named: Vec<u16>,
    /// Whether it is a reply, if the query names no speaker but says "you" or "I".
    in_reply: Option<bool>,
}

impl AskedSpeakers {
    /// Returns whether the query does not say who.
    pub(crate) fn is_empty(&self) -> bool {
        self.named.is_empty() && self.in_reply.is_none()
    }

    /// Returns whether a document of this speaker is asked for.
    pub(crate) fn contain(&self, speaker: u16, is_reply: bool) -> bool {
        if self.named.is_empty() {
            return self.in_reply == Some(is_reply);
        }
        self.named.contains(&speaker)
    }
}

impl Index {
    /// Returns the terms of a query for a search in this index alone.
    pub fn query_terms(&self, text: &str) -> QueryTerms {
        self.weighted_terms(text, |_| 1.0)
    }

    /// Returns the terms of a query for a search in several indexes.
    pub fn shared_query_terms(&self, text: &str, rarity: &SharedRarity) -> QueryTerms {
        self.weighted_terms(text, |token| rarity.correction(self, token))
    }

    fn weighted_terms(&self, text: &str, correction: impl Fn(&str) -> f32) -> QueryTerms {
        let mut terms: Vec<(Term, f32)> = Vec::new();
        let (asked_in, languages) = (Language::of(text), self.languages());
        for token in tokens(text).filter(|token| !asked_in.has_stop_word(token)) {
            let forms = self.forms(&token, &languages);
            let has_plain = forms.iter().any(|form| matches!(form, Form::Plain(_)));
            let weight = if has_plain { ACCENT_WEIGHT } else { 1.0 };
            for Form::Written(term) | Form::Plain(term) in forms {
                if terms.iter().all(|(known, _)| *known != term) {
                    terms.push((term, weight * correction(&token)));
                }
            }
        }
        QueryTerms(terms)
    }

    /// Returns who said what a query asks for: the speakers whose name, or one word of it, the query
    /// contains; without a name, whom "I" or "you" means.
    pub fn asked_speakers(&self, text: &str) -> AskedSpeakers {
        self.asked_speakers_as_of(text, None)
    }

    /// Returns who said what a query asks for; only speakers who had spoken by a time are named.
    pub fn asked_speakers_as_of(&self, text: &str, as_of: Option<Micros>) -> AskedSpeakers {
        let named = self.named_speakers(text, as_of);
        let in_reply = if named.is_empty() { asks_for_reply(text) } else { None };
        AskedSpeakers { named, in_reply }
    }

    fn named_speakers(&self, text: &str, as_of: Option<Micros>) -> Vec<u16> {
        let speakers = self.speakers_as_of(as_of);
        if speakers.is_empty() {
            return Vec::new();
        }
        let names = SpeakerNames::new(speakers.iter().map(String::as_str));
        let asked = names.in_query(text);
        let is_named = |name: &String| {
            let has = |word: &str| asked.iter().any(|asked| asked.as_str() == word);
            distinctive_words(name).any(|token| has(&token)) || common_words(name).any(has)
        };
        let named = speakers.iter().zip(1..).filter(|(name, _)| is_named(name));
        named.map(|(_, number)| number).collect()
    }

    /// Returns a query without the names of speakers. The speaker of a document is known, so searching
    /// for the name would find documents in which others mention it.
    pub fn without_speakers(&self, text: &str) -> String {
        self.without_speakers_as_of(text, None)
    }

    /// Returns a query without the names of the speakers who had spoken by a time.
    pub fn without_speakers_as_of(&self, text: &str, as_of: Option<Micros>) -> String {
        let names = SpeakerNames::new(self.speakers_as_of(as_of).iter().map(String::as_str));
        let mut rest = String::with_capacity(text.len());
        for (word, _) in words(text).filter(|(word, begins)| !names.contain(word, *begins)) {
            if !rest.is_empty() {
                rest.push(' ');
            }
            rest.push_str(word);
        }
        rest
    }

    /// Returns the names of the speakers who had spoken by a time. Speakers are numbered in the order in
    /// which they first spoke.
    fn speakers_as_of(&self, time: Option<Micros>) -> &[String] {
        let Some(time) = time else { return &self.speakers };
        let end = self.stored_by(time);
        let last = self.documents.speakers_below(end).iter().copied().max().unwrap_or(0);
        &self.speakers[..usize::from(last)]
    }
}

/// Returns whether a query asks for something that was said in reply ("what did you recommend?"), or
/// for something the asker said ("what is my size?"); `None` if it says neither.
fn asks_for_reply(text: &str) -> Option<bool> {
    let words: Vec<Cow<'_, str>> = tokens(text).collect();
    let before = |place: usize| place.checked_sub(1).map_or("", |place| &words[place]);
    let means_replier = |(place, word): (usize, &Cow<'_, str>)| {
        SECOND_PERSON.contains(&word.as_ref()) && !BEFORE_OBJECT.contains(&before(place))
    };
    if words.iter().enumerate().any(means_replier) {
        return Some(true);
    }
    words.iter().any(|word| FIRST_PERSON.contains(&word.as_ref())).then_some(false)
}

/// Words by which speakers are recognized.
struct SpeakerNames<'i> {
    /// Words that are no common words, in lower case.
    distinctive: Vec<Cow<'i, str>>,
    /// Names that consist of common words only, such as Will, as they are written.
    common: Vec<&'i str>,
}

impl<'i> SpeakerNames<'i> {
    fn new(names: impl Iterator<Item = &'i str> + Clone) -> Self {
        Self {
            distinctive: names.clone().flat_map(distinctive_words).collect(),
            common: names.flat_map(common_words).collect(),
        }
    }

    /// Returns whether a word of a query names a speaker. A common word does if it is written as a name
    /// in the middle of a sentence.
    fn contain(&self, word: &str, begins_sentence: bool) -> bool {
        tokens(word).any(|token| self.distinctive.contains(&token))
            || (!begins_sentence && self.common.contains(&bare(word)))
    }

    /// Returns the words of a query that name speakers: in lower case, or as written if they are common
    /// words.
    fn in_query(&self, text: &str) -> Vec<String> {
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

/// Iterates over the words of a name that are no common words.
fn distinctive_words(name: &str) -> impl Iterator<Item = Cow<'_, str>> {
    tokens(name).filter(|token| !is_stop_word(token))
}

/// Iterates over the capitalized words of a name that consists of common words only.
fn common_words(name: &str) -> impl Iterator<Item = &str> {
    let is_common = distinctive_words(name).next().is_none();
    let words = name.split_whitespace().filter(move |_| is_common);
    words.filter(|word| word.starts_with(char::is_uppercase))
}

/// Iterates over the words of a text, with whether each begins a sentence.
fn words(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut begins = true;
    text.split_whitespace().map(move |word| {
        (word, std::mem::replace(&mut begins, word.ends_with(['.', '?', '!', ':'])))
    })
}

/// Returns a word without punctuation around it and without a possessive ending.
fn bare(word: &str) -> &str {
    let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(speakers: &[&str]) -> Index {
        let mut index = Index::default();
        index.speakers = speakers.iter().map(ToString::to_string).collect();
        index
    }

    fn named(index: &Index, text: &str) -> Vec<u16> {
        index.named_speakers(text, None)
    }

    #[test]
    fn a_common_word_in_a_name_names_no_speaker() {
        let index = index(&["The Narrator", "Will", "Ana Will"]);
        assert_eq!(named(&index, "What will the weather be?"), [0_u16; 0]);
        assert_eq!(named(&index, "Will it rain?"), [0_u16; 0]);
        let text = "What will the weather be?";
        assert_eq!(index.without_speakers(text), text);
    }

    #[test]
    fn a_name_is_found_by_its_own_words() {
        let index = index(&["The Narrator", "Will", "Ana Will"]);
        assert_eq!(named(&index, "what did the narrator say?"), [1]);
        assert_eq!(named(&index, "What will Will do?"), [2]);
        assert_eq!(named(&index, "Where is Will's hat?"), [2]);
        assert_eq!(named(&index, "where does ana live?"), [3]);
        assert_eq!(index.without_speakers("What will Will do?"), "What will do?");
        assert_eq!(index.without_speakers("where does Ana live?"), "where does live?");
    }

    #[test]
    fn a_pronoun_says_whether_a_reply_is_asked_for() {
        assert_eq!(asks_for_reply("Which hotel did you recommend to me?"), Some(true));
        assert_eq!(asks_for_reply("Can you remind me where I parked?"), Some(false));
        assert_eq!(asks_for_reply("What is my shoe size? Thank you!"), Some(false));
        assert_eq!(asks_for_reply("What did I tell you about the boat?"), Some(false));
        assert_eq!(asks_for_reply("When is the wedding?"), None);
        let index = index(&["Ana"]);
        let asked = index.asked_speakers("Did Ana show you the boat?");
        assert!(asked.contain(1, false) && !asked.contain(0, true), "a name says more: {asked:?}");
        let asked = index.asked_speakers("What did you suggest?");
        assert!(asked.contain(0, true) && !asked.contain(1, false));
    }
}
