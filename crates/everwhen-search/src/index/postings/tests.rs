//! Postings of one term, in blocks and in the tail.

use proptest::prelude::*;

use super::*;

/// The group of a document.
fn group(document: u32) -> u32 {
    document / 10
}

/// Lists of `documents` documents in which term 1 occurs as often as `count` says.
fn lists(documents: u32, count: impl Fn(u32) -> u32) -> PostingLists {
    let mut lists = PostingLists::default();
    lists.reserve(3);
    for document in 0..documents {
        if count(document) > 0 {
            lists.add(1, count(document), group(document));
        }
        lists.add(2, 1, group(document));
        lists.end_document();
    }
    lists
}

/// The same lists, with what is in the tail as a block.
fn reloaded(lists: &PostingLists) -> PostingLists {
    let mut again = PostingLists::default();
    again.reserve(3);
    let mut first = 0;
    while let Some(block) = lists.block(first).filter(|block| block.documents > 0) {
        assert!(block.is_valid());
        again.append((*block).clone().finish(), group);
        first += block.documents;
    }
    again
}

fn check(lists: &PostingLists, documents: u32, count: &impl Fn(u32) -> u32) {
    let expected: Vec<(u32, u32)> =
        (0..documents).map(|one| (one, count(one).min(255))).filter(|one| one.1 > 0).collect();
    let postings = lists.of(1);
    assert_eq!(postings.iter().collect::<Vec<_>>(), expected);
    let (mut some, mut counts, mut read) = ([0; 7], [0; 7], Vec::new());
    let mut occurrences = postings.iter();
    loop {
        let len = occurrences.read(&mut some, &mut counts);
        read.extend(some.into_iter().zip(counts).take(len));
        if len < some.len() {
            break;
        }
    }
    assert_eq!(read, expected);
    let runs = |end: u32| {
        let below: Vec<u32> = expected.iter().map(|one| one.0).filter(|one| *one < end).collect();
        let runs = below.chunk_by(|a, b| group(*a) == group(*b)).count();
        (below.len() as u32, runs as u32)
    };
    assert_eq!((postings.len(), postings.groups()), runs(u32::MAX));
    for end in [0, 1, documents / 3, documents / 2, documents] {
        assert_eq!(postings.below(end, group), runs(end), "{end}");
    }
    assert_eq!(lists.of(0).iter().count() + lists.of(9).iter().count(), 0);
}

#[test]
fn what_was_added_is_read_from_blocks_and_from_the_tail() {
    let count = |document: u32| match document % 7 {
        0 => document % 5,
        3 => 1 + document / 40 % 300,
        _ => 0,
    };
    for documents in [0, 1, 300, SEGMENT_DOCUMENTS as u32, SEGMENT_DOCUMENTS as u32 + 345] {
        let lists = lists(documents, count);
        check(&lists, documents, &count);
        let mut again = reloaded(&lists);
        check(&again, documents, &count);
        again.reopen(group);
        check(&again, documents, &count);
        let (one, other) = (lists.block(0), again.block(0));
        assert_eq!(one.filter(|_| documents > 0), other.filter(|_| documents > 0));
    }
}

#[test]
fn documents_are_looked_up_in_any_order() {
    let end = SEGMENT_DOCUMENTS as u32 + 3_000;
    let count = |document: u32| if document.is_multiple_of(3) { document % 5 + 1 } else { 0 };
    let lists = lists(end, count);
    let look_up = lists.of(1).look_up();
    let wanted = |first: u32| (first..first + 12).filter(|document| document % 7 != 1).collect();
    let near = (0..900).map(|one| SEGMENT_DOCUMENTS as u32 - 100 + one * 77 % 3_200);
    let wanted: Vec<Vec<u32>> = near.chain((0..500).map(|one| one * 61)).map(wanted).collect();
    let places = look_up.places(wanted.iter().map(|documents| documents[0]));
    for (documents, place) in wanted.iter().zip(places) {
        let mut found = Vec::new();
        look_up.among(documents, place, |document, count| found.push((document, count)));
        let is_there = |document: &u32| *document < end && count(*document) > 0;
        let expected = documents.iter().copied().filter(is_there);
        assert_eq!(found, expected.map(|one| (one, count(one))).collect::<Vec<_>>());
    }
}

proptest! {
    #[test]
    fn no_damage_to_a_block_makes_it_panic(place in 0usize..2_000, value: u16, part in 0usize..3) {
        let lists = lists(700, |document| document % 3);
        let mut block = (*lists.block(0).unwrap()).clone();
        match part {
            0 => { let len = block.units.len(); block.units[place % len] ^= value; }
            1 => { let len = block.ends.len(); block.ends[place % len] ^= u32::from(value); }
            _ => block.documents = value.into(),
        }
        if block.is_valid() {
            let mut again = PostingLists::default();
            again.reserve(3);
            again.append(block.finish(), group);
            again.of(1).iter().chain(again.of(2).iter()).for_each(drop);
        }
    }
}

#[test]
fn a_search_near_any_guess_finds_the_same() {
    for len in [0, 1, 2, 31, 32, 33, 200] {
        let values: Vec<u32> = (0..len).collect();
        for (guess, end) in (0..=len).flat_map(|guess| (0..=len).map(move |end| (guess, end))) {
            let found = first_near(&values, guess as usize, |value| value < end);
            assert_eq!(found, end as usize, "{len} {guess}");
        }
    }
}
