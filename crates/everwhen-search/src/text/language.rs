//! The language of a text, by its stop words, and what depends on it: stop words and the stemmer.
//!
//! Stop words are the closed classes of a language: articles, pronouns, prepositions, conjunctions and
//! auxiliary verbs. A text with at least two of them that English does not have, and more than it has
//! English ones, is taken for that language; anything else is English. A short text that is taken for English by mistake is
//! still found, because a query looks for its words in every language that the index has.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;
use rust_stemmers::Algorithm;

/// A language whose words are stemmed, or at least told from English.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    German,
    Spanish,
    French,
    Italian,
    Dutch,
    Polish,
    Portuguese,
    Russian,
}

use Language::{Dutch, English, French, German, Italian, Polish, Portuguese, Russian, Spanish};

/// Every language with the name under which an index stores it, and its stop words.
const TABLE: [(Language, &str, &str); 9] = [
    (English, "en", include_str!("stop_words/en.txt")),
    (German, "de", include_str!("stop_words/de.txt")),
    (Spanish, "es", include_str!("stop_words/es.txt")),
    (French, "fr", include_str!("stop_words/fr.txt")),
    (Italian, "it", include_str!("stop_words/it.txt")),
    (Dutch, "nl", include_str!("stop_words/nl.txt")),
    (Polish, "pl", include_str!("stop_words/pl.txt")),
    (Portuguese, "pt", include_str!("stop_words/pt.txt")),
    (Russian, "ru", include_str!("stop_words/ru.txt")),
];

/// Function words of scripts without blanks, as far as they are tokens. They are stop words anywhere.
const UNSPACED: &str = include_str!("stop_words/cjk.txt");

/// First-person pronouns by language: the name of the language, then its words, all of them stop words. Of
/// languages that put the person into the verb it finds only what is said with a pronoun.
const FIRST_PERSON: &str = include_str!("first_person.txt");

/// The languages in which a token is a stop word, one bit each.
static STOP_WORDS: LazyLock<HashMap<&'static str, u16, FixedState>> = LazyLock::new(|| {
    let mut words: HashMap<&'static str, u16, FixedState> = HashMap::default();
    for (language, _, list) in TABLE {
        for word in list.split_whitespace() {
            *words.entry(word).or_default() |= language.bit();
        }
    }
    words.extend(UNSPACED.split_whitespace().map(|word| (word, u16::MAX)));
    words
});

/// The languages in which a token is a pronoun of the first person, one bit each.
static FIRST_PERSON_WORDS: LazyLock<HashMap<&'static str, u16, FixedState>> = LazyLock::new(|| {
    let mut found: HashMap<&'static str, u16, FixedState> = HashMap::default();
    for line in FIRST_PERSON.lines() {
        let mut words = line.split_whitespace();
        let code = words.next().unwrap_or_default();
        let language = TABLE.iter().find(|(_, name, _)| *name == code);
        for word in words {
            *found.entry(word).or_default() |= language.map_or(0, |(one, ..)| one.bit());
        }
    }
    found
});

/// Number of tokens from which the language of a text is detected.
const LOOKED_AT: usize = 48;
/// Number of English stop words, without any of another language, that settle it sooner.
const SETTLED: u32 = 3;

impl Language {
    /// Every language but English.
    pub(crate) const OTHERS: [Self; 8] =
        [German, Spanish, French, Italian, Dutch, Polish, Portuguese, Russian];

    const fn bit(self) -> u16 {
        1 << self as u16
    }

    /// Returns the name under which an index stores the language.
    pub(crate) fn code(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Returns the stemmer of the language, if there is one.
    pub(super) fn stemmer(self) -> Option<Algorithm> {
        Some(match self {
            English => Algorithm::English,
            German => Algorithm::German,
            Spanish => Algorithm::Spanish,
            French => Algorithm::French,
            Italian => Algorithm::Italian,
            Dutch => Algorithm::Dutch,
            Portuguese => Algorithm::Portuguese,
            Russian => Algorithm::Russian,
            Polish => return None,
        })
    }

    /// Returns whether a lower-case token is a stop word of the language.
    pub(crate) fn has_stop_word(self, token: &str) -> bool {
        STOP_WORDS.get(token).is_some_and(|languages| languages & self.bit() != 0)
    }

    /// Returns whether a lower-case token is a pronoun of the first person in the language: "I", "my".
    pub(crate) fn has_first_person(self, token: &str) -> bool {
        FIRST_PERSON_WORDS.get(token).is_some_and(|languages| languages & self.bit() != 0)
    }

    /// Returns the language of a text.
    pub(crate) fn of(text: &str) -> Self {
        let tokens: Vec<_> = super::tokens(text).collect();
        Self::of_tokens(tokens.iter().map(|token| &**token))
    }

    /// Returns the language of a text, given its tokens.
    pub(crate) fn of_tokens<'t>(tokens: impl Iterator<Item = &'t str>) -> Self {
        let mut votes = Votes::default();
        for token in tokens.take(LOOKED_AT) {
            if let Some((word, languages)) = STOP_WORDS.get_key_value(token)
                && *languages != u16::MAX
            {
                votes.add(word, *languages);
                if votes.are_settled() {
                    return English;
                }
            }
        }
        votes.most()
    }
}

/// The stop words of a text, by language.
#[derive(Default)]
struct Votes {
    counts: [u32; TABLE.len()],
    /// Different stop words that English does not have, by language.
    own: [u32; TABLE.len()],
    seen: Vec<&'static str>,
}

impl Votes {
    fn add(&mut self, word: &'static str, languages: u16) {
        let is_own = languages & English.bit() == 0 && !self.seen.contains(&word);
        if is_own {
            self.seen.push(word);
        }
        for number in (0..TABLE.len()).filter(|number| languages >> number & 1 == 1) {
            self.counts[number] += 1;
            self.own[number] += u32::from(is_own);
        }
    }

    /// Returns whether the text is English whatever follows.
    fn are_settled(&self) -> bool {
        let (english, others) = (self.counts[0], &self.counts[1..]);
        english >= SETTLED && others.iter().all(|count| 2 * count < english)
    }

    fn most(&self) -> Language {
        let count = |language: &Language| self.counts[*language as usize];
        let is_evident = |language: &Language| {
            self.own[*language as usize] >= 2 && count(language) > self.counts[0]
        };
        let most = Language::OTHERS.iter().filter(|other| is_evident(other)).map(count).max();
        let best = |language: &Language| is_evident(language) && Some(count(language)) == most;
        Language::OTHERS.into_iter().find(best).unwrap_or(English)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_in_the_order_of_the_table() {
        for (number, (language, code, _)) in TABLE.into_iter().enumerate() {
            assert_eq!((language as usize, language.code()), (number, code));
        }
    }

    #[test]
    fn pronouns_of_the_first_person_are_stop_words_of_their_language() {
        assert_eq!(FIRST_PERSON.lines().count(), TABLE.len());
        for (line, (language, code, _)) in FIRST_PERSON.lines().zip(TABLE) {
            let mut words = line.split_whitespace();
            assert_eq!(words.next(), Some(code));
            for word in words {
                assert!(language.has_stop_word(word), "{word} would be a term in {code}");
                assert!(language.has_first_person(word), "{word} in {code}");
            }
        }
        assert!(
            !Language::English.has_first_person("ich") && !Language::German.has_first_person("we")
        );
    }

    #[test]
    fn a_language_is_told_by_its_stop_words() {
        for (text, language) in [
            ("What did the dentist say about my tooth?", English),
            ("Was hat der Zahnarzt über meinen Zahn gesagt?", German),
            ("¿Qué dijo el dentista sobre mi diente?", Spanish),
            ("Qu'est-ce que le dentiste a dit de ma dent ?", French),
            ("Che cosa ha detto il dentista del mio dente?", Italian),
            ("Wat heeft de tandarts over mijn tand gezegd?", Dutch),
            ("Co dentysta powiedział o moim zębie? Nie wiem, czy to było ważne.", Polish),
            ("O que o dentista disse sobre o meu dente?", Portuguese),
            ("Что сказал зубной врач о моём зубе? Я не помню.", Russian),
            ("El Paso", English),
            ("Die hard", English),
            ("dentist", English),
            ("Im a huge fan", English),
            ("", English),
        ] {
            assert_eq!(Language::of(text), language, "{text}");
        }
    }
}
