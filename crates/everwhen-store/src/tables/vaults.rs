//! The table `vault`, and in PostgreSQL `vault_name`, which says where a cluster stores the vault of
//! a name.

use everwhen_engine::Result;
use everwhen_engine::memory::{Address, Memory, MemoryId, Name, VaultId, VaultInfo};
use everwhen_engine::ports::VaultSelection;
use jiff::Timestamp;

use super::{Database, Dialect, More, Query, Row, Sql, limit, memories, table};

/// Whether a row stays locked until the transaction ends: then every other transaction that wants
/// to write in the same vault waits, so a verb decides on what no other transaction changes meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lock {
    /// It does not.
    None,
    /// It does.
    Held,
}

table! {
    static VAULT: VaultColumns = "vault", key(vault_id);
    fn values(vault: &'v VaultInfo) {
        vault_id: vault.id,
        name: &vault.name,
        description: vault.description.as_ref(),
        zone: &vault.zone,
        settings: &vault.settings,
        creation_time: vault.creation_time,
    }
}

table! {
    static VAULT_NAME: NameColumns = "vault_name", key(name);
    fn name_values(vault: &'v VaultInfo) {
        name: &vault.name,
        vault_id: vault.id,
    }
}

fn read(row: &dyn Row) -> Result<VaultInfo> {
    Ok(VaultInfo {
        id: row.get(VAULT.vault_id)?,
        name: row.get(VAULT.name)?,
        description: row.get(VAULT.description)?,
        zone: row.get(VAULT.zone)?,
        settings: row.get(VAULT.settings)?,
        creation_time: row.get(VAULT.creation_time)?,
    })
}

/// Vaults. A lock is for those that are found by id or name.
pub(crate) fn find(
    db: &dyn Database,
    which: VaultSelection<'_>,
    lock: Lock,
) -> Result<Vec<VaultInfo>> {
    let one = match which {
        VaultSelection::Id(id) => by_id(db, id, lock)?,
        VaultSelection::Name(name) => by_name(db, name, lock)?,
        VaultSelection::Named(after, most) => return list(db, after, most),
        VaultSelection::WrittenAfter(time, most) => return written_after(db, time, most),
    };
    Ok(one.into_iter().collect())
}

/// The vault with this id.
fn by_id(db: &dyn Database, id: VaultId, lock: Lock) -> Result<Option<VaultInfo>> {
    db.first(lookup(lock), &[id.into()], read)
}

/// How a vault is found by its id.
fn lookup(lock: Lock) -> &'static Sql {
    static SQL: Sql = Sql::new(|_| VAULT.select("WHERE vault_id = ?1"));
    static LOCKED: Sql =
        Sql::new(|dialect| VAULT.select(&format!("WHERE vault_id = ?1{}", dialect.locked())));
    if lock == Lock::Held { &LOCKED } else { &SQL }
}

/// The vault with this name.
fn by_name(db: &dyn Database, name: &Name, lock: Lock) -> Result<Option<VaultInfo>> {
    static ALONE: Sql = Sql::new(|_| VAULT.select("WHERE name = ?1"));
    match db.dialect() {
        Dialect::Sqlite => db.first(&ALONE, &[name.into()], read),
        Dialect::Postgres => by_listed_name(db, name, lock),
    }
}

/// Looks first where a name was found before: one round trip instead of two.
fn by_listed_name(db: &dyn Database, name: &Name, lock: Lock) -> Result<Option<VaultInfo>> {
    static KNOWN: Sql = Sql::new(|_| VAULT.select("WHERE vault_id = ?1 AND name = ?2"));
    static LOCKED: Sql = Sql::new(|dialect| {
        VAULT.select(&format!("WHERE vault_id = ?1 AND name = ?2{}", dialect.locked()))
    });
    if let Some(known) = db.known_vault(name.as_str()) {
        let sql = if lock == Lock::Held { &LOCKED } else { &KNOWN };
        let found = db.first(sql, &[known.into(), name.into()], read)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    match listed(db, name)? {
        Some(id) => by_id(db, id, lock),
        None => Ok(None),
    }
}

/// The id of the vault with this name, which is known from now on.
fn listed(db: &dyn Database, name: &Name) -> Result<Option<VaultId>> {
    static SQL: Sql = Sql::new(|_| VAULT_NAME.select("WHERE name = ?1"));
    let found = db.first(&SQL, &[name.into()], |row| row.get(VAULT_NAME.vault_id))?;
    if let Some(id) = found {
        db.learn_vault(name.as_str(), id);
    }
    Ok(found)
}

/// A vault and one of its memories, in one round trip where the id of the vault is known. The memory is
/// read after a lock of the vault was granted.
pub(crate) fn with_memory(
    db: &dyn Database,
    vault: &Address<VaultId>,
    memory: &Address<MemoryId>,
    lock: Lock,
) -> Result<Option<(VaultInfo, Option<Memory>)>> {
    let name = match vault {
        Address::Id(id) => return both(db, *id, memory, lock),
        Address::Name(name) => name,
    };
    if db.dialect() == Dialect::Sqlite {
        let Some(vault) = by_name(db, name, lock)? else { return Ok(None) };
        let (sql, values) = memories::lookup(vault.id, memory);
        let memory = db.first(sql, &values, memories::read)?;
        return Ok(Some((vault, memory)));
    }
    if let Some(known) = db.known_vault(name.as_str()) {
        let found = both(db, known, memory, lock)?;
        if found.as_ref().is_some_and(|(vault, _)| vault.name == *name) {
            return Ok(found);
        }
    }
    match listed(db, name)? {
        Some(id) => both(db, id, memory, lock),
        None => Ok(None),
    }
}

fn both(
    db: &dyn Database,
    id: VaultId,
    memory: &Address<MemoryId>,
    lock: Lock,
) -> Result<Option<(VaultInfo, Option<Memory>)>> {
    let (mut vault, mut found) = (None, None);
    let (sql, values) = memories::lookup(id, memory);
    let dialect = db.dialect();
    let one = Query {
        sql: lookup(lock).text(dialect),
        values: &[id.into()],
        each: None,
        take: &mut |row| {
            vault = Some(read(row)?);
            Ok(More::Enough)
        },
    };
    let other = Query {
        sql: sql.text(dialect),
        values: &values,
        each: None,
        take: &mut |row| {
            found = Some(memories::read(row)?);
            Ok(More::Enough)
        },
    };
    db.query_both(one, other)?;
    Ok(vault.map(|vault| (vault, found)))
}

/// Vaults by name, behind `after`.
fn list(db: &dyn Database, after: Option<&Name>, most: usize) -> Result<Vec<VaultInfo>> {
    static SQL: Sql = Sql::new(|dialect| {
        let from = match dialect {
            Dialect::Sqlite => "vault",
            Dialect::Postgres => "vault_name n JOIN vault v USING (vault_id, name)",
        };
        let list = VAULT.list();
        format!("SELECT {list} FROM {from} WHERE name > ?1 ORDER BY name LIMIT ?2")
    });
    let after = after.map_or("", Name::as_str);
    db.all(&SQL, &[after.into(), limit(Some(most))], read)
}

/// Vaults with a memory that was last written after a time, by name.
fn written_after(db: &dyn Database, time: Timestamp, most: usize) -> Result<Vec<VaultInfo>> {
    static SQL: Sql = Sql::new(|_| {
        VAULT.select(
            "WHERE EXISTS (SELECT 1 FROM memory WHERE memory.vault_id = vault.vault_id AND last_creation > ?1)
            ORDER BY name LIMIT ?2",
        )
    });
    db.all(&SQL, &[time.into(), limit(Some(most))], read)
}

/// The names and ids of vaults, behind `after`. In a cluster every node has them.
pub(crate) fn names(
    db: &dyn Database,
    after: Option<&Name>,
    most: usize,
) -> Result<Vec<(Name, VaultId)>> {
    static SQL: Sql = Sql::new(|dialect| {
        let table = match dialect {
            Dialect::Sqlite => "vault",
            Dialect::Postgres => "vault_name",
        };
        let list = VAULT_NAME.list();
        format!("SELECT {list} FROM {table} WHERE name > ?1 ORDER BY name LIMIT ?2")
    });
    let after = after.map_or("", Name::as_str);
    let read = |row: &dyn Row| Ok((row.get(VAULT_NAME.name)?, row.get(VAULT_NAME.vault_id)?));
    db.all(&SQL, &[after.into(), limit(Some(most))], read)
}

/// Adds a vault or replaces what is known of it.
pub(crate) fn put(db: &dyn Database, vault: &VaultInfo) -> Result<()> {
    static SQL: Sql = Sql::new(|dialect| VAULT.upsert(dialect));
    if db.dialect() == Dialect::Postgres {
        put_name(db, vault)?;
    }
    db.write(&SQL, &values(vault))
}

/// Takes the name, if the vault does not have it already. A second vault that wants it is refused
/// by the key.
fn put_name(db: &dyn Database, vault: &VaultInfo) -> Result<()> {
    static FIND: Sql = Sql::new(|_| VAULT_NAME.select("WHERE vault_id = ?1"));
    static REMOVE: Sql = Sql::new(|_| "DELETE FROM vault_name WHERE vault_id = ?1".to_owned());
    static ADD: Sql = Sql::new(|_| VAULT_NAME.insert());
    let id = [vault.id.into()];
    let known = db.first(&FIND, &id, |row| row.get::<Name>(VAULT_NAME.name))?;
    if known.as_ref() == Some(&vault.name) {
        return Ok(());
    }
    if known.is_some() {
        db.write(&REMOVE, &id)?;
    }
    db.write(&ADD, &name_values(vault))
}
