//! The table `fact`.

use everwhen_engine::Result;
use everwhen_engine::facts::{Evidence, Fact, FactVector, Link, Matter};
use everwhen_engine::memory::{EntryId, FactId, VaultId};
use everwhen_engine::ports::MemoryRef;
use everwhen_engine::time::Period;
use tokio_postgres::Row;
use uuid::Uuid;

use super::connection::Connection;
use super::entries::{place, uuid, uuids};
use super::statement::{Values, all, first, get, get_id, run, send};
use crate::row::{
    count, damaged, instant, micros, names, names_json, number, precision, precision_number,
    relation, source, source_number, written_by,
};

const COLUMNS: &str = "SELECT id, memory_id, statement, source, tags, matter_key, matter_value,
    event_since, event_until, event_precision, entry_id, range_start, range_end, mentioned_at,
    creation_time, written_by, pinned_at, withdrawn_at, link_to, link_relation, vector_by, vector,
    retrievals, retrieved_at FROM fact WHERE vault_id = $1 AND memory_id = $2";

pub(super) fn by_id(
    connection: &Connection,
    memory: MemoryRef,
    id: FactId,
) -> Result<Option<Fact>> {
    let [vault, memory] = place(&memory);
    first(
        connection,
        &format!("{COLUMNS} AND id = $3"),
        &[&vault, &memory, &uuid(id.bytes())],
        read,
    )
}

pub(super) fn list(connection: &Connection, memory: MemoryRef) -> Result<Vec<Fact>> {
    let [vault, memory] = place(&memory);
    let sql = format!("{COLUMNS} ORDER BY mentioned_at, id");
    all(connection, &sql, &[&vault, &memory], read)
}

pub(super) fn on(
    connection: &Connection,
    memory: MemoryRef,
    entries: &[EntryId],
) -> Result<Vec<Fact>> {
    let [vault, memory] = place(&memory);
    let sql = format!("{COLUMNS} AND entry_id = ANY($3) ORDER BY mentioned_at, id");
    all(connection, &sql, &[&vault, &memory, &uuids(entries)], read)
}

pub(super) fn put(connection: &Connection, vault: VaultId, fact: &Fact) -> Result<()> {
    let sql = "INSERT INTO fact (vault_id, memory_id, id, statement, source, tags,
            matter_key, matter_value, event_since, event_until, event_precision, entry_id,
            range_start, range_end, mentioned_at, creation_time, written_by, pinned_at,
            withdrawn_at, link_to, link_relation, vector_by, vector, retrievals, retrieved_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
            $19, $20, $21, $22, $23, $24, $25)
        ON CONFLICT (vault_id, memory_id, id) DO UPDATE SET
            statement = $4, source = $5, tags = $6, matter_key = $7, matter_value = $8,
            event_since = $9, event_until = $10, event_precision = $11, entry_id = $12,
            range_start = $13, range_end = $14, mentioned_at = $15, creation_time = $16,
            written_by = $17, pinned_at = $18, withdrawn_at = $19, link_to = $20,
            link_relation = $21, vector_by = $22, vector = $23, retrievals = $24,
            retrieved_at = $25";
    let (matter, vector) = (fact.matter.as_ref(), fact.vector.as_ref());
    let values: Values<'_> = &[
        &uuid(vault.bytes()),
        &uuid(fact.memory.bytes()),
        &uuid(fact.id.bytes()),
        &fact.statement,
        &source_number(fact.source),
        &names_json(&fact.tags),
        &matter.map(|matter| &matter.key),
        &matter.map(|matter| &matter.value),
        &fact.event.and_then(|event| event.since()).map(micros),
        &fact.event.and_then(|event| event.until()).map(micros),
        &fact.event.map(|event| precision_number(event.precision())),
        &uuid(fact.evidence.entry.bytes()),
        &number(fact.evidence.range.start as u64),
        &number(fact.evidence.range.end as u64),
        &micros(fact.mentioned_at),
        &micros(fact.creation_time),
        &fact.by.as_str(),
        &fact.pinned_at.map(micros),
        &fact.withdrawn_at.map(micros),
        &fact.link.map(|link| uuid(link.to.bytes())),
        &fact.link.map(|link| link.relation.as_str()),
        &vector.map(|vector| &vector.by),
        &vector.map(|vector| vector.numbers.iter().map(|n| n.cast_unsigned()).collect::<Vec<u8>>()),
        &number(fact.retrievals),
        &fact.retrieved_at.map(micros),
    ];
    send(connection, sql, values)
}

pub(super) fn remove(connection: &Connection, memory: MemoryRef, facts: &[FactId]) -> Result<u64> {
    let [vault, memory] = place(&memory);
    let sql = "DELETE FROM fact WHERE vault_id = $1 AND memory_id = $2 AND id = ANY($3)";
    let ids: Vec<Uuid> = facts.iter().map(|id| uuid(id.bytes())).collect();
    run(connection, sql, &[&vault, &memory, &ids])
}

fn read(row: &Row) -> Result<Fact> {
    let range = [count(get(row, 11)?)?, count(get(row, 12)?)?].map(|at| at as usize);
    let time = |column| get::<Option<i64>>(row, column)?.map(instant).transpose();
    Ok(Fact {
        id: get_id(row, 0)?,
        memory: get_id(row, 1)?,
        statement: get(row, 2)?,
        source: source(get(row, 3)?)?,
        tags: names(get(row, 4)?)?,
        matter: read_matter(row)?,
        event: read_event(row)?,
        evidence: Evidence { entry: get_id(row, 10)?, range: range[0]..range[1] },
        mentioned_at: instant(get(row, 13)?)?,
        creation_time: instant(get(row, 14)?)?,
        by: written_by(&get::<String>(row, 15)?)?,
        pinned_at: time(16)?,
        withdrawn_at: time(17)?,
        link: read_link(row)?,
        vector: read_vector(row)?,
        retrievals: count(get(row, 22)?)?,
        retrieved_at: time(23)?,
    })
}

fn read_matter(row: &Row) -> Result<Option<Matter>> {
    let Some(key) = get::<Option<String>>(row, 5)? else { return Ok(None) };
    Ok(Some(Matter { key, value: get(row, 6)? }))
}

fn read_event(row: &Row) -> Result<Option<Period>> {
    let Some(exact) = get::<Option<i64>>(row, 9)? else { return Ok(None) };
    let end = |column| get::<Option<i64>>(row, column)?.map(instant).transpose();
    let event = Period::new(end(7)?, end(8)?, precision(exact)?);
    event.map(Some).map_err(|error| damaged("event of a fact", error))
}

fn read_link(row: &Row) -> Result<Option<Link>> {
    let Some(to) = get::<Option<Uuid>>(row, 18)? else { return Ok(None) };
    Ok(Some(Link { to: to.into(), relation: relation(&get::<String>(row, 19)?)? }))
}

fn read_vector(row: &Row) -> Result<Option<FactVector>> {
    let Some(by) = get::<Option<String>>(row, 20)? else { return Ok(None) };
    let bytes: Vec<u8> = get(row, 21)?;
    Ok(Some(FactVector { by, numbers: bytes.into_iter().map(u8::cast_signed).collect() }))
}
