//! What a SQLite store knows about its disk: whether the last write failed, whether the file is damaged or no longer
//! where it was opened, and whether the log it was opened with had an end that could not be read.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use everwhen_engine::{Error, ErrorKind, Result};
use everwhen_platform::FileIdentity;

use super::failure::is_damage;

/// A write that succeeded is believed for this long.
const BELIEVED: Duration = Duration::from_secs(30);

/// What is known, shared by the threads of a store.
#[derive(Debug, Default)]
pub(super) struct StoreHealth {
    known: Mutex<KnownHealth>,
    /// The file, and which one it was when it was opened.
    opened: OnceLock<(PathBuf, FileIdentity)>,
}

#[derive(Debug, Default)]
struct KnownHealth {
    /// Why the last write failed, if the store was the reason.
    failure: Option<Error>,
    /// A page that could not be read, once there was one.
    damage: Option<Error>,
    /// Whether the damage is known to be none that can be repaired.
    is_final: bool,
    /// How often a damage was repaired.
    repairs: u64,
    /// When something was last stored.
    stored_at: Option<Instant>,
    /// What was found when the file was opened.
    found: Vec<String>,
}

impl StoreHealth {
    /// Notes what was found when the file was opened.
    pub(super) fn found(&self, sentence: String) {
        tracing::warn!("{sentence}");
        self.lock().found.push(sentence);
    }

    /// What was found when the file was opened.
    pub(super) fn findings(&self) -> Vec<String> {
        self.lock().found.clone()
    }

    /// Notes that something was stored.
    pub(super) fn stored(&self) {
        let mut known = self.lock();
        known.stored_at = Some(Instant::now());
        if known.failure.take().is_some() {
            tracing::info!("the database can be written again");
        }
    }

    /// Notes why something could not be stored, if the store is the reason. Logs it once.
    pub(super) fn failed(&self, error: &Error) {
        self.read_failed(error, self.repairs());
        if error.kind() != ErrorKind::Unavailable {
            return;
        }
        let mut known = self.lock();
        known.stored_at = None;
        if known.failure.as_ref() != Some(error) {
            tracing::error!(%error, "nothing can be stored");
            known.failure = Some(error.clone());
        }
    }

    /// Notes that a page could not be read, if that is what the error says. Logs it once. If there were
    /// fewer repairs when the read began than now, it does not count.
    pub(super) fn read_failed(&self, error: &Error, repairs: u64) {
        let mut known = self.lock();
        if is_damage(error) && known.repairs == repairs && known.damage.is_none() {
            tracing::error!(%error, "the database is damaged");
            known.damage = Some(error.clone());
        }
    }

    /// How often a damage was repaired.
    pub(super) fn repairs(&self) -> u64 {
        self.lock().repairs
    }

    /// Whether there is a damage of which it is not known whether it can be repaired.
    pub(super) fn may_be_repaired(&self) -> bool {
        let known = self.lock();
        known.damage.is_some() && !known.is_final
    }

    /// Whether a damage is known to be none that can be repaired.
    pub(super) fn is_final(&self) -> bool {
        self.lock().is_final
    }

    /// Notes that the damage was repaired, as this sentence says.
    pub(super) fn repaired(&self, sentence: String) {
        let mut known = self.lock();
        known.damage = None;
        known.repairs += 1;
        drop(known);
        self.found(sentence);
    }

    /// Notes that the damage cannot be repaired.
    pub(super) fn cannot_be_repaired(&self) {
        tracing::error!("the database is damaged; stop the server and restore a backup");
        self.lock().is_final = true;
    }

    /// Fails with what is known to be permanently wrong.
    pub(super) fn check_damage(&self) -> Result<()> {
        self.lock().damage.clone().map_or(Ok(()), Err)
    }

    /// Whether a write should be tried to know whether one succeeds.
    pub(super) fn is_unknown(&self) -> bool {
        let known = self.lock();
        known.failure.is_some() || known.stored_at.is_none_or(|at| at.elapsed() > BELIEVED)
    }

    fn lock(&self) -> MutexGuard<'_, KnownHealth> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StoreHealth {
    /// Notes which file was opened.
    pub(super) fn opened(&self, path: &Path) {
        if let Ok(identity) = FileIdentity::of(path) {
            // Set once, when the store is opened.
            let _ = self.opened.set((path.to_owned(), identity));
        }
    }

    /// Fails if the file that was opened is no longer where it was: whatever is written to it is lost once it is
    /// closed.
    pub(super) fn check_file(&self) -> Result<()> {
        let Some((path, opened)) = self.opened.get() else { return Ok(()) };
        let what = match FileIdentity::of(path) {
            Ok(now) if now == *opened => return Ok(()),
            Ok(_) => "replaced by another one",
            Err(error) if error.kind() == io::ErrorKind::NotFound => "removed",
            // It cannot be looked at, which does not say that it is gone.
            Err(_) => return Ok(()),
        };
        Err(Error::unavailable(format!(
            "{} was {what} while it was open; nothing more is stored. What was stored before can be read until the \
             server is stopped: put the file back, or export everything (everwhen export) before",
            path.display()
        )))
    }
}
