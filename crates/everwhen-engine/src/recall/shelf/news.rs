//! What the store has that an index has not, and taking it in.

use super::{Shared, Shelf};
use crate::engine::Engine;
use crate::memory::{Entry, Memory, MemoryId};
use crate::ports::{MemoryRef, Snapshot, Standing};
use crate::recall::embedders::{Embedders, Vectors};
use crate::recall::index::Index;
use crate::{Error, Result};

/// Entries taken in at a time.
const STEP: usize = 2_000;
/// Up to so many new entries are read in passing, when a memory is opened.
const FEW: u64 = 16;

/// A memory as a question finds it.
pub(crate) struct Opened {
    pub(crate) place: MemoryRef,
    pub(crate) memory: Memory,
    /// What its index has not, if that is little.
    pub(super) news: Option<News>,
}

/// How far an index has come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    generation: u64,
    sequence: u64,
}

impl Known {
    pub(super) fn of(index: &Index) -> Self {
        Self { generation: index.generation, sequence: index.sequence }
    }
}

/// What the store has that an index has not.
pub(super) struct News {
    /// For an index that has come at least so far.
    behind: u64,
    generation: u64,
    /// Where the entries up to `behind` stand, if that has changed.
    standings: Option<Vec<Standing>>,
    entries: Vec<Entry>,
    /// Their vectors that are at hand, if those were looked for.
    vectors: Option<Vectors>,
    /// Nothing more is there up to this sequence.
    complete: Option<u64>,
}

impl News {
    /// Reads what comes next.
    pub(super) fn read(snapshot: &dyn Snapshot, place: MemoryRef, known: Known) -> Result<Self> {
        let memory = snapshot
            .memory(place)?
            .ok_or_else(|| Error::not_found(format!("memory not found: {}", place.memory)))?;
        let is_moved = memory.generation != known.generation && known.sequence > 0;
        let standings = is_moved.then(|| snapshot.standings(place, known.sequence)).transpose()?;
        let entries = if memory.last_sequence > known.sequence {
            snapshot.arrivals(place, known.sequence, STEP)?
        } else {
            Vec::new()
        };
        Ok(Self {
            behind: known.sequence,
            generation: memory.generation,
            standings,
            complete: (entries.len() < STEP).then_some(memory.last_sequence),
            entries,
            vectors: None,
        })
    }

    /// The same with vectors, as far as they are at hand.
    pub(super) fn embedded(mut self, embedders: &Embedders, served_by: &str) -> Self {
        self.vectors = Some(embedders.at_hand(served_by, &self.entries));
        self
    }

    /// How far an index has come that took this in, if there is more.
    pub(super) fn next(&self) -> Option<Known> {
        let last = self.entries.last().filter(|_| self.complete.is_none())?;
        Some(Known { generation: self.generation, sequence: last.sequence })
    }

    /// The same in passing: only a few new entries, and only if nothing else has changed.
    fn read_few(
        snapshot: &dyn Snapshot,
        place: MemoryRef,
        memory: &Memory,
        known: Known,
    ) -> Result<Option<Self>> {
        let missing = memory.last_sequence.saturating_sub(known.sequence);
        let is_moved = memory.generation != known.generation || known.sequence == 0;
        if is_moved || missing == 0 || missing > FEW {
            return Ok(None);
        }
        Ok(Some(Self {
            behind: known.sequence,
            generation: memory.generation,
            standings: None,
            entries: snapshot.arrivals(place, known.sequence, FEW as usize)?,
            vectors: None,
            complete: Some(memory.last_sequence),
        }))
    }
}

impl Shelf {
    /// Opens a memory for a question, in the visit that found it.
    pub(crate) fn open(
        &self,
        snapshot: &dyn Snapshot,
        place: MemoryRef,
        memory: Memory,
    ) -> Result<Opened> {
        let known = self.known(place.memory);
        let news = match known {
            Some(known) => News::read_few(snapshot, place, &memory, known)?,
            None => None,
        };
        Ok(Opened { place, memory, news })
    }

    /// Whether there is an index of a memory.
    pub(crate) fn has(&self, memory: MemoryId) -> bool {
        self.lock().indexes.contains_key(&memory)
    }

    fn known(&self, memory: MemoryId) -> Option<Known> {
        let shared = self.lock().indexes.get(&memory).map(|(shared, _)| shared.clone())?;
        let index = shared.read();
        Some(Known::of(&index))
    }
}

impl Shared {
    /// Takes in news, as far as another question has not done so meanwhile.
    pub(super) fn take_in(&self, engine: &Engine, mut news: News) {
        if self.read().sequence < news.behind {
            return;
        }
        let at_hand = || engine.embedders.at_hand(self.read().served_by(), &news.entries);
        let vectors = news.vectors.take().unwrap_or_else(at_hand);
        take_in(&mut self.write(), news, &vectors);
        self.weigh();
    }
}

fn take_in(index: &mut Index, news: News, vectors: &Vectors) {
    let is_changed = news.standings.is_some() && news.generation > index.generation;
    if is_changed && index.sequence > news.behind {
        // Where the entries stand that came meanwhile was not read; whoever needs it reads again.
        return;
    }
    if let Some(standings) = news.standings.filter(|_| news.generation > index.generation) {
        index.restand(news.generation, news.behind, &standings);
    } else if index.sequence == 0 {
        index.generation = news.generation;
    }
    for (place, entry) in news.entries.into_iter().enumerate() {
        if entry.sequence > index.sequence {
            let number = index.add(&entry);
            for (embedder, passages) in vectors {
                if let Some(passages) = &passages[place] {
                    index.embed(embedder, number, passages);
                }
            }
            index.keep_row(number, entry);
        }
    }
    index.sequence = index.sequence.max(news.complete.unwrap_or(0));
    index.take_over();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Role;
    use crate::recall::index::tests::said;

    fn news(behind: u64, generation: u64, standings: Option<Vec<Standing>>) -> News {
        let entries = vec![said(behind + 1, 1, Role::User, "the cat sleeps")];
        News { behind, generation, standings, entries, vectors: None, complete: Some(behind + 1) }
    }

    #[test]
    fn standings_that_do_not_reach_far_enough_are_read_again() {
        let mut index = Index::default();
        take_in(&mut index, news(0, 0, None), &Vectors::default());
        let standings = |one: &Index| {
            let conversation = one.conversations[0];
            let standing = |sequence| Standing { sequence, conversation, gone_since: None };
            Some((1..=one.sequence).map(standing).collect::<Vec<_>>())
        };
        let read = news(1, 1, standings(&index));
        // Another question is quicker, and what it took in has been forgotten since.
        take_in(&mut index, news(1, 0, None), &Vectors::default());
        take_in(&mut index, read, &Vectors::default());
        assert_eq!((index.generation, index.sequence), (0, 2));
        let again = news(2, 1, standings(&index).map(|all| all[..1].to_vec()));
        take_in(&mut index, again, &Vectors::default());
        assert_eq!((index.generation, index.sequence), (1, 3));
        assert_eq!(
            index.homes.iter().map(|home| home.is_current()).collect::<Vec<_>>(),
            [true, false, true]
        );
    }
}
