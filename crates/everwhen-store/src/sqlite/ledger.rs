//! The tables `ledger`, `ledger_head` and `promised_time`.

use everwhen_engine::Result;
use everwhen_engine::memory::EntryId;
use everwhen_engine::ports::{LastRequest, LedgerHead, LedgerLine, Lines, MemoryRef, Placeholder};
use jiff::Timestamp;
use rusqlite::{Connection, Row, params};

use super::entries::place;
use super::statement::{all, first, get, run, run_one};
use crate::row::{count, id, instant, micros, number, role, role_number};

const COLUMNS: &str =
    "SELECT number, place, mark, occurrence, role, time, since, after, entry_id, delivered
    FROM ledger WHERE vault_id = ?1 AND memory_id = ?2";

pub(super) fn head(connection: &Connection, memory: MemoryRef) -> Result<Option<LedgerHead>> {
    let sql = "SELECT last_number, started_at, after, reply, request, answered
        FROM ledger_head WHERE vault_id = ?1 AND memory_id = ?2";
    first(connection, sql, place(&memory), read_head)
}

pub(super) fn lines(
    connection: &Connection,
    memory: MemoryRef,
    which: Lines,
) -> Result<Vec<LedgerLine>> {
    let [vault, memory] = place(&memory);
    let find = |rest: &str, value: i64| {
        all(connection, &format!("{COLUMNS} {rest}"), params![vault, memory, value], read)
    };
    match which {
        Lines::Newest(most) => {
            find("AND place IS NOT NULL ORDER BY place DESC LIMIT ?3", number(most as u64))
        }
        Lines::Oldest => find("AND place IS NOT NULL ORDER BY place LIMIT ?3", 1),
        Lines::Behind(place) => find("AND place > ?3 ORDER BY place", place),
        Lines::Before(place) => find("AND place < ?3 ORDER BY place DESC LIMIT 1", place),
        Lines::Numbered(wanted) => find("AND number = ?3", number(wanted)),
        Lines::Marked(mark) => {
            let sql = format!("{COLUMNS} AND mark = ?3 ORDER BY occurrence");
            all(connection, &sql, params![vault, memory, mark], read)
        }
    }
}

pub(super) fn promised(
    connection: &Connection,
    memory: MemoryRef,
    text: [u8; 32],
) -> Result<Option<Timestamp>> {
    let sql = "SELECT time FROM promised_time
        WHERE vault_id = ?1 AND memory_id = ?2 AND text_hash = ?3";
    let [vault, memory] = place(&memory);
    first(connection, sql, params![vault, memory, text], |row| instant(get(row, 0)?))
}

pub(super) fn all_promised(
    connection: &Connection,
    memory: MemoryRef,
) -> Result<Vec<([u8; 32], Timestamp)>> {
    let sql = "SELECT text_hash, time FROM promised_time
        WHERE vault_id = ?1 AND memory_id = ?2 ORDER BY text_hash";
    all(connection, sql, place(&memory), |row| Ok((get(row, 0)?, instant(get(row, 1)?)?)))
}

pub(super) fn put_head(
    connection: &Connection,
    memory: MemoryRef,
    head: &LedgerHead,
) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO ledger_head
            (vault_id, memory_id, last_number, started_at, after, reply, request, answered)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let [vault, memory] = place(&memory);
    let waiting = head.placeholder;
    let values = params![
        vault,
        memory,
        number(head.last_number),
        waiting.map(|one| micros(one.started_at)),
        waiting.and_then(|one| one.after).map(number),
        waiting.and_then(|one| one.reply).map(number),
        head.request.map(|last| last.hash),
        head.request.is_some_and(|last| last.answered),
    ];
    run(connection, sql, values).map(drop)
}

pub(super) fn put_line(
    connection: &Connection,
    memory: MemoryRef,
    line: &LedgerLine,
) -> Result<()> {
    let sql =
        "INSERT INTO ledger (vault_id, memory_id, number, place, mark, occurrence, role, time,
            since, after, entry_id, delivered)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        ON CONFLICT (memory_id, number) DO UPDATE SET place = excluded.place, mark = excluded.mark,
            occurrence = excluded.occurrence, role = excluded.role, time = excluded.time,
            since = excluded.since, after = excluded.after, entry_id = excluded.entry_id,
            delivered = excluded.delivered";
    let [vault, memory] = place(&memory);
    let values = params![
        vault,
        memory,
        number(line.number),
        line.place,
        line.mark,
        number(line.occurrence),
        role_number(line.role),
        micros(line.time),
        line.since.map(micros),
        line.after.map(number),
        line.entry.map(EntryId::bytes),
        line.delivered,
    ];
    run(connection, sql, values).map(drop)
}

pub(super) fn put_promised(
    connection: &Connection,
    memory: MemoryRef,
    text: [u8; 32],
    time: Option<Timestamp>,
) -> Result<()> {
    let [vault, memory] = place(&memory);
    let changed = match time {
        Some(time) => {
            let sql = "INSERT OR REPLACE INTO promised_time (vault_id, memory_id, text_hash, time)
                VALUES (?1, ?2, ?3, ?4)";
            run(connection, sql, params![vault, memory, text, micros(time)])
        }
        None => {
            let sql = "DELETE FROM promised_time
                WHERE vault_id = ?1 AND memory_id = ?2 AND text_hash = ?3";
            run(connection, sql, params![vault, memory, text])
        }
    };
    changed.map(drop)
}

pub(super) fn rejoin(
    connection: &Connection,
    memory: MemoryRef,
    entries: &[EntryId],
) -> Result<()> {
    let sql = "UPDATE entry SET branch_id = NULL, branched_at = NULL
        WHERE id = ?3 AND vault_id = ?1 AND memory_id = ?2";
    let [vault, memory] = place(&memory);
    entries.iter().try_for_each(|id| run_one(connection, sql, params![vault, memory, id.bytes()]))
}

/// A forgotten entry leaves its line, so that the message does not come back when it is sent again.
pub(super) fn forget_entry(
    connection: &Connection,
    memory: MemoryRef,
    entry: EntryId,
) -> Result<()> {
    let sql = "UPDATE ledger SET entry_id = NULL
        WHERE entry_id = ?3 AND vault_id = ?1 AND memory_id = ?2";
    let [vault, memory] = place(&memory);
    run(connection, sql, params![vault, memory, entry.bytes()]).map(drop)
}

fn read_head(row: &Row<'_>) -> Result<LedgerHead> {
    let started_at = get::<Option<i64>>(row, 1)?.map(instant).transpose()?;
    let (after, reply) = (optional_count(row, 2)?, optional_count(row, 3)?);
    let (hash, answered): (Option<[u8; 32]>, bool) = (get(row, 4)?, get(row, 5)?);
    Ok(LedgerHead {
        last_number: count(get(row, 0)?)?,
        placeholder: started_at.map(|started_at| Placeholder { started_at, after, reply }),
        request: hash.map(|hash| LastRequest { hash, answered }),
    })
}

fn read(row: &Row<'_>) -> Result<LedgerLine> {
    Ok(LedgerLine {
        number: count(get(row, 0)?)?,
        place: get(row, 1)?,
        mark: get(row, 2)?,
        occurrence: count(get(row, 3)?)?,
        role: role(get(row, 4)?)?,
        time: instant(get(row, 5)?)?,
        since: get::<Option<i64>>(row, 6)?.map(instant).transpose()?,
        after: optional_count(row, 7)?,
        entry: get::<Option<[u8; 16]>>(row, 8)?.map(|bytes| id(&bytes)).transpose()?,
        delivered: get(row, 9)?,
    })
}

fn optional_count(row: &Row<'_>, column: usize) -> Result<Option<u64>> {
    get::<Option<i64>>(row, column)?.map(count).transpose()
}
