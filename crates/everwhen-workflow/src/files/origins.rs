//! Which memory each file was written from, and what had been forgotten there by then, so that a forget in that
//! memory removes the file: it may say what is forgotten. Lines of JSON in a directory beside those of the vaults,
//! where no workflow reads or writes.
//!
//! A forget by this process removes the files at once. Another process that uses the same store does not know of
//! this directory, so the marks of its memories are compared before a run and once an hour.

use std::collections::{HashMap, HashSet};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use everwhen::memory::{ForgetMark, VaultId};
use everwhen::{ConflictReason, Error, Result};
use everwhen_platform::replace_file;

use super::{FilesBelow, ORIGINS, VAULTS, trouble};

/// What was forgotten in each vault, as far as this process knows. It is locked while a file is written or
/// removed, so that a run that began before a forget writes nothing after it.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileEpochs(Arc<Mutex<HashMap<VaultId, VaultEpochs>>>);

#[derive(Debug, Default)]
struct VaultEpochs {
    /// How often this process removed files of the vault.
    removals: u64,
    /// The vault's epoch of forgetting when all of its files were last compared with the store.
    compared: Option<u64>,
}

impl FileEpochs {
    fn lock(&self) -> MutexGuard<'_, HashMap<VaultId, VaultEpochs>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn removals(&self, vault: VaultId) -> u64 {
        self.lock().get(&vault).map_or(0, |epochs| epochs.removals)
    }

    /// Returns whether the files of a vault were compared with the store in this epoch.
    pub(super) fn is_compared(&self, vault: VaultId, epoch: u64) -> bool {
        self.lock().get(&vault).is_some_and(|epochs| epochs.compared == Some(epoch))
    }
}

/// The origin of files that a run writes: its vault and memory, and what had been forgotten when it began.
#[derive(Debug, Clone)]
pub(super) struct FileOrigin {
    epochs: FileEpochs,
    vault: VaultId,
    memory: String,
    removals: u64,
    /// `None` if the store did not say.
    mark: Option<ForgetMark>,
    /// The lines of the vault.
    lines: PathBuf,
}

/// One line: a memory by its id or name, a file that was written from it, and what had been forgotten by then.
/// Earlier versions wrote two values.
#[derive(Debug, Clone, PartialEq)]
struct Note {
    memory: String,
    path: String,
    mark: NotedMark,
}

/// What a line says of forgetting.
#[derive(Debug, Clone, PartialEq)]
enum NotedMark {
    /// Nothing: an earlier version wrote it, whose files were removed by each forget of the process.
    None,
    /// The store did not answer then.
    Unknown,
    Known(ForgetMark),
}

impl Note {
    fn read(line: &str) -> Option<Self> {
        let values: Vec<serde_json::Value> = serde_json::from_str(line).ok()?;
        let text = |place: usize| Some(values.get(place)?.as_str()?.to_owned());
        let mark = match values.get(2) {
            None => NotedMark::None,
            Some(mark) => mark
                .as_str()
                .and_then(|mark| mark.parse().ok())
                .map_or(NotedMark::Unknown, NotedMark::Known),
        };
        Some(Self { memory: text(0)?, path: text(1)?, mark })
    }

    fn line(&self) -> String {
        let (memory, path) = (&self.memory, &self.path);
        match &self.mark {
            NotedMark::None => serde_json::json!([memory, path]),
            NotedMark::Unknown => serde_json::json!([memory, path, null]),
            NotedMark::Known(mark) => serde_json::json!([memory, path, mark.to_string()]),
        }
        .to_string()
    }

    /// Returns whether something was forgotten in its memory since it was written, given what was forgotten
    /// there by now.
    fn is_outdated(&self, now: &ForgetMark) -> bool {
        match &self.mark {
            NotedMark::Known(then) => !then.is_still(now),
            NotedMark::Unknown => !now.is_untouched(),
            NotedMark::None => now.memory.is_none(),
        }
    }
}

impl FileOrigin {
    pub(super) fn new(
        root: &Path,
        epochs: &FileEpochs,
        vault: VaultId,
        (memory, mark): (String, Option<ForgetMark>),
    ) -> Self {
        let (removals, lines) = (epochs.removals(vault), lines_of(root, vault));
        Self { epochs: epochs.clone(), vault, memory, removals, mark, lines }
    }

    pub(super) fn mark(&self) -> Option<&ForgetMark> {
        self.mark.as_ref()
    }

    /// Notes that a file is written, then writes it; refused if files were removed since the run began.
    pub(super) fn write(&self, path: &str, write: impl FnOnce() -> Result<()>) -> Result<()> {
        let epochs = self.epochs.lock();
        if epochs.get(&self.vault).map_or(0, |epochs| epochs.removals) != self.removals {
            return Err(Error::conflict("something was forgotten since the workflow began")
                .because(ConflictReason::ChangedMeanwhile));
        }
        self.note(path)?;
        write()
    }

    fn note(&self, path: &str) -> Result<()> {
        let mark = self.mark.clone().map_or(NotedMark::Unknown, NotedMark::Known);
        let line = Note { memory: self.memory.clone(), path: path.to_owned(), mark }.line();
        let known = text_of(&self.lines)?;
        if known.lines().any(|one| one == line) {
            return Ok(());
        }
        let is_cut = !known.is_empty() && !known.ends_with('\n');
        let begin = if is_cut { "\n" } else { "" };
        self.append(&format!("{begin}{line}\n"))
            .map_err(|error| trouble("write", &self.lines, &error))
    }

    /// The note is durable when the file it is about is written.
    fn append(&self, text: &str) -> std::io::Result<()> {
        if let Some(directory) = self.lines.parent() {
            std::fs::create_dir_all(directory)?;
        }
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&self.lines)?;
        file.write_all(text.as_bytes())?;
        file.sync_data()
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
    epochs.entry(vault).or_default().removals += 1;
    match memories {
        Some(memories) => remove(root, vault, |note| memories.contains(&note.memory)).map(drop),
        None => {
            let (own, lines) = (root.join(VAULTS).join(vault.to_string()), lines_of(root, vault));
            gone(&own, std::fs::remove_dir_all(&own))?;
            gone(&lines, std::fs::remove_file(&lines))
        }
    }
}

/// Removes the files of memories in which something was forgotten since they were written, given what was
/// forgotten in each by now, and in which epoch of the vault that was read.
pub(super) fn forget_outdated(
    root: &Path,
    epochs: &FileEpochs,
    vault: VaultId,
    (now, epoch): (&HashMap<String, ForgetMark>, u64),
) -> Result<()> {
    let mut epochs = epochs.lock();
    let known = epochs.entry(vault).or_default();
    let is_outdated = |note: &Note| now.get(&note.memory).is_some_and(|now| note.is_outdated(now));
    if remove(root, vault, is_outdated)? {
        known.removals += 1;
    }
    known.compared = Some(epoch);
    Ok(())
}

/// The memories from which files of a vault were written.
pub(super) fn memories(root: &Path, vault: VaultId) -> Result<HashSet<String>> {
    Ok(notes(&lines_of(root, vault))?.into_iter().map(|note| note.memory).collect())
}

/// The vaults of which there are files.
pub(super) fn vaults(root: &Path) -> Result<Vec<VaultId>> {
    let directory = root.join(ORIGINS);
    let Some(entries) = found(&directory, std::fs::read_dir(&directory))? else {
        return Ok(Vec::new());
    };
    let names: std::io::Result<Vec<_>> =
        entries.map(|entry| entry.map(|entry| entry.file_name())).collect();
    let names = names.map_err(|error| trouble("read", &directory, &error))?;
    Ok(names.iter().filter_map(|name| name.to_str()?.parse().ok()).collect())
}

/// Removes the files whose notes are meant, and says whether there was one.
fn remove(root: &Path, vault: VaultId, is_meant: impl Fn(&Note) -> bool) -> Result<bool> {
    let (own, lines) = (root.join(VAULTS).join(vault.to_string()), lines_of(root, vault));
    let noted = notes(&lines)?;
    let doomed: HashSet<&String> =
        noted.iter().filter(|note| is_meant(note)).map(|note| &note.path).collect();
    for path in &doomed {
        let place = FilesBelow(own.clone()).place(path)?;
        gone(&place, std::fs::remove_file(&place))?;
    }
    if !doomed.is_empty() {
        let left = noted.iter().filter(|note| !doomed.contains(&note.path));
        let left: String = left.map(|note| note.line() + "\n").collect();
        replace_file(&lines, left.as_bytes()).map_err(|error| trouble("write", &lines, &error))?;
    }
    Ok(!doomed.is_empty())
}

fn notes(lines: &Path) -> Result<Vec<Note>> {
    Ok(text_of(lines)?.lines().filter_map(Note::read).collect())
}

/// The text of the notes, empty if there is none yet. A crash may have cut its last line within a letter.
fn text_of(lines: &Path) -> Result<String> {
    let bytes = found(lines, std::fs::read(lines))?.unwrap_or_default();
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What was read, unless there is nothing at that place.
fn found<T>(place: &Path, read: std::io::Result<T>) -> Result<Option<T>> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(trouble("read", place, &error)),
    }
}

fn lines_of(root: &Path, vault: VaultId) -> PathBuf {
    root.join(ORIGINS).join(vault.to_string())
}

/// What is not there need not be removed.
fn gone(place: &Path, removed: std::io::Result<()>) -> Result<()> {
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(trouble("remove", place, &error)),
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
        VaultFiles::new(root, Some(vault)).written_from(epochs, memory.to_owned(), mark(0))
    }

    /// A memory in which something was forgotten this often.
    fn mark(forgotten: u64) -> Option<ForgetMark> {
        let memory = "mem_00000000000000000000000001".parse().unwrap();
        Some(ForgetMark { vault: 5, memory: Some((memory, forgotten)) })
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

    #[test]
    fn what_another_process_forgot_is_seen_by_the_marks() {
        let directory = tempfile::tempdir().unwrap();
        let (root, epochs) = (directory.path(), FileEpochs::default());
        let vault: VaultId = "vlt_00000000000000000000000001".parse().unwrap();
        let (ana, bo) = (files(root, &epochs, "ana"), files(root, &epochs, "bo"));
        ana.write("ana.txt", "secret", false).unwrap();
        bo.write("bo.txt", "harmless", false).unwrap();
        assert_eq!(vaults(root).unwrap(), [vault]);
        let now = |ana: u64| -> HashMap<String, ForgetMark> {
            let marks = [("ana", ana), ("bo", 0)];
            marks.map(|(memory, forgotten)| (memory.to_owned(), mark(forgotten).unwrap())).into()
        };
        assert!(!epochs.is_compared(vault, 5));
        forget_outdated(root, &epochs, vault, (&now(0), 5)).unwrap();
        assert!(epochs.is_compared(vault, 5) && ana.read("ana.txt").unwrap().is_some());
        ana.write("ana.txt", "more secrets", true).unwrap();
        forget_outdated(root, &epochs, vault, (&now(1), 6)).unwrap();
        assert_eq!(ana.read("ana.txt").unwrap(), None);
        assert_eq!(bo.read("bo.txt").unwrap().as_deref(), Some("harmless"));
        assert_eq!(memories(root, vault).unwrap(), HashSet::from(["bo".to_owned()]));
        ana.write("ana.txt", "secret", false).unwrap_err();
    }

    #[test]
    fn a_forget_fails_when_the_notes_cannot_be_read() {
        let directory = tempfile::tempdir().unwrap();
        let (root, epochs) = (directory.path(), FileEpochs::default());
        let vault: VaultId = "vlt_00000000000000000000000001".parse().unwrap();
        std::fs::create_dir_all(lines_of(root, vault)).unwrap();
        let forgotten = forget(root, &epochs, vault, Some(&["ana".into()]));
        assert!(forgotten.unwrap_err().message().contains("cannot read"));
        memories(root, vault).unwrap_err();
        forget_outdated(root, &epochs, vault, (&HashMap::new(), 5)).unwrap_err();
        assert!(!epochs.is_compared(vault, 5), "it is tried again");
        files(root, &epochs, "ana").write("ana.txt", "secret", false).unwrap_err();
        std::fs::remove_dir_all(root).unwrap();
        std::fs::create_dir(root).unwrap();
        std::fs::write(root.join(ORIGINS), "no directory").unwrap();
        vaults(root).unwrap_err();
    }

    #[test]
    fn a_crash_while_notes_are_removed_loses_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let (root, epochs) = (directory.path(), FileEpochs::default());
        let vault: VaultId = "vlt_00000000000000000000000001".parse().unwrap();
        files(root, &epochs, "ana").write("ana.txt", "secret", false).unwrap();
        files(root, &epochs, "bo").write("bo.txt", "harmless", false).unwrap();
        let before = root.join("before");
        std::fs::hard_link(lines_of(root, vault), &before).unwrap();
        forget(root, &epochs, vault, Some(&["ana".into()])).unwrap();
        assert_eq!(notes(&lines_of(root, vault)).unwrap().len(), 1);
        assert_eq!(notes(&before).unwrap().len(), 2, "the old notes were not written to");
    }

    #[test]
    fn a_note_that_a_crash_cut_short_hides_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let (root, epochs) = (directory.path(), FileEpochs::default());
        let vault: VaultId = "vlt_00000000000000000000000001".parse().unwrap();
        files(root, &epochs, "ana").write("ana.txt", "secret", false).unwrap();
        let mut noted = std::fs::read(lines_of(root, vault)).unwrap();
        noted.extend(b"[\"bo\",\"caf\xc3");
        std::fs::write(lines_of(root, vault), noted).unwrap();
        files(root, &epochs, "cy").write("cy.txt", "secret", false).unwrap();
        let both = HashSet::from(["ana", "cy"].map(str::to_owned));
        assert_eq!(memories(root, vault).unwrap(), both);
        forget(root, &epochs, vault, Some(&["ana".into(), "cy".into()])).unwrap();
        assert!(files(root, &epochs, "ana").read("ana.txt").unwrap().is_none());
        assert!(files(root, &epochs, "cy").read("cy.txt").unwrap().is_none());
    }

    #[test]
    fn files_of_earlier_versions_stay_while_their_memory_is_there() {
        let note = Note::read(r#"["ana","a.txt"]"#).unwrap();
        assert!(!note.is_outdated(&mark(3).unwrap()));
        assert!(note.is_outdated(&ForgetMark { vault: 5, memory: None }));
        let in_an_outage = Note::read(r#"["ana","a.txt",null]"#).unwrap();
        assert!(!in_an_outage.is_outdated(&mark(0).unwrap()));
        assert!(in_an_outage.is_outdated(&mark(1).unwrap()));
        for note in [note, in_an_outage] {
            assert_eq!(Note::read(&note.line()), Some(note));
        }
    }
}
