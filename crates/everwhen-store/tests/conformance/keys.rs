//! Keys as rows.

use everwhen_engine::key::{Key, KeyHash};

use crate::bed::Open;
use crate::rows::{at, id, key, name};

pub(crate) fn a_key_comes_back_as_it_was_added(open: Open) {
    let bed = open();
    let odd = Key {
        label: Some(name("laptop")),
        trusted: true,
        hash: KeyHash::of("secret"),
        creation_time: at(3),
        ..key(2, 9)
    };
    let kept = odd.clone();
    bed.write(move |tx| tx.add_key(&kept).and_then(|()| tx.add_key(&key(1, 1))));
    assert_eq!(bed.look(|rows| rows.keys()), [key(1, 1), odd]);
}

pub(crate) fn a_removed_key_is_gone(open: Open) {
    let bed = open();
    bed.write(|tx| tx.add_key(&key(1, 1)).and_then(|()| tx.add_key(&key(2, 1))));
    assert!(bed.write(|tx| tx.remove_key(id(1))));
    assert!(!bed.write(|tx| tx.remove_key(id(1))));
    assert_eq!(bed.look(|rows| rows.keys()), [key(2, 1)]);
}
