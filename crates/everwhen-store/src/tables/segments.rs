//! The table `segment`. The number of a segment, minus [`FIRST`], is the sequence number after which it begins;
//! it ends before the next one.

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
columns! { static PLACED: PlaceColumns { number, row = "rowid" } }
columns! { static ARRIVED: SequenceColumn { sequence } }

/// The next segment that begins above a sequence number or a later one, and above which.
pub(crate) fn next(
    db: &dyn Database,
    memory: MemoryRef,
    after: u64,
) -> Result<Option<(u64, Vec<u8>)>> {
    static SQL: Sql = Sql::new(|_| {
        SEGMENT.select(&format!("{IN_MEMORY} AND number >= ?3 ORDER BY number LIMIT 1"))
    });
    let [vault, memory] = place(memory);
    let from = [vault, memory, (FIRST + after).into()];
    if db.dialect() == Dialect::Sqlite {
        return next_in_one_buffer(db, &from);
    }
    db.first(&SQL, &from, |row| {
        let number: u64 = row.get(SEGMENT.number)?;
        Ok((number - FIRST, row.get(SEGMENT.bytes)?))
    })
}

/// The same on SQLite, which would put the bytes together in a buffer of its own: memory that was not in use
/// before is what loading an index takes most of its time for.
fn next_in_one_buffer(db: &dyn Database, from: &[Value<'_>]) -> Result<Option<(u64, Vec<u8>)>> {
    static SQL: Sql = Sql::new(|_| {
        PLACED.select(&format!("FROM segment {IN_MEMORY} AND number >= ?3 ORDER BY number LIMIT 1"))
    });
    let read = |row: &dyn super::Row| Ok((row.get::<u64>(PLACED.number)?, row.get(PLACED.row)?));
    let Some((number, row)) = db.first(&SQL, from, read)? else { return Ok(None) };
    Ok(Some((number - FIRST, db.blob("segment", "bytes", row)?)))
}

/// Adds a segment that covers the sequence numbers above one, up to another; replaces those that begin there.
pub(crate) fn put(
    db: &dyn Database,
    memory: MemoryRef,
    (after, through): (u64, u64),
    bytes: &[u8],
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
    db.write(&SQL, &values(memory, FIRST + after, bytes))
}

/// Removes the segments that cover entries: they hold words of them. Called while the entries are there.
pub(crate) fn forget(db: &dyn Database, memory: MemoryRef, entries: Vec<Value<'_>>) -> Result<()> {
    static SEQUENCES: Sql = Sql::new(|dialect| {
        ARRIVED.select(&format!("FROM entry {IN_MEMORY} AND id {}", dialect.is_one_of(3)))
    });
    static NUMBERS: Sql =
        Sql::new(|_| NUMBERED.select(&format!("FROM segment {IN_MEMORY} ORDER BY number")));
    static REMOVED: Sql = Sql::new(|dialect| {
        format!("DELETE FROM segment {IN_MEMORY} AND number {}", dialect.is_one_of(3))
    });
    let numbers: Vec<u64> = db.all(&NUMBERS, &place(memory), |row| row.get(NUMBERED.number))?;
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
