//! A store that fails when told to: before it did the work, or after, when the answer is lost.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use everwhen_engine::Error;
use everwhen_engine::ports::{Reading, Store, Wait, Writing};

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultMode {
    /// Nothing happened.
    BeforeWork,
    /// All of it happened, durably, but the caller is told that it failed.
    AnswerLost,
}

/// Which call fails, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The how-manieth call of write or read, from 1.
    pub call: u64,
    /// What becomes of it.
    pub mode: FaultMode,
}

/// A store with a fault. Calls of write and read are counted together.
pub struct FaultyStore {
    inner: Arc<dyn Store>,
    fault: Mutex<Option<Fault>>,
    calls: AtomicU64,
}

impl FaultyStore {
    /// The store `inner` with this fault; with none, it only counts.
    pub fn new(inner: Arc<dyn Store>, fault: Option<Fault>) -> Self {
        Self { inner, fault: Mutex::new(fault), calls: AtomicU64::new(0) }
    }

    /// How many calls there were.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }

    /// Puts another fault in the place of the one there is. Calls are counted on.
    pub fn set_fault(&self, fault: Option<Fault>) {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
    }

    /// Counts a call and says how it fails, if it does.
    fn next(&self) -> Option<FaultMode> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        let fault = *self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        fault.filter(|fault| fault.call == call).map(|fault| fault.mode)
    }

    /// Lets a call through, or not.
    fn under<'a>(&self, call: impl FnOnce() -> Wait<'a, ()>) -> Wait<'a, ()> {
        match self.next() {
            None => call(),
            Some(FaultMode::BeforeWork) => Box::pin(async { Err(failure()) }),
            Some(FaultMode::AnswerLost) => {
                let answer = call();
                Box::pin(async { answer.await.and_then(|()| Err(failure())) })
            }
        }
    }
}

fn failure() -> Error {
    Error::unavailable("the store fails because the test told it to")
}

impl Store for FaultyStore {
    fn write(&self, work: Writing) -> Wait<'_, ()> {
        self.under(|| self.inner.write(work))
    }

    fn read(&self, work: Reading) -> Wait<'_, ()> {
        self.under(|| self.inner.read(work))
    }

    fn check(&self) -> Wait<'_, Vec<String>> {
        self.inner.check()
    }
}

#[cfg(test)]
mod tests {
    use everwhen_engine::NewVault;
    use everwhen_engine::memory::Name;

    use super::*;
    use crate::{PlainStore, block_on, engine_over};

    fn vaults_after(mode: FaultMode) -> (bool, usize, u64) {
        let fault = Fault { call: 1, mode };
        let store = Arc::new(FaultyStore::new(Arc::new(PlainStore::new()), Some(fault)));
        let (engine, _) = engine_over(store.clone());
        let name = Name::new("vault", "one").unwrap();
        let new = NewVault { name, description: None, zone: None, settings: None };
        let failed = block_on(engine.create_vault(new, None)).is_err();
        (failed, block_on(engine.vaults(None, 9)).unwrap().len(), store.calls())
    }

    #[test]
    fn fails_before_the_work_or_after_it() {
        assert_eq!(vaults_after(FaultMode::BeforeWork), (true, 0, 2));
        assert_eq!(vaults_after(FaultMode::AnswerLost), (true, 1, 2));
    }
}
