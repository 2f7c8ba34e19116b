//! Segments there and back, and everything that may go wrong on the way.

use proptest::prelude::*;

use super::*;
use crate::memory::Role;
use crate::recall::index::tests::{index_of, said};

fn small() -> Index {
    let mut index = index_of(&[
        (1, Role::User, "the cat sat on the mat with another cat"),
        (1, Role::Assistant, "what a cat"),
        (2, Role::User, "a dog came"),
    ]);
    index.embed("table", 0, &[vec![1.0, 0.5], vec![0.2, 0.1]]);
    index.embed("table", 1, &[]);
    index.embed("table", 2, &[vec![-0.5, 0.25]]);
    index.generation = 7;
    index
}

fn loaded(bytes: &[u8]) -> Option<Index> {
    let mut index = Index::default();
    index.load(bytes).map(|()| index)
}

/// Everything a question could see.
fn seen(index: &Index) -> String {
    let terms = index.lexicon.stems_from(0);
    let postings: Vec<Vec<(u32, u32)>> =
        index.postings.iter().map(|one| one.iter().collect()).collect();
    let vectors = (index.vectors.rows(0..index.vectors.len()), index.served_by());
    format!(
        "{terms:?} {postings:?} {:?} {:?} {:?} {:?} {:?} {vectors:?} {:?}",
        index.homes, index.facts, index.conversations, index.census, index.speakers, index.sequence
    )
}

#[test]
fn what_is_kept_comes_back_and_goes_on() {
    let mut index = small();
    let segment = index.segment().unwrap();
    index.note_kept(&segment);
    assert_eq!((segment.number, index.unkept()), (0, 0));
    assert!(index.segment().is_none());
    let mut again = loaded(&segment.bytes).unwrap();
    assert_eq!(seen(&again), seen(&index));
    assert_eq!((again.generation, again.unkept(), again.vectors.of(0)), (7, 0, 0..2));
    for index in [&mut index, &mut again] {
        index.add(&said(9, 2, Role::User, "dogs and cats and birds"));
        index.embed("table", 3, &[vec![0.5, 0.5]]);
    }
    assert_eq!(seen(&again), seen(&index));
    assert_eq!(again.segment().unwrap().bytes, index.segment().unwrap().bytes);
}

#[test]
fn tags_are_kept() {
    let mut index = small();
    let tag = |text: &str| crate::memory::Name::new("tag", text).unwrap();
    let mut entry = said(9, 2, Role::User, "a cat");
    entry.tags = vec![tag("home"), tag("cat"), tag("home")];
    index.add(&entry);
    index.embed("table", 3, &[]);
    let again = loaded(&index.segment().unwrap().bytes).unwrap();
    assert_eq!(again.tagged(&[tag("cat"), tag("none"), tag("home")]), [3]);
    assert_eq!(again.tagged(&[tag("Home")]), [0; 0]);
}

#[test]
fn full_segments_stay_and_the_last_one_grows() {
    let mut index = Index::default();
    let add = |index: &mut Index, sequence: u64| {
        index.add(&said(
            sequence,
            u128::from(sequence / 9),
            Role::User,
            &format!("word{sequence} cat"),
        ));
    };
    (1..=ENTRIES as u64 + 5).for_each(|sequence| add(&mut index, sequence));
    let mut kept: Vec<Segment> = Vec::new();
    while let Some(segment) = index.segment() {
        index.note_kept(&segment);
        kept.push(segment);
    }
    assert_eq!(kept.iter().map(|one| one.number).collect::<Vec<_>>(), [0, 1]);
    add(&mut index, ENTRIES as u64 + 6);
    let tail = index.segment().unwrap();
    assert_eq!(tail.number, 1);
    let mut again = Index::default();
    for bytes in [&kept[0].bytes, &tail.bytes] {
        again.load(bytes).unwrap();
    }
    assert_eq!(seen(&again), seen(&index));
    let mut alone = Index::default();
    assert!(alone.load(&tail.bytes).is_none(), "the one before is missing");
}

#[test]
fn segments_of_different_standings_ask_for_new_ones() {
    let mut index = Index::default();
    for one in 1..=ENTRIES as u64 {
        index.add(&said(one, 1, Role::User, "cat"));
    }
    let first = index.segment().unwrap();
    index.note_kept(&first);
    index.generation = 3;
    index.add(&said(ENTRIES as u64 + 1, 1, Role::User, "dog"));
    let second = index.segment().unwrap();
    let mut again = Index::default();
    again.load(&first.bytes).unwrap();
    assert_eq!(again.generation, 0);
    again.load(&second.bytes).unwrap();
    assert_eq!(again.generation, 0, "the memory is at 3, so standings are read again");
}

#[test]
fn entries_whose_vectors_are_to_come_wait() {
    let mut index = index_of(&[(1, Role::User, "a cat"), (1, Role::User, "a dog")]);
    index.embed("slow", 0, &[vec![1.0]]);
    assert!(index.segment().is_none());
    index.embed("slow", 1, &[vec![1.0]]);
    let segment = index.segment().unwrap();
    index.note_kept(&segment);
    for entry in 0..2 {
        index.embed("slower", entry, &[vec![0.5, 0.5]]);
    }
    index.take_over();
    assert_eq!(index.unkept(), 2, "vectors of another embedder are kept anew");
    assert_eq!(loaded(&index.segment().unwrap().bytes).unwrap().served_by(), "slower");
}

proptest! {
    #[test]
    fn damaged_bytes_are_refused(place in 0usize..400, value: u8, cut in 0usize..400) {
        let bytes = small().segment().unwrap().bytes;
        let mut damaged = bytes.clone();
        let place = place % bytes.len();
        damaged[place] ^= value.max(1);
        prop_assert!(loaded(&damaged).is_none());
        prop_assert!(loaded(&bytes[..cut % bytes.len()]).is_none());
    }

    #[test]
    fn even_sealed_nonsense_never_panics(place in 8usize..400, value: u8, cut in 0usize..400) {
        let bytes = small().segment().unwrap().bytes;
        let inside = &bytes[..bytes.len() - bytes::SEAL];
        let mut out = Out::default();
        let mut damaged = inside[..cut.clamp(9, inside.len())].to_vec();
        let place = place % damaged.len();
        damaged[place] ^= value;
        out.raw(&damaged);
        drop(loaded(&out.sealed()));
    }
}
