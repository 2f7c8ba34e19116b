//! Everwhen as a library: memory that knows *when*.
//!
//! Every message has the time it was said (`conversation_time`) and the time it was stored
//! (`creation_time`). Messages are grouped into conversations at real pauses, and can be listed,
//! corrected, shown as a timeline, or forgotten. No language model is needed for any of it.
//!
//! A [`Vault`] belongs to one owner; it is the unit of isolation and of forgetting. A vault holds
//! memories: one memory is one continuing relationship, such as a chat, a project or a person. A
//! memory is a stream of entries, each one thing said.
//!
//! [`Everwhen::open`] takes a [`Config`] and returns an [`Engine`] over a SQLite database in one
//! directory, which this process holds until the value is dropped. From there on everything is a
//! verb of a [`Vault`]: `remember`, `entries`, `conversations`, `timeline`, `forget`. Each is one
//! durable transaction: once it has returned, its effect survives a crash.
//!
//! Idle conversations are closed and summarized by durable jobs. Run [`work`] in the background to
//! run jobs when they are due, or call [`Engine::settle`] when it suits you.
//!
//! ```
//! use everwhen::memory::{Address, Name, NewEntry, Role, Said};
//! use everwhen::ports::EntryQuery;
//! use everwhen::{Config, Environment, Everwhen, Flags};
//!
//! # async fn example() -> everwhen::Result<()> {
//! # let directory = tempfile::tempdir().expect("a directory for the example");
//! # let data = directory.path().display().to_string();
//! let flags = Flags { data: Some(data), zone: Some("Europe/Berlin".into()), ..Flags::default() };
//! let config = Config::load(&Environment::default(), &flags)?;
//! let everwhen = Everwhen::open(&config)?;
//!
//! let ana = Address::Name(Name::new("vault", "ana")?);
//! let diary = Address::Name(Name::new("memory", "diary")?);
//! let vault = everwhen.engine().vault_to_write(ana.clone()).await?;
//!
//! let said = everwhen::time::read_time("2023-01-08T12:49:00+01:00")?;
//! let visit = NewEntry::new(Role::User, Said::new("I went to the museum today")?).said_at(said);
//! vault.remember(diary.clone(), vec![visit], None).await?;
//!
//! let vault = everwhen.engine().vault(ana).await?;
//! let entries = vault.entries(diary.clone(), None, EntryQuery::default()).await?;
//! assert_eq!(entries.data[0].conversation_time, said);
//! assert!(entries.data[0].creation_time > said);
//!
//! let timeline = vault.timeline(diary, EntryQuery::default()).await?;
//! assert_eq!(timeline.data[0].text(), "2023-01-08 – I went to the museum today");
//! # Ok(())
//! # }
//! # tokio::runtime::Runtime::new().expect("a runtime").block_on(example()).expect("the example");
//! ```
//!
//! # Questions
//!
//! [`Vault::recall`] finds entries by meaning and by time. Time words in the question count from the
//! moment it is asked; [`Query::as_of`](recall::Query::as_of) answers from what was stored by then.
//! [`Recollection::briefing`](recall::Recollection::briefing) is the text for a model.
//!
//! ```
//! # use everwhen::memory::{Address, Name, NewEntry, Role, Said};
//! # use everwhen::{Config, Environment, Everwhen, Flags};
//! use everwhen::recall::Query;
//!
//! # async fn example() -> everwhen::Result<()> {
//! # let directory = tempfile::tempdir().expect("a directory for the example");
//! # let data = directory.path().display().to_string();
//! # let flags = Flags { data: Some(data), zone: Some("UTC".into()), ..Flags::default() };
//! # let everwhen = Everwhen::open(&Config::load(&Environment::default(), &flags)?)?;
//! # let ana = Address::Name(Name::new("vault", "ana")?);
//! # let diary = Address::Name(Name::new("memory", "diary")?);
//! # let vault = everwhen.engine().vault_to_write(ana.clone()).await?;
//! # let said = everwhen::time::read_time("2023-01-08T12:49:00Z")?;
//! # let visit = NewEntry::new(Role::User, Said::new("I went to the museum")?).said_at(said);
//! # vault.remember(diary.clone(), vec![visit], None).await?;
//! # let vault = everwhen.engine().vault(ana).await?;
//! let found = vault.recall(diary, Query::new("Where was I in January 2023?")).await?;
//! assert_eq!(found.items[0].entry.content.as_str(), "I went to the museum");
//! assert_eq!(found.about.expect("time words").words, ["in January 2023"]);
//! assert!(found.briefing.contains("2023-01-08"));
//! # Ok(())
//! # }
//! # tokio::runtime::Runtime::new().expect("a runtime").block_on(example()).expect("the example");
//! ```
//!
//! # Errors
//!
//! Every verb returns [`Result`]. [`Error::kind`] tells what a caller can do about an [`Error`]: change
//! the input, wait, or look at the store. A write may be repeated safely with an
//! [`Idempotency`](receipt::Idempotency) key; the second time it returns the first receipt.
//!
//! The programs in `examples/` open a directory, ask about dated entries, and read earlier versions of
//! entries and files.

pub mod backup;
pub mod calibration;
mod config;
mod database_file;
mod directory_lock;
mod embedding;
pub mod export;
pub mod import;
mod memory_settings;
mod migration;
mod open;
mod store_location;
mod supervisor;
mod vault_difference;
pub mod watch;
pub mod wilmer;
mod worker;
mod worker_status;
mod workflow_tree;
mod world;

pub use config::{
    AllowedHost, AllowedOrigin, BackupConfig, Chosen, Config, ConversationsConfig, EmbedderConfig,
    EmbedderKind, EndpointConfig, Environment, Exception, FactsConfig, Flags, HostName, KEYS,
    Key as ConfigKey, LlmConfig, LlmFallback, LogFormat, MODELS_FOLDER, Origin, ProxyChange,
    ProxyConfig, ProxySettings, Reach, ServerConfig, ServerLimits, Setting, Unnamed, Upstream,
    WatchConfig, WebOrigin, WorkflowConfig,
};
pub use database_file::DATABASE_FILE;
pub use directory_lock::{DirectoryLock, LockAttempt, LockHolder, ServerAddress};
pub use embedding::{Embedding, VECTORS_FOLDER};
pub use everwhen_engine::*;
pub use everwhen_models as models;
pub use everwhen_protocols::{self as protocols, Protocol};
pub use everwhen_store::{Synchronous, TransferredTable, outbox};
pub use memory_settings::{Condensing, MemorySettings, StateDocument};
pub use migration::{distribute, migrate};
pub use open::{Everwhen, Opened, UPLOADS_FOLDER};
pub use store_location::StoreLocation;
pub use supervisor::supervise;
pub use vault_difference::{vault_difference, vault_differences};
pub use worker::{work, work_with_status};
pub use worker_status::{TaskStatus, WorkerStatus, WorkerTask};
pub use workflow_tree::{WorkflowTree, is_settings_file};
pub use world::{SystemChance, SystemClock, world};
