//! The oracle store: plain lists in memory, searched from one end to the other.
//!
//! It is slow and obviously right. Every other store has to answer exactly as this one does; the
//! conformance suite compares them. A write works on a copy of everything, which takes the place of
//! the original when the write succeeds, so that a failing write leaves nothing behind.

mod changes;
mod chapters;
mod facts;
mod forgotten;
mod jobs;
mod ledger;
mod past;
mod state;
mod usage;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use everwhen_engine::ports::{Reading, Store, Wait, Writing};

use state::State;

/// A store that keeps everything in lists. Clones share what they keep.
#[derive(Clone, Default)]
pub struct PlainStore {
    state: Arc<Mutex<State>>,
}

impl PlainStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for PlainStore {
    fn write(&self, work: Writing) -> Wait<'_, ()> {
        Box::pin(async move {
            let mut state = self.state();
            let mut copy = state.clone();
            work(&mut copy)?;
            *state = copy;
            Ok(())
        })
    }

    fn read(&self, work: Reading) -> Wait<'_, ()> {
        Box::pin(async move { work(&*self.state()) })
    }

    fn check(&self) -> Wait<'_, Vec<String>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

#[cfg(test)]
mod tests {
    use everwhen_engine::memory::{Mint, Name, SeededChance, Settings, VaultInfo};
    use everwhen_engine::ports::Row;
    use everwhen_engine::time::Zone;
    use everwhen_engine::{Error, Result};
    use jiff::Timestamp;

    use super::*;
    use crate::block_on;

    fn vault() -> VaultInfo {
        VaultInfo {
            id: Mint::new(Timestamp::UNIX_EPOCH, &SeededChance::new(1)).id(),
            name: Name::new("vault", "one").unwrap(),
            description: None,
            zone: Zone::utc(),
            settings: Settings::default(),
            creation_time: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_failing_write_leaves_nothing_and_a_clone_sees_what_stays() {
        let store = PlainStore::new();
        let (port, twin): (&dyn Store, &dyn Store) = (&store, &store.clone());
        let failed: Result<()> = block_on(port.transact(|tx| {
            tx.put(Row::Vault(&vault()))?;
            Err(Error::conflict("no"))
        }));
        assert!(failed.is_err());
        assert_eq!(block_on(twin.look(|rows| rows.vaults(None, 9))).unwrap(), []);
        block_on(port.transact(|tx| tx.put(Row::Vault(&vault())))).unwrap();
        assert_eq!(block_on(twin.look(|rows| rows.vaults(None, 9))).unwrap(), [vault()]);
        assert_eq!(block_on(twin.check()).unwrap(), [""; 0]);
    }
}
