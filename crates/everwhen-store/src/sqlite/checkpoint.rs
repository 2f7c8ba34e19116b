//! Checkpoints the write-ahead log while the writer goes on.
//!
//! Once the log has grown, a second connection copies it into the file, which takes most of the
//! work off the writer. Only the writer can start the log again from its beginning, and only when
//! all of it has been copied: so it copies what was added meanwhile itself, between two commits.
//!
//! A log that nothing was added to for a while is copied too, so that it is not the only copy of what
//! was written.

use std::ffi::c_int;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use everwhen_engine::{Error, Result};
use rusqlite::Connection;
use rusqlite::hooks::Wal;

use super::connection;
use super::failure::Stored;

/// A log of this many pages (64 MiB) is copied into the file.
pub(super) const LONG: c_int = 16_384;

/// A log that nothing was added to for this long is copied into the file.
const QUIET: Duration = Duration::from_secs(2);

/// No checkpoint is running.
const IDLE: u8 = 0;
/// The thread copies the log.
const COPYING: u8 = 1;
/// The thread has copied the log; what was added since is left to the writer.
const COPIED: u8 = 2;

/// The thread that copies the log; it ends when the writer's connection, which wakes it, is closed.
pub(super) struct Checkpointer {
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    /// Starts the thread on the database at this path, woken by the connection that writes to it
    /// when the log has `long` pages.
    pub(super) fn start(path: &Path, writer: &mut Connection, long: c_int) -> Result<Self> {
        let own = connection::open_checkpointer(path)?;
        let (wake, woken) = channel();
        let progress = Arc::new(Progress::default());
        let shared = Arc::clone(&progress);
        let thread = std::thread::Builder::new()
            .name("everwhen-checkpoint".into())
            .spawn(move || copy_until_closed(&own, &woken, &shared))
            .map_err(|error| Error::unavailable(format!("no checkpoint thread: {error}")))?;
        let committed = move |log: &mut Wal, pages: c_int| {
            after_commit(log, pages >= long, &progress, &wake);
            Ok(())
        };
        writer.wal_hook(Some(committed)).stored()?;
        Ok(Self { thread: Some(thread) })
    }
}

/// What the writer and the thread tell each other.
#[derive(Default)]
struct Progress {
    stage: AtomicU8,
    /// The number of commits.
    commits: AtomicU64,
    /// Whether the thread knows that something was committed since it last copied a quiet log.
    is_watched: AtomicBool,
}

/// After every commit: has the log grown long, or has the thread copied it?
fn after_commit(log: &mut Wal, is_long: bool, progress: &Progress, wake: &Sender<()>) {
    progress.commits.fetch_add(1, Ordering::AcqRel);
    let is_first = !progress.is_watched.swap(true, Ordering::AcqRel);
    match progress.stage.load(Ordering::Acquire) {
        IDLE if is_long => {
            progress.stage.store(COPYING, Ordering::Release);
            // The thread takes until this sender is gone.
            let _ = wake.send(());
        }
        IDLE if is_first => drop(wake.send(())),
        COPIED => {
            progress.stage.store(IDLE, Ordering::Release);
            // What a reader still needs of the log is copied another time.
            let _ = log.checkpoint();
        }
        _ => {}
    }
}

fn copy_until_closed(connection: &Connection, woken: &Receiver<()>, progress: &Progress) {
    while woken.recv().is_ok() {
        copy_if_long(connection, progress);
        if !copy_once_quiet(connection, woken, progress) {
            return;
        }
    }
}

/// Copies the log if the writer asks for it.
fn copy_if_long(connection: &Connection, progress: &Progress) {
    if progress.stage.load(Ordering::Acquire) == COPYING {
        copy(connection);
        progress.stage.store(COPIED, Ordering::Release);
    }
}

/// Waits until nothing was committed for a while, and copies the log then; false if the writer is gone.
fn copy_once_quiet(connection: &Connection, woken: &Receiver<()>, progress: &Progress) -> bool {
    let mut seen = progress.commits.load(Ordering::Acquire);
    loop {
        match woken.recv_timeout(QUIET) {
            Ok(()) => copy_if_long(connection, progress),
            Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) => {
                let commits = progress.commits.load(Ordering::Acquire);
                if commits == seen {
                    // Whatever is committed from here on wakes this thread again.
                    progress.is_watched.store(false, Ordering::Release);
                    copy(connection);
                    return true;
                }
                seen = commits;
            }
        }
    }
}

fn copy(connection: &Connection) {
    if let Err(error) = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())) {
        tracing::warn!(%error, "the log cannot be copied into the database; it is kept");
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // A checkpoint that panicked has changed nothing: the log still holds everything.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::super::SqliteOptions;
    use super::*;

    const PAGE: usize = 4096;

    /// How often the log was begun again, as its header counts it.
    fn restarts(database: &Path) -> u32 {
        let mut header = [0; 16];
        let mut log = std::fs::File::open(database.with_extension("db-wal")).unwrap();
        log.read_exact(&mut header).unwrap();
        u32::from_be_bytes(header[12..].try_into().unwrap())
    }

    #[test]
    fn a_log_that_is_written_all_the_time_stays_short_and_loses_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log.db");
        let mut writer = connection::open_writer(&path, SqliteOptions::default()).unwrap();
        let checkpointer = Checkpointer::start(&path, &mut writer, 20).unwrap();
        writer.execute_batch("CREATE TABLE said (text TEXT)").unwrap();
        let text = "x".repeat(3 * PAGE);
        let mut rows = 0;
        while restarts(&path) < 2 {
            assert!(rows < 30_000, "the log was restarted {} times", restarts(&path));
            writer.execute("INSERT INTO said VALUES (?1)", [&text]).unwrap();
            rows += 1;
        }
        let kept: i64 =
            writer.query_row("SELECT count(*) FROM said", [], |row| row.get(0)).unwrap();
        drop(writer);
        drop(checkpointer);
        assert_eq!(kept, rows);
    }

    #[test]
    fn a_log_that_is_left_alone_is_copied_into_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("quiet.db");
        let mut writer = connection::open_writer(&path, SqliteOptions::default()).unwrap();
        let checkpointer = Checkpointer::start(&path, &mut writer, LONG).unwrap();
        writer.execute_batch("CREATE TABLE said (text TEXT)").unwrap();
        for text in ["in the file at last", "and once more"] {
            writer.execute("INSERT INTO said VALUES (?1)", [text]).unwrap();
            let holds =
                |bytes: &[u8]| bytes.windows(text.len()).any(|part| part == text.as_bytes());
            while !holds(&std::fs::read(&path).unwrap()) {
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        drop(writer);
        drop(checkpointer);
    }
}
