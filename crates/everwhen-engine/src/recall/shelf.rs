//! Indexes in memory: made when first asked for, from segments where there are some, brought up to
//! date before each use, and let go, the longest unused first, when they take more room than they
//! may.

mod catch_up;
mod growth;
mod keep;
mod news;
mod turns;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use self::growth::Growths;
pub(crate) use self::growth::Need;
pub(crate) use self::news::Opened;
use self::turns::Turns;
use super::derived::Distilled;
use super::embedders::embedded_passages;
use super::index::Index;
use crate::Result;
use crate::engine::Engine;
use crate::memory::{Entry, MemoryId, VaultId};
use crate::ports::{Embedder, MemoryRef, Snapshot};
use crate::time::Zone;

/// Entries embedded at a time in the background.
const EMBEDDED: usize = 64;

/// All indexes in memory.
pub(crate) struct Shelf {
    budget: usize,
    held: Mutex<Held>,
    growths: Growths,
}

#[derive(Default)]
struct Held {
    indexes: HashMap<MemoryId, (Arc<Shared>, u64)>,
    uses: u64,
}

/// An index that several questions read and one at a time extends.
pub(crate) struct Shared {
    place: MemoryRef,
    index: RwLock<Index>,
    distilled: RwLock<Distilled>,
    /// Held by whoever reads what has changed in facts and chapters.
    following: Mutex<()>,
    /// Taken by whoever brings the index up to date.
    turns: Turns,
    size: AtomicUsize,
}

impl Shared {
    fn of(place: MemoryRef) -> Self {
        Self {
            place,
            index: RwLock::default(),
            distilled: RwLock::default(),
            following: Mutex::default(),
            turns: Turns::default(),
            size: AtomicUsize::default(),
        }
    }

    /// The index, to read.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The facts and chapters, as they were when they were read last.
    pub(crate) fn distilled(&self) -> RwLockReadGuard<'_, Distilled> {
        self.distilled.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Brings facts and chapters up to date, unless somebody else just has.
    pub(crate) fn follow(&self, snapshot: &dyn Snapshot, zone: &Zone) -> Result<()> {
        let _following = self.following.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = self.distilled().changes(snapshot, self.place, zone)?;
        if let Some(changes) = changes {
            self.distilled.write().unwrap_or_else(PoisonError::into_inner).take_in(changes);
            self.weigh();
        }
        Ok(())
    }

    /// Keeps entries that were read at hand, by their numbers, unless somebody uses the index at this
    /// moment: there will be another time.
    pub(crate) fn keep_rows<'e>(&self, read: impl Iterator<Item = (u32, &'e Option<Entry>)>) {
        let Ok(mut index) = self.index.try_write() else { return };
        for (number, entry) in read {
            if let Some(entry) = entry {
                index.keep_row(number, entry.clone());
            }
        }
        drop(index);
        self.weigh();
    }

    /// Works out how much room it takes.
    fn weigh(&self) {
        let size = self.read().size() + self.distilled().size();
        self.size.store(size, Ordering::Relaxed);
    }

    fn write(&self) -> RwLockWriteGuard<'_, Index> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelf {
    pub(crate) fn new(budget: usize) -> Self {
        Self { budget, held: Mutex::default(), growths: Growths::default() }
    }

    /// The index of a memory, with everything in it that it had when it was opened.
    pub(crate) async fn caught_up(&self, engine: &Engine, opened: Opened) -> Result<Arc<Shared>> {
        let Opened { place, memory, news } = opened;
        let shared = self.take(place);
        if let Some(news) = news {
            shared.take_in(engine, news);
        }
        let is_behind = !shared.read().is_level_with(&memory);
        if is_behind && let Err(error) = shared.catch_up(engine, &memory).await {
            self.forget(place.memory);
            return Err(error);
        }
        self.make_room();
        Ok(shared)
    }

    /// Lets go of everything; what is still there is read anew when it is asked for.
    pub(crate) fn clear(&self) {
        self.lock().indexes.clear();
    }

    /// The same for the memories of one vault.
    pub(crate) fn clear_vault(&self, vault: VaultId) {
        self.lock().indexes.retain(|_, (shared, _)| shared.place.vault != vault);
    }

    /// Lets go of what was kept of a memory.
    fn forget(&self, memory: MemoryId) {
        self.lock().indexes.remove(&memory);
    }

    fn take(&self, place: MemoryRef) -> Arc<Shared> {
        let mut held = self.lock();
        held.uses += 1;
        let now = held.uses;
        let fresh = || (Arc::new(Shared::of(place)), now);
        let (shared, used) = held.indexes.entry(place.memory).or_insert_with(fresh);
        *used = now;
        Arc::clone(shared)
    }

    fn make_room(&self) {
        let mut held = self.lock();
        let size = |held: &Held| -> usize {
            held.indexes.values().map(|(one, _)| one.size.load(Ordering::Relaxed)).sum()
        };
        while size(&held) > self.budget && held.indexes.len() > 1 {
            let oldest = held.indexes.iter().min_by_key(|(_, (_, used))| *used);
            let Some(oldest) = oldest.map(|(memory, _)| *memory) else { return };
            held.indexes.remove(&oldest);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelf {
    /// Embeds a few entries of a memory that waits for it; says whether there was one.
    pub(crate) async fn embed_some(&self, engine: &Engine) -> Result<bool> {
        let Some(embedder) = engine.embedders.chosen() else { return Ok(false) };
        let waiting = self.all().into_iter().find_map(|shared| {
            let first = shared.read().waiting(embedder.name())?;
            Some((shared, first))
        });
        let Some((shared, first)) = waiting else { return Ok(false) };
        let (place, known) = (shared.place, shared.read().sequence);
        let after = shared.read().facts[first as usize].sequence - 1;
        let entries =
            engine.store.look(move |snapshot| snapshot.arrivals(place, after, EMBEDDED)).await?;
        let vectors = embed(&*embedder, &entries).await?;
        let last = entries.last().map_or(known, |entry| entry.sequence);
        let up_to = if entries.len() < EMBEDDED { last.max(known) } else { last };
        let by_sequence = entries.iter().map(|entry| entry.sequence).zip(vectors).collect();
        shared.embed(embedder.name(), first, up_to, &by_sequence);
        Ok(true)
    }

    fn all(&self) -> Vec<Arc<Shared>> {
        self.lock().indexes.values().map(|(shared, _)| Arc::clone(shared)).collect()
    }
}

impl Shared {
    /// Takes in vectors that were computed meanwhile, by sequence. Entries up to `up_to` that have
    /// none are gone.
    fn embed(&self, embedder: &str, first: u32, up_to: u64, vectors: &HashMap<u64, Vec<Vec<f32>>>) {
        let mut index = self.write();
        for number in first..index.number_after(up_to) {
            let sequence = index.facts[number as usize].sequence;
            let passages = vectors.get(&sequence).map_or(&[][..], Vec::as_slice);
            index.embed(embedder, number, passages);
        }
        index.take_over();
    }
}

/// The vectors of the passages of entries.
async fn embed(embedder: &dyn Embedder, entries: &[Entry]) -> Result<Vec<Vec<Vec<f32>>>> {
    let texts: Vec<Vec<&str>> = entries.iter().map(embedded_passages).collect();
    let mut vectors = embedder.embed(&texts.concat()).await?.into_iter();
    Ok(texts.iter().map(|texts| vectors.by_ref().take(texts.len()).collect()).collect())
}
