//! Runs a story: a real engine over a real store, and a clock moved by hand.
//!
//! The clock follows the story: a line dated later than now moves it there, a line dated earlier
//! is history told afterwards. While time passes, background work is done when it falls due.

use std::sync::Arc;

use everwhen_engine::memory::{Address, MemoryId, Name, NewContext, Said, Settings};
use everwhen_engine::ports::{Cursor, Store};
use everwhen_engine::receipt::{Done, Idempotency};
use everwhen_engine::time::{Clock, ManualClock, Zone};
use everwhen_engine::{
    Engine, Error, Forget, NewCorrection, NewVault, Result, Vault, VaultChange, VaultDefaults,
};
use jiff::Timestamp;

use super::Backend;
use super::action::{Action, Filter, Forgotten};
use super::names::Names;
use super::render;
use super::said_line::SaidLine;
use super::script::{Meaning, Rule};
use crate::world::manual_world;

/// The one vault of a story, and the one memory in it.
const NAME: &str = "story";

/// Everything a process holds; it goes when the process goes.
struct Process {
    store: Arc<dyn Store>,
    engine: Engine,
    vault: Vault,
    clock: Arc<ManualClock>,
}

/// A story while it runs.
pub(super) struct StoryRunner<'b> {
    backend: &'b dyn Backend,
    process: Option<Process>,
    restarts: u64,
    settings: Settings,
    worker: bool,
    pub(super) zone: Zone,
    pub(super) names: Names,
    /// The last list that has more pages, whether it was a timeline, and where it goes on.
    pub(super) more: Option<(Filter, bool, Cursor)>,
}

impl<'b> StoryRunner<'b> {
    /// An empty vault in an empty store.
    pub(super) async fn new(backend: &'b dyn Backend, begins: Timestamp) -> Result<Self> {
        let (engine, store, clock) = start(backend.open()?, begins, 0);
        let new = NewVault { name: name()?, description: None, zone: None, settings: None };
        engine.create_vault(new, None).await?;
        let vault = engine.vault(Address::Name(name()?)).await?;
        Ok(Self {
            backend,
            process: Some(Process { store, engine, vault, clock }),
            restarts: 0,
            settings: Settings::default(),
            worker: true,
            zone: Zone::utc(),
            names: Names::default(),
            more: None,
        })
    }

    fn process(&self) -> &Process {
        self.process.as_ref().expect("a process runs between two restarts")
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.process().engine
    }

    pub(super) fn vault(&self) -> &Vault {
        &self.process().vault
    }

    /// The memory of the story.
    pub(super) fn memory(&self) -> Address<MemoryId> {
        Address::Name(name().expect("the name of the story's memory is a name"))
    }

    /// Lets the store examine itself.
    pub(super) async fn check(&self) -> std::result::Result<(), String> {
        let troubles = self.engine().check().await.map_err(|error| error.to_string())?;
        if troubles.is_empty() { Ok(()) } else { Err(format!("the store says: {troubles:?}")) }
    }

    /// Runs one line and returns what it answers.
    pub(super) async fn run_line(&mut self, meaning: &Meaning) -> Result<String> {
        let answer = match meaning {
            Meaning::Zone(zone) => self.move_to(zone).await?,
            Meaning::Set(rule) => self.set_rule(rule).await?,
            Meaning::Now(time) => self.put_clock(*time).await?,
            Meaning::Worker(on) => self.switch_worker(*on),
            Meaning::Said(said) => self.remember(said).await?,
            Meaning::Action(action) => self.perform(action).await?,
            Meaning::Question(question) => self.answer(question).await?,
        };
        self.work().await?;
        Ok(answer)
    }

    async fn move_to(&mut self, zone: &Zone) -> Result<String> {
        let change = VaultChange { zone: Some(zone.clone()), ..VaultChange::default() };
        self.vault().change(change, None).await?;
        self.zone = zone.clone();
        Ok(String::new())
    }

    async fn set_rule(&mut self, rule: &Rule) -> Result<String> {
        let mut settings = self.settings;
        match rule {
            Rule::IdleTimeoutMinutes(minutes) => settings.idle_timeout_minutes = *minutes,
            Rule::ConversationsRetained(most) => settings.conversations_retained = *most,
            Rule::StateTimeoutMinutes(minutes) => settings.state_timeout_minutes = *minutes,
            Rule::CoolingMinutes(minutes) => settings.cooling_minutes = Some(*minutes),
            Rule::ClosedMinutes(minutes) => settings.closed_minutes = Some(*minutes),
            Rule::Retention(retention) => settings.retention = *retention,
            Rule::Lifecycle(lifecycle) => settings = settings.with_lifecycle(*lifecycle),
        }
        let change = VaultChange { settings: Some(settings.into()), ..VaultChange::default() };
        self.vault().change(change, None).await?;
        self.settings = settings;
        Ok(String::new())
    }

    fn switch_worker(&mut self, on: bool) -> String {
        self.worker = on;
        String::new()
    }

    /// Puts the clock; forwards, what falls due on the way is done.
    async fn put_clock(&mut self, time: Timestamp) -> Result<String> {
        if time > self.process().clock.now() {
            self.pass_until(time).await?;
        }
        self.process().clock.set(time);
        Ok(String::new())
    }

    async fn pass_until(&self, time: Timestamp) -> Result<()> {
        let Process { engine, clock, .. } = self.process();
        while self.worker
            && let Some(due) = engine.next_due().await?.filter(|due| *due <= time)
        {
            clock.set(due.max(clock.now()));
            if engine.settle().await? == 0 {
                return Err(Error::damaged("a job is due but cannot be claimed"));
            }
        }
        clock.set(time);
        Ok(())
    }

    /// Background work that is due now.
    async fn work(&self) -> Result<()> {
        if self.worker {
            self.engine().settle().await?;
        }
        Ok(())
    }

    async fn remember(&mut self, said: &SaidLine) -> Result<String> {
        if let Some(time) = said.time
            && time > self.process().clock.now()
            && !said.is_ahead()
        {
            self.pass_until(time).await?;
        }
        let entry = said.entry(&self.names)?;
        let key = said.key().map(|key| self.idempotency(key, &entry.content)).transpose()?;
        let done = self.vault().remember(self.memory(), vec![entry], key).await?;
        Ok(self.rendered(&done))
    }

    fn idempotency(&self, key: &str, content: &Said) -> Result<Idempotency> {
        let key = Name::new("idempotency key", key)?;
        Ok(Idempotency::new(key, &[content.as_str().as_bytes()]))
    }

    fn rendered(&self, done: &Done) -> String {
        render::done(done, &self.zone)
    }

    async fn perform(&mut self, action: &Action) -> Result<String> {
        let (memory, vault) = (self.memory(), self.vault());
        let done = match action {
            Action::Wait(span) => return self.wait(*span).await,
            Action::Restart => return self.restart().await,
            Action::Send(sent) => return sent.send(self).await,
            Action::End { conversation, reason } => {
                let whom = conversation.as_ref().map(|name| self.names.conversation(name));
                let whom = whom.transpose().map_err(Error::invalid)?;
                vault.end_conversation(memory, whom, reason.clone(), None).await?
            }
            Action::Correct { entry, content, reason } => {
                let entry = self.names.entry(entry).map_err(Error::invalid)?;
                let content = Said::new(content.as_str())?;
                let correction =
                    NewCorrection { content, reason: reason.clone(), tags: None, metadata: None };
                vault.correct(memory, entry, correction, None).await?
            }
            Action::Fork { conversation, after } => {
                let whom = self.names.conversation(conversation).map_err(Error::invalid)?;
                let after = self.names.entry(after).map_err(Error::invalid)?;
                vault.fork(memory, whom, after, None).await?
            }
            Action::Restore(conversation) => {
                let whom = self.names.conversation(conversation).map_err(Error::invalid)?;
                vault.restore(memory, whom, None).await?
            }
            Action::Context { content, time } => {
                let context = NewContext::new(content.as_str(), *time)?;
                vault.put_context(memory, context, None).await?
            }
            Action::Rebuild => vault.rebuild_context(memory, None).await?,
            Action::Forget(what) => vault.forget(memory, self.forgotten(what)?, None).await?,
        };
        Ok(self.rendered(&done))
    }

    fn forgotten(&self, what: &Forgotten) -> Result<Forget> {
        Ok(match what {
            Forgotten::Entry(name) => {
                Forget::Entry(self.names.entry(name).map_err(Error::invalid)?)
            }
            Forgotten::Conversation(name) => {
                Forget::Conversation(self.names.conversation(name).map_err(Error::invalid)?)
            }
            Forgotten::Period(after, before) => Forget::Period { after: *after, before: *before },
            Forgotten::Memory => Forget::Memory,
        })
    }

    async fn wait(&mut self, span: jiff::Span) -> Result<String> {
        let now = self.zone.show(self.process().clock.now());
        let then = now.checked_add(span).map_err(|error| Error::invalid(error.to_string()))?;
        self.pass_until(then.timestamp()).await?;
        Ok(format!("it is {}", render::time(&self.zone, then.timestamp())))
    }

    /// Ends the process and opens the store in another, which knows only what was kept. Its ids
    /// come from new chance, as they would.
    async fn restart(&mut self) -> Result<String> {
        self.restarts += 1;
        let Process { store, engine, vault, clock } =
            self.process.take().expect("a process runs between two restarts");
        drop((engine, vault));
        let (engine, store, clock) = start(self.backend.reopen(store)?, clock.now(), self.restarts);
        let vault = engine.vault(Address::Name(name()?)).await?;
        self.process = Some(Process { store, engine, vault, clock });
        Ok("the store is open again".into())
    }
}

fn name() -> Result<Name> {
    Name::new("story", NAME)
}

fn start(
    store: Arc<dyn Store>,
    now: Timestamp,
    seed: u64,
) -> (Engine, Arc<dyn Store>, Arc<ManualClock>) {
    let (world, clock) = manual_world(now, seed);
    let defaults = VaultDefaults { zone: Zone::utc(), settings: Settings::default() };
    (Engine::new(Arc::clone(&store), world, defaults), store, clock)
}
