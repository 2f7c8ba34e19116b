//! Everything that was read from a directory of workflows: users, endpoints, workflows, the models
//! they are called as, and what is wrong with any of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use everwhen::{EndpointConfig, Error, MemorySettings, Result, WorkflowTree};

use crate::diagnostic::{Diagnostic, nearest};
use crate::endpoint_file;
use crate::endpoints::NamedEndpoints;
use crate::files::VaultFiles;
use crate::library::{Library, folder_name, path_of};
use crate::node::{NodeKind, Stamps};
use crate::port::{ChatMemory, Endpoints};
use crate::presets::Presets;
use crate::profile::{DEFAULT, Entry, Profile};
use crate::run::RunContext;
use crate::summarizer::NodeSummarizer;
use crate::template::Template;
use crate::variables::ChatVariables;
use crate::workflow::Workflow;

/// A user with the models they can call.
struct Member {
    profile: Profile,
    named: Arc<NamedEndpoints>,
    endpoints: Arc<dyn Endpoints>,
}

/// What a model name means.
#[derive(Debug, Clone)]
struct Model {
    /// Whose workflow it is.
    member: usize,
    /// The folder in which workflows are looked for first.
    home: String,
    /// The path of the workflow; none if the user's routing chooses one.
    path: Option<String>,
}

/// Everything that was read from a directory of workflows.
pub struct WorkflowSet {
    library: Library,
    members: Vec<Member>,
    models: BTreeMap<String, Model>,
    /// The user whose settings hold where no user is named.
    current: usize,
    /// Whether the current user was named as such.
    has_current: bool,
    diagnostics: Vec<Diagnostic>,
}

/// A workflow's user, folder and models.
pub(crate) struct Chosen<'s> {
    pub(crate) profile: &'s Profile,
    pub(crate) home: String,
    pub(crate) endpoints: &'s Arc<dyn Endpoints>,
    named: &'s NamedEndpoints,
}

impl WorkflowSet {
    /// Reads a directory. Whatever is wrong is among the diagnostics, and leaves the rest usable.
    pub fn read(directory: &Path, configured: &[EndpointConfig]) -> Self {
        let tree = WorkflowTree::find(directory);
        let mut diagnostics = Vec::new();
        let members = members(&tree, configured, &mut diagnostics);
        let names: BTreeSet<String> =
            members.iter().flat_map(|one| one.profile.variables.keys().cloned()).collect();
        let (library, found) = Library::of(&tree, &names);
        diagnostics.extend(found);
        let current = tree.current_user();
        let place = members.iter().position(|one| Some(&one.profile.name) == current.as_ref());
        let mut set = Self {
            library,
            members,
            models: BTreeMap::new(),
            current: place.unwrap_or(0),
            has_current: place.is_some(),
            diagnostics,
        };
        set.check_calls(tree.has_folders);
        set.models = set.all_models(&tree);
        if let Some(only) = &tree.only {
            set.diagnostics.retain(|flaw| flaw.file.starts_with(only));
        }
        set
    }

    /// What is wrong with the files.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The names that chats can ask for, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.models.keys().map(String::as_str)
    }

    /// How many nodes the workflow of a model has; none if routing chooses the workflow.
    pub fn nodes(&self, name: &str) -> Option<usize> {
        let path = self.models.get(name)?.path.as_ref()?;
        self.library.get(path).map(|workflow| workflow.nodes.len())
    }

    /// Whether a chat can ask for this name.
    pub fn has(&self, name: &str) -> bool {
        self.resolve(name).is_some()
    }

    /// Whether this is the name of a user, as front ends of WilmerAI ask for it. One whose workflow was
    /// refused is still that user's, so that no other user's workflow answers for it.
    pub fn is_user(&self, name: &str) -> bool {
        let user = name.split_once(':').map_or(name, |(user, _)| user);
        !user.is_empty()
            && self.members.iter().any(|one| one.profile.name == user)
            && (self.models.contains_key(name) || self.problem(name).is_some())
    }

    /// The user who runs WilmerAI, if the tree names one.
    pub fn current_user(&self) -> Option<&str> {
        self.has_current.then(|| self.members[self.current].profile.name.as_str())
    }

    /// How the replies of a model are dated.
    pub fn dating(&self, name: &str) -> Stamps {
        let model = self.resolve(name);
        let path = model.and_then(|model| model.path.or(Some(path_of(&model.home, DEFAULT))));
        let workflow = path.and_then(|path| self.library.get(&path));
        workflow.map(|workflow| self.library.dating(workflow)).unwrap_or_default()
    }

    /// Why a model does not exist: it was refused, or there is none of this name.
    pub fn unknown(&self, name: &str) -> Error {
        if let Some(problem) = self.problem(name) {
            return Error::not_found(problem);
        }
        let known: Vec<&str> = self.names().collect();
        let known = known.join(", ");
        Error::not_found(format!("there is no workflow {name:?}; there are: {known}"))
    }

    /// What is wrong with a workflow that was refused.
    pub fn problem(&self, name: &str) -> Option<String> {
        let own = || {
            let (user, folder) = match name.split_once(':') {
                Some((user, folder)) => (user, Some(folder)),
                None => (name, None),
            };
            let profile = self.members.iter().map(|one| &one.profile);
            let profile = profile.into_iter().find(|one| one.name == user)?;
            if let Some(folder) = folder {
                let shared = path_of(profile.shared.as_ref()?, folder);
                return self.library.problem(&path_of(&shared, DEFAULT));
            }
            let entry = match &profile.entry {
                Entry::Workflow(entry) => entry.as_str(),
                Entry::Routed(routing) => &routing.categorizer,
                Entry::Default => DEFAULT,
            };
            self.library.problem(&path_of(&profile.home, entry))
        };
        let start = || self.library.problem(&path_of(name, DEFAULT));
        let problem = self.library.problem(name).or_else(start).or_else(own)?;
        Some(format!("the workflow {name:?} has errors:\n{problem}"))
    }

    /// What is wrong with a settings file for chapters.
    pub fn settings_problems(&self, path: Option<&Path>) -> Vec<String> {
        let Some(path) = path else { return Vec::new() };
        let settings = match MemorySettings::load(path) {
            Ok(settings) => settings,
            Err(error) => return vec![error.message().to_owned()],
        };
        let chosen = self.for_settings();
        // Without any endpoint nothing is known of their names, as for the calls of nodes.
        let is_known = chosen.named.names().next().is_some();
        let call = |endpoint: &Option<String>, preset: &Option<String>| match endpoint {
            Some(endpoint) if is_known => chosen.named.check(endpoint, preset.as_deref()),
            _ => Ok(()),
        };
        let workflow = |name: &str| self.found_in(&chosen, name).map(drop);
        let written = match &settings.rules.workflow {
            Some(name) => workflow(name),
            None => call(&settings.endpoint, &settings.preset),
        };
        let condensed = settings.condensing.as_ref().map(|one| call(&one.endpoint, &one.preset));
        let merged = settings.state_document.as_ref().map(|one| workflow(&one.workflow));
        let checked = [Some(written), condensed, merged].into_iter().flatten();
        let problems = checked.filter_map(Result::err);
        problems.map(|error| error.at(path.display()).message().to_owned()).collect()
    }

    fn resolve(&self, name: &str) -> Option<Model> {
        if let Some(model) = self.models.get(name) {
            return Some(model.clone());
        }
        let workflow = self.library.get(name)?;
        let home = workflow.folder.clone();
        let owner = self.members.iter().position(|one| one.profile.home == home);
        let member = owner.unwrap_or(self.current);
        Some(Model { member, home, path: Some(workflow.path()) })
    }

    /// The user, folder and start of a model; the path is none if routing chooses the workflow.
    pub(crate) fn chosen(&self, name: &str) -> Result<(Chosen<'_>, Option<String>)> {
        let model = self.resolve(name).ok_or_else(|| self.unknown(name))?;
        Ok((self.of_member(model.member, model.home), model.path))
    }

    /// The user and folder of a run that goes on.
    pub(crate) fn of_run(&self, model: &str, workflow: &str) -> Result<Chosen<'_>> {
        let found = self.chosen(model).or_else(|_| self.chosen(workflow));
        found.map(|(chosen, _)| chosen)
    }

    /// The user whose settings hold where no user is named.
    pub(crate) fn for_settings(&self) -> Chosen<'_> {
        let home = self.members[self.current].profile.home.clone();
        self.of_member(self.current, home)
    }

    fn of_member(&self, place: usize, home: String) -> Chosen<'_> {
        let member = &self.members[place];
        Chosen {
            profile: &member.profile,
            home,
            endpoints: &member.endpoints,
            named: &member.named,
        }
    }

    /// The workflow with this path.
    pub(crate) fn found_path(&self, path: &str) -> Result<&Workflow> {
        self.library.get(path).ok_or_else(|| self.unknown(path))
    }

    /// The workflow with this name in a user's folder.
    pub(crate) fn found_in(&self, chosen: &Chosen<'_>, name: &str) -> Result<&Workflow> {
        self.found_path(&path_of(&chosen.home, name))
    }

    /// What the nodes of a run can reach.
    pub(crate) fn context<'s>(
        &'s self,
        chosen: &'s Chosen<'_>,
        endpoints: &'s Arc<dyn Endpoints>,
        (memory, files): (&'s dyn ChatMemory, &'s VaultFiles),
        variables: &'s ChatVariables,
        extra: &'s BTreeMap<String, String>,
    ) -> RunContext<'s> {
        RunContext {
            library: &self.library,
            profile: chosen.profile,
            home: &chosen.home,
            endpoints,
            memory,
            files,
            variables,
            extra,
        }
    }

    /// Who writes the rolling summary in the background: the node for it in the user's workflow for
    /// summaries, else in any workflow of the user's folder.
    pub(crate) fn summarizer(&self) -> Option<NodeSummarizer> {
        let chosen = self.for_settings();
        let named = chosen.profile.tools.chat_summary.as_ref();
        let named = named.and_then(|name| self.library.get(&path_of(&chosen.home, name)));
        let others = self.library.workflows().filter(|one| one.folder == chosen.home);
        named.into_iter().chain(others).find_map(|workflow| summarizer_of(&chosen, workflow))
    }

    /// Checks the endpoints and presets that nodes name, for every user of their folder.
    fn check_calls(&mut self, in_tree: bool) {
        let mut found = Vec::new();
        for member in &self.members {
            if member.named.names().next().is_none() {
                continue;
            }
            let home = &member.profile.home;
            let own = self.library.workflows().filter(|one| one.folder == *home);
            for workflow in own {
                found.extend(check_calls(workflow, &member.named, in_tree));
            }
        }
        found.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        found.dedup();
        self.library.refuse(&found);
        self.diagnostics.extend(found);
    }

    fn all_models(&self, tree: &WorkflowTree) -> BTreeMap<String, Model> {
        if let Some(only) = &tree.only {
            return self.models_of_folder(&folder_name(tree, only));
        }
        if !tree.has_folders {
            return self.models_of_folder("");
        }
        let mut models = BTreeMap::new();
        for (member, one) in self.members.iter().enumerate() {
            let profile = &one.profile;
            if !profile.name.is_empty() {
                models.extend(self.model_of(member, profile));
                models.extend(self.shared_models(member, profile));
            }
        }
        if models.is_empty() {
            models = self.models_of_folders();
        }
        models
    }

    /// Every workflow of one folder, by its name.
    fn models_of_folder(&self, folder: &str) -> BTreeMap<String, Model> {
        let owner = self.members.iter().position(|one| one.profile.home == folder);
        let own = self.library.workflows().filter(|one| one.folder == folder);
        let model = |one: &Workflow| Model {
            member: owner.unwrap_or(self.current),
            home: folder.to_owned(),
            path: Some(one.path()),
        };
        own.map(|one| (one.name.clone(), model(one))).collect()
    }

    /// The start of every folder, and every workflow of folders without one.
    fn models_of_folders(&self) -> BTreeMap<String, Model> {
        let mut models = BTreeMap::new();
        for folder in self.library.folders() {
            let start = path_of(folder, DEFAULT);
            let shown = folder.strip_prefix("_shared/").unwrap_or(folder);
            for (name, model) in self.models_of_folder(folder) {
                let is_start = model.path.as_ref() == Some(&start);
                match self.library.get(&start).is_some() {
                    true if is_start => drop(models.insert(shown.to_owned(), model)),
                    true => {}
                    false => drop(models.insert(path_of(folder, &name), model)),
                }
            }
        }
        models
    }

    fn model_of(&self, member: usize, profile: &Profile) -> Option<(String, Model)> {
        let home = profile.home.clone();
        let name = match &profile.entry {
            Entry::Routed(routing) => {
                let categorizer = path_of(&home, &routing.categorizer);
                self.library.get(&categorizer)?;
                return Some((profile.name.clone(), Model { member, home, path: None }));
            }
            Entry::Workflow(name) => name,
            Entry::Default => DEFAULT,
        };
        let path = path_of(&home, name);
        self.library.get(&path)?;
        Some((profile.name.clone(), Model { member, home, path: Some(path) }))
    }

    fn shared_models(&self, member: usize, profile: &Profile) -> Vec<(String, Model)> {
        let Some(shared) = &profile.shared else { return Vec::new() };
        let folders = self.library.folders().into_iter();
        let below = folders.filter_map(|folder| {
            let name = folder.strip_prefix(shared.as_str())?.strip_prefix('/')?;
            let path = path_of(folder, DEFAULT);
            self.library.get(&path)?;
            let model = Model { member, home: folder.to_owned(), path: Some(path) };
            Some((format!("{}:{name}", profile.name), model))
        });
        below.collect()
    }
}

/// The users of a tree, or the one of a plain directory.
fn members(
    tree: &WorkflowTree,
    configured: &[EndpointConfig],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Member> {
    let mut members = Vec::new();
    for (name, path) in tree.users() {
        let profile = Profile::read(tree, (&name, &path), diagnostics);
        members.extend(profile.map(|profile| member(tree, profile, configured, diagnostics)));
    }
    if members.is_empty() {
        let home = tree.only.as_ref().map(|only| folder_name(tree, only)).unwrap_or_default();
        let profile = Profile { home, ..Profile::default() };
        members.push(member(tree, profile, configured, diagnostics));
    }
    members
}

fn member(
    tree: &WorkflowTree,
    profile: Profile,
    configured: &[EndpointConfig],
    diagnostics: &mut Vec<Diagnostic>,
) -> Member {
    let mut found = Vec::new();
    let (files, presets) = match &tree.configs {
        Some(configs) => (
            endpoint_file::read_all(configs, &profile.endpoints, &mut found),
            Presets::of_tree(configs, &profile.presets, &mut found),
        ),
        None => {
            let beside = tree.only.as_ref().unwrap_or(&tree.root).join("presets");
            (BTreeMap::new(), Presets::plain(&beside, &mut found))
        }
    };
    diagnostics
        .extend(found.into_iter().filter(|flaw| !diagnostics.contains(flaw)).collect::<Vec<_>>());
    let named = Arc::new(NamedEndpoints::new(configured, files, presets));
    let endpoints: Arc<dyn Endpoints> = Arc::clone(&named) as Arc<dyn Endpoints>;
    Member { profile, named, endpoints }
}

/// What is wrong with the endpoints and presets that a workflow names. Names that contain variables
/// are checked when they run.
fn check_calls(workflow: &Workflow, known: &NamedEndpoints, in_tree: bool) -> Vec<Diagnostic> {
    let constant = |name: &str| workflow.constants.get(name)?.fill(|_| None).ok();
    let fixed = |name: &Template| name.fill(constant).ok().filter(|name| !name.is_empty());
    let mut diagnostics = Vec::new();
    for node in &workflow.nodes {
        let Some((endpoint, preset)) = node.asked() else { continue };
        if let Some(name) = fixed(endpoint).filter(|name| !known.has(name)) {
            let meant = nearest(&name, known.names());
            let meant = meant.map(|meant| format!("; is {meant:?} meant?")).unwrap_or_default();
            let sentence = format!("no endpoint {name:?} is configured{meant}");
            diagnostics.push(Diagnostic::new(&workflow.file, node.line, sentence));
        }
        let preset = preset.and_then(fixed).filter(|name| !known.has_preset(name));
        diagnostics.extend(preset.map(|name| match in_tree {
            true => {
                let sentence = format!("there is no preset {name:?}; none is sent");
                Diagnostic::hint(&workflow.file, node.line, sentence)
            }
            false => {
                let sentence = format!(
                    "there is no preset {name:?}; put {name}.json into \"presets\" beside the workflows"
                );
                Diagnostic::new(&workflow.file, node.line, sentence)
            }
        }));
    }
    diagnostics
}

/// The node of a workflow that folds chapters with prompts of its own. There is no chat in the
/// background, so variables of the chat are empty.
fn summarizer_of(chosen: &Chosen<'_>, workflow: &Workflow) -> Option<NodeSummarizer> {
    let own = workflow.nodes.iter().find_map(|node| match &node.kind {
        NodeKind::ChatSummarySummarizer(summarizer) => summarizer.own.as_ref(),
        _ => None,
    })?;
    let fixed = |name: &str| {
        let users = chosen.profile.variables.get(name).cloned();
        users.or_else(|| workflow.constants.get(name)?.fill(|_| None).ok())
    };
    let texts = |name: &str| Some(fixed(name).unwrap_or_default());
    let max_tokens = match own.max_tokens {
        crate::properties::Amount::Fixed(count) => count,
        crate::properties::Amount::Open(_, usual) => usual,
    };
    Some(NodeSummarizer {
        endpoints: Arc::clone(chosen.endpoints),
        endpoint: own.endpoint.fill(fixed).ok().filter(|name| chosen.named.has(name))?,
        preset: own.preset.as_ref().and_then(|name| name.fill(fixed).ok()),
        system: own.system_prompt.fill(texts).ok()?,
        prompt: own.prompt.fill(texts).ok()?,
        max_tokens: u32::try_from(max_tokens).unwrap_or(u32::MAX),
    })
}
