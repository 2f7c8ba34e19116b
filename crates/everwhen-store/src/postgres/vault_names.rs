//! A cache of the ids of vaults by name. A caller must check whether a cached id is still right.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use everwhen_engine::memory::{Address, VaultId};
use uuid::Uuid;

/// The most names that are cached.
const NAMES: usize = 100_000;

/// The names that the connections of one store have looked up.
#[derive(Default)]
pub(super) struct VaultNames(Mutex<HashMap<String, Uuid>>);

impl VaultNames {
    /// Returns the id that a name had.
    pub(super) fn get(&self, name: &str) -> Option<Uuid> {
        self.lock().get(name).copied()
    }

    /// Caches the id of a name.
    pub(super) fn put(&self, name: &str, id: Uuid) {
        let mut names = self.lock();
        if names.len() >= NAMES {
            names.clear();
        }
        names.insert(name.to_owned(), id);
    }

    /// Replaces a known name by its id, so that a vault has one address.
    pub(super) fn by_id(&self, vault: Address<VaultId>) -> Address<VaultId> {
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
