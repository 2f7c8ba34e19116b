//! What is left of what was forgotten: hashes by which it is recognised when it comes again, and no text.
//!
//! A chat client sends its whole history with every request, and a write may be retried hours later. After a memory
//! or a vault was forgotten, neither may bring it back. Two messages in a row are recognised together: the same words
//! said again in another chat are stored, because they do not follow the same words. What has just been said is never
//! compared at all.
//!
//! What waits in an outbox while its memory or vault is forgotten is recognised by time: of each the moment is
//! kept at which it was last forgotten, and what was said before it is not stored after it. Of a part of a memory it
//! is kept when it was said, too, as `periods` says.
//!
//! What was imported is recognised as `imported` says, and a message of which only the line of a ledger is left as
//! `lines` says.
//!
//! Hashes are salted, with a salt of the vault that goes where they go. When a vault is forgotten they outlive it
//! under a hash of its name, and a new vault of that name takes them over.

pub(crate) mod imported;
pub(crate) mod lines;
pub(crate) mod periods;

use std::collections::HashMap;

use jiff::Timestamp;

use self::lines::LineSalt;
use crate::Result;
use crate::memory::{Chance, MemoryRef, Name, VaultId, VaultInfo};
use crate::ports::{
    LedgerLine, LedgerLines, MemorySelection, ReceiptSelection, Removal, Row, Snapshot, Tombstone,
    TombstoneKind, TombstoneOwner, Tx,
};

/// The number of memories, or of idempotency keys, that are read at a time.
const STEP: usize = 1_000;

/// Keeps the messages of a memory that is about to be forgotten recognisable.
pub(crate) fn keep_history(
    tx: &mut dyn Tx,
    place: MemoryRef,
    now: Timestamp,
    chance: &dyn Chance,
) -> Result<()> {
    let lines = tx.ledger_lines(place, LedgerLines::Behind(i64::MIN))?;
    let pairs = pairs(&lines);
    if pairs.is_empty() {
        return Ok(());
    }
    lines::keep(tx, place, now)?;
    let salt = make_salt(tx, place.vault, now, chance)?;
    for (before, mark) in pairs {
        put(tx, place.vault, message(&salt, before, mark), now)?;
    }
    Ok(())
}

/// Keeps when a memory was forgotten.
pub(crate) fn keep_moment(
    tx: &mut dyn Tx,
    vault: VaultId,
    memory: &Name,
    now: Timestamp,
    chance: &dyn Chance,
) -> Result<()> {
    let salt = make_salt(tx, vault, now, chance)?;
    put(tx, vault, memory_hash(&salt, memory), now)
}

/// Returns when a memory of this name, or the vault with all its memories, was last forgotten.
pub(crate) fn forgotten_at(
    snapshot: &dyn Snapshot,
    vault: VaultId,
    memory: &Name,
) -> Result<Option<Timestamp>> {
    let Some(salt) = salt(snapshot, vault)? else { return Ok(None) };
    let at = |hash: [u8; 32]| -> Result<Option<Timestamp>> {
        let which = Some((TombstoneKind::Hash, Some(hash)));
        let found = snapshot.tombstones(TombstoneOwner::Vault(vault), which)?;
        Ok(found.first().map(|row| row.at))
    };
    Ok(at(memory_hash(&salt, memory))?.max(at(vault_hash(&salt))?))
}

/// Lets what is recognised in a vault that is about to be forgotten outlive it: its messages, its idempotency keys, when it was, and
/// what was forgotten in it before.
pub(crate) fn keep_vault(
    tx: &mut dyn Tx,
    vault: &VaultInfo,
    now: Timestamp,
    chance: &dyn Chance,
) -> Result<()> {
    let mut after: Option<Name> = None;
    loop {
        let some = tx.memories(vault.id, MemorySelection::Named(after.as_ref(), STEP))?;
        for memory in &some {
            let place = MemoryRef { vault: vault.id, memory: memory.id };
            keep_history(tx, place, now, chance)?;
            imported::keep_memory(tx, place, now, chance)?;
        }
        after = some.last().map(|memory| memory.name.clone());
        if some.len() < STEP {
            break;
        }
    }
    let salt = make_salt(tx, vault.id, now, chance)?;
    put(tx, vault.id, vault_hash(&salt), now)?;
    keep_idempotency_keys(tx, vault.id, &salt, now)?;
    for row in tx.tombstones(TombstoneOwner::Vault(vault.id), None)? {
        tx.put(Row::Tombstone(TombstoneOwner::Name(name_hash(&vault.name)), &row))?;
    }
    Ok(())
}

/// Keeps the idempotency keys of a vault recognisable, so that a late retry does not store what was forgotten.
fn keep_idempotency_keys(
    tx: &mut dyn Tx,
    vault: VaultId,
    salt: &[u8; 32],
    now: Timestamp,
) -> Result<()> {
    let mut after: Option<Name> = None;
    loop {
        let some = tx.receipts(Some(vault), ReceiptSelection::Named(after.as_ref(), STEP))?;
        for (key, _) in &some {
            put(tx, vault, idempotency(salt, key), now)?;
        }
        if some.len() < STEP {
            return Ok(());
        }
        after = some.into_iter().next_back().map(|(key, _)| key);
    }
}

/// Takes over what a forgotten vault of the same name left. Called when a vault is made.
pub(crate) fn adopt(tx: &mut dyn Tx, vault: &VaultInfo) -> Result<()> {
    let owner = TombstoneOwner::Name(name_hash(&vault.name));
    let left = tx.tombstones(owner, None)?;
    if left.is_empty() {
        return Ok(());
    }
    for row in &left {
        tx.put(Row::Tombstone(TombstoneOwner::Vault(vault.id), row))?;
    }
    tx.remove(Removal::Tombstones(owner)).map(drop)
}

/// Returns for each message of a history, given by their marks, whether it was forgotten: whether it and the one
/// before it or behind it stood together in what was forgotten.
pub(crate) fn forgotten_messages(
    snapshot: &dyn Snapshot,
    vault: VaultId,
    marks: &[[u8; 32]],
) -> Result<Vec<bool>> {
    let mut forgotten = vec![false; marks.len()];
    let Some(salt) = salt(snapshot, vault)? else { return Ok(forgotten) };
    let keys = lines::kept(snapshot, vault)?;
    for (place, pair) in marks.windows(2).enumerate() {
        if stood_together(snapshot, vault, (&salt, &keys), pair)? {
            (forgotten[place], forgotten[place + 1]) = (true, true);
        }
    }
    Ok(forgotten)
}

/// Returns whether two messages stood in a row in a memory that was forgotten. Each may have been forgotten before the
/// memory was, and had a mark with a key then.
fn stood_together(
    snapshot: &dyn Snapshot,
    vault: VaultId,
    (salt, keys): (&[u8; 32], &[LineSalt]),
    pair: &[[u8; 32]],
) -> Result<bool> {
    if exists(snapshot, vault, message(salt, pair[0], pair[1]))? {
        return Ok(true);
    }
    for key in keys {
        let [before, mark] = [key.keyed(pair[0]), key.keyed(pair[1])];
        for (before, mark) in [(before, pair[1]), (pair[0], mark), (before, mark)] {
            if exists(snapshot, vault, message(salt, before, mark))? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns whether an idempotency key belongs to a write of a vault that was forgotten.
pub(crate) fn is_forgotten_key(
    snapshot: &dyn Snapshot,
    vault: VaultId,
    key: &Name,
) -> Result<bool> {
    match salt(snapshot, vault)? {
        Some(salt) => exists(snapshot, vault, idempotency(&salt, key)),
        None => Ok(false),
    }
}

/// Returns every two messages that stood in a row.
fn pairs(lines: &[LedgerLine]) -> Vec<([u8; 32], [u8; 32])> {
    let marks: HashMap<u64, [u8; 32]> = lines.iter().map(|line| (line.number, line.mark)).collect();
    let before = |line: &LedgerLine| line.after.and_then(|number| marks.get(&number).copied());
    lines.iter().filter_map(|line| Some((before(line)?, line.mark))).collect()
}

fn put(tx: &mut dyn Tx, vault: VaultId, hash: [u8; 32], at: Timestamp) -> Result<()> {
    let row = Tombstone { kind: TombstoneKind::Hash, hash, at, period: None };
    tx.put(Row::Tombstone(TombstoneOwner::Vault(vault), &row))
}

fn exists(snapshot: &dyn Snapshot, vault: VaultId, hash: [u8; 32]) -> Result<bool> {
    let which = Some((TombstoneKind::Hash, Some(hash)));
    Ok(!snapshot.tombstones(TombstoneOwner::Vault(vault), which)?.is_empty())
}

/// Returns the salt of a vault; none if nothing in it was forgotten that could come again.
fn salt(snapshot: &dyn Snapshot, vault: VaultId) -> Result<Option<[u8; 32]>> {
    let which = Some((TombstoneKind::Salt, None));
    let found = snapshot.tombstones(TombstoneOwner::Vault(vault), which)?;
    Ok(found.first().map(|row| row.hash))
}

fn make_salt(
    tx: &mut dyn Tx,
    vault: VaultId,
    at: Timestamp,
    chance: &dyn Chance,
) -> Result<[u8; 32]> {
    if let Some(known) = salt(tx.snapshot(), vault)? {
        return Ok(known);
    }
    let mut hash = [0; 32];
    chance.fill(&mut hash);
    let row = Tombstone { kind: TombstoneKind::Salt, hash, at, period: None };
    tx.put(Row::Tombstone(TombstoneOwner::Vault(vault), &row))?;
    Ok(hash)
}

fn message(salt: &[u8; 32], before: [u8; 32], mark: [u8; 32]) -> [u8; 32] {
    hash(salt, &[b"message", &before, &mark])
}

fn idempotency(salt: &[u8; 32], key: &Name) -> [u8; 32] {
    hash(salt, &[b"idempotency key", key.as_str().as_bytes()])
}

fn memory_hash(salt: &[u8; 32], name: &Name) -> [u8; 32] {
    hash(salt, &[b"memory", name.as_str().as_bytes()])
}

fn vault_hash(salt: &[u8; 32]) -> [u8; 32] {
    hash(salt, &[b"the vault"])
}

fn name_hash(name: &Name) -> [u8; 32] {
    hash(&[0; 32], &[b"vault", name.as_str().as_bytes()])
}

fn hash(salt: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_keyed(salt);
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    *hasher.finalize().as_bytes()
}
