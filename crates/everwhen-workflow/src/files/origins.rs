//! Which memory each file was written from, so that a forget there removes the file: it may say what is
//! forgotten. Lines of JSON in a directory beside those of the vaults, where no workflow reads or writes.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use everwhen::memory::VaultId;
use everwhen::{ConflictReason, Error, Result};

use super::{FilesBelow, ORIGINS, VAULTS, trouble};

/// How often something was forgotten in each vault since this process began. It is locked while a file is
/// written or removed, so that a run that began before a forget writes nothing after it.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileEpochs(Arc<Mutex<HashMap<VaultId, u64>>>);

impl FileEpochs {
    fn lock(&self) -> MutexGuard<'_, HashMap<VaultId, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The run that writes files: of which vault and memory, and what had been forgotten when it began.
#[derive(Debug, Clone)]
pub(super) struct FileOrigin {
    epochs: FileEpochs,
    vault: VaultId,
    memory: String,
    began: u64,
    /// The lines of the vault.
    lines: PathBuf,
}

impl FileOrigin {
    pub(super) fn new(root: &Path, epochs: &FileEpochs, vault: VaultId, memory: String) -> Self {
        let began = epochs.lock().get(&vault).copied().unwrap_or(0);
        let lines = lines_of(root, vault);
        Self { epochs: epochs.clone(), vault, memory, began, lines }
    }

    /// Notes that a file is written, then writes it; refused if something was forgotten in the vault since
    /// the run began.
    pub(super) fn write(&self, path: &str, write: impl FnOnce() -> Result<()>) -> Result<()> {
        let epochs = self.epochs.lock();
        if epochs.get(&self.vault).copied().unwrap_or(0) != self.began {
            return Err(Error::conflict("something was forgotten since the workflow began")
                .because(ConflictReason::ChangedMeanwhile));
        }
        self.note(path).map_err(|error| trouble("write", &self.lines, &error))?;
        write()
    }

    fn note(&self, path: &str) -> std::io::Result<()> {
        let line = serde_json::json!([self.memory, path]).to_string();
        let known = std::fs::read_to_string(&self.lines).unwrap_or_default();
        if known.lines().any(|one| one == line) {
            return Ok(());
        }
        if let Some(directory) = self.lines.parent() {
            std::fs::create_dir_all(directory)?;
        }
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&self.lines)?;
        writeln!(file, "{line}")
    }
}

/// Removes the files that were written from these memories of a vault, each by id or name, or all of the vault.
pub(super) fn forget(
    root: &Path,
    epochs: &FileEpochs,
    vault: VaultId,
    memories: Option<&[String]>,
) -> Result<()> {
    let mut epochs = epochs.lock();
    *epochs.entry(vault).or_default() += 1;
    let (own, lines) = (root.join(VAULTS).join(vault.to_string()), lines_of(root, vault));
    let Some(memories) = memories else {
        gone(&own, std::fs::remove_dir_all(&own))?;
        return gone(&lines, std::fs::remove_file(&lines));
    };
    let text = std::fs::read_to_string(&lines).unwrap_or_default();
    let noted = |line: &str| serde_json::from_str::<(String, String)>(line).ok();
    let noted: Vec<(String, String)> = text.lines().filter_map(noted).collect();
    let doomed: HashSet<&String> = noted
        .iter()
        .filter(|(memory, _)| memories.contains(memory))
        .map(|(_, path)| path)
        .collect();
    for path in &doomed {
        let place = FilesBelow(own.clone()).place(path)?;
        gone(&place, std::fs::remove_file(&place))?;
    }
    let left = noted.iter().filter(|(_, path)| !doomed.contains(path));
    let left: String = left.map(|one| serde_json::json!(one).to_string() + "\n").collect();
    match doomed.is_empty() {
        true => Ok(()),
        false => std::fs::write(&lines, left).map_err(|error| trouble("write", &lines, &error)),
    }
}

fn lines_of(root: &Path, vault: VaultId) -> PathBuf {
    root.join(ORIGINS).join(vault.to_string())
}

/// What is not there need not be removed.
fn gone(place: &Path, removed: std::io::Result<()>) -> Result<()> {
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(trouble("remove", place, &error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::files::VaultFiles;
    use crate::port::Files;

    use super::*;

    fn files(root: &Path, epochs: &FileEpochs, memory: &str) -> VaultFiles {
        let vault = "vlt_00000000000000000000000001".parse().unwrap();
        VaultFiles::new(root, Some(vault)).written_from(epochs, memory.to_owned())
    }

    #[test]
    fn a_forget_removes_what_was_written_from_that_memory() {
        let directory = tempfile::tempdir().unwrap();
        let (root, epochs) = (directory.path(), FileEpochs::default());
        let vault: VaultId = "vlt_00000000000000000000000001".parse().unwrap();
        let (ana, bo) = (files(root, &epochs, "ana"), files(root, &epochs, "bo"));
        ana.write("a/notes.txt", "secret", false).unwrap();
        ana.write("both.txt", "secret", false).unwrap();
        bo.write("both.txt", "more", true).unwrap();
        bo.write("bo.txt", "harmless", false).unwrap();
        forget(root, &epochs, vault, Some(&["mem_1".into(), "ana".into()])).unwrap();
        assert_eq!(bo.read("a/notes.txt").unwrap(), None);
        assert_eq!(bo.read("both.txt").unwrap(), None);
        assert_eq!(bo.read("bo.txt").unwrap().as_deref(), Some("harmless"));
        let error = ana.write("a/notes.txt", "secret", false).unwrap_err();
        assert!(error.message().contains("forgotten since"), "{error}");
        assert_eq!(ana.read("a/notes.txt").unwrap(), None, "a run that had begun writes nothing");
        let later = files(root, &epochs, "ana");
        later.write("a/notes.txt", "new", false).unwrap();
        forget(root, &epochs, vault, None).unwrap();
        assert!(!root.join(VAULTS).join(vault.to_string()).exists());
        assert!(!lines_of(root, vault).exists());
        forget(root, &epochs, vault, Some(&["ana".into()])).unwrap();
    }
}
