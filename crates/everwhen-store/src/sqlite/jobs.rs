//! The table `job`.

use everwhen_engine::Result;
use everwhen_engine::job::{Job, JobKind, JobState, Queue, Subject};
use everwhen_engine::memory::{JobId, VaultId};
use jiff::Timestamp;
use rusqlite::{Connection, Row, params};

use super::statement::{all, first, get, run};
use crate::row::{damaged, id, instant, micros, number};

const COLUMNS: &str = "SELECT id, vault_id, memory_id, subject, subject_id, kind, payload, due_at,
    tries, state, leased_until, last_error FROM job";

pub(super) fn by_id(connection: &Connection, id: JobId) -> Result<Option<Job>> {
    first(connection, &format!("{COLUMNS} WHERE id = ?1"), [id.bytes()], read)
}

pub(super) fn next(connection: &Connection, queue: Queue, now: Timestamp) -> Result<Option<Job>> {
    let sql = format!(
        "{COLUMNS} WHERE queue = ?1 AND state < 2 AND (state = 0 OR leased_until <= ?2)
         ORDER BY due_at, id LIMIT 1"
    );
    first(connection, &sql, [queue_number(queue), micros(now)], read)
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
    let sql = "INSERT INTO job (id, vault_id, memory_id, subject, subject_id, kind, queue, payload,
            due_at, tries, state, leased_until, last_error)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
        ON CONFLICT (vault_id, subject_id, kind) DO UPDATE SET id = ?1, payload = ?8, due_at = ?9,
            tries = ?10, state = ?11, leased_until = ?12, last_error = ?13";
    let (state, leased_until) = match job.state {
        JobState::Waiting => (0, None),
        JobState::Leased { until } => (1, Some(micros(until))),
        JobState::SetAside => (2, None),
    };
    let values = params![
        job.id.bytes(),
        job.vault.bytes(),
        job.memory.bytes(),
        subject_number(job.subject),
        job.subject.bytes(),
        job.kind.as_str(),
        queue_number(job.kind.queue()),
        job.payload,
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
    vault: VaultId,
    kind: JobKind,
    subject: Subject,
) -> Result<()> {
    let sql = "DELETE FROM job WHERE vault_id = ?1 AND subject_id = ?2 AND kind = ?3";
    run(connection, sql, params![vault.bytes(), subject.bytes(), kind.as_str()]).map(drop)
}

/// Lets go of every claim, and of every lock.
pub(super) fn free(connection: &Connection) -> Result<()> {
    run(connection, "DELETE FROM job WHERE queue = ?1", [queue_number(Queue::Nowhere)])?;
    let sql = "UPDATE job SET state = 0, leased_until = NULL WHERE state = 1";
    run(connection, sql, []).map(drop)
}

fn queue_number(queue: Queue) -> i64 {
    match queue {
        Queue::Quick => 0,
        Queue::Patient => 1,
        Queue::Outside => 2,
        Queue::Nowhere => 3,
    }
}

fn subject_number(subject: Subject) -> i64 {
    match subject {
        Subject::Conversation(_) => 0,
        Subject::Memory(_) => 1,
        Subject::Payload(_) => 2,
    }
}

fn read_subject(row: &Row<'_>) -> Result<Subject> {
    let bytes: Vec<u8> = get(row, 4)?;
    match get::<i64>(row, 3)? {
        0 => id(&bytes).map(Subject::Conversation),
        1 => id(&bytes).map(Subject::Memory),
        2 => id(&bytes).map(Subject::Payload),
        other => Err(damaged("subject of a job", other)),
    }
}

fn read(row: &Row<'_>) -> Result<Job> {
    let kind: String = get(row, 5)?;
    Ok(Job {
        id: id(&get::<Vec<u8>>(row, 0)?)?,
        vault: id(&get::<Vec<u8>>(row, 1)?)?,
        memory: id(&get::<Vec<u8>>(row, 2)?)?,
        subject: read_subject(row)?,
        kind: JobKind::ALL
            .into_iter()
            .find(|known| known.as_str() == kind)
            .ok_or_else(|| damaged("kind of job", &kind))?,
        payload: get(row, 6)?,
        due_at: instant(get(row, 7)?)?,
        tries: get(row, 8)?,
        state: read_state(row)?,
        last_error: get(row, 11)?,
    })
}

fn read_state(row: &Row<'_>) -> Result<JobState> {
    match (get::<i64>(row, 9)?, get::<Option<i64>>(row, 10)?) {
        (0, None) => Ok(JobState::Waiting),
        (1, Some(until)) => Ok(JobState::Leased { until: instant(until)? }),
        (2, None) => Ok(JobState::SetAside),
        (state, _) => Err(damaged("state of a job", state)),
    }
}
