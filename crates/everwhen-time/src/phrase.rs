//! Reads time phrases out of a text, without a model and without a clock. The grammar is English;
//! `languages` rewrites a text of another language in English words first.
//!
//! A closed grammar that refuses rather than guesses: what only looks like a time ("may I", "the
//! second floor", "$5") gives nothing. Everything counts from an anchor, which is when the text
//! was said, on the wall calendar of a [`Zone`]; results are half-open [`Period`]s.
//!
//! How a text is read: `lexer` cuts it into tokens. From each token that can begin a phrase, all
//! rules are tried and the longest reading wins: `point` and `ranges` for times, `ordinals` for
//! "the third session", `questions` for "how many days". Words for whole days are read by
//! `day_phrase`, which tries `calendar`, `relative`, `last_next`, `offsets` and `inside`; `context`
//! turns days into instants at the end.
//!
//! To add a word, add a line to the table of the file about it: `units` for lengths of time ("week",
//! "fortnight"), `calendar` for names of months, weekdays and seasons, `holidays`, `counts` for
//! numbers, `last_next` for "last" and "next", `ranges` for "since" and "until", `amounts` for
//! "about" and "over", `clock` for parts of the day. Then add a row to a table in `tests/phrases`.
//!
//! Rules that a reader may want to know:
//!
//! * A bare name ("in March", "Friday", "May 7th") is the latest begun by the anchor's day, unless
//!   [`Prefer`] says otherwise.
//! * "N days ago" is the calendar day; "N weeks ago" seven days around that day; "N months ago" and
//!   "N years ago" the calendar month and year. See [`PhrasePeriod`] for what goes with it.
//! * "Last week" is the week before, Monday to Sunday; "the last week" and "the past week" the
//!   seven days up to and including today. Stretches that last until now end with today.
//! * "Last fortnight" is the two weeks before this one, "next fortnight" the two after it.
//! * "Last Friday" is the latest before today, "next Friday" the first after it, "this Friday" the
//!   one of this week, Monday to Sunday.
//! * Early, mid and late are thirds; see `parts`. Seasons are three calendar months of the north.
//! * "Until March" ends where March begins; between, from, through and until a day include their
//!   last end.
//! * "About" takes the tolerance into the period and adds as much again.
//! * Figures with slashes are month first unless that cannot be; with dots, day first.

mod ambiguity;
mod amounts;
mod calendar;
mod classes;
mod clock;
mod context;
mod counts;
mod cursor;
mod day_phrase;
mod days;
mod holidays;
mod inside;
mod languages;
mod last_next;
mod lexer;
mod named;
mod numerals;
mod offsets;
mod ordinals;
mod parts;
mod point;
mod questions;
mod ranges;
mod relative;
mod sense;
mod tense;
mod units;

use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::{Period, Precision, Zone};

pub use calendar::MONTHS;
use classes::{ASKED, ORDINAL, POINT, RANGE};
use context::Context;
pub use counts::number_in_words;
use cursor::Cursor;
use tense::Verbs;

/// Which occurrence of a bare name is meant: "Friday" in a question is past, in a plan it is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prefer {
    /// The latest begun by the anchor's day.
    #[default]
    Past,
    /// The first not over before the anchor's day.
    Future,
    /// Whichever is nearer.
    Nearest,
    /// By the sentence: "I'll see her on Friday" and "my exam is on Friday" look ahead, "I saw her on
    /// Friday" back. Where the sentence does not tell, a bare name is not read.
    Tense,
}

/// All time phrases of a text, in the order in which they stand there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    /// The phrases; their ranges do not overlap.
    pub phrases: Vec<Phrase>,
}

/// One time phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    /// Where it stands, in bytes; both ends are character boundaries.
    pub range: Range<usize>,
    /// Its words, as written.
    pub text: String,
    /// What it means.
    pub meaning: Meaning,
    /// How sure the reading is.
    pub confidence: Confidence,
}

/// How sure a reading is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// The words leave another reading, or are vague: "on Friday", "a few weeks ago".
    Likely,
    /// The words have one reading.
    Certain,
}

/// What a phrase means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// A stretch of time.
    Period(PhrasePeriod),
    /// Some of several, by their order.
    Ordinal(Ordinal),
    /// A question about time itself.
    Question(TimeQuestion),
}

/// A stretch of time as people mean it: `likely` lies inside `reach`, and so does `period`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhrasePeriod {
    /// The stretch that was said.
    pub period: Period,
    /// Where an exact speaker points: for "two months ago", the day two months ago. The same as
    /// the period where the words are exact.
    pub likely: Period,
    /// How far the words stretch for a careless speaker: where to look when the period is empty.
    pub reach: Period,
    /// What the period was found from.
    pub origin: Origin,
    /// "Earlier today": the conversation that is going on at the anchor is not meant.
    pub earlier: bool,
}

/// What a period was found from. Written dates hold wherever they are read; the others count from
/// the anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// Counted from the anchor: "two weeks ago".
    Counted,
    /// A name that comes round again: "in March".
    Named,
    /// Written out with its year, or counted from such a date.
    Written,
}

/// Some of several things in the order of time: from the `first`-th to the `last`-th, counted from
/// one, from either side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ordinal {
    /// What is counted.
    pub of: OrdinalOf,
    /// From which side.
    pub from: Side,
    /// The first meant; with [`Side::Last`], 1 is the latest.
    pub first: u32,
    /// The last meant, counted from the same side; equal to `first` for a single one.
    pub last: u32,
}

/// What an ordinal counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrdinalOf {
    /// The conversations of the memory: "our third session".
    Conversations,
    /// Whatever matches the rest of the question: "the first time I saw her".
    Matches,
}

/// The side from which an ordinal counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// From the earliest on.
    First,
    /// From the latest back.
    Last,
}

/// A question about time itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeQuestion {
    /// When something was; with the precision asked for, if any: "in which year".
    When(Option<Precision>),
    /// How long something is.
    HowLong {
        /// The unit asked for: "how many days".
        unit: Option<Measure>,
        /// What the length is of.
        length: Length,
    },
    /// In which order things were.
    Order,
}

/// A unit in which a length is asked for: a fortnight is two weeks, a decade ten years.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Measure {
    /// How many of the calendar unit make one.
    pub count: u32,
    /// The calendar unit.
    pub unit: TimeUnit,
}

/// A unit of the calendar or the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimeUnit {
    /// A minute.
    Minute,
    /// An hour.
    Hour,
    /// A day.
    Day,
    /// A week.
    Week,
    /// A month.
    Month,
    /// A year.
    Year,
}

/// What a length is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Length {
    /// From then to the anchor: "how many days ago".
    Ago,
    /// From the anchor to something ahead: "how long until".
    Until,
    /// From one thing to another: "how many days passed between A and B".
    Between,
    /// Of one thing: "how long did it take".
    Lasting,
}

impl Reading {
    /// The stretch the text is about, from all its periods together. Written dates silence those
    /// counted from the anchor, which then belong to what was said at the written date ("what did
    /// she do last Friday, as mentioned on 21 February 2023"). Of the rest, the certain ones are
    /// intersected ("in June, yesterday"), or spanned where they do not overlap ("in May and in
    /// July"); a likely one narrows that where it overlaps and is passed over where it does not.
    pub fn about(&self) -> Option<Period> {
        self.combined(|when| when.period)
    }

    /// Where to look when nothing is found in [`Reading::about`].
    pub fn reach(&self) -> Option<Period> {
        self.combined(|when| when.reach)
    }

    /// What every phrase of [`Meaning::Period`] means and how sure that is, in order.
    pub fn periods(&self) -> impl Iterator<Item = (&PhrasePeriod, Confidence)> {
        self.phrases.iter().filter_map(|phrase| match &phrase.meaning {
            Meaning::Period(when) => Some((when, phrase.confidence)),
            _ => None,
        })
    }

    fn combined(&self, part: fn(&PhrasePeriod) -> Period) -> Option<Period> {
        let written = self.periods().any(|(when, _)| when.origin == Origin::Written);
        let chosen = |sure| {
            self.periods()
                .filter(move |(when, _)| !written || when.origin == Origin::Written)
                .filter(move |(_, confidence)| *confidence == sure)
                .map(move |(when, _)| part(when))
        };
        let together = |a: Period, b: Period| a.intersection(&b).unwrap_or_else(|| hull(a, b));
        let likely = chosen(Confidence::Likely).reduce(together);
        let Some(certain) = chosen(Confidence::Certain).reduce(together) else { return likely };
        likely.and_then(|likely| certain.intersection(&likely)).or(Some(certain))
    }

    /// The ordinal the text asks for, if it has one.
    pub fn ordinal(&self) -> Option<Ordinal> {
        self.phrases.iter().find_map(|phrase| match phrase.meaning {
            Meaning::Ordinal(ordinal) => Some(ordinal),
            _ => None,
        })
    }

    /// What the text asks about time itself, if it does.
    pub fn question(&self) -> Option<TimeQuestion> {
        self.phrases.iter().find_map(|phrase| match phrase.meaning {
            Meaning::Question(asked) => Some(asked),
            _ => None,
        })
    }
}

fn hull(a: Period, b: Period) -> Period {
    let since = a.since().zip(b.since()).map(|(a, b)| a.min(b));
    let until = a.until().zip(b.until()).map(|(a, b)| a.max(b));
    Period::new(since, until, a.precision().max(b.precision())).unwrap_or(a)
}

/// Reads every time phrase in `text`, counted from `anchor` on the wall calendar of `zone`. The text
/// is English or one of the languages in `phrases/`; which one is seen by its words and its script.
pub fn read(text: &str, anchor: Timestamp, zone: &Zone, prefer: Prefer) -> Reading {
    let lower = text.to_ascii_lowercase();
    let tokens = lexer::tokens(text, &lower);
    languages::read_other(text, &tokens, anchor, zone, prefer)
        .unwrap_or_else(|| read_tokens(text, &tokens, anchor, zone, prefer))
}

/// Reads a text that is known to be English.
fn read_english(text: &str, anchor: Timestamp, zone: &Zone, prefer: Prefer) -> Reading {
    let lower = text.to_ascii_lowercase();
    read_tokens(text, &lexer::tokens(text, &lower), anchor, zone, prefer)
}

fn read_tokens(
    text: &str,
    tokens: &[lexer::Token<'_>],
    anchor: Timestamp,
    zone: &Zone,
    prefer: Prefer,
) -> Reading {
    let mut context = Context::new(anchor, zone, prefer);
    let (mut phrases, mut verbs) = (Vec::new(), Verbs::default());
    let mut c = Cursor::new(tokens);
    while let Some(token) = c.peek() {
        if prefer == Prefer::Tense && c.opens_sentence() {
            verbs = Verbs::of(c);
        }
        if token.classes == classes::NONE {
            c = c.step();
            continue;
        }
        if prefer == Prefer::Tense {
            context.prefer = verbs.preference_at(c);
        }
        c = match meaning_at(c, &context) {
            None => c.step(),
            Some((meaning, confidence, after)) => {
                let end = after.previous().map_or(token.end, |last| last.end);
                let range = token.start..end;
                let text = text[range.clone()].to_owned();
                phrases.push(Phrase { range, text, meaning, confidence });
                after
            }
        };
    }
    Reading { phrases }
}

/// The longest reading from here on; of equally long ones a stretch before a point.
fn meaning_at<'t>(
    c: Cursor<'t>,
    context: &Context<'_>,
) -> Option<(Meaning, Confidence, Cursor<'t>)> {
    let can = |classes| c.begins_with(classes).then_some(());
    let asked = can(ASKED)
        .and_then(|()| questions::asked_at(c))
        .map(|(asked, after)| (Meaning::Question(asked), Confidence::Certain, after));
    let ordinal = can(ORDINAL)
        .and_then(|()| ordinals::ordinal_at(c))
        .map(|((ordinal, sure), after)| (Meaning::Ordinal(ordinal), sure, after));
    let point = can(POINT).and_then(|()| point::point(c, context));
    let range = can(RANGE).and_then(|()| ranges::range(c, context));
    let timed = [point, range]
        .into_iter()
        .flatten()
        .map(|((when, sure), after)| (Meaning::Period(when), sure, after));
    asked
        .into_iter()
        .chain(ordinal)
        .chain(timed)
        .filter(|(.., after)| after.position() > c.position())
        .max_by_key(|(.., after)| after.position())
}
