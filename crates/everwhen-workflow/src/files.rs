//! Files of workflows: each vault has its own directory, and all vaults may read the files that the
//! author of the workflows put into `shared`.
//!
//! Paths may contain variables, and variables may contain what a user typed. So a path that leads
//! out of the directory is rejected, and no vault can read what another vault's workflow wrote. A forget
//! removes what was written from the memory it is in ([`origins`]).

mod origins;

use std::collections::HashMap;
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

use everwhen::memory::{Address, ForgetMark, VaultId};
use everwhen::{Engine, Error, Result};

pub(crate) use self::origins::FileEpochs;
use self::origins::FileOrigin;
use crate::chat_memory::MemoryPlace;
use crate::port::Files;

/// Below the configured directory: files that every vault may read and none may write.
const SHARED: &str = "shared";
/// Below the configured directory: one directory per vault.
const VAULTS: &str = "vaults";
/// Below the configured directory: which memory the files of each vault were written from.
const ORIGINS: &str = "origins";

/// The files that the workflows of one vault read and write.
#[derive(Debug, Clone)]
pub(crate) struct VaultFiles {
    root: PathBuf,
    shared: FilesBelow,
    /// `None` while the vault cannot be looked up; its files are neither read nor written then.
    own: Option<FilesBelow>,
    vault: Option<VaultId>,
    /// Who writes, as far as that is known.
    origin: Option<FileOrigin>,
}

impl VaultFiles {
    /// Opens the files of a vault below the configured directory, which is created by the first
    /// write.
    pub(crate) fn new(root: impl Into<PathBuf>, vault: Option<VaultId>) -> Self {
        let root = root.into();
        let own = |vault: VaultId| FilesBelow(root.join(VAULTS).join(vault.to_string()));
        let (shared, own) = (FilesBelow(root.join(SHARED)), vault.map(own));
        Self { shared, own, vault, origin: None, root }
    }

    /// The files as a run in a memory uses them: what it writes goes when something in the memory is forgotten.
    /// What had been forgotten before is `None` if the store does not say.
    pub(crate) fn written_from(
        self,
        epochs: &FileEpochs,
        memory: String,
        mark: Option<ForgetMark>,
    ) -> Self {
        let origin = |vault| FileOrigin::new(&self.root, epochs, vault, (memory, mark));
        Self { origin: self.vault.map(origin), ..self }
    }

    /// What had been forgotten in the memory of the run when it began.
    pub(crate) fn read_at(&self) -> ForgetMark {
        self.origin.as_ref().and_then(FileOrigin::mark).cloned().unwrap_or_default()
    }

    /// Removes the files that were written from these memories of a vault, or all of the vault.
    pub(crate) fn forget(
        root: &Path,
        epochs: &FileEpochs,
        vault: VaultId,
        memories: Option<&[String]>,
    ) -> Result<()> {
        origins::forget(root, epochs, vault, memories)
    }

    /// Removes the files of a vault that were written from memories in which another process has forgotten
    /// something since, unless nothing was forgotten since that was last done.
    pub(crate) async fn forget_outdated(
        root: &Path,
        epochs: &FileEpochs,
        place: &MemoryPlace,
    ) -> Result<()> {
        let vault = place.vault.id();
        let epoch = place.engine.forget_epoch(vault).await?;
        if epochs.is_compared(vault, epoch) {
            return Ok(());
        }
        let mut now = HashMap::new();
        for memory in origins::memories(root, vault)? {
            let mark = place.vault.forget_mark(Address::read("memory", &memory)?).await?;
            now.insert(memory, mark);
        }
        origins::forget_outdated(root, epochs, vault, (&now, epoch))
    }

    /// Removes the outdated files of all vaults.
    pub(crate) async fn forget_all_outdated(
        root: &Path,
        epochs: &FileEpochs,
        engine: &Engine,
    ) -> Result<()> {
        for id in origins::vaults(root)? {
            match engine.vault(Address::Id(id)).await {
                Ok(vault) => {
                    let memory = Address::read("memory", "default")?;
                    let place = MemoryPlace { engine: engine.clone(), vault, memory };
                    Self::forget_outdated(root, epochs, &place).await?;
                }
                Err(error) if error.kind() == everwhen::ErrorKind::NotFound => {
                    origins::forget(root, epochs, id, None)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Strips the configured directory from an absolute path.
    fn relative<'p>(&self, path: &'p str) -> &'p str {
        let inside = Path::new(path).strip_prefix(&self.root).ok().and_then(Path::to_str);
        inside.unwrap_or(path)
    }

    /// Logs where an author's file has to be, if it is in a directory that all vaults could once
    /// write to.
    fn warn_if_misplaced(&self, path: &str) {
        if FilesBelow(self.root.clone()).place(path).is_ok_and(|place| place.is_file()) {
            tracing::warn!(
                "a workflow asks for {path:?}, which lies directly in {}; move it to {SHARED}/ \
                 there if all vaults may read it",
                self.root.display()
            );
        }
    }
}

impl Files for VaultFiles {
    fn read(&self, path: &str) -> Result<Option<String>> {
        let path = self.relative(path);
        let own = self.own.as_ref().map(|own| own.read(path)).transpose()?.flatten();
        if own.is_some() {
            return Ok(own);
        }
        let inside = path.strip_prefix(SHARED).and_then(|rest| rest.strip_prefix('/'));
        let shared = self.shared.read(inside.unwrap_or(path))?;
        if shared.is_none() {
            self.warn_if_misplaced(path);
        }
        Ok(shared)
    }

    fn write(&self, path: &str, content: &str, append: bool) -> Result<()> {
        let path = self.relative(path);
        match (&self.own, &self.origin) {
            (Some(own), Some(origin)) => origin.write(path, || own.write(path, content, append)),
            (Some(own), None) => own.write(path, content, append),
            (None, _) => Err(Error::unavailable(
                "the vault cannot be looked up now, so its workflow files cannot be written",
            )),
        }
    }
}

/// One directory; paths that lead out of it are rejected.
#[derive(Debug, Clone)]
struct FilesBelow(PathBuf);

impl FilesBelow {
    fn place(&self, path: &str) -> Result<PathBuf> {
        let inside = Path::new(path);
        let parts = inside.strip_prefix(&self.0).unwrap_or(inside).components();
        let plain =
            parts.clone().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if path.trim().is_empty() || path.contains('\0') || !plain {
            return Err(Error::invalid(format!(
                "the path {path:?} leads out of the directory for files of workflows; \
                 use a path below {}",
                self.0.display()
            )));
        }
        let place = self.0.join(parts.collect::<PathBuf>());
        self.refuse_links(&place)?;
        Ok(place)
    }

    /// Rejects symbolic links, which could lead out of the directory.
    fn refuse_links(&self, place: &Path) -> Result<()> {
        let steps = place.ancestors().take_while(|step| *step != self.0);
        match steps.into_iter().find(|step| step.is_symlink()) {
            Some(link) => Err(Error::invalid(format!("{} is a link; use a file", link.display()))),
            None => Ok(()),
        }
    }
}

impl FilesBelow {
    fn read(&self, path: &str) -> Result<Option<String>> {
        let place = self.place(path)?;
        match std::fs::read_to_string(&place) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(trouble("read", &place, &error)),
        }
    }

    fn write(&self, path: &str, content: &str, append: bool) -> Result<()> {
        let place = self.place(path)?;
        let written = || {
            std::fs::create_dir_all(place.parent().unwrap_or(&self.0))?;
            let mut file = std::fs::OpenOptions::new()
                .create(true)
                .write(true)
                .append(append)
                .truncate(!append)
                .open(&place)?;
            file.write_all(content.as_bytes())
        };
        written().map_err(|error| trouble("write", &place, &error))
    }
}

fn trouble(deed: &str, place: &Path, error: &std::io::Error) -> Error {
    Error::unavailable(format!("cannot {deed} {}: {error}", place.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vault_id(last: char) -> VaultId {
        format!("vlt_0000000000000000000000000{last}").parse().unwrap()
    }

    #[test]
    fn what_was_written_is_read_and_added_to() {
        let directory = tempfile::tempdir().unwrap();
        let files = FilesBelow(directory.path().join("new"));
        assert_eq!(files.read("a/b.txt").unwrap(), None);
        files.write("a/b.txt", "one", false).unwrap();
        files.write("a/b.txt", " two", true).unwrap();
        assert_eq!(files.read("a/b.txt").unwrap().as_deref(), Some("one two"));
        files.write("./a/b.txt", "three", false).unwrap();
        let absolute = directory.path().join("new/a/b.txt");
        assert_eq!(files.read(&absolute.display().to_string()).unwrap().as_deref(), Some("three"));
    }

    #[test]
    fn a_vault_reads_its_own_and_shared_files_and_no_other_vaults() {
        let directory = tempfile::tempdir().unwrap();
        let (ana, bo) = (vault_id('1'), vault_id('2'));
        let ana = VaultFiles::new(directory.path(), Some(ana));
        let bo = VaultFiles::new(directory.path(), Some(bo));
        ana.write("diary.txt", "Ana's secret", false).unwrap();
        assert_eq!(ana.read("diary.txt").unwrap().as_deref(), Some("Ana's secret"));
        assert_eq!(bo.read("diary.txt").unwrap(), None);
        for path in ["vaults", "../vaults"].map(|top| format!("{top}/{}/diary.txt", vault_id('1')))
        {
            assert!(!matches!(bo.read(&path), Ok(Some(_))), "{path}");
            let absolute = directory.path().join(&path).display().to_string();
            assert!(!matches!(bo.read(&absolute), Ok(Some(_))), "{absolute}");
        }
        std::fs::create_dir(directory.path().join("shared")).unwrap();
        std::fs::write(directory.path().join("shared/persona.txt"), "Be kind").unwrap();
        for path in ["persona.txt", "shared/persona.txt"] {
            assert_eq!(bo.read(path).unwrap().as_deref(), Some("Be kind"), "{path}");
        }
        bo.write("persona.txt", "Be rude", false).unwrap();
        assert_eq!(ana.read("persona.txt").unwrap().as_deref(), Some("Be kind"));
        assert_eq!(bo.read("persona.txt").unwrap().as_deref(), Some("Be rude"));
    }

    #[test]
    fn without_a_vault_only_shared_files_are_read_and_nothing_is_written() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("shared")).unwrap();
        std::fs::write(directory.path().join("shared/a.txt"), "a").unwrap();
        let files = VaultFiles::new(directory.path(), None);
        assert_eq!(files.read("a.txt").unwrap().as_deref(), Some("a"));
        let error = files.write("a.txt", "b", false).unwrap_err();
        assert_eq!(error.kind(), everwhen::ErrorKind::Unavailable);
    }

    #[test]
    fn no_path_leads_out() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("secret"), "s").unwrap();
        let inside = directory.path().join("inside");
        std::fs::create_dir(&inside).unwrap();
        std::os::unix::fs::symlink(directory.path(), inside.join("link")).unwrap();
        let files = FilesBelow(inside);
        for path in ["../secret", "/etc/hostname", "a/../../secret", "", " ", "link/secret", "a\0b"]
        {
            let error = files.read(path).unwrap_err();
            assert_eq!(error.kind(), everwhen::ErrorKind::Invalid, "{path:?}");
            files.write(path, "x", false).unwrap_err();
        }
        assert_eq!(std::fs::read_to_string(directory.path().join("secret")).unwrap(), "s");
    }
}
