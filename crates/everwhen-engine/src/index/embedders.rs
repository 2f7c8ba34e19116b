//! The embedders of an engine: the chosen one, those chosen before it, and a fast stand-in.
//!
//! A transformer or a remote endpoint takes time, to open and for every text. No question waits for
//! that: until the vectors of a memory are complete, the vectors it has are searched, or those of the
//! stand-in, and where there are none, words alone.

use std::sync::{Arc, PoisonError, RwLock};

use everwhen_search::{Index, passages};

use crate::memory::Entry;
use crate::ports::Embedder;

/// The vectors of the passages of one entry; `None` if they cannot be computed at once.
pub(crate) type PassageVectors = Option<Vec<Vec<f32>>>;

/// The vectors of several entries, by the name of the embedder.
pub(crate) type EmbeddedEntries = Vec<(String, Vec<PassageVectors>)>;

/// The embedders of an engine; clones share the chosen one.
#[derive(Clone, Default)]
pub(crate) struct Embedders {
    /// The last one is the chosen one; the others were chosen before, and their vectors may still be
    /// searched.
    chosen: Arc<RwLock<Vec<Arc<dyn Embedder>>>>,
    stand_in: Option<Arc<dyn Embedder>>,
}

impl Embedders {
    /// Chooses an embedder, without a stand-in.
    pub(crate) fn only(chosen: Arc<dyn Embedder>) -> Self {
        Self { chosen: Arc::new(RwLock::new(vec![chosen])), stand_in: None }
    }

    /// Uses a stand-in until an embedder is chosen.
    pub(crate) fn with_stand_in(stand_in: Arc<dyn Embedder>) -> Self {
        Self { chosen: Arc::default(), stand_in: Some(stand_in) }
    }

    /// Chooses an embedder from now on.
    pub(crate) fn choose(&self, embedder: Arc<dyn Embedder>) {
        let mut chosen = self.chosen.write().unwrap_or_else(PoisonError::into_inner);
        chosen.retain(|one| one.name() != embedder.name());
        chosen.push(embedder);
    }

    /// Returns the chosen embedder, if there is one.
    pub(crate) fn chosen(&self) -> Option<Arc<dyn Embedder>> {
        self.chosen.read().unwrap_or_else(PoisonError::into_inner).last().cloned()
    }

    /// Returns the embedders that keep vectors outside the store.
    pub(crate) fn keepers(&self) -> Vec<Arc<dyn Embedder>> {
        self.all().filter(|one| one.keeps()).collect()
    }

    /// Returns the chosen embedder, or else the stand-in.
    pub(crate) fn present(&self) -> Option<Arc<dyn Embedder>> {
        self.all().next()
    }

    /// Returns the embedder with this name.
    pub(crate) fn named(&self, name: &str) -> Option<Arc<dyn Embedder>> {
        let chosen = self.chosen.read().unwrap_or_else(PoisonError::into_inner);
        let mut all = chosen.iter().rev().chain(&self.stand_in);
        all.find(|one| one.name() == name).cloned()
    }

    /// Returns the embedder whose vectors an index searches.
    pub(crate) fn active(&self, index: &Index) -> Option<Arc<dyn Embedder>> {
        self.named(index.active_embedder())
    }

    /// Returns whether questions can be embedded for the vectors of this index.
    pub(crate) fn can_search(&self, index: &Index) -> bool {
        match index.active_embedder() {
            "" => self.all().next().is_none(),
            name => self.named(name).is_some(),
        }
    }

    /// Computes the vectors of new entries, as far as that is possible at once, by embedder. The active
    /// one, or the one that will be active until the chosen one is complete, comes first.
    pub(crate) fn embed_now(&self, active: &str, entries: &[Entry]) -> EmbeddedEntries {
        let active = match active {
            "" => self.stand_in.clone(),
            name => self.named(name),
        };
        let is_active =
            |one: &Arc<dyn Embedder>| active.as_ref().is_some_and(|a| a.name() == one.name());
        let chosen = self.chosen().filter(|one| !is_active(one));
        let asked = active.iter().cloned().chain(chosen);
        asked.map(|one| (one.name().to_owned(), embed_passages_now(&*one, entries))).collect()
    }

    fn all(&self) -> impl Iterator<Item = Arc<dyn Embedder>> {
        let chosen = self.chosen.read().unwrap_or_else(PoisonError::into_inner).clone();
        chosen.into_iter().rev().chain(self.stand_in.clone())
    }
}

/// Returns the passages of an entry that are embedded. Replies have none: they follow from what they
/// answer.
pub(crate) fn embedded_passages(entry: &Entry) -> Vec<&str> {
    if entry.role.is_reply() { Vec::new() } else { passages(entry.content.as_str()) }
}

fn embed_passages_now(embedder: &dyn Embedder, entries: &[Entry]) -> Vec<PassageVectors> {
    let texts: Vec<Vec<&str>> = entries.iter().map(embedded_passages).collect();
    let mut vectors = embedder.at_hand(&texts.concat()).into_iter();
    texts.iter().map(|texts| vectors.by_ref().take(texts.len()).collect()).collect()
}
