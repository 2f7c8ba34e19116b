//! What every handler can reach: the engine, who may do what, and the counters.

use std::path::Path;
use std::sync::Arc;

use axum::http::HeaderMap;
use everwhen::memory::{Address, MemoryId};
use everwhen::receipt::{Done, Idempotency};
use everwhen::{Config, Engine, Forget, Result, ServerConfig, Vault};

use crate::McpSettings;
use crate::access::{Access, ProxyCaller};
use crate::error::RequestError;
use crate::gate::Gate;
use crate::metrics::Metrics;
use crate::proxy::{Outbox, Proxy};

/// An engine with a door in front of it. Clones share everything.
#[derive(Clone)]
pub struct ServerState {
    pub(crate) engine: Engine,
    pub(crate) access: Arc<Access>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) gate: Arc<Gate>,
    pub(crate) mcp: Arc<McpSettings>,
    pub(crate) proxy: Arc<Proxy>,
}

impl ServerState {
    /// A door to this engine. Whoever sends the operator's token may do everything; without one,
    /// nobody is the operator.
    pub async fn new(engine: Engine, operator_token: Option<String>) -> Result<Self> {
        let access = Access::load(&engine, operator_token).await?;
        Ok(Self {
            engine,
            access,
            metrics: Arc::new(Metrics::new()),
            gate: Arc::default(),
            mcp: Arc::default(),
            proxy: Arc::new(Proxy::without_upstreams()),
        })
    }

    /// The same; requests without an API key or the operator's token are rejected.
    #[must_use]
    pub fn requiring_key(self) -> Self {
        self.access.require_key();
        self
    }

    /// Who sends these headers through the proxy. An unknown key is looked for once more, no longer
    /// than a chat waits for memory.
    pub(crate) async fn proxy_caller(
        &self,
        headers: &HeaderMap,
    ) -> Result<ProxyCaller, RequestError> {
        self.access.proxy_caller(headers, self.proxy.deadline()).await
    }

    /// The same, its MCP door told so.
    #[must_use]
    pub fn with_mcp(mut self, settings: McpSettings) -> Self {
        self.mcp = Arc::new(settings);
        self
    }

    /// The same, guarded as the configuration says, for a server that listens on this address.
    #[must_use]
    pub fn with_server(mut self, config: &ServerConfig, listen: &str) -> Self {
        self.gate = Arc::new(Gate::new(config, listen));
        self
    }

    /// The same door with this proxy behind it.
    #[must_use]
    pub fn with_proxy(self, proxy: Proxy) -> Self {
        Self { proxy: Arc::new(proxy), ..self }
    }

    /// Goes on with what is left of workflows behind their answers, until `stop` is ready.
    pub async fn go_on(self, stop: impl Future<Output = ()>) {
        match self.proxy.workflows() {
            Some(workflows) => {
                everwhen_workflow::go_on(Arc::clone(workflows), self.engine.clone(), stop).await;
            }
            None => stop.await,
        }
    }

    /// The same door, with the outbox in this directory behind it: what still waits there is told of, and
    /// erased with what is forgotten.
    pub fn with_outbox(self, config: &Config, directory: &Path) -> Result<Self> {
        let outbox = Outbox::open(directory, &config.proxy)?;
        Ok(self.with_proxy(Proxy::without_upstreams().with_outbox(outbox)))
    }

    /// Stores, for as long as it is polled, what an earlier process left in the outbox.
    pub async fn catch_up(self) {
        self.proxy.outbox.run(&self).await;
    }

    /// Forgets something in a memory for good, here too.
    pub(crate) async fn forget(
        &self,
        vault: &Vault,
        memory: Address<MemoryId>,
        what: Forget,
        once: Option<Idempotency>,
    ) -> Result<Done> {
        let vaults = names(vault).await;
        self.proxy.outbox.before_forgetting(self, &vaults).await;
        let found = vault.memory(memory.clone()).await.ok();
        let whole = matches!(what, Forget::Memory);
        let done = vault.forget(memory, what, once).await?;
        if let Some(found) = found {
            self.proxy.forget(vaults, Some((found.id, found.name)), whole).await?;
        }
        Ok(done)
    }

    /// Forgets a whole vault for good, here too.
    pub(crate) async fn forget_vault(
        &self,
        vault: &Vault,
        once: Option<Idempotency>,
    ) -> Result<Done> {
        let vaults = names(vault).await;
        self.proxy.outbox.before_forgetting(self, &vaults).await;
        let done = vault.forget_vault(once).await?;
        self.proxy.forget(vaults, None, true).await?;
        Ok(done)
    }

    /// Ends the streams of those who watch the proxy, which would go on for ever. For when the server
    /// is told to stop.
    pub fn end_watching(&self) {
        self.proxy.end_watching();
    }

    /// Ends the replies that are still on their way through the proxy; what was said so far is kept
    /// as cut off. For after the server has stopped, before [`settle`](Self::settle).
    pub fn hang_up(&self) {
        self.proxy.hang_up();
    }

    /// Waits until replies that went through the proxy are in the outbox; for after the server has
    /// stopped.
    pub async fn flush(&self) {
        self.proxy.outbox.flush().await;
    }

    /// Waits until replies that went through the proxy are stored, or known to wait in the outbox.
    pub async fn settle(&self) {
        self.proxy.outbox.settle().await;
    }
}

/// What a vault may be called in the outbox.
async fn names(vault: &Vault) -> Vec<String> {
    let name = vault.info().await.ok().map(|info| info.name.to_string());
    std::iter::once(vault.id().to_string()).chain(name).collect()
}
