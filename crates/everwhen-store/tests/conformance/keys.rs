//! Keys as rows.

use everwhen_engine::key::{Key, KeyHash, KeyUse, Scope};
use everwhen_engine::ports::{Removal, Row};

use crate::bed::Open;
use crate::rows::{at, id, key, name};

pub(crate) fn a_key_comes_back_as_it_was_added(open: Open) {
    let bed = open();
    let odd = Key {
        label: Some(name("laptop")),
        trusted: true,
        scope: Scope::Admin,
        expires_at: Some(at(9)),
        last_used_at: Some(at(4)),
        hash: KeyHash::of("secret"),
        creation_time: at(3),
        ..key(2, 9)
    };
    let kept = odd.clone();
    bed.write(move |tx| tx.put(Row::Key(&kept)).and_then(|()| tx.put(Row::Key(&key(1, 1)))));
    assert_eq!(bed.look(|rows| rows.keys()), [key(1, 1), odd]);
}

pub(crate) fn the_last_use_of_a_key_moves_forward_only(open: Open) {
    let bed = open();
    bed.write(|tx| tx.put(Row::Key(&key(1, 1))).and_then(|()| tx.put(Row::Key(&key(2, 1)))));
    let used = |vault, number, second| KeyUse { vault: id(vault), key: id(number), at: at(second) };
    for one in [used(1, 1, 5), used(1, 1, 3), used(2, 2, 7), used(1, 9, 8)] {
        bed.write(move |tx| tx.put(Row::KeyUse(one)));
    }
    let last = bed.look(|rows| rows.keys()).into_iter().map(|key| key.last_used_at);
    assert_eq!(last.collect::<Vec<_>>(), [Some(at(5)), None]);
}

pub(crate) fn a_removed_key_is_gone(open: Open) {
    let bed = open();
    bed.write(|tx| tx.put(Row::Key(&key(1, 1))).and_then(|()| tx.put(Row::Key(&key(2, 1)))));
    assert!(bed.write(|tx| tx.remove(Removal::Key(id(1))).map(|removed| removed > 0)));
    assert!(!bed.write(|tx| tx.remove(Removal::Key(id(1))).map(|removed| removed > 0)));
    assert_eq!(bed.look(|rows| rows.keys()), [key(2, 1)]);
}
