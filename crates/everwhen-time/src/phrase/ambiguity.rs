//! Words that decide whether something is a time at all: what may follow a bare name, what makes a
//! number a measure, what a preposition can carry.

use std::collections::HashSet;
use std::sync::OnceLock;

use foldhash::fast::FixedState;

use super::classes::{NONE, NTH};
use super::cursor::Cursor;
use super::lexer::Kind;
use super::named::Named;
use super::sense::{DayPhrase, DayPhraseKind};
use super::units::many_spans;

/// Words of one kind, written with blanks between them.
pub(super) struct List {
    written: &'static str,
    words: OnceLock<HashSet<&'static str, FixedState>>,
}

impl List {
    pub(super) const fn of(written: &'static str) -> Self {
        Self { written, words: OnceLock::new() }
    }

    /// Whether a word is one of them.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.get_or_init(|| self.written.split(' ').collect()).contains(word)
    }
}

/// Words that go on after a finished phrase: pronouns, prepositions, conjunctions, auxiliaries, and
/// the placeholder for any unknown word of another language.
static FUNCTION: List = List::of(
    "\
    i you he she it we they me him her us them my your his its our their who whom what which \
    that this these those where when why how and or but nor so if because since while as than \
    though although about above across after against along among around at before behind below \
    beside between beyond by during for from in into like near of off on onto out over past \
    regarding through to toward until till up with within without is are was were be am did do \
    does had has have will would can could should the a there not ø",
);

/// Words after a number that make it an amount: "in 2000 words", "may 5 people".
static MEASURES: List = List::of(
    "\
    words people persons dollars bucks euros pounds cents pieces parts amounts miles mile km \
    kilometers kilometres meters metres feet foot inches calories degrees percent points pages \
    items copies times minutes minute hours hour seconds days weeks months years others more am \
    pm kg lbs",
);

/// Words before a bare weekday that make it part of a name, a habit or a statement: "my Sunday
/// rides", "a busy Monday", "is it Tuesday".
static OWNERS: List = List::of(
    "\
    the a an my your his her its our their every each any some one that those these most all no \
    happy merry of to through busy particular typical random regular usual normal sunny rainy \
    lazy good great nice long it is it's isn't not was be or",
);

/// Second halves of names that begin like a time: dishes, goods, jobs and kinds of days. What takes
/// place at the time, such as a service on Easter, is dated by it and is not among them.
static COMPOUNDS: List = List::of(
    "\
    rolls roll water cleaning onion onions mattress camp school job internship jobs house guy \
    apart asleep best madness tree trees cards card gift gifts present presents party \
    parties costume costumes dinner lights carol song songs decorations eggs egg bunny cookies \
    resolution resolutions olympics coat sale sales months season break vacation holidays \
    clothes wardrobe sports semester term festival weather",
);

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
pub(super) const PREPOSITIONS: [(&str, Preposition); 27] = [
    ("some time in", Preposition::Around),
    ("some time around", Preposition::Around),
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
    pub(super) fn carries(self, phrase: DayPhrase) -> bool {
        use Preposition::{Around, At, During, For, From, In, On, Over};
        match phrase.what {
            DayPhraseKind::Recurring(
                Named::Weekday(_) | Named::Monthly(_) | Named::WeekdayNth(..),
                _,
            ) => {
                matches!(self, On | For | From | Around)
            }
            DayPhraseKind::Recurring(Named::Weekend, _) => matches!(self, On | At | Over | During),
            DayPhraseKind::Recurring(Named::Holiday(_), _) => !matches!(self, In),
            DayPhraseKind::Recurring(Named::Date(..), _) => !matches!(self, In | At),
            _ => matches!(self, In | During | Over | For | From | Around),
        }
    }
}

/// Whether a phrase may end here: the next word does not belong to it as a noun would.
pub(super) fn closes(c: Cursor<'_>) -> bool {
    c.at_break() || c.text().is_some_and(|word| FUNCTION.has(word))
}

/// Whether the number before here counts things.
pub(super) fn measures(c: Cursor<'_>) -> bool {
    many_spans(c).is_some() || c.text().is_some_and(|word| MEASURES.has(word))
}

/// Whether the name before here is the first half of a longer one.
pub(super) fn compounds(c: Cursor<'_>) -> bool {
    c.text().is_some_and(|word| COMPOUNDS.has(word))
}

/// Whether a bare weekday from `c` to `after` is a day and not part of a name or habit: "we met
/// Friday at the park", but not "my Sunday rides", "Taco Tuesday" or "Monday to Friday".
pub(super) fn stands_alone(c: Cursor<'_>, after: Cursor<'_>) -> bool {
    let onward = after.any(&["to", "through"]).is_some();
    !is_owned(c) && !onward && closes(after)
}

/// Whether the word before makes a name of what follows: "my Sunday", "the third Sunday".
pub(super) fn is_owned(c: Cursor<'_>) -> bool {
    let Some(before) = c.previous() else { return false };
    match before.kind {
        Kind::Word => {
            let name = before.capital && !FUNCTION.has(before.text);
            let counted = before.classes & NTH != NONE;
            before.possessive || OWNERS.has(before.text) || counted || name
        }
        Kind::Mark(mark) => mark == '-',
        _ => true,
    }
}

/// Words that can carry a time.
pub(super) fn words() -> Vec<&'static str> {
    PREPOSITIONS.map(|(words, _)| words).to_vec()
}
