//! The table `chapter`.

use everwhen_engine::Result;
use everwhen_engine::chapters::Chapter;
use everwhen_engine::memory::{ChapterId, Provenance, VaultId};
use everwhen_engine::ports::{ChapterSelection, Cursor, MemoryRef};
use jiff::Timestamp;

use super::{At, Database, IN_MEMORY, Row, Sql, Value, columns, limit, past, place, table};

table! {
    static CHAPTER: ChapterColumns = "chapter", key(vault_id, memory_id, id);
    fn values(vault: VaultId, chapter: &'v Chapter) {
        vault_id: vault,
        memory_id: chapter.memory,
        id: chapter.id,
        first_at: chapter.first.time,
        first_sequence: chapter.first.sequence,
        last_at: chapter.last.time,
        last_sequence: chapter.last.sequence,
        entries: chapter.entries,
        digest: &chapter.digest,
        title: &chapter.title,
        text: &chapter.text,
        entities: &chapter.entities,
        key_phrases: &chapter.key_phrases,
        written_by: chapter.by,
        creation_time: chapter.creation_time,
        kind: chapter.kind,
        source: chapter.provenance.as_ref().map(|from| &from.source),
        source_id: chapter.provenance.as_ref().and_then(|from| from.source_id.as_ref()),
        source_time: chapter.provenance.as_ref().and_then(|from| from.time_text.as_ref()),
        time_precision: chapter.provenance.as_ref().map(|from| from.precision),
        time_from: chapter.provenance.as_ref().map(|from| from.time_from),
        zone_from: chapter.provenance.as_ref().map(|from| from.zone_from),
        metadata: chapter.metadata.as_ref(),
    }
}

columns! { static COUNTED: Counted { chapters = "count(*)", latest = "max(creation_time)" } }

fn read(row: &dyn Row) -> Result<Chapter> {
    Ok(Chapter {
        id: row.get(CHAPTER.id)?,
        memory: row.get(CHAPTER.memory_id)?,
        first: read_cursor(row, CHAPTER.first_at, CHAPTER.first_sequence)?,
        last: read_cursor(row, CHAPTER.last_at, CHAPTER.last_sequence)?,
        entries: row.get(CHAPTER.entries)?,
        digest: row.get(CHAPTER.digest)?,
        title: row.get(CHAPTER.title)?,
        text: row.get(CHAPTER.text)?,
        entities: row.get(CHAPTER.entities)?,
        key_phrases: row.get(CHAPTER.key_phrases)?,
        by: row.get(CHAPTER.written_by)?,
        creation_time: row.get(CHAPTER.creation_time)?,
        kind: row.get(CHAPTER.kind)?,
        provenance: read_provenance(row)?.map(Box::new),
        metadata: row.get(CHAPTER.metadata)?,
    })
}

fn read_provenance(row: &dyn Row) -> Result<Option<Provenance>> {
    let Some(source) = row.get(CHAPTER.source)? else { return Ok(None) };
    Ok(Some(Provenance {
        source,
        source_id: row.get(CHAPTER.source_id)?,
        time_text: row.get(CHAPTER.source_time)?,
        precision: row.get(CHAPTER.time_precision)?,
        time_from: row.get(CHAPTER.time_from)?,
        zone_from: row.get(CHAPTER.zone_from)?,
    }))
}

/// Chapters that tell a memory in order.
const STORY: &str = "kind IN ('written', 'imported')";

/// Where an entry stands, in two columns.
pub(super) fn read_cursor(row: &dyn Row, time: At, sequence: At) -> Result<Cursor> {
    Ok(Cursor { time: row.get(time)?, sequence: row.get(sequence)? })
}

/// The values of a memory and of a place in it.
pub(super) fn behind(memory: MemoryRef, cursor: Cursor) -> [Value<'static>; 4] {
    let [vault, memory] = place(memory);
    [vault, memory, cursor.time.into(), cursor.sequence.into()]
}

/// The names of the columns of a chapter.
pub(super) fn columns() -> Vec<&'static str> {
    CHAPTER.declared.written.to_vec()
}

/// Chapters that told the memory at the third value and have been replaced since, oldest first. The table of
/// those has the same columns.
pub(super) fn past(db: &dyn Database, values: &[Value<'_>]) -> Result<Vec<Chapter>> {
    static SQL: Sql = Sql::new(|_| {
        format!(
            "SELECT {} FROM chapter_past {IN_MEMORY} AND creation_time <= ?3 AND known_until > ?3
             ORDER BY last_at, last_sequence, id",
            CHAPTER.list()
        )
    });
    db.all(&SQL, values, read)
}

/// Chapters of a memory.
pub(crate) fn list(
    db: &dyn Database,
    memory: MemoryRef,
    query: ChapterSelection,
) -> Result<Vec<Chapter>> {
    static BEHIND: Sql = Sql::new(|_| {
        CHAPTER.select(&format!(
            "{IN_MEMORY} AND (last_at, last_sequence) > (?3, ?4)
             ORDER BY last_at, last_sequence LIMIT ?5"
        ))
    });
    static OF_STORY: Sql = Sql::new(|_| {
        CHAPTER.select(&format!(
            "{IN_MEMORY} AND (last_at, last_sequence) > (?3, ?4) AND {STORY}
             ORDER BY last_at, last_sequence LIMIT ?5"
        ))
    });
    static LAST: Sql = Sql::new(|_| {
        CHAPTER.select(&format!(
            "{IN_MEMORY} AND last_at < ?3 AND kind = 'written'
             ORDER BY last_at DESC, last_sequence DESC LIMIT 1"
        ))
    });
    static FOREIGN: Sql = Sql::new(|_| {
        CHAPTER.select(&format!(
            "{IN_MEMORY} AND kind IN ('imported', 'searchable') ORDER BY last_at, last_sequence"
        ))
    });
    static BY_ID: Sql = Sql::new(|_| CHAPTER.select(&format!("{IN_MEMORY} AND id = ?3")));
    const FIRST: Value<'static> = Value::Number(i64::MIN);
    let [vault, memory] = place(memory);
    match query {
        ChapterSelection::Behind(from, most) | ChapterSelection::Story(from, most) => {
            let is_story = matches!(query, ChapterSelection::Story(..));
            let time = from.map_or(FIRST, |from| from.time.into());
            let sequence = from.map_or(FIRST, |from| from.sequence.into());
            let sql = if is_story { &OF_STORY } else { &BEHIND };
            db.all(sql, &[vault, memory, time, sequence, limit(most)], read)
        }
        ChapterSelection::Foreign => db.all(&FOREIGN, &[vault, memory], read),
        ChapterSelection::Id(id) => db.all(&BY_ID, &[vault, memory, id.into()], read),
        ChapterSelection::Last(before) => {
            let before = before.map_or(Value::Number(i64::MAX), Into::into);
            db.all(&LAST, &[vault, memory, before], read)
        }
    }
}

/// How many chapters that tell the memory in order end at or before a place, and when the latest of them was written.
pub(crate) fn through(
    db: &dyn Database,
    memory: MemoryRef,
    through: Cursor,
) -> Result<(u64, Option<Timestamp>)> {
    static SQL: Sql = Sql::new(|_| {
        let condition = "(last_at, last_sequence) <= (?3, ?4)";
        COUNTED.select(&format!("FROM chapter {IN_MEMORY} AND {condition} AND {STORY}"))
    });
    let counted = db.first(&SQL, &behind(memory, through), |row| {
        Ok((row.get(COUNTED.chapters)?, row.get(COUNTED.latest)?))
    });
    counted.map(Option::unwrap_or_default)
}

/// Adds a chapter.
pub(crate) fn put(db: &dyn Database, vault: VaultId, chapter: &Chapter) -> Result<()> {
    static SQL: Sql = Sql::new(|dialect| CHAPTER.upsert(dialect));
    db.write(&SQL, &values(vault, chapter))
}

/// Removes a chapter; answers whether there was one, as a count.
pub(crate) fn remove(db: &dyn Database, memory: MemoryRef, id: ChapterId) -> Result<u64> {
    static SQL: Sql = Sql::new(|_| format!("DELETE FROM chapter {IN_MEMORY} AND id = ?3"));
    let [vault, memory] = place(memory);
    db.change(&SQL, &[vault, memory, id.into()])
}

/// Removes all chapters that end at or behind a place; answers how many.
pub(crate) fn remove_from(db: &dyn Database, memory: MemoryRef, from: Cursor) -> Result<u64> {
    static SQL: Sql = Sql::new(|_| {
        format!("DELETE FROM chapter {IN_MEMORY} AND (last_at, last_sequence) >= (?3, ?4)")
    });
    past::remove_chapters(db, memory, from)?;
    db.change(&SQL, &behind(memory, from))
}
