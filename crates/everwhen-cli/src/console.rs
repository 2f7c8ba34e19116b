//! What a command works with: its vault, its memory and the connection to the API.

use std::io::Write;
use std::path::Path;

use everwhen::time::{Zone, read_time, read_time_in};
use everwhen::{Config, Engine, Environment};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::args::CommonArgs;
use crate::client::{Client, Events, Reply, Request, escape};
use crate::failure::{Failure, Result};
use crate::output;

/// The context of a running command.
pub(crate) struct Console {
    /// Print JSON instead of text.
    pub(crate) json: bool,
    client: Client,
    vault: String,
    memory: String,
    memory_is_named: bool,
    default_zone: Zone,
    zone: OnceCell<Zone>,
}

impl Console {
    /// Connects to the API.
    pub(crate) async fn open(
        config: &Config,
        environment: &Environment,
        common: &CommonArgs,
    ) -> Result<Self> {
        Ok(Self::with(Client::connect(config, environment, common).await?, config, common))
    }

    /// Connects to all of the API, without doing work that is due.
    pub(crate) async fn open_at_once(
        config: &Config,
        environment: &Environment,
        common: &CommonArgs,
    ) -> Result<Self> {
        let client = Client::connect_at_once(config, environment, common).await?;
        Ok(Self::with(client, config, common))
    }

    /// Connects to what an agent's hook needs of the API while its user waits.
    pub(crate) async fn open_briefly(
        config: &Config,
        environment: &Environment,
        common: &CommonArgs,
    ) -> Result<Self> {
        let client = Client::connect_briefly(config, environment, common).await?;
        Ok(Self::with(client, config, common))
    }

    fn with(client: Client, config: &Config, common: &CommonArgs) -> Self {
        Self {
            json: common.json,
            client,
            vault: config.vault.value.clone(),
            memory: config.memory.value.clone(),
            memory_is_named: !matches!(config.memory.from, everwhen::Origin::Default),
            default_zone: config.zone.value.clone(),
            zone: OnceCell::new(),
        }
    }

    /// The vault of the command, as it was named.
    pub(crate) fn vault(&self) -> &str {
        &self.vault
    }

    /// The memory of the command, as it was named.
    pub(crate) fn memory(&self) -> &str {
        &self.memory
    }

    /// The memory of the command, or `other` if none was named.
    pub(crate) fn memory_or<'m>(&'m self, other: &'m str) -> &'m str {
        if self.memory_is_named { &self.memory } else { other }
    }

    /// The path of a resource in the vault.
    pub(crate) fn in_vault(&self, rest: &str) -> String {
        format!("/v1/vaults/{}{rest}", escape(&self.vault))
    }

    /// The path of a resource in the memory.
    pub(crate) fn in_memory(&self, rest: &str) -> String {
        self.in_vault(&format!("/memories/{}{rest}", escape(&self.memory)))
    }

    /// The id of a memory; fails if it does not exist.
    pub(crate) async fn memory_id(&self, memory: &str) -> Result<String> {
        let path = self.in_vault(&format!("/memories/{}", escape(memory)));
        let found = self.send(Request::get(path)).await?.value()?;
        Ok(text(&found["id"]).to_owned())
    }

    /// Where requests go, for messages.
    pub(crate) fn whereabouts(&self) -> String {
        match &self.client {
            Client::Local(_) => "this command, no server runs here".into(),
            Client::Remote(remote) => format!("the server at {}", remote.url()),
        }
    }

    /// Whether a server was named, so that the local data directory does not matter.
    pub(crate) fn is_elsewhere(&self) -> bool {
        matches!(&self.client, Client::Remote(remote) if !remote.is_here())
    }

    /// Opens the embedder for recall. Without it, the built-in table is used.
    pub(crate) async fn open_embedder(&self) {
        if let Err(failure) = self.client.open_embedder().await {
            let why = failure.message.unwrap_or_default();
            output::note(&format!(
                "the embedder cannot be opened, so the built-in one is used: {why}"
            ));
        }
    }

    /// Makes what is read complete: without a server, runs the jobs that are due, or says that they
    /// wait for the language model.
    pub(crate) async fn catch_up(&self) -> Result<()> {
        let waiting = self.client.catch_up().await?;
        if waiting > 0 {
            let jobs = if waiting == 1 { "job waits" } else { "jobs wait" };
            output::note(&format!(
                "{waiting} {jobs} to make facts, titles and summaries; run them with: everwhen distill"
            ));
        }
        Ok(())
    }

    /// Sends a request.
    pub(crate) async fn send(&self, request: Request) -> Result<Reply> {
        self.client.send(request).await
    }

    /// Sends a request and returns any response.
    pub(crate) async fn attempt(&self, request: Request) -> Result<Reply> {
        self.client.attempt(request).await
    }

    /// The engine, where this process answers.
    pub(crate) fn engine(&self) -> Option<&Engine> {
        self.client.engine()
    }

    /// Sends a file as the body of a request.
    pub(crate) async fn upload(&self, request: Request, file: &Path) -> Result<Reply> {
        self.client.upload(request, file).await
    }

    /// Writes the body of a response into a file. Returns its bytes.
    pub(crate) async fn download(&self, request: Request, file: &mut dyn Write) -> Result<u64> {
        self.client.download(request, file).await
    }

    /// The memory of the command, if one was named.
    pub(crate) fn named_memory(&self) -> Option<&str> {
        self.memory_is_named.then_some(self.memory.as_str())
    }

    /// Opens an event stream.
    pub(crate) async fn watch(&self, request: Request) -> Result<Events> {
        self.client.watch(request).await
    }

    /// Sends a request. With `--json` prints the response, else returns it.
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
            if !page["data"].is_array() {
                return Err(Failure::foreign("its answer is no list"));
            }
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

    /// The time zone of the vault; for a vault that does not exist yet, that of new vaults.
    pub(crate) async fn zone(&self) -> Result<&Zone> {
        self.zone.get_or_try_init(|| self.find_zone()).await
    }

    async fn find_zone(&self) -> Result<Zone> {
        match self.send(Request::get(self.in_vault(""))).await {
            Ok(reply) => match reply.value()?["zone"].as_str() {
                Some(zone) => Ok(Zone::named(zone)?),
                None => Err(Failure::foreign("its vault has no time zone")),
            },
            Err(failure) if failure.is_not_found() => Ok(self.default_zone.clone()),
            Err(failure) => Err(failure),
        }
    }

    /// A time as it was typed, in the format of the API.
    pub(crate) async fn time(&self, typed: Option<&str>) -> Result<Option<String>> {
        let Some(typed) = typed else { return Ok(None) };
        let time = read_time_in(typed, self.zone().await?);
        let time = time.map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Some(time.to_string()))
    }

    /// A time of the API in the vault's time zone: `2023-01-08 12:49`.
    pub(crate) async fn minute(&self, time: &Value) -> Result<String> {
        Ok(show_minute(time, self.zone().await?))
    }

    /// Runs the jobs that the command caused.
    pub(crate) async fn close(self) -> Result<()> {
        self.client.finish().await
    }
}

/// A time of the API in `zone`; unchanged if it is not a time.
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

/// A text of the API; empty if there is none.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
