//! The index by hand-made entries.

use super::*;
use crate::memory::{Role, Said};

/// An entry of conversation `conversation`, said on a day of May 2023.
pub(crate) fn said(sequence: u64, conversation: u128, role: Role, text: &str) -> Entry {
    let time = format!("2023-05-{:02}T10:00:00Z", sequence.clamp(1, 28)).parse().unwrap();
    Entry {
        id: uuid::Uuid::from_u128(u128::from(sequence)).into(),
        memory: uuid::Uuid::from_u128(1).into(),
        sequence,
        role,
        speaker: None,
        content: Said::new(text).unwrap(),
        summary: None,
        tags: Vec::new(),
        metadata: None,
        tools_used: Vec::new(),
        is_question: false,
        conversation_time: time,
        creation_time: time,
        conversation: uuid::Uuid::from_u128(conversation).into(),
        conversation_name: None,
        placed_by_time: false,
        corrects: None,
        corrected: None,
        branch: None,
    }
}

/// An index of entries given as conversation, role and text.
pub(crate) fn index_of(entries: &[(u128, Role, &str)]) -> Index {
    let mut index = Index::default();
    for (sequence, (conversation, role, text)) in (1..).zip(entries) {
        index.add(&said(sequence, *conversation, *role, text));
    }
    index
}

#[test]
fn entries_of_a_conversation_hang_together() {
    let index = index_of(&[
        (1, Role::User, "I adopted a cat"),
        (1, Role::Assistant, "Congratulations on the cat"),
        (2, Role::User, "My cat sleeps"),
        (1, Role::User, "Another one came"),
    ]);
    assert_eq!(index.backwards(0).collect::<Vec<_>>(), [3, 1, 0]);
    assert_eq!(index.backwards(1).collect::<Vec<_>>(), [2]);
    assert_eq!(index.census.totals.conversations, 2);
    assert_eq!(index.census.entries, [3, 1]);
}

#[test]
fn standings_move_remove_and_forget_without_reading_text_again() {
    let mut index = index_of(&[
        (1, Role::User, "the cat"),
        (1, Role::User, "the dog"),
        (1, Role::User, "the bird"),
    ]);
    let other = uuid::Uuid::from_u128(9).into();
    let standing = |sequence, gone_since| Standing { sequence, conversation: other, gone_since };
    let later = Some("2023-06-01T00:00:00Z".parse().unwrap());
    index.restand(5, 3, &[standing(1, None), standing(2, later)]);
    assert_eq!(index.generation, 5);
    assert_eq!(
        index.homes.iter().map(|home| home.is_current()).collect::<Vec<_>>(),
        [true, false, false]
    );
    assert_eq!(index.conversations[index.homes[0].conversation as usize], other);
    assert_eq!(index.census.totals.entries, 1);
    assert_eq!(Some(index.facts[1].gone), later.map(Timestamp::as_microsecond));
    assert_eq!(index.facts[2].gone, Micros::MIN);
    assert_eq!(index.backwards(1).collect::<Vec<_>>(), [1, 0]);
}
