//! The table `fact`.

use everwhen_engine::Result;
use everwhen_engine::facts::{Evidence, Fact, FactVector, Link, Matter};
use everwhen_engine::memory::{EntryId, FactId, VaultId};
use everwhen_engine::ports::{FactSelection, MemoryRef};
use everwhen_engine::time::Period;

use super::{Database, IN_MEMORY, Row, Sql, place, table};

table! {
    static FACT: FactColumns = "fact", key(vault_id, memory_id, id);
    fn values(vault: VaultId, fact: &'v Fact) {
        vault_id: vault,
        memory_id: fact.memory,
        id: fact.id,
        statement: &fact.statement,
        source: fact.source,
        tags: &fact.tags,
        matter_key: fact.matter.as_ref().map(|matter| &matter.key),
        matter_value: fact.matter.as_ref().map(|matter| &matter.value),
        event_since: fact.event.and_then(|event| event.since()),
        event_until: fact.event.and_then(|event| event.until()),
        event_precision: fact.event.map(|event| event.precision()),
        entry_id: fact.evidence.entry,
        range_start: fact.evidence.range.start as u64,
        range_end: fact.evidence.range.end as u64,
        mentioned_at: fact.mentioned_at,
        creation_time: fact.creation_time,
        written_by: fact.by,
        pinned_at: fact.pinned_at,
        withdrawn_at: fact.withdrawn_at,
        link_to: fact.link.map(|link| link.to),
        link_relation: fact.link.map(|link| link.relation),
        vector_by: fact.vector.as_ref().map(|vector| &vector.by),
        vector: fact.vector.as_ref().map(|vector| &vector.numbers),
        retrievals: fact.retrievals,
        retrieved_at: fact.retrieved_at,
    }
}

fn read(row: &dyn Row) -> Result<Fact> {
    let range =
        row.get::<u64>(FACT.range_start)? as usize..row.get::<u64>(FACT.range_end)? as usize;
    Ok(Fact {
        id: row.get(FACT.id)?,
        memory: row.get(FACT.memory_id)?,
        statement: row.get(FACT.statement)?,
        source: row.get(FACT.source)?,
        tags: row.get(FACT.tags)?,
        matter: row
            .pair(FACT.matter_key, FACT.matter_value)?
            .map(|(key, value)| Matter { key, value }),
        event: read_event(row)?,
        evidence: Evidence { entry: row.get(FACT.entry_id)?, range },
        mentioned_at: row.get(FACT.mentioned_at)?,
        creation_time: row.get(FACT.creation_time)?,
        by: row.get(FACT.written_by)?,
        pinned_at: row.get(FACT.pinned_at)?,
        withdrawn_at: row.get(FACT.withdrawn_at)?,
        link: row
            .pair(FACT.link_to, FACT.link_relation)?
            .map(|(to, relation)| Link { to, relation }),
        vector: row
            .pair(FACT.vector_by, FACT.vector)?
            .map(|(by, numbers)| FactVector { by, numbers }),
        retrievals: row.get(FACT.retrievals)?,
        retrieved_at: row.get(FACT.retrieved_at)?,
    })
}

fn read_event(row: &dyn Row) -> Result<Option<Period>> {
    let Some(precision) = row.get(FACT.event_precision)? else { return Ok(None) };
    let (since, until) = (row.get(FACT.event_since)?, row.get(FACT.event_until)?);
    Period::new(since, until, precision).map(Some).map_err(|_| row.damaged(FACT.event_until))
}

/// Facts of a memory, by when they were mentioned, then by id.
pub(crate) fn list(
    db: &dyn Database,
    memory: MemoryRef,
    query: FactSelection<'_>,
) -> Result<Vec<Fact>> {
    static ALL: Sql = Sql::new(|_| FACT.select(&format!("{IN_MEMORY} ORDER BY mentioned_at, id")));
    static BY_ID: Sql = Sql::new(|_| FACT.select(&format!("{IN_MEMORY} AND id = ?3")));
    static WITHOUT_VECTORS: Sql = Sql::new(|_| {
        FACT.select_without(
            &[FACT.vector_by, FACT.vector],
            &format!("{IN_MEMORY} ORDER BY mentioned_at, id"),
        )
    });
    let [vault, home] = place(memory);
    match query {
        FactSelection::All => db.all(&ALL, &[vault, home], read),
        FactSelection::WithoutVectors => db.all(&WITHOUT_VECTORS, &[vault, home], read),
        FactSelection::Id(id) => db.all(&BY_ID, &[vault, home, id.into()], read),
        FactSelection::On(entries) => on(db, memory, entries),
    }
}

fn on(db: &dyn Database, memory: MemoryRef, entries: &[EntryId]) -> Result<Vec<Fact>> {
    static SQL: Sql = Sql::new(|dialect| {
        FACT.select(&format!("{IN_MEMORY} AND entry_id {}", dialect.is_one_of(3)))
    });
    let each = entries.iter().copied().map(Into::into).collect();
    let mut found = db.all_each(&SQL, &place(memory), each, read)?;
    found.sort_by_key(|fact| (fact.mentioned_at, fact.id));
    found.dedup_by_key(|fact| fact.id);
    Ok(found)
}

/// Adds a fact or replaces the one with its id.
pub(crate) fn put(db: &dyn Database, vault: VaultId, fact: &Fact) -> Result<()> {
    static SQL: Sql = Sql::new(|dialect| FACT.upsert(dialect));
    db.write(&SQL, &values(vault, fact))
}

/// Removes facts; answers how many there were.
pub(crate) fn remove(db: &dyn Database, memory: MemoryRef, facts: &[FactId]) -> Result<u64> {
    static PAST: Sql = Sql::new(|dialect| {
        format!("DELETE FROM fact_past {IN_MEMORY} AND fact_id {}", dialect.is_one_of(3))
    });
    static SQL: Sql =
        Sql::new(|dialect| format!("DELETE FROM fact {IN_MEMORY} AND id {}", dialect.is_one_of(3)));
    let each: Vec<_> = facts.iter().copied().map(Into::into).collect();
    db.change_each(&PAST, &place(memory), each.clone())?;
    db.change_each(&SQL, &place(memory), each)
}
