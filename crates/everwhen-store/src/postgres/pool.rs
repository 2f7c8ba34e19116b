//! A pool of threads, each with its own connection.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::thread::JoinHandle;

use everwhen_engine::{Error, Result};
use tokio::sync::{Semaphore, oneshot};

use super::address::Address;
use super::connection::Connection;
use super::failure::Failure;
use super::work_queue::{QueueKey, WorkQueue};

/// The length of the queue above which callers wait to add more.
const QUEUE: usize = 4096;

/// A connection that is opened when it is first needed, and again after it broke.
pub(super) struct LazyConnection {
    address: Address,
    connection: Option<Connection>,
}

impl LazyConnection {
    pub(super) fn new(address: Address) -> Self {
        Self { address, connection: None }
    }

    /// Returns the connection, opened if needed.
    pub(super) fn connection(&mut self) -> Result<&Connection, Failure> {
        match &mut self.connection {
            Some(known) => Ok(known),
            empty => Ok(empty.insert(Connection::open(&self.address)?)),
        }
    }

    /// Drops the connection; the next use opens another.
    pub(super) fn disconnect(&mut self) {
        self.connection = None;
    }

    /// Ends the transaction that was read in; called after the result was delivered.
    fn end_read(&self) {
        if let Some(connection) = &self.connection {
            connection.end_read();
        }
    }
}

/// Work on a connection; it delivers its own result.
pub(super) type Work = Box<dyn FnOnce(&mut LazyConnection) + Send>;

/// The threads and their queue.
pub(super) struct Pool<W> {
    queue: Arc<WorkQueue<W>>,
    capacity: Semaphore,
    threads: Vec<JoinHandle<()>>,
}

/// What the threads of a pool do.
pub(super) struct PoolOptions<W> {
    pub(super) name: &'static str,
    pub(super) threads: usize,
    /// The most work with one key that is taken at a time.
    pub(super) batch: usize,
    pub(super) run: fn(&mut LazyConnection, Vec<W>),
}

impl<W: Send + 'static> Pool<W> {
    /// Starts the threads.
    pub(super) fn start(address: &Address, options: &PoolOptions<W>) -> Result<Self> {
        let queue = Arc::new(WorkQueue::new());
        let threads = (0..options.threads)
            .map(|_| start_one(LazyConnection::new(address.clone()), Arc::clone(&queue), options))
            .collect::<Result<_>>()?;
        Ok(Self { queue, capacity: Semaphore::new(QUEUE), threads })
    }

    /// Adds work to the queue and waits for its result.
    pub(super) async fn submit<T>(
        &self,
        key: Option<QueueKey>,
        work: W,
        result: oneshot::Receiver<Result<T>>,
    ) -> Result<T> {
        let _permit =
            self.capacity.acquire().await.map_err(|_| Error::unavailable("it is closed"))?;
        self.queue.push(key, work);
        result.await.map_err(|_| Error::damaged("a bug: the work inside a transaction panicked"))?
    }
}

impl Pool<Work> {
    /// Runs work on the next free connection.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut LazyConnection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (sender, result) = oneshot::channel();
        let work: Work = Box::new(move |connection| {
            let _ = sender.send(work(connection));
            connection.end_read();
        });
        self.submit(None, work, result).await
    }

    /// Queues work whose result nothing waits for.
    pub(super) fn run_later(&self, work: impl FnOnce(&mut LazyConnection) + Send + 'static) {
        self.queue.push(None, Box::new(work));
    }
}

impl<W> Drop for Pool<W> {
    fn drop(&mut self) {
        self.queue.close();
        for thread in self.threads.drain(..) {
            // The caller has got an error for the panic already.
            let _ = thread.join();
        }
    }
}

fn start_one<W: Send + 'static>(
    mut connection: LazyConnection,
    queue: Arc<WorkQueue<W>>,
    options: &PoolOptions<W>,
) -> Result<JoinHandle<()>> {
    let (name, batch, run) = (options.name, options.batch, options.run);
    std::thread::Builder::new()
        .name(format!("everwhen-{name}"))
        .spawn(move || {
            while let Some(taken) = queue.take(batch) {
                // Callers notice a panic because their result channel closes.
                let ran = AssertUnwindSafe(|| run(&mut connection, taken.works));
                if std::panic::catch_unwind(ran).is_err() {
                    connection.disconnect();
                }
                queue.finish(taken.key);
            }
        })
        .map_err(|error| Error::unavailable(format!("no {name} thread: {error}")))
}
