//! The state that every handler can reach: the engine, authentication, metrics and the proxy.

mod sweep;
mod text_places;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::FromRef;
use everwhen::memory::{Address, MemoryId};
use everwhen::receipt::{Done, Idempotency};
use everwhen::{BackupConfig, Config, Engine, Forget, Result, ServerConfig, Vault, WorkerStatus};

use self::text_places::{ForgottenText, beginning_of_part, names};
use crate::McpSettings;
use crate::access::Access;
use crate::gate::{Gate, GateChecks};
use crate::imports::Imports;
use crate::metrics::Metrics;
use crate::proxy::{Outbox, Proxy, ProxyState};

/// The state of one server over one engine. Clones share everything.
#[derive(Clone)]
pub struct ServerState {
    pub(crate) engine: Engine,
    pub(crate) access: Arc<Access>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) gate: Arc<Gate>,
    pub(crate) mcp: Arc<McpSettings>,
    pub(crate) proxy: Arc<Proxy>,
    pub(crate) imports: Arc<Imports>,
    pub(crate) backups: Option<Arc<(BackupConfig, PathBuf)>>,
    pub(crate) worker: Option<WorkerStatus>,
    /// Where workflows write files, in a process that runs none.
    workflow_files: Option<PathBuf>,
}

impl ServerState {
    /// The state of a server over this engine. A request with the operator token may do everything;
    /// without a token there is no operator.
    pub async fn new(engine: Engine, operator_token: Option<String>) -> Result<Self> {
        let access = Access::load(&engine, operator_token).await?;
        Ok(Self {
            engine,
            access,
            metrics: Arc::new(Metrics::new()),
            gate: Arc::default(),
            mcp: Arc::default(),
            proxy: Arc::new(Proxy::without_upstreams()),
            imports: Arc::default(),
            backups: None,
            worker: None,
            workflow_files: None,
        })
    }

    /// Rejects requests that carry neither an API key nor the operator token.
    #[must_use]
    pub fn requiring_key(self) -> Self {
        self.access.require_key();
        self
    }

    /// What the gate checks requests with.
    pub(crate) fn gate_checks(&self) -> GateChecks {
        GateChecks {
            gate: Arc::clone(&self.gate),
            access: Arc::clone(&self.access),
            key_timeout: self.proxy.deadline(),
        }
    }

    /// The part that the handlers of the proxy can reach.
    pub(crate) fn proxy_state(&self) -> ProxyState {
        ProxyState {
            engine: self.engine.clone(),
            access: Arc::clone(&self.access),
            proxy: Arc::clone(&self.proxy),
        }
    }

    /// Sets the default vault and memory of the MCP interface.
    #[must_use]
    pub fn with_mcp(mut self, settings: McpSettings) -> Self {
        self.mcp = Arc::new(settings);
        self
    }

    /// Configures the gate of a server that listens on this address.
    #[must_use]
    pub fn with_server(mut self, config: &ServerConfig, listen: &str) -> Self {
        self.gate = Arc::new(Gate::new(config, listen));
        self
    }

    /// Stores uploaded files in this directory while they are imported. If it belongs to this process alone,
    /// what an earlier one left there is removed.
    #[must_use]
    pub fn with_uploads(mut self, directory: &Path, is_own: bool) -> Self {
        self.imports = Arc::new(Imports::in_directory(directory.to_owned(), is_own));
        self
    }

    /// Lets the report of the doctor name the state of the scheduled backups of this data directory.
    #[must_use]
    pub fn with_backups(mut self, config: BackupConfig, data: PathBuf) -> Self {
        self.backups = Some(Arc::new((config, data)));
        self
    }

    /// Lets readiness, metrics and the report of the doctor tell what the worker of this process does.
    #[must_use]
    pub fn with_worker(self, status: WorkerStatus) -> Self {
        Self { worker: Some(status), ..self }
    }

    /// Replaces the proxy.
    #[must_use]
    pub fn with_proxy(self, proxy: Proxy) -> Self {
        Self { proxy: Arc::new(proxy), ..self }
    }

    /// Runs the workflow nodes that are left after an answer, until `stop` is ready.
    pub async fn run_workflows(self, stop: impl Future<Output = ()>) {
        match self.proxy.workflows() {
            Some(workflows) => {
                everwhen_workflow::run_in_background(
                    Arc::clone(workflows),
                    self.engine.clone(),
                    stop,
                )
                .await;
            }
            None => stop.await,
        }
    }

    /// Opens the outbox in this directory without any upstreams, so that waiting exchanges are
    /// reported, and erased when their memory is forgotten; so are files of workflows.
    pub fn with_outbox(self, config: &Config, directory: &Path) -> Result<Self> {
        let outbox = Outbox::open(directory, &config.proxy)?;
        let files = everwhen_workflow::files_directory(config);
        let proxy = Proxy::without_upstreams().with_outbox(outbox);
        Ok(Self { workflow_files: files, ..self }.with_proxy(proxy))
    }

    /// Stores the exchanges that an earlier process left in the outbox, for as long as the future
    /// is polled.
    pub async fn catch_up(self) {
        self.proxy.outbox.run(&self.proxy_state()).await;
    }

    /// Forgets something in a memory: in the store, and in every other place.
    pub(crate) async fn forget(
        &self,
        vault: &Vault,
        memory: Address<MemoryId>,
        what: Forget,
        once: Option<Idempotency>,
    ) -> Result<Done> {
        let (vaults, is_whole) = (names(vault).await, matches!(what, Forget::Memory));
        self.proxy.outbox.before_forgetting(&self.proxy_state(), &vaults, !is_whole).await?;
        let part_since = beginning_of_part(vault, &memory, &what).await;
        let found = vault.memory(memory.clone()).await.ok();
        if let (true, Some(found)) = (is_whole, &found) {
            self.imports.end_into(vault.id(), found).await;
        }
        let done = vault.forget(memory, what, once).await?;
        if let Some(found) = found {
            let memories = Some(vec![found.id.to_string(), found.name.to_string()]);
            let forgotten = ForgottenText { vault: vault.id(), vaults, memories, part_since };
            self.forget_everywhere(&forgotten).await?;
        }
        Ok(done)
    }

    /// Forgets a whole vault: in the store, and in every other place.
    pub(crate) async fn forget_vault(
        &self,
        vault: &Vault,
        once: Option<Idempotency>,
    ) -> Result<Done> {
        let vaults = names(vault).await;
        self.proxy.outbox.before_forgetting(&self.proxy_state(), &vaults, false).await?;
        let done = vault.forget_vault(once).await?;
        let forgotten =
            ForgottenText { vault: vault.id(), vaults, memories: None, part_since: None };
        self.forget_everywhere(&forgotten).await?;
        Ok(done)
    }

    /// Ends the streams of the proxy's live view, which would otherwise never end. Call it when the
    /// server is asked to stop.
    pub fn end_watching(&self) {
        self.proxy.end_watching();
    }

    /// Ends the replies that the proxy is still streaming; what was received so far is stored as
    /// cut off. Call it after the server has stopped and before [`settle`](Self::settle).
    pub fn end_replies(&self) {
        self.proxy.end_replies();
    }

    /// Waits until all replies of the proxy are in the outbox. Call it after the server has
    /// stopped.
    pub async fn flush(&self) {
        self.proxy.outbox.flush().await;
    }

    /// Waits until all replies of the proxy are stored, or known to stay in the outbox.
    pub async fn settle(&self) {
        self.proxy.outbox.settle().await;
    }
}

impl FromRef<ServerState> for Arc<Access> {
    fn from_ref(state: &ServerState) -> Self {
        Arc::clone(&state.access)
    }
}
