//! A store that lies on two nodes, of which one can be away: then some vaults cannot be reached, nor can a question over
//! all vaults be answered, while everything about the other vaults works. Names of vaults and keys lie on both nodes.
//!
//! Reads fail, and with them every verb: whatever it does in a vault begins with reading there.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use everwhen_engine::job::{Job, JobCount};
use everwhen_engine::key::Key;
use everwhen_engine::memory::{
    Activity, Address, Branch, Chapter, ContextDocument, Conversation, ConversationId, Cursor,
    Entry, EntryId, Fact, Memory, MemoryId, MemoryRef, Name, RollingSummary, VaultId, VaultInfo,
};
use everwhen_engine::ports::{
    Addition, AskedHash, Buckets, ChapterSelection, ContextSelection, ConversationExtent,
    ConversationSelection, EachOf, EntryChange, EntryQuery, EntryState, Erasure, FactSelection,
    JobSelection, LedgerHead, LedgerLine, LedgerLines, LedgerSelection, MemorySelection, Neighbour,
    PastKind, PastRows, ProofHolder, Reading, ReceiptSelection, Removal, Removed, Reply, Row,
    Snapshot, Speakers, Store, TimeAxis, TimeSide, Tombstone, TombstoneKind, TombstoneOwner, Tx,
    Usage, VaultSelection, Wait, Which, Writing,
};
use everwhen_engine::receipt::KeptReceipt;
use everwhen_engine::{Error, Result};
use jiff::Timestamp;
use jiff::civil::Date;

/// The vaults on the node that is away.
#[derive(Clone, Default)]
struct Away(Arc<Mutex<HashSet<VaultId>>>);

impl Away {
    fn change(&self, change: impl FnOnce(&mut HashSet<VaultId>)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Fails if this vault is away; without one, if any is.
    fn check(&self, vault: Option<VaultId>) -> Result<()> {
        let away = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match vault.map_or(!away.is_empty(), |vault| away.contains(&vault)) {
            true => Err(Error::unavailable("a node of the test is away")),
            false => Ok(()),
        }
    }
}

/// The store.
pub struct SplitStore {
    inner: Arc<dyn Store>,
    away: Away,
}

impl SplitStore {
    /// A store with everything in reach.
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self { inner, away: Away::default() }
    }

    /// From now on this vault cannot be reached.
    pub fn lose(&self, vault: VaultId) {
        self.away.change(|away| {
            away.insert(vault);
        });
    }

    /// Everything can be reached again.
    pub fn find(&self) {
        self.away.change(HashSet::clear);
    }
}

impl Store for SplitStore {
    fn write(&self, work: Writing) -> Wait<'_, ()> {
        let away = self.away.clone();
        self.inner.write(Box::new(move |tx| work(&mut SplitTx { rows: tx, away: away.clone() })))
    }

    fn read(&self, work: Reading) -> Wait<'_, ()> {
        let away = self.away.clone();
        self.inner.read(Box::new(move |rows| work(&SplitRows { rows, away: away.clone() })))
    }

    fn is_spread(&self) -> bool {
        true
    }

    fn check(&self) -> Wait<'_, Vec<String>> {
        self.inner.check()
    }
}

struct SplitRows<'s> {
    rows: &'s dyn Snapshot,
    away: Away,
}

struct SplitTx<'s> {
    rows: &'s mut dyn Tx,
    away: Away,
}

/// Methods about one memory, whose vault must be in reach.
macro_rules! in_memory {
    ($($method:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)*) => {$(
        fn $method(&self, memory: MemoryRef, $($argument: $kind),*) -> Result<$answer> {
            self.away.check(Some(memory.vault))?;
            self.rows.$method(memory, $($argument),*)
        }
    )*};
}

/// Methods about one vault, which must be in reach.
macro_rules! in_vault {
    ($($method:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)*) => {$(
        fn $method(&self, vault: VaultId, $($argument: $kind),*) -> Result<$answer> {
            self.away.check(Some(vault))?;
            self.rows.$method(vault, $($argument),*)
        }
    )*};
}

macro_rules! reads {
    ($($rows:ident),*) => {$(
        impl Snapshot for $rows<'_> {
            fn find_vaults(&self, which: VaultSelection<'_>) -> Result<Vec<VaultInfo>> {
                if matches!(which, VaultSelection::Named(..) | VaultSelection::WrittenAfter(..)) {
                    self.away.check(None)?;
                }
                let found = self.rows.find_vaults(which)?;
                found.iter().try_for_each(|vault| self.away.check(Some(vault.id)))?;
                Ok(found)
            }

            fn vault_and_memory(
                &self,
                vault: &Address<VaultId>,
                memory: &Address<MemoryId>,
            ) -> Result<Option<(VaultInfo, Option<Memory>)>> {
                let found = self.rows.vault_and_memory(vault, memory)?;
                found.iter().try_for_each(|(vault, _)| self.away.check(Some(vault.id)))?;
                Ok(found)
            }

            fn vault_names(
                &self,
                after: Option<&Name>,
                limit: usize,
            ) -> Result<Vec<(Name, VaultId)>> {
                self.rows.vault_names(after, limit)
            }

            fn job_counts(&self, vault: Option<VaultId>, now: Timestamp) -> Result<Vec<JobCount>> {
                self.away.check(vault)?;
                self.rows.job_counts(vault, now)
            }

            fn jobs(&self, query: JobSelection) -> Result<Vec<Job>> {
                self.away.check(match query {
                    JobSelection::Id(vault, _)
                    | JobSelection::Next(vault, ..)
                    | JobSelection::Due(vault, _)
                    | JobSelection::SetAside(vault, ..)
                    | JobSelection::Beyond(vault, ..)
                    | JobSelection::Failed(vault, _) => vault,
                    JobSelection::Of(place, _) => Some(place.vault),
                })?;
                self.rows.jobs(query)
            }

            fn receipts(
                &self,
                vault: Option<VaultId>,
                which: ReceiptSelection<'_>,
            ) -> Result<Vec<(Name, KeptReceipt)>> {
                vault.map_or(Ok(()), |vault| self.away.check(Some(vault)))?;
                self.rows.receipts(vault, which)
            }

            fn tombstones(
                &self,
                owner: TombstoneOwner,
                which: Option<(TombstoneKind, Option<[u8; 32]>)>,
            ) -> Result<Vec<Tombstone>> {
                if let TombstoneOwner::Vault(vault) = owner {
                    self.away.check(Some(vault))?;
                }
                self.rows.tombstones(owner, which)
            }

            fn keys(&self) -> Result<Vec<Key>> {
                self.rows.keys()
            }

            fn cost_since(&self, since: Date) -> Result<u64> {
                self.away.check(None)?;
                self.rows.cost_since(since)
            }

            in_vault! {
                memories(query: MemorySelection<'_>) -> Vec<Memory>;
                proof_holders(proof: [u8; 32], limit: usize) -> Vec<ProofHolder>;
                ledger_heads(which: LedgerSelection) -> Vec<(MemoryId, LedgerHead)>;
                forget_epoch() -> u64;
                usage(since: Date) -> Vec<Usage>;
                kept_reply(asked: &AskedHash) -> Option<Reply>;
            }

            in_memory! {
                each_of(entries: &[EntryId], conversations: &[ConversationId]) -> EachOf;
                entries(query: &EntryQuery) -> Vec<Entry>;
                tags() -> Vec<(Name, u64)>;
                span(axis: TimeAxis, which: Which) -> Option<(Timestamp, Timestamp)>;
                counts(axis: TimeAxis, which: Which, buckets: Buckets) -> Vec<u64>;
                entry_states(up_to: u64) -> Vec<EntryState>;
                neighbour(side: TimeSide, speakers: Speakers) -> Option<Neighbour>;
                find_conversations(which: ConversationSelection<'_>) -> Vec<Conversation>;
                branches(id: ConversationId) -> Vec<Branch>;
                endings(since: Timestamp, until: Timestamp) -> Vec<Timestamp>;
                activities(conversation: ConversationId) -> Vec<Activity>;
                contexts(versions: ContextSelection, limit: usize) -> Vec<ContextDocument>;
                facts(query: FactSelection<'_>) -> Vec<Fact>;
                chapters(query: ChapterSelection) -> Vec<Chapter>;
                chapters_through(through: Cursor) -> (u64, Option<Timestamp>);
                summaries(before: Option<u64>, limit: Option<usize>) -> Vec<RollingSummary>;
                past(at: Timestamp, kinds: &[PastKind<'_>]) -> PastRows;
                extents(at: Timestamp, ids: &[ConversationId]) -> Vec<ConversationExtent>;
                segments() -> Vec<u64>;
                segment(after: u64) -> Option<[Vec<u8>; 2]>;
                ledger_lines(which: LedgerLines<'_>) -> Vec<LedgerLine>;
                additions(numbers: &[u64]) -> Vec<(u64, Addition)>;
                promised_times(text: Option<[u8; 32]>) -> Vec<([u8; 32], Timestamp)>;
                memory_lines(take: &mut dyn FnMut(&str) -> Result<()>) -> ();
            }
        }
    )*};
}

reads!(SplitRows, SplitTx);

impl Tx for SplitTx<'_> {
    fn snapshot(&self) -> &dyn Snapshot {
        self
    }

    fn put(&mut self, row: Row<'_>) -> Result<()> {
        self.rows.put(row)
    }

    fn change_entries(
        &mut self,
        memory: MemoryRef,
        entries: &[EntryId],
        change: EntryChange<'_>,
    ) -> Result<()> {
        self.rows.change_entries(memory, entries, change)
    }

    fn merge_conversation(
        &mut self,
        memory: MemoryRef,
        from: ConversationId,
        into: ConversationId,
    ) -> Result<()> {
        self.rows.merge_conversation(memory, from, into)
    }

    fn restore_line(&mut self, memory: MemoryRef, line: &str) -> Result<()> {
        self.rows.restore_line(memory, line)
    }

    fn remove(&mut self, rows: Removal<'_>) -> Result<u64> {
        self.rows.remove(rows)
    }

    fn erase(&mut self, what: Erasure) -> Result<Removed> {
        self.rows.erase(what)
    }
}
