//! The entry cache of an index: entries are returned as they were, within the budget, and dropped in time.

use super::*;
use crate::index::memory_index::MemoryIndex;
use crate::index::memory_index::tests::said;
use crate::memory::{Corrected, Role};
use crate::ports::EntryState;

fn name(text: &str) -> Name {
    Name::new("name", text).unwrap()
}

/// An entry with everything that a current entry can have.
fn rich(sequence: u64) -> Entry {
    Entry {
        speaker: Some(name("Ana")),
        summary: Some("a trip".into()),
        tags: vec![name("travel"), name("sea")],
        metadata: Some(Metadata::new(r#"{"mood":"fine"}"#).unwrap()),
        tools_used: vec![name("maps")],
        is_question: true,
        conversation_name: Some(name("spring")),
        placed_by_time: true,
        corrects: Some(Correction {
            entry: uuid::Uuid::from_u128(77).into(),
            reason: "a slip".into(),
        }),
        ..said(sequence, 3, Role::Assistant, "shall we go to the sea?")
    }
}

/// An index of entries, all of them cached.
fn index_of(entries: &[Entry]) -> MemoryIndex {
    let mut index = MemoryIndex::default();
    for entry in entries {
        let number = index.add(entry);
        index.cache_entry(number, entry.clone());
    }
    index
}

fn cached(index: &MemoryIndex, number: u32) -> Option<Entry> {
    index.cached_entry(uuid::Uuid::from_u128(1).into(), number)
}

fn plain(count: u64) -> Vec<Entry> {
    (1..=count).map(|one| said(one, 1, Role::User, &format!("the cat and {one} birds"))).collect()
}

fn standing(entry: &Entry) -> EntryState {
    EntryState {
        sequence: entry.sequence,
        conversation: entry.conversation,
        gone_since: entry.corrected.map(|corrected| corrected.at),
    }
}

#[test]
fn entries_are_returned_as_they_were() {
    let named = Entry { conversation_name: Some(name("spring")), ..plain(2).remove(1) };
    let also = Entry { conversation_name: Some(name("autumn")), ..rich(4) };
    let entries = [plain(1).remove(0), named, rich(3), also, said(5, 3, Role::Tool, "42")];
    let index = index_of(&entries);
    for (number, entry) in (0..).zip(&entries) {
        assert_eq!(cached(&index, number).as_ref(), Some(entry));
    }
    assert_eq!(cached(&index, 5), None);
}

#[test]
fn only_current_entries_in_their_conversation_are_cached() {
    let (by, at) = (uuid::Uuid::from_u128(9).into(), Timestamp::UNIX_EPOCH);
    let corrected = Entry { corrected: Some(Corrected { by, at }), ..rich(1) };
    let branched = Entry { branch: Some((uuid::Uuid::from_u128(9).into(), at)), ..rich(2) };
    let mut index = index_of(&[corrected, branched, rich(3)]);
    assert_eq!((cached(&index, 0), cached(&index, 1)), (None, None));
    index.cache_entry(0, rich(1));
    assert_eq!(cached(&index, 0), None, "the index has it as corrected");

    let number = index.add(&rich(4));
    index.cache_entry(number, Entry { conversation: uuid::Uuid::from_u128(8).into(), ..rich(4) });
    assert_eq!(cached(&index, number), None, "the index has it elsewhere");
    index.cache_entry(number, rich(5));
    assert_eq!(cached(&index, number), None, "it is another one");
    index.cache_entry(number, rich(4));
    assert_eq!(cached(&index, number), Some(rich(4)));
}

#[test]
fn above_the_budget_the_oldest_entries_are_dropped() {
    let entries = plain(20);
    let mut index = MemoryIndex::default();
    index.entries.budget = 1_500;
    for entry in &entries {
        let number = index.add(entry);
        index.cache_entry(number, entry.clone());
        assert!(index.entries.size() <= 1_500);
    }
    let kept = (0..20).filter(|number| cached(&index, *number).is_some()).collect::<Vec<_>>();
    assert!(kept.len() > 5 && kept.len() < 20, "{kept:?}");
    assert_eq!(kept, (20 - kept.len() as u32..20).collect::<Vec<_>>());

    index.cache_entry(0, entries[0].clone());
    assert_eq!(cached(&index, 0).as_ref(), Some(&entries[0]), "read again, it is cached again");
    assert_eq!(cached(&index, kept[0]), None);
}

#[test]
fn a_hundred_thousand_entries_of_the_usual_length_fit() {
    let text = "x".repeat(550);
    let one = CachedEntry::new(said(1, 1, Role::User, &text), None);
    assert!(one.size() * 100_000 <= limits::ENTRY_CACHE_BYTES, "{}", one.size());
}

#[test]
fn the_size_is_counted_and_released() {
    let entries = [plain(1).remove(0), rich(2)];
    let (mut index, bare) = (index_of(&entries), MemoryIndex::default().size());
    let held = index.entries.size();
    assert!(held > 300 && index.size() >= bare + held);
    index.update_states(1, 2, &[]);
    assert_eq!(index.entries.size(), 0);
    assert!(index.entries.order.is_empty());
}

#[test]
fn entries_that_move_or_are_removed_are_dropped() {
    let mut entries = plain(5);
    let mut index = index_of(&entries);
    entries[1].corrected = Some(Corrected {
        by: uuid::Uuid::from_u128(9).into(),
        at: "2023-06-01T00:00:00Z".parse().unwrap(),
    });
    entries[2].conversation = uuid::Uuid::from_u128(8).into();
    let forgotten = entries.remove(3);
    index.update_states(1, 5, &entries.iter().map(standing).collect::<Vec<_>>());
    let kept = (0..5).map(|number| cached(&index, number).is_some()).collect::<Vec<_>>();
    assert_eq!(kept, [true, false, false, false, true]);
    assert_eq!(cached(&index, 0).as_ref(), Some(&entries[0]));

    index.cache_entry(1, entries[1].clone());
    index.cache_entry(2, entries[2].clone());
    index.cache_entry(3, forgotten);
    assert_eq!((cached(&index, 1), cached(&index, 3)), (None, None));
    assert_eq!(cached(&index, 2).as_ref(), Some(&entries[2]), "where it is now");
    assert_eq!(index.entries.order.len(), index.entries.entries.len());
}
