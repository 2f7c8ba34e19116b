//! Segments as rows: bytes come back, in their memory, until any entry of it is removed; and through
//! the verbs: what was kept of an index answers after a restart, and never what was forgotten.

use std::sync::Arc;

use everwhen_engine::memory::{Address, Role};
use everwhen_engine::ports::MemoryRef;
use everwhen_engine::recall::Query;
use everwhen_engine::{Forget, Vault};
use everwhen_testkit::{block_on, engine_over};

use crate::bed::{Bed, Open};
use crate::removal::furnish;
use crate::rows::{id, name, place};
use crate::talk::{Talk, memory};

fn kept(open: Open) -> Bed {
    let bed = open();
    furnish(&bed);
    bed.write(|tx| {
        tx.put_segment(place(1, 1), 0, &[1; 70_000])?;
        tx.put_segment(place(1, 1), 1, b"tail")?;
        tx.put_segment(place(1, 2), 0, b"other")
    });
    bed
}

fn segment(bed: &Bed, memory: u128, number: u32) -> Option<Vec<u8>> {
    bed.look(move |rows| rows.segment(place(1, memory), number))
}

pub(crate) fn a_segment_comes_back_and_is_replaced(open: Open) {
    let bed = kept(open);
    assert_eq!(segment(&bed, 1, 0), Some(vec![1; 70_000]));
    assert_eq!(segment(&bed, 1, 2), None);
    bed.write(|tx| tx.put_segment(place(1, 1), 1, b"longer tail"));
    assert_eq!(segment(&bed, 1, 1), Some(b"longer tail".to_vec()));
    assert_eq!(segment(&bed, 2, 0), Some(b"other".to_vec()));
    assert_eq!(bed.look(|rows| rows.segment(place(2, 1), 0)), None);
}

pub(crate) fn segments_go_with_any_entry_of_their_memory(open: Open) {
    let bed = kept(open);
    bed.write(|tx| tx.remove_entries(place(1, 1), &[]).map(drop));
    assert!(segment(&bed, 1, 0).is_some());
    bed.write(|tx| tx.remove_entries(place(1, 1), &[id(11)]).map(drop));
    assert_eq!((segment(&bed, 1, 0), segment(&bed, 1, 1)), (None, None));
    assert!(segment(&bed, 2, 0).is_some());
}

pub(crate) fn segments_go_with_their_memory_and_vault(open: Open) {
    let bed = kept(open);
    bed.write(|tx| tx.remove_memory(place(1, 1)).map(drop));
    assert_eq!((segment(&bed, 1, 0), segment(&bed, 2, 0)), (None, Some(b"other".to_vec())));
    bed.write(|tx| tx.remove_vault(place(1, 1).vault).map(drop));
    assert_eq!(segment(&bed, 2, 0), None);
}

/// The texts that a question finds, and their scores.
fn found(vault: &Vault, question: &str) -> Vec<(String, f32)> {
    let told = block_on(vault.recall(memory(), Query::new(question))).unwrap();
    told.items.into_iter().map(|item| (item.entry.content.as_str().into(), item.score)).collect()
}

/// The same vault, as another process opens it.
fn restarted(talk: &Talk) -> Vault {
    let (engine, _) = engine_over(Arc::clone(&talk.bed.store));
    block_on(engine.vault(Address::Name(name("v")))).unwrap()
}

fn kept_segment(talk: &Talk) -> (MemoryRef, Option<Vec<u8>>) {
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
    let (place, bytes) = kept_segment(&talk);
    assert_eq!(found(&restarted(&talk), "what about the cat?"), before);
    talk.say(Role::User, "another cat came");
    assert_eq!(found(&restarted(&talk), "what about the cat?").len(), 4);

    let mut damaged = bytes.unwrap();
    damaged[40] ^= 1;
    talk.bed.write(move |tx| tx.put_segment(place, 0, &damaged));
    assert_eq!(found(&restarted(&talk), "what about the cat?").len(), 4);
}

pub(crate) fn what_is_forgotten_is_in_no_segment(open: Open) {
    let talk = talked(open);
    found(&talk.vault, "cat");
    block_on(talk.engine.keep_indexes(1)).unwrap();
    let receipt = talk.say(Role::User, "a secret parrot");
    let entry = receipt.entries[0].id;
    block_on(talk.vault.forget(memory(), Forget::Entry(entry), None)).unwrap();
    assert_eq!(kept_segment(&talk).1, None);
    let texts = found(&restarted(&talk), "parrot");
    assert!(texts.iter().all(|(text, _)| !text.contains("parrot")), "{texts:?}");
}
