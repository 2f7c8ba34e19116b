//! The workflows of a configuration, ready to run, and read again when their files change.
//!
//! A chat is answered by the nodes up to the responder. The nodes after it are stored as a job
//! before the answer ends, so they run even if the process stops.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use everwhen::memory::{Address, Chance, ForgetMark, VaultId};
use everwhen::{
    Config, ConflictReason, EndpointConfig, Engine, Error, ErrorKind, Result, SystemChance,
    WorkflowTree,
};
use jiff::SignedDuration;

use crate::chat::Chat;
use crate::chat_memory::{MemoryPlace, UnavailableMemory, VaultMemory};
use crate::files::{FileEpochs, VaultFiles};
use crate::metered::MeteredEndpoints;
use crate::port::ChatMemory;
use crate::profile::{DEFAULT, Entry, Routing};
use crate::run::{Progress, RunContext, RunObserver, RunOutcome, RunUntil, Trace, answer, run};
use crate::set::{Chosen, WorkflowSet};
use crate::wire::PendingRun;
use crate::workflow::Workflow;

/// Delay before the background job starts, so that the reply is stored first.
const BEHIND: SignedDuration = SignedDuration::from_millis(500);
/// How long the files are taken to be unchanged after they were looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// Directories of WilmerAI's tree whose files matter.
const CONFIGS: [&str; 5] = ["Users", "Endpoints", "Presets", "ApiTypes", "Routing"];

/// The workflows with everything they need, except memory.
pub struct Workflows {
    directory: PathBuf,
    endpoints: Vec<EndpointConfig>,
    /// The directory for files; each vault has its own directory below it.
    files: PathBuf,
    file_epochs: FileEpochs,
    state: Mutex<State>,
}

struct State {
    set: Arc<WorkflowSet>,
    /// When each file was changed, and its size.
    seen: BTreeMap<PathBuf, (Option<SystemTime>, u64)>,
    looked: Instant,
}

impl Workflows {
    /// Opens the configured workflows; `None` if none are configured. What is wrong with a file is
    /// logged and leaves the others usable.
    pub fn open(config: &Config) -> Option<Self> {
        let directory = config.workflow.directory.value.as_ref()?;
        Some(Self::read(directory, &files_directory(config)?, &config.endpoints))
    }

    /// Reads the workflows of a directory.
    pub fn read(directory: &Path, files: &Path, endpoints: &[EndpointConfig]) -> Self {
        let seen = fingerprint(directory);
        let set = Arc::new(WorkflowSet::read(directory, endpoints));
        log_flaws(&set);
        Self {
            directory: directory.to_owned(),
            endpoints: endpoints.to_vec(),
            files: files.to_owned(),
            file_epochs: FileEpochs::default(),
            state: Mutex::new(State { set, seen, looked: Instant::now() }),
        }
    }

    /// The workflows as their files are now.
    pub fn current(&self) -> Arc<WorkflowSet> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.looked.elapsed() < LOOK_AGAIN {
            return Arc::clone(&state.set);
        }
        state.looked = Instant::now();
        let seen = fingerprint(&self.directory);
        if seen != state.seen {
            tracing::info!("workflow files have changed and are read again");
            state.set = Arc::new(WorkflowSet::read(&self.directory, &self.endpoints));
            state.seen = seen;
            log_flaws(&state.set);
        }
        Arc::clone(&state.set)
    }

    /// Answers a chat, without memory if that cannot be reached. The nodes after the responder are
    /// stored as a background job.
    pub async fn answer(
        &self,
        name: &str,
        chat: &Chat,
        place: Option<&MemoryPlace>,
        follow: &mut dyn RunObserver,
    ) -> Result<String> {
        let set = self.current();
        let (chosen, path) = set.chosen(name)?;
        let (run_name, mut progress) = (fresh_name(), Progress::default());
        let variables = chat.variables(chosen.profile.separator.as_deref());
        let (files, extra) = (self.files_at(place).await, BTreeMap::new());
        let read_at = files.read_at();
        let vault_memory =
            place.map(|place| VaultMemory::new(place.clone(), chat, &run_name, read_at.clone()));
        let memory: &dyn ChatMemory = match &vault_memory {
            Some(memory) => memory,
            None => &UnavailableMemory,
        };
        let models = MeteredEndpoints::over(chosen.endpoints, place.map(|place| &place.vault));
        let context = set.context(&chosen, &models, (memory, &files), &variables, &extra);
        let workflow = start(&set, &chosen, path, context).await?;
        let text = first_part(context, workflow, &mut progress, follow).await?;
        let left = progress.outputs.len() < workflow.nodes.len();
        if let (true, Some(place), Some(memory)) = (left, place, &vault_memory) {
            let (workflow, model, chat) = (workflow.path(), name.to_owned(), chat.clone());
            let rest = PendingRun { workflow, model, run: run_name, progress, chat };
            if put_rest(place, rest, read_at).await? {
                memory.hand_over();
            }
        }
        Ok(text)
    }

    /// Answers a chat and runs the nodes after the responder, too.
    pub async fn play(
        &self,
        name: &str,
        chat: &Chat,
        place: &MemoryPlace,
        follow: &mut dyn RunObserver,
    ) -> Result<(RunOutcome, Option<String>)> {
        let set = self.current();
        let (chosen, path) = set.chosen(name)?;
        let mut progress = Progress::default();
        let variables = chat.variables(chosen.profile.separator.as_deref());
        let (files, extra) = (self.files_at(Some(place)).await, BTreeMap::new());
        let memory = VaultMemory::new(place.clone(), chat, &fresh_name(), files.read_at());
        let models = MeteredEndpoints::over(chosen.endpoints, Some(&place.vault));
        let context = set.context(&chosen, &models, (&memory, &files), &variables, &extra);
        let workflow = start(&set, &chosen, path, context).await?;
        let ended = run(context, workflow, &mut progress, RunUntil::End, follow).await?;
        Ok((ended, answer(workflow, &progress).map(str::to_owned)))
    }

    /// The files of a vault, for a run in one of its memories; only the shared ones if it cannot be looked up.
    /// Those that may say what another process has forgotten are removed first.
    pub(crate) async fn files_at(&self, place: Option<&MemoryPlace>) -> VaultFiles {
        let known = match place {
            Some(place) => place.settled().await,
            None => None,
        };
        let files = VaultFiles::new(&self.files, known.as_ref().map(|place| place.vault.id()));
        let Some(place) = known else { return files };
        let outdated = VaultFiles::forget_outdated(&self.files, &self.file_epochs, &place).await;
        let mark = match outdated {
            Ok(()) => place.vault.forget_mark(place.memory.clone()).await.ok(),
            Err(error) => {
                tracing::debug!(%error, "files of workflows cannot be compared with the store");
                None
            }
        };
        let known = mark.as_ref().and_then(|mark| mark.memory).map(|(id, _)| id.to_string());
        let memory = known.unwrap_or_else(|| match &place.memory {
            Address::Id(id) => id.to_string(),
            Address::Name(name) => name.to_string(),
        });
        files.written_from(&self.file_epochs, memory, mark)
    }

    /// Removes the files of runs in memories in which another process that uses the same store has forgotten
    /// something since.
    pub async fn forget_outdated(&self, engine: &Engine) -> Result<()> {
        VaultFiles::forget_all_outdated(&self.files, &self.file_epochs, engine).await
    }

    /// Removes the files that runs in these memories of a vault wrote, each by id or name, or all of the vault:
    /// they may say what was forgotten.
    pub fn forget(&self, vault: VaultId, memories: Option<&[String]>) -> Result<()> {
        VaultFiles::forget(&self.files, &self.file_epochs, vault, memories)
    }
}

/// The directory of the files that workflows write, if any are configured.
pub fn files_directory(config: &Config) -> Option<PathBuf> {
    let directory = config.workflow.directory.value.as_ref()?;
    Some(config.workflow.files.value.clone().unwrap_or_else(|| directory.join("files")))
}

/// Removes files that workflows wrote, as [`Workflows::forget`] does, in a process that runs none.
pub fn forget_files(directory: &Path, vault: VaultId, memories: Option<&[String]>) -> Result<()> {
    VaultFiles::forget(directory, &FileEpochs::default(), vault, memories)
}

/// Stores the nodes after the responder as a job. Returns `false` if something was forgotten in the memory since the
/// run began: what it has made of it by now goes too.
async fn put_rest(place: &MemoryPlace, rest: PendingRun, read_at: ForgetMark) -> Result<bool> {
    let (due, was_there) = (place.engine.now() + BEHIND, read_at.memory.is_some());
    let stored = place.vault.put_workflow(place.memory.clone(), rest.written(), due, read_at).await;
    let is_forgotten = |error: &Error| match error.kind() {
        ErrorKind::NotFound => was_there,
        _ => error.reason() == Some(ConflictReason::ChangedMeanwhile),
    };
    match stored {
        Err(error) if is_forgotten(&error) => {
            tracing::info!(%error, "the nodes behind the answer of a workflow do not run");
            Ok(false)
        }
        stored => stored.map(|_| true),
    }
}

/// The workflow that answers: the one at this path, else the one of the category that the user's
/// routing chooses.
async fn start<'s>(
    set: &'s WorkflowSet,
    chosen: &Chosen<'s>,
    path: Option<String>,
    context: RunContext<'_>,
) -> Result<&'s Workflow> {
    if let Some(path) = path {
        return set.found_path(&path);
    }
    let Entry::Routed(routing) = &chosen.profile.entry else {
        return set.found_in(chosen, DEFAULT);
    };
    let categorizer = set.found_in(chosen, &routing.categorizer)?;
    for _ in 0..routing.attempts {
        let reply = category(context, categorizer, routing).await?;
        if let Some(name) = routing.chosen(&reply) {
            return set.found_in(chosen, name);
        }
    }
    tracing::info!("no category fits; the default workflow answers");
    set.found_in(chosen, DEFAULT)
}

/// Asks the workflow that names a category.
async fn category(
    context: RunContext<'_>,
    workflow: &Workflow,
    routing: &Routing,
) -> Result<String> {
    let extra = routing.variables();
    let context = RunContext { extra: &extra, ..context };
    let mut progress = Progress::default();
    run(context, workflow, &mut progress, RunUntil::End, &mut NoObserver).await?;
    Ok(answer(workflow, &progress).unwrap_or_default().to_owned())
}

/// Ignores the output of a run that only chooses a workflow.
struct NoObserver;

impl RunObserver for NoObserver {
    fn on_text(&mut self, _piece: &str) {}

    fn ran(&mut self, _trace: Trace) {}
}

/// Logs what is wrong with files.
fn log_flaws(set: &WorkflowSet) {
    for flaw in set.diagnostics() {
        match flaw.harmless {
            true => tracing::warn!("{flaw}"),
            false => tracing::error!("{flaw}"),
        }
    }
}

/// When each file that matters was changed, and its size.
fn fingerprint(directory: &Path) -> BTreeMap<PathBuf, (Option<SystemTime>, u64)> {
    let tree = WorkflowTree::find(directory);
    let mut directories = tree.folders();
    directories.push(tree.root.join("presets"));
    for part in tree.configs.iter().flat_map(|configs| CONFIGS.map(|part| configs.join(part))) {
        add_directories(&part, 3, &mut directories);
    }
    let mut seen = BTreeMap::new();
    for directory in directories {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            if let Ok(meta) = entry.metadata().map(|meta| (meta.modified().ok(), meta.len())) {
                seen.insert(entry.path(), meta);
            }
        }
    }
    seen
}

fn add_directories(directory: &Path, levels: usize, into: &mut Vec<PathBuf>) {
    into.push(directory.to_owned());
    if levels == 0 {
        return;
    }
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            add_directories(&entry.path(), levels - 1, into);
        }
    }
}

/// Runs a workflow up to its answer.
async fn first_part(
    context: RunContext<'_>,
    workflow: &Workflow,
    progress: &mut Progress,
    follow: &mut dyn RunObserver,
) -> Result<String> {
    match run(context, workflow, progress, RunUntil::Answered, follow).await? {
        RunOutcome::Done => Ok(answer(workflow, progress).unwrap_or_default().to_owned()),
        RunOutcome::Locked { lock } => Err(Error::conflict(format!(
            "another run of the workflow {:?} in this memory is behind the lock {lock:?}; \
             ask again when it is done",
            workflow.name
        ))),
    }
}

/// A unique id for a run.
pub(crate) fn fresh_name() -> String {
    let mut bytes = [0; 16];
    SystemChance.fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
