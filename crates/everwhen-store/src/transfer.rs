//! Copies everything from one store to another, table by table, and verifies it with checksums.
//!
//! Rows are copied as they are stored: nothing here knows what they mean, so a table that both stores
//! have under the same names needs no code here. Each side reads and writes plain values; what differs
//! between the two databases (how an id, a list or a flag is stored) is handled there.

mod postgres;
mod sqlite;

use std::collections::BTreeMap;
use std::path::PathBuf;

use everwhen_engine::{Error, Result};

/// The number of rows that are read at a time.
const STEP: usize = 2_000;

/// A store to copy from or to.
#[derive(Clone)]
pub enum TransferEnd {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL database, by its URL.
    Postgres(String),
}

/// A table that was copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferredTable {
    /// Its name.
    pub table: String,
    /// Its rows, all of which were read again and compared.
    pub rows: u64,
}

/// A value on its way from one database to the other.
#[derive(Debug, Clone, PartialEq)]
enum TransferValue {
    Null,
    Number(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// The names of a table's columns, in order.
type Tables = BTreeMap<String, Vec<String>>;

/// A database to read from or write to, in one transaction.
trait TransferSide {
    /// Returns all tables of ours.
    fn tables(&mut self) -> Result<Tables>;
    /// Passes all rows of a table to `take`.
    fn read(&mut self, table: &str, columns: &[String], take: RowSink<'_>) -> Result<()>;
    /// Adds rows to a table.
    fn write(&mut self, table: &str, columns: &[String], rows: &[Vec<TransferValue>])
    -> Result<()>;
    /// Commits what was written.
    fn commit(&mut self) -> Result<()>;
}

type RowSink<'t> = &'t mut dyn FnMut(Vec<Vec<TransferValue>>) -> Result<()>;

/// Copies everything from one store to the other, which must be empty, and reads it there again. If
/// anything fails, the other store stays empty. `say` is called after every table.
pub fn transfer_all(
    from: &TransferEnd,
    to: &TransferEnd,
    say: &(dyn Fn(&TransferredTable) + Sync),
) -> Result<Vec<TransferredTable>> {
    // Connections are driven by the thread that uses them, and the caller may be driving something.
    std::thread::scope(|scope| {
        let moving = scope.spawn(|| transfer(from, to, say));
        moving.join().unwrap_or_else(|_| Err(Error::damaged("a bug: the move panicked")))
    })
}

fn transfer(
    from: &TransferEnd,
    to: &TransferEnd,
    say: &dyn Fn(&TransferredTable),
) -> Result<Vec<TransferredTable>> {
    let (mut source, mut target) = (open(from)?, open(to)?);
    let tables = source.tables()?;
    check(&tables, &target.tables()?)?;
    for (table, columns) in &tables {
        require_empty(&mut *target, table, columns)?;
    }
    let mut sent = Vec::new();
    for (table, columns) in &tables {
        let sum = copy_table(&mut *source, &mut *target, table, columns)?;
        say(&TransferredTable { table: table.clone(), rows: sum.rows });
        sent.push((table, columns, sum));
    }
    target.commit()?;
    let mut arrived = open(to)?;
    sent.into_iter()
        .map(|(table, columns, sum)| verify(&mut *arrived, table, columns, &sum))
        .collect()
}

fn open(end: &TransferEnd) -> Result<Box<dyn TransferSide>> {
    Ok(match end {
        TransferEnd::Sqlite(path) => Box::new(sqlite::Sqlite::open(path)?),
        TransferEnd::Postgres(url) => Box::new(postgres::Postgres::open(url)?),
    })
}

/// Both sides must have the same tables and columns, or something would be left out.
fn check(source: &Tables, target: &Tables) -> Result<()> {
    for (table, columns) in source {
        let known = target.get(table);
        let missing = columns.iter().find(|it| known.is_none_or(|known| !known.contains(it)));
        if let Some(column) = missing {
            return Err(Error::damaged(format!(
                "the other store has no place for {table}.{column}; nothing was moved"
            )));
        }
    }
    Ok(())
}

fn require_empty(target: &mut dyn TransferSide, table: &str, columns: &[String]) -> Result<()> {
    let full = Error::conflict(format!(
        "the store to move to is not empty (there are rows in {table}); name an empty one"
    ));
    target
        .read(table, columns, &mut |rows| if rows.is_empty() { Ok(()) } else { Err(full.clone()) })
}

fn copy_table(
    source: &mut dyn TransferSide,
    target: &mut dyn TransferSide,
    table: &str,
    columns: &[String],
) -> Result<TableChecksum> {
    let mut sum = TableChecksum::default();
    source.read(table, columns, &mut |rows| {
        rows.iter().for_each(|row| sum.add(row));
        target.write(table, columns, &rows)
    })?;
    Ok(sum)
}

fn verify(
    side: &mut dyn TransferSide,
    table: &str,
    columns: &[String],
    sent: &TableChecksum,
) -> Result<TransferredTable> {
    let mut found = TableChecksum::default();
    side.read(table, columns, &mut |rows| {
        rows.iter().for_each(|row| found.add(row));
        Ok(())
    })?;
    if found == *sent {
        return Ok(TransferredTable { table: table.to_owned(), rows: found.rows });
    }
    Err(Error::damaged(format!(
        "{table} did not arrive as it was sent: {} rows went, {} came, or their contents differ; \
         empty the other store and move again",
        sent.rows, found.rows
    )))
}

/// The number of rows of a table, and a checksum of their contents that does not depend on their order.
#[derive(Debug, Default, PartialEq, Eq)]
struct TableChecksum {
    rows: u64,
    digest: [u64; 4],
}

impl TableChecksum {
    fn add(&mut self, row: &[TransferValue]) {
        let mut hasher = blake3::Hasher::new();
        row.iter().for_each(|value| value.hash(&mut hasher));
        let digest = hasher.finalize();
        for (lane, bytes) in self.digest.iter_mut().zip(digest.as_bytes().chunks_exact(8)) {
            let part = bytes.try_into().map_or(0, u64::from_le_bytes);
            *lane = lane.wrapping_add(part);
        }
        self.rows += 1;
    }
}

impl TransferValue {
    fn hash(&self, hasher: &mut blake3::Hasher) {
        let (mark, bytes): (u8, &[u8]) = match self {
            Self::Null => (0, &[]),
            Self::Number(number) => (1, &number.to_le_bytes()),
            Self::Real(real) => (2, &real.to_le_bytes()),
            Self::Text(text) => (3, text.as_bytes()),
            Self::Bytes(bytes) => (4, bytes),
        };
        hasher.update(&[mark]).update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    }
}
