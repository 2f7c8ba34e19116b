//! Rows by hand-made entries: they come back as they were, under their budget, and go in time.

use super::*;
use crate::memory::{Corrected, Role};
use crate::ports::Standing;
use crate::recall::index::tests::said;

fn name(text: &str) -> Name {
    Name::new("name", text).unwrap()
}

/// An entry with everything that an entry in force can have.
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

/// An index of entries, and all their rows.
fn index_of(entries: &[Entry]) -> Index {
    let mut index = Index::default();
    for entry in entries {
        let number = index.add(entry);
        index.keep_row(number, entry.clone());
    }
    index
}

fn at_hand(index: &Index, number: u32) -> Option<Entry> {
    index.at_hand(uuid::Uuid::from_u128(1).into(), number)
}

fn plain(count: u64) -> Vec<Entry> {
    (1..=count).map(|one| said(one, 1, Role::User, &format!("the cat and {one} birds"))).collect()
}

fn standing(entry: &Entry) -> Standing {
    Standing {
        sequence: entry.sequence,
        conversation: entry.conversation,
        gone_since: entry.corrected.map(|corrected| corrected.at),
    }
}

#[test]
fn rows_come_back_as_they_were() {
    let named = Entry { conversation_name: Some(name("spring")), ..plain(2).remove(1) };
    let also = Entry { conversation_name: Some(name("autumn")), ..rich(4) };
    let entries = [plain(1).remove(0), named, rich(3), also, said(5, 3, Role::Tool, "42")];
    let index = index_of(&entries);
    for (number, entry) in (0..).zip(&entries) {
        assert_eq!(at_hand(&index, number).as_ref(), Some(entry));
    }
    assert_eq!(at_hand(&index, 5), None);
}

#[test]
fn only_what_is_in_force_and_in_its_place_is_kept() {
    let (by, at) = (uuid::Uuid::from_u128(9).into(), Timestamp::UNIX_EPOCH);
    let corrected = Entry { corrected: Some(Corrected { by, at }), ..rich(1) };
    let branched = Entry { branch: Some((uuid::Uuid::from_u128(9).into(), at)), ..rich(2) };
    let mut index = index_of(&[corrected, branched, rich(3)]);
    assert_eq!((at_hand(&index, 0), at_hand(&index, 1)), (None, None));
    index.keep_row(0, rich(1));
    assert_eq!(at_hand(&index, 0), None, "the index has it as corrected");

    let number = index.add(&rich(4));
    index.keep_row(number, Entry { conversation: uuid::Uuid::from_u128(8).into(), ..rich(4) });
    assert_eq!(at_hand(&index, number), None, "the index has it elsewhere");
    index.keep_row(number, rich(5));
    assert_eq!(at_hand(&index, number), None, "it is another one");
    index.keep_row(number, rich(4));
    assert_eq!(at_hand(&index, number), Some(rich(4)));
}

#[test]
fn under_the_budget_what_came_last_stays() {
    let entries = plain(20);
    let mut index = Index::default();
    index.rows.budget = 1_500;
    for entry in &entries {
        let number = index.add(entry);
        index.keep_row(number, entry.clone());
        assert!(index.rows.size() <= 1_500);
    }
    let kept = (0..20).filter(|number| at_hand(&index, *number).is_some()).collect::<Vec<_>>();
    assert!(kept.len() > 5 && kept.len() < 20, "{kept:?}");
    assert_eq!(kept, (20 - kept.len() as u32..20).collect::<Vec<_>>());

    index.keep_row(0, entries[0].clone());
    assert_eq!(at_hand(&index, 0).as_ref(), Some(&entries[0]), "read again, it is at hand again");
    assert_eq!(at_hand(&index, kept[0]), None);
}

#[test]
fn a_hundred_thousand_entries_of_the_usual_length_fit() {
    let text = "x".repeat(550);
    let row = Row::of(said(1, 1, Role::User, &text), None);
    assert!(row.size() * 100_000 <= limits::ROWS_BYTES, "{}", row.size());
}

#[test]
fn the_size_is_counted_and_given_back() {
    let entries = [plain(1).remove(0), rich(2)];
    let (mut index, bare) = (index_of(&entries), Index::default().size());
    let held = index.rows.size();
    assert!(held > 300 && index.size() >= bare + held);
    index.restand(1, 2, &[]);
    assert_eq!(index.rows.size(), 0);
    assert!(index.rows.order.is_empty());
}

#[test]
fn rows_go_when_their_entries_move_or_go() {
    let mut entries = plain(5);
    let mut index = index_of(&entries);
    entries[1].corrected = Some(Corrected {
        by: uuid::Uuid::from_u128(9).into(),
        at: "2023-06-01T00:00:00Z".parse().unwrap(),
    });
    entries[2].conversation = uuid::Uuid::from_u128(8).into();
    let forgotten = entries.remove(3);
    index.restand(1, 5, &entries.iter().map(standing).collect::<Vec<_>>());
    let kept = (0..5).map(|number| at_hand(&index, number).is_some()).collect::<Vec<_>>();
    assert_eq!(kept, [true, false, false, false, true]);
    assert_eq!(at_hand(&index, 0).as_ref(), Some(&entries[0]));

    index.keep_row(1, entries[1].clone());
    index.keep_row(2, entries[2].clone());
    index.keep_row(3, forgotten);
    assert_eq!((at_hand(&index, 1), at_hand(&index, 3)), (None, None));
    assert_eq!(at_hand(&index, 2).as_ref(), Some(&entries[2]), "where it is now");
    assert_eq!(index.rows.order.len(), index.rows.rows.len());
}
