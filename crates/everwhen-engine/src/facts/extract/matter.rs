//! The one value a sentence states, if it states one: "my A1C dropped to 7.0%" is `a1c`, `7.0%`.
//!
//! Values are kept whole and in their own spelling: a time with its minutes, a ratio with both its
//! numbers, an amount with its unit.

use crate::text::quantity::{Quantity, bare, quantity};

/// Ways to say where one lives, works and so on: what it begins with, and the matter's name.
const FRAMES: [(&str, &str); 18] = [
    ("i live in", "home"),
    ("i'm living in", "home"),
    ("i now live in", "home"),
    ("i used to live in", "home"),
    ("i no longer live in", "home"),
    ("i moved to", "home"),
    ("i've moved to", "home"),
    ("i just moved to", "home"),
    ("we moved to", "home"),
    ("i work at", "workplace"),
    ("i work for", "workplace"),
    ("i now work at", "workplace"),
    ("i now work for", "workplace"),
    ("i used to work at", "workplace"),
    ("i used to work for", "workplace"),
    ("i work as", "occupation"),
    ("i used to work as", "occupation"),
    ("my name is", "name"),
];
/// Ways to name one of several: what it begins with, and the list it belongs to.
const LISTED: [(&str, &str); 10] = [
    ("i'm allergic to", "allergy"),
    ("i am allergic to", "allergy"),
    ("i have an allergy to", "allergy"),
    ("i've been diagnosed with", "condition"),
    ("i was diagnosed with", "condition"),
    ("my goal is to", "goal"),
    ("my goal is", "goal"),
    ("i take", "medication"),
    ("i'm taking", "medication"),
    ("i am taking", "medication"),
];
/// Units of a dose; without one, what a user takes may be a bus.
const DOSES: [&str; 6] = ["mg", "mcg", "ml", "iu", "units", "tablets"];
/// Words between a matter and its value.
const VERBS: [&str; 20] = [
    "is",
    "was",
    "are",
    "were",
    "came",
    "dropped",
    "fell",
    "rose",
    "improved",
    "went",
    "reached",
    "hit",
    "increased",
    "decreased",
    "stands",
    "got",
    "climbed",
    "became",
    "changed",
    "moved",
];
/// Verbs that give a matter another value: "they moved the interview to the 14th".
const MOVES: [&str; 9] = [
    "moved",
    "rescheduled",
    "postponed",
    "changed",
    "shifted",
    "pushed",
    "raised",
    "lowered",
    "reduced",
];
/// Words that belong to no name.
const LEADS: [&str; 26] = [
    "my", "the", "our", "latest", "current", "new", "last", "today's", "i", "that", "says", "so",
    "and", "doctor", "we", "you", "he", "she", "it", "they", "there", "this", "what", "has",
    "have", "been",
];
/// The maximum number of words between a verb and its value.
const REACH: usize = 5;
/// Most words in a name.
const NAME_WORDS: usize = 3;

/// The key and the value of the matter that a sentence states.
pub(super) fn read(sentence: &str) -> Option<(String, String)> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let lower: Vec<String> =
        words.iter().map(|word| bare(word).to_lowercase().replace('’', "'")).collect();
    let read = Words { words, lower };
    read.framed()
        .or_else(|| read.listed())
        .or_else(|| read.moved())
        .or_else(|| read.measured())
        .or_else(|| read.possessed())
}

/// Whether a key is one that a fixed way of saying it gives, so that it is the same every time.
pub(super) fn is_framed(key: &str) -> bool {
    FRAMES.iter().chain(&LISTED).any(|(_, name)| *name == key)
}

/// The words of a sentence as written, and without marks in lower case.
struct Words<'s> {
    words: Vec<&'s str>,
    lower: Vec<String>,
}

impl Words<'_> {
    /// "I live in Lisbon now."
    fn framed(&self) -> Option<(String, String)> {
        let (frame, key) = FRAMES.iter().find(|(frame, _)| self.starts_with(frame))?;
        let value = self.value(frame.split(' ').count())?;
        Some(((*key).to_owned(), value))
    }

    /// "I take metformin 500 mg": one of several.
    fn listed(&self) -> Option<(String, String)> {
        let (frame, key) = LISTED.iter().find(|(frame, _)| self.starts_with(frame))?;
        let from = frame.split(' ').count();
        let is_dose = |word: &String| {
            DOSES.iter().any(|unit| {
                word == unit
                    || word.ends_with(unit) && word.starts_with(|c: char| c.is_ascii_digit())
            })
        };
        if *key == "medication" && !self.lower.iter().any(is_dose) {
            return None;
        }
        let mut value: Vec<&str> = Vec::new();
        for at in from..self.words.len() {
            if ["but", "because", "since", "now"].contains(&self.lower[at].as_str()) {
                break;
            }
            value.push(bare(self.words[at]));
            if self.words[at].ends_with([';', '.', '!', ':', ',']) {
                break;
            }
        }
        (!value.is_empty()).then(|| ((*key).to_owned(), value.join(" ")))
    }

    fn starts_with(&self, frame: &str) -> bool {
        let mut own = self.lower.iter();
        frame.split(' ').all(|word| own.next().is_some_and(|one| one == word))
    }

    /// "They moved the interview to the 14th."
    fn moved(&self) -> Option<(String, String)> {
        let verb = self.lower.iter().position(|word| MOVES.contains(&word.as_str()))?;
        let to = self.lower[verb..].iter().position(|word| word == "to")? + verb;
        let name = self.name(verb + 1, to)?;
        Some((name, self.written(&self.first_quantity(to + 1)?)))
    }

    /// A name, a verb and a figure: "A1C was 7.4%". The name is what stands before the verb, from the
    /// last mark on: "Great: A1C improved to 7.0%" is about the A1C.
    fn measured(&self) -> Option<(String, String)> {
        let verb = self.lower.iter().position(|word| VERBS.contains(&word.as_str()))?;
        let ends = |word: &str| word.ends_with([':', ',', ';', '–', '—']);
        let from = self.words[..verb].iter().rposition(|word| ends(word)).map_or(0, |at| at + 1);
        let name = self.name(from, verb)?;
        let first = self.first_quantity(verb + 1)?;
        let came_from = self.lower[first.words.start - 1] == "from";
        let later = || self.first_quantity(first.words.end);
        let value = if came_from { self.after_to(&first).or_else(later) } else { None };
        Some((name, self.written(&value.unwrap_or(first))))
    }

    /// The second of "from 7.4% to 7.0%", which may have been read as one range.
    fn after_to(&self, range: &Quantity) -> Option<Quantity> {
        let to = range.words.clone().find(|at| self.lower[*at] == "to")?;
        quantity(&self.words, to + 1)
    }

    /// The words between two places as a name, unless they are none or too many.
    fn name(&self, from: usize, to: usize) -> Option<String> {
        let words = self.lower.get(from..to)?.iter();
        let name: Vec<&str> =
            words.map(String::as_str).filter(|word| !LEADS.contains(word)).collect();
        (1..=NAME_WORDS).contains(&name.len()).then(|| name.join(" "))
    }

    fn first_quantity(&self, from: usize) -> Option<Quantity> {
        let has_digit = |at: &usize| self.words[*at].contains(|c: char| c.is_ascii_digit());
        let within = from..self.words.len().min(from + REACH);
        let mut found = within.filter_map(|at| quantity(&self.words, at));
        found.find(|one| one.words.clone().any(|at| has_digit(&at)))
    }

    /// A quantity as it was written, without the marks around it.
    fn written(&self, quantity: &Quantity) -> String {
        let words = self.words[quantity.words.clone()].iter().map(|word| bare(word));
        words.collect::<Vec<_>>().join(" ")
    }

    /// "My favourite colour is green."
    fn possessed(&self) -> Option<(String, String)> {
        self.lower.first().filter(|first| *first == "my")?;
        let verb = self.lower.iter().position(|word| matches!(word.as_str(), "is" | "are"))?;
        let marked = self.words[..verb].iter().any(|word| word.ends_with([',', ';', ':']));
        let name = self.lower.get(1..verb).filter(|name| (1..=NAME_WORDS).contains(&name.len()))?;
        let now = usize::from(self.lower.get(verb + 1).is_some_and(|word| word == "now"));
        let value = self.value(verb + 1 + now)?;
        let doing = value.split_whitespace().next().is_some_and(|first| first.ends_with("ing"));
        let short = value.split_whitespace().count() <= 6;
        (!marked && short && !doing).then(|| (name.join(" "), value))
    }

    /// The words up to the first mark or joining word.
    fn value(&self, from: usize) -> Option<String> {
        const JOINING: [&str; 7] = ["and", "but", "because", "since", "with", "for", "now"];
        let mut value: Vec<&str> = Vec::new();
        for at in from..self.words.len() {
            if JOINING.contains(&self.lower[at].as_str()) || self.words[at].starts_with('(') {
                break;
            }
            value.push(bare(self.words[at]));
            if self.words[at].ends_with([',', ';', '.', '!', ':']) {
                break;
            }
        }
        value.retain(|word| !word.is_empty());
        (!value.is_empty()).then(|| value.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_with_what_they_are_of() {
        let cases = [
            ("My A1C was 7.4%", "a1c", "7.4%"),
            ("A1C improved to 7.0%.", "a1c", "7.0%"),
            ("My A1C is now at 6.8%", "a1c", "6.8%"),
            ("My A1C improved from 7.4% to 7.0%", "a1c", "7.0%"),
            ("My latest blood pressure came back at 120 over 80", "blood pressure", "120 over 80"),
            ("I live in Lisbon now.", "home", "Lisbon"),
            ("I used to live in Berlin.", "home", "Berlin"),
            ("I moved to Porto, finally", "home", "Porto"),
            ("My favourite colour is dark green.", "favourite colour", "dark green"),
            ("They moved the interview to the 14th, at ten.", "interview", "14th"),
            ("My email is a.b@c.org.", "email", "a.b@c.org"),
            ("I'm allergic to peanuts and shellfish.", "allergy", "peanuts and shellfish"),
            ("I take metformin 500 mg twice daily.", "medication", "metformin 500 mg twice daily"),
        ];
        for (text, key, value) in cases {
            assert_eq!(read(text), Some((key.to_owned(), value.to_owned())), "{text}");
        }
    }

    #[test]
    fn bug_6_values_are_kept_whole() {
        let cases = [
            ("My blood pressure is 120/80", "blood pressure", "120/80"),
            ("My appointment is at 10:30", "appointment", "10:30"),
            ("The interview is on 2025-06-12", "interview", "2025-06-12"),
            ("My phone number is 555-1234", "phone number", "555-1234"),
            ("My best 5K time is 25:50", "best 5k time", "25:50"),
            ("My flight is at 3 pm", "flight", "3 pm"),
            ("My daughter is 3 years old", "daughter", "3 years old"),
            ("My rent is $1,200 a month.", "rent", "$1,200 a month"),
        ];
        for (text, key, value) in cases {
            assert_eq!(read(text), Some((key.to_owned(), value.to_owned())), "{text}");
        }
    }

    #[test]
    fn bug_7_what_stands_before_a_colon_is_no_part_of_the_name() {
        let a1c = Some(("a1c".to_owned(), "7.0%".to_owned()));
        assert_eq!(read("Great: A1C improved to 7.0%"), a1c);
        assert_eq!(read("Good news, my A1C improved to 7.0%"), a1c);
    }

    #[test]
    fn other_sentences_state_no_value() {
        for text in [
            "I like tea",
            "We were there for 3 days and it was lovely",
            "My sister is coming to stay with us for the whole of next summer",
            "I bought 3 apples",
            "I take the bus to work",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
