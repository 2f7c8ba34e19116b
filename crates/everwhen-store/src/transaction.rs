//! The engine's view of a connection: a snapshot to read, a transaction to write.
//!
//! Nothing but a table of contents: each method runs the function of the same subject in `tables`.

use everwhen_engine::Result;
use everwhen_engine::activity::Activity;
use everwhen_engine::chapters::{Chapter, RollingSummary};
use everwhen_engine::facts::Fact;
use everwhen_engine::job::{Job, JobKind, Queue, Subject};
use everwhen_engine::key::{Key, KeyUse};
use everwhen_engine::memory::{
    Address, Branch, BranchId, ChapterId, ContextBy, ContextDocument, Conversation, ConversationId,
    Corrected, Entry, EntryId, FactId, JobId, KeyId, Memory, MemoryId, Name, Person, VaultId,
    VaultInfo,
};
use everwhen_engine::ports::{
    ActivityRows, ActivityTx, Addition, AskedHash, ChapterRows, ChapterTx, ContextTx,
    ContextVersion, ConversationQuery, Cursor, EachOf, EntryQuery, FactRows, FactTx, LedgerHead,
    LedgerLine, LedgerRows, LedgerTx, Lines, MemoryRef, Neighbour, Proof, ProofHolder, Removed,
    Reply, Requested, SegmentRows, SegmentTx, Snapshot, Speakers, Standing, Tx, UsageRows, UsageTx,
};
use everwhen_engine::receipt::{KeptReceipt, Receipt};
use everwhen_engine::usage::Usage;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::tables::vaults::Lock;
use crate::tables::{
    Database, activities, chapters, contexts, conversations, entries, facts, forget, jobs, keys,
    ledger, memories, proofs, receipts, segments, summaries, usage, vaults,
};

/// One consistent state, to read.
pub(crate) struct View<'c> {
    db: &'c dyn Database,
}

impl<'c> View<'c> {
    /// Reads through a connection in a transaction.
    pub(crate) fn new(db: &'c dyn Database) -> Self {
        Self { db }
    }

    fn lock(&self) -> Lock {
        Lock::None
    }
}

/// A transaction that writes. Reading a vault or a job through it locks that row until the end.
pub(crate) struct Transaction<'c> {
    db: &'c dyn Database,
    view: View<'c>,
    purges: bool,
}

impl<'c> Transaction<'c> {
    /// Writes through a connection in a transaction.
    pub(crate) fn new(db: &'c dyn Database) -> Self {
        Self { db, view: View::new(db), purges: false }
    }

    /// Whether something was removed that must not stay in a log.
    pub(crate) fn purges(&self) -> bool {
        self.purges
    }

    fn lock(&self) -> Lock {
        Lock::Held
    }
}

/// Writes one method per line, all with the database in front of the arguments. `mut` methods change
/// something, `purge` methods remove something that must not stay in a log.
macro_rules! forward {
    ($($module:ident :: $target:ident as $method:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)*) => {$(
        fn $method(&self, $($argument: $kind),*) -> Result<$answer> {
            $module::$target(self.db, $($argument),*)
        }
    )*};
    (mut $($module:ident :: $target:ident as $method:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)*) => {$(
        fn $method(&mut self, $($argument: $kind),*) -> Result<$answer> {
            $module::$target(self.db, $($argument),*)
        }
    )*};
    (purge $($module:ident :: $target:ident as $method:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)*) => {$(
        fn $method(&mut self, $($argument: $kind),*) -> Result<$answer> {
            self.purges = true;
            $module::$target(self.db, $($argument),*)
        }
    )*};
}

/// What can be read, for both.
macro_rules! reads {
    ($($rows:ident),*) => {$(
        impl Snapshot for $rows<'_> {
            fn vault(&self, id: VaultId) -> Result<Option<VaultInfo>> {
                vaults::by_id(self.db, id, self.lock())
            }

            fn vault_named(&self, name: &Name) -> Result<Option<VaultInfo>> {
                vaults::by_name(self.db, name, self.lock())
            }

            fn job(&self, id: JobId) -> Result<Option<Job>> {
                jobs::by_id(self.db, id, self.lock())
            }

            fn next_job(&self, queue: Queue, now: Timestamp) -> Result<Option<Job>> {
                jobs::next(self.db, queue, now, self.lock())
            }

            fn entry(&self, memory: MemoryRef, id: EntryId) -> Result<Option<Entry>> {
                Ok(entries::each(self.db, memory, &[id])?.pop().flatten())
            }

            fn conversation(&self, memory: MemoryRef, id: ConversationId) -> Result<Option<Conversation>> {
                Ok(conversations::each(self.db, memory, &[id])?.pop().flatten())
            }

            fn vault_and_memory(
                &self,
                vault: &Address<VaultId>,
                memory: &Address<MemoryId>,
            ) -> Result<Option<(VaultInfo, Option<Memory>)>> {
                vaults::with_memory(self.db, vault, memory)
            }

            forward! {
                vaults::list as vaults(after: Option<&Name>, limit: usize) -> Vec<VaultInfo>;
                memories::by_id as memory(memory: MemoryRef) -> Option<Memory>;
                memories::by_name as memory_named(vault: VaultId, name: &Name) -> Option<Memory>;
                memories::list as memories(vault: VaultId, after: Option<&Name>, limit: usize) -> Vec<Memory>;
                memories::chats as chats(vault: VaultId, person: &Person, limit: usize) -> Vec<Memory>;
                entries::each as each_entry(memory: MemoryRef, ids: &[EntryId]) -> Vec<Option<Entry>>;
                entries::list as entries(memory: MemoryRef, query: &EntryQuery) -> Vec<Entry>;
                entries::arrivals as arrivals(memory: MemoryRef, behind: u64, limit: usize) -> Vec<Entry>;
                entries::standings as standings(memory: MemoryRef, up_to: u64) -> Vec<Standing>;
                entries::before as before(memory: MemoryRef, time: Timestamp, speakers: Speakers) -> Option<Neighbour>;
                entries::after as after(memory: MemoryRef, time: Timestamp, speakers: Speakers) -> Option<Neighbour>;
                conversations::each as each_conversation(memory: MemoryRef, ids: &[ConversationId]) -> Vec<Option<Conversation>>;
                conversations::each_of as each_of(memory: MemoryRef, entries: &[EntryId], conversations: &[ConversationId]) -> EachOf;
                conversations::by_name as conversation_named(memory: MemoryRef, name: &Name) -> Option<Conversation>;
                conversations::list as conversations(memory: MemoryRef, query: &ConversationQuery) -> Vec<Conversation>;
                conversations::surplus as surplus(memory: MemoryRef, keep: u64) -> Vec<Conversation>;
                conversations::branches as branches(memory: MemoryRef, id: ConversationId) -> Vec<Branch>;
                conversations::endings as endings(memory: MemoryRef, since: Timestamp, until: Timestamp) -> Vec<Timestamp>;
                contexts::version as context(memory: MemoryRef, version: ContextVersion) -> Option<ContextDocument>;
                contexts::list as contexts(memory: MemoryRef, before: Option<u64>, limit: usize) -> Vec<ContextDocument>;
                receipts::by_key as receipt(vault: Option<VaultId>, key: &Name) -> Option<KeptReceipt>;
                jobs::list as jobs(vault: Option<VaultId>, limit: usize) -> Vec<Job>;
                keys::list as keys() -> Vec<Key>;
            }
        }

        impl ActivityRows for $rows<'_> {
            forward! {
                activities::of_conversation as activities(memory: MemoryRef, conversation: ConversationId) -> Vec<Activity>;
            }
        }

        impl UsageRows for $rows<'_> {
            forward! {
                usage::list as usage(vault: VaultId, since: Date) -> Vec<Usage>;
                usage::cost as cost_since(since: Date) -> u64;
                usage::reply as kept_reply(vault: VaultId, asked: &AskedHash) -> Option<Reply>;
            }
        }

        impl ChapterRows for $rows<'_> {
            forward! {
                chapters::list as chapters(memory: MemoryRef, behind: Option<Cursor>, limit: Option<usize>) -> Vec<Chapter>;
                chapters::last as last_chapter(memory: MemoryRef, before: Option<Timestamp>) -> Option<Chapter>;
                chapters::through as chapters_through(memory: MemoryRef, through: Cursor) -> (u64, Option<Timestamp>);
                summaries::list as summaries(memory: MemoryRef, before: Option<u64>, limit: Option<usize>) -> Vec<RollingSummary>;
            }
        }

        impl FactRows for $rows<'_> {
            forward! {
                facts::by_id as fact(memory: MemoryRef, id: FactId) -> Option<Fact>;
                facts::list as facts(memory: MemoryRef) -> Vec<Fact>;
                facts::on as facts_on(memory: MemoryRef, entries: &[EntryId]) -> Vec<Fact>;
            }
        }

        impl LedgerRows for $rows<'_> {
            forward! {
                ledger::head as ledger_head(memory: MemoryRef) -> Option<LedgerHead>;
                ledger::lines as ledger_lines(memory: MemoryRef, which: Lines) -> Vec<LedgerLine>;
                proofs::holders as proof_holders(vault: VaultId, proof: [u8; 32], limit: usize) -> Vec<ProofHolder>;
                proofs::requested as requested(vault: VaultId, request: [u8; 32]) -> Vec<Requested>;
                proofs::additions as additions(memory: MemoryRef, numbers: &[u64]) -> Vec<(u64, Addition)>;
                proofs::epoch as additions_epoch(vault: VaultId) -> u64;
                ledger::promised as promised_time(memory: MemoryRef, text: [u8; 32]) -> Option<Timestamp>;
                ledger::all_promised as promised_times(memory: MemoryRef) -> Vec<([u8; 32], Timestamp)>;
            }
        }

        impl SegmentRows for $rows<'_> {
            forward! {
                segments::by_number as segment(memory: MemoryRef, number: u32) -> Option<Vec<u8>>;
            }
        }
    )*};
}

reads!(View, Transaction);

impl Tx for Transaction<'_> {
    fn snapshot(&self) -> &dyn Snapshot {
        &self.view
    }

    forward! { mut
        vaults::put as put_vault(vault: &VaultInfo) -> ();
        memories::put as put_memory(vault: VaultId, memory: &Memory) -> ();
        entries::add as add_entry(vault: VaultId, entry: &Entry, receipt: Option<&Name>) -> ();
        entries::mark_corrected as mark_corrected(memory: MemoryRef, id: EntryId, corrected: Corrected) -> ();
        entries::mark_branch as mark_branch(memory: MemoryRef, entries: &[EntryId], branch: BranchId, at: Timestamp) -> ();
        entries::move_to as move_entries(memory: MemoryRef, entries: &[EntryId], to: ConversationId) -> ();
        conversations::put as put_conversation(vault: VaultId, conversation: &Conversation) -> ();
        conversations::merge as merge_conversation(memory: MemoryRef, from: ConversationId, into: ConversationId) -> ();
        conversations::add_ending as add_ending(memory: MemoryRef, at: Timestamp) -> ();
        contexts::add as add_context(vault: VaultId, context: &ContextDocument) -> ();
        receipts::keep as keep_receipt(vault: Option<VaultId>, key: &Name, digest: [u8; 32], receipt: &Receipt) -> ();
        jobs::put as put_job(job: &Job) -> ();
        jobs::remove as remove_job(vault: VaultId, kind: JobKind, subject: Subject) -> ();
        keys::add as add_key(key: &Key) -> ();
        keys::note_use as note_key_use(used: KeyUse) -> ();
        keys::remove as remove_key(id: KeyId) -> bool;
    }

    forward! { purge
        forget::entries as remove_entries(memory: MemoryRef, entries: &[EntryId]) -> u64;
        forget::conversation as remove_conversation(memory: MemoryRef, id: ConversationId) -> Removed;
        forget::memory as remove_memory(memory: MemoryRef) -> Removed;
        forget::vault as remove_vault(id: VaultId) -> Removed;
    }
}

impl ActivityTx for Transaction<'_> {
    forward! { mut
        activities::add as add_activity(memory: MemoryRef, conversation: ConversationId, activity: &Activity) -> ();
    }
}

impl UsageTx for Transaction<'_> {
    forward! { mut
        usage::add as add_usage(vault: VaultId, usage: &Usage) -> ();
        usage::keep_reply as keep_reply(vault: VaultId, asked: &AskedHash, reply: &Reply, at: Timestamp) -> ();
        usage::drop_replies as drop_replies(vault: VaultId, before: Option<Timestamp>) -> ();
    }
}

impl ChapterTx for Transaction<'_> {
    forward! { mut
        chapters::put as put_chapter(vault: VaultId, chapter: &Chapter) -> ();
        summaries::add as add_summary(vault: VaultId, summary: &RollingSummary) -> ();
    }

    forward! { purge
        chapters::remove as remove_chapter(memory: MemoryRef, id: ChapterId) -> ();
        chapters::remove_from as remove_chapters(memory: MemoryRef, from: Cursor) -> u64;
        summaries::remove_from as remove_summaries(memory: MemoryRef, from: Cursor) -> u64;
    }
}

impl ContextTx for Transaction<'_> {
    forward! { purge
        contexts::remove as remove_contexts(memory: MemoryRef, by: &[ContextBy]) -> u64;
    }
}

impl FactTx for Transaction<'_> {
    forward! { mut
        facts::put as put_fact(vault: VaultId, fact: &Fact) -> ();
    }

    forward! { purge
        facts::remove as remove_facts(memory: MemoryRef, facts: &[FactId]) -> u64;
    }
}

impl LedgerTx for Transaction<'_> {
    forward! { mut
        ledger::put_head as put_ledger_head(memory: MemoryRef, head: &LedgerHead) -> ();
        ledger::put_line as put_ledger_line(memory: MemoryRef, line: &LedgerLine) -> ();
        ledger::put_promised as put_promised_time(memory: MemoryRef, text: [u8; 32], time: Option<Timestamp>) -> ();
        proofs::put as put_proof(memory: MemoryRef, proof: &Proof) -> ();
        proofs::put_addition as put_addition(memory: MemoryRef, number: u64, addition: &Addition) -> ();
        proofs::drop_additions as drop_additions(vault: VaultId) -> ();
        ledger::rejoin as rejoin_entries(memory: MemoryRef, entries: &[EntryId]) -> ();
    }
}

impl SegmentTx for Transaction<'_> {
    forward! { mut
        segments::put as put_segment(memory: MemoryRef, number: u32, bytes: &[u8]) -> ();
    }
}
