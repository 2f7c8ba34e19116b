//! Migrations that are written once for every database.
//!
//! Each database has its own early migrations (`sqlite/schema`, `postgres/schema`); these follow
//! them. Types are written as `{id}`, `{time}`, `{number}`, `{flag}`, `{text}`, `{name}` (compared
//! byte by byte), `{names}` (a list of them), `{small}` (a number in two bytes) and `{bytes}`. A semicolon at the end of a line ends a statement. One that is
//! preceded by the line `-- sqlite only` or `-- postgres only` runs in that database alone.

use crate::tables::Dialect;

/// Every shared migration, in order. Never change one that has been released; add another.
pub(crate) const SHARED: &[&str] = &[
    include_str!("schema/0001_vault_id.sql"),
    include_str!("schema/0002_clocks.sql"),
    include_str!("schema/0003_entry_by_time.sql"),
    include_str!("schema/0004_facts_dropped.sql"),
    include_str!("schema/0005_forget_epoch.sql"),
    include_str!("schema/0006_provenance.sql"),
    include_str!("schema/0007_chapter_kinds.sql"),
    include_str!("schema/0008_places_and_retrospection.sql"),
    include_str!("schema/0009_second_clock.sql"),
    include_str!("schema/0011_entry_by_period.sql"),
    include_str!("schema/0012_tombstones.sql"),
    include_str!("schema/0014_activity_key.sql"),
    include_str!("schema/0015_sequence_behind.sql"),
    include_str!("schema/0016_forgotten_periods.sql"),
];

/// The statements of a shared migration for one database.
pub(crate) fn statements(dialect: Dialect, migration: &str) -> Vec<String> {
    let other = match dialect {
        Dialect::Sqlite => "-- postgres only",
        Dialect::Postgres => "-- sqlite only",
    };
    let all = migration.split(";\n").map(str::trim).filter(|statement| has_sql(statement));
    let own = all.filter(|statement| !statement.lines().any(|line| line == other));
    own.map(|statement| with_types(dialect, statement)).collect()
}

fn has_sql(statement: &str) -> bool {
    statement.lines().any(|line| !line.trim().is_empty() && !line.starts_with("--"))
}

fn with_types(dialect: Dialect, statement: &str) -> String {
    let types = [
        ("{id}", "BLOB", "uuid"),
        ("{time}", "INTEGER", "bigint"),
        ("{number}", "INTEGER", "bigint"),
        ("{small}", "INTEGER", "smallint"),
        ("{flag}", "INTEGER", "boolean"),
        ("{text}", "TEXT", "text"),
        ("{name}", "TEXT", "text COLLATE \"C\""),
        ("{names}", "TEXT", "text[]"),
        ("{bytes}", "BLOB", "bytea"),
    ];
    types.iter().fold(statement.to_owned(), |text, (name, sqlite, postgres)| match dialect {
        Dialect::Sqlite => text.replace(name, sqlite),
        Dialect::Postgres => text.replace(name, postgres),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_migration_is_written_for_each_database() {
        let both = "-- Why.\n\nALTER TABLE fact ADD COLUMN weight {number};\n\n-- sqlite only\nDROP INDEX a;\n";
        let sqlite = statements(Dialect::Sqlite, both);
        assert_eq!(sqlite.len(), 2);
        assert!(sqlite[0].ends_with("ALTER TABLE fact ADD COLUMN weight INTEGER"));
        assert!(sqlite[1].ends_with("DROP INDEX a"));
        let postgres = statements(Dialect::Postgres, both);
        assert_eq!(postgres.len(), 1);
        assert!(postgres[0].ends_with("ALTER TABLE fact ADD COLUMN weight bigint"));
    }
}
