//! The tables `ledger`, `ledger_head` and `promised_time`.

use everwhen_engine::Result;
use everwhen_engine::memory::{EntryId, MemoryId, VaultId};
use everwhen_engine::ports::{
    LastRequest, LedgerHead, LedgerLine, LedgerLines, MemoryRef, Placeholder,
};
use jiff::Timestamp;

use super::{Database, IN_MEMORY, Row, Sql, limit, place, table};

table! {
    static LINE: LineColumns = "ledger", key(vault_id, memory_id, number),
        sqlite_key(memory_id, number);
    fn line_values(memory: MemoryRef, line: &'v LedgerLine) {
        vault_id: memory.vault,
        memory_id: memory.memory,
        number: line.number,
        place: line.place,
        mark: &line.mark,
        occurrence: line.occurrence,
        role: line.role,
        time: line.time,
        since: line.since,
        after: line.after,
        entry_id: line.entry,
        delivered: line.delivered,
    }
}

table! {
    static HEAD: HeadColumns = "ledger_head", key(vault_id, memory_id), sqlite_key(memory_id);
    fn head_values(memory: MemoryRef, head: &'v LedgerHead) {
        vault_id: memory.vault,
        memory_id: memory.memory,
        last_number: head.last_number,
        started_at: head.placeholder.map(|reply| reply.started_at),
        after: head.placeholder.and_then(|reply| reply.after),
        reply: head.placeholder.and_then(|reply| reply.reply),
        request: head.request.as_ref().map(|last| &last.hash),
        answered: head.request.is_some_and(|last| last.answered),
    }
}

table! {
    static PROMISED: PromisedColumns = "promised_time", key(vault_id, memory_id, text_hash),
        sqlite_key(memory_id, text_hash);
    fn promised_values(memory: MemoryRef, text: &'v [u8; 32], time: Timestamp) {
        vault_id: memory.vault,
        memory_id: memory.memory,
        text_hash: text,
        time: time,
    }
}

fn read_line(row: &dyn Row) -> Result<LedgerLine> {
    Ok(LedgerLine {
        number: row.get(LINE.number)?,
        place: row.get(LINE.place)?,
        mark: row.get(LINE.mark)?,
        occurrence: row.get(LINE.occurrence)?,
        role: row.get(LINE.role)?,
        time: row.get(LINE.time)?,
        since: row.get(LINE.since)?,
        after: row.get(LINE.after)?,
        entry: row.get(LINE.entry_id)?,
        delivered: row.get(LINE.delivered)?,
    })
}

fn read_head(row: &dyn Row) -> Result<LedgerHead> {
    let (after, reply) = (row.get(HEAD.after)?, row.get(HEAD.reply)?);
    let started_at: Option<Timestamp> = row.get(HEAD.started_at)?;
    let (request, answered) = (row.get::<Option<[u8; 32]>>(HEAD.request)?, row.get(HEAD.answered)?);
    Ok(LedgerHead {
        last_number: row.get(HEAD.last_number)?,
        placeholder: started_at.map(|started_at| Placeholder { started_at, after, reply }),
        request: request.map(|hash| LastRequest { hash, answered }),
    })
}

/// The head of a memory's ledger.
pub(crate) fn head(db: &dyn Database, memory: MemoryRef) -> Result<Option<LedgerHead>> {
    static SQL: Sql = Sql::new(|_| HEAD.select(IN_MEMORY));
    db.first(&SQL, &place(memory), read_head)
}

/// The heads of the ledgers whose last request has this hash, each with its memory, the newest first.
pub(crate) fn requested(
    db: &dyn Database,
    vault: VaultId,
    request: [u8; 32],
) -> Result<Vec<(MemoryId, LedgerHead)>> {
    static SQL: Sql =
        Sql::new(|_| HEAD.select("WHERE vault_id = ?1 AND request = ?2 ORDER BY memory_id DESC"));
    let read = |row: &dyn Row| Ok((row.get(HEAD.memory_id)?, read_head(row)?));
    db.all(&SQL, &[vault.into(), (&request).into()], read)
}

/// Lines of a memory's ledger.
pub(crate) fn lines(
    db: &dyn Database,
    memory: MemoryRef,
    which: LedgerLines<'_>,
) -> Result<Vec<LedgerLine>> {
    static NEWEST: Sql = Sql::new(|_| found("place IS NOT NULL ORDER BY place DESC LIMIT ?3"));
    static OLDEST: Sql = Sql::new(|_| found("place IS NOT NULL ORDER BY place LIMIT ?3"));
    static BEHIND: Sql = Sql::new(|_| found("place > ?3 ORDER BY place"));
    static BEFORE: Sql = Sql::new(|_| found("place < ?3 ORDER BY place DESC LIMIT 1"));
    static NUMBERED: Sql = Sql::new(|_| found("number = ?3"));
    static MARKED: Sql = Sql::new(|_| found("mark = ?3 ORDER BY occurrence"));
    static BARE: Sql = Sql::new(|_| found("entry_id IS NULL ORDER BY number"));
    let (sql, value) = match &which {
        LedgerLines::Newest(most) => (&NEWEST, limit(Some(*most))),
        LedgerLines::Oldest => (&OLDEST, limit(Some(1))),
        LedgerLines::Behind(place) => (&BEHIND, (*place).into()),
        LedgerLines::Before(place) => (&BEFORE, (*place).into()),
        LedgerLines::Numbered(number) => (&NUMBERED, (*number).into()),
        LedgerLines::Marked(mark) => (&MARKED, mark.into()),
        LedgerLines::Of(entries) => return lines_of(db, memory, entries),
        LedgerLines::WithoutEntry => return db.all(&BARE, &place(memory), read_line),
    };
    let [vault, memory] = place(memory);
    db.all(sql, &[vault, memory, value], read_line)
}

/// The lines of entries.
fn lines_of(db: &dyn Database, memory: MemoryRef, entries: &[EntryId]) -> Result<Vec<LedgerLine>> {
    static SQL: Sql = Sql::new(|dialect| found(&format!("entry_id {}", dialect.is_one_of(3))));
    let each = entries.iter().copied().map(Into::into).collect();
    let mut lines = db.all_each(&SQL, &place(memory), each, read_line)?;
    lines.sort_by_key(|line| line.number);
    lines.dedup_by_key(|line| line.number);
    Ok(lines)
}

fn found(condition: &str) -> String {
    LINE.select(&format!("{IN_MEMORY} AND {condition}"))
}

/// When texts that have not been seen yet were said, by their hashes: of one text, or of all.
pub(crate) fn promised(
    db: &dyn Database,
    memory: MemoryRef,
    text: Option<[u8; 32]>,
) -> Result<Vec<([u8; 32], Timestamp)>> {
    static ONE: Sql = Sql::new(|_| PROMISED.select(&format!("{IN_MEMORY} AND text_hash = ?3")));
    static ALL: Sql = Sql::new(|_| PROMISED.select(&format!("{IN_MEMORY} ORDER BY text_hash")));
    let read = |row: &dyn Row| Ok((row.get(PROMISED.text_hash)?, row.get(PROMISED.time)?));
    let [vault, memory] = place(memory);
    match &text {
        Some(text) => db.all(&ONE, &[vault, memory, text.into()], read),
        None => db.all(&ALL, &[vault, memory], read),
    }
}

/// Whether there are texts that have not been seen yet and have a time.
pub(crate) fn has_promises(db: &dyn Database, memory: MemoryRef) -> Result<bool> {
    static SQL: Sql = Sql::new(|_| PROMISED.select(&format!("{IN_MEMORY} LIMIT 1")));
    Ok(db.first(&SQL, &place(memory), |_| Ok(()))?.is_some())
}

/// Adds the head of a ledger or replaces it.
pub(crate) fn put_head(db: &dyn Database, memory: MemoryRef, head: &LedgerHead) -> Result<()> {
    static SQL: Sql = Sql::new(|dialect| HEAD.upsert(dialect));
    db.write(&SQL, &head_values(memory, head))
}

/// Adds a line or replaces the one with its number.
pub(crate) fn put_line(db: &dyn Database, memory: MemoryRef, line: &LedgerLine) -> Result<()> {
    static SQL: Sql = Sql::new(|dialect| LINE.upsert(dialect));
    db.write(&SQL, &line_values(memory, line))
}

/// Stores the time of a text that has not been seen yet.
pub(crate) fn promise(
    db: &dyn Database,
    memory: MemoryRef,
    text: [u8; 32],
    time: Timestamp,
) -> Result<()> {
    static SQL: Sql = Sql::new(|dialect| PROMISED.upsert(dialect));
    db.write(&SQL, &promised_values(memory, &text, time))
}

/// Removes the time of a text that has been seen; answers whether there was one, as a count.
pub(crate) fn keep_promise(db: &dyn Database, memory: MemoryRef, text: [u8; 32]) -> Result<u64> {
    static SQL: Sql =
        Sql::new(|_| format!("DELETE FROM promised_time {IN_MEMORY} AND text_hash = ?3"));
    let [vault, memory] = place(memory);
    db.change(&SQL, &[vault, memory, (&text).into()])
}

/// Forgotten entries leave their lines, so that the messages are not stored again when they are sent
/// again.
pub(super) fn forget_entries(
    db: &dyn Database,
    memory: MemoryRef,
    entries: &[EntryId],
) -> Result<()> {
    static SQL: Sql = Sql::new(|dialect| {
        let which = dialect.is_one_of(3);
        format!("UPDATE ledger SET entry_id = NULL {IN_MEMORY} AND entry_id {which}")
    });
    let each = entries.iter().copied().map(Into::into).collect();
    db.change_each(&SQL, &place(memory), each).map(drop)
}
