//! Which embedders take part: the one that was chosen, those chosen before it, and one that stands in.
//!
//! A transformer or an endpoint takes its time, to open and for every text. Nobody who asks waits
//! for that: until the vectors of a memory are complete, those it has keep serving, or those of the
//! stand-in, and where there is none, words alone.

use std::sync::{Arc, PoisonError, RwLock};

use super::index::Index;
use super::text::passages;
use crate::memory::Entry;
use crate::ports::Embedder;

/// The vectors of the passages of one entry; nothing if they are not at hand.
pub(crate) type Passages = Option<Vec<Vec<f32>>>;

/// The same of several entries, by embedder.
pub(crate) type Vectors = Vec<(String, Vec<Passages>)>;

/// The embedders of an engine; copies share the chosen one.
#[derive(Clone, Default)]
pub(crate) struct Embedders {
    /// The last one is chosen; the others were before, and their vectors may still serve.
    chosen: Arc<RwLock<Vec<Arc<dyn Embedder>>>>,
    stand_in: Option<Arc<dyn Embedder>>,
}

impl Embedders {
    /// This one is chosen, nothing stands in.
    pub(crate) fn only(chosen: Arc<dyn Embedder>) -> Self {
        Self { chosen: Arc::new(RwLock::new(vec![chosen])), stand_in: None }
    }

    /// None is chosen yet, this one stands in.
    pub(crate) fn standing_in(stand_in: Arc<dyn Embedder>) -> Self {
        Self { chosen: Arc::default(), stand_in: Some(stand_in) }
    }

    /// From now on this one is chosen.
    pub(crate) fn choose(&self, embedder: Arc<dyn Embedder>) {
        let mut chosen = self.chosen.write().unwrap_or_else(PoisonError::into_inner);
        chosen.retain(|one| one.name() != embedder.name());
        chosen.push(embedder);
    }

    /// The one that was chosen, if it is there.
    pub(crate) fn chosen(&self) -> Option<Arc<dyn Embedder>> {
        self.chosen.read().unwrap_or_else(PoisonError::into_inner).last().cloned()
    }

    /// Those that keep vectors outside the store.
    pub(super) fn keepers(&self) -> Vec<Arc<dyn Embedder>> {
        self.all().filter(|one| one.keeps()).collect()
    }

    /// The one that was chosen, else the one that stands in.
    pub(crate) fn present(&self) -> Option<Arc<dyn Embedder>> {
        self.all().next()
    }

    /// The one with this name.
    pub(crate) fn named(&self, name: &str) -> Option<Arc<dyn Embedder>> {
        let chosen = self.chosen.read().unwrap_or_else(PoisonError::into_inner);
        let mut all = chosen.iter().rev().chain(&self.stand_in);
        all.find(|one| one.name() == name).cloned()
    }

    /// The one whose vectors answer questions to this index.
    pub(crate) fn serving(&self, index: &Index) -> Option<Arc<dyn Embedder>> {
        self.named(index.served_by())
    }

    /// Whether questions to this index can be embedded as its vectors were.
    pub(crate) fn can_serve(&self, index: &Index) -> bool {
        match index.served_by() {
            "" => self.all().next().is_none(),
            name => self.named(name).is_some(),
        }
    }

    /// The vectors of new entries, as far as they are at hand, by embedder. The one that serves, or
    /// will until the chosen one is complete, comes first.
    pub(crate) fn at_hand(&self, served_by: &str, entries: &[Entry]) -> Vectors {
        let serving = match served_by {
            "" => self.stand_in.clone(),
            name => self.named(name),
        };
        let is_serving =
            |one: &Arc<dyn Embedder>| serving.as_ref().is_some_and(|s| s.name() == one.name());
        let chosen = self.chosen().filter(|one| !is_serving(one));
        let asked = serving.iter().cloned().chain(chosen);
        asked.map(|one| (one.name().to_owned(), passages_at_hand(&*one, entries))).collect()
    }

    fn all(&self) -> impl Iterator<Item = Arc<dyn Embedder>> {
        let chosen = self.chosen.read().unwrap_or_else(PoisonError::into_inner).clone();
        chosen.into_iter().rev().chain(self.stand_in.clone())
    }
}

/// The passages of an entry that are embedded: replies follow from what they answer.
pub(crate) fn embedded_passages(entry: &Entry) -> Vec<&str> {
    if entry.role.is_reply() { Vec::new() } else { passages(entry.content.as_str()) }
}

fn passages_at_hand(embedder: &dyn Embedder, entries: &[Entry]) -> Vec<Passages> {
    let texts: Vec<Vec<&str>> = entries.iter().map(embedded_passages).collect();
    let mut vectors = embedder.at_hand(&texts.concat()).into_iter();
    texts.iter().map(|texts| vectors.by_ref().take(texts.len()).collect()).collect()
}
