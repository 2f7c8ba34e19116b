//! Declaring tables and columns, and the statements that follow from a declaration.

use std::ops::Deref;
use std::sync::OnceLock;

use super::Dialect;

/// A column of what a statement selects: where it stands, which only this module and the drivers
/// know, its name, and the expression it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At {
    pub(super) index: usize,
    pub(super) name: &'static str,
    pub(super) sql: &'static str,
}

/// A struct whose fields are columns.
pub(crate) trait Named {
    /// All of them, in order.
    fn all(&self) -> Vec<At>;
}

/// A statement, written once and kept as the text of each database.
pub(crate) struct Sql {
    write: fn(Dialect) -> String,
    texts: [OnceLock<String>; 2],
}

impl Sql {
    /// A statement whose text is built when it is first needed.
    pub(crate) const fn new(write: fn(Dialect) -> String) -> Self {
        Self { write, texts: [OnceLock::new(), OnceLock::new()] }
    }

    /// The text for one database.
    pub(crate) fn text(&self, dialect: Dialect) -> &str {
        self.texts[dialect as usize].get_or_init(|| dialect.parameters((self.write)(dialect)))
    }
}

/// Some columns or expressions that a statement selects. Its fields are their names.
pub(crate) struct Columns<C> {
    pub(super) columns: C,
}

impl<C: Named> Columns<C> {
    /// What stands between `SELECT` and `FROM`.
    pub(crate) fn list(&self) -> String {
        self.columns.all().iter().map(|column| column.sql).collect::<Vec<_>>().join(", ")
    }

    /// Selects these columns.
    pub(crate) fn select(&self, from: &str) -> String {
        format!("SELECT {} {from}", self.list())
    }
}

impl<C> Deref for Columns<C> {
    type Target = C;

    fn deref(&self) -> &C {
        &self.columns
    }
}

/// A table: what it is called and written by, and the columns that are selected from it.
pub(crate) struct TableDefinition<C> {
    pub(super) declared: Declared,
    pub(super) columns: Columns<C>,
}

/// The name of a table, its columns in the order they are written, and its key.
pub(crate) struct Declared {
    pub(super) name: &'static str,
    pub(super) written: &'static [&'static str],
    pub(super) key: &'static [&'static str],
    /// The key in SQLite, where an id alone is unique in some tables.
    pub(super) sqlite_key: Option<&'static [&'static str]>,
}

impl<C: Named> TableDefinition<C> {
    /// What stands between `SELECT` and `FROM`.
    pub(crate) fn list(&self) -> String {
        self.columns.list()
    }

    /// Selects all columns.
    pub(crate) fn select(&self, rest: &str) -> String {
        format!("SELECT {} FROM {} {rest}", self.list(), self.declared.name)
    }

    /// Selects all columns, of which these are empty: their values are not read.
    pub(crate) fn select_without(&self, empty: &[At], rest: &str) -> String {
        let is_empty = |column: &At| empty.iter().any(|one| one.index == column.index);
        let columns =
            self.columns.columns.all().into_iter().map(|column| match is_empty(&column) {
                // So it keeps its type.
                true => format!("CASE WHEN 1 = 0 THEN {} END", column.sql),
                false => column.sql.to_owned(),
            });
        let columns: Vec<String> = columns.collect();
        format!("SELECT {} FROM {} {rest}", columns.join(", "), self.declared.name)
    }

    /// Adds a row.
    pub(crate) fn insert(&self) -> String {
        let parameters: Vec<String> =
            (1..=self.declared.written.len()).map(|n| format!("?{n}")).collect();
        let (name, columns) = (self.declared.name, self.declared.written.join(", "));
        format!("INSERT INTO {name} ({columns}) VALUES ({})", parameters.join(", "))
    }

    /// Adds a row with the next free number of its memory, which the first two columns name.
    pub(crate) fn insert_numbered(&self) -> String {
        let [vault, memory, ..] = self.declared.written else { return self.insert() };
        debug_assert_eq!([*vault, *memory], ["vault_id", "memory_id"]);
        insert_numbered(self.declared.name, self.declared.written)
    }

    /// Adds a row, or replaces all columns of the one with its key.
    pub(crate) fn upsert(&self, dialect: Dialect) -> String {
        let key = self.key_in(dialect);
        let changed =
            self.declared.written.iter().filter(|column| !self.declared.key.contains(column));
        let changed: Vec<String> = changed.map(|one| format!("{one} = excluded.{one}")).collect();
        let (insert, key) = (self.insert(), key.join(", "));
        format!("{insert} ON CONFLICT ({key}) DO UPDATE SET {}", changed.join(", "))
    }

    /// Adds a row, or adds its numbers to those of the one with its key.
    pub(crate) fn add_up(&self, dialect: Dialect) -> String {
        let (key, name) = (self.key_in(dialect), self.declared.name);
        let changed =
            self.declared.written.iter().filter(|column| !self.declared.key.contains(column));
        let changed: Vec<String> =
            changed.map(|one| format!("{one} = {name}.{one} + excluded.{one}")).collect();
        let (insert, key) = (self.insert(), key.join(", "));
        format!("{insert} ON CONFLICT ({key}) DO UPDATE SET {}", changed.join(", "))
    }

    /// Changes a row that has the same values in its key and in the columns `unchanged`, which
    /// leaves the indexes on those alone. Takes the same values as [`TableDefinition::upsert`].
    pub(crate) fn update(&self, unchanged: &[&str]) -> String {
        let mut set = Vec::new();
        let mut same = Vec::new();
        for (column, parameter) in self.declared.written.iter().zip(1..) {
            if self.declared.key.contains(column) {
                same.push(format!("{column} = ?{parameter}"));
            } else if unchanged.contains(column) {
                same.push(format!("{column} IS ?{parameter}"));
            } else {
                set.push(format!("{column} = ?{parameter}"));
            }
        }
        format!("UPDATE {} SET {} WHERE {}", self.declared.name, set.join(", "), same.join(" AND "))
    }

    fn key_in(&self, dialect: Dialect) -> &'static [&'static str] {
        match (dialect, self.declared.sqlite_key) {
            (Dialect::Sqlite, Some(key)) => key,
            _ => self.declared.key,
        }
    }
}

impl<C> Deref for TableDefinition<C> {
    type Target = C;

    fn deref(&self) -> &C {
        &self.columns.columns
    }
}

/// Declares columns or expressions that a statement selects, by name:
///
/// ```text
/// columns! { static COUNTED: Counted { chapters = "count(*)", latest = "max(creation_time)" } }
/// ```
///
/// `COUNTED.select("FROM chapter")` selects them, and `row.get(COUNTED.latest)` reads one.
macro_rules! columns {
    ($(#[$doc:meta])* static $list:ident: $kind:ident {
        $($column:ident $(= $sql:literal)?),* $(,)?
    }) => {
        $(#[$doc])*
        static $list: $crate::tables::Columns<$kind> = $crate::tables::Columns {
            columns: $crate::tables::table::places!($kind { $($column $(= $sql)?),* }),
        };

        $crate::tables::table::named!($kind { $($column),* });
    };
}

/// Declares a table: its name, its key, its columns and what a value of the engine has in them.
///
/// ```text
/// table! {
///     static SEGMENT: SegmentColumns = "segment", key(vault_id, memory_id, number);
///     fn values(place: MemoryRef, number: u32, bytes: &'v [u8]) {
///         vault_id: place.vault,
///         memory_id: place.memory,
///         number: number,
///         bytes: bytes,
///     }
/// }
/// ```
///
/// `values` gives the values of one row, in the order in which `SEGMENT.insert()` and its siblings
/// number them; `SEGMENT.select("WHERE …")` selects all columns, and `row.get(SEGMENT.bytes)` reads
/// one. Columns after `and` are selected with them and never written.
macro_rules! table {
    (
        $(#[$doc:meta])*
        static $table:ident: $kind:ident = $name:literal, key($($key:ident),*)
            $(, sqlite_key($($local:ident),*))?;
        fn $values:ident($($argument:ident: $type:ty),* $(,)?) {
            $($column:ident: $value:expr),* $(,)?
        }
        $(and { $($computed:ident = $sql:literal),* $(,)? })?
    ) => {
        $(#[$doc])*
        static $table: $crate::tables::TableDefinition<$kind> = $crate::tables::TableDefinition {
            declared: $crate::tables::Declared {
                name: $name,
                written: &[$(stringify!($column)),*],
                key: &[$(stringify!($key)),*],
                sqlite_key: $crate::tables::table::local_key!($($($local),*)?),
            },
            columns: $crate::tables::Columns {
                columns: $crate::tables::table::places!(
                    $kind { $($column,)* $($($computed = $sql),*)? }
                ),
            },
        };

        $crate::tables::table::named!($kind { $($column,)* $($($computed),*)? });

        fn $values<'v>(
            $($argument: $type),*
        ) -> [$crate::tables::Value<'v>; [$(stringify!($column)),*].len()] {
            [$($crate::tables::Value::from($value)),*]
        }
    };
}

/// A struct whose fields are columns.
macro_rules! named {
    ($kind:ident { $($column:ident),* $(,)? }) => {
        struct $kind {
            $($column: $crate::tables::At),*
        }

        impl $crate::tables::Named for $kind {
            fn all(&self) -> Vec<$crate::tables::At> {
                vec![$(self.$column),*]
            }
        }
    };
}

/// The value of such a struct: columns numbered in the order they are written.
macro_rules! places {
    ($kind:ident { $($column:ident $(= $sql:literal)?),* $(,)? }) => {{
        let mut next = 0;
        let columns = $kind {
            $($column: {
                next += 1;
                let sql = $crate::tables::table::selected!($column $(, $sql)?);
                $crate::tables::At { index: next - 1, name: stringify!($column), sql }
            }),*
        };
        assert!(next > 0);
        columns
    }};
}

/// What a statement selects as a column: an expression, or the column itself.
macro_rules! selected {
    ($column:ident) => {
        stringify!($column)
    };
    ($column:ident, $sql:literal) => {
        $sql
    };
}

/// The key that SQLite has instead of the usual one, if there is one.
macro_rules! local_key {
    () => {
        None
    };
    ($($column:ident),+) => {
        Some(&[$(stringify!($column)),+])
    };
}

pub(crate) use {columns, table};
pub(super) use {local_key, named, places, selected};

/// Adds a row with these columns, the vault and the memory first, and the next free number of its memory.
pub(crate) fn insert_numbered(table: &str, columns: &[&str]) -> String {
    let parameters: Vec<String> = (1..=columns.len()).map(|n| format!("?{n}")).collect();
    let (columns, parameters) = (columns.join(", "), parameters.join(", "));
    format!(
        "INSERT INTO {table} ({columns}, number) SELECT {parameters}, coalesce(max(number), 0) + 1
            FROM {table} WHERE vault_id = ?1 AND memory_id = ?2"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    table! {
        static NOTE: NoteColumns = "note", key(vault_id, id), sqlite_key(id);
        fn values(vault: bool, id: i64, text: &'v str) {
            vault_id: vault,
            id: id,
            text: text,
        }
        and { length = "length(text)" }
    }

    #[test]
    fn statements_follow_from_the_columns() {
        assert_eq!(
            NOTE.select("WHERE id = ?1"),
            "SELECT vault_id, id, text, length(text) FROM note WHERE id = ?1"
        );
        assert_eq!(
            NOTE.select_without(&[NOTE.text], "WHERE id = ?1"),
            "SELECT vault_id, id, CASE WHEN 1 = 0 THEN text END, length(text) FROM note WHERE id = ?1"
        );
        assert_eq!(NOTE.insert(), "INSERT INTO note (vault_id, id, text) VALUES (?1, ?2, ?3)");
        assert_eq!(
            NOTE.update(&["text"]).split(" WHERE ").last(),
            Some("vault_id = ?1 AND id = ?2 AND text IS ?3")
        );
        assert!(
            NOTE.upsert(Dialect::Sqlite)
                .ends_with("ON CONFLICT (id) DO UPDATE SET text = excluded.text")
        );
        assert!(NOTE.upsert(Dialect::Postgres).contains("ON CONFLICT (vault_id, id)"));
        assert_eq!((NOTE.text.index, NOTE.length.index, NOTE.length.name), (2, 3, "length"));
        assert_eq!(values(true, 1, "a").len(), 3);
    }

    #[test]
    fn a_statement_is_written_for_each_database() {
        static BY_ID: Sql = Sql::new(|_| NOTE.select("WHERE id = ?1"));
        assert!(BY_ID.text(Dialect::Sqlite).ends_with("id = ?1"));
        assert!(BY_ID.text(Dialect::Postgres).ends_with("id = $1"));
    }
}
