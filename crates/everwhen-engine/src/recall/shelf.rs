//! Indexes in memory: made when first asked for, brought up to date before each use, and let go,
//! the longest unused first, when they take more room than they may.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::index::Index;
use super::text::passages;
use crate::engine::Engine;
use crate::memory::{Entry, Memory, MemoryId};
use crate::ports::{Embedder, MemoryRef, Snapshot, Standing};
use crate::{Error, Result};

/// Entries taken in at a time.
const STEP: usize = 2_000;

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
#[derive(Default)]
pub(crate) struct Shared {
    index: RwLock<Index>,
    size: AtomicUsize,
}

impl Shared {
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
        let shared = self.take(place.memory);
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
            let vectors = embed(engine.embedder.as_deref(), &news.entries).await?;
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

    fn take(&self, memory: MemoryId) -> Arc<Shared> {
        let mut held = self.lock();
        held.uses += 1;
        let now = held.uses;
        let (shared, used) = held.indexes.entry(memory).or_default();
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

/// The vectors of the passages of each entry that is not a reply.
async fn embed(embedder: Option<&dyn Embedder>, entries: &[Entry]) -> Result<Vec<Vec<Vec<f32>>>> {
    let Some(embedder) = embedder else { return Ok(Vec::new()) };
    let texts = |entry: &Entry| -> usize {
        if entry.role.is_reply() { 0 } else { passages(entry.content.as_str()).len() }
    };
    let counts: Vec<usize> = entries.iter().map(texts).collect();
    let said: Vec<&str> = entries
        .iter()
        .filter(|entry| !entry.role.is_reply())
        .flat_map(|entry| passages(entry.content.as_str()))
        .collect();
    let mut vectors = embedder.embed(&said).await?.into_iter();
    Ok(counts.into_iter().map(|count| vectors.by_ref().take(count).collect()).collect())
}

/// Applies news, as far as another question has not done so meanwhile.
fn take_in(index: &mut Index, news: News, vectors: &[Vec<Vec<f32>>]) {
    if let Some((up_to, standings)) = &news.standings {
        index.restand(news.generation, *up_to, standings);
    } else if index.sequence == 0 {
        index.generation = news.generation;
    }
    for (place, entry) in news.entries.iter().enumerate() {
        if entry.sequence > index.sequence {
            let number = index.add(entry);
            for vector in vectors.get(place).into_iter().flatten() {
                index.add_vector(number, vector);
            }
        }
    }
}
