//! The table `[server]`: who may send requests, and how much the server takes on at once.

mod names;

use std::time::Duration;

pub use names::{AllowedHost, AllowedOrigin, HostName, WebOrigin};

use super::key::{self, Key};
use super::layer::{Layers, Origin};
use super::{Chosen, MEGABYTE, choose, number, quoted};
use crate::{Error, Result};

/// The most megabytes that a body may be allowed to have.
const MOST_BODY_MB: u32 = 1024;

/// What the server answers and how much it takes on, each value with where it came from.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// Hosts that are answered without a key.
    hosts: Chosen<Option<String>>,
    /// Origins of web pages that may send requests.
    origins: Chosen<Option<String>>,
    /// The lists under their older names.
    mcp_hosts: Chosen<Option<String>>,
    mcp_origins: Chosen<Option<String>>,
    header_timeout_seconds: Chosen<u32>,
    body_timeout_seconds: Chosen<u32>,
    idle_timeout_seconds: Chosen<u32>,
    max_connections: Chosen<u32>,
    max_requests: Chosen<u32>,
    max_body_mb: Chosen<u32>,
    max_upload_mb: Chosen<u32>,
    max_buffered_mb: Chosen<u32>,
    max_json_depth: Chosen<u32>,
}

/// How much the server takes on, and how long it waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// The headers of a request must arrive within this time.
    pub header_timeout: Duration,
    /// The longest pause while a body arrives or a response is sent.
    pub body_timeout: Duration,
    /// A connection without a request is closed after this time.
    pub idle_timeout: Duration,
    /// Open connections.
    pub max_connections: usize,
    /// Requests answered at the same time.
    pub max_requests: usize,
    /// Bytes of one request body.
    pub max_body: usize,
    /// Bytes of one file to import.
    pub max_upload: usize,
    /// Bytes of all request bodies held in memory.
    pub max_buffered: usize,
    /// Levels of nesting of JSON in a request.
    pub max_json_depth: usize,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self::read(&Layers::default()).expect("nothing that was set can be wrong")
    }
}

impl Default for ServerLimits {
    fn default() -> Self {
        ServerConfig::default().limits()
    }
}

impl ServerConfig {
    pub(super) fn read(layers: &Layers) -> Result<Self> {
        let hosts = |key| list(layers, key, |text| AllowedHost::read(text).map(drop));
        let origins = |key| list(layers, key, |text| AllowedOrigin::read(text).map(drop));
        Ok(Self {
            hosts: hosts(key::ALLOWED_HOSTS)?,
            origins: origins(key::ALLOWED_ORIGINS)?,
            mcp_hosts: hosts(key::MCP_HOSTS)?,
            mcp_origins: origins(key::MCP_ORIGINS)?,
            header_timeout_seconds: number(layers, key::HEADER_TIMEOUT, 10)?,
            body_timeout_seconds: number(layers, key::BODY_TIMEOUT, 30)?,
            // Longer than most clients keep a connection, so that they close it and not we.
            idle_timeout_seconds: number(layers, key::CONNECTION_IDLE_TIMEOUT, 120)?,
            max_connections: number(layers, key::MAX_CONNECTIONS, 4096)?,
            max_requests: number(layers, key::MAX_REQUESTS, 2048)?,
            max_body_mb: body_megabytes(layers)?,
            max_upload_mb: number(layers, key::MAX_UPLOAD_MB, 4096)?,
            max_buffered_mb: number(layers, key::MAX_BUFFERED_MB, 256)?,
            max_json_depth: number(layers, key::MAX_JSON_DEPTH, 128)?,
        })
    }

    /// Hosts that are answered without a key, from both lists.
    pub fn allowed_hosts(&self) -> Vec<AllowedHost> {
        entries([&self.hosts, &self.mcp_hosts], AllowedHost::read)
    }

    /// Origins of web pages that may send requests, from both lists.
    pub fn allowed_origins(&self) -> Vec<AllowedOrigin> {
        entries([&self.origins, &self.mcp_origins], AllowedOrigin::read)
    }

    /// How much the server takes on, and how long it waits.
    pub fn limits(&self) -> ServerLimits {
        let seconds = |chosen: &Chosen<u32>| Duration::from_secs(chosen.value.into());
        let bytes = |chosen: &Chosen<u32>| chosen.value as usize * MEGABYTE as usize;
        ServerLimits {
            header_timeout: seconds(&self.header_timeout_seconds),
            body_timeout: seconds(&self.body_timeout_seconds),
            idle_timeout: seconds(&self.idle_timeout_seconds),
            max_connections: self.max_connections.value as usize,
            max_requests: self.max_requests.value as usize,
            max_body: bytes(&self.max_body_mb),
            max_upload: bytes(&self.max_upload_mb),
            max_buffered: bytes(&self.max_buffered_mb),
            max_json_depth: self.max_json_depth.value as usize,
        }
    }

    /// Values as one would write them, in the order of the keys.
    pub(super) fn rows(&self) -> [(String, &Origin); 13] {
        let number = |chosen: &Chosen<u32>| chosen.value.to_string();
        let text = |chosen: &Chosen<Option<String>>| {
            chosen.value.as_deref().map_or_else(|| "none".into(), quoted)
        };
        [
            (text(&self.hosts), &self.hosts.from),
            (text(&self.origins), &self.origins.from),
            (number(&self.header_timeout_seconds), &self.header_timeout_seconds.from),
            (number(&self.body_timeout_seconds), &self.body_timeout_seconds.from),
            (number(&self.idle_timeout_seconds), &self.idle_timeout_seconds.from),
            (number(&self.max_connections), &self.max_connections.from),
            (number(&self.max_requests), &self.max_requests.from),
            (number(&self.max_body_mb), &self.max_body_mb.from),
            (number(&self.max_upload_mb), &self.max_upload_mb.from),
            (number(&self.max_buffered_mb), &self.max_buffered_mb.from),
            (number(&self.max_json_depth), &self.max_json_depth.from),
            (text(&self.mcp_hosts), &self.mcp_hosts.from),
            (text(&self.mcp_origins), &self.mcp_origins.from),
        ]
    }
}

/// A list with commas, every entry of which must be right.
fn list(
    layers: &Layers,
    key: Key,
    check: impl Fn(&str) -> Result<()>,
) -> Result<Chosen<Option<String>>> {
    let read = |text: &str| {
        text.split(',').try_for_each(|entry| check(entry.trim()))?;
        Ok(Some(text.to_owned()))
    };
    choose(layers, key, read, || None)
}

fn entries<T>(lists: [&Chosen<Option<String>>; 2], read: fn(&str) -> Result<T>) -> Vec<T> {
    let texts = lists.into_iter().filter_map(|list| list.value.as_deref());
    let entries = texts.flat_map(|text| text.split(','));
    entries.map(|entry| read(entry.trim()).expect("checked when it was read")).collect()
}

fn body_megabytes(layers: &Layers) -> Result<Chosen<u32>> {
    let chosen = number(layers, key::MAX_BODY_MB, 64)?;
    if chosen.value <= MOST_BODY_MB {
        return Ok(chosen);
    }
    let wrong = key::MAX_BODY_MB.wrong(&chosen.value.to_string());
    Err(Error::invalid(format!("{}: {wrong}", chosen.from)))
}
