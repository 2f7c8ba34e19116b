//! The locks of one run: leases in the store, renewed until this value is dropped.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use everwhen::{Lock, Result, limits};
use tokio::task::JoinHandle;

use super::MemoryPlace;

/// The locks of one run.
pub(super) struct Locks {
    place: MemoryPlace,
    run: String,
    held: Arc<Mutex<Vec<Lock>>>,
    renewing: Mutex<Option<JoinHandle<()>>>,
}

impl Locks {
    pub(super) fn new(place: MemoryPlace, run: &str) -> Self {
        Self { place, run: run.to_owned(), held: Arc::default(), renewing: Mutex::new(None) }
    }

    fn lock(&self, workflow: &str, lock: &str) -> Lock {
        Lock { name: format!("{workflow}/{lock}"), holder: self.run.clone() }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Vec<Lock>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Acquires a lock. Returns `false` if another run holds it.
    pub(super) async fn take(&self, workflow: &str, lock: &str) -> Result<bool> {
        let lock = self.lock(workflow, lock);
        let taken = self.place.vault.take_lock(self.place.memory.clone(), lock.clone()).await?;
        if taken && !self.held().contains(&lock) {
            self.held().push(lock);
            self.keep_renewing();
        }
        Ok(taken)
    }

    /// Releases a lock.
    pub(super) async fn unlock(&self, workflow: &str, lock: &str) -> Result<()> {
        let lock = self.lock(workflow, lock);
        self.held().retain(|held| *held != lock);
        self.place.vault.let_go(self.place.memory.clone(), lock).await
    }

    /// Keeps all locks when this value is dropped, for the run to continue elsewhere.
    pub(super) fn forget(&self) {
        self.held().clear();
    }

    fn keep_renewing(&self) {
        let mut renewing = self.renewing.lock().unwrap_or_else(PoisonError::into_inner);
        if renewing.is_none() {
            *renewing = Some(tokio::spawn(renew(self.place.clone(), Arc::clone(&self.held))));
        }
    }
}

impl Drop for Locks {
    fn drop(&mut self) {
        let renewing = self.renewing.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(renewing) = renewing.take() {
            renewing.abort();
        }
        let left: Vec<Lock> = self.held().drain(..).collect();
        // The run was cancelled: release its locks now instead of waiting for their leases to
        // expire.
        if let (false, Ok(runtime)) = (left.is_empty(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(let_all_go(self.place.clone(), left));
        }
    }
}

async fn renew(place: MemoryPlace, held: Arc<Mutex<Vec<Lock>>>) {
    let renewal = Duration::try_from(limits::JOB_RENEWAL).expect("a lease lasts");
    loop {
        tokio::time::sleep(renewal).await;
        let locks = held.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for lock in locks {
            if let Err(error) = place.vault.take_lock(place.memory.clone(), lock).await {
                tracing::warn!(%error, "the lock of a workflow could not be renewed");
            }
        }
    }
}

async fn let_all_go(place: MemoryPlace, left: Vec<Lock>) {
    for lock in left {
        if let Err(error) = place.vault.let_go(place.memory.clone(), lock).await {
            tracing::debug!(%error, "the lock of a workflow stays until its lease runs out");
        }
    }
}
