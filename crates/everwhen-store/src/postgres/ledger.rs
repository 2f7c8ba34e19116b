//! The tables `ledger`, `ledger_head` and `promised_time`.

use everwhen_engine::Result;
use everwhen_engine::memory::EntryId;
use everwhen_engine::ports::{LastRequest, LedgerHead, LedgerLine, Lines, MemoryRef, Placeholder};
use jiff::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::connection::Connection;
use super::entries::{all_of, place, small, uuid, uuids};
use super::statement::{all, first, get, run, send};
use crate::row::{count, damaged, instant, micros, number, role, role_number};

const COLUMNS: &str =
    "SELECT number, place, mark, occurrence, role, time, since, after, entry_id, delivered
    FROM ledger WHERE vault_id = $1 AND memory_id = $2";

pub(super) fn head(connection: &Connection, memory: MemoryRef) -> Result<Option<LedgerHead>> {
    let sql = "SELECT last_number, started_at, after, reply, request, answered
        FROM ledger_head WHERE vault_id = $1 AND memory_id = $2";
    let [vault, memory] = place(&memory);
    first(connection, sql, &[&vault, &memory], read_head)
}

pub(super) fn lines(
    connection: &Connection,
    memory: MemoryRef,
    which: Lines,
) -> Result<Vec<LedgerLine>> {
    let [vault, memory] = place(&memory);
    let find = |rest: &str, value: i64| {
        all(connection, &format!("{COLUMNS} {rest}"), &[&vault, &memory, &value], read)
    };
    match which {
        Lines::Newest(most) => {
            find("AND place IS NOT NULL ORDER BY place DESC LIMIT $3", number(most as u64))
        }
        Lines::Oldest => find("AND place IS NOT NULL ORDER BY place LIMIT $3", 1),
        Lines::Behind(place) => find("AND place > $3 ORDER BY place", place),
        Lines::Before(place) => find("AND place < $3 ORDER BY place DESC LIMIT 1", place),
        Lines::Numbered(wanted) => find("AND number = $3", number(wanted)),
        Lines::Marked(mark) => {
            let sql = format!("{COLUMNS} AND mark = $3 ORDER BY occurrence");
            all(connection, &sql, &[&vault, &memory, &mark.as_slice()], read)
        }
    }
}

pub(super) fn promised(
    connection: &Connection,
    memory: MemoryRef,
    text: [u8; 32],
) -> Result<Option<Timestamp>> {
    let sql = "SELECT time FROM promised_time
        WHERE vault_id = $1 AND memory_id = $2 AND text_hash = $3";
    let [vault, memory] = place(&memory);
    first(connection, sql, &[&vault, &memory, &text.as_slice()], |row| instant(get(row, 0)?))
}

pub(super) fn all_promised(
    connection: &Connection,
    memory: MemoryRef,
) -> Result<Vec<([u8; 32], Timestamp)>> {
    let sql = "SELECT text_hash, time FROM promised_time
        WHERE vault_id = $1 AND memory_id = $2 ORDER BY text_hash";
    let [vault, memory] = place(&memory);
    let pair = |row: &Row| Ok((hash(row, 0)?, instant(get(row, 1)?)?));
    all(connection, sql, &[&vault, &memory], pair)
}

pub(super) fn put_head(
    connection: &Connection,
    memory: MemoryRef,
    head: &LedgerHead,
) -> Result<()> {
    let sql = "INSERT INTO ledger_head
            (vault_id, memory_id, last_number, started_at, after, reply, request, answered)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (vault_id, memory_id) DO UPDATE SET last_number = $3, started_at = $4,
            after = $5, reply = $6, request = $7, answered = $8";
    let [vault, memory] = place(&memory);
    let waiting = head.placeholder;
    send(
        connection,
        sql,
        &[
            &vault,
            &memory,
            &number(head.last_number),
            &waiting.map(|one| micros(one.started_at)),
            &waiting.and_then(|one| one.after).map(number),
            &waiting.and_then(|one| one.reply).map(number),
            &head.request.as_ref().map(|last| last.hash.as_slice()),
            &head.request.is_some_and(|last| last.answered),
        ],
    )
}

pub(super) fn put_line(
    connection: &Connection,
    memory: MemoryRef,
    line: &LedgerLine,
) -> Result<()> {
    let sql =
        "INSERT INTO ledger (vault_id, memory_id, number, place, mark, occurrence, role, time,
            since, after, entry_id, delivered)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        ON CONFLICT (vault_id, memory_id, number) DO UPDATE SET place = $4, mark = $5,
            occurrence = $6, role = $7, time = $8, since = $9, after = $10, entry_id = $11,
            delivered = $12";
    let [vault, memory] = place(&memory);
    send(
        connection,
        sql,
        &[
            &vault,
            &memory,
            &number(line.number),
            &line.place,
            &line.mark.as_slice(),
            &number(line.occurrence),
            &small(role_number(line.role)),
            &micros(line.time),
            &line.since.map(micros),
            &line.after.map(number),
            &line.entry.map(|entry| uuid(entry.bytes())),
            &line.delivered,
        ],
    )
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
            let sql = "INSERT INTO promised_time (vault_id, memory_id, text_hash, time)
                VALUES ($1, $2, $3, $4)
                ON CONFLICT (vault_id, memory_id, text_hash) DO UPDATE SET time = $4";
            run(connection, sql, &[&vault, &memory, &text.as_slice(), &micros(time)])
        }
        None => {
            let sql = "DELETE FROM promised_time
                WHERE vault_id = $1 AND memory_id = $2 AND text_hash = $3";
            run(connection, sql, &[&vault, &memory, &text.as_slice()])
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
        WHERE vault_id = $1 AND memory_id = $2 AND id = ANY($3)";
    let [vault, memory] = place(&memory);
    all_of(entries, run(connection, sql, &[&vault, &memory, &uuids(entries)])?)
}

/// Forgotten entries leave their lines, so that the messages do not come back when they are sent
/// again.
pub(super) fn forget_entries(
    connection: &Connection,
    memory: MemoryRef,
    entries: &[EntryId],
) -> Result<()> {
    let sql = "UPDATE ledger SET entry_id = NULL
        WHERE vault_id = $1 AND memory_id = $2 AND entry_id = ANY($3)";
    let [vault, memory] = place(&memory);
    send(connection, sql, &[&vault, &memory, &uuids(entries)])
}

fn read_head(row: &Row) -> Result<LedgerHead> {
    let started_at = get::<Option<i64>>(row, 1)?.map(instant).transpose()?;
    let (after, reply) = (optional_count(row, 2)?, optional_count(row, 3)?);
    Ok(LedgerHead {
        last_number: count(get(row, 0)?)?,
        placeholder: started_at.map(|started_at| Placeholder { started_at, after, reply }),
        request: match get::<Option<Vec<u8>>>(row, 4)? {
            Some(_) => Some(LastRequest { hash: hash(row, 4)?, answered: get(row, 5)? }),
            None => None,
        },
    })
}

fn read(row: &Row) -> Result<LedgerLine> {
    Ok(LedgerLine {
        number: count(get(row, 0)?)?,
        place: get(row, 1)?,
        mark: hash(row, 2)?,
        occurrence: count(get(row, 3)?)?,
        role: role(get::<i16>(row, 4)?.into())?,
        time: instant(get(row, 5)?)?,
        since: get::<Option<i64>>(row, 6)?.map(instant).transpose()?,
        after: optional_count(row, 7)?,
        entry: get::<Option<Uuid>>(row, 8)?.map(Into::into),
        delivered: get(row, 9)?,
    })
}

fn optional_count(row: &Row, column: usize) -> Result<Option<u64>> {
    get::<Option<i64>>(row, column)?.map(count).transpose()
}

/// A hash of 32 bytes.
pub(super) fn hash(row: &Row, column: usize) -> Result<[u8; 32]> {
    let bytes: Vec<u8> = get(row, column)?;
    let length = bytes.len();
    bytes.try_into().map_err(|_| damaged("hash", length))
}
