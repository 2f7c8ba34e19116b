//! Segments as rows: bytes come back, in their memory, until any entry of it is removed.

use crate::bed::{Bed, Open};
use crate::removal::furnish;
use crate::rows::{id, place};

fn kept(open: Open) -> Bed {
    let bed = open();
    furnish(&bed);
    bed.write(|tx| {
        tx.put_segment(place(1, 1), 0, &[1; 70_000])?;
        tx.put_segment(place(1, 1), 1, b"tail")?;
        tx.put_segment(place(1, 2), 0, b"other")
    });
    bed
}

fn segment(bed: &Bed, memory: u128, number: u32) -> Option<Vec<u8>> {
    bed.look(move |rows| rows.segment(place(1, memory), number))
}

pub(crate) fn a_segment_comes_back_and_is_replaced(open: Open) {
    let bed = kept(open);
    assert_eq!(segment(&bed, 1, 0), Some(vec![1; 70_000]));
    assert_eq!(segment(&bed, 1, 2), None);
    bed.write(|tx| tx.put_segment(place(1, 1), 1, b"longer tail"));
    assert_eq!(segment(&bed, 1, 1), Some(b"longer tail".to_vec()));
    assert_eq!(segment(&bed, 2, 0), Some(b"other".to_vec()));
    assert_eq!(bed.look(|rows| rows.segment(place(2, 1), 0)), None);
}

pub(crate) fn segments_go_with_any_entry_of_their_memory(open: Open) {
    let bed = kept(open);
    bed.write(|tx| tx.remove_entries(place(1, 1), &[]).map(drop));
    assert!(segment(&bed, 1, 0).is_some());
    bed.write(|tx| tx.remove_entries(place(1, 1), &[id(11)]).map(drop));
    assert_eq!((segment(&bed, 1, 0), segment(&bed, 1, 1)), (None, None));
    assert!(segment(&bed, 2, 0).is_some());
}

pub(crate) fn segments_go_with_their_memory_and_vault(open: Open) {
    let bed = kept(open);
    bed.write(|tx| tx.remove_memory(place(1, 1)).map(drop));
    assert_eq!((segment(&bed, 1, 0), segment(&bed, 2, 0)), (None, Some(b"other".to_vec())));
    bed.write(|tx| tx.remove_vault(place(1, 1).vault).map(drop));
    assert_eq!(segment(&bed, 2, 0), None);
}
