//! `progress.db`: how far a run is, kept so that a killed one goes on where it stopped.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::bench::now;
use super::events::Metrics;
use super::plan::Mode;
use super::source::Question;

/// The database of one run.
pub(super) struct Progress(Mutex<Connection>);

/// One session as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SessionRow {
    pub(super) question: String,
    pub(super) session: String,
    pub(super) metrics: Option<Metrics>,
}

impl Progress {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let connection = Connection::open(path)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "normal")?;
        connection.execute_batch(include_str!("progress.sql"))?;
        Ok(Self(Mutex::new(connection)))
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a run and its questions; those that are known stay as they are.
    pub(super) fn begin(
        &self,
        run: &str,
        dataset: &str,
        now: &str,
        asked: &[Question],
    ) -> Result<()> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let sql = "INSERT OR IGNORE INTO runs (run_id, dataset, created_at) VALUES (?1, ?2, ?3)";
        transaction.execute(sql, params![run, dataset, now])?;
        for (position, question) in asked.iter().enumerate() {
            transaction.execute(
                "INSERT OR IGNORE INTO questions
                    (question_id, position, question_type, status, total_sessions)
                 VALUES (?1, ?2, ?3, 'pending', ?4)",
                params![
                    question.id,
                    position as i64,
                    question.kind,
                    question.sessions.len() as i64
                ],
            )?;
        }
        Ok(transaction.commit()?)
    }

    /// Whether a session has been ingested.
    pub(super) fn is_done(&self, question: &str, session: &str) -> Result<bool> {
        let sql = "SELECT 1 FROM sessions
            WHERE question_id = ?1 AND session_id = ?2 AND status = 'DONE'";
        let found = self.connection().query_row(sql, [question, session], |_| Ok(())).optional()?;
        Ok(found.is_some())
    }

    /// Keeps how a session ended.
    pub(super) fn end_session(
        &self,
        question: &str,
        session: &str,
        status: &str,
        metrics: Option<&Metrics>,
    ) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO sessions (question_id, session_id, status,
                conversation_start_at, conversation_end_at, conversation_elapsed_ms,
                conversation_active_ms, conversation_idle_ms, conversation_turns, active_unknown)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        let values = params![
            question,
            session,
            status,
            metrics.map(|one| &one.conversation_start_at),
            metrics.map(|one| &one.conversation_end_at),
            metrics.map(|one| one.conversation_elapsed_ms),
            metrics.map(|one| one.conversation_active_ms),
            metrics.map(|one| one.conversation_idle_ms),
            metrics.map(|one| one.conversation_turns as i64),
            metrics.map(|one| one.active_unknown),
        ];
        self.connection().execute(sql, values)?;
        Ok(())
    }

    /// Keeps how a question ended, how far it was taken, and its line.
    pub(super) fn end_question(
        &self,
        question: &str,
        status: &str,
        mode: Mode,
        line: &str,
    ) -> Result<()> {
        let sql = "UPDATE questions SET status = ?2, mode = ?3, line = ?4, last_progress_at = ?5
            WHERE question_id = ?1";
        let values = params![question, status, mode as i64, line, now()];
        self.connection().execute(sql, values)?;
        Ok(())
    }

    /// Ids of questions that are done, as far as this or further.
    pub(super) fn done(&self, mode: Mode) -> Result<Vec<String>> {
        let sql = format!(
            "SELECT question_id FROM questions WHERE status = 'completed' AND mode >= {}
             ORDER BY position",
            mode as i64
        );
        self.all(&sql, |row| row.get(0))
    }

    /// Lines of questions that have one, in the order of the data.
    pub(super) fn lines(&self) -> Result<Vec<String>> {
        self.all("SELECT line FROM questions WHERE line IS NOT NULL ORDER BY position", |row| {
            row.get(0)
        })
    }

    /// All sessions that are over.
    pub(super) fn sessions(&self) -> Result<Vec<SessionRow>> {
        let sql = "SELECT s.question_id, s.session_id, s.status, conversation_start_at,
                conversation_end_at, conversation_elapsed_ms, conversation_active_ms,
                conversation_idle_ms, conversation_turns, active_unknown
            FROM sessions s JOIN questions q USING (question_id) ORDER BY q.position, s.rowid";
        self.all(sql, session_row)
    }

    fn all<T>(
        &self,
        sql: &str,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let connection = self.connection();
        let mut statement = connection.prepare(sql)?;
        let rows = statement.query_map([], read)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

fn session_row(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    let start: Option<String> = row.get(3)?;
    let metrics = match start {
        None => None,
        Some(conversation_start_at) => Some(Metrics {
            conversation_start_at,
            conversation_end_at: row.get(4)?,
            conversation_elapsed_ms: row.get(5)?,
            conversation_active_ms: row.get(6)?,
            conversation_idle_ms: row.get(7)?,
            conversation_turns: row.get::<_, i64>(8)?.unsigned_abs(),
            active_unknown: row.get(9)?,
            status: row.get(2)?,
        }),
    };
    Ok(SessionRow { question: row.get(0)?, session: row.get(1)?, metrics })
}
