//! The table `context`.

use everwhen_engine::Result;
use everwhen_engine::memory::{ContextBy, ContextDocument, VaultId};
use everwhen_engine::ports::{ContextSelection, MemoryRef};

use super::{Database, IN_MEMORY, Row, Sql, Value, limit, place, table};

table! {
    static CONTEXT: ContextColumns = "context", key(vault_id, memory_id, version),
        sqlite_key(memory_id, version);
    fn values(vault: VaultId, context: &'v ContextDocument) {
        vault_id: vault,
        memory_id: context.memory,
        version: context.version,
        id: context.id,
        content: &context.content,
        conversation_time: context.conversation_time,
        creation_time: context.creation_time,
        written_by: context.by,
    }
}

fn read(row: &dyn Row) -> Result<ContextDocument> {
    Ok(ContextDocument {
        id: row.get(CONTEXT.id)?,
        memory: row.get(CONTEXT.memory_id)?,
        version: row.get(CONTEXT.version)?,
        content: row.get(CONTEXT.content)?,
        conversation_time: row.get(CONTEXT.conversation_time)?,
        creation_time: row.get(CONTEXT.creation_time)?,
        by: row.get(CONTEXT.written_by)?,
    })
}

/// Versions of the document, newest first.
pub(crate) fn list(
    db: &dyn Database,
    memory: MemoryRef,
    versions: ContextSelection,
    most: usize,
) -> Result<Vec<ContextDocument>> {
    static ALL: Sql = Sql::new(|_| newest("version <= ?3"));
    static AS_OF: Sql = Sql::new(|_| newest("creation_time <= ?3"));
    static NUMBER: Sql = Sql::new(|_| newest("version = ?3"));
    static BELOW: Sql = Sql::new(|_| newest("version < ?3"));
    let (sql, value) = match versions {
        ContextSelection::All => (&ALL, Value::Number(i64::MAX)),
        ContextSelection::AsOf(time) => (&AS_OF, time.into()),
        ContextSelection::Number(wanted) => (&NUMBER, wanted.into()),
        ContextSelection::Below(version) => (&BELOW, version.into()),
    };
    let [vault, memory] = place(memory);
    db.all(sql, &[vault, memory, value, limit(Some(most))], read)
}

fn newest(condition: &str) -> String {
    CONTEXT.select(&format!("{IN_MEMORY} AND {condition} ORDER BY version DESC LIMIT ?4"))
}

/// Adds a version.
pub(crate) fn add(db: &dyn Database, vault: VaultId, context: &ContextDocument) -> Result<()> {
    static SQL: Sql = Sql::new(|_| CONTEXT.insert());
    db.write(&SQL, &values(vault, context))
}

/// Removes one version; answers how many there were.
pub(crate) fn remove_version(db: &dyn Database, memory: MemoryRef, version: u64) -> Result<u64> {
    static SQL: Sql = Sql::new(|_| format!("DELETE FROM context {IN_MEMORY} AND version = ?3"));
    let [vault, memory] = place(memory);
    db.change(&SQL, &[vault, memory, version.into()])
}

/// Removes the versions that one of these wrote; answers how many.
pub(crate) fn remove(db: &dyn Database, memory: MemoryRef, by: &[ContextBy]) -> Result<u64> {
    static SQL: Sql = Sql::new(|dialect| {
        format!("DELETE FROM context {IN_MEMORY} AND written_by {}", dialect.is_one_of(3))
    });
    db.change_each(&SQL, &place(memory), by.iter().copied().map(Into::into).collect())
}
