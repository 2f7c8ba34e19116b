//! What tells one message from another: SHA-256 of who spoke and what was said.

use sha2::{Digest, Sha256};

use crate::memory::Role;

/// The mark of a message. Spaces at the ends and the kind of line ends do not count: front ends
/// trim. What is not text, such as an image, counts where there is no text.
pub(super) fn mark(role: Role, content: &str, other: &[u8]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(role.as_str());
    hasher.update([0]);
    let content = content.trim();
    if content.is_empty() {
        hasher.update(other);
    }
    for (number, line) in content.split("\r\n").enumerate() {
        hasher.update(if number == 0 { "" } else { "\n" });
        hasher.update(line);
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn role_and_words_count_and_trimming_does_not() {
        let plain = mark(Role::User, "one\ntwo", b"");
        assert_eq!(mark(Role::User, " one\r\ntwo\n", b"image"), plain);
        assert_ne!(mark(Role::Assistant, "one\ntwo", b""), plain);
        assert_ne!(mark(Role::User, "one two", b""), plain);
        assert_ne!(mark(Role::User, "", b"image"), mark(Role::User, "", b""));
    }
}
