//! Opening: a configuration becomes an engine over a store: in a directory that this process holds,
//! or in a database that it shares with others.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use everwhen_models::RemoteLlm;
use everwhen_store::{PostgresStore, SqliteStore};

use crate::config::Config;
use crate::embedding::Embedding;
use crate::held::{Asked, Held, Holder};
use crate::memory_settings::MemorySettings;
use crate::place::Place;
use crate::ports::Store;
use crate::world::{SystemChance, world};
use crate::{Engine, Result, key};

/// The database, inside the data directory.
pub const DATABASE_FILE: &str = "everwhen.db";

/// Everwhen, opened: an engine, and where it keeps everything.
///
/// A data directory with a database in it belongs to this process until the value is dropped. A
/// database elsewhere belongs to nobody: any number of processes may have it open.
pub struct Everwhen {
    // The engine comes first: the store is let go before the directory is.
    engine: Engine,
    embedding: Box<Embedding>,
    operator_token: String,
    place: Place,
    directory: PathBuf,
    held: Option<Held>,
}

/// What came of opening.
#[derive(Debug)]
pub enum Opened {
    /// It is open in this process.
    Here(Box<Everwhen>),
    /// Somebody else has it open.
    Elsewhere(Holder),
}

impl Everwhen {
    /// Takes the data directory and opens the store in it, making both if they do not exist; or opens
    /// the database that is configured.
    pub fn open(config: &Config) -> Result<Self> {
        match &config.store.value {
            Place::Directory => Self::open_in(Held::hold(&config.data.value)?, config),
            Place::Postgres(url) => Self::open_at(url, config),
        }
    }

    /// The same, but says who holds the directory instead of failing.
    pub fn open_or_find(config: &Config) -> Result<Opened> {
        if let Place::Postgres(url) = &config.store.value {
            return Self::open_at(url, config).map(|open| Opened::Here(Box::new(open)));
        }
        match Held::ask(&config.data.value)? {
            Asked::Held(held) => {
                Self::open_in(held, config).map(|open| Opened::Here(Box::new(open)))
            }
            Asked::Taken(holder) => Ok(Opened::Elsewhere(holder)),
        }
    }

    fn open_in(held: Held, config: &Config) -> Result<Self> {
        let path = held.private_file(DATABASE_FILE)?;
        let store = SqliteStore::open(&path, config.store_options())?;
        Self::over(Arc::new(store), Some(held), config)
    }

    fn open_at(url: &str, config: &Config) -> Result<Self> {
        let store = PostgresStore::open(url, config.postgres_options())
            .map_err(|error| error.at(&config.store.value))?;
        Self::over(Arc::new(store), None, config)
    }

    fn over(store: Arc<dyn Store>, held: Option<Held>, config: &Config) -> Result<Self> {
        let directory = config.data.value.clone();
        let engine = Engine::new(store, world(), config.vault_defaults());
        let engine = with_chapter_rules(with_llm(engine, config)?, config)?;
        let engine = engine.with_fading(config.fading());
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

    /// What opens the embedder that is configured and embeds in the background.
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

    /// Where everything is kept, for people.
    pub fn whereabouts(&self) -> String {
        match &self.place {
            Place::Directory => self.directory.display().to_string(),
            place @ Place::Postgres(_) => place.to_string(),
        }
    }

    /// Whether other processes may have the same store open.
    pub fn is_shared(&self) -> bool {
        matches!(self.place, Place::Postgres(_))
    }

    /// What opens every vault, as long as this value lives.
    pub fn operator_token(&self) -> &str {
        &self.operator_token
    }

    /// Writes down, for commands on this machine, that a server answers at `url`. Commands that use a
    /// database elsewhere need nobody's answer, so nothing is written for them.
    pub fn announce(&self, url: &str) -> Result<()> {
        self.held.as_ref().map_or(Ok(()), |held| held.announce(url, &self.operator_token))
    }
}

/// The engine with the language model that is configured, if one is.
fn with_llm(engine: Engine, config: &Config) -> Result<Engine> {
    let Some(setting) = config.llm.setting() else { return Ok(engine) };
    let llm = RemoteLlm::new(setting, Arc::new(SystemChance))?;
    Ok(engine.with_llm(Arc::new(llm)).with_spending_cap(config.llm.cap_nanos()))
}

/// The engine with the rules of the settings file for chapters, if one is configured.
fn with_chapter_rules(engine: Engine, config: &Config) -> Result<Engine> {
    let Some(path) = &config.chapter_settings.value else { return Ok(engine) };
    let settings = MemorySettings::load(path)?;
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
    use super::*;
    use crate::memory::{Address, Name};
    use crate::{Environment, ErrorKind, Flags, NewVault};

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
        let error = Everwhen::open(&config).unwrap_err();
        assert!(error.message().contains("settings.json:1"), "{error}");
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
