//! The store port: one verb is one transaction.
//!
//! A verb of the engine is a closure over [`Tx`] (or [`Snapshot`], if it only reads). The store
//! runs it inside one transaction, may run several queued ones before one durable commit, and
//! answers only after that commit. So every decision stays in the engine, is made on data that
//! no other transaction can change meanwhile, and is the same on every store; a store only keeps and finds.
//! It may have to roll a transaction back and restart it, as when a connection breaks; so a verb can
//! be run more than once, and only its last run counts.

use std::future::Future;
use std::pin::Pin;

use super::{Snapshot, Tx};
use crate::memory::{Address, VaultId};
use crate::{Error, Result};

/// A result that is being waited for.
pub type Wait<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;
/// What a verb does inside a transaction.
pub type Writing = Box<dyn Fn(&mut dyn Tx) -> Result<()> + Send>;
/// What a verb looks up inside a snapshot.
pub type Reading = Box<dyn Fn(&dyn Snapshot) -> Result<()> + Send>;

/// Keeps vaults. Implementations know nothing of what they keep.
pub trait Store: Send + Sync {
    /// Runs `work` in a transaction. If it fails, nothing of it stays; if it succeeds, the answer
    /// comes once it is durable. Work may have run and yet fail here when the commit fails.
    fn write(&self, work: Writing) -> Wait<'_, ()>;

    /// [`Store::write`] of work that changes one vault only. Such works of one vault wait for each
    /// other anyway, so a store may run those that wait in one transaction.
    fn write_in(&self, vault: Address<VaultId>, work: Writing) -> Wait<'_, ()> {
        let _ = vault;
        self.write(work)
    }

    /// Runs `work` on one consistent state that contains every answered write.
    fn read(&self, work: Reading) -> Wait<'_, ()>;

    /// Runs `work` that reads only a few rows, as [`Self::read`] does. A store that has them cached may run it on
    /// the caller's thread, which saves waking another.
    fn glance(&self, work: Reading) -> Wait<'_, ()> {
        self.read(work)
    }

    /// Whether it can be used now: fails with the reason if nothing can be read or stored; else what works
    /// in part only, in sentences for people.
    fn ready(&self) -> Wait<'_, Vec<String>> {
        Box::pin(async move { self.read(Box::new(|_| Ok(()))).await.map(|()| Vec::new()) })
    }

    /// Whether it lies on several nodes, so that some vaults can be out of reach while others are not.
    fn is_spread(&self) -> bool {
        false
    }

    /// Examines itself and says what is wrong, in sentences for people; nothing if all is well.
    fn check(&self) -> Wait<'_, Vec<String>>;
}

impl dyn Store {
    /// [`Store::write`] with a result.
    pub async fn transact<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Tx) -> Result<T> + Send + 'static,
    {
        let (slot, fill) = slot();
        self.write(Box::new(move |tx| work(tx).map(|value| fill.put(value)))).await?;
        slot.take()
    }

    /// [`Store::write_in`] with a result.
    pub async fn transact_in<T, F>(&self, vault: Address<VaultId>, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Tx) -> Result<T> + Send + 'static,
    {
        let (slot, fill) = slot();
        self.write_in(vault, Box::new(move |tx| work(tx).map(|value| fill.put(value)))).await?;
        slot.take()
    }

    /// [`Store::read`] with a result.
    pub async fn look<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: Fn(&dyn Snapshot) -> Result<T> + Send + 'static,
    {
        let (slot, fill) = slot();
        self.read(Box::new(move |snapshot| work(snapshot).map(|value| fill.put(value)))).await?;
        slot.take()
    }
}

impl dyn Store {
    /// [`Store::glance`] with a result.
    pub async fn peek<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: Fn(&dyn Snapshot) -> Result<T> + Send + 'static,
    {
        let (slot, fill) = slot();
        self.glance(Box::new(move |snapshot| work(snapshot).map(|value| fill.put(value)))).await?;
        slot.take()
    }
}

type Shared<T> = std::sync::Arc<std::sync::Mutex<Option<T>>>;

struct Slot<T>(Shared<T>);
struct Fill<T>(Shared<T>);

fn slot<T>() -> (Slot<T>, Fill<T>) {
    let shared = Shared::default();
    (Slot(Shared::clone(&shared)), Fill(shared))
}

impl<T> Fill<T> {
    fn put(&self, value: T) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(value);
    }
}

impl<T> Slot<T> {
    fn take(self) -> Result<T> {
        let value = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        value.ok_or_else(|| Error::damaged("the store answered without running the work"))
    }
}
