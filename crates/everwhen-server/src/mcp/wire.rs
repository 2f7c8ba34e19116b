//! The JSON types of tools. Names and descriptions here are what a model reads.

mod choice;
mod context;
mod conversations;
mod entries;
mod facts;
mod files;
mod graph;
mod search;
mod timeline;
mod vaults;

pub(crate) use choice::{Choice, Profile, ToolSet};
pub(crate) use context::{ContextOutput, GetContext, PutContext};
pub(crate) use conversations::{
    ConversationOutput, ConversationRequest, EndConversationRequest, Ended, GetConversation,
};
pub(crate) use entries::{
    AddEntry, CorrectEntry, EntriesOutput, EntryOutput, EntryStored, GetEntry, ListEntries, SetTags,
};
pub(crate) use facts::{
    CorrectFact, FactChanged, FactsOutput, GetProfile, ListFacts, PinFact, ProfileOutput,
    RemoveFact,
};
pub(crate) use files::FileCommandOutput;
pub(crate) use graph::{
    AddObservations, CreateEntities, DeleteEntities, DeleteObservations, EntitiesOutput, Entity,
    GraphOutput, ObservationsOutput, OpenNodes, ReadGraph, Relation, RelationsOutput, SearchNodes,
    SomeRelations, Success,
};
pub(crate) use search::{SearchMemories, SearchOutput};
pub(crate) use timeline::{
    BetweenOutput, GetTimeline, TimeBetween, TimelineOutput, TimelineRequest,
};
pub(crate) use vaults::{
    AwaitConsistency, Consistent, CreateMemory, CreateVault, DefaultPrompts, ForgetRequest,
    Forgotten, GetDefaultPrompts, GetMemory, ListMemories, ListVaults, MemoriesOutput,
    MemoryDetails, MemoryOutput, VaultOutput, VaultsOutput,
};

use everwhen::memory::{ConversationId, ConversationName, Name};
use everwhen::receipt::Idempotency;
use everwhen::{Error, Result, time};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer};

/// Parses a time; the error names the argument.
fn read_time(argument: &str, text: Option<&str>) -> Result<Option<Timestamp>> {
    text.map(|text| time::read_time(text).map_err(|error| Error::from(error).at(argument)))
        .transpose()
}

fn read_conversation(text: Option<&str>) -> Result<Option<ConversationName>> {
    text.map(|text| everwhen::memory::Address::<ConversationId>::read("conversation_id", text))
        .transpose()
}

/// The caller's idempotency key for a write, with a digest of what is written.
fn read_once(key: Option<String>, parts: &[&[u8]]) -> Result<Option<Idempotency>> {
    let key = key.map(|key| Name::new("idempotency_key", key)).transpose()?;
    Ok(key.map(|key| Idempotency::new(key, parts)))
}

/// A whole number, also where a model writes it as `5.0`.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let Some(number) = Option::<serde_json::Number>::deserialize(deserializer)? else {
        return Ok(None);
    };
    let float = number.as_f64().filter(|float| float.fract() == 0.0);
    let whole = float.filter(|float| (0.0..=f64::from(u32::MAX)).contains(float));
    let refused = || serde::de::Error::custom(format!("{number} is not a whole number"));
    whole.map(|float| Some(float as u32)).ok_or_else(refused)
}
