//! Words that decide whether something is a time at all: what may follow a bare name, what makes a
//! number a measure, what a preposition can carry.

use super::cursor::Cursor;
use super::lexer::Kind;
use super::named::Named;
use super::sense::{Place, What};

/// Words that go on after a finished phrase: pronouns, prepositions, conjunctions, auxiliaries.
const FUNCTION: [&str; 104] = [
    "i",
    "you",
    "he",
    "she",
    "it",
    "we",
    "they",
    "me",
    "him",
    "her",
    "us",
    "them",
    "my",
    "your",
    "his",
    "its",
    "our",
    "their",
    "who",
    "whom",
    "what",
    "which",
    "that",
    "this",
    "these",
    "those",
    "where",
    "when",
    "why",
    "how",
    "and",
    "or",
    "but",
    "nor",
    "so",
    "if",
    "because",
    "since",
    "while",
    "as",
    "than",
    "though",
    "although",
    "about",
    "above",
    "across",
    "after",
    "against",
    "along",
    "among",
    "around",
    "at",
    "before",
    "behind",
    "below",
    "beside",
    "between",
    "beyond",
    "by",
    "during",
    "for",
    "from",
    "in",
    "into",
    "like",
    "near",
    "of",
    "off",
    "on",
    "onto",
    "out",
    "over",
    "past",
    "regarding",
    "through",
    "to",
    "toward",
    "until",
    "till",
    "up",
    "with",
    "within",
    "without",
    "is",
    "are",
    "was",
    "were",
    "be",
    "am",
    "did",
    "do",
    "does",
    "had",
    "has",
    "have",
    "will",
    "would",
    "can",
    "could",
    "should",
    "the",
    "a",
    "there",
    "not",
];

/// Words after a number that make it an amount: "in 2000 words", "may 5 people".
const MEASURES: [&str; 44] = [
    "words",
    "people",
    "persons",
    "dollars",
    "bucks",
    "euros",
    "pounds",
    "cents",
    "pieces",
    "parts",
    "steps",
    "miles",
    "mile",
    "km",
    "kilometers",
    "kilometres",
    "meters",
    "metres",
    "feet",
    "foot",
    "inches",
    "calories",
    "degrees",
    "percent",
    "points",
    "pages",
    "items",
    "copies",
    "times",
    "minutes",
    "minute",
    "hours",
    "hour",
    "seconds",
    "days",
    "weeks",
    "months",
    "years",
    "others",
    "more",
    "am",
    "pm",
    "kg",
    "lbs",
];

/// Words before a bare weekday that make it part of a name or a habit: "my Sunday rides".
const OWNERS: [&str; 26] = [
    "the", "a", "an", "my", "your", "his", "her", "its", "our", "their", "every", "each", "any",
    "some", "one", "that", "those", "these", "most", "all", "no", "happy", "merry", "of", "to",
    "through",
];

/// Second halves of names that begin like a time: "spring rolls", "summer camp", "Sunday school".
const COMPOUNDS: [&str; 47] = [
    "rolls",
    "roll",
    "water",
    "cleaning",
    "onion",
    "onions",
    "mattress",
    "camp",
    "school",
    "job",
    "internship",
    "jobs",
    "house",
    "guy",
    "apart",
    "asleep",
    "mass",
    "best",
    "madness",
    "tree",
    "trees",
    "cards",
    "card",
    "gift",
    "gifts",
    "present",
    "presents",
    "party",
    "parties",
    "costume",
    "costumes",
    "dinner",
    "lights",
    "carol",
    "song",
    "songs",
    "decorations",
    "eggs",
    "egg",
    "bunny",
    "cookies",
    "resolution",
    "resolutions",
    "olympics",
    "coat",
    "sale",
    "sales",
];

/// Words that begin something which may carry a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Preposition {
    In,
    On,
    At,
    During,
    Over,
    For,
    From,
    Around,
}

/// Prepositions, longer ones first.
pub(super) const PREPOSITIONS: [(&str, Preposition); 25] = [
    ("sometime in", Preposition::Around),
    ("sometime around", Preposition::Around),
    ("sometime during", Preposition::Around),
    ("back in", Preposition::In),
    ("back on", Preposition::On),
    ("back at", Preposition::At),
    ("way back in", Preposition::In),
    ("at around", Preposition::Around),
    ("at about", Preposition::Around),
    ("on or about", Preposition::Around),
    ("as of", Preposition::On),
    ("as early as", Preposition::In),
    ("as late as", Preposition::In),
    ("in around", Preposition::Around),
    ("in about", Preposition::Around),
    ("throughout", Preposition::During),
    ("in", Preposition::In),
    ("on", Preposition::On),
    ("at", Preposition::At),
    ("during", Preposition::During),
    ("over", Preposition::Over),
    ("for", Preposition::For),
    ("from", Preposition::From),
    ("around", Preposition::Around),
    ("circa", Preposition::Around),
];

impl Preposition {
    /// Whether this preposition makes a time of a name that is none by itself: "on Friday", but
    /// not "at Friday".
    pub(super) fn carries(self, place: Place) -> bool {
        use Preposition::{Around, At, During, For, From, In, On, Over};
        match place.what {
            What::Recurring(Named::Weekday(_) | Named::Monthly(_) | Named::WeekdayNth(..), _) => {
                matches!(self, On | For | From | Around)
            }
            What::Recurring(Named::Weekend, _) => matches!(self, On | At | Over | During),
            What::Recurring(Named::Holiday(_), _) => !matches!(self, In),
            What::Recurring(Named::Date(..), _) => !matches!(self, In | At),
            _ => matches!(self, In | During | Over | For | From | Around),
        }
    }
}

/// Whether a phrase may end here: the next word does not belong to it as a noun would.
pub(super) fn closes(c: Cursor<'_>) -> bool {
    c.at_break() || c.text().is_some_and(|word| FUNCTION.contains(&word))
}

/// Whether the number before here counts things.
pub(super) fn measures(c: Cursor<'_>) -> bool {
    c.text().is_some_and(|word| MEASURES.contains(&word))
}

/// Whether the name before here is the first half of a longer one.
pub(super) fn compounds(c: Cursor<'_>) -> bool {
    c.text().is_some_and(|word| COMPOUNDS.contains(&word))
}

/// Whether a bare weekday from `c` to `after` is a day and not part of a name or habit: "we met
/// Friday at the park", but not "my Sunday rides", "Taco Tuesday" or "Monday to Friday".
pub(super) fn stands_alone(c: Cursor<'_>, after: Cursor<'_>) -> bool {
    let owned = c.previous().is_some_and(|before| match before.kind {
        Kind::Word => {
            OWNERS.contains(&before.text) || (before.capital && c.back(2).is_some_and(is_inside))
        }
        Kind::Mark(mark) => mark == '-',
        _ => true,
    });
    let onward = after.any(&["to", "through"]).is_some();
    !owned && !onward && closes(after) && c.previous().is_none_or(|before| !before.possessive)
}

/// Whether a token stands inside a sentence, so that a capital after it means a name.
fn is_inside(token: &super::lexer::Token<'_>) -> bool {
    !matches!(token.kind, Kind::Mark('.' | '!' | '?'))
}
