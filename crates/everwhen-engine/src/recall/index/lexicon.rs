//! Numbers for terms. A token is stemmed once and then known.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::recall::text::{is_stop_word, stem, tokens};

/// The number of a term in one index.
pub(crate) type Term = u32;

/// Terms by token and by stem.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    /// What a token stands for; nothing for stop words.
    tokens: HashMap<Box<str>, Option<Term>, RandomState>,
    stems: HashMap<Box<str>, Term, RandomState>,
}

impl Lexicon {
    /// How many terms there are.
    pub(crate) fn len(&self) -> usize {
        self.stems.len()
    }

    /// The terms of a text in order, new ones added.
    pub(crate) fn read(&mut self, text: &str, mut each: impl FnMut(&str, Option<Term>)) {
        for token in tokens(text) {
            let term = match self.tokens.get(&*token) {
                Some(term) => *term,
                None => self.learn(&token),
            };
            each(&token, term);
        }
    }

    fn learn(&mut self, token: &str) -> Option<Term> {
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

    /// The term of a tag, added if it is new. Tokens are letters and digits, so none is one.
    pub(crate) fn read_tag(&mut self, tag: &str) -> Term {
        let next = self.stems.len() as Term;
        *self.stems.entry(marked(tag)).or_insert(next)
    }

    /// The term of a tag, if any entry has it.
    pub(crate) fn tag(&self, tag: &str) -> Option<Term> {
        self.stems.get(&marked(tag)).copied()
    }

    /// The term a token stands for, if any entry contains it.
    pub(crate) fn term(&self, token: &str) -> Option<Term> {
        match self.tokens.get(token) {
            Some(term) => *term,
            None if is_stop_word(token) => None,
            None => self.stems.get(&*stem(token)).copied(),
        }
    }

    /// The stems of the terms from `first` on, in order.
    pub(crate) fn stems_from(&self, first: usize) -> Vec<&str> {
        let new = self.stems.iter().filter(|(_, term)| **term as usize >= first);
        let mut stems: Vec<(Term, &str)> = new.map(|(stem, term)| (*term, &**stem)).collect();
        stems.sort_unstable();
        stems.into_iter().map(|(_, stem)| stem).collect()
    }

    /// Takes in the stem of the next term; nothing if it is known already.
    pub(crate) fn add_stem(&mut self, stem: &str) -> Option<()> {
        let next = self.stems.len() as Term;
        self.stems.insert(stem.into(), next).is_none().then_some(())
    }

    /// Bytes held, roughly.
    pub(crate) fn size(&self) -> usize {
        (self.tokens.len() + self.stems.len()) * 48
    }
}

/// A tag as it stands among stems.
fn marked(tag: &str) -> Box<str> {
    format!("#{tag}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_one_term_and_stop_words_none() {
        let mut lexicon = Lexicon::default();
        let mut terms = Vec::new();
        lexicon.read("The dentist visits dentists", |_, term| terms.push(term));
        assert_eq!(terms, [None, Some(0), Some(1), Some(0)]);
        assert_eq!(lexicon.term("visiting"), Some(1));
        assert_eq!(lexicon.term("museum"), None);
        assert_eq!(lexicon.len(), 2);
        assert_eq!(lexicon.tag("dentist"), None, "a tag is no word");
        assert_eq!((lexicon.read_tag("dentist"), lexicon.read_tag("Dentist")), (2, 3));
        assert_eq!((lexicon.tag("dentist"), lexicon.term("dentist")), (Some(2), Some(0)));
    }
}
