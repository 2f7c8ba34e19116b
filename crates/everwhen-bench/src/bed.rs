//! What every recall benchmark stands on: an Everwhen in a directory of its own, gone afterwards.

use std::time::{Duration, Instant};

use anyhow::Result;
use everwhen::memory::{Address, MemoryId, Name, NewEntry};
use everwhen::recall::{Query, Recollection};
use everwhen::{Config, Environment, Everwhen, Flags, NewVault, Vault, limits};

/// Which embedder takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbedderChoice {
    /// The static table inside the binary.
    Static,
    /// None: words alone.
    None,
}

impl EmbedderChoice {
    /// As written in summaries.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::None => "none",
        }
    }
}

/// An Everwhen for one benchmark.
pub(crate) struct Bed {
    _directory: tempfile::TempDir,
    _everwhen: Everwhen,
    vault: Vault,
}

/// A memory by name.
pub(crate) fn memory(name: &str) -> Result<Address<MemoryId>> {
    Ok(Address::Name(Name::new("memory", name)?))
}

impl Bed {
    pub(crate) async fn new(embedder: EmbedderChoice) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let data = Some(directory.path().display().to_string());
        let flags = Flags { data, zone: Some("UTC".into()), ..Flags::default() };
        let config = Config::load(&Environment::default(), &flags)?;
        let everwhen = Everwhen::open(&config)?;
        let engine = match embedder {
            EmbedderChoice::Static => everwhen.engine().clone(),
            EmbedderChoice::None => everwhen.engine().clone().without_embedder(),
        };
        let name = Name::new("vault", "bench")?;
        let new = NewVault { name: name.clone(), description: None, zone: None, settings: None };
        engine.create_vault(new, None).await?;
        let vault = engine.vault(Address::Name(name)).await?;
        Ok(Self { _directory: directory, _everwhen: everwhen, vault })
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

    /// Asks, and says how long it took.
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
