//! Files of workflows: all below one directory, whatever a path says.
//!
//! Paths may contain variables, and variables may contain what a user typed; so a path that leads out
//! of the directory is refused, not followed.

use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

use everwhen::{Error, Result};

use crate::port::Files;

/// The directory that workflows read from and write to.
#[derive(Debug, Clone)]
pub struct FilesBelow(PathBuf);

impl FilesBelow {
    /// Files below this directory. It need not exist before the first is written.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self(directory.into())
    }

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

    /// A link inside the directory could lead out of it.
    fn refuse_links(&self, place: &Path) -> Result<()> {
        let steps = place.ancestors().take_while(|step| *step != self.0);
        match steps.into_iter().find(|step| step.is_symlink()) {
            Some(link) => Err(Error::invalid(format!("{} is a link; use a file", link.display()))),
            None => Ok(()),
        }
    }
}

impl Files for FilesBelow {
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

    #[test]
    fn what_was_written_is_read_and_added_to() {
        let directory = tempfile::tempdir().unwrap();
        let files = FilesBelow::new(directory.path().join("new"));
        assert_eq!(files.read("a/b.txt").unwrap(), None);
        files.write("a/b.txt", "one", false).unwrap();
        files.write("a/b.txt", " two", true).unwrap();
        assert_eq!(files.read("a/b.txt").unwrap().as_deref(), Some("one two"));
        files.write("./a/b.txt", "three", false).unwrap();
        let absolute = directory.path().join("new/a/b.txt");
        assert_eq!(files.read(&absolute.display().to_string()).unwrap().as_deref(), Some("three"));
    }

    #[test]
    fn no_path_leads_out() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("secret"), "s").unwrap();
        let inside = directory.path().join("inside");
        std::fs::create_dir(&inside).unwrap();
        std::os::unix::fs::symlink(directory.path(), inside.join("link")).unwrap();
        let files = FilesBelow::new(&inside);
        for path in ["../secret", "/etc/hostname", "a/../../secret", "", " ", "link/secret", "a\0b"]
        {
            let error = files.read(path).unwrap_err();
            assert_eq!(error.kind(), everwhen::ErrorKind::Invalid, "{path:?}");
            files.write(path, "x", false).unwrap_err();
        }
        assert_eq!(std::fs::read_to_string(directory.path().join("secret")).unwrap(), "s");
    }
}
