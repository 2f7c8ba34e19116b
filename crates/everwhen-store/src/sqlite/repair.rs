//! Repairs what can be made again: saved search indexes of which a page is damaged are removed as a whole. Until then
//! nothing that they hold words of could be forgotten.

use everwhen_engine::Result;
use rusqlite::Connection;

use super::failure::Stored;

/// Takes the table out of the schema, because removing it in the usual way reads its pages. Its pages stay in the
/// file as they are, belonging to nothing.
const DETACH: &str = "PRAGMA writable_schema = ON;
    DELETE FROM sqlite_schema WHERE tbl_name = 'segment';
    PRAGMA writable_schema = RESET;";

/// Removes all saved indexes if a page of them is damaged; says whether that was so.
pub(super) fn remove_damaged_segments(connection: &Connection) -> Result<bool> {
    if is_sound(connection)? {
        return Ok(false);
    }
    let sql = "SELECT sql FROM sqlite_schema WHERE tbl_name = 'segment' AND sql IS NOT NULL";
    let mut statement = connection.prepare(sql).stored()?;
    let parts = statement.query_map([], |row| row.get::<_, String>(0)).stored()?;
    let parts: Vec<String> = parts.collect::<rusqlite::Result<_>>().stored()?;
    drop(statement);
    let made_again = format!("BEGIN IMMEDIATE; {DETACH} {}; COMMIT", parts.join("; "));
    if let Err(error) = connection.execute_batch(&made_again).stored() {
        // Whatever of it was done is undone; the error says why.
        let _ = connection.execute_batch("ROLLBACK");
        let _ = connection.execute_batch("PRAGMA writable_schema = RESET");
        return Err(error);
    }
    // Writes the whole file again, without the pages that belong to nothing: they hold words.
    connection.execute_batch("VACUUM").stored()?;
    Ok(true)
}

/// Whether every page of the saved indexes can be read.
fn is_sound(connection: &Connection) -> Result<bool> {
    let check = "PRAGMA quick_check('segment')";
    let first: rusqlite::Result<String> = connection.query_row(check, [], |row| row.get(0));
    first.map(|line| line == "ok").stored()
}
