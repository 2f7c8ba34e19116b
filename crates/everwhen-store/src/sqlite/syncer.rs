//! Syncs the write-ahead log to disk while the writer continues.
//!
//! The writer commits without waiting for the disk and passes its answers on to this thread. One sync
//! covers every commit that was passed on before it began, and no caller is answered before it ended.
//! If a sync fails, it is unknown what the disk holds: from then on nothing is accepted.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use everwhen_engine::{Error, Result};
use tokio::sync::oneshot;

use super::health::StoreHealth;

/// Where the result of a write is sent.
pub(super) type WriteAnswer = oneshot::Sender<Result<()>>;

/// The answers of one commit.
pub(super) struct CommittedGroup {
    /// Each caller, with the result it gets if the sync succeeds.
    pub(super) answers: Vec<(WriteAnswer, Result<()>)>,
    /// Whether the commit wrote anything.
    pub(super) wrote: bool,
}

impl CommittedGroup {
    /// Answers every caller: with the error of the commit, or else with the result of its own work.
    pub(super) fn answer(self, result: &Result<()>) {
        for (answer, outcome) in self.answers {
            let _ = answer.send(outcome.and(result.clone()));
        }
    }
}

/// The thread that syncs.
pub(super) struct Syncer {
    queue: Option<Sender<CommittedGroup>>,
    thread: Option<JoinHandle<()>>,
    failed: Arc<OnceLock<Error>>,
}

impl Syncer {
    /// Starts the thread; `sync` makes everything durable that was committed.
    pub(super) fn start(
        health: Arc<StoreHealth>,
        mut sync: impl FnMut() -> io::Result<()> + Send + 'static,
    ) -> Result<Self> {
        let (queue, commits) = channel();
        let failed = Arc::new(OnceLock::new());
        let noted = Arc::clone(&failed);
        let thread = std::thread::Builder::new()
            .name("everwhen-syncer".into())
            .spawn(move || sync_until_closed(&commits, &mut sync, &noted, &health))
            .map_err(|error| Error::unavailable(format!("no thread to sync with: {error}")))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), failed })
    }

    /// Answers the callers of a commit once it is durable.
    pub(super) fn answer_when_durable(&self, committed: CommittedGroup) {
        if let Some(queue) = &self.queue {
            // The thread receives until the queue closes, which is when this is dropped.
            let _ = queue.send(committed);
        }
    }

    /// Why nothing can be stored any more, if a sync failed.
    pub(super) fn failure(&self) -> Option<Error> {
        self.failed.get().cloned()
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // The caller has got an error for the panic already.
            let _ = thread.join();
        }
    }
}

fn sync_until_closed(
    commits: &Receiver<CommittedGroup>,
    sync: &mut impl FnMut() -> io::Result<()>,
    failed: &OnceLock<Error>,
    health: &StoreHealth,
) {
    while let Ok(first) = commits.recv() {
        let all: Vec<CommittedGroup> = std::iter::once(first).chain(commits.try_iter()).collect();
        let wrote = all.iter().any(|committed| committed.wrote);
        let result = match failed.get() {
            Some(error) => Err(error.clone()),
            // Nothing was written that is not synced already.
            None if !wrote => Ok(()),
            None => sync().map_err(|error| failed.get_or_init(|| lost(&error)).clone()),
        };
        match &result {
            Ok(()) if wrote => health.stored(),
            Ok(()) => {}
            Err(error) => health.failed(error),
        }
        all.into_iter().for_each(|committed| committed.answer(&result));
    }
}

fn lost(error: &io::Error) -> Error {
    Error::unavailable(format!(
        "the disk did not keep what was written ({error}); nothing more is stored until the \
         disk is repaired and the program started again"
    ))
}

/// The write-ahead log of a database.
pub(super) struct WalFile {
    path: PathBuf,
    file: Option<File>,
}

impl WalFile {
    /// The log of the database at this path; the first write creates it.
    pub(super) fn of(database: &Path) -> Self {
        let mut path = database.as_os_str().to_owned();
        path.push("-wal");
        Self { path: path.into(), file: None }
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes durable what was written.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        if self.file.is_none() {
            self.file = Some(OpenOptions::new().read(true).write(true).open(&self.path)?);
            // The log may be new; without its entry in the directory it cannot be found after a power cut.
            self.path.parent().map_or(Ok(()), everwhen_platform::sync_directory)?;
        }
        self.file.as_ref().map_or(Ok(()), File::sync_data)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn commit(wrote: bool, outcome: Result<()>) -> (CommittedGroup, oneshot::Receiver<Result<()>>) {
        let (answer, answered) = oneshot::channel();
        (CommittedGroup { answers: vec![(answer, outcome)], wrote }, answered)
    }

    #[test]
    fn nobody_is_answered_before_the_sync_ends() {
        let (go, gone) = channel();
        let syncer =
            Syncer::start(Arc::default(), move || gone.recv().map_err(io::Error::other)).unwrap();
        let (committed, mut answered) = commit(true, Ok(()));
        syncer.answer_when_durable(committed);
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(answered.try_recv().is_err(), "answered too early");
        go.send(()).unwrap();
        assert_eq!(answered.blocking_recv().unwrap(), Ok(()));
    }

    #[test]
    fn what_wrote_nothing_waits_for_no_disk_but_keeps_its_turn() {
        let syncs = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&syncs);
        let syncer = Syncer::start(Arc::default(), move || {
            counted.fetch_add(1, Ordering::SeqCst);
            Ok(())
        });
        let syncer = syncer.unwrap();
        let (committed, answered) = commit(false, Err(Error::conflict("no")));
        syncer.answer_when_durable(committed);
        assert_eq!(answered.blocking_recv().unwrap(), Err(Error::conflict("no")));
        assert_eq!(syncs.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn a_failed_sync_is_told_and_nothing_is_accepted_after_it() {
        let syncer = Syncer::start(Arc::default(), || Err(io::Error::other("gone"))).unwrap();
        for _ in 0..2 {
            let (committed, answered) = commit(true, Ok(()));
            syncer.answer_when_durable(committed);
            let error = answered.blocking_recv().unwrap().unwrap_err();
            assert!(error.to_string().contains("did not keep what was written (gone)"), "{error}");
        }
        assert!(syncer.failure().is_some());
    }
}
