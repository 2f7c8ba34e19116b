//! The table `job`.
//!
//! Jobs of all vaults are in one queue. In a cluster, looking for the next one asks every node and
//! locks nothing; taking it locks one row on one node, and skips what another worker is just taking.
//! While a node is away, the engine asks vault by vault instead.

use everwhen_engine::job::{Epoch, Job, JobCount, JobKind, JobState, JobWait, Queue, Subject};
use everwhen_engine::memory::{JobId, VaultId};
use everwhen_engine::ports::JobSelection;
use everwhen_engine::{Result, limits};
use jiff::Timestamp;

use super::columns::id;
use super::vaults::Lock;
use super::{Cell, Column, Database, Dialect, Row, Sql, Value, columns, limit, table};

table! {
    static JOB: JobColumns = "job", key(vault_id, subject_id, kind);
    fn values(job: &'v Job) {
        id: job.id,
        vault_id: job.vault,
        memory_id: job.memory,
        subject: subject_number(job.subject),
        subject_id: Value::Id(job.subject.bytes()),
        kind: job.kind,
        queue: job.kind.queue(),
        payload: job.payload.as_ref(),
        due_at: job.due_at,
        tries: job.tries,
        waits: job.waits,
        crashes: job.crashes,
        state: state_number(job.state),
        leased_until: leased_until(job.state),
        last_error: job.last_error.as_ref(),
    }
}

columns! {
    /// Numbers of [`JobWait::ALL`], as [`JobWait::of`] chooses them.
    static COUNT: CountColumns {
        kind = "kind",
        wait = "CASE WHEN state = 2 THEN 5 WHEN state = 1 AND leased_until > ?1 THEN 2 WHEN state = 1 THEN 0
            WHEN crashes >= 2 THEN 4 WHEN waits > 0 OR last_error IS NOT NULL THEN 3 WHEN due_at > ?1 THEN 1 ELSE 0 END",
        count = "count(*)",
        due = "count(CASE WHEN due_at <= ?1 AND state < 2 THEN 1 END)",
        next = "min(due_at)",
    }
}

// The statements name it.
const _: () = assert!(limits::JOB_SUSPECT == 2);
/// Jobs of a queue that no worker has a lease on.
const FREE: &str = "WHERE queue = ?2 AND state < 2 AND (state = 0 OR leased_until <= ?1)";
/// Jobs looked at before a worker finds that others have taken all of them.
const CANDIDATES: i64 = 16;

fn subject_number(subject: Subject) -> i64 {
    match subject {
        Subject::Conversation(_) => 0,
        Subject::Memory(_) => 1,
        Subject::Payload(_) => 2,
    }
}

fn state_number(state: JobState) -> i64 {
    match state {
        JobState::Waiting => 0,
        JobState::Leased { .. } => 1,
        JobState::SetAside => 2,
    }
}

fn leased_until(state: JobState) -> Option<Timestamp> {
    match state {
        JobState::Leased { until } => Some(until),
        JobState::Waiting | JobState::SetAside => None,
    }
}

fn read(row: &dyn Row) -> Result<Job> {
    Ok(Job {
        id: row.get(JOB.id)?,
        vault: row.get(JOB.vault_id)?,
        memory: row.get(JOB.memory_id)?,
        subject: read_subject(row)?,
        kind: row.get(JOB.kind)?,
        payload: row.get(JOB.payload)?,
        due_at: row.get(JOB.due_at)?,
        tries: row.get(JOB.tries)?,
        waits: row.get(JOB.waits)?,
        crashes: row.get(JOB.crashes)?,
        state: read_state(row)?,
        last_error: row.get(JOB.last_error)?,
        epoch: Epoch::default(),
    })
}

/// An id whose kind another column says.
struct SubjectId(uuid::Uuid);

impl Column for SubjectId {
    fn read(cell: Cell<'_>) -> Option<Self> {
        id(cell).map(Self)
    }
}

fn read_subject(row: &dyn Row) -> Result<Subject> {
    let SubjectId(id) = row.get(JOB.subject_id)?;
    match row.get::<i64>(JOB.subject)? {
        0 => Ok(Subject::Conversation(id.into())),
        1 => Ok(Subject::Memory(id.into())),
        2 => Ok(Subject::Payload(id.into())),
        _ => Err(row.damaged(JOB.subject)),
    }
}

fn read_state(row: &dyn Row) -> Result<JobState> {
    match (row.get::<i64>(JOB.state)?, row.get(JOB.leased_until)?) {
        (0, None) => Ok(JobState::Waiting),
        (1, Some(until)) => Ok(JobState::Leased { until }),
        (2, None) => Ok(JobState::SetAside),
        _ => Err(row.damaged(JOB.state)),
    }
}

/// Jobs. One that is found by its id or as the next stays locked where the caller says so.
pub(crate) fn find(db: &dyn Database, query: JobSelection, lock: Lock) -> Result<Vec<Job>> {
    match query {
        JobSelection::Id(vault, id) => Ok(by_id(db, vault, id, lock)?.into_iter().collect()),
        JobSelection::Next(vault, queue, now) => {
            let found = match vault {
                Some(vault) => next_in(db, vault, (queue, now), lock)?,
                None => next(db, queue, now, lock)?,
            };
            Ok(found.into_iter().collect())
        }
        JobSelection::Due(vault, most) => due(db, vault, most),
        JobSelection::Of(place, kind) => {
            static SQL: Sql = Sql::new(|_| {
                JOB.select(
                    "WHERE vault_id = ?1 AND memory_id = ?2 AND kind = ?3 ORDER BY due_at, id",
                )
            });
            db.all(&SQL, &[place.vault.into(), place.memory.into(), kind.into()], read)
        }
        JobSelection::SetAside(vault, after, most) => set_aside(db, vault, after, most),
        JobSelection::Beyond(vault, after, time, most) => beyond(db, vault, (after, time), most),
        JobSelection::Failed(vault, kind) => Ok(failed(db, vault, kind)?.into_iter().collect()),
    }
}

/// The job with this id. Without its vault, a cluster asks all nodes for it, and then the one that has it.
fn by_id(db: &dyn Database, vault: Option<VaultId>, id: JobId, lock: Lock) -> Result<Option<Job>> {
    static ANYWHERE: Sql = Sql::new(|_| JOB.select("WHERE id = ?1"));
    static FIND: Sql = Sql::new(|_| JOB.select("WHERE vault_id = ?1 AND id = ?2"));
    static LOCK: Sql = Sql::new(|dialect| {
        JOB.select(&format!("WHERE vault_id = ?1 AND id = ?2{}", dialect.locked()))
    });
    let sql = if lock == Lock::Held { &LOCK } else { &FIND };
    if let Some(vault) = vault {
        return db.first(sql, &[vault.into(), id.into()], read);
    }
    let found = db.first(&ANYWHERE, &[id.into()], read)?;
    match (found, db.dialect(), lock) {
        (Some(job), Dialect::Postgres, Lock::Held) => {
            db.first(sql, &[job.vault.into(), id.into()], read)
        }
        (found, _, _) => Ok(found),
    }
}

/// The job of a queue due first among those waiting or with a lease that ran out by `now`.
fn next(db: &dyn Database, queue: Queue, now: Timestamp, lock: Lock) -> Result<Option<Job>> {
    static NEXT: Sql = Sql::new(|_| JOB.select(&format!("{FREE} ORDER BY due_at, id LIMIT 1")));
    let values = [now.into(), queue.into()];
    match (db.dialect(), lock) {
        (Dialect::Postgres, Lock::Held) => take(db, values),
        _ => db.first(&NEXT, &values, read),
    }
}

/// The next job of a queue in one vault, so on one node, where it can be found and locked at once.
fn next_in(
    db: &dyn Database,
    vault: VaultId,
    (queue, now): (Queue, Timestamp),
    lock: Lock,
) -> Result<Option<Job>> {
    static NEXT: Sql =
        Sql::new(|_| JOB.select(&format!("{FREE} AND vault_id = ?3 ORDER BY due_at, id LIMIT 1")));
    static TAKE: Sql = Sql::new(|dialect| {
        let skip = match dialect {
            Dialect::Sqlite => "",
            Dialect::Postgres => " FOR UPDATE SKIP LOCKED",
        };
        JOB.select(&format!("{FREE} AND vault_id = ?3 ORDER BY due_at, id LIMIT 1{skip}"))
    });
    let sql = if lock == Lock::Held { &TAKE } else { &NEXT };
    db.first(sql, &[now.into(), queue.into(), vault.into()], read)
}

/// Locks the first job that no other transaction has locked.
fn take(db: &dyn Database, [now, queue]: [Value<'static>; 2]) -> Result<Option<Job>> {
    static FIND: Sql =
        Sql::new(|_| JOB.select(&format!("{FREE} ORDER BY due_at, id LIMIT {CANDIDATES}")));
    static TAKE: Sql = Sql::new(|_| {
        JOB.select(&format!("{FREE} AND vault_id = ?3 AND id = ?4 FOR UPDATE SKIP LOCKED"))
    });
    for job in db.all(&FIND, &[now.clone(), queue.clone()], read)? {
        let values = [now.clone(), queue.clone(), job.vault.into(), job.id.into()];
        if let Some(taken) = db.first(&TAKE, &values, read)? {
            return Ok(Some(taken));
        }
    }
    Ok(None)
}

/// Jobs that were set aside, by id behind one.
fn set_aside(
    db: &dyn Database,
    vault: Option<VaultId>,
    after: Option<JobId>,
    most: usize,
) -> Result<Vec<Job>> {
    static ALL: Sql = Sql::new(|_| JOB.select("WHERE state = 2 AND id > ?1 ORDER BY id LIMIT ?2"));
    static OF_VAULT: Sql = Sql::new(|_| {
        JOB.select("WHERE vault_id = ?3 AND state = 2 AND id > ?1 ORDER BY id LIMIT ?2")
    });
    let after = after.map_or(Value::Id([0; 16]), Into::into);
    let most = limit(Some(most));
    match vault {
        None => db.all(&ALL, &[after, most], read),
        Some(vault) => db.all(&OF_VAULT, &[after, most, vault.into()], read),
    }
}

/// Jobs that wait or are held beyond a time, by id behind one.
fn beyond(
    db: &dyn Database,
    vault: Option<VaultId>,
    (after, time): (Option<JobId>, Timestamp),
    most: usize,
) -> Result<Vec<Job>> {
    const BEYOND: &str = "(leased_until > ?1 OR (due_at > ?1 AND state = 0
        AND (kind <> ?2 OR waits > 0 OR last_error IS NOT NULL))) AND id > ?3 ORDER BY id LIMIT ?4";
    static ALL: Sql = Sql::new(|_| JOB.select(&format!("WHERE {BEYOND}")));
    static OF_VAULT: Sql = Sql::new(|_| JOB.select(&format!("WHERE vault_id = ?5 AND {BEYOND}")));
    let after = after.map_or(Value::Id([0; 16]), Into::into);
    let (close, most) = (JobKind::Close.into(), limit(Some(most)));
    match vault {
        None => db.all(&ALL, &[time.into(), close, after, most], read),
        Some(vault) => db.all(&OF_VAULT, &[time.into(), close, after, most, vault.into()], read),
    }
}

/// The job of a kind that is tried again first, of those that failed.
fn failed(db: &dyn Database, vault: Option<VaultId>, kind: JobKind) -> Result<Option<Job>> {
    const FAILED: &str =
        "kind = ?1 AND state = 0 AND crashes < 2 AND (waits > 0 OR last_error IS NOT NULL)
        ORDER BY due_at, id LIMIT 1";
    static ALL: Sql = Sql::new(|_| JOB.select(&format!("WHERE {FAILED}")));
    static OF_VAULT: Sql = Sql::new(|_| JOB.select(&format!("WHERE vault_id = ?2 AND {FAILED}")));
    match vault {
        None => db.first(&ALL, &[kind.into()], read),
        Some(vault) => db.first(&OF_VAULT, &[kind.into(), vault.into()], read),
    }
}

/// How many jobs there are of each kind, by why they wait.
pub(crate) fn counts(
    db: &dyn Database,
    vault: Option<VaultId>,
    now: Timestamp,
) -> Result<Vec<JobCount>> {
    static ALL: Sql =
        Sql::new(|_| COUNT.select("FROM job WHERE queue < ?2 GROUP BY 1, 2 ORDER BY 1, 2"));
    static OF_VAULT: Sql = Sql::new(|_| {
        COUNT.select("FROM job WHERE vault_id = ?3 AND queue < ?2 GROUP BY 1, 2 ORDER BY 1, 2")
    });
    let values = [now.into(), Queue::Nowhere.into()];
    match vault {
        None => db.all(&ALL, &values, read_count),
        Some(vault) => {
            let [now, queue] = values;
            db.all(&OF_VAULT, &[now, queue, vault.into()], read_count)
        }
    }
}

fn read_count(row: &dyn Row) -> Result<JobCount> {
    let wait: u64 = row.get(COUNT.wait)?;
    let wait = usize::try_from(wait).ok().and_then(|wait| JobWait::ALL.get(wait));
    Ok(JobCount {
        kind: row.get(COUNT.kind)?,
        wait: *wait.ok_or_else(|| row.damaged(COUNT.wait))?,
        count: row.get(COUNT.count)?,
        due: row.get(COUNT.due)?,
        next: row.get(COUNT.next)?,
    })
}

/// Jobs, those due first, of one vault or of all.
fn due(db: &dyn Database, vault: Option<VaultId>, most: usize) -> Result<Vec<Job>> {
    static ALL: Sql = Sql::new(|_| JOB.select("ORDER BY due_at, id LIMIT ?1"));
    static OF_VAULT: Sql =
        Sql::new(|_| JOB.select("WHERE vault_id = ?2 ORDER BY due_at, id LIMIT ?1"));
    let most = limit(Some(most));
    match vault {
        None => db.all(&ALL, &[most], read),
        Some(vault) => db.all(&OF_VAULT, &[most, vault.into()], read),
    }
}

/// Adds a job, or replaces the one of the same kind about the same thing.
pub(crate) fn put(db: &dyn Database, job: &Job) -> Result<()> {
    static SQL: Sql = Sql::new(|dialect| JOB.upsert(dialect));
    db.write(&SQL, &values(job))
}

/// Removes a job by what it does.
pub(crate) fn remove(
    db: &dyn Database,
    vault: VaultId,
    kind: JobKind,
    subject: Subject,
) -> Result<u64> {
    static SQL: Sql = Sql::new(|_| {
        "DELETE FROM job WHERE vault_id = ?1 AND subject_id = ?2 AND kind = ?3".to_owned()
    });
    db.change(&SQL, &[vault.into(), Value::Id(subject.bytes()), kind.into()])
}

/// Ends every lease and removes every lock. Only for a database that belongs to one process: the
/// one that claimed something in it is gone.
pub(crate) fn release(db: &dyn Database) -> Result<()> {
    static LOCKS: Sql = Sql::new(|_| "DELETE FROM job WHERE queue = ?1".to_owned());
    static LEASED: Sql = Sql::new(|_| JOB.select("WHERE state = 1"));
    db.write(&LOCKS, &[Queue::Nowhere.into()])?;
    let leased = db.all(&LEASED, &[], read)?;
    leased.into_iter().try_for_each(|job| {
        let at = job.leased_at().unwrap_or(job.due_at);
        put(db, &job.abandoned(at))
    })
}
