//! Tables, columns and queries, each declared once for every database.
//!
//! A file of this module holds one subject: its columns by name, the statements about it and how a
//! row becomes a value of the engine. A statement is written with numbered parameters (`?1`) and
//! turned into the text of one database the first time it is needed ([`Sql`]). What really differs
//! between databases is in [`Dialect`]; what a database has to be able to do is [`Database`]. The
//! folders `sqlite` and `postgres` implement that trait and own connections, threads, transactions
//! and migrations.
//!
//! Every statement about a memory has the vault as its first value and the memory as its second, so
//! that a cluster that distributes tables by vault can send it to one node.

pub(crate) mod activities;
pub(crate) mod archive;
pub(crate) mod chapters;
mod columns;
pub(crate) mod contexts;
pub(crate) mod conversations;
mod database;
pub(crate) mod density;
mod dialect;
pub(crate) mod entries;
pub(crate) mod facts;
mod filter;
pub(crate) mod forget;
pub(crate) mod jobs;
pub(crate) mod keys;
pub(crate) mod ledger;
pub(crate) mod memories;
pub(crate) mod past;
pub(crate) mod proofs;
pub(crate) mod receipts;
mod registry;
pub(crate) mod segments;
pub(crate) mod summaries;
mod table;
pub(crate) mod tombstones;
pub(crate) mod usage;
mod value;
pub(crate) mod vaults;

pub(crate) use database::{Database, More, Query, Row, Take};
pub(crate) use dialect::Dialect;
pub(crate) use table::{At, Columns, Declared, Named, Sql, TableDefinition, columns, table};
pub(crate) use value::{Cell, Column, Value};

use everwhen_engine::ports::MemoryRef;

/// The condition that names a memory; [`place`] gives its two values.
const IN_MEMORY: &str = "WHERE vault_id = ?1 AND memory_id = ?2";

/// The two ids that every statement about a memory names first.
fn place(memory: MemoryRef) -> [Value<'static>; 2] {
    [memory.vault.into(), memory.memory.into()]
}

/// A limit of a list; the highest number where there is none.
fn limit(most: Option<usize>) -> Value<'static> {
    Value::Number(most.and_then(|most| i64::try_from(most).ok()).unwrap_or(i64::MAX))
}
