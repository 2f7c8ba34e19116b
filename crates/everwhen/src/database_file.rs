//! The database file of a data directory, and the note that there was one: a file that is lost is not replaced by an
//! empty one without a word.

use std::io::Write;
use std::path::{Path, PathBuf};

use everwhen_platform::private_file;

use crate::directory_lock::DirectoryLock;
use crate::{Error, Result};

/// The database file, inside the data directory.
pub const DATABASE_FILE: &str = "everwhen.db";

/// Exists once a database was made in the directory.
const NOTE: &str = "everwhen.made";
/// What is in it, for a person who opens it.
const NOTE_TEXT: &str = "A database was made in this directory. If everwhen.db is missing, Everwhen does not start \
                         with an empty one while this file is here.\n";

/// The path of the database file, which is made if the directory never had one.
pub(crate) fn database_file(held: &DirectoryLock) -> Result<PathBuf> {
    let directory = held.directory();
    let is_there = has_bytes(&directory.join(DATABASE_FILE));
    if !is_there && let Some(trace) = trace_of_database(directory) {
        return Err(missing(directory, &trace));
    }
    held.private_file(DATABASE_FILE)
}

/// Notes that the directory has a database. Without the note everything works, and a lost file is not noticed.
pub(crate) fn note_database(held: &DirectoryLock) {
    let path = held.directory().join(NOTE);
    if path.exists() {
        return;
    }
    let written =
        private_file().open(&path).and_then(|mut file| file.write_all(NOTE_TEXT.as_bytes()));
    if let Err(error) = written {
        tracing::warn!(%error, "that there is a database cannot be noted in the data directory");
    }
}

/// The file that shows that the directory had a database.
fn trace_of_database(directory: &Path) -> Option<PathBuf> {
    let note = directory.join(NOTE);
    let log = directory.join(format!("{DATABASE_FILE}-wal"));
    let is_missing = !directory.join(DATABASE_FILE).exists();
    // An empty file beside a log is one that was just made.
    if note.exists() { Some(note) } else { (is_missing && has_bytes(&log)).then_some(log) }
}

fn has_bytes(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.len() > 0)
}

fn missing(directory: &Path, trace: &Path) -> Error {
    let what = if directory.join(DATABASE_FILE).exists() { "is empty" } else { "is missing" };
    Error::damaged(format!(
        "{DATABASE_FILE} in {} {what}, but there was a database before: {} is there. Put the file back, or restore \
         a backup (everwhen backup FILE --restore); to begin with an empty database, remove {}",
        directory.display(),
        trace.display(),
        trace.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Environment, ErrorKind, Everwhen, Flags};

    fn config(directory: &Path) -> Config {
        let data = Some(directory.display().to_string());
        Config::load(&Environment::default(), &Flags { data, ..Flags::default() }).unwrap()
    }

    #[test]
    fn a_database_that_was_there_is_not_replaced_by_an_empty_one() {
        let directory = tempfile::tempdir().unwrap();
        let config = config(directory.path());
        drop(Everwhen::open(&config).unwrap());
        drop(Everwhen::open(&config).unwrap());
        let file = directory.path().join(DATABASE_FILE);
        std::fs::write(&file, "").unwrap();
        let error = Everwhen::open(&config).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Damaged);
        assert!(error.message().contains("is empty"), "{error}");
        std::fs::remove_file(&file).unwrap();
        let error = Everwhen::open(&config).unwrap_err();
        assert!(error.message().contains("is missing"), "{error}");
        assert!(!file.exists(), "nothing was made");
        std::fs::remove_file(directory.path().join(NOTE)).unwrap();
        drop(Everwhen::open(&config).unwrap());
    }

    #[test]
    fn a_log_without_its_database_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("everwhen.db-wal"), "entries").unwrap();
        let error = Everwhen::open(&config(directory.path())).unwrap_err();
        assert!(error.message().contains("everwhen.db-wal is there"), "{error}");
    }
}
