//! An entry as a memory of mem0, with an id that stays the same when it is updated.

use std::collections::HashMap;

use everwhen::memory::{Address, Entry, EntryId, MemoryId, Metadata};
use everwhen::{Error, Result, Vault};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::scope::Ids;

/// What separates the two ids of a record's id.
const BETWEEN: &str = "-ent_";
/// The member of an entry's metadata that holds what is mem0's.
const OWN: &str = "mem0";
/// Updates that are followed.
const CHAIN: usize = 10_000;

/// What mem0 knows of an entry beyond its text.
#[derive(Debug, Clone, Default)]
pub(super) struct Attached {
    pub(super) ids: Ids,
    /// The caller's own metadata.
    pub(super) metadata: Map<String, Value>,
    pub(super) expiration_date: Option<String>,
    pub(super) categories: Value,
}

impl Attached {
    /// Reads what is attached to an entry.
    pub(super) fn of(entry: &Entry) -> Self {
        let text = entry.metadata.as_ref().map_or("{}", Metadata::as_str);
        let mut metadata: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
        let own = metadata.remove(OWN).unwrap_or_default();
        Self {
            ids: Ids::read(&own),
            metadata,
            expiration_date: own["expiration_date"].as_str().map(ToOwned::to_owned),
            categories: own["categories"].clone(),
        }
    }

    /// As metadata of an entry.
    pub(super) fn write(&self) -> Result<Metadata> {
        let mut own = self.ids.write();
        own.retain(|_, id| !id.is_null());
        own.extend(
            self.expiration_date.clone().map(|day| ("expiration_date".to_owned(), day.into())),
        );
        if !self.categories.is_null() {
            own.insert("categories".to_owned(), self.categories.clone());
        }
        let mut whole = self.metadata.clone();
        whole.insert(OWN.to_owned(), Value::Object(own));
        Metadata::new(Value::Object(whole).to_string())
    }

    fn has_expired(&self, now: Timestamp) -> bool {
        let end = self.expiration_date.as_ref().and_then(|day| super::filter::instant(&json!(day)));
        end.is_some_and(|end| end <= now)
    }
}

/// The id of an entry as a record: that of its memory and of its first version.
pub(super) fn write_id(memory: MemoryId, first: EntryId) -> String {
    format!("{memory}-{first}")
}

/// The memory and the first version that an id means.
pub(super) fn read_id(id: &str) -> Result<(Address<MemoryId>, EntryId)> {
    let unknown = || Error::not_found(format!("memory not found: {id}"));
    let (memory, entry) = id.split_once(BETWEEN).ok_or_else(unknown)?;
    let memory: MemoryId = memory.parse().map_err(|_| unknown())?;
    let entry: EntryId = format!("{}{entry}", &BETWEEN[1..]).parse().map_err(|_| unknown())?;
    Ok((Address::Id(memory), entry))
}

/// All versions of a record, the first one first.
pub(super) async fn versions(vault: &Vault, id: &str) -> Result<Vec<Entry>> {
    let (memory, first) = read_id(id)?;
    let mut versions = vec![vault.entry(memory.clone(), first).await?];
    while versions.len() < CHAIN
        && let Some(next) = versions.last().and_then(|entry| entry.corrected.as_ref())
    {
        versions.push(vault.entry(memory.clone(), next.by).await?);
    }
    Ok(versions)
}

/// The first version of an entry.
pub(super) async fn first_version(vault: &Vault, entry: &Entry) -> Result<EntryId> {
    let mut id = entry.id;
    let mut corrects = entry.corrects.as_ref().map(|correction| correction.entry);
    while let Some(earlier) = corrects {
        id = earlier;
        let entry = vault.entry(Address::Id(entry.memory), earlier).await?;
        corrects = entry.corrects.map(|correction| correction.entry);
    }
    Ok(id)
}

/// Entries of a vault as mem0 shows them.
pub(super) struct Records<'v> {
    vault: &'v Vault,
    /// Whose the memories are that were looked up.
    owners: HashMap<MemoryId, Ids>,
}

impl<'v> Records<'v> {
    pub(super) fn of(vault: &'v Vault) -> Self {
        Self { vault, owners: HashMap::new() }
    }

    /// Whose a memory is. What another interface stored there, which names no user, is theirs.
    pub(super) async fn owner(&mut self, memory: MemoryId) -> Result<Ids> {
        if let Some(owner) = self.owners.get(&memory) {
            return Ok(owner.clone());
        }
        let name = self.vault.memory(Address::Id(memory)).await?.name;
        let owner = Ids::of_memory(name.as_str());
        self.owners.insert(memory, owner.clone());
        Ok(owner)
    }

    /// An entry as mem0 shows it.
    pub(super) async fn write(&mut self, entry: &Entry) -> Result<Value> {
        let attached = Attached::of(entry);
        let id = write_id(entry.memory, first_version(self.vault, entry).await?);
        let ids = attached.ids.clone().or_else_of(&self.owner(entry.memory).await?);
        Ok(record(entry, id, attached, &ids))
    }
}

fn record(entry: &Entry, id: String, attached: Attached, ids: &Ids) -> Value {
    let mut record = ids.write();
    let run = record["run_id"].clone();
    let said = entry.conversation_time.to_string();
    for (name, value) in [
        ("id", json!(id)),
        ("memory", json!(entry.content.as_str())),
        ("metadata", Value::Object(attached.metadata)),
        ("categories", if attached.categories.is_null() { json!([]) } else { attached.categories }),
        ("expiration_date", json!(attached.expiration_date)),
        ("session_id", run),
        ("role", json!(entry.role.as_str())),
        ("created_at", json!(said)),
        ("updated_at", json!(updated_at(entry).to_string())),
        // Beyond mem0: both clocks.
        ("conversation_time", json!(said)),
        ("creation_time", json!(entry.creation_time.to_string())),
    ] {
        record.insert(name.to_owned(), value);
    }
    Value::Object(record)
}

/// When an entry got its present text.
fn updated_at(entry: &Entry) -> Timestamp {
    match entry.corrects {
        Some(_) => entry.creation_time,
        None => entry.conversation_time,
    }
}

/// Whether a record is still shown.
pub(super) fn is_shown(entry: &Entry, now: Timestamp, show_expired: bool) -> bool {
    show_expired || !Attached::of(entry).has_expired(now)
}
