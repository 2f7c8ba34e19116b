//! The harness of all benchmarks.
//!
//! This file opens an engine in a temporary directory; `server` starts one in another process, `client` sends
//! requests to it, `upstream` is a model provider behind it and `stream` a client of a streamed reply;
//! `dialogue` and `filler` generate text.

pub(crate) mod client;
pub(crate) mod dialogue;
pub(crate) mod filler;
pub(crate) mod server;
pub(crate) mod stream;
pub(crate) mod upstream;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use everwhen::memory::{Address, MemoryId, Name, NewEntry};
use everwhen::models::EmbedderSetting;
use everwhen::recall::{Query, Recollection};
use everwhen::{Config, Engine, Environment, Everwhen, Flags, SystemChance, Vault, limits};

/// The embedder to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbedderChoice {
    /// The static table inside the binary.
    Static,
    /// No embedder: words alone.
    None,
    /// A transformer.
    Transformer {
        /// Its name in summaries.
        name: String,
        /// Its directory.
        directory: PathBuf,
        /// Where its vectors are kept for the next run.
        vectors: PathBuf,
    },
}

impl EmbedderChoice {
    /// As written in summaries.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Static => "static",
            Self::None => "none",
            Self::Transformer { name, .. } => name,
        }
    }

    /// The engine with this embedder.
    async fn with(&self, engine: Engine) -> Result<Engine> {
        let Self::Transformer { directory, vectors, .. } = self else {
            let is_none = *self == Self::None;
            return Ok(if is_none { engine.without_embedder() } else { engine });
        };
        let setting = EmbedderSetting::Directory { path: directory.clone(), workers: None };
        let embedder = setting.open(Some(vectors), Arc::new(SystemChance)).await?;
        let embedder = embedder.context("a transformer was asked for, and none was opened")?;
        Ok(engine.with_embedder(embedder))
    }
}

/// An engine for one benchmark.
pub(crate) struct Harness {
    // In the order they are let go.
    vault: Vault,
    engine: Engine,
    everwhen: Everwhen,
    home: Home,
}

/// Where it stores its data: a temporary directory and, if one is given, a database.
struct Home {
    directory: tempfile::TempDir,
    store: Option<String>,
}

impl Home {
    /// A name that no other run has: that of the temporary directory.
    fn vault(&self) -> Result<Name> {
        let own = self.directory.path().file_name().map(|name| name.to_string_lossy());
        let own = own.as_deref().unwrap_or_default().trim_start_matches('.');
        Ok(Name::new("vault", format!("bench-{own}"))?)
    }
}

/// A memory by name.
pub(crate) fn memory(name: &str) -> Result<Address<MemoryId>> {
    Ok(Address::Name(Name::new("memory", name)?))
}

impl Harness {
    pub(crate) async fn new(embedder: &EmbedderChoice) -> Result<Self> {
        Self::over(None, embedder).await
    }

    /// In a PostgreSQL database, if its URL is given.
    pub(crate) async fn over(store: Option<String>, embedder: &EmbedderChoice) -> Result<Self> {
        Self::open(Home { directory: tempfile::tempdir()?, store }, embedder).await
    }

    /// Reopens it, so that only persisted state is left.
    pub(crate) async fn reopen(self, embedder: &EmbedderChoice) -> Result<Self> {
        let Self { home, everwhen, engine, vault } = self;
        drop((vault, engine, everwhen));
        Self::open(home, embedder).await
    }

    /// Removes its vault from the database.
    pub(crate) async fn clear(&self) -> Result<()> {
        self.vault.forget_vault(None).await?;
        self.engine.settle().await?;
        Ok(())
    }

    /// The current time.
    pub(crate) fn now(&self) -> jiff::Timestamp {
        self.engine.now()
    }

    /// Keeps the indexes of memories, for the next start.
    pub(crate) async fn keep_indexes(&self) -> Result<()> {
        Ok(self.engine.keep_indexes(1).await?)
    }

    async fn open(home: Home, embedder: &EmbedderChoice) -> Result<Self> {
        let (data, store) = (Some(home.directory.path().display().to_string()), home.store.clone());
        let flags = Flags { data, store, zone: Some("UTC".into()), ..Flags::default() };
        let config = Config::load(&Environment::default(), &flags)?;
        let everwhen = Everwhen::open(&config)?;
        let engine = embedder.with(everwhen.engine().clone()).await?;
        let vault = engine.vault_to_write(Address::Name(home.vault()?)).await?;
        Ok(Self { home, everwhen, engine, vault })
    }

    /// Remembers entries, in as many calls as it takes.
    pub(crate) async fn remember(
        &self,
        memory: &Address<MemoryId>,
        entries: &[NewEntry],
    ) -> Result<()> {
        for batch in entries.chunks(limits::BATCH_ENTRIES) {
            self.vault.remember(memory.clone(), batch.to_vec(), None).await?;
        }
        Ok(())
    }

    /// Makes a memory ready for questions: its index is made, and everything in it is embedded.
    pub(crate) async fn make_ready(&self, memory: &Address<MemoryId>) -> Result<()> {
        self.vault.recall(memory.clone(), Query::new("ready?")).await?;
        while self.engine.embed_step().await? {}
        Ok(())
    }

    /// Asks a question, and returns how long that took.
    pub(crate) async fn recall(
        &self,
        memory: &Address<MemoryId>,
        query: Query,
    ) -> Result<(Recollection, Duration)> {
        let began = Instant::now();
        let found = self.vault.recall(memory.clone(), query).await?;
        Ok((found, began.elapsed()))
    }
}
