//! How far apart two instants are, in words that no model has to compute.

use jiff::Timestamp;
use jiff::civil::Date;

/// The calendar distance between two days: `+7 days`, `+1 day`; nothing on the same day.
pub fn gap(earlier: Date, later: Date) -> Option<String> {
    match days_between(earlier, later) {
        0 => None,
        1 => Some("+1 day".into()),
        days => Some(format!("{days:+} days")),
    }
}

/// Whole days from one date to another, negative when `later` is earlier.
fn days_between(earlier: Date, later: Date) -> i64 {
    later.duration_since(earlier).as_hours() / 24
}

/// Time passed, in days, hours and minutes, only units that are not zero, truncated:
/// `2 days, 5 hours`; under a minute `less than a minute`.
pub fn length(earlier: Timestamp, later: Timestamp) -> String {
    let minutes = later.duration_since(earlier).as_mins().max(0);
    let units = [(minutes / 1440, "day"), (minutes / 60 % 24, "hour"), (minutes % 60, "minute")];
    let parts: Vec<String> = units
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count} {unit}{}", if count == 1 { "" } else { "s" }))
        .collect();
    if parts.is_empty() { "less than a minute".into() } else { parts.join(", ") }
}

/// [`length`] seen from now: `2 hours, 15 minutes ago`.
pub fn ago(then: Timestamp, now: Timestamp) -> String {
    format!("{} ago", length(then, now))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_units_that_count() {
        let start: Timestamp = "2025-01-01T00:00:00Z".parse().unwrap();
        let after = |seconds: i64| start + jiff::SignedDuration::from_secs(seconds);
        assert_eq!(length(start, after(59)), "less than a minute");
        assert_eq!(length(start, after(60)), "1 minute");
        assert_eq!(length(start, after(3600 * 2 + 60 * 15)), "2 hours, 15 minutes");
        assert_eq!(length(start, after(86400 * 2 + 3600 * 5)), "2 days, 5 hours");
        assert_eq!(length(after(60), start), "less than a minute");
        assert_eq!(ago(start, after(86400)), "1 day ago");
    }

    proptest! {
        #[test]
        fn a_gap_counts_midnights(start in 0i64..20_000, days in -800i64..800) {
            let date = |day: i64| {
                Timestamp::from_second(day * 86_400).unwrap()
                    .to_zoned(jiff::tz::TimeZone::UTC).date()
            };
            prop_assert_eq!(days_between(date(start), date(start + days)), days);
        }
    }
}
