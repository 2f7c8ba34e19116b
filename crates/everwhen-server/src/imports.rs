//! Imports of uploaded files: each is received into a file, then read and stored in the background.
//!
//! What became of an import is kept in memory for as long as the server runs. An import that a restart
//! interrupts is continued by uploading the file again: nothing is stored twice.

mod upload;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use everwhen::export::ExportFile;
use everwhen::import::{self, ImportProgress, ImportTarget, Options, Plan};
use everwhen::memory::{Address, Chance, Memory, VaultId};
use everwhen::{Error, Result, SystemChance};
use jiff::Timestamp;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub(crate) use upload::Upload;

/// Imports that may be under way at once, uploads included.
const AT_ONCE: usize = 4;
/// How long a forget waits for the end of imports.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often it looks whether they have ended.
const LOOK_AGAIN: Duration = Duration::from_millis(10);
/// Imports that are remembered after their end.
const REMEMBERED: usize = 100;

/// All imports of this server.
pub(crate) struct Imports {
    /// Where uploads are stored while they are read; the system's directory for temporary files if absent.
    directory: Option<PathBuf>,
    permits: Arc<Semaphore>,
    runs: Mutex<VecDeque<Arc<UploadImport>>>,
}

/// One import.
pub(crate) struct UploadImport {
    pub(crate) id: String,
    /// The vault as the request named it: it may not exist before the import.
    vault: Address<VaultId>,
    /// Its id.
    vault_id: VaultId,
    /// The name of the file, as the caller gave it.
    pub(crate) file: String,
    /// Where the file is while it is read.
    path: String,
    pub(crate) is_rehearsal: bool,
    pub(crate) started_at: Timestamp,
    pub(crate) progress: Arc<ImportProgress>,
    state: Mutex<ImportState>,
}

/// How far an import is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ImportState {
    Running,
    Done,
    Cancelled,
    Failed(String),
}

/// What an import needs besides the file.
pub(crate) struct ImportJob {
    pub(crate) target: ImportTarget,
    pub(crate) options: Options,
    /// The vault as the request named it.
    pub(crate) vault: Address<VaultId>,
    pub(crate) started_at: Timestamp,
}

impl Default for Imports {
    fn default() -> Self {
        let permits = Arc::new(Semaphore::new(AT_ONCE));
        Self { directory: None, permits, runs: Mutex::default() }
    }
}

impl Imports {
    /// Imports whose uploads are stored in this directory. If it belongs to this process alone, what an
    /// earlier one left there is removed.
    pub(crate) fn in_directory(directory: PathBuf, is_own: bool) -> Self {
        if is_own {
            // A directory that cannot be emptied is no reason not to start.
            let _ = std::fs::remove_dir_all(&directory);
        }
        Self { directory: Some(directory), ..Self::default() }
    }

    /// Permission to receive and run an import.
    pub(crate) fn begin(&self) -> Result<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).try_acquire_owned().map_err(|_| {
            Error::unavailable(format!(
                "{AT_ONCE} imports are under way; wait for one to end, or cancel it"
            ))
        })
    }

    /// The file that an upload is written to.
    pub(crate) fn upload(&self, name: &str) -> Result<Upload> {
        Upload::create(self.directory.as_deref(), name)
    }

    /// Begins to import an uploaded file in the background.
    pub(crate) fn start(
        self: &Arc<Self>,
        upload: Upload,
        job: ImportJob,
        permit: OwnedSemaphorePermit,
    ) -> Arc<UploadImport> {
        let run = Arc::new(UploadImport {
            id: new_id(),
            vault: job.vault.clone(),
            vault_id: job.target.vault.id(),
            file: upload.name().to_owned(),
            path: upload.path().display().to_string(),
            is_rehearsal: job.target.mode.is_rehearsal,
            started_at: job.started_at,
            progress: Arc::default(),
            state: Mutex::new(ImportState::Running),
        });
        self.remember(Arc::clone(&run));
        let running = Arc::clone(&run);
        tokio::spawn(async move {
            let outcome = import(&upload, job, &running.progress).await;
            running.end(outcome);
            drop((upload, permit));
        });
        run
    }

    fn remember(&self, run: Arc<UploadImport>) {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.push_back(run);
        if runs.len() > REMEMBERED + AT_ONCE
            && let Some(oldest) = runs.iter().position(|run| run.state() != ImportState::Running)
        {
            runs.remove(oldest);
        }
    }

    /// Imports into a vault, newest first.
    pub(crate) fn of_vault(&self, vault: &Address<VaultId>, id: VaultId) -> Vec<Arc<UploadImport>> {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let is_of = |run: &&Arc<UploadImport>| run.vault == *vault || run.vault_id == id;
        runs.iter().rev().filter(is_of).map(Arc::clone).collect()
    }

    /// Ends the imports that write to a memory, and waits for the batches under way: the memory is about to be
    /// forgotten, and would be made again.
    pub(crate) async fn end_into(&self, vault: VaultId, memory: &Memory) {
        let addresses = [Address::Id(memory.id), Address::Name(memory.name.clone())];
        let writes = |run: &Arc<UploadImport>| {
            run.progress.memories().iter().any(|one| addresses.contains(one))
        };
        let mut runs = self.of_vault(&Address::Id(vault), vault);
        runs.retain(writes);
        runs.iter().for_each(|run| run.progress.cancel());
        let ended = async {
            while runs.iter().any(|run| run.state() == ImportState::Running) {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        };
        if tokio::time::timeout(PATIENCE, ended).await.is_err() {
            tracing::warn!("an import has not ended yet, and its memory is forgotten");
        }
    }

    /// An import into a vault.
    pub(crate) fn find(
        &self,
        vault: &Address<VaultId>,
        vault_id: VaultId,
        id: &str,
    ) -> Result<Arc<UploadImport>> {
        let found = self.of_vault(vault, vault_id).into_iter().find(|run| run.id == id);
        found.ok_or_else(|| {
            let shown: String = id.chars().take(40).collect();
            Error::not_found(format!("import not found: {shown}"))
        })
    }
}

impl UploadImport {
    /// How far it is.
    pub(crate) fn state(&self) -> ImportState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A sentence of the reader, with the caller's name for the file: where the server keeps uploads is
    /// nothing to callers.
    pub(crate) fn in_words_of_caller(&self, sentence: &str) -> String {
        sentence.replace(&self.path, &self.file)
    }

    fn end(&self, outcome: Result<()>) {
        let state = match outcome {
            Err(error) => ImportState::Failed(self.in_words_of_caller(error.message())),
            Ok(()) if self.progress.is_cancelled() => ImportState::Cancelled,
            Ok(()) => ImportState::Done,
        };
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

async fn import(upload: &Upload, job: ImportJob, progress: &Arc<ImportProgress>) -> Result<()> {
    let ImportJob { target, options, .. } = job;
    let path = upload.path().to_owned();
    if options.from.is_none() && ExportFile::is_one(&path) {
        let archive = in_background(move || ExportFile::open(&path)).await?;
        return import::restore(&archive, &target, progress).await;
    }
    let (paths, reading) = (vec![path], options.clone());
    let plan = in_background(move || Plan::of_paths(&paths, &reading)).await?;
    import::run(Arc::new(plan), options, &target, progress).await
}

async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Error::damaged("a bug: reading the file panicked"))?
}

fn new_id() -> String {
    let mut random = [0; 12];
    SystemChance.fill(&mut random);
    random.iter().fold("imp_".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}
