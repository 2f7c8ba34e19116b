//! What a store keeps of what was forgotten: hashes, and no text.

use jiff::Timestamp;

use crate::memory::VaultId;

/// Whose hashes are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TombstoneOwner {
    /// A vault. They go with it.
    Vault(VaultId),
    /// A vault that was forgotten, by a hash of its name.
    Name([u8; 32]),
}

/// What a hash is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TombstoneKind {
    /// It is random, and the key of the others.
    Salt,
    /// It recognises something that was forgotten.
    Hash,
}

/// One hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tombstone {
    /// What it is for.
    pub kind: TombstoneKind,
    /// The hash.
    pub hash: [u8; 32],
    /// When something was forgotten.
    pub at: Timestamp,
}
