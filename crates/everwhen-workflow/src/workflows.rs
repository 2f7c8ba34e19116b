//! The workflows of a configuration, ready to run: checked, with endpoints, presets and files.
//!
//! A chat is answered by the nodes up to the responder. The nodes after it are stored as a job
//! before the answer ends, so they run even if the process stops.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use everwhen::memory::{Chance, VaultId};
use everwhen::{Config, EndpointConfig, Error, Result, SystemChance};
use jiff::SignedDuration;

use crate::chat::Chat;
use crate::chat_memory::{MemoryPlace, UnavailableMemory, VaultMemory};
use crate::diagnostic::Diagnostic;
use crate::endpoints::NamedEndpoints;
use crate::files::VaultFiles;
use crate::folder::Folder;
use crate::node::Stamps;
use crate::port::ChatMemory;
use crate::run::{Progress, RunContext, RunObserver, RunOutcome, RunUntil, answer, run};
use crate::wire::PendingRun;
use crate::workflow::Workflow;

/// Delay before the background job starts, so that the reply is stored first.
const BEHIND: SignedDuration = SignedDuration::from_millis(500);

/// The workflows with everything they need, except memory.
pub struct Workflows {
    folder: Folder,
    pub(crate) endpoints: NamedEndpoints,
    /// The directory for files; each vault has its own directory below it.
    files: PathBuf,
}

impl Workflows {
    /// Opens the configured workflows; `None` if none are configured. The error says what is wrong
    /// with a file, and where.
    pub fn open(config: &Config) -> Result<Option<Self>> {
        let Some(directory) = &config.workflow.directory.value else { return Ok(None) };
        let files = config.workflow.files.value.clone();
        let files = files.unwrap_or_else(|| directory.join("files"));
        let (workflows, diagnostics) = Self::read(directory, &files, &config.endpoints)?;
        for flaw in diagnostics.iter().filter(|flaw| flaw.harmless) {
            tracing::warn!("{flaw}");
        }
        let wrong = diagnostics.iter().filter(|flaw| !flaw.harmless).map(ToString::to_string);
        let wrong: Vec<String> = wrong.collect();
        match wrong.is_empty() {
            true => Ok(Some(workflows)),
            false => {
                Err(Error::invalid(format!("workflows cannot be used:\n{}", wrong.join("\n"))))
            }
        }
    }

    /// Reads the workflows of a directory, with their diagnostics.
    pub fn read(
        directory: &Path,
        files: &Path,
        endpoints: &[EndpointConfig],
    ) -> Result<(Self, Vec<Diagnostic>)> {
        let (folder, mut diagnostics) = Folder::read(directory).map_err(|error| {
            Error::invalid(format!("cannot read workflow.dir {}: {error}", directory.display()))
        })?;
        let (endpoints, wrong) = NamedEndpoints::new(endpoints, &directory.join("presets"));
        diagnostics.extend(wrong);
        let names: BTreeSet<String> = endpoints.names().cloned().collect();
        diagnostics.extend(folder.check_endpoints(&names));
        diagnostics.extend(folder.check_presets(&endpoints.presets().cloned().collect()));
        Ok((Self { folder, endpoints, files: files.to_owned() }, diagnostics))
    }

    /// The names of all workflows.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.folder.names()
    }

    /// Returns the workflow with this name.
    pub fn get(&self, name: &str) -> Option<&Workflow> {
        self.folder.get(name)
    }

    /// How the replies of a workflow are dated.
    pub fn dating(&self, workflow: &Workflow) -> Stamps {
        self.folder.dating(workflow)
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
        let workflow = self.found(name)?;
        let (name, mut progress) = (fresh_name(), Progress::default());
        let Some(place) = place else {
            let (files, variables) = (self.files_of(None), chat.variables());
            let context = self.context(&UnavailableMemory, &files, &variables);
            return first_part(context, workflow, &mut progress, follow).await;
        };
        let memory = VaultMemory::new(place.clone(), chat, &name);
        let (files, variables) = (self.files_of(Some(place.vault.id())), chat.variables());
        let context = self.context(&memory, &files, &variables);
        let text = first_part(context, workflow, &mut progress, follow).await?;
        if progress.outputs.len() < workflow.nodes.len() {
            let (workflow, chat) = (workflow.name.clone(), chat.clone());
            let rest = PendingRun { workflow, run: name, progress, chat };
            let due = place.engine.now() + BEHIND;
            place.vault.put_workflow(place.memory.clone(), rest.written(), due).await?;
            memory.hand_over();
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
        let workflow = self.found(name)?;
        let mut progress = Progress::default();
        let memory = VaultMemory::new(place.clone(), chat, &fresh_name());
        let (files, variables) = (self.files_of(Some(place.vault.id())), chat.variables());
        let context = self.context(&memory, &files, &variables);
        let ended = run(context, workflow, &mut progress, RunUntil::End, follow).await?;
        Ok((ended, answer(workflow, &progress).map(str::to_owned)))
    }

    pub(crate) fn found(&self, name: &str) -> Result<&Workflow> {
        self.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.names().collect();
            let known = known.join(", ");
            Error::not_found(format!("there is no workflow {name:?}; there are: {known}"))
        })
    }

    /// The files of a vault; only the shared ones if the vault cannot be looked up.
    pub(crate) fn files_of(&self, vault: Option<VaultId>) -> VaultFiles {
        VaultFiles::new(&self.files, vault)
    }

    pub(crate) fn context<'s>(
        &'s self,
        memory: &'s dyn ChatMemory,
        files: &'s VaultFiles,
        variables: &'s crate::variables::ChatVariables,
    ) -> RunContext<'s> {
        RunContext { folder: &self.folder, endpoints: &self.endpoints, memory, files, variables }
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
