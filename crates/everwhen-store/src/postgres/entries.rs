//! The table `entry`.

use everwhen_engine::memory::{
    BranchId, ConversationId, Corrected, Correction, Entry, EntryId, Metadata, Name, Said, VaultId,
};
use everwhen_engine::ports::{EntryQuery, MemoryRef, Neighbour, Order, Speakers, Standing, Which};
use everwhen_engine::{Error, Result};
use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::connection::Connection;
use super::statement::{all, first, get, get_id, run, run_one, send};
use crate::row::{count, instant, micros, name, number, role, role_number};

/// The vault is the first value of every statement. The name of a conversation is looked up row by row:
/// joined, a planner without statistics may read all of them.
const COLUMNS: &str = "e.id, e.memory_id, e.sequence, e.conversation_id,
    (SELECT c.name FROM conversation c WHERE c.vault_id = $1 AND c.id = e.conversation_id), e.role,
    e.conversation_time, e.creation_time, e.placed_by_time, e.is_question, e.speaker, e.content,
    e.summary, e.tags, e.tools_used, e.metadata, e.corrects, e.correction_reason, e.corrected_by,
    e.corrected_at, e.branch_id, e.branched_at
    FROM entry e";

pub(super) fn by_id(
    connection: &Connection,
    memory: MemoryRef,
    id: EntryId,
) -> Result<Option<Entry>> {
    let sql = format!("SELECT {COLUMNS} WHERE e.vault_id = $1 AND e.memory_id = $2 AND e.id = $3");
    let [vault, memory] = place(&memory);
    first(connection, &sql, &[&vault, &memory, &uuid(id.bytes())], read)
}

/// Several at once, each in the place of its id.
pub(super) fn each(
    connection: &Connection,
    memory: MemoryRef,
    ids: &[EntryId],
) -> Result<Vec<Option<Entry>>> {
    let rows = connection.query(&each_sql(), &[&uuid(memory.vault.bytes()), &uuids(ids)])?;
    in_places(memory, ids, &rows)
}

/// Finds entries by their ids, one after another: a planner that knows nothing of the table yet would
/// rather read a whole vault than look up ten ids. Which memory they are in is seen afterwards.
pub(super) fn each_sql() -> String {
    let columns = COLUMNS.trim_end_matches("FROM entry e");
    format!(
        "SELECT {columns} FROM unnest($2::uuid[]) AS wanted (id) CROSS JOIN LATERAL
            (SELECT * FROM entry WHERE vault_id = $1 AND id = wanted.id LIMIT 1) e"
    )
}

/// Entries that were found by their ids, each in its place.
pub(super) fn in_places(
    memory: MemoryRef,
    ids: &[EntryId],
    rows: &[Row],
) -> Result<Vec<Option<Entry>>> {
    let found: Vec<Entry> = rows.iter().map(read).collect::<Result<_>>()?;
    let is_it = |entry: &&Entry, id: EntryId| entry.id == id && entry.memory == memory.memory;
    Ok(ids.iter().map(|id| found.iter().find(|entry| is_it(entry, *id)).cloned()).collect())
}

pub(super) fn add(
    connection: &Connection,
    vault: VaultId,
    entry: &Entry,
    receipt: Option<&Name>,
) -> Result<()> {
    let sql = "INSERT INTO entry (vault_id, memory_id, id, sequence, conversation_id, role,
            conversation_time, creation_time, placed_by_time, is_question, speaker, content,
            summary, tags, tools_used, metadata, corrects, correction_reason, receipt_key)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";
    let corrects = entry.corrects.as_ref();
    send(
        connection,
        sql,
        &[
            &uuid(vault.bytes()),
            &uuid(entry.memory.bytes()),
            &uuid(entry.id.bytes()),
            &number(entry.sequence),
            &uuid(entry.conversation.bytes()),
            &small(role_number(entry.role)),
            &micros(entry.conversation_time),
            &micros(entry.creation_time),
            &entry.placed_by_time,
            &entry.is_question,
            &entry.speaker.as_ref().map(Name::as_str),
            &entry.content.as_str(),
            &entry.summary,
            &texts(&entry.tags),
            &texts(&entry.tools_used),
            &entry.metadata.as_ref().map(Metadata::as_str),
            &corrects.map(|corrects| uuid(corrects.entry.bytes())),
            &corrects.map(|corrects| corrects.reason.as_str()),
            &receipt.map(Name::as_str),
        ],
    )
}

/// Entries behind a sequence, in the order they arrived.
pub(super) fn arrivals(
    connection: &Connection,
    memory: MemoryRef,
    behind: u64,
    limit: usize,
) -> Result<Vec<Entry>> {
    let sql = format!(
        "SELECT {COLUMNS} WHERE e.vault_id = $1 AND e.memory_id = $2 AND e.sequence > $3
         ORDER BY e.sequence LIMIT $4"
    );
    let [vault, memory] = place(&memory);
    let values = [&vault as &(dyn ToSql + Sync), &memory, &number(behind), &number(limit as u64)];
    all(connection, &sql, &values, read)
}

/// Where entries up to a sequence stand.
pub(super) fn standings(
    connection: &Connection,
    memory: MemoryRef,
    up_to: u64,
) -> Result<Vec<Standing>> {
    let sql = "SELECT sequence, conversation_id, least(corrected_at, branched_at) FROM entry
        WHERE vault_id = $1 AND memory_id = $2 AND sequence <= $3 ORDER BY sequence";
    let [vault, memory] = place(&memory);
    all(connection, sql, &[&vault, &memory, &number(up_to)], |row| {
        Ok(Standing {
            sequence: count(get(row, 0)?)?,
            conversation: get_id(row, 1)?,
            gone_since: get::<Option<i64>>(row, 2)?.map(instant).transpose()?,
        })
    })
}

pub(super) fn mark_corrected(
    connection: &Connection,
    memory: MemoryRef,
    id: EntryId,
    corrected: Corrected,
) -> Result<()> {
    let sql = "UPDATE entry SET corrected_by = $4, corrected_at = $5
        WHERE vault_id = $1 AND memory_id = $2 AND id = $3";
    let [vault, memory] = place(&memory);
    let (id, by) = (uuid(id.bytes()), uuid(corrected.by.bytes()));
    run_one(connection, sql, &[&vault, &memory, &id, &by, &micros(corrected.at)])
}

pub(super) fn mark_branch(
    connection: &Connection,
    memory: MemoryRef,
    entries: &[EntryId],
    branch: BranchId,
    at: Timestamp,
) -> Result<()> {
    let sql = "UPDATE entry SET branch_id = $4, branched_at = $5
        WHERE vault_id = $1 AND memory_id = $2 AND id = ANY($3)";
    let [vault, memory] = place(&memory);
    let (ids, branch) = (uuids(entries), uuid(branch.bytes()));
    let changed = run(connection, sql, &[&vault, &memory, &ids, &branch, &micros(at)])?;
    all_of(entries, changed)
}

pub(super) fn move_to(
    connection: &Connection,
    memory: MemoryRef,
    entries: &[EntryId],
    to: ConversationId,
) -> Result<()> {
    let sql = "UPDATE entry SET conversation_id = $4
        WHERE vault_id = $1 AND memory_id = $2 AND id = ANY($3)";
    let [vault, memory] = place(&memory);
    let (ids, to) = (uuids(entries), uuid(to.bytes()));
    let changed = run(connection, sql, &[&vault, &memory, &ids, &to])?;
    all_of(entries, changed)
}

/// Fails unless every entry was there to be changed.
pub(super) fn all_of(entries: &[EntryId], changed: u64) -> Result<()> {
    if changed == entries.len() as u64 {
        return Ok(());
    }
    Err(Error::damaged(format!("{} rows were to change, but {changed} did", entries.len())))
}

pub(super) fn before(
    connection: &Connection,
    memory: MemoryRef,
    time: Timestamp,
    speakers: Speakers,
) -> Result<Option<Neighbour>> {
    neighbour(connection, memory, time, speakers, ("<=", "DESC"))
}

pub(super) fn after(
    connection: &Connection,
    memory: MemoryRef,
    time: Timestamp,
    speakers: Speakers,
) -> Result<Option<Neighbour>> {
    neighbour(connection, memory, time, speakers, (">", "ASC"))
}

fn neighbour(
    connection: &Connection,
    memory: MemoryRef,
    time: Timestamp,
    speakers: Speakers,
    (side, order): (&str, &str),
) -> Result<Option<Neighbour>> {
    let openers = match speakers {
        Speakers::All => "",
        Speakers::Openers => "AND role IN (0, 2)",
    };
    let sql = format!(
        "SELECT conversation_time, role, conversation_id FROM entry
         WHERE vault_id = $1 AND memory_id = $2 AND conversation_time {side} $3
           AND placed_by_time AND branch_id IS NULL {openers}
         ORDER BY conversation_time {order}, sequence {order} LIMIT 1"
    );
    let [vault, memory] = place(&memory);
    first(connection, &sql, &[&vault, &memory, &micros(time)], |row| {
        Ok(Neighbour {
            time: instant(get(row, 0)?)?,
            role: role(get::<i16>(row, 1)?.into())?,
            conversation: get_id(row, 2)?,
        })
    })
}

pub(super) fn list(
    connection: &Connection,
    memory: MemoryRef,
    query: &EntryQuery,
) -> Result<Vec<Entry>> {
    let mut filter = Filter::new("e.", memory);
    times(&mut filter, query);
    which(&mut filter, query.which);
    if let Some(role) = query.role {
        filter.add("e.role =", small(role_number(role)));
    }
    if let Some(tag) = &query.tag {
        let tag = filter.value(tag.as_str().to_owned());
        filter.condition(&format!("{tag} = ANY(e.tags)"));
    }
    if let Some(conversation) = query.conversation {
        filter.add("e.conversation_id =", uuid(conversation.bytes()));
    }
    let order = match query.order {
        Order::Oldest => "ASC",
        Order::Newest => "DESC",
    };
    let limit = filter.value(query.limit.map(|limit| number(limit as u64)));
    let sql = format!(
        "SELECT {COLUMNS} WHERE {}
         ORDER BY e.conversation_time {order}, e.sequence {order} LIMIT {limit}",
        filter.conditions
    );
    all(connection, &sql, &filter.values(), read)
}

fn times(filter: &mut Filter, query: &EntryQuery) {
    let bounds = [
        ("e.conversation_time >=", query.after),
        ("e.conversation_time <", query.before),
        ("e.creation_time >=", query.created_after),
        ("e.creation_time <", query.created_before),
    ];
    for (condition, bound) in bounds {
        if let Some(bound) = bound {
            filter.add(condition, micros(bound));
        }
    }
    if let Some(from) = query.from {
        let side = match query.order {
            Order::Oldest => ">",
            Order::Newest => "<",
        };
        let time = filter.value(micros(from.time));
        let sequence = filter.value(number(from.sequence));
        filter.condition(&format!("(e.conversation_time, e.sequence) {side} ({time}, {sequence})"));
    }
}

fn which(filter: &mut Filter, which: Which) {
    match which {
        Which::All => {}
        Which::Current => filter.condition("e.corrected_by IS NULL AND e.branch_id IS NULL"),
        Which::AsOf(time) => {
            let time = filter.value(micros(time));
            filter.condition(&format!(
                "e.creation_time <= {time} AND coalesce(e.corrected_at > {time}, true)
                 AND coalesce(e.branched_at > {time}, true)"
            ));
        }
        Which::Branch(branch) => {
            filter.condition("e.corrected_by IS NULL");
            filter.add("e.branch_id =", uuid(branch.bytes()));
        }
    }
}

/// The conditions of a list and the values they compare with.
pub(super) struct Filter {
    pub(super) conditions: String,
    values: Vec<Box<dyn ToSql + Sync>>,
}

impl Filter {
    /// Only what is in this memory; `table` is the prefix of columns.
    pub(super) fn new(table: &str, memory: MemoryRef) -> Self {
        let [vault, memory] = place(&memory);
        let conditions = format!("{table}vault_id = $1 AND {table}memory_id = $2");
        Self { conditions, values: vec![Box::new(vault), Box::new(memory)] }
    }

    /// Takes a value; answers how the statement names it.
    pub(super) fn value(&mut self, value: impl ToSql + Sync + 'static) -> String {
        self.values.push(Box::new(value));
        format!("${}", self.values.len())
    }

    /// Adds a condition that names its values itself.
    pub(super) fn condition(&mut self, condition: &str) {
        self.conditions.push_str(" AND ");
        self.conditions.push_str(condition);
    }

    /// Adds a comparison with a value.
    pub(super) fn add(&mut self, comparison: &str, value: impl ToSql + Sync + 'static) {
        let value = self.value(value);
        self.condition(&format!("{comparison} {value}"));
    }

    /// All values, in the order the statement numbers them.
    pub(super) fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.values.iter().map(AsRef::as_ref).collect()
    }
}

/// The two ids that every statement about a memory names.
pub(super) fn place(memory: &MemoryRef) -> [Uuid; 2] {
    [uuid(memory.vault.bytes()), uuid(memory.memory.bytes())]
}

/// An id as the database has it.
pub(super) fn uuid(bytes: [u8; 16]) -> Uuid {
    Uuid::from_bytes(bytes)
}

/// Ids as the database has them.
pub(super) fn uuids(entries: &[EntryId]) -> Vec<Uuid> {
    entries.iter().map(|id| uuid(id.bytes())).collect()
}

/// A number of a closed list, as it is kept.
pub(super) fn small(number: i64) -> i16 {
    i16::try_from(number).expect("a closed list is short")
}

/// A list of names; nothing if it is empty.
fn texts(names: &[Name]) -> Option<Vec<&str>> {
    (!names.is_empty()).then(|| names.iter().map(Name::as_str).collect())
}

fn names(row: &Row, column: usize) -> Result<Vec<Name>> {
    let texts: Option<Vec<String>> = get(row, column)?;
    texts.unwrap_or_default().into_iter().map(name).collect()
}

fn read(row: &Row) -> Result<Entry> {
    let content: String = get(row, 11)?;
    let metadata: Option<String> = get(row, 15)?;
    Ok(Entry {
        id: get_id(row, 0)?,
        memory: get_id(row, 1)?,
        sequence: count(get(row, 2)?)?,
        conversation: get_id(row, 3)?,
        conversation_name: get::<Option<String>>(row, 4)?.map(name).transpose()?,
        role: role(get::<i16>(row, 5)?.into())?,
        conversation_time: instant(get(row, 6)?)?,
        creation_time: instant(get(row, 7)?)?,
        placed_by_time: get(row, 8)?,
        is_question: get(row, 9)?,
        speaker: get::<Option<String>>(row, 10)?.map(name).transpose()?,
        content: Said::new(content).map_err(|error| Error::damaged(error.to_string()))?,
        summary: get(row, 12)?,
        tags: names(row, 13)?,
        tools_used: names(row, 14)?,
        metadata: metadata.map(Metadata::new).transpose()?,
        corrects: read_correction(row)?,
        corrected: read_pair(row, 18)?.map(|(by, at)| Corrected { by, at }),
        branch: read_pair(row, 20)?,
    })
}

fn read_correction(row: &Row) -> Result<Option<Correction>> {
    let Some(entry) = get::<Option<Uuid>>(row, 16)? else { return Ok(None) };
    let reason: Option<String> = get(row, 17)?;
    Ok(Some(Correction { entry: entry.into(), reason: reason.unwrap_or_default() }))
}

/// An id and a time in two neighbouring columns, both or neither.
fn read_pair<T: From<Uuid>>(row: &Row, column: usize) -> Result<Option<(T, Timestamp)>> {
    let pair: (Option<Uuid>, Option<i64>) = (get(row, column)?, get(row, column + 1)?);
    match pair {
        (Some(id), Some(at)) => Ok(Some((id.into(), instant(at)?))),
        _ => Ok(None),
    }
}
