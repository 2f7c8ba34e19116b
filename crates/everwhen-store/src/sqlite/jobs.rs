//! The table `job`.

use everwhen_engine::Result;
use everwhen_engine::job::{Job, JobKind, JobState};
use everwhen_engine::memory::{ConversationId, JobId, VaultId};
use jiff::Timestamp;
use rusqlite::{Connection, Row, params};

use super::statement::{all, first, get, run};
use crate::row::{damaged, id, instant, micros, number};

const COLUMNS: &str = "SELECT id, vault_id, memory_id, conversation_id, kind, due_at, tries,
    state, leased_until, last_error FROM job";

pub(super) fn by_id(connection: &Connection, id: JobId) -> Result<Option<Job>> {
    first(connection, &format!("{COLUMNS} WHERE id = ?1"), [id.bytes()], read)
}

pub(super) fn next(connection: &Connection, now: Timestamp) -> Result<Option<Job>> {
    let sql = format!(
        "{COLUMNS} WHERE state < 2 AND (state = 0 OR leased_until <= ?1)
         ORDER BY due_at, id LIMIT 1"
    );
    first(connection, &sql, [micros(now)], read)
}

pub(super) fn list(
    connection: &Connection,
    vault: Option<VaultId>,
    limit: usize,
) -> Result<Vec<Job>> {
    let sql = format!("{COLUMNS} WHERE ?1 IS NULL OR vault_id = ?1 ORDER BY due_at, id LIMIT ?2");
    let vault = vault.map(|vault| vault.bytes());
    all(connection, &sql, params![vault, number(limit as u64)], read)
}

pub(super) fn put(connection: &Connection, job: &Job) -> Result<()> {
    let sql = "INSERT INTO job (id, vault_id, memory_id, conversation_id, kind, due_at, tries,
            state, leased_until, last_error)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        ON CONFLICT (conversation_id, kind) DO UPDATE SET id = ?1, due_at = ?6, tries = ?7,
            state = ?8, leased_until = ?9, last_error = ?10";
    let (state, leased_until) = match job.state {
        JobState::Waiting => (0, None),
        JobState::Leased { until } => (1, Some(micros(until))),
        JobState::SetAside => (2, None),
    };
    let values = params![
        job.id.bytes(),
        job.vault.bytes(),
        job.memory.bytes(),
        job.conversation.bytes(),
        job.kind.as_str(),
        micros(job.due_at),
        job.tries,
        state,
        leased_until,
        job.last_error,
    ];
    run(connection, sql, values).map(drop)
}

pub(super) fn remove(
    connection: &Connection,
    kind: JobKind,
    conversation: ConversationId,
) -> Result<()> {
    let sql = "DELETE FROM job WHERE conversation_id = ?1 AND kind = ?2";
    run(connection, sql, params![conversation.bytes(), kind.as_str()]).map(drop)
}

fn read(row: &Row<'_>) -> Result<Job> {
    let kind: String = get(row, 4)?;
    Ok(Job {
        id: id(&get::<Vec<u8>>(row, 0)?)?,
        vault: id(&get::<Vec<u8>>(row, 1)?)?,
        memory: id(&get::<Vec<u8>>(row, 2)?)?,
        conversation: id(&get::<Vec<u8>>(row, 3)?)?,
        kind: JobKind::ALL
            .into_iter()
            .find(|known| known.as_str() == kind)
            .ok_or_else(|| damaged("kind of job", &kind))?,
        due_at: instant(get(row, 5)?)?,
        tries: get(row, 6)?,
        state: read_state(row)?,
        last_error: get(row, 9)?,
    })
}

fn read_state(row: &Row<'_>) -> Result<JobState> {
    match (get::<i64>(row, 7)?, get::<Option<i64>>(row, 8)?) {
        (0, None) => Ok(JobState::Waiting),
        (1, Some(until)) => Ok(JobState::Leased { until: instant(until)? }),
        (2, None) => Ok(JobState::SetAside),
        (state, _) => Err(damaged("state of a job", state)),
    }
}
