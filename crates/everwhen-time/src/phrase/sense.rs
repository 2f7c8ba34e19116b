//! What the words for some days mean: the days said, where an exact speaker would point, how far a
//! careless one may be off, and how sure the reading is.

use super::context::Context;
use super::days::Days;
use super::named::Named;
use super::parts::Part;
use super::units::Span;
use super::{Confidence, Date, Origin, Prefer};

/// Days with what the words leave open.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sense {
    pub(super) days: Days,
    /// Where an exact speaker would point, if that is narrower.
    pub(super) likely: Option<Days>,
    /// How far a careless one may be off, if that is wider.
    pub(super) reach: Option<Days>,
    pub(super) sure: Confidence,
    pub(super) origin: Origin,
}

/// Words for some days: settled, or a name that comes round again and waits for its turn.
#[derive(Debug, Clone, Copy)]
pub(super) struct DayPhrase {
    pub(super) what: DayPhraseKind,
    /// The words alone do not make a time: they need a preposition or a determiner.
    pub(super) weak: bool,
}

/// What words for some days name.
#[derive(Debug, Clone, Copy)]
pub(super) enum DayPhraseKind {
    Settled(Sense),
    Recurring(Named, Option<Part>),
}

impl Sense {
    /// Days counted from the anchor.
    pub(super) fn counted(days: Days) -> Self {
        Self::new(days, Origin::Counted)
    }

    /// Days written out with their year.
    pub(super) fn written(days: Days) -> Self {
        Self::new(days, Origin::Written)
    }

    /// Days by a name that comes round again.
    pub(super) fn named(days: Days) -> Self {
        Self::new(days, Origin::Named)
    }

    fn new(days: Days, origin: Origin) -> Self {
        Self { days, likely: None, reach: None, sure: Confidence::Certain, origin }
    }

    /// Adds a tolerance in days.
    pub(super) fn within(self, before: i64, after: i64) -> Self {
        Self { reach: self.days.widened(before, after), ..self }
    }

    /// Points at one day.
    pub(super) fn likely_on(self, day: Date) -> Self {
        Self { likely: Days::one(day), ..self }
    }

    /// Makes the reading less sure.
    pub(super) fn unsure(self) -> Self {
        Self { sure: Confidence::Likely, ..self }
    }

    /// The wider of what was said and its tolerance.
    pub(super) fn reach_or_days(self) -> Days {
        self.reach.map_or(self.days, |reach| reach.hull(self.days))
    }

    /// "About": the tolerance becomes part of what was said, and as much is added beyond it.
    pub(super) fn about(self) -> Option<Self> {
        let slack = slack(self.days);
        let wide = match self.reach {
            Some(reach) => reach.hull(self.days),
            None => self.days.widened(slack, slack)?,
        };
        let likely = self.likely.or(Some(self.days));
        let reach = wide.widened(slack, slack);
        Some(Self { days: wide, likely, reach, sure: Confidence::Likely, ..self })
    }
}

/// The tolerance of "about" where the phrase itself has none.
fn slack(days: Days) -> i64 {
    match days.length() {
        ..=1 => 3,
        2..=10 => 7,
        11..=31 => 15,
        32..=120 => 31,
        121..=366 => 183,
        _ => 3 * 365,
    }
}

impl DayPhrase {
    /// Days that stand by themselves.
    pub(super) fn settled(sense: Sense) -> Self {
        Self { what: DayPhraseKind::Settled(sense), weak: false }
    }

    /// A name that waits for its turn.
    pub(super) fn recurring(named: Named) -> Self {
        Self { what: DayPhraseKind::Recurring(named, None), weak: true }
    }

    /// Needs no support from other words.
    pub(super) fn strong(self) -> Self {
        Self { weak: false, ..self }
    }

    /// Needs support from other words.
    pub(super) fn weak(self) -> Self {
        Self { weak: true, ..self }
    }

    /// The part of it that `part` names.
    pub(super) fn sliced(self, part: Part) -> Option<Self> {
        match self.what {
            DayPhraseKind::Settled(sense) => {
                let days = part.cut(sense.days)?;
                let overhang = days.length() / 2;
                let sense = Sense { days, likely: None, ..sense }.within(overhang, overhang);
                Some(Self::settled(sense))
            }
            DayPhraseKind::Recurring(named, None) => {
                Some(Self { what: DayPhraseKind::Recurring(named, Some(part)), weak: false })
            }
            DayPhraseKind::Recurring(_, Some(_)) => None,
        }
    }

    /// What it means, by the prefer of the context.
    pub(super) fn resolve(self, context: &Context<'_>) -> Option<Sense> {
        match context.prefer {
            Prefer::Past => self.latest(context.today),
            Prefer::Future => self.next(context.today),
            Prefer::Nearest => self.nearest(context.today),
            // No verb tells which way the sentence looks.
            Prefer::Tense => match self.what {
                DayPhraseKind::Settled(sense) => Some(sense),
                DayPhraseKind::Recurring(..) => None,
            },
        }
    }

    /// What it means where only the past makes sense: the latest begun by `day`.
    pub(super) fn latest(self, day: Date) -> Option<Sense> {
        self.turn_where((-50..=1).rev(), day, |days| days.first <= day)
    }

    /// What it means looking ahead: the first not over before `day`.
    pub(super) fn next(self, day: Date) -> Option<Sense> {
        self.turn_where(-1..=50, day, |days| days.end > day)
    }

    fn nearest(self, day: Date) -> Option<Sense> {
        let (past, future) = (self.latest(day)?, self.next(day)?);
        let since = super::days::between(past.days.last(), day);
        let until = super::days::between(day, future.days.first);
        Some(if since <= until { past } else { future })
    }

    fn turn_where(
        self,
        mut turns: impl Iterator<Item = i64>,
        day: Date,
        fits: impl Fn(Days) -> bool,
    ) -> Option<Sense> {
        match self.what {
            DayPhraseKind::Settled(sense) => Some(sense),
            DayPhraseKind::Recurring(named, part) => turns.find_map(|turn| {
                let whole = named.occurrence(day, turn)?;
                let days = part.map_or(Some(whole), |part| part.cut(whole))?;
                fits(days).then(|| named.sense(days, part))
            }),
        }
    }
}

/// The days that lie a number of spans before or after a day, and their tolerance:
///
/// | counted in | said | pointing at | tolerance |
/// |---|---|---|---|
/// | days | the day | the day | one day further: some count 24 hours, not midnights |
/// | weekends | the weekend | the weekend | a day on both sides |
/// | weeks, fortnights | seven days around the day | the day | four more days on both sides |
/// | months | the calendar month | the day | 15 days on both sides |
/// | quarters | the calendar quarter | the day | 31 days on both sides |
/// | years | the calendar year | the day | 92 days on both sides |
/// | decades | the calendar year, and one beside it per decade | the day | as much again |
pub(super) fn counted_from(day: Date, count: i64, span: Span) -> Option<Sense> {
    if span.is_weekend() {
        return weekends_from(day, count);
    }
    let point = span.moved(day, count)?;
    let (days, slack) = span.vicinity(point, count)?;
    let sense = Sense::counted(days);
    if span == Span::DAY {
        return Some(if count < 0 { sense.within(slack, 0) } else { sense.within(0, slack) });
    }
    Some(sense.within(slack, slack).likely_on(point))
}

fn weekends_from(day: Date, count: i64) -> Option<Sense> {
    let days = match count {
        0 => Days::weekend(day)?,
        1.. => Named::Weekend.after(day, count)?,
        _ => Named::Weekend.before(day, -count)?,
    };
    Some(Sense::counted(days).within(1, 1))
}
