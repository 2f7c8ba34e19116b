//! Presets: sampler values by name, from the files of a plain directory or of WilmerAI's tree.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use everwhen::models::Samplers;
use everwhen::{Error, Result};

use crate::diagnostic::Diagnostic;
use crate::endpoint_file::json_files;
use crate::source::{self, Located};

/// Presets by API and name. The API is empty where presets are for all.
#[derive(Debug, Clone, Default)]
pub(crate) struct Presets {
    known: BTreeMap<(String, String), Samplers>,
}

impl Presets {
    /// Reads the presets of a plain directory, which need not exist.
    pub(crate) fn plain(directory: &Path, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut presets = Self::default();
        presets.add("", directory, diagnostics);
        presets
    }

    /// Reads the presets of WilmerAI's tree, those in a user's subdirectory last, so that they win.
    pub(crate) fn of_tree(configs: &Path, below: &str, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut presets = Self::default();
        let root = configs.join("Presets");
        for directory in directories(&root) {
            let api = directory.file_name().map(|name| name.to_string_lossy().into_owned());
            let api = api.unwrap_or_default();
            presets.add(&api, &directory, diagnostics);
            if !below.is_empty() {
                presets.add(&api, &directory.join(below), diagnostics);
            }
        }
        presets
    }

    fn add(&mut self, api: &str, directory: &Path, diagnostics: &mut Vec<Diagnostic>) {
        for file in json_files(directory) {
            let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            match read_preset(&file) {
                Ok(samplers) => {
                    self.known.insert((api.to_owned(), name.unwrap_or_default()), samplers);
                }
                Err(flaw) => diagnostics.push(flaw),
            }
        }
    }

    /// The preset with this name, for an API if there is one for it, else for any.
    pub(crate) fn get(&self, api: &str, name: &str) -> Option<&Samplers> {
        let exact = self.known.get(&(api.to_owned(), name.to_owned()));
        exact.or_else(|| {
            let any = self.known.iter().find(|((_, known), _)| known == name);
            any.map(|(_, samplers)| samplers)
        })
    }
}

/// Why a preset cannot be used.
pub(crate) fn no_preset(name: &str) -> Error {
    Error::invalid(format!("there is no preset {name:?}; presets are .json files in \"presets\""))
}

fn directories(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

fn read_preset(file: &Path) -> Result<Samplers, Diagnostic> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Diagnostic::new(file, 1, format!("the file cannot be read: {error}")))?;
    match source::read(file, &text).map(Located::into_json)? {
        serde_json::Value::Object(samplers) => Ok(samplers),
        _ => Err(Diagnostic::new(
            file,
            1,
            "a preset is an object of values that are sent as they are",
        )),
    }
}
