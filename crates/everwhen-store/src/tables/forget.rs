//! Removing for good, from every table.

use everwhen_engine::Result;
use everwhen_engine::memory::{ConversationId, EntryId, VaultId};
use everwhen_engine::ports::{MemoryRef, Removed};

use super::ledger::forget_entries;
use super::{Database, Dialect, IN_MEMORY, Sql, Value, past, place};

/// Tables of a memory whose rows are not counted: the ledger's, parts of the index, activities, what
/// was derived, how things stood before, other names and ends of conversations.
const OF_MEMORY: [&str; 15] = [
    "ledger",
    "ledger_head",
    "promised_time",
    "proof",
    "addition",
    "segment",
    "activity",
    "chapter",
    "chapter_past",
    "entry_past",
    "conversation_past",
    "fact_past",
    "rolling_summary",
    "conversation_alias",
    "ending",
];
/// Tables of a vault whose rows are not counted.
const OF_VAULT: [&str; 4] = ["receipt", "llm_usage", "llm_reply", "addition_epoch"];

/// Removes entries with all that names them or holds their words; answers how many there were.
pub(crate) fn entries(db: &dyn Database, memory: MemoryRef, entries: &[EntryId]) -> Result<u64> {
    static RECEIPTS: Sql =
        Sql::new(|dialect| blank_receipts(&format!("AND id {}", dialect.is_one_of(3))));
    static ENTRIES: Sql = Sql::new(|dialect| {
        format!("DELETE FROM entry {IN_MEMORY} AND id {}", dialect.is_one_of(3))
    });
    static SEGMENTS: Sql = Sql::new(|_| format!("DELETE FROM segment {IN_MEMORY}"));
    let each: Vec<Value<'_>> = entries.iter().copied().map(Into::into).collect();
    forget_entries(db, memory, entries)?;
    past::forget_entries(db, memory, entries)?;
    db.change_each(&RECEIPTS, &place(memory), each.clone())?;
    let removed = db.change_each(&ENTRIES, &place(memory), each)?;
    // Parts of the index hold words of the memory's entries.
    if removed > 0 {
        db.write(&SEGMENTS, &place(memory))?;
    }
    Ok(removed)
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
    let delete = |table: &str, id: &str| {
        let sql = format!("DELETE FROM {table} WHERE vault_id = ?1 AND {id} = ?2");
        db.run(&db.dialect().parameters(sql), &values)
    };
    for table in OF_MEMORY {
        delete(table, "memory_id")?;
    }
    Ok(Removed {
        entries: delete("entry", "memory_id")?,
        conversations: delete("conversation", "memory_id")?,
        contexts: delete("context", "memory_id")?,
        facts: delete("fact", "memory_id")?,
        jobs: delete("job", "memory_id")?,
        memories: delete("memory", "id")?,
        ..Removed::default()
    })
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
    for table in OF_VAULT.iter().chain(&OF_MEMORY) {
        delete(table)?;
    }
    Ok(Removed {
        entries: delete("entry")?,
        conversations: delete("conversation")?,
        contexts: delete("context")?,
        facts: delete("fact")?,
        jobs: delete("job")?,
        keys: delete("access_key")?,
        memories: delete("memory")?,
        vaults: delete("vault")?,
    })
}
