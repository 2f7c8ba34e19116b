//! The table `memory`.

use everwhen_engine::Result;
use everwhen_engine::memory::{Address, Memory, MemoryId, Name, VaultId};
use everwhen_engine::ports::MemorySelection;

use super::{Database, Row, Sql, Value, limit, table};

table! {
    static MEMORY: MemoryColumns = "memory", key(vault_id, id);
    fn values(vault: VaultId, memory: &'v Memory) {
        vault_id: vault,
        id: memory.id,
        name: &memory.name,
        description: memory.description.as_ref(),
        creation_time: memory.creation_time,
        last_sequence: memory.last_sequence,
        last_creation: memory.last_creation,
        last_ending: memory.last_ending,
        unfinished_end: memory.unfinished_end,
        last_context: memory.last_context,
        waiting_entry: memory.waiting.map(|(entry, _)| entry),
        waiting_since: memory.waiting.map(|(_, since)| since),
        generation: memory.generation,
        forgotten: memory.forgotten,
        chaptered_until: memory.chaptered_until,
        chapters_at: memory.chapters_at,
        distilled: memory.distilled,
        lifecycle: memory.lifecycle,
        facts_changed: memory.facts_changed,
        chapters_mark: memory.chapters_mark.cast_signed(),
        chapters_from: memory.chapters_from,
        chat_of: memory.chat_of.as_ref(),
    }
}

pub(super) fn read(row: &dyn Row) -> Result<Memory> {
    Ok(Memory {
        id: row.get(MEMORY.id)?,
        name: row.get(MEMORY.name)?,
        description: row.get(MEMORY.description)?,
        creation_time: row.get(MEMORY.creation_time)?,
        last_sequence: row.get(MEMORY.last_sequence)?,
        last_creation: row.get(MEMORY.last_creation)?,
        last_ending: row.get(MEMORY.last_ending)?,
        unfinished_end: row.get(MEMORY.unfinished_end)?,
        last_context: row.get(MEMORY.last_context)?,
        waiting: row.pair(MEMORY.waiting_entry, MEMORY.waiting_since)?,
        generation: row.get(MEMORY.generation)?,
        forgotten: row.get(MEMORY.forgotten)?,
        chaptered_until: row.get(MEMORY.chaptered_until)?,
        chapters_at: row.get(MEMORY.chapters_at)?,
        distilled: row.get(MEMORY.distilled)?,
        lifecycle: row.get(MEMORY.lifecycle)?,
        facts_changed: row.get(MEMORY.facts_changed)?,
        chapters_mark: row.get::<i64>(MEMORY.chapters_mark)?.cast_unsigned(),
        chapters_from: row.get(MEMORY.chapters_from)?,
        chat_of: row.get(MEMORY.chat_of)?,
    })
}

static BY_ID: Sql = Sql::new(|_| MEMORY.select("WHERE vault_id = ?1 AND id = ?2"));
static BY_NAME: Sql = Sql::new(|_| MEMORY.select("WHERE vault_id = ?1 AND name = ?2"));

/// How one memory of a vault is found: the statement and its values. [`read`] reads its row.
pub(super) fn lookup(vault: VaultId, memory: &Address<MemoryId>) -> (&'static Sql, [Value<'_>; 2]) {
    match memory {
        Address::Id(id) => (&BY_ID, [vault.into(), (*id).into()]),
        Address::Name(name) => (&BY_NAME, [vault.into(), name.into()]),
    }
}

/// Memories of a vault.
pub(crate) fn list(
    db: &dyn Database,
    vault: VaultId,
    query: MemorySelection<'_>,
) -> Result<Vec<Memory>> {
    static NAMED: Sql =
        Sql::new(|_| MEMORY.select("WHERE vault_id = ?1 AND name > ?2 ORDER BY name LIMIT ?3"));
    static CHATS: Sql = Sql::new(|_| {
        MEMORY.select(
            "WHERE vault_id = ?1 AND chat_of = ?2 ORDER BY last_creation DESC, id DESC LIMIT ?3",
        )
    });
    static WRITTEN: Sql = Sql::new(|_| {
        MEMORY.select("WHERE vault_id = ?1 AND last_creation > ?2 ORDER BY name LIMIT ?3")
    });
    match query {
        MemorySelection::Id(id) => {
            Ok(db.first(&BY_ID, &[vault.into(), id.into()], read)?.into_iter().collect())
        }
        MemorySelection::Name(name) => {
            Ok(db.first(&BY_NAME, &[vault.into(), name.into()], read)?.into_iter().collect())
        }
        MemorySelection::Named(after, most) => {
            let after = after.map_or("", Name::as_str);
            db.all(&NAMED, &[vault.into(), after.into(), limit(Some(most))], read)
        }
        MemorySelection::ChatsOf(person, most) => {
            db.all(&CHATS, &[vault.into(), person.into(), limit(Some(most))], read)
        }
        MemorySelection::WrittenAfter(time, most) => {
            db.all(&WRITTEN, &[vault.into(), time.into(), limit(Some(most))], read)
        }
    }
}

/// Adds a memory or replaces what is known of it. One that keeps its name leaves the index of names
/// alone.
pub(crate) fn put(db: &dyn Database, vault: VaultId, memory: &Memory) -> Result<()> {
    static UPDATE: Sql = Sql::new(|_| MEMORY.update(&["name", "creation_time"]));
    static UPSERT: Sql = Sql::new(|dialect| MEMORY.upsert(dialect));
    let dialect = db.dialect();
    let values = values(vault, memory);
    db.update_or_insert(UPDATE.text(dialect), UPSERT.text(dialect), &values)
}
