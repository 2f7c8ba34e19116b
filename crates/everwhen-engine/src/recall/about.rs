//! What stretch of time a question asks about, and what follows for the search.
//!
//! Walk: read the time phrases → a [`Target`] → aimed at an index, where conversations can be
//! counted and where it shows whether anything was said then.

use std::borrow::Cow;

use jiff::{SignedDuration, Timestamp};

use super::index::{Index, Micros};
use super::query::PeriodUse;
use super::scope::{Narrow, Scope};
use crate::time::phrase::{Meaning, Ordinal, OrdinalOf, Prefer, Reading, Side, read};
use crate::time::{Period, Zone};

/// A stretch of time as the question names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// The words it was read from.
    pub words: Vec<String>,
    /// When it was.
    pub period: Option<Period>,
    /// Which conversations, or which of what matches, counted from the first or the last.
    pub order: Option<Ordinal>,
}

/// The time phrases of a question.
pub(crate) struct Target {
    reading: Reading,
}

/// A target as an index sees it.
#[derive(Debug, Default)]
pub(crate) struct Aim {
    pub(crate) narrow: Narrow,
    /// What was said here comes first.
    pub(crate) period: Option<Period>,
    /// So do these conversations.
    pub(crate) chosen: Option<Vec<u32>>,
    /// Nothing was said then.
    pub(crate) nothing: bool,
}

impl Target {
    pub(crate) fn read(text: &str, asked_at: Timestamp, zone: &Zone, how: PeriodUse) -> Self {
        let reading = match how {
            PeriodUse::Ignore => Reading::default(),
            PeriodUse::Boost | PeriodUse::Filter => read(text, asked_at, zone, Prefer::Past),
        };
        Self { reading }
    }

    /// The same, said back.
    pub(crate) fn about(&self) -> Option<About> {
        let (period, order) = (self.reading.about(), self.reading.ordinal());
        if period.is_none() && order.is_none() {
            return None;
        }
        let is_time = |meaning: &Meaning| !matches!(meaning, Meaning::Question(_));
        let phrases = self.reading.phrases.iter().filter(|phrase| is_time(&phrase.meaning));
        Some(About { words: phrases.map(|phrase| phrase.text.clone()).collect(), period, order })
    }

    fn conversations(&self) -> Option<Ordinal> {
        self.reading.ordinal().filter(|ordinal| ordinal.of == OrdinalOf::Conversations)
    }

    /// Which of what matches is meant: "the first time", "most recently".
    pub(crate) fn matches(&self) -> Option<Ordinal> {
        self.reading.ordinal().filter(|ordinal| ordinal.of == OrdinalOf::Matches)
    }

    /// The question without its time phrases: they say when, not what.
    pub(crate) fn rest<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let (mut rest, mut from) = (Cow::Borrowed(""), 0);
        for phrase in &self.reading.phrases {
            if matches!(phrase.meaning, Meaning::Period(_)) {
                rest += &text[from..phrase.range.start];
                from = phrase.range.end;
            }
        }
        rest + &text[from..]
    }

    /// What follows for one index.
    pub(crate) fn aim(&self, index: &Index, base: Narrow, how: PeriodUse) -> Aim {
        let period = self.reading.about();
        let chosen = self.conversations().map(|ordinal| chosen(index, &base, ordinal));
        if how != PeriodUse::Filter || (period.is_none() && chosen.is_none()) {
            let empty = period.filter(|period| !is_spoken_in(index, &base, period));
            let wide = empty.map(|period| widened(index, &base, period));
            return Aim { period: wide.or(period), narrow: base, chosen, nothing: empty.is_some() };
        }
        let current =
            self.reading.periods().any(|(when, _)| when.earlier).then(|| current(index, &base));
        let filtered = |about: Option<Period>| Narrow {
            about,
            conversations: chosen.clone(),
            without: current.flatten(),
            ..base.clone()
        };
        for about in [period, self.reading.reach()] {
            let narrow = filtered(if chosen.is_some() { None } else { about });
            if Scope::new(index, &narrow).has_any() {
                return Aim { narrow, period, chosen: None, nothing: false };
            }
        }
        let about = period.map(|period| widened(index, &base, period));
        Aim { narrow: Narrow { about, ..base }, period: about, chosen: None, nothing: true }
    }
}

fn is_spoken_in(index: &Index, base: &Narrow, period: &Period) -> bool {
    let narrow = Narrow { about: Some(*period), ..base.clone() };
    Scope::new(index, &narrow).has_any()
}

/// A period in which nothing was said, as far as the nearest before and after it.
fn widened(index: &Index, base: &Narrow, period: Period) -> Period {
    let scope = Scope::new(index, base);
    let time =
        |micros: Option<Micros>| micros.and_then(|one| Timestamp::from_microsecond(one).ok());
    let before = period.since().map(|since| scope.last_before(since.as_microsecond()));
    let after = period.until().map(|until| scope.first_from(until.as_microsecond()));
    let until = time(after.flatten()).map(|after| after + SignedDuration::from_micros(1));
    let (since, until) = (time(before.flatten()).or(period.since()), until.or(period.until()));
    Period::new(since, until, period.precision()).unwrap_or(period)
}

/// The conversations that are asked for by their order, in rising order of their numbers.
fn chosen(index: &Index, base: &Narrow, ordinal: Ordinal) -> Vec<u32> {
    let scope = Scope::new(index, base);
    let most = ordinal.last as usize;
    let order = match ordinal.from {
        Side::First => scope.begun_first(most),
        Side::Last => scope.begun_last(most),
    };
    let skipped = (ordinal.first as usize).max(1) - 1;
    let mut chosen: Vec<u32> = order.into_iter().skip(skipped).collect();
    chosen.sort_unstable();
    chosen
}

/// The conversation that began last.
fn current(index: &Index, base: &Narrow) -> Option<u32> {
    Scope::new(index, base).begun_last(1).first().copied()
}
