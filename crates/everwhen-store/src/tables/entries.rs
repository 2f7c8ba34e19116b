//! The table `entry`.

use std::collections::BTreeMap;

use everwhen_engine::Result;
use everwhen_engine::memory::{
    ConversationId, Corrected, Correction, Entry, EntryId, Name, Provenance, TimePrecision, VaultId,
};
use everwhen_engine::ports::{
    EntryChange, EntryQuery, EntryState, MemoryRef, Neighbour, Order, Speakers, TimeSide, Which,
};
use jiff::Timestamp;

use super::filter::Filter;
use super::{Database, IN_MEMORY, Row, Sql, Value, columns, limit, past, place, table};

table! {
    static ENTRY: EntryColumns = "entry", key(vault_id, id), sqlite_key(id);
    fn values(vault: VaultId, entry: &'v Entry, receipt: Option<&'v Name>) {
        vault_id: vault,
        memory_id: entry.memory,
        id: entry.id,
        sequence: entry.sequence,
        place: (entry.place != entry.sequence).then_some(entry.place),
        conversation_id: entry.conversation,
        role: entry.role,
        conversation_time: entry.conversation_time,
        creation_time: entry.creation_time,
        placed_by_time: entry.placed_by_time,
        is_question: entry.is_question,
        speaker: entry.speaker.as_ref(),
        content: &entry.content,
        summary: entry.summary.as_ref(),
        tags: &entry.tags,
        tools_used: &entry.tools_used,
        metadata: entry.metadata.as_ref(),
        corrects: entry.corrects.as_ref().map(|corrects| corrects.entry),
        correction_reason: entry.corrects.as_ref().map(|corrects| &corrects.reason),
        corrected_by: entry.corrected.map(|corrected| corrected.by),
        corrected_at: entry.corrected.map(|corrected| corrected.at),
        branch_id: entry.branch.map(|(branch, _)| branch),
        branched_at: entry.branch.map(|(_, at)| at),
        receipt_key: receipt,
        source: entry.provenance.as_ref().map(|from| &from.source),
        source_id: entry.provenance.as_ref().and_then(|from| from.source_id.as_ref()),
        source_time: entry.provenance.as_ref().and_then(|from| from.time_text.as_ref()),
        time_precision: entry.provenance.as_ref().map(|from| from.precision),
        time_from: entry.provenance.as_ref().map(|from| from.time_from),
        zone_from: entry.provenance.as_ref().map(|from| from.zone_from),
    }
    // Looked up row by row: joined, a planner without statistics may read all conversations.
    and { conversation_name = "(SELECT c.name FROM conversation c
        WHERE c.vault_id = ?1 AND c.id = entry.conversation_id)" }
}

columns! { static TAGGED: TaggedColumns { tags, entries = "count(*)" } }
columns! { static PLACED: Placed { conversation_time, role, conversation_id } }
columns! { static STANDING: StandingColumns { sequence, conversation_id, corrected_at, branched_at } }

pub(super) fn read(row: &dyn Row) -> Result<Entry> {
    Ok(Entry {
        id: row.get(ENTRY.id)?,
        memory: row.get(ENTRY.memory_id)?,
        sequence: row.get(ENTRY.sequence)?,
        place: match row.get::<Option<u64>>(ENTRY.place)? {
            Some(place) => place,
            None => row.get(ENTRY.sequence)?,
        },
        conversation: row.get(ENTRY.conversation_id)?,
        conversation_name: row.get(ENTRY.conversation_name)?,
        role: row.get(ENTRY.role)?,
        conversation_time: row.get(ENTRY.conversation_time)?,
        creation_time: row.get(ENTRY.creation_time)?,
        placed_by_time: row.get(ENTRY.placed_by_time)?,
        is_question: row.get(ENTRY.is_question)?,
        speaker: row.get(ENTRY.speaker)?,
        content: row.get(ENTRY.content)?,
        summary: row.get(ENTRY.summary)?,
        tags: row.get(ENTRY.tags)?,
        tools_used: row.get(ENTRY.tools_used)?,
        metadata: row.get(ENTRY.metadata)?,
        corrects: read_correction(row)?,
        corrected: row
            .pair(ENTRY.corrected_by, ENTRY.corrected_at)?
            .map(|(by, at)| Corrected { by, at }),
        branch: row.pair(ENTRY.branch_id, ENTRY.branched_at)?,
        provenance: read_provenance(row)?.map(Box::new),
    })
}

fn read_provenance(row: &dyn Row) -> Result<Option<Provenance>> {
    let Some(source) = row.get(ENTRY.source)? else { return Ok(None) };
    Ok(Some(Provenance {
        source,
        source_id: row.get(ENTRY.source_id)?,
        time_text: row.get(ENTRY.source_time)?,
        precision: row.get(ENTRY.time_precision)?,
        time_from: row.get(ENTRY.time_from)?,
        zone_from: row.get(ENTRY.zone_from)?,
    }))
}

fn read_correction(row: &dyn Row) -> Result<Option<Correction>> {
    let Some(entry) = row.get(ENTRY.corrects)? else { return Ok(None) };
    let reason: Option<String> = row.get(ENTRY.correction_reason)?;
    Ok(Some(Correction { entry, reason: reason.unwrap_or_default() }))
}

/// How entries are found by their ids.
pub(super) static BY_IDS: Sql =
    Sql::new(|dialect| format!("SELECT {} {}", ENTRY.list(), dialect.by_ids("entry")));

/// Entries, each at the position of its id.
pub(crate) fn each(
    db: &dyn Database,
    memory: MemoryRef,
    ids: &[EntryId],
) -> Result<Vec<Option<Entry>>> {
    let each = ids.iter().copied().map(Into::into).collect();
    let found = db.all_each(&BY_IDS, &[memory.vault.into()], each, read)?;
    Ok(in_places(memory, ids, found))
}

/// Entries that were found by their ids, each in its place. Only then is it known in which memory
/// they are.
pub(super) fn in_places(
    memory: MemoryRef,
    ids: &[EntryId],
    found: Vec<Entry>,
) -> Vec<Option<Entry>> {
    let inside = found.into_iter().filter(|entry| entry.memory == memory.memory);
    let mut found: Vec<Option<Entry>> = inside.map(Some).collect();
    let mut take = |id: EntryId| {
        let is_it = |one: &&mut Option<Entry>| one.as_ref().is_some_and(|entry| entry.id == id);
        found.iter_mut().find(is_it).and_then(Option::take)
    };
    ids.iter().map(|id| take(*id)).collect()
}

/// Adds an entry, with the idempotency key it came with.
pub(crate) fn add(
    db: &dyn Database,
    vault: VaultId,
    entry: &Entry,
    receipt: Option<&Name>,
) -> Result<()> {
    static SQL: Sql = Sql::new(|_| ENTRY.insert());
    db.write(&SQL, &values(vault, entry, receipt))
}

/// Where entries up to a sequence stand, in the order they arrived.
pub(crate) fn entry_states(
    db: &dyn Database,
    memory: MemoryRef,
    up_to: u64,
) -> Result<Vec<EntryState>> {
    static SQL: Sql = Sql::new(|_| {
        STANDING.select(&format!("FROM entry {IN_MEMORY} AND sequence <= ?3 ORDER BY sequence"))
    });
    let [vault, memory] = place(memory);
    db.all(&SQL, &[vault, memory, up_to.into()], |row| {
        let gone: [Option<Timestamp>; 2] =
            [row.get(STANDING.corrected_at)?, row.get(STANDING.branched_at)?];
        Ok(EntryState {
            sequence: row.get(STANDING.sequence)?,
            conversation: row.get(STANDING.conversation_id)?,
            gone_since: gone.into_iter().flatten().min(),
        })
    })
}

/// Changes entries, all of which must be there.
pub(crate) fn change(
    db: &dyn Database,
    memory: MemoryRef,
    ids: &[EntryId],
    change: EntryChange<'_>,
) -> Result<()> {
    static CORRECTED: Sql =
        Sql::new(|dialect| changed("corrected_by = ?3, corrected_at = ?4", &dialect.is_one_of(5)));
    static BRANCH: Sql =
        Sql::new(|dialect| changed("branch_id = ?3, branched_at = ?4", &dialect.is_one_of(5)));
    static REJOIN: Sql =
        Sql::new(|dialect| changed("branch_id = NULL, branched_at = NULL", &dialect.is_one_of(3)));
    static MOVE: Sql = Sql::new(|dialect| changed("conversation_id = ?3", &dialect.is_one_of(4)));
    static TAGS: Sql =
        Sql::new(|dialect| changed("tags = ?3, retagged_at = ?4", &dialect.is_one_of(5)));
    let mut values = Vec::from(place(memory));
    let sql = match change {
        EntryChange::Corrected(corrected) => {
            values.extend([corrected.by.into(), corrected.at.into()]);
            &CORRECTED
        }
        EntryChange::Branch(branch, at) => {
            values.extend([branch.into(), at.into()]);
            &BRANCH
        }
        EntryChange::Rejoin => &REJOIN,
        EntryChange::Conversation(to) => {
            values.push(to.into());
            &MOVE
        }
        EntryChange::Tags(tags, at) => {
            values.extend([Value::Names(tags), at.into()]);
            &TAGS
        }
    };
    db.change_one_each(sql, &values, ids.iter().copied().map(Into::into).collect())
}

fn changed(set: &str, which: &str) -> String {
    format!("UPDATE entry SET {set} {IN_MEMORY} AND id {which}")
}

/// The nearest entry placed by time on one side of a time.
pub(crate) fn neighbour(
    db: &dyn Database,
    memory: MemoryRef,
    side: TimeSide,
    speakers: Speakers,
) -> Result<Option<Neighbour>> {
    static LAST: Sql = Sql::new(|_| select_neighbour("<=", "DESC", ""));
    static LAST_OPENER: Sql = Sql::new(|_| select_neighbour("<=", "DESC", OPENERS));
    static NEXT: Sql = Sql::new(|_| select_neighbour(">", "ASC", ""));
    static NEXT_OPENER: Sql = Sql::new(|_| select_neighbour(">", "ASC", OPENERS));
    let (sql, time) = match (side, speakers) {
        (TimeSide::UpTo(time), Speakers::All) => (&LAST, time),
        (TimeSide::UpTo(time), Speakers::Openers) => (&LAST_OPENER, time),
        (TimeSide::After(time), Speakers::All) => (&NEXT, time),
        (TimeSide::After(time), Speakers::Openers) => (&NEXT_OPENER, time),
    };
    let [vault, memory] = place(memory);
    db.first(sql, &[vault, memory, time.into()], |row| {
        Ok(Neighbour {
            time: row.get(PLACED.conversation_time)?,
            role: row.get(PLACED.role)?,
            conversation: row.get(PLACED.conversation_id)?,
        })
    })
}

/// Only entries that begin an exchange.
const OPENERS: &str = "AND role IN (0, 2)";

fn select_neighbour(side: &str, order: &str, who: &str) -> String {
    PLACED.select(&format!(
        "FROM entry {IN_MEMORY} AND conversation_time {side} ?3
            AND placed_by_time AND branch_id IS NULL {who}
         ORDER BY conversation_time {order}, sequence {order} LIMIT 1"
    ))
}

/// Entries behind a sequence, in the order they arrived.
fn arrived(
    db: &dyn Database,
    memory: MemoryRef,
    after: u64,
    most: Option<usize>,
) -> Result<Vec<Entry>> {
    static SQL: Sql = Sql::new(|_| {
        ENTRY.select(&format!("{IN_MEMORY} AND sequence > ?3 ORDER BY sequence LIMIT ?4"))
    });
    let [vault, memory] = place(memory);
    db.all(&SQL, &[vault, memory, after.into(), limit(most)], read)
}

/// Entries by conversation_time, then place; or in the order they arrived.
pub(crate) fn list(db: &dyn Database, memory: MemoryRef, query: &EntryQuery) -> Result<Vec<Entry>> {
    if let Some(after) = query.arrived_after {
        return arrived(db, memory, after, query.limit);
    }
    let said = |filter: &mut Filter<'_>| {
        filter.add_if("conversation_time >=", query.after);
        filter.add_if("conversation_time <", query.before);
    };
    let Some(after) = query.after.filter(|_| query.with_periods) else {
        return listed(db, memory, query, query.limit, said);
    };
    // What had begun before all of it was said before the rest, so each part is ordered by itself.
    let begun = |filter: &mut Filter<'_>| begun_before(filter, after);
    let rest = |rows: &[Entry]| query.limit.map(|limit| limit.saturating_sub(rows.len()));
    let (mut rows, behind) = match query.order {
        Order::Oldest => {
            let begun = listed(db, memory, query, query.limit, begun)?;
            let behind = listed(db, memory, query, rest(&begun), said)?;
            (begun, behind)
        }
        Order::Newest => {
            let said = listed(db, memory, query, query.limit, said)?;
            let behind = listed(db, memory, query, rest(&said), begun)?;
            (said, behind)
        }
    };
    rows.extend(behind);
    Ok(rows)
}

/// Only entries whose time is a period that began before an instant and contains it.
fn begun_before(filter: &mut Filter<'_>, instant: Timestamp) {
    // As the index by period is declared, so that it can be used.
    filter.condition("time_precision > 3 AND time_precision < 9");
    filter.add("conversation_time <", instant);
    filter.add("conversation_time >", TimePrecision::Year.over_by(instant));
    let containing = TimePrecision::PERIODS.map(|precision| {
        let (precision, over) = (filter.value(precision), filter.value(precision.over_by(instant)));
        format!("(time_precision = {precision} AND conversation_time > {over})")
    });
    filter.condition(&format!("({})", containing.join(" OR ")));
}

/// Only entries with the tag, of the conversation and from the source of a query.
fn narrow<'q>(
    db: &dyn Database,
    filter: &mut Filter<'q>,
    query: &'q EntryQuery,
    then: Option<Timestamp>,
) {
    if let Some(tag) = &query.tag {
        tagged(db, filter, tag, then);
    }
    if query.retagged {
        filter.condition("retagged_at IS NOT NULL");
    }
    if let Some(id) = query.conversation {
        of_conversation(filter, id, then);
    }
    filter.add_if("source =", query.source.as_ref());
    if let Some(ids) = &query.source_ids {
        let ids: Vec<String> = ids.iter().map(|id| filter.value(id)).collect();
        filter.condition(&format!("source_id IN ({})", ids.join(", ")));
    }
}

/// Entries by conversation_time, then place, with conditions for their times.
fn listed<'q>(
    db: &dyn Database,
    memory: MemoryRef,
    query: &'q EntryQuery,
    most: Option<usize>,
    times: impl FnOnce(&mut Filter<'q>),
) -> Result<Vec<Entry>> {
    if most == Some(0) {
        return Ok(Vec::new());
    }
    let then = match query.which {
        Which::AsOf(time) => Some(time),
        _ => None,
    };
    let is_stood = then.and(query.conversation).is_some();
    let mut filter = match is_stood {
        true => Filter::by_other_index(db.dialect(), memory),
        false => Filter::new(memory),
    };
    times(&mut filter);
    filter.add_if("creation_time >=", query.created_after);
    filter.add_if("creation_time <", query.created_before);
    let (side, order) = match query.order {
        Order::Oldest => (">", "ASC"),
        Order::Newest => ("<", "DESC"),
    };
    let among = if query.which.is_by_place() { "coalesce(place, sequence)" } else { "sequence" };
    if let Some(from) = query.from {
        let (time, sequence) = (filter.value(from.time), filter.value(from.sequence));
        filter.condition(&format!("(conversation_time, {among}) {side} ({time}, {sequence})"));
    }
    which(&mut filter, query.which);
    filter.add_if("role =", query.role);
    narrow(db, &mut filter, query, then);
    let most = filter.value(limit(most));
    // Without statistics SQLite prefers an index in the order asked for, and would read the whole memory
    // for a few entries.
    let are_few = is_stood || query.retagged || query.source_ids.is_some();
    let time = match are_few {
        true => db.dialect().not_by_index("conversation_time"),
        false => "conversation_time".to_owned(),
    };
    let rest = format!("ORDER BY {time} {order}, {among} {order} LIMIT {most}");
    let sql = filter.sql(db.dialect(), &ENTRY.select(""), &rest);
    let found = db.all_of(&sql, &filter.values, read)?;
    match then {
        Some(time) => past::restore_entries(db, memory, time, found),
        None => Ok(found),
    }
}

/// Only entries with a tag, now or at an earlier time.
fn tagged<'v>(db: &dyn Database, filter: &mut Filter<'v>, tag: &'v Name, then: Option<Timestamp>) {
    let tag = filter.value(tag);
    let is_tagged =
        |column: &str| format!("coalesce({}, false)", db.dialect().contains(column, &tag));
    let condition = match then {
        None => db.dialect().contains("tags", &tag),
        Some(then) => {
            let then = filter.value(then);
            past::stood(&then, &is_tagged("p.tags"), &is_tagged("entry.tags"))
        }
    };
    filter.condition(&condition);
}

/// Only entries of a conversation, now or at an earlier time.
fn of_conversation(filter: &mut Filter<'_>, id: ConversationId, then: Option<Timestamp>) {
    let id = filter.value(id);
    let Some(then) = then else { return filter.condition(&format!("conversation_id = {id}")) };
    let then = filter.value(then);
    let stood = past::stood(&then, "p.conversation_id", "conversation_id");
    // Found by its conversation of today or by the one it was in, so that not every entry is looked at.
    filter.condition(&format!(
        "(conversation_id = {id} OR id IN (SELECT entry_id FROM entry_past
            WHERE vault_id = ?1 AND memory_id = ?2 AND conversation_id = {id}
              AND known_from <= {then} AND known_until > {then})) AND {stood} = {id}"
    ));
}

/// The tags of the current entries, each with the number of entries that have it, by name.
pub(crate) fn tags(db: &dyn Database, memory: MemoryRef) -> Result<Vec<(Name, u64)>> {
    static SQL: Sql = Sql::new(|_| {
        TAGGED.select(&format!(
            "FROM entry {IN_MEMORY} AND corrected_at IS NULL AND branched_at IS NULL GROUP BY tags"
        ))
    });
    let rows = db.all(&SQL, &place(memory), |row| {
        Ok((row.get::<Vec<Name>>(TAGGED.tags)?, row.get::<u64>(TAGGED.entries)?))
    })?;
    let mut counts = BTreeMap::new();
    for (tags, entries) in rows {
        tags.into_iter().for_each(|tag| *counts.entry(tag).or_default() += entries);
    }
    Ok(counts.into_iter().collect())
}

/// Says which entries are meant, by columns that the index by time has.
pub(super) fn which(filter: &mut Filter<'_>, which: Which) {
    match which {
        Which::All => {}
        Which::Current => filter.condition("corrected_at IS NULL AND branched_at IS NULL"),
        Which::AsOf(time) => {
            let time = filter.value(time);
            let now = format!("coalesce(branched_at > {time}, true)");
            let stood = past::stood(&time, "p.branch_id IS NULL", &now);
            filter.condition(&format!(
                "creation_time <= {time} AND coalesce(corrected_at > {time}, true) AND {stood}"
            ));
        }
        Which::Branch(branch) => {
            filter.condition("corrected_by IS NULL");
            filter.add("branch_id =", branch);
        }
    }
}
