//! The table `rolling_summary`.

use everwhen_engine::Result;
use everwhen_engine::chapters::RollingSummary;
use everwhen_engine::memory::VaultId;
use everwhen_engine::ports::{Cursor, MemoryRef};

use super::chapters::{behind, read_cursor};
use super::{Database, IN_MEMORY, Row, Sql, Value, limit, place, table};

table! {
    static SUMMARY: SummaryColumns = "rolling_summary", key(vault_id, memory_id, version);
    fn values(vault: VaultId, summary: &'v RollingSummary) {
        vault_id: vault,
        memory_id: summary.memory,
        version: summary.version,
        text: &summary.text,
        through_at: summary.through.time,
        through_sequence: summary.through.sequence,
        chapters: summary.chapters,
        written_by: summary.by,
        creation_time: summary.creation_time,
    }
}

fn read(row: &dyn Row) -> Result<RollingSummary> {
    Ok(RollingSummary {
        memory: row.get(SUMMARY.memory_id)?,
        version: row.get(SUMMARY.version)?,
        text: row.get(SUMMARY.text)?,
        through: read_cursor(row, SUMMARY.through_at, SUMMARY.through_sequence)?,
        chapters: row.get(SUMMARY.chapters)?,
        by: row.get(SUMMARY.written_by)?,
        creation_time: row.get(SUMMARY.creation_time)?,
    })
}

/// Versions of the rolling summary, newest first, below `before`.
pub(crate) fn list(
    db: &dyn Database,
    memory: MemoryRef,
    before: Option<u64>,
    most: Option<usize>,
) -> Result<Vec<RollingSummary>> {
    static SQL: Sql = Sql::new(|_| {
        SUMMARY.select(&format!("{IN_MEMORY} AND version < ?3 ORDER BY version DESC LIMIT ?4"))
    });
    let [vault, memory] = place(memory);
    let before = before.map_or(Value::Number(i64::MAX), Into::into);
    db.all(&SQL, &[vault, memory, before, limit(most)], read)
}

/// Adds a version.
pub(crate) fn add(db: &dyn Database, vault: VaultId, summary: &RollingSummary) -> Result<()> {
    static SQL: Sql = Sql::new(|_| SUMMARY.insert());
    db.write(&SQL, &values(vault, summary))
}

/// Removes all versions that cover something at or behind a place; answers how many.
pub(crate) fn remove_from(db: &dyn Database, memory: MemoryRef, from: Cursor) -> Result<u64> {
    static SQL: Sql = Sql::new(|_| {
        let condition = "(through_at, through_sequence) >= (?3, ?4)";
        format!("DELETE FROM rolling_summary {IN_MEMORY} AND {condition}")
    });
    db.change(&SQL, &behind(memory, from))
}
