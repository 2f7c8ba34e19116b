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

fn loaded(parts: &[Vec<u8>; 2]) -> Option<Index> {
    let mut index = Index::default();
    index.load_segment(parts).ok().map(|()| index)
}

/// The values of all rows.
fn rows(index: &Index) -> Vec<u8> {
    index.vectors.rows(0..index.vectors.len()).flatten().copied().collect()
}

/// Everything that a search can see.
fn seen(index: &Index) -> String {
    let terms = (0..index.lexicon.len() as u32).map(|term| {
        let postings: Vec<(u32, u32)> = index.postings(term).iter().collect();
        (index.lexicon.stem(term), postings, index.postings(term).groups())
    });
    let terms: Vec<_> = terms.collect();
    let vectors = (rows(index), index.active_embedder());
    format!(
        "{terms:?} {:?} {:?} {:?} {:?} {:?} {vectors:?} {:?}",
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
    assert_eq!((segment.after, segment.through, index.unsaved()), (0, 3, 0));
    assert!(index.next_segment().is_none());
    let mut again = loaded(&segment.parts).unwrap();
    assert_eq!(seen(&again), seen(&index));
    assert_eq!((again.generation, again.unsaved(), again.vectors.of(0)), (7, 0, 0..2));
    for index in [&mut index, &mut again] {
        index.add(&document(9, 2, Role::User, "dogs and cats and birds"));
        index.add_vectors("table", 3, &[vec![0.5, 0.5]]);
    }
    assert_eq!(seen(&again), seen(&index));
    assert_eq!(again.next_segment().unwrap().parts, index.next_segment().unwrap().parts);
}

#[test]
fn tags_are_saved() {
    let mut index = small();
    let tags = ["home", "cat", "home"];
    index.add(&Document { tags: &tags, ..document(9, 2, Role::User, "a cat") });
    index.add_vectors("table", 3, &[]);
    let again = loaded(&index.next_segment().unwrap().parts).unwrap();
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
    let full = SEGMENT_DOCUMENTS as u64;
    assert_eq!(saved.iter().map(|one| one.after).collect::<Vec<_>>(), [0, full]);
    add(&mut index, SEGMENT_DOCUMENTS as u64 + 6);
    let tail = index.next_segment().unwrap();
    assert_eq!((tail.after, tail.through), (full, full + 6));
    let mut again = Index::default();
    for parts in [&saved[0].parts, &tail.parts] {
        again.load_segment(parts).unwrap();
    }
    assert_eq!(seen(&again), seen(&index));
    let mut alone = Index::default();
    assert!(alone.load_segment(&tail.parts).is_err(), "the one before is missing");
    assert!(alone.is_empty(), "a refused segment changes nothing");
}

#[test]
fn the_space_for_an_index_is_known_from_its_first_segment() {
    let segment = small().next_segment().unwrap();
    let (documents, covered) = (small().len(), segment.through - segment.after);
    let decoded = DecodedSegment::new(segment.parts).unwrap();
    assert_eq!(decoded.documents_up_to(0), documents);
    assert_eq!(decoded.documents_up_to(decoded.after() + 10 * covered), 10 * documents);
    let mut index = Index::default();
    index.reserve(1_000);
    let room = index.placements.capacity();
    index.add_segment(decoded).unwrap();
    assert_eq!((index.placements.capacity(), seen(&index)), (room, seen(&small())));
}

#[test]
fn a_missing_segment_is_replaced_by_the_documents_that_are_left() {
    let of = |sequence: u64| format!("word{sequence} cat{}", sequence % 3);
    let add = |index: &mut Index, sequence: u64| {
        let text = of(sequence);
        index.add(&document(sequence, u128::from(sequence / 9), Role::User, &text));
        let number = index.len() as u32 - 1;
        let has_vector = sequence.is_multiple_of(50);
        let vectors = has_vector.then(|| vec![1.0, sequence as f32 / 1e5]);
        index.add_vectors("table", number, vectors.as_slice());
    };
    let (full, all) = (SEGMENT_DOCUMENTS as u64, SEGMENT_DOCUMENTS as u64 + 105);
    let mut index = Index::default();
    (1..=all).for_each(|sequence| add(&mut index, sequence));
    let mut saved: Vec<Segment> = Vec::new();
    while let Some(segment) = index.next_segment() {
        index.mark_saved(&segment);
        saved.push(segment);
    }
    let covers: Vec<_> = saved.iter().map(|one| (one.after, one.through)).collect();
    assert_eq!(covers, [(0, full), (full, all)]);
    let (mut again, mut expected) = (Index::default(), Index::default());
    (1..=full).filter(|one| *one != 7).for_each(|sequence| add(&mut again, sequence));
    again.load_segment(&saved[1].parts).unwrap();
    (1..=all).filter(|one| *one != 7).for_each(|sequence| add(&mut expected, sequence));
    assert_eq!((again.len(), again.term("word7")), (all as usize - 1, None));
    for sequence in [1, 6, 8, full, full + 1, all] {
        let found = |index: &Index| -> Vec<(u32, u32)> {
            let term = index.term(&format!("word{sequence}")).unwrap();
            index.postings(term).iter().collect()
        };
        assert_eq!(found(&again), found(&expected), "{sequence}");
    }
    assert_eq!(rows(&again), rows(&expected));
    assert_eq!(again.unsaved(), SEGMENT_DOCUMENTS - 1);
    let segment = again.next_segment().unwrap();
    assert_eq!((segment.after, segment.through), (0, full));
    again.mark_saved(&segment);
    assert_eq!(again.unsaved(), 0);
}

#[test]
fn documents_that_arrive_while_a_segment_is_stored_change_nothing() {
    let mut index = Index::default();
    let add = |index: &mut Index, sequence: u64| {
        index.add(&document(sequence, 1, Role::User, &format!("word{sequence}")));
    };
    let full = SEGMENT_DOCUMENTS as u64;
    (1..=full + 3).for_each(|sequence| add(&mut index, sequence));
    let first = index.next_segment().unwrap();
    add(&mut index, full + 4);
    index.mark_saved(&first);
    let second = index.next_segment().unwrap();
    (full + 5..full + 9).for_each(|sequence| add(&mut index, sequence));
    index.mark_saved(&second);
    assert_eq!(index.unsaved(), 4);
    let mut again = Index::default();
    for segment in [&first, &second] {
        again.load_segment(&segment.parts).unwrap();
    }
    assert_eq!((again.len() as u64, again.sequence), (full + 4, full + 4));
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
    again.load_segment(&first.parts).unwrap();
    assert_eq!(again.generation, 0);
    again.load_segment(&second.parts).unwrap();
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
    assert_eq!(loaded(&index.next_segment().unwrap().parts).unwrap().active_embedder(), "slower");
}

proptest! {
    #[test]
    fn damaged_bytes_are_refused(part in 0usize..2, place in 0usize..1000, value: u8, cut in 0usize..1000) {
        let parts = small().next_segment().unwrap().parts;
        let len = parts[part].len();
        let mut damaged = parts.clone();
        damaged[part][place % len] ^= value.max(1);
        prop_assert!(loaded(&damaged).is_none());
        let mut damaged = parts;
        damaged[part].truncate(cut % len);
        prop_assert!(loaded(&damaged).is_none());
    }

    #[test]
    fn nonsense_with_a_right_checksum_never_panics(place in 8usize..400, value: u8, cut in 0usize..400) {
        let [bytes, rows] = small().next_segment().unwrap().parts;
        let inside = &bytes[..bytes.len() - bytes::CHECKSUM_BYTES];
        let mut writer = Writer::default();
        let mut damaged = inside[..cut.clamp(9, inside.len())].to_vec();
        let place = place % damaged.len();
        damaged[place] ^= value;
        writer.raw(&damaged);
        drop(loaded(&[writer.finish(), rows]));
    }
}

#[test]
fn rows_beside_a_segment_without_vectors_are_refused() {
    let [bytes, rows] = index_of(&[(1, Role::User, "a cat")]).next_segment().unwrap().parts;
    assert!(rows.is_empty() && loaded(&[bytes.clone(), rows]).is_some());
    assert!(loaded(&[bytes, vec![1]]).is_none());
}
