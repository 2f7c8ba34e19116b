//! What stands: the statements so far, folded into things and relations.

use super::{Entity, Graph, GraphRelation};
use crate::memory::Statement;
use crate::memory::{Entry, EntryId};

/// A graph whose every part knows the entry it comes from.
#[derive(Debug, Default)]
pub(super) struct StoredGraph {
    pub(super) entities: Vec<StoredEntity>,
    pub(super) relations: Vec<(EntryId, GraphRelation)>,
}

/// A thing, and what has been said of it.
#[derive(Debug)]
pub(super) struct StoredEntity {
    pub(super) entry: EntryId,
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) observations: Vec<(EntryId, String)>,
}

impl StoredGraph {
    /// The graph that entries make, taken in order of arrival.
    pub(super) fn fold(entries: &[Entry]) -> Self {
        let mut kept = Self::default();
        for entry in entries {
            if let Some(statement) = Statement::read(entry) {
                kept.take(entry.id, statement);
            }
        }
        kept
    }

    /// The thing of this name.
    pub(super) fn entity(&self, name: &str) -> Option<&StoredEntity> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    /// The graph without its entries.
    pub(super) fn graph(self) -> Graph {
        let entity = |kept: StoredEntity| Entity {
            name: kept.name,
            kind: kept.kind,
            observations: kept.observations.into_iter().map(|(_, text)| text).collect(),
        };
        Graph {
            entities: self.entities.into_iter().map(entity).collect(),
            relations: self.relations.into_iter().map(|(_, relation)| relation).collect(),
        }
    }

    fn take(&mut self, id: EntryId, statement: Statement) {
        match statement {
            Statement::Entity { name, kind } => {
                self.entities.push(StoredEntity {
                    entry: id,
                    name,
                    kind,
                    observations: Vec::new(),
                });
            }
            Statement::Observation { of, text } => self.observe(id, of, text),
            Statement::Relation(relation) => self.relations.push((id, relation)),
            Statement::Gone { entry, .. } => self.drop(entry),
        }
    }

    /// Something said of a thing. One that is not named here, as in a list of what is new, appears
    /// without a type.
    fn observe(&mut self, id: EntryId, of: String, text: String) {
        let known = self.entities.iter_mut().find(|entity| entity.name == of);
        match known {
            Some(entity) => entity.observations.push((id, text)),
            None => {
                let observations = vec![(id, text)];
                let kind = String::new();
                self.entities.push(StoredEntity { entry: id, name: of, kind, observations });
            }
        }
    }

    fn drop(&mut self, gone: EntryId) {
        self.entities.retain(|entity| entity.entry != gone);
        self.relations.retain(|(entry, _)| *entry != gone);
        for entity in &mut self.entities {
            entity.observations.retain(|(entry, _)| *entry != gone);
        }
    }
}
