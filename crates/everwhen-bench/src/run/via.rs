//! The two connections to a memory: the library, or the public API of a running server.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use everwhen::job::{Job, JobState};
use everwhen::memory::{Address, MemoryId, Name, NewEntry, Role, Said};
use everwhen::models::client_builder;
use everwhen::recall::{Kind, Query};
use everwhen::receipt::Idempotency;
use everwhen::{Engine, ErrorKind, Vault, limits};
use jiff::Timestamp;
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::source::Session;

/// Which vault a run works in.
const VAULT: &str = "bench";
/// What a question may find. A context document is written a moment after its memory changes, so that a
/// slow run would have it in its briefings and a fast one not.
const KINDS: [Kind; 5] =
    [Kind::Entry, Kind::Conversation, Kind::Fact, Kind::Chapter, Kind::Summary];
/// How long to wait before looking again whether a job has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// A way to memories.
pub(super) enum Via {
    Here { engine: Engine, vault: Box<Vault> },
    There { client: Client, url: String, key: Option<String> },
}

/// The operations on a memory.
pub(super) struct Ask<'a> {
    pub(super) text: &'a str,
    pub(super) asked_at: Timestamp,
    pub(super) before: Timestamp,
    pub(super) limit: usize,
    pub(super) budget_tokens: usize,
}

/// What it has to say.
#[derive(Debug, PartialEq)]
pub(super) struct Found {
    /// Sessions, best first.
    pub(super) sessions: Vec<String>,
    pub(super) briefing: String,
}

impl Via {
    /// The library.
    pub(super) async fn here(engine: Engine) -> Result<Self> {
        let name = Name::new("vault", VAULT)?;
        let vault = engine.vault_to_write(Address::Name(name)).await?;
        Ok(Self::Here { engine, vault: Box::new(vault) })
    }

    /// Over HTTP; makes the vault if it is not there.
    pub(super) async fn there(url: &str, key: Option<String>) -> Result<Self> {
        let client = client_builder(url).build().context("no HTTP client")?;
        let there = Self::There { client, url: url.trim_end_matches('/').to_owned(), key };
        let body = json!({ "name": VAULT, "zone": "UTC" });
        match there.send(Method::POST, "/v1/vaults", Some(body), None).await {
            Err(error) if !error.to_string().contains("409") => Err(error),
            _ => Ok(there),
        }
    }

    /// Takes in a session; doing it again changes nothing.
    pub(super) async fn remember(&self, memory: &str, session: &Session) -> Result<()> {
        let said = session.turns.iter().filter(|turn| !turn.content.trim().is_empty());
        let turns: Vec<_> = said.collect();
        for (number, batch) in turns.chunks(limits::BATCH_ENTRIES).enumerate() {
            let key = format!("{:.160} {number}", format!("{memory} {}", session.id));
            match self {
                Self::Here { vault, .. } => {
                    let entries: Result<Vec<NewEntry>> =
                        batch.iter().map(|turn| entry(turn, session)).collect();
                    let once = Idempotency::new(Name::new("key", key)?, &[]);
                    vault.remember(address(memory)?, entries?, Some(once)).await?;
                }
                Self::There { .. } => {
                    let entries: Vec<Value> =
                        batch.iter().map(|turn| wire_entry(turn, session)).collect();
                    let path = format!("{}/entries/batch", self.path(memory));
                    let body = json!({ "entries": entries });
                    self.send(Method::POST, &path, Some(body), Some(&key)).await?;
                }
            }
        }
        Ok(())
    }

    /// Runs the jobs that are due, and waits for those of this memory that another question runs.
    pub(super) async fn settle(&self, memory: &str) -> Result<()> {
        match self {
            Self::Here { engine, vault } => loop {
                engine.settle().await?;
                match vault.jobs(address(memory)?).await {
                    Ok(jobs) if jobs.iter().any(is_under_way) => sleep(LOOK_AGAIN).await,
                    Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
                    _ => return Ok(()),
                }
            },
            // Only the operator may do this; otherwise the server's own worker does it.
            Self::There { .. } => match self.send(Method::POST, "/v1/settle", None, None).await {
                Err(error)
                    if ["401", "403"].iter().any(|code| error.to_string().contains(code)) =>
                {
                    Ok(())
                }
                reply => reply.map(drop),
            },
        }
    }

    /// Asks a memory.
    pub(super) async fn recall(&self, memory: &str, ask: &Ask<'_>) -> Result<Found> {
        match self {
            Self::Here { vault, .. } => {
                let query = Query {
                    asked_at: Some(ask.asked_at),
                    before: Some(ask.before),
                    limit: Some(ask.limit),
                    budget_tokens: Some(ask.budget_tokens),
                    kinds: KINDS.to_vec(),
                    ..Query::new(ask.text)
                };
                let found = vault.recall(address(memory)?, query).await?;
                let name = |one: &everwhen::recall::ConversationFound| one.conversation.wire_name();
                let sessions = found.conversations.iter().map(name).collect();
                Ok(Found { sessions, briefing: found.briefing })
            }
            Self::There { .. } => self.recall_there(memory, ask).await,
        }
    }

    async fn recall_there(&self, memory: &str, ask: &Ask<'_>) -> Result<Found> {
        let body = json!({
            "query": ask.text, "asked_at": ask.asked_at.to_string(), "limit": ask.limit,
            "before": ask.before.to_string(), "budget_tokens": ask.budget_tokens,
            "kinds": KINDS.map(Kind::as_str),
        });
        let path = format!("{}/recall", self.path(memory));
        let found = self.send(Method::POST, &path, Some(body), None).await?;
        let name = |one: &Value| {
            let one = &one["conversation"];
            one["source_id"].as_str().or(one["id"].as_str()).unwrap_or_default().to_owned()
        };
        let conversations = found["conversations"].as_array().context("no conversations")?;
        let briefing = found["briefing"].as_str().unwrap_or_default().to_owned();
        Ok(Found { sessions: conversations.iter().map(name).collect(), briefing })
    }

    fn path(&self, memory: &str) -> String {
        let mut path = reqwest::Url::parse("http://h").expect("this is an address");
        if let Ok(mut segments) = path.path_segments_mut() {
            segments.extend(["v1", "vaults", VAULT, "memories", memory]);
        }
        path.path().to_owned()
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        once: Option<&str>,
    ) -> Result<Value> {
        let Self::There { client, url, key } = self else { bail!("there is no server to ask") };
        let mut request = client.request(method, format!("{url}{path}"));
        if let Some(body) = body {
            request = request.json(&body);
        }
        if let Some(once) = once {
            request = request.header("idempotency-key", once);
        }
        if let Some(key) = key {
            request = request.bearer_auth(key);
        }
        let response = request.send().await?;
        let status = response.status();
        let text = response.text().await?;
        match status {
            status if status.is_success() => Ok(serde_json::from_str(&text)?),
            StatusCode::UNAUTHORIZED => bail!("the server at {url} wants a key (401)"),
            status => bail!("the server answered {}: {text}", status.as_u16()),
        }
    }
}

fn address(memory: &str) -> Result<Address<MemoryId>> {
    Ok(Address::Name(Name::new("memory", memory)?))
}

/// What was said, at the date of its own session.
fn entry(turn: &super::source::Turn, session: &Session) -> Result<NewEntry> {
    let said = Said::new(turn.content.replace('\0', " "))?;
    let entry = NewEntry::new(Role::named(&turn.role)?, said).said_at(session.date);
    let speaker = turn.speaker.clone().map(|name| Name::new("speaker", name)).transpose()?;
    let conversation = Some(Address::Name(Name::new("session", session.id.clone())?));
    Ok(NewEntry { conversation, speaker, ..entry })
}

fn wire_entry(turn: &super::source::Turn, session: &Session) -> Value {
    let mut entry = json!({
        "role": turn.role, "content": turn.content.replace('\0', " "),
        "conversation_time": session.date.to_string(), "conversation_id": session.id,
    });
    if let Some(speaker) = &turn.speaker {
        entry["speaker"] = json!(speaker);
    }
    entry
}

/// Whether a worker has a job, or had it when its process was killed. One that waits for a model that is away
/// may do so for hours, and the run goes on without it.
fn is_under_way(job: &Job) -> bool {
    match job.state {
        JobState::Leased { .. } => true,
        JobState::Waiting => job.crashes > 0 && job.waits == 0,
        JobState::SetAside => false,
    }
}
