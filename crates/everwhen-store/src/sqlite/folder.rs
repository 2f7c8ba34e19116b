//! Folds the write-ahead log into the file while the writer goes on.
//!
//! Once the log has grown, a second connection copies it into the file, which takes most of the
//! work off the writer. Only the writer can begin the log anew, and only when all of it is folded:
//! so it folds the little that was added meanwhile itself, between two commits.

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

/// The log is long when it has so many pages (64 MiB).
pub(super) const LONG: c_int = 16_384;

/// Nobody folds.
const IDLE: u8 = 0;
/// The thread folds.
const FOLDING: u8 = 1;
/// The thread has folded; what came since is left to the writer.
const FOLDED: u8 = 2;

/// The thread that folds; it ends when the writer's connection, which pokes it, is closed.
pub(super) struct Folder {
    thread: Option<JoinHandle<()>>,
}

impl Folder {
    /// Starts the thread on the database at this path, poked by the connection that writes to it
    /// when the log has `long` pages.
    pub(super) fn start(path: &Path, writer: &mut Connection, long: c_int) -> Result<Self> {
        let own = connection::open_folder(path)?;
        let (poke, poked) = channel();
        let stage = Arc::new(AtomicU8::new(IDLE));
        let shared = Arc::clone(&stage);
        let thread = std::thread::Builder::new()
            .name("everwhen-folder".into())
            .spawn(move || fold_until_closed(&own, &poked, &shared))
            .map_err(|error| Error::unavailable(format!("no thread to fold with: {error}")))?;
        let tend = move |log: &mut Wal, pages: c_int| {
            tend(log, pages >= long, &stage, &poke);
            Ok(())
        };
        writer.wal_hook(Some(tend)).stored()?;
        Ok(Self { thread: Some(thread) })
    }
}

/// After every commit: has the log grown long, or has the thread folded it?
fn tend(log: &mut Wal, is_long: bool, stage: &AtomicU8, poke: &Sender<()>) {
    match stage.load(Ordering::Acquire) {
        IDLE if is_long => {
            stage.store(FOLDING, Ordering::Release);
            // The thread takes until this sender is gone.
            let _ = poke.send(());
        }
        FOLDED => {
            stage.store(IDLE, Ordering::Release);
            // What cannot be folded now, because somebody still reads it, is folded another time.
            let _ = log.checkpoint();
        }
        _ => {}
    }
}

fn fold_until_closed(connection: &Connection, poked: &Receiver<()>, stage: &AtomicU8) {
    while poked.recv().is_ok() {
        let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        stage.store(FOLDED, Ordering::Release);
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // A fold that panicked has changed nothing: the log still holds everything.
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
        let folder = Folder::start(&path, &mut writer, 20).unwrap();
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
        drop(folder);
        assert!(log.len() < rows * PAGE, "never begun anew: {} bytes", log.len());
        assert_eq!(kept, rows as i64);
    }
}
