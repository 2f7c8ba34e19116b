//! Names people choose, and addresses: a thing is named by its id or by its name.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result, limits};

/// A name that a caller chose: one line, not empty, no spaces at the ends, at most
/// [`limits::NAME_CHARS`] characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

impl Name {
    /// Checks and takes a name; `what` says in the error whose name it is.
    pub fn new(what: &str, text: impl Into<String>) -> Result<Self> {
        let text = text.into();
        let problem = if text.is_empty() {
            "is empty"
        } else if text.chars().count() > limits::NAME_CHARS {
            "is longer than 200 characters"
        } else if text.trim() != text {
            "begins or ends with a space"
        } else if text.chars().any(char::is_control) {
            "contains a control character"
        } else if text == "." || text == ".." {
            "cannot stand in a URL"
        } else {
            return Ok(Self(text));
        };
        Err(Error::invalid(format!(
            "{what} {problem}; use one line of 1 to {} characters, such as \"work-notes\"",
            limits::NAME_CHARS
        )))
    }

    /// Refuses a name that begins as ids do, so that an address always means one thing.
    pub(crate) fn refuse_prefix(&self, what: &str, prefix: &str) -> Result<()> {
        if self.0.starts_with(prefix) {
            return Err(Error::invalid(format!(
                "a {what}'s name may not begin with {prefix:?}: that is how ids begin"
            )));
        }
        Ok(())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// How a caller points at a vault, memory or conversation: by id or by name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Address<Id> {
    /// By the id the engine gave it.
    Id(Id),
    /// By the name that a caller gave it.
    Name(Name),
}

impl<Id: FromStr> Address<Id> {
    /// Reads an address. Text that is a well-formed id is an id, anything else a name.
    pub fn read(what: &str, text: &str) -> Result<Self> {
        match text.parse() {
            Ok(id) => Ok(Self::Id(id)),
            Err(_) => Name::new(what, text).map(Self::Name),
        }
    }
}

impl<Id: fmt::Display> fmt::Display for Address<Id> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Name(name) => fmt::Debug::fmt(name, f),
        }
    }
}

impl<Id> From<Id> for Address<Id> {
    fn from(id: Id) -> Self {
        Self::Id(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::VaultId;

    #[test]
    fn names_that_would_confuse_are_refused() {
        for text in ["", " a", "a ", "a\nb", "..", &"x".repeat(201)] {
            assert!(Name::new("name", text).is_err(), "{text:?}");
        }
        for text in ["a", "Ana's notes", "日記", &"é".repeat(200)] {
            assert!(Name::new("name", text).is_ok(), "{text:?}");
        }
    }

    #[test]
    fn an_address_is_an_id_when_it_can_be() {
        let id = VaultId::from(uuid::Uuid::from_u128(5));
        assert_eq!(Address::read("vault", &id.to_string()).unwrap(), Address::Id(id));
        let name = Address::<VaultId>::read("vault", "vlt_short").unwrap();
        assert!(matches!(name, Address::Name(_)));
    }
}
