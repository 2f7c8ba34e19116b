//! The text of an entry, unprintable by accident.

use std::fmt;

use crate::{Error, Result, limits};

/// What was said. Its `Debug` shows the length, never the text, so that no log repeats it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Said(String);

impl Said {
    /// Checks and takes a text: not blank, at most [`limits::CONTENT_BYTES`], no NUL character.
    pub fn new(text: impl Into<String>) -> Result<Self> {
        let text = text.into();
        if text.trim().is_empty() {
            return Err(Error::invalid("content is empty; an entry needs something said"));
        }
        if text.len() > limits::CONTENT_BYTES {
            return Err(Error::too_large(format!(
                "content has {} bytes; at most {} (1 MiB) fit into one entry, split it",
                text.len(),
                limits::CONTENT_BYTES
            )));
        }
        if text.contains('\0') {
            return Err(Error::invalid("content contains a NUL character; remove it"));
        }
        Ok(Self(text))
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Said({} bytes)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn debug_never_shows_the_text() {
        assert_eq!(format!("{:?}", Said::new("my secret").unwrap()), "Said(9 bytes)");
    }

    #[test]
    fn blank_and_huge_texts_are_refused() {
        assert_eq!(Said::new(" \n").unwrap_err().kind(), ErrorKind::Invalid);
        assert!(Said::new("x".repeat(limits::CONTENT_BYTES)).is_ok());
        let huge = Said::new("x".repeat(limits::CONTENT_BYTES + 1)).unwrap_err();
        assert_eq!(huge.kind(), ErrorKind::TooLarge);
    }
}
