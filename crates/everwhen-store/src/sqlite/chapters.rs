//! The tables `chapter` and `rolling_summary`.

use everwhen_engine::Result;
use everwhen_engine::chapters::{Chapter, RollingSummary};
use everwhen_engine::memory::{ChapterId, VaultId};
use everwhen_engine::ports::{Cursor, MemoryRef};
use jiff::Timestamp;
use rusqlite::{Connection, Row, params};

use super::entries::place;
use super::statement::{all, first, get, run};
use crate::row::{count, damaged, id, instant, micros, number, texts, texts_json, written_by};

const COLUMNS: &str = "SELECT id, memory_id, first_at, first_sequence, last_at, last_sequence,
    entries, digest, title, text, entities, key_phrases, written_by, creation_time
    FROM chapter WHERE vault_id = ?1 AND memory_id = ?2";
const VERSIONS: &str = "SELECT memory_id, version, text, through_at, through_sequence, chapters,
    written_by, creation_time FROM rolling_summary WHERE vault_id = ?1 AND memory_id = ?2";

pub(super) fn list(
    connection: &Connection,
    memory: MemoryRef,
    behind: Option<Cursor>,
    limit: Option<usize>,
) -> Result<Vec<Chapter>> {
    let [vault, memory] = place(&memory);
    let sql = format!(
        "{COLUMNS} AND (last_at, last_sequence) > (?3, ?4)
         ORDER BY last_at, last_sequence LIMIT ?5"
    );
    let (time, sequence) =
        behind.map_or((i64::MIN, i64::MIN), |at| (micros(at.time), number(at.sequence)));
    all(connection, &sql, params![vault, memory, time, sequence, most(limit)], read)
}

/// All rows, where there is no limit.
fn most(limit: Option<usize>) -> i64 {
    limit.map_or(-1, |limit| number(limit as u64))
}

pub(super) fn last(
    connection: &Connection,
    memory: MemoryRef,
    before: Option<Timestamp>,
) -> Result<Option<Chapter>> {
    let [vault, memory] = place(&memory);
    let sql =
        format!("{COLUMNS} AND last_at < ?3 ORDER BY last_at DESC, last_sequence DESC LIMIT 1");
    first(connection, &sql, params![vault, memory, before.map_or(i64::MAX, micros)], read)
}

pub(super) fn through(
    connection: &Connection,
    memory: MemoryRef,
    through: Cursor,
) -> Result<(u64, Option<Timestamp>)> {
    let [vault, memory] = place(&memory);
    let sql = "SELECT count(*), max(creation_time) FROM chapter
        WHERE vault_id = ?1 AND memory_id = ?2 AND (last_at, last_sequence) <= (?3, ?4)";
    let values = params![vault, memory, micros(through.time), number(through.sequence)];
    let told = first(connection, sql, values, |row| {
        Ok((count(get(row, 0)?)?, get::<Option<i64>>(row, 1)?.map(instant).transpose()?))
    });
    told.map(Option::unwrap_or_default)
}

pub(super) fn put(connection: &Connection, vault: VaultId, chapter: &Chapter) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO chapter (vault_id, memory_id, id, first_at, first_sequence,
            last_at, last_sequence, entries, digest, title, text, entities, key_phrases,
            written_by, creation_time)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
    let values = params![
        vault.bytes(),
        chapter.memory.bytes(),
        chapter.id.bytes(),
        micros(chapter.first.time),
        number(chapter.first.sequence),
        micros(chapter.last.time),
        number(chapter.last.sequence),
        number(chapter.entries),
        chapter.digest,
        chapter.title,
        chapter.text,
        texts_json(&chapter.entities),
        texts_json(&chapter.key_phrases),
        chapter.by.as_str(),
        micros(chapter.creation_time),
    ];
    run(connection, sql, values).map(drop)
}

pub(super) fn remove(connection: &Connection, memory: MemoryRef, id: ChapterId) -> Result<()> {
    let [vault, memory] = place(&memory);
    let sql = "DELETE FROM chapter WHERE vault_id = ?1 AND memory_id = ?2 AND id = ?3";
    run(connection, sql, params![vault, memory, id.bytes()]).map(drop)
}

pub(super) fn remove_from(connection: &Connection, memory: MemoryRef, from: Cursor) -> Result<u64> {
    let [vault, memory] = place(&memory);
    let sql = "DELETE FROM chapter WHERE vault_id = ?1 AND memory_id = ?2
        AND (last_at, last_sequence) >= (?3, ?4)";
    run(connection, sql, params![vault, memory, micros(from.time), number(from.sequence)])
}

pub(super) fn versions(
    connection: &Connection,
    memory: MemoryRef,
    before: Option<u64>,
    limit: Option<usize>,
) -> Result<Vec<RollingSummary>> {
    let [vault, memory] = place(&memory);
    let sql = format!("{VERSIONS} AND version < ?3 ORDER BY version DESC LIMIT ?4");
    let before = before.map_or(i64::MAX, number);
    all(connection, &sql, params![vault, memory, before, most(limit)], read_version)
}

pub(super) fn add_version(
    connection: &Connection,
    vault: VaultId,
    summary: &RollingSummary,
) -> Result<()> {
    let sql = "INSERT INTO rolling_summary (vault_id, memory_id, version, text, through_at,
            through_sequence, chapters, written_by, creation_time)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let values = params![
        vault.bytes(),
        summary.memory.bytes(),
        number(summary.version),
        summary.text,
        micros(summary.through.time),
        number(summary.through.sequence),
        number(summary.chapters),
        summary.by.as_str(),
        micros(summary.creation_time),
    ];
    run(connection, sql, values).map(drop)
}

pub(super) fn remove_versions(
    connection: &Connection,
    memory: MemoryRef,
    from: Cursor,
) -> Result<u64> {
    let [vault, memory] = place(&memory);
    let sql = "DELETE FROM rolling_summary WHERE vault_id = ?1 AND memory_id = ?2
        AND (through_at, through_sequence) >= (?3, ?4)";
    run(connection, sql, params![vault, memory, micros(from.time), number(from.sequence)])
}

fn read(row: &Row<'_>) -> Result<Chapter> {
    let digest: Vec<u8> = get(row, 7)?;
    Ok(Chapter {
        id: id(&get::<Vec<u8>>(row, 0)?)?,
        memory: id(&get::<Vec<u8>>(row, 1)?)?,
        first: cursor(row, 2)?,
        last: cursor(row, 4)?,
        entries: count(get(row, 6)?)?,
        digest: digest.try_into().map_err(|_| damaged("digest of a chapter", "too short"))?,
        title: get(row, 8)?,
        text: get(row, 9)?,
        entities: texts(get(row, 10)?)?,
        key_phrases: texts(get(row, 11)?)?,
        by: written_by(&get::<String>(row, 12)?)?,
        creation_time: instant(get(row, 13)?)?,
    })
}

fn read_version(row: &Row<'_>) -> Result<RollingSummary> {
    Ok(RollingSummary {
        memory: id(&get::<Vec<u8>>(row, 0)?)?,
        version: count(get(row, 1)?)?,
        text: get(row, 2)?,
        through: cursor(row, 3)?,
        chapters: count(get(row, 5)?)?,
        by: written_by(&get::<String>(row, 6)?)?,
        creation_time: instant(get(row, 7)?)?,
    })
}

fn cursor(row: &Row<'_>, column: usize) -> Result<Cursor> {
    Ok(Cursor { time: instant(get(row, column)?)?, sequence: count(get(row, column + 1)?)? })
}
