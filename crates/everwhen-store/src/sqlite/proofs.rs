//! The tables `proof`, `addition` and `addition_epoch`, and the requests in `ledger_head`.

use everwhen_engine::Result;
use everwhen_engine::memory::VaultId;
use everwhen_engine::ports::{Addition, MemoryRef, Proof, ProofHolder, Requested};
use rusqlite::{Connection, Row, params};

use super::entries::place;
use super::statement::{all, first, get, run};
use crate::row::{count, damaged, id, instant, micros, number};

pub(super) fn holders(
    connection: &Connection,
    vault: VaultId,
    proof: [u8; 32],
    limit: usize,
) -> Result<Vec<ProofHolder>> {
    let sql = "SELECT p.memory_id, p.hash, p.number, p.app, p.at FROM proof p
        LEFT JOIN ledger_head h ON h.vault_id = ?1 AND h.memory_id = p.memory_id
        WHERE p.vault_id = ?1 AND p.hash = ?2
        ORDER BY h.reply IS NOT NULL AND h.reply = p.number DESC, p.at DESC, p.memory_id DESC
        LIMIT ?3";
    let values = params![vault.bytes(), proof, number(limit as u64)];
    all(connection, sql, values, |row| {
        let (number, at) = (count(get(row, 2)?)?, instant(get(row, 4)?)?);
        let proof = Proof { hash: get(row, 1)?, number, app: get(row, 3)?, at };
        Ok(ProofHolder { memory: id(&get::<Vec<u8>>(row, 0)?)?, proof })
    })
}

pub(super) fn requested(
    connection: &Connection,
    vault: VaultId,
    request: [u8; 32],
) -> Result<Vec<Requested>> {
    let sql = "SELECT memory_id, answered, started_at FROM ledger_head
        WHERE vault_id = ?1 AND request = ?2 ORDER BY memory_id DESC";
    all(connection, sql, params![vault.bytes(), request], |row| {
        Ok(Requested {
            memory: id(&get::<Vec<u8>>(row, 0)?)?,
            answered: get(row, 1)?,
            at: get::<Option<i64>>(row, 2)?.map(instant).transpose()?,
        })
    })
}

pub(super) fn put(connection: &Connection, memory: MemoryRef, proof: &Proof) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO proof (vault_id, hash, memory_id, number, app, at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let [vault, memory] = place(&memory);
    let (line, at) = (number(proof.number), micros(proof.at));
    run(connection, sql, params![vault, proof.hash, memory, line, proof.app, at]).map(drop)
}

pub(super) fn additions(
    connection: &Connection,
    memory: MemoryRef,
    numbers: &[u64],
) -> Result<Vec<(u64, Addition)>> {
    let sql = "SELECT text, form, person, at FROM addition
        WHERE vault_id = ?1 AND memory_id = ?2 AND number = ?3";
    let [vault, memory] = place(&memory);
    let mut found = Vec::new();
    for line in numbers {
        let addition = first(connection, sql, params![vault, memory, number(*line)], read)?;
        found.extend(addition.map(|addition| (*line, addition)));
    }
    found.sort_by_key(|(line, _)| *line);
    Ok(found)
}

pub(super) fn put_addition(
    connection: &Connection,
    memory: MemoryRef,
    line: u64,
    addition: &Addition,
) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO addition
            (vault_id, memory_id, number, text, form, person, at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let [vault, memory] = place(&memory);
    let values = params![
        vault,
        memory,
        number(line),
        addition.text,
        i64::from(addition.form),
        addition.person,
        micros(addition.at),
    ];
    run(connection, sql, values).map(drop)
}

pub(super) fn epoch(connection: &Connection, vault: VaultId) -> Result<u64> {
    let sql = "SELECT epoch FROM addition_epoch WHERE vault_id = ?1";
    let found = first(connection, sql, params![vault.bytes()], |row| count(get(row, 0)?))?;
    Ok(found.unwrap_or(0))
}

pub(super) fn drop_additions(connection: &Connection, vault: VaultId) -> Result<()> {
    run(connection, "DELETE FROM addition WHERE vault_id = ?1", params![vault.bytes()])?;
    let sql = "INSERT INTO addition_epoch (vault_id, epoch) VALUES (?1, 1)
        ON CONFLICT (vault_id) DO UPDATE SET epoch = epoch + 1";
    run(connection, sql, params![vault.bytes()]).map(drop)
}

fn read(row: &Row<'_>) -> Result<Addition> {
    let form: i64 = get(row, 1)?;
    Ok(Addition {
        text: get(row, 0)?,
        form: u32::try_from(form).map_err(|_| damaged("form", form))?,
        person: get(row, 2)?,
        at: instant(get(row, 3)?)?,
    })
}
