//! SHA-256 of a message's text alone: how WilmerAI identifies a message in its files.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use super::Role;
use crate::{Error, Result};

/// What replaces braces in texts before they are hashed there.
const BRACES: [(&str, &str); 2] = [("{", "__WILMER_L_CURLY__"), ("}", "__WILMER_R_CURLY__")];

/// SHA-256 of a text alone, written as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextHash(pub [u8; 32]);

impl TextHash {
    /// The hash of a text, as WilmerAI computes it for a message of a chat.
    pub fn of(content: &str) -> Self {
        Self::plain(&without_braces(content))
    }

    /// All hashes that a message may have there: braces replaced or not, with or without its role.
    pub(crate) fn forms(role: Role, content: &str) -> Vec<Self> {
        let braceless = without_braces(content);
        let role = if role == Role::User { "User" } else { "Assistant" };
        let mut forms = vec![Self::plain(content), Self::plain(&format!("{role}: {braceless}"))];
        if braceless != content {
            forms.push(Self::plain(&braceless));
        }
        forms
    }

    fn plain(content: &str) -> Self {
        Self(Sha256::digest(content).into())
    }
}

fn without_braces(text: &str) -> String {
    BRACES.iter().fold(text.to_owned(), |text, (brace, word)| text.replace(brace, word))
}

impl fmt::Display for TextHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for TextHash {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let shown: String = text.chars().take(80).collect();
        let bad = || Error::invalid(format!("{shown:?} is not a SHA-256: 64 hexadecimal digits"));
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(bad());
        }
        let mut hash = [0; 32];
        for (place, byte) in hash.iter_mut().enumerate() {
            let digits = &text[2 * place..2 * place + 2];
            *byte = u8::from_str_radix(digits, 16).map_err(|_| bad())?;
        }
        Ok(Self(hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_sixty_four_digits() {
        let hello = "a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e";
        let hash: TextHash = hello.parse().unwrap();
        assert_eq!((hash, hash.to_string()), (TextHash::of("Hello World"), hello.to_owned()));
        for bad in ["", "abc", &hello[1..], &hello.replace('a', "g"), &"é".repeat(32)] {
            assert!(bad.parse::<TextHash>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_message_is_found_under_every_form() {
        let forms = TextHash::forms(Role::User, "fn {x}");
        assert!(forms.contains(&TextHash::of("fn {x}")));
        assert!(forms.contains(&TextHash::plain("fn {x}")));
        assert!(forms.contains(&TextHash::of("User: fn {x}")));
    }
}
