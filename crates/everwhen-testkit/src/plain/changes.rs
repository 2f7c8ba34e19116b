//! How the oracle changes what it keeps: replaces, marks, moves and removes whole rows.

use everwhen_engine::activity::Activity;
use everwhen_engine::job::{Job, JobKind, Subject};
use everwhen_engine::key::{Key, KeyUse};
use everwhen_engine::memory::{
    BranchId, ContextBy, ContextDocument, Conversation, ConversationId, Corrected, Entry, EntryId,
    KeyId, Memory, Name, VaultId, VaultInfo,
};
use everwhen_engine::ports::{ContextTx, MemoryRef, Removed, Snapshot, Tx};
use everwhen_engine::receipt::{KeptReceipt, Receipt};
use everwhen_engine::{Error, Result};
use jiff::Timestamp;

use super::shelves::{EntryRow, ReceiptRow, Shelves};

impl Shelves {
    /// Changes entries that are known to be in this memory.
    pub(super) fn change_entries(
        &mut self,
        memory: MemoryRef,
        ids: &[EntryId],
        change: impl Fn(&mut Entry),
    ) -> Result<()> {
        for id in ids {
            let meant = |row: &&mut EntryRow| row.is_in(memory) && row.entry.id == *id;
            let row = self.entries.iter_mut().find(meant);
            let row = row.ok_or_else(|| Error::damaged(format!("no entry {id} to change")))?;
            change(&mut row.entry);
        }
        Ok(())
    }

    /// The receipt kept under this key no longer says what was stored.
    fn blank_receipt(&mut self, vault: VaultId, key: &Name) {
        let meant = |row: &&mut ReceiptRow| row.vault == Some(vault) && row.key == *key;
        self.receipts.iter_mut().filter(meant).for_each(|row| row.kept.receipt = None);
    }

    fn remove_entries_where(&mut self, doomed: impl Fn(&EntryRow) -> bool) -> u64 {
        let (gone, kept): (Vec<_>, Vec<_>) = self.entries.drain(..).partition(doomed);
        self.entries = kept;
        self.blank_lines(&gone.iter().map(|row| row.entry.id).collect::<Vec<EntryId>>());
        let is_touched = |place: &MemoryRef| gone.iter().any(|row| row.is_in(*place));
        self.segments.retain(|(place, _, _)| !is_touched(place));
        for row in &gone {
            if let Some(key) = &row.receipt {
                self.blank_receipt(row.vault, key);
            }
        }
        gone.len() as u64
    }

    /// Removes what lies in the memories for which `doomed` holds.
    fn remove_memories_where(&mut self, doomed: impl Fn(MemoryRef) -> bool) -> Removed {
        let lies = |vault: VaultId, memory| doomed(MemoryRef { vault, memory });
        self.merged.retain(|(place, _, _)| !doomed(*place));
        self.endings.retain(|(place, _)| !doomed(*place));
        self.chapters.retain(|row| !lies(row.0, row.1.memory));
        self.summaries.retain(|row| !lies(row.0, row.1.memory));
        self.remove_ledgers_where(&doomed);
        self.segments.retain(|(place, _, _)| !doomed(*place));
        self.activities.retain(|(place, _, _)| !doomed(*place));
        Removed {
            entries: self.remove_entries_where(|row| lies(row.vault, row.entry.memory)),
            memories: drop_rows(&mut self.memories, |row| lies(row.0, row.1.id)),
            conversations: drop_rows(&mut self.conversations, |row| lies(row.0, row.1.memory)),
            contexts: drop_rows(&mut self.contexts, |row| lies(row.0, row.1.memory)),
            jobs: drop_rows(&mut self.jobs, |job| lies(job.vault, job.memory)),
            facts: drop_rows(&mut self.facts, |row| lies(row.0, row.1.memory)),
            ..Removed::default()
        }
    }
}

/// Removes rows and says how many.
pub(super) fn drop_rows<T>(rows: &mut Vec<T>, doomed: impl Fn(&T) -> bool) -> u64 {
    let before = rows.len();
    rows.retain(|row| !doomed(row));
    (before - rows.len()) as u64
}

fn is_conversation(
    (vault, row): &(VaultId, Conversation),
    memory: MemoryRef,
    id: ConversationId,
) -> bool {
    *vault == memory.vault && row.memory == memory.memory && row.id == id
}

/// Puts a row in the place of the one it is the same as.
pub(super) fn replace<T>(rows: &mut Vec<T>, new: T, same: impl Fn(&T) -> bool) {
    rows.retain(|row| !same(row));
    rows.push(new);
}

impl Tx for Shelves {
    fn snapshot(&self) -> &dyn Snapshot {
        self
    }

    fn put_vault(&mut self, vault: &VaultInfo) -> Result<()> {
        replace(&mut self.vaults, vault.clone(), |row| row.id == vault.id);
        Ok(())
    }

    fn put_memory(&mut self, vault: VaultId, memory: &Memory) -> Result<()> {
        let same = |row: &(VaultId, Memory)| row.0 == vault && row.1.id == memory.id;
        replace(&mut self.memories, (vault, memory.clone()), same);
        Ok(())
    }

    fn add_entry(&mut self, vault: VaultId, entry: &Entry, receipt: Option<&Name>) -> Result<()> {
        self.entries.push(EntryRow { vault, entry: entry.clone(), receipt: receipt.cloned() });
        Ok(())
    }

    fn mark_corrected(
        &mut self,
        memory: MemoryRef,
        id: EntryId,
        corrected: Corrected,
    ) -> Result<()> {
        self.change_entries(memory, &[id], |entry| entry.corrected = Some(corrected))
    }

    fn mark_branch(
        &mut self,
        memory: MemoryRef,
        entries: &[EntryId],
        branch: BranchId,
        at: Timestamp,
    ) -> Result<()> {
        self.change_entries(memory, entries, |entry| entry.branch = Some((branch, at)))
    }

    fn move_entries(
        &mut self,
        memory: MemoryRef,
        entries: &[EntryId],
        to: ConversationId,
    ) -> Result<()> {
        self.change_entries(memory, entries, |entry| entry.conversation = to)
    }

    fn remove_entries(&mut self, memory: MemoryRef, entries: &[EntryId]) -> Result<u64> {
        let doomed = |row: &EntryRow| row.is_in(memory) && entries.contains(&row.entry.id);
        Ok(self.remove_entries_where(doomed))
    }

    fn put_conversation(&mut self, vault: VaultId, conversation: &Conversation) -> Result<()> {
        let same = |row: &(VaultId, Conversation)| row.0 == vault && row.1.id == conversation.id;
        replace(&mut self.conversations, (vault, conversation.clone()), same);
        Ok(())
    }

    fn merge_conversation(
        &mut self,
        memory: MemoryRef,
        from: ConversationId,
        into: ConversationId,
    ) -> Result<()> {
        let moved = |row: &&mut EntryRow| row.is_in(memory) && row.entry.conversation == from;
        self.entries.iter_mut().filter(moved).for_each(|row| row.entry.conversation = into);
        drop_rows(&mut self.conversations, |row| is_conversation(row, memory, from));
        let moved =
            |row: &&mut (MemoryRef, ConversationId, Activity)| (row.0, row.1) == (memory, from);
        self.activities.iter_mut().filter(moved).for_each(|row| row.1 = into);
        self.merged.push((memory, from, into));
        Ok(())
    }

    fn remove_conversation(&mut self, memory: MemoryRef, id: ConversationId) -> Result<Removed> {
        let conversations =
            drop_rows(&mut self.conversations, |row| is_conversation(row, memory, id));
        let about = Subject::Conversation(id);
        let jobs = drop_rows(&mut self.jobs, |job| job.place() == memory && job.subject == about);
        self.activities.retain(|row| (row.0, row.1) != (memory, id));
        let gone: Vec<ConversationId> = self.other_names(memory, id);
        self.merged.retain(|(place, from, _)| *place != memory || !gone.contains(from));
        Ok(Removed { conversations, jobs, ..Removed::default() })
    }

    fn add_ending(&mut self, memory: MemoryRef, at: Timestamp) -> Result<()> {
        replace(&mut self.endings, (memory, at), |row| *row == (memory, at));
        Ok(())
    }

    fn add_context(&mut self, vault: VaultId, context: &ContextDocument) -> Result<()> {
        self.contexts.push((vault, context.clone()));
        Ok(())
    }

    fn keep_receipt(
        &mut self,
        vault: Option<VaultId>,
        key: &Name,
        digest: [u8; 32],
        receipt: &Receipt,
    ) -> Result<()> {
        let kept = KeptReceipt { digest, receipt: Some(receipt.clone()) };
        let same = |row: &ReceiptRow| row.vault == vault && row.key == *key;
        replace(&mut self.receipts, ReceiptRow { vault, key: key.clone(), kept }, same);
        Ok(())
    }

    fn put_job(&mut self, job: &Job) -> Result<()> {
        let same =
            |row: &Job| (row.vault, row.kind, row.subject) == (job.vault, job.kind, job.subject);
        replace(&mut self.jobs, job.clone(), same);
        Ok(())
    }

    fn remove_job(&mut self, vault: VaultId, kind: JobKind, subject: Subject) -> Result<()> {
        self.jobs.retain(|job| (job.vault, job.kind, job.subject) != (vault, kind, subject));
        Ok(())
    }

    fn add_key(&mut self, key: &Key) -> Result<()> {
        self.keys.push(key.clone());
        Ok(())
    }

    fn note_key_use(&mut self, used: KeyUse) -> Result<()> {
        let meant = |key: &&mut Key| (key.vault, key.id) == (used.vault, used.key);
        for key in self.keys.iter_mut().filter(meant) {
            key.last_used_at = key.last_used_at.max(Some(used.at));
        }
        Ok(())
    }

    fn remove_key(&mut self, id: KeyId) -> Result<bool> {
        Ok(drop_rows(&mut self.keys, |key| key.id == id) > 0)
    }

    fn remove_memory(&mut self, memory: MemoryRef) -> Result<Removed> {
        Ok(self.remove_memories_where(|place| place == memory))
    }

    fn remove_vault(&mut self, id: VaultId) -> Result<Removed> {
        let inside = self.remove_memories_where(|place| place.vault == id);
        self.receipts.retain(|row| row.vault != Some(id));
        self.usage.retain(|(vault, _)| *vault != id);
        self.replies.retain(|row| row.vault != id);
        self.addition_epochs.retain(|(vault, _)| *vault != id);
        let vaults = drop_rows(&mut self.vaults, |vault| vault.id == id);
        let keys = drop_rows(&mut self.keys, |key| key.vault == id);
        Ok(Removed { vaults, keys, ..inside })
    }
}

impl ContextTx for Shelves {
    fn remove_contexts(&mut self, memory: MemoryRef, by: &[ContextBy]) -> Result<u64> {
        Ok(drop_rows(&mut self.contexts, |(vault, context)| {
            let inside = *vault == memory.vault && context.memory == memory.memory;
            inside && by.contains(&context.by)
        }))
    }
}
