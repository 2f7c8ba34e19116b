//! The tables `proof`, `addition` and `addition_epoch`, and the requests in `ledger_head`.

use everwhen_engine::Result;
use everwhen_engine::memory::VaultId;
use everwhen_engine::ports::{Addition, MemoryRef, Proof, ProofHolder, Requested};
use tokio_postgres::Row;

use super::connection::Connection;
use super::entries::{place, uuid};
use super::ledger::hash;
use super::statement::{all, first, get, get_id, send};
use crate::row::{count, damaged, instant, micros, number};

pub(super) fn holders(
    connection: &Connection,
    vault: VaultId,
    proof: [u8; 32],
    limit: usize,
) -> Result<Vec<ProofHolder>> {
    let sql = "SELECT p.memory_id, p.hash, p.number, p.app, p.at FROM proof p
        LEFT JOIN ledger_head h ON h.vault_id = $1 AND h.memory_id = p.memory_id
        WHERE p.vault_id = $1 AND p.hash = $2
        ORDER BY (h.reply IS NOT NULL AND h.reply = p.number) DESC, p.at DESC, p.memory_id DESC
        LIMIT $3";
    let (vault, limit) = (uuid(vault.bytes()), number(limit as u64));
    all(connection, sql, &[&vault, &proof.as_slice(), &limit], |row| {
        let (number, at) = (count(get(row, 2)?)?, instant(get(row, 4)?)?);
        let proof = Proof { hash: hash(row, 1)?, number, app: hash(row, 3)?, at };
        Ok(ProofHolder { memory: get_id(row, 0)?, proof })
    })
}

pub(super) fn requested(
    connection: &Connection,
    vault: VaultId,
    request: [u8; 32],
) -> Result<Vec<Requested>> {
    let sql = "SELECT memory_id, answered, started_at FROM ledger_head
        WHERE vault_id = $1 AND request = $2 ORDER BY memory_id DESC";
    all(connection, sql, &[&uuid(vault.bytes()), &request.as_slice()], |row| {
        Ok(Requested {
            memory: get_id(row, 0)?,
            answered: get(row, 1)?,
            at: get::<Option<i64>>(row, 2)?.map(instant).transpose()?,
        })
    })
}

pub(super) fn put(connection: &Connection, memory: MemoryRef, proof: &Proof) -> Result<()> {
    let sql = "INSERT INTO proof (vault_id, hash, memory_id, number, app, at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (vault_id, hash, memory_id) DO UPDATE SET number = $4, app = $5, at = $6";
    let [vault, memory] = place(&memory);
    let (line, at) = (number(proof.number), micros(proof.at));
    let (hash, app) = (proof.hash.as_slice(), proof.app.as_slice());
    send(connection, sql, &[&vault, &hash, &memory, &line, &app, &at])
}

pub(super) fn additions(
    connection: &Connection,
    memory: MemoryRef,
    numbers: &[u64],
) -> Result<Vec<(u64, Addition)>> {
    let sql = "SELECT number, text, form, person, at FROM addition
        WHERE vault_id = $1 AND memory_id = $2 AND number = ANY($3) ORDER BY number";
    let [vault, memory] = place(&memory);
    let numbers: Vec<i64> = numbers.iter().copied().map(number).collect();
    all(connection, sql, &[&vault, &memory, &numbers], read)
}

pub(super) fn put_addition(
    connection: &Connection,
    memory: MemoryRef,
    line: u64,
    addition: &Addition,
) -> Result<()> {
    let sql = "INSERT INTO addition (vault_id, memory_id, number, text, form, person, at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (vault_id, memory_id, number) DO UPDATE SET text = $4, form = $5, person = $6,
            at = $7";
    let [vault, memory] = place(&memory);
    let (line, form, at) = (number(line), i64::from(addition.form), micros(addition.at));
    let person = addition.person.as_slice();
    send(connection, sql, &[&vault, &memory, &line, &addition.text, &form, &person, &at])
}

pub(super) fn epoch(connection: &Connection, vault: VaultId) -> Result<u64> {
    let sql = "SELECT epoch FROM addition_epoch WHERE vault_id = $1";
    let found = first(connection, sql, &[&uuid(vault.bytes())], |row| count(get(row, 0)?))?;
    Ok(found.unwrap_or(0))
}

pub(super) fn drop_additions(connection: &Connection, vault: VaultId) -> Result<()> {
    let vault = uuid(vault.bytes());
    send(connection, "DELETE FROM addition WHERE vault_id = $1", &[&vault])?;
    let sql = "INSERT INTO addition_epoch (vault_id, epoch) VALUES ($1, 1)
        ON CONFLICT (vault_id) DO UPDATE SET epoch = addition_epoch.epoch + 1";
    send(connection, sql, &[&vault])
}

fn read(row: &Row) -> Result<(u64, Addition)> {
    let form: i64 = get(row, 2)?;
    let addition = Addition {
        text: get(row, 1)?,
        form: u32::try_from(form).map_err(|_| damaged("form", form))?,
        person: hash(row, 3)?,
        at: instant(get(row, 4)?)?,
    };
    Ok((count(get(row, 0)?)?, addition))
}
