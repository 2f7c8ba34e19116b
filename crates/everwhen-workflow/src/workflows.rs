//! The workflows of a configuration, ready to run: checked, with endpoints, presets and files.
//!
//! A chat is answered by the nodes up to the responder. What stands behind it is kept as a job before
//! the answer ends, so it is done whatever happens then.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use everwhen::memory::{Chance, VaultId};
use everwhen::{Config, EndpointConfig, Error, Result, SystemChance};
use jiff::SignedDuration;

use crate::chat::Chat;
use crate::desk::{BareDesk, MemoryDesk, Place};
use crate::endpoints::NamedEndpoints;
use crate::files::VaultFiles;
use crate::flaw::Flaw;
use crate::folder::Folder;
use crate::node::Stamps;
use crate::port::Desk;
use crate::run::{Ended, Follow, Progress, Stage, Until, answer, run};
use crate::wire::Rest;
use crate::workflow::Workflow;

/// What is left of a workflow waits so long, so that the reply is kept before.
const BEHIND: SignedDuration = SignedDuration::from_millis(500);

/// Workflows and what they need from the world, but for memory.
pub struct Workflows {
    folder: Folder,
    pub(crate) endpoints: NamedEndpoints,
    /// Below it every vault has files of its own.
    files: PathBuf,
}

impl Workflows {
    /// The workflows that are configured; nothing if none are. Anything that is wrong with one of
    /// them is an error that says where.
    pub fn open(config: &Config) -> Result<Option<Self>> {
        let Some(directory) = &config.workflow.directory.value else { return Ok(None) };
        let files = config.workflow.files.value.clone();
        let files = files.unwrap_or_else(|| directory.join("files"));
        let (workflows, flaws) = Self::read(directory, &files, &config.endpoints)?;
        for flaw in flaws.iter().filter(|flaw| flaw.harmless) {
            tracing::warn!("{flaw}");
        }
        let wrong = flaws.iter().filter(|flaw| !flaw.harmless).map(ToString::to_string);
        let wrong: Vec<String> = wrong.collect();
        match wrong.is_empty() {
            true => Ok(Some(workflows)),
            false => {
                Err(Error::invalid(format!("workflows cannot be used:\n{}", wrong.join("\n"))))
            }
        }
    }

    /// The workflows of a directory, and what is wrong with them.
    pub fn read(
        directory: &Path,
        files: &Path,
        endpoints: &[EndpointConfig],
    ) -> Result<(Self, Vec<Flaw>)> {
        let (folder, mut flaws) = Folder::read(directory).map_err(|error| {
            Error::invalid(format!("cannot read workflow.dir {}: {error}", directory.display()))
        })?;
        let (endpoints, wrong) = NamedEndpoints::new(endpoints, &directory.join("presets"));
        flaws.extend(wrong);
        let names: BTreeSet<String> = endpoints.names().cloned().collect();
        flaws.extend(folder.check_endpoints(&names));
        flaws.extend(folder.check_presets(&endpoints.presets().cloned().collect()));
        Ok((Self { folder, endpoints, files: files.to_owned() }, flaws))
    }

    /// The names of all.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.folder.names()
    }

    /// The workflow of this name.
    pub fn get(&self, name: &str) -> Option<&Workflow> {
        self.folder.get(name)
    }

    /// How the replies of a workflow are to be dated.
    pub fn dating(&self, workflow: &Workflow) -> Stamps {
        self.folder.dating(workflow)
    }

    /// Answers a chat, in a memory unless that is down. What stands behind the responder is kept to
    /// be done later.
    pub async fn answer(
        &self,
        name: &str,
        chat: &Chat,
        place: Option<&Place>,
        follow: &mut dyn Follow,
    ) -> Result<String> {
        let workflow = self.found(name)?;
        let (name, mut progress) = (fresh_name(), Progress::default());
        let Some(place) = place else {
            let (files, scene) = (self.files_of(None), chat.scene());
            let stage = self.stage(&BareDesk, &files, &scene);
            return first_part(stage, workflow, &mut progress, follow).await;
        };
        let desk = MemoryDesk::new(place.clone(), chat, &name);
        let (files, scene) = (self.files_of(Some(place.vault.id())), chat.scene());
        let stage = self.stage(&desk, &files, &scene);
        let text = first_part(stage, workflow, &mut progress, follow).await?;
        if progress.outputs.len() < workflow.nodes.len() {
            let (workflow, chat) = (workflow.name.clone(), chat.clone());
            let rest = Rest { workflow, run: name, progress, chat };
            let due = place.engine.now() + BEHIND;
            place.vault.put_workflow(place.memory.clone(), rest.written(), due).await?;
            desk.hand_over();
        }
        Ok(text)
    }

    /// Answers a chat and does all that stands behind the responder, too.
    pub async fn play(
        &self,
        name: &str,
        chat: &Chat,
        place: &Place,
        follow: &mut dyn Follow,
    ) -> Result<(Ended, Option<String>)> {
        let workflow = self.found(name)?;
        let mut progress = Progress::default();
        let desk = MemoryDesk::new(place.clone(), chat, &fresh_name());
        let (files, scene) = (self.files_of(Some(place.vault.id())), chat.scene());
        let stage = self.stage(&desk, &files, &scene);
        let ended = run(stage, workflow, &mut progress, Until::End, follow).await?;
        Ok((ended, answer(workflow, &progress).map(str::to_owned)))
    }

    pub(crate) fn found(&self, name: &str) -> Result<&Workflow> {
        self.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.names().collect();
            let known = known.join(", ");
            Error::not_found(format!("there is no workflow {name:?}; there are: {known}"))
        })
    }

    /// The files of a vault; those that all share if it cannot be looked up.
    pub(crate) fn files_of(&self, vault: Option<VaultId>) -> VaultFiles {
        VaultFiles::new(&self.files, vault)
    }

    pub(crate) fn stage<'s>(
        &'s self,
        desk: &'s dyn Desk,
        files: &'s VaultFiles,
        scene: &'s crate::variables::Scene,
    ) -> Stage<'s> {
        Stage { folder: &self.folder, endpoints: &self.endpoints, desk, files, scene }
    }
}

/// Runs a workflow up to its answer.
async fn first_part(
    stage: Stage<'_>,
    workflow: &Workflow,
    progress: &mut Progress,
    follow: &mut dyn Follow,
) -> Result<String> {
    match run(stage, workflow, progress, Until::Answered, follow).await? {
        Ended::Done => Ok(answer(workflow, progress).unwrap_or_default().to_owned()),
        Ended::Locked { lock } => Err(Error::conflict(format!(
            "another run of the workflow {:?} in this memory is behind the lock {lock:?}; \
             ask again when it is done",
            workflow.name
        ))),
    }
}

/// A name no other run has.
pub(crate) fn fresh_name() -> String {
    let mut bytes = [0; 16];
    SystemChance.fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
