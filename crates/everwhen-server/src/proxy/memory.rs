//! ProxyMemory as the proxy reaches it: every call has a deadline, and a panic is an error like any other.
//!
//! A call runs on a task of its own. When its deadline has passed nobody waits for it any longer,
//! whatever the store does; a write that is under way goes on, and its [`Write`] tells later what came
//! of it. No other file of the proxy talks to the engine.
//!
//! Recall computes for milliseconds at a stretch. It runs on threads of its own, so that the threads
//! that serve connections stay free to notice that a deadline has passed.

use std::future::Future;

use everwhen::aside::Wishes;
use everwhen::ledger::Begun;
use everwhen::memory::{Address, VaultId};
use everwhen::{Engine, Error, Result, Vault};
use futures_util::FutureExt;
use jiff::Timestamp;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::ServerState;
use crate::access::Caller;

/// The engine behind the proxy.
#[derive(Clone)]
pub(crate) struct ProxyMemory {
    engine: Engine,
}

impl ProxyMemory {
    /// The memory behind this door.
    pub(crate) fn of(state: &ServerState) -> Self {
        Self { engine: state.engine.clone() }
    }

    /// Now.
    pub(crate) fn now(&self) -> Timestamp {
        self.engine.now()
    }

    /// The vault at this address, for a write by this caller.
    pub(crate) async fn vault(&self, caller: Caller, address: Address<VaultId>) -> Result<Vault> {
        caller.vault_to_write(&self.engine, address).await
    }

    /// What is remembered about what was asked.
    pub(crate) async fn remembered(
        &self,
        vault: &Vault,
        begun: &Begun,
        (asked, wishes): (&str, Wishes),
        deadline: Instant,
    ) -> Result<String> {
        let (vault, begun, asked) = (vault.clone(), begun.clone(), asked.to_owned());
        let recall = async move { vault.remembered_for(&begun, &asked, &wishes).await };
        let runtime = Handle::current();
        let task = tokio::task::spawn_blocking(move || {
            runtime.block_on(timeout_at(deadline, recall)).unwrap_or_else(|_| Err(too_slow()))
        });
        timeout_at(deadline, task).await.map_or_else(|_| Err(too_slow()), flatten)
    }

    /// Starts a write, which goes on whether or not anybody waits for it.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Write<T> {
        Write(tokio::spawn(work))
    }
}

/// A write that is under way.
pub(crate) struct Write<T>(JoinHandle<Result<T>>);

impl<T> Write<T> {
    /// What came of it, if that is known by then.
    pub(crate) async fn by(&mut self, deadline: Instant) -> Option<Result<T>> {
        timeout_at(deadline, &mut self.0).await.ok().map(flatten)
    }

    /// What came of it, if that is known now.
    pub(crate) fn now(&mut self) -> Option<Result<T>> {
        (&mut self.0).now_or_never().map(flatten)
    }

    /// What came of it, whenever that is known.
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

/// ProxyMemory did not answer in time.
pub(crate) fn too_slow() -> Error {
    Error::unavailable("memory took longer than proxy.deadline_ms")
}
