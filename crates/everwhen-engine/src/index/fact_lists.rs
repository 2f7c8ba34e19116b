//! Lists of facts as of the moments that were last asked for, cached until facts change.
//!
//! A page of facts as of a moment is a part of a list that follows from all facts, and pages mostly come in a row.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use crate::fact_views::FactView;
use crate::limits;
use crate::memory::{Memory, VaultId};
use crate::ports::MemoryRef;
use crate::time::Zone;

/// What a list was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FactListKey {
    place: MemoryRef,
    at: Timestamp,
    /// The zone of the dates in its texts.
    zone: Zone,
    /// The memory's counts when facts changed last, and of what was forgotten.
    version: (u64, u64),
}

impl FactListKey {
    /// Returns the key of the facts of a memory as of a moment.
    pub(crate) fn new(place: MemoryRef, memory: &Memory, at: Timestamp, zone: &Zone) -> Self {
        let version = (memory.facts_changed, memory.forgotten);
        Self { place, at, zone: zone.clone(), version }
    }

    fn is_outdated(&self, other: &Self) -> bool {
        self.place == other.place && self.version != other.version
    }
}

/// The lists, the one that was asked for last at the end.
#[derive(Default)]
pub(crate) struct FactLists(Mutex<Vec<(FactListKey, Arc<Vec<FactView>>)>>);

impl FactLists {
    /// Returns a list, if it is cached. Lists of the same memory in which facts have changed are dropped.
    pub(crate) fn get(&self, key: &FactListKey) -> Option<Arc<Vec<FactView>>> {
        let mut lists = self.lock();
        lists.retain(|(one, _)| !one.is_outdated(key));
        let found = lists.iter().position(|(one, _)| one == key)?;
        let list = lists.remove(found);
        let shown = Arc::clone(&list.1);
        lists.push(list);
        Some(shown)
    }

    /// Caches a list, and drops those that were not asked for the longest.
    pub(crate) fn put(&self, key: FactListKey, shown: &Arc<Vec<FactView>>) {
        let mut lists = self.lock();
        lists.retain(|(one, _)| *one != key);
        lists.push((key, Arc::clone(shown)));
        while lists.iter().map(|(_, shown)| shown.len()).sum::<usize>() > limits::CACHED_FACTS {
            lists.remove(0);
        }
    }

    /// Drops the lists of one vault.
    pub(crate) fn clear_vault(&self, vault: VaultId) {
        self.lock().retain(|(key, _)| key.place.vault != vault);
    }

    /// Drops all lists.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(FactListKey, Arc<Vec<FactView>>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{fact_for_tests, views};

    fn key(memory: u128, at: i64, facts_changed: u64) -> FactListKey {
        let name = crate::memory::Name::new("name", "m").unwrap();
        let now = Timestamp::UNIX_EPOCH;
        let fresh =
            crate::memory_edit::fresh_memory(uuid::Uuid::from_u128(memory).into(), name, now);
        let place = MemoryRef { vault: uuid::Uuid::from_u128(9).into(), memory: fresh.id };
        let memory = Memory { facts_changed, ..fresh };
        FactListKey::new(place, &memory, Timestamp::from_second(at).unwrap(), &Zone::utc())
    }

    fn list(facts: usize) -> Arc<Vec<FactView>> {
        let one = views(vec![fact_for_tests("I like tea")], &Zone::utc()).remove(0);
        Arc::new(vec![one; facts])
    }

    #[test]
    fn a_list_is_cached_until_facts_change() {
        let lists = FactLists::default();
        let (old, other) = (key(1, 5, 3), key(2, 5, 3));
        assert_eq!(lists.get(&old), None);
        lists.put(old.clone(), &list(1));
        lists.put(other.clone(), &list(2));
        assert_eq!(lists.get(&old).unwrap().len(), 1);
        assert_eq!(lists.get(&key(1, 6, 3)), None, "another moment");
        assert_eq!(lists.get(&key(1, 5, 4)), None, "facts have changed");
        assert_eq!(lists.get(&old), None, "it was dropped then");
        assert_eq!(lists.get(&other).unwrap().len(), 2);
        lists.clear_vault(uuid::Uuid::from_u128(9).into());
        assert_eq!(lists.get(&other), None);
    }

    #[test]
    fn the_lists_that_were_asked_for_last_stay() {
        let (lists, third) = (FactLists::default(), limits::CACHED_FACTS / 3);
        for at in 0..3 {
            lists.put(key(1, at, 3), &list(third));
        }
        lists.get(&key(1, 0, 3)).unwrap();
        lists.put(key(1, 3, 3), &list(third));
        let known: Vec<i64> = (0..4).filter(|at| lists.get(&key(1, *at, 3)).is_some()).collect();
        assert_eq!(known, [0, 2, 3]);
        lists.put(key(1, 4, 3), &list(limits::CACHED_FACTS + 1));
        assert_eq!(lists.get(&key(1, 4, 3)), None, "it is too long");
    }
}
