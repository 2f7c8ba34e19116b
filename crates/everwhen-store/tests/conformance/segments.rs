//! Segments as rows: bytes come back, in their memory, until any entry of it is removed; and through
//! the verbs: what was kept of an index answers after a restart, and never what was forgotten.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use everwhen_engine::memory::{Address, Role};
use everwhen_engine::ports::{Erasure, MemoryRef, Reading, Removal, Row, Store, Wait, Writing};
use everwhen_engine::recall::Query;
use everwhen_engine::{Forget, Result, Vault};
use everwhen_testkit::{block_on, engine_over};

use crate::bed::{Bed, Open};
use crate::removal::furnish;
use crate::rows::{at, id, name, place};
use crate::talk::{Talk, memory, said};

fn kept(open: Open) -> Bed {
    let bed = open();
    furnish(&bed);
    bed.write(|tx| {
        tx.put(Row::Segment(place(1, 1), (0, 10), [&[1; 70_000], &[2; 5_000]]))?;
        tx.put(Row::Segment(place(1, 1), (10, 19), [b"tail", b""]))?;
        tx.put(Row::Segment(place(1, 2), (0, 29), [b"", b"other"]))
    });
    bed
}

fn parts(first: &[u8], second: &[u8]) -> [Vec<u8>; 2] {
    [first.to_vec(), second.to_vec()]
}

fn segment(bed: &Bed, memory: u128, after: u64) -> Option<[Vec<u8>; 2]> {
    bed.look(move |rows| rows.segment(place(1, memory), after))
}

pub(crate) fn a_segment_comes_back_and_is_replaced(open: Open) {
    let bed = kept(open);
    assert_eq!(segment(&bed, 1, 0), Some(parts(&[1; 70_000], &[2; 5_000])));
    assert_eq!(segment(&bed, 1, 20), None);
    bed.write(|tx| tx.put(Row::Segment(place(1, 1), (10, 22), [b"longer", b" tail"])));
    assert_eq!(segment(&bed, 1, 10), Some(parts(b"longer", b" tail")));
    bed.write(|tx| tx.put(Row::Segment(place(1, 1), (22, 30), [b"next", b""])));
    assert_eq!(bed.look(|rows| rows.segments(place(1, 1))), [0, 10, 22]);
    assert_eq!((segment(&bed, 1, 11), segment(&bed, 1, 22)), (None, Some(parts(b"next", b""))));
    bed.write(|tx| tx.put(Row::Segment(place(1, 1), (0, 22), [b"both", b"b"])));
    assert_eq!((segment(&bed, 1, 0), segment(&bed, 1, 10)), (Some(parts(b"both", b"b")), None));
    assert_eq!(bed.look(|rows| rows.segments(place(1, 1))), [0, 22]);
    assert_eq!(segment(&bed, 2, 0), Some(parts(b"", b"other")));
    assert_eq!(bed.look(|rows| rows.segment(place(2, 1), 0)), None);
    assert!(bed.look(|rows| rows.segments(place(2, 1))).is_empty());
}

pub(crate) fn segments_go_with_any_entry_that_they_cover(open: Open) {
    let bed = kept(open);
    bed.write(|tx| tx.remove(Removal::Entries(place(1, 1), &[])).map(drop));
    assert!(segment(&bed, 1, 0).is_some());
    bed.write(|tx| tx.remove(Removal::Entries(place(1, 1), &[id(11)])).map(drop));
    assert!(segment(&bed, 1, 10).is_none());
    assert!(segment(&bed, 1, 0).is_some() && segment(&bed, 2, 0).is_some());
    bed.write(|tx| tx.remove(Removal::Entries(place(1, 1), &[id(10)])).map(drop));
    assert!(segment(&bed, 1, 0).is_none() && segment(&bed, 2, 0).is_some());
}

pub(crate) fn segments_go_with_their_memory_and_vault(open: Open) {
    let bed = kept(open);
    bed.write(|tx| tx.erase(Erasure::Memory(place(1, 1))).map(drop));
    assert_eq!((segment(&bed, 1, 0), segment(&bed, 2, 0)), (None, Some(parts(b"", b"other"))));
    bed.write(|tx| tx.erase(Erasure::Vault(place(1, 1).vault)).map(drop));
    assert_eq!(segment(&bed, 2, 0), None);
}

/// The texts that a question finds, and their scores.
fn found(vault: &Vault, question: &str) -> Vec<(String, f32)> {
    let recollection = block_on(vault.recall(memory(), Query::new(question))).unwrap();
    recollection
        .items
        .into_iter()
        .map(|item| (item.entry.content.as_str().into(), item.score))
        .collect()
}

/// The same vault, as another process opens it.
fn restarted(talk: &Talk) -> Vault {
    let (engine, _) = engine_over(Arc::clone(&talk.bed.store));
    block_on(engine.vault(Address::Name(name("v")))).unwrap()
}

fn kept_segment(talk: &Talk) -> (MemoryRef, Option<[Vec<u8>; 2]>) {
    let vault = talk.vault.id();
    let memory = talk.bed.look(move |rows| rows.memory_named(vault, &name("m"))).unwrap().id;
    let place = MemoryRef { vault, memory };
    (place, talk.bed.look(move |rows| rows.segment(place, 0)))
}

fn talked(open: Open) -> Talk {
    let talk = Talk::new(open);
    for (minute, text) in [(0, "my cat sleeps"), (90, "the dog barks"), (200, "cats and dogs")] {
        talk.say_at(minute - 300, Role::User, text);
    }
    talk
}

pub(crate) fn a_kept_index_answers_as_a_new_one(open: Open) {
    let talk = talked(open);
    let before = found(&talk.vault, "what about the cat?");
    assert_eq!(before.len(), 3);
    block_on(talk.engine.keep_indexes(4)).unwrap();
    assert!(kept_segment(&talk).1.is_none(), "too little has come");
    block_on(talk.engine.keep_indexes(1)).unwrap();
    let (place, parts) = kept_segment(&talk);
    assert_eq!(found(&restarted(&talk), "what about the cat?"), before);
    talk.say(Role::User, "another cat came");
    assert_eq!(found(&restarted(&talk), "what about the cat?").len(), 4);

    let mut damaged = parts.unwrap();
    damaged[0][40] ^= 1;
    talk.bed.write(move |tx| {
        tx.put(Row::Segment(place, (0, 3), damaged.each_ref().map(Vec::as_slice)))
    });
    assert_eq!(found(&restarted(&talk), "what about the cat?").len(), 4);
}

pub(crate) fn what_is_forgotten_is_in_no_segment(open: Open) {
    let talk = talked(open);
    let receipt = talk.say(Role::User, "a secret parrot");
    found(&talk.vault, "cat");
    block_on(talk.engine.keep_indexes(1)).unwrap();
    assert!(kept_segment(&talk).1.is_some());
    let entry = receipt.entries[0].id;
    block_on(talk.vault.forget(memory(), Forget::Entry(entry), None)).unwrap();
    assert_eq!(kept_segment(&talk).1, None);
    let texts = found(&restarted(&talk), "parrot");
    assert!(texts.iter().all(|(text, _)| !text.contains("parrot")), "{texts:?}");
}

/// A store in which a user says something and asks about it after every write.
struct Chatty {
    inner: Arc<dyn Store>,
    vault: OnceLock<Vault>,
    said: AtomicUsize,
    is_saying: AtomicBool,
}

impl Chatty {
    async fn say(&self) -> Result<()> {
        let Some(vault) = self.vault.get() else { return Ok(()) };
        if self.is_saying.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        assert!(self.said.fetch_add(1, Ordering::SeqCst) < 10, "it is kept for ever");
        vault.remember(memory(), vec![said(Role::User, "and the cat purrs")], None).await?;
        vault.recall(memory(), Query::new("the cat")).await?;
        self.is_saying.store(false, Ordering::SeqCst);
        Ok(())
    }
}

impl Store for Chatty {
    fn write(&self, work: Writing) -> Wait<'_, ()> {
        Box::pin(async move {
            self.inner.write(work).await?;
            self.say().await
        })
    }

    fn read(&self, work: Reading) -> Wait<'_, ()> {
        self.inner.read(work)
    }

    fn check(&self) -> Wait<'_, Vec<String>> {
        self.inner.check()
    }
}

pub(crate) fn keeping_an_index_ends_though_the_chat_goes_on(open: Open) {
    let talk = talked(open);
    let (inner, vault) = (Arc::clone(&talk.bed.store), OnceLock::new());
    let (said, is_saying) = (AtomicUsize::new(0), AtomicBool::new(false));
    let store = Arc::new(Chatty { inner, vault, said, is_saying });
    let (engine, clock) = engine_over(Arc::clone(&store) as Arc<dyn Store>);
    clock.set(at(300));
    let vault = block_on(engine.vault(Address::Name(name("v")))).unwrap();
    found(&vault, "a cat");
    assert!(store.vault.set(vault).is_ok());
    block_on(engine.keep_indexes(1)).unwrap();
    assert_eq!(store.said.load(Ordering::SeqCst), 1);
    assert!(kept_segment(&talk).1.is_some());
}
