//! The engine's view of a connection: a snapshot to read, a transaction to write.
//!
//! Nothing but a table of contents: each method runs the function of the same subject in `tables`.

use std::rc::Rc;

use everwhen_engine::Result;
use everwhen_engine::activity::Activity;
use everwhen_engine::chapters::{Chapter, RollingSummary};
use everwhen_engine::facts::Fact;
use everwhen_engine::job::{Job, JobCount};
use everwhen_engine::key::Key;
use everwhen_engine::memory::{
    Address, Branch, ContextDocument, Conversation, ConversationId, Entry, EntryId, Memory,
    MemoryId, Name, VaultId, VaultInfo,
};
use everwhen_engine::ports::{
    Addition, AskedHash, Buckets, ChapterSelection, ContextSelection, ConversationExtent,
    ConversationSelection, Cursor, EachOf, EntryChange, EntryQuery, EntryState, Erasure,
    FactSelection, JobSelection, LedgerHead, LedgerLine, LedgerLines, LedgerSelection, MemoryRef,
    MemorySelection, Neighbour, PastKind, PastRows, ProofHolder, ReceiptSelection, Removal,
    Removed, Reply, Row, Snapshot, Speakers, TimeAxis, TimeSide, Tombstone, TombstoneKind,
    TombstoneOwner, Tx, VaultSelection, Which,
};
use everwhen_engine::receipt::KeptReceipt;
use everwhen_engine::usage::Usage;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::deferred::DeferredRows;
use crate::tables::vaults::Lock;
use crate::tables::{
    Database, activities, archive, chapters, contexts, conversations, density, entries, facts,
    forget, jobs, keys, ledger, memories, past, proofs, receipts, segments, summaries, tombstones,
    usage, vaults,
};
use crate::write_cache::WriteCache;

/// One consistent state, to read.
pub(crate) struct View<'c> {
    db: &'c dyn Database,
    /// What a transaction that writes knows and has not written yet.
    own: Option<Rc<OwnWrites>>,
}

/// What a transaction that writes keeps to itself, so that it asks and tells the database less.
#[derive(Default)]
struct OwnWrites {
    cache: WriteCache,
    deferred: DeferredRows,
}

impl<'c> View<'c> {
    /// Reads through a connection in a transaction.
    pub(crate) fn new(db: &'c dyn Database) -> Self {
        Self { db, own: None }
    }

    /// What a transaction that writes decides on stays as it was read, whichever of the two it reads through.
    fn lock(&self) -> Lock {
        if self.own.is_some() { Lock::Held } else { Lock::None }
    }

    fn cache(&self) -> Option<&WriteCache> {
        self.own.as_ref().map(|own| &own.cache)
    }

    /// The database, with all that this transaction wrote.
    fn written(&self) -> Result<&'c dyn Database> {
        self.own.as_ref().map_or(Ok(()), |own| own.deferred.write(self.db))?;
        Ok(self.db)
    }
}

/// A transaction that writes. Reading a vault or a job through it locks that row until the end.
pub(crate) struct Transaction<'c> {
    db: &'c dyn Database,
    view: View<'c>,
    own: Rc<OwnWrites>,
    purges: bool,
}

impl<'c> Transaction<'c> {
    /// Writes through a connection in a transaction.
    pub(crate) fn new(db: &'c dyn Database) -> Self {
        let own = Rc::new(OwnWrites::default());
        let view = View { db, own: Some(Rc::clone(&own)) };
        Self { db, view, own, purges: false }
    }

    /// Whether something was removed that must not stay in a log.
    pub(crate) fn purges(&self) -> bool {
        self.purges
    }

    /// Writes what is not written yet. Nothing may follow but the commit.
    pub(crate) fn finish(&self) -> Result<()> {
        self.written().map(drop)
    }

    fn lock(&self) -> Lock {
        Lock::Held
    }

    fn cache(&self) -> Option<&WriteCache> {
        Some(&self.own.cache)
    }

    /// The database, with all that this transaction wrote.
    fn written(&self) -> Result<&'c dyn Database> {
        self.own.deferred.write(self.db)?;
        Ok(self.db)
    }
}

/// Methods that run a function with the database in front of the arguments.
macro_rules! forward {
    ($($module:ident :: $target:ident as $method:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)*) => {$(
        fn $method(&self, $($argument: $kind),*) -> Result<$answer> {
            $module::$target(self.written()?, $($argument),*)
        }
    )*};
}

/// What can be read, for both: one method per line, all with the database in front of the arguments.
macro_rules! reads {
    ($($rows:ident),*) => {$(
        impl Snapshot for $rows<'_> {
            fn find_vaults(&self, which: VaultSelection<'_>) -> Result<Vec<VaultInfo>> {
                vaults::find(self.db, which, self.lock())
            }

            fn vault_names(&self, after: Option<&Name>, limit: usize) -> Result<Vec<(Name, VaultId)>> {
                vaults::names(self.db, after, limit)
            }

            fn job_counts(&self, vault: Option<VaultId>, now: Timestamp) -> Result<Vec<JobCount>> {
                jobs::counts(self.db, vault, now)
            }

            fn vault_and_memory(
                &self,
                vault: &Address<VaultId>,
                memory: &Address<MemoryId>,
            ) -> Result<Option<(VaultInfo, Option<Memory>)>> {
                vaults::with_memory(self.written()?, vault, memory, self.lock())
            }

            fn jobs(&self, query: JobSelection) -> Result<Vec<Job>> {
                jobs::find(self.db, query, self.lock())
            }

            fn ledger_heads(
                &self,
                vault: VaultId,
                which: LedgerSelection,
            ) -> Result<Vec<(MemoryId, LedgerHead)>> {
                let memory = match which {
                    LedgerSelection::Of(memory) => memory,
                    LedgerSelection::Requested(hash) => {
                        return ledger::requested(self.written()?, vault, hash);
                    }
                };
                let head = match self.cache() {
                    Some(known) => known.head(self.db, MemoryRef { vault, memory }),
                    None => ledger::head(self.db, MemoryRef { vault, memory }),
                };
                Ok(head?.map(|head| (memory, head)).into_iter().collect())
            }

            fn ledger_lines(&self, memory: MemoryRef, which: LedgerLines<'_>) -> Result<Vec<LedgerLine>> {
                match self.cache() {
                    Some(known) => known.lines(self.db, memory, which),
                    None => ledger::lines(self.db, memory, which),
                }
            }

            fn promised_times(
                &self,
                memory: MemoryRef,
                text: Option<[u8; 32]>,
            ) -> Result<Vec<([u8; 32], Timestamp)>> {
                match self.cache() {
                    Some(known) => known.promised(self.db, memory, text),
                    None => ledger::promised(self.db, memory, text),
                }
            }

            fn forget_epoch(&self, vault: VaultId) -> Result<u64> {
                match self.cache() {
                    Some(known) => known.epoch(self.db, vault),
                    None => proofs::epoch(self.db, vault),
                }
            }

            fn memory_lines(
                &self,
                memory: MemoryRef,
                take: &mut dyn FnMut(&str) -> Result<()>,
            ) -> Result<()> {
                archive::lines(self.written()?, memory, take)
            }

            fn each_of(
                &self,
                memory: MemoryRef,
                entries: &[EntryId],
                conversations: &[ConversationId],
            ) -> Result<EachOf> {
                match self.cache() {
                    Some(known) => known.each_of(|| self.written(), memory, (entries, conversations)),
                    None => conversations::each_of(self.db, memory, entries, conversations),
                }
            }

            fn neighbour(
                &self,
                memory: MemoryRef,
                side: TimeSide,
                speakers: Speakers,
            ) -> Result<Option<Neighbour>> {
                match self.cache() {
                    Some(known) => known.neighbour(self.db, memory, side, speakers),
                    None => entries::neighbour(self.db, memory, side, speakers),
                }
            }

            forward! {
                memories::list as memories(vault: VaultId, query: MemorySelection<'_>) -> Vec<Memory>;
                entries::tags as tags(memory: MemoryRef) -> Vec<(Name, u64)>;
                entries::list as entries(memory: MemoryRef, query: &EntryQuery) -> Vec<Entry>;
                density::span as span(memory: MemoryRef, axis: TimeAxis, which: Which) -> Option<(Timestamp, Timestamp)>;
                density::counts as counts(memory: MemoryRef, axis: TimeAxis, which: Which, buckets: Buckets) -> Vec<u64>;
                entries::entry_states as entry_states(memory: MemoryRef, up_to: u64) -> Vec<EntryState>;
                conversations::find as find_conversations(memory: MemoryRef, which: ConversationSelection<'_>) -> Vec<Conversation>;
                conversations::branches as branches(memory: MemoryRef, id: ConversationId) -> Vec<Branch>;
                conversations::endings as endings(memory: MemoryRef, since: Timestamp, until: Timestamp) -> Vec<Timestamp>;
                activities::of_conversation as activities(memory: MemoryRef, conversation: ConversationId) -> Vec<Activity>;
                contexts::list as contexts(memory: MemoryRef, versions: ContextSelection, limit: usize) -> Vec<ContextDocument>;
                facts::list as facts(memory: MemoryRef, query: FactSelection<'_>) -> Vec<Fact>;
                chapters::list as chapters(memory: MemoryRef, query: ChapterSelection) -> Vec<Chapter>;
                chapters::through as chapters_through(memory: MemoryRef, through: Cursor) -> (u64, Option<Timestamp>);
                summaries::list as summaries(memory: MemoryRef, before: Option<u64>, limit: Option<usize>) -> Vec<RollingSummary>;
                past::rows as past(memory: MemoryRef, at: Timestamp, kinds: &[PastKind<'_>]) -> PastRows;
                past::extents as extents(memory: MemoryRef, at: Timestamp, ids: &[ConversationId]) -> Vec<ConversationExtent>;
                segments::list as segments(memory: MemoryRef) -> Vec<u64>;
                segments::read as segment(memory: MemoryRef, after: u64) -> Option<[Vec<u8>; 2]>;
                proofs::holders as proof_holders(vault: VaultId, proof: [u8; 32], limit: usize) -> Vec<ProofHolder>;
                proofs::additions as additions(memory: MemoryRef, numbers: &[u64]) -> Vec<(u64, Addition)>;
                receipts::list as receipts(vault: Option<VaultId>, which: ReceiptSelection<'_>) -> Vec<(Name, KeptReceipt)>;
                tombstones::list as tombstones(owner: TombstoneOwner, which: Option<(TombstoneKind, Option<[u8; 32]>)>) -> Vec<Tombstone>;
                keys::list as keys() -> Vec<Key>;
                usage::list as usage(vault: VaultId, since: Date) -> Vec<Usage>;
                usage::cost as cost_since(since: Date) -> u64;
                usage::reply as kept_reply(vault: VaultId, asked: &AskedHash) -> Option<Reply>;
            }
        }
    )*};
}

reads!(View, Transaction);

impl Tx for Transaction<'_> {
    fn snapshot(&self) -> &dyn Snapshot {
        &self.view
    }

    fn put(&mut self, row: Row<'_>) -> Result<()> {
        let db = self.db;
        match row {
            Row::Vault(vault) => vaults::put(db, vault),
            Row::Memory(vault, memory) => self.own.deferred.put_memory(db, vault, memory),
            Row::Entry(vault, entry, receipt) => {
                self.own.cache.put_entry(vault, entry);
                entries::add(db, vault, entry, receipt)
            }
            Row::Conversation(vault, one) => {
                let memory = MemoryRef { vault, memory: one.memory };
                self.own.cache.put_conversation(memory, one);
                self.own.deferred.put_conversation(db, vault, one)
            }
            Row::Ending(memory, at) => conversations::add_ending(db, memory, at),
            Row::Activity(memory, one, activity) => activities::add(db, memory, one, activity),
            Row::Context(vault, context) => contexts::add(db, vault, context),
            Row::Fact(vault, fact) => facts::put(db, vault, fact),
            Row::Chapter(vault, chapter) => chapters::put(db, vault, chapter),
            Row::Summary(vault, summary) => summaries::add(db, vault, summary),
            Row::Past(memory, what, until) => past::keep(self.written()?, memory, what, until),
            Row::Segment(memory, covers, parts) => segments::put(db, memory, covers, parts),
            Row::LedgerHead(memory, head) => {
                self.own.cache.put_head(memory, head);
                self.own.deferred.put_head(db, memory, head)
            }
            Row::LedgerLine(memory, line) => {
                self.own.cache.put_line(memory, line);
                ledger::put_line(db, memory, line)
            }
            Row::PromisedTime(memory, text, time) => {
                self.own.cache.put_promise(memory);
                ledger::promise(db, memory, text, time)
            }
            Row::Proof(memory, proof) => proofs::put(db, memory, proof),
            Row::Addition(memory, line, added) => proofs::put_addition(db, memory, line, added),
            Row::Receipt(vault, key, digest, it) => receipts::keep(db, vault, key, digest, it),
            Row::Tombstone(owner, row) => tombstones::put(db, owner, row),
            Row::Job(job) => jobs::put(db, job),
            Row::Key(key) => keys::add(db, key),
            Row::KeyUse(used) => keys::note_use(db, used),
            Row::Usage(vault, used) => usage::add(db, vault, used),
            Row::Reply(vault, asked, reply, at, epoch) => {
                match proofs::epoch(db, vault)? == epoch {
                    true => usage::keep_reply(db, vault, asked, reply, at),
                    false => Ok(()),
                }
            }
        }
    }

    fn change_entries(
        &mut self,
        memory: MemoryRef,
        ids: &[EntryId],
        change: EntryChange<'_>,
    ) -> Result<()> {
        self.own.cache.forget_entries();
        entries::change(self.written()?, memory, ids, change)
    }

    fn merge_conversation(
        &mut self,
        memory: MemoryRef,
        from: ConversationId,
        into: ConversationId,
    ) -> Result<()> {
        self.own.cache.clear();
        conversations::merge(self.written()?, memory, from, into)
    }

    fn restore_line(&mut self, memory: MemoryRef, line: &str) -> Result<()> {
        self.own.cache.clear();
        archive::restore(self.written()?, memory, line)
    }

    fn remove(&mut self, rows: Removal<'_>) -> Result<u64> {
        let db = self.written()?;
        self.purges |= holds_words(&rows);
        self.own.cache.clear();
        match rows {
            Removal::Entries(memory, ids) => forget::entries(db, memory, ids),
            Removal::Contexts(memory, by) => contexts::remove(db, memory, by),
            Removal::Context(memory, version) => contexts::remove_version(db, memory, version),
            Removal::Facts(memory, ids) => facts::remove(db, memory, ids),
            Removal::Chapter(memory, id) => chapters::remove(db, memory, id),
            Removal::Chapters(memory, from) => chapters::remove_from(db, memory, from),
            Removal::Summaries(memory, from) => summaries::remove_from(db, memory, from),
            Removal::PromisedTime(memory, text) => ledger::keep_promise(db, memory, text),
            Removal::Additions(vault) => proofs::drop_additions(db, vault),
            Removal::Replies(vault, before) => usage::drop_replies(db, vault, before),
            Removal::Tombstones(owner) => tombstones::remove(db, owner),
            Removal::Job(vault, kind, subject) => jobs::remove(db, vault, kind, subject),
            Removal::Key(id) => keys::remove(db, id),
        }
    }

    fn erase(&mut self, what: Erasure) -> Result<Removed> {
        self.purges = true;
        self.own.cache.clear();
        let db = self.written()?;
        match what {
            Erasure::Conversation(memory, id) => forget::conversation(db, memory, id),
            Erasure::Memory(memory) => forget::memory(db, memory),
            Erasure::Vault(id) => forget::vault(db, id),
        }
    }
}

/// Whether rows hold what was said, or what was made of it, which must not stay in a log.
fn holds_words(rows: &Removal<'_>) -> bool {
    match rows {
        Removal::Entries(..)
        | Removal::Contexts(..)
        | Removal::Context(..)
        | Removal::Facts(..)
        | Removal::Chapter(..)
        | Removal::Chapters(..)
        | Removal::Summaries(..) => true,
        Removal::PromisedTime(..)
        | Removal::Additions(_)
        | Removal::Replies(..)
        | Removal::Tombstones(_)
        | Removal::Job(..)
        | Removal::Key(_) => false,
    }
}
