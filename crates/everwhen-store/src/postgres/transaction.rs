//! The engine's view of a connection: a snapshot to read, a transaction to write.
//!
//! Nothing but a table of contents; the SQL stands in the file named after its table.

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

use super::connection::Connection;
use super::{
    activities, chapters, contexts, conversations, entries, facts, forget, jobs, keys, ledger,
    proofs, receipts, segments, usage, vaults,
};

/// One consistent state.
pub(super) struct View<'c> {
    connection: &'c Connection,
}

impl<'c> View<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self { connection }
    }
}

/// A transaction in the hands of one work. Reading a vault or a job holds it, so that nobody else
/// changes anything in it before the end.
pub(super) struct Transaction<'c> {
    view: View<'c>,
}

impl<'c> Transaction<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self { view: View::new(connection) }
    }
}

/// Writes one method per line, all with the connection put in front of the arguments.
macro_rules! forward {
    ($($module:ident :: $target:ident as $method:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)*) => {$(
        fn $method(&self, $($argument: $kind),*) -> Result<$answer> {
            $module::$target(self.connection, $($argument),*)
        }
    )*};
    (mut $($module:ident :: $target:ident as $method:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)*) => {$(
        fn $method(&mut self, $($argument: $kind),*) -> Result<$answer> {
            $module::$target(self.view.connection, $($argument),*)
        }
    )*};
    (view $($method:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)*) => {$(
        fn $method(&self, $($argument: $kind),*) -> Result<$answer> {
            self.view.$method($($argument),*)
        }
    )*};
}

impl ActivityRows for View<'_> {
    forward! {
        activities::of_conversation as activities(memory: MemoryRef, conversation: ConversationId) -> Vec<Activity>;
    }
}

impl ActivityRows for Transaction<'_> {
    forward! { view
        activities(memory: MemoryRef, conversation: ConversationId) -> Vec<Activity>;
    }
}

impl ActivityTx for Transaction<'_> {
    forward! { mut
        activities::add as add_activity(memory: MemoryRef, conversation: ConversationId, activity: &Activity) -> ();
    }
}

impl UsageRows for View<'_> {
    forward! {
        usage::list as usage(vault: VaultId, since: Date) -> Vec<Usage>;
        usage::cost as cost_since(since: Date) -> u64;
        usage::reply as kept_reply(vault: VaultId, asked: &AskedHash) -> Option<Reply>;
    }
}

impl UsageRows for Transaction<'_> {
    forward! { view
        usage(vault: VaultId, since: Date) -> Vec<Usage>;
        cost_since(since: Date) -> u64;
        kept_reply(vault: VaultId, asked: &AskedHash) -> Option<Reply>;
    }
}

impl UsageTx for Transaction<'_> {
    forward! { mut
        usage::add as add_usage(vault: VaultId, usage: &Usage) -> ();
        usage::keep_reply as keep_reply(vault: VaultId, asked: &AskedHash, reply: &Reply, at: Timestamp) -> ();
        usage::drop_replies as drop_replies(vault: VaultId, before: Option<Timestamp>) -> ();
    }
}

impl Snapshot for View<'_> {
    forward! {
        vaults::by_id as vault(id: VaultId) -> Option<VaultInfo>;
        vaults::by_name as vault_named(name: &Name) -> Option<VaultInfo>;
        vaults::list as vaults(after: Option<&Name>, limit: usize) -> Vec<VaultInfo>;
        vaults::memory as memory(memory: MemoryRef) -> Option<Memory>;
        vaults::memory_named as memory_named(vault: VaultId, name: &Name) -> Option<Memory>;
        vaults::memories as memories(vault: VaultId, after: Option<&Name>, limit: usize) -> Vec<Memory>;
        vaults::chats as chats(vault: VaultId, person: &Person, limit: usize) -> Vec<Memory>;
        vaults::with_memory as vault_and_memory(vault: &Address<VaultId>, memory: &Address<MemoryId>) -> Option<(VaultInfo, Option<Memory>)>;
        entries::by_id as entry(memory: MemoryRef, id: EntryId) -> Option<Entry>;
        entries::each as each_entry(memory: MemoryRef, ids: &[EntryId]) -> Vec<Option<Entry>>;
        entries::list as entries(memory: MemoryRef, query: &EntryQuery) -> Vec<Entry>;
        entries::arrivals as arrivals(memory: MemoryRef, behind: u64, limit: usize) -> Vec<Entry>;
        entries::standings as standings(memory: MemoryRef, up_to: u64) -> Vec<Standing>;
        entries::before as before(memory: MemoryRef, time: Timestamp, speakers: Speakers) -> Option<Neighbour>;
        entries::after as after(memory: MemoryRef, time: Timestamp, speakers: Speakers) -> Option<Neighbour>;
        conversations::by_id as conversation(memory: MemoryRef, id: ConversationId) -> Option<Conversation>;
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
        jobs::by_id as job(id: JobId) -> Option<Job>;
        jobs::next as next_job(queue: Queue, now: Timestamp) -> Option<Job>;
        jobs::list as jobs(vault: Option<VaultId>, limit: usize) -> Vec<Job>;
        keys::list as keys() -> Vec<Key>;
    }
}

impl Snapshot for Transaction<'_> {
    fn vault(&self, id: VaultId) -> Result<Option<VaultInfo>> {
        vaults::hold(self.view.connection, id)
    }

    fn vault_named(&self, name: &Name) -> Result<Option<VaultInfo>> {
        vaults::hold_named(self.view.connection, name)
    }

    fn job(&self, id: JobId) -> Result<Option<Job>> {
        jobs::hold(self.view.connection, id)
    }

    fn next_job(&self, queue: Queue, now: Timestamp) -> Result<Option<Job>> {
        jobs::take(self.view.connection, queue, now)
    }

    forward! { view
        vaults(after: Option<&Name>, limit: usize) -> Vec<VaultInfo>;
        memory(memory: MemoryRef) -> Option<Memory>;
        memory_named(vault: VaultId, name: &Name) -> Option<Memory>;
        memories(vault: VaultId, after: Option<&Name>, limit: usize) -> Vec<Memory>;
        chats(vault: VaultId, person: &Person, limit: usize) -> Vec<Memory>;
        entry(memory: MemoryRef, id: EntryId) -> Option<Entry>;
        entries(memory: MemoryRef, query: &EntryQuery) -> Vec<Entry>;
        arrivals(memory: MemoryRef, behind: u64, limit: usize) -> Vec<Entry>;
        standings(memory: MemoryRef, up_to: u64) -> Vec<Standing>;
        before(memory: MemoryRef, time: Timestamp, speakers: Speakers) -> Option<Neighbour>;
        after(memory: MemoryRef, time: Timestamp, speakers: Speakers) -> Option<Neighbour>;
        conversation(memory: MemoryRef, id: ConversationId) -> Option<Conversation>;
        conversation_named(memory: MemoryRef, name: &Name) -> Option<Conversation>;
        conversations(memory: MemoryRef, query: &ConversationQuery) -> Vec<Conversation>;
        surplus(memory: MemoryRef, keep: u64) -> Vec<Conversation>;
        branches(memory: MemoryRef, id: ConversationId) -> Vec<Branch>;
        endings(memory: MemoryRef, since: Timestamp, until: Timestamp) -> Vec<Timestamp>;
        context(memory: MemoryRef, version: ContextVersion) -> Option<ContextDocument>;
        contexts(memory: MemoryRef, before: Option<u64>, limit: usize) -> Vec<ContextDocument>;
        receipt(vault: Option<VaultId>, key: &Name) -> Option<KeptReceipt>;
        jobs(vault: Option<VaultId>, limit: usize) -> Vec<Job>;
        keys() -> Vec<Key>;
    }
}

impl Tx for Transaction<'_> {
    fn snapshot(&self) -> &dyn Snapshot {
        // Not the bare view: what a verb reads through this is held, too.
        self
    }

    forward! { mut
        vaults::put as put_vault(vault: &VaultInfo) -> ();
        vaults::put_memory as put_memory(vault: VaultId, memory: &Memory) -> ();
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

    forward! { mut
        forget::entries as remove_entries(memory: MemoryRef, entries: &[EntryId]) -> u64;
        forget::conversation as remove_conversation(memory: MemoryRef, id: ConversationId) -> Removed;
        forget::memory as remove_memory(memory: MemoryRef) -> Removed;
        forget::vault as remove_vault(id: VaultId) -> Removed;
    }
}

impl ChapterRows for View<'_> {
    forward! {
        chapters::list as chapters(memory: MemoryRef, behind: Option<Cursor>, limit: Option<usize>) -> Vec<Chapter>;
        chapters::last as last_chapter(memory: MemoryRef, before: Option<Timestamp>) -> Option<Chapter>;
        chapters::through as chapters_through(memory: MemoryRef, through: Cursor) -> (u64, Option<Timestamp>);
        chapters::versions as summaries(memory: MemoryRef, before: Option<u64>, limit: Option<usize>) -> Vec<RollingSummary>;
    }
}

impl ChapterRows for Transaction<'_> {
    forward! { view
        chapters(memory: MemoryRef, behind: Option<Cursor>, limit: Option<usize>) -> Vec<Chapter>;
        last_chapter(memory: MemoryRef, before: Option<Timestamp>) -> Option<Chapter>;
        chapters_through(memory: MemoryRef, through: Cursor) -> (u64, Option<Timestamp>);
        summaries(memory: MemoryRef, before: Option<u64>, limit: Option<usize>) -> Vec<RollingSummary>;
    }
}

impl ChapterTx for Transaction<'_> {
    forward! { mut
        chapters::put as put_chapter(vault: VaultId, chapter: &Chapter) -> ();
        chapters::add_version as add_summary(vault: VaultId, summary: &RollingSummary) -> ();
    }

    forward! { mut
        chapters::remove as remove_chapter(memory: MemoryRef, id: ChapterId) -> ();
        chapters::remove_from as remove_chapters(memory: MemoryRef, from: Cursor) -> u64;
        chapters::remove_versions as remove_summaries(memory: MemoryRef, from: Cursor) -> u64;
    }
}

impl ContextTx for Transaction<'_> {
    forward! { mut
        contexts::remove as remove_contexts(memory: MemoryRef, by: &[ContextBy]) -> u64;
    }
}

impl FactRows for View<'_> {
    forward! {
        facts::by_id as fact(memory: MemoryRef, id: FactId) -> Option<Fact>;
        facts::list as facts(memory: MemoryRef) -> Vec<Fact>;
        facts::on as facts_on(memory: MemoryRef, entries: &[EntryId]) -> Vec<Fact>;
    }
}

impl FactRows for Transaction<'_> {
    forward! { view
        fact(memory: MemoryRef, id: FactId) -> Option<Fact>;
        facts(memory: MemoryRef) -> Vec<Fact>;
        facts_on(memory: MemoryRef, entries: &[EntryId]) -> Vec<Fact>;
    }
}

impl FactTx for Transaction<'_> {
    forward! { mut
        facts::put as put_fact(vault: VaultId, fact: &Fact) -> ();
    }

    forward! { mut
        facts::remove as remove_facts(memory: MemoryRef, facts: &[FactId]) -> u64;
    }
}

impl LedgerRows for View<'_> {
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

impl LedgerRows for Transaction<'_> {
    forward! { view
        ledger_head(memory: MemoryRef) -> Option<LedgerHead>;
        ledger_lines(memory: MemoryRef, which: Lines) -> Vec<LedgerLine>;
        proof_holders(vault: VaultId, proof: [u8; 32], limit: usize) -> Vec<ProofHolder>;
        requested(vault: VaultId, request: [u8; 32]) -> Vec<Requested>;
        additions(memory: MemoryRef, numbers: &[u64]) -> Vec<(u64, Addition)>;
        additions_epoch(vault: VaultId) -> u64;
        promised_time(memory: MemoryRef, text: [u8; 32]) -> Option<Timestamp>;
        promised_times(memory: MemoryRef) -> Vec<([u8; 32], Timestamp)>;
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

impl SegmentRows for View<'_> {
    forward! {
        segments::by_number as segment(memory: MemoryRef, number: u32) -> Option<Vec<u8>>;
    }
}

impl SegmentRows for Transaction<'_> {
    forward! { view
        segment(memory: MemoryRef, number: u32) -> Option<Vec<u8>>;
    }
}

impl SegmentTx for Transaction<'_> {
    forward! { mut
        segments::put as put_segment(memory: MemoryRef, number: u32, bytes: &[u8]) -> ();
    }
}
