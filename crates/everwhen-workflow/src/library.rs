//! All workflows of a tree, and the checks that need all of them: references to workflows that do
//! not exist, cycles between workflows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use everwhen::{WorkflowTree, is_settings_file};

use crate::diagnostic::{Diagnostic, nearest};
use crate::node::{NodeKind, Stamps, SubWorkflow};
use crate::workflow::{self, FileKind, Workflow};

/// Workflows by path: the folder, if there are folders, and the name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Library {
    workflows: BTreeMap<String, Workflow>,
    /// Why workflows were refused, by path.
    refused: BTreeMap<String, String>,
}

impl Library {
    /// Reads every workflow of a plain directory.
    #[cfg(test)]
    pub(crate) fn read(directory: &Path) -> (Self, Vec<Diagnostic>) {
        let tree = WorkflowTree {
            root: directory.to_owned(),
            has_folders: false,
            configs: None,
            only: None,
        };
        Self::of(&tree, &BTreeSet::new())
    }

    /// Reads every workflow of a tree. Returns those without errors, and the diagnostics of all
    /// files. `names` are variables that users define.
    pub(crate) fn of(tree: &WorkflowTree, names: &BTreeSet<String>) -> (Self, Vec<Diagnostic>) {
        let (mut library, mut diagnostics) = (Self::default(), Vec::new());
        for directory in tree.folders() {
            let folder = folder_name(tree, &directory);
            match files(&directory) {
                Ok(files) => {
                    for file in files {
                        library.take(&folder, &file, names, &mut diagnostics);
                    }
                }
                Err(error) => diagnostics.push(unreadable(&directory, &error)),
            }
        }
        let wrong = library.check_runs();
        library.refuse(&wrong);
        diagnostics.extend(wrong);
        (library, diagnostics)
    }

    fn take(
        &mut self,
        folder: &str,
        file: &Path,
        names: &BTreeSet<String>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let (kind, found) = match std::fs::read_to_string(file) {
            Ok(text) => workflow::read(file, &text, names),
            Err(error) => (FileKind::Workflow(None), vec![unreadable(file, &error)]),
        };
        let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let path = path_of(folder, &name.unwrap_or_default());
        match kind {
            FileKind::Settings => {}
            FileKind::Workflow(Some(workflow)) => {
                let workflow = Workflow { folder: folder.to_owned(), ..workflow };
                self.workflows.insert(path, workflow);
            }
            FileKind::Workflow(None) => {
                let wrong = found.iter().filter(|flaw| !flaw.harmless).map(ToString::to_string);
                self.refused.insert(path, wrong.collect::<Vec<_>>().join("\n"));
            }
        }
        diagnostics.extend(found);
    }

    /// Returns the workflow with this path.
    pub(crate) fn get(&self, path: &str) -> Option<&Workflow> {
        self.workflows.get(path)
    }

    /// All workflows, in the order of their paths.
    pub(crate) fn workflows(&self) -> impl Iterator<Item = &Workflow> {
        self.workflows.values()
    }

    /// What is wrong with a workflow that was refused.
    pub(crate) fn problem(&self, path: &str) -> Option<&str> {
        self.refused.get(path).map(String::as_str)
    }

    /// The folders there are, sorted.
    pub(crate) fn folders(&self) -> BTreeSet<&str> {
        self.workflows.values().map(|workflow| workflow.folder.as_str()).collect()
    }

    /// Finds the workflow that a node runs: in the folder it names, else in the user's folder, else
    /// in the folder of the workflow itself.
    pub(crate) fn find(&self, home: &str, from: &str, one: &SubWorkflow) -> Option<&Workflow> {
        self.paths(home, from, one).into_iter().find_map(|path| self.get(&path))
    }

    /// What is wrong with the workflow that a node runs, if it was refused.
    pub(crate) fn problem_of(&self, home: &str, from: &str, one: &SubWorkflow) -> Option<&str> {
        self.paths(home, from, one).into_iter().find_map(|path| self.problem(&path))
    }

    fn paths(&self, home: &str, from: &str, one: &SubWorkflow) -> Vec<String> {
        let name = one.name.strip_suffix(".json").unwrap_or(&one.name);
        let folders = match &one.folder {
            Some(folder) if !from.is_empty() => {
                vec![folder.clone(), format!("_overrides/{folder}"), format!("_shared/{folder}")]
            }
            _ => vec![home.to_owned(), from.to_owned()],
        };
        folders.iter().map(|folder| path_of(folder, name)).collect()
    }

    /// How the replies of a workflow are dated: the setting of its responder, or of the workflows
    /// that its responder may run.
    pub(crate) fn dating(&self, workflow: &Workflow) -> Stamps {
        self.dating_below(workflow, &mut BTreeSet::new())
    }

    fn dating_below(&self, workflow: &Workflow, seen: &mut BTreeSet<String>) -> Stamps {
        let responder = &workflow.nodes[workflow.responder].kind;
        if let NodeKind::Standard(standard) = responder {
            return standard.stamps;
        }
        if !seen.insert(workflow.path()) {
            return Stamps::default();
        }
        let ways = responder.runs().into_iter();
        let ways = ways.filter_map(|one| self.find(&workflow.folder, &workflow.folder, one));
        ways.map(|one| self.dating_below(one, seen)).fold(Stamps::default(), |one, other| Stamps {
            on: one.on || other.on,
            relative: one.relative || other.relative,
            group_chat: one.group_chat || other.group_chat,
        })
    }

    /// Refuses the workflows that these diagnostics are errors of.
    pub(crate) fn refuse(&mut self, diagnostics: &[Diagnostic]) {
        for flaw in diagnostics.iter().filter(|flaw| !flaw.harmless) {
            let paths: Vec<String> = self
                .workflows
                .values()
                .filter(|workflow| workflow.file == flaw.file)
                .map(Workflow::path)
                .collect();
            for path in paths {
                self.workflows.remove(&path);
                self.refused.insert(path, flaw.to_string());
            }
        }
    }

    fn check_runs(&self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for workflow in self.workflows.values() {
            for one in runs(workflow) {
                diagnostics.extend(self.check_run(workflow, one));
            }
        }
        diagnostics
    }

    fn check_run(&self, workflow: &Workflow, one: &SubWorkflow) -> Option<Diagnostic> {
        let folder = &workflow.folder;
        if self.find(folder, folder, one).is_some() {
            let circle = self.circle(workflow, one)?;
            let sentence = format!("this never ends: {}", circle.join(" runs "));
            return Some(Diagnostic::new(&workflow.file, one.line, sentence));
        }
        let refused = self.paths(folder, folder, one).into_iter();
        if refused.into_iter().any(|path| self.refused.contains_key(&path)) {
            let sentence = format!("the workflow {:?} has errors and is not run", one.name);
            return Some(Diagnostic::hint(&workflow.file, one.line, sentence));
        }
        // A workflow of a common folder may run one of the user's own.
        let elsewhere = self.workflows.values().any(|other| other.name == one.name);
        if elsewhere && one.folder.is_none() && !folder.is_empty() {
            return None;
        }
        let near = self.workflows.values().filter(|other| other.folder == *folder);
        let meant = nearest(&one.name, near.map(|other| other.name.as_str()));
        let meant = meant.map(|meant| format!("; is {meant:?} meant?")).unwrap_or_default();
        let place = one.folder.as_ref().filter(|_| !folder.is_empty());
        let place = place.map_or("here".to_owned(), |folder| format!("in the folder {folder:?}"));
        let sentence = format!("there is no workflow {:?} {place}{meant}", one.name);
        Some(Diagnostic::new(&workflow.file, one.line, sentence))
    }

    /// Finds a cycle that leads from a workflow through one it runs back to itself.
    fn circle(&self, from: &Workflow, first: &SubWorkflow) -> Option<Vec<String>> {
        let home = &from.folder;
        let first = self.find(home, home, first)?;
        let mut seen = BTreeSet::new();
        let mut ways = vec![vec![from, first]];
        while let Some(way) = ways.pop() {
            let last = *way.last()?;
            if last.file == from.file {
                return Some(way.iter().map(|one| one.name.clone()).collect());
            }
            if !seen.insert(last.path()) {
                continue;
            }
            let next = runs(last).filter_map(|one| self.find(home, &last.folder, one));
            ways.extend(next.map(|next| way.iter().copied().chain([next]).collect::<Vec<_>>()));
        }
        None
    }
}

/// A path of a folder, which may be empty, and a name.
pub(crate) fn path_of(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The name of a directory of workflows below the root of its tree.
pub(crate) fn folder_name(tree: &WorkflowTree, directory: &Path) -> String {
    let below = directory.strip_prefix(&tree.root).unwrap_or(directory);
    let parts = below.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    parts.collect::<Vec<_>>().join("/")
}

fn runs(workflow: &Workflow) -> impl Iterator<Item = &SubWorkflow> {
    workflow.nodes.iter().flat_map(|node| node.kind.runs())
}

fn files(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json") && !is_settings_file(&path) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

pub(crate) fn unreadable(file: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::new(file, 1, format!("the file cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flaws(diagnostics: &[Diagnostic]) -> Vec<String> {
        let flaws = diagnostics.iter().map(|flaw| {
            let file = flaw.file.file_name().unwrap().to_string_lossy().into_owned();
            format!("{file}:{}: {}", flaw.line, flaw.sentence)
        });
        flaws.collect()
    }

    fn library(files: &[(&str, &str)]) -> (Library, Vec<String>) {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = directory.path().join("flows").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let tree = WorkflowTree::find(&directory.path().join("flows"));
        let (library, diagnostics) = Library::of(&tree, &BTreeSet::new());
        (library, flaws(&diagnostics))
    }

    fn names(library: &Library) -> Vec<String> {
        library.workflows().map(Workflow::path).collect()
    }

    fn runs(name: &str) -> String {
        format!("[{{\"type\": \"CustomWorkflow\", \"workflowName\": {name:?}}}]")
    }

    const HELLO: &str = r#"[{"type": "StaticResponse", "content": "hello"}]"#;

    #[test]
    fn reads_workflows_and_leaves_settings_and_other_files() {
        let (library, flaws) = library(&[
            ("a.json", &runs("b")),
            ("b.json", HELLO),
            ("_DefaultWorkflow.json", HELLO),
            ("_Settings.json", "{}"),
            ("_DiscussionId-MemoryFile-Workflow-Settings.json", "{ broken"),
            ("notes.txt", "no workflow"),
        ]);
        assert_eq!(flaws, [""; 0]);
        assert_eq!(names(&library), ["_DefaultWorkflow", "a", "b"]);
    }

    #[test]
    fn a_workflow_that_is_not_there_is_named() {
        let (library, flaws) = library(&[("a.json", &runs("helo")), ("hello.json", HELLO)]);
        assert_eq!(flaws, ["a.json:1: there is no workflow \"helo\" here; is \"hello\" meant?"]);
        assert_eq!(names(&library), ["hello"]);
        assert!(library.problem("a").unwrap().contains("there is no workflow"));
    }

    #[test]
    fn a_folder_is_named_by_a_node() {
        let common = r#"[{"type": "CustomWorkflow", "workflowName": "General",
            "workflowUserFolderOverride": "_common"}]"#;
        let own = r#"[{"type": "CustomWorkflow", "workflowName": "Own"}]"#;
        let (library, flaws) = library(&[
            ("ana/_DefaultWorkflow.json", common),
            ("ana/Own.json", HELLO),
            ("_common/General.json", own),
            ("_shared/coding/_DefaultWorkflow.json", common),
        ]);
        assert_eq!(flaws, [""; 0]);
        assert_eq!(
            library.folders().into_iter().collect::<Vec<_>>(),
            ["_common", "_shared/coding", "ana"]
        );
        let general = library.get("_common/General").unwrap();
        let own = general.nodes[0].kind.runs()[0];
        assert_eq!(library.find("ana", "_common", own).unwrap().path(), "ana/Own");
    }

    #[test]
    fn a_circle_is_refused_however_long() {
        let files = [
            ("a.json", runs("b")),
            ("b.json", runs("c")),
            ("c.json", runs("a")),
            ("d.json", runs("d")),
        ];
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, &**text)).collect();
        let (library, flaws) = library(&files);
        assert!(
            flaws.contains(&"a.json:1: this never ends: a runs b runs c runs a".to_owned()),
            "{flaws:?}"
        );
        assert!(flaws.contains(&"d.json:1: this never ends: d runs d".to_owned()), "{flaws:?}");
        assert_eq!(names(&library).len(), 0);
    }

    #[test]
    fn one_broken_file_leaves_the_others_alone() {
        let (library, flaws) =
            library(&[("a.json", "{"), ("b.json", HELLO), ("c.json", &runs("a"))]);
        assert_eq!(flaws.len(), 2, "{flaws:?}");
        assert!(flaws[1].contains("\"a\" has errors and is not run"), "{flaws:?}");
        assert_eq!(names(&library), ["b", "c"]);
    }
}
