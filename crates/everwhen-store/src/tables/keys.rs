//! The table `access_key`.

use everwhen_engine::Result;
use everwhen_engine::key::{Key, KeyUse};
use everwhen_engine::memory::{KeyId, VaultId};

use super::{Database, Row, Sql, table};

table! {
    static KEY: KeyColumns = "access_key", key(vault_id, id), sqlite_key(id);
    fn values(key: &'v Key) {
        id: key.id,
        vault_id: key.vault,
        label: key.label.as_ref(),
        trusted: key.trusted,
        hash: &key.hash,
        creation_time: key.creation_time,
        scope: key.scope,
        expires_at: key.expires_at,
        last_used_at: key.last_used_at,
    }
}

fn read(row: &dyn Row) -> Result<Key> {
    Ok(Key {
        id: row.get(KEY.id)?,
        vault: row.get(KEY.vault_id)?,
        label: row.get(KEY.label)?,
        trusted: row.get(KEY.trusted)?,
        hash: row.get(KEY.hash)?,
        creation_time: row.get(KEY.creation_time)?,
        scope: row.get(KEY.scope)?,
        expires_at: row.get(KEY.expires_at)?,
        last_used_at: row.get(KEY.last_used_at)?,
    })
}

/// All keys.
pub(crate) fn list(db: &dyn Database) -> Result<Vec<Key>> {
    static SQL: Sql = Sql::new(|_| KEY.select("ORDER BY id"));
    db.all(&SQL, &[], read)
}

/// Adds a key.
pub(crate) fn add(db: &dyn Database, key: &Key) -> Result<()> {
    static SQL: Sql = Sql::new(|_| KEY.insert());
    db.write(&SQL, &values(key))
}

/// Sets when a key was last used, unless it is gone or a later use is stored.
pub(crate) fn note_use(db: &dyn Database, used: KeyUse) -> Result<()> {
    static SQL: Sql = Sql::new(|_| {
        "UPDATE access_key SET last_used_at = ?3 WHERE vault_id = ?1 AND id = ?2
            AND (last_used_at IS NULL OR last_used_at < ?3)"
            .to_owned()
    });
    db.change(&SQL, &[used.vault.into(), used.key.into(), used.at.into()]).map(drop)
}

/// Removes a key; answers whether there was one, as a count. A key is named without its vault; where it is
/// stored is looked up first, so that one node of a cluster removes it.
pub(crate) fn remove(db: &dyn Database, id: KeyId) -> Result<u64> {
    static FIND: Sql = Sql::new(|_| KEY.select("WHERE id = ?1"));
    static REMOVE: Sql =
        Sql::new(|_| "DELETE FROM access_key WHERE vault_id = ?1 AND id = ?2".to_owned());
    let vault = db.first(&FIND, &[id.into()], |row| row.get::<VaultId>(KEY.vault_id))?;
    let Some(vault) = vault else { return Ok(0) };
    db.change(&REMOVE, &[vault.into(), id.into()])
}
