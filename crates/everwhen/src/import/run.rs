//! Storing what a plan reads: a thread reads and makes batches, and the vault stores them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use everwhen_engine::memory::{Address, MemoryId, Name};
use everwhen_engine::{
    ConflictReason, ErrorKind, ImportMode, ImportOutcome, ImportedConversation, Restored, Vault,
};
use tokio::sync::mpsc;

use super::{Options, Plan, Report};
use crate::export::ExportFile;
use crate::{Error, Result};

/// Entries of a batch.
const BATCH_ENTRIES: usize = 4_000;
/// Bytes of text in a batch.
const BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Batches that wait to be stored.
const WAITING: usize = 2;
/// Refusals that are listed.
const LISTED: usize = 1_000;

/// Conversations of one source that are stored together.
pub struct ImportBatch {
    /// The name of the source.
    pub source: &'static str,
    /// The conversations.
    pub conversations: Vec<ImportedConversation>,
    /// Entries in them, those on branches included.
    pub entries: u64,
}

/// What became of an import so far.
#[derive(Debug, Clone, Default)]
pub struct ImportCounts {
    /// Messages that were read and stored, or found to be known.
    pub messages: u64,
    /// New entries.
    pub stored: u64,
    /// Entries that were here already.
    pub known: u64,
    /// Entries whose text has changed in their source.
    pub corrected: u64,
    /// New branches.
    pub branches: u64,
    /// Conversations that were not stored, and why.
    pub refused: Vec<String>,
}

/// An import under way, as others see it.
#[derive(Default)]
pub struct ImportProgress {
    counts: Mutex<ImportCounts>,
    report: Mutex<Option<Report>>,
    memories: Mutex<Vec<Address<MemoryId>>>,
    is_cancelled: AtomicBool,
}

/// Where an import goes.
pub struct ImportTarget {
    /// The vault.
    pub vault: Vault,
    /// The memory; without one, each source has a memory of its own name.
    pub memory: Option<Address<MemoryId>>,
    /// What is stored of what is read.
    pub mode: ImportMode,
}

impl ImportProgress {
    /// What was stored so far.
    pub fn counts(&self) -> ImportCounts {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What was found in the files, once all were read.
    pub fn report(&self) -> Option<Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The memories that were written to so far.
    pub fn memories(&self) -> Vec<Address<MemoryId>> {
        self.memories.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note_memory(&self, memory: &Address<MemoryId>) {
        let mut known = self.memories.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains(memory) {
            known.push(memory.clone());
        }
    }

    /// Ends the import after the batch under way. What is stored stays.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    fn change(&self, change: impl FnOnce(&mut ImportCounts)) {
        change(&mut self.counts.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl ImportCounts {
    fn refuse(&mut self, what: &str, error: &Error) {
        if self.refused.len() < LISTED {
            self.refused.push(format!("{what}: {error}"));
        }
    }

    fn add(&mut self, names: &[String], outcomes: &[Result<ImportOutcome>]) {
        for (name, outcome) in names.iter().zip(outcomes) {
            match outcome {
                Ok(outcome) => {
                    self.stored += outcome.stored;
                    self.known += outcome.known;
                    self.corrected += outcome.corrected;
                    self.branches += outcome.branches;
                }
                Err(error) => self.refuse(name, error),
            }
        }
    }
}

/// Reads all files of a plan and hands over batches, until `send` says that the receiver has gone.
pub fn read_batches(
    plan: &Plan,
    options: &Options,
    send: &mut dyn FnMut(ImportBatch) -> bool,
) -> Report {
    let mut batch: Option<ImportBatch> = None;
    let mut bytes = 0;
    let report = plan.read(options, &mut |source, mut conversation| {
        conversation.complete_summary();
        let (entries, length) = size(&conversation);
        let is_full = batch.as_ref().is_some_and(|batch| {
            batch.source != source.name
                || batch.entries as usize + entries > BATCH_ENTRIES
                || bytes + length > BATCH_BYTES
        });
        if is_full && let Some(full) = batch.take() {
            bytes = 0;
            if !send(full) {
                return false;
            }
        }
        let open = batch.get_or_insert_with(|| ImportBatch {
            source: source.name,
            conversations: Vec::new(),
            entries: 0,
        });
        open.conversations.push(conversation);
        open.entries += entries as u64;
        bytes += length;
        true
    });
    if let Some(rest) = batch {
        send(rest);
    }
    report
}

/// Entries of a conversation, and roughly the bytes they take.
fn size(conversation: &ImportedConversation) -> (usize, usize) {
    let branches = conversation.branches.iter().flat_map(|branch| &branch.entries);
    let all = conversation.entries.iter().chain(branches);
    all.fold((0, 0), |(entries, bytes), entry| {
        (entries + 1, bytes + entry.content.as_str().len() + 300)
    })
}

/// Reads and stores everything that a plan names. Reading is a thread of its own; one batch is one
/// durable write.
pub async fn run(
    plan: Arc<Plan>,
    options: Options,
    target: &ImportTarget,
    progress: &Arc<ImportProgress>,
) -> Result<()> {
    let (send, mut batches) = mpsc::channel::<ImportBatch>(WAITING);
    let reading = Arc::clone(progress);
    let reader = tokio::task::spawn_blocking(move || {
        read_batches(&plan, &options, &mut |batch| {
            !reading.is_cancelled() && send.blocking_send(batch).is_ok()
        })
    });
    let mut begun = BegunMemories::new();
    while let Some(batch) = batches.recv().await {
        if progress.is_cancelled() {
            break;
        }
        store(batch, target, progress, &mut begun).await?;
    }
    // A reader that still has batches notices that the receiver has gone.
    drop(batches);
    let report = reader.await.map_err(|_| Error::damaged("a bug: reading the files panicked"))?;
    *progress.report.lock().unwrap_or_else(PoisonError::into_inner) = Some(report);
    Ok(())
}

/// Where the first batch for each memory went.
type BegunMemories = HashMap<Address<MemoryId>, (Vault, MemoryId)>;

/// Stores a batch where the first one for its memory went. If that was forgotten meanwhile, by whichever process, the
/// import ends: a memory of that name is not made again.
async fn store(
    batch: ImportBatch,
    target: &ImportTarget,
    progress: &ImportProgress,
    begun: &mut BegunMemories,
) -> Result<()> {
    let memory = match &target.memory {
        Some(memory) => memory.clone(),
        None => Address::Name(Name::new("memory", batch.source)?),
    };
    progress.note_memory(&memory);
    let names: Vec<String> = batch.conversations.iter().map(|one| one.name.to_string()).collect();
    let stored = match begun.get(&memory) {
        Some((vault, id)) => vault
            .import_batch(Address::Id(*id), batch.conversations, target.mode)
            .await
            .map_err(|error| ended_by_forgetting(error, &memory))?,
        None => {
            let vault = &target.vault;
            vault.import_batch(memory.clone(), batch.conversations, target.mode).await?
        }
    };
    progress.change(|counts| {
        counts.messages += batch.entries;
        counts.add(&names, &stored.outcomes);
    });
    if !target.mode.is_rehearsal {
        begun.entry(memory).or_insert((stored.vault, stored.memory));
    }
    Ok(())
}

/// The failure of an import whose memory is gone.
fn ended_by_forgetting(error: Error, memory: &Address<MemoryId>) -> Error {
    match error.kind() {
        ErrorKind::NotFound => {
            Error::conflict(forgotten_meanwhile(memory)).because(ConflictReason::Forgotten)
        }
        _ => error,
    }
}

/// What is said when a memory is forgotten while files are imported into it.
pub fn forgotten_meanwhile(memory: &Address<MemoryId>) -> String {
    format!(
        "the memory {memory}, or its vault, was forgotten while files were imported into it: what had been imported \
         is gone with it, the rest is not stored, and nothing was brought back; import the files again if you want them"
    )
}

/// Stores the memories of an export of Everwhen.
pub async fn restore(
    archive: &ExportFile,
    target: &ImportTarget,
    progress: &Arc<ImportProgress>,
) -> Result<()> {
    let count = |name: &Name, entries: u64, outcome: &Result<Restored>| {
        progress.change(|counts| {
            counts.messages += entries;
            match outcome {
                Ok(Restored::Stored(_)) => counts.stored += entries,
                Ok(Restored::Known) => counts.known += entries,
                Err(error) => counts.refuse(name.as_str(), error),
            }
        });
        !progress.is_cancelled()
    };
    if target.mode.is_rehearsal {
        for memory in &archive.memories {
            let outcome = archive.rehearse(&target.vault, memory).await;
            count(&memory.name, memory.entries, &outcome);
        }
    } else {
        let report = &mut |memory: &crate::export::ExportFileMemory, outcome: &Result<Restored>| {
            count(&memory.name, memory.entries, outcome)
        };
        archive.restore(&target.vault, report).await?;
    }
    if let Some(problem) = &archive.problem {
        progress.change(|counts| counts.refused.push(problem.clone()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use everwhen_engine::memory::{NewEntry, Role, Said, SeededChance, Settings};
    use everwhen_engine::time::{ManualClock, Zone};
    use everwhen_engine::{Engine, Forget, VaultDefaults, World};
    use everwhen_store::{SqliteOptions, SqliteStore};

    use super::*;

    fn batch(number: u32) -> ImportBatch {
        let time = format!("2025-03-01T12:{number:02}:00Z").parse().unwrap();
        let said = Said::new(format!("line {number}")).unwrap();
        let conversation = ImportedConversation {
            name: Name::new("conversation", format!("c{number}")).unwrap(),
            entries: vec![NewEntry::new(Role::User, said).said_at(time)],
            branches: Vec::new(),
            ended_at: None,
            title: None,
            summary: None,
            extract: None,
        };
        ImportBatch { source: "messages", conversations: vec![conversation], entries: 1 }
    }

    /// What is imported into a memory that another process forgets meanwhile ends there and brings nothing back.
    #[tokio::test]
    async fn an_import_ends_when_its_memory_or_vault_is_forgotten() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("everwhen.db");
        let store = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
        let world = World {
            clock: Box::new(ManualClock::new("2025-03-02T12:00:00Z".parse().unwrap())),
            chance: Box::new(SeededChance::new(1)),
        };
        let defaults = VaultDefaults { zone: Zone::utc(), settings: Settings::default() };
        let engine = Engine::new(Arc::new(store), world, defaults);
        let named = || Address::Name(Name::new("vault", "v").unwrap());
        for forgets_vault in [false, true] {
            let vault = engine.vault_to_write(named()).await.unwrap();
            let target = ImportTarget { vault, memory: None, mode: ImportMode::default() };
            let (progress, mut begun) = (ImportProgress::default(), BegunMemories::new());
            for number in 1..=2 {
                store_one(number, &target, &progress, &mut begun).await.unwrap();
            }
            let other = engine.vault(named()).await.unwrap();
            let memory: Address<MemoryId> = Address::Name(Name::new("memory", "messages").unwrap());
            match forgets_vault {
                true => drop(other.forget_vault(None).await.unwrap()),
                false => drop(other.forget(memory.clone(), Forget::Memory, None).await.unwrap()),
            }
            let ended = store_one(3, &target, &progress, &mut begun).await.unwrap_err();
            assert_eq!(ended.reason(), Some(ConflictReason::Forgotten));
            assert!(ended.message().contains("\"messages\""), "{ended}");
            match engine.vault(named()).await {
                Ok(vault) => assert!(vault.memory(memory).await.is_err(), "it came back"),
                Err(_) => assert!(forgets_vault),
            }
        }
    }

    async fn store_one(
        number: u32,
        target: &ImportTarget,
        progress: &ImportProgress,
        begun: &mut BegunMemories,
    ) -> Result<()> {
        store(batch(number), target, progress, begun).await
    }
}
