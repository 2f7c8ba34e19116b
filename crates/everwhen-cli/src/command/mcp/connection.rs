//! The connection of an agent's messages to the API: in this process, or in another that holds the
//! data directory.
//!
//! Agents are started many times on one machine, each with its own process like this one. The first
//! process holds the directory, serves the others on a free loopback port with a token that only
//! readers of the directory know, and runs background jobs. When it ends, the next message of any
//! other process makes that one take over.

use everwhen::{Config, Environment, ServerLimits};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, RwLock, watch};
use tokio::task::JoinHandle;

use super::message::{Message, agreed_version};
use crate::args::CommonArgs;
use crate::client::{Client, Local, Reply, Request};
use crate::command::shutdown::{Shutdown, stopped};
use crate::failure::{Failure, Result};

/// The current connection, and what is needed to open another.
pub(super) struct ApiConnection {
    config: Config,
    environment: Environment,
    common: CommonArgs,
    answering: RwLock<Option<ActiveConnection>>,
    /// The protocol version of clients that negotiate it once.
    agreed: Mutex<Option<String>>,
}

/// The current connection; with background tasks, if it is in this process.
struct ActiveConnection {
    client: Client,
    tasks: Option<ConnectionTasks>,
}

/// The tasks that run while this process holds the directory.
struct ConnectionTasks {
    stop: watch::Sender<Shutdown>,
    serving: JoinHandle<()>,
    worker: JoinHandle<()>,
    embedding: JoinHandle<()>,
}

impl ApiConnection {
    /// Without a connection yet.
    pub(super) fn new(config: Config, environment: Environment, common: CommonArgs) -> Self {
        let (answering, agreed) = (RwLock::new(None), Mutex::new(None));
        Self { config, environment, common, answering, agreed }
    }

    /// Opens the connection.
    pub(super) async fn open(&self) -> Result<()> {
        *self.answering.write().await = Some(self.find().await?);
        Ok(())
    }

    /// Finishes work in progress and releases the directory.
    pub(super) async fn close(&self) {
        if let Some(ActiveConnection { tasks: Some(tasks), .. }) =
            self.answering.write().await.take()
        {
            tasks.finish().await;
        }
    }

    async fn find(&self) -> Result<ActiveConnection> {
        // The worker does what fell due while nothing ran; the first answer does not wait for it.
        let client = Client::connect_at_once(&self.config, &self.environment, &self.common).await?;
        let tasks = match &client {
            Client::Local(local) => {
                local.everwhen().apply_conversation_rules(&self.config).await?;
                Some(ConnectionTasks::start(local, self.config.server.limits()).await?)
            }
            Client::Remote(_) => None,
        };
        Ok(ActiveConnection { client, tasks })
    }

    /// Answers a message of the client.
    pub(super) async fn answer(&self, message: &Message, line: String, to: Request) -> Vec<String> {
        let agreed = self.agreed.lock().await.clone();
        let request = match message.request(line, to, agreed) {
            Ok(request) => request,
            Err(refusal) => return vec![refusal],
        };
        let answers = match self.send(request).await {
            Ok(reply) => message.answers(&reply),
            Err(failure) => message.failed(&failure.message.unwrap_or_default()),
        };
        if message.is_greeting() {
            *self.agreed.lock().await = answers.iter().find_map(|answer| agreed_version(answer));
        }
        answers
    }

    /// Sends a request. If the other process is gone, the connection is replaced once; a request
    /// that may have arrived is not sent again.
    async fn send(&self, request: Request) -> Result<Reply> {
        match self.attempt(request.clone()).await? {
            Some(reply) => return Ok(reply),
            None => self.replace().await?,
        }
        let gone = || Failure::new("the process that held the data directory ended; try again");
        self.attempt(request).await?.ok_or_else(gone)
    }

    /// The response; `None` if the server could not be reached.
    async fn attempt(&self, request: Request) -> Result<Option<Reply>> {
        let answering = self.answering.read().await;
        match answering.as_ref().map(|answering| &answering.client) {
            None => Ok(None),
            Some(Client::Local(local)) => local.send(request).await.map(Some),
            Some(Client::Remote(remote)) => {
                match remote.while_alive(remote.try_send(request)).await? {
                    Ok(reply) => Ok(Some(reply)),
                    Err(error) if error.is_connect() && remote.is_here() => Ok(None),
                    Err(error) => Err(remote.unreachable(&error)),
                }
            }
        }
    }

    /// Replaces the connection, unless another message has done so.
    async fn replace(&self) -> Result<()> {
        let mut answering = self.answering.write().await;
        if !matches!(&*answering, Some(ActiveConnection { client: Client::Local(_), .. })) {
            *answering = Some(self.find().await?);
        }
        Ok(())
    }
}

impl ConnectionTasks {
    /// Starts serving other processes and running background jobs.
    async fn start(local: &Local, limits: ServerLimits) -> Result<Self> {
        let (stop, stopping) = watch::channel(Shutdown::No);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let (router, end) = (local.router(), stopped(stopping.clone()));
        let serving = tokio::spawn(async move {
            if let Err(error) = everwhen_server::serve(router, listener, limits, end).await {
                tracing::error!(%error, "others cannot reach this process any more");
            }
        });
        let everwhen = local.everwhen();
        let worker =
            tokio::spawn(everwhen::work(everwhen.engine().clone(), stopped(stopping.clone())));
        let embedding = tokio::spawn(everwhen.embedding().clone().run(stopped(stopping)));
        everwhen.announce(&url)?;
        Ok(Self { stop, serving, worker, embedding })
    }

    /// Waits until all tasks have finished.
    async fn finish(self) {
        self.stop.send_replace(Shutdown::Gently);
        // Failures at the end are ignored.
        let _ = self.serving.await;
        let _ = self.worker.await;
        let _ = self.embedding.await;
    }
}
