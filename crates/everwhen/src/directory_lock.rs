//! The lock of the data directory: one process holds it at a time, and a server records there how
//! to reach it.
//!
//! `everwhen.lock` is locked for the life of the process and contains its pid, so that a second
//! process can report who holds the directory. `server.json` exists while a server runs: its URL
//! and a token that only users who can read the directory know.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use everwhen_platform::{make_private_directory, private_file, replace_private_file};
use serde_json::{Value, json};

use crate::{Error, Result};

const LOCK_FILE: &str = "everwhen.lock";
const SERVER_FILE: &str = "server.json";

/// A data directory that this process holds.
#[derive(Debug)]
pub struct DirectoryLock {
    directory: PathBuf,
    /// Locked until it is dropped or the process ends.
    _lock: File,
    /// The directory itself, locked too where the system can: the file may be removed while it is held.
    _directory_lock: Option<File>,
}

/// The process that holds the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockHolder {
    /// Its pid, if it has been written yet.
    pub pid: Option<u32>,
    /// How to reach it, if it is a server.
    pub server: Option<ServerAddress>,
}

/// What a running server writes for commands on the same machine.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerAddress {
    /// Its URL.
    pub url: String,
    /// The operator token.
    pub token: String,
    /// Its pid.
    pub pid: u32,
}

/// The result of trying to lock the directory.
#[derive(Debug)]
pub enum LockAttempt {
    /// This process holds the directory now.
    Held(DirectoryLock),
    /// Another process holds it.
    Taken(LockHolder),
}

/// The token is a secret and stays out of logs.
impl std::fmt::Debug for ServerAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ServerNote({} of process {})", self.url, self.pid)
    }
}

impl DirectoryLock {
    /// Locks the directory, which is created if it does not exist; an error if another process
    /// holds it.
    pub fn hold(directory: &Path) -> Result<Self> {
        match Self::ask(directory)? {
            LockAttempt::Held(held) => Ok(held),
            LockAttempt::Taken(holder) => Err(holder.refusal(directory)),
        }
    }

    /// Locks the directory, or returns the process that holds it.
    pub fn ask(directory: &Path) -> Result<LockAttempt> {
        make(directory)?;
        let mut lock = open_lock(directory)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Ok(LockAttempt::Taken(holder(directory, &mut lock)));
            }
            Err(TryLockError::Error(error)) => return Err(cannot("lock", directory, &error)),
        }
        let Ok(directory_lock) = lock_itself(directory) else {
            return Ok(LockAttempt::Taken(holder(directory, &mut lock)));
        };
        write_pid(&mut lock).map_err(|error| cannot("write to", directory, &error))?;
        remove_stale_note(directory)?;
        Ok(LockAttempt::Held(Self {
            directory: directory.to_owned(),
            _lock: lock,
            _directory_lock: directory_lock,
        }))
    }

    /// The path of the directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The path of a file in the directory that only its owner may read; created if it is absent.
    pub(crate) fn private_file(&self, name: &str) -> Result<PathBuf> {
        let path = self.directory.join(name);
        match private_file().truncate(false).open(&path) {
            Ok(_) => Ok(path),
            Err(error) => Err(cannot("write to", &self.directory, &error)),
        }
    }

    /// Records how to reach the server in this process, until the lock is dropped.
    pub fn announce(&self, url: &str, token: &str) -> Result<()> {
        let note = json!({ "url": url, "token": token, "pid": std::process::id() });
        let path = self.directory.join(SERVER_FILE);
        replace_private_file(&path, note.to_string().as_bytes())
            .map_err(|error| cannot("write to", &self.directory, &error))
    }
}

impl Drop for DirectoryLock {
    /// Runs before the lock is released, so that no other process's file is removed.
    fn drop(&mut self) {
        // A file that cannot be removed is stale from now on, and ignored as such.
        let _ = remove_stale_note(&self.directory);
    }
}

impl LockHolder {
    /// The error for a process that needs the directory.
    pub fn refusal(&self, directory: &Path) -> Error {
        let process =
            self.pid.map_or_else(|| "another process".into(), |pid| format!("process {pid}"));
        let serves = self.server.as_ref().map_or_else(String::new, |server| {
            format!(", which serves at {}; use it with --server, or stop it first", server.url)
        });
        Error::unavailable(format!(
            "the data directory {} is held by {process}{serves}",
            directory.display()
        ))
    }
}

/// Creates the directory, readable only by its owner; an existing one is left as it is.
fn make(directory: &Path) -> Result<()> {
    if directory.is_dir() {
        return Ok(());
    }
    if directory.exists() {
        return Err(Error::unavailable(format!(
            "the data directory {} is a file; name a directory with --data",
            directory.display()
        )));
    }
    make_private_directory(directory).map_err(|error| cannot("make", directory, &error))
}

/// Another process has locked it.
struct IsTaken;

/// Locks a directory as a file, which not every system and file system can.
fn lock_itself(directory: &Path) -> Result<Option<File>, IsTaken> {
    let Ok(file) = File::open(directory) else { return Ok(None) };
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(IsTaken),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

fn open_lock(directory: &Path) -> Result<File> {
    private_file()
        .read(true)
        .truncate(false)
        .open(directory.join(LOCK_FILE))
        .map_err(|error| cannot("write to", directory, &error))
}

fn cannot(what: &str, directory: &Path, error: &io::Error) -> Error {
    Error::unavailable(format!(
        "cannot {what} the data directory {}: {error}; make it writable, or name another with --data",
        directory.display()
    ))
}

fn write_pid(lock: &mut File) -> io::Result<()> {
    lock.set_len(0)?;
    write!(lock, "{}", std::process::id())
}

fn remove_stale_note(directory: &Path) -> Result<()> {
    match fs::remove_file(directory.join(SERVER_FILE)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(cannot("write to", directory, &error))
        }
        _ => Ok(()),
    }
}

fn holder(directory: &Path, lock: &mut File) -> LockHolder {
    let mut text = String::new();
    let read = lock.rewind().and_then(|()| lock.read_to_string(&mut text));
    let pid = read.ok().and_then(|_| text.trim().parse().ok());
    LockHolder { pid, server: read_note(directory) }
}

fn read_note(directory: &Path) -> Option<ServerAddress> {
    let text = fs::read_to_string(directory.join(SERVER_FILE)).ok()?;
    let note: Value = serde_json::from_str(&text).ok()?;
    Some(ServerAddress {
        url: note["url"].as_str()?.to_owned(),
        token: note["token"].as_str()?.to_owned(),
        pid: note["pid"].as_u64()?.try_into().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn mode(path: &Path) -> u32 {
        std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions()) & 0o777
    }

    #[test]
    fn the_directory_is_made_for_its_owner_only() {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("a/b");
        let held = DirectoryLock::hold(&directory).unwrap();
        held.announce("http://127.0.0.1:1", "secret").unwrap();
        assert_eq!(mode(&directory), 0o700);
        assert_eq!(mode(&directory.join(SERVER_FILE)), 0o600);
        assert_eq!(mode(&directory.join(LOCK_FILE)), 0o600);
    }

    #[test]
    fn removing_the_lock_file_lets_nobody_in() {
        let directory = tempfile::tempdir().unwrap();
        let first = DirectoryLock::hold(directory.path()).unwrap();
        first.announce("http://127.0.0.1:3939", "secret").unwrap();
        fs::remove_file(directory.path().join(LOCK_FILE)).unwrap();
        for _ in 0..2 {
            let error = DirectoryLock::hold(directory.path()).unwrap_err();
            assert!(error.message().contains("serves at http://127.0.0.1:3939"), "{error}");
        }
        drop(first);
        DirectoryLock::hold(directory.path()).unwrap();
    }

    #[test]
    fn whoever_comes_second_learns_who_was_first() {
        let directory = tempfile::tempdir().unwrap();
        let first = DirectoryLock::hold(directory.path()).unwrap();
        let error = DirectoryLock::hold(directory.path()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        let pid = format!("held by process {}", std::process::id());
        assert!(error.message().ends_with(&pid), "{error}");

        first.announce("http://127.0.0.1:3939", "secret").unwrap();
        let error = DirectoryLock::hold(directory.path()).unwrap_err();
        assert!(error.message().contains("serves at http://127.0.0.1:3939"), "{error}");
        assert!(!error.message().contains("secret"), "{error}");
    }

    #[test]
    fn the_note_of_a_server_can_be_read_while_it_holds() {
        let directory = tempfile::tempdir().unwrap();
        let held = DirectoryLock::hold(directory.path()).unwrap();
        held.announce("http://here", "secret").unwrap();
        let LockAttempt::Taken(holder) = DirectoryLock::ask(directory.path()).unwrap() else {
            panic!("two processes hold one directory")
        };
        let server = holder.server.unwrap();
        assert_eq!((server.url.as_str(), server.token.as_str()), ("http://here", "secret"));
        assert!(!format!("{server:?}").contains("secret"));
    }

    #[test]
    fn letting_go_removes_the_note() {
        let directory = tempfile::tempdir().unwrap();
        let held = DirectoryLock::hold(directory.path()).unwrap();
        held.announce("http://here", "secret").unwrap();
        drop(held);
        assert!(!directory.path().join(SERVER_FILE).exists());
        DirectoryLock::hold(directory.path()).unwrap();
    }

    #[test]
    fn the_note_of_a_server_that_died_is_ignored_and_removed() {
        let directory = tempfile::tempdir().unwrap();
        let note = directory.path().join(SERVER_FILE);
        fs::write(&note, r#"{"url": "http://gone", "token": "t", "pid": 1}"#).unwrap();
        let _held = DirectoryLock::hold(directory.path()).unwrap();
        assert!(!note.exists());
    }

    #[test]
    fn what_cannot_be_a_directory_is_refused_with_its_name() {
        let parent = tempfile::tempdir().unwrap();
        let file = parent.path().join("file");
        fs::write(&file, "x").unwrap();
        for (path, reason) in [
            (file.clone(), "is a file"),
            (file.join("below"), "cannot make"),
            ("/proc/everwhen".into(), "cannot make"),
            ("/proc/self/fdinfo".into(), "cannot write to"),
        ] {
            let error = DirectoryLock::hold(&path).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unavailable);
            assert!(error.message().contains(reason), "{error}");
            assert!(error.message().contains(path.to_str().unwrap()), "{error}");
            assert!(error.message().contains("--data"), "{error}");
        }
    }
}
