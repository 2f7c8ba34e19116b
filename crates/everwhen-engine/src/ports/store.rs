//! The store port: one verb is one transaction.
//!
//! A verb of the engine is a closure over [`Tx`] (or [`Snapshot`], if it only reads). The store
//! runs it inside one transaction, may run several queued ones before one durable commit, and
//! answers only after that commit. So every decision stays in the engine, is made on data that
//! nobody else can change meanwhile, and is the same on every store; a store only keeps and finds.
//! It may have to take a transaction back and begin anew, as when a connection breaks; so a verb can
//! be run more than once, and only its last run counts.

use std::future::Future;
use std::pin::Pin;

use jiff::Timestamp;

use super::{
    ActivityRows, ActivityTx, ChapterRows, ChapterTx, ContextTx, FactRows, FactTx, LedgerRows,
    LedgerTx, SegmentRows, SegmentTx, UsageRows, UsageTx,
};
use crate::job::{Job, JobKind, Queue, Subject};
use crate::key::{Key, KeyUse};
use crate::memory::{
    Address, Branch, BranchId, ContextDocument, Conversation, ConversationId, Corrected, Entry,
    EntryId, JobId, KeyId, Memory, MemoryId, Name, Person, Role, VaultId, VaultInfo,
};
use crate::receipt::{KeptReceipt, Receipt};
use crate::{Error, Result};

/// A result that is being waited for.
pub type Wait<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;
/// What a verb does inside a transaction.
pub type Writing = Box<dyn Fn(&mut dyn Tx) -> Result<()> + Send>;
/// What a verb looks up inside a snapshot.
pub type Reading = Box<dyn Fn(&dyn Snapshot) -> Result<()> + Send>;

/// Keeps vaults. Implementations know nothing of what they keep.
pub trait Store: Send + Sync {
    /// Runs `work` in a transaction. If it fails, nothing of it stays; if it succeeds, the answer
    /// comes once it is durable. Work may have run and yet fail here when the commit fails.
    fn write(&self, work: Writing) -> Wait<'_, ()>;

    /// [`Store::write`] of work that changes one vault only. Such works of one vault wait for each
    /// other anyway, so a store may run those that wait in one transaction.
    fn write_in(&self, vault: Address<VaultId>, work: Writing) -> Wait<'_, ()> {
        let _ = vault;
        self.write(work)
    }

    /// Runs `work` on one consistent state that contains every answered write.
    fn read(&self, work: Reading) -> Wait<'_, ()>;

    /// The same for `work` that reads only a few rows. A store that has them at hand may run it on
    /// the caller's thread, which saves waking another.
    fn glance(&self, work: Reading) -> Wait<'_, ()> {
        self.read(work)
    }

    /// Examines itself and says what is wrong, in sentences for people; nothing if all is well.
    fn check(&self) -> Wait<'_, Vec<String>>;
}

impl dyn Store {
    /// [`Store::write`] with a result.
    pub async fn transact<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Tx) -> Result<T> + Send + 'static,
    {
        let (slot, fill) = slot();
        self.write(Box::new(move |tx| work(tx).map(|value| fill.put(value)))).await?;
        slot.take()
    }

    /// [`Store::write_in`] with a result.
    pub async fn transact_in<T, F>(&self, vault: Address<VaultId>, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Tx) -> Result<T> + Send + 'static,
    {
        let (slot, fill) = slot();
        self.write_in(vault, Box::new(move |tx| work(tx).map(|value| fill.put(value)))).await?;
        slot.take()
    }

    /// [`Store::read`] with a result.
    pub async fn look<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: Fn(&dyn Snapshot) -> Result<T> + Send + 'static,
    {
        let (slot, fill) = slot();
        self.read(Box::new(move |snapshot| work(snapshot).map(|value| fill.put(value)))).await?;
        slot.take()
    }
}

impl dyn Store {
    /// [`Store::glance`] with a result.
    pub async fn peek<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: Fn(&dyn Snapshot) -> Result<T> + Send + 'static,
    {
        let (slot, fill) = slot();
        self.glance(Box::new(move |snapshot| work(snapshot).map(|value| fill.put(value)))).await?;
        slot.take()
    }
}

type Shared<T> = std::sync::Arc<std::sync::Mutex<Option<T>>>;

struct Slot<T>(Shared<T>);
struct Fill<T>(Shared<T>);

fn slot<T>() -> (Slot<T>, Fill<T>) {
    let shared = Shared::default();
    (Slot(Shared::clone(&shared)), Fill(shared))
}

impl<T> Fill<T> {
    fn put(&self, value: T) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(value);
    }
}

impl<T> Slot<T> {
    fn take(self) -> Result<T> {
        let value = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        value.ok_or_else(|| Error::damaged("the store answered without running the work"))
    }
}

/// A memory inside its vault. Every question about data names both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemoryRef {
    /// The vault.
    pub vault: VaultId,
    /// The memory.
    pub memory: MemoryId,
}

/// Which end of time comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Oldest first.
    #[default]
    Oldest,
    /// Newest first.
    Newest,
}

/// A place in a list of entries; the page goes on behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The conversation_time there.
    pub time: Timestamp,
    /// The sequence there, which decides between equal times.
    pub sequence: u64,
}

/// Which entries of a memory are meant, apart from their times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Which {
    /// Those in force: neither corrected nor on a branch.
    #[default]
    Current,
    /// Those in force at this creation_time.
    AsOf(Timestamp),
    /// Those on one branch, without what was corrected.
    Branch(BranchId),
    /// All, whatever became of them.
    All,
}

/// Which entries to list, in order of conversation_time.
#[derive(Debug, Clone, Default)]
pub struct EntryQuery {
    /// Said at or after this.
    pub after: Option<Timestamp>,
    /// Said before this.
    pub before: Option<Timestamp>,
    /// Stored at or after this.
    pub created_after: Option<Timestamp>,
    /// Stored before this.
    pub created_before: Option<Timestamp>,
    /// In force, or not.
    pub which: Which,
    /// Only this role.
    pub role: Option<Role>,
    /// Only with this tag.
    pub tag: Option<Name>,
    /// Only of this conversation.
    pub conversation: Option<ConversationId>,
    /// Which comes first.
    pub order: Order,
    /// Go on behind this place.
    pub from: Option<Cursor>,
    /// At most so many; all if absent.
    pub limit: Option<usize>,
}

impl EntryQuery {
    /// The entries of one conversation, oldest first.
    pub fn of_conversation(id: ConversationId, which: Which) -> Self {
        Self { conversation: Some(id), which, ..Self::default() }
    }
}

/// What a list of conversations is ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConversationOrder {
    /// By when they started.
    #[default]
    Started,
    /// By when they ended, or were brought back from the archive; only ended ones.
    Ended,
}

impl ConversationOrder {
    /// The time a conversation stands at in this order.
    pub fn time_of(self, conversation: &Conversation) -> Timestamp {
        match self {
            Self::Started => conversation.started_at,
            Self::Ended => {
                let ended = conversation.ended.as_ref().map(|ended| ended.at);
                conversation.restored_at.or(ended).unwrap_or(conversation.last_at)
            }
        }
    }
}

/// Which conversations are meant by where they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shelf {
    /// Those not archived.
    #[default]
    Listed,
    /// Those archived.
    Archived,
    /// Both.
    Both,
}

/// Which conversations to list.
#[derive(Debug, Clone, Default)]
pub struct ConversationQuery {
    /// Only ended (`true`) or only open (`false`) ones.
    pub ended: Option<bool>,
    /// Archived or not.
    pub shelf: Shelf,
    /// With an entry at or after this.
    pub after: Option<Timestamp>,
    /// Started before this.
    pub before: Option<Timestamp>,
    /// What decides the order.
    pub by: ConversationOrder,
    /// Which comes first.
    pub order: Order,
    /// Go on behind this place: the time it is ordered by, and the id.
    pub from: Option<(Timestamp, ConversationId)>,
    /// At most so many; all if absent.
    pub limit: Option<usize>,
}

/// Whose entries count when looking for a neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speakers {
    /// Everybody's.
    All,
    /// Those that begin an exchange: not a reply.
    Openers,
}

/// The nearest entry that was placed by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbour {
    /// When it was said.
    pub time: Timestamp,
    /// Who said it.
    pub role: Role,
    /// The conversation it is in.
    pub conversation: ConversationId,
}

/// Where an entry stands now: what can change about it after it was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Its sequence.
    pub sequence: u64,
    /// The conversation it is in.
    pub conversation: ConversationId,
    /// Since when it has been corrected or on a branch.
    pub gone_since: Option<Timestamp>,
}

/// Which version of a context document is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextVersion {
    /// The newest.
    Current,
    /// The newest at this creation_time.
    AsOf(Timestamp),
    /// This one.
    Number(u64),
}

/// Entries and conversations, each in the place of its id.
pub type EachOf = (Vec<Option<Entry>>, Vec<Option<Conversation>>);

/// How much a removal took away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Removed {
    /// Vaults.
    pub vaults: u64,
    /// Memories.
    pub memories: u64,
    /// Conversations.
    pub conversations: u64,
    /// Entries.
    pub entries: u64,
    /// Versions of context documents.
    pub contexts: u64,
    /// Jobs.
    pub jobs: u64,
    /// Keys.
    pub keys: u64,
    /// Facts.
    pub facts: u64,
}

/// One consistent state, to read. Methods that find nothing say so with `None` or an empty list.
pub trait Snapshot:
    ActivityRows + ChapterRows + FactRows + LedgerRows + SegmentRows + UsageRows
{
    /// The vault with this id.
    fn vault(&self, id: VaultId) -> Result<Option<VaultInfo>>;
    /// The vault with this name.
    fn vault_named(&self, name: &Name) -> Result<Option<VaultInfo>>;
    /// Vaults by name, behind `after`.
    fn vaults(&self, after: Option<&Name>, limit: usize) -> Result<Vec<VaultInfo>>;

    /// A memory by id.
    fn memory(&self, memory: MemoryRef) -> Result<Option<Memory>>;
    /// A memory by name.
    fn memory_named(&self, vault: VaultId, name: &Name) -> Result<Option<Memory>>;
    /// Memories by name, behind `after`.
    fn memories(&self, vault: VaultId, after: Option<&Name>, limit: usize) -> Result<Vec<Memory>>;
    /// The chats of exactly this person, the last active first.
    fn chats(&self, vault: VaultId, person: &Person, limit: usize) -> Result<Vec<Memory>>;
    /// A vault and one of its memories. One visit, where a visit has its price.
    fn vault_and_memory(
        &self,
        vault: &Address<VaultId>,
        memory: &Address<MemoryId>,
    ) -> Result<Option<(VaultInfo, Option<Memory>)>> {
        let vault = match vault {
            Address::Id(id) => self.vault(*id)?,
            Address::Name(name) => self.vault_named(name)?,
        };
        let Some(vault) = vault else { return Ok(None) };
        let memory = match memory {
            Address::Id(id) => self.memory(MemoryRef { vault: vault.id, memory: *id })?,
            Address::Name(name) => self.memory_named(vault.id, name)?,
        };
        Ok(Some((vault, memory)))
    }

    /// An entry, whatever became of it.
    fn entry(&self, memory: MemoryRef, id: EntryId) -> Result<Option<Entry>>;
    /// Several of them, each in the place of its id. One visit, where a visit has its price.
    fn each_entry(&self, memory: MemoryRef, ids: &[EntryId]) -> Result<Vec<Option<Entry>>> {
        ids.iter().map(|id| self.entry(memory, *id)).collect()
    }
    /// Entries by conversation_time, then sequence.
    fn entries(&self, memory: MemoryRef, query: &EntryQuery) -> Result<Vec<Entry>>;
    /// Entries in the order they arrived, behind a sequence, whatever became of them.
    fn arrivals(&self, memory: MemoryRef, behind: u64, limit: usize) -> Result<Vec<Entry>>;
    /// Where all entries up to a sequence stand, in the order they arrived.
    fn standings(&self, memory: MemoryRef, up_to: u64) -> Result<Vec<Standing>>;
    /// The last entry placed by time, in force or corrected, said at or before `time`.
    fn before(
        &self,
        memory: MemoryRef,
        time: Timestamp,
        speakers: Speakers,
    ) -> Result<Option<Neighbour>>;
    /// The first entry placed by time, in force or corrected, said after `time`.
    fn after(
        &self,
        memory: MemoryRef,
        time: Timestamp,
        speakers: Speakers,
    ) -> Result<Option<Neighbour>>;

    /// A conversation by id; one that was merged into another answers with that other.
    fn conversation(&self, memory: MemoryRef, id: ConversationId) -> Result<Option<Conversation>>;
    /// Several of them, each in the place of its id.
    fn each_conversation(
        &self,
        memory: MemoryRef,
        ids: &[ConversationId],
    ) -> Result<Vec<Option<Conversation>>> {
        ids.iter().map(|id| self.conversation(memory, *id)).collect()
    }
    /// Several of both. One visit, where a visit has its price.
    fn each_of(
        &self,
        memory: MemoryRef,
        entries: &[EntryId],
        conversations: &[ConversationId],
    ) -> Result<EachOf> {
        Ok((self.each_entry(memory, entries)?, self.each_conversation(memory, conversations)?))
    }
    /// A conversation by the name it has in the caller's source.
    fn conversation_named(&self, memory: MemoryRef, name: &Name) -> Result<Option<Conversation>>;
    /// Conversations in order.
    fn conversations(
        &self,
        memory: MemoryRef,
        query: &ConversationQuery,
    ) -> Result<Vec<Conversation>>;
    /// Ended conversations that are not archived, without the `keep` that come last in
    /// [`ConversationOrder::Ended`]; oldest first.
    fn surplus(&self, memory: MemoryRef, keep: u64) -> Result<Vec<Conversation>>;
    /// The branches that forks of a conversation left, oldest first.
    fn branches(&self, memory: MemoryRef, id: ConversationId) -> Result<Vec<Branch>>;
    /// When somebody ended conversations placed by time: instants in `[since, until)`, in order.
    fn endings(
        &self,
        memory: MemoryRef,
        since: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<Timestamp>>;

    /// A version of the context document.
    fn context(
        &self,
        memory: MemoryRef,
        version: ContextVersion,
    ) -> Result<Option<ContextDocument>>;
    /// Versions of the context document, newest first, below `before`.
    fn contexts(
        &self,
        memory: MemoryRef,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<ContextDocument>>;

    /// What the idempotency key stands for; `vault` is `None` for keys of vaults themselves.
    fn receipt(&self, vault: Option<VaultId>, key: &Name) -> Result<Option<KeptReceipt>>;

    /// The job with this id.
    fn job(&self, id: JobId) -> Result<Option<Job>>;
    /// The job of a queue due first among those waiting or with a lease that ran out by `now`.
    fn next_job(&self, queue: Queue, now: Timestamp) -> Result<Option<Job>>;
    /// Jobs, those due first, of one vault or of all.
    fn jobs(&self, vault: Option<VaultId>, limit: usize) -> Result<Vec<Job>>;

    /// All keys.
    fn keys(&self) -> Result<Vec<Key>>;
}

/// A transaction. What a closure writes, its own reads see.
pub trait Tx:
    Snapshot + ActivityTx + ChapterTx + ContextTx + FactTx + LedgerTx + SegmentTx + UsageTx
{
    /// The same, to read only.
    fn snapshot(&self) -> &dyn Snapshot;

    /// Adds a vault or replaces what is known of it.
    fn put_vault(&mut self, vault: &VaultInfo) -> Result<()>;
    /// Adds a memory or replaces what is known of it.
    fn put_memory(&mut self, vault: VaultId, memory: &Memory) -> Result<()>;

    /// Adds an entry. `receipt` is the idempotency key it came with.
    fn add_entry(&mut self, vault: VaultId, entry: &Entry, receipt: Option<&Name>) -> Result<()>;
    /// Marks an entry as corrected.
    fn mark_corrected(
        &mut self,
        memory: MemoryRef,
        id: EntryId,
        corrected: Corrected,
    ) -> Result<()>;
    /// Puts entries on a branch.
    fn mark_branch(
        &mut self,
        memory: MemoryRef,
        entries: &[EntryId],
        branch: BranchId,
        at: Timestamp,
    ) -> Result<()>;
    /// Moves entries to another conversation.
    fn move_entries(
        &mut self,
        memory: MemoryRef,
        entries: &[EntryId],
        to: ConversationId,
    ) -> Result<()>;
    /// Removes entries for good; receipts that name them are marked as forgotten, and the memory's
    /// segments go: their words are in there.
    fn remove_entries(&mut self, memory: MemoryRef, entries: &[EntryId]) -> Result<u64>;

    /// Adds a conversation or replaces what is known of it.
    fn put_conversation(&mut self, vault: VaultId, conversation: &Conversation) -> Result<()>;
    /// Moves all entries of `from` to `into` and lets `from` answer as `into`.
    fn merge_conversation(
        &mut self,
        memory: MemoryRef,
        from: ConversationId,
        into: ConversationId,
    ) -> Result<()>;
    /// Removes a conversation for good, with its jobs and other names; its entries must be gone.
    fn remove_conversation(&mut self, memory: MemoryRef, id: ConversationId) -> Result<Removed>;
    /// Notes that somebody ended a conversation placed by time.
    fn add_ending(&mut self, memory: MemoryRef, at: Timestamp) -> Result<()>;

    /// Adds a version of the context document.
    fn add_context(&mut self, vault: VaultId, context: &ContextDocument) -> Result<()>;

    /// Keeps what an idempotency key stands for.
    fn keep_receipt(
        &mut self,
        vault: Option<VaultId>,
        key: &Name,
        digest: [u8; 32],
        receipt: &Receipt,
    ) -> Result<()>;

    /// Adds a job, or replaces the one of the same kind about the same thing.
    fn put_job(&mut self, job: &Job) -> Result<()>;
    /// Removes a job by what it does.
    fn remove_job(&mut self, vault: VaultId, kind: JobKind, subject: Subject) -> Result<()>;

    /// Adds a key.
    fn add_key(&mut self, key: &Key) -> Result<()>;
    /// Sets when a key was last used, unless it is gone or a later use is stored.
    fn note_key_use(&mut self, used: KeyUse) -> Result<()>;
    /// Removes a key; says whether there was one.
    fn remove_key(&mut self, id: KeyId) -> Result<bool>;

    /// Removes a memory and all in it.
    fn remove_memory(&mut self, memory: MemoryRef) -> Result<Removed>;
    /// Removes a vault and all in it.
    fn remove_vault(&mut self, id: VaultId) -> Result<Removed>;
}
