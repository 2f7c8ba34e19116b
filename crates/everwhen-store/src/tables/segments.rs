//! The table `segment`. The number of a segment, minus [`FIRST`], is the sequence number after which it begins;
//! it ends before the next one. Its two parts are in one value: the length of the first, in eight bytes, and both.

use everwhen_engine::Result;
use everwhen_engine::ports::MemoryRef;

use super::{Database, Dialect, IN_MEMORY, Sql, Value, columns, place, table};

/// What is added to a sequence number. Below are segments of earlier versions, which were counted from zero;
/// they are of no use, and every write removes them.
const FIRST: u64 = 1 << 32;

table! {
    static SEGMENT: SegmentColumns = "segment", key(vault_id, memory_id, number);
    fn values(memory: MemoryRef, number: u64, bytes: &'v [u8]) {
        vault_id: memory.vault,
        memory_id: memory.memory,
        number: number,
        bytes: bytes,
    }
}

columns! { static NUMBERED: NumberColumn { number } }
columns! { static STORED: StoredColumn { bytes } }
columns! { static PLACED: PlaceColumn { row = "rowid" } }
columns! { static ARRIVED: SequenceColumn { sequence } }

/// The sequence numbers above which segments begin, in rising order.
pub(crate) fn list(db: &dyn Database, memory: MemoryRef) -> Result<Vec<u64>> {
    let all = numbers(db, memory)?.into_iter();
    Ok(all.filter_map(|number| number.checked_sub(FIRST)).collect())
}

/// The numbers of all segments, in rising order.
fn numbers(db: &dyn Database, memory: MemoryRef) -> Result<Vec<u64>> {
    static SQL: Sql =
        Sql::new(|_| NUMBERED.select(&format!("FROM segment {IN_MEMORY} ORDER BY number")));
    db.all(&SQL, &place(memory), |row| row.get(NUMBERED.number))
}

/// The segment that begins above a sequence number.
pub(crate) fn read(
    db: &dyn Database,
    memory: MemoryRef,
    after: u64,
) -> Result<Option<[Vec<u8>; 2]>> {
    static SQL: Sql =
        Sql::new(|_| STORED.select(&format!("FROM segment {IN_MEMORY} AND number = ?3")));
    let [vault, memory] = place(memory);
    let place = [vault, memory, (FIRST + after).into()];
    if db.dialect() == Dialect::Sqlite {
        return read_in_place(db, &place);
    }
    db.first(&SQL, &place, |row| Ok(parted(row.get(STORED.bytes)?)))
}

/// Puts the parts of a segment together.
fn joined(parts: [&[u8]; 2]) -> Vec<u8> {
    [&(parts[0].len() as u64).to_le_bytes(), parts[0], parts[1]].concat()
}

/// Takes the parts of a segment apart.
fn parted(mut bytes: Vec<u8>) -> [Vec<u8>; 2] {
    let Some((beginning, rest)) = bytes.split_first_chunk() else { return [bytes, Vec::new()] };
    let (first, begun) = (first_len(*beginning, rest.len()), beginning.len());
    let second = bytes.split_off(begun + first);
    bytes.drain(..begun);
    [bytes, second]
}

/// The length of the first part, as the beginning says, or all bytes if there are fewer. What an earlier
/// version stored does not begin with a length; the engine refuses it.
fn first_len(beginning: [u8; 8], bytes: usize) -> usize {
    usize::try_from(u64::from_le_bytes(beginning)).map_or(bytes, |len| len.min(bytes))
}

/// Reads a segment from SQLite, which would otherwise put the bytes together in a buffer of its own: memory that was not in use
/// before is what loading an index takes most of its time for.
fn read_in_place(db: &dyn Database, place: &[Value<'_>]) -> Result<Option<[Vec<u8>; 2]>> {
    static SQL: Sql =
        Sql::new(|_| PLACED.select(&format!("FROM segment {IN_MEMORY} AND number = ?3")));
    let Some(row) = db.first(&SQL, place, |row| row.get(PLACED.row))? else { return Ok(None) };
    db.blob("segment", "bytes", row, first_len).map(Some)
}

/// Adds a segment that covers the sequence numbers above one, up to another; replaces those that begin there.
pub(crate) fn put(
    db: &dyn Database,
    memory: MemoryRef,
    (after, through): (u64, u64),
    parts: [&[u8]; 2],
) -> Result<()> {
    static REPLACED: Sql = Sql::new(|_| {
        format!(
            "DELETE FROM segment {IN_MEMORY} AND (number < {FIRST} OR number >= ?3 AND number < ?4)"
        )
    });
    static SQL: Sql = Sql::new(|_| SEGMENT.insert());
    let [vault, owner] = place(memory);
    let covers = [(FIRST + after).into(), (FIRST + through).into()];
    let [from, until] = covers;
    db.write(&REPLACED, &[vault, owner, from, until])?;
    db.write(&SQL, &values(memory, FIRST + after, &joined(parts)))
}

/// Removes the segments that cover entries: they hold words of them. Called while the entries are there.
pub(crate) fn forget(db: &dyn Database, memory: MemoryRef, entries: Vec<Value<'_>>) -> Result<()> {
    static SEQUENCES: Sql = Sql::new(|dialect| {
        ARRIVED.select(&format!("FROM entry {IN_MEMORY} AND id {}", dialect.is_one_of(3)))
    });
    static REMOVED: Sql = Sql::new(|dialect| {
        format!("DELETE FROM segment {IN_MEMORY} AND number {}", dialect.is_one_of(3))
    });
    let numbers = numbers(db, memory)?;
    if numbers.is_empty() {
        return Ok(());
    }
    let read = |row: &dyn super::Row| row.get::<u64>(ARRIVED.sequence);
    let sequences = db.all_each(&SEQUENCES, &place(memory), entries, read)?;
    let covering = |sequence: &u64| {
        let behind = numbers.partition_point(|number| *number < FIRST + sequence);
        behind.checked_sub(1).map(|last| numbers[last])
    };
    let earlier = numbers.iter().copied().filter(|number| *number < FIRST);
    let earlier = earlier.filter(|_| !sequences.is_empty());
    let mut removed: Vec<u64> = sequences.iter().filter_map(covering).chain(earlier).collect();
    removed.sort_unstable();
    removed.dedup();
    let each = removed.into_iter().map(Into::into).collect();
    db.change_each(&REMOVED, &place(memory), each).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_taken_apart_as_they_were_put_together() {
        for parts in [[&b"words"[..], b"rows"], [b"words", b""], [b"", b"rows"], [b"", b""]] {
            assert_eq!(parted(joined(parts)), parts.map(<[u8]>::to_vec));
        }
    }

    #[test]
    fn what_has_no_parts_is_read_all_the_same() {
        assert_eq!(parted(b"short".to_vec()), [b"short".to_vec(), Vec::new()]);
        assert_eq!(parted(b"EvWhIx\x00\x06old".to_vec()), [b"old".to_vec(), Vec::new()]);
    }
}
