//! What the tables need from a database, and how rows are read.

use everwhen_engine::memory::VaultId;
use everwhen_engine::{Error, Result};

use super::{At, Cell, Column, Dialect, Sql, Value};

/// Whether a reader wants another row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum More {
    /// The next row, if there is one.
    Wanted,
    /// This was enough.
    Enough,
}

/// Reads one row after another.
pub(crate) type Take<'t> = &'t mut dyn FnMut(&dyn Row) -> Result<More>;

/// A statement that finds rows, and who reads them.
pub(crate) struct Query<'q> {
    pub(crate) sql: &'q str,
    pub(crate) values: &'q [Value<'q>],
    /// Several values for the parameter after the others: one statement after another, or one with
    /// all of them (see [`Dialect::is_one_of`]).
    pub(crate) each: Option<Vec<Value<'q>>>,
    pub(crate) take: Take<'q>,
}

/// A connection inside a transaction. Statements are prepared once and kept by their text.
pub(crate) trait Database {
    /// Its SQL.
    fn dialect(&self) -> Dialect;

    /// Runs a statement that finds rows.
    fn query(&self, query: Query<'_>) -> Result<()>;

    /// Runs two statements that find rows; one round trip, where a round trip has its price.
    fn query_both(&self, one: Query<'_>, other: Query<'_>) -> Result<()> {
        self.query(one)?;
        self.query(other)
    }

    /// Runs a statement that changes rows; answers how many.
    fn run(&self, sql: &str, values: &[Value<'_>]) -> Result<u64>;

    /// [`Database::run`] for each of several values, as [`Query::each`] has them.
    fn run_each(&self, sql: &str, values: &[Value<'_>], each: Vec<Value<'_>>) -> Result<u64>;

    /// Runs a statement whose answer decides nothing. If it fails, so does the transaction, at the
    /// latest when it is committed.
    fn send(&self, sql: &str, values: &[Value<'_>]) -> Result<()>;

    /// Changes a row with `update`, or adds it with `upsert` if that changed none; both take the
    /// same values. Where a round trip has its price, only `upsert` runs.
    fn update_or_insert(&self, update: &str, upsert: &str, values: &[Value<'_>]) -> Result<()>;

    /// A large value that begins with eight bytes, from which and from the number of bytes behind them `first`
    /// makes how many of those are the first part; each part is read into one buffer. Only SQLite numbers
    /// rows.
    fn blob(
        &self,
        table: &str,
        _column: &str,
        _row: i64,
        _first: fn([u8; 8], usize) -> usize,
    ) -> Result<[Vec<u8>; 2]> {
        Err(Error::damaged(format!("a bug: the rows of {table} have no numbers here")))
    }

    /// The vault that had this name the last time, if it is known. It may have another by now.
    fn known_vault(&self, _name: &str) -> Option<VaultId> {
        None
    }

    /// Notes which vault has a name.
    fn learn_vault(&self, _name: &str, _id: VaultId) {}
}

impl dyn Database + '_ {
    /// The first row a statement finds.
    pub(crate) fn first<T>(
        &self,
        sql: &Sql,
        values: &[Value<'_>],
        read: impl Fn(&dyn Row) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut found = None;
        let take: Take<'_> = &mut |row| {
            found = Some(read(row)?);
            Ok(More::Enough)
        };
        self.query(Query { sql: sql.text(self.dialect()), values, each: None, take })?;
        Ok(found)
    }

    /// All rows a statement finds.
    pub(crate) fn all<T>(
        &self,
        sql: &Sql,
        values: &[Value<'_>],
        read: impl Fn(&dyn Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.all_of(sql.text(self.dialect()), values, read)
    }

    /// All rows a statement finds whose text was made for one question.
    pub(crate) fn all_of<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        read: impl Fn(&dyn Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        self.query(Query { sql, values, each: None, take: &mut collect(&mut found, read) })?;
        Ok(found)
    }

    /// All rows a statement finds for each of several values.
    pub(crate) fn all_each<T>(
        &self,
        sql: &Sql,
        values: &[Value<'_>],
        each: Vec<Value<'_>>,
        read: impl Fn(&dyn Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        let sql = sql.text(self.dialect());
        let each = Some(each);
        self.query(Query { sql, values, each, take: &mut collect(&mut found, read) })?;
        Ok(found)
    }

    /// Runs a statement; answers how many rows it changed.
    pub(crate) fn change(&self, sql: &Sql, values: &[Value<'_>]) -> Result<u64> {
        self.run(sql.text(self.dialect()), values)
    }

    /// Runs a statement for each of several values; answers how many rows it changed.
    pub(crate) fn change_each(
        &self,
        sql: &Sql,
        values: &[Value<'_>],
        each: Vec<Value<'_>>,
    ) -> Result<u64> {
        self.run_each(sql.text(self.dialect()), values, each)
    }

    /// Runs a statement that must change exactly one row.
    pub(crate) fn change_one(&self, sql: &Sql, values: &[Value<'_>]) -> Result<()> {
        expect_changed(1, self.change(sql, values)?)
    }

    /// Runs a statement for each of several values that must change exactly one row for each.
    pub(crate) fn change_one_each(
        &self,
        sql: &Sql,
        values: &[Value<'_>],
        each: Vec<Value<'_>>,
    ) -> Result<()> {
        let expected = each.len() as u64;
        expect_changed(expected, self.change_each(sql, values, each)?)
    }

    /// Runs a statement whose answer decides nothing.
    pub(crate) fn write(&self, sql: &Sql, values: &[Value<'_>]) -> Result<()> {
        self.send(sql.text(self.dialect()), values)
    }
}

/// Reads rows into a list.
pub(super) fn collect<T>(
    found: &mut Vec<T>,
    read: impl Fn(&dyn Row) -> Result<T>,
) -> impl FnMut(&dyn Row) -> Result<More> {
    move |row| {
        found.push(read(row)?);
        Ok(More::Wanted)
    }
}

fn expect_changed(expected: u64, changed: u64) -> Result<()> {
    if changed == expected {
        return Ok(());
    }
    Err(Error::damaged(format!("{expected} rows were to change, but {changed} did")))
}

/// A row as a database has it.
pub(crate) trait Row {
    /// The cell of a column, by its place in what was selected.
    fn cell(&self, index: usize) -> Result<Cell<'_>>;
}

impl dyn Row + '_ {
    /// The value of a column.
    pub(crate) fn get<T: Column>(&self, column: At) -> Result<T> {
        let cell = self.cell(column.index)?;
        T::read(cell).ok_or_else(|| self.damaged(column))
    }

    /// Two columns that are there together or not at all.
    pub(crate) fn pair<A: Column, B: Column>(&self, one: At, other: At) -> Result<Option<(A, B)>> {
        Ok(self.get::<Option<A>>(one)?.zip(self.get(other)?))
    }

    /// A column holds what it cannot mean.
    pub(crate) fn damaged(&self, column: At) -> Error {
        let shown =
            self.cell(column.index).map_or_else(|error| error.to_string(), |it| it.to_string());
        Error::damaged(format!("the database holds an impossible {}: {shown}", column.name))
    }
}
