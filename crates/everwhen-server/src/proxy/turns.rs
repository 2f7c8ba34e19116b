//! What must stay the same from one request of a turn to the next: what was added to a message, and
//! the name of a memory that was just made.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use everwhen::ledger::{Begun, History};
use everwhen::memory::{EntryId, MemoryId};
use jiff::Timestamp;

/// The same request within this time is a second try.
const RETRY: Duration = Duration::from_secs(60);
/// A turn with its tools takes no longer than this.
const TURN: Duration = Duration::from_secs(60 * 60);
/// So many are remembered; then the old ones go.
const MOST: usize = 10_000;

/// Turns that are going on.
#[derive(Default)]
pub(crate) struct Turns {
    added: Mutex<HashMap<MemoryId, Added>>,
    names: Mutex<HashMap<u64, (String, Instant)>>,
}

struct Added {
    entry: EntryId,
    text: String,
    since: Instant,
}

impl Turns {
    /// What was added to a message earlier in its turn. A message that is still the last may have
    /// been sent again for another answer later; then things have changed.
    pub(crate) fn added(&self, begun: &Begun, place: usize, is_last: bool) -> Option<String> {
        let entry = begun.messages[place].entry?;
        let added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        let found = added.get(&begun.exchange.memory.memory)?;
        let lasts = if is_last { RETRY } else { TURN };
        let same = found.entry == entry && found.since.elapsed() < lasts;
        same.then(|| found.text.clone())
    }

    /// Remembers what was added to a message.
    pub(crate) fn add(&self, begun: &Begun, place: usize, text: &str) {
        let Some(entry) = begun.messages[place].entry else { return };
        let mut added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        if added.len() >= MOST {
            added.retain(|_, one| one.since.elapsed() < RETRY);
        }
        let one = Added { entry, text: text.to_owned(), since: Instant::now() };
        added.insert(begun.exchange.memory.memory, one);
    }

    /// A name for the memory of a history that nobody knows; the same for the same history, if it
    /// comes again at once.
    pub(crate) fn fresh_name(&self, vault: &str, history: &History, now: Timestamp) -> String {
        let mut hasher = DefaultHasher::new();
        vault.hash(&mut hasher);
        for message in &history.messages {
            (message.role.as_str(), &message.content, &message.other).hash(&mut hasher);
        }
        let mark = hasher.finish();
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.retain(|_, (_, since)| since.elapsed() < RETRY);
        let fresh = || {
            let time = now.strftime("%Y-%m-%d-%H%M%S");
            (format!("chat-{time}-{:04x}", mark & 0xffff), Instant::now())
        };
        names.entry(mark).or_insert_with(fresh).0.clone()
    }
}
