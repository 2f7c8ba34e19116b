//! API keys: which vault a caller may use, for what, and until when.
//!
//! A key is 256 random bits, shown once. Only its hash is stored, and hashes are compared in
//! constant time. Its [`Scope`] says what it allows; from its expiry on it is rejected.

use std::fmt;

use jiff::Timestamp;

use crate::memory::{Chance, KeyId, Name, VaultId};
use crate::{ConflictReason, Error, Result};

/// What every key's text begins with.
pub const PREFIX: &str = "ew_";

/// What a key allows. Each scope includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Read the vault: list, get, recall, watch.
    Read,
    /// Also add, correct and forget entries, and chat through the proxy.
    Write,
    /// Also change the vault's settings, delete the vault, and read the server's metrics.
    Admin,
}

impl Scope {
    /// All scopes, the weakest first.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Admin];

    /// As written on the wire and in stores.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }

    /// The scope with this name.
    pub fn named(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text)
    }

    /// Reads a scope; what is none is an error that lists them.
    pub fn read(text: &str) -> Result<Self> {
        Self::named(text).ok_or_else(|| {
            Error::invalid(format!("scope is {text:?}; write \"read\", \"write\" or \"admin\""))
        })
    }
}

/// A key to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// The vault it is for.
    pub vault: VaultId,
    /// What it is called.
    pub label: Option<Name>,
    /// Whether user headers sent with it are believed.
    pub trusted: bool,
    /// What it allows.
    pub scope: Scope,
    /// From when on it is rejected.
    pub expires_at: Option<Timestamp>,
}

impl NewKey {
    /// A key that may read and write this vault and does not expire.
    pub fn of(vault: VaultId) -> Self {
        Self { vault, label: None, trusted: false, scope: Scope::Write, expires_at: None }
    }

    /// Refuses an expiry that is not in the future.
    pub(crate) fn check(&self, now: Timestamp) -> Result<()> {
        match self.expires_at {
            Some(at) if at <= now => Err(Error::conflict(format!(
                "expires_at is {at}, which is not in the future; it is now {now}"
            ))
            .because(ConflictReason::PastTime)),
            _ => Ok(()),
        }
    }
}

/// A key as it is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    /// Its id.
    pub id: KeyId,
    /// The vault it is for.
    pub vault: VaultId,
    /// What it is called.
    pub label: Option<Name>,
    /// Whether user headers sent with it are believed.
    pub trusted: bool,
    /// What it allows.
    pub scope: Scope,
    /// From when on it is rejected.
    pub expires_at: Option<Timestamp>,
    /// When it was last used, to about a minute.
    pub last_used_at: Option<Timestamp>,
    /// The hash of its text.
    pub hash: KeyHash,
    /// When it was made.
    pub creation_time: Timestamp,
}

impl Key {
    /// Whether its time is over.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}

/// When a key was last used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyUse {
    /// The vault of the key.
    pub vault: VaultId,
    /// The key.
    pub key: KeyId,
    /// When.
    pub at: Timestamp,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({} for {}, {}", self.id, self.vault, self.scope.as_str())?;
        if let Some(at) = self.expires_at {
            write!(f, ", until {at}")?;
        }
        f.write_str(")")
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

/// How many characters stand behind the prefix of a key whose text was chosen elsewhere.
const CHOSEN_LENGTHS: std::ops::RangeInclusive<usize> = 32..=128;

/// Refuses a text that was chosen elsewhere and is no key's: it could be guessed, or not be sent.
pub fn check_text(text: &str) -> Result<()> {
    let rest = text.strip_prefix(PREFIX).unwrap_or_default();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    if CHOSEN_LENGTHS.contains(&rest.len()) && rest.chars().all(is_plain) {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "this is not the text of a key; write {PREFIX:?} and {} to {} random letters and digits, such \
         as of: openssl rand -hex 32",
        CHOSEN_LENGTHS.start(),
        CHOSEN_LENGTHS.end()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SeededChance;

    #[test]
    fn scopes_include_those_before_them_and_are_read_by_name() {
        assert!(Scope::Read < Scope::Write && Scope::Write < Scope::Admin);
        for scope in Scope::ALL {
            assert_eq!(Scope::read(scope.as_str()), Ok(scope));
        }
        let error = Scope::read("root").unwrap_err();
        assert!(error.message().contains("\"read\", \"write\" or \"admin\""), "{error}");
    }

    #[test]
    fn a_key_matches_its_own_hash_only() {
        let chance = SeededChance::new(1);
        let (one, two) = (new_text(&chance), new_text(&chance));
        assert_eq!(one.len(), PREFIX.len() + 64);
        assert!(KeyHash::of(&one) == KeyHash::of(&one));
        assert!(KeyHash::of(&one) != KeyHash::of(&two));
    }
}
