//! One connection: statements prepared once, and transactions that begin with their first statement.
//!
//! The engine's work is plain code that asks and waits, so each connection is driven by the thread
//! that uses it. What needs no answer is not waited for: the beginning of a transaction travels with
//! its first statement, and the end of a reading one is sent and forgotten.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use everwhen_engine::{Error, Result};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, Row, Statement};
use uuid::Uuid;

use super::address::Address;
use super::failure::{Failure, Remedy};
use super::statement::Values;

/// How long to wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// How much longer than the database itself we wait for an answer.
const GRACE: Duration = Duration::from_secs(5);
/// Prepared statements a connection keeps before it begins anew.
const STATEMENTS: usize = 512;
/// Names a connection remembers.
const NAMES: usize = 10_000;

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
    // The client goes first; the runtime that carries it after it.
    client: Client,
    runtime: Runtime,
    statements: RefCell<HashMap<String, Statement>>,
    names: RefCell<HashMap<String, Uuid>>,
    stage: Cell<Stage>,
    trouble: RefCell<Option<Failure>>,
    patience: Duration,
}

impl Connection {
    /// Connects, and sets how long the database may take.
    pub(super) fn open(address: &Address) -> Result<Self, Failure> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| {
            let error = Error::unavailable(format!("no connection can be driven: {error}"));
            Failure { error, remedy: Remedy::GiveUp }
        })?;
        let client = runtime.block_on(async {
            let client = tokio::time::timeout(CONNECT, address.connect())
                .await
                .map_err(|_| Failure::silence())??;
            client.batch_execute(&address.settings()).await?;
            Ok::<_, Failure>(client)
        })?;
        Ok(Self {
            client,
            runtime,
            statements: RefCell::default(),
            names: RefCell::default(),
            stage: Cell::new(Stage::Outside),
            trouble: RefCell::default(),
            patience: address.statement_timeout() + GRACE,
        })
    }

    /// What a name stood for the last time. Whoever uses it must see whether it still does.
    pub(super) fn hint(&self, name: &str) -> Option<Uuid> {
        self.names.borrow().get(name).copied()
    }

    /// Remembers what a name stands for.
    pub(super) fn remember_name(&self, name: &str, id: Uuid) {
        let mut names = self.names.borrow_mut();
        if names.len() >= NAMES {
            names.clear();
        }
        names.insert(name.to_owned(), id);
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
            self.behind_begin(self.client.query(&statement, values)).await
        })
    }

    /// How many rows a statement changes.
    pub(crate) fn execute(&self, sql: &str, values: Values<'_>) -> Result<u64> {
        self.noted(async {
            let statement = self.prepared(sql).await?;
            self.behind_begin(self.client.execute(&statement, values)).await
        })
    }

    /// Runs a statement as it stands, such as one that makes a table.
    pub(crate) fn say(&self, sql: &str) -> Result<()> {
        self.noted(async { self.behind_begin(self.client.batch_execute(sql)).await })
    }

    /// The first failure since the transaction began.
    pub(super) fn trouble(&self) -> Option<Failure> {
        self.trouble.take()
    }

    /// Ends a transaction that only read. Nobody waits for the answer.
    pub(super) fn leave(&self) {
        if self.stage.replace(Stage::Outside) != Stage::Inside {
            return;
        }
        self.runtime.block_on(async {
            let mut end = pin!(self.client.batch_execute("COMMIT"));
            std::future::poll_fn(|context| {
                // An answer, or a failure, is found by whoever uses the connection next.
                let _ = end.as_mut().poll(context);
                Poll::Ready(())
            })
            .await;
            tokio::task::yield_now().await;
        });
    }

    /// Makes everything since the beginning durable.
    pub(crate) fn commit(&self) -> Result<(), Uncommitted> {
        if self.stage.replace(Stage::Outside) != Stage::Inside {
            return Ok(());
        }
        match self.answered(self.client.batch_execute("COMMIT")) {
            Ok(()) => Ok(()),
            Err(failure) if failure.remedy == Remedy::Reconnect => {
                Err(Uncommitted::Unknown(failure.error))
            }
            Err(failure) => Err(Uncommitted::Refused(failure)),
        }
    }

    /// Takes everything back; says whether the connection is still of use.
    pub(super) fn roll_back(&self) -> bool {
        self.stage.replace(Stage::Outside) != Stage::Inside
            || self.answered(self.client.batch_execute("ROLLBACK")).is_ok()
    }

    async fn prepared(&self, sql: &str) -> Result<Statement, tokio_postgres::Error> {
        if let Some(known) = self.statements.borrow().get(sql) {
            return Ok(known.clone());
        }
        let statement = self.client.prepare(sql).await?;
        let mut statements = self.statements.borrow_mut();
        if statements.len() >= STATEMENTS {
            statements.clear();
        }
        statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Sends the beginning of the transaction, if it was only announced, in front of a statement.
    async fn behind_begin<T>(
        &self,
        statement: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, tokio_postgres::Error> {
        let Stage::Announced(purpose) = self.stage.get() else { return statement.await };
        self.stage.set(Stage::Inside);
        let begin = self.client.batch_execute(purpose.begin());
        let (begun, answer) = tokio::join!(biased; begin, statement);
        begun?;
        answer
    }

    fn noted<T>(&self, work: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T> {
        self.answered(work).map_err(|failure| {
            let error = failure.error.clone();
            self.trouble.borrow_mut().get_or_insert(failure);
            error
        })
    }

    /// Waits for an answer, but not for ever.
    fn answered<T>(
        &self,
        work: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Failure> {
        let answer =
            self.runtime.block_on(async { tokio::time::timeout(self.patience, work).await });
        answer.map_err(|_| Failure::silence())?.map_err(Failure::from)
    }
}
