//! Nothing crosses from one vault to another, or from one memory to another, at the level of rows:
//! a caller that names the wrong place finds nothing and changes nothing.

use everwhen_engine::ErrorKind;
use everwhen_engine::memory::Corrected;
use everwhen_engine::ports::{
    ArchiveFilter, ContextSelection, ConversationQuery, EntryChange, EntryQuery, Erasure,
    JobSelection, MemoryRef, Removal, Removed, Speakers, Which,
};
use jiff::Timestamp;

use crate::bed::Open;
use crate::removal::furnish;
use crate::rows::{at, home, id, name, place};

/// Memory 1 with the wrong vault, another memory of the right vault, and places that do not exist.
fn wrong_places() -> [MemoryRef; 4] {
    [place(2, 1), place(1, 2), place(1, 9), place(9, 1)]
}

pub(crate) fn a_wrong_place_finds_nothing_of_another(open: Open) {
    let bed = open();
    furnish(&bed);
    for wrong in wrong_places() {
        bed.look(move |rows| {
            assert_eq!(rows.entry(wrong, id(10))?, None);
            assert_eq!(rows.conversation(wrong, id(10))?, None);
            assert_eq!(rows.conversation(wrong, id(12))?, None, "by its other name");
            assert_eq!(rows.branches(wrong, id(10))?, []);
            let of_ours = EntryQuery::of_conversation(id(10), Which::All);
            assert_eq!(rows.entries(wrong, &of_ours)?, []);
            Ok(())
        });
    }
    bed.look(|rows| {
        assert_eq!(rows.memory_named(id(2), &name("memory 1"))?, None);
        assert_eq!(rows.memory(place(2, 1))?, None);
        assert_eq!(rows.receipt(Some(id(2)), &name("receipt 1"))?, None);
        assert!(
            rows.jobs(JobSelection::Due(Some(id(2)), 99))?.iter().all(|job| job.vault == id(2))
        );
        Ok(())
    });
}

pub(crate) fn lists_and_neighbours_stay_in_their_memory(open: Open) {
    let bed = open();
    furnish(&bed);
    bed.look(|rows| {
        let wrong = place(2, 1);
        let both =
            ConversationQuery { archive: ArchiveFilter::Both, ..ConversationQuery::default() };
        assert_eq!(rows.entries(wrong, &EntryQuery::default())?, []);
        assert_eq!(rows.conversations(wrong, &both)?, []);
        assert_eq!(rows.surplus(wrong, 0)?, []);
        assert_eq!(rows.before(wrong, Timestamp::MAX, Speakers::All)?, None);
        assert_eq!(rows.after(wrong, Timestamp::MIN, Speakers::All)?, None);
        assert_eq!(rows.endings(wrong, Timestamp::MIN, Timestamp::MAX)?, []);
        assert_eq!(rows.contexts(wrong, ContextSelection::All, 1)?.pop(), None);
        assert_eq!(rows.contexts(wrong, ContextSelection::All, 9)?, []);
        let entries = rows.entries(home(), &EntryQuery::default())?;
        assert_eq!(entries.iter().map(|entry| entry.sequence).collect::<Vec<_>>(), [10, 11, 12]);
        Ok(())
    });
}

pub(crate) fn a_wrong_place_changes_nothing(open: Open) {
    let bed = open();
    furnish(&bed);
    for wrong in wrong_places() {
        let corrected = Corrected { by: id(11), at: at(1) };
        let refusals = [
            bed.refuse(move |tx| {
                tx.change_entries(wrong, &[id(10)], EntryChange::Corrected(corrected))
            }),
            bed.refuse(move |tx| {
                tx.change_entries(wrong, &[id(10)], EntryChange::Branch(id(7), at(1)))
            }),
            bed.refuse(move |tx| {
                tx.change_entries(wrong, &[id(10)], EntryChange::Conversation(id(7)))
            }),
        ];
        assert!(refusals.iter().all(|error| error.kind() == ErrorKind::Damaged));
        let removed = bed.write(move |tx| {
            assert_eq!(tx.remove(Removal::Entries(wrong, &[id(10)]))?, 0);
            tx.erase(Erasure::Conversation(wrong, id(10)))
        });
        assert_eq!(removed, Removed::default());
        let entry = bed.look(|rows| rows.entry(home(), id(10))).unwrap();
        assert_eq!((entry.corrected, entry.branch, entry.conversation), (None, None, id(10)));
        assert!(bed.look(|rows| rows.conversation(home(), id(12))).is_some());
        assert!(
            bed.look(|rows| rows.jobs(JobSelection::Id(None, id(10))).map(|mut found| found.pop()))
                .is_some()
        );
    }
}
