//! The tables `vault`, `vault_name` and `memory`.

use everwhen_engine::Result;
use everwhen_engine::memory::{Address, Memory, MemoryId, Name, Person, VaultId, VaultInfo};
use everwhen_engine::ports::MemoryRef;
use everwhen_engine::time::Zone;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::connection::Connection;
use super::entries::{place, uuid};
use super::statement::{all, first, get, get_id, send};
use crate::row::{
    count, damaged, instant, lifecycle, micros, name, number, person, settings, settings_json,
};

const VAULT: &str = "SELECT vault_id, name, description, zone, settings, creation_time FROM vault";
const MEMORY: &str = "SELECT id, name, description, creation_time, last_sequence, last_creation,
    last_ending, waiting_entry, waiting_since, generation, chaptered_until, chapters_at,
    distilled, lifecycle, facts_changed, chapters_mark, chapters_from, chat_of FROM memory";

pub(super) fn by_id(connection: &Connection, id: VaultId) -> Result<Option<VaultInfo>> {
    let sql = format!("{VAULT} WHERE vault_id = $1");
    first(connection, &sql, &[&uuid(id.bytes())], read_vault)
}

/// The same, held until the transaction ends: whoever else wants to write in the vault waits. So a
/// verb decides on what nobody changes meanwhile.
pub(super) fn hold(connection: &Connection, id: VaultId) -> Result<Option<VaultInfo>> {
    let sql = format!("{VAULT} WHERE vault_id = $1 FOR UPDATE");
    first(connection, &sql, &[&uuid(id.bytes())], read_vault)
}

/// Where a name was found before it is looked for first: one visit instead of two.
pub(super) fn by_name(connection: &Connection, name: &Name) -> Result<Option<VaultInfo>> {
    if let Some(hint) = connection.names().get(name.as_str()) {
        let sql = format!("{VAULT} WHERE vault_id = $1 AND name = $2");
        let found = first(connection, &sql, &[&hint, &name.as_str()], read_vault)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    let Some(id) = named(connection, name)? else { return Ok(None) };
    connection.names().put(name.as_str(), uuid(id.bytes()));
    by_id(connection, id)
}

/// The same, held.
pub(super) fn hold_named(connection: &Connection, name: &Name) -> Result<Option<VaultInfo>> {
    if let Some(hint) = connection.names().get(name.as_str()) {
        let sql = format!("{VAULT} WHERE vault_id = $1 AND name = $2 FOR UPDATE");
        let found = first(connection, &sql, &[&hint, &name.as_str()], read_vault)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    let Some(id) = named(connection, name)? else { return Ok(None) };
    connection.names().put(name.as_str(), uuid(id.bytes()));
    hold(connection, id)
}

/// A vault and one of its memories, in one visit where the id of the vault is known.
pub(super) fn with_memory(
    connection: &Connection,
    vault: &Address<VaultId>,
    memory: &Address<MemoryId>,
) -> Result<Option<(VaultInfo, Option<Memory>)>> {
    let name = match vault {
        Address::Id(id) => return both(connection, uuid(id.bytes()), memory),
        Address::Name(name) => name,
    };
    if let Some(hint) = connection.names().get(name.as_str()) {
        let found = both(connection, hint, memory)?;
        if found.as_ref().is_some_and(|(vault, _)| vault.name == *name) {
            return Ok(found);
        }
    }
    let Some(id) = named(connection, name)? else { return Ok(None) };
    connection.names().put(name.as_str(), uuid(id.bytes()));
    both(connection, uuid(id.bytes()), memory)
}

fn both(
    connection: &Connection,
    vault: Uuid,
    memory: &Address<MemoryId>,
) -> Result<Option<(VaultInfo, Option<Memory>)>> {
    let (column, value): (&str, Box<dyn ToSql + Sync>) = match memory {
        Address::Id(id) => ("id", Box::new(uuid(id.bytes()))),
        Address::Name(name) => ("name", Box::new(name.as_str().to_owned())),
    };
    let (vaults, memories) = connection.query_both(
        (&format!("{VAULT} WHERE vault_id = $1"), &[&vault]),
        (&format!("{MEMORY} WHERE vault_id = $1 AND {column} = $2"), &[&vault, &*value]),
    )?;
    let Some(vault) = vaults.first().map(read_vault).transpose()? else { return Ok(None) };
    Ok(Some((vault, memories.first().map(read_memory).transpose()?)))
}

/// The id that a name stands for.
fn named(connection: &Connection, name: &Name) -> Result<Option<VaultId>> {
    let sql = "SELECT vault_id FROM vault_name WHERE name = $1";
    first(connection, sql, &[&name.as_str()], |row| get_id(row, 0))
}

pub(super) fn list(
    connection: &Connection,
    after: Option<&Name>,
    limit: usize,
) -> Result<Vec<VaultInfo>> {
    let sql = "SELECT v.vault_id, v.name, v.description, v.zone, v.settings, v.creation_time
        FROM vault_name n JOIN vault v ON v.vault_id = n.vault_id
        WHERE n.name > $1 ORDER BY n.name LIMIT $2";
    let after = after.map_or("", Name::as_str);
    all(connection, sql, &[&after, &number(limit as u64)], read_vault)
}

pub(super) fn put(connection: &Connection, vault: &VaultInfo) -> Result<()> {
    put_name(connection, vault)?;
    let sql = "INSERT INTO vault (vault_id, name, description, zone, settings, creation_time)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (vault_id) DO UPDATE SET name = $2, description = $3, zone = $4, settings = $5";
    send(
        connection,
        sql,
        &[
            &uuid(vault.id.bytes()),
            &vault.name.as_str(),
            &vault.description,
            &vault.zone.name(),
            &settings_json(&vault.settings),
            &micros(vault.creation_time),
        ],
    )
}

/// Takes the name, if the vault has it not already. Who comes second is refused by the key.
fn put_name(connection: &Connection, vault: &VaultInfo) -> Result<()> {
    let id = uuid(vault.id.bytes());
    let sql = "SELECT name FROM vault_name WHERE vault_id = $1";
    let known = first(connection, sql, &[&id], |row| get::<String>(row, 0))?;
    if known.as_deref() == Some(vault.name.as_str()) {
        return Ok(());
    }
    if known.is_some() {
        send(connection, "DELETE FROM vault_name WHERE vault_id = $1", &[&id])?;
    }
    let sql = "INSERT INTO vault_name (name, vault_id) VALUES ($1, $2)";
    send(connection, sql, &[&vault.name.as_str(), &id])
}

pub(super) fn memory(connection: &Connection, memory: MemoryRef) -> Result<Option<Memory>> {
    let sql = format!("{MEMORY} WHERE vault_id = $1 AND id = $2");
    let [vault, memory] = place(&memory);
    first(connection, &sql, &[&vault, &memory], read_memory)
}

pub(super) fn memory_named(
    connection: &Connection,
    vault: VaultId,
    name: &Name,
) -> Result<Option<Memory>> {
    let sql = format!("{MEMORY} WHERE vault_id = $1 AND name = $2");
    first(connection, &sql, &[&uuid(vault.bytes()), &name.as_str()], read_memory)
}

pub(super) fn memories(
    connection: &Connection,
    vault: VaultId,
    after: Option<&Name>,
    limit: usize,
) -> Result<Vec<Memory>> {
    let sql = format!("{MEMORY} WHERE vault_id = $1 AND name > $2 ORDER BY name LIMIT $3");
    let after = after.map_or("", Name::as_str);
    all(connection, &sql, &[&uuid(vault.bytes()), &after, &number(limit as u64)], read_memory)
}

pub(super) fn chats(
    connection: &Connection,
    vault: VaultId,
    person: &Person,
    limit: usize,
) -> Result<Vec<Memory>> {
    let sql = format!(
        "{MEMORY} WHERE vault_id = $1 AND chat_of = $2
        ORDER BY last_creation DESC, id DESC LIMIT $3"
    );
    let values: [&(dyn ToSql + Sync); 3] =
        [&uuid(vault.bytes()), &person.to_string(), &number(limit as u64)];
    all(connection, &sql, &values, read_memory)
}

pub(super) fn put_memory(connection: &Connection, vault: VaultId, memory: &Memory) -> Result<()> {
    let sql = "INSERT INTO memory (vault_id, id, name, description, creation_time, last_sequence,
            last_creation, last_ending, waiting_entry, waiting_since, generation,
            chaptered_until, chapters_at, distilled, lifecycle, facts_changed, chapters_mark,
            chapters_from, chat_of)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
            $19)
        ON CONFLICT (vault_id, id) DO UPDATE SET name = $3, description = $4, last_sequence = $6,
            last_creation = $7, last_ending = $8, waiting_entry = $9, waiting_since = $10,
            generation = $11, chaptered_until = $12, chapters_at = $13, distilled = $14,
            lifecycle = $15, facts_changed = $16, chapters_mark = $17, chapters_from = $18,
            chat_of = $19";
    send(
        connection,
        sql,
        &[
            &uuid(vault.bytes()),
            &uuid(memory.id.bytes()),
            &memory.name.as_str(),
            &memory.description,
            &micros(memory.creation_time),
            &number(memory.last_sequence),
            &micros(memory.last_creation),
            &memory.last_ending.map(micros),
            &memory.waiting.map(|(entry, _)| uuid(entry.bytes())),
            &memory.waiting.map(|(_, since)| micros(since)),
            &number(memory.generation),
            &memory.chaptered_until.map(micros),
            &number(memory.chapters_at),
            &number(memory.distilled),
            &memory.lifecycle.map(|lifecycle| lifecycle.as_str()),
            &number(memory.facts_changed),
            &memory.chapters_mark.cast_signed(),
            &memory.chapters_from.map(micros),
            &memory.chat_of.as_ref().map(ToString::to_string),
        ],
    )
}

fn read_vault(row: &Row) -> Result<VaultInfo> {
    let zone: String = get(row, 3)?;
    Ok(VaultInfo {
        id: get_id(row, 0)?,
        name: name(get(row, 1)?)?,
        description: get(row, 2)?,
        zone: Zone::named(&zone).map_err(|_| damaged("zone", &zone))?,
        settings: settings(&get::<String>(row, 4)?)?,
        creation_time: instant(get(row, 5)?)?,
    })
}

fn read_memory(row: &Row) -> Result<Memory> {
    let waiting: (Option<Uuid>, Option<i64>) = (get(row, 7)?, get(row, 8)?);
    Ok(Memory {
        id: get_id(row, 0)?,
        name: name(get(row, 1)?)?,
        description: get(row, 2)?,
        creation_time: instant(get(row, 3)?)?,
        last_sequence: count(get(row, 4)?)?,
        last_creation: instant(get(row, 5)?)?,
        last_ending: get::<Option<i64>>(row, 6)?.map(instant).transpose()?,
        waiting: match waiting {
            (Some(entry), Some(since)) => Some((entry.into(), instant(since)?)),
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
