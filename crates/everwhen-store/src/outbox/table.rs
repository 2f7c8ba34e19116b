//! The tables of the outbox, and every statement on them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use everwhen_engine::{Error, Result};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::parts::{Parts, Reader, read_list, write_list};
use super::place::Place;
use super::{Erase, OutboxRow, RowState, SetAside, Waiting};
use crate::sqlite::Stored;

/// Marks a file as an outbox: "EvOb".
const APPLICATION: i64 = 0x4576_4f62;
const VERSION: i64 = 2;
const SCHEMA: &str = "
    CREATE TABLE waiting (
        id INTEGER PRIMARY KEY, lane TEXT NOT NULL, vault TEXT NOT NULL, memory TEXT, state INTEGER NOT NULL,
        accepted_at INTEGER NOT NULL, head BLOB NOT NULL, reason TEXT, parts BLOB NOT NULL DEFAULT x''
    ) STRICT;
    CREATE TABLE part (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
    PRAGMA user_version = 2;
";
/// From a table of pairs to a list of parts in each row.
const FROM_VERSION_1: &str = "
    ALTER TABLE waiting ADD COLUMN parts BLOB NOT NULL DEFAULT x'';
    ALTER TABLE part RENAME TO part_1;
    CREATE TABLE part (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
    INSERT INTO part (id, bytes) SELECT rowid, bytes FROM part_1;
";

/// The file.
pub(super) struct Table {
    pub(super) connection: Connection,
    parts: Parts,
}

/// A row by its id, its state and when it was accepted.
pub(super) type Known = (i64, RowState, i64);

impl Table {
    /// Opens the file, and makes its tables if it is new.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let at = |error: Error| error.at(path.display());
        let connection = Connection::open(path).stored().map_err(at)?;
        let mut table = Self { connection, parts: Parts::default() };
        table.prepare().map_err(at)?;
        table.count_parts().map_err(at)?;
        Ok(table)
    }

    fn prepare(&self) -> Result<()> {
        let connection = &self.connection;
        connection.busy_timeout(std::time::Duration::from_secs(5)).stored()?;
        // Only effective before the first table is made.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL").stored()?;
        connection
            .query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0))
            .stored()?;
        connection.pragma_update(None, "synchronous", "FULL").stored()?;
        // What is forgotten is overwritten, not only unlinked.
        connection.pragma_update(None, "secure_delete", true).stored()?;
        connection.pragma_update(None, "temp_store", "MEMORY").stored()?;
        let version = self.pragma("user_version")?;
        match (version, self.pragma("application_id")?) {
            (0, 0) => {
                connection.pragma_update(None, "application_id", APPLICATION).stored()?;
                connection.execute_batch(SCHEMA).stored()
            }
            (VERSION, APPLICATION) => Ok(()),
            (1, APPLICATION) => self.migrate(),
            (version, APPLICATION) => Err(Error::unavailable(format!(
                "this outbox was written by a newer Everwhen (schema {version}, this program knows {VERSION})"
            ))),
            _ => Err(Error::damaged("this SQLite file is no outbox of Everwhen's")),
        }
    }

    fn migrate(&self) -> Result<()> {
        let transaction = self.connection.unchecked_transaction().stored()?;
        transaction.execute_batch(FROM_VERSION_1).stored()?;
        for (row, ids) in lists_of_version_1(&transaction)? {
            let values = params![row, write_list(&ids)];
            transaction.execute("UPDATE waiting SET parts = ?2 WHERE id = ?1", values).stored()?;
        }
        let end = "DROP TABLE part_of; DROP TABLE part_1; PRAGMA user_version = 2";
        transaction.execute_batch(end).stored()?;
        transaction.commit().stored()
    }

    /// Counts the parts that the file holds, at the start and after a transaction that failed.
    pub(super) fn count_parts(&mut self) -> Result<()> {
        self.parts = Parts::read(&self.connection)?;
        Ok(())
    }

    fn pragma(&self, name: &str) -> Result<i64> {
        self.connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).stored()
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> Result<u64> {
        let pages = self.pragma("page_count")? - self.pragma("freelist_count")?;
        Ok((pages * self.pragma("page_size")?).max(0).cast_unsigned())
    }

    /// The highest id.
    pub(super) fn last_id(&self) -> Result<i64> {
        let sql = "SELECT coalesce(max(id), 0) FROM waiting";
        self.connection.query_row(sql, [], |row| row.get(0)).stored()
    }

    /// Every row.
    pub(super) fn known(&self) -> Result<Vec<Known>> {
        let mut found = self
            .connection
            .prepare("SELECT id, state, accepted_at FROM waiting ORDER BY id")
            .stored()?;
        let rows = found.query_map([], |row| Ok((row.get(0)?, state(row, 1)?, row.get(2)?)));
        rows.stored()?.collect::<rusqlite::Result<_>>().stored()
    }

    /// Puts a row in place of one with its id.
    pub(super) fn put(&mut self, row: &OutboxRow) -> Result<()> {
        let old = self.parts_of(row.id)?;
        let take = |bytes: &Arc<[u8]>| self.parts.take(&self.connection, bytes);
        let parts = row.parts.iter().map(take).collect::<Result<Vec<i64>>>()?;
        let sql = "INSERT OR REPLACE INTO waiting (id, lane, vault, memory, state, accepted_at, head, parts) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let (at, parts) = (row.accepted_at.as_microsecond(), write_list(&parts));
        let state = number(row.state);
        let values = params![row.id, row.lane, row.vault, row.memory, state, at, row.head, parts];
        self.connection.prepare_cached(sql).and_then(|mut put| put.execute(values)).stored()?;
        self.parts.release(&self.connection, &old)
    }

    /// Removes a row.
    pub(super) fn remove(&mut self, id: i64) -> Result<()> {
        let old = self.parts_of(id)?;
        let sql = "DELETE FROM waiting WHERE id = ?1";
        self.connection.prepare_cached(sql).and_then(|mut it| it.execute([id])).stored()?;
        self.parts.release(&self.connection, &old)
    }

    fn parts_of(&self, id: i64) -> Result<Vec<i64>> {
        let sql = "SELECT parts FROM waiting WHERE id = ?1";
        let mut found = self.connection.prepare_cached(sql).stored()?;
        let list: Option<Vec<u8>> = found.query_row([id], |row| row.get(0)).optional().stored()?;
        Ok(list.map(|list| read_list(&list)).unwrap_or_default())
    }

    /// Notes the memory of a row that waits, and its head then.
    pub(super) fn assign(&self, id: i64, memory: &str, head: &[u8]) -> Result<()> {
        let sql = "UPDATE waiting SET memory = ?2, head = ?3 WHERE id = ?1";
        let values = params![id, memory, head];
        self.connection.prepare_cached(sql).and_then(|mut it| it.execute(values)).stored().map(drop)
    }

    /// Sets a row aside.
    pub(super) fn set_aside(&self, id: i64, reason: &str) -> Result<()> {
        let sql = "UPDATE waiting SET state = ?2, reason = ?3 WHERE id = ?1";
        let values = params![id, number(RowState::SetAside), reason];
        self.connection.prepare_cached(sql).and_then(|mut it| it.execute(values)).stored().map(drop)
    }

    /// These rows, as far as they are there.
    pub(super) fn load(&self, ids: &[i64]) -> Result<Vec<OutboxRow>> {
        let sql = "SELECT id, lane, vault, memory, state, accepted_at, head, parts FROM waiting \
                   WHERE id = ?1";
        let mut found = self.connection.prepare_cached(sql).stored()?;
        let (mut rows, mut reader) = (Vec::new(), Reader::default());
        for id in ids {
            let read = |row: &Row<'_>| Ok((read(row)?, row.get::<_, Vec<u8>>(7)?));
            let Some((mut row, list)) = found.query_row([id], read).optional().stored()? else {
                continue;
            };
            row.parts = reader.read(&self.connection, &read_list(&list))?;
            rows.push(row);
        }
        Ok(rows)
    }

    /// Rows that wait, in order.
    pub(super) fn waiting(&self) -> Result<Vec<Waiting>> {
        let sql = "SELECT id, lane, vault FROM waiting WHERE state <> ?1 ORDER BY id";
        let mut found = self.connection.prepare(sql).stored()?;
        let one =
            |row: &Row<'_>| Ok(Waiting { id: row.get(0)?, lane: row.get(1)?, vault: row.get(2)? });
        let rows = found.query_map([number(RowState::SetAside)], one).stored()?;
        rows.collect::<rusqlite::Result<_>>().stored()
    }

    /// The newest rows that were set aside.
    pub(super) fn list_set_aside(&self, limit: u32) -> Result<Vec<SetAside>> {
        let sql = "SELECT id, vault, memory, accepted_at, coalesce(reason, '') FROM waiting \
                   WHERE state = ?1 ORDER BY id DESC LIMIT ?2";
        let mut found = self.connection.prepare(sql).stored()?;
        let one = |row: &Row<'_>| {
            Ok(SetAside {
                id: row.get(0)?,
                vault: row.get(1)?,
                memory: row.get(2)?,
                accepted_at: time(row, 3)?,
                reason: row.get(4)?,
            })
        };
        let rows = found.query_map(params![number(RowState::SetAside), limit], one).stored()?;
        rows.collect::<rusqlite::Result<_>>().stored()
    }

    /// The ids of rows to erase.
    pub(super) fn doomed(&self, erase: &Erase) -> Result<Vec<i64>> {
        let sql = "SELECT id, vault, memory, state, accepted_at FROM waiting";
        let mut found = self.connection.prepare(sql).stored()?;
        let one = |row: &Row<'_>| {
            let (vault, memory): (String, Option<String>) = (row.get(1)?, row.get(2)?);
            let named = |all: &Vec<String>| memory.as_ref().is_none_or(|name| all.contains(name));
            let is_meant =
                erase.vaults.contains(&vault) && erase.memories.as_ref().is_none_or(named);
            let (state, accepted_at) = (state(row, 3)?, time(row, 4)?);
            let may_hold = |since| state == RowState::SetAside && accepted_at >= since;
            let goes = is_meant && erase.part_since.is_none_or(may_hold);
            Ok(goes.then_some(row.get(0)?))
        };
        let rows = found.query_map([], one).stored()?;
        rows.filter_map(rusqlite::Result::transpose).collect::<rusqlite::Result<_>>().stored()
    }

    /// Takes over the rows of a process that is gone, behind our own.
    pub(super) fn adopt(&mut self, orphan: &Place) -> Result<()> {
        let other = Self::open(&orphan.file)?;
        let first = self.last_id()? + 1;
        // One that fails is rolled back when the connection is closed: the start ends there.
        self.connection.execute_batch("BEGIN IMMEDIATE").stored()?;
        for (id, (old, ..)) in (first..).zip(other.known()?) {
            for row in other.load(&[old])? {
                self.put(&OutboxRow { id, ..row })?;
            }
        }
        self.connection.execute_batch("COMMIT").stored()?;
        drop(other);
        orphan.remove();
        Ok(())
    }

    /// Empties the write-ahead log, so that nothing removed lingers there, and gives pages back.
    pub(super) fn tidy(&self) -> Result<()> {
        self.connection.execute_batch("PRAGMA incremental_vacuum").stored()?;
        self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).stored()
    }
}

/// The parts of each row, in their order.
fn lists_of_version_1(connection: &Connection) -> Result<BTreeMap<i64, Vec<i64>>> {
    let sql = "SELECT part_of.row, part_1.rowid FROM part_of JOIN part_1 USING (hash) \
               ORDER BY part_of.row, part_of.place";
    let mut pairs = connection.prepare(sql).stored()?;
    let pairs = pairs.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).stored()?;
    let mut lists: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for pair in pairs {
        let (row, part) = pair.stored()?;
        lists.entry(row).or_default().push(part);
    }
    Ok(lists)
}

fn read(row: &Row<'_>) -> rusqlite::Result<OutboxRow> {
    Ok(OutboxRow {
        id: row.get(0)?,
        lane: row.get(1)?,
        vault: row.get(2)?,
        memory: row.get(3)?,
        state: state(row, 4)?,
        accepted_at: time(row, 5)?,
        head: row.get(6)?,
        parts: Vec::new(),
    })
}

fn number(state: RowState) -> i64 {
    match state {
        RowState::Open => 0,
        RowState::Complete => 1,
        RowState::SetAside => 2,
    }
}

fn state(row: &Row<'_>, column: usize) -> rusqlite::Result<RowState> {
    Ok(match row.get::<_, i64>(column)? {
        0 => RowState::Open,
        1 => RowState::Complete,
        _ => RowState::SetAside,
    })
}

fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    let microseconds: i64 = row.get(column)?;
    Ok(Timestamp::from_microsecond(microseconds).unwrap_or(Timestamp::UNIX_EPOCH))
}
