//! Where the parts of a directory of workflows are.
//!
//! A plain directory holds workflow files. WilmerAI's tree holds folders of workflows below
//! `Workflows`, and beside it users, endpoints, presets and routing. The directory that is
//! configured may be `Public`, `Public/Configs`, `Workflows`, or one folder in it.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The file that says how memories are distilled, where it lies beside workflows.
const SETTINGS_FILE: &str = "_DiscussionId-MemoryFile-Workflow-Settings";
/// The file that names the user who runs WilmerAI.
const CURRENT_USER: &str = "_current-user";
/// The directory of workflow folders in WilmerAI's tree.
const WORKFLOWS: &str = "Workflows";
/// The directory of users in WilmerAI's tree.
const USERS: &str = "Users";
/// The folder whose workflows all users run.
const COMMON: &str = "_common";
/// How many directories above the configured one are looked at.
const LEVELS: usize = 4;
/// Directories beside workflow files that hold no workflows.
const NO_FOLDERS: [&str; 2] = ["presets", "files"];

/// The parts of a directory of workflows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowTree {
    /// The directory that folders of workflows are below; for a plain directory, that directory.
    pub root: PathBuf,
    /// Whether there are folders below the root.
    pub has_folders: bool,
    /// The directory of users, endpoints, presets and routing, in WilmerAI's tree.
    pub configs: Option<PathBuf>,
    /// The folder that was asked for, if that is one of several.
    pub only: Option<PathBuf>,
}

impl WorkflowTree {
    /// Finds the parts of a directory.
    pub fn find(directory: &Path) -> Self {
        // "." has no name by which a tree could be recognised.
        let absolute = directory.file_name().is_none().then(|| directory.canonicalize().ok());
        let absolute = absolute.flatten();
        let directory = absolute.as_deref().unwrap_or(directory);
        let below = [directory.join("Configs").join(WORKFLOWS), directory.join(WORKFLOWS)];
        if let Some(root) = below.into_iter().find(|path| path.is_dir()) {
            return Self::tree(root, None);
        }
        let above = directory.ancestors().take(LEVELS);
        let named =
            above.into_iter().find(|path| path.file_name().is_some_and(|it| it == WORKFLOWS));
        if let Some(root) = named {
            let only = (root != directory).then(|| directory.to_owned());
            return Self::tree(root.to_owned(), only);
        }
        let beside = directory.parent().filter(|parent| parent.join(COMMON).is_dir());
        match beside.filter(|_| directory.file_name().is_some()) {
            Some(root) => Self::tree(root.to_owned(), Some(directory.to_owned())),
            None if !has_json(directory) && holds_folders(directory) => {
                Self::tree(directory.to_owned(), None)
            }
            None => {
                Self { root: directory.to_owned(), has_folders: false, configs: None, only: None }
            }
        }
    }

    fn tree(root: PathBuf, only: Option<PathBuf>) -> Self {
        let configs = root.parent().filter(|parent| {
            [USERS, "Endpoints", "Presets"].iter().any(|part| parent.join(part).is_dir())
        });
        let configs = configs.map(Path::to_owned);
        Self { root, has_folders: true, configs, only }
    }

    /// The directories that hold workflow files, sorted.
    pub fn folders(&self) -> Vec<PathBuf> {
        if !self.has_folders {
            return vec![self.root.clone()];
        }
        let mut found = Vec::new();
        let mut left = vec![(self.root.clone(), 0)];
        while let Some((directory, depth)) = left.pop() {
            if has_json(&directory) {
                found.push(directory.clone());
            }
            if depth < LEVELS {
                left.extend(subdirectories(&directory).into_iter().map(|path| (path, depth + 1)));
            }
        }
        found.sort();
        found
    }

    /// The names and files of all users.
    pub fn users(&self) -> Vec<(String, PathBuf)> {
        let Some(configs) = &self.configs else { return Vec::new() };
        let mut users: Vec<(String, PathBuf)> = json_files(&configs.join(USERS))
            .into_iter()
            .map(|path| (stem(&path), path))
            .filter(|(name, _)| name != CURRENT_USER)
            .collect();
        users.sort();
        users
    }

    /// The user whom `_current-user.json` names, if there is such a user.
    pub fn current_user(&self) -> Option<String> {
        let file = self.configs.as_ref()?.join(USERS).join(format!("{CURRENT_USER}.json"));
        let current = read_object(&file)?;
        let name = current["currentUser"].as_str()?;
        self.users().into_iter().map(|(user, _)| user).find(|user| user == name)
    }

    /// The folder of a user's workflows.
    pub fn home(&self, user: &str, file: &Value) -> PathBuf {
        let named = file["workflowConfigsSubDirectoryOverride"].as_str();
        match named.filter(|name| !name.is_empty()) {
            None => self.root.join(user),
            Some(name) => {
                let below = self.root.join("_overrides").join(name);
                if below.is_dir() { below } else { self.root.join(name) }
            }
        }
    }

    /// The settings file for chapters, if there is one: in a plain directory or the folder that was
    /// asked for, the one that lies there; else that of the current user, or of the only user who
    /// has one.
    pub fn settings_file(&self) -> Option<PathBuf> {
        let beside = self.only.as_ref().unwrap_or(&self.root);
        let beside = beside.join(format!("{SETTINGS_FILE}.json"));
        if beside.is_file() {
            return Some(beside);
        }
        let mut all = self.users().into_iter().filter_map(|(name, path)| {
            let file = self.settings_of(&name, &read_object(&path)?)?;
            Some((name, file))
        });
        if let Some(current) = self.current_user() {
            return all.find(|(name, _)| *name == current).map(|(_, file)| file);
        }
        let only = all.next();
        only.filter(|_| all.next().is_none()).map(|(_, file)| file)
    }

    fn settings_of(&self, user: &str, file: &Value) -> Option<PathBuf> {
        let name = file["discussionIdMemoryFileWorkflowSettings"].as_str()?;
        let path = self.home(user, file).join(format!("{name}.json"));
        (!name.is_empty() && path.is_file()).then_some(path)
    }
}

/// Whether a file holds settings for chapters, by its name.
pub fn is_settings_file(path: &Path) -> bool {
    path.file_stem().is_some_and(|name| name == SETTINGS_FILE)
}

fn holds_folders(directory: &Path) -> bool {
    subdirectories(directory).iter().any(|path| has_json(path) || holds_json_below(path))
}

fn holds_json_below(directory: &Path) -> bool {
    subdirectories(directory).iter().any(|path| has_json(path))
}

fn subdirectories(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path()).filter(|path| path.is_dir());
    let wanted = paths.filter(|path| {
        path.file_name().is_some_and(|name| NO_FOLDERS.iter().all(|other| name != *other))
    });
    wanted.collect()
}

fn json_files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect()
}

fn has_json(directory: &Path) -> bool {
    !json_files(directory).is_empty()
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn read_object(path: &Path) -> Option<Value> {
    let value: Value = serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()?;
    value.is_object().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn every_directory_of_the_tree_leads_to_the_same_parts() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        write(root, "Public/Configs/Workflows/_common/General.json", "[]");
        write(root, "Public/Configs/Workflows/ana/_DefaultWorkflow.json", "[]");
        write(&root.join("Public/Configs").join(USERS), "ana.json", "{}");
        let public = WorkflowTree::find(&root.join("Public"));
        assert_eq!(public.root, root.join("Public/Configs/Workflows"));
        assert_eq!(public.configs, Some(root.join("Public/Configs")));
        for place in ["Public/Configs", "Public/Configs/Workflows"] {
            assert_eq!(WorkflowTree::find(&root.join(place)), public, "{place}");
        }
        let one = WorkflowTree::find(&root.join("Public/Configs/Workflows/ana"));
        assert_eq!(one.only, Some(root.join("Public/Configs/Workflows/ana")));
        assert_eq!(one.root, public.root);
        assert_eq!(public.folders().len(), 2);
    }

    #[test]
    fn a_plain_directory_is_its_own_root() {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), "chat.json", "[]");
        write(directory.path(), "presets/warm.json", "{}");
        let tree = WorkflowTree::find(directory.path());
        assert!(!tree.has_folders);
        assert_eq!(tree.folders(), [directory.path().to_owned()]);
    }

    #[test]
    fn folders_without_users_are_a_tree_too() {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), "flows/_common/General.json", "[]");
        write(directory.path(), "flows/_shared/coding/_DefaultWorkflow.json", "[]");
        let tree = WorkflowTree::find(&directory.path().join("flows"));
        assert!(tree.has_folders);
        assert_eq!((tree.folders().len(), tree.configs), (2, None));
    }

    #[test]
    fn the_settings_file_is_that_of_the_current_user() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let named = r#"{"discussionIdMemoryFileWorkflowSettings": "S"}"#;
        for user in ["ana", "bo"] {
            write(&root.join("Configs").join(USERS), &format!("{user}.json"), named);
            write(root, &format!("Configs/Workflows/{user}/S.json"), "{}");
        }
        let tree = WorkflowTree::find(root);
        assert_eq!(tree.settings_file(), None, "two users have one and none is current");
        let users = root.join("Configs").join(USERS);
        write(&users, "_current-user.json", r#"{"currentUser": "bo"}"#);
        assert_eq!(tree.current_user().as_deref(), Some("bo"));
        assert_eq!(tree.settings_file(), Some(root.join("Configs/Workflows/bo/S.json")));
    }
}
