//! Which file: the first of a few in the data directory that no other process has locked.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use everwhen_engine::{Error, Result};
use everwhen_platform::{make_private_directory, private_file};

/// The maximum number of processes that share one data directory.
const MOST: usize = 64;

/// A file that this process has locked.
pub(super) struct Place {
    pub(super) file: PathBuf,
    /// Locked until it is dropped, or the process ends in any way. A file of its own, because SQLite's
    /// locks on the database end when any other handle to it is closed.
    _lock: File,
}

impl Place {
    /// Locks the first free file; the directory is made if it does not exist.
    pub(super) fn take(directory: &Path) -> Result<Self> {
        make_private_directory(directory).map_err(|error| cannot(directory, &error))?;
        for file in files(directory) {
            match lock(&file) {
                Ok(Some(lock)) => {
                    private_file()
                        .truncate(false)
                        .open(&file)
                        .map_err(|e| cannot(directory, &e))?;
                    return Ok(Self { file, _lock: lock });
                }
                Ok(None) => {}
                Err(error) => return Err(cannot(directory, &error)),
            }
        }
        Err(Error::unavailable(format!(
            "{MOST} servers use the data directory {}; give this one another with --data",
            directory.display()
        )))
    }

    /// Files of processes that are gone.
    pub(super) fn orphans(directory: &Path, own: &Self) -> Vec<Self> {
        let others = files(directory).filter(|file| *file != own.file && file.exists());
        others.filter_map(|file| Some(Self { _lock: lock(&file).ok()??, file })).collect()
    }

    /// Removes the file; what was in it has been taken over.
    pub(super) fn remove(&self) {
        for ending in ["", "-wal", "-shm"] {
            let mut name = self.file.clone().into_os_string();
            name.push(ending);
            // One that stays is empty, and taken over again by the next start.
            let _ = fs::remove_file(name);
        }
    }
}

fn files(directory: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let directory = directory.to_owned();
    (1..=MOST).map(move |number| match number {
        1 => directory.join("proxy-outbox.db"),
        _ => directory.join(format!("proxy-outbox-{number}.db")),
    })
}

/// The lock of a file; nothing if another process has it.
fn lock(file: &Path) -> io::Result<Option<File>> {
    let lock = private_file().truncate(false).open(file.with_extension("lock"))?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn cannot(directory: &Path, error: &io::Error) -> Error {
    Error::unavailable(format!(
        "cannot keep an outbox in the data directory {}: {error}; make it writable, or name another \
         with --data",
        directory.display()
    ))
}
