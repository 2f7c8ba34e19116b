//! A vault with a history, workflow files and a model.

use std::path::Path;
use std::sync::Arc;

use everwhen::ledger::{Begun, Commit, History, Message};
use everwhen::memory::{Address, MemoryId, Name, NewEntry, Role, Said};
use everwhen::ports::PromptMessage;
use everwhen::time::ManualClock;
use everwhen::{Config, Engine, Environment, Flags, Result, Vault};
use everwhen_store::{SqliteOptions, SqliteStore};
use everwhen_testkit::engine_over;
use everwhen_workflow::{
    Chat, MemoryPlace, RunObserver, RunOutcome, Trace, Workflows, with_writer,
};
use jiff::Timestamp;
use tempfile::TempDir;

use crate::model::Model;

/// Where workflows run.
pub(crate) struct Stage {
    pub(crate) engine: Engine,
    pub(crate) vault: Vault,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) model: Model,
    pub(crate) workflows: Arc<Workflows>,
    pub(crate) directory: TempDir,
}

/// What was received and done.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) heard: String,
    pub(crate) traces: Vec<Trace>,
}

impl RunObserver for Notes {
    fn on_text(&mut self, piece: &str) {
        self.heard.push_str(piece);
    }

    fn ran(&mut self, trace: Trace) {
        self.traces.push(trace);
    }
}

pub(crate) fn memory() -> Address<MemoryId> {
    Address::Name(Name::new("memory", "garden").unwrap())
}

/// A configuration with every endpoint that the files name.
fn config(directory: &Path, model: &Model) -> Result<Config> {
    let names =
        ["e", "Creative-Endpoint", "Analytical-Endpoint", "gpt-4-turbo", "default_endpoint"];
    let endpoint = |name: &&str| {
        format!("[[endpoint]]\nname = '{name}'\nmodel = '{name}'\ninput_price = 1.0\n")
    };
    let endpoints: String = names.iter().map(endpoint).collect();
    let text = format!(
        "zone = 'Europe/Berlin'\n[[upstream]]\nname = 'home'\nbase_url = '{}'\n{endpoints}\
         [[endpoint]]\nname = 'any'\n[[upstream]]\nname = 'dead'\nbase_url = 'http://127.0.0.1:9/v1'\n\
         [[endpoint]]\nname = 'down'\nupstream = 'dead'\nmodel = 'm'\n\
         [[endpoint]]\nname = 'guarded'\nupstream = 'dead'\nmodel = 'm'\nbackupEndpointName = 'e'\n\
         [workflow]\ndir = 'flows'\n",
        model.url
    );
    std::fs::write(directory.join("config.toml"), text).unwrap();
    let data = Some(directory.display().to_string());
    let flags = Flags { config: Some(directory.join("config.toml")), data, ..Flags::default() };
    Config::load(&Environment::default(), &flags)
}

impl Stage {
    /// A stage with these files in its folder of workflows.
    pub(crate) async fn new(files: &[(&str, &str)]) -> Self {
        Self::open(files).await.unwrap()
    }

    /// The same, if the files can be used.
    pub(crate) async fn open(files: &[(&str, &str)]) -> Result<Self> {
        let (directory, model) = (tempfile::tempdir().unwrap(), Model::start().await);
        for (name, text) in files {
            let path = directory.path().join("flows").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let config = config(directory.path(), &model)?;
        let store = SqliteStore::open(&directory.path().join("e.db"), SqliteOptions::default())?;
        let (engine, clock) = engine_over(Arc::new(store));
        let workflows = Arc::new(Workflows::open(&config).unwrap());
        let engine = with_rules(engine, &config);
        let engine = with_writer(engine, &config, Some(&workflows));
        let vault = engine.vault_to_write(Address::Name(Name::new("vault", "ana")?)).await?;
        Ok(Self { engine, vault, clock, model, workflows, directory })
    }

    /// Remembers `role time text` lines.
    pub(crate) async fn remember(&self, lines: &[(Role, &str, &str)]) {
        let entry = |(role, time, text): &(Role, &str, &str)| {
            let time: Timestamp = time.parse().unwrap();
            NewEntry::new(*role, Said::new(*text).unwrap()).said_at(time)
        };
        self.vault.remember(memory(), lines.iter().map(entry).collect(), None).await.unwrap();
    }

    /// Three days in a garden, with an answer to each of twelve messages.
    pub(crate) async fn remember_garden(&self) {
        let plants = ["tomatoes", "basil", "roses", "beans"];
        let mut lines = Vec::new();
        for (day, plant) in ["2025-05-02", "2025-05-09", "2025-05-16"].iter().zip(plants) {
            for minute in 0..4 {
                let said = format!("I planted {plant} in bed {minute} with Dr. Evelyn Reed");
                lines.push((Role::User, format!("{day}T10:0{minute}:00Z"), said));
                let said = format!("How many {plant} are in bed {minute}?");
                lines.push((Role::Assistant, format!("{day}T10:0{minute}:30Z"), said));
            }
        }
        let lines: Vec<(Role, &str, &str)> =
            lines.iter().map(|(role, time, said)| (*role, time.as_str(), said.as_str())).collect();
        self.remember(&lines).await;
    }

    /// Begins an exchange with a history of `u:`, `a:` and `s:` lines.
    pub(crate) async fn chat(&self, lines: &[&str], commit: Commit) -> (Chat, Begun) {
        let said = |line: &&str| {
            let role = match &line[..2] {
                "u:" => Role::User,
                "a:" => Role::Assistant,
                _ => Role::System,
            };
            Message::new(role, &line[2..])
        };
        let history = History::from(lines.iter().map(said).collect::<Vec<_>>());
        let message = |message: &Message| PromptMessage {
            role: message.role,
            content: message.content.clone(),
        };
        let messages = history.messages.iter().map(message).collect();
        let begun = self.vault.begin_exchange(memory(), history, commit).await.unwrap();
        (Chat::of(&begun, messages, "garden".into()), begun)
    }

    pub(crate) fn place(&self) -> MemoryPlace {
        MemoryPlace { engine: self.engine.clone(), vault: self.vault.clone(), memory: memory() }
    }

    /// Runs a workflow to its end for a chat.
    pub(crate) async fn play(
        &self,
        name: &str,
        lines: &[&str],
    ) -> (Result<(RunOutcome, Option<String>)>, Notes) {
        let (chat, _) = self.chat(lines, Commit::NextTurn).await;
        let mut notes = Notes::default();
        let played = self.workflows.play(name, &chat, &self.place(), &mut notes).await;
        (played, notes)
    }

    /// What the only node of a workflow leaves.
    pub(crate) async fn output(&self, name: &str) -> String {
        let (played, notes) = self.play(name, &["u:Hello there"]).await;
        played.unwrap();
        notes.traces.last().unwrap().output.clone()
    }
}

/// A flawed settings file leaves the usual rules, as when the server starts.
fn with_rules(engine: Engine, config: &Config) -> Engine {
    let path = config.chapter_settings.value.as_ref();
    match path.and_then(|path| everwhen::MemorySettings::load(path).ok()) {
        Some(settings) => engine.with_chapter_rules(settings.rules),
        None => engine,
    }
}
