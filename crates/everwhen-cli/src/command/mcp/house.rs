//! Who answers an agent's messages: this process, or another that holds the data directory.
//!
//! Agents are started many times on one machine, each with a process like this one. The first holds
//! the directory, serves the others on a free port of the loopback address, to nobody but those who
//! may read the directory, and does the background work. When it ends, the next message of any other
//! makes that one take its place.

use everwhen::{Config, Environment, ServerLimits};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, RwLock, watch};
use tokio::task::JoinHandle;

use super::message::{Message, agreed_version};
use crate::args::CommonArgs;
use crate::client::{Client, Local, Reply, Request};
use crate::command::stopping::{Stop, stopped};
use crate::failure::{Failure, Result};

/// Somebody who answers, and how to find another.
pub(super) struct House {
    config: Config,
    environment: Environment,
    common: CommonArgs,
    answering: RwLock<Option<Answering>>,
    /// The version of the protocol that was agreed upon, where it is agreed upon once.
    agreed: Mutex<Option<String>>,
}

/// Whoever answers now; with its staff, if it is this process.
struct Answering {
    client: Client,
    staff: Option<Staff>,
}

/// What runs beside the answering.
struct Staff {
    stop: watch::Sender<Stop>,
    serving: JoinHandle<()>,
    worker: JoinHandle<()>,
    embedding: JoinHandle<()>,
}

impl House {
    /// Nobody yet.
    pub(super) fn new(config: Config, environment: Environment, common: CommonArgs) -> Self {
        let (answering, agreed) = (RwLock::new(None), Mutex::new(None));
        Self { config, environment, common, answering, agreed }
    }

    /// Finds somebody.
    pub(super) async fn open(&self) -> Result<()> {
        *self.answering.write().await = Some(self.find().await?);
        Ok(())
    }

    /// Finishes what was begun and lets the directory go.
    pub(super) async fn close(&self) {
        if let Some(Answering { staff: Some(staff), .. }) = self.answering.write().await.take() {
            staff.dismiss().await;
        }
    }

    async fn find(&self) -> Result<Answering> {
        let client = Client::connect(&self.config, &self.environment, &self.common).await?;
        let staff = match &client {
            Client::Local(local) => Some(Staff::hire(local, self.config.server.limits()).await?),
            Client::Remote(_) => None,
        };
        Ok(Answering { client, staff })
    }

    /// What the client is told.
    pub(super) async fn answer(&self, message: &Message, line: String, to: Request) -> Vec<String> {
        let agreed = self.agreed.lock().await.clone();
        let request = match message.request(line, to, agreed) {
            Ok(request) => request,
            Err(refusal) => return vec![refusal],
        };
        let told = match self.send(request).await {
            Ok(reply) => message.answers(&reply),
            Err(failure) => message.failed(&failure.message.unwrap_or_default()),
        };
        if message.is_greeting() {
            *self.agreed.lock().await = told.iter().find_map(|answer| agreed_version(answer));
        }
        told
    }

    /// Sends a request. If the other process is gone, somebody else is found, once; a request that
    /// may have arrived is not sent again.
    async fn send(&self, request: Request) -> Result<Reply> {
        match self.attempt(request.clone()).await? {
            Some(reply) => return Ok(reply),
            None => self.replace().await?,
        }
        let gone = || Failure::new("the process that held the data directory ended; try again");
        self.attempt(request).await?.ok_or_else(gone)
    }

    /// The reply; nothing if whoever should answer was not there.
    async fn attempt(&self, request: Request) -> Result<Option<Reply>> {
        let answering = self.answering.read().await;
        match answering.as_ref().map(|answering| &answering.client) {
            None => Ok(None),
            Some(Client::Local(local)) => local.send(request).await.map(Some),
            Some(Client::Remote(remote)) => match remote.try_send(request).await {
                Ok(reply) => Ok(Some(reply)),
                Err(error) if error.is_connect() && remote.is_here() => Ok(None),
                Err(error) => Err(remote.unreachable(&error)),
            },
        }
    }

    /// Finds somebody else, unless another message has done so.
    async fn replace(&self) -> Result<()> {
        let mut answering = self.answering.write().await;
        if !matches!(&*answering, Some(Answering { client: Client::Local(_), .. })) {
            *answering = Some(self.find().await?);
        }
        Ok(())
    }
}

impl Staff {
    /// Serves others and does the background work.
    async fn hire(local: &Local, limits: ServerLimits) -> Result<Self> {
        let (stop, told) = watch::channel(Stop::No);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let (router, end) = (local.router(), stopped(told.clone()));
        let serving = tokio::spawn(async move {
            if let Err(error) = everwhen_server::serve(router, listener, limits, end).await {
                tracing::error!(%error, "others cannot reach this process any more");
            }
        });
        let everwhen = local.everwhen();
        let worker = tokio::spawn(everwhen::work(everwhen.engine().clone(), stopped(told.clone())));
        let embedding = tokio::spawn(everwhen.embedding().clone().run(stopped(told)));
        everwhen.announce(&url)?;
        Ok(Self { stop, serving, worker, embedding })
    }

    /// Waits until everything begun is finished.
    async fn dismiss(self) {
        self.stop.send_replace(Stop::Gently);
        // Whether they end well or not, they end.
        let _ = self.serving.await;
        let _ = self.worker.await;
        let _ = self.embedding.await;
    }
}
