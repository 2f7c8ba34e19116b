//! A knowledge graph, kept as dated entries.
//!
//! Things, what is observed of them and how they relate are statements, and a statement is something
//! said at a time: an entry with both times, labelled so that it can be read back. What is removed
//! is said to be gone by another entry; so the graph of any earlier moment is still there, and it
//! shows in timelines and recall as all entries do. Each statement is kept as a fact, too, which rests
//! on its entry. [`stored`] folds the entries into what stands;
//! [`change`] says what has to be said for it to stand otherwise.

mod believe;
mod change;
mod stored;

pub use change::GraphChange;

use jiff::Timestamp;

pub use crate::memory::GraphRelation;
use crate::memory::{Address, Entry, MemoryId, Name, STATEMENT_LABEL};
use crate::ports::{EntryQuery, MemoryRef, Snapshot, Which};
use crate::receipt::{EntriesReceipt, Receipt};
use crate::vault::{Absent, Vault};
use crate::{Result, remember};
use stored::StoredGraph;

/// Things and how they relate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    /// The things, in the order they were first named.
    pub entities: Vec<Entity>,
    /// How they relate, in the order that was said.
    pub relations: Vec<GraphRelation>,
}

/// A thing: a person, a place, a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// What it is called; no two are called the same.
    pub name: String,
    /// What sort of thing it is.
    pub kind: String,
    /// What has been said of it.
    pub observations: Vec<String>,
}

impl Graph {
    /// The things whose name, type or observations contain the words, and their relations.
    #[must_use]
    pub fn mentioning(self, words: &str) -> Self {
        let words = words.to_lowercase();
        let contains = |text: &String| text.to_lowercase().contains(&words);
        self.only(|entity| {
            contains(&entity.name)
                || contains(&entity.kind)
                || entity.observations.iter().any(contains)
        })
    }

    /// The things of these names, and their relations.
    #[must_use]
    pub fn named(self, names: &[String]) -> Self {
        self.only(|entity| names.contains(&entity.name))
    }

    /// Some of the things, and every relation that touches one of them.
    fn only(mut self, which: impl Fn(&Entity) -> bool) -> Self {
        self.entities.retain(which);
        let here = |name: &String| self.entities.iter().any(|entity| entity.name == *name);
        self.relations.retain(|relation| here(&relation.from) || here(&relation.to));
        self
    }
}

impl Vault {
    /// The graph of a memory; as it stood at an instant, if one is given.
    pub async fn graph(
        &self,
        memory: Address<MemoryId>,
        as_of: Option<Timestamp>,
    ) -> Result<Graph> {
        let which = as_of.map_or(Which::Current, Which::AsOf);
        let entries =
            self.read(memory, move |view, _| statements(view.snapshot, view.place, which)).await?;
        Ok(StoredGraph::fold(&entries).graph())
    }

    /// Changes the graph of a memory, which is made if it does not exist. Answers what is new.
    pub async fn change_graph(
        &self,
        memory: Address<MemoryId>,
        change: GraphChange,
    ) -> Result<Graph> {
        let work = move |edit: &mut crate::memory_edit::MemoryEdit<'_>| {
            let entries = statements(edit.tx.snapshot(), edit.place(), Which::Current)?;
            let new = change.clone().entries(&StoredGraph::fold(&entries))?;
            if new.is_empty() {
                let nothing = EntriesReceipt { entries: Vec::new(), pending: None };
                return Ok(Receipt::Entries(nothing));
            }
            let receipt = remember::entries(edit, new, None)?;
            if let Receipt::Entries(stored) = &receipt {
                believe::believe(edit, stored)?;
            }
            Ok(receipt)
        };
        let done = self.edit_memory(memory.clone(), Absent::Make, None, work).await?;
        let Receipt::Entries(receipt) = done.receipt else { return Ok(Graph::default()) };
        let mut new = Vec::new();
        for stored in receipt.entries {
            new.push(self.entry(memory.clone(), stored.id).await?);
        }
        Ok(StoredGraph::fold(&new).graph())
    }
}

/// The statements of a graph, in the order they arrived.
fn statements(snapshot: &dyn Snapshot, place: MemoryRef, which: Which) -> Result<Vec<Entry>> {
    let tag = Some(Name::new("tag", STATEMENT_LABEL)?);
    let mut entries =
        snapshot.entries(place, &EntryQuery { which, tag, ..EntryQuery::default() })?;
    entries.sort_by_key(|entry| entry.sequence);
    Ok(entries)
}
