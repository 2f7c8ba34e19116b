//! The tables of the outbox, and every statement on them.

use std::path::Path;

use everwhen_engine::{Error, Result};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::place::Place;
use super::{Erase, OutboxRow, RowState, SetAside, Waiting};
use crate::sqlite::Stored;

/// Marks a file as an outbox: "EvOb".
const APPLICATION: i64 = 0x4576_4f62;
const SCHEMA: &str = "
    CREATE TABLE waiting (
        id INTEGER PRIMARY KEY, lane TEXT NOT NULL, vault TEXT NOT NULL, memory TEXT, state INTEGER NOT NULL,
        accepted_at INTEGER NOT NULL, head BLOB NOT NULL, reason TEXT
    ) STRICT;
    CREATE TABLE part (hash BLOB PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
    CREATE TABLE part_of (
        row INTEGER NOT NULL, place INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (row, place)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX part_used ON part_of (hash);
    PRAGMA user_version = 1;
";

/// The file.
pub(super) struct Table {
    pub(super) connection: Connection,
}

/// A row by its id, its state and when it was accepted.
pub(super) type Known = (i64, RowState, i64);

impl Table {
    /// Opens the file, and makes its tables if it is new.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let at = |error: Error| error.at(path.display());
        let connection = Connection::open(path).stored().map_err(at)?;
        let table = Self { connection };
        table.prepare().map_err(at)?;
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
            (1, APPLICATION) => Ok(()),
            (version, APPLICATION) => Err(Error::unavailable(format!(
                "this outbox was written by a newer Everwhen (schema {version}, this program knows 1)"
            ))),
            _ => Err(Error::damaged("this SQLite file is no outbox of Everwhen's")),
        }
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

    /// Puts a row in the place of one with its id.
    pub(super) fn put(&self, row: &OutboxRow) -> Result<()> {
        self.drop_parts(row.id)?;
        let sql = "INSERT OR REPLACE INTO waiting (id, lane, vault, memory, state, accepted_at, head) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let at = row.accepted_at.as_microsecond();
        let values =
            params![row.id, row.lane, row.vault, row.memory, number(row.state), at, row.head];
        self.connection.prepare_cached(sql).and_then(|mut put| put.execute(values)).stored()?;
        for (place, bytes) in (0_i64..).zip(&row.parts) {
            let hash = blake3::hash(bytes);
            let sql = "INSERT OR IGNORE INTO part (hash, bytes) VALUES (?1, ?2)";
            let values = params![hash.as_bytes(), bytes];
            self.connection.prepare_cached(sql).and_then(|mut put| put.execute(values)).stored()?;
            let sql = "INSERT INTO part_of (row, place, hash) VALUES (?1, ?2, ?3)";
            let values = params![row.id, place, hash.as_bytes()];
            self.connection.prepare_cached(sql).and_then(|mut put| put.execute(values)).stored()?;
        }
        Ok(())
    }

    /// Removes a row.
    pub(super) fn remove(&self, id: i64) -> Result<()> {
        self.drop_parts(id)?;
        let sql = "DELETE FROM waiting WHERE id = ?1";
        self.connection.prepare_cached(sql).and_then(|mut it| it.execute([id])).stored().map(drop)
    }

    /// Removes the parts of a row that no other row shares.
    fn drop_parts(&self, id: i64) -> Result<()> {
        let unshared = "DELETE FROM part WHERE hash IN (SELECT hash FROM part_of WHERE row = ?1) \
                        AND NOT EXISTS (SELECT 1 FROM part_of WHERE hash = part.hash AND row <> ?1)";
        for sql in [unshared, "DELETE FROM part_of WHERE row = ?1"] {
            self.connection.prepare_cached(sql).and_then(|mut it| it.execute([id])).stored()?;
        }
        Ok(())
    }

    /// Sets a row aside.
    pub(super) fn set_aside(&self, id: i64, reason: &str) -> Result<()> {
        let sql = "UPDATE waiting SET state = ?2, reason = ?3 WHERE id = ?1";
        let values = params![id, number(RowState::SetAside), reason];
        self.connection.prepare_cached(sql).and_then(|mut it| it.execute(values)).stored().map(drop)
    }

    /// A row, whole.
    pub(super) fn load(&self, id: i64) -> Result<Option<OutboxRow>> {
        let sql =
            "SELECT id, lane, vault, memory, state, accepted_at, head FROM waiting WHERE id = ?1";
        let mut found = self.connection.prepare_cached(sql).stored()?;
        let row = found.query_row([id], read).optional().stored()?;
        let Some(mut row) = row else { return Ok(None) };
        let sql = "SELECT bytes FROM part_of JOIN part USING (hash) WHERE row = ?1 ORDER BY place";
        let mut parts = self.connection.prepare_cached(sql).stored()?;
        let parts = parts.query_map([id], |part| part.get(0)).stored()?;
        row.parts = parts.collect::<rusqlite::Result<_>>().stored()?;
        Ok(Some(row))
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
        let sql = "SELECT id, vault, memory, state FROM waiting";
        let mut found = self.connection.prepare(sql).stored()?;
        let one = |row: &Row<'_>| {
            let (id, vault): (i64, String) = (row.get(0)?, row.get(1)?);
            Ok((id, vault, row.get::<_, Option<String>>(2)?, state(row, 3)?))
        };
        let rows = found.query_map([], one).stored()?;
        let rows: Vec<_> = rows.collect::<rusqlite::Result<_>>().stored()?;
        let goes = |vault: &String, memory: &Option<String>, state: RowState| {
            let named = |all: &Vec<String>| memory.as_ref().is_none_or(|name| all.contains(name));
            erase.vaults.contains(vault)
                && erase.memories.as_ref().is_none_or(named)
                && (erase.open_too || state != RowState::Open)
        };
        let doomed = rows.iter().filter(|(_, vault, memory, state)| goes(vault, memory, *state));
        Ok(doomed.map(|(id, ..)| *id).collect())
    }

    /// Takes over the rows of a process that is gone, behind our own.
    pub(super) fn adopt(&mut self, orphan: &Place) -> Result<()> {
        let other = Self::open(&orphan.file)?;
        let first = self.last_id()? + 1;
        let transaction = self.connection.unchecked_transaction().stored()?;
        for (id, (old, ..)) in (first..).zip(other.known()?) {
            if let Some(row) = other.load(old)? {
                self.put(&OutboxRow { id, ..row })?;
            }
        }
        transaction.commit().stored()?;
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
