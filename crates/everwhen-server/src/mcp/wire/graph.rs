//! A knowledge graph, as the nine tools of the reference memory server take and give it.

use everwhen::{Graph, GraphRelation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entity {
    /// The name of the entity
    name: String,
    /// The type of the entity
    entity_type: String,
    /// What is known about it
    observations: Vec<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Relation {
    /// Name of the entity where it starts
    from: String,
    /// Name of the entity where it ends
    to: String,
    /// How they relate, in active voice
    relation_type: String,
}

impl From<Entity> for everwhen::Entity {
    fn from(entity: Entity) -> Self {
        let Entity { name, entity_type: kind, observations } = entity;
        Self { name, kind, observations }
    }
}

impl From<everwhen::Entity> for Entity {
    fn from(entity: everwhen::Entity) -> Self {
        let everwhen::Entity { name, kind: entity_type, observations } = entity;
        Self { name, entity_type, observations }
    }
}

impl From<Relation> for GraphRelation {
    fn from(relation: Relation) -> Self {
        Self { from: relation.from, to: relation.to, kind: relation.relation_type }
    }
}

impl From<GraphRelation> for Relation {
    fn from(relation: GraphRelation) -> Self {
        Self { from: relation.from, to: relation.to, relation_type: relation.kind }
    }
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct CreateEntities {
    pub(crate) entities: Vec<Entity>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct EntitiesOutput {
    pub(crate) entities: Vec<Entity>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct SomeRelations {
    pub(crate) relations: Vec<Relation>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct RelationsOutput {
    pub(crate) relations: Vec<Relation>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct AddObservations {
    observations: Vec<Observed>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Observed {
    /// The entity to add to
    entity_name: String,
    /// What to add
    contents: Vec<String>,
}

impl AddObservations {
    /// Names and what to add to each.
    pub(crate) fn read(self) -> Vec<(String, Vec<String>)> {
        self.observations.into_iter().map(|it| (it.entity_name, it.contents)).collect()
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ObservationsOutput {
    results: Vec<Added>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Added {
    entity_name: String,
    added_observations: Vec<String>,
}

impl ObservationsOutput {
    /// What is new of each entity that was named.
    pub(crate) fn write(named: Vec<String>, new: Graph) -> Self {
        let mut left = new.entities;
        let of = |name: String| {
            let place = left.iter().position(|entity| entity.name == name);
            let added = place.map(|place| left.swap_remove(place).observations);
            Added { entity_name: name, added_observations: added.unwrap_or_default() }
        };
        Self { results: named.into_iter().map(of).collect() }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeleteEntities {
    /// Names of the entities to delete
    pub(crate) entity_names: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct DeleteObservations {
    deletions: Vec<Deletion>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Deletion {
    /// The entity they belong to
    entity_name: String,
    /// What to delete
    observations: Vec<String>,
}

impl DeleteObservations {
    /// Names and what to remove from each.
    pub(crate) fn read(self) -> Vec<(String, Vec<String>)> {
        self.deletions.into_iter().map(|it| (it.entity_name, it.observations)).collect()
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Success {
    success: bool,
    message: String,
}

impl Success {
    /// Says what was done.
    pub(crate) fn new(message: &str) -> Self {
        Self { success: true, message: message.into() }
    }
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ReadGraph {}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct SearchNodes {
    /// Matched against names, types and observations
    pub(crate) query: String,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct OpenNodes {
    /// Names of the entities to retrieve
    pub(crate) names: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct GraphOutput {
    entities: Vec<Entity>,
    relations: Vec<Relation>,
}

impl From<Graph> for GraphOutput {
    fn from(graph: Graph) -> Self {
        Self {
            entities: graph.entities.into_iter().map(Entity::from).collect(),
            relations: graph.relations.into_iter().map(Relation::from).collect(),
        }
    }
}
