//! Lines of a ledger whose messages were forgotten. They stay, because a client sends the messages again.
//!
//! The mark of a line is a plain hash of what was said. A reader of it alone can find a short text by trying texts, and
//! the same text has the same mark wherever it was said. So the mark of a forgotten line is a hash of that with a key,
//! which the memory keeps. A message is looked for by both marks. A reader of the key, too, can still check a guess.
//!
//! The key is made of the salt of the vault, so all memories of a vault have the same, but for those that were
//! exported from another one: the key goes with the memory. When the memory is forgotten, its vault takes the key over.

use jiff::Timestamp;

use super::{hash, make_salt};
use crate::Result;
use crate::memory::{Chance, MemoryRef, VaultId};
use crate::ports::{Row, Snapshot, Tombstone, TombstoneKind, TombstoneOwner, Tx};

/// The key of the marks of forgotten lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineSalt([u8; 32]);

impl LineSalt {
    /// Reads that of a memory; `None` if nothing of it was forgotten that has a line.
    pub(crate) fn of(snapshot: &dyn Snapshot, place: MemoryRef) -> Result<Option<Self>> {
        Ok(all_of(snapshot, TombstoneOwner::Memory(place))?.pop())
    }

    /// Makes that of a memory that has none.
    pub(crate) fn make(
        tx: &mut dyn Tx,
        place: MemoryRef,
        now: Timestamp,
        chance: &dyn Chance,
    ) -> Result<Self> {
        let salt = Self(hash(&make_salt(tx, place.vault, now, chance)?, &[b"lines"]));
        salt.put(tx, TombstoneOwner::Memory(place), now)?;
        Ok(salt)
    }

    /// Returns the mark of a forgotten line whose message has this mark.
    pub(crate) fn keyed(&self, mark: [u8; 32]) -> [u8; 32] {
        hash(&self.0, &[b"line", &mark])
    }

    fn put(self, tx: &mut dyn Tx, owner: TombstoneOwner, at: Timestamp) -> Result<()> {
        let row = Tombstone { kind: TombstoneKind::LineSalt, hash: self.0, at, period: None };
        tx.put(Row::Tombstone(owner, &row))
    }
}

/// Lets the key of a memory that is about to be forgotten outlive it.
pub(super) fn keep(tx: &mut dyn Tx, place: MemoryRef, now: Timestamp) -> Result<()> {
    match LineSalt::of(tx.snapshot(), place)? {
        Some(salt) => salt.put(tx, TombstoneOwner::Vault(place.vault), now),
        None => Ok(()),
    }
}

/// Returns the keys of memories of a vault that were forgotten.
pub(super) fn kept(snapshot: &dyn Snapshot, vault: VaultId) -> Result<Vec<LineSalt>> {
    all_of(snapshot, TombstoneOwner::Vault(vault))
}

fn all_of(snapshot: &dyn Snapshot, owner: TombstoneOwner) -> Result<Vec<LineSalt>> {
    let found = snapshot.tombstones(owner, Some((TombstoneKind::LineSalt, None)))?;
    Ok(found.into_iter().map(|row| LineSalt(row.hash)).collect())
}
