//! Context documents as rows: the newest, one of a time, one by its number, all of them.

use everwhen_engine::memory::ContextDocument;
use everwhen_engine::ports::ContextVersion;

use crate::bed::{Bed, Open};
use crate::rows::{at, context, home, id};

fn three(open: Open) -> Bed {
    let bed = open();
    bed.write(|tx| (1..=3).try_for_each(|version| tx.add_context(id(1), &context(version))));
    bed
}

pub(crate) fn a_version_is_found_by_number_and_by_time(open: Open) {
    let bed = three(open);
    let version = |version| bed.look(move |rows| rows.context(home(), version));
    assert_eq!(version(ContextVersion::Current), Some(context(3)));
    assert_eq!(version(ContextVersion::Number(2)), Some(context(2)));
    assert_eq!(version(ContextVersion::Number(4)), None);
    assert_eq!(version(ContextVersion::AsOf(at(0))), None);
    assert_eq!(version(ContextVersion::AsOf(at(2))), Some(context(2)));
    assert_eq!(version(ContextVersion::AsOf(at(9))), Some(context(3)));
}

pub(crate) fn two_versions_of_one_moment_are_told_apart(open: Open) {
    let bed = three(open);
    let same = ContextDocument { creation_time: at(3), ..context(4) };
    let kept = same.clone();
    bed.write(move |tx| tx.add_context(id(1), &kept));
    let found = bed.look(|rows| rows.context(home(), ContextVersion::AsOf(at(3))));
    assert_eq!(found, Some(same));
}

pub(crate) fn versions_are_listed_newest_first(open: Open) {
    let bed = three(open);
    let listed = |before, limit| bed.look(move |rows| rows.contexts(home(), before, limit));
    assert_eq!(listed(None, 9), [context(3), context(2), context(1)]);
    assert_eq!(listed(None, 1), [context(3)]);
    assert_eq!(listed(Some(3), 1), [context(2)]);
    assert_eq!(listed(Some(1), 9), []);
}
