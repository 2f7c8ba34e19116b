//! The table `tombstone`: hashes of what was forgotten, and when it was said.

use everwhen_engine::Result;
use everwhen_engine::ports::{
    ForgottenPeriod, MemoryRef, Tombstone, TombstoneKind, TombstoneOwner,
};

use super::{Database, Row, Sql, Value, table};

table! {
    static TOMBSTONE: TombstoneColumns = "tombstone", key(vault_id, owner, kind, hash);
    fn values(vault: Value<'v>, owner: &'v [u8; 32], row: &'v Tombstone) {
        vault_id: vault,
        owner: owner,
        kind: kind(row.kind),
        hash: &row.hash,
        forgotten_at: row.at,
        said_from: row.period.map(|period| period.from),
        said_before: row.period.map(|period| period.before),
    }
}

const OWNED: &str = "WHERE vault_id = ?1 AND owner = ?2";

/// The vault that rows belong to, and the memory in it, or the hash of its name where the vault is no more.
fn owner(of: TombstoneOwner) -> (Value<'static>, [u8; 32]) {
    match of {
        TombstoneOwner::Vault(vault) => (vault.into(), [0; 32]),
        TombstoneOwner::Memory(place) => {
            let mut owner = [0; 32];
            owner[..16].copy_from_slice(&place.memory.bytes());
            (place.vault.into(), owner)
        }
        TombstoneOwner::Name(name) => (Value::NoVault, name),
    }
}

/// The vault and the owner of what is kept by a memory.
pub(super) fn of_memory(memory: MemoryRef) -> [Value<'static>; 2] {
    let (vault, owner) = owner(TombstoneOwner::Memory(memory));
    [vault, owner.to_vec().into()]
}

fn kind(kind: TombstoneKind) -> i64 {
    match kind {
        TombstoneKind::Salt => 0,
        TombstoneKind::Hash => 1,
        TombstoneKind::Period => 2,
        TombstoneKind::LineSalt => 3,
    }
}

fn read(row: &dyn Row) -> Result<Tombstone> {
    let kind = match row.get::<i64>(TOMBSTONE.kind)? {
        0 => TombstoneKind::Salt,
        1 => TombstoneKind::Hash,
        2 => TombstoneKind::Period,
        3 => TombstoneKind::LineSalt,
        _ => return Err(row.damaged(TOMBSTONE.kind)),
    };
    let (from, before) = (row.get(TOMBSTONE.said_from)?, row.get(TOMBSTONE.said_before)?);
    let period = Option::zip(from, before).map(|(from, before)| ForgottenPeriod { from, before });
    let (hash, at) = (row.get(TOMBSTONE.hash)?, row.get(TOMBSTONE.forgotten_at)?);
    Ok(Tombstone { kind, hash, at, period })
}

/// All of an owner, those of a kind, or the one with a hash.
pub(crate) fn list(
    db: &dyn Database,
    of: TombstoneOwner,
    which: Option<(TombstoneKind, Option<[u8; 32]>)>,
) -> Result<Vec<Tombstone>> {
    static ALL: Sql = Sql::new(|_| TOMBSTONE.select(&format!("{OWNED} ORDER BY kind, hash")));
    static KIND: Sql =
        Sql::new(|_| TOMBSTONE.select(&format!("{OWNED} AND kind = ?3 ORDER BY hash")));
    static ONE: Sql =
        Sql::new(|_| TOMBSTONE.select(&format!("{OWNED} AND kind = ?3 AND hash = ?4")));
    let (vault, owner) = owner(of);
    match which {
        None => db.all(&ALL, &[vault, (&owner).into()], read),
        Some((one, None)) => db.all(&KIND, &[vault, (&owner).into(), kind(one).into()], read),
        Some((one, Some(hash))) => {
            db.all(&ONE, &[vault, (&owner).into(), kind(one).into(), (&hash).into()], read)
        }
    }
}

/// Adds one, unless it is there.
pub(crate) fn put(db: &dyn Database, of: TombstoneOwner, row: &Tombstone) -> Result<()> {
    static SQL: Sql = Sql::new(|dialect| TOMBSTONE.upsert(dialect));
    let (vault, owner) = owner(of);
    db.write(&SQL, &values(vault, &owner, row))
}

/// Removes all of an owner.
pub(crate) fn remove(db: &dyn Database, of: TombstoneOwner) -> Result<u64> {
    static SQL: Sql = Sql::new(|_| format!("DELETE FROM tombstone {OWNED}"));
    let (vault, owner) = owner(of);
    db.change(&SQL, &[vault, (&owner).into()])
}
