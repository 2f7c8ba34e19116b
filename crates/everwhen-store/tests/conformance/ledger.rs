//! Rows of ledgers: what is put comes back, in its order, in its memory.

use everwhen_engine::memory::{EntryId, Role};
use everwhen_engine::ports::{
    Erasure, LastRequest, LedgerHead, LedgerLine, LedgerLines, Placeholder, Removal, Row, Snapshot,
};

use crate::bed::{Bed, Open};
use crate::rows::{at, home, id, place};

fn line(number: u64, place: Option<i64>, mark: u8, occurrence: u64) -> LedgerLine {
    LedgerLine {
        number,
        place,
        mark: [mark; 32],
        occurrence,
        role: Role::User,
        time: at(i64::try_from(number).unwrap()),
        since: (number > 1).then(|| at(0)),
        after: number.checked_sub(1).filter(|before| *before > 0),
        entry: Some(id(u128::from(number))),
        delivered: number.is_multiple_of(2),
    }
}

fn four() -> [LedgerLine; 4] {
    [line(1, Some(50), 1, 1), line(2, Some(10), 2, 1), line(3, None, 1, 2), line(4, Some(70), 1, 3)]
}

fn with_four(open: Open) -> Bed {
    let bed = open();
    bed.write(|tx| four().iter().try_for_each(|line| tx.put(Row::LedgerLine(home(), line))));
    bed
}

fn numbers(bed: &Bed, which: LedgerLines<'static>) -> Vec<u64> {
    let lines = bed.look(move |rows| rows.ledger_lines(home(), which));
    lines.iter().map(|line| line.number).collect()
}

pub(crate) fn lines_come_back_in_their_order(open: Open) {
    let bed = with_four(open);
    assert_eq!(numbers(&bed, LedgerLines::Newest(2)), [4, 1]);
    assert_eq!(numbers(&bed, LedgerLines::Newest(9)), [4, 1, 2]);
    assert_eq!(numbers(&bed, LedgerLines::Oldest), [2]);
    assert_eq!(numbers(&bed, LedgerLines::Behind(10)), [1, 4]);
    assert_eq!(numbers(&bed, LedgerLines::Behind(i64::MIN)), [2, 1, 4]);
    assert_eq!(numbers(&bed, LedgerLines::Before(70)), [1]);
    assert_eq!(numbers(&bed, LedgerLines::Before(10)), [0; 0]);
    assert_eq!(numbers(&bed, LedgerLines::Marked([1; 32])), [1, 3, 4]);
    for one in four() {
        let found =
            bed.look(move |rows| rows.ledger_lines(home(), LedgerLines::Numbered(one.number)));
        assert_eq!(found, [one]);
    }
}

pub(crate) fn lines_are_found_by_their_entries(open: Open) {
    let bed = with_four(open);
    let bare = LedgerLine { entry: None, ..line(5, None, 7, 1) };
    bed.write(move |tx| tx.put(Row::LedgerLine(home(), &bare)));
    bed.write(move |tx| tx.put(Row::LedgerLine(place(1, 2), &bare)));
    let of = |ids: Vec<EntryId>| {
        let lines = bed.look(move |rows| rows.ledger_lines(home(), LedgerLines::Of(&ids)));
        lines.iter().map(|line| line.number).collect::<Vec<_>>()
    };
    assert_eq!(of(vec![id(4), id(9), id(3), id(4)]), [3, 4]);
    assert_eq!(of(Vec::new()), [0; 0]);
    assert_eq!(numbers(&bed, LedgerLines::WithoutEntry), [5]);
    // A transaction sees a mark that it has changed itself.
    bed.write(move |tx| {
        let marked =
            |tx: &dyn Snapshot, byte| tx.ledger_lines(home(), LedgerLines::Marked([byte; 32]));
        assert_eq!((marked(tx.snapshot(), 7)?.len(), marked(tx.snapshot(), 8)?.len()), (1, 0));
        tx.put(Row::LedgerLine(home(), &LedgerLine { mark: [8; 32], ..bare }))?;
        assert_eq!((marked(tx.snapshot(), 7)?.len(), marked(tx.snapshot(), 8)?.len()), (0, 1));
        Ok(())
    });
}

pub(crate) fn a_line_is_replaced_whole(open: Open) {
    let bed = with_four(open);
    let bare = LedgerLine { since: None, after: None, entry: None, ..line(4, None, 9, 1) };
    bed.write(move |tx| tx.put(Row::LedgerLine(home(), &bare)));
    assert_eq!(bed.look(|rows| rows.ledger_lines(home(), LedgerLines::Numbered(4))), [bare]);
    assert_eq!(numbers(&bed, LedgerLines::Newest(9)), [1, 2]);
}

pub(crate) fn ledgers_stay_in_their_memory(open: Open) {
    let bed = with_four(open);
    for wrong in [place(2, 1), place(1, 2)] {
        for which in
            [LedgerLines::Newest(9), LedgerLines::Marked([1; 32]), LedgerLines::Numbered(1)]
        {
            assert_eq!(bed.look(move |rows| rows.ledger_lines(wrong, which)), []);
        }
        assert_eq!(bed.look(move |rows| rows.promised_times(wrong, None)), []);
        assert_eq!(bed.look(move |rows| rows.ledger_head(wrong)), None);
    }
}

pub(crate) fn a_head_is_replaced_whole(open: Open) {
    let bed = open();
    let waiting = Placeholder { started_at: at(1), after: Some(3), reply: Some(4) };
    let alone = Placeholder { started_at: at(2), after: None, reply: None };
    let asked = LastRequest { hash: [3; 32], answered: true };
    for (placeholder, request) in [(Some(waiting), None), (Some(alone), Some(asked)), (None, None)]
    {
        let head = LedgerHead { last_number: 7, placeholder, request };
        bed.write(move |tx| tx.put(Row::LedgerHead(home(), &head)));
        assert_eq!(bed.look(|rows| rows.ledger_head(home())), Some(head));
    }
}

pub(crate) fn promised_times_are_kept_and_taken(open: Open) {
    let bed = open();
    bed.write(|tx| {
        tx.put(Row::PromisedTime(home(), [2; 32], at(2)))?;
        tx.put(Row::PromisedTime(home(), [1; 32], at(0)))?;
        tx.put(Row::PromisedTime(home(), [1; 32], at(1)))
    });
    assert_eq!(
        bed.look(|rows| rows
            .promised_times(home(), Some([1; 32]))
            .map(|mut found| found.pop().map(|(_, time)| time))),
        Some(at(1))
    );
    let all = |bed: &Bed| bed.look(|rows| rows.promised_times(home(), None));
    assert_eq!(all(&bed), [([1; 32], at(1)), ([2; 32], at(2))]);
    bed.write(|tx| tx.remove(Removal::PromisedTime(home(), [1; 32])).map(drop));
    assert_eq!(all(&bed), [([2; 32], at(2))]);
}

pub(crate) fn forgetting_leaves_the_line_and_removal_takes_it(open: Open) {
    let bed = with_four(open);
    crate::removal::furnish(&bed);
    bed.write(|tx| {
        tx.put(Row::LedgerLine(home(), &LedgerLine { entry: Some(id(10)), ..four()[0] }))
    });
    bed.write(|tx| tx.put(Row::LedgerHead(home(), &LedgerHead::default())));
    bed.write(|tx| tx.put(Row::PromisedTime(home(), [1; 32], at(1))));
    bed.write(|tx| tx.remove(Removal::Entries(home(), &[id(10)])));
    let blank = LedgerLine { entry: None, ..four()[0] };
    assert_eq!(bed.look(|rows| rows.ledger_lines(home(), LedgerLines::Numbered(1))), [blank]);
    bed.write(|tx| tx.put(Row::LedgerLine(place(1, 2), &four()[0])));
    bed.write(|tx| tx.erase(Erasure::Memory(home())));
    assert_eq!(numbers(&bed, LedgerLines::Marked([1; 32])), [0; 0]);
    assert_eq!(bed.look(|rows| rows.ledger_head(home())), None);
    assert_eq!(bed.look(|rows| rows.promised_times(home(), None)), []);
    assert_eq!(bed.look(|rows| rows.ledger_lines(place(1, 2), LedgerLines::Oldest)).len(), 1);
    bed.write(|tx| tx.erase(Erasure::Vault(id(1))));
    assert_eq!(bed.look(|rows| rows.ledger_lines(place(1, 2), LedgerLines::Oldest)), []);
}
