//! What a command works with: the vault and memory it means, and somebody who answers.

use everwhen::time::{Zone, read_time, read_time_in};
use everwhen::{Config, Environment};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::args::CommonArgs;
use crate::client::{Client, Events, Reply, Request, escape};
use crate::failure::{Failure, Result};
use crate::output;

/// Everything at hand while a command runs.
pub(crate) struct Console {
    /// Print JSON instead of rows for people.
    pub(crate) json: bool,
    client: Client,
    vault: String,
    memory: String,
    default_zone: Zone,
    zone: OnceCell<Zone>,
}

impl Console {
    /// Finds out who answers.
    pub(crate) async fn open(
        config: &Config,
        environment: &Environment,
        common: &CommonArgs,
    ) -> Result<Self> {
        Ok(Self {
            json: common.json,
            client: Client::connect(config, environment, common).await?,
            vault: config.vault.value.clone(),
            memory: config.memory.value.clone(),
            default_zone: config.zone.value.clone(),
            zone: OnceCell::new(),
        })
    }

    /// The vault that is meant, as it was named.
    pub(crate) fn vault(&self) -> &str {
        &self.vault
    }

    /// The memory that is meant, as it was named.
    pub(crate) fn memory(&self) -> &str {
        &self.memory
    }

    /// The address of something in the vault.
    pub(crate) fn in_vault(&self, rest: &str) -> String {
        format!("/v1/vaults/{}{rest}", escape(&self.vault))
    }

    /// The address of something in the memory.
    pub(crate) fn in_memory(&self, rest: &str) -> String {
        self.in_vault(&format!("/memories/{}{rest}", escape(&self.memory)))
    }

    /// Who answers.
    pub(crate) fn whereabouts(&self) -> String {
        match &self.client {
            Client::Local(_) => "this command, no server runs here".into(),
            Client::Remote(remote) => format!("the server at {}", remote.url()),
        }
    }

    /// Whether a server was named, so that the data directory here does not matter.
    pub(crate) fn is_elsewhere(&self) -> bool {
        matches!(&self.client, Client::Remote(remote) if !remote.is_here())
    }

    /// Makes ready to be asked by meaning. Without the embedder, the built-in table answers.
    pub(crate) async fn open_embedder(&self) {
        if let Err(failure) = self.client.open_embedder().await {
            let why = failure.message.unwrap_or_default();
            output::note(&format!(
                "the embedder cannot be opened, so the built-in one is used: {why}"
            ));
        }
    }

    /// Sends a request.
    pub(crate) async fn send(&self, request: Request) -> Result<Reply> {
        self.client.send(request).await
    }

    /// Sends a request, whatever the answer will be.
    pub(crate) async fn attempt(&self, request: Request) -> Result<Reply> {
        self.client.attempt(request).await
    }

    /// Asks a server to tell what happens.
    pub(crate) async fn watch(&self, request: Request) -> Result<Events> {
        self.client.watch(request).await
    }

    /// Sends a request; prints the answer if it is for a program, else hands it back.
    pub(crate) async fn ask(&self, request: Request) -> Result<Option<Value>> {
        let reply = self.send(request).await?;
        if self.json {
            output::json(&reply.text)?;
            return Ok(None);
        }
        reply.value().map(Some)
    }

    /// All pages of a list as one.
    pub(crate) async fn ask_all(&self, request: Request) -> Result<Option<Value>> {
        let mut all = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let page = self.send(request.clone().with("cursor", cursor)).await?.value()?;
            all.extend(rows(&page).iter().cloned());
            cursor = page["next_cursor"].as_str().map(ToOwned::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        let page = json!({ "data": all, "next_cursor": null, "has_more": false });
        if self.json {
            output::json(&page.to_string())?;
            return Ok(None);
        }
        Ok(Some(page))
    }

    /// The vault's zone; for a vault that does not exist yet, the one it would get.
    pub(crate) async fn zone(&self) -> Result<&Zone> {
        self.zone.get_or_try_init(|| self.find_zone()).await
    }

    async fn find_zone(&self) -> Result<Zone> {
        match self.send(Request::get(self.in_vault(""))).await {
            Ok(reply) => Ok(Zone::named(text(&reply.value()?["zone"]))?),
            Err(failure) if failure.is_not_found() => Ok(self.default_zone.clone()),
            Err(failure) => Err(failure),
        }
    }

    /// A time as somebody typed it, as the API reads it.
    pub(crate) async fn time(&self, typed: Option<&str>) -> Result<Option<String>> {
        let Some(typed) = typed else { return Ok(None) };
        let time = read_time_in(typed, self.zone().await?);
        let time = time.map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Some(time.to_string()))
    }

    /// A time of the API on the vault's wall clock: `2023-01-08 12:49`.
    pub(crate) async fn minute(&self, time: &Value) -> Result<String> {
        Ok(show_minute(time, self.zone().await?))
    }

    /// Does what the command left to do.
    pub(crate) async fn close(self) -> Result<()> {
        self.client.finish().await
    }
}

/// A time of the API on the wall clock of `zone`; as it came, if it is none.
pub(crate) fn show_minute(time: &Value, zone: &Zone) -> String {
    let written = text(time);
    read_time(written).map_or_else(|_| written.to_owned(), |time| zone.minute(time))
}

/// The rows of a page.
pub(crate) fn rows(page: &Value) -> &[Value] {
    rows_of(&page["data"])
}

/// The items of an array; none if there is no array.
pub(crate) fn rows_of(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}

/// Text of the API; nothing if there is none.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
