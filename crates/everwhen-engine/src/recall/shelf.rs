//! Indexes in memory: made when first asked for, from segments where there are some, brought up to
//! date before each use, and let go, the longest unused first, when they take more room than they
//! may.

mod keep;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::embedders::{Passages, embedded_passages};
use super::index::Index;
use crate::engine::Engine;
use crate::memory::{Entry, Memory, MemoryId};
use crate::ports::{Embedder, MemoryRef, Snapshot, Standing};
use crate::{Error, Result};

/// Entries taken in at a time.
const STEP: usize = 2_000;
/// Entries embedded at a time in the background.
const EMBEDDED: usize = 64;

/// All indexes in memory.
pub(crate) struct Shelf {
    budget: usize,
    held: Mutex<Held>,
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
    size: AtomicUsize,
}

impl Shared {
    fn of(place: MemoryRef) -> Self {
        Self { place, index: RwLock::default(), size: AtomicUsize::default() }
    }

    /// The index, to read.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Index> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the store has that an index has not.
struct News {
    generation: u64,
    /// Up to this sequence.
    standings: Option<(u64, Vec<Standing>)>,
    entries: Vec<Entry>,
}

impl Shelf {
    pub(crate) fn new(budget: usize) -> Self {
        Self { budget, held: Mutex::default() }
    }

    /// The index of a memory, with everything in it that had been acknowledged before the call.
    pub(crate) async fn caught_up(&self, engine: &Engine, place: MemoryRef) -> Result<Arc<Shared>> {
        let shared = self.take(place);
        if shared.read().sequence == 0 {
            shared.load(engine).await?;
        }
        loop {
            let known = { (shared.read().generation, shared.read().sequence) };
            let read = engine.store.look(move |snapshot| news(snapshot, place, known));
            let news = match read.await {
                Ok(news) => news,
                Err(error) => {
                    self.forget(place.memory);
                    return Err(error);
                }
            };
            let is_all = news.entries.len() < STEP;
            let vectors = engine.embedders.at_hand(&shared.read(), &news.entries);
            if is_all && news.entries.is_empty() && news.standings.is_none() {
                return Ok(shared);
            }
            take_in(&mut shared.write(), news, &vectors);
            if is_all {
                let size = shared.read().size();
                shared.size.store(size, Ordering::Relaxed);
                self.make_room();
                return Ok(shared);
            }
        }
    }

    /// Lets go of everything; what is still there is read anew when it is asked for.
    pub(crate) fn clear(&self) {
        self.lock().indexes.clear();
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

fn news(snapshot: &dyn Snapshot, place: MemoryRef, known: (u64, u64)) -> Result<News> {
    let (generation, sequence) = known;
    let memory: Memory = snapshot
        .memory(place)?
        .ok_or_else(|| Error::not_found(format!("memory not found: {}", place.memory)))?;
    let standings = (memory.generation != generation && sequence > 0)
        .then(|| snapshot.standings(place, sequence).map(|standings| (sequence, standings)))
        .transpose()?;
    let entries = if memory.last_sequence > sequence {
        snapshot.arrivals(place, sequence, STEP)?
    } else {
        Vec::new()
    };
    Ok(News { generation: memory.generation, standings, entries })
}

/// Applies news, as far as another question has not done so meanwhile.
fn take_in(index: &mut Index, news: News, vectors: &[(String, Vec<Passages>)]) {
    if let Some((up_to, standings)) = &news.standings {
        index.restand(news.generation, *up_to, standings);
    } else if index.sequence == 0 {
        index.generation = news.generation;
    }
    for (place, entry) in news.entries.iter().enumerate() {
        if entry.sequence > index.sequence {
            let number = index.add(entry);
            for (embedder, passages) in vectors {
                if let Some(passages) = &passages[place] {
                    index.embed(embedder, number, passages);
                }
            }
        }
    }
    index.take_over();
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
