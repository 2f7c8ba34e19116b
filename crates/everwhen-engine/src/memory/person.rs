//! Whose chat a memory is.
//!
//! A memory that a caller named belongs to no person in particular. A chat that was only recognised,
//! by a program's chat id or by its history, belongs to the person who held it, as far as the
//! request said who that was. Chats of exactly the same person are briefed from each other.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::{Error, Result, limits};

/// The person a chat belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Person {
    /// No name was given: the only person behind a key, as far as is known.
    Unnamed,
    /// A header or a field of the request said so, without proof.
    Claimed(String),
    /// A signature proves it. A claim to be the same person is another person.
    Signed(String),
}

const CLAIMED: &str = "user:";
const SIGNED: &str = "signed:";

impl Person {
    /// The person that a request claims to speak for.
    pub fn claimed(user: &str) -> Self {
        Self::Claimed(bounded(user))
    }

    /// The person that a signature names.
    pub fn signed(user: &str) -> Self {
        Self::Signed(bounded(user))
    }

    /// The person with this text, as [`Display`](fmt::Display) writes it.
    pub fn read(text: &str) -> Result<Self> {
        let known = |prefix: &str| text.strip_prefix(prefix).map(str::to_owned);
        match (text, known(CLAIMED), known(SIGNED)) {
            ("", ..) => Ok(Self::Unnamed),
            (_, Some(user), _) => Ok(Self::Claimed(user)),
            (_, _, Some(user)) => Ok(Self::Signed(user)),
            _ => Err(Error::invalid("this names no person")),
        }
    }

    /// What the person is called, if it is known.
    pub fn user(&self) -> Option<&str> {
        match self {
            Self::Unnamed => None,
            Self::Claimed(user) | Self::Signed(user) => Some(user),
        }
    }
}

impl fmt::Display for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unnamed => Ok(()),
            Self::Claimed(user) => write!(f, "{CLAIMED}{user}"),
            Self::Signed(user) => write!(f, "{SIGNED}{user}"),
        }
    }
}

/// A user's name as it is kept: whole, or the hash of one that is too long or cannot be stored.
fn bounded(user: &str) -> String {
    let user = user.trim();
    if user.chars().count() <= limits::NAME_CHARS && !user.contains('\0') {
        return user.to_owned();
    }
    let hash = Sha256::digest(user.as_bytes());
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_read_as_it_was_written() {
        let people = [
            Person::Unnamed,
            Person::claimed("signed:ana"),
            Person::signed("user:ana"),
            Person::signed(""),
        ];
        for person in people {
            assert_eq!(Person::read(&person.to_string()).unwrap(), person);
        }
        assert!(Person::read("ana").is_err());
    }

    #[test]
    fn a_claim_is_never_a_proof() {
        assert_ne!(Person::claimed("ana").to_string(), Person::signed("ana").to_string());
    }

    #[test]
    fn a_long_name_keeps_its_difference() {
        let long = |end: &str| Person::claimed(&format!("{}{end}", "a".repeat(5_000)));
        assert_ne!(long("1"), long("2"));
        assert!(long("1").to_string().len() < 100);
    }
}
