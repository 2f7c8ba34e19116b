//! The cache of indexes: an index is built when it is first needed, from segments where there are some,
//! brought up to date before each use, and evicted, least recently used first, above the byte budget.

mod catch_up;
mod growth;
mod persist;
mod prefetch;
mod turn_lock;
mod updates;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use jiff::Timestamp;

use self::growth::GrowthTracker;
pub(crate) use self::growth::IndexNeed;
use self::turn_lock::TurnLock;
pub(crate) use self::updates::OpenedMemory;
use super::distilled::Distilled;
use super::embedders::{Embedders, embedded_passages};
use super::fact_lists::FactLists;
use super::memory_index::MemoryIndex;
use super::moments::{PastMoment, PastMoments};
use crate::Result;
use crate::memory::{Entry, Memory, MemoryId, VaultId};
use crate::past::PastMemory;
use crate::ports::{Embedder, EntryQuery, MemoryRef, Snapshot, Store};
use crate::time::Zone;

/// The number of entries that are embedded at a time in the background.
const EMBEDDED: usize = 64;

/// What indexes are made from.
#[derive(Clone, Copy)]
pub(crate) struct IndexSource<'e> {
    /// Has the entries, and the segments of indexes that were saved.
    pub(crate) store: &'e Arc<dyn Store>,
    /// Compute the vectors of entries.
    pub(crate) embedders: &'e Embedders,
}

/// All indexes in memory.
pub(crate) struct IndexCache {
    budget: usize,
    cached: Mutex<CachedIndexes>,
    growth: GrowthTracker,
    bytes: Arc<IndexBytes>,
    /// Lists of facts as of moments; not counted in `bytes`.
    pub(crate) fact_lists: FactLists,
}

/// Bytes of all indexes that exist: cached, or used by a question though they were evicted.
#[derive(Debug, Default)]
pub(crate) struct IndexBytes {
    now: AtomicUsize,
    peak: AtomicUsize,
}

impl IndexBytes {
    fn change(&self, from: usize, to: usize) {
        let now = if to >= from {
            self.now.fetch_add(to - from, Ordering::Relaxed) + (to - from)
        } else {
            self.now.fetch_sub(from - to, Ordering::Relaxed) - (from - to)
        };
        self.peak.fetch_max(now, Ordering::Relaxed);
    }
}

#[derive(Default)]
struct CachedIndexes {
    /// The index of each memory, and when it was last used.
    indexes: HashMap<MemoryId, (Arc<SharedIndex>, u64)>,
    /// A counter of uses, as a clock.
    uses: u64,
}

/// More indexes than this are looked through rarely.
const MANY_INDEXES: usize = 256;

/// An index that several questions read and one at a time extends.
pub(crate) struct SharedIndex {
    place: MemoryRef,
    index: RwLock<MemoryIndex>,
    distilled: RwLock<Distilled>,
    moments: PastMoments,
    /// Held while changes of facts and chapters are read.
    following: Mutex<()>,
    /// Held while the index is brought up to date.
    catch_up_turn: TurnLock,
    size: AtomicUsize,
    bytes: Arc<IndexBytes>,
}

impl Drop for SharedIndex {
    fn drop(&mut self) {
        self.bytes.change(self.size.load(Ordering::Relaxed), 0);
    }
}

impl SharedIndex {
    fn new(place: MemoryRef, bytes: &Arc<IndexBytes>) -> Self {
        Self {
            bytes: Arc::clone(bytes),
            place,
            index: RwLock::default(),
            distilled: RwLock::default(),
            moments: PastMoments::default(),
            following: Mutex::default(),
            catch_up_turn: TurnLock::default(),
            size: AtomicUsize::default(),
        }
    }

    /// Returns the index, to read.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, MemoryIndex> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the facts and chapters, as they were when they were last read from the store.
    pub(crate) fn distilled(&self) -> RwLockReadGuard<'_, Distilled> {
        self.distilled.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the memory at a moment, if that is cached and nothing about it can have changed.
    pub(crate) fn moment(&self, at: Timestamp, memory: &Memory) -> Option<Arc<PastMoment>> {
        self.moments.get(at, &self.read(), memory)
    }

    /// Caches the memory at a moment, of which `past` was read after the index was up to date.
    pub(crate) fn add_moment(&self, past: PastMemory, memory: &Memory) -> Arc<PastMoment> {
        let moment = Arc::new(PastMoment::new(past, &self.read(), memory));
        self.moments.put(&moment);
        self.update_size();
        moment
    }

    /// Brings facts and chapters up to date, unless another question just did.
    pub(crate) fn follow(&self, snapshot: &dyn Snapshot, zone: &Zone) -> Result<()> {
        let _following = self.following.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = self.distilled().changes(snapshot, self.place, zone)?;
        if let Some(changes) = changes {
            self.distilled.write().unwrap_or_else(PoisonError::into_inner).apply(changes);
            self.update_size();
        }
        Ok(())
    }

    /// Caches entries that were read from the store, by their numbers. Does nothing while another
    /// question uses the index: caching is not worth waiting for.
    pub(crate) fn cache_entries<'e>(&self, read: impl Iterator<Item = (u32, &'e Option<Entry>)>) {
        let Ok(mut index) = self.index.try_write() else { return };
        for (number, entry) in read {
            if let Some(entry) = entry {
                index.cache_entry(number, entry.clone());
            }
        }
        drop(index);
        self.update_size();
    }

    fn update_size(&self) {
        let parts = self.read().size() + self.distilled().size() + self.moments.size();
        let size = size_of::<Self>() + parts;
        self.bytes.change(self.size.swap(size, Ordering::Relaxed), size);
    }

    /// Returns how many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.size.load(Ordering::Relaxed)
    }

    fn write(&self) -> RwLockWriteGuard<'_, MemoryIndex> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IndexCache {
    /// Creates a cache of at most `budget` bytes.
    pub(crate) fn new(budget: usize) -> Self {
        let (cached, growth) = (Mutex::default(), GrowthTracker::default());
        Self { budget, cached, growth, bytes: Arc::default(), fact_lists: FactLists::default() }
    }

    /// Returns how many bytes indexes may take together.
    pub(crate) fn budget(&self) -> usize {
        self.budget
    }

    /// Returns how many bytes all indexes take now, and the most they ever took.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        let read = |value: &AtomicUsize| value.load(Ordering::Relaxed);
        (read(&self.bytes.now), read(&self.bytes.peak))
    }

    /// Returns the index of a memory, with everything that the memory had when it was opened.
    pub(crate) async fn up_to_date(
        &self,
        source: IndexSource<'_>,
        opened: OpenedMemory,
    ) -> Result<Arc<SharedIndex>> {
        let OpenedMemory { place, memory, update } = opened;
        let shared = self.get_or_create(place);
        if let Some(update) = update {
            shared.apply(source.embedders, update);
        }
        let is_behind = !shared.read().is_up_to_date(&memory);
        if is_behind && let Err(error) = shared.catch_up(source, &memory).await {
            self.remove(place.memory);
            return Err(error);
        }
        self.evict();
        Ok(shared)
    }

    /// Drops all indexes; they are built again when they are needed.
    pub(crate) fn clear(&self) {
        self.lock().indexes.clear();
        self.fact_lists.clear();
    }

    /// Drops the indexes of the memories of one vault.
    pub(crate) fn clear_vault(&self, vault: VaultId) {
        self.lock().indexes.retain(|_, (shared, _)| shared.place.vault != vault);
        self.fact_lists.clear_vault(vault);
    }

    fn remove(&self, memory: MemoryId) {
        self.lock().indexes.remove(&memory);
    }

    fn get_or_create(&self, place: MemoryRef) -> Arc<SharedIndex> {
        let mut cached = self.lock();
        cached.uses += 1;
        let now = cached.uses;
        let create = || (Arc::new(SharedIndex::new(place, &self.bytes)), now);
        let (shared, used) = cached.indexes.entry(place.memory).or_insert_with(create);
        *used = now;
        Arc::clone(shared)
    }

    /// Drops the least recently used indexes above the budget, but never the last one. Of many small ones some more are
    /// dropped, so that not every new one looks through all of them.
    pub(crate) fn evict(&self) {
        if self.bytes().0 <= self.budget {
            return;
        }
        let mut cached = self.lock();
        let one = |(memory, (shared, used)): (&MemoryId, &(Arc<SharedIndex>, u64))| {
            (*used, *memory, shared.bytes())
        };
        let mut oldest: Vec<(u64, MemoryId, usize)> = cached.indexes.iter().map(one).collect();
        let mut size: usize = oldest.iter().map(|(_, _, bytes)| bytes).sum();
        if size <= self.budget {
            return;
        }
        let spare = if oldest.len() > MANY_INDEXES { self.budget / 16 } else { 0 };
        oldest.sort_unstable();
        oldest.pop();
        for (_, memory, bytes) in oldest {
            if size <= self.budget - spare {
                break;
            }
            cached.indexes.remove(&memory);
            size -= bytes;
        }
    }

    fn lock(&self) -> MutexGuard<'_, CachedIndexes> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn all(&self) -> Vec<Arc<SharedIndex>> {
        self.lock().indexes.values().map(|(shared, _)| Arc::clone(shared)).collect()
    }

    /// Embeds a few entries of a memory whose vectors are incomplete, and returns whether there was one. If only
    /// memories are left whose entries cannot be read, it fails as the first of them did.
    pub(crate) async fn embed_some(&self, source: IndexSource<'_>) -> Result<bool> {
        let Some(embedder) = source.embedders.chosen() else { return Ok(false) };
        let mut found = Ok(false);
        for shared in self.all() {
            let first = shared.read().search.first_without_vectors(embedder.name());
            let Some(first) = first else { continue };
            let known = shared.read().search.sequence;
            match shared.read_from(source, first).await {
                Ok(entries) => {
                    let vectors = embed(&*embedder, &entries).await?;
                    let last = entries.last().map_or(known, |entry| entry.sequence);
                    let up_to = if entries.len() < EMBEDDED { last.max(known) } else { last };
                    let by_sequence = entries.iter().map(|entry| entry.sequence).zip(vectors);
                    shared.add_vectors(embedder.name(), first, up_to, &by_sequence.collect());
                    self.evict();
                    return Ok(true);
                }
                Err(error) => found = found.and(Err(error)),
            }
        }
        found
    }
}

impl SharedIndex {
    /// Reads the next entries from a document on.
    async fn read_from(&self, source: IndexSource<'_>, first: u32) -> Result<Vec<Entry>> {
        let place = self.place;
        let after = self.read().search.document(first).sequence - 1;
        let read = source
            .store
            .look(move |snapshot| snapshot.entries(place, &EntryQuery::arrived(after, EMBEDDED)));
        read.await
    }

    /// Adds vectors by sequence number. Entries up to `up_to` without vectors no longer exist.
    fn add_vectors(
        &self,
        embedder: &str,
        first: u32,
        up_to: u64,
        vectors: &HashMap<u64, Vec<Vec<f32>>>,
    ) {
        let mut index = self.write();
        for number in first..index.search.number_after(up_to) {
            let sequence = index.search.document(number).sequence;
            let passages = vectors.get(&sequence).map_or(&[][..], Vec::as_slice);
            index.search.add_vectors(embedder, number, passages);
        }
        index.search.activate_complete_vectors();
        drop(index);
        self.update_size();
    }
}

/// Returns the vectors of the passages of entries.
async fn embed(embedder: &dyn Embedder, entries: &[Entry]) -> Result<Vec<Vec<Vec<f32>>>> {
    let texts: Vec<Vec<&str>> = entries.iter().map(embedded_passages).collect();
    let mut vectors = embedder.embed(&texts.concat()).await?.into_iter();
    Ok(texts.iter().map(|texts| vectors.by_ref().take(texts.len()).collect()).collect())
}
