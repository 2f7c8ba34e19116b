//! Which nodes of a cluster answer. A node that answers nothing is waited for on a thread and a connection of its
//! own, so that no request and no probe waits for it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use everwhen_engine::{Error, Result};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::address::Address;
use super::failure::Failure;

/// What is known for less than this is not asked again.
const KNOWN_FOR: Duration = Duration::from_secs(5);
/// How long the first answers are waited for. Later ones are not: what was known before is returned.
const FIRST: Duration = Duration::from_secs(1);
/// How long a node may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// How much longer than a node's time an answer is waited for.
const GRACE: Duration = Duration::from_secs(5);

/// A round of questions is asked for; dropped once its answers are known, or waited for no longer.
type AskedRound = oneshot::Sender<()>;

/// Asks the nodes of a cluster whether they are there, at most every few seconds, and knows what they answered.
pub(super) struct NodeWatch {
    known: Arc<Mutex<KnownNodes>>,
    was_asked: AtomicBool,
    rounds: mpsc::Sender<AskedRound>,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl NodeWatch {
    /// Starts the thread, which connects when nodes are first asked for.
    pub(super) fn start(address: &Address) -> Result<Self> {
        let failed = |error| Error::unavailable(format!("no node thread: {error}"));
        let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let known = Arc::<Mutex<KnownNodes>>::default();
        // One round at a time.
        let (rounds, asked) = mpsc::channel(1);
        let (end, ended) = oneshot::channel();
        let asking = Asking { address: address.clone(), client: None, known: Arc::clone(&known) };
        let thread = std::thread::Builder::new()
            .name("everwhen-nodes".into())
            .spawn(move || run(&runtime, asking.answer(asked), ended))
            .map_err(failed)?;
        Ok(Self {
            known,
            was_asked: AtomicBool::new(false),
            rounds,
            end: Some(end),
            thread: Some(thread),
        })
    }

    /// What of the cluster does not answer, in sentences, as it was last seen; has the nodes asked again.
    pub(super) async fn missing(&self) -> Vec<String> {
        let (done, over) = oneshot::channel();
        // If it cannot be sent, the next round is asked for already.
        let _ = self.rounds.try_send(done);
        if !self.was_asked.swap(true, Ordering::Relaxed) {
            // It ends with an error, because nothing is ever sent.
            let _ = over.await;
        }
        lock(&self.known).sentences()
    }
}

impl Drop for NodeWatch {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            // Nothing is lost with it.
            let _ = thread.join();
        }
    }
}

/// Works until the end, which does not wait for a node.
fn run(runtime: &Runtime, asking: impl Future<Output = ()>, ended: oneshot::Receiver<()>) {
    runtime.block_on(async {
        tokio::select! {
            () = asking => {}
            _ = ended => {}
        }
    });
}

/// The thread's own part.
struct Asking {
    address: Address,
    client: Option<Client>,
    known: Arc<Mutex<KnownNodes>>,
}

impl Asking {
    async fn answer(mut self, mut rounds: mpsc::Receiver<AskedRound>) {
        while let Some(asked) = rounds.recv().await {
            if !lock(&self.known).is_due() {
                continue;
            }
            let mut round = std::pin::pin!(self.ask_all());
            if timeout(FIRST, &mut round).await.is_err() {
                drop(asked);
                round.await;
            }
        }
    }

    async fn ask_all(&mut self) {
        let known = Arc::clone(&self.known);
        let asked = self.try_ask_all().await;
        lock(&known).end_round(asked.err().map(|failure| failure.error));
    }

    /// Asks every node; the connection is given up if it fails.
    async fn try_ask_all(&mut self) -> Result<(), Failure> {
        let open = self.client.take().filter(|client| !client.is_closed());
        let mut client = match open {
            Some(client) => client,
            None => in_time(self.address.connect()).await?,
        };
        let nodes = in_time(nodes(&client)).await?;
        lock(&self.known).begin_round(&nodes);
        for node in &nodes {
            let is_there = in_time(answers(&mut client, node)).await?;
            lock(&self.known).note(node, is_there);
        }
        self.client = Some(client);
        Ok(())
    }
}

/// The same, unless the database takes too long.
async fn in_time<T>(
    answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, Failure> {
    Ok(timeout(PATIENCE + GRACE, answer).await.map_err(|_| Failure::timed_out())??)
}

/// The host and port of each node that vaults lie on.
async fn nodes(client: &Client) -> Result<Vec<(String, i32)>, tokio_postgres::Error> {
    let sql = "SELECT nodename::text, nodeport::int FROM pg_dist_node
        WHERE isactive AND noderole = 'primary' AND groupid > 0 ORDER BY 1, 2";
    let rows = client.query(sql, &[]).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

/// Whether a node answers in time. The limit is of this transaction alone, because others may share the connection.
async fn answers(
    client: &mut Client,
    (host, port): &(String, i32),
) -> Result<bool, tokio_postgres::Error> {
    let transaction = client.transaction().await?;
    let limit = format!("SET LOCAL statement_timeout = {}", PATIENCE.as_millis());
    transaction.batch_execute(&limit).await?;
    let sql = "SELECT citus_check_connection_to_node($1, $2)";
    match transaction.query_one(sql, &[host, port]).await {
        Ok(row) => row.try_get(0),
        Err(error) if error.code() == Some(&SqlState::QUERY_CANCELED) => Ok(false),
        Err(error) => Err(error),
    }
}

/// What was last seen of the nodes.
#[derive(Debug, Default)]
struct KnownNodes {
    nodes: BTreeMap<(String, i32), NodeState>,
    /// When the last round was over.
    asked_at: Option<Instant>,
    /// Why the nodes could not be asked.
    failure: Option<Error>,
}

#[derive(Debug, Clone, Copy)]
struct NodeState {
    is_there: bool,
    /// When it last answered, or was first asked.
    last_there: Instant,
}

impl KnownNodes {
    fn is_due(&self) -> bool {
        self.asked_at.is_none_or(|at| at.elapsed() >= KNOWN_FOR)
    }

    /// These are the nodes now.
    fn begin_round(&mut self, nodes: &[(String, i32)]) {
        self.nodes.retain(|node, _| nodes.contains(node));
        for node in nodes {
            let new = NodeState { is_there: true, last_there: Instant::now() };
            self.nodes.entry(node.clone()).or_insert(new);
        }
    }

    fn note(&mut self, node: &(String, i32), is_there: bool) {
        if let Some(state) = self.nodes.get_mut(node) {
            let last_there = if is_there { Instant::now() } else { state.last_there };
            *state = NodeState { is_there, last_there };
        }
    }

    fn end_round(&mut self, failure: Option<Error>) {
        self.asked_at = Some(Instant::now());
        self.failure = failure;
    }

    fn sentences(&self) -> Vec<String> {
        let missing = self.nodes.iter().filter(|(_, state)| !state.is_there);
        let missing = missing.map(|((host, port), state)| {
            let seconds = state.last_there.elapsed().as_secs();
            format!(
                "the node {host}:{port} has not answered for {seconds} s: vaults on it can be neither read nor written"
            )
        });
        let unknown = |error| format!("which nodes of the cluster answer is not known: {error}");
        missing.chain(self.failure.as_ref().map(unknown)).collect()
    }
}

fn lock(known: &Mutex<KnownNodes>) -> MutexGuard<'_, KnownNodes> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}
