//! One memory, open for change inside one transaction, at one point in time.

mod clock_steps;
mod context_job;
mod distilled;
mod past;
mod versions;

use std::cell::OnceCell;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::job::{Job, JobKind, Subject};
use crate::memory::{
    Address, Chance, ConversationId, ForgetMark, Memory, MemoryId, Mint, VaultInfo,
};
use crate::memory::{Conversation, FIRST_CHAPTER_CHECK, Name};
use crate::ports::{
    ArchiveFilter, ConversationQuery, Embedder, MemoryRef, Removal, Row, Snapshot, Tx,
};
use crate::similarity::Ruler;
use crate::tombstones::lines::LineSalt;
use crate::{ConflictReason, Error, Result, limits};

pub use clock_steps::{ClockStep, ClockSteps};

/// One memory, open for change.
pub(crate) struct MemoryEdit<'t> {
    pub(crate) tx: &'t mut dyn Tx,
    pub(crate) vault: VaultInfo,
    pub(crate) memory: Memory,
    /// The creation_time of what is written: what the clock says, but not before an earlier
    /// creation_time in the memory, unless that one is so far ahead that a clock was wrong.
    pub(crate) now: Timestamp,
    /// What the clock says, which is the default conversation_time.
    pub(crate) clock: Timestamp,
    /// Whether the memory is made by this verb.
    pub(crate) is_new: bool,
    /// Whether a conversation ended, so that there may be more than the vault retains.
    pub(crate) ended_some: bool,
    /// How facts are compared.
    pub(crate) ruler: Ruler,
    /// Embedders that keep vectors of texts outside the store, and remove what is erased.
    pub(crate) keepers: Vec<Arc<dyn Embedder>>,
    /// Whether it has been noted that facts or chapters change.
    is_distilled: bool,
    /// What `line_salt` has read.
    line_salt: OnceCell<Option<LineSalt>>,
    pub(crate) chance: &'t dyn Chance,
}

/// What an edit gets from the engine.
#[derive(Clone)]
pub(crate) struct EditTools {
    pub(crate) ruler: Ruler,
    pub(crate) keepers: Vec<Arc<dyn Embedder>>,
    pub(crate) clock_steps: Arc<ClockSteps>,
}

/// How far a memory was written ahead of the clock; negative if it was not.
fn ahead(memory: &Memory, clock: Timestamp) -> SignedDuration {
    memory.last_creation.duration_since(clock)
}

impl<'t> MemoryEdit<'t> {
    pub(crate) fn new(
        tx: &'t mut dyn Tx,
        vault: VaultInfo,
        memory: Memory,
        clock: Timestamp,
        chance: &'t dyn Chance,
    ) -> Self {
        let now = match ahead(&memory, clock) > limits::CLOCK_SLACK {
            true => clock,
            false => clock.max(memory.last_creation),
        };
        let settings = memory.rules(vault.settings);
        let vault = VaultInfo { settings, ..vault };
        let ruler = Ruler::default();
        let (is_new, ended_some, is_distilled) = (false, false, false);
        let keepers = Vec::new();
        Self {
            tx,
            vault,
            memory,
            now,
            clock,
            is_new,
            ended_some,
            ruler,
            keepers,
            is_distilled,
            line_salt: OnceCell::new(),
            chance,
        }
    }

    /// Returns this edit, with the tools of the engine.
    pub(crate) fn with_tools(self, EditTools { ruler, keepers, clock_steps }: EditTools) -> Self {
        if ahead(&self.memory, self.clock) > limits::CLOCK_SLACK {
            clock_steps.note(ClockStep {
                memory: self.place(),
                name: self.memory.name.clone(),
                written_at: self.memory.last_creation,
                clock: self.clock,
            });
        }
        Self { ruler, keepers, ..self }
    }

    /// Puts a job about a conversation.
    pub(crate) fn put_job(
        &mut self,
        kind: JobKind,
        about: ConversationId,
        due_at: Timestamp,
    ) -> Result<()> {
        let subject = Subject::Conversation(about);
        let job = Job::new(self.mint(), self.place(), kind, subject, due_at);
        self.tx.put(Row::Job(&job))
    }

    /// The memory inside its vault.
    pub(crate) fn place(&self) -> MemoryRef {
        MemoryRef { vault: self.vault.id, memory: self.memory.id }
    }

    /// Refuses if something was forgotten in the memory since this mark was read: what was made of what was read
    /// then may tell it.
    pub(crate) fn check_mark(&self, since: &ForgetMark) -> Result<()> {
        let vault = self.tx.forget_epoch(self.vault.id)?;
        let now = ForgetMark { vault, memory: Some((self.memory.id, self.memory.forgotten)) };
        if since.is_still(&now) {
            return Ok(());
        }
        Err(Error::conflict("something was forgotten in the memory since it was read")
            .because(ConflictReason::ChangedMeanwhile))
    }

    /// The key of the marks of forgotten lines; `None` if there are none.
    pub(crate) fn line_salt(&self) -> Result<Option<LineSalt>> {
        if self.memory.forgotten == 0 {
            return Ok(None);
        }
        if let Some(known) = self.line_salt.get() {
            return Ok(*known);
        }
        let found = LineSalt::of(self.tx.snapshot(), self.place())?;
        Ok(*self.line_salt.get_or_init(|| found))
    }

    /// The key of the marks of forgotten lines, made if there is none. The memory counts as one of which something was forgotten from then on.
    pub(crate) fn make_line_salt(&mut self) -> Result<LineSalt> {
        if let Some(known) = self.line_salt()? {
            return Ok(known);
        }
        self.memory.forgotten = self.memory.forgotten.max(1);
        let place = self.place();
        let made = LineSalt::make(self.tx, place, self.now, self.chance)?;
        self.line_salt = OnceCell::from(Some(made));
        Ok(made)
    }

    /// A fresh id.
    pub(crate) fn mint<T: From<Uuid>>(&self) -> T {
        Mint::new(self.now, self.chance).id()
    }

    /// Notes that stored entries are in another conversation now.
    pub(crate) fn note_moved(&mut self) -> Result<()> {
        self.memory.generation += 1;
        self.tx.put(Row::Memory(self.vault.id, &self.memory))
    }

    /// Writes back what changed in the memory.
    pub(crate) fn save_memory(&mut self) -> Result<()> {
        self.memory.last_creation = self.now;
        self.tx.put(Row::Memory(self.vault.id, &self.memory))
    }

    /// Removes a job about a conversation, if there is one.
    pub(crate) fn drop_job(&mut self, kind: JobKind, about: ConversationId) -> Result<()> {
        self.tx.remove(Removal::Job(self.vault.id, kind, Subject::Conversation(about))).map(drop)
    }

    /// All conversations of the memory that are over, archived ones too.
    pub(crate) fn ended_conversations(&self) -> Result<Vec<Conversation>> {
        let (ended, archive) = (Some(true), ArchiveFilter::Both);
        let query = ConversationQuery { ended, archive, ..ConversationQuery::default() };
        self.tx.conversations(self.place(), &query)
    }

    /// The conversation at this address.
    pub(crate) fn conversation(&self, address: &Address<ConversationId>) -> Result<Conversation> {
        find_conversation(self.tx.snapshot(), self.place(), address)
    }
}

/// The conversation at this address, or the error that says there is none.
pub(crate) fn find_conversation(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    address: &Address<ConversationId>,
) -> Result<Conversation> {
    let found = match address {
        Address::Id(id) => snapshot.conversation(place, *id)?,
        Address::Name(name) => snapshot.conversation_named(place, name)?,
    };
    found.ok_or_else(|| Error::not_found(format!("conversation not found: {address}")))
}

/// The memory at this address, if there is one.
pub(crate) fn find_memory(
    snapshot: &dyn Snapshot,
    vault: crate::memory::VaultId,
    address: &Address<MemoryId>,
) -> Result<Option<Memory>> {
    match address {
        Address::Id(memory) => snapshot.memory(MemoryRef { vault, memory: *memory }),
        Address::Name(name) => snapshot.memory_named(vault, name),
    }
}

/// A memory that is about to be made.
pub(crate) fn fresh_memory(id: MemoryId, name: Name, now: Timestamp) -> Memory {
    Memory {
        id,
        name,
        description: None,
        creation_time: now,
        last_sequence: 0,
        generation: 0,
        forgotten: 0,
        distilled: 0,
        facts_changed: 0,
        chapters_mark: 0,
        last_creation: now,
        last_ending: None,
        unfinished_end: None,
        last_context: 0,
        waiting: None,
        chaptered_until: None,
        chapters_from: None,
        chapters_at: FIRST_CHAPTER_CHECK,
        lifecycle: None,
        chat_of: None,
    }
}
