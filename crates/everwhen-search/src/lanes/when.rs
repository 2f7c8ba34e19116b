//! The when lane: distance in time to the period asked about, and to the moment of asking.

use crate::document::Micros;
use crate::time_range::TimeRange;

/// The age in days at which recency falls to 1/e.
const RECENCY_DAYS: f64 = 60.0;
/// The number of microseconds in a day.
const DAY: f64 = 86_400e6;
/// The length in days that is assumed for a period with an open end.
const OPEN_PERIOD_DAYS: f64 = 30.0;

/// How near something is to a period.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nearness {
    period: TimeRange,
    /// The distance in days at which nearness falls to 1/e.
    fall_off: f64,
}

impl Nearness {
    /// Measures nearness to a period. The longer the period, the slower nearness falls off: within days
    /// for a day, within weeks for a month.
    pub(crate) fn to(period: TimeRange) -> Self {
        let length = match (period.since, period.until) {
            (Some(since), Some(until)) => days(since, until),
            _ => OPEN_PERIOD_DAYS,
        };
        Self { period, fall_off: (length / 2.0).clamp(2.0, 30.0) }
    }

    /// Returns 1 for a stretch of time that touches the period, and less the farther away it is.
    pub(crate) fn of(&self, (first, last): (Micros, Micros)) -> f32 {
        let before = self.period.since.map_or(0.0, |since| days(last, since));
        let after = self.period.until.map_or(0.0, |until| days(until, first));
        let distance = before.max(after);
        if distance <= 0.0 { 1.0 } else { (-distance / self.fall_off).exp() as f32 }
    }
}

/// Returns 1 for the moment of asking, and less the longer ago `last` is.
pub(crate) fn recency(asked_at: Micros, last: Micros) -> f32 {
    (-days(last, asked_at).max(0.0) / RECENCY_DAYS).exp() as f32
}

/// Returns the number of days from one instant to another.
fn days(from: Micros, to: Micros) -> f64 {
    (to - from) as f64 / DAY
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{DAY, MAY};

    #[test]
    fn nearness_is_full_inside_and_falls_outside() {
        let may = Nearness::to(TimeRange { since: Some(MAY), until: Some(MAY + 31 * DAY) });
        let nearness = |day: Micros| may.of((MAY + day * DAY, MAY + day * DAY));
        assert_eq!(nearness(8), 1.0);
        let (near, far) = (nearness(35), nearness(96));
        assert!(0.9 > near && near > far && far > 0.0, "{near} {far}");
        assert_eq!(may.of((MAY - 30 * DAY, MAY)), 1.0, "it touches the period");
    }

    #[test]
    fn recency_halves_every_six_weeks() {
        let six_weeks_before = MAY - 41 * DAY - 14 * DAY / 24;
        assert_eq!(recency(MAY, MAY), 1.0);
        assert!((recency(MAY, six_weeks_before) - 0.5).abs() < 0.01);
        assert_eq!(recency(MAY, MAY + 31 * DAY), 1.0);
    }
}
