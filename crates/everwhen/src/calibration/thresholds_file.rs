//! The file that keeps the measured thresholds of embedders: `thresholds.toml` in the data directory,
//! one table per embedder. It may be edited by hand.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use everwhen_engine::memory::EmbedderThresholds;

use super::row::ThresholdsRow;
use crate::{Error, Result};

/// Its name in the data directory.
const NAME: &str = "thresholds.toml";

/// The thresholds of embedders, by their names.
#[derive(Debug, Clone, PartialEq)]
pub struct ThresholdsFile {
    path: PathBuf,
    /// The thresholds.
    pub embedders: BTreeMap<String, EmbedderThresholds>,
}

impl ThresholdsFile {
    /// Reads the file of a data directory; without one, no thresholds are known.
    pub fn load(directory: &Path) -> Result<Self> {
        let path = directory.join(NAME);
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            read => {
                read.map_err(|error| Error::unavailable(error.to_string()).at(path.display()))?
            }
        };
        let rows: BTreeMap<String, ThresholdsRow> = toml::from_str(&text)
            .map_err(|error| Error::invalid(error.to_string()).at(path.display()))?;
        let mut embedders = BTreeMap::new();
        for (name, row) in rows {
            let read = row.read().map_err(|error| error.at(&name).at(path.display()))?;
            embedders.insert(name, read);
        }
        Ok(Self { path, embedders })
    }

    /// Writes the file.
    pub fn save(&self) -> Result<()> {
        let rows: BTreeMap<&str, ThresholdsRow> = self
            .embedders
            .iter()
            .map(|(name, one)| (name.as_str(), ThresholdsRow::write(one)))
            .collect();
        let text = toml::to_string(&rows).map_err(|error| Error::damaged(error.to_string()))?;
        let failed = |error: std::io::Error| Error::unavailable(error.to_string());
        self.path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
        everwhen_platform::replace_file(&self.path, text.as_bytes())
            .map_err(|error| failed(error).at(self.path.display()))
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_is_read_again_and_flaws_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let mut file = ThresholdsFile::load(directory.path()).unwrap();
        assert!(file.embedders.is_empty());
        let one = EmbedderThresholds { same: 0.9, related: 0.61, borne_out: 0.33 };
        file.embedders.insert("static256-e2".into(), one);
        file.save().unwrap();
        assert_eq!(ThresholdsFile::load(directory.path()).unwrap(), file);
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert!(text.contains("related = 0.61\n"), "{text}");

        for (flaw, named) in [
            ("[a]\nsame = 0.5\nrelated = 0.6\nborne_out = 0.4\n", "a: same is lower than related"),
            ("[a]\nsame = 5\nrelated = 0.6\nborne_out = 0.4\n", "same is 5; write 0 to 1"),
            ("[a]\nsame = 0.5\n", "missing field"),
        ] {
            std::fs::write(file.path(), flaw).unwrap();
            let error = ThresholdsFile::load(directory.path()).unwrap_err();
            assert!(error.message().contains(named), "{error}");
            assert!(error.message().contains(NAME), "{error}");
        }
    }
}
