//! Removing for good, from every table.

use everwhen_engine::Result;
use everwhen_engine::memory::{ConversationId, EntryId, VaultId};
use everwhen_engine::ports::{MemoryRef, Removed};
use rusqlite::{Connection, params};

use super::entries::place;
use super::ledger::forget_entry;
use super::statement::run;

/// Tables of a memory that nobody counts: the ledger's, parts of the index, activities, what was derived.
const UNCOUNTED: [&str; 9] = [
    "ledger",
    "ledger_head",
    "promised_time",
    "proof",
    "addition",
    "segment",
    "activity",
    "chapter",
    "rolling_summary",
];
/// Tables of a vault that nobody counts.
const OF_VAULT: [&str; 6] =
    ["conversation_alias", "ending", "receipt", "llm_usage", "llm_reply", "addition_epoch"];

pub(super) fn entries(
    connection: &Connection,
    memory: MemoryRef,
    entries: &[EntryId],
) -> Result<u64> {
    let mut removed = 0;
    for id in entries {
        forget_entry(connection, memory, *id)?;
        let [vault, memory] = place(&memory);
        let values = params![vault, memory, id.bytes()];
        blank_receipts(connection, "id = ?3", values)?;
        let sql = "DELETE FROM entry WHERE vault_id = ?1 AND memory_id = ?2 AND id = ?3";
        removed += run(connection, sql, values)?;
    }
    // Parts of the index hold words of the memory's entries.
    if removed > 0 {
        let sql = "DELETE FROM segment WHERE vault_id = ?1 AND memory_id = ?2";
        run(connection, sql, place(&memory))?;
    }
    Ok(removed)
}

/// What a receipt said about entries goes with them; its key stays, so that nothing comes back.
fn blank_receipts(
    connection: &Connection,
    which: &str,
    values: &[&dyn rusqlite::ToSql],
) -> Result<()> {
    let sql = format!(
        "UPDATE receipt SET receipt = NULL WHERE vault_id = ?1 AND key IN
            (SELECT receipt_key FROM entry
             WHERE vault_id = ?1 AND memory_id = ?2 AND {which} AND receipt_key IS NOT NULL)"
    );
    run(connection, &sql, values).map(drop)
}

pub(super) fn conversation(
    connection: &Connection,
    memory: MemoryRef,
    id: ConversationId,
) -> Result<Removed> {
    let [vault, memory] = place(&memory);
    let values = params![vault, memory, id.bytes()];
    let sql = "DELETE FROM conversation_alias
        WHERE vault_id = ?1 AND memory_id = ?2 AND target_id = ?3";
    run(connection, sql, values)?;
    let sql = "DELETE FROM job WHERE vault_id = ?1 AND memory_id = ?2 AND subject_id = ?3";
    let jobs = run(connection, sql, values)?;
    let sql =
        "DELETE FROM activity WHERE vault_id = ?1 AND memory_id = ?2 AND conversation_id = ?3";
    run(connection, sql, values)?;
    let sql = "DELETE FROM conversation WHERE vault_id = ?1 AND memory_id = ?2 AND id = ?3";
    let conversations = run(connection, sql, values)?;
    Ok(Removed { conversations, jobs, ..Removed::default() })
}

pub(super) fn memory(connection: &Connection, memory: MemoryRef) -> Result<Removed> {
    let [vault, memory] = place(&memory);
    let values = params![vault, memory];
    blank_receipts(connection, "true", values)?;
    let delete = |table: &str, id: &str| {
        let sql = format!("DELETE FROM {table} WHERE vault_id = ?1 AND {id} = ?2");
        run(connection, &sql, values)
    };
    delete("conversation_alias", "memory_id")?;
    delete("ending", "memory_id")?;
    for table in UNCOUNTED {
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

pub(super) fn vault(connection: &Connection, id: VaultId) -> Result<Removed> {
    let delete = |table: &str, column: &str| {
        let sql = format!("DELETE FROM {table} WHERE {column} = ?1");
        run(connection, &sql, [id.bytes()])
    };
    for table in OF_VAULT.iter().chain(&UNCOUNTED) {
        delete(table, "vault_id")?;
    }
    Ok(Removed {
        entries: delete("entry", "vault_id")?,
        conversations: delete("conversation", "vault_id")?,
        contexts: delete("context", "vault_id")?,
        facts: delete("fact", "vault_id")?,
        jobs: delete("job", "vault_id")?,
        keys: delete("access_key", "vault_id")?,
        memories: delete("memory", "vault_id")?,
        vaults: delete("vault", "id")?,
    })
}
