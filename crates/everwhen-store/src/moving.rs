//! Moving everything from one store to another, table by table, and proving that it arrived.
//!
//! Rows travel as they are kept: nothing here knows what they mean, so a table that is added to both
//! stores under the same names moves without a word here. Each side reads and writes plain values;
//! what differs between the two databases (how an id, a list or a flag is kept) is settled there.

mod postgres;
mod sqlite;

use std::collections::BTreeMap;
use std::path::PathBuf;

use everwhen_engine::{Error, Result};

/// Rows in the hand at a time.
const STEP: usize = 2_000;

/// One end of a move.
#[derive(Clone)]
pub enum End {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL database, by its URL.
    Postgres(String),
}

/// What became of one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// Its name.
    pub table: String,
    /// Its rows, all of which were read again and compared.
    pub rows: u64,
}

/// A value between two databases.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Null,
    Number(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// The names of a table's columns, in order.
type Tables = BTreeMap<String, Vec<String>>;

/// A database to read from or write to, in one transaction.
trait Side {
    /// All tables that hold something of ours.
    fn tables(&mut self) -> Result<Tables>;
    /// Hands over all rows of a table.
    fn read(&mut self, table: &str, columns: &[String], take: Take<'_>) -> Result<()>;
    /// Adds rows to a table.
    fn write(&mut self, table: &str, columns: &[String], rows: &[Vec<Value>]) -> Result<()>;
    /// Keeps what was written.
    fn commit(&mut self) -> Result<()>;
}

type Take<'t> = &'t mut dyn FnMut(Vec<Vec<Value>>) -> Result<()>;

/// Moves everything from one end to the other, which must be empty, and reads it there again. If
/// anything fails, the other end stays empty. `say` is told of every table.
pub fn move_all(from: &End, to: &End, say: &(dyn Fn(&Moved) + Sync)) -> Result<Vec<Moved>> {
    // Connections are driven by the thread that uses them, and the caller may be driving something.
    std::thread::scope(|scope| {
        let moving = scope.spawn(|| walk(from, to, say));
        moving.join().unwrap_or_else(|_| Err(Error::damaged("a bug: the move panicked")))
    })
}

fn walk(from: &End, to: &End, say: &dyn Fn(&Moved)) -> Result<Vec<Moved>> {
    let (mut source, mut target) = (open(from)?, open(to)?);
    let tables = source.tables()?;
    check(&tables, &target.tables()?)?;
    for (table, columns) in &tables {
        refuse_full(&mut *target, table, columns)?;
    }
    let mut sent = Vec::new();
    for (table, columns) in &tables {
        let sum = carry(&mut *source, &mut *target, table, columns)?;
        say(&Moved { table: table.clone(), rows: sum.rows });
        sent.push((table, columns, sum));
    }
    target.commit()?;
    let mut arrived = open(to)?;
    sent.into_iter()
        .map(|(table, columns, sum)| prove(&mut *arrived, table, columns, &sum))
        .collect()
}

fn open(end: &End) -> Result<Box<dyn Side>> {
    Ok(match end {
        End::Sqlite(path) => Box::new(sqlite::Sqlite::open(path)?),
        End::Postgres(url) => Box::new(postgres::Postgres::open(url)?),
    })
}

/// Both sides must know the same tables and columns, or something would be left behind.
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

fn refuse_full(target: &mut dyn Side, table: &str, columns: &[String]) -> Result<()> {
    let full = Error::conflict(format!(
        "the store to move to is not empty (there are rows in {table}); name an empty one"
    ));
    target
        .read(table, columns, &mut |rows| if rows.is_empty() { Ok(()) } else { Err(full.clone()) })
}

fn carry(
    source: &mut dyn Side,
    target: &mut dyn Side,
    table: &str,
    columns: &[String],
) -> Result<Sum> {
    let mut sum = Sum::default();
    source.read(table, columns, &mut |rows| {
        rows.iter().for_each(|row| sum.add(row));
        target.write(table, columns, &rows)
    })?;
    Ok(sum)
}

fn prove(side: &mut dyn Side, table: &str, columns: &[String], sent: &Sum) -> Result<Moved> {
    let mut found = Sum::default();
    side.read(table, columns, &mut |rows| {
        rows.iter().for_each(|row| found.add(row));
        Ok(())
    })?;
    if found == *sent {
        return Ok(Moved { table: table.to_owned(), rows: found.rows });
    }
    Err(Error::damaged(format!(
        "{table} did not arrive as it was sent: {} rows went, {} came, or their contents differ; \
         empty the other store and move again",
        sent.rows, found.rows
    )))
}

/// How many rows there were, and what they held, in whatever order.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sum {
    rows: u64,
    digest: [u64; 4],
}

impl Sum {
    fn add(&mut self, row: &[Value]) {
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

impl Value {
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
