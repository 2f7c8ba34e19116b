//! Reader threads: each has a connection of its own and runs one snapshot at a time.
//!
//! Waking a thread and being woken by it takes longer than reading a few rows. So there are also
//! connections without a thread: a caller that reads only a few rows uses a free one.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use everwhen_engine::ports::Reading;
use everwhen_engine::{Error, Result};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::connection;
use super::failure::Stored;
use super::health::StoreHealth;
use crate::tables::Database as _;
use crate::transaction::View;

/// The length of the queue above which callers wait to add more.
const QUEUE: usize = 4096;
/// How many threads read. More than a small machine has cores: counting the entries of a large memory takes a thread for seconds, and a page
/// asks for two such counts and its first rows.
const READERS: usize = 4;

type Job = Box<dyn FnOnce(&Connection) + Send>;
type Queue = Arc<Mutex<mpsc::Receiver<Job>>>;

/// The threads that read.
pub(super) struct Readers {
    queue: Option<mpsc::Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
    /// Connections that callers use on their own threads.
    direct: Vec<Mutex<Connection>>,
    health: Arc<StoreHealth>,
}

impl Readers {
    /// Opens the connections and starts the threads.
    pub(super) fn start(path: &Path, health: Arc<StoreHealth>) -> Result<Self> {
        let (queue, jobs) = mpsc::channel(QUEUE);
        let jobs: Queue = Arc::new(Mutex::new(jobs));
        let threads = (0..READERS)
            .map(|_| start_one(connection::open_reader(path)?, Arc::clone(&jobs)))
            .collect::<Result<_>>()?;
        let cores = std::thread::available_parallelism().map_or(2, usize::from).clamp(2, READERS);
        let direct = (0..cores).map(|_| connection::open_direct_reader(path).map(Mutex::new));
        Ok(Self { queue: Some(queue), threads, direct: direct.collect::<Result<_>>()?, health })
    }

    /// Runs the work on one snapshot.
    pub(super) async fn run(&self, work: Reading) -> Result<()> {
        let repairs = self.health.repairs();
        let read = self.on_connection(|connection| in_snapshot(connection, work)).await;
        read.inspect_err(|error| self.health.read_failed(error, repairs))
    }

    /// Reads a row, to learn whether anything can be read, and looks whether the file is still in its place.
    pub(super) async fn probe(&self) -> Result<()> {
        let sql = "SELECT count(*) FROM (SELECT 1 FROM vault LIMIT 1)";
        let health = Arc::clone(&self.health);
        let probe = move |connection: &Connection| {
            health.check_file()?;
            connection.query_row(sql, [], |_| Ok(())).stored()
        };
        self.on_connection(probe).await
    }

    /// Runs the work, which reads a few rows, on the caller's thread if a connection is free.
    pub(super) async fn read_few(&self, work: Reading) -> Result<()> {
        let repairs = self.health.repairs();
        match self.try_on_this_thread(work) {
            Ok(done) => done.inspect_err(|error| self.health.read_failed(error, repairs)),
            Err(work) => self.run(work).await,
        }
    }

    /// Runs the work on this thread; returns it if no connection is free.
    fn try_on_this_thread(&self, work: Reading) -> std::result::Result<Result<()>, Reading> {
        let Some(connection) = self.direct.iter().find_map(|one| one.try_lock().ok()) else {
            return Err(work);
        };
        // Caught, so that a panic does not poison the connection.
        let read = AssertUnwindSafe(|| in_snapshot(&connection, work));
        Ok(std::panic::catch_unwind(read).unwrap_or_else(|_| Err(panicked())))
    }

    /// Checks the whole file.
    pub(super) async fn check(&self) -> Result<Vec<String>> {
        let checked = self.on_connection(quick_check).await;
        checked.map(|problems| [self.health.findings(), problems].concat())
    }

    async fn on_connection<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let gone = || Error::unavailable("the store is closed");
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let _ = answer.send(work(connection));
        });
        let queue = self.queue.as_ref().ok_or_else(gone)?;
        queue.send(job).await.map_err(|_| gone())?;
        answered.await.map_err(|_| panicked())?
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.queue = None;
        for thread in self.threads.drain(..) {
            // The caller has got an error for the panic already.
            let _ = thread.join();
        }
    }
}

fn panicked() -> Error {
    Error::damaged("a bug: the work inside a snapshot panicked")
}

fn start_one(connection: Connection, jobs: Queue) -> Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name("everwhen-reader".into())
        .spawn(move || {
            while let Some(job) = next(&jobs) {
                // The caller notices a panic because its channel closes.
                let _ = std::panic::catch_unwind(AssertUnwindSafe(|| job(&connection)));
            }
        })
        .map_err(|error| Error::unavailable(format!("no reader thread: {error}")))
}

fn next(jobs: &Queue) -> Option<Job> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv()
}

fn in_snapshot(connection: &Connection, work: Reading) -> Result<()> {
    let snapshot = ReadTransaction::begin(connection)?;
    work(&View::new(snapshot.0))
}

/// A transaction that only reads. Its two statements are kept prepared: that takes longer than
/// running them.
struct ReadTransaction<'c>(&'c Connection);

impl<'c> ReadTransaction<'c> {
    fn begin(connection: &'c Connection) -> Result<Self> {
        connection.send("BEGIN", &[])?;
        Ok(Self(connection))
    }
}

impl Drop for ReadTransaction<'_> {
    fn drop(&mut self) {
        // Nothing is lost, and the next BEGIN fails if this did.
        let _ = self.0.send("ROLLBACK", &[]);
    }
}

fn quick_check(connection: &Connection) -> Result<Vec<String>> {
    let mut statement = connection.prepare("PRAGMA quick_check(20)").stored()?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0)).stored()?;
    let lines: Vec<String> = lines.collect::<rusqlite::Result<_>>().stored()?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}
