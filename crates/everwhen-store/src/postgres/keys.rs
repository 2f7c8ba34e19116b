//! The table `access_key`.

use everwhen_engine::Result;
use everwhen_engine::key::{Key, KeyHash};
use everwhen_engine::memory::{KeyId, Name};
use tokio_postgres::Row;
use uuid::Uuid;

use super::connection::Connection;
use super::entries::uuid;
use super::statement::{all, first, get, get_id, run, send};
use crate::row::{damaged, instant, micros, name};

pub(super) fn list(connection: &Connection) -> Result<Vec<Key>> {
    let sql =
        "SELECT id, vault_id, label, trusted, hash, creation_time FROM access_key ORDER BY id";
    all(connection, sql, &[], read)
}

pub(super) fn add(connection: &Connection, key: &Key) -> Result<()> {
    let sql = "INSERT INTO access_key (id, vault_id, label, trusted, hash, creation_time)
        VALUES ($1, $2, $3, $4, $5, $6)";
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
        ],
    )
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
    })
}
