//! What the oracle keeps, and how it finds it: one list for each kind of row, searched in full.

use std::collections::BTreeMap;

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
    Addition, ArchiveFilter, AskedHash, Buckets, ChapterSelection, ContextSelection,
    ConversationOrder, ConversationQuery, ConversationSelection, Cursor, EachOf, EntryQuery,
    EntryState, FactSelection, JobSelection, LedgerHead, LedgerLine, LedgerLines, LedgerSelection,
    MemoryRef, MemorySelection, Neighbour, Order, PastEntry, PastKind, PastRows, Proof,
    ProofHolder, ReceiptSelection, Reply, Snapshot, Speakers, TimeAxis, TimeSide, Tombstone,
    TombstoneKind, TombstoneOwner, VaultSelection, Which,
};
use everwhen_engine::receipt::KeptReceipt;
use everwhen_engine::usage::Usage;
use jiff::{Timestamp, civil::Date};

use super::past::Past;
use super::usage::ReplyRow;

/// A part of a memory's index: the sequence numbers that it covers, and its bytes.
pub(super) type StoredSegment = (MemoryRef, (u64, u64), [Vec<u8>; 2]);

/// Everything, as rows. A row that does not name its vault itself stands beside it.
#[derive(Clone, Default)]
pub(super) struct State {
    pub(super) vaults: Vec<VaultInfo>,
    pub(super) memories: Vec<(VaultId, Memory)>,
    pub(super) entries: Vec<EntryRow>,
    pub(super) conversations: Vec<(VaultId, Conversation)>,
    /// Conversations that live on in others, by their old ids.
    pub(super) merged: Vec<(MemoryRef, ConversationId, ConversationId)>,
    pub(super) endings: Vec<(MemoryRef, Timestamp)>,
    pub(super) contexts: Vec<(VaultId, ContextDocument)>,
    pub(super) segments: Vec<StoredSegment>,
    pub(super) receipts: Vec<ReceiptRow>,
    pub(super) jobs: Vec<Job>,
    pub(super) keys: Vec<Key>,
    pub(super) ledger: Vec<(MemoryRef, LedgerLine)>,
    pub(super) ledger_heads: Vec<(MemoryRef, LedgerHead)>,
    pub(super) promised: Vec<(MemoryRef, [u8; 32], Timestamp)>,
    pub(super) proofs: Vec<(MemoryRef, Proof)>,
    pub(super) additions: Vec<(MemoryRef, u64, Addition)>,
    pub(super) addition_epochs: Vec<(VaultId, u64)>,
    pub(super) usage: Vec<(VaultId, Usage)>,
    pub(super) replies: Vec<ReplyRow>,
    pub(super) activities: Vec<(MemoryRef, ConversationId, Activity)>,
    pub(super) facts: Vec<(VaultId, Fact)>,
    pub(super) chapters: Vec<(VaultId, Chapter)>,
    pub(super) summaries: Vec<(VaultId, RollingSummary)>,
    pub(super) past: Past,
    pub(super) tombstones: Vec<(TombstoneOwner, Tombstone)>,
}

/// An entry, where it is, and the idempotency key it came with.
#[derive(Clone)]
pub(super) struct EntryRow {
    pub(super) vault: VaultId,
    pub(super) entry: Entry,
    pub(super) receipt: Option<Name>,
    pub(super) is_retagged: bool,
}

/// A receipt and the key it is kept under.
#[derive(Clone)]
pub(super) struct ReceiptRow {
    pub(super) vault: Option<VaultId>,
    pub(super) key: Name,
    pub(super) kept: KeptReceipt,
}

impl EntryRow {
    pub(super) fn is_in(&self, memory: MemoryRef) -> bool {
        self.vault == memory.vault && self.entry.memory == memory.memory
    }

    fn cursor(&self, query: &EntryQuery) -> (Timestamp, u64) {
        let Cursor { time, sequence } = query.cursor(&self.entry);
        (time, sequence)
    }
}

impl State {
    pub(super) fn entries_in(&self, memory: MemoryRef) -> impl Iterator<Item = &EntryRow> {
        self.entries.iter().filter(move |row| row.is_in(memory))
    }

    fn times(&self, memory: MemoryRef, axis: TimeAxis, which: Which) -> Vec<Timestamp> {
        let seen = self.entries_in(memory).map(|row| self.seen(row, which));
        seen.filter(|row| is_in_force(&row.entry, which))
            .map(|row| match axis {
                TimeAxis::ConversationTime => row.entry.conversation_time,
                TimeAxis::CreationTime => row.entry.creation_time,
            })
            .collect()
    }

    pub(super) fn conversations_in(
        &self,
        memory: MemoryRef,
    ) -> impl Iterator<Item = &Conversation> {
        let inside = move |row: &&(VaultId, Conversation)| {
            row.0 == memory.vault && row.1.memory == memory.memory
        };
        self.conversations.iter().filter(inside).map(|(_, conversation)| conversation)
    }

    fn contexts_in(&self, memory: MemoryRef) -> impl Iterator<Item = &ContextDocument> {
        let inside = move |row: &&(VaultId, ContextDocument)| {
            row.0 == memory.vault && row.1.memory == memory.memory
        };
        self.contexts.iter().filter(inside).map(|(_, context)| context)
    }

    /// The id a conversation goes by today.
    fn present_id(&self, memory: MemoryRef, id: ConversationId) -> ConversationId {
        let merged = self.merged.iter().find(|(place, from, _)| *place == memory && *from == id);
        merged.map_or(id, |(_, _, into)| self.present_id(memory, *into))
    }

    /// The ids under which a conversation was known before it became this one.
    pub(super) fn other_names(&self, memory: MemoryRef, id: ConversationId) -> Vec<ConversationId> {
        let old = self.merged.iter().filter(|(place, _, _)| *place == memory);
        old.map(|(_, from, _)| *from).filter(|from| self.present_id(memory, *from) == id).collect()
    }

    /// The entry with the name its conversation has now.
    fn named(&self, row: &EntryRow) -> Entry {
        let place = MemoryRef { vault: row.vault, memory: row.entry.memory };
        let home = self.conversations_in(place).find(|one| one.id == row.entry.conversation);
        Entry { conversation_name: home.and_then(|home| home.name.clone()), ..row.entry.clone() }
    }

    /// Conversations that a query describes, in its order.
    fn matching(&self, memory: MemoryRef, query: &ConversationQuery) -> Vec<Conversation> {
        let rows = self.conversations_in(memory).filter(|one| is_listed(one, query));
        let place = |one: &Conversation| (query.by.time_of(one), one.id);
        listed(rows.cloned().collect(), place, query.order, query.from, query.limit)
    }

    /// Entries that take part in placing others by time.
    fn neighbours(&self, memory: MemoryRef, speakers: Speakers) -> Vec<&EntryRow> {
        let mut rows: Vec<&EntryRow> = self
            .entries_in(memory)
            .filter(|row| row.entry.placed_by_time && row.entry.branch.is_none())
            .filter(|row| speakers == Speakers::All || !row.entry.role.is_reply())
            .collect();
        rows.sort_by_key(|row| (row.entry.conversation_time, row.entry.sequence));
        rows
    }
}

fn neighbour(row: &EntryRow) -> Neighbour {
    Neighbour {
        time: row.entry.conversation_time,
        role: row.entry.role,
        conversation: row.entry.conversation,
    }
}

fn is_in_force(entry: &Entry, which: Which) -> bool {
    match which {
        Which::Current => entry.corrected.is_none() && entry.branch.is_none(),
        Which::AsOf(time) => {
            entry.creation_time <= time
                && entry.corrected.is_none_or(|corrected| corrected.at > time)
                && entry.branch.is_none_or(|(_, since)| since > time)
        }
        Which::Branch(id) => {
            entry.corrected.is_none() && entry.branch.is_some_and(|(branch, _)| branch == id)
        }
        Which::All => true,
    }
}

fn is_wanted(entry: &Entry, query: &EntryQuery) -> bool {
    query.has_time_of(entry)
        && is_within(entry.creation_time, query.created_after, query.created_before)
        && is_in_force(entry, query.which)
        && query.role.is_none_or(|role| entry.role == role)
        && query.tag.as_ref().is_none_or(|tag| entry.tags.contains(tag))
        && query.source.as_ref().is_none_or(|source| {
            entry.provenance.as_ref().is_some_and(|from| from.source == *source)
        })
        && query.source_ids.as_ref().is_none_or(|ids| {
            let id = entry.provenance.as_ref().and_then(|from| from.source_id.as_ref());
            id.is_some_and(|id| ids.contains(id))
        })
        && query.conversation.is_none_or(|id| entry.conversation == id)
}

fn is_within(time: Timestamp, after: Option<Timestamp>, before: Option<Timestamp>) -> bool {
    after.is_none_or(|after| after <= time) && before.is_none_or(|before| time < before)
}

fn is_listed(conversation: &Conversation, query: &ConversationQuery) -> bool {
    let archive = match query.archive {
        ArchiveFilter::Listed => conversation.archived_at.is_none(),
        ArchiveFilter::Archived => conversation.archived_at.is_some(),
        ArchiveFilter::Both => true,
    };
    let ended = conversation.ended.is_some();
    archive
        && query.ended.is_none_or(|wanted| wanted == ended)
        && (query.by != ConversationOrder::Ended || ended)
        && query.after.is_none_or(|after| conversation.last_at >= after)
        && query.before.is_none_or(|before| conversation.started_at < before)
}

/// Rows in order, behind a place, up to a limit.
fn listed<T, K: Ord>(
    mut rows: Vec<T>,
    key: impl Fn(&T) -> K,
    order: Order,
    from: Option<K>,
    limit: Option<usize>,
) -> Vec<T> {
    rows.sort_by_key(&key);
    if order == Order::Newest {
        rows.reverse();
    }
    if let Some(from) = from {
        rows.retain(|row| match order {
            Order::Oldest => key(row) > from,
            Order::Newest => key(row) < from,
        });
    }
    rows.truncate(limit.unwrap_or(usize::MAX));
    rows
}

fn behind<T: Clone>(
    rows: impl Iterator<Item = T>,
    name: impl Fn(&T) -> Name,
    after: Option<&Name>,
    limit: usize,
) -> Vec<T> {
    listed(rows.collect(), name, Order::Oldest, after.cloned(), Some(limit))
}

fn standing(entry: &Entry) -> EntryState {
    let corrected = entry.corrected.map(|corrected| corrected.at);
    let branched = entry.branch.map(|(_, at)| at);
    EntryState {
        sequence: entry.sequence,
        conversation: entry.conversation,
        gone_since: corrected.into_iter().chain(branched).min(),
    }
}

impl Snapshot for State {
    fn find_vaults(&self, which: VaultSelection<'_>) -> Result<Vec<VaultInfo>> {
        let all = self.vaults.iter().cloned();
        Ok(match which {
            VaultSelection::Id(id) => all.filter(|vault| vault.id == id).collect(),
            VaultSelection::Name(name) => all.filter(|vault| vault.name == *name).collect(),
            VaultSelection::Named(after, limit) => {
                behind(all, |vault| vault.name.clone(), after, limit)
            }
            VaultSelection::WrittenAfter(time, limit) => {
                let is_meant = |vault: &VaultInfo| {
                    let mut inside = self.memories.iter().filter(|row| row.0 == vault.id);
                    inside.any(|row| row.1.last_creation > time)
                };
                behind(all.filter(is_meant), |vault| vault.name.clone(), None, limit)
            }
        })
    }

    fn memories(&self, vault: VaultId, query: MemorySelection<'_>) -> Result<Vec<Memory>> {
        let inside = self.memories.iter().filter(|row| row.0 == vault).map(|row| row.1.clone());
        Ok(match query {
            MemorySelection::Id(id) => inside.filter(|memory| memory.id == id).collect(),
            MemorySelection::Name(name) => inside.filter(|memory| memory.name == *name).collect(),
            MemorySelection::Named(after, limit) => {
                behind(inside, |memory| memory.name.clone(), after, limit)
            }
            MemorySelection::WrittenAfter(time, limit) => {
                let meant = inside.filter(|memory| memory.last_creation > time);
                behind(meant, |memory| memory.name.clone(), None, limit)
            }
            MemorySelection::ChatsOf(person, limit) => {
                let theirs = inside.filter(|memory| memory.chat_of.as_ref() == Some(person));
                let mut rows: Vec<Memory> = theirs.collect();
                rows.sort_by_key(|memory| std::cmp::Reverse((memory.last_creation, memory.id)));
                rows.truncate(limit);
                rows
            }
        })
    }

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

    fn each_of(
        &self,
        memory: MemoryRef,
        entries: &[EntryId],
        conversations: &[ConversationId],
    ) -> Result<EachOf> {
        let entry = |id: &EntryId| {
            let found = self.entries_in(memory).find(|row| row.entry.id == *id);
            found.map(|row| self.named(row))
        };
        let conversation = |id: &ConversationId| {
            let id = self.present_id(memory, *id);
            self.conversations_in(memory).find(|one| one.id == id).cloned()
        };
        Ok((entries.iter().map(entry).collect(), conversations.iter().map(conversation).collect()))
    }

    fn entries(&self, memory: MemoryRef, query: &EntryQuery) -> Result<Vec<Entry>> {
        if let Some(after) = query.arrived_after {
            let rows = self.entries_in(memory).collect();
            let sequence = |row: &&EntryRow| row.entry.sequence;
            let rows = listed(rows, sequence, Order::Oldest, Some(after), query.limit);
            return Ok(rows.into_iter().map(|row| self.named(row)).collect());
        }
        let rows = self
            .entries_in(memory)
            .map(|row| self.seen(row, query.which))
            .filter(|row| is_wanted(&row.entry, query) && (row.is_retagged || !query.retagged));
        let rows: Vec<EntryRow> = rows.collect();
        let from = query.from.map(|Cursor { time, sequence }| (time, sequence));
        let rows = listed(rows, |row| row.cursor(query), query.order, from, query.limit);
        let entries = rows.iter().map(|row| self.named(row));
        Ok(match query.which {
            Which::AsOf(_) => entries.map(|entry| PastEntry::restore(entry, None)).collect(),
            _ => entries.collect(),
        })
    }

    fn tags(&self, memory: MemoryRef) -> Result<Vec<(Name, u64)>> {
        let mut counts = BTreeMap::new();
        let current = self.entries_in(memory).filter(|row| is_in_force(&row.entry, Which::Current));
        for tag in current.flat_map(|row| row.entry.tags.clone()) {
            *counts.entry(tag).or_default() += 1;
        }
        Ok(counts.into_iter().collect())
    }

    fn span(
        &self,
        memory: MemoryRef,
        axis: TimeAxis,
        which: Which,
    ) -> Result<Option<(Timestamp, Timestamp)>> {
        let times = self.times(memory, axis, which);
        Ok(times.iter().min().copied().zip(times.iter().max().copied()))
    }

    fn counts(
        &self,
        memory: MemoryRef,
        axis: TimeAxis,
        which: Which,
        buckets: Buckets,
    ) -> Result<Vec<u64>> {
        let mut counts = vec![0; buckets.count];
        for time in self.times(memory, axis, which) {
            if let Some(bucket) = buckets.of(time) {
                counts[bucket] += 1;
            }
        }
        Ok(counts)
    }

    fn entry_states(&self, memory: MemoryRef, up_to: u64) -> Result<Vec<EntryState>> {
        let rows = self.entries_in(memory).filter(|row| row.entry.sequence <= up_to);
        let mut entry_states: Vec<EntryState> = rows.map(|row| standing(&row.entry)).collect();
        entry_states.sort_by_key(|standing| standing.sequence);
        Ok(entry_states)
    }

    fn neighbour(
        &self,
        memory: MemoryRef,
        side: TimeSide,
        speakers: Speakers,
    ) -> Result<Option<Neighbour>> {
        let mut rows = self.neighbours(memory, speakers).into_iter();
        let found = match side {
            TimeSide::UpTo(time) => rows.rfind(|row| row.entry.conversation_time <= time),
            TimeSide::After(time) => rows.find(|row| row.entry.conversation_time > time),
        };
        Ok(found.map(neighbour))
    }

    fn find_conversations(
        &self,
        memory: MemoryRef,
        which: ConversationSelection<'_>,
    ) -> Result<Vec<Conversation>> {
        Ok(match which {
            ConversationSelection::Matching(query) => self.matching(memory, query),
            ConversationSelection::Name(name) => {
                let mut all = self.conversations_in(memory);
                all.find(|one| one.name.as_ref() == Some(name)).cloned().into_iter().collect()
            }
            ConversationSelection::Surplus(keep) => {
                let by = ConversationOrder::Ended;
                let query = ConversationQuery { ended: Some(true), by, ..Default::default() };
                let mut ended = self.matching(memory, &query);
                let keep = usize::try_from(keep).unwrap_or(usize::MAX);
                ended.truncate(ended.len().saturating_sub(keep));
                ended
            }
        })
    }

    fn branches(&self, memory: MemoryRef, id: ConversationId) -> Result<Vec<Branch>> {
        Ok(self.branches_of(memory, id))
    }

    fn endings(
        &self,
        memory: MemoryRef,
        since: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<Timestamp>> {
        let inside = self.endings.iter().filter(|(place, _)| *place == memory);
        let mut times: Vec<Timestamp> =
            inside.map(|(_, at)| *at).filter(|at| since <= *at && *at < until).collect();
        times.sort_unstable();
        Ok(times)
    }

    fn activities(&self, memory: MemoryRef, conversation: ConversationId) -> Result<Vec<Activity>> {
        Ok(self.activities_in(memory, conversation))
    }

    fn contexts(
        &self,
        memory: MemoryRef,
        versions: ContextSelection,
        limit: usize,
    ) -> Result<Vec<ContextDocument>> {
        let meant = self.contexts_in(memory).filter(|context| match versions {
            ContextSelection::All => true,
            ContextSelection::AsOf(time) => context.creation_time <= time,
            ContextSelection::Number(number) => context.version == number,
            ContextSelection::Below(version) => context.version < version,
        });
        let rows = meant.cloned().collect();
        Ok(listed(rows, |context| context.version, Order::Newest, None, Some(limit)))
    }

    fn facts(&self, memory: MemoryRef, query: FactSelection<'_>) -> Result<Vec<Fact>> {
        Ok(self.facts_in(memory, query))
    }

    fn chapters(&self, memory: MemoryRef, query: ChapterSelection) -> Result<Vec<Chapter>> {
        Ok(self.chapters_in(memory, query))
    }

    fn chapters_through(
        &self,
        memory: MemoryRef,
        through: Cursor,
    ) -> Result<(u64, Option<Timestamp>)> {
        Ok(self.count_chapters(memory, through))
    }

    fn summaries(
        &self,
        memory: MemoryRef,
        before: Option<u64>,
        limit: Option<usize>,
    ) -> Result<Vec<RollingSummary>> {
        Ok(self.summaries_in(memory, before, limit))
    }

    fn past(&self, memory: MemoryRef, at: Timestamp, kinds: &[PastKind<'_>]) -> Result<PastRows> {
        Ok(self.past_rows(memory, at, kinds))
    }

    fn segments(&self, memory: MemoryRef) -> Result<Vec<u64>> {
        let own = self.segments.iter().filter(|row| row.0 == memory);
        let mut numbers: Vec<u64> = own.map(|(_, (after, _), _)| *after).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn segment(&self, memory: MemoryRef, after: u64) -> Result<Option<[Vec<u8>; 2]>> {
        let meant = self.segments.iter().find(|row| row.0 == memory && row.1.0 == after);
        Ok(meant.map(|(_, _, parts)| parts.clone()))
    }

    fn ledger_heads(
        &self,
        vault: VaultId,
        which: LedgerSelection,
    ) -> Result<Vec<(MemoryId, LedgerHead)>> {
        Ok(self.heads_of(vault, which))
    }

    fn ledger_lines(&self, memory: MemoryRef, which: LedgerLines<'_>) -> Result<Vec<LedgerLine>> {
        self.lines_of(memory, which)
    }

    fn proof_holders(
        &self,
        vault: VaultId,
        proof: [u8; 32],
        limit: usize,
    ) -> Result<Vec<ProofHolder>> {
        self.holders_of(vault, proof, limit)
    }

    fn additions(&self, memory: MemoryRef, numbers: &[u64]) -> Result<Vec<(u64, Addition)>> {
        self.additions_in(memory, numbers)
    }

    fn forget_epoch(&self, vault: VaultId) -> Result<u64> {
        self.epoch_of(vault)
    }

    fn promised_times(
        &self,
        memory: MemoryRef,
        text: Option<[u8; 32]>,
    ) -> Result<Vec<([u8; 32], Timestamp)>> {
        Ok(self.promises_in(memory, text))
    }

    fn receipts(
        &self,
        vault: Option<VaultId>,
        which: ReceiptSelection<'_>,
    ) -> Result<Vec<(Name, KeptReceipt)>> {
        Ok(self.receipts_of(vault, which))
    }

    fn tombstones(
        &self,
        owner: TombstoneOwner,
        which: Option<(TombstoneKind, Option<[u8; 32]>)>,
    ) -> Result<Vec<Tombstone>> {
        Ok(self.tombstones_of(owner, which))
    }

    fn vault_names(&self, after: Option<&Name>, limit: usize) -> Result<Vec<(Name, VaultId)>> {
        let vaults = self.find_vaults(VaultSelection::Named(after, limit))?;
        Ok(vaults.into_iter().map(|vault| (vault.name, vault.id)).collect())
    }

    fn job_counts(&self, vault: Option<VaultId>, now: Timestamp) -> Result<Vec<JobCount>> {
        Ok(self.counts_of_jobs(vault, now))
    }

    fn jobs(&self, query: JobSelection) -> Result<Vec<Job>> {
        Ok(self.jobs_of(query))
    }

    fn keys(&self) -> Result<Vec<Key>> {
        let mut keys = self.keys.clone();
        keys.sort_by_key(|key| key.id);
        Ok(keys)
    }

    fn usage(&self, vault: VaultId, since: Date) -> Result<Vec<Usage>> {
        Ok(self.usage_of(vault, since))
    }

    fn cost_since(&self, since: Date) -> Result<u64> {
        Ok(self.cost_of_all(since))
    }

    fn kept_reply(&self, vault: VaultId, asked: &AskedHash) -> Result<Option<Reply>> {
        Ok(self.reply_to(vault, asked))
    }
}
