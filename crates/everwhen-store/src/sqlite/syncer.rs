//! Presses the write-ahead log onto the disk while the writer goes on.
//!
//! The writer commits without waiting for the disk and hands its answers over. One sync covers
//! every commit that was handed over before it began, and nobody is answered before it ended. If a
//! sync fails, nobody can say what the disk holds: from then on nothing is accepted.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use everwhen_engine::{Error, Result};
use tokio::sync::oneshot;

/// Whoever waits for a write.
pub(super) type Answer = oneshot::Sender<Result<()>>;

/// The answers of one commit.
pub(super) struct Committed {
    /// Who waits, and what they will hear if the disk keeps it.
    pub(super) answers: Vec<(Answer, Result<()>)>,
    /// Whether the commit wrote anything.
    pub(super) wrote: bool,
}

impl Committed {
    /// Tells everybody, all that failed or else what came of their own work.
    pub(super) fn answer(self, fate: &Result<()>) {
        for (answer, outcome) in self.answers {
            let _ = answer.send(outcome.and(fate.clone()));
        }
    }
}

/// The thread that syncs.
pub(super) struct Syncer {
    queue: Option<Sender<Committed>>,
    thread: Option<JoinHandle<()>>,
    failed: Arc<OnceLock<Error>>,
}

impl Syncer {
    /// Starts the thread on whatever makes all that was committed durable.
    pub(super) fn start(mut sync: impl FnMut() -> io::Result<()> + Send + 'static) -> Result<Self> {
        let (queue, commits) = channel();
        let failed = Arc::new(OnceLock::new());
        let noted = Arc::clone(&failed);
        let thread = std::thread::Builder::new()
            .name("everwhen-syncer".into())
            .spawn(move || sync_until_closed(&commits, &mut sync, &noted))
            .map_err(|error| Error::unavailable(format!("no thread to sync with: {error}")))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), failed })
    }

    /// Answers a commit once it is durable.
    pub(super) fn settle(&self, committed: Committed) {
        if let Some(queue) = &self.queue {
            // The thread takes until the queue closes, which is when this is dropped.
            let _ = queue.send(committed);
        }
    }

    /// Why nothing can be stored any more.
    pub(super) fn failure(&self) -> Option<Error> {
        self.failed.get().cloned()
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported to whoever waited for it.
            let _ = thread.join();
        }
    }
}

fn sync_until_closed(
    commits: &Receiver<Committed>,
    sync: &mut impl FnMut() -> io::Result<()>,
    failed: &OnceLock<Error>,
) {
    while let Ok(first) = commits.recv() {
        let all: Vec<Committed> = std::iter::once(first).chain(commits.try_iter()).collect();
        let fate = match failed.get() {
            Some(error) => Err(error.clone()),
            // What the others tell of was synced before.
            None if !all.iter().any(|committed| committed.wrote) => Ok(()),
            None => sync().map_err(|error| failed.get_or_init(|| lost(&error)).clone()),
        };
        all.into_iter().for_each(|committed| committed.answer(&fate));
    }
}

fn lost(error: &io::Error) -> Error {
    Error::unavailable(format!(
        "the disk did not keep what was written ({error}); nothing more is stored until the \
         disk is repaired and the program started again"
    ))
}

/// The write-ahead log of a database.
pub(super) struct Log {
    path: PathBuf,
    file: Option<File>,
}

impl Log {
    /// The log of the database at this path; it appears with the first write and then stays.
    pub(super) fn of(database: &Path) -> Self {
        let mut path = database.as_os_str().to_owned();
        path.push("-wal");
        Self { path: path.into(), file: None }
    }

    /// Makes durable what was written to it.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        if self.file.is_none() {
            self.file = Some(OpenOptions::new().read(true).write(true).open(&self.path)?);
        }
        self.file.as_ref().map_or(Ok(()), File::sync_data)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn commit(wrote: bool, outcome: Result<()>) -> (Committed, oneshot::Receiver<Result<()>>) {
        let (answer, answered) = oneshot::channel();
        (Committed { answers: vec![(answer, outcome)], wrote }, answered)
    }

    #[test]
    fn nobody_is_answered_before_the_sync_ends() {
        let (go, gone) = channel();
        let syncer = Syncer::start(move || gone.recv().map_err(io::Error::other)).unwrap();
        let (committed, mut answered) = commit(true, Ok(()));
        syncer.settle(committed);
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(answered.try_recv().is_err(), "answered too early");
        go.send(()).unwrap();
        assert_eq!(answered.blocking_recv().unwrap(), Ok(()));
    }

    #[test]
    fn what_wrote_nothing_waits_for_no_disk_but_keeps_its_turn() {
        let syncs = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&syncs);
        let syncer = Syncer::start(move || {
            counted.fetch_add(1, Ordering::SeqCst);
            Ok(())
        });
        let syncer = syncer.unwrap();
        let (committed, answered) = commit(false, Err(Error::conflict("no")));
        syncer.settle(committed);
        assert_eq!(answered.blocking_recv().unwrap(), Err(Error::conflict("no")));
        assert_eq!(syncs.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn a_failed_sync_is_told_and_nothing_is_accepted_after_it() {
        let syncer = Syncer::start(|| Err(io::Error::other("gone"))).unwrap();
        for _ in 0..2 {
            let (committed, answered) = commit(true, Ok(()));
            syncer.settle(committed);
            let told = answered.blocking_recv().unwrap().unwrap_err();
            assert!(told.to_string().contains("did not keep what was written (gone)"), "{told}");
        }
        assert!(syncer.failure().is_some());
    }
}
