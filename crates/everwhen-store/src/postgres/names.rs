//! What names of vaults stood for the last time. Whoever uses it must see whether they still do.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use everwhen_engine::memory::{Address, VaultId};
use uuid::Uuid;

/// Names that are remembered.
const NAMES: usize = 100_000;

/// The names that the connections of one store have met.
#[derive(Default)]
pub(super) struct Names(Mutex<HashMap<String, Uuid>>);

impl Names {
    /// What a name stood for.
    pub(super) fn get(&self, name: &str) -> Option<Uuid> {
        self.lock().get(name).copied()
    }

    /// Remembers what a name stands for.
    pub(super) fn put(&self, name: &str, id: Uuid) {
        let mut names = self.lock();
        if names.len() >= NAMES {
            names.clear();
        }
        names.insert(name.to_owned(), id);
    }

    /// One address for a vault, however it is called.
    pub(super) fn plain(&self, vault: Address<VaultId>) -> Address<VaultId> {
        match &vault {
            Address::Name(name) => {
                self.get(name.as_str()).map_or(vault, |id| Address::Id(id.into()))
            }
            Address::Id(_) => vault,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Uuid>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
