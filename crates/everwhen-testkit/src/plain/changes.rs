//! How the oracle changes what it keeps: replaces, marks, moves and removes whole rows.

use everwhen_engine::activity::Activity;
use everwhen_engine::job::{Epoch, Job, Subject};
use everwhen_engine::key::Key;
use everwhen_engine::memory::{Conversation, ConversationId, EntryId, Memory, Name, VaultId};
use everwhen_engine::ports::{
    EntryChange, Erasure, MemoryRef, Removal, Removed, Row, Snapshot, Tombstone, TombstoneOwner, Tx,
};
use everwhen_engine::receipt::KeptReceipt;
use everwhen_engine::{Error, Result};

use super::state::{EntryRow, ReceiptRow, State};

impl State {
    /// The receipt kept under this key no longer says what was stored.
    fn blank_receipt(&mut self, vault: VaultId, key: &Name) {
        let meant = |row: &&mut ReceiptRow| row.vault == Some(vault) && row.key == *key;
        self.receipts.iter_mut().filter(meant).for_each(|row| row.kept.receipt = None);
    }

    fn remove_entries_where(&mut self, doomed: impl Fn(&EntryRow) -> bool) -> u64 {
        let (gone, kept): (Vec<_>, Vec<_>) = self.entries.drain(..).partition(doomed);
        self.entries = kept;
        self.blank_lines(&gone.iter().map(|row| row.entry.id).collect::<Vec<EntryId>>());
        self.segments.retain(|(place, (after, through), _)| {
            let covered = after + 1..=*through;
            !gone.iter().any(|row| row.is_in(*place) && covered.contains(&row.entry.sequence))
        });
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
        self.forget_past_where(&doomed);
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

/// Puts a row in place of the one it is the same as.
pub(super) fn replace<T>(rows: &mut Vec<T>, new: T, same: impl Fn(&T) -> bool) {
    rows.retain(|row| !same(row));
    rows.push(new);
}

impl State {
    /// Puts a row that concerns a memory as a whole.
    fn put_plain(&mut self, row: Row<'_>) {
        match row {
            Row::Vault(vault) => {
                replace(&mut self.vaults, vault.clone(), |row| row.id == vault.id);
            }
            Row::Memory(vault, memory) => {
                let same = |row: &(VaultId, Memory)| row.0 == vault && row.1.id == memory.id;
                replace(&mut self.memories, (vault, memory.clone()), same);
            }
            Row::Entry(vault, entry, receipt) => {
                let (entry, receipt) = (entry.clone(), receipt.cloned());
                self.entries.push(EntryRow { vault, entry, receipt, is_retagged: false });
            }
            Row::Conversation(vault, one) => {
                let same = |row: &(VaultId, Conversation)| row.0 == vault && row.1.id == one.id;
                replace(&mut self.conversations, (vault, one.clone()), same);
            }
            Row::Ending(memory, at) => {
                replace(&mut self.endings, (memory, at), |row| *row == (memory, at));
            }
            Row::Activity(memory, one, activity) => {
                self.activities.push((memory, one, activity.clone()));
            }
            Row::Context(vault, context) => self.contexts.push((vault, context.clone())),
            Row::Fact(vault, fact) => self.put_fact(vault, fact),
            Row::Chapter(vault, chapter) => self.put_chapter(vault, chapter),
            Row::Summary(vault, summary) => self.summaries.push((vault, summary.clone())),
            Row::Past(memory, what, until) => self.keep_past(memory, what, until),
            Row::Segment(memory, (after, through), parts) => {
                self.segments.retain(|(place, (other, _), _)| {
                    *place != memory || !(after..through).contains(other)
                });
                self.segments.push((memory, (after, through), parts.map(<[u8]>::to_vec)));
            }
            other => self.put_other(other),
        }
    }

    /// Puts a row of the ledger, or one that belongs to no memory.
    fn put_other(&mut self, row: Row<'_>) {
        match row {
            Row::LedgerHead(memory, head) => self.put_head(memory, head),
            Row::LedgerLine(memory, line) => self.put_line(memory, line),
            Row::PromisedTime(memory, text, time) => self.promise(memory, text, time),
            Row::Proof(memory, proof) => self.put_proof(memory, proof),
            Row::Addition(memory, number, added) => self.put_addition(memory, number, added),
            Row::Receipt(vault, key, digest, receipt) => {
                let kept = KeptReceipt { digest, receipt: Some(receipt.clone()) };
                let same = |row: &ReceiptRow| row.vault == vault && row.key == *key;
                replace(&mut self.receipts, ReceiptRow { vault, key: key.clone(), kept }, same);
            }
            Row::Tombstone(owner, row) => {
                let same = |one: &(TombstoneOwner, Tombstone)| {
                    one.0 == owner && (one.1.kind, one.1.hash) == (row.kind, row.hash)
                };
                replace(&mut self.tombstones, (owner, *row), same);
            }
            Row::Job(job) => {
                let about = |job: &Job| (job.vault, job.kind, job.subject);
                // The epoch belongs to one claim; it is not stored.
                let stored = Job { epoch: Epoch::default(), ..job.clone() };
                replace(&mut self.jobs, stored, |row| about(row) == about(job));
            }
            Row::Key(key) => self.keys.push(key.clone()),
            Row::KeyUse(used) => {
                let meant = |key: &&mut Key| (key.vault, key.id) == (used.vault, used.key);
                for key in self.keys.iter_mut().filter(meant) {
                    key.last_used_at = key.last_used_at.max(Some(used.at));
                }
            }
            Row::Usage(vault, usage) => self.add_usage(vault, usage),
            Row::Reply(vault, asked, reply, at, epoch) => {
                if self.epoch_of(vault).is_ok_and(|now| now == epoch) {
                    self.put_reply(vault, asked, reply, at);
                }
            }
            other => unreachable!("{other:?} was put before"),
        }
    }

    fn erase_conversation(&mut self, memory: MemoryRef, id: ConversationId) -> Removed {
        let conversations =
            drop_rows(&mut self.conversations, |row| is_conversation(row, memory, id));
        let about = Subject::Conversation(id);
        let jobs = drop_rows(&mut self.jobs, |job| job.place() == memory && job.subject == about);
        self.activities.retain(|row| (row.0, row.1) != (memory, id));
        self.forget_past_conversation(memory, id);
        let gone: Vec<ConversationId> = self.other_names(memory, id);
        self.merged.retain(|(place, from, _)| *place != memory || !gone.contains(from));
        Removed { conversations, jobs, ..Removed::default() }
    }

    fn erase_vault(&mut self, id: VaultId) -> Removed {
        let inside = self.remove_memories_where(|place| place.vault == id);
        self.receipts.retain(|row| row.vault != Some(id));
        self.usage.retain(|(vault, _)| *vault != id);
        self.replies.retain(|row| row.vault != id);
        self.addition_epochs.retain(|(vault, _)| *vault != id);
        self.tombstones.retain(|(owner, _)| match owner {
            TombstoneOwner::Vault(vault) => *vault != id,
            TombstoneOwner::Memory(place) => place.vault != id,
            TombstoneOwner::Name(_) => true,
        });
        let vaults = drop_rows(&mut self.vaults, |vault| vault.id == id);
        let keys = drop_rows(&mut self.keys, |key| key.vault == id);
        Removed { vaults, keys, ..inside }
    }
}

impl Tx for State {
    fn snapshot(&self) -> &dyn Snapshot {
        self
    }

    fn put(&mut self, row: Row<'_>) -> Result<()> {
        self.put_plain(row);
        Ok(())
    }

    fn change_entries(
        &mut self,
        memory: MemoryRef,
        entries: &[EntryId],
        change: EntryChange<'_>,
    ) -> Result<()> {
        for id in entries {
            let meant = |row: &&mut EntryRow| row.is_in(memory) && row.entry.id == *id;
            let row = self.entries.iter_mut().find(meant);
            let row = row.ok_or_else(|| Error::damaged(format!("no entry {id} to change")))?;
            match change {
                EntryChange::Corrected(corrected) => row.entry.corrected = Some(corrected),
                EntryChange::Branch(branch, at) => row.entry.branch = Some((branch, at)),
                EntryChange::Rejoin => row.entry.branch = None,
                EntryChange::Conversation(to) => row.entry.conversation = to,
                EntryChange::Tags(tags, _) => {
                    (row.entry.tags, row.is_retagged) = (tags.to_vec(), true);
                }
            }
        }
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

    fn remove(&mut self, rows: Removal<'_>) -> Result<u64> {
        Ok(match rows {
            Removal::Entries(memory, ids) => {
                self.forget_past_entries(memory, ids);
                self.remove_entries_where(|row| row.is_in(memory) && ids.contains(&row.entry.id))
            }
            Removal::Contexts(memory, by) => drop_rows(&mut self.contexts, |(vault, context)| {
                let inside = *vault == memory.vault && context.memory == memory.memory;
                inside && by.contains(&context.by)
            }),
            Removal::Context(memory, version) => {
                drop_rows(&mut self.contexts, |(vault, context)| {
                    let inside = *vault == memory.vault && context.memory == memory.memory;
                    inside && context.version == version
                })
            }
            Removal::Facts(memory, ids) => self.remove_facts(memory, ids),
            Removal::Chapter(memory, id) => self.remove_chapter(memory, id),
            Removal::Chapters(memory, from) => self.remove_chapters(memory, from),
            Removal::Summaries(memory, from) => self.remove_summaries(memory, from),
            Removal::PromisedTime(memory, text) => self.remove_promise(memory, text),
            Removal::Additions(vault) => self.remove_additions(vault)?,
            Removal::Replies(vault, before) => self.remove_replies(vault, before),
            Removal::Tombstones(owner) => drop_rows(&mut self.tombstones, |row| row.0 == owner),
            Removal::Job(vault, kind, subject) => drop_rows(&mut self.jobs, |job| {
                (job.vault, job.kind, job.subject) == (vault, kind, subject)
            }),
            Removal::Key(id) => drop_rows(&mut self.keys, |key| key.id == id),
        })
    }

    fn erase(&mut self, what: Erasure) -> Result<Removed> {
        Ok(match what {
            Erasure::Conversation(memory, id) => self.erase_conversation(memory, id),
            Erasure::Memory(memory) => self.remove_memories_where(|place| place == memory),
            Erasure::Vault(id) => self.erase_vault(id),
        })
    }
}
