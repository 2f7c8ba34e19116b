//! The nine tools of the reference memory server. Here every statement has its times.

use everwhen::{Entity, Graph, GraphChange, GraphRelation, Result};

use crate::mcp::guest::Guest;
use crate::mcp::tool::{Effect, Listed, Tool};
use crate::mcp::wire;

/// The memory a graph is kept in unless the client names another.
const MEMORY: &str = "graph";

/// All nine.
pub(crate) fn all() -> Vec<Listed> {
    vec![
        Listed::of::<CreateEntities>(),
        Listed::of::<CreateRelations>(),
        Listed::of::<AddObservations>(),
        Listed::of::<DeleteEntities>(),
        Listed::of::<DeleteObservations>(),
        Listed::of::<DeleteRelations>(),
        Listed::of::<ReadGraph>(),
        Listed::of::<SearchNodes>(),
        Listed::of::<OpenNodes>(),
    ]
}

async fn change(guest: &Guest, change: GraphChange) -> Result<Graph> {
    let memory = guest.memory(guest.choice.memory.as_deref().or(Some(MEMORY)))?;
    let vault = guest.vault_to_write(None).await?;
    vault.change_graph(memory.clone(), change).await
}

/// The graph as it stands; an empty one where nothing has been said yet.
async fn graph(guest: &Guest) -> Result<Graph> {
    let memory = guest.memory(guest.choice.memory.as_deref().or(Some(MEMORY)))?;
    let read = match guest.vault(None).await {
        Ok(vault) => vault.graph(memory, None).await,
        Err(error) => Err(error),
    };
    match read {
        Err(error) if error.kind() == everwhen::ErrorKind::NotFound => Ok(Graph::default()),
        graph => graph,
    }
}

/// New things.
struct CreateEntities;

impl Tool for CreateEntities {
    type Takes = wire::CreateEntities;
    type Gives = wire::EntitiesTold;
    const NAME: &'static str = "create_entities";
    const TITLE: &'static str = "Create Entities";
    const ABOUT: &'static str = "Create multiple new entities in the knowledge graph";
    const EFFECT: Effect = Effect::Adds;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        let entities = takes.entities.into_iter().map(Entity::from).collect();
        let new = change(&guest, GraphChange::AddEntities(entities)).await?;
        let entities = new.entities.into_iter().map(wire::Entity::from).collect();
        Ok(wire::EntitiesTold { entities })
    }
}

/// New relations.
struct CreateRelations;

impl Tool for CreateRelations {
    type Takes = wire::SomeRelations;
    type Gives = wire::RelationsTold;
    const NAME: &'static str = "create_relations";
    const TITLE: &'static str = "Create Relations";
    const ABOUT: &'static str = "Create multiple new relations between entities in the knowledge \
        graph. Relations should be in active voice";
    const EFFECT: Effect = Effect::Adds;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        let new = change(&guest, GraphChange::AddRelations(read(takes))).await?;
        let relations = new.relations.into_iter().map(wire::Relation::from).collect();
        Ok(wire::RelationsTold { relations })
    }
}

/// More about things.
struct AddObservations;

impl Tool for AddObservations {
    type Takes = wire::AddObservations;
    type Gives = wire::ObservationsTold;
    const NAME: &'static str = "add_observations";
    const TITLE: &'static str = "Add Observations";
    const ABOUT: &'static str = "Add new observations to existing entities in the knowledge graph";
    const EFFECT: Effect = Effect::Adds;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        let all = takes.read();
        let named = all.iter().map(|(name, _)| name.clone()).collect();
        let new = change(&guest, GraphChange::AddObservations(all)).await?;
        Ok(wire::ObservationsTold::write(named, new))
    }
}

/// Things that are no longer.
struct DeleteEntities;

impl Tool for DeleteEntities {
    type Takes = wire::DeleteEntities;
    type Gives = wire::Success;
    const NAME: &'static str = "delete_entities";
    const TITLE: &'static str = "Delete Entities";
    const ABOUT: &'static str = "Delete multiple entities and their associated relations from the \
        knowledge graph";
    const EFFECT: Effect = Effect::Removes;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        change(&guest, GraphChange::RemoveEntities(takes.entity_names)).await?;
        Ok(wire::Success::new("Entities deleted successfully"))
    }
}

/// What is no longer so about things.
struct DeleteObservations;

impl Tool for DeleteObservations {
    type Takes = wire::DeleteObservations;
    type Gives = wire::Success;
    const NAME: &'static str = "delete_observations";
    const TITLE: &'static str = "Delete Observations";
    const ABOUT: &'static str = "Delete specific observations from entities in the knowledge graph";
    const EFFECT: Effect = Effect::Removes;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        change(&guest, GraphChange::RemoveObservations(takes.read())).await?;
        Ok(wire::Success::new("Observations deleted successfully"))
    }
}

/// Relations that are no longer.
struct DeleteRelations;

impl Tool for DeleteRelations {
    type Takes = wire::SomeRelations;
    type Gives = wire::Success;
    const NAME: &'static str = "delete_relations";
    const TITLE: &'static str = "Delete Relations";
    const ABOUT: &'static str = "Delete multiple relations from the knowledge graph";
    const EFFECT: Effect = Effect::Removes;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        change(&guest, GraphChange::RemoveRelations(read(takes))).await?;
        Ok(wire::Success::new("Relations deleted successfully"))
    }
}

/// All of it.
struct ReadGraph;

impl Tool for ReadGraph {
    type Takes = wire::ReadGraph;
    type Gives = wire::GraphTold;
    const NAME: &'static str = "read_graph";
    const TITLE: &'static str = "Read Graph";
    const ABOUT: &'static str = "Read the entire knowledge graph";
    const EFFECT: Effect = Effect::Reads;

    async fn call(guest: Guest, _: Self::Takes) -> Result<Self::Gives> {
        Ok(graph(&guest).await?.into())
    }
}

/// Things that words occur in.
struct SearchNodes;

impl Tool for SearchNodes {
    type Takes = wire::SearchNodes;
    type Gives = wire::GraphTold;
    const NAME: &'static str = "search_nodes";
    const TITLE: &'static str = "Search Nodes";
    const ABOUT: &'static str = "Search for nodes in the knowledge graph based on a query";
    const EFFECT: Effect = Effect::Reads;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        Ok(graph(&guest).await?.mentioning(&takes.query).into())
    }
}

/// Things by name.
struct OpenNodes;

impl Tool for OpenNodes {
    type Takes = wire::OpenNodes;
    type Gives = wire::GraphTold;
    const NAME: &'static str = "open_nodes";
    const TITLE: &'static str = "Open Nodes";
    const ABOUT: &'static str = "Open specific nodes in the knowledge graph by their names";
    const EFFECT: Effect = Effect::Reads;

    async fn call(guest: Guest, takes: Self::Takes) -> Result<Self::Gives> {
        Ok(graph(&guest).await?.named(&takes.names).into())
    }
}

fn read(takes: wire::SomeRelations) -> Vec<GraphRelation> {
    takes.relations.into_iter().map(GraphRelation::from).collect()
}
