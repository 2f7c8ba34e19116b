//! The when lane: how near in time, to the stretch asked about and to the moment of asking.

use crate::recall::index::Micros;
use crate::time::Period;

/// After so many days what was said counts a third as recent.
const RECENT_DAYS: f64 = 60.0;
/// Microseconds in a day.
const DAY: f64 = 86_400e6;

/// How near a stretch is to a period.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nearness {
    since: Option<Micros>,
    until: Option<Micros>,
    /// The distance in days at which nearness falls to a third.
    fall_off: f64,
}

impl Nearness {
    /// A period that is known to the day falls off within days, one known to the month within
    /// weeks.
    pub(crate) fn to(period: &Period) -> Self {
        let since = period.since().map(|since| since.as_microsecond());
        let until = period.until().map(|until| until.as_microsecond());
        let length = match (since, until) {
            (Some(since), Some(until)) => days(since, until),
            _ => 30.0,
        };
        Self { since, until, fall_off: (length / 2.0).clamp(2.0, 30.0) }
    }

    /// 1 for a stretch that touches the period, falling with the distance.
    pub(crate) fn of(&self, (first, last): (Micros, Micros)) -> f32 {
        let before = self.since.map_or(0.0, |since| days(last, since));
        let after = self.until.map_or(0.0, |until| days(until, first));
        let distance = before.max(after);
        if distance <= 0.0 { 1.0 } else { (-distance / self.fall_off).exp() as f32 }
    }
}

/// 1 for what was said at the moment of asking, falling with age.
pub(crate) fn recency(asked_at: Micros, last: Micros) -> f32 {
    (-days(last, asked_at).max(0.0) / RECENT_DAYS).exp() as f32
}

/// Days from one instant to another.
fn days(from: Micros, to: Micros) -> f64 {
    (to - from) as f64 / DAY
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::time::Precision;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn micros(text: &str) -> Micros {
        at(text).as_microsecond()
    }

    #[test]
    fn nearness_is_full_inside_and_falls_outside() {
        let may = Period::new(
            Some(at("2023-05-01T00:00:00Z")),
            Some(at("2023-06-01T00:00:00Z")),
            Precision::Month,
        )
        .unwrap();
        let nearness = |day: &str| Nearness::to(&may).of((micros(day), micros(day)));
        assert_eq!(nearness("2023-05-09T10:00:00Z"), 1.0);
        let near = nearness("2023-06-05T00:00:00Z");
        let far = nearness("2023-08-05T00:00:00Z");
        assert!(0.9 > near && near > far && far > 0.0, "{near} {far}");
        let april = (micros("2023-04-01T00:00:00Z"), micros("2023-05-01T00:00:00Z"));
        assert_eq!(Nearness::to(&may).of(april), 1.0);
    }

    #[test]
    fn recency_halves_every_six_weeks() {
        let asked = micros("2023-05-01T00:00:00Z");
        let six_weeks_before = micros("2023-03-20T10:00:00Z");
        assert_eq!(recency(asked, asked), 1.0);
        assert!((recency(asked, six_weeks_before) - 0.5).abs() < 0.01);
        assert_eq!(recency(asked, micros("2023-06-01T00:00:00Z")), 1.0);
    }
}
