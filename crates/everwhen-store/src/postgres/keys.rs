//! The table `access_key`.

use everwhen_engine::Result;
use everwhen_engine::key::{Key, KeyHash, KeyUse};
use everwhen_engine::memory::{KeyId, Name};
use tokio_postgres::Row;
use uuid::Uuid;

use super::connection::Connection;
use super::entries::uuid;
use super::statement::{all, first, get, get_id, run, send};
use crate::row::{damaged, instant, micros, name, scope};

pub(super) fn list(connection: &Connection) -> Result<Vec<Key>> {
    let sql = "SELECT id, vault_id, label, trusted, hash, creation_time, scope, expires_at,
        last_used_at FROM access_key ORDER BY id";
    all(connection, sql, &[], read)
}

pub(super) fn add(connection: &Connection, key: &Key) -> Result<()> {
    let sql = "INSERT INTO access_key (id, vault_id, label, trusted, hash, creation_time, scope,
        expires_at, last_used_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    send(
        connection,
        sql,
        &[
            &uuid(key.id.bytes()),
            &uuid(key.vault.bytes()),
            &key.label.as_ref().map(Name::as_str),
            &key.trusted,
            &key.hash.as_bytes().as_slice(),
            &micros(key.creation_time),
            &key.scope.as_str(),
            &key.expires_at.map(micros),
            &key.last_used_at.map(micros),
        ],
    )
}

pub(super) fn note_use(connection: &Connection, used: KeyUse) -> Result<()> {
    let sql = "UPDATE access_key SET last_used_at = $3 WHERE vault_id = $1 AND id = $2
        AND (last_used_at IS NULL OR last_used_at < $3)";
    let (vault, key) = (uuid(used.vault.bytes()), uuid(used.key.bytes()));
    run(connection, sql, &[&vault, &key, &micros(used.at)]).map(drop)
}

/// A key is named without its vault; where it lies is looked up first, so that one node removes it.
pub(super) fn remove(connection: &Connection, id: KeyId) -> Result<bool> {
    let id = uuid(id.bytes());
    let sql = "SELECT vault_id FROM access_key WHERE id = $1";
    let vault = first(connection, sql, &[&id], |row| get::<Uuid>(row, 0))?;
    let Some(vault) = vault else { return Ok(false) };
    let sql = "DELETE FROM access_key WHERE vault_id = $1 AND id = $2";
    run(connection, sql, &[&vault, &id]).map(|removed| removed > 0)
}

fn read(row: &Row) -> Result<Key> {
    let hash: Vec<u8> = get(row, 4)?;
    let hash: [u8; 32] = hash.try_into().map_err(|_| damaged("hash of a key", "wrong length"))?;
    Ok(Key {
        id: get_id(row, 0)?,
        vault: get_id(row, 1)?,
        label: get::<Option<String>>(row, 2)?.map(name).transpose()?,
        trusted: get(row, 3)?,
        hash: KeyHash::from(hash),
        creation_time: instant(get(row, 5)?)?,
        scope: scope(&get::<String>(row, 6)?)?,
        expires_at: get::<Option<i64>>(row, 7)?.map(instant).transpose()?,
        last_used_at: get::<Option<i64>>(row, 8)?.map(instant).transpose()?,
    })
}
