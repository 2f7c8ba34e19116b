//! The time that a question asks about, and what follows for the search.
//!
//! The time phrases of a question are read into an [`AskedTime`]. For each index it becomes a
//! [`TimePlan`]: there conversations can be counted, and there it shows whether anything was said then.

use std::borrow::Cow;

use everwhen_search::{Index, Micros, OrderedMatches, Scope, SearchFilter};
use jiff::{SignedDuration, Timestamp};

use super::query::PeriodUse;
use crate::index::range;
use crate::time::phrase::{Meaning, Ordinal, OrdinalOf, Prefer, Reading, Side, read};
use crate::time::{Period, Zone};

/// The time that a question names.
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
pub(crate) struct AskedTime {
    reading: Reading,
}

/// How one index is searched for the time that a question asks about.
#[derive(Debug, Default)]
pub(crate) struct TimePlan {
    pub(crate) filter: SearchFilter,
    /// What was said in this period is ranked higher.
    pub(crate) period: Option<Period>,
    /// These conversations are ranked higher.
    pub(crate) chosen: Option<Vec<u32>>,
    /// Whether nothing was said then.
    pub(crate) nothing_in_period: bool,
}

impl AskedTime {
    /// Reads the time phrases of a question, unless they are to be ignored.
    pub(crate) fn read(text: &str, asked_at: Timestamp, zone: &Zone, how: PeriodUse) -> Self {
        let reading = match how {
            PeriodUse::Ignore => Reading::default(),
            PeriodUse::Boost | PeriodUse::Filter => read(text, asked_at, zone, Prefer::Past),
        };
        Self { reading }
    }

    /// Returns what was read, for the answer.
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

    /// Returns which of what matches is asked for: "the first time", "most recently".
    pub(crate) fn matches(&self) -> Option<OrderedMatches> {
        let ordinal = self.reading.ordinal().filter(|one| one.of == OrdinalOf::Matches)?;
        let from_latest = ordinal.from == Side::Last;
        Some(OrderedMatches { from_latest, first: ordinal.first, last: ordinal.last })
    }

    /// Returns the question without its time phrases: they say when, not what.
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

    /// Plans the search of one index; `base` are the caller's own filters.
    pub(crate) fn plan(&self, index: &Index, base: SearchFilter, how: PeriodUse) -> TimePlan {
        let period = self.reading.about();
        let chosen = self.conversations().map(|ordinal| chosen(index, &base, ordinal));
        if how == PeriodUse::Filter && (period.is_some() || chosen.is_some()) {
            return self.plan_filter(index, base, period, chosen);
        }
        let empty = period.filter(|period| !is_anything_said(index, &base, *period));
        let widened = empty.map(|period| widened(index, &base, period));
        TimePlan {
            period: widened.or(period),
            filter: base,
            chosen,
            nothing_in_period: empty.is_some(),
        }
    }

    /// Plans a search that finds nothing outside the period or the chosen conversations.
    fn plan_filter(
        &self,
        index: &Index,
        base: SearchFilter,
        period: Option<Period>,
        chosen: Option<Vec<u32>>,
    ) -> TimePlan {
        let excludes_latest = self.reading.periods().any(|(when, _)| when.earlier);
        let latest = if excludes_latest { latest(index, &base) } else { None };
        let without_groups: Vec<u32> = base.without_groups.iter().copied().chain(latest).collect();
        for about in [period, self.reading.reach()] {
            let about = if chosen.is_some() { None } else { about };
            let filter = SearchFilter {
                about: about.map(range),
                groups: chosen.clone(),
                without_groups: without_groups.clone(),
                ..base.clone()
            };
            if Scope::new(index, &filter).has_matches() {
                return TimePlan { filter, period, chosen: None, nothing_in_period: false };
            }
        }
        let period = period.map(|period| widened(index, &base, period));
        let filter = SearchFilter { about: period.map(range), ..base };
        TimePlan { filter, period, chosen: None, nothing_in_period: true }
    }
}

fn is_anything_said(index: &Index, base: &SearchFilter, period: Period) -> bool {
    let filter = SearchFilter { about: Some(range(period)), ..base.clone() };
    Scope::new(index, &filter).has_matches()
}

/// Extends a period in which nothing was said to the nearest entries before and after it.
fn widened(index: &Index, base: &SearchFilter, period: Period) -> Period {
    let scope = Scope::new(index, base);
    let time =
        |micros: Option<Micros>| micros.and_then(|one| Timestamp::from_microsecond(one).ok());
    let before = period.since().map(|since| scope.last_before(since.as_microsecond()));
    let after = period.until().map(|until| scope.first_from(until.as_microsecond()));
    let until = time(after.flatten()).map(|after| after + SignedDuration::from_micros(1));
    let (since, until) = (time(before.flatten()).or(period.since()), until.or(period.until()));
    Period::new(since, until, period.precision()).unwrap_or(period)
}

/// Returns the conversations that are asked for by their order, in rising order of their numbers.
fn chosen(index: &Index, base: &SearchFilter, ordinal: Ordinal) -> Vec<u32> {
    let scope = Scope::new(index, base);
    let count = ordinal.last as usize;
    let order = match ordinal.from {
        Side::First => scope.first_groups(count),
        Side::Last => scope.last_groups(count),
    };
    let skipped = (ordinal.first as usize).max(1) - 1;
    let mut chosen: Vec<u32> = order.into_iter().skip(skipped).collect();
    chosen.sort_unstable();
    chosen
}

/// Returns the conversation that began last.
fn latest(index: &Index, base: &SearchFilter) -> Option<u32> {
    // One that is left out anyway may be the latest.
    let filter = SearchFilter { without_groups: Vec::new(), ..base.clone() };
    Scope::new(index, &filter).last_groups(1).first().copied()
}
