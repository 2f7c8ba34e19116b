//! The tables `conversation`, `conversation_alias` and `ending`.

use everwhen_engine::Result;
use everwhen_engine::memory::{
    Branch, Conversation, ConversationId, Ended, EndedBy, EntryId, Name, Summary, VaultId,
};
use everwhen_engine::ports::{
    ConversationOrder, ConversationQuery, EachOf, MemoryRef, Order, Shelf,
};
use jiff::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::activities;
use super::connection::Connection;
use super::entries::{self, Filter, place, uuid, uuids};
use super::statement::{Values, all, first, get, get_id, run_one, send};
use crate::row::{count, damaged, instant, micros, name, number, summary_by};

const COLUMNS: &str = "SELECT id, memory_id, name, started_at, last_at, entries, ended_at,
    ended_by, end_reason, title, summary, summary_by, archived_at, restored_at, distilled_at
    FROM conversation";

pub(super) fn by_id(
    connection: &Connection,
    memory: MemoryRef,
    id: ConversationId,
) -> Result<Option<Conversation>> {
    let sql = format!(
        "{COLUMNS} WHERE vault_id = $1 AND memory_id = $2 AND id =
            coalesce((SELECT target_id FROM conversation_alias WHERE vault_id = $1 AND id = $3), $3)"
    );
    let [vault, memory] = place(&memory);
    first(connection, &sql, &[&vault, &memory, &uuid(id.bytes())], read)
}

/// Several at once, each in the place of its id.
pub(super) fn each(
    connection: &Connection,
    memory: MemoryRef,
    ids: &[ConversationId],
) -> Result<Vec<Option<Conversation>>> {
    let rows = connection.query(&each_sql(), &[&uuid(memory.vault.bytes()), &bare(ids)])?;
    in_places(connection, memory, ids, &rows)
}

/// Several entries and conversations in one visit.
pub(super) fn each_of(
    connection: &Connection,
    memory: MemoryRef,
    said: &[EntryId],
    talks: &[ConversationId],
) -> Result<EachOf> {
    if said.is_empty() {
        return Ok((Vec::new(), each(connection, memory, talks)?));
    }
    let vault = uuid(memory.vault.bytes());
    let (rows, talk_rows) = connection.query_both(
        (&entries::each_sql(), &[&vault, &uuids(said)]),
        (&each_sql(), &[&vault, &bare(talks)]),
    )?;
    let said = entries::in_places(memory, said, &rows)?;
    Ok((said, in_places(connection, memory, talks, &talk_rows)?))
}

/// Finds conversations by their ids, one after another, as entries are.
fn each_sql() -> String {
    let columns = COLUMNS.trim_end_matches("FROM conversation");
    format!("{columns} FROM {}", one_by_one("SELECT unnest($2::uuid[]) AS wanted"))
}

/// The rows of the conversations whose ids a query gives as `wanted`, each looked up by itself.
fn one_by_one(query: &str) -> String {
    format!(
        "({query}) AS these CROSS JOIN LATERAL
            (SELECT * FROM conversation WHERE vault_id = $1 AND id = wanted LIMIT 1) AS found"
    )
}

fn bare(ids: &[ConversationId]) -> Vec<Uuid> {
    ids.iter().map(|id| uuid(id.bytes())).collect()
}

/// Conversations that were found by their ids, each in its place. Those that were merged are looked
/// up by themselves.
fn in_places(
    connection: &Connection,
    memory: MemoryRef,
    ids: &[ConversationId],
    rows: &[Row],
) -> Result<Vec<Option<Conversation>>> {
    let found: Vec<Conversation> = rows.iter().map(read).collect::<Result<_>>()?;
    let find = |id: ConversationId| found.iter().find(|one| one.id == id);
    ids.iter()
        .map(|id| match find(*id) {
            Some(one) => Ok((one.memory == memory.memory).then(|| one.clone())),
            None => by_id(connection, memory, *id),
        })
        .collect()
}

pub(super) fn by_name(
    connection: &Connection,
    memory: MemoryRef,
    name: &Name,
) -> Result<Option<Conversation>> {
    let sql = format!("{COLUMNS} WHERE vault_id = $1 AND memory_id = $2 AND name = $3");
    let [vault, memory] = place(&memory);
    first(connection, &sql, &[&vault, &memory, &name.as_str()], read)
}

pub(super) fn put(
    connection: &Connection,
    vault: VaultId,
    conversation: &Conversation,
) -> Result<()> {
    let sql = "INSERT INTO conversation (id, vault_id, memory_id, name, started_at, last_at,
            entries, ended_at, ended_by, end_reason, title, summary, summary_by, archived_at,
            restored_at, shelved_at, distilled_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
        ON CONFLICT (vault_id, id) DO UPDATE SET started_at = $5, last_at = $6, entries = $7, ended_at = $8,
            ended_by = $9, end_reason = $10, title = $11, summary = $12, summary_by = $13,
            archived_at = $14, restored_at = $15, shelved_at = $16, distilled_at = $17";
    let (ended_at, ended_by, reason) = end_columns(conversation.ended.as_ref());
    let summary = conversation.summary.as_ref();
    send(
        connection,
        sql,
        &[
            &uuid(conversation.id.bytes()),
            &uuid(vault.bytes()),
            &uuid(conversation.memory.bytes()),
            &conversation.name.as_ref().map(Name::as_str),
            &micros(conversation.started_at),
            &micros(conversation.last_at),
            &number(conversation.entries),
            &ended_at,
            &ended_by,
            &reason,
            &summary.map(|summary| &summary.title),
            &summary.map(|summary| &summary.text),
            &summary.map(|summary| summary.by.as_str()),
            &conversation.archived_at.map(micros),
            &conversation.restored_at.map(micros),
            &shelved_at(conversation).map(micros),
            &conversation.distilled_at.map(micros),
        ],
    )
}

/// Where an ended conversation stands among those that are listed.
fn shelved_at(conversation: &Conversation) -> Option<Timestamp> {
    let listed = conversation.ended.is_some() && conversation.archived_at.is_none();
    listed.then(|| ConversationOrder::Ended.time_of(conversation))
}

fn end_columns(ended: Option<&Ended>) -> (Option<i64>, Option<i16>, Option<&str>) {
    match ended {
        None => (None, None, None),
        Some(Ended { at, by: EndedBy::Idle }) => (Some(micros(*at)), Some(0), None),
        Some(Ended { at, by: EndedBy::Caller { reason } }) => {
            (Some(micros(*at)), Some(1), reason.as_deref())
        }
    }
}

pub(super) fn list(
    connection: &Connection,
    memory: MemoryRef,
    query: &ConversationQuery,
) -> Result<Vec<Conversation>> {
    let mut filter = Filter::new("", memory);
    filter.conditions.push_str(standing(query));
    for (comparison, bound) in [("last_at >=", query.after), ("started_at <", query.before)] {
        if let Some(bound) = bound {
            filter.add(comparison, micros(bound));
        }
    }
    let key = key(query);
    let (side, order) = match query.order {
        Order::Oldest => (">", "ASC"),
        Order::Newest => ("<", "DESC"),
    };
    if let Some((time, id)) = query.from {
        let (time, id) = (filter.value(micros(time)), filter.value(uuid(id.bytes())));
        filter.condition(&format!("({key}, id) {side} ({time}, {id})"));
    }
    let limit = filter.value(query.limit.map(|limit| number(limit as u64)));
    let sql = format!(
        "{COLUMNS} WHERE {} ORDER BY {key} {order}, id {order} LIMIT {limit}",
        filter.conditions
    );
    all(connection, &sql, &filter.values(), read)
}

/// What a list is ordered by. Those that are listed have their place in an index of their own.
fn key(query: &ConversationQuery) -> &'static str {
    match (query.by, query.shelf) {
        (ConversationOrder::Started, _) => "started_at",
        (ConversationOrder::Ended, Shelf::Listed) => "shelved_at",
        (ConversationOrder::Ended, _) => "coalesce(restored_at, ended_at)",
    }
}

/// The conditions on end and archive, which have no values.
fn standing(query: &ConversationQuery) -> &'static str {
    let ended = match query.by {
        ConversationOrder::Ended if query.ended.is_none() => Some(true),
        _ => query.ended,
    };
    let never = query.by == ConversationOrder::Ended && query.ended == Some(false);
    match (ended, query.shelf) {
        _ if never => " AND false",
        (None, Shelf::Both) => "",
        (None, Shelf::Listed) => " AND archived_at IS NULL",
        (None, Shelf::Archived) => " AND archived_at IS NOT NULL",
        (Some(true), Shelf::Both) => " AND ended_at IS NOT NULL",
        (Some(true), Shelf::Listed) => " AND shelved_at IS NOT NULL",
        (Some(true), Shelf::Archived) => " AND ended_at IS NOT NULL AND archived_at IS NOT NULL",
        (Some(false), Shelf::Both) => " AND ended_at IS NULL",
        (Some(false), Shelf::Listed) => " AND ended_at IS NULL AND archived_at IS NULL",
        (Some(false), Shelf::Archived) => " AND ended_at IS NULL AND archived_at IS NOT NULL",
    }
}

/// The inner query walks the index alone; whole rows are read only of what is over.
pub(super) fn surplus(
    connection: &Connection,
    memory: MemoryRef,
    keep: u64,
) -> Result<Vec<Conversation>> {
    let columns = COLUMNS.trim_end_matches("FROM conversation");
    let over = one_by_one(
        "SELECT id AS wanted FROM conversation
         WHERE vault_id = $1 AND memory_id = $2 AND shelved_at IS NOT NULL
         ORDER BY shelved_at DESC, id DESC OFFSET $3",
    );
    let sql = format!("{columns} FROM {over} ORDER BY shelved_at, id");
    let [vault, memory] = place(&memory);
    all(connection, &sql, &[&vault, &memory, &number(keep)], read)
}

pub(super) fn branches(
    connection: &Connection,
    memory: MemoryRef,
    conversation: ConversationId,
) -> Result<Vec<Branch>> {
    let sql = "SELECT branch_id, min(branched_at), count(*) FROM entry
        WHERE vault_id = $1 AND memory_id = $2 AND conversation_id = $3 AND branch_id IS NOT NULL
            AND corrected_by IS NULL
        GROUP BY branch_id ORDER BY min(branched_at), branch_id";
    let [vault, memory] = place(&memory);
    all(connection, sql, &[&vault, &memory, &uuid(conversation.bytes())], |row| {
        Ok(Branch {
            id: get_id(row, 0)?,
            archived_at: instant(get(row, 1)?)?,
            entries: count(get(row, 2)?)?,
        })
    })
}

pub(super) fn merge(
    connection: &Connection,
    memory: MemoryRef,
    from: ConversationId,
    into: ConversationId,
) -> Result<()> {
    activities::merge(connection, memory, from, into)?;
    let [vault, memory] = place(&memory);
    let (from, into) = (uuid(from.bytes()), uuid(into.bytes()));
    let values: Values<'_> = &[&vault, &memory, &from, &into];
    send(
        connection,
        "UPDATE entry SET conversation_id = $4
         WHERE vault_id = $1 AND memory_id = $2 AND conversation_id = $3",
        values,
    )?;
    send(
        connection,
        "UPDATE conversation_alias SET target_id = $4
         WHERE vault_id = $1 AND memory_id = $2 AND target_id = $3",
        values,
    )?;
    run_one(
        connection,
        "INSERT INTO conversation_alias (vault_id, memory_id, id, target_id)
         VALUES ($1, $2, $3, $4)",
        values,
    )?;
    let sql = "DELETE FROM conversation WHERE vault_id = $1 AND memory_id = $2 AND id = $3";
    run_one(connection, sql, &[&vault, &memory, &from])
}

pub(super) fn add_ending(connection: &Connection, memory: MemoryRef, at: Timestamp) -> Result<()> {
    let sql = "INSERT INTO ending (vault_id, memory_id, at) VALUES ($1, $2, $3)
        ON CONFLICT DO NOTHING";
    let [vault, memory] = place(&memory);
    send(connection, sql, &[&vault, &memory, &micros(at)])
}

pub(super) fn endings(
    connection: &Connection,
    memory: MemoryRef,
    since: Timestamp,
    until: Timestamp,
) -> Result<Vec<Timestamp>> {
    let sql = "SELECT at FROM ending
        WHERE vault_id = $1 AND memory_id = $2 AND at >= $3 AND at < $4 ORDER BY at";
    let [vault, memory] = place(&memory);
    let (since, until) = (micros(since), micros(until));
    all(connection, sql, &[&vault, &memory, &since, &until], |row| instant(get(row, 0)?))
}

fn read(row: &Row) -> Result<Conversation> {
    Ok(Conversation {
        id: get_id(row, 0)?,
        memory: get_id(row, 1)?,
        name: get::<Option<String>>(row, 2)?.map(name).transpose()?,
        started_at: instant(get(row, 3)?)?,
        last_at: instant(get(row, 4)?)?,
        entries: count(get(row, 5)?)?,
        ended: read_end(row)?,
        summary: read_summary(row)?,
        archived_at: get::<Option<i64>>(row, 12)?.map(instant).transpose()?,
        restored_at: get::<Option<i64>>(row, 13)?.map(instant).transpose()?,
        distilled_at: get::<Option<i64>>(row, 14)?.map(instant).transpose()?,
    })
}

fn read_end(row: &Row) -> Result<Option<Ended>> {
    let Some(at) = get::<Option<i64>>(row, 6)? else { return Ok(None) };
    let by = match get::<Option<i16>>(row, 7)? {
        Some(0) => EndedBy::Idle,
        Some(1) => EndedBy::Caller { reason: get(row, 8)? },
        other => return Err(damaged("ended_by", format!("{other:?}"))),
    };
    Ok(Some(Ended { at: instant(at)?, by }))
}

fn read_summary(row: &Row) -> Result<Option<Summary>> {
    let Some(title) = get::<Option<String>>(row, 9)? else { return Ok(None) };
    let by: String = get(row, 11)?;
    Ok(Some(Summary { title, text: get(row, 10)?, by: summary_by(&by)? }))
}
