//! The table `segment`.

use everwhen_engine::Result;
use everwhen_engine::ports::MemoryRef;

use super::{Database, IN_MEMORY, Sql, place, table};

table! {
    static SEGMENT: SegmentColumns = "segment", key(vault_id, memory_id, number);
    fn values(memory: MemoryRef, number: u32, bytes: &'v [u8]) {
        vault_id: memory.vault,
        memory_id: memory.memory,
        number: number,
        bytes: bytes,
    }
}

/// The segment with this number.
pub(crate) fn by_number(
    db: &dyn Database,
    memory: MemoryRef,
    number: u32,
) -> Result<Option<Vec<u8>>> {
    static SQL: Sql = Sql::new(|_| SEGMENT.select(&format!("{IN_MEMORY} AND number = ?3")));
    let [vault, memory] = place(memory);
    db.first(&SQL, &[vault, memory, number.into()], |row| row.get(SEGMENT.bytes))
}

/// Adds a segment or replaces the one with its number.
pub(crate) fn put(db: &dyn Database, memory: MemoryRef, number: u32, bytes: &[u8]) -> Result<()> {
    static SQL: Sql = Sql::new(|dialect| SEGMENT.upsert(dialect));
    db.write(&SQL, &values(memory, number, bytes))
}
