//! What `everwhen connect` has written: files as they were before, for an exact undo.

use std::path::{Path, PathBuf};

use everwhen::Config;
use serde_json::{Value, json};

use crate::args::{AgentName, ConnectScope};
use crate::console::{rows_of, text};
use crate::failure::{Failure, Result};

/// The folder in the data directory.
const FOLDER: &str = "connections";

/// One file that was changed.
pub(super) struct RecordedFile {
    pub(super) path: PathBuf,
    /// The file before, `None` if there was none.
    pub(super) before: Option<String>,
    /// The hash of what was written.
    pub(super) written: String,
    /// Folders that were made for it, the outermost first.
    pub(super) folders: Vec<PathBuf>,
}

/// All files that were changed for one agent.
pub(super) struct Record {
    file: PathBuf,
    pub(super) files: Vec<RecordedFile>,
}

impl Record {
    /// Reads the record of an agent; one that cannot be read is as good as none.
    pub(super) fn open(
        config: &Config,
        agent: AgentName,
        scope: ConnectScope,
        project: &Path,
    ) -> Self {
        let name = match scope {
            ConnectScope::User => agent.name().to_owned(),
            ConnectScope::Project => {
                let hash = blake3::hash(project.to_string_lossy().as_bytes()).to_hex();
                format!("{}-{}", agent.name(), &hash[..16])
            }
        };
        let file = config.data.value.join(FOLDER).join(format!("{name}.json"));
        let known = std::fs::read_to_string(&file).ok();
        let known: Value =
            known.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let files = rows_of(&known["files"]).iter().map(RecordedFile::read).collect();
        Self { file, files }
    }

    /// What is recorded about a file.
    pub(super) fn of(&self, path: &Path) -> Option<&RecordedFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Stores the record.
    pub(super) fn keep(&self) -> Result<()> {
        let written = self.write();
        written.map_err(|error| Failure::new(format!("{}: {error}", self.file.display())))
    }

    /// Other programs' files may hold keys, so only the owner may read what they were.
    fn write(&self) -> std::io::Result<()> {
        if let Some(folder) = self.file.parent() {
            everwhen_platform::make_private_directory(folder)?;
        }
        let files: Vec<Value> = self.files.iter().map(RecordedFile::json).collect();
        let text = json!({ "files": files }).to_string();
        everwhen_platform::replace_private_file(&self.file, text.as_bytes())
    }

    /// Removes the record.
    pub(super) fn drop_file(&self) -> Result<()> {
        match std::fs::remove_file(&self.file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}

impl RecordedFile {
    fn read(value: &Value) -> Self {
        Self {
            path: PathBuf::from(text(&value["path"])),
            before: value["before"].as_str().map(ToOwned::to_owned),
            written: text(&value["written"]).to_owned(),
            folders: rows_of(&value["folders"])
                .iter()
                .map(|one| PathBuf::from(text(one)))
                .collect(),
        }
    }

    fn json(&self) -> Value {
        json!({
            "path": self.path,
            "before": self.before,
            "written": self.written,
            "folders": self.folders,
        })
    }
}

/// The hash of a file's text.
pub(super) fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}
