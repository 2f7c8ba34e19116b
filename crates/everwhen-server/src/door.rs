//! What every handler can reach: the engine, who may do what, and the counters.

use std::sync::Arc;

use axum::http::HeaderMap;
use everwhen::{Engine, Result, ServerConfig};

use crate::McpSettings;
use crate::access::{Access, ProxyCaller};
use crate::gate::Gate;
use crate::problem::Problem;
use crate::proxy::{Proxy, drain_for_ever};
use crate::tally::Tally;

/// An engine with a door in front of it. Clones share everything.
#[derive(Clone)]
pub struct Door {
    pub(crate) engine: Engine,
    pub(crate) access: Arc<Access>,
    pub(crate) tally: Arc<Tally>,
    pub(crate) gate: Arc<Gate>,
    pub(crate) mcp: Arc<McpSettings>,
    pub(crate) proxy: Arc<Proxy>,
}

impl Door {
    /// A door to this engine. Whoever sends the operator's token may do everything; without one,
    /// nobody is the operator.
    pub async fn new(engine: Engine, operator_token: Option<String>) -> Result<Self> {
        let access = Access::load(&engine, operator_token).await?;
        Ok(Self {
            engine,
            access,
            tally: Arc::new(Tally::new()),
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
    pub(crate) async fn proxy_caller(&self, headers: &HeaderMap) -> Result<ProxyCaller, Problem> {
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

    /// Keeps, for as long as it is polled, what the proxy could not keep when it was said.
    pub async fn catch_up(self) {
        drain_for_ever(self).await;
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

    /// Waits until replies that went through the proxy are kept; for after the server has stopped.
    pub async fn settle(&self) {
        self.proxy.settle().await;
    }
}
