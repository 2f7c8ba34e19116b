//! The API keys at one moment, in memory, by the first bytes of their hashes.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use everwhen::key::{Key, KeyHash, KeyUse};
use everwhen::memory::KeyId;
use jiff::Timestamp;

/// No use at all, in microseconds since 1970.
const NEVER: i64 = i64::MIN;

/// A key, and when it was used.
#[derive(Clone)]
pub(super) struct KnownKey {
    pub(super) key: Arc<Key>,
    uses: Arc<Uses>,
}

/// When a key was last used, and which of that is stored; in microseconds since 1970. Shared by all
/// copies of the keys, so that none is lost when they are read again.
struct Uses {
    last: AtomicI64,
    stored: AtomicI64,
}

impl KnownKey {
    fn new(key: &Key) -> Self {
        let stored = key.last_used_at.map_or(NEVER, Timestamp::as_microsecond);
        let uses = Uses { last: AtomicI64::new(stored), stored: AtomicI64::new(stored) };
        Self { key: Arc::new(key.clone()), uses: Arc::new(uses) }
    }

    /// The key is used now.
    pub(super) fn note_use(&self, now: Timestamp) {
        self.uses.last.fetch_max(now.as_microsecond(), Ordering::Relaxed);
    }

    /// When it was last used.
    pub(super) fn last_use(&self) -> Option<Timestamp> {
        let last = self.uses.last.load(Ordering::Relaxed);
        Timestamp::from_microsecond(last).ok().filter(|_| last != NEVER)
    }

    /// The last use, unless it is stored already.
    pub(super) fn use_to_store(&self) -> Option<KeyUse> {
        let at = self.last_use()?;
        let is_new = at.as_microsecond() > self.uses.stored.load(Ordering::Relaxed);
        is_new.then_some(KeyUse { vault: self.key.vault, key: self.key.id, at })
    }

    /// A use is stored now.
    pub(super) fn stored(&self, used: &KeyUse) {
        self.uses.stored.fetch_max(used.at.as_microsecond(), Ordering::Relaxed);
    }
}

/// All keys. A change makes a new value, so that readers never wait.
pub(super) struct KnownKeys {
    buckets: HashMap<[u8; 8], Vec<KnownKey>>,
    is_required: bool,
    /// Goes up with every change that was made through this server.
    revision: u64,
}

impl KnownKeys {
    /// Keys as they were read.
    pub(super) fn new(all: &[Key]) -> Self {
        let known = all.iter().map(KnownKey::new);
        Self { buckets: buckets(known), is_required: !all.is_empty(), revision: 0 }
    }

    /// Whether requests without a key are rejected.
    pub(super) fn is_key_required(&self) -> bool {
        self.is_required
    }

    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// The key with this text. Where hashes begin alike they are compared whole, in constant time.
    pub(super) fn by_text(&self, text: &str) -> Option<&KnownKey> {
        let hash = KeyHash::of(text);
        self.buckets.get(&bucket(&hash))?.iter().find(|known| known.key.hash == hash)
    }

    /// All of them, in no order.
    pub(super) fn all(&self) -> impl Iterator<Item = &KnownKey> {
        self.buckets.values().flatten()
    }

    /// A copy that requires a key.
    pub(super) fn requiring(&self) -> Self {
        self.changed(self.all().cloned(), true)
    }

    /// A copy with one more key.
    pub(super) fn with(&self, key: &Key) -> Self {
        self.changed(self.all().cloned().chain([KnownKey::new(key)]), true)
    }

    /// A copy without some keys.
    pub(super) fn without(&self, gone: impl Fn(&Key) -> bool) -> Self {
        self.changed(self.all().filter(|known| !gone(&known.key)).cloned(), self.is_required)
    }

    /// These keys instead; what is known of the use of those that stay is kept.
    pub(super) fn replaced_by(&self, read: &[Key]) -> Self {
        let known: HashMap<KeyId, &Arc<Uses>> =
            self.all().map(|known| (known.key.id, &known.uses)).collect();
        let keys = read.iter().map(|key| match known.get(&key.id) {
            Some(uses) => KnownKey { key: Arc::new(key.clone()), uses: Arc::clone(uses) },
            None => KnownKey::new(key),
        });
        let is_required = self.is_required || !read.is_empty();
        Self { buckets: buckets(keys), is_required, revision: self.revision }
    }

    fn changed(&self, keys: impl Iterator<Item = KnownKey>, is_required: bool) -> Self {
        Self { buckets: buckets(keys), is_required, revision: self.revision + 1 }
    }
}

fn buckets(keys: impl Iterator<Item = KnownKey>) -> HashMap<[u8; 8], Vec<KnownKey>> {
    let mut buckets: HashMap<[u8; 8], Vec<KnownKey>> = HashMap::new();
    for known in keys {
        buckets.entry(bucket(&known.key.hash)).or_default().push(known);
    }
    buckets
}

fn bucket(hash: &KeyHash) -> [u8; 8] {
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    first
}
