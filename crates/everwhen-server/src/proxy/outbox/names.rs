//! Memories by the names they were last found under, so that what waits for a memory is never stored
//! in another that got its name later, or makes one again that was forgotten.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use everwhen::ports::MemoryRef;

/// The maximum number of cached names; then all are looked up again.
const MOST: usize = 10_000;

/// A snapshot of names, in this process.
#[derive(Default)]
pub(crate) struct Names(Mutex<HashMap<(String, String), MemoryRef>>);

impl Names {
    /// The memory that was last found under this name in this vault.
    pub(crate) fn get(&self, vault: &str, memory: &str) -> Option<MemoryRef> {
        let names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.get(&(vault.to_owned(), memory.to_owned())).copied()
    }

    /// Notes where a memory was found.
    pub(crate) fn note(&self, vault: &str, memory: &str, found: MemoryRef) {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if names.len() >= MOST {
            names.clear();
        }
        names.insert((vault.to_owned(), memory.to_owned()), found);
    }

    /// Forgets all of them, because a name may mean something else now.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
