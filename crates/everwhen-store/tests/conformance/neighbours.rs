//! The nearest entries placed by time, on either side of an instant.

use everwhen_engine::memory::{Corrected, Entry, Role};
use everwhen_engine::ports::{EntryChange, Neighbour, Row, Speakers};
use jiff::Timestamp;

use crate::bed::{Bed, Open};
use crate::rows::{at, entry, home, id};

/// The minutes after noon of the neighbours of an instant.
fn around(bed: &Bed, minute: i64, speakers: Speakers) -> (Option<i64>, Option<i64>) {
    let (before, after) = bed.look(move |rows| {
        let before = rows.before(home(), at(minute), speakers)?;
        Ok((before, rows.after(home(), at(minute), speakers)?))
    });
    let minutes = |one: Neighbour| one.time.duration_since(at(0)).as_mins();
    (before.map(minutes), after.map(minutes))
}

/// Openers at 0, 20 and 40, replies at 10 and 30; one has another conversation.
fn talk(bed: &Bed) {
    let said = |number: u64, minute, role| Entry {
        role,
        conversation_time: at(minute),
        conversation: id(u128::from(number)),
        ..entry(number)
    };
    bed.write(move |tx| {
        let talk = [
            said(1, 0, Role::User),
            said(2, 10, Role::Assistant),
            said(3, 20, Role::System),
            said(4, 30, Role::Tool),
            said(5, 40, Role::User),
        ];
        talk.iter().try_for_each(|entry| tx.put(Row::Entry(id(1), entry, None)))
    });
}

pub(crate) fn the_nearest_on_either_side(open: Open) {
    let bed = open();
    assert_eq!(around(&bed, 10, Speakers::All), (None, None));
    talk(&bed);
    assert_eq!(around(&bed, -1, Speakers::All), (None, Some(0)));
    assert_eq!(around(&bed, 0, Speakers::All), (Some(0), Some(10)));
    assert_eq!(around(&bed, 15, Speakers::All), (Some(10), Some(20)));
    assert_eq!(around(&bed, 40, Speakers::All), (Some(40), None));
    let last = bed.look(|rows| rows.before(home(), Timestamp::MAX, Speakers::All)).unwrap();
    assert_eq!(last, Neighbour { time: at(40), role: Role::User, conversation: id(5) });
    let first = bed.look(|rows| rows.after(home(), Timestamp::MIN, Speakers::All)).unwrap();
    assert_eq!(first, Neighbour { time: at(0), role: Role::User, conversation: id(1) });
}

pub(crate) fn replies_open_nothing(open: Open) {
    let bed = open();
    talk(&bed);
    assert_eq!(around(&bed, 10, Speakers::Openers), (Some(0), Some(20)));
    assert_eq!(around(&bed, 30, Speakers::Openers), (Some(20), Some(40)));
    assert_eq!(around(&bed, 20, Speakers::Openers), (Some(20), Some(40)));
}

pub(crate) fn only_entries_placed_by_time_and_on_no_branch(open: Open) {
    let bed = open();
    talk(&bed);
    bed.write(|tx| {
        let named = Entry { placed_by_time: false, conversation_time: at(25), ..entry(6) };
        tx.put(Row::Entry(id(1), &named, None))?;
        tx.change_entries(
            home(),
            &[id(3)],
            EntryChange::Corrected(Corrected { by: id(6), at: at(50) }),
        )?;
        tx.change_entries(home(), &[id(4)], EntryChange::Branch(id(7), at(50)))
    });
    assert_eq!(around(&bed, 26, Speakers::All), (Some(20), Some(40)));
}

pub(crate) fn equal_times_count_in_order_of_arrival(open: Open) {
    let bed = open();
    bed.write(|tx| {
        let same = |number, role| Entry { role, conversation_time: at(5), ..entry(number) };
        tx.put(Row::Entry(id(1), &same(2, Role::Tool), None))?;
        tx.put(Row::Entry(id(1), &same(1, Role::User), None))?;
        tx.put(Row::Entry(id(1), &same(3, Role::Assistant), None))
    });
    let role = |one: Option<Neighbour>| one.map(|one| one.role);
    assert_eq!(
        role(bed.look(|rows| rows.before(home(), at(5), Speakers::All))),
        Some(Role::Assistant)
    );
    assert_eq!(role(bed.look(|rows| rows.after(home(), at(4), Speakers::All))), Some(Role::User));
}
