//! Names that look the same are the same; names that exist already stay reachable, whatever they contain.

use std::sync::Arc;

use everwhen_engine::memory::{Address, Memory, MemoryId, Role};
use everwhen_engine::ports::{EntryQuery, Row};
use everwhen_engine::{ErrorKind, MemoryChange, NewVault};
use everwhen_testkit::{block_on, engine_over};

use crate::bed::Open;
use crate::rows::name;
use crate::talk::{Talk, said, stored};

const COMPOSED: &str = "caf\u{e9}";
const DECOMPOSED: &str = "cafe\u{301}";
const HIDDEN: &str = "ad\u{200b}min";

fn named(text: &str) -> Address<MemoryId> {
    Address::Name(name(text))
}

pub(crate) fn composed_and_decomposed_names_are_one(open: Open) {
    let talk = Talk::new(open);
    let say = |memory: &str, text: &str| {
        stored(block_on(talk.vault.remember(named(memory), vec![said(Role::User, text)], None)))
    };
    say(DECOMPOSED, "one");
    say(COMPOSED, "two");
    for form in [COMPOSED, DECOMPOSED] {
        assert_eq!(block_on(talk.vault.memory(named(form))).unwrap().name, name(COMPOSED));
        let entries = block_on(talk.vault.entries(named(form), None, EntryQuery::default()));
        assert_eq!(entries.unwrap().data.len(), 2, "{form:?}");
        let twin = talk.vault.create_memory(name(form), MemoryChange::default(), None);
        assert_eq!(block_on(twin).unwrap_err().kind(), ErrorKind::Conflict);
        let new = NewVault { name: name(form), description: None, zone: None, settings: None };
        let is_first = form == COMPOSED;
        assert_eq!(block_on(talk.engine.create_vault(new, None)).is_ok(), is_first);
        let other = Arc::clone(&talk.bed.store);
        let (other, _) = engine_over(other);
        block_on(other.vault(Address::Name(name(form)))).unwrap();
    }
}

pub(crate) fn names_with_invisible_characters_are_refused(open: Open) {
    let talk = Talk::new(open);
    let entries = vec![said(Role::User, "one")];
    let refused = block_on(talk.vault.remember(named(HIDDEN), entries, None)).unwrap_err();
    let made = talk.vault.create_memory(name(HIDDEN), MemoryChange::default(), None);
    let new = NewVault { name: name(HIDDEN), description: None, zone: None, settings: None };
    let vault = talk.engine.create_vault(new, None);
    for error in [refused, block_on(made).unwrap_err(), block_on(vault).unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.message().contains("there is a U+200B"), "{error}");
    }
}

pub(crate) fn names_that_exist_already_stay_reachable(open: Open) {
    let talk = Talk::new(open);
    for old in [DECOMPOSED, HIDDEN] {
        talk.say(Role::User, "one");
        let memory = block_on(talk.vault.memory(named("m"))).unwrap();
        let vault = talk.vault.id();
        talk.bed.write(move |tx| {
            tx.put(Row::Memory(vault, &Memory { name: name(old), ..memory.clone() }))
        });
        let entries = vec![said(Role::User, "two")];
        stored(block_on(talk.vault.remember(named(old), entries, None)));
        let found = block_on(talk.vault.entries(named(old), None, EntryQuery::default()));
        assert_eq!(found.unwrap().data.len(), 2, "{old:?}");
    }
    block_on(talk.vault.memory(named(COMPOSED))).unwrap();
    let change = MemoryChange { name: Some(name("admin")), ..MemoryChange::default() };
    block_on(talk.vault.change_memory(named(HIDDEN), change, None)).unwrap();
}

/// Its id is not known before the first write; who needs it at once has the vault made.
pub(crate) fn a_named_vault_is_settled_once(open: Open) {
    let bed = open();
    let (engine, _) = engine_over(bed.store.clone());
    let handle = || block_on(engine.vault_to_write(Address::Name(name("ana")))).unwrap();
    let (early, other) = (handle(), handle());
    assert_ne!(early.id(), other.id());
    let settled = block_on(early.settled()).unwrap().id();
    assert_eq!(block_on(early.info()).unwrap().id, settled);
    assert_eq!(block_on(other.settled()).unwrap().id(), settled);
    assert_eq!(block_on(handle().settled()).unwrap().id(), settled);
}
