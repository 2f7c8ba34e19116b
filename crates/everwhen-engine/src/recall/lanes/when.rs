//! The when lane: how near in time, to the stretch asked about and to the moment of asking.

use jiff::{SignedDuration, Timestamp};

use crate::when::Period;

/// After so many days what was said counts a third as recent.
const RECENT_DAYS: f64 = 60.0;

/// 1 for a stretch that touches the period, falling with the distance; a period that is known to
/// the day falls off within days, one known to the month within weeks.
pub(crate) fn nearness(period: &Period, (first, last): (Timestamp, Timestamp)) -> f32 {
    let before = period.since().map_or(0.0, |since| days(since.duration_since(last)));
    let after = period.until().map_or(0.0, |until| days(first.duration_since(until)));
    (-before.max(after).max(0.0) / fall_off(period)).exp() as f32
}

/// The distance in days at which nearness falls to a third.
fn fall_off(period: &Period) -> f64 {
    let length = match (period.since(), period.until()) {
        (Some(since), Some(until)) => days(until.duration_since(since)),
        _ => 30.0,
    };
    (length / 2.0).clamp(2.0, 30.0)
}

/// 1 for what was said at the moment of asking, falling with age.
pub(crate) fn recency(asked_at: Timestamp, last: Timestamp) -> f32 {
    let age = days(asked_at.duration_since(last)).max(0.0);
    (-age / RECENT_DAYS).exp() as f32
}

fn days(duration: SignedDuration) -> f64 {
    duration.as_secs_f64() / 86_400.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::when::Precision;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn nearness_is_full_inside_and_falls_outside() {
        let may = Period::new(
            Some(at("2023-05-01T00:00:00Z")),
            Some(at("2023-06-01T00:00:00Z")),
            Precision::Month,
        )
        .unwrap();
        let stretch = |day: &str| (at(day), at(day));
        assert_eq!(nearness(&may, stretch("2023-05-09T10:00:00Z")), 1.0);
        let near = nearness(&may, stretch("2023-06-05T00:00:00Z"));
        let far = nearness(&may, stretch("2023-08-05T00:00:00Z"));
        assert!(0.9 > near && near > far && far > 0.0, "{near} {far}");
        assert_eq!(nearness(&may, (at("2023-04-01T00:00:00Z"), at("2023-05-01T00:00:00Z"))), 1.0);
    }

    #[test]
    fn recency_halves_every_six_weeks() {
        let asked = at("2023-05-01T00:00:00Z");
        let six_weeks_before = at("2023-03-20T10:00:00Z");
        assert_eq!(recency(asked, asked), 1.0);
        assert!((recency(asked, six_weeks_before) - 0.5).abs() < 0.01);
        assert_eq!(recency(asked, at("2023-06-01T00:00:00Z")), 1.0);
    }
}
