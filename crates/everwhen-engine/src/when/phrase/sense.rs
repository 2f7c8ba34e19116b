//! What the words for some days mean: the days said, where an exact speaker would point, how far a
//! careless one may be off, and how sure the reading is.

use super::days::{Days, Unit, moved, plus};
use super::named::Named;
use super::scene::Scene;
use super::slice::Slice;
use super::{Confidence, Date, Lean, Origin, Precision};

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
pub(super) struct Place {
    pub(super) what: What,
    /// The words alone do not make a time: they need a preposition or a determiner.
    pub(super) weak: bool,
}

/// What a place is.
#[derive(Debug, Clone, Copy)]
pub(super) enum What {
    Settled(Sense),
    Recurring(Named, Option<Slice>),
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

    /// The same, with so many days of tolerance.
    pub(super) fn within(self, before: i64, after: i64) -> Self {
        Self { reach: self.days.widened(before, after), ..self }
    }

    /// The same, pointing at a day.
    pub(super) fn likely_on(self, day: Date) -> Self {
        Self { likely: Days::one(day), ..self }
    }

    /// The same, less sure.
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

impl Place {
    /// Days that stand by themselves.
    pub(super) fn settled(sense: Sense) -> Self {
        Self { what: What::Settled(sense), weak: false }
    }

    /// A name that waits for its turn.
    pub(super) fn recurring(named: Named) -> Self {
        Self { what: What::Recurring(named, None), weak: true }
    }

    /// The same, needing no support from other words.
    pub(super) fn strong(self) -> Self {
        Self { weak: false, ..self }
    }

    /// The same, needing support.
    pub(super) fn weak(self) -> Self {
        Self { weak: true, ..self }
    }

    /// The part of it that the slice names.
    pub(super) fn sliced(self, slice: Slice) -> Option<Self> {
        match self.what {
            What::Settled(sense) => {
                let days = slice.cut(sense.days)?;
                let overhang = days.length() / 2;
                let sense = Sense { days, likely: None, ..sense }.within(overhang, overhang);
                Some(Self::settled(sense))
            }
            What::Recurring(named, None) => {
                Some(Self { what: What::Recurring(named, Some(slice)), weak: false })
            }
            What::Recurring(_, Some(_)) => None,
        }
    }

    /// What it means, by the lean of the scene.
    pub(super) fn resolve(self, scene: &Scene<'_>) -> Option<Sense> {
        match scene.lean {
            Lean::Past | Lean::Tense => self.latest(scene.today),
            Lean::Future => self.next(scene.today),
            Lean::Nearest => self.nearest(scene.today),
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
            What::Settled(sense) => Some(sense),
            What::Recurring(named, slice) => turns.find_map(|turn| {
                let whole = named.occurrence(day, turn)?;
                let days = slice.map_or(Some(whole), |slice| slice.cut(whole))?;
                fits(days).then(|| named.sense(days, slice))
            }),
        }
    }
}

/// The days so many units before or after a day, and their tolerance:
///
/// | counted in | said | pointing at | tolerance |
/// |---|---|---|---|
/// | days | the day | the day | one day further: some count 24 hours, not midnights |
/// | weekends | the weekend | the weekend | a day on both sides |
/// | weeks | seven days around the day | the day | four more days on both sides |
/// | months | the calendar month | the day | 15 days on both sides |
/// | quarters | the calendar quarter | the day | 31 days on both sides |
/// | years | the calendar year | the day | 92 days on both sides |
/// | decades | the calendar year, and one beside it per decade | the day | as much again |
pub(super) fn counted_from(day: Date, count: i64, unit: Unit) -> Option<Sense> {
    let point = moved(day, count, unit)?;
    let sense = match unit {
        Unit::Minute | Unit::Hour => return None,
        Unit::Day => {
            let (before, after) = if count < 0 { (1, 0) } else { (0, 1) };
            return Some(Sense::counted(Days::one(point)?).within(before, after));
        }
        Unit::Weekend => return weekends_from(day, count),
        Unit::Week => {
            let days = Days::run(plus(point, -3)?, plus(point, 4)?, Precision::Day)?;
            Sense::counted(days).within(4, 4)
        }
        Unit::Month => Sense::counted(Days::around(point, unit)?).within(15, 15),
        Unit::Quarter => Sense::counted(Days::around(point, unit)?).within(31, 31),
        Unit::Year => Sense::counted(Days::around(point, unit)?).within(92, 92),
        Unit::Decade => {
            let beside = i16::try_from(count.abs().min(100)).ok()?;
            let days = Days::years(point.year().checked_sub(beside)?, i64::from(2 * beside) + 1)?;
            Sense::counted(days).within(365 * i64::from(beside), 365 * i64::from(beside))
        }
    };
    Some(sense.likely_on(point))
}

fn weekends_from(day: Date, count: i64) -> Option<Sense> {
    let days = match count {
        0 => Days::weekend(day)?,
        1.. => Named::Weekend.after(day, count)?,
        _ => Named::Weekend.before(day, -count)?,
    };
    Some(Sense::counted(days).within(1, 1))
}
