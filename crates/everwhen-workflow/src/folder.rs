//! All workflows of a directory, and the checks that need all of them: references to workflows that
//! do not exist, cycles between workflows, endpoints that are not configured.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, nearest};
use crate::node::{NodeKind, Stamps, SubWorkflow};
use crate::workflow::{self, Workflow};

/// Workflows by name.
#[derive(Debug, Clone, Default)]
pub struct Folder {
    workflows: BTreeMap<String, Workflow>,
}

impl Folder {
    /// Reads every `.json` file of a directory. Returns the workflows without errors, and the
    /// diagnostics of all files.
    pub fn read(directory: &Path) -> std::io::Result<(Self, Vec<Diagnostic>)> {
        let mut folder = Self::default();
        let mut diagnostics = Vec::new();
        for file in files(directory)? {
            let (workflow, found) = match std::fs::read_to_string(&file) {
                Ok(text) => workflow::read(&file, &text),
                Err(error) => (None, vec![unreadable(&file, &error)]),
            };
            diagnostics.extend(found);
            folder.workflows.extend(workflow.map(|workflow| (workflow.name.clone(), workflow)));
        }
        diagnostics.extend(folder.check_runs());
        folder.drop_flawed(&diagnostics);
        Ok((folder, diagnostics))
    }

    /// Returns the workflow with this name.
    pub fn get(&self, name: &str) -> Option<&Workflow> {
        self.workflows.get(name)
    }

    /// The names of all workflows.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.workflows.keys().map(String::as_str)
    }

    /// Reports nodes that name an unknown endpoint. Names that contain variables are checked when
    /// they run.
    pub fn check_endpoints(&self, known: &BTreeSet<String>) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for workflow in self.workflows.values() {
            for node in &workflow.nodes {
                let NodeKind::Standard(standard) = &node.kind else { continue };
                let fixed = standard.endpoint.fill(|_| None).ok();
                let Some(name) = fixed.filter(|name| !known.contains(name)) else { continue };
                let meant = nearest(&name, known.iter().map(String::as_str));
                let meant = meant.map(|meant| format!("; is {meant:?} meant?")).unwrap_or_default();
                let sentence = format!("no endpoint {name:?} is configured{meant}");
                diagnostics.push(Diagnostic::new(&workflow.file, node.line, sentence));
            }
        }
        diagnostics
    }

    /// Reports nodes that name an unknown preset.
    pub(crate) fn check_presets(&self, known: &BTreeSet<String>) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for workflow in self.workflows.values() {
            for node in &workflow.nodes {
                let NodeKind::Standard(standard) = &node.kind else { continue };
                let fixed = standard.preset.as_ref().and_then(|name| name.fill(|_| None).ok());
                let Some(name) = fixed.filter(|name| !known.contains(name)) else { continue };
                let sentence = format!(
                    "there is no preset {name:?}; put {name}.json into \"presets\" beside the workflows"
                );
                diagnostics.push(Diagnostic::new(&workflow.file, node.line, sentence));
            }
        }
        diagnostics
    }

    /// How the replies of a workflow are dated: the setting of its responder, or of the first
    /// workflow that its responder may run.
    pub fn dating(&self, workflow: &Workflow) -> Stamps {
        let responder = &workflow.nodes[workflow.responder].kind;
        if let NodeKind::Standard(standard) = responder {
            return standard.stamps;
        }
        let ways = responder.runs().into_iter().filter_map(|one| self.get(&one.name));
        ways.map(|one| self.dating(one)).fold(Stamps::default(), |one, other| Stamps {
            on: one.on || other.on,
            relative: one.relative || other.relative,
            group_chat: one.group_chat || other.group_chat,
        })
    }

    fn check_runs(&self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for workflow in self.workflows.values() {
            for one in runs(workflow) {
                if !self.workflows.contains_key(&one.name) {
                    let meant = nearest(&one.name, self.names());
                    let meant =
                        meant.map(|meant| format!("; is {meant:?} meant?")).unwrap_or_default();
                    let sentence = format!("there is no workflow {:?} here{meant}", one.name);
                    diagnostics.push(Diagnostic::new(&workflow.file, one.line, sentence));
                } else if let Some(circle) = self.circle(workflow, one) {
                    let sentence = format!("this never ends: {}", circle.join(" runs "));
                    diagnostics.push(Diagnostic::new(&workflow.file, one.line, sentence));
                }
            }
        }
        diagnostics
    }

    /// Finds a cycle that leads from a workflow through one it runs back to itself.
    fn circle(&self, from: &Workflow, first: &SubWorkflow) -> Option<Vec<String>> {
        let mut seen = BTreeSet::new();
        let mut ways = vec![vec![from.name.clone(), first.name.clone()]];
        while let Some(way) = ways.pop() {
            let last = way.last().expect("a way has a beginning");
            if *last == from.name {
                return Some(way);
            }
            if !seen.insert(last.clone()) {
                continue;
            }
            for next in self.workflows.get(last).into_iter().flat_map(runs) {
                ways.push(way.iter().chain([&next.name]).cloned().collect());
            }
        }
        None
    }

    fn drop_flawed(&mut self, diagnostics: &[Diagnostic]) {
        let flawed: BTreeSet<&Path> = diagnostics
            .iter()
            .filter(|flaw| !flaw.harmless)
            .map(|flaw| flaw.file.as_path())
            .collect();
        self.workflows.retain(|_, workflow| !flawed.contains(workflow.file.as_path()));
    }
}

fn runs(workflow: &Workflow) -> impl Iterator<Item = &SubWorkflow> {
    workflow.nodes.iter().flat_map(|node| node.kind.runs())
}

fn files(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        // Files that begin with an underscore hold settings, not workflows.
        let settings = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('_'));
        if path.extension().is_some_and(|ending| ending == "json") && !settings {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn unreadable(file: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::new(file, 1, format!("the file cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> (Folder, Vec<String>) {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(directory.path().join(name), text).unwrap();
        }
        let (folder, diagnostics) = Folder::read(directory.path()).unwrap();
        let told = diagnostics.iter().map(|flaw| {
            let file = flaw.file.file_name().unwrap().to_string_lossy().into_owned();
            format!("{file}:{}: {}", flaw.line, flaw.sentence)
        });
        (folder, told.collect())
    }

    fn runs(name: &str) -> String {
        format!("[{{\"type\": \"CustomWorkflow\", \"workflowName\": {name:?}}}]")
    }

    const HELLO: &str = r#"[{"type": "StaticResponse", "content": "hello"}]"#;

    #[test]
    fn reads_workflows_and_leaves_settings_and_other_files() {
        let (folder, told) = folder(&[
            ("a.json", &runs("b")),
            ("b.json", HELLO),
            ("_Settings.json", "{}"),
            ("notes.txt", "no workflow"),
        ]);
        assert_eq!(told, [""; 0]);
        assert_eq!(folder.names().collect::<Vec<_>>(), ["a", "b"]);
        assert!(folder.get("a").is_some());
    }

    #[test]
    fn a_workflow_that_is_not_there_is_named() {
        let (folder, told) = folder(&[("a.json", &runs("helo")), ("hello.json", HELLO)]);
        assert_eq!(told, ["a.json:1: there is no workflow \"helo\" here; is \"hello\" meant?"]);
        assert_eq!(folder.names().collect::<Vec<_>>(), ["hello"]);
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
        let (folder, told) = folder(&files);
        assert!(
            told.contains(&"a.json:1: this never ends: a runs b runs c runs a".to_owned()),
            "{told:?}"
        );
        assert!(told.contains(&"d.json:1: this never ends: d runs d".to_owned()), "{told:?}");
        assert_eq!(folder.names().count(), 0);
    }

    #[test]
    fn one_broken_file_leaves_the_others_alone() {
        let (folder, told) = folder(&[("a.json", "{"), ("b.json", HELLO)]);
        assert_eq!(told.len(), 1);
        assert_eq!(folder.names().collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn endpoints_must_be_configured_unless_their_names_come_later() {
        let (folder, _) = folder(&[(
            "a.json",
            r#"[{"type": "Standard", "endpointName": "Creative-Endpont"},
                {"type": "Standard", "endpointName": "{agent1Input}"}]"#,
        )]);
        let diagnostics = folder.check_endpoints(&["Creative-Endpoint".to_owned()].into());
        assert_eq!(diagnostics.len(), 1);
        assert!(
            diagnostics[0].sentence.contains("is \"Creative-Endpoint\" meant?"),
            "{}",
            diagnostics[0]
        );
    }
}
