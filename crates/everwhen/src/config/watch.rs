//! The table `[watch]`: folders of other programs that the server follows.

use std::path::PathBuf;
use std::time::Duration;

use super::layer::{Layers, Origin};
use super::{Chosen, Environment, choose, key, number, quoted};
use crate::Result;
use crate::import::SOURCES;

/// What is followed.
#[derive(Debug, Clone)]
pub struct WatchConfig {
    /// Names of programs, and folders.
    pub sources: Chosen<Vec<String>>,
    /// The memory; without one, each program has a memory of its own name.
    pub memory: Chosen<Option<String>>,
    /// The time between two looks at the folders.
    pub every_seconds: Chosen<u32>,
    home: Option<PathBuf>,
}

impl WatchConfig {
    pub(super) fn read(layers: &Layers, environment: &Environment) -> Result<Self> {
        let list = |text: &str| {
            let names = text.split(',').map(|name| name.trim().to_owned());
            Ok(names.filter(|name| !name.is_empty()).collect())
        };
        Ok(Self {
            sources: choose(layers, key::WATCH_SOURCES, list, Vec::new)?,
            memory: choose(layers, key::WATCH_MEMORY, |text| Ok(Some(text.into())), || None)?,
            every_seconds: number(layers, key::WATCH_EVERY, 2)?,
            home: environment.home().map(Into::into),
        })
    }

    /// The folders of the configured sources.
    pub fn folders(&self) -> Vec<PathBuf> {
        self.sources.value.iter().flat_map(|name| self.folders_of(name)).collect()
    }

    /// The folders of a program in the home directory, or the folder of this path.
    pub fn folders_of(&self, name: &str) -> Vec<PathBuf> {
        let home = self.home.clone().unwrap_or_default();
        match SOURCES.iter().find(|source| source.name == name) {
            Some(source) => source.folders.iter().map(|folder| home.join(folder)).collect(),
            None => {
                let path =
                    name.strip_prefix("~/").map_or_else(|| name.into(), |rest| home.join(rest));
                vec![path]
            }
        }
    }

    /// The time between two looks.
    pub fn every(&self) -> Duration {
        Duration::from_secs(self.every_seconds.value.into())
    }

    /// Values as one would write them, in the order of the keys.
    pub(super) fn rows(&self) -> [(String, &Origin); 3] {
        [
            (quoted(&self.sources.value.join(", ")), &self.sources.from),
            (self.memory.value.as_deref().map_or("none".into(), quoted), &self.memory.from),
            (self.every_seconds.value.to_string(), &self.every_seconds.from),
        ]
    }
}
