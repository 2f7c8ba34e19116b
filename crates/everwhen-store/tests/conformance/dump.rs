//! Everything a store holds, to compare with another, and what must be true of it in itself.

use everwhen_engine::Result;
use everwhen_engine::job::{Job, JobKind, Subject};
use everwhen_engine::memory::{
    Branch, ContextDocument, Conversation, ConversationId, Entry, Memory, VaultId, VaultInfo,
};
use everwhen_engine::ports::{
    ArchiveFilter, ContextSelection, ConversationQuery, EntryQuery, JobSelection, MemoryRef,
    MemorySelection, Snapshot, Which,
};
use everwhen_engine::receipt::KeptReceipt;
use jiff::Timestamp;

use crate::rows::name;

/// All rows.
#[derive(Debug, PartialEq)]
pub(crate) struct Dump {
    vaults: Vec<(VaultInfo, Vec<Option<KeptReceipt>>)>,
    pub(crate) memories: Vec<MemoryDump>,
    jobs: Vec<Job>,
}

/// All rows of one memory.
#[derive(Debug, PartialEq)]
pub(crate) struct MemoryDump {
    memory: Memory,
    pub(crate) entries: Vec<Entry>,
    pub(crate) conversations: Vec<Conversation>,
    branches: Vec<Vec<Branch>>,
    endings: Vec<Timestamp>,
    contexts: Vec<ContextDocument>,
    surplus: Vec<Conversation>,
    /// What ids that were once given answer as.
    answers: Vec<Option<ConversationId>>,
}

/// Everything, and as whom the conversations that were once known answer.
pub(crate) fn dump(rows: &dyn Snapshot, known: &[ConversationId]) -> Result<Dump> {
    let (mut vaults, mut memories) = (Vec::new(), Vec::new());
    for vault in rows.vaults(None, 999)? {
        for memory in rows.memories(vault.id, MemorySelection::Named(None, 999))? {
            memories.push(dump_memory(rows, vault.id, memory, known)?);
        }
        let receipt = |key| rows.receipt(Some(vault.id), &name(&format!("key {key}")));
        let receipts = (0..3).map(receipt).collect::<Result<_>>()?;
        vaults.push((vault, receipts));
    }
    Ok(Dump { vaults, memories, jobs: rows.jobs(JobSelection::Due(None, 999))? })
}

fn dump_memory(
    rows: &dyn Snapshot,
    vault: VaultId,
    memory: Memory,
    known: &[ConversationId],
) -> Result<MemoryDump> {
    let place = MemoryRef { vault, memory: memory.id };
    let all = EntryQuery { which: Which::All, ..EntryQuery::default() };
    let both = ConversationQuery { archive: ArchiveFilter::Both, ..ConversationQuery::default() };
    let conversations = rows.conversations(place, &both)?;
    let branches = conversations.iter().map(|one| rows.branches(place, one.id));
    let answers = known.iter().map(|id| Ok(rows.conversation(place, *id)?.map(|one| one.id)));
    Ok(MemoryDump {
        entries: rows.entries(place, &all)?,
        branches: branches.collect::<Result<_>>()?,
        endings: rows.endings(place, Timestamp::MIN, Timestamp::MAX)?,
        contexts: rows.contexts(place, ContextSelection::All, 999)?,
        surplus: rows.surplus(place, 1)?,
        answers: answers.collect::<Result<_>>()?,
        conversations,
        memory,
    })
}

impl Dump {
    /// Fails if rows contradict each other.
    pub(crate) fn check(&self) {
        for memory in &self.memories {
            memory.check();
            memory.conversations.iter().for_each(|one| self.check_jobs(one));
        }
        for job in &self.jobs {
            let lives =
                |memory: &MemoryDump| job.subject.conversation().is_none_or(|id| memory.has(id));
            assert!(self.memories.iter().any(lives), "nothing left to do: {job:?}");
        }
    }

    /// An open conversation has a timer, an ended one has none, or waits for its summary.
    fn check_jobs(&self, one: &Conversation) {
        let has = |kind| {
            let about = Subject::Conversation(one.id);
            let same = |job: &&Job| job.subject == about && job.kind == kind;
            self.jobs.iter().filter(same).count()
        };
        let open = usize::from(one.ended.is_none());
        assert_eq!(has(JobKind::Close), open, "the timer of {one:?}");
        assert!(open == 1 || one.summary.is_some() || has(JobKind::Summarize) == 1, "{one:?}");
    }
}

impl MemoryDump {
    fn has(&self, id: ConversationId) -> bool {
        self.conversations.iter().any(|one| one.id == id)
    }

    fn check(&self) {
        let stray = self.entries.iter().find(|entry| !self.has(entry.conversation));
        assert_eq!(stray, None, "an entry without a conversation");
        let mut sequences: Vec<u64> = self.entries.iter().map(|entry| entry.sequence).collect();
        sequences.sort_unstable();
        sequences.dedup();
        assert_eq!(sequences.len(), self.entries.len());
        assert!(sequences.last().is_none_or(|last| *last <= self.memory.last_sequence));
        self.conversations.iter().for_each(|one| self.check_conversation(one));
        if let Some((question, _)) = self.memory.waiting {
            assert!(self.entries.iter().any(|entry| entry.id == question), "nobody asked");
        }
    }

    fn check_conversation(&self, one: &Conversation) {
        let own: Vec<&Entry> = self.entries.iter().filter(|e| e.conversation == one.id).collect();
        assert!(!own.is_empty(), "an empty conversation: {one:?}");
        let current = || own.iter().filter(|e| e.corrected.is_none() && e.branch.is_none());
        let times = || current().map(|entry| entry.conversation_time);
        assert_eq!(one.entries, times().count() as u64, "the count of {one:?}");
        if let (Some(first), Some(last)) = (times().min(), times().max()) {
            assert_eq!((one.started_at, one.last_at), (first, last), "{one:?}");
        }
        if one.ended.is_none() {
            assert_eq!((one.archived_at, one.restored_at, &one.summary), (None, None, &None));
        }
    }
}
