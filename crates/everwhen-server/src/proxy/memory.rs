//! The proxy's access to the engine: every call has a deadline, and a panic becomes an error.
//!
//! A call runs in its own task. After its deadline it is no longer waited for, whatever the store
//! does; a write in progress continues, and its [`Write`] returns the result later. No other file
//! of the proxy calls the engine.
//!
//! Recall computes for milliseconds without yielding. It runs on separate threads, so that the
//! threads that serve connections can enforce deadlines.

use std::future::Future;

use everwhen::ledger::Begun;
use everwhen::memory::{Address, MemoryId, VaultId};
use everwhen::memory_block::BlockOptions;
use everwhen::{Engine, Error, ErrorKind, Result, Vault};
use futures_util::FutureExt;
use jiff::Timestamp;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::access::Caller;
use crate::proxy::ProxyState;

/// The engine, as the proxy uses it.
#[derive(Clone)]
pub(crate) struct ProxyMemory {
    engine: Engine,
}

impl ProxyMemory {
    /// The engine of this server.
    pub(crate) fn of(state: &ProxyState) -> Self {
        Self { engine: state.engine.clone() }
    }

    /// How often something in a vault was forgotten, by any server; nothing if the store does not say.
    pub(crate) async fn forget_epoch(&self, vault: &str) -> Option<u64> {
        self.engine.forget_epoch(vault.parse().ok()?).await.ok()
    }

    /// The current time.
    pub(crate) fn now(&self) -> Timestamp {
        self.engine.now()
    }

    /// Opens the vault at this address for a write by this caller.
    pub(crate) async fn vault(&self, caller: Caller, address: Address<VaultId>) -> Result<Vault> {
        caller.vault_to_write(&self.engine, address).await
    }

    /// Refuses the name of a vault that is not there and that no new vault could get. A name that cannot be looked up
    /// now is not refused: what is said under it waits in the outbox.
    pub(crate) async fn check_vault(
        &self,
        caller: Caller,
        vault: &Address<VaultId>,
        deadline: Instant,
    ) -> Result<()> {
        let Err(refused) = vault.check_new() else { return Ok(()) };
        unless_missing(caller.vault(&self.engine, vault.clone()), refused, deadline).await
    }

    /// Checks the name of a memory in the same way.
    pub(crate) async fn check_memory(
        &self,
        caller: Caller,
        vault: &Address<VaultId>,
        memory: &Address<MemoryId>,
        deadline: Instant,
    ) -> Result<()> {
        let Err(refused) = memory.check_new() else { return Ok(()) };
        let found = async {
            let vault = caller.vault(&self.engine, vault.clone()).await?;
            vault.memory(memory.clone()).await
        };
        unless_missing(found, refused, deadline).await
    }

    /// Recalls what is relevant to a message.
    pub(crate) async fn remembered(
        &self,
        vault: &Vault,
        begun: &Begun,
        (asked, options): (&str, BlockOptions),
        deadline: Instant,
    ) -> Result<String> {
        let (vault, begun, asked) = (vault.clone(), begun.clone(), asked.to_owned());
        let recall = async move { vault.remembered_for(&begun, &asked, &options).await };
        let runtime = Handle::current();
        let task = tokio::task::spawn_blocking(move || {
            runtime.block_on(timeout_at(deadline, recall)).unwrap_or_else(|_| Err(too_slow()))
        });
        timeout_at(deadline, task).await.map_or_else(|_| Err(too_slow()), flatten)
    }

    /// Starts a write, which continues even if it is no longer waited for.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Write<T> {
        Write(tokio::spawn(work))
    }
}

/// The error, if what is looked for is missing.
async fn unless_missing<T>(
    found: impl Future<Output = Result<T>>,
    error: Error,
    deadline: Instant,
) -> Result<()> {
    match timeout_at(deadline, found).await {
        Ok(Err(missing)) if missing.kind() == ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A write in progress.
pub(crate) struct Write<T>(JoinHandle<Result<T>>);

impl<T> Write<T> {
    /// The result, if it is known by the deadline.
    pub(crate) async fn by(&mut self, deadline: Instant) -> Option<Result<T>> {
        timeout_at(deadline, &mut self.0).await.ok().map(flatten)
    }

    /// The result, if it is known now.
    pub(crate) fn now(&mut self) -> Option<Result<T>> {
        (&mut self.0).now_or_never().map(flatten)
    }

    /// Waits for the result.
    pub(crate) async fn done(self) -> Result<T> {
        flatten(self.0.await)
    }
}

fn flatten<T>(joined: Result<Result<T>, tokio::task::JoinError>) -> Result<T> {
    joined.unwrap_or_else(|error| {
        let panicked = error.is_panic();
        tracing::error!(panicked, "a task of memory ended without an answer");
        Err(Error::damaged("memory failed inside; the log says more"))
    })
}

/// The error for a missed deadline.
pub(crate) fn too_slow() -> Error {
    Error::unavailable("memory took longer than proxy.deadline_ms")
}
