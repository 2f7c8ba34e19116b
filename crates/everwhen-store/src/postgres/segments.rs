//! The table `segment`.

use everwhen_engine::Result;
use everwhen_engine::ports::MemoryRef;

use super::connection::Connection;
use super::entries::place;
use super::statement::{first, get, send};

pub(super) fn by_number(
    connection: &Connection,
    memory: MemoryRef,
    number: u32,
) -> Result<Option<Vec<u8>>> {
    let sql = "SELECT bytes FROM segment WHERE vault_id = $1 AND memory_id = $2 AND number = $3";
    let [vault, memory] = place(&memory);
    first(connection, sql, &[&vault, &memory, &i64::from(number)], |row| get(row, 0))
}

pub(super) fn put(
    connection: &Connection,
    memory: MemoryRef,
    number: u32,
    bytes: &[u8],
) -> Result<()> {
    let sql = "INSERT INTO segment (vault_id, memory_id, number, bytes) VALUES ($1, $2, $3, $4)
        ON CONFLICT (vault_id, memory_id, number) DO UPDATE SET bytes = excluded.bytes";
    let [vault, memory] = place(&memory);
    send(connection, sql, &[&vault, &memory, &i64::from(number), &bytes])
}
