//! The table `job`.
//!
//! Jobs of all vaults lie in one queue. Looking for the next one passes over every node of a
//! cluster and holds nothing; taking it holds one row on one node, and skips what another worker
//! is just taking.

use everwhen_engine::Result;
use everwhen_engine::job::{Job, JobKind, JobState, Queue, Subject};
use everwhen_engine::memory::{JobId, VaultId};
use jiff::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::connection::Connection;
use super::entries::uuid;
use super::statement::{all, first, get, get_id, send};
use crate::row::{damaged, instant, micros, number};

/// Jobs looked at before a worker finds that others have taken all of them.
const CANDIDATES: i64 = 16;

const COLUMNS: &str = "SELECT id, vault_id, memory_id, subject, subject_id, kind, payload, due_at,
    tries, state, leased_until, last_error FROM job";
const FREE: &str = "queue = $2 AND state < 2 AND (state = 0 OR leased_until <= $1)";

pub(super) fn by_id(connection: &Connection, id: JobId) -> Result<Option<Job>> {
    first(connection, &format!("{COLUMNS} WHERE id = $1"), &[&uuid(id.bytes())], read)
}

/// The same, held until the transaction ends.
pub(super) fn hold(connection: &Connection, id: JobId) -> Result<Option<Job>> {
    let id = uuid(id.bytes());
    let vault = first(connection, "SELECT vault_id FROM job WHERE id = $1", &[&id], |row| {
        get::<Uuid>(row, 0)
    })?;
    let Some(vault) = vault else { return Ok(None) };
    let sql = format!("{COLUMNS} WHERE vault_id = $1 AND id = $2 FOR UPDATE");
    first(connection, &sql, &[&vault, &id], read)
}

pub(super) fn next(connection: &Connection, queue: Queue, now: Timestamp) -> Result<Option<Job>> {
    let sql = format!("{COLUMNS} WHERE {FREE} ORDER BY due_at, id LIMIT 1");
    first(connection, &sql, &[&micros(now), &queue_number(queue)], read)
}

/// The same, held until the transaction ends; what somebody else holds is passed over.
pub(super) fn take(connection: &Connection, queue: Queue, now: Timestamp) -> Result<Option<Job>> {
    let (now, queue) = (micros(now), queue_number(queue));
    let sql =
        format!("SELECT vault_id, id FROM job WHERE {FREE} ORDER BY due_at, id LIMIT {CANDIDATES}");
    let found: Vec<(Uuid, Uuid)> =
        all(connection, &sql, &[&now, &queue], |row| Ok((get(row, 0)?, get(row, 1)?)))?;
    let sql =
        format!("{COLUMNS} WHERE {FREE} AND vault_id = $3 AND id = $4 FOR UPDATE SKIP LOCKED");
    for (vault, id) in found {
        if let Some(job) = first(connection, &sql, &[&now, &queue, &vault, &id], read)? {
            return Ok(Some(job));
        }
    }
    Ok(None)
}

pub(super) fn list(
    connection: &Connection,
    vault: Option<VaultId>,
    limit: usize,
) -> Result<Vec<Job>> {
    let limit = number(limit as u64);
    let order = "ORDER BY due_at, id LIMIT $1";
    let Some(vault) = vault else {
        return all(connection, &format!("{COLUMNS} {order}"), &[&limit], read);
    };
    let sql = format!("{COLUMNS} WHERE vault_id = $2 {order}");
    all(connection, &sql, &[&limit, &uuid(vault.bytes())], read)
}

pub(super) fn put(connection: &Connection, job: &Job) -> Result<()> {
    let sql = "INSERT INTO job (id, vault_id, memory_id, subject, subject_id, kind, queue, payload,
            due_at, tries, state, leased_until, last_error)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        ON CONFLICT (vault_id, subject_id, kind) DO UPDATE SET id = $1, payload = $8, due_at = $9,
            tries = $10, state = $11, leased_until = $12, last_error = $13";
    let (state, leased_until) = match job.state {
        JobState::Waiting => (0i16, None),
        JobState::Leased { until } => (1, Some(micros(until))),
        JobState::SetAside => (2, None),
    };
    send(
        connection,
        sql,
        &[
            &uuid(job.id.bytes()),
            &uuid(job.vault.bytes()),
            &uuid(job.memory.bytes()),
            &subject_number(job.subject),
            &uuid(job.subject.bytes()),
            &job.kind.as_str(),
            &queue_number(job.kind.queue()),
            &job.payload,
            &micros(job.due_at),
            &i64::from(job.tries),
            &state,
            &leased_until,
            &job.last_error,
        ],
    )
}

pub(super) fn remove(
    connection: &Connection,
    vault: VaultId,
    kind: JobKind,
    subject: Subject,
) -> Result<()> {
    let sql = "DELETE FROM job WHERE vault_id = $1 AND subject_id = $2 AND kind = $3";
    let (vault, subject) = (uuid(vault.bytes()), uuid(subject.bytes()));
    send(connection, sql, &[&vault, &subject, &kind.as_str()])
}

fn queue_number(queue: Queue) -> i16 {
    match queue {
        Queue::Quick => 0,
        Queue::Patient => 1,
        Queue::Outside => 2,
        Queue::Nowhere => 3,
    }
}

fn subject_number(subject: Subject) -> i16 {
    match subject {
        Subject::Conversation(_) => 0,
        Subject::Memory(_) => 1,
        Subject::Payload(_) => 2,
    }
}

fn read_subject(row: &Row) -> Result<Subject> {
    match get::<i16>(row, 3)? {
        0 => get_id(row, 4).map(Subject::Conversation),
        1 => get_id(row, 4).map(Subject::Memory),
        2 => get_id(row, 4).map(Subject::Payload),
        other => Err(damaged("subject of a job", other)),
    }
}

fn read(row: &Row) -> Result<Job> {
    let kind: String = get(row, 5)?;
    let tries: i64 = get(row, 8)?;
    Ok(Job {
        id: get_id(row, 0)?,
        vault: get_id(row, 1)?,
        memory: get_id(row, 2)?,
        subject: read_subject(row)?,
        kind: JobKind::ALL
            .into_iter()
            .find(|known| known.as_str() == kind)
            .ok_or_else(|| damaged("kind of job", &kind))?,
        payload: get(row, 6)?,
        due_at: instant(get(row, 7)?)?,
        tries: u32::try_from(tries).map_err(|_| damaged("count of tries", tries))?,
        state: read_state(row)?,
        last_error: get(row, 11)?,
    })
}

fn read_state(row: &Row) -> Result<JobState> {
    match (get::<i16>(row, 9)?, get::<Option<i64>>(row, 10)?) {
        (0, None) => Ok(JobState::Waiting),
        (1, Some(until)) => Ok(JobState::Leased { until: instant(until)? }),
        (2, None) => Ok(JobState::SetAside),
        (state, _) => Err(damaged("state of a job", state)),
    }
}
