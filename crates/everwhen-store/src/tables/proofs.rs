//! The tables `proof`, `addition` and `addition_epoch`.

use everwhen_engine::Result;
use everwhen_engine::memory::VaultId;
use everwhen_engine::ports::{Addition, MemoryRef, Proof, ProofHolder};

use super::{Database, IN_MEMORY, Row, Sql, columns, limit, place, table};

table! {
    static PROOF: ProofColumns = "proof", key(vault_id, hash, memory_id);
    fn proof_values(memory: MemoryRef, proof: &'v Proof) {
        vault_id: memory.vault,
        hash: &proof.hash,
        memory_id: memory.memory,
        number: proof.number,
        app: &proof.app,
        at: proof.at,
    }
}

table! {
    static ADDITION: AdditionColumns = "addition", key(vault_id, memory_id, number),
        sqlite_key(memory_id, number);
    fn addition_values(memory: MemoryRef, line: u64, addition: &'v Addition) {
        vault_id: memory.vault,
        memory_id: memory.memory,
        number: line,
        text: &addition.text,
        form: addition.form,
        person: &addition.person,
        at: addition.at,
    }
}

table! {
    static EPOCH: EpochColumns = "addition_epoch", key(vault_id);
    fn epoch_values(vault: VaultId, epoch: u64) {
        vault_id: vault,
        epoch: epoch,
    }
}

columns! { static HELD: Held {
    memory_id = "p.memory_id", hash = "p.hash", number = "p.number", app = "p.app", at = "p.at",
} }

fn read_holder(row: &dyn Row) -> Result<ProofHolder> {
    let proof = Proof {
        hash: row.get(HELD.hash)?,
        number: row.get(HELD.number)?,
        app: row.get(HELD.app)?,
        at: row.get(HELD.at)?,
    };
    Ok(ProofHolder { memory: row.get(HELD.memory_id)?, proof })
}

fn read_addition(row: &dyn Row) -> Result<(u64, Addition)> {
    let addition = Addition {
        text: row.get(ADDITION.text)?,
        form: row.get(ADDITION.form)?,
        person: row.get(ADDITION.person)?,
        at: row.get(ADDITION.at)?,
    };
    Ok((row.get(ADDITION.number)?, addition))
}

/// Memories that hold a proof: first those where nothing has been said since it was delivered, then
/// the newest.
pub(crate) fn holders(
    db: &dyn Database,
    vault: VaultId,
    proof: [u8; 32],
    most: usize,
) -> Result<Vec<ProofHolder>> {
    static SQL: Sql = Sql::new(|_| {
        HELD.select(
            "FROM proof p LEFT JOIN ledger_head h ON h.vault_id = ?1 AND h.memory_id = p.memory_id
             WHERE p.vault_id = ?1 AND p.hash = ?2
             ORDER BY (h.reply IS NOT NULL AND h.reply = p.number) DESC, p.at DESC,
                p.memory_id DESC LIMIT ?3",
        )
    });
    db.all(&SQL, &[vault.into(), (&proof).into(), limit(Some(most))], read_holder)
}

/// Adds a proof or replaces the one with its hash in this memory.
pub(crate) fn put(db: &dyn Database, memory: MemoryRef, proof: &Proof) -> Result<()> {
    static SQL: Sql = Sql::new(|dialect| PROOF.upsert(dialect));
    db.write(&SQL, &proof_values(memory, proof))
}

/// What was added to the messages with these numbers, by number.
pub(crate) fn additions(
    db: &dyn Database,
    memory: MemoryRef,
    numbers: &[u64],
) -> Result<Vec<(u64, Addition)>> {
    static SQL: Sql = Sql::new(|dialect| {
        ADDITION.select(&format!("{IN_MEMORY} AND number {}", dialect.is_one_of(3)))
    });
    let each = numbers.iter().copied().map(Into::into).collect();
    let mut found = db.all_each(&SQL, &place(memory), each, read_addition)?;
    found.sort_by_key(|(line, _)| *line);
    Ok(found)
}

/// Stores what was added to a message, in place of what was stored before.
pub(crate) fn put_addition(
    db: &dyn Database,
    memory: MemoryRef,
    line: u64,
    addition: &Addition,
) -> Result<()> {
    static SQL: Sql = Sql::new(|dialect| ADDITION.upsert(dialect));
    db.write(&SQL, &addition_values(memory, line, addition))
}

/// How often something in a vault was forgotten, which removes all additions.
pub(crate) fn epoch(db: &dyn Database, vault: VaultId) -> Result<u64> {
    static SQL: Sql = Sql::new(|_| EPOCH.select("WHERE vault_id = ?1"));
    let found = db.first(&SQL, &[vault.into()], |row| row.get(EPOCH.epoch))?;
    Ok(found.unwrap_or(0))
}

/// Removes all additions of a vault and counts that; answers how many there were.
pub(crate) fn drop_additions(db: &dyn Database, vault: VaultId) -> Result<u64> {
    static REMOVE: Sql = Sql::new(|_| "DELETE FROM addition WHERE vault_id = ?1".to_owned());
    static COUNT: Sql = Sql::new(|dialect| EPOCH.add_up(dialect));
    db.write(&COUNT, &epoch_values(vault, 1))?;
    db.change(&REMOVE, &[vault.into()])
}
