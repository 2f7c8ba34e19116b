//! `everwhen migrate`: moves all data from one store to another.

use everwhen::TransferredTable;
use serde_json::{Value, json};

use crate::args::MigrateArgs;
use crate::failure::Result;
use crate::{output, show};

/// Moves the data and prints the number of rows.
pub(crate) fn run(args: &MigrateArgs, json: bool) -> Result<()> {
    let say = |moved: &TransferredTable| output::note(&format!("{}: {}", moved.table, moved.rows));
    let moved = everwhen::migrate(&args.from, &args.to, &say)?;
    if json {
        let rows: Vec<Value> =
            moved.iter().map(|it| json!({"table": it.table, "rows": it.rows})).collect();
        return output::json(&json!({ "moved": rows }).to_string());
    }
    let rows: u64 = moved.iter().map(|it| it.rows).sum();
    output::line(&format!(
        "{} in {} moved, read again and found equal",
        show::count(rows, "row", "rows"),
        show::count(moved.len() as u64, "table", "tables")
    ))
}
