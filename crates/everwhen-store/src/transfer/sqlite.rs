//! A SQLite file as one side of a transfer.

use std::path::Path;

use everwhen_engine::Result;
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, params_from_iter};

use super::{RowSink, STEP, Tables, TransferSide, TransferValue};
use crate::sqlite::{SqliteOptions, SqliteStore, Stored};

/// SQLite's own number of a row; it means nothing elsewhere.
const ROW: &str = "row";
/// Receipts of vaults themselves belong to no vault: here that is nothing, elsewhere zeros.
const NO_VAULT: [u8; 16] = [0; 16];

/// The file, in one transaction.
pub(super) struct Sqlite {
    connection: Connection,
}

impl Sqlite {
    pub(super) fn open(path: &Path) -> Result<Self> {
        // Opening it as a store makes it, or brings its tables up to date.
        drop(SqliteStore::open(path, SqliteOptions::default())?);
        let connection = Connection::open(path).stored()?;
        connection.execute_batch("BEGIN").stored()?;
        Ok(Self { connection })
    }

    fn columns(&self, table: &str) -> Result<Vec<String>> {
        let sql = "SELECT name FROM pragma_table_info(?1) WHERE name <> ?2";
        let mut statement = self.connection.prepare(sql).stored()?;
        let names = statement.query_map([table, ROW], |row| row.get(0)).stored()?;
        names.collect::<rusqlite::Result<_>>().stored()
    }
}

impl TransferSide for Sqlite {
    fn tables(&mut self) -> Result<Tables> {
        let sql =
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let mut statement = self.connection.prepare(sql).stored()?;
        let names = statement.query_map([], |row| row.get::<_, String>(0)).stored()?;
        let names: Vec<String> = names.collect::<rusqlite::Result<_>>().stored()?;
        names.into_iter().map(|name| Ok((name.clone(), self.columns(&name)?))).collect()
    }

    fn read(&mut self, table: &str, columns: &[String], take: RowSink<'_>) -> Result<()> {
        let sql = format!("SELECT {} FROM {table}", quoted(columns));
        let mut statement = self.connection.prepare(&sql).stored()?;
        let mut found = statement.query([]).stored()?;
        let mut rows = Vec::new();
        while let Some(row) = found.next().stored()? {
            let cells = columns.iter().enumerate().map(|(place, column)| {
                row.get::<_, Cell>(place).stored().map(|cell| value(column, cell))
            });
            rows.push(cells.collect::<Result<_>>()?);
            if rows.len() == STEP {
                take(std::mem::take(&mut rows))?;
            }
        }
        take(rows)
    }

    fn write(
        &mut self,
        table: &str,
        columns: &[String],
        rows: &[Vec<TransferValue>],
    ) -> Result<()> {
        let marks = vec!["?"; columns.len()].join(", ");
        let sql = format!("INSERT INTO {table} ({}) VALUES ({marks})", quoted(columns));
        let mut insert = self.connection.prepare_cached(&sql).stored()?;
        for row in rows {
            let cells = columns.iter().zip(row).map(|(column, value)| cell(column, value));
            insert.execute(params_from_iter(cells)).stored()?;
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        self.connection.execute_batch("COMMIT").stored()
    }
}

fn quoted(columns: &[String]) -> String {
    columns.iter().map(|column| format!("\"{column}\"")).collect::<Vec<_>>().join(", ")
}

fn value(column: &str, cell: Cell) -> TransferValue {
    match cell {
        Cell::Null => TransferValue::Null,
        Cell::Integer(number) => TransferValue::Number(number),
        Cell::Real(real) => TransferValue::Real(real),
        Cell::Text(text) => TransferValue::Text(text),
        Cell::Blob(bytes) if column == "vault_id" && bytes.is_empty() => {
            TransferValue::Bytes(NO_VAULT.to_vec())
        }
        Cell::Blob(bytes) => TransferValue::Bytes(bytes),
    }
}

fn cell(column: &str, value: &TransferValue) -> Cell {
    match value {
        TransferValue::Null => Cell::Null,
        TransferValue::Number(number) => Cell::Integer(*number),
        TransferValue::Real(real) => Cell::Real(*real),
        TransferValue::Text(text) => Cell::Text(text.clone()),
        TransferValue::Bytes(bytes) if column == "vault_id" && *bytes == NO_VAULT => {
            Cell::Blob(Vec::new())
        }
        TransferValue::Bytes(bytes) => Cell::Blob(bytes.clone()),
    }
}
