//! Short names for ids, so that a snapshot says `e2` and never an id.
//!
//! A thing gets its name when it is first shown: entries as they are stored, conversations as the
//! first entry falls into them.

use std::fmt::Display;
use std::str::FromStr;

use everwhen_engine::memory::{
    Address, BranchId, ContextId, ConversationId, ConversationName, EntryId, MemoryId, VaultId,
};

/// What an id begins with, its letter, and what it names.
const KINDS: [(&str, char, &str); 6] = [
    (EntryId::PREFIX, 'e', "entry"),
    (ConversationId::PREFIX, 'c', "conversation"),
    (BranchId::PREFIX, 'b', "branch"),
    (ContextId::PREFIX, 'd', "context document"),
    (MemoryId::PREFIX, 'm', "memory"),
    (VaultId::PREFIX, 'v', "vault"),
];
/// How many letters follow the prefix.
const LETTERS: usize = 26;

/// The ids shown so far, by kind, in the order they were first shown.
#[derive(Default)]
pub(super) struct Names([Vec<String>; KINDS.len()]);

impl Names {
    /// The text with a name in place of every id.
    pub(super) fn settle(&mut self, text: &str) -> String {
        let mut settled = String::new();
        let mut rest = text;
        while let Some((start, kind)) = first_id(rest) {
            let end = start + KINDS[kind].0.len() + LETTERS;
            settled.push_str(&rest[..start]);
            settled.push_str(&self.name(kind, &rest[start..end]));
            rest = &rest[end..];
        }
        settled + rest
    }

    fn name(&mut self, kind: usize, id: &str) -> String {
        let known = &mut self.0[kind];
        let place = known.iter().position(|one| one == id).unwrap_or_else(|| {
            known.push(id.to_owned());
            known.len() - 1
        });
        format!("{}{}", KINDS[kind].1, place + 1)
    }

    /// The entry with this name.
    pub(super) fn entry(&self, name: &str) -> Result<EntryId, String> {
        self.find(0, name)
    }

    /// The branch with this name.
    pub(super) fn branch(&self, name: &str) -> Result<BranchId, String> {
        self.find(2, name)
    }

    /// The conversation with this name, or with this name in the caller's source.
    pub(super) fn conversation(&self, name: &str) -> Result<ConversationName, String> {
        if number_of(name, 'c').is_some() {
            return self.find(1, name).map(Address::Id);
        }
        Address::read("conversation", name).map_err(|error| error.to_string())
    }

    fn find<T: FromStr<Err: Display>>(&self, kind: usize, name: &str) -> Result<T, String> {
        let (_, letter, noun) = KINDS[kind];
        let number = number_of(name, letter)
            .ok_or_else(|| format!("{name:?} names no {noun}; write {letter}1, {letter}2, …"))?;
        let known = &self.0[kind];
        let id = number.checked_sub(1).and_then(|place| known.get(place)).ok_or_else(|| {
            format!("there is no {noun} {name} here; so far there are {}", known.len())
        })?;
        id.parse().map_err(|error: T::Err| error.to_string())
    }
}

fn number_of(name: &str, letter: char) -> Option<usize> {
    name.strip_prefix(letter)?.parse().ok()
}

/// Where the first id in a text begins, and of which kind it is.
fn first_id(text: &str) -> Option<(usize, usize)> {
    let places = KINDS.iter().enumerate().filter_map(|(kind, (prefix, ..))| {
        let place = text.match_indices(prefix).find(|(at, _)| is_id(&text[at + prefix.len()..]));
        place.map(|(at, _)| (at, kind))
    });
    places.min()
}

fn is_id(text: &str) -> bool {
    let letters = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    letters == LETTERS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_become_names_and_names_become_ids() {
        let chance = everwhen_engine::memory::SeededChance::new(1);
        let mint = everwhen_engine::memory::Mint::new(jiff::Timestamp::UNIX_EPOCH, &chance);
        let (first, second, talk): (EntryId, EntryId, ConversationId) =
            (mint.id(), mint.id(), mint.id());
        let mut names = Names::default();
        let text = names.settle(&format!("{second} in {talk}, after {first}; not ent_short"));
        assert_eq!(text, "e1 in c1, after e2; not ent_short");
        assert_eq!(names.entry("e2").unwrap(), first);
        assert_eq!(names.conversation("c1").unwrap(), Address::Id(talk));
        assert!(names.conversation("c2").is_err());
        assert!(matches!(names.conversation("chat-7").unwrap(), Address::Name(_)));
        assert!(names.entry("e3").unwrap_err().contains("so far there are 2"));
    }
}
