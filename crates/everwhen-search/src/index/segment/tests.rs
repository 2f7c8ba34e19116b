//! Segments written and read, and everything that may go wrong in between.

use proptest::prelude::*;

use super::*;
use crate::document::Document;
use crate::testing::{Role, document, index_of};

fn small() -> Index {
    let mut index = index_of(&[
        (1, Role::User, "the cat sat on the mat with another cat"),
        (1, Role::Assistant, "what a cat"),
        (2, Role::User, "a dog came"),
    ]);
    index.add_vectors("table", 0, &[vec![1.0, 0.5], vec![0.2, 0.1]]);
    index.add_vectors("table", 1, &[]);
    index.add_vectors("table", 2, &[vec![-0.5, 0.25]]);
    index.generation = 7;
    index
}

fn loaded(bytes: &[u8]) -> Option<Index> {
    let mut index = Index::default();
    index.load_segment(bytes).ok().map(|()| index)
}

/// Everything that a search can see.
fn seen(index: &Index) -> String {
    let terms = index.lexicon.stems_from(0);
    let postings: Vec<Vec<(u32, u32)>> =
        index.postings.iter().map(|one| one.iter().collect()).collect();
    let vectors = (index.vectors.rows(0..index.vectors.len()), index.active_embedder());
    format!(
        "{terms:?} {postings:?} {:?} {:?} {:?} {:?} {:?} {vectors:?} {:?}",
        index.placements,
        index.documents,
        index.groups,
        index.counts,
        index.speakers,
        index.sequence
    )
}

#[test]
fn what_was_saved_is_loaded_and_can_grow() {
    let mut index = small();
    let segment = index.next_segment().unwrap();
    index.mark_saved(&segment);
    assert_eq!((segment.number, index.unsaved()), (0, 0));
    assert!(index.next_segment().is_none());
    let mut again = loaded(&segment.bytes).unwrap();
    assert_eq!(seen(&again), seen(&index));
    assert_eq!((again.generation, again.unsaved(), again.vectors.of(0)), (7, 0, 0..2));
    for index in [&mut index, &mut again] {
        index.add(&document(9, 2, Role::User, "dogs and cats and birds"));
        index.add_vectors("table", 3, &[vec![0.5, 0.5]]);
    }
    assert_eq!(seen(&again), seen(&index));
    assert_eq!(again.next_segment().unwrap().bytes, index.next_segment().unwrap().bytes);
}

#[test]
fn tags_are_saved() {
    let mut index = small();
    let tags = ["home", "cat", "home"];
    index.add(&Document { tags: &tags, ..document(9, 2, Role::User, "a cat") });
    index.add_vectors("table", 3, &[]);
    let again = loaded(&index.next_segment().unwrap().bytes).unwrap();
    assert_eq!(again.tagged(&["cat", "none", "home"]), [3]);
    assert_eq!(again.tagged(&["Home"]), [0; 0]);
}

#[test]
fn full_segments_never_change_and_the_last_one_grows() {
    let mut index = Index::default();
    let add = |index: &mut Index, sequence: u64| {
        index.add(&document(
            sequence,
            u128::from(sequence / 9),
            Role::User,
            &format!("word{sequence} cat"),
        ));
    };
    (1..=SEGMENT_DOCUMENTS as u64 + 5).for_each(|sequence| add(&mut index, sequence));
    let mut saved: Vec<Segment> = Vec::new();
    while let Some(segment) = index.next_segment() {
        index.mark_saved(&segment);
        saved.push(segment);
    }
    assert_eq!(saved.iter().map(|one| one.number).collect::<Vec<_>>(), [0, 1]);
    add(&mut index, SEGMENT_DOCUMENTS as u64 + 6);
    let tail = index.next_segment().unwrap();
    assert_eq!(tail.number, 1);
    let mut again = Index::default();
    for bytes in [&saved[0].bytes, &tail.bytes] {
        again.load_segment(bytes).unwrap();
    }
    assert_eq!(seen(&again), seen(&index));
    let mut alone = Index::default();
    assert!(alone.load_segment(&tail.bytes).is_err(), "the one before is missing");
}

#[test]
fn segments_of_several_generations_count_as_the_earliest() {
    let mut index = Index::default();
    for one in 1..=SEGMENT_DOCUMENTS as u64 {
        index.add(&document(one, 1, Role::User, "cat"));
    }
    let first = index.next_segment().unwrap();
    index.mark_saved(&first);
    index.generation = 3;
    index.add(&document(SEGMENT_DOCUMENTS as u64 + 1, 1, Role::User, "dog"));
    let second = index.next_segment().unwrap();
    let mut again = Index::default();
    again.load_segment(&first.bytes).unwrap();
    assert_eq!(again.generation, 0);
    again.load_segment(&second.bytes).unwrap();
    assert_eq!(again.generation, 0, "the newest is 3, so states are read again");
}

#[test]
fn documents_without_vectors_are_not_saved_yet() {
    let mut index = index_of(&[(1, Role::User, "a cat"), (1, Role::User, "a dog")]);
    index.add_vectors("slow", 0, &[vec![1.0]]);
    assert!(index.next_segment().is_none());
    index.add_vectors("slow", 1, &[vec![1.0]]);
    let segment = index.next_segment().unwrap();
    index.mark_saved(&segment);
    for number in 0..2 {
        index.add_vectors("slower", number, &[vec![0.5, 0.5]]);
    }
    index.activate_complete_vectors();
    assert_eq!(index.unsaved(), 2, "vectors of another embedder are saved again");
    assert_eq!(loaded(&index.next_segment().unwrap().bytes).unwrap().active_embedder(), "slower");
}

proptest! {
    #[test]
    fn damaged_bytes_are_refused(place in 0usize..400, value: u8, cut in 0usize..400) {
        let bytes = small().next_segment().unwrap().bytes;
        let mut damaged = bytes.clone();
        let place = place % bytes.len();
        damaged[place] ^= value.max(1);
        prop_assert!(loaded(&damaged).is_none());
        prop_assert!(loaded(&bytes[..cut % bytes.len()]).is_none());
    }

    #[test]
    fn nonsense_with_a_right_checksum_never_panics(place in 8usize..400, value: u8, cut in 0usize..400) {
        let bytes = small().next_segment().unwrap().bytes;
        let inside = &bytes[..bytes.len() - bytes::CHECKSUM_BYTES];
        let mut writer = Writer::default();
        let mut damaged = inside[..cut.clamp(9, inside.len())].to_vec();
        let place = place % damaged.len();
        damaged[place] ^= value;
        writer.raw(&damaged);
        drop(loaded(&writer.finish()));
    }
}
