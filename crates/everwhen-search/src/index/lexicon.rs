//! Numbers for terms. Each distinct token is stemmed once in each language; afterwards its term is looked
//! up.
//!
//! A document is stemmed in its own language, so a token may be several terms. A query does not know
//! which documents it will meet, so it asks for its tokens in every language that the index has.

use std::borrow::Cow;

use super::text_table::TextTable;
use super::token_terms::{TokenKey, TokenTerms};
use crate::text::{Language, stem, tokens, without_accents};

/// The number of a term in one index.
pub(crate) type Term = u32;

/// What a query or a document has at one place: a word as it is written, or its form without accents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Written(Term),
    Plain(Term),
}

/// Terms by token and by stem.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lexicon {
    /// The terms of tokens of English documents.
    tokens: TokenTerms,
    /// The terms of tokens of documents in other languages.
    foreign: Vec<(Language, TokenTerms)>,
    stems: TextTable,
}

impl Lexicon {
    /// Returns the number of terms.
    pub(crate) fn len(&self) -> usize {
        self.stems.len()
    }

    /// Calls `each` with the term of every token of a text that is no stop word, in order, and adds new
    /// terms. Returns the number of pronouns of the first person.
    pub(crate) fn add_text(&mut self, text: &str, mut each: impl FnMut(Form)) -> u32 {
        let tokens: Vec<Cow<'_, str>> = tokens(text).collect();
        let language = Language::of_tokens(tokens.iter().map(|token| &**token));
        self.add_language(language);
        let keys = self.prefetched_keys(&tokens, language);
        let mut first_person = 0;
        for (token, key) in tokens.iter().zip(&keys) {
            let Some(term) = self.add_token(token, key, language) else {
                first_person += u32::from(language.has_first_person(token));
                continue;
            };
            each(Form::Written(term));
            let plain = without_accents(token).and_then(|form| {
                let key = self.known(language)?.key(&form);
                self.add_token(&form, &key, language)
            });
            if let Some(plain) = plain.filter(|plain| *plain != term) {
                each(Form::Plain(plain));
            }
        }
        first_person
    }

    /// Returns tokens as they are looked up; what that reads is prefetched.
    fn prefetched_keys(&self, tokens: &[Cow<'_, str>], language: Language) -> Vec<TokenKey> {
        let Some(known) = self.known(language) else { return Vec::new() };
        let key = |token: &Cow<'_, str>| {
            let key = known.key(token);
            known.prefetch(&key);
            key
        };
        tokens.iter().map(key).collect()
    }

    fn add_token(&mut self, token: &str, key: &TokenKey, language: Language) -> Option<Term> {
        if let Some(known) = self.known(language).and_then(|terms| terms.get(token, key)) {
            return known;
        }
        let is_stop_word = language.has_stop_word(token);
        let term = (!is_stop_word).then(|| self.stems.add(&stem(token, language)));
        match self.foreign.iter_mut().find(|(other, _)| *other == language) {
            Some((_, terms)) => terms.insert(token, key, term),
            None => self.tokens.insert(token, key, term),
        }
        term
    }

    fn known(&self, language: Language) -> Option<&TokenTerms> {
        if language == Language::English {
            return Some(&self.tokens);
        }
        self.foreign.iter().find(|(other, _)| *other == language).map(|(_, terms)| terms)
    }

    /// Records that documents in a language exist. A term without documents records it, so that
    /// segments hold it as they hold every term.
    fn add_language(&mut self, language: Language) {
        if language != Language::English && self.known(language).is_none() {
            self.stems.add(&language_mark(language));
            self.foreign.push((language, TokenTerms::default()));
        }
    }

    fn has_language(&self, language: Language) -> bool {
        language == Language::English || self.stems.get(&language_mark(language)).is_some()
    }

    /// Returns the languages in which documents are written; English is always one of them.
    pub(crate) fn languages(&self) -> Vec<Language> {
        let others = Language::OTHERS.into_iter().filter(|other| self.has_language(*other));
        std::iter::once(Language::English).chain(others).collect()
    }

    /// Returns the terms of a token in these languages, if any document contains them.
    pub(crate) fn terms(&self, token: &str, languages: &[Language]) -> Vec<Form> {
        let mut forms: Vec<Form> = Vec::new();
        let mut add = |term: Term, form: fn(Term) -> Form| {
            let is_new =
                |known: &Form| !matches!(known, Form::Written(t) | Form::Plain(t) if *t == term);
            if forms.iter().all(is_new) {
                forms.push(form(term));
            }
        };
        for language in languages {
            self.term_in(token, *language).into_iter().for_each(|term| add(term, Form::Written));
        }
        if let Some(plain) = without_accents(token) {
            for language in languages {
                self.term_in(&plain, *language).into_iter().for_each(|term| add(term, Form::Plain));
            }
        }
        forms
    }

    /// Returns the term of a token in a language, if any document contains it.
    fn term_in(&self, token: &str, language: Language) -> Option<Term> {
        match self.known(language).and_then(|terms| terms.get(token, &terms.key(token))) {
            Some(term) => term,
            None if language.has_stop_word(token) => None,
            None => self.stems.get(&stem(token, language)),
        }
    }

    /// Returns the first term of a token, if any document contains it.
    pub(crate) fn term(&self, token: &str) -> Option<Term> {
        let forms = self.terms(token, &self.languages());
        forms.first().map(|(Form::Written(term) | Form::Plain(term))| *term)
    }

    /// Returns the term of a tag, added if it is new. The prefix keeps tags apart from words, because
    /// tokens consist of letters and digits.
    pub(crate) fn add_tag(&mut self, tag: &str) -> Term {
        self.stems.add(&prefixed(tag))
    }

    /// Returns the term of a tag, if any document has it.
    pub(crate) fn tag(&self, tag: &str) -> Option<Term> {
        self.stems.get(&prefixed(tag))
    }

    /// Returns the stem of a term.
    pub(crate) fn stem(&self, term: Term) -> Option<&str> {
        self.stems.text(term)
    }

    /// Returns the term of a stem, added if it is new. `expected` is the term it probably has.
    pub(crate) fn add_stem(&mut self, stem: &str, expected: Term) -> Term {
        if self.stem(expected) == Some(stem) { expected } else { self.stems.add(stem) }
    }

    /// Makes room for those of some terms, in rising order, that are probably new.
    pub(crate) fn reserve_from(&mut self, terms: impl Iterator<Item = Term>) {
        let known = self.len() as Term;
        self.stems.reserve(terms.filter(|term| *term >= known).count());
    }

    /// Returns the terms of stems, added if they are new, each with the term it probably has.
    pub(crate) fn add_stems<const N: usize>(&mut self, stems: [(Term, &str); N]) -> [Term; N] {
        let are_known = stems.iter().all(|(expected, stem)| self.stem(*expected) == Some(stem));
        match are_known {
            true => stems.map(|(expected, _)| expected),
            false => self.stems.add_all(stems.map(|(_, stem)| stem)),
        }
    }

    /// Returns the terms that stand for languages, in rising order.
    pub(crate) fn language_marks(&self) -> Vec<Term> {
        let others = Language::OTHERS.into_iter();
        let mut marks: Vec<Term> =
            others.filter_map(|other| self.stems.get(&language_mark(other))).collect();
        marks.sort_unstable();
        marks
    }

    /// Returns the approximate number of bytes in use.
    pub(crate) fn size(&self) -> usize {
        let foreign: usize = self.foreign.iter().map(|(_, terms)| terms.size()).sum();
        self.tokens.size() + foreign + self.stems.size()
    }
}

/// Returns a language as it is stored among stems.
fn language_mark(language: Language) -> String {
    format!("%{}", language.code())
}

/// Returns a tag as it is stored among stems.
fn prefixed(tag: &str) -> String {
    format!("#{tag}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_a_term_and_stop_words_have_none() {
        let mut lexicon = Lexicon::default();
        let mut terms = Vec::new();
        lexicon.add_text("The dentist visits dentists", |term| terms.push(term));
        assert_eq!(terms, [0, 1, 0].map(Form::Written));
        assert_eq!(lexicon.term("visiting"), Some(1));
        assert_eq!(lexicon.term("museum"), None);
        assert_eq!(lexicon.len(), 2);
        assert_eq!(lexicon.tag("dentist"), None, "a tag is no word");
        assert_eq!((lexicon.add_tag("dentist"), lexicon.add_tag("Dentist")), (2, 3));
        assert_eq!((lexicon.tag("dentist"), lexicon.term("dentist")), (Some(2), Some(0)));
    }

    #[test]
    fn a_word_with_an_accent_is_found_without_it() {
        let mut lexicon = Lexicon::default();
        let mut terms = Vec::new();
        lexicon.add_text("The cafés of Kraków", |term| terms.push(term));
        assert_eq!(terms.len(), 4);
        let english = [Language::English];
        assert_eq!(lexicon.terms("cafes", &english), [Form::Written(1)]);
        assert_eq!(lexicon.terms("kraków", &english), [Form::Written(2), Form::Plain(3)]);
        assert_eq!(lexicon.languages(), english);
    }

    #[test]
    fn a_language_is_known_from_its_documents_and_from_stored_stems() {
        let mut lexicon = Lexicon::default();
        lexicon.add_text("Ich war gestern bei den Zahnärzten in der Stadt", |_| {});
        assert_eq!(lexicon.languages(), [Language::English, Language::German]);
        assert!(lexicon.term("zahnärzte").is_some());
        assert_eq!(lexicon.term("der"), None);
        let mut loaded = Lexicon::default();
        for term in 0..lexicon.len() as Term {
            loaded.add_stem(lexicon.stem(term).unwrap(), term);
        }
        assert_eq!(loaded.languages(), lexicon.languages());
        assert_eq!(loaded.term("zahnärzte"), lexicon.term("zahnärzte"));
    }
}
