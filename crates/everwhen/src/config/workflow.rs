//! The table `[workflow]`: where workflow files lie, and the files they read and write.

use std::path::PathBuf;

use super::layer::{Layers, Origin};
use super::{Chosen, Environment, expand_home, from_file, key, quoted};
use crate::{Result, WorkflowTree};

/// Where workflows are.
#[derive(Debug, Clone)]
pub struct WorkflowConfig {
    /// The directory of workflow files, if there are any.
    pub directory: Chosen<Option<PathBuf>>,
    /// The directory of files that workflows read and write.
    pub files: Chosen<Option<PathBuf>>,
}

impl WorkflowConfig {
    pub(super) fn read(layers: &Layers, environment: &Environment) -> Result<Self> {
        let path = |key| -> Result<Chosen<Option<PathBuf>>> {
            let Some(found) = layers.find(key) else {
                return Ok(Chosen { value: None, from: Origin::Default });
            };
            let path = expand_home(found.text(key)?, environment);
            Ok(Chosen { value: Some(from_file(path, found)), from: found.from.clone() })
        };
        Ok(Self { directory: path(key::WORKFLOW_DIR)?, files: path(key::WORKFLOW_FILES)? })
    }

    /// The settings file for chapters that belongs to the workflows, if there is one.
    pub(super) fn settings_file(&self) -> Option<PathBuf> {
        WorkflowTree::find(self.directory.value.as_ref()?).settings_file()
    }

    /// Values as one would write them, in the order of the keys.
    pub(super) fn rows(&self) -> [(String, &Origin); 2] {
        let path = |path: &Option<PathBuf>| {
            path.as_ref().map_or("none".into(), |path| quoted(&path.display().to_string()))
        };
        [
            (path(&self.directory.value), &self.directory.from),
            (path(&self.files.value), &self.files.from),
        ]
    }
}
