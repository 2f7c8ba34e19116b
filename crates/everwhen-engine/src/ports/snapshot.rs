//! What can be read from a store, as one consistent state.

use jiff::Timestamp;
use jiff::civil::Date;

use super::{
    Addition, AskedHash, Buckets, ChapterSelection, ContextSelection, ConversationExtent,
    ConversationQuery, ConversationSelection, EachOf, EntryQuery, EntryState, FactSelection,
    JobSelection, LedgerHead, LedgerLine, LedgerLines, LedgerSelection, MemorySelection, Neighbour,
    PastKind, PastRows, ProofHolder, ReceiptSelection, Reply, Speakers, TimeAxis, TimeSide,
    Tombstone, TombstoneKind, TombstoneOwner, Usage, VaultSelection, Which,
};
use crate::job::{Job, JobCount};
use crate::key::Key;
use crate::memory::{
    Activity, Address, Branch, Chapter, ContextDocument, Conversation, ConversationId, Cursor,
    Entry, EntryId, Fact, Memory, MemoryId, MemoryRef, Name, RollingSummary, VaultId, VaultInfo,
};
use crate::receipt::KeptReceipt;
use crate::{Error, Result};

/// One consistent state, to read. Methods that find nothing return `None` or an empty list.
///
/// A store implements the methods without a body, and those with one that it can answer faster. The last
/// methods are shorter ways to call the others; no store implements them.
pub trait Snapshot {
    /// Vaults.
    fn find_vaults(&self, which: VaultSelection<'_>) -> Result<Vec<VaultInfo>>;
    /// Memories of a vault.
    fn memories(&self, vault: VaultId, query: MemorySelection<'_>) -> Result<Vec<Memory>>;
    /// A vault and one of its memories, in one round trip where a round trip has its price.
    fn vault_and_memory(
        &self,
        vault: &Address<VaultId>,
        memory: &Address<MemoryId>,
    ) -> Result<Option<(VaultInfo, Option<Memory>)>>;

    /// Entries and conversations by their ids, each at the position of its id, whatever became of
    /// them. A conversation that was merged into another answers with that other.
    fn each_of(
        &self,
        memory: MemoryRef,
        entries: &[EntryId],
        conversations: &[ConversationId],
    ) -> Result<EachOf>;

    /// Entries by conversation_time, then [place](EntryQuery::cursor); or in the order they arrived.
    fn entries(&self, memory: MemoryRef, query: &EntryQuery) -> Result<Vec<Entry>>;
    /// The tags of the current entries, each with the number of entries that have it, by name.
    fn tags(&self, memory: MemoryRef) -> Result<Vec<(Name, u64)>>;
    /// The first and the last time of the entries that are meant.
    fn span(
        &self,
        memory: MemoryRef,
        axis: TimeAxis,
        which: Which,
    ) -> Result<Option<(Timestamp, Timestamp)>>;
    /// How many of the entries that are meant are in each part of a stretch of time.
    fn counts(
        &self,
        memory: MemoryRef,
        axis: TimeAxis,
        which: Which,
        buckets: Buckets,
    ) -> Result<Vec<u64>>;
    /// Where all entries up to a sequence stand, in the order they arrived.
    fn entry_states(&self, memory: MemoryRef, up_to: u64) -> Result<Vec<EntryState>>;
    /// The nearest entry placed by time, current or corrected, on one side of a time.
    fn neighbour(
        &self,
        memory: MemoryRef,
        side: TimeSide,
        speakers: Speakers,
    ) -> Result<Option<Neighbour>>;

    /// Conversations of a memory.
    fn find_conversations(
        &self,
        memory: MemoryRef,
        which: ConversationSelection<'_>,
    ) -> Result<Vec<Conversation>>;
    /// The branches that forks of a conversation left, oldest first.
    fn branches(&self, memory: MemoryRef, id: ConversationId) -> Result<Vec<Branch>>;
    /// When callers ended conversations placed by time: instants in `[since, until)`, in order.
    fn endings(
        &self,
        memory: MemoryRef,
        since: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<Timestamp>>;
    /// When models and tools were at work in a conversation, in the order they began; those that
    /// began together by kind, name and length.
    fn activities(&self, memory: MemoryRef, conversation: ConversationId) -> Result<Vec<Activity>>;

    /// Versions of the context document, newest first.
    fn contexts(
        &self,
        memory: MemoryRef,
        versions: ContextSelection,
        limit: usize,
    ) -> Result<Vec<ContextDocument>>;
    /// Facts of a memory.
    fn facts(&self, memory: MemoryRef, query: FactSelection<'_>) -> Result<Vec<Fact>>;
    /// Chapters of a memory.
    fn chapters(&self, memory: MemoryRef, query: ChapterSelection) -> Result<Vec<Chapter>>;
    /// How many chapters that tell the memory in order end at or before a place, and when the latest of them was written.
    fn chapters_through(
        &self,
        memory: MemoryRef,
        through: Cursor,
    ) -> Result<(u64, Option<Timestamp>)>;
    /// Versions of the rolling summary, newest first, below `before`.
    fn summaries(
        &self,
        memory: MemoryRef,
        before: Option<u64>,
        limit: Option<usize>,
    ) -> Result<Vec<RollingSummary>>;
    /// What was different at a creation_time from what it is now, of these kinds.
    fn past(&self, memory: MemoryRef, at: Timestamp, kinds: &[PastKind<'_>]) -> Result<PastRows>;
    /// The entries of some conversations that were current at a creation_time, without reading what was
    /// said; in no order, those without entries left out.
    fn extents(
        &self,
        memory: MemoryRef,
        at: Timestamp,
        ids: &[ConversationId],
    ) -> Result<Vec<ConversationExtent>> {
        let mut extents = Vec::new();
        for id in ids.iter().copied() {
            let query = EntryQuery::of_conversation(id, Which::AsOf(at));
            let entries = self.entries(memory, &query)?;
            let times = (entries.first(), entries.last());
            extents.extend(times.0.zip(times.1).map(|(first, last)| ConversationExtent {
                id,
                first: first.conversation_time,
                last: last.conversation_time,
                entries: entries.len() as u64,
            }));
        }
        Ok(extents)
    }
    /// The sequence numbers above which the segments of a memory's index begin, in rising order.
    fn segments(&self, memory: MemoryRef) -> Result<Vec<u64>>;
    /// The segment of a memory's index that begins above the sequence number `after`: the two parts of its
    /// bytes, which mean nothing to a store. Each part is in memory of its own, so that one can be kept
    /// without the other.
    fn segment(&self, memory: MemoryRef, after: u64) -> Result<Option<[Vec<u8>; 2]>>;

    /// The heads of the ledgers that are meant, each with its memory.
    fn ledger_heads(
        &self,
        vault: VaultId,
        which: LedgerSelection,
    ) -> Result<Vec<(MemoryId, LedgerHead)>>;
    /// Lines of a memory's ledger.
    fn ledger_lines(&self, memory: MemoryRef, which: LedgerLines<'_>) -> Result<Vec<LedgerLine>>;
    /// Memories of a vault that hold this proof: first those where nothing has been said since it
    /// was delivered, then the newest.
    fn proof_holders(
        &self,
        vault: VaultId,
        proof: [u8; 32],
        limit: usize,
    ) -> Result<Vec<ProofHolder>>;
    /// What was added to the messages with these numbers, by number.
    fn additions(&self, memory: MemoryRef, numbers: &[u64]) -> Result<Vec<(u64, Addition)>>;
    /// The epoch of forgetting of a vault: how often something in it was forgotten.
    fn forget_epoch(&self, vault: VaultId) -> Result<u64>;
    /// When texts that have not been seen yet were said, as another system had it, by their SHA-256:
    /// of one text, or of all.
    fn promised_times(
        &self,
        memory: MemoryRef,
        text: Option<[u8; 32]>,
    ) -> Result<Vec<([u8; 32], Timestamp)>>;

    /// Hands over everything that belongs to a memory as lines of JSON, in an order that depends on the
    /// rows alone. A store without rows of its own refuses.
    fn memory_lines(
        &self,
        _memory: MemoryRef,
        _take: &mut dyn FnMut(&str) -> Result<()>,
    ) -> Result<()> {
        Err(Error::conflict("this store exports nothing"))
    }

    /// Idempotency keys, each with the result that is stored under it; `vault` is `None` for keys of vaults
    /// themselves.
    fn receipts(
        &self,
        vault: Option<VaultId>,
        which: ReceiptSelection<'_>,
    ) -> Result<Vec<(Name, KeptReceipt)>>;
    /// What is left of what was forgotten, by kind and hash: all of an owner, those of a kind, or the one of
    /// a kind with a hash.
    fn tombstones(
        &self,
        owner: TombstoneOwner,
        which: Option<(TombstoneKind, Option<[u8; 32]>)>,
    ) -> Result<Vec<Tombstone>>;
    /// The names and ids of vaults by name, behind `after`. They are known wherever any part of the store is.
    fn vault_names(&self, after: Option<&Name>, limit: usize) -> Result<Vec<(Name, VaultId)>>;
    /// How many jobs there are of each kind, by why they wait at this time, of one vault or of all. Locks of
    /// workflows are no work and are not counted.
    fn job_counts(&self, vault: Option<VaultId>, now: Timestamp) -> Result<Vec<JobCount>>;
    /// Jobs.
    fn jobs(&self, query: JobSelection) -> Result<Vec<Job>>;
    /// All keys.
    fn keys(&self) -> Result<Vec<Key>>;
    /// What a vault used from a day on, by day, model and purpose.
    fn usage(&self, vault: VaultId, since: Date) -> Result<Vec<Usage>>;
    /// What all vaults together cost from a day on, in billionths.
    fn cost_since(&self, since: Date) -> Result<u64>;
    /// What a model answered before.
    fn kept_reply(&self, vault: VaultId, asked: &AskedHash) -> Result<Option<Reply>>;

    /// The vault with this id.
    fn vault(&self, id: VaultId) -> Result<Option<VaultInfo>> {
        Ok(self.find_vaults(VaultSelection::Id(id))?.pop())
    }
    /// The vault with this name, in whichever form of Unicode it is stored.
    fn vault_named(&self, name: &Name) -> Result<Option<VaultInfo>> {
        first_of(name, |form| Ok(self.find_vaults(VaultSelection::Name(form))?.pop()))
    }
    /// Vaults by name, behind `after`.
    fn vaults(&self, after: Option<&Name>, limit: usize) -> Result<Vec<VaultInfo>> {
        self.find_vaults(VaultSelection::Named(after, limit))
    }
    /// A memory by id.
    fn memory(&self, memory: MemoryRef) -> Result<Option<Memory>> {
        Ok(self.memories(memory.vault, MemorySelection::Id(memory.memory))?.pop())
    }
    /// A memory by name, in whichever form of Unicode it is stored.
    fn memory_named(&self, vault: VaultId, name: &Name) -> Result<Option<Memory>> {
        first_of(name, |form| Ok(self.memories(vault, MemorySelection::Name(form))?.pop()))
    }
    /// One entry, as [`Snapshot::each_of`] finds it.
    fn entry(&self, memory: MemoryRef, id: EntryId) -> Result<Option<Entry>> {
        Ok(self.each_of(memory, &[id], &[])?.0.pop().flatten())
    }
    /// One conversation, as [`Snapshot::each_of`] finds it.
    fn conversation(&self, memory: MemoryRef, id: ConversationId) -> Result<Option<Conversation>> {
        Ok(self.each_of(memory, &[], &[id])?.1.pop().flatten())
    }
    /// A conversation by the name it has in the caller's source.
    fn conversation_named(&self, memory: MemoryRef, name: &Name) -> Result<Option<Conversation>> {
        Ok(self.find_conversations(memory, ConversationSelection::Name(name))?.pop())
    }
    /// Conversations in order.
    fn conversations(
        &self,
        memory: MemoryRef,
        query: &ConversationQuery,
    ) -> Result<Vec<Conversation>> {
        self.find_conversations(memory, ConversationSelection::Matching(query))
    }
    /// Ended conversations that are not archived, without the `keep` that come last in
    /// [`ConversationOrder::Ended`](super::ConversationOrder::Ended); oldest first.
    fn surplus(&self, memory: MemoryRef, keep: u64) -> Result<Vec<Conversation>> {
        self.find_conversations(memory, ConversationSelection::Surplus(keep))
    }
    /// The head of a memory's ledger.
    fn ledger_head(&self, memory: MemoryRef) -> Result<Option<LedgerHead>> {
        let mut found = self.ledger_heads(memory.vault, LedgerSelection::Of(memory.memory))?;
        Ok(found.pop().map(|(_, head)| head))
    }
    /// What was stored under an idempotency key; `vault` is `None` for keys of vaults themselves.
    fn receipt(&self, vault: Option<VaultId>, key: &Name) -> Result<Option<KeptReceipt>> {
        Ok(self.receipts(vault, ReceiptSelection::Key(key))?.pop().map(|(_, kept)| kept))
    }
    /// The last entry placed by time, current or corrected, said at or before `time`.
    fn before(
        &self,
        memory: MemoryRef,
        time: Timestamp,
        speakers: Speakers,
    ) -> Result<Option<Neighbour>> {
        self.neighbour(memory, TimeSide::UpTo(time), speakers)
    }
    /// The first entry placed by time, current or corrected, said after `time`.
    fn after(
        &self,
        memory: MemoryRef,
        time: Timestamp,
        speakers: Speakers,
    ) -> Result<Option<Neighbour>> {
        self.neighbour(memory, TimeSide::After(time), speakers)
    }
}

/// What is found by the first form of a name that finds something.
fn first_of<T>(name: &Name, find: impl Fn(&Name) -> Result<Option<T>>) -> Result<Option<T>> {
    for form in name.forms() {
        let found = find(&form)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
