//! The index with hand-made documents.

use super::*;
use crate::testing::{Role, document, group, index_of};

#[test]
fn documents_of_a_group_are_linked() {
    let index = index_of(&[
        (1, Role::User, "I adopted a cat"),
        (1, Role::Assistant, "Congratulations on the cat"),
        (2, Role::User, "My cat sleeps"),
        (1, Role::User, "Another one came"),
    ]);
    assert_eq!(index.documents_backwards(0).collect::<Vec<_>>(), [3, 1, 0]);
    assert_eq!(index.documents_backwards(1).collect::<Vec<_>>(), [2]);
    assert_eq!(index.counts.totals.groups, 2);
    assert_eq!(index.counts.documents, [3, 1]);
}

#[test]
fn states_move_remove_and_erase_documents_without_their_text() {
    let mut index = index_of(&[
        (1, Role::User, "the cat"),
        (1, Role::User, "the dog"),
        (1, Role::User, "the bird"),
    ]);
    let state = |sequence, removed| DocumentState { sequence, group: group(9), removed };
    let later = Some(1_685_577_600_000_000);
    index.update_states(5, 3, &[state(1, None), state(2, later)]);
    assert_eq!(index.generation, 5);
    assert_eq!([0, 1, 2].map(|number| index.is_current(number)), [true, false, false]);
    assert_eq!(index.group_of(0), group(9));
    assert_eq!(index.counts.totals.documents, 1);
    assert_eq!(Some(index.document(1).removed), later);
    assert_eq!(index.document(2).removed, Micros::MIN);
    assert_eq!(index.documents_backwards(1).collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn creation_times_that_run_back_stay_known_when_states_change() {
    let mut index = Index::default();
    for (sequence, created) in [(1, 10), (2, 20), (3, 5)] {
        index.add(&Document { created, ..document(sequence, 1, Role::User, "a") });
    }
    // What is stored before an entry was stored before it, whatever its time says.
    assert_eq!(index.stored_by(7), 3);
    let state = |sequence| DocumentState { sequence, group: group(1), removed: None };
    index.update_states(1, 3, &[1, 2, 3].map(state));
    assert_eq!(index.stored_by(7), 3);
}
