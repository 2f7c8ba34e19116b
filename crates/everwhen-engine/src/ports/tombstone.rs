//! What a store keeps of what was forgotten: hashes and times, and no text.

use jiff::Timestamp;

use crate::memory::{MemoryRef, VaultId};

/// Whose tombstones are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TombstoneOwner {
    /// A vault. They go with it.
    Vault(VaultId),
    /// A memory of which parts were forgotten. They go with the vault.
    Memory(MemoryRef),
    /// A vault that was forgotten, by a hash of its name.
    Name([u8; 32]),
}

/// What a tombstone is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TombstoneKind {
    /// It is random, and the key of the others.
    Salt,
    /// It recognises something that was forgotten.
    Hash,
    /// It says when something was said that was forgotten.
    Period,
    /// It is the key of the marks of forgotten lines in a ledger.
    LineSalt,
}

/// A part of the conversation clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForgottenPeriod {
    /// The beginning.
    pub from: Timestamp,
    /// The first instant behind it.
    pub before: Timestamp,
}

/// One tombstone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tombstone {
    /// What it is for.
    pub kind: TombstoneKind,
    /// The hash; of a period, too, so that the same one is kept once.
    pub hash: [u8; 32],
    /// When something was forgotten.
    pub at: Timestamp,
    /// The period, if it is for one.
    pub period: Option<ForgottenPeriod>,
}
