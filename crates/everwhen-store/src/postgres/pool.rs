//! Threads with a connection each. Whatever waits is taken by the first that is free.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use everwhen_engine::{Error, Result};
use tokio::sync::{mpsc, oneshot};

use super::address::Address;
use super::connection::Connection;
use super::failure::Failure;

/// Works that may wait before callers have to.
const QUEUE: usize = 4096;

type Work = Box<dyn FnOnce(&mut Line) + Send>;
type Queue = Arc<Mutex<mpsc::Receiver<Work>>>;

/// A line to the database: made when it is first needed, and anew when it breaks.
pub(super) struct Line {
    address: Address,
    connection: Option<Connection>,
}

impl Line {
    pub(super) fn new(address: Address) -> Self {
        Self { address, connection: None }
    }

    /// The connection.
    pub(super) fn connection(&mut self) -> Result<&Connection, Failure> {
        match &mut self.connection {
            Some(known) => Ok(known),
            empty => Ok(empty.insert(Connection::open(&self.address)?)),
        }
    }

    /// Gives the connection up; the next use makes another.
    pub(super) fn hang_up(&mut self) {
        self.connection = None;
    }
}

/// The threads.
pub(super) struct Pool {
    queue: Option<mpsc::Sender<Work>>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts so many threads.
    pub(super) fn start(address: &Address, count: usize, name: &str) -> Result<Self> {
        let (queue, works) = mpsc::channel(QUEUE);
        let works: Queue = Arc::new(Mutex::new(works));
        let threads = (0..count)
            .map(|_| start_one(Line::new(address.clone()), Arc::clone(&works), name))
            .collect::<Result<_>>()?;
        Ok(Self { queue: Some(queue), threads })
    }

    /// Runs a work on a line that is free.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Line) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let gone = || Error::unavailable("the store is closed");
        let (answer, answered) = oneshot::channel();
        let work: Work = Box::new(move |line| {
            let _ = answer.send(work(line));
        });
        let queue = self.queue.as_ref().ok_or_else(gone)?;
        queue.send(work).await.map_err(|_| gone())?;
        answered
            .await
            .map_err(|_| Error::damaged("a bug: the work inside a transaction panicked"))?
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queue = None;
        for thread in self.threads.drain(..) {
            // A panic of the thread has been reported to whoever waited for it.
            let _ = thread.join();
        }
    }
}

fn start_one(mut line: Line, works: Queue, name: &str) -> Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name(format!("everwhen-{name}"))
        .spawn(move || {
            while let Some(work) = next(&works) {
                // The caller learns of a panic by the answer that never comes.
                if std::panic::catch_unwind(AssertUnwindSafe(|| work(&mut line))).is_err() {
                    line.hang_up();
                }
            }
        })
        .map_err(|error| Error::unavailable(format!("no {name} thread: {error}")))
}

fn next(works: &Queue) -> Option<Work> {
    works.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv()
}
