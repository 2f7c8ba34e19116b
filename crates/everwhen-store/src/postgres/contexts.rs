//! The table `context`.

use everwhen_engine::Result;
use everwhen_engine::memory::{ContextBy, ContextDocument, VaultId};
use everwhen_engine::ports::{ContextVersion, MemoryRef};
use tokio_postgres::Row;

use super::connection::Connection;
use super::entries::{place, uuid};
use super::statement::{all, first, get, get_id, run, send};
use crate::row::{context_by, count, instant, micros, number};

const COLUMNS: &str = "SELECT id, memory_id, version, content, conversation_time, creation_time,
        written_by FROM context WHERE vault_id = $1 AND memory_id = $2";

pub(super) fn version(
    connection: &Connection,
    memory: MemoryRef,
    version: ContextVersion,
) -> Result<Option<ContextDocument>> {
    let (condition, value) = match version {
        ContextVersion::Current => ("version <= $3", i64::MAX),
        ContextVersion::AsOf(time) => ("creation_time <= $3", micros(time)),
        ContextVersion::Number(wanted) => ("version = $3", number(wanted)),
    };
    let sql = format!("{COLUMNS} AND {condition} ORDER BY version DESC LIMIT 1");
    let [vault, memory] = place(&memory);
    first(connection, &sql, &[&vault, &memory, &value], read)
}

pub(super) fn list(
    connection: &Connection,
    memory: MemoryRef,
    before: Option<u64>,
    limit: usize,
) -> Result<Vec<ContextDocument>> {
    let sql = format!("{COLUMNS} AND version < $3 ORDER BY version DESC LIMIT $4");
    let [vault, memory] = place(&memory);
    let before = before.map_or(i64::MAX, number);
    all(connection, &sql, &[&vault, &memory, &before, &number(limit as u64)], read)
}

pub(super) fn add(
    connection: &Connection,
    vault: VaultId,
    context: &ContextDocument,
) -> Result<()> {
    let sql = "INSERT INTO context (vault_id, memory_id, version, id, content, conversation_time,
            creation_time, written_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    send(
        connection,
        sql,
        &[
            &uuid(vault.bytes()),
            &uuid(context.memory.bytes()),
            &number(context.version),
            &uuid(context.id.bytes()),
            &context.content,
            &micros(context.conversation_time),
            &micros(context.creation_time),
            &context.by.as_str(),
        ],
    )
}

pub(super) fn remove(connection: &Connection, memory: MemoryRef, by: &[ContextBy]) -> Result<u64> {
    let [vault, memory] = place(&memory);
    let sql = "DELETE FROM context WHERE vault_id = $1 AND memory_id = $2 AND written_by = $3";
    let each = |one: &ContextBy| run(connection, sql, &[&vault, &memory, &one.as_str()]);
    by.iter().map(each).sum()
}

fn read(row: &Row) -> Result<ContextDocument> {
    Ok(ContextDocument {
        id: get_id(row, 0)?,
        memory: get_id(row, 1)?,
        version: count(get(row, 2)?)?,
        content: get(row, 3)?,
        conversation_time: instant(get(row, 4)?)?,
        creation_time: instant(get(row, 5)?)?,
        by: context_by(&get::<String>(row, 6)?)?,
    })
}
