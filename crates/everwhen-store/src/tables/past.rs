//! The tables `entry_past`, `conversation_past`, `fact_past` and `chapter_past`: how rows stood before they
//! were changed. A row of them holds from `known_from` until before `known_until`.

use everwhen_engine::Result;
use everwhen_engine::memory::{Conversation, ConversationId, Entry, EntryId};
use everwhen_engine::ports::{
    ConversationExtent, Cursor, MemoryRef, PastEntry, PastFact, PastKind, PastRows, Replaced,
};
use jiff::Timestamp;

use super::{
    Database, Dialect, IN_MEMORY, Row, Sql, Value, chapters, columns, conversations, place,
};

/// What holds at the third value of a statement.
const HOLDS: &str = "known_from <= ?3 AND known_until > ?3";

columns! { static ENTRY: PastEntryColumns {
    entry_id, sequence, conversation_id, branch_id, branched_at, tags,
    corrected_at = "(SELECT e.corrected_at FROM entry e WHERE e.vault_id = ?1 AND e.id = entry_past.entry_id)",
} }
columns! { static EXTENT: ExtentColumns {
    conversation_id, first = "min(conversation_time)", last = "max(conversation_time)",
    entries = "count(*)",
} }
columns! { static FACT: PastFactColumns { fact_id, pinned_at, written_by } }

/// Keeps how something stands before it changes at a time.
pub(crate) fn keep(
    db: &dyn Database,
    memory: MemoryRef,
    what: Replaced<'_>,
    until: Timestamp,
) -> Result<()> {
    static ENTRIES: Sql =
        Sql::new(|dialect| keep_entries(&format!("e.id {}", dialect.is_one_of(4))));
    static ENTRIES_OF: Sql = Sql::new(|_| keep_entries("e.conversation_id = ?4"));
    static CONVERSATION: Sql = Sql::new(|_| keep_conversation());
    static FACT_ROW: Sql = Sql::new(|_| keep_fact());
    static CHAPTER: Sql = Sql::new(|_| keep_chapter());
    let [vault, home] = place(memory);
    let values = |id: Value<'static>| [vault.clone(), home.clone(), until.into(), id];
    match what {
        Replaced::Entries(ids) => {
            let each = ids.iter().copied().map(Into::into).collect();
            db.change_each(&ENTRIES, &[vault.clone(), home.clone(), until.into()], each).map(drop)
        }
        Replaced::EntriesOf(id) => db.write(&ENTRIES_OF, &values(id.into())),
        Replaced::Conversation(id) => db.write(&CONVERSATION, &values(id.into())),
        Replaced::Fact(id) => db.write(&FACT_ROW, &values(id.into())),
        Replaced::Chapter(id) => db.write(&CHAPTER, &values(id.into())),
    }
}

fn keep_entries(which: &str) -> String {
    format!(
        "INSERT INTO entry_past (vault_id, memory_id, entry_id, sequence, known_from, known_until,
            conversation_id, branch_id, branched_at, tags)
         SELECT e.vault_id, e.memory_id, e.id, e.sequence,
            coalesce((SELECT max(p.known_until) FROM entry_past p
                WHERE p.vault_id = ?1 AND p.memory_id = ?2 AND p.entry_id = e.id), e.creation_time),
            ?3, e.conversation_id, e.branch_id, e.branched_at, e.tags
         FROM entry e
         WHERE e.vault_id = ?1 AND e.memory_id = ?2 AND e.creation_time < ?3 AND {which}
         ON CONFLICT DO NOTHING"
    )
}

/// A conversation has no creation_time: before its first entry came, nothing asks for it.
fn keep_conversation() -> String {
    let copied = conversations::COPIED.join(", ");
    let selected: Vec<String> =
        conversations::COPIED.iter().map(|column| format!("c.{column}")).collect();
    format!(
        "INSERT INTO conversation_past (vault_id, memory_id, known_from, known_until, {copied})
         SELECT c.vault_id, c.memory_id,
            coalesce((SELECT max(p.known_until) FROM conversation_past p
                WHERE p.vault_id = ?1 AND p.memory_id = ?2 AND p.id = c.id), {EARLIEST}),
            ?3, {}
         FROM conversation c WHERE c.vault_id = ?1 AND c.memory_id = ?2 AND c.id = ?4
         ON CONFLICT DO NOTHING",
        selected.join(", ")
    )
}

/// A time before any that is given to something stored: 1970.
const EARLIEST: &str = "0";

fn keep_fact() -> String {
    "INSERT INTO fact_past (vault_id, memory_id, fact_id, known_from, known_until, pinned_at, written_by)
     SELECT f.vault_id, f.memory_id, f.id,
        coalesce((SELECT max(p.known_until) FROM fact_past p
            WHERE p.vault_id = ?1 AND p.memory_id = ?2 AND p.fact_id = f.id), f.creation_time),
        ?3, f.pinned_at, f.written_by
     FROM fact f
     WHERE f.vault_id = ?1 AND f.memory_id = ?2 AND f.id = ?4 AND f.creation_time < ?3
     ON CONFLICT DO NOTHING"
        .to_owned()
}

fn keep_chapter() -> String {
    let columns = chapters::columns().join(", ");
    format!(
        "INSERT INTO chapter_past (known_until, {columns})
         SELECT ?3, {columns} FROM chapter {IN_MEMORY} AND id = ?4 AND creation_time < ?3
         ON CONFLICT DO NOTHING"
    )
}

/// What was different at a time.
pub(crate) fn rows(
    db: &dyn Database,
    memory: MemoryRef,
    at: Timestamp,
    kinds: &[PastKind<'_>],
) -> Result<PastRows> {
    static ENTRIES: Sql = Sql::new(|_| {
        ENTRY.select(&format!("FROM entry_past {IN_MEMORY} AND {HOLDS} ORDER BY entry_id"))
    });
    static FACTS: Sql = Sql::new(|_| {
        FACT.select(&format!("FROM fact_past {IN_MEMORY} AND {HOLDS} ORDER BY fact_id"))
    });
    static CONVERSATIONS: Sql =
        Sql::new(|_| conversations::select_past(&format!("{HOLDS} ORDER BY id")));
    let [vault, home] = place(memory);
    let values = [vault, home, at.into()];
    let mut found = PastRows::default();
    for kind in kinds {
        match kind {
            PastKind::Entries => found.entries = db.all(&ENTRIES, &values, read_entry)?,
            PastKind::Conversations => {
                found.conversations = db.all(&CONVERSATIONS, &values, conversations::read)?;
            }
            PastKind::ConversationsOf(ids) => {
                found.conversations = conversations_of(db, &values, ids)?;
            }
            PastKind::Facts => found.facts = db.all(&FACTS, &values, read_fact)?,
            PastKind::Chapters => found.chapters = chapters::past(db, &values)?,
        }
    }
    Ok(found)
}

/// Those of some conversations that were different; `values` are the memory and the time.
fn conversations_of(
    db: &dyn Database,
    values: &[Value<'_>; 3],
    ids: &[ConversationId],
) -> Result<Vec<Conversation>> {
    static SQL: Sql = Sql::new(|dialect| {
        conversations::select_past(&format!("{HOLDS} AND id {}", dialect.is_one_of(4)))
    });
    let each = ids.iter().copied().map(Into::into).collect();
    db.all_each(&SQL, values, each, conversations::read)
}

/// The entries of some conversations that were current at a time: those that are in them and have not
/// changed since, and those that were.
pub(crate) fn extents(
    db: &dyn Database,
    memory: MemoryRef,
    at: Timestamp,
    ids: &[ConversationId],
) -> Result<Vec<ConversationExtent>> {
    static SQL: Sql = Sql::new(select_extents);
    let [vault, home] = place(memory);
    let each = ids.iter().copied().map(Into::into).collect();
    db.all_each(&SQL, &[vault, home, at.into()], each, |row| {
        Ok(ConversationExtent {
            id: row.get(EXTENT.conversation_id)?,
            first: row.get(EXTENT.first)?,
            last: row.get(EXTENT.last)?,
            entries: row.get(EXTENT.entries)?,
        })
    })
}

/// A statement for the extents of conversations. Each part is found by the index of its conversation:
/// without statistics SQLite prefers that of the memory, and would read all of it.
fn select_extents(dialect: Dialect) -> String {
    let (one, memory) = (dialect.is_one_of(4), dialect.not_by_index("e.memory_id"));
    let was_current = "e.creation_time <= ?3 AND coalesce(e.corrected_at > ?3, true)";
    let in_past =
        "p.vault_id = ?1 AND p.memory_id = ?2 AND p.known_from <= ?3 AND p.known_until > ?3";
    EXTENT.select(&format!(
        "FROM (
            SELECT e.conversation_id, e.conversation_time FROM entry e
            WHERE e.vault_id = ?1 AND {memory} = ?2 AND e.conversation_id {one}
              AND {was_current} AND coalesce(e.branched_at > ?3, true)
              AND NOT EXISTS (SELECT 1 FROM entry_past p WHERE {in_past} AND p.entry_id = e.id)
            UNION ALL
            SELECT p.conversation_id, e.conversation_time
            FROM entry_past p JOIN entry e ON e.vault_id = ?1 AND e.id = p.entry_id
            WHERE {in_past} AND p.conversation_id {one} AND p.branch_id IS NULL AND {was_current}
         ) AS said GROUP BY conversation_id"
    ))
}

fn read_entry(row: &dyn Row) -> Result<PastEntry> {
    Ok(PastEntry {
        id: row.get(ENTRY.entry_id)?,
        sequence: row.get(ENTRY.sequence)?,
        conversation: row.get(ENTRY.conversation_id)?,
        branch: row.pair(ENTRY.branch_id, ENTRY.branched_at)?,
        tags: row.get(ENTRY.tags)?,
        corrected_at: row.get(ENTRY.corrected_at)?,
    })
}

fn read_fact(row: &dyn Row) -> Result<PastFact> {
    Ok(PastFact {
        id: row.get(FACT.fact_id)?,
        pinned_at: row.get(FACT.pinned_at)?,
        by: row.get(FACT.written_by)?,
    })
}

/// Makes entries that were current at a time stand as they stood then.
pub(super) fn restore_entries(
    db: &dyn Database,
    memory: MemoryRef,
    at: Timestamp,
    entries: Vec<Entry>,
) -> Result<Vec<Entry>> {
    static SQL: Sql = Sql::new(|dialect| {
        let one = dialect.is_one_of(4);
        ENTRY.select(&format!("FROM entry_past {IN_MEMORY} AND {HOLDS} AND entry_id {one}"))
    });
    let [vault, home] = place(memory);
    let each = entries.iter().map(|entry| entry.id.into()).collect();
    let mut past = db.all_each(&SQL, &[vault, home, at.into()], each, read_entry)?;
    let mut take = |id: EntryId| {
        let found = past.iter().position(|one| one.id == id);
        found.map(|found| past.swap_remove(found))
    };
    Ok(entries
        .into_iter()
        .map(|entry| {
            let past = take(entry.id);
            PastEntry::restore(entry, past)
        })
        .collect())
}

/// A column of `entry` as it stood at a time, as an expression over the row that held then; `otherwise` if
/// none did.
pub(super) fn stood(time: &str, column: &str, otherwise: &str) -> String {
    format!(
        "coalesce((SELECT {column} FROM entry_past p WHERE p.vault_id = ?1 AND p.memory_id = ?2
            AND p.entry_id = entry.id AND p.known_from <= {time} AND p.known_until > {time}), {otherwise})"
    )
}

/// Forgets how entries stood, and the words that conversations had while they held them.
pub(super) fn forget_entries(
    db: &dyn Database,
    memory: MemoryRef,
    entries: &[EntryId],
) -> Result<()> {
    static WORDS: Sql = Sql::new(|dialect| {
        let one = dialect.is_one_of(3);
        format!(
            "UPDATE conversation_past SET {BLANK} {IN_MEMORY} AND id IN (
                SELECT conversation_id FROM entry {IN_MEMORY} AND id {one}
                UNION SELECT conversation_id FROM entry_past {IN_MEMORY} AND entry_id {one})"
        )
    });
    static ROWS: Sql = Sql::new(|dialect| {
        format!("DELETE FROM entry_past {IN_MEMORY} AND entry_id {}", dialect.is_one_of(3))
    });
    let each: Vec<Value<'_>> = entries.iter().copied().map(Into::into).collect();
    db.change_each(&WORDS, &place(memory), each.clone())?;
    db.change_each(&ROWS, &place(memory), each).map(drop)
}

/// Removes what is said in words about a conversation.
const BLANK: &str =
    "end_reason = NULL, title = NULL, summary = NULL, summary_by = NULL, retrospection = NULL,
    retrospected_at = NULL";

/// Removes all replaced chapters that end at or behind a place.
pub(super) fn remove_chapters(db: &dyn Database, memory: MemoryRef, from: Cursor) -> Result<()> {
    static SQL: Sql = Sql::new(|_| {
        format!("DELETE FROM chapter_past {IN_MEMORY} AND (last_at, last_sequence) >= (?3, ?4)")
    });
    db.write(&SQL, &chapters::behind(memory, from))
}
