//! Idempotency keys: the same write again gets the same receipt and stores nothing.

use everwhen_engine::memory::{Address, NewContext, NewEntry, Role};
use everwhen_engine::ports::EntryQuery;
use everwhen_engine::receipt::{Done, Idempotency};
use everwhen_engine::{ErrorKind, Forget, MemoryChange, NewVault, Result};
use everwhen_testkit::block_on;

use crate::bed::Open;
use crate::rows::name;
use crate::talk::{Talk, memory, said, stored};

/// The key `key` for a write of `parts`.
fn key(key: &str, parts: &str) -> Option<Idempotency> {
    Some(Idempotency::new(name(key), &[parts.as_bytes()]))
}

fn remember(talk: &Talk, text: &str, idempotency: Option<Idempotency>) -> Result<Done> {
    let entries: Vec<NewEntry> = vec![said(Role::User, text)];
    block_on(talk.vault.remember(memory(), entries, idempotency))
}

pub(crate) fn the_same_write_again_gets_the_same_receipt(open: Open) {
    let talk = Talk::new(open);
    let first = remember(&talk, "once", key("k", "once")).unwrap();
    talk.minute(90);
    let again = remember(&talk, "once", key("k", "once")).unwrap();
    assert_eq!((first.replayed, again.replayed), (false, true));
    assert_eq!(first.receipt, again.receipt);
    assert_eq!(talk.texts(EntryQuery::default()), ["once"]);
}

pub(crate) fn a_key_stands_for_one_write(open: Open) {
    let talk = Talk::new(open);
    remember(&talk, "once", key("k", "once")).unwrap();
    let other = remember(&talk, "twice", key("k", "twice")).unwrap_err();
    assert_eq!(other.kind(), ErrorKind::Conflict);
    assert_eq!(talk.texts(EntryQuery::default()), ["once"]);
}

pub(crate) fn a_refused_write_leaves_its_key_free(open: Open) {
    let talk = Talk::new(open);
    let missing = block_on(talk.vault.end_conversation(memory(), None, None, key("k", "end")));
    assert_eq!(missing.unwrap_err().kind(), ErrorKind::NotFound);
    remember(&talk, "now it works", key("k", "other")).unwrap();
}

pub(crate) fn every_verb_replays(open: Open) {
    let talk = Talk::new(open);
    let first = stored(remember(&talk, "one", None)).entries.remove(0);
    remember(&talk, "two", None).unwrap();
    let home = talk.conversations()[0].id;
    let verbs: Vec<Box<dyn Fn() -> Result<Done>>> = vec![
        Box::new(|| {
            block_on(talk.vault.create_memory(name("n"), MemoryChange::default(), key("new", "")))
        }),
        Box::new(|| {
            let context = NewContext::new("notes", None).unwrap();
            block_on(talk.vault.put_context(memory(), context, key("put", "")))
        }),
        Box::new(|| block_on(talk.vault.fork(memory(), home.into(), first.id, key("fork", "")))),
        Box::new(|| block_on(talk.vault.end_conversation(memory(), None, None, key("end", "")))),
        Box::new(|| {
            let what = Forget::Entry(first.id);
            block_on(talk.vault.forget(memory(), what, key("forget", "")))
        }),
        Box::new(|| {
            let new = NewVault { name: name("w"), description: None, zone: None, settings: None };
            block_on(talk.engine.create_vault(new, key("vault", "")))
        }),
    ];
    for verb in verbs {
        let (first, again) = (verb().unwrap(), verb().unwrap());
        assert_eq!((first.replayed, again.replayed), (false, true));
        assert_eq!(first.receipt, again.receipt);
    }
    let vaults = block_on(talk.engine.vaults(None, 9)).unwrap();
    assert_eq!(vaults.len(), 2);
}

pub(crate) fn what_was_forgotten_does_not_come_back(open: Open) {
    let talk = Talk::new(open);
    let entry = stored(remember(&talk, "secret", key("k", "secret"))).entries.remove(0);
    block_on(talk.vault.forget(memory(), Forget::Entry(entry.id), None)).unwrap();
    let again = remember(&talk, "secret", key("k", "secret")).unwrap_err();
    assert_eq!(again.kind(), ErrorKind::Conflict);
    assert!(again.message().contains("forgotten"), "{again}");
    assert_eq!(talk.texts(EntryQuery::default()), [""; 0]);
}

pub(crate) fn vaults_do_not_share_keys(open: Open) {
    let talk = Talk::new(open);
    remember(&talk, "ours", key("k", "ours")).unwrap();
    let theirs = block_on(talk.engine.vault_to_write(Address::Name(name("theirs")))).unwrap();
    let entries = vec![said(Role::User, "theirs")];
    let done = block_on(theirs.remember(memory(), entries, key("k", "theirs"))).unwrap();
    assert!(!done.replayed);
}
