//! The tables `vault` and `memory`.

use everwhen_engine::Result;
use everwhen_engine::memory::{Memory, Name, Person, VaultId, VaultInfo};
use everwhen_engine::ports::MemoryRef;
use everwhen_engine::time::Zone;
use rusqlite::{Connection, Row, params};

use super::statement::{all, first, get, run, update_or_insert};
use crate::row::{
    count, damaged, id, instant, lifecycle, micros, name, number, person, settings, settings_json,
};

const VAULT: &str = "SELECT id, name, description, zone, settings, creation_time FROM vault";
const MEMORY: &str = "SELECT id, name, description, creation_time, last_sequence, last_creation,
    last_ending, waiting_entry, waiting_since, generation, chaptered_until, chapters_at,
    distilled, lifecycle, facts_changed, chapters_mark, chapters_from, chat_of FROM memory";

pub(super) fn by_id(connection: &Connection, id: VaultId) -> Result<Option<VaultInfo>> {
    first(connection, &format!("{VAULT} WHERE id = ?1"), [id.bytes()], read_vault)
}

pub(super) fn by_name(connection: &Connection, name: &Name) -> Result<Option<VaultInfo>> {
    first(connection, &format!("{VAULT} WHERE name = ?1"), [name.as_str()], read_vault)
}

pub(super) fn list(
    connection: &Connection,
    after: Option<&Name>,
    limit: usize,
) -> Result<Vec<VaultInfo>> {
    let sql = format!("{VAULT} WHERE name > ?1 ORDER BY name LIMIT ?2");
    let values = params![after.map_or("", Name::as_str), number(limit as u64)];
    all(connection, &sql, values, read_vault)
}

pub(super) fn put(connection: &Connection, vault: &VaultInfo) -> Result<()> {
    let sql = "INSERT INTO vault (id, name, description, zone, settings, creation_time)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (id) DO UPDATE SET name = ?2, description = ?3, zone = ?4, settings = ?5";
    let values = params![
        vault.id.bytes(),
        vault.name.as_str(),
        vault.description,
        vault.zone.name(),
        settings_json(&vault.settings),
        micros(vault.creation_time),
    ];
    run(connection, sql, values).map(drop)
}

pub(super) fn memory(connection: &Connection, memory: MemoryRef) -> Result<Option<Memory>> {
    let sql = format!("{MEMORY} WHERE vault_id = ?1 AND id = ?2");
    let values = [memory.vault.bytes(), memory.memory.bytes()];
    first(connection, &sql, values, read_memory)
}

pub(super) fn memory_named(
    connection: &Connection,
    vault: VaultId,
    name: &Name,
) -> Result<Option<Memory>> {
    let sql = format!("{MEMORY} WHERE vault_id = ?1 AND name = ?2");
    first(connection, &sql, params![vault.bytes(), name.as_str()], read_memory)
}

pub(super) fn memories(
    connection: &Connection,
    vault: VaultId,
    after: Option<&Name>,
    limit: usize,
) -> Result<Vec<Memory>> {
    let sql = format!("{MEMORY} WHERE vault_id = ?1 AND name > ?2 ORDER BY name LIMIT ?3");
    let after = after.map_or("", Name::as_str);
    let values = params![vault.bytes(), after, number(limit as u64)];
    all(connection, &sql, values, read_memory)
}

pub(super) fn chats(
    connection: &Connection,
    vault: VaultId,
    person: &Person,
    limit: usize,
) -> Result<Vec<Memory>> {
    let sql = format!(
        "{MEMORY} WHERE vault_id = ?1 AND chat_of = ?2
        ORDER BY last_creation DESC, id DESC LIMIT ?3"
    );
    let values = params![vault.bytes(), person.to_string(), number(limit as u64)];
    all(connection, &sql, values, read_memory)
}

pub(super) fn put_memory(connection: &Connection, vault: VaultId, memory: &Memory) -> Result<()> {
    // A row that keeps its name leaves the index of names alone.
    let update = "UPDATE memory SET description = ?4, last_sequence = ?6, last_creation = ?7,
            last_ending = ?8, waiting_entry = ?9, waiting_since = ?10, generation = ?11,
            chaptered_until = ?12, chapters_at = ?13, distilled = ?14, lifecycle = ?15,
            facts_changed = ?16, chapters_mark = ?17, chapters_from = ?18, chat_of = ?19
        WHERE vault_id = ?1 AND id = ?2 AND name = ?3 AND creation_time = ?5";
    let upsert =
        "INSERT INTO memory (vault_id, id, name, description, creation_time, last_sequence,
            last_creation, last_ending, waiting_entry, waiting_since, generation,
            chaptered_until, chapters_at, distilled, lifecycle, facts_changed, chapters_mark,
            chapters_from, chat_of)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
            ?19)
        ON CONFLICT (vault_id, id) DO UPDATE SET name = ?3, description = ?4, last_sequence = ?6,
            last_creation = ?7, last_ending = ?8, waiting_entry = ?9, waiting_since = ?10,
            generation = ?11, chaptered_until = ?12, chapters_at = ?13, distilled = ?14,
            lifecycle = ?15, facts_changed = ?16, chapters_mark = ?17, chapters_from = ?18,
            chat_of = ?19";
    let values = params![
        vault.bytes(),
        memory.id.bytes(),
        memory.name.as_str(),
        memory.description,
        micros(memory.creation_time),
        number(memory.last_sequence),
        micros(memory.last_creation),
        memory.last_ending.map(micros),
        memory.waiting.map(|(entry, _)| entry.bytes()),
        memory.waiting.map(|(_, since)| micros(since)),
        number(memory.generation),
        memory.chaptered_until.map(micros),
        number(memory.chapters_at),
        number(memory.distilled),
        memory.lifecycle.map(|lifecycle| lifecycle.as_str()),
        number(memory.facts_changed),
        memory.chapters_mark.cast_signed(),
        memory.chapters_from.map(micros),
        memory.chat_of.as_ref().map(ToString::to_string),
    ];
    update_or_insert(connection, update, upsert, values)
}

fn read_vault(row: &Row<'_>) -> Result<VaultInfo> {
    let zone: String = get(row, 3)?;
    Ok(VaultInfo {
        id: id(&get::<Vec<u8>>(row, 0)?)?,
        name: name(get(row, 1)?)?,
        description: get(row, 2)?,
        zone: Zone::named(&zone).map_err(|_| damaged("zone", &zone))?,
        settings: settings(&get::<String>(row, 4)?)?,
        creation_time: instant(get(row, 5)?)?,
    })
}

fn read_memory(row: &Row<'_>) -> Result<Memory> {
    let waiting: (Option<Vec<u8>>, Option<i64>) = (get(row, 7)?, get(row, 8)?);
    Ok(Memory {
        id: id(&get::<Vec<u8>>(row, 0)?)?,
        name: name(get(row, 1)?)?,
        description: get(row, 2)?,
        creation_time: instant(get(row, 3)?)?,
        last_sequence: count(get(row, 4)?)?,
        last_creation: instant(get(row, 5)?)?,
        last_ending: get::<Option<i64>>(row, 6)?.map(instant).transpose()?,
        waiting: match waiting {
            (Some(entry), Some(since)) => Some((id(&entry)?, instant(since)?)),
            _ => None,
        },
        generation: count(get(row, 9)?)?,
        chaptered_until: get::<Option<i64>>(row, 10)?.map(instant).transpose()?,
        chapters_at: count(get(row, 11)?)?,
        distilled: count(get(row, 12)?)?,
        lifecycle: lifecycle(get(row, 13)?)?,
        facts_changed: count(get(row, 14)?)?,
        chapters_mark: get::<i64>(row, 15)?.cast_unsigned(),
        chapters_from: get::<Option<i64>>(row, 16)?.map(instant).transpose()?,
        chat_of: person(get(row, 17)?)?,
    })
}
