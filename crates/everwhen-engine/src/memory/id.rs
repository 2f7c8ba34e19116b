//! Typed ids and the mint that makes them.
//!
//! An id is a UUIDv7: its first half is when it was made, so ids sort by creation. Its text is a
//! prefix that says what it names and 26 letters, such as `ent_06b3k…`.

use std::fmt;
use std::str::FromStr;
use std::sync::Mutex;

use jiff::Timestamp;
use uuid::Uuid;

use crate::{Error, Result};

/// A source of randomness, the only one that the engine uses.
pub trait Chance: Send + Sync {
    /// Fills the buffer with unpredictable bytes.
    fn fill(&self, buffer: &mut [u8]);
}

/// Chance that repeats itself: the same seed gives the same bytes. For tests and simulation.
#[derive(Debug)]
pub struct SeededChance(Mutex<(u64, u64)>);

impl SeededChance {
    /// Chance from this seed.
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new((seed, 0)))
    }
}

impl Chance for SeededChance {
    fn fill(&self, buffer: &mut [u8]) {
        let mut state = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        state.1 += 1;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&state.0.to_le_bytes()).update(&state.1.to_le_bytes());
        hasher.finalize_xof().fill(buffer);
    }
}

/// Makes ids from a time and chance.
#[derive(Clone, Copy)]
pub struct Mint<'a> {
    now: Timestamp,
    chance: &'a dyn Chance,
}

impl<'a> Mint<'a> {
    /// A mint for one moment.
    pub fn new(now: Timestamp, chance: &'a dyn Chance) -> Self {
        Self { now, chance }
    }

    /// A fresh id.
    pub fn id<T: From<Uuid>>(&self) -> T {
        let mut random = [0; 10];
        self.chance.fill(&mut random);
        let millis = u64::try_from(self.now.as_millisecond()).unwrap_or(0);
        T::from(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
    }
}

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const TEXT_LENGTH: usize = 26;

/// Crockford's base 32 of 128 bits, most significant first: sorts like the number.
fn encode(uuid: Uuid) -> String {
    let bits = uuid.as_u128();
    (0..TEXT_LENGTH)
        .rev()
        .map(|place| char::from(ALPHABET[((bits >> (5 * place)) & 31) as usize]))
        .collect()
}

fn decode(text: &str) -> Option<Uuid> {
    if text.len() != TEXT_LENGTH || text.as_bytes()[0] > b'7' {
        return None;
    }
    let digit = |byte| ALPHABET.iter().position(|letter| *letter == byte);
    let bits = text.bytes().try_fold(0u128, |bits, byte| Some(bits << 5 | digit(byte)? as u128))?;
    Some(Uuid::from_u128(bits))
}

fn minted_at(uuid: Uuid) -> Timestamp {
    let millis = uuid.as_u128() >> 80;
    i64::try_from(millis)
        .ok()
        .and_then(|at| Timestamp::from_millisecond(at).ok())
        .unwrap_or_default()
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $prefix:literal $noun:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// What the text of every such id begins with.
            pub const PREFIX: &'static str = $prefix;

            /// When it was made, to the millisecond.
            pub fn minted_at(self) -> Timestamp {
                minted_at(self.0)
            }

            /// The bare value, for stores.
            pub fn bytes(self) -> [u8; 16] {
                self.0.into_bytes()
            }
        }

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), encode(self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                text.strip_prefix($prefix).and_then(decode).map(Self).ok_or_else(|| {
                    let shown: String = text.chars().take(40).collect();
                    Error::invalid(format!(
                        concat!("{:?} is not the id of ", $noun, "; such ids are {:?} and 26 letters"),
                        shown, $prefix
                    ))
                })
            }
        }
    )*};
}

ids! {
    /// Names a vault.
    VaultId "vlt_" "a vault";
    /// Names a memory.
    MemoryId "mem_" "a memory";
    /// Names an entry.
    EntryId "ent_" "an entry";
    /// Names a conversation.
    ConversationId "cnv_" "a conversation";
    /// Names a branch: entries a fork put aside.
    BranchId "brn_" "a branch";
    /// Names one version of a context document.
    ContextId "ctx_" "a context document";
    /// Names a job.
    JobId "job_" "a job";
    /// Names a key.
    KeyId "key_" "a key";
    /// Names a fact.
    FactId "fct_" "a fact";
    /// Names a chapter.
    ChapterId "chp_" "a chapter";
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn text_and_back(bits: u128) {
            let id = EntryId::from(Uuid::from_u128(bits));
            prop_assert_eq!(id.to_string().parse::<EntryId>().unwrap(), id);
        }

        #[test]
        fn text_sorts_like_the_id(a: u128, b: u128) {
            let (a, b) = (EntryId::from(Uuid::from_u128(a)), EntryId::from(Uuid::from_u128(b)));
            prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
        }

        #[test]
        fn other_text_is_refused(text in ".{0,40}") {
            prop_assume!(!text.starts_with("ent_"));
            prop_assert!(text.parse::<EntryId>().is_err());
        }
    }

    #[test]
    fn a_seed_repeats_itself() {
        let ids = |seed| {
            let chance = SeededChance::new(seed);
            let mint = Mint::new(Timestamp::UNIX_EPOCH, &chance);
            [mint.id::<EntryId>(), mint.id()]
        };
        assert_eq!(ids(7), ids(7));
        assert_ne!(ids(7), ids(8));
        assert_ne!(ids(7)[0], ids(7)[1]);
    }
}
