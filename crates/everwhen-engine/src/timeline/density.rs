//! Density: how many entries a memory has over time, on either of its clocks.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::index::{MemoryIndex, OpenedMemory};
use crate::memory::{Address, MemoryId};
use crate::ports::{Buckets, PastEntry, PastKind, TimeAxis, Which};
use crate::vault::{Vault, View, check_bounds};
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

/// How entries are counted: in the store, or in the index that is brought up to date for it.
enum Counting {
    Done(Density),
    /// The memory, and the entries that were different at the moment that is asked for.
    InIndex(Box<OpenedMemory>, Vec<PastEntry>),
}

impl Vault {
    /// How many entries a memory has over time. If its index is in memory, that is counted there, else in
    /// the store, which has to read every row; then the index of a large memory is built in the background.
    pub async fn density(&self, memory: Address<MemoryId>, query: DensityQuery) -> Result<Density> {
        check_bounds(query.after, query.before)?;
        let buckets = query.buckets.unwrap_or(limits::DENSITY_BUCKETS_DEFAULT);
        if !(1..=limits::DENSITY_BUCKETS).contains(&buckets) {
            let most = limits::DENSITY_BUCKETS;
            return Err(Error::invalid(format!("buckets is {buckets}; use 1 to {most}")));
        }
        let query = DensityQuery { buckets: Some(buckets), ..query };
        let (opened, past) = match self.begin_density(memory.clone(), query).await? {
            Counting::Done(density) => return Ok(density),
            Counting::InIndex(opened, past) => (*opened, past),
        };
        let (source, generation) = (self.engine.index_source(), opened.memory.generation);
        let index = self.engine.index_cache.up_to_date(source, opened).await?;
        // What has changed since is known from entries of the past that were not read.
        if let Some(density) = query.in_index(&index.read(), generation, &past) {
            return Ok(density);
        }
        self.read(memory, move |view, _| query.in_store(view)).await
    }

    async fn begin_density(
        &self,
        memory: Address<MemoryId>,
        query: DensityQuery,
    ) -> Result<Counting> {
        let (indexes, vault) = (Arc::clone(&self.engine.index_cache), self.address());
        let address = memory.clone();
        self.read(memory, move |view, memory| {
            let past = match query.which {
                _ if !indexes.is_nearly_up_to_date(memory) => None,
                Which::Current => Some(Vec::new()),
                Which::AsOf(at) => {
                    Some(view.snapshot.past(view.place, at, &[PastKind::Entries])?.entries)
                }
                Which::Branch(_) | Which::All => None,
            };
            if let Some(past) = past {
                let opened = indexes.open(view.snapshot, view.place, memory.clone())?;
                return Ok(Counting::InIndex(Box::new(opened), past));
            }
            indexes.request(|| (vault.clone(), address.clone()), memory.last_sequence);
            query.in_store(view).map(Counting::Done)
        })
        .await
    }
}

impl DensityQuery {
    /// Counts in the store.
    fn in_store(self, view: &View<'_>) -> Result<Density> {
        let Self { axis, which, .. } = self;
        let span = view.snapshot.span(view.place, axis, which)?;
        let counts = match self.parts(span) {
            Some(parts) => view.snapshot.counts(view.place, axis, which, parts)?,
            None => self.no_counts(),
        };
        Ok(Density { span, counts })
    }

    /// Counts in an index; nothing if the index is another generation than what was read of the past.
    fn in_index(self, index: &MemoryIndex, generation: u64, past: &[PastEntry]) -> Option<Density> {
        if index.search.generation != generation {
            return None;
        }
        let times = match self.which {
            Which::AsOf(at) => index.times_at(self.axis, at, past),
            _ => index.times(self.axis),
        };
        let ends = times.iter().min().zip(times.iter().max());
        let instant = |micros: &i64| Timestamp::from_microsecond(*micros).ok();
        let span = match ends {
            Some((first, last)) => Some((instant(first)?, instant(last)?)),
            None => None,
        };
        let counts =
            self.parts(span).map_or_else(|| self.no_counts(), |parts| parts.counts(&times));
        Some(Density { span, counts })
    }

    /// The parts to count in, given the first and the last time there is.
    fn parts(self, span: Option<(Timestamp, Timestamp)>) -> Option<Buckets> {
        let (first, last) = span?;
        let until = self.before.unwrap_or(last + SignedDuration::from_micros(1));
        let since = self.after.unwrap_or(first).min(until);
        Some(Buckets { since, until, count: self.no_counts().len() })
    }

    fn no_counts(self) -> Vec<u64> {
        vec![0; self.buckets.unwrap_or(limits::DENSITY_BUCKETS_DEFAULT)]
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
