//! Removing permanently, from every table.

use everwhen_engine::Result;
use everwhen_engine::memory::{ConversationId, EntryId, VaultId};
use everwhen_engine::ports::{MemoryRef, Removed};

use super::ledger::forget_entries;
use super::registry::{Owner, TABLES};
use super::{Database, Dialect, IN_MEMORY, Sql, Value, past, place, segments};

/// Removes entries with all that names them or holds their words; answers how many there were.
pub(crate) fn entries(db: &dyn Database, memory: MemoryRef, entries: &[EntryId]) -> Result<u64> {
    static RECEIPTS: Sql =
        Sql::new(|dialect| blank_receipts(&format!("AND id {}", dialect.is_one_of(3))));
    static ENTRIES: Sql = Sql::new(|dialect| {
        format!("DELETE FROM entry {IN_MEMORY} AND id {}", dialect.is_one_of(3))
    });
    let each: Vec<Value<'_>> = entries.iter().copied().map(Into::into).collect();
    segments::forget(db, memory, each.clone())?;
    forget_entries(db, memory, entries)?;
    past::forget_entries(db, memory, entries)?;
    db.change_each(&RECEIPTS, &place(memory), each.clone())?;
    db.change_each(&ENTRIES, &place(memory), each)
}

/// Removes what receipts say about entries; their keys stay, so that a late retry stores nothing
/// again.
fn blank_receipts(which: &str) -> String {
    format!(
        "UPDATE receipt SET receipt = NULL WHERE vault_id = ?1 AND key IN
            (SELECT receipt_key FROM entry {IN_MEMORY} {which} AND receipt_key IS NOT NULL)"
    )
}

/// Removes a conversation with its jobs, activities and other names; its entries are gone already.
pub(crate) fn conversation(
    db: &dyn Database,
    memory: MemoryRef,
    id: ConversationId,
) -> Result<Removed> {
    static ALIASES: Sql =
        Sql::new(|_| format!("DELETE FROM conversation_alias {IN_MEMORY} AND target_id = ?3"));
    static JOBS: Sql = Sql::new(|_| format!("DELETE FROM job {IN_MEMORY} AND subject_id = ?3"));
    static ACTIVITIES: Sql =
        Sql::new(|_| format!("DELETE FROM activity {IN_MEMORY} AND conversation_id = ?3"));
    static PAST: Sql =
        Sql::new(|_| format!("DELETE FROM conversation_past {IN_MEMORY} AND id = ?3"));
    static CONVERSATION: Sql =
        Sql::new(|_| format!("DELETE FROM conversation {IN_MEMORY} AND id = ?3"));
    let [vault, memory] = place(memory);
    let values = [vault, memory, id.into()];
    db.write(&ALIASES, &values)?;
    let jobs = db.change(&JOBS, &values)?;
    db.write(&ACTIVITIES, &values)?;
    db.write(&PAST, &values)?;
    let conversations = db.change(&CONVERSATION, &values)?;
    Ok(Removed { conversations, jobs, ..Removed::default() })
}

/// Removes a memory and all in it.
pub(crate) fn memory(db: &dyn Database, memory: MemoryRef) -> Result<Removed> {
    static RECEIPTS: Sql = Sql::new(|_| blank_receipts(""));
    let values = place(memory);
    db.write(&RECEIPTS, &values)?;
    let mut removed = Removed::default();
    for table in TABLES {
        if let Owner::Memory(id) = table.owner {
            let sql = format!("DELETE FROM {} WHERE vault_id = ?1 AND {id} = ?2", table.name);
            let rows = db.run(&db.dialect().parameters(sql), &values)?;
            count(&mut removed, table.name, rows);
        }
    }
    Ok(removed)
}

/// Counts removed rows of the tables that a receipt reports.
fn count(removed: &mut Removed, table: &str, rows: u64) {
    match table {
        "entry" => removed.entries = rows,
        "conversation" => removed.conversations = rows,
        "context" => removed.contexts = rows,
        "fact" => removed.facts = rows,
        "job" => removed.jobs = rows,
        "access_key" => removed.keys = rows,
        "memory" => removed.memories = rows,
        "vault" => removed.vaults = rows,
        _ => {}
    }
}

/// Removes a vault and all in it.
pub(crate) fn vault(db: &dyn Database, id: VaultId) -> Result<Removed> {
    let delete = |table: &str| {
        let sql = format!("DELETE FROM {table} WHERE vault_id = ?1");
        db.run(&db.dialect().parameters(sql), &[id.into()])
    };
    if db.dialect() == Dialect::Postgres {
        delete("vault_name")?;
    }
    let mut removed = Removed::default();
    for table in TABLES {
        count(&mut removed, table.name, delete(table.name)?);
    }
    Ok(removed)
}
