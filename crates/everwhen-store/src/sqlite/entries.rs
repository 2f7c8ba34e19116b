//! The table `entry`.

use everwhen_engine::memory::{
    BranchId, ConversationId, Corrected, Correction, Entry, EntryId, Metadata, Name, Said, VaultId,
};
use everwhen_engine::ports::{
    EachOf, EntryQuery, MemoryRef, Neighbour, Order, Speakers, Standing, Which,
};
use everwhen_engine::{Error, Result};
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};

use super::conversations;
use super::statement::{all, first, first_of_each, get, run, run_one};
use crate::row::{count, id, instant, micros, name, names, names_json, number, role, role_number};

/// The columns of an entry, the last one the name of its conversation.
macro_rules! columns {
    ($name:literal) => {
        concat!(
            "e.id, e.memory_id, e.sequence, e.conversation_id, e.role, e.conversation_time,
            e.creation_time, e.placed_by_time, e.is_question, e.speaker, e.content, e.summary,
            e.tags, e.tools_used, e.metadata, e.corrects, e.correction_reason, e.corrected_by,
            e.corrected_at, e.branch_id, e.branched_at, ",
            $name,
            " FROM entry e"
        )
    };
}

const COLUMNS: &str =
    concat!(columns!("c.name"), " LEFT JOIN conversation c ON c.id = e.conversation_id");

pub(super) fn by_id(
    connection: &Connection,
    memory: MemoryRef,
    id: EntryId,
) -> Result<Option<Entry>> {
    Ok(each(connection, memory, &[id])?.pop().flatten())
}

/// Several of them, each in the place of its id.
pub(super) fn each(
    connection: &Connection,
    memory: MemoryRef,
    ids: &[EntryId],
) -> Result<Vec<Option<Entry>>> {
    let sql = format!("SELECT {COLUMNS} WHERE e.id = ?3 AND e.vault_id = ?1 AND e.memory_id = ?2");
    let [vault, memory] = place(&memory);
    first_of_each(connection, &sql, ids.iter().map(|id| (vault, memory, id.bytes())), read)
}

/// Several of them and several conversations, each in the place of its id. Most entries belong to
/// one of those conversations, so that its name is at hand.
pub(super) fn each_of(
    connection: &Connection,
    memory: MemoryRef,
    entries: &[EntryId],
    conversations: &[ConversationId],
) -> Result<EachOf> {
    let talks = conversations::each(connection, memory, conversations)?;
    if entries.is_empty() {
        return Ok((Vec::new(), talks));
    }
    let sql = concat!(
        "SELECT ",
        columns!("NULL"),
        " WHERE e.id = ?3 AND e.vault_id = ?1 AND e.memory_id = ?2"
    );
    let [vault, home] = place(&memory);
    let values = entries.iter().map(|id| (vault, home, id.bytes()));
    let mut said = first_of_each(connection, sql, values, read)?;
    for entry in said.iter_mut().flatten() {
        let known = talks.iter().flatten().find(|talk| talk.id == entry.conversation);
        entry.conversation_name = match known {
            Some(talk) => talk.name.clone(),
            None => {
                let talk = conversations::by_id(connection, memory, entry.conversation)?;
                talk.and_then(|talk| talk.name)
            }
        };
    }
    Ok((said, talks))
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
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)";
    let values = params![
        vault.bytes(),
        entry.memory.bytes(),
        entry.id.bytes(),
        number(entry.sequence),
        entry.conversation.bytes(),
        role_number(entry.role),
        micros(entry.conversation_time),
        micros(entry.creation_time),
        entry.placed_by_time,
        entry.is_question,
        entry.speaker.as_ref().map(Name::as_str),
        entry.content.as_str(),
        entry.summary,
        names_json(&entry.tags),
        names_json(&entry.tools_used),
        entry.metadata.as_ref().map(Metadata::as_str),
        entry.corrects.as_ref().map(|corrects| corrects.entry.bytes()),
        entry.corrects.as_ref().map(|corrects| corrects.reason.as_str()),
        receipt.map(Name::as_str),
    ];
    run(connection, sql, values).map(drop)
}

/// Entries behind a sequence, in the order they arrived.
pub(super) fn arrivals(
    connection: &Connection,
    memory: MemoryRef,
    behind: u64,
    limit: usize,
) -> Result<Vec<Entry>> {
    let sql = format!(
        "SELECT {COLUMNS} WHERE e.vault_id = ?1 AND e.memory_id = ?2 AND e.sequence > ?3
         ORDER BY e.sequence LIMIT ?4"
    );
    let [vault, memory] = place(&memory);
    let values = params![vault, memory, number(behind), number(limit as u64)];
    all(connection, &sql, values, read)
}

/// Where entries up to a sequence stand.
pub(super) fn standings(
    connection: &Connection,
    memory: MemoryRef,
    up_to: u64,
) -> Result<Vec<Standing>> {
    let sql = "SELECT sequence, conversation_id, min(coalesce(corrected_at, branched_at),
            coalesce(branched_at, corrected_at)) FROM entry
        WHERE vault_id = ?1 AND memory_id = ?2 AND sequence <= ?3 ORDER BY sequence";
    let [vault, memory] = place(&memory);
    all(connection, sql, params![vault, memory, number(up_to)], |row| {
        Ok(Standing {
            sequence: count(get(row, 0)?)?,
            conversation: id(&get::<Vec<u8>>(row, 1)?)?,
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
    let sql = "UPDATE entry SET corrected_by = ?4, corrected_at = ?5
        WHERE id = ?3 AND vault_id = ?1 AND memory_id = ?2";
    let [vault, memory] = place(&memory);
    let (id, by) = (id.bytes(), corrected.by.bytes());
    let values = params![vault, memory, id, by, micros(corrected.at)];
    run_one(connection, sql, values)
}

pub(super) fn mark_branch(
    connection: &Connection,
    memory: MemoryRef,
    entries: &[EntryId],
    branch: BranchId,
    at: Timestamp,
) -> Result<()> {
    let sql = "UPDATE entry SET branch_id = ?4, branched_at = ?5
        WHERE id = ?3 AND vault_id = ?1 AND memory_id = ?2";
    let [vault, memory] = place(&memory);
    entries.iter().try_for_each(|id| {
        let (id, branch) = (id.bytes(), branch.bytes());
        run_one(connection, sql, params![vault, memory, id, branch, micros(at)])
    })
}

pub(super) fn move_to(
    connection: &Connection,
    memory: MemoryRef,
    entries: &[EntryId],
    to: ConversationId,
) -> Result<()> {
    let sql = "UPDATE entry SET conversation_id = ?4
        WHERE id = ?3 AND vault_id = ?1 AND memory_id = ?2";
    let [vault, memory] = place(&memory);
    entries
        .iter()
        .try_for_each(|id| run_one(connection, sql, params![vault, memory, id.bytes(), to.bytes()]))
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
         WHERE vault_id = ?1 AND memory_id = ?2 AND conversation_time {side} ?3
           AND placed_by_time AND branch_id IS NULL {openers}
         ORDER BY conversation_time {order}, sequence {order} LIMIT 1"
    );
    let [vault, memory] = place(&memory);
    first(connection, &sql, params![vault, memory, micros(time)], |row| {
        Ok(Neighbour {
            time: instant(get(row, 0)?)?,
            role: role(get(row, 1)?)?,
            conversation: id(&get::<Vec<u8>>(row, 2)?)?,
        })
    })
}

pub(super) fn list(
    connection: &Connection,
    memory: MemoryRef,
    query: &EntryQuery,
) -> Result<Vec<Entry>> {
    let mut filter = Filter::new(memory);
    filter.times(query);
    filter.which(query.which);
    if let Some(role) = query.role {
        filter.add("e.role = ?", Value::from(role_number(role)));
    }
    if let Some(tag) = &query.tag {
        let has = "EXISTS (SELECT 1 FROM json_each(e.tags) WHERE value = ?)";
        filter.add(has, Value::from(tag.as_str().to_owned()));
    }
    if let Some(conversation) = query.conversation {
        filter.add("e.conversation_id = ?", Value::from(conversation.bytes().to_vec()));
    }
    let sql = filter.finish(query);
    all(connection, &sql, params_from_iter(filter.values), read)
}

/// The conditions of a list and the values they compare with, in the same order.
struct Filter {
    conditions: Vec<&'static str>,
    values: Vec<Value>,
}

impl Filter {
    fn new(memory: MemoryRef) -> Self {
        let values = place(&memory).map(|id| Value::from(id.to_vec()));
        Self { conditions: vec!["e.vault_id = ?", "e.memory_id = ?"], values: values.into() }
    }

    fn add(&mut self, condition: &'static str, value: Value) {
        self.conditions.push(condition);
        self.values.push(value);
    }

    fn times(&mut self, query: &EntryQuery) {
        let bounds = [
            ("e.conversation_time >= ?", query.after),
            ("e.conversation_time < ?", query.before),
            ("e.creation_time >= ?", query.created_after),
            ("e.creation_time < ?", query.created_before),
        ];
        for (condition, bound) in bounds {
            if let Some(bound) = bound {
                self.add(condition, Value::from(micros(bound)));
            }
        }
        if let Some(from) = query.from {
            let behind = match query.order {
                Order::Oldest => "(e.conversation_time, e.sequence) > (?, ?)",
                Order::Newest => "(e.conversation_time, e.sequence) < (?, ?)",
            };
            self.add(behind, Value::from(micros(from.time)));
            self.values.push(Value::from(number(from.sequence)));
        }
    }

    fn which(&mut self, which: Which) {
        match which {
            Which::All => {}
            Which::Current => {
                self.conditions.push("e.corrected_by IS NULL AND e.branch_id IS NULL");
            }
            Which::AsOf(time) => {
                let time = Value::from(micros(time));
                self.add("e.creation_time <= ?", time.clone());
                self.add("coalesce(e.corrected_at > ?, true)", time.clone());
                self.add("coalesce(e.branched_at > ?, true)", time);
            }
            Which::Branch(branch) => {
                let on_it = "e.corrected_by IS NULL AND e.branch_id = ?";
                self.add(on_it, Value::from(branch.bytes().to_vec()));
            }
        }
    }

    fn finish(&mut self, query: &EntryQuery) -> String {
        let order = match query.order {
            Order::Oldest => "ASC",
            Order::Newest => "DESC",
        };
        let limit = query.limit.map_or(-1, |limit| number(limit as u64));
        self.values.push(Value::from(limit));
        format!(
            "SELECT {COLUMNS} WHERE {}
             ORDER BY e.conversation_time {order}, e.sequence {order} LIMIT ?",
            self.conditions.join(" AND ")
        )
    }
}

/// The two ids that every statement about a memory names.
pub(super) fn place(memory: &MemoryRef) -> [[u8; 16]; 2] {
    [memory.vault.bytes(), memory.memory.bytes()]
}

fn read(row: &Row<'_>) -> Result<Entry> {
    let content: String = get(row, 10)?;
    let metadata: Option<String> = get(row, 14)?;
    Ok(Entry {
        id: id(&get::<[u8; 16]>(row, 0)?)?,
        memory: id(&get::<[u8; 16]>(row, 1)?)?,
        sequence: count(get(row, 2)?)?,
        conversation: id(&get::<[u8; 16]>(row, 3)?)?,
        conversation_name: get::<Option<String>>(row, 21)?.map(name).transpose()?,
        role: role(get(row, 4)?)?,
        conversation_time: instant(get(row, 5)?)?,
        creation_time: instant(get(row, 6)?)?,
        placed_by_time: get(row, 7)?,
        is_question: get(row, 8)?,
        speaker: get::<Option<String>>(row, 9)?.map(name).transpose()?,
        content: Said::new(content).map_err(|error| Error::damaged(error.to_string()))?,
        summary: get(row, 11)?,
        tags: names(get(row, 12)?)?,
        tools_used: names(get(row, 13)?)?,
        metadata: metadata.map(Metadata::new).transpose()?,
        corrects: read_correction(row)?,
        corrected: read_pair(row, 17)?.map(|(by, at)| Corrected { by, at }),
        branch: read_pair(row, 19)?,
    })
}

fn read_correction(row: &Row<'_>) -> Result<Option<Correction>> {
    let Some(entry) = get::<Option<[u8; 16]>>(row, 15)? else { return Ok(None) };
    let reason: Option<String> = get(row, 16)?;
    Ok(Some(Correction { entry: id(&entry)?, reason: reason.unwrap_or_default() }))
}

/// An id and a time in two neighbouring columns, both or neither.
fn read_pair<T: From<uuid::Uuid>>(row: &Row<'_>, column: usize) -> Result<Option<(T, Timestamp)>> {
    let pair: (Option<[u8; 16]>, Option<i64>) = (get(row, column)?, get(row, column + 1)?);
    match pair {
        (Some(bytes), Some(at)) => Ok(Some((id(&bytes)?, instant(at)?))),
        _ => Ok(None),
    }
}
