//! An engine over a backend with a vault to talk in, at the tests' noon.

use std::sync::Arc;

use everwhen_engine::memory::{
    Address, Conversation, Entry, MemoryId, NewEntry, Role, Said, SettingsChange,
};
use everwhen_engine::ports::{ArchiveFilter, ConversationQuery, EntryQuery};
use everwhen_engine::receipt::{Done, EntriesReceipt, Receipt};
use everwhen_engine::time::ManualClock;
use everwhen_engine::{Engine, NewVault, Result, Vault};
use everwhen_testkit::{block_on, engine_over};

use crate::bed::{Bed, Open};
use crate::rows::{at, name};

/// Somewhere to talk.
pub(crate) struct Talk {
    pub(crate) engine: Engine,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) vault: Vault,
    pub(crate) bed: Bed,
}

impl Talk {
    /// A vault with the default rules.
    pub(crate) fn new(open: Open) -> Self {
        Self::with(open, SettingsChange::default())
    }

    /// A vault with rules of its own.
    pub(crate) fn with(open: Open, settings: SettingsChange) -> Self {
        let bed = open();
        let (engine, clock) = engine_over(Arc::clone(&bed.store));
        clock.set(at(0));
        let new =
            NewVault { name: name("v"), description: None, zone: None, settings: Some(settings) };
        block_on(engine.create_vault(new, None)).unwrap();
        let vault = block_on(engine.vault(Address::Name(name("v")))).unwrap();
        Self { engine, clock, vault, bed }
    }

    /// Sets the clock to this many minutes after noon.
    pub(crate) fn minute(&self, minute: i64) {
        self.clock.set(at(minute));
    }

    /// Says something now in the memory `m`.
    pub(crate) fn say(&self, role: Role, text: &str) -> EntriesReceipt {
        self.remember(vec![said(role, text)])
    }

    /// Says something at another time in the memory `m`.
    pub(crate) fn say_at(&self, minute: i64, role: Role, text: &str) -> EntriesReceipt {
        self.remember(vec![said(role, text).said_at(at(minute))])
    }

    /// Remembers entries in the memory `m`.
    pub(crate) fn remember(&self, entries: Vec<NewEntry>) -> EntriesReceipt {
        stored(block_on(self.vault.remember(memory(), entries, None)))
    }

    /// Ends the active conversation of the memory `m`.
    pub(crate) fn end(&self, reason: Option<&str>) -> Result<Done> {
        let reason = reason.map(str::to_owned);
        block_on(self.vault.end_conversation(memory(), None, reason, None))
    }

    /// All conversations of the memory `m` in order of their start.
    pub(crate) fn conversations(&self) -> Vec<Conversation> {
        let query =
            ConversationQuery { archive: ArchiveFilter::Both, ..ConversationQuery::default() };
        block_on(self.vault.conversations(memory(), query)).unwrap().data
    }

    /// What the entries a query finds in the memory `m` say.
    pub(crate) fn texts(&self, query: EntryQuery) -> Vec<String> {
        texts(&block_on(self.vault.entries(memory(), None, query)).unwrap().data)
    }

    /// What the current entries of each conversation say, in order of their start.
    pub(crate) fn contents(&self) -> Vec<Vec<String>> {
        let view = |one: Conversation| block_on(self.vault.conversation(memory(), one.id.into()));
        let views = self.conversations().into_iter().map(view);
        views.map(|view| texts(&view.unwrap().entries)).collect()
    }

    /// Runs all jobs that are due.
    pub(crate) fn settle(&self) -> u64 {
        block_on(self.engine.settle()).unwrap()
    }
}

/// The memory in which most is said.
pub(crate) fn memory() -> Address<MemoryId> {
    Address::Name(name("m"))
}

pub(crate) fn said(role: Role, text: &str) -> NewEntry {
    NewEntry::new(role, Said::new(text).unwrap())
}

/// The receipt of entries that must have been stored.
pub(crate) fn stored(done: Result<Done>) -> EntriesReceipt {
    match done.unwrap().receipt {
        Receipt::Entries(receipt) => receipt,
        other => panic!("not a receipt of entries: {other:?}"),
    }
}

pub(crate) fn texts(entries: &[Entry]) -> Vec<String> {
    entries.iter().map(|entry| entry.content.as_str().to_owned()).collect()
}
