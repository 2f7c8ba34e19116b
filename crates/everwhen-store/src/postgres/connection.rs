//! One connection: statements prepared once, and transactions that begin with their first statement.
//!
//! The engine's work is plain code that asks and waits, so each connection is driven by the thread
//! that uses it. What needs no answer is not waited for: the beginning of a transaction and whatever
//! only writes travel with the next statement that is waited for, and the end of a reading
//! transaction with the next one's beginning.

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
use super::ahead::{Sent, packed};
use super::failure::{Failure, Remedy};
use super::names::Names;

/// How long to wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// How much longer than the database itself we wait for an answer.
const GRACE: Duration = Duration::from_secs(5);
/// Prepared statements a connection keeps before it begins anew.
const STATEMENTS: usize = 512;
/// Statements that are sent ahead before their answers are waited for.
const AHEAD: usize = 256;

/// The values a statement compares with or writes.
pub(crate) type Values<'v> = &'v [&'v (dyn ToSql + Sync)];

/// What a transaction is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Reading one state. It sees nothing of what is written meanwhile.
    Read,
    /// Writing. Every statement sees what has been committed, and what it holds stays as it is.
    Write,
}

impl Purpose {
    fn begin(self) -> &'static str {
        match self {
            Self::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Self::Write => "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Outside,
    /// The transaction begins with the next statement.
    Announced(Purpose),
    Inside,
}

/// Why a commit did not succeed.
pub(crate) enum Uncommitted {
    /// It was refused: nothing of it stays.
    Refused(Failure),
    /// The answer was lost: nobody here knows.
    Unknown(Error),
}

/// A connection in the hands of one thread.
pub(crate) struct Connection {
    // What was sent and the client go first; the runtime that carries them after them.
    sent: RefCell<Vec<Sent>>,
    client: Arc<Client>,
    runtime: Runtime,
    statements: RefCell<HashMap<String, Statement>>,
    names: Arc<Names>,
    stage: Cell<Stage>,
    trouble: RefCell<Option<Failure>>,
    patience: Duration,
}

impl Connection {
    /// Connects, and sets how long the database may take.
    pub(super) fn open(address: &Address) -> Result<Self, Failure> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Failure::of_runtime(&error))?;
        let client = runtime.block_on(async {
            let client = tokio::time::timeout(CONNECT, address.connect())
                .await
                .map_err(|_| Failure::silence())??;
            client.batch_execute(&address.settings()).await?;
            Ok::<_, Failure>(client)
        })?;
        Ok(Self {
            sent: RefCell::default(),
            client: Arc::new(client),
            runtime,
            statements: RefCell::default(),
            names: address.names(),
            stage: Cell::new(Stage::Outside),
            trouble: RefCell::default(),
            patience: address.statement_timeout() + GRACE,
        })
    }

    /// What names stood for the last time.
    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// Begins a transaction; nothing is sent before its first statement.
    pub(crate) fn begin(&self, purpose: Purpose) {
        self.stage.set(Stage::Announced(purpose));
        self.trouble.take();
    }

    /// The rows a statement finds.
    pub(crate) fn query(&self, sql: &str, values: Values<'_>) -> Result<Vec<Row>> {
        self.noted(async {
            let statement = self.prepared(sql).await?;
            self.behind(self.client.query(&statement, values)).await
        })
    }

    /// The rows that two statements find, in one journey.
    pub(crate) fn query_both(
        &self,
        (one, its): (&str, Values<'_>),
        (other, others): (&str, Values<'_>),
    ) -> Result<(Vec<Row>, Vec<Row>)> {
        self.noted(async {
            let (one, other) = (self.prepared(one).await?, self.prepared(other).await?);
            self.behind(async {
                let found = (self.client.query(&one, its), self.client.query(&other, others));
                let (first, second) = tokio::join!(biased; found.0, found.1);
                Ok((first?, second?))
            })
            .await
        })
    }

    /// How many rows a statement changes.
    pub(crate) fn execute(&self, sql: &str, values: Values<'_>) -> Result<u64> {
        self.noted(async {
            let statement = self.prepared(sql).await?;
            self.behind(self.client.execute(&statement, values)).await
        })
    }

    /// Sends a statement ahead. If it fails, so does the transaction.
    pub(crate) fn send(&self, sql: &str, values: Values<'_>) -> Result<()> {
        let is_far_ahead = self.sent.borrow().len() >= AHEAD;
        self.noted(async {
            if is_far_ahead {
                self.settled().await?;
            }
            let statement = self.prepared(sql).await?;
            let values = packed(&statement, values)?;
            self.announce().await;
            let client = Arc::clone(&self.client);
            let sent = async move { Ok(client.execute_raw(&statement, values).await.map(drop)?) };
            self.send_off(Box::pin(sent)).await;
            Ok(())
        })
    }

    /// Runs a statement as it stands, such as one that makes a table.
    pub(crate) fn say(&self, sql: &str) -> Result<()> {
        self.noted(async { self.behind(self.client.batch_execute(sql)).await })
    }

    /// The first failure since the transaction began.
    pub(super) fn trouble(&self) -> Option<Failure> {
        self.trouble.take()
    }

    /// Ends a transaction that only read, if there is one. Nobody waits for the answer.
    pub(super) fn leave(&self) {
        if self.stage.replace(Stage::Outside) != Stage::Inside {
            return;
        }
        self.runtime.block_on(async {
            self.send_off(self.said("COMMIT")).await;
            tokio::task::yield_now().await;
        });
    }

    /// Makes everything since the beginning durable.
    pub(crate) fn commit(&self) -> Result<(), Uncommitted> {
        if self.stage.replace(Stage::Outside) != Stage::Inside {
            return Ok(());
        }
        let end = async {
            let end = self.client.batch_execute("COMMIT");
            Ok(tokio::join!(biased; self.settled(), end))
        };
        let (failure, is_certain) = match self.answered(end) {
            Ok((Ok(()), Ok(()))) => return Ok(()),
            // A transaction in which something failed is taken back, whatever it is told at its end.
            Ok((Err(failure), _)) => (failure.clone(), failure.is_heard()),
            Ok((Ok(()), Err(error))) => {
                let failure = Failure::from(error);
                (failure.clone(), failure.remedy != Remedy::Reconnect)
            }
            Err(silence) => (silence, false),
        };
        Err(if is_certain {
            Uncommitted::Refused(failure)
        } else {
            Uncommitted::Unknown(failure.error)
        })
    }

    /// Takes everything back; says whether the connection is still of use.
    pub(super) fn roll_back(&self) -> bool {
        if self.stage.replace(Stage::Outside) != Stage::Inside {
            return true;
        }
        let end = async {
            // Whatever failed is taken back.
            let _ = self.settled().await;
            Ok(self.client.batch_execute("ROLLBACK").await?)
        };
        self.answered(end).is_ok()
    }

    async fn prepared(&self, sql: &str) -> Result<Statement, Failure> {
        if let Some(known) = self.statements.borrow().get(sql) {
            return Ok(known.clone());
        }
        // Values travel apart, so this holds nothing that anybody said.
        tracing::trace!(sql, "a statement is prepared");
        let statement = match self.client.prepare(sql).await {
            Ok(statement) => statement,
            Err(error) => {
                // Where something that was sent ahead failed, this is only what followed from it.
                self.settled().await?;
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

    /// Sends the beginning of the transaction, if it was only announced.
    async fn announce(&self) {
        if let Stage::Announced(purpose) = self.stage.get() {
            self.stage.set(Stage::Inside);
            self.send_off(self.said(purpose.begin())).await;
        }
    }

    fn said(&self, sql: &'static str) -> Sent {
        let client = Arc::clone(&self.client);
        Box::pin(async move { Ok(client.batch_execute(sql).await?) })
    }

    /// Sends a statement and keeps its answer for later.
    async fn send_off(&self, mut statement: Sent) {
        let answer = std::future::poll_fn(|context| {
            // The first poll is what sends it.
            Poll::Ready(statement.as_mut().poll(context))
        });
        let sent: Sent = match answer.await {
            Poll::Ready(answer) => Box::pin(std::future::ready(answer)),
            Poll::Pending => statement,
        };
        self.sent.borrow_mut().push(sent);
    }

    /// The answers to everything that was sent ahead; the first failure, if there was one.
    async fn settled(&self) -> Result<(), Failure> {
        let sent = self.sent.take();
        let mut outcome = Ok(());
        for one in sent {
            outcome = outcome.and(one.await);
        }
        outcome
    }

    /// A statement's answer, once everything sent before it has been answered.
    async fn behind<T>(
        &self,
        statement: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Failure> {
        self.announce().await;
        let (earlier, answer) = tokio::join!(biased; self.settled(), statement);
        earlier?;
        Ok(answer?)
    }

    fn noted<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T> {
        self.answered(work).map_err(|failure| {
            let error = failure.error.clone();
            self.trouble.borrow_mut().get_or_insert(failure);
            error
        })
    }

    /// Waits for an answer, but not for ever.
    fn answered<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        let answer =
            self.runtime.block_on(async { tokio::time::timeout(self.patience, work).await });
        answer.map_err(|_| Failure::silence())?
    }
}
