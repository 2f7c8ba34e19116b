//! One connection: statements are prepared once, and a transaction begins with its first statement.
//!
//! The engine's work is blocking code, so each connection is driven by the thread that uses it.
//! Statements whose result is not needed are pipelined: the beginning of a transaction and plain writes
//! travel with the next statement that is waited for, and the end of a reading transaction with the
//! beginning of the next one.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use everwhen_engine::{Error, Result};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

use super::address::Address;
use super::failure::{Failure, Remedy};
use super::pipeline::{SentStatement, encode_all};
use super::vault_names::VaultNames;

/// The longest time that connecting may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How much longer than the statement timeout an answer is waited for.
const GRACE: Duration = Duration::from_secs(5);
/// The most prepared statements of a connection; above that all are dropped.
const STATEMENTS: usize = 512;
/// The most statements that are sent before their answers are waited for.
const PIPELINED: usize = 256;

/// The parameters of a statement.
pub(crate) type Values<'v> = &'v [&'v (dyn ToSql + Sync)];

/// Whether a transaction reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransactionMode {
    /// Reads one snapshot, unaffected by concurrent writes.
    Read,
    /// Writes. Every statement sees what was committed before it, and locked rows do not change.
    Write,
}

impl TransactionMode {
    fn begin(self) -> &'static str {
        match self {
            Self::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Self::Write => "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TransactionState {
    Closed,
    /// It begins with the next statement.
    Pending(TransactionMode),
    Open,
}

/// Why a commit did not succeed.
pub(crate) enum CommitError {
    /// It was rejected: nothing of it was stored.
    Rejected(Failure),
    /// The answer was lost, so the outcome is unknown.
    Unknown(Error),
}

/// A connection, used by one thread.
pub(crate) struct Connection {
    // What was sent and the client are dropped before the runtime that drives them.
    sent: RefCell<Vec<SentStatement>>,
    client: Arc<Client>,
    runtime: Runtime,
    statements: RefCell<HashMap<String, Statement>>,
    names: Arc<VaultNames>,
    transaction: Cell<TransactionState>,
    first_failure: RefCell<Option<Failure>>,
    timeout: Duration,
}

impl Connection {
    /// Connects, and sets how long the database may take.
    pub(super) fn open(address: &Address) -> Result<Self, Failure> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Failure::of_runtime(&error))?;
        let client = runtime.block_on(async {
            let client = tokio::time::timeout(CONNECT, address.connect())
                .await
                .map_err(|_| Failure::timed_out())??;
            client.batch_execute(&address.settings()).await?;
            Ok::<_, Failure>(client)
        })?;
        Ok(Self {
            sent: RefCell::default(),
            client: Arc::new(client),
            runtime,
            statements: RefCell::default(),
            names: address.names(),
            transaction: Cell::new(TransactionState::Closed),
            first_failure: RefCell::default(),
            timeout: address.statement_timeout() + GRACE,
        })
    }

    /// The cache of vault ids by name.
    pub(super) fn names(&self) -> &VaultNames {
        &self.names
    }

    /// Begins a transaction; nothing is sent before its first statement.
    pub(crate) fn begin(&self, mode: TransactionMode) {
        self.transaction.set(TransactionState::Pending(mode));
        self.first_failure.take();
    }

    /// Returns the rows that a statement finds.
    pub(crate) fn query(&self, sql: &str, values: Values<'_>) -> Result<Vec<Row>> {
        self.wait_recording(async {
            let statement = self.prepared(sql).await?;
            self.after_sent(self.client.query(&statement, values)).await
        })
    }

    /// Returns the rows that two statements find, in one round trip.
    pub(crate) fn query_both(
        &self,
        (one, its): (&str, Values<'_>),
        (other, others): (&str, Values<'_>),
    ) -> Result<(Vec<Row>, Vec<Row>)> {
        self.wait_recording(async {
            let (one, other) = (self.prepared(one).await?, self.prepared(other).await?);
            self.after_sent(async {
                let found = (self.client.query(&one, its), self.client.query(&other, others));
                let (first, second) = tokio::join!(biased; found.0, found.1);
                Ok((first?, second?))
            })
            .await
        })
    }

    /// Returns the number of rows that a statement changed.
    pub(crate) fn execute(&self, sql: &str, values: Values<'_>) -> Result<u64> {
        self.wait_recording(async {
            let statement = self.prepared(sql).await?;
            self.after_sent(self.client.execute(&statement, values)).await
        })
    }

    /// Sends a statement without waiting for its answer. If it fails, so does the transaction.
    pub(crate) fn send(&self, sql: &str, values: Values<'_>) -> Result<()> {
        let is_pipeline_full = self.sent.borrow().len() >= PIPELINED;
        self.wait_recording(async {
            if is_pipeline_full {
                self.wait_for_sent().await?;
            }
            let statement = self.prepared(sql).await?;
            let values = encode_all(&statement, values)?;
            self.begin_pending().await;
            let client = Arc::clone(&self.client);
            let sent = async move { Ok(client.execute_raw(&statement, values).await.map(drop)?) };
            self.pipeline(Box::pin(sent)).await;
            Ok(())
        })
    }

    /// Runs statements without parameters, such as those that create a table.
    pub(crate) fn run_script(&self, sql: &str) -> Result<()> {
        self.wait_recording(async { self.after_sent(self.client.batch_execute(sql)).await })
    }

    /// Takes the first failure since the transaction began.
    pub(super) fn first_failure(&self) -> Option<Failure> {
        self.first_failure.take()
    }

    /// Ends a transaction that only read, if there is one, without waiting for the answer.
    pub(super) fn end_read(&self) {
        if self.transaction.replace(TransactionState::Closed) != TransactionState::Open {
            return;
        }
        self.runtime.block_on(async {
            self.pipeline(self.script("COMMIT")).await;
            tokio::task::yield_now().await;
        });
    }

    /// Makes everything since the beginning durable.
    pub(crate) fn commit(&self) -> Result<(), CommitError> {
        if self.transaction.replace(TransactionState::Closed) != TransactionState::Open {
            return Ok(());
        }
        let end = async {
            let end = self.client.batch_execute("COMMIT");
            Ok(tokio::join!(biased; self.wait_for_sent(), end))
        };
        let (failure, is_certain) = match self.wait(end) {
            Ok((Ok(()), Ok(()))) => return Ok(()),
            // A transaction in which a statement failed is rolled back, whatever its end answers.
            Ok((Err(failure), _)) => (failure.clone(), failure.is_reported()),
            Ok((Ok(()), Err(error))) => {
                let failure = Failure::from(error);
                (failure.clone(), failure.remedy != Remedy::Reconnect)
            }
            Err(timed_out) => (timed_out, false),
        };
        Err(if is_certain {
            CommitError::Rejected(failure)
        } else {
            CommitError::Unknown(failure.error)
        })
    }

    /// Rolls back; returns whether the connection can still be used.
    pub(super) fn roll_back(&self) -> bool {
        if self.transaction.replace(TransactionState::Closed) != TransactionState::Open {
            return true;
        }
        let end = async {
            // A statement that failed is rolled back with the others.
            let _ = self.wait_for_sent().await;
            Ok(self.client.batch_execute("ROLLBACK").await?)
        };
        self.wait(end).is_ok()
    }

    async fn prepared(&self, sql: &str) -> Result<Statement, Failure> {
        if let Some(known) = self.statements.borrow().get(sql) {
            return Ok(known.clone());
        }
        // Values are sent separately, so this contains no text of an entry.
        tracing::trace!(sql, "a statement is prepared");
        let statement = match self.client.prepare(sql).await {
            Ok(statement) => statement,
            Err(error) => {
                // If a pipelined statement failed before, this is only a consequence of it.
                self.wait_for_sent().await?;
                return Err(error.into());
            }
        };
        let mut statements = self.statements.borrow_mut();
        if statements.len() >= STATEMENTS {
            statements.clear();
        }
        statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Sends the beginning of the transaction, if it is pending.
    async fn begin_pending(&self) {
        if let TransactionState::Pending(mode) = self.transaction.get() {
            self.transaction.set(TransactionState::Open);
            self.pipeline(self.script(mode.begin())).await;
        }
    }

    fn script(&self, sql: &'static str) -> SentStatement {
        let client = Arc::clone(&self.client);
        Box::pin(async move { Ok(client.batch_execute(sql).await?) })
    }

    /// Sends a statement whose answer is read later.
    async fn pipeline(&self, mut statement: SentStatement) {
        let answer = std::future::poll_fn(|context| {
            // The first poll is what sends it.
            Poll::Ready(statement.as_mut().poll(context))
        });
        let sent: SentStatement = match answer.await {
            Poll::Ready(answer) => Box::pin(std::future::ready(answer)),
            Poll::Pending => statement,
        };
        self.sent.borrow_mut().push(sent);
    }

    /// Waits for the answers to all pipelined statements; returns the first failure.
    async fn wait_for_sent(&self) -> Result<(), Failure> {
        let sent = self.sent.take();
        let mut outcome = Ok(());
        for one in sent {
            outcome = outcome.and(one.await);
        }
        outcome
    }

    /// Returns a statement's answer, once everything sent before it has been answered.
    async fn after_sent<T>(
        &self,
        statement: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Failure> {
        self.begin_pending().await;
        let (earlier, answer) = tokio::join!(biased; self.wait_for_sent(), statement);
        earlier?;
        Ok(answer?)
    }

    /// Waits for an answer and records the first failure.
    fn wait_recording<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T> {
        self.wait(work).map_err(|failure| {
            let error = failure.error.clone();
            self.first_failure.borrow_mut().get_or_insert(failure);
            error
        })
    }

    /// Waits for an answer, with a timeout.
    fn wait<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        let answer =
            self.runtime.block_on(async { tokio::time::timeout(self.timeout, work).await });
        answer.map_err(|_| Failure::timed_out())?
    }
}
