//! One request: its caller, its query and its body, and what each call does.

use std::collections::HashMap;

use everwhen::key::Scope;
use everwhen::memory::{Address, Entry, Forget, MemoryId, Name, NewEntry, Role, Said, VaultId};
use everwhen::ports::{EntryQuery, Order, Which};
use everwhen::recall::{Kind, Query};
use everwhen::receipt::Receipt;
use everwhen::{DensityQuery, Error, NewCorrection, Vault, limits};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::record::{self, Attached, Records};
use super::scope::{Ids, KINDS, entity, memory_name};
use super::{Mem0Result, answers, filter};
use crate::ServerState;
use crate::access::Caller;
use crate::error::RequestError;

/// Most results of a search.
const MOST_FOUND: u64 = 1_000;
/// Results of a search unless the caller says more or fewer.
const USUAL_FOUND: u64 = 10;
/// More are searched than wanted where a filter leaves some out.
const SPARE: u64 = 4;
/// Rows of a page unless the caller says more or fewer.
const USUAL_ROWS: u64 = 100;
/// Most memories of a batch.
const MOST_IN_BATCH: usize = 1_000;

/// A request to the interface of mem0.
pub(super) struct Mem0Call {
    state: ServerState,
    caller: Caller,
    query: HashMap<String, String>,
    body: Value,
}

impl Mem0Call {
    pub(super) fn new(
        state: ServerState,
        caller: Caller,
        query: HashMap<String, String>,
        body: Value,
    ) -> Self {
        Self { state, caller, query, body }
    }

    /// Whether the body has something to add.
    pub(super) fn has_messages(&self) -> bool {
        !self.body["messages"].is_null()
    }

    /// A field of the body, or else of the query.
    fn field(&self, name: &str) -> Value {
        match &self.body[name] {
            Value::Null => self.query.get(name).map_or(Value::Null, |text| json!(text)),
            value => value.clone(),
        }
    }

    fn number(&self, name: &str) -> Option<u64> {
        let value = self.field(name);
        value.as_u64().or_else(|| value.as_str()?.parse().ok())
    }

    fn is_set(&self, name: &str) -> bool {
        let value = self.field(name);
        value == true || value == "true" || value == "True"
    }

    fn time(&self, name: &str) -> Mem0Result<Option<Timestamp>> {
        let value = self.field(name);
        if value.is_null() {
            return Ok(None);
        }
        let read = filter::instant(&value);
        let wrong = || {
            RequestError::invalid(format!("{name} is no time: {value}; use 2024-03-02T10:00:00Z"))
        };
        read.map(Some).ok_or_else(wrong)
    }

    /// The ids that are given directly or among the filters.
    fn ids(&self) -> Ids {
        let query: Map<String, Value> =
            self.query.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let direct = Ids::read(&self.body).or(Ids::read(&self.body["filters"]));
        direct.or(Ids::read(&Value::Object(query)))
    }

    fn vault_address(&self) -> Mem0Result<Address<VaultId>> {
        Ok(match self.caller {
            Caller::Holder(own, _) => Address::Id(own),
            Caller::Operator | Caller::Anyone => Address::read("vault", &self.state.mcp.vault)?,
        })
    }

    async fn vault(&self, needed: Scope) -> Mem0Result<Vault> {
        self.caller.require(needed)?;
        Ok(self.caller.vault(&self.state.engine, self.vault_address()?).await?)
    }

    async fn vault_to_write(&self) -> Mem0Result<Vault> {
        self.caller.require(Scope::Write)?;
        Ok(self.caller.vault_to_write(&self.state.engine, self.vault_address()?).await?)
    }

    /// Stores messages as they were said.
    pub(super) async fn add(&self) -> Mem0Result<Value> {
        let attached = Attached {
            ids: self.ids(),
            metadata: self.body["metadata"].as_object().cloned().unwrap_or_default(),
            expiration_date: self.body["expiration_date"].as_str().map(ToOwned::to_owned),
            categories: self.body["categories"].clone(),
        };
        let (memory, time) = (attached.ids.memory()?, self.time("timestamp")?);
        let mut entries = Vec::new();
        for (role, content) in messages(&self.body["messages"])? {
            let mut entry = NewEntry::new(role, Said::new(content)?);
            entry.conversation_time = time;
            entry.metadata = Some(attached.write()?);
            entries.push(entry);
        }
        if entries.is_empty() {
            return Err(RequestError::invalid("messages hold nothing that was said"));
        }
        let vault = self.vault_to_write().await?;
        let done = vault.remember(memory.clone(), entries, None).await?;
        let Receipt::Entries(receipt) = done.receipt else {
            return Err(Error::damaged("the receipt is that of another kind of write").into());
        };
        self.state.metrics.remembered(receipt.entries.len());
        let mut stored = Vec::new();
        for receipt in receipt.entries {
            stored.push(vault.entry(memory.clone(), receipt.id).await?);
        }
        Ok(answers::added(&stored))
    }

    /// Finds memories by words and time.
    pub(super) async fn search(&self) -> Mem0Result<Value> {
        let asked = self.field("query").as_str().unwrap_or_default().trim().to_owned();
        if asked.is_empty() {
            return Err(RequestError::invalid("query is empty; write what to search for"));
        }
        let wanted = self.number("top_k").or_else(|| self.number("limit")).unwrap_or(USUAL_FOUND);
        let wanted = wanted.clamp(1, MOST_FOUND);
        let as_of = self.time("as_of")?;
        let query = Query {
            asked_at: self.time("reference_date")?,
            as_of,
            kinds: vec![Kind::Entry],
            limit: Some((wanted * SPARE).min(MOST_FOUND) as usize),
            ..Query::new(asked)
        };
        let threshold = self.field("threshold").as_f64().unwrap_or_default();
        let mut results = Vec::new();
        if let Some(vault) = present(self.vault(Scope::Read).await)? {
            let (now, expired) =
                (as_of.unwrap_or_else(|| self.state.engine.now()), self.is_set("show_expired"));
            let mut records = Records::of(&vault);
            let found = self.recall(&vault, query).await?;
            let best = found.iter().map(|(_, score)| *score).fold(f64::EPSILON, f64::max);
            for (entry, score) in found {
                let mut record = records.write(&entry).await?;
                let share = (score / best).clamp(0.0, 1.0);
                record["score"] = json!((share * 10_000.0).round() / 10_000.0);
                let is_wanted = share >= threshold && record::is_shown(&entry, now, expired);
                if is_wanted && self.passes(&record)? {
                    results.push(record);
                }
            }
        }
        results.truncate(wanted as usize);
        Ok(json!({ "results": results }))
    }

    async fn recall(&self, vault: &Vault, query: Query) -> Mem0Result<Vec<(Entry, f64)>> {
        let recollection = match self.one_memory() {
            Some(memory) => present(vault.recall(memory?, query).await.map_err(Into::into))?,
            None => Some(vault.recall_all(query).await?),
        };
        let items = recollection.map(|recollection| recollection.items).unwrap_or_default();
        Ok(items.into_iter().map(|found| (found.entry, f64::from(found.score))).collect())
    }

    /// The only memory in which results can be, if there is only one: that of a user.
    fn one_memory(&self) -> Option<everwhen::Result<Address<MemoryId>>> {
        let ids = self.ids();
        let user = ids.write()["user_id"].as_str().map(ToOwned::to_owned)?;
        (user != "*").then(|| ids.memory())
    }

    /// Whether a record is one that the request asks for.
    fn passes(&self, record: &Value) -> Mem0Result<bool> {
        let mut ids = self.ids().write();
        ids.retain(|_, id| !id.is_null());
        let categories = self.field("categories");
        let has_category = match categories.as_array() {
            Some(wanted) if !wanted.is_empty() => wanted
                .iter()
                .any(|one| record["categories"].as_array().is_some_and(|own| own.contains(one))),
            _ => true,
        };
        Ok(has_category
            && filter::passes(record, &Value::Object(ids))?
            && filter::passes(record, &self.body["filters"])?)
    }

    /// Lists memories, the newest first.
    pub(super) async fn list(&self) -> Mem0Result<Value> {
        let rows = match present(self.vault(Scope::Read).await)? {
            Some(vault) => self.rows(&vault).await?.into_iter().map(|(_, record)| record).collect(),
            None => Vec::new(),
        };
        let page = self.number("page").unwrap_or(1).max(1) as usize;
        let size = self
            .number("page_size")
            .or_else(|| self.number("limit"))
            .or_else(|| self.number("top_k"));
        Ok(answers::page(rows, page, size.unwrap_or(USUAL_ROWS).clamp(1, MOST_FOUND) as usize))
    }

    /// All entries that the request asks for, as records, the newest first.
    async fn rows(&self, vault: &Vault) -> Mem0Result<Vec<(Entry, Value)>> {
        let memories = match self.one_memory() {
            Some(memory) => vec![memory?],
            None => all_memories(vault).await?.into_iter().map(|(id, _)| Address::Id(id)).collect(),
        };
        let as_of = self.time("as_of")?;
        let (now, expired) =
            (as_of.unwrap_or_else(|| self.state.engine.now()), self.is_set("show_expired"));
        let mut query = EntryQuery {
            created_after: self.time("start_date")?,
            created_before: self.time("end_date")?,
            which: as_of.map_or(Which::Current, Which::AsOf),
            order: Order::Newest,
            limit: Some(limits::PAGE_ROWS),
            ..EntryQuery::default()
        };
        let (mut rows, mut records) = (Vec::new(), Records::of(vault));
        for memory in memories {
            query.from = None;
            loop {
                let page = vault.entries(memory.clone(), None, query.clone()).await;
                let Some(page) = present(page.map_err(Into::into))? else { break };
                for entry in page.data {
                    let record = records.write(&entry).await?;
                    if record::is_shown(&entry, now, expired) && self.passes(&record)? {
                        rows.push((entry, record));
                    }
                }
                query.from = page.next;
                if query.from.is_none() {
                    break;
                }
            }
        }
        rows.sort_by_key(|(entry, _)| std::cmp::Reverse((entry.conversation_time, entry.place)));
        Ok(rows)
    }

    pub(super) async fn get(&self, id: &str) -> Mem0Result<Value> {
        let vault = self.vault(Scope::Read).await?;
        let versions = record::versions(&vault, id).await?;
        let as_of = self.time("as_of")?;
        let then =
            versions.iter().rev().find(|one| as_of.is_none_or(|time| one.creation_time <= time));
        let entry = then.ok_or_else(|| Error::not_found(format!("memory not found: {id}")))?;
        Ok(Records::of(&vault).write(entry).await?)
    }

    pub(super) async fn history(&self, id: &str) -> Mem0Result<Value> {
        let vault = self.vault(Scope::Read).await?;
        let versions = record::versions(&vault, id).await?;
        let mut owner = Ids::default();
        if let Some(first) = versions.first() {
            owner = Records::of(&vault).owner(first.memory).await?;
        }
        Ok(answers::history(id, &versions, &owner))
    }

    pub(super) async fn update(&self, id: &str) -> Mem0Result<Value> {
        let vault = self.vault(Scope::Write).await?;
        self.update_one(&vault, id, &self.body).await
    }

    /// Puts another text or other metadata in place of what there is; both stay readable.
    async fn update_one(&self, vault: &Vault, id: &str, change: &Value) -> Mem0Result<Value> {
        let (memory, _) = record::read_id(id)?;
        let versions = record::versions(vault, id).await?;
        let last =
            versions.last().ok_or_else(|| Error::not_found(format!("memory not found: {id}")))?;
        let text = ["text", "data", "memory"].iter().find_map(|name| change[*name].as_str());
        let mut attached = Attached::of(last);
        if let Some(metadata) = change["metadata"].as_object() {
            attached.metadata.clone_from(metadata);
        }
        if let Some(day) = change.get("expiration_date") {
            attached.expiration_date = day.as_str().map(ToOwned::to_owned);
        }
        let correction = NewCorrection {
            content: Said::new(text.unwrap_or(last.content.as_str()))?,
            reason: "updated through mem0".to_owned(),
            tags: None,
            metadata: Some(attached.write()?),
        };
        vault.correct(memory, last.id, correction, None).await?;
        let versions = record::versions(vault, id).await?;
        let last =
            versions.last().ok_or_else(|| Error::not_found(format!("memory not found: {id}")))?;
        Ok(Records::of(vault).write(last).await?)
    }

    pub(super) async fn delete(&self, id: &str) -> Mem0Result<Value> {
        let vault = self.vault(Scope::Write).await?;
        self.forget(&vault, id).await?;
        Ok(json!({ "message": "Memory deleted successfully!" }))
    }

    async fn forget(&self, vault: &Vault, id: &str) -> Mem0Result<()> {
        let (memory, entry) = record::read_id(id)?;
        vault.entry(memory.clone(), entry).await?;
        self.state.forget(vault, memory, Forget::Entry(entry), None).await?;
        Ok(())
    }

    /// Deletes everything of a user, agent, app or run, or what several of them share.
    pub(super) async fn delete_all(&self) -> Mem0Result<Value> {
        let ids = self.ids();
        if ids.is_empty() {
            let detail = "say whose memories to delete: user_id, agent_id, app_id or run_id";
            return Err(RequestError::invalid(detail));
        }
        if let Some(vault) = present(self.vault(Scope::Write).await)? {
            if ids.count() == 1 {
                let forgotten =
                    self.state.forget(&vault, ids.memory()?, Forget::Memory, None).await;
                present(forgotten.map_err(Into::into))?;
            }
            for (_, record) in self.rows(&vault).await? {
                self.forget(&vault, record["id"].as_str().unwrap_or_default()).await?;
            }
        }
        Ok(json!({ "message": "Memories deleted successfully!" }))
    }

    /// Lists users, agents, apps and runs.
    pub(super) async fn entities(&self) -> Mem0Result<Value> {
        let mut rows = Vec::new();
        if let Some(vault) = present(self.vault(Scope::Read).await)? {
            for (id, memory) in all_memories(&vault).await? {
                let Some(total) = present(count(&vault, id).await)? else { continue };
                let (kind, name) = entity(memory.name.as_str());
                let time = memory.creation_time.to_string();
                rows.push(json!({
                    "id": id.to_string(), "name": name, "type": kind, "created_at": time,
                    "updated_at": time, "total_memories": total, "owner": "everwhen",
                }));
            }
        }
        Ok(answers::page(rows, 1, MOST_FOUND as usize))
    }

    pub(super) async fn delete_entity(&self, kind: &str, name: &str) -> Mem0Result<Value> {
        if !KINDS.contains(&kind) {
            let known = KINDS.join(", ");
            return Err(RequestError::invalid(format!("unknown kind {kind:?}; use {known}")));
        }
        let vault = self.vault(Scope::Write).await?;
        let memory = Address::Name(Name::new("memory", memory_name(kind, name))?);
        self.state.forget(&vault, memory, Forget::Memory, None).await?;
        Ok(json!({ "message": "Entity deleted successfully!" }))
    }

    /// Deletes everything that [`Self::entities`] lists.
    pub(super) async fn reset(&self) -> Mem0Result<Value> {
        if let Some(vault) = present(self.vault(Scope::Admin).await)? {
            for (id, _) in all_memories(&vault).await? {
                self.state.forget(&vault, Address::Id(id), Forget::Memory, None).await?;
            }
        }
        Ok(json!({ "message": "All memories reset" }))
    }

    fn batch(&self) -> Mem0Result<Vec<(String, Value)>> {
        let rows = self.body["memories"].as_array().cloned().unwrap_or_default();
        if rows.is_empty() || rows.len() > MOST_IN_BATCH {
            return Err(RequestError::invalid(format!(
                "memories must hold 1 to {MOST_IN_BATCH} items"
            )));
        }
        let id =
            |row: &Value| row["memory_id"].as_str().or_else(|| row.as_str()).map(ToOwned::to_owned);
        let read = rows.into_iter().map(|row| {
            let id =
                id(&row).ok_or_else(|| RequestError::invalid("each item needs a memory_id"))?;
            Ok((id, row))
        });
        read.collect()
    }

    pub(super) async fn update_batch(&self) -> Mem0Result<Value> {
        let batch = self.batch()?;
        let vault = self.vault(Scope::Write).await?;
        for (id, change) in &batch {
            self.update_one(&vault, id, change).await?;
        }
        Ok(json!({ "message": format!("Successfully updated {} memories", batch.len()) }))
    }

    pub(super) async fn delete_batch(&self) -> Mem0Result<Value> {
        let batch = self.batch()?;
        let vault = self.vault(Scope::Write).await?;
        for (id, _) in &batch {
            self.forget(&vault, id).await?;
        }
        Ok(json!({ "message": format!("Successfully deleted {} memories", batch.len()) }))
    }

    /// What became of an addition. An event has the id of the first memory it added.
    pub(super) async fn event(&self, id: &str) -> Mem0Result<Value> {
        let record = self.get(id).await?;
        Ok(json!({ "id": id, "event_id": id, "status": "SUCCEEDED", "results": [record] }))
    }
}

/// The role and the text of each message; those without text are left out.
fn messages(value: &Value) -> Mem0Result<Vec<(Role, String)>> {
    let list = match value {
        Value::String(text) => return Ok(vec![(Role::User, text.clone())]),
        Value::Object(_) => std::slice::from_ref(value),
        Value::Array(list) => list.as_slice(),
        _ => return Err(RequestError::invalid("messages must be a list of {role, content}")),
    };
    let mut said = Vec::new();
    for message in list {
        let role = Role::named(message["role"].as_str().unwrap_or("user"))?;
        let parts = message["content"].as_array().into_iter().flatten();
        let parts = parts.filter_map(|part| part["text"].as_str().or_else(|| part.as_str()));
        let text = match &message["content"] {
            Value::String(text) => text.clone(),
            _ => parts.collect::<Vec<_>>().join("\n"),
        };
        if !text.trim().is_empty() {
            said.push((role, text));
        }
    }
    Ok(said)
}

/// Nothing, if what was asked for does not exist yet: mem0 answers with an empty list then.
fn present<T>(result: Mem0Result<T>) -> Mem0Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

async fn all_memories(vault: &Vault) -> Mem0Result<Vec<(MemoryId, everwhen::memory::Memory)>> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = vault.memories(after, Some(limits::PAGE_ROWS)).await?;
        all.extend(page.data.into_iter().map(|memory| (memory.id, memory)));
        after = page.next;
        if after.is_none() {
            return Ok(all);
        }
    }
}

/// How many entries a memory has now, without what was corrected or forgotten.
async fn count(vault: &Vault, memory: MemoryId) -> Mem0Result<u64> {
    let all = DensityQuery { buckets: Some(1), ..DensityQuery::default() };
    Ok(vault.density(Address::Id(memory), all).await?.counts.iter().sum())
}
