//! A memory as lines of JSON, and back: everything that belongs to it, one row a line.
//!
//! [`records`] says which tables belong to a memory and what their columns mean; nothing else here knows
//! a table. Lines come in an order that depends on the rows alone, so the same memory is the same text in
//! every database. `docs/export.md` describes the format for readers.

mod field;
mod records;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use everwhen_engine::ports::MemoryRef;
use everwhen_engine::{Error, Result};
use serde_json::value::RawValue;

use self::field::{Holder, Kind};
use self::records::RECORDS;
use super::table::insert_numbered;
use super::{Database, Dialect, More, Query, Row, Value};

/// Rows that are read at a time.
const PAGE: usize = 1_000;

/// A table of which rows belong to a memory.
struct Record {
    /// What a line of it is called.
    name: &'static str,
    table: &'static str,
    /// The column with the id of the memory.
    memory: &'static str,
    /// The vault and what that column has.
    place: fn(MemoryRef) -> [Value<'static>; 2],
    /// Columns that order the rows and tell them apart. If there are none, all columns order them.
    key: &'static [&'static str],
    /// Which rows are meant, as the end of a condition.
    only: &'static str,
    /// Its own columns, and those it has in common with another.
    fields: [&'static [Field]; 2],
    /// Columns that a restored row has another way, as numbers.
    constants: &'static [(&'static str, i64)],
}

/// A column and what it holds.
struct Field {
    name: &'static str,
    kind: Kind,
}

/// Hands over everything of a memory, a line at a time.
pub(crate) fn lines(
    db: &dyn Database,
    memory: MemoryRef,
    take: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<()> {
    RECORDS.iter().try_for_each(|record| record.lines(db, memory, take))
}

/// Adds what a line says to a memory.
pub(crate) fn restore(db: &dyn Database, memory: MemoryRef, line: &str) -> Result<()> {
    let mut said: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_str(line)
        .map_err(|error| Error::invalid(format!("a line is not as exports have it: {error}")))?;
    let name = said.remove("type").map(RawValue::get).unwrap_or_default();
    let found = RECORDS.iter().position(|record| format!("{:?}", record.name) == name);
    let at = found.ok_or_else(|| {
        Error::invalid(format!("no record is called {name}; a newer version may have written it"))
    })?;
    RECORDS[at].restore(db, memory, said, insert_text(at, db.dialect()))
}

/// The statement that adds a row of a record, made once.
fn insert_text(record: usize, dialect: Dialect) -> &'static str {
    static TEXTS: OnceLock<Vec<[String; 2]>> = OnceLock::new();
    let texts = TEXTS.get_or_init(|| {
        let text = |record: &Record, dialect: Dialect| dialect.parameters(record.insert());
        let both = |record| [Dialect::Sqlite, Dialect::Postgres].map(|one| text(record, one));
        RECORDS.iter().map(both).collect()
    });
    &texts[record][dialect as usize]
}

impl Record {
    fn fields(&self) -> impl Iterator<Item = &'static Field> {
        self.fields.into_iter().flatten()
    }

    fn insert(&self) -> String {
        let constants = self.constants.iter().map(|(name, _)| *name);
        let fields = self.fields().map(|field| field.name);
        let columns: Vec<&str> =
            ["vault_id", self.memory].into_iter().chain(fields).chain(constants).collect();
        if self.key.is_empty() {
            return insert_numbered(self.table, &columns);
        }
        let parameters: Vec<String> = (1..=columns.len()).map(|n| format!("?{n}")).collect();
        let (columns, parameters) = (columns.join(", "), parameters.join(", "));
        format!("INSERT INTO {} ({columns}) VALUES ({parameters})", self.table)
    }

    /// The statement that selects a page: the first one, or the one behind a row.
    fn select(&self, is_first: bool) -> String {
        let columns: Vec<&str> = self.fields().map(|field| field.name).collect();
        let behind = match (self.key, is_first) {
            ([], _) | (_, true) => String::new(),
            (key, false) => {
                let values: Vec<String> = (3..3 + key.len()).map(|n| format!("?{n}")).collect();
                format!(" AND ({}) > ({})", key.join(", "), values.join(", "))
            }
        };
        let order = if self.key.is_empty() { columns.join(", ") } else { self.key.join(", ") };
        let offset = if self.key.is_empty() { " OFFSET ?3" } else { "" };
        format!(
            "SELECT {} FROM {} WHERE vault_id = ?1 AND {} = ?2{}{behind} ORDER BY {order} LIMIT {PAGE}{offset}",
            columns.join(", "),
            self.table,
            self.memory,
            self.only,
        )
    }

    fn lines(
        &self,
        db: &dyn Database,
        memory: MemoryRef,
        take: &mut dyn FnMut(&str) -> Result<()>,
    ) -> Result<()> {
        let mut behind: Vec<Value<'static>> = Vec::new();
        let (mut count, mut line) = (0_usize, String::new());
        loop {
            let mut values: Vec<Value<'_>> = (self.place)(memory).into();
            let is_first = behind.is_empty();
            if self.key.is_empty() {
                values.push(Value::Number(i64::try_from(count).unwrap_or(i64::MAX)));
            }
            values.append(&mut behind);
            let sql = db.dialect().parameters(self.select(is_first));
            let before = count;
            let each: super::Take<'_> = &mut |row| {
                self.write(row, &mut line)?;
                count += 1;
                if count - before == PAGE {
                    behind = self.key_of(row)?;
                }
                take(&line).map(|()| More::Wanted)
            };
            db.query(Query { sql: &sql, values: &values, each: None, take: each })?;
            if count - before < PAGE {
                return Ok(());
            }
        }
    }

    /// Where an id alone is unique, a vault and its copy cannot be in the same store.
    fn explained(&self, error: Error) -> Error {
        match error.message().contains("UNIQUE constraint") {
            true => Error::conflict(format!(
                "a {} of this id is in another memory of this store; import into a store of its own, such as \
                 another data directory",
                self.name
            )),
            false => error,
        }
    }

    fn key_of(&self, row: &dyn Row) -> Result<Vec<Value<'static>>> {
        let place = |name: &&str| self.fields().position(|field| field.name == *name);
        let cells = self.key.iter().filter_map(place).map(|at| row.cell(at));
        cells.map(|cell| cell.map(field::owned)).collect()
    }

    fn write(&self, row: &dyn Row, line: &mut String) -> Result<()> {
        line.clear();
        line.push_str("{\"type\":\"");
        line.push_str(self.name);
        line.push('"');
        for (at, Field { name, kind }) in self.fields().enumerate() {
            let Some(text) = kind.write(row.cell(at)?).map_err(|error| error.at(*name))? else {
                continue;
            };
            line.push_str(",\"");
            line.push_str(name);
            line.push_str("\":");
            line.push_str(&text);
        }
        line.push('}');
        Ok(())
    }

    fn restore(
        &self,
        db: &dyn Database,
        memory: MemoryRef,
        mut said: HashMap<Cow<'_, str>, &RawValue>,
        sql: &str,
    ) -> Result<()> {
        let mut held = Vec::with_capacity(self.fields().count());
        for Field { name, kind } in self.fields() {
            let text = said.remove(*name).map(RawValue::get);
            let value = kind.read(text).ok_or_else(|| {
                let text = text.unwrap_or("nothing");
                let shown: String = text.chars().take(40).collect();
                Error::invalid(format!("{} has an impossible {name}: {shown}", self.name))
            });
            held.push(value?);
        }
        if let Some(other) = said.keys().next() {
            return Err(Error::invalid(format!(
                "{} has a field {other:?} that is not known here; a newer version may have written it",
                self.name
            )));
        }
        let constants = self.constants.iter().map(|(_, number)| Value::Number(*number));
        let values: Vec<Value<'_>> = (self.place)(memory)
            .into_iter()
            .chain(held.iter().map(Holder::value))
            .chain(constants)
            .collect();
        db.send(sql, &values).map_err(|error| self.explained(error))
    }
}
