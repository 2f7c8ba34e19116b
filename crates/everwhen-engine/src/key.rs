//! Keys: who may open which vault.
//!
//! A key is 256 bits of chance, shown once. Only its hash is kept, and hashes are compared in
//! constant time.

use std::fmt;

use jiff::Timestamp;

use crate::memory::{Chance, KeyId, Name, VaultId};

/// What every key's text begins with.
pub const PREFIX: &str = "ew_";

/// A key as it is kept.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    /// Its id.
    pub id: KeyId,
    /// The vault it opens.
    pub vault: VaultId,
    /// What it is for.
    pub label: Option<Name>,
    /// Whether its holder may say on whose behalf it speaks.
    pub trusted: bool,
    /// The hash of its text.
    pub hash: KeyHash,
    /// When it was made.
    pub creation_time: Timestamp,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({} for {})", self.id, self.vault)
    }
}

/// The hash of a key's text. Equality takes the same time wherever two hashes differ.
#[derive(Clone, Copy)]
pub struct KeyHash(blake3::Hash);

impl KeyHash {
    /// The hash of this text.
    pub fn of(text: &str) -> Self {
        Self(blake3::hash(text.as_bytes()))
    }

    /// The bytes, for stores.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }
}

impl From<[u8; 32]> for KeyHash {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes.into())
    }
}

/// `blake3::Hash` compares in constant time.
impl PartialEq for KeyHash {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for KeyHash {}

/// Makes the text of a new key.
pub fn new_text(chance: &dyn Chance) -> String {
    let mut bytes = [0; 32];
    chance.fill(&mut bytes);
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{PREFIX}{hex}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SeededChance;

    #[test]
    fn a_key_matches_its_own_hash_only() {
        let chance = SeededChance::new(1);
        let (one, two) = (new_text(&chance), new_text(&chance));
        assert_eq!(one.len(), PREFIX.len() + 64);
        assert!(KeyHash::of(&one) == KeyHash::of(&one));
        assert!(KeyHash::of(&one) != KeyHash::of(&two));
    }
}
