//! The nine tools of the reference memory server. Every statement of this graph is dated.

use everwhen::{Entity, Graph, GraphChange, GraphRelation, Result};

use crate::mcp::call::ToolCall;
use crate::mcp::tool::{Tool, ToolEffect, ToolEntry};
use crate::mcp::wire;

/// The memory that holds the graph unless the client names another.
const MEMORY: &str = "graph";

/// All nine tools.
pub(crate) fn all() -> Vec<ToolEntry> {
    vec![
        ToolEntry::of::<CreateEntitiesTool>(),
        ToolEntry::of::<CreateRelationsTool>(),
        ToolEntry::of::<AddObservationsTool>(),
        ToolEntry::of::<DeleteEntitiesTool>(),
        ToolEntry::of::<DeleteObservationsTool>(),
        ToolEntry::of::<DeleteRelationsTool>(),
        ToolEntry::of::<ReadGraphTool>(),
        ToolEntry::of::<SearchNodesTool>(),
        ToolEntry::of::<OpenNodesTool>(),
    ]
}

async fn change(call: &ToolCall, change: GraphChange) -> Result<Graph> {
    let memory = call.memory(call.choice.memory.as_deref().or(Some(MEMORY)))?;
    let vault = call.vault_to_write(None).await?;
    vault.change_graph(memory.clone(), change).await
}

/// The current graph; empty if nothing has been stored yet.
async fn graph(call: &ToolCall) -> Result<Graph> {
    let memory = call.memory(call.choice.memory.as_deref().or(Some(MEMORY)))?;
    let read = match call.vault(None).await {
        Ok(vault) => vault.graph(memory, None).await,
        Err(error) => Err(error),
    };
    match read {
        Err(error) if error.kind() == everwhen::ErrorKind::NotFound => Ok(Graph::default()),
        graph => graph,
    }
}

/// Creates entities.
struct CreateEntitiesTool;

impl Tool for CreateEntitiesTool {
    type Input = wire::CreateEntities;
    type Output = wire::EntitiesOutput;
    const NAME: &'static str = "create_entities";
    const TITLE: &'static str = "Create Entities";
    const DESCRIPTION: &'static str = "Create multiple new entities in the knowledge graph";
    const EFFECT: ToolEffect = ToolEffect::Adds;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let entities = input.entities.into_iter().map(Entity::from).collect();
        let new = change(&call, GraphChange::AddEntities(entities)).await?;
        let entities = new.entities.into_iter().map(wire::Entity::from).collect();
        Ok(wire::EntitiesOutput { entities })
    }
}

/// Creates relations.
struct CreateRelationsTool;

impl Tool for CreateRelationsTool {
    type Input = wire::SomeRelations;
    type Output = wire::RelationsOutput;
    const NAME: &'static str = "create_relations";
    const TITLE: &'static str = "Create Relations";
    const DESCRIPTION: &'static str = "Create multiple new relations between entities in the knowledge \
        graph. Relations should be in active voice";
    const EFFECT: ToolEffect = ToolEffect::Adds;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let new = change(&call, GraphChange::AddRelations(read(input))).await?;
        let relations = new.relations.into_iter().map(wire::Relation::from).collect();
        Ok(wire::RelationsOutput { relations })
    }
}

/// Adds observations to entities.
struct AddObservationsTool;

impl Tool for AddObservationsTool {
    type Input = wire::AddObservations;
    type Output = wire::ObservationsOutput;
    const NAME: &'static str = "add_observations";
    const TITLE: &'static str = "Add Observations";
    const DESCRIPTION: &'static str =
        "Add new observations to existing entities in the knowledge graph";
    const EFFECT: ToolEffect = ToolEffect::Adds;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        let all = input.read();
        let named = all.iter().map(|(name, _)| name.clone()).collect();
        let new = change(&call, GraphChange::AddObservations(all)).await?;
        Ok(wire::ObservationsOutput::write(named, new))
    }
}

/// Removes entities from the current graph.
struct DeleteEntitiesTool;

impl Tool for DeleteEntitiesTool {
    type Input = wire::DeleteEntities;
    type Output = wire::Success;
    const NAME: &'static str = "delete_entities";
    const TITLE: &'static str = "Delete Entities";
    const DESCRIPTION: &'static str = "Delete multiple entities and their associated relations from the \
        knowledge graph";
    const EFFECT: ToolEffect = ToolEffect::Removes;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        change(&call, GraphChange::RemoveEntities(input.entity_names)).await?;
        Ok(wire::Success::new("Entities deleted successfully"))
    }
}

/// Removes observations from the current graph.
struct DeleteObservationsTool;

impl Tool for DeleteObservationsTool {
    type Input = wire::DeleteObservations;
    type Output = wire::Success;
    const NAME: &'static str = "delete_observations";
    const TITLE: &'static str = "Delete Observations";
    const DESCRIPTION: &'static str =
        "Delete specific observations from entities in the knowledge graph";
    const EFFECT: ToolEffect = ToolEffect::Removes;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        change(&call, GraphChange::RemoveObservations(input.read())).await?;
        Ok(wire::Success::new("Observations deleted successfully"))
    }
}

/// Removes relations from the current graph.
struct DeleteRelationsTool;

impl Tool for DeleteRelationsTool {
    type Input = wire::SomeRelations;
    type Output = wire::Success;
    const NAME: &'static str = "delete_relations";
    const TITLE: &'static str = "Delete Relations";
    const DESCRIPTION: &'static str = "Delete multiple relations from the knowledge graph";
    const EFFECT: ToolEffect = ToolEffect::Removes;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        change(&call, GraphChange::RemoveRelations(read(input))).await?;
        Ok(wire::Success::new("Relations deleted successfully"))
    }
}

/// Returns the whole graph.
struct ReadGraphTool;

impl Tool for ReadGraphTool {
    type Input = wire::ReadGraph;
    type Output = wire::GraphOutput;
    const NAME: &'static str = "read_graph";
    const TITLE: &'static str = "Read Graph";
    const DESCRIPTION: &'static str = "Read the entire knowledge graph";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(call: ToolCall, _: Self::Input) -> Result<Self::Output> {
        Ok(graph(&call).await?.into())
    }
}

/// Returns the entities that contain the words of a query.
struct SearchNodesTool;

impl Tool for SearchNodesTool {
    type Input = wire::SearchNodes;
    type Output = wire::GraphOutput;
    const NAME: &'static str = "search_nodes";
    const TITLE: &'static str = "Search Nodes";
    const DESCRIPTION: &'static str = "Search for nodes in the knowledge graph based on a query";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        Ok(graph(&call).await?.mentioning(&input.query).into())
    }
}

/// Returns entities by name.
struct OpenNodesTool;

impl Tool for OpenNodesTool {
    type Input = wire::OpenNodes;
    type Output = wire::GraphOutput;
    const NAME: &'static str = "open_nodes";
    const TITLE: &'static str = "Open Nodes";
    const DESCRIPTION: &'static str = "Open specific nodes in the knowledge graph by their names";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(call: ToolCall, input: Self::Input) -> Result<Self::Output> {
        Ok(graph(&call).await?.named(&input.names).into())
    }
}

fn read(input: wire::SomeRelations) -> Vec<GraphRelation> {
    input.relations.into_iter().map(GraphRelation::from).collect()
}
