//! Spreading the tables over a Citus cluster, by vault.
//!
//! All rows of a vault lie on one node, so every verb is a transaction of one node. The names of
//! vaults and the API keys lie on all of them: a node that is down stops the vaults on it and no other.

use everwhen_engine::{Error, Result};

use super::connection::Connection;
use super::database::get;

/// Tables that lie on every node.
const EVERYWHERE: [&str; 2] = ["access_key", "vault_name"];
/// The table all others lie beside.
const ANCHOR: &str = "vault";

/// Whether the extension is there.
pub(super) fn is_cluster(connection: &Connection) -> Result<bool> {
    let sql = "SELECT 1 FROM pg_extension WHERE extname = 'citus'";
    Ok(!connection.query(sql, &[])?.is_empty())
}

/// Whether the tables are spread already.
pub(super) fn is_spread(connection: &Connection) -> Result<bool> {
    Ok(is_cluster(connection)? && spread(connection)?.iter().any(|table| table == ANCHOR))
}

/// Spreads whatever is not yet; says which tables that were.
pub(super) fn distribute(connection: &Connection) -> Result<Vec<String>> {
    if !is_cluster(connection)? {
        return Err(Error::invalid(
            "this database has no Citus extension, so there are no nodes to spread over; \
             run CREATE EXTENSION citus on a cluster first",
        ));
    }
    let known = spread(connection)?;
    let misplaced = misplaced(connection)?;
    let is_settled = |table: &String| known.contains(table) && !misplaced.contains(table);
    let mut tables = tables(connection)?;
    tables.retain(|table| !is_settled(table));
    // The anchor comes first; the others are put beside it.
    tables.sort_by_key(|table| table != ANCHOR);
    for table in &tables {
        if misplaced.contains(table) {
            let sql = "SELECT undistribute_table($1::text::regclass)";
            connection.execute(sql, &[table])?;
        }
        spread_one(connection, table)?;
    }
    Ok(tables)
}

/// All tables with a vault in them. Those with a number are parts of tables that lie on this node.
fn tables(connection: &Connection) -> Result<Vec<String>> {
    let sql =
        "SELECT c.relname::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
          AND a.attname = 'vault_id' AND NOT a.attisdropped AND c.relname !~ '_[0-9]{5,}$'
        ORDER BY 1";
    connection.query(sql, &[])?.iter().map(|row| get(row, "name")).collect()
}

fn spread(connection: &Connection) -> Result<Vec<String>> {
    let sql = "SELECT c.relname::text AS name FROM pg_dist_partition p
        JOIN pg_class c ON c.oid = p.logicalrelid
        WHERE c.relnamespace = current_schema()::regnamespace";
    connection.query(sql, &[])?.iter().map(|row| get(row, "name")).collect()
}

/// Tables that lie on every node now and were spread by an earlier version.
fn misplaced(connection: &Connection) -> Result<Vec<String>> {
    let sql = "SELECT c.relname::text AS name FROM pg_dist_partition p
        JOIN pg_class c ON c.oid = p.logicalrelid
        WHERE c.relnamespace = current_schema()::regnamespace AND p.partmethod = 'h'";
    let spread: Result<Vec<String>> =
        connection.query(sql, &[])?.iter().map(|row| get(row, "name")).collect();
    Ok(spread?.into_iter().filter(|table| EVERYWHERE.contains(&table.as_str())).collect())
}

fn spread_one(connection: &Connection, table: &str) -> Result<()> {
    let sql = match table {
        table if EVERYWHERE.contains(&table) => "SELECT create_reference_table($1::text::regclass)",
        ANCHOR => {
            "SELECT create_distributed_table($1::text::regclass, 'vault_id', colocate_with => 'none')"
        }
        _ => {
            "SELECT create_distributed_table($1::text::regclass, 'vault_id', colocate_with => 'vault')"
        }
    };
    connection.execute(sql, &[&table]).map(drop)
}
