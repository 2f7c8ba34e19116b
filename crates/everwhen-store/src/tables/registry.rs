//! Every table, what its rows belong to, and whether an export has them. Forgetting goes by this list, so
//! that no table keeps what was said in a memory or vault that is forgotten; tests compare it with the
//! database and with the records of an export.

/// What the rows of a table belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A memory, named by this column.
    Memory(&'static str),
    /// A vault as a whole.
    Vault,
}

/// Whether an export has the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exported {
    /// It has.
    Yes,
    /// It does not, for this reason.
    No(&'static str),
}

/// One table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RegisteredTable {
    pub(crate) name: &'static str,
    pub(crate) owner: Owner,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test compares it with the export"))]
    pub(crate) exported: Exported,
}

const fn of_memory(name: &'static str) -> RegisteredTable {
    RegisteredTable { name, owner: Owner::Memory("memory_id"), exported: Exported::Yes }
}

const fn not_exported(name: &'static str, owner: Owner, reason: &'static str) -> RegisteredTable {
    RegisteredTable { name, owner, exported: Exported::No(reason) }
}

const MEMORY: Owner = Owner::Memory("memory_id");

/// All tables. The rows of a memory come before the memory, and those of a vault before the vault.
pub(crate) const TABLES: &[RegisteredTable] = &[
    of_memory("ledger"),
    of_memory("ledger_head"),
    of_memory("promised_time"),
    of_memory("proof"),
    of_memory("addition"),
    not_exported("segment", MEMORY, "an index is built again"),
    of_memory("activity"),
    of_memory("chapter"),
    of_memory("chapter_past"),
    of_memory("entry_past"),
    of_memory("conversation_past"),
    of_memory("fact_past"),
    of_memory("rolling_summary"),
    of_memory("conversation_alias"),
    of_memory("ending"),
    of_memory("entry"),
    of_memory("conversation"),
    of_memory("context"),
    of_memory("fact"),
    of_memory("job"),
    RegisteredTable { name: "memory", owner: Owner::Memory("id"), exported: Exported::Yes },
    not_exported("receipt", Owner::Vault, "recognises retries of requests to this store"),
    not_exported(
        "tombstone",
        Owner::Vault,
        "recognises what was forgotten in this store, but for the salt of a ledger",
    ),
    not_exported("llm_usage", Owner::Vault, "belongs to the operator"),
    not_exported("llm_reply", Owner::Vault, "is a cache"),
    not_exported("addition_epoch", Owner::Vault, "counts what was forgotten in this store"),
    not_exported("access_key", Owner::Vault, "belongs to the operator"),
    not_exported("vault", Owner::Vault, "is the first line of the file, without its id"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::sqlite::{SqliteOptions, SqliteStore};

    /// The tables of a new database and the columns of each.
    fn tables() -> Vec<(String, BTreeSet<String>)> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("everwhen.db");
        drop(SqliteStore::open(&path, SqliteOptions::default()).unwrap());
        let connection = rusqlite::Connection::open(&path).unwrap();
        let names = |sql: &str| -> Vec<String> {
            let mut statement = connection.prepare(sql).unwrap();
            let rows = statement.query_map([], |row| row.get(0)).unwrap();
            rows.map(Result::unwrap).collect()
        };
        let tables = names(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1",
        );
        let columns = |table: &str| {
            names(&format!("SELECT name FROM pragma_table_info('{table}')")).into_iter().collect()
        };
        tables.into_iter().map(|table| (table.clone(), columns(&table))).collect()
    }

    #[test]
    fn every_table_is_registered_with_what_it_belongs_to() {
        let found = tables();
        let names: BTreeSet<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        let known: BTreeSet<&str> = TABLES.iter().map(|table| table.name).collect();
        assert_eq!(names, known);
        for (name, columns) in &found {
            let table = TABLES.iter().find(|table| table.name == name).unwrap();
            assert!(columns.contains("vault_id"), "{name} cannot be forgotten with its vault");
            match table.owner {
                Owner::Memory(column) => assert!(columns.contains(column), "{name}.{column}"),
                Owner::Vault => assert!(!columns.contains("memory_id"), "{name} is of a memory"),
            }
        }
    }
}
