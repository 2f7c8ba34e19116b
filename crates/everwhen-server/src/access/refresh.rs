//! Keeps the keys in memory up to date, and stores when they were last used. Both happen beside
//! requests, in tasks that end with the [`Access`] they belong to.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use everwhen::key::KeyUse;
use everwhen::{Error, Result};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout};

use super::Access;
use super::known::KnownKey;

/// How often keys are read without being asked for. A key that another process added or removed is
/// noticed within this time.
const EVERY: Duration = Duration::from_secs(5);
/// Shortest interval between two reads that unknown keys cause.
const PAUSE: Duration = Duration::from_secs(1);
/// How often the last use of keys is stored.
const STORE_USES_EVERY: Duration = Duration::from_secs(60);

/// Asks the task that reads keys, and learns what came of it.
pub(super) struct Refresh {
    wanted: Notify,
    /// How many readings have begun.
    begun: AtomicU64,
    /// The last one that is over.
    done: watch::Sender<KeyRead>,
}

/// One reading of the keys.
#[derive(Debug, Clone, Copy)]
struct KeyRead {
    number: u64,
    begun_at: Instant,
    succeeded: bool,
}

impl Default for Refresh {
    fn default() -> Self {
        let first = KeyRead { number: 0, begun_at: Instant::now(), succeeded: true };
        Self { wanted: Notify::new(), begun: AtomicU64::new(0), done: watch::Sender::new(first) }
    }
}

impl Refresh {
    /// Waits for a reading that begins after this call, unless one began just now, but no longer
    /// than `patience`. Says whether the keys in memory are current then.
    pub(super) async fn run(&self, patience: Duration) -> bool {
        let last = *self.done.borrow();
        if last.begun_at.elapsed() < PAUSE {
            return last.succeeded;
        }
        let next = self.begun.load(Ordering::SeqCst) + 1;
        let mut done = self.done.subscribe();
        self.wake();
        let read = timeout(patience, done.wait_for(|reading| reading.number >= next)).await;
        matches!(read, Ok(Ok(reading)) if reading.succeeded)
    }

    /// Makes the task look again.
    pub(super) fn wake(&self) {
        self.wanted.notify_one();
    }
}

/// Starts both tasks.
pub(super) fn start(access: &Arc<Access>) {
    tokio::spawn(keep_current(Arc::downgrade(access), Arc::clone(&access.refresh)));
    tokio::spawn(store_uses(Arc::downgrade(access)));
}

async fn keep_current(access: Weak<Access>, refresh: Arc<Refresh>) {
    loop {
        // A timeout and a notification lead to the same read.
        let _ = timeout(EVERY, refresh.wanted.notified()).await;
        let Some(access) = access.upgrade() else { return };
        let number = refresh.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let begun_at = Instant::now();
        let read = read(&access).await;
        note(&refresh, read.as_ref().err());
        refresh.done.send_replace(KeyRead { number, begun_at, succeeded: read.is_ok() });
    }
}

async fn read(access: &Access) -> Result<()> {
    loop {
        let before = access.known();
        let keys = access.engine.keys().await?;
        if access.take_over(&before, &keys) {
            return Ok(());
        }
    }
}

/// Logs when the store stops answering and when it answers again, not each time in between.
fn note(refresh: &Refresh, error: Option<&Error>) {
    let had_succeeded = refresh.done.borrow().succeeded;
    match error {
        Some(error) if had_succeeded => {
            tracing::warn!(%error, "API keys cannot be read; those that are known go on working");
        }
        None if !had_succeeded => tracing::info!("API keys can be read again"),
        _ => {}
    }
}

async fn store_uses(access: Weak<Access>) {
    loop {
        tokio::time::sleep(STORE_USES_EVERY).await;
        let Some(access) = access.upgrade() else { return };
        access.store_uses().await;
    }
}

impl Access {
    /// Stores when keys were last used, where that is not stored yet.
    async fn store_uses(&self) {
        let known = self.known();
        let uses = known.all().filter_map(|key| Some((key, key.use_to_store()?)));
        let (keys, uses): (Vec<&KnownKey>, Vec<KeyUse>) = uses.unzip();
        if uses.is_empty() {
            return;
        }
        match self.engine.note_key_uses(uses.clone()).await {
            Ok(()) => keys.iter().zip(&uses).for_each(|(key, used)| key.stored(used)),
            Err(error) => tracing::debug!(%error, "the last use of API keys could not be stored"),
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderMap;
    use everwhen::key::NewKey;
    use everwhen::memory::Address;
    use everwhen_testkit::{PlainStore, engine_over};
    use jiff::SignedDuration;

    use super::*;

    #[tokio::test]
    async fn the_last_use_of_a_key_is_stored_once_and_read_again_keeps_it() {
        let (engine, clock) = engine_over(Arc::new(PlainStore::default()));
        let ana = Address::read("vault", "ana").unwrap();
        let vault = engine.vault_to_write(ana).await.unwrap();
        let (_, text) = engine.add_key(NewKey::of(vault.id())).await.unwrap();
        let access = Access::load(&engine, None).await.unwrap();
        let stored = async || engine.keys().await.unwrap()[0].last_used_at;
        access.store_uses().await;
        assert_eq!(stored().await, None, "it was not used yet");

        clock.advance(SignedDuration::from_mins(5));
        let headers: HeaderMap =
            [("x-api-key".parse().unwrap(), text.parse().unwrap())].into_iter().collect();
        access.caller(&headers).await.unwrap();
        let used = Some(engine.now());
        assert_eq!(stored().await, None, "a request writes nothing");
        clock.advance(SignedDuration::from_mins(5));
        read(&access).await.unwrap();
        access.store_uses().await;
        assert_eq!(stored().await, used);
        assert!(access.known().all().all(|key| key.use_to_store().is_none()));
    }

    #[tokio::test]
    async fn what_was_read_before_a_change_does_not_undo_it() {
        let (engine, _) = engine_over(Arc::new(PlainStore::default()));
        let ana = Address::read("vault", "ana").unwrap();
        let vault = engine.vault_to_write(ana).await.unwrap();
        let (key, text) = engine.add_key(NewKey::of(vault.id())).await.unwrap();
        let access = Access::load(&engine, None).await.unwrap();
        let (before, read) = (access.known(), engine.keys().await.unwrap());
        engine.remove_key(key.id).await.unwrap();
        access.removed(key.id);
        assert!(!access.take_over(&before, &read), "the reading began before the change");
        assert!(access.known().by_text(&text).is_none());
        assert!(access.known().is_key_required());
    }
}
