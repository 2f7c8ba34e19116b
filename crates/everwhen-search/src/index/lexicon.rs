//! Numbers for terms. Each distinct token is stemmed once; afterwards its term is looked up.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::text::{is_stop_word, stem, tokens};

/// The number of a term in one index.
pub(crate) type Term = u32;

/// Terms by token and by stem.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lexicon {
    /// The term of each known token; `None` for stop words.
    tokens: HashMap<Box<str>, Option<Term>, RandomState>,
    stems: HashMap<Box<str>, Term, RandomState>,
}

impl Lexicon {
    /// Returns the number of terms.
    pub(crate) fn len(&self) -> usize {
        self.stems.len()
    }

    /// Calls `each` with the term of every token of a text, in order, and adds new terms.
    pub(crate) fn add_text(&mut self, text: &str, mut each: impl FnMut(Option<Term>)) {
        for token in tokens(text) {
            let term = match self.tokens.get(&*token) {
                Some(term) => *term,
                None => self.add_token(&token),
            };
            each(term);
        }
    }

    fn add_token(&mut self, token: &str) -> Option<Term> {
        let term = (!is_stop_word(token)).then(|| {
            let next = self.stems.len() as Term;
            let stem = stem(token);
            match self.stems.get(&*stem) {
                Some(term) => *term,
                None => *self.stems.entry(stem.into()).or_insert(next),
            }
        });
        self.tokens.insert(token.into(), term);
        term
    }

    /// Returns the term of a tag, added if it is new. The prefix keeps tags apart from words, because
    /// tokens consist of letters and digits.
    pub(crate) fn add_tag(&mut self, tag: &str) -> Term {
        let next = self.stems.len() as Term;
        *self.stems.entry(prefixed(tag)).or_insert(next)
    }

    /// Returns the term of a tag, if any document has it.
    pub(crate) fn tag(&self, tag: &str) -> Option<Term> {
        self.stems.get(&prefixed(tag)).copied()
    }

    /// Returns the term of a token, if any document contains it.
    pub(crate) fn term(&self, token: &str) -> Option<Term> {
        match self.tokens.get(token) {
            Some(term) => *term,
            None if is_stop_word(token) => None,
            None => self.stems.get(&*stem(token)).copied(),
        }
    }

    /// Returns the stems of the terms from `first` on, in the order of their numbers.
    pub(crate) fn stems_from(&self, first: usize) -> Vec<&str> {
        let new = self.stems.iter().filter(|(_, term)| **term as usize >= first);
        let mut stems: Vec<(Term, &str)> = new.map(|(stem, term)| (*term, &**stem)).collect();
        stems.sort_unstable();
        stems.into_iter().map(|(_, stem)| stem).collect()
    }

    /// Adds the stem of the next term; `None` if it is known already.
    pub(crate) fn add_stem(&mut self, stem: &str) -> Option<()> {
        let next = self.stems.len() as Term;
        self.stems.insert(stem.into(), next).is_none().then_some(())
    }

    /// Returns the approximate number of bytes in use.
    pub(crate) fn size(&self) -> usize {
        (self.tokens.len() + self.stems.len()) * 48
    }
}

/// Returns a tag as it is stored among stems.
fn prefixed(tag: &str) -> Box<str> {
    format!("#{tag}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_a_term_and_stop_words_have_none() {
        let mut lexicon = Lexicon::default();
        let mut terms = Vec::new();
        lexicon.add_text("The dentist visits dentists", |term| terms.push(term));
        assert_eq!(terms, [None, Some(0), Some(1), Some(0)]);
        assert_eq!(lexicon.term("visiting"), Some(1));
        assert_eq!(lexicon.term("museum"), None);
        assert_eq!(lexicon.len(), 2);
        assert_eq!(lexicon.tag("dentist"), None, "a tag is no word");
        assert_eq!((lexicon.add_tag("dentist"), lexicon.add_tag("Dentist")), (2, 3));
        assert_eq!((lexicon.tag("dentist"), lexicon.term("dentist")), (Some(2), Some(0)));
    }
}
