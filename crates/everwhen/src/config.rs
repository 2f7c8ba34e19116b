//! One validated [`Config`] out of the file, the environment over it, and flags over both.
//!
//! Every value knows where it came from, so that `everwhen config` can say it. This is the only
//! place that reads the process's environment; all other code gets an [`Environment`].

mod backup;
mod conversations;
mod embedder;
mod endpoint;
mod facts;
mod key;
mod layer;
mod llm;
mod proxy;
mod row;
mod server;
mod upstream;
mod watch;
mod workflow;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use everwhen_store::{PostgresOptions, SqliteOptions, Synchronous};

pub use backup::BackupConfig;
pub use conversations::ConversationsConfig;
pub use embedder::{EmbedderConfig, EmbedderKind, MODELS_FOLDER};
pub use endpoint::EndpointConfig;
pub use facts::FactsConfig;
pub use key::{KEYS, Key};
pub use layer::Origin;
use layer::{Found, Layers};
pub use llm::{LlmConfig, LlmFallback};
pub use proxy::{Exception, ProxyChange, ProxyConfig, ProxySettings, Reach, Unnamed};
pub use server::{AllowedHost, AllowedOrigin, HostName, ServerConfig, ServerLimits, WebOrigin};
pub use upstream::Upstream;
pub use watch::WatchConfig;
pub use workflow::WorkflowConfig;

use crate::memory::{Address, MemoryId, Settings, VaultId};
use crate::store_location::StoreLocation;
use crate::time::Zone;
use crate::{Error, Result, VaultDefaults};

const LOG_LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
const MEGABYTE: u64 = 1024 * 1024;

/// A value, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen<T> {
    /// The value.
    pub value: T,
    /// Who chose it.
    pub from: Origin,
}

/// How logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs, one object a line.
    Json,
}

/// What the program does, decided.
#[derive(Debug, Clone)]
pub struct Config {
    /// The file that was read, if any.
    pub file: Option<PathBuf>,
    /// Where everything is kept.
    pub data: Chosen<PathBuf>,
    /// Where the server listens.
    pub listen: Chosen<String>,
    /// The zone of new vaults.
    pub zone: Chosen<Zone>,
    /// The vault that commands mean when none is named.
    pub vault: Chosen<String>,
    /// The memory that commands mean when none is named.
    pub memory: Chosen<String>,
    /// How much is logged: `off`, `error`, `warn`, `info`, `debug` or `trace`.
    pub log: Chosen<String>,
    /// How it is logged.
    pub log_format: Chosen<LogFormat>,
    /// The rules of conversations.
    pub conversations: ConversationsConfig,
    /// Where everything is kept.
    pub store: Chosen<StoreLocation>,
    /// How many connections to PostgreSQL may write at once.
    pub connections: Chosen<u32>,
    /// How long a statement in PostgreSQL may take, in seconds.
    pub statement_timeout_seconds: Chosen<u32>,
    /// When a write counts as kept.
    pub synchronous: Chosen<Synchronous>,
    /// How large the store may grow, in megabytes.
    pub max_size_mb: Chosen<Option<u64>>,
    /// How many writes may share one commit.
    pub commit_group: Chosen<u32>,
    /// Who may send requests, and how much the server takes on.
    pub server: ServerConfig,
    /// Where the upstream that needs no name was named.
    upstream: Chosen<Option<String>>,
    /// The model providers behind the proxy, the usual one first.
    pub upstreams: Vec<Upstream>,
    /// Models at upstreams, by the names that workflows know them by.
    pub endpoints: Vec<EndpointConfig>,
    /// Where workflows are.
    pub workflow: WorkflowConfig,
    /// Where each of them is named.
    upstream_origins: Vec<Origin>,
    /// How the proxy behaves.
    pub proxy: ProxyConfig,
    /// What finds things by their meaning.
    pub embedder: EmbedderConfig,
    /// The language model, if any.
    pub llm: LlmConfig,
    /// The settings file for chapters, if any.
    pub chapter_settings: Chosen<Option<PathBuf>>,
    /// How facts are compared, pinned and fade.
    pub facts: FactsConfig,
    /// Backups that the server makes.
    pub backup: BackupConfig,
    /// Folders of other programs that the server follows.
    pub watch: WatchConfig,
}

/// One line of `everwhen config`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// What is set.
    pub key: Key,
    /// Its value, as one would write it.
    pub value: String,
    /// Where it came from.
    pub from: Origin,
}

/// What was said on the command line; absent parts are decided elsewhere.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// `--config`
    pub config: Option<PathBuf>,
    /// `--data`
    pub data: Option<String>,
    /// `--listen`
    pub listen: Option<String>,
    /// `--zone`
    pub zone: Option<String>,
    /// `--vault`
    pub vault: Option<String>,
    /// `--memory`
    pub memory: Option<String>,
    /// `--store`
    pub store: Option<String>,
    /// `--log`
    pub log: Option<String>,
    /// `--log-format`
    pub log_format: Option<String>,
    /// `--upstream`
    pub upstream: Option<String>,
    /// `--stamps`
    pub stamps: Option<String>,
    /// `--embedder`
    pub embedder: Option<String>,
}

impl Flags {
    /// The flags that were given: the key, the flag, the value.
    fn values(&self) -> impl Iterator<Item = (Key, &'static str, &str)> {
        let all = [
            (key::DATA, "data", &self.data),
            (key::LISTEN, "listen", &self.listen),
            (key::ZONE, "zone", &self.zone),
            (key::VAULT, "vault", &self.vault),
            (key::MEMORY, "memory", &self.memory),
            (key::STORE_URL, "store", &self.store),
            (key::LOG, "log", &self.log),
            (key::LOG_FORMAT, "log-format", &self.log_format),
            (key::UPSTREAM, "upstream", &self.upstream),
            (key::STAMPS, "stamps", &self.stamps),
            (key::EMBEDDER, "embedder", &self.embedder),
        ];
        all.into_iter().filter_map(|(key, flag, value)| Some((key, flag, value.as_deref()?)))
    }
}

/// Environment variables, of the process or of a test.
#[derive(Debug, Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// The environment this process was started with.
    pub fn of_process() -> Result<Self> {
        let mut known = BTreeMap::new();
        for (name, value) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            match value.into_string() {
                Ok(value) => drop(known.insert(name, value)),
                Err(_) if name.starts_with("EVERWHEN_") => {
                    return Err(Error::invalid(format!("{name} is not valid UTF-8")));
                }
                Err(_) => {}
            }
        }
        Ok(Self(known))
    }

    /// The value of a variable; one that is set to nothing counts as absent.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The variables whose name says they are meant for this program.
    fn ours(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        all.filter(|(name, _)| name.starts_with("EVERWHEN_"))
    }

    /// A directory for this program below the one the variable names, else below `home/fallback`.
    fn directory(&self, variable: &str, fallback: &str) -> Option<PathBuf> {
        let named = self.get(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        let parent = named.or_else(|| Some(self.home()?.join(fallback)))?;
        Some(parent.join("everwhen"))
    }

    fn home(&self) -> Option<&Path> {
        self.get("HOME").map(Path::new)
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Environment {
    fn from(pairs: [(&str, &str); N]) -> Self {
        Self(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into())
    }
}

impl Config {
    /// Reads the three layers and checks every value.
    pub fn load(environment: &Environment, flags: &Flags) -> Result<Self> {
        let file = find_file(environment, flags);
        let layers = Layers::read(file.as_deref(), environment, flags)?;
        let named = upstream::all(&layers, environment)?.into_iter();
        let (upstreams, upstream_origins): (Vec<_>, Vec<_>) =
            named.map(|one| (one.value, one.from)).unzip();
        let workflow = WorkflowConfig::read(&layers, environment)?;
        let config = Self {
            data: data(&layers, environment)?,
            listen: choose(&layers, key::LISTEN, listen, || "127.0.0.1:3939".into())?,
            zone: choose(&layers, key::ZONE, |name| Ok(Zone::named(name)?), system_zone)?,
            vault: choose(&layers, key::VAULT, vault_name, || "default".into())?,
            memory: choose(&layers, key::MEMORY, memory_name, || "default".into())?,
            log: choose(&layers, key::LOG, log, || "info".into())?,
            log_format: choose(&layers, key::LOG_FORMAT, LogFormat::named, || LogFormat::Text)?,
            conversations: ConversationsConfig::read(&layers)?,
            store: store(&layers)?,
            connections: number(&layers, key::CONNECTIONS, 8)?,
            statement_timeout_seconds: number(&layers, key::STATEMENT_TIMEOUT, 30)?,
            synchronous: choose(&layers, key::SYNCHRONOUS, synchronous, || Synchronous::Full)?,
            max_size_mb: max_size(&layers)?,
            commit_group: number(&layers, key::COMMIT_GROUP, 32)?,
            server: ServerConfig::read(&layers)?,
            upstream: choose(&layers, key::UPSTREAM, |text| Ok(Some(text.into())), || None)?,
            endpoints: endpoint::all(&layers, &upstreams)?,
            upstreams,
            upstream_origins,
            proxy: ProxyConfig::read(&layers)?,
            embedder: EmbedderConfig::read(&layers, environment)?,
            llm: LlmConfig::read(&layers)?,
            chapter_settings: chapter_settings(&layers, environment, &workflow)?,
            workflow,
            facts: FactsConfig::read(&layers)?,
            backup: BackupConfig::read(&layers, environment)?,
            watch: WatchConfig::read(&layers, environment)?,
            file,
        };
        config.settings().check()?;
        Ok(config)
    }

    /// What a vault gets that is made without being described.
    pub fn vault_defaults(&self) -> VaultDefaults {
        VaultDefaults { zone: self.zone.value.clone(), settings: self.settings() }
    }

    fn settings(&self) -> Settings {
        self.conversations.settings()
    }

    /// How a database is opened.
    pub(crate) fn postgres_options(&self) -> PostgresOptions {
        let timeout = u64::from(self.statement_timeout_seconds.value);
        PostgresOptions {
            connections: self.connections.value as usize,
            statement_timeout: Duration::from_secs(timeout),
        }
    }

    /// How the store is opened.
    pub(crate) fn store_options(&self) -> SqliteOptions {
        SqliteOptions {
            synchronous: self.synchronous.value,
            max_bytes: self.max_size_mb.value.map(|megabytes| megabytes * MEGABYTE),
            commit_group: self.commit_group.value as usize,
        }
    }

    /// Every model provider and where it is named, the usual one first.
    pub fn named_upstreams(&self) -> impl Iterator<Item = (&Upstream, &Origin)> {
        self.upstreams.iter().zip(&self.upstream_origins)
    }

    /// Every value and where it came from, in the order of [`KEYS`].
    pub fn listing(&self) -> Vec<Setting> {
        let max_size = self.max_size_mb.value.map_or("none".into(), |size| size.to_string());
        let rows = [
            (quoted(&self.data.value.display().to_string()), &self.data.from),
            (quoted(&self.listen.value), &self.listen.from),
            (quoted(self.zone.value.name()), &self.zone.from),
            (quoted(&self.vault.value), &self.vault.from),
            (quoted(&self.memory.value), &self.memory.from),
            (quoted(&self.log.value), &self.log.from),
            (quoted(self.log_format.value.as_str()), &self.log_format.from),
        ];
        let rows = rows.into_iter().chain(self.conversations.rows());
        let rows = rows.chain([
            (quoted(&self.store.value.to_string()), &self.store.from),
            (self.connections.value.to_string(), &self.connections.from),
            (
                self.statement_timeout_seconds.value.to_string(),
                &self.statement_timeout_seconds.from,
            ),
            (quoted(synchronous_name(self.synchronous.value)), &self.synchronous.from),
            (max_size, &self.max_size_mb.from),
            (self.commit_group.value.to_string(), &self.commit_group.from),
        ]);
        let upstream = self.upstream.value.as_deref().map_or("none".into(), quoted);
        let upstream = [(upstream, &self.upstream.from)];
        let rows = rows.chain(self.server.rows()).chain(upstream);
        let tables = self.proxy.listing().into_iter().chain(self.embedder.rows());
        let settings = self.chapter_settings.value.as_ref();
        let settings = settings.map_or("none".into(), |path| quoted(&path.display().to_string()));
        let rows = rows.chain(tables).chain(self.llm.rows());
        let rows = rows.chain([(settings, &self.chapter_settings.from)]).chain(self.facts.rows());
        let rows = rows.chain(self.workflow.rows());
        let rows = rows.chain(self.backup.rows()).chain(self.watch.rows());
        let rows = KEYS.into_iter().zip(rows);
        rows.map(|(key, (value, from))| Setting { key, value, from: from.clone() }).collect()
    }

    /// The default path of the file.
    pub fn usual_file(environment: &Environment) -> Option<PathBuf> {
        Some(environment.directory("XDG_CONFIG_HOME", ".config")?.join("config.toml"))
    }
}

impl LogFormat {
    fn named(text: &str) -> Result<Self> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(Error::invalid("is unknown")),
        }
    }

    /// As written in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
        }
    }
}

/// The named file, which must exist, else the default one if it exists.
fn find_file(environment: &Environment, flags: &Flags) -> Option<PathBuf> {
    let named = flags.config.clone().or_else(|| environment.get("EVERWHEN_CONFIG").map(Into::into));
    named.or_else(|| Config::usual_file(environment).filter(|path| path.exists()))
}

/// What was set for a key, read by `read`; else the default.
fn choose<T>(
    layers: &Layers,
    key: Key,
    read: impl Fn(&str) -> Result<T>,
    default: impl FnOnce() -> T,
) -> Result<Chosen<T>> {
    let Some(found) = layers.find(key) else {
        return Ok(Chosen { value: default(), from: Origin::Default });
    };
    let text = found.text(key)?;
    let value = read(text).map_err(|_| found.refuse(key, format_args!("is {text:?}")))?;
    Ok(Chosen { value, from: found.from.clone() })
}

/// A whole number above zero.
fn number(layers: &Layers, key: Key, default: u32) -> Result<Chosen<u32>> {
    let Some(found) = layers.find(key) else {
        return Ok(Chosen { value: default, from: Origin::Default });
    };
    let number = found.number(key)?;
    let value = u32::try_from(number).ok().filter(|value| *value > 0);
    let value = value.ok_or_else(|| found.refuse(key, format_args!("is {number}")))?;
    Ok(Chosen { value, from: found.from.clone() })
}

/// Where everything is kept. What was written may hold a password, so it is not repeated.
fn store(layers: &Layers) -> Result<Chosen<StoreLocation>> {
    let Some(found) = layers.find(key::STORE_URL) else {
        return Ok(Chosen { value: StoreLocation::Directory, from: Origin::Default });
    };
    let value = StoreLocation::read(found.text(key::STORE_URL)?);
    let value = value.map_err(|error| found.refuse(key::STORE_URL, error))?;
    Ok(Chosen { value, from: found.from.clone() })
}

fn max_size(layers: &Layers) -> Result<Chosen<Option<u64>>> {
    if layers.find(key::MAX_SIZE_MB).is_none() {
        return Ok(Chosen { value: None, from: Origin::Default });
    }
    let size = number(layers, key::MAX_SIZE_MB, 0)?;
    Ok(Chosen { value: Some(size.value.into()), from: size.from })
}

/// The data directory. In a file, a relative path begins where the file is.
fn data(layers: &Layers, environment: &Environment) -> Result<Chosen<PathBuf>> {
    let Some(found) = layers.find(key::DATA) else {
        let value = environment.directory("XDG_DATA_HOME", ".local/share").ok_or_else(|| {
            Error::invalid(
                "cannot tell where to keep data: neither XDG_DATA_HOME nor HOME is set; \
                 name a directory with --data",
            )
        })?;
        return Ok(Chosen { value, from: Origin::Default });
    };
    let path = expand_home(found.text(key::DATA)?, environment);
    Ok(Chosen { value: from_file(path, found), from: found.from.clone() })
}

/// The settings file for chapters, found as the data directory is; else the one beside workflows.
fn chapter_settings(
    layers: &Layers,
    environment: &Environment,
    workflow: &WorkflowConfig,
) -> Result<Chosen<Option<PathBuf>>> {
    let key = key::CHAPTER_SETTINGS;
    let Some(found) = layers.find(key) else {
        let from = workflow.directory.from.clone();
        let beside = workflow.settings_file();
        let from = if beside.is_some() { from } else { Origin::Default };
        return Ok(Chosen { value: beside, from });
    };
    let path = expand_home(found.text(key)?, environment);
    Ok(Chosen { value: Some(from_file(path, found)), from: found.from.clone() })
}

fn expand_home(text: &str, environment: &Environment) -> PathBuf {
    match (text.strip_prefix("~/"), environment.home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(text),
    }
}

fn from_file(path: PathBuf, found: &Found) -> PathBuf {
    match &found.from {
        Origin::File { path: file, .. } => file.parent().unwrap_or(Path::new("")).join(path),
        _ => path,
    }
}

/// A host and a port; the host is looked up when the server starts.
fn listen(text: &str) -> Result<String> {
    let parts = text.rsplit_once(':');
    let right = parts.is_some_and(|(host, port)| {
        let bare = !host.contains(':') || (host.starts_with('[') && host.ends_with(']'));
        !host.is_empty() && bare && port.parse::<u16>().is_ok()
    });
    if right { Ok(text.to_owned()) } else { Err(Error::invalid("is no address")) }
}

fn vault_name(text: &str) -> Result<String> {
    Address::<VaultId>::read("vault", text).map(|_| text.to_owned())
}

fn memory_name(text: &str) -> Result<String> {
    Address::<MemoryId>::read("memory", text).map(|_| text.to_owned())
}

fn switch(text: &str) -> Result<bool> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(Error::invalid("is neither")),
    }
}

fn log(text: &str) -> Result<String> {
    let known = LOG_LEVELS.contains(&text);
    if known { Ok(text.to_owned()) } else { Err(Error::invalid("is unknown")) }
}

fn synchronous(text: &str) -> Result<Synchronous> {
    match text {
        "full" => Ok(Synchronous::Full),
        "normal" => Ok(Synchronous::Normal),
        _ => Err(Error::invalid("is unknown")),
    }
}

fn synchronous_name(value: Synchronous) -> &'static str {
    match value {
        Synchronous::Full => "full",
        Synchronous::Normal => "normal",
    }
}

/// This machine's zone, if it has a name.
fn system_zone() -> Zone {
    let zone = jiff::tz::TimeZone::system();
    zone.iana_name().and_then(|name| Zone::named(name).ok()).unwrap_or_else(Zone::utc)
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

#[cfg(test)]
mod tests;
