//! Opens a configuration as an engine over a store: in a directory that this process holds, or in a
//! database that it shares with other processes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use everwhen_models::RemoteLlm;
use everwhen_store::{PostgresStore, SqliteStore};

use crate::calibration::ThresholdsFile;
use crate::config::{Config, LlmFallback};
use crate::database_file::{database_file, note_database};
use crate::directory_lock::{DirectoryLock, LockAttempt, LockHolder};
use crate::embedding::Embedding;
use crate::facts::FactRules;
use crate::memory::{Address, EmbedderThresholds};
use crate::memory_settings::MemorySettings;
use crate::ports::Store;
use crate::store_location::StoreLocation;
use crate::world::{SystemChance, world};
use crate::{Engine, Error, ErrorKind, Result, VaultChange, World, key};

/// Where uploaded files are stored while they are imported, inside the data directory.
pub const UPLOADS_FOLDER: &str = "uploads";

/// An open Everwhen: an engine and its data directory.
///
/// With SQLite the data directory belongs to this process until the value is dropped. A PostgreSQL
/// database can be open in any number of processes.
pub struct Everwhen {
    // The engine comes first, so that the store is closed before the directory is unlocked.
    engine: Engine,
    embedding: Box<Embedding>,
    operator_token: String,
    place: StoreLocation,
    directory: PathBuf,
    held: Option<DirectoryLock>,
}

/// The result of opening.
#[derive(Debug)]
pub enum Opened {
    /// It is open in this process.
    Here(Box<Everwhen>),
    /// Another process has it open.
    Elsewhere(LockHolder),
}

impl Everwhen {
    /// Locks the data directory and opens the store in it, creating both if they do not exist; or
    /// opens the configured database.
    pub fn open(config: &Config) -> Result<Self> {
        match &config.store.value {
            StoreLocation::Directory => {
                Self::open_in(DirectoryLock::hold(&config.data.value)?, config)
            }
            StoreLocation::Postgres(url) => Self::open_at(url, config),
        }
    }

    /// Opens a data directory with a clock and a random source other than those of this machine.
    pub fn open_in_world(config: &Config, world: World) -> Result<Self> {
        let held = DirectoryLock::hold(&config.data.value)?;
        Self::over(Arc::new(open_sqlite(&held, config)?), Some(held), world, config)
    }

    /// Like [`open`](Self::open), but returns the process that holds the directory instead of an
    /// error.
    pub fn open_or_find(config: &Config) -> Result<Opened> {
        if let StoreLocation::Postgres(url) = &config.store.value {
            return Self::open_at(url, config).map(|open| Opened::Here(Box::new(open)));
        }
        match DirectoryLock::ask(&config.data.value)? {
            LockAttempt::Held(held) => {
                Self::open_in(held, config).map(|open| Opened::Here(Box::new(open)))
            }
            LockAttempt::Taken(holder) => Ok(Opened::Elsewhere(holder)),
        }
    }

    fn open_in(held: DirectoryLock, config: &Config) -> Result<Self> {
        Self::over(Arc::new(open_sqlite(&held, config)?), Some(held), world(), config)
    }

    fn open_at(url: &str, config: &Config) -> Result<Self> {
        let store = PostgresStore::open(url, config.postgres_options())
            .map_err(|error| error.at(&config.store.value))?;
        Self::over(Arc::new(store), None, world(), config)
    }

    fn over(
        store: Arc<dyn Store>,
        held: Option<DirectoryLock>,
        world: World,
        config: &Config,
    ) -> Result<Self> {
        let directory = config.data.value.clone();
        let engine = Engine::new(store, world, config.vault_defaults());
        let engine = with_chapter_rules(with_llm(engine, config)?, config)?;
        let engine = engine.with_fading(config.facts.fading());
        let by_embedder = thresholds(&directory);
        let engine = engine.with_fact_rules(FactRules { by_embedder, ..config.facts.rules() });
        let engine = engine.with_retrospection(config.conversations.retrospection());
        let setting = config.embedder.setting(&directory);
        let (engine, embedding) = Embedding::prepare(engine, setting, &directory)?;
        Ok(Self {
            engine,
            embedding: Box::new(embedding),
            operator_token: key::new_text(&SystemChance),
            place: config.store.value.clone(),
            directory,
            held,
        })
    }

    /// Gives the configured default vault the rules of conversations that the configuration names, so
    /// that changing one there takes effect. Rules that are not written there stay as they are, and
    /// so do those of other vaults. If the vault lies on a node that cannot be reached, that is logged and left to the
    /// next start.
    pub async fn apply_conversation_rules(&self, config: &Config) -> Result<()> {
        match self.write_conversation_rules(config).await {
            Err(error) if is_out_of_reach(&error) && self.engine.is_spread() => {
                let vault = &config.vault.value;
                tracing::warn!(
                    %error,
                    "the vault {vault:?} cannot be reached; the rules of conversations that the configuration names are \
                     applied to it at the next start"
                );
                Ok(())
            }
            applied => applied,
        }
    }

    async fn write_conversation_rules(&self, config: &Config) -> Result<()> {
        let written = config.conversations.written();
        let address = Address::read("vault", &config.vault.value)?;
        let vault = match self.engine.vault(address).await {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            vault => vault?,
        };
        let known = vault.info().await?.settings;
        let settings = written.on(known);
        if settings != known {
            let settings = Some(settings.into());
            vault.change(VaultChange { settings, ..VaultChange::default() }, None).await?;
        }
        Ok(())
    }

    /// The background task of the configured embedder.
    pub fn embedding(&self) -> &Embedding {
        &self.embedding
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The data directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The location of the store, for messages.
    pub fn whereabouts(&self) -> String {
        match &self.place {
            StoreLocation::Directory => self.directory.display().to_string(),
            place @ StoreLocation::Postgres(_) => place.to_string(),
        }
    }

    /// Whether other processes may have the store open at the same time.
    pub fn is_shared(&self) -> bool {
        matches!(self.place, StoreLocation::Postgres(_))
    }

    /// The operator token of this process.
    pub fn operator_token(&self) -> &str {
        &self.operator_token
    }

    /// Records for commands on this machine that a server listens at `url`. Commands that use
    /// PostgreSQL connect to the database themselves, so nothing is recorded for them.
    pub fn announce(&self, url: &str) -> Result<()> {
        self.held.as_ref().map_or(Ok(()), |held| held.announce(url, &self.operator_token))
    }
}

/// Whether it may be a node of the store that is away: one that refuses, or one that answers nothing in time.
fn is_out_of_reach(error: &Error) -> bool {
    [ErrorKind::Unavailable, ErrorKind::Busy].contains(&error.kind())
}

/// Opens the database of a data directory; one that never had any gets one.
fn open_sqlite(held: &DirectoryLock, config: &Config) -> Result<SqliteStore> {
    let store = SqliteStore::open(&database_file(held)?, config.store_options())?;
    note_database(held);
    Ok(store)
}

/// Adds the configured language model to the engine, if there is one.
fn with_llm(engine: Engine, config: &Config) -> Result<Engine> {
    // Models of workflows are paid for from the same money.
    let engine = engine.with_spending_cap(config.llm.cap_nanos());
    let Some(setting) = config.llm.setting() else { return Ok(engine) };
    let llm = RemoteLlm::new(setting, Arc::new(SystemChance))?;
    let falls_back = config.llm.fallback.value == LlmFallback::Rules;
    Ok(engine.with_llm(Arc::new(llm)).with_fallback_to_rules(falls_back))
}

/// The measured thresholds of embedders. A flawed file is reported, and the embedders' own are used: a
/// chat must not fail for it.
fn thresholds(directory: &Path) -> BTreeMap<String, EmbedderThresholds> {
    match ThresholdsFile::load(directory) {
        Ok(file) => file.embedders,
        Err(error) => {
            tracing::error!(%error, "facts are compared as without measured thresholds");
            BTreeMap::new()
        }
    }
}

/// Adds the chapter rules of the settings file to the engine, if one is configured.
fn with_chapter_rules(engine: Engine, config: &Config) -> Result<Engine> {
    let Some(path) = &config.chapter_settings.value else { return Ok(engine) };
    let settings = match MemorySettings::load(path) {
        Ok(settings) => settings,
        Err(error) => {
            tracing::error!(%error, "chapters are written as without a settings file");
            return Ok(engine);
        }
    };
    for (key, line) in &settings.idle {
        tracing::warn!(file = %path.display(), line, key, "this setting changes nothing here");
    }
    Ok(engine.with_chapter_rules(settings.rules))
}

impl std::fmt::Debug for Everwhen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Everwhen({})", self.whereabouts())
    }
}

#[cfg(test)]
mod tests {
    use everwhen_testkit::{PlainStore, SplitStore};

    use super::*;
    use crate::database_file::DATABASE_FILE;
    use crate::memory::Name;
    use crate::{Environment, Flags, NewVault};

    fn config(directory: &Path) -> Config {
        let data = Some(directory.display().to_string());
        let flags = Flags { data, zone: Some("Asia/Tokyo".into()), ..Flags::default() };
        Config::load(&Environment::default(), &flags).unwrap()
    }

    fn new_vault(name: &str) -> NewVault {
        let name = Name::new("vault", name).unwrap();
        NewVault { name, description: None, zone: None, settings: None }
    }

    #[tokio::test]
    async fn what_was_kept_is_there_after_opening_again() {
        let directory = tempfile::tempdir().unwrap();
        let config = config(directory.path());
        let first = Everwhen::open(&config).unwrap();
        first.engine().create_vault(new_vault("ana"), None).await.unwrap();
        let token = first.operator_token().to_owned();
        drop(first);

        let again = Everwhen::open(&config).unwrap();
        let ana = Address::Name(Name::new("vault", "ana").unwrap());
        let info = again.engine().vault(ana).await.unwrap().info().await.unwrap();
        assert_eq!(info.zone.name(), "Asia/Tokyo");
        assert_ne!(again.operator_token(), token);
    }

    #[tokio::test]
    async fn a_second_opening_is_refused_and_says_where_the_first_serves() {
        let directory = tempfile::tempdir().unwrap();
        let config = config(directory.path());
        let first = Everwhen::open(&config).unwrap();
        first.announce("http://127.0.0.1:3939").unwrap();
        let error = Everwhen::open(&config).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        let Opened::Elsewhere(holder) = Everwhen::open_or_find(&config).unwrap() else {
            panic!("opened twice")
        };
        let server = holder.server.unwrap();
        assert_eq!(server.token, first.operator_token());
        assert_eq!(server.url, "http://127.0.0.1:3939");
    }

    #[tokio::test]
    async fn nobody_else_reads_the_database_even_in_an_open_directory() {
        let directory = tempfile::tempdir().unwrap();
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(directory.path(), open).unwrap();
        let everwhen = Everwhen::open(&config(directory.path())).unwrap();
        everwhen.engine().create_vault(new_vault("ana"), None).await.unwrap();
        for file in std::fs::read_dir(directory.path()).unwrap() {
            let file = file.unwrap();
            let mode =
                std::os::unix::fs::PermissionsExt::mode(&file.metadata().unwrap().permissions());
            assert_eq!(mode & 0o077, 0, "{}", file.path().display());
        }
    }

    #[tokio::test]
    async fn the_settings_file_decides_how_chapters_are_made() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("settings.json");
        std::fs::write(&path, "{\"maxMessagesBetweenChunks\": 9} // short").unwrap();
        let environment = [("EVERWHEN_CHAPTERS_SETTINGS", path.to_str().unwrap())].into();
        let data = Some(directory.path().join("data").display().to_string());
        let flags = Flags { data, ..Flags::default() };
        let config = Config::load(&environment, &flags).unwrap();
        assert_eq!(Everwhen::open(&config).unwrap().engine().chapter_rules().max_messages, 9);
        std::fs::write(&path, "{\"maxMessagesBetweenChunks\": 0}").unwrap();
        // A flawed file is reported, and the server starts: a chat must not fail for it.
        let usual = crate::chapters::ChapterRules::default().max_messages;
        assert_eq!(Everwhen::open(&config).unwrap().engine().chapter_rules().max_messages, usual);
    }

    #[tokio::test]
    async fn a_default_vault_that_is_away_hinders_no_start() {
        let directory = tempfile::tempdir().unwrap();
        let store = Arc::new(SplitStore::new(Arc::new(PlainStore::new())));
        let opened = Arc::clone(&store) as Arc<dyn Store>;
        let everwhen = Everwhen::over(opened, None, world(), &config(directory.path())).unwrap();
        let data = directory.path().to_str().unwrap();
        let changed =
            [("EVERWHEN_DATA", data), ("EVERWHEN_CONVERSATION_IDLE_TIMEOUT_MINUTES", "7")];
        let config = Config::load(&changed.into(), &Flags::default()).unwrap();
        everwhen.engine().create_vault(new_vault(&config.vault.value), None).await.unwrap();
        let address = Address::read("vault", &config.vault.value).unwrap();
        let vault = everwhen.engine().vault(address).await.unwrap();
        store.lose(vault.id());
        everwhen.apply_conversation_rules(&config).await.unwrap();
        store.find();
        let minutes = async || vault.info().await.unwrap().settings.idle_timeout_minutes;
        assert_eq!(minutes().await, 30);
        everwhen.apply_conversation_rules(&config).await.unwrap();
        assert_eq!(minutes().await, 7, "as at the next start");
    }

    #[test]
    fn a_file_that_is_no_database_is_refused_by_name() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join(DATABASE_FILE), "this is not a database ".repeat(99))
            .unwrap();
        let error = Everwhen::open(&config(directory.path())).unwrap_err();
        assert!(error.message().contains(DATABASE_FILE), "{error}");
    }
}
