//! Has a new database look at its tables before it would by itself.
//!
//! Until then the planner guesses, and may read all of a memory to find one conversation of it. The
//! database's own autovacuum comes within a minute or two; a large import is half done by then.

use std::sync::atomic::{AtomicUsize, Ordering};

use everwhen_engine::Result;

use super::connection::Connection;
use super::database::get;

/// Writes of this process after which the tables hold enough to be looked at.
const SOME: usize = 64;

/// Counts until it is time to look.
#[derive(Debug, Default)]
pub(super) struct Statistics {
    writes: AtomicUsize,
}

impl Statistics {
    /// Counts a write; says, once, that it is time.
    pub(super) fn is_time(&self) -> bool {
        self.writes.fetch_add(1, Ordering::Relaxed) + 1 == SOME
    }
}

/// Analyzes every table that has no statistics yet.
pub(super) fn gather(connection: &Connection) -> Result<()> {
    let sql = "SELECT quote_ident(relname::text) AS name FROM pg_stat_user_tables
        WHERE schemaname = current_schema() AND last_analyze IS NULL AND last_autoanalyze IS NULL
        ORDER BY 1";
    for row in connection.query(sql, &[])? {
        connection.run_script(&format!("ANALYZE {}", get::<&str>(&row, "name")?))?;
    }
    Ok(())
}
