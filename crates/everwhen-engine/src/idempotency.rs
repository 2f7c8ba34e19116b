//! Doing a write once: the first keeps its receipt under the caller's key, in its own transaction, and
//! the same write again gets that receipt and stores nothing.

use crate::memory::{Name, VaultId};
use crate::ports::{Row, Snapshot, Tx};
use crate::receipt::{Done, Idempotency, KeptReceipt, Receipt};
use crate::{ConflictReason, Error, Result, tombstones};

/// Does `work` unless its key says it has been done.
pub(crate) fn once(
    tx: &mut dyn Tx,
    vault: Option<VaultId>,
    idempotency: Option<&Idempotency>,
    work: impl FnOnce(&mut dyn Tx) -> Result<Receipt>,
) -> Result<Done> {
    let Some(idempotency) = idempotency else {
        return work(tx).map(|receipt| Done { receipt, replayed: false });
    };
    if let Some(done) = kept(tx.snapshot(), vault, idempotency)? {
        return Ok(done);
    }
    if let Some(vault) = vault
        && tombstones::is_forgotten_key(tx.snapshot(), vault, &idempotency.key)?
    {
        return Err(forgotten(&idempotency.key));
    }
    let receipt = work(tx)?;
    tx.put(Row::Receipt(vault, &idempotency.key, idempotency.digest, &receipt))?;
    Ok(Done { receipt, replayed: false })
}

/// What the write did when it was done before, if it was.
pub(crate) fn kept(
    snapshot: &dyn Snapshot,
    vault: Option<VaultId>,
    Idempotency { key, digest }: &Idempotency,
) -> Result<Option<Done>> {
    let kept = snapshot.receipt(vault, key)?;
    kept.map(|kept| replay(key, *digest, kept)).transpose()
}

fn replay(key: &Name, digest: [u8; 32], kept: KeptReceipt) -> Result<Done> {
    if kept.digest != digest {
        return Err(Error::conflict(format!(
            "idempotency key {key:?} was used for a different write; use a new key for a new write"
        ))
        .because(ConflictReason::IdempotencyKeyReused));
    }
    let receipt = kept.receipt.ok_or_else(|| forgotten(key))?;
    Ok(Done { receipt, replayed: true })
}

fn forgotten(key: &Name) -> Error {
    Error::conflict(format!(
        "what idempotency key {key:?} stored has been forgotten since; use a new key to store it again"
    ))
    .because(ConflictReason::Forgotten)
}
