//! Density: how many entries a memory has over time, on either of its clocks.

use jiff::{SignedDuration, Timestamp};

use crate::memory::{Address, MemoryId};
use crate::ports::{Buckets, TimeAxis, Which};
use crate::vault::{Vault, check_bounds};
use crate::{Error, Result, limits};

/// What to count.
#[derive(Debug, Clone, Copy, Default)]
pub struct DensityQuery {
    /// By when it was said, or by when it was stored.
    pub axis: TimeAxis,
    /// Which entries count.
    pub which: Which,
    /// From here on; from the first entry if absent.
    pub after: Option<Timestamp>,
    /// Up to here; up to the last entry if absent.
    pub before: Option<Timestamp>,
    /// In how many parts of equal length.
    pub buckets: Option<usize>,
}

/// How many entries there are over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Density {
    /// The first and the last time there is; nothing in a memory without entries.
    pub span: Option<(Timestamp, Timestamp)>,
    /// How many entries each part has, the parts being of equal length from `after` or the first
    /// entry to `before` or the last.
    pub counts: Vec<u64>,
}

impl Vault {
    /// How many entries a memory has over time.
    pub async fn density(&self, memory: Address<MemoryId>, query: DensityQuery) -> Result<Density> {
        check_bounds(query.after, query.before)?;
        let buckets = query.buckets.unwrap_or(limits::DENSITY_BUCKETS_DEFAULT);
        if !(1..=limits::DENSITY_BUCKETS).contains(&buckets) {
            let most = limits::DENSITY_BUCKETS;
            return Err(Error::invalid(format!("buckets is {buckets}; use 1 to {most}")));
        }
        let DensityQuery { axis, which, after, before, .. } = query;
        self.read(memory, move |view, _| {
            let span = view.snapshot.span(view.place, axis, which)?;
            let Some((first, last)) = span else {
                return Ok(Density { span, counts: vec![0; buckets] });
            };
            let until = before.unwrap_or(last + SignedDuration::from_micros(1));
            let since = after.unwrap_or(first).min(until);
            let buckets = Buckets { since, until, count: buckets };
            let counts = view.snapshot.counts(view.place, axis, which, buckets)?;
            Ok(Density { span, counts })
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_equal_and_leave_nothing_out() {
        let at = |micros| Timestamp::from_microsecond(micros).unwrap();
        let of = |(since, until, count), time| {
            Buckets { since: at(since), until: at(until), count }.of(at(time))
        };
        assert_eq!([0, 2, 9].map(|time| of((0, 10, 4), time)), [Some(0), Some(1), Some(3)]);
        assert_eq!([-1, 10].map(|time| of((0, 10, 4), time)), [None, None]);
        assert_eq!(of((5, 6, 3), 5), Some(0));
        let all = Buckets { since: Timestamp::MIN, until: Timestamp::MAX, count: 400 };
        assert_eq!(all.of(Timestamp::MIN), Some(0));
    }
}
