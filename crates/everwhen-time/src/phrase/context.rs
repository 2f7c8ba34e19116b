//! Where a phrase is read: the instant it counts from, the zone whose days it means, and which way
//! a bare name leans. Turns days into instants, at the very end.

use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, Timestamp, Zoned};

use super::days::Days;
use super::sense::Sense;
use super::{Confidence, Origin, Period, PhrasePeriod, Precision, Prefer, Zone};

/// Everything a rule may know besides the words.
pub(super) struct Context<'z> {
    pub(super) now: Zoned,
    pub(super) today: Date,
    pub(super) prefer: Prefer,
    zone: &'z Zone,
}

/// A reading on the way out: what was meant, and how surely.
pub(super) type Timed = (PhrasePeriod, Confidence);

impl<'z> Context<'z> {
    /// A context at `anchor` in `zone`.
    pub(super) fn new(anchor: Timestamp, zone: &'z Zone, prefer: Prefer) -> Self {
        let now = zone.show(anchor);
        Self { today: now.date(), now, prefer, zone }
    }

    /// The first instant of a day.
    pub(super) fn start(&self, day: Date) -> Option<Timestamp> {
        self.instant(day.at(0, 0, 0, 0))
    }

    /// A wall-clock time as an instant; one that a clock change skips moves forward.
    pub(super) fn instant(&self, wall: DateTime) -> Option<Timestamp> {
        wall.to_zoned(self.zone.time_zone().clone()).ok().map(|zoned| zoned.timestamp())
    }

    /// Days as instants.
    pub(super) fn period(&self, days: Days) -> Option<Period> {
        let (since, until) = (self.start(days.first)?, self.start(days.end)?);
        Period::new(Some(since), Some(until), days.precision).ok()
    }

    /// What was meant by whole days.
    pub(super) fn when(&self, sense: Sense) -> Option<Timed> {
        let period = self.period(sense.days)?;
        let likely = sense.likely.and_then(|days| self.period(days)).unwrap_or(period);
        let reach = self.period(sense.reach_or_days()).unwrap_or(period);
        Some((
            PhrasePeriod { period, likely, reach, origin: sense.origin, earlier: false },
            sense.sure,
        ))
    }

    /// What was meant by a stretch finer than days, which a speaker may miss by `slack`.
    pub(super) fn moment(
        &self,
        since: Timestamp,
        until: Timestamp,
        slack: SignedDuration,
        origin: Origin,
    ) -> Option<PhrasePeriod> {
        let period = Period::new(Some(since), Some(until), Precision::Minute).ok()?;
        let (early, late) = (since.checked_sub(slack).ok()?, until.checked_add(slack).ok()?);
        let reach = Period::new(Some(early), Some(late), Precision::Minute).ok()?;
        Some(PhrasePeriod { period, likely: period, reach, origin, earlier: false })
    }

    /// What was meant by days of which one end may be open; `reach` is given the same way.
    pub(super) fn open(
        &self,
        ends: (Option<Date>, Option<Date>),
        reach: (Option<Date>, Option<Date>),
        sense: Sense,
    ) -> Option<Timed> {
        let period = self.half_open(ends, sense.days.precision)?;
        let reach = self.half_open(reach, sense.days.precision)?;
        let when =
            PhrasePeriod { period, likely: period, reach, origin: sense.origin, earlier: false };
        Some((when, sense.sure))
    }

    fn half_open(
        &self,
        (first, end): (Option<Date>, Option<Date>),
        precision: Precision,
    ) -> Option<Period> {
        let since = first.map(|day| self.start(day).ok_or(())).transpose().ok()?;
        let until = end.map(|day| self.start(day).ok_or(())).transpose().ok()?;
        Period::new(since, until, precision).ok()
    }

    /// Tomorrow: where everything that lasts until now ends, so that today is inside.
    pub(super) fn tomorrow(&self) -> Option<Date> {
        self.today.tomorrow().ok()
    }
}
