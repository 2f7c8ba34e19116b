//! The table `access_key`.

use everwhen_engine::Result;
use everwhen_engine::key::{Key, KeyHash, KeyUse};
use everwhen_engine::memory::{KeyId, Name};
use rusqlite::{Connection, Row, params};

use super::statement::{all, get, run};
use crate::row::{damaged, id, instant, micros, name, scope};

pub(super) fn list(connection: &Connection) -> Result<Vec<Key>> {
    let sql = "SELECT id, vault_id, label, trusted, hash, creation_time, scope, expires_at,
        last_used_at FROM access_key ORDER BY id";
    all(connection, sql, [], read)
}

pub(super) fn add(connection: &Connection, key: &Key) -> Result<()> {
    let sql = "INSERT INTO access_key (id, vault_id, label, trusted, hash, creation_time, scope,
        expires_at, last_used_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let values = params![
        key.id.bytes(),
        key.vault.bytes(),
        key.label.as_ref().map(Name::as_str),
        key.trusted,
        key.hash.as_bytes(),
        micros(key.creation_time),
        key.scope.as_str(),
        key.expires_at.map(micros),
        key.last_used_at.map(micros),
    ];
    run(connection, sql, values).map(drop)
}

pub(super) fn note_use(connection: &Connection, used: KeyUse) -> Result<()> {
    let sql = "UPDATE access_key SET last_used_at = ?3 WHERE vault_id = ?1 AND id = ?2
        AND (last_used_at IS NULL OR last_used_at < ?3)";
    run(connection, sql, params![used.vault.bytes(), used.key.bytes(), micros(used.at)]).map(drop)
}

pub(super) fn remove(connection: &Connection, id: KeyId) -> Result<bool> {
    let sql = "DELETE FROM access_key WHERE id = ?1";
    run(connection, sql, [id.bytes()]).map(|removed| removed > 0)
}

fn read(row: &Row<'_>) -> Result<Key> {
    let hash: Vec<u8> = get(row, 4)?;
    let hash: [u8; 32] = hash.try_into().map_err(|_| damaged("hash of a key", "wrong length"))?;
    Ok(Key {
        id: id(&get::<Vec<u8>>(row, 0)?)?,
        vault: id(&get::<Vec<u8>>(row, 1)?)?,
        label: get::<Option<String>>(row, 2)?.map(name).transpose()?,
        trusted: get(row, 3)?,
        hash: KeyHash::from(hash),
        creation_time: instant(get(row, 5)?)?,
        scope: scope(&get::<String>(row, 6)?)?,
        expires_at: get::<Option<i64>>(row, 7)?.map(instant).transpose()?,
        last_used_at: get::<Option<i64>>(row, 8)?.map(instant).transpose()?,
    })
}
