//! Checkpoints the write-ahead log while the writer goes on.
//!
//! Once the log has grown, a second connection copies it into the file, which takes most of the
//! work off the writer. Only the writer can start the log again from its beginning, and only when
//! all of it has been copied: so it copies what was added meanwhile itself, between two commits.

use std::ffi::c_int;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use everwhen_engine::{Error, Result};
use rusqlite::Connection;
use rusqlite::hooks::Wal;

use super::connection;
use super::failure::Stored;

/// A log of this many pages (64 MiB) is copied into the file.
pub(super) const LONG: c_int = 16_384;

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
        let stage = Arc::new(AtomicU8::new(IDLE));
        let shared = Arc::clone(&stage);
        let thread = std::thread::Builder::new()
            .name("everwhen-checkpoint".into())
            .spawn(move || copy_until_closed(&own, &woken, &shared))
            .map_err(|error| Error::unavailable(format!("no checkpoint thread: {error}")))?;
        let committed = move |log: &mut Wal, pages: c_int| {
            after_commit(log, pages >= long, &stage, &wake);
            Ok(())
        };
        writer.wal_hook(Some(committed)).stored()?;
        Ok(Self { thread: Some(thread) })
    }
}

/// After every commit: has the log grown long, or has the thread copied it?
fn after_commit(log: &mut Wal, is_long: bool, stage: &AtomicU8, wake: &Sender<()>) {
    match stage.load(Ordering::Acquire) {
        IDLE if is_long => {
            stage.store(COPYING, Ordering::Release);
            // The thread takes until this sender is gone.
            let _ = wake.send(());
        }
        COPIED => {
            stage.store(IDLE, Ordering::Release);
            // What a reader still needs of the log is copied another time.
            let _ = log.checkpoint();
        }
        _ => {}
    }
}

fn copy_until_closed(connection: &Connection, woken: &Receiver<()>, stage: &AtomicU8) {
    while woken.recv().is_ok() {
        let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        stage.store(COPIED, Ordering::Release);
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
    use super::super::SqliteOptions;
    use super::*;

    const PAGE: usize = 4096;

    #[test]
    fn a_log_that_is_written_all_the_time_stays_short_and_loses_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log.db");
        let mut writer = connection::open_writer(&path, SqliteOptions::default()).unwrap();
        let checkpointer = Checkpointer::start(&path, &mut writer, 20).unwrap();
        writer.execute_batch("CREATE TABLE said (text TEXT)").unwrap();
        let rows = 3000;
        let text = "x".repeat(3 * PAGE);
        for _ in 0..rows {
            writer.execute("INSERT INTO said VALUES (?1)", [&text]).unwrap();
        }
        let log = std::fs::read(path.with_extension("db-wal")).unwrap();
        let kept: i64 =
            writer.query_row("SELECT count(*) FROM said", [], |row| row.get(0)).unwrap();
        drop(writer);
        drop(checkpointer);
        assert!(log.len() < rows * PAGE, "never restarted: {} bytes", log.len());
        assert_eq!(kept, rows as i64);
    }
}
