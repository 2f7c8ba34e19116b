//! Storing what a plan reads: a thread reads and makes batches, and the vault stores them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use everwhen_engine::memory::{Address, MemoryId, Name};
use everwhen_engine::{ImportMode, ImportOutcome, ImportedConversation, Restored, Vault};
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
    while let Some(batch) = batches.recv().await {
        if progress.is_cancelled() {
            break;
        }
        store(batch, target, progress).await?;
    }
    // A reader that still has batches notices that the receiver has gone.
    drop(batches);
    let report = reader.await.map_err(|_| Error::damaged("a bug: reading the files panicked"))?;
    *progress.report.lock().unwrap_or_else(PoisonError::into_inner) = Some(report);
    Ok(())
}

async fn store(batch: ImportBatch, target: &ImportTarget, progress: &ImportProgress) -> Result<()> {
    let memory = match &target.memory {
        Some(memory) => memory.clone(),
        None => Address::Name(Name::new("memory", batch.source)?),
    };
    progress.note_memory(&memory);
    let names: Vec<String> = batch.conversations.iter().map(|one| one.name.to_string()).collect();
    let stored = target.vault.import_conversations(memory, batch.conversations, target.mode);
    let outcomes = stored.await?;
    progress.change(|counts| {
        counts.messages += batch.entries;
        counts.add(&names, &outcomes);
    });
    Ok(())
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
