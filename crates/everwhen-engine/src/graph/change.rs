//! What has to be said for a graph to change. What is so already is not said again.

use super::stored::{StoredEntity, StoredGraph};
use super::{Entity, GraphRelation};
use crate::memory::Statement;
use crate::memory::{EntryId, NewEntry};
use crate::{Error, Result};

/// A change to a graph.
#[derive(Debug, Clone)]
pub enum GraphChange {
    /// Adds things; those that exist stay as they are.
    AddEntities(Vec<Entity>),
    /// Adds relations.
    AddRelations(Vec<GraphRelation>),
    /// Adds observations to things that exist, by name.
    AddObservations(Vec<(String, Vec<String>)>),
    /// Removes things, with all that is said of them and their relations.
    RemoveEntities(Vec<String>),
    /// Removes observations from things.
    RemoveObservations(Vec<(String, Vec<String>)>),
    /// Removes relations.
    RemoveRelations(Vec<GraphRelation>),
}

impl GraphChange {
    /// The entries that bring it about.
    pub(super) fn entries(self, kept: &StoredGraph) -> Result<Vec<NewEntry>> {
        let statements = match self {
            Self::AddEntities(entities) => add_entities(entities, kept),
            Self::AddRelations(relations) => add_relations(relations, kept),
            Self::AddObservations(all) => add_observations(all, kept)?,
            Self::RemoveEntities(names) => remove_entities(&names, kept),
            Self::RemoveObservations(all) => remove_observations(&all, kept),
            Self::RemoveRelations(relations) => remove_relations(&relations, kept),
        };
        statements.iter().map(Statement::entry).collect()
    }
}

fn add_entities(entities: Vec<Entity>, kept: &StoredGraph) -> Vec<Statement> {
    let mut named: Vec<String> = Vec::new();
    let mut new = Vec::new();
    for Entity { name, kind, observations } in entities {
        if kept.entity(&name).is_some() || named.contains(&name) {
            continue;
        }
        named.push(name.clone());
        new.push(Statement::Entity { name: name.clone(), kind });
        let said = without_repeats(observations, &[]);
        new.extend(said.into_iter().map(|text| Statement::Observation { of: name.clone(), text }));
    }
    new
}

fn add_relations(relations: Vec<GraphRelation>, kept: &StoredGraph) -> Vec<Statement> {
    let mut new: Vec<GraphRelation> = Vec::new();
    for relation in relations {
        let known = kept.relations.iter().any(|(_, known)| *known == relation);
        if !known && !new.contains(&relation) {
            new.push(relation);
        }
    }
    new.into_iter().map(Statement::Relation).collect()
}

fn add_observations(all: Vec<(String, Vec<String>)>, kept: &StoredGraph) -> Result<Vec<Statement>> {
    let mut new = Vec::new();
    for (name, texts) in all {
        let entity = kept
            .entity(&name)
            .ok_or_else(|| Error::not_found(format!("Entity with name {name} not found")))?;
        let said = without_repeats(texts, &entity.observations);
        new.extend(said.into_iter().map(|text| Statement::Observation { of: name.clone(), text }));
    }
    Ok(new)
}

/// Texts that are not among those known, each once.
fn without_repeats(texts: Vec<String>, known: &[(EntryId, String)]) -> Vec<String> {
    let mut new: Vec<String> = Vec::new();
    for text in texts {
        if !new.contains(&text) && !known.iter().any(|(_, known)| *known == text) {
            new.push(text);
        }
    }
    new
}

fn remove_entities(names: &[String], kept: &StoredGraph) -> Vec<Statement> {
    let mut gone = Vec::new();
    for entity in kept.entities.iter().filter(|entity| names.contains(&entity.name)) {
        gone.push(no_longer(entity.entry, &entity.name));
        gone.extend(entity.observations.iter().map(|(entry, text)| no_longer(*entry, text)));
    }
    let touched = |it: &GraphRelation| names.contains(&it.from) || names.contains(&it.to);
    gone.extend(relations_gone(kept, touched));
    gone
}

fn remove_observations(all: &[(String, Vec<String>)], kept: &StoredGraph) -> Vec<Statement> {
    let of = |(name, texts): &(String, Vec<String>)| {
        let said = kept.entity(name).map_or(&[][..], |entity: &StoredEntity| &entity.observations);
        let named = said.iter().filter(|(_, text)| texts.contains(text));
        named.map(|(entry, text)| no_longer(*entry, text)).collect::<Vec<_>>()
    };
    all.iter().flat_map(of).collect()
}

fn remove_relations(relations: &[GraphRelation], kept: &StoredGraph) -> Vec<Statement> {
    relations_gone(kept, |relation| relations.contains(relation))
}

fn relations_gone(kept: &StoredGraph, which: impl Fn(&GraphRelation) -> bool) -> Vec<Statement> {
    let named = kept.relations.iter().filter(|(_, relation)| which(relation));
    let gone = |(entry, relation): &(EntryId, GraphRelation)| {
        no_longer(*entry, &Statement::Relation(relation.clone()).sentence())
    };
    named.map(gone).collect()
}

fn no_longer(entry: EntryId, text: &str) -> Statement {
    Statement::Gone { entry, text: text.to_owned() }
}
