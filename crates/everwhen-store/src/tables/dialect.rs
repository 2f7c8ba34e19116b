//! What really differs between the databases' SQL.

/// The SQL of one database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// SQLite: one file, no network between a statement and its answer.
    Sqlite,
    /// PostgreSQL, alone or as a cluster that distributes tables by vault.
    Postgres,
}

impl Dialect {
    /// A statement with its parameters as this database writes them; they are given as `?1`.
    pub(crate) fn parameters(self, sql: String) -> String {
        match self {
            Self::Sqlite => sql,
            Self::Postgres => sql.replace('?', "$"),
        }
    }

    /// Compares with the last parameter of a statement that runs for each of several values: one
    /// value at a time, or all of them at once.
    pub(crate) fn is_one_of(self, parameter: usize) -> String {
        match self {
            Self::Sqlite => format!("= ?{parameter}"),
            Self::Postgres => format!("= ANY(?{parameter})"),
        }
    }

    /// A `FROM` clause that looks rows up by the ids of [`Query::each`](super::Query). The vault is the first parameter, the
    /// ids are the second. PostgreSQL looks them up one after another: a planner without statistics
    /// would rather read a whole vault than look up ten ids.
    pub(crate) fn by_ids(self, table: &str) -> String {
        match self {
            Self::Sqlite => format!("FROM {table} WHERE vault_id = ?1 AND id = ?2"),
            Self::Postgres => self.looked_up(table, "SELECT unnest(?2::uuid[]) AS wanted"),
        }
    }

    /// A `FROM` clause for the rows whose ids a query names `wanted`. The query can be answered by
    /// an index alone; whole rows are read only of what it finds.
    pub(crate) fn looked_up(self, table: &str, query: &str) -> String {
        match self {
            Self::Sqlite => format!("FROM {table} WHERE vault_id = ?1 AND id IN ({query})"),
            Self::Postgres => format!(
                "FROM ({query}) AS these CROSS JOIN LATERAL
                    (SELECT * FROM {table} WHERE vault_id = ?1 AND id = wanted LIMIT 1) AS {table}"
            ),
        }
    }

    /// Whether a column that holds a list of names contains the one in a parameter.
    pub(crate) fn contains(self, column: &str, parameter: &str) -> String {
        match self {
            Self::Sqlite => {
                format!("EXISTS (SELECT 1 FROM json_each({column}) WHERE value = {parameter})")
            }
            Self::Postgres => format!("{parameter} = ANY({column})"),
        }
    }

    /// A column that must not choose the index of a query: SQLite would follow a bound on it where
    /// following the order is cheaper.
    pub(crate) fn not_by_index(self, column: &str) -> String {
        match self {
            Self::Sqlite => format!("+{column}"),
            Self::Postgres => column.to_owned(),
        }
    }

    /// The rows of a memory, for statements that an index alone answers. SQLite's index by time does not have the vault: compared row
    /// by row, it would make SQLite read what was said. All entries of a memory are of one vault, so it is compared once.
    pub(crate) fn in_index(self) -> &'static str {
        match self {
            Self::Sqlite => {
                "WHERE memory_id = ?2
                    AND EXISTS (SELECT 1 FROM entry WHERE vault_id = ?1 AND memory_id = ?2)"
            }
            Self::Postgres => super::IN_MEMORY,
        }
    }

    /// What keeps a found row locked until the transaction ends. SQLite has one writer, so every
    /// transaction that writes holds everything.
    pub(crate) fn locked(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => " FOR UPDATE",
        }
    }
}
