//! Threads with a connection each.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::thread::JoinHandle;

use everwhen_engine::{Error, Result};
use tokio::sync::{Semaphore, oneshot};

use super::address::Address;
use super::board::{Board, Turn};
use super::connection::Connection;
use super::failure::Failure;

/// Works that may wait before callers have to.
const QUEUE: usize = 4096;

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

    /// Ends what was read, once whoever waited for it has it.
    fn leave(&self) {
        if let Some(connection) = &self.connection {
            connection.leave();
        }
    }
}

/// Something to be done on a line. It answers whoever waits for it itself.
pub(super) type Work = Box<dyn FnOnce(&mut Line) + Send>;

/// The threads, and what waits for them.
pub(super) struct Pool<W> {
    board: Arc<Board<W>>,
    room: Semaphore,
    threads: Vec<JoinHandle<()>>,
}

/// How a pool's threads work.
pub(super) struct Crew<W> {
    pub(super) name: &'static str,
    pub(super) threads: usize,
    /// Works of one turn that are taken at a time.
    pub(super) together: usize,
    pub(super) serve: fn(&mut Line, Vec<W>),
}

impl<W: Send + 'static> Pool<W> {
    /// Starts the threads.
    pub(super) fn start(address: &Address, crew: &Crew<W>) -> Result<Self> {
        let board = Arc::new(Board::new());
        let threads = (0..crew.threads)
            .map(|_| start_one(Line::new(address.clone()), Arc::clone(&board), crew))
            .collect::<Result<_>>()?;
        Ok(Self { board, room: Semaphore::new(QUEUE), threads })
    }

    /// Has a work done, and waits for the answer that it was made to give.
    pub(super) async fn have_done<T>(
        &self,
        turn: Option<Turn>,
        work: W,
        answered: oneshot::Receiver<Result<T>>,
    ) -> Result<T> {
        let _place = self.room.acquire().await.map_err(|_| Error::unavailable("it is closed"))?;
        self.board.put(turn, work);
        answered
            .await
            .map_err(|_| Error::damaged("a bug: the work inside a transaction panicked"))?
    }
}

impl Pool<Work> {
    /// Runs a work on a line that is free.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Line) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (answer, answered) = oneshot::channel();
        let work: Work = Box::new(move |line| {
            let _ = answer.send(work(line));
            line.leave();
        });
        self.have_done(None, work, answered).await
    }

    /// Leaves a work to a line that is free; nobody waits for it.
    pub(super) fn leave_to(&self, work: impl FnOnce(&mut Line) + Send + 'static) {
        self.board.put(None, Box::new(work));
    }
}

impl<W> Drop for Pool<W> {
    fn drop(&mut self) {
        self.board.close();
        for thread in self.threads.drain(..) {
            // A panic of the thread has been reported to whoever waited for it.
            let _ = thread.join();
        }
    }
}

fn start_one<W: Send + 'static>(
    mut line: Line,
    board: Arc<Board<W>>,
    crew: &Crew<W>,
) -> Result<JoinHandle<()>> {
    let (name, together, serve) = (crew.name, crew.together, crew.serve);
    std::thread::Builder::new()
        .name(format!("everwhen-{name}"))
        .spawn(move || {
            while let Some(taken) = board.take(together) {
                // Callers learn of a panic by the answer that never comes.
                let served = AssertUnwindSafe(|| serve(&mut line, taken.works));
                if std::panic::catch_unwind(served).is_err() {
                    line.hang_up();
                }
                board.done(taken.turn);
            }
        })
        .map_err(|error| Error::unavailable(format!("no {name} thread: {error}")))
}
