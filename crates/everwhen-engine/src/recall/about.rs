//! What stretch of time a question asks about, and what follows for the search.
//!
//! Walk: read the time phrases → a [`Target`] → aimed at an index, where conversations can be
//! counted and where it shows whether anything was said then.

use jiff::{SignedDuration, Timestamp};

use super::index::{Index, Micros};
use super::query::PeriodUse;
use super::scope::{Narrow, Scope};
use crate::when::phrase::{Counted, Lean, Meaning, Ordinal, Reading, Side, read};
use crate::when::{Period, Zone};

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
    pub(crate) chosen: Option<Vec<bool>>,
    /// Nothing was said then.
    pub(crate) nothing: bool,
}

impl Target {
    pub(crate) fn read(text: &str, asked_at: Timestamp, zone: &Zone, how: PeriodUse) -> Self {
        let reading = match how {
            PeriodUse::Ignore => Reading::default(),
            PeriodUse::Boost | PeriodUse::Filter => read(text, asked_at, zone, Lean::Past),
        };
        Self { reading }
    }

    /// The same, said back.
    pub(crate) fn about(&self) -> Option<About> {
        let (period, order) = (self.reading.about(), self.reading.ordinal());
        if period.is_none() && order.is_none() {
            return None;
        }
        let is_time = |meaning: &Meaning| !matches!(meaning, Meaning::Asked(_));
        let phrases = self.reading.phrases.iter().filter(|phrase| is_time(&phrase.meaning));
        Some(About { words: phrases.map(|phrase| phrase.text.clone()).collect(), period, order })
    }

    fn conversations(&self) -> Option<Ordinal> {
        self.reading.ordinal().filter(|ordinal| ordinal.of == Counted::Conversations)
    }

    /// Which of what matches is meant: "the first time", "most recently".
    pub(crate) fn matches(&self) -> Option<Ordinal> {
        self.reading.ordinal().filter(|ordinal| ordinal.of == Counted::Matches)
    }

    /// The question without its time phrases: they say when, not what.
    pub(crate) fn rest(&self, text: &str) -> String {
        let (mut rest, mut from) = (String::with_capacity(text.len()), 0);
        for phrase in &self.reading.phrases {
            if matches!(phrase.meaning, Meaning::Period(_)) {
                rest.push_str(&text[from..phrase.range.start]);
                from = phrase.range.end;
            }
        }
        rest.push_str(&text[from..]);
        rest
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
            if Scope::new(index, &narrow).admitted().next().is_some() {
                return Aim { narrow, period, chosen: None, nothing: false };
            }
        }
        let about = period.map(|period| widened(index, &base, period));
        Aim { narrow: Narrow { about, ..base }, period: about, chosen: None, nothing: true }
    }
}

/// The times of what may be an answer.
fn times<'i>(index: &'i Index, scope: &'i Scope<'i>) -> impl Iterator<Item = Timestamp> {
    let micros = scope.admitted().map(|entry| index.facts[entry as usize].time);
    micros.filter_map(|micros| Timestamp::from_microsecond(micros).ok())
}

fn is_spoken_in(index: &Index, base: &Narrow, period: &Period) -> bool {
    times(index, &Scope::new(index, base)).any(|time| period.contains(time))
}

/// A period in which nothing was said, as far as the nearest before and after it.
fn widened(index: &Index, base: &Narrow, period: Period) -> Period {
    let scope = Scope::new(index, base);
    let before =
        period.since().and_then(|since| times(index, &scope).filter(|time| *time < since).max());
    let after =
        period.until().and_then(|until| times(index, &scope).filter(|time| *time >= until).min());
    let until = after.map(|after| after + SignedDuration::from_micros(1));
    let (since, until) = (before.or(period.since()), until.or(period.until()));
    Period::new(since, until, period.precision()).unwrap_or(period)
}

/// Conversations in the order they began, among those that may be seen.
fn in_order(index: &Index, base: &Narrow) -> Vec<u32> {
    let scope = Scope::new(index, base);
    let mut began: Vec<Option<Micros>> = vec![None; index.conversations.len()];
    for entry in scope.admitted() {
        let time = index.facts[entry as usize].time;
        let known = &mut began[index.homes[entry as usize].conversation as usize];
        *known = Some(known.map_or(time, |known| known.min(time)));
    }
    let mut order: Vec<(Micros, u32)> =
        (0..).zip(began).filter_map(|(number, began)| began.map(|began| (began, number))).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, number)| number).collect()
}

fn chosen(index: &Index, base: &Narrow, ordinal: Ordinal) -> Vec<bool> {
    let order = in_order(index, base);
    let mut chosen = vec![false; index.conversations.len()];
    let places = (ordinal.first as usize).max(1) - 1..ordinal.last as usize;
    for place in places {
        let number = match ordinal.from {
            Side::First => order.get(place),
            Side::Last => order.len().checked_sub(place + 1).and_then(|place| order.get(place)),
        };
        if let Some(number) = number {
            chosen[*number as usize] = true;
        }
    }
    chosen
}

/// The conversation that began last.
fn current(index: &Index, base: &Narrow) -> Option<u32> {
    in_order(index, base).last().copied()
}
