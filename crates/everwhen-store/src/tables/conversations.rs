//! The tables `conversation`, `conversation_alias` and `ending`.

use everwhen_engine::Result;
use everwhen_engine::memory::{
    Branch, Conversation, ConversationId, Ended, EndedBy, EntryId, Name, Retrospection, Summary,
    VaultId,
};
use everwhen_engine::ports::{
    ArchiveFilter, ConversationOrder, ConversationQuery, ConversationSelection, EachOf, MemoryRef,
    Order,
};
use jiff::Timestamp;

use super::database::collect;
use super::filter::Filter;
use super::{
    Database, Dialect, IN_MEMORY, Query, Row, Sql, Value, activities, columns, entries, limit,
    place, table,
};

table! {
    static CONVERSATION: ConversationColumns = "conversation", key(vault_id, id), sqlite_key(id);
    fn values(vault: VaultId, conversation: &'v Conversation) {
        id: conversation.id,
        vault_id: vault,
        memory_id: conversation.memory,
        name: conversation.name.as_ref(),
        started_at: conversation.started_at,
        last_at: conversation.last_at,
        entries: conversation.entries,
        ended_at: conversation.ended.as_ref().map(|ended| ended.at),
        ended_by: conversation.ended.as_ref().map(ended_by),
        end_reason: conversation.ended.as_ref().and_then(end_reason),
        title: conversation.summary.as_ref().map(|summary| &summary.title),
        summary: conversation.summary.as_ref().map(|summary| &summary.text),
        summary_by: conversation.summary.as_ref().map(|summary| summary.by),
        archived_at: conversation.archived_at,
        restored_at: conversation.restored_at,
        shelved_at: listed_at(conversation),
        distilled_at: conversation.distilled_at,
        facts_dropped: conversation.facts_dropped,
        retrospection: conversation.retrospection.as_ref().map(|one| &one.text),
        retrospected_at: conversation.retrospection.as_ref().map(|one| one.at),
    }
}

table! {
    static ALIAS: AliasColumns = "conversation_alias", key(vault_id, id), sqlite_key(id);
    fn alias_values(memory: MemoryRef, from: ConversationId, into: ConversationId) {
        vault_id: memory.vault,
        memory_id: memory.memory,
        id: from,
        target_id: into,
    }
}

table! {
    static ENDING: EndingColumns = "ending", key(vault_id, memory_id, at);
    fn ending_values(memory: MemoryRef, at: Timestamp) {
        vault_id: memory.vault,
        memory_id: memory.memory,
        at: at,
    }
}

/// The columns that are copied where it is kept how a conversation stood.
pub(super) const COPIED: [&str; 18] = [
    "id",
    "name",
    "started_at",
    "last_at",
    "entries",
    "ended_at",
    "ended_by",
    "end_reason",
    "title",
    "summary",
    "summary_by",
    "archived_at",
    "restored_at",
    "shelved_at",
    "distilled_at",
    "facts_dropped",
    "retrospection",
    "retrospected_at",
];

/// A statement that finds conversations as they stood. The table of those has the same columns.
pub(super) fn select_past(which: &str) -> String {
    format!("SELECT {} FROM conversation_past {IN_MEMORY} AND {which}", CONVERSATION.list())
}

columns! { static BRANCH: BranchColumns {
    branch_id, archived_at = "min(branched_at)", entries = "count(*)",
} }

fn ended_by(ended: &Ended) -> i64 {
    match ended.by {
        EndedBy::Idle => 0,
        EndedBy::Caller { .. } => 1,
    }
}

fn end_reason(ended: &Ended) -> Option<&str> {
    match &ended.by {
        EndedBy::Idle => None,
        EndedBy::Caller { reason } => reason.as_deref(),
    }
}

/// Where an ended conversation stands among those that are not archived.
fn listed_at(conversation: &Conversation) -> Option<Timestamp> {
    let listed = conversation.ended.is_some() && conversation.archived_at.is_none();
    listed.then(|| ConversationOrder::Ended.time_of(conversation))
}

pub(super) fn read(row: &dyn Row) -> Result<Conversation> {
    Ok(Conversation {
        id: row.get(CONVERSATION.id)?,
        memory: row.get(CONVERSATION.memory_id)?,
        name: row.get(CONVERSATION.name)?,
        started_at: row.get(CONVERSATION.started_at)?,
        last_at: row.get(CONVERSATION.last_at)?,
        entries: row.get(CONVERSATION.entries)?,
        ended: read_end(row)?,
        summary: read_summary(row)?,
        archived_at: row.get(CONVERSATION.archived_at)?,
        restored_at: row.get(CONVERSATION.restored_at)?,
        distilled_at: row.get(CONVERSATION.distilled_at)?,
        facts_dropped: row.get(CONVERSATION.facts_dropped)?,
        retrospection: row
            .pair(CONVERSATION.retrospection, CONVERSATION.retrospected_at)?
            .map(|(text, at)| Retrospection { text, at }),
    })
}

fn read_end(row: &dyn Row) -> Result<Option<Ended>> {
    let Some(at) = row.get(CONVERSATION.ended_at)? else { return Ok(None) };
    let by = match row.get::<i64>(CONVERSATION.ended_by)? {
        0 => EndedBy::Idle,
        1 => EndedBy::Caller { reason: row.get(CONVERSATION.end_reason)? },
        _ => return Err(row.damaged(CONVERSATION.ended_by)),
    };
    Ok(Some(Ended { at, by }))
}

fn read_summary(row: &dyn Row) -> Result<Option<Summary>> {
    let Some(title) = row.get(CONVERSATION.title)? else { return Ok(None) };
    let (text, by) = (row.get(CONVERSATION.summary)?, row.get(CONVERSATION.summary_by)?);
    Ok(Some(Summary { title, text, by }))
}

static BY_IDS: Sql = Sql::new(|dialect| {
    format!("SELECT {} {}", CONVERSATION.list(), dialect.by_ids("conversation"))
});

/// Conversations, each at the position of its id; one that was merged answers with the other.
pub(crate) fn each(
    db: &dyn Database,
    memory: MemoryRef,
    ids: &[ConversationId],
) -> Result<Vec<Option<Conversation>>> {
    let each = ids.iter().copied().map(Into::into).collect();
    let found = db.all_each(&BY_IDS, &[memory.vault.into()], each, read)?;
    in_places(db, memory, ids, &found)
}

/// Entries and conversations in one round trip.
pub(crate) fn each_of(
    db: &dyn Database,
    memory: MemoryRef,
    entry_ids: &[EntryId],
    ids: &[ConversationId],
) -> Result<EachOf> {
    if entry_ids.is_empty() {
        return Ok((Vec::new(), each(db, memory, ids)?));
    }
    if ids.is_empty() {
        return Ok((entries::each(db, memory, entry_ids)?, Vec::new()));
    }
    let (mut said, mut found) = (Vec::new(), Vec::new());
    let (dialect, vault) = (db.dialect(), [memory.vault.into()]);
    db.query_both(
        Query {
            sql: entries::BY_IDS.text(dialect),
            values: &vault,
            each: Some(entry_ids.iter().copied().map(Into::into).collect()),
            take: &mut collect(&mut said, entries::read),
        },
        Query {
            sql: BY_IDS.text(dialect),
            values: &vault,
            each: Some(ids.iter().copied().map(Into::into).collect()),
            take: &mut collect(&mut found, read),
        },
    )?;
    Ok((entries::in_places(memory, entry_ids, said), in_places(db, memory, ids, &found)?))
}

/// Conversations that were found by their ids, each in its place. Those that are missing may have
/// been merged.
fn in_places(
    db: &dyn Database,
    memory: MemoryRef,
    ids: &[ConversationId],
    found: &[Conversation],
) -> Result<Vec<Option<Conversation>>> {
    let find = |id: ConversationId| found.iter().find(|one| one.id == id);
    ids.iter()
        .map(|id| match find(*id) {
            Some(one) => Ok((one.memory == memory.memory).then(|| one.clone())),
            None => merged(db, memory, *id),
        })
        .collect()
}

/// The conversation that another one was merged into.
fn merged(
    db: &dyn Database,
    memory: MemoryRef,
    id: ConversationId,
) -> Result<Option<Conversation>> {
    static SQL: Sql = Sql::new(|_| {
        CONVERSATION.select(&format!(
            "{IN_MEMORY} AND id =
                (SELECT target_id FROM conversation_alias WHERE vault_id = ?1 AND id = ?3)"
        ))
    });
    let [vault, memory] = place(memory);
    db.first(&SQL, &[vault, memory, id.into()], read)
}

/// Conversations of a memory.
pub(crate) fn find(
    db: &dyn Database,
    memory: MemoryRef,
    which: ConversationSelection<'_>,
) -> Result<Vec<Conversation>> {
    match which {
        ConversationSelection::Matching(query) => list(db, memory, query),
        ConversationSelection::Name(name) => Ok(by_name(db, memory, name)?.into_iter().collect()),
        ConversationSelection::Surplus(keep) => surplus(db, memory, keep),
    }
}

/// The conversation with this name in the caller's source.
fn by_name(db: &dyn Database, memory: MemoryRef, name: &Name) -> Result<Option<Conversation>> {
    static SQL: Sql = Sql::new(|_| CONVERSATION.select(&format!("{IN_MEMORY} AND name = ?3")));
    let [vault, memory] = place(memory);
    db.first(&SQL, &[vault, memory, name.into()], read)
}

/// Adds a conversation or replaces what is known of it. The usual change is one more entry; it
/// leaves the indexes alone.
pub(crate) fn put(db: &dyn Database, vault: VaultId, conversation: &Conversation) -> Result<()> {
    static UPDATE: Sql = Sql::new(|_| {
        CONVERSATION.update(&["memory_id", "name", "started_at", "ended_at", "shelved_at"])
    });
    static UPSERT: Sql = Sql::new(|dialect| CONVERSATION.upsert(dialect));
    let dialect = db.dialect();
    let values = values(vault, conversation);
    db.update_or_insert(UPDATE.text(dialect), UPSERT.text(dialect), &values)
}

/// Conversations in order.
fn list(
    db: &dyn Database,
    memory: MemoryRef,
    query: &ConversationQuery,
) -> Result<Vec<Conversation>> {
    let mut filter = Filter::new(memory);
    if let Some(condition) = standing(query) {
        filter.condition(condition);
    }
    filter.add_if("last_at >=", query.after);
    let started = match query.by {
        ConversationOrder::Started => "started_at".to_owned(),
        ConversationOrder::Ended => db.dialect().not_by_index("started_at"),
    };
    filter.add_if(&format!("{started} <"), query.before);
    let key = order_key(query);
    let (side, order) = match query.order {
        Order::Oldest => (">", "ASC"),
        Order::Newest => ("<", "DESC"),
    };
    if let Some((time, id)) = query.from {
        let (time, id) = (filter.value(time), filter.value(id));
        filter.condition(&format!("({key}, id) {side} ({time}, {id})"));
    }
    let most = filter.value(limit(query.limit));
    let rest = format!("ORDER BY {key} {order}, id {order} LIMIT {most}");
    let sql = filter.sql(db.dialect(), &CONVERSATION.select(""), &rest);
    db.all_of(&sql, &filter.values, read)
}

/// What a list is ordered by. Those that are not archived are in an index of their own.
fn order_key(query: &ConversationQuery) -> &'static str {
    match (query.by, query.archive) {
        (ConversationOrder::Started, _) => "started_at",
        (ConversationOrder::Ended, ArchiveFilter::Listed) => "shelved_at",
        (ConversationOrder::Ended, _) => "coalesce(restored_at, ended_at)",
    }
}

/// The condition on end and archive, which has no values.
fn standing(query: &ConversationQuery) -> Option<&'static str> {
    let ended = match query.by {
        ConversationOrder::Ended if query.ended.is_none() => Some(true),
        _ => query.ended,
    };
    let never = query.by == ConversationOrder::Ended && query.ended == Some(false);
    match (ended, query.archive) {
        _ if never => Some("false"),
        (None, ArchiveFilter::Both) => None,
        (None, ArchiveFilter::Listed) => Some("archived_at IS NULL"),
        (None, ArchiveFilter::Archived) => Some("archived_at IS NOT NULL"),
        (Some(true), ArchiveFilter::Both) => Some("ended_at IS NOT NULL"),
        (Some(true), ArchiveFilter::Listed) => Some("shelved_at IS NOT NULL"),
        (Some(true), ArchiveFilter::Archived) => {
            Some("ended_at IS NOT NULL AND archived_at IS NOT NULL")
        }
        (Some(false), ArchiveFilter::Both) => Some("ended_at IS NULL"),
        (Some(false), ArchiveFilter::Listed) => Some("ended_at IS NULL AND archived_at IS NULL"),
        (Some(false), ArchiveFilter::Archived) => {
            Some("ended_at IS NULL AND archived_at IS NOT NULL")
        }
    }
}

/// Ended conversations that are not archived, without the `keep` that come last; oldest first.
fn surplus(db: &dyn Database, memory: MemoryRef, keep: u64) -> Result<Vec<Conversation>> {
    static SQL: Sql = Sql::new(|dialect| {
        // The index has the vault only where tables are distributed by it. SQLite has no OFFSET
        // without a LIMIT; this one is never reached.
        let memory = match dialect {
            Dialect::Sqlite => "WHERE memory_id = ?2",
            Dialect::Postgres => IN_MEMORY,
        };
        let over = format!(
            "SELECT id AS wanted FROM conversation {memory} AND shelved_at IS NOT NULL
             ORDER BY shelved_at DESC, id DESC LIMIT 4611686018427387904 OFFSET ?3"
        );
        let (list, from) = (CONVERSATION.list(), dialect.looked_up("conversation", &over));
        format!("SELECT {list} {from} ORDER BY shelved_at, id")
    });
    let [vault, memory] = place(memory);
    db.all(&SQL, &[vault, memory, keep.into()], read)
}

/// The branches that forks of a conversation left, oldest first.
pub(crate) fn branches(
    db: &dyn Database,
    memory: MemoryRef,
    conversation: ConversationId,
) -> Result<Vec<Branch>> {
    // Without statistics SQLite prefers the index of the memory, and would read all of it.
    static SQL: Sql = Sql::new(|dialect| {
        let memory = dialect.not_by_index("memory_id");
        BRANCH.select(&format!(
            "FROM entry WHERE vault_id = ?1 AND {memory} = ?2 AND conversation_id = ?3
                AND branch_id IS NOT NULL AND corrected_by IS NULL
             GROUP BY branch_id ORDER BY min(branched_at), branch_id"
        ))
    });
    let [vault, memory] = place(memory);
    db.all(&SQL, &[vault, memory, conversation.into()], |row| {
        Ok(Branch {
            id: row.get(BRANCH.branch_id)?,
            archived_at: row.get(BRANCH.archived_at)?,
            entries: row.get(BRANCH.entries)?,
        })
    })
}

/// Moves everything of a conversation to another one, which answers to both ids from now on.
pub(crate) fn merge(
    db: &dyn Database,
    memory: MemoryRef,
    from: ConversationId,
    into: ConversationId,
) -> Result<()> {
    static ENTRIES: Sql = Sql::new(|_| {
        format!("UPDATE entry SET conversation_id = ?4 {IN_MEMORY} AND conversation_id = ?3")
    });
    static ALIASES: Sql = Sql::new(|_| {
        format!("UPDATE conversation_alias SET target_id = ?4 {IN_MEMORY} AND target_id = ?3")
    });
    static ADD: Sql = Sql::new(|_| ALIAS.insert());
    static REMOVE: Sql = Sql::new(|_| format!("DELETE FROM conversation {IN_MEMORY} AND id = ?3"));
    activities::merge(db, memory, from, into)?;
    let [vault, home] = place(memory);
    let moved: [Value<'_>; 4] = [vault, home, from.into(), into.into()];
    db.write(&ENTRIES, &moved)?;
    db.write(&ALIASES, &moved)?;
    db.change_one(&ADD, &alias_values(memory, from, into))?;
    db.change_one(&REMOVE, &moved[..3])
}

/// Notes that a caller ended a conversation placed by time.
pub(crate) fn add_ending(db: &dyn Database, memory: MemoryRef, at: Timestamp) -> Result<()> {
    static SQL: Sql = Sql::new(|_| format!("{} ON CONFLICT DO NOTHING", ENDING.insert()));
    db.write(&SQL, &ending_values(memory, at))
}

/// When callers ended conversations placed by time: instants in `[since, until)`, in order.
pub(crate) fn endings(
    db: &dyn Database,
    memory: MemoryRef,
    since: Timestamp,
    until: Timestamp,
) -> Result<Vec<Timestamp>> {
    static SQL: Sql =
        Sql::new(|_| ENDING.select(&format!("{IN_MEMORY} AND at >= ?3 AND at < ?4 ORDER BY at")));
    let [vault, memory] = place(memory);
    db.all(&SQL, &[vault, memory, since.into(), until.into()], |row| row.get(ENDING.at))
}
