//! A PostgreSQL database as one side of a transfer.

use std::collections::BTreeMap;

use everwhen_engine::{Error, Result};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::{RowSink, STEP, Tables, TransferSide, TransferValue};
use crate::postgres::{Connection, PostgresOptions, TransactionMode, connect, get};

/// Tables that are made of others, or count migrations.
const OWN: [&str; 2] = ["vault_name", "everwhen_schema"];

/// The database, in one transaction.
pub(super) struct Postgres {
    connection: Connection,
    /// The type of each column, by table and name.
    kinds: BTreeMap<(String, String), String>,
    writes: bool,
}

impl Postgres {
    pub(super) fn open(url: &str) -> Result<Self> {
        let connection = connect(url, PostgresOptions::default())?;
        connection.begin(TransactionMode::Write);
        // One state, whatever others write meanwhile.
        connection.run_script("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")?;
        let kinds = kinds(&connection)?;
        Ok(Self { connection, kinds, writes: false })
    }

    fn kind(&self, table: &str, column: &str) -> Result<&str> {
        let kind = self.kinds.get(&(table.to_owned(), column.to_owned()));
        kind.map(String::as_str)
            .ok_or_else(|| Error::damaged(format!("the database has no column {table}.{column}")))
    }
}

fn kinds(connection: &Connection) -> Result<BTreeMap<(String, String), String>> {
    let sql = "SELECT c.relname::text, a.attname::text, format_type(a.atttypid, NULL)
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
          AND c.relname !~ '_[0-9]{5,}$' AND a.attnum > 0 AND NOT a.attisdropped";
    let rows = connection.query(sql, &[])?;
    rows.iter()
        .map(|row| {
            let (table, column): (String, String) = (get(row, 0)?, get(row, 1)?);
            Ok(((table, column), get(row, 2)?))
        })
        .collect()
}

impl TransferSide for Postgres {
    fn tables(&mut self) -> Result<Tables> {
        let mut tables = Tables::new();
        for (table, column) in self.kinds.keys().filter(|(table, _)| !OWN.contains(&table.as_str()))
        {
            tables.entry(table.clone()).or_default().push(column.clone());
        }
        Ok(tables)
    }

    fn read(&mut self, table: &str, columns: &[String], take: RowSink<'_>) -> Result<()> {
        let kinds: Vec<&str> =
            columns.iter().map(|column| self.kind(table, column)).collect::<Result<_>>()?;
        let names: Vec<String> = columns.iter().map(|column| format!("\"{column}\"")).collect();
        let names = names.join(", ");
        let cursor = format!("all_of_{table}");
        self.connection.run_script(&format!(
            "DECLARE {cursor} NO SCROLL CURSOR FOR SELECT {names} FROM {table}"
        ))?;
        loop {
            let found = self.connection.query(&format!("FETCH {STEP} FROM {cursor}"), &[])?;
            let is_all = found.len() < STEP;
            take(found.iter().map(|row| values(row, &kinds)).collect::<Result<_>>()?)?;
            if is_all {
                return self.connection.run_script(&format!("CLOSE {cursor}"));
            }
        }
    }

    fn write(
        &mut self,
        table: &str,
        columns: &[String],
        rows: &[Vec<TransferValue>],
    ) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        self.writes = true;
        let (mut names, mut arrays, mut made) = (Vec::new(), Vec::new(), Vec::new());
        let mut lists: Vec<Box<dyn ToSql + Sync>> = Vec::new();
        for (place, column) in columns.iter().enumerate() {
            let kind = self.kind(table, column)?;
            let (array, expression) = shape(kind, place + 1);
            names.push(format!("\"{column}\""));
            arrays.push(format!("${}::{array}[]", place + 1));
            made.push(expression);
            lists.push(list(array, rows.iter().map(|row| &row[place]))?);
        }
        let fields: Vec<String> = (1..=columns.len()).map(|place| format!("c{place}")).collect();
        let sql = format!(
            "INSERT INTO {table} ({}) SELECT {} FROM unnest({}) AS rows ({})",
            names.join(", "),
            made.join(", "),
            arrays.join(", "),
            fields.join(", ")
        );
        let lists: Vec<&(dyn ToSql + Sync)> = lists.iter().map(AsRef::as_ref).collect();
        self.connection.execute(&sql, &lists).map(drop)
    }

    fn commit(&mut self) -> Result<()> {
        if self.writes {
            let sql = "INSERT INTO vault_name (name, vault_id) SELECT name, vault_id FROM vault";
            self.connection.execute(sql, &[])?;
        }
        self.connection.commit().map_err(|_| {
            Error::unavailable(
                "what was moved could not be committed; the other store is as it was",
            )
        })
    }
}

/// As what a column travels, and how it is made from that.
fn shape(kind: &str, place: usize) -> (&'static str, String) {
    let plain = format!("c{place}");
    match kind {
        "uuid" => ("uuid", plain),
        "bytea" => ("bytea", plain),
        "boolean" => ("bigint", format!("c{place} <> 0")),
        "smallint" | "integer" => ("bigint", format!("c{place}::{kind}")),
        "bigint" => ("bigint", plain),
        "double precision" | "real" => ("double precision", format!("c{place}::{kind}")),
        "text[]" => (
            "text",
            format!(
                "(SELECT array_agg(one ORDER BY place)
                  FROM jsonb_array_elements_text(c{place}::jsonb) WITH ORDINALITY AS of (one, place))"
            ),
        ),
        _ => ("text", plain),
    }
}

/// One column of many rows.
fn list<'v>(
    array: &str,
    values: impl Iterator<Item = &'v TransferValue>,
) -> Result<Box<dyn ToSql + Sync>> {
    Ok(match array {
        "uuid" => Box::new(values.map(uuid).collect::<Result<Vec<Option<Uuid>>>>()?),
        "bytea" => Box::new(values.map(bytes).collect::<Result<Vec<Option<Vec<u8>>>>>()?),
        "bigint" => Box::new(values.map(number).collect::<Result<Vec<Option<i64>>>>()?),
        "double precision" => Box::new(values.map(real).collect::<Result<Vec<Option<f64>>>>()?),
        _ => Box::new(values.map(text).collect::<Result<Vec<Option<String>>>>()?),
    })
}

fn strange(value: &TransferValue) -> Error {
    let kind = match value {
        TransferValue::Null => "nothing",
        TransferValue::Number(_) => "a number",
        TransferValue::Real(_) => "a fraction",
        TransferValue::Text(_) => "text",
        TransferValue::Bytes(_) => "bytes",
    };
    Error::damaged(format!("a column holds {kind}, which the other store cannot keep there"))
}

fn uuid(value: &TransferValue) -> Result<Option<Uuid>> {
    match value {
        TransferValue::Null => Ok(None),
        TransferValue::Bytes(bytes) => {
            Uuid::from_slice(bytes).map(Some).map_err(|_| strange(value))
        }
        other => Err(strange(other)),
    }
}

fn bytes(value: &TransferValue) -> Result<Option<Vec<u8>>> {
    match value {
        TransferValue::Null => Ok(None),
        TransferValue::Bytes(bytes) => Ok(Some(bytes.clone())),
        other => Err(strange(other)),
    }
}

fn number(value: &TransferValue) -> Result<Option<i64>> {
    match value {
        TransferValue::Null => Ok(None),
        TransferValue::Number(number) => Ok(Some(*number)),
        other => Err(strange(other)),
    }
}

fn real(value: &TransferValue) -> Result<Option<f64>> {
    match value {
        TransferValue::Null => Ok(None),
        TransferValue::Real(real) => Ok(Some(*real)),
        other => Err(strange(other)),
    }
}

fn text(value: &TransferValue) -> Result<Option<String>> {
    match value {
        TransferValue::Null => Ok(None),
        TransferValue::Text(text) => Ok(Some(text.clone())),
        other => Err(strange(other)),
    }
}

fn values(row: &Row, kinds: &[&str]) -> Result<Vec<TransferValue>> {
    kinds.iter().enumerate().map(|(place, kind)| value(row, place, kind)).collect()
}

fn value(row: &Row, place: usize, kind: &str) -> Result<TransferValue> {
    let number = |number: Option<i64>| number.map_or(TransferValue::Null, TransferValue::Number);
    Ok(match kind {
        "uuid" => get::<Option<Uuid>>(row, place)?
            .map_or(TransferValue::Null, |id| TransferValue::Bytes(id.as_bytes().to_vec())),
        "bytea" => {
            get::<Option<Vec<u8>>>(row, place)?.map_or(TransferValue::Null, TransferValue::Bytes)
        }
        "boolean" => number(get::<Option<bool>>(row, place)?.map(i64::from)),
        "smallint" => number(get::<Option<i16>>(row, place)?.map(i64::from)),
        "integer" => number(get::<Option<i32>>(row, place)?.map(i64::from)),
        "bigint" => number(get(row, place)?),
        "real" => get::<Option<f32>>(row, place)?
            .map_or(TransferValue::Null, |real| TransferValue::Real(f64::from(real))),
        "double precision" => {
            get::<Option<f64>>(row, place)?.map_or(TransferValue::Null, TransferValue::Real)
        }
        "text[]" => get::<Option<Vec<String>>>(row, place)?.map_or(TransferValue::Null, |texts| {
            TransferValue::Text(serde_json::to_string(&texts).expect("a list of strings is JSON"))
        }),
        _ => get::<Option<String>>(row, place)?.map_or(TransferValue::Null, TransferValue::Text),
    })
}
