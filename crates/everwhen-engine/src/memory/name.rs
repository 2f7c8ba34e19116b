//! Names people choose, and addresses: a thing is named by its id or by its name.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::{MemoryId, VaultId, unicode_names};
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

    /// Checks a name that something new gets, and returns it as it is stored: in Unicode's composed form. Names
    /// that begin as ids do are refused, so that an address always means one thing, and so are names with invisible
    /// characters, so that two names do not look the same. Names that exist already may have them.
    pub(crate) fn for_new(&self, what: &str, prefix: &str) -> Result<Self> {
        if self.0.starts_with(prefix) {
            return Err(Error::invalid(format!(
                "a {what}'s name may not begin with {prefix:?}: that is how ids begin"
            )));
        }
        if let Some(hidden) = unicode_names::first_invisible(&self.0) {
            return Err(Error::invalid(format!(
                "a {what}'s name may not have invisible characters: there is a U+{:04X} in {:?}; leave it out",
                u32::from(hidden),
                self.0.escape_unicode().to_string()
            )));
        }
        Ok(Self(unicode_names::composed(&self.0)))
    }

    /// Characters that are not seen. The name of something new has them only where they change what stands beside
    /// them: joiners between characters beyond ASCII, and the tags of a flag.
    pub fn invisible() -> &'static [RangeInclusive<char>] {
        unicode_names::invisible()
    }

    /// The forms in which a name may be stored, this one first: composed and decomposed letters look the same.
    pub(crate) fn forms(&self) -> Vec<Self> {
        let mut forms = vec![self.clone()];
        if !self.0.is_ascii() {
            for form in [unicode_names::composed(&self.0), unicode_names::decomposed(&self.0)] {
                if !forms.iter().any(|one| one.0 == form) {
                    forms.push(Self(form));
                }
            }
        }
        forms
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

impl Address<VaultId> {
    /// Refuses a name that no new vault could get; there may be an old one with it.
    pub fn check_new(&self) -> Result<()> {
        match self {
            Self::Id(_) => Ok(()),
            Self::Name(name) => name.for_new("vault", VaultId::PREFIX).map(drop),
        }
    }
}

impl Address<MemoryId> {
    /// Refuses a name that no new memory could get; there may be an old one with it.
    pub fn check_new(&self) -> Result<()> {
        match self {
            Self::Id(_) => Ok(()),
            Self::Name(name) => name.for_new("memory", MemoryId::PREFIX).map(drop),
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
    fn new_names_are_composed_and_have_nothing_invisible() {
        let new = |text: &str| Name::new("memory", text).unwrap().for_new("memory", "mem_");
        for text in [
            "a\u{200b}b",
            "\u{202e}abc",
            "a\u{2066}b",
            "x\u{feff}",
            "ad\u{ad}min",
            "a\u{200d}b",
            "a\u{e0067}",
        ] {
            let error = new(text).unwrap_err();
            assert!(error.message().contains("invisible"), "{error}");
        }
        let scotland = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";
        for text in ["ana", "日記", "👩\u{200d}👧", "❤\u{fe0f}", "می\u{200c}خواهم", scotland]
        {
            assert_eq!(new(text).unwrap().as_str(), text);
        }
        assert!(new("mem_x").is_err());
        assert_eq!(new("cafe\u{301}").unwrap().as_str(), "café");
    }

    #[test]
    fn a_name_is_found_in_both_forms() {
        let forms = |text: &str| -> Vec<String> {
            let forms = Name::new("name", text).unwrap().forms();
            forms.iter().map(Name::to_string).collect()
        };
        assert_eq!(forms("cafe"), ["cafe"]);
        assert_eq!(forms("café"), ["café", "cafe\u{301}"]);
        assert_eq!(forms("cafe\u{301}"), ["cafe\u{301}", "café"]);
        assert_eq!(forms("日記"), ["日記"]);
    }

    #[test]
    fn an_address_is_an_id_when_it_can_be() {
        let id = VaultId::from(uuid::Uuid::from_u128(5));
        assert_eq!(Address::read("vault", &id.to_string()).unwrap(), Address::Id(id));
        let name = Address::<VaultId>::read("vault", "vlt_short").unwrap();
        assert!(matches!(name, Address::Name(_)));
    }
}
