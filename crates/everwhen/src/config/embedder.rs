//! Which embedder a configuration asks for.

use std::path::{Path, PathBuf};

use everwhen_models::{EmbedderSetting, RemoteSetting, Secret};
use everwhen_protocols::Protocol;

use super::key::{self, Key};
use super::layer::{Layers, Origin};
use super::{Chosen, Environment, choose, expand_home, from_file, number, quoted};
use crate::{Error, Result};

/// Where models are, inside the data directory.
pub const MODELS_FOLDER: &str = "models";
/// The transformer that is meant when none is named.
const USUAL_TRANSFORMER: &str = "minilm";
/// The default addresses of endpoints.
const OPENAI_URL: &str = "https://api.openai.com/v1";
const OLLAMA_URL: &str = "http://127.0.0.1:11434";

/// What finds things by their meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbedderKind {
    /// The table inside the binary.
    Static,
    /// A transformer in a directory.
    Transformer,
    /// An endpoint of OpenAI's kind.
    OpenAi,
    /// An endpoint of Ollama's kind.
    Ollama,
    /// Nothing: words alone.
    None,
}

/// The embedder that was asked for.
#[derive(Debug, Clone)]
pub struct EmbedderConfig {
    /// Which kind.
    pub kind: Chosen<EmbedderKind>,
    /// The directory of a transformer.
    pub path: Chosen<Option<PathBuf>>,
    /// The model.
    pub model: Chosen<Option<String>>,
    /// The address of an endpoint.
    pub base_url: Chosen<Option<String>>,
    key: Chosen<Option<Secret>>,
    /// Dimensions to ask for.
    pub dimensions: Chosen<Option<u32>>,
    /// Stands before questions.
    pub query_prefix: Chosen<Option<String>>,
    /// Stands before texts.
    pub passage_prefix: Chosen<Option<String>>,
    /// Threads of a transformer.
    pub threads: Chosen<Option<u32>>,
}

impl EmbedderConfig {
    pub(super) fn read(layers: &Layers, environment: &Environment) -> Result<Self> {
        let config = Self {
            kind: choose(layers, key::EMBEDDER, EmbedderKind::named, || EmbedderKind::Static)?,
            path: path(layers, environment)?,
            model: optional(layers, key::EMBEDDER_MODEL, |text| Ok(text.to_owned()))?,
            base_url: optional(layers, key::EMBEDDER_URL, |text| Ok(text.to_owned()))?,
            key: optional(layers, key::EMBEDDER_KEY, |text| Ok(Secret::new(text)))?,
            dimensions: maybe_number(layers, key::EMBEDDER_DIMENSIONS)?,
            query_prefix: optional(layers, key::EMBEDDER_QUERY_PREFIX, |t| Ok(t.to_owned()))?,
            passage_prefix: optional(layers, key::EMBEDDER_PASSAGE_PREFIX, |t| Ok(t.to_owned()))?,
            threads: maybe_number(layers, key::EMBEDDER_THREADS)?,
        };
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<()> {
        let is_remote = matches!(self.kind.value, EmbedderKind::OpenAi | EmbedderKind::Ollama);
        if is_remote && self.model.value.is_none() {
            return Err(Error::invalid(format!(
                "{}: `embedder.kind` is {:?}, but no model is named; write `embedder.model`",
                self.kind.from,
                self.kind.value.as_str()
            )));
        }
        Ok(())
    }

    /// The setting by which models are opened; transformers that were pulled are in `data`.
    pub fn setting(&self, data: &Path) -> EmbedderSetting {
        match self.kind.value {
            EmbedderKind::Static => EmbedderSetting::Static,
            EmbedderKind::None => EmbedderSetting::None,
            EmbedderKind::Transformer => EmbedderSetting::Directory {
                path: self.directory(data),
                workers: self.threads.value.map(|threads| threads as usize),
            },
            EmbedderKind::OpenAi => self.remote(Protocol::OpenAi, OPENAI_URL),
            EmbedderKind::Ollama => self.remote(Protocol::Ollama, OLLAMA_URL),
        }
    }

    fn directory(&self, data: &Path) -> PathBuf {
        let model = self.model.value.as_deref().unwrap_or(USUAL_TRANSFORMER);
        self.path.value.clone().unwrap_or_else(|| data.join(MODELS_FOLDER).join(model))
    }

    fn remote(&self, protocol: Protocol, usual: &str) -> EmbedderSetting {
        let url = self.base_url.value.as_deref().unwrap_or(usual);
        let model = self.model.value.clone().unwrap_or_default();
        EmbedderSetting::Remote(Box::new(RemoteSetting {
            key: self.key.value.clone(),
            dimensions: self.dimensions.value.map(|dimensions| dimensions as usize),
            query_prefix: self.query_prefix.value.clone().unwrap_or_default(),
            passage_prefix: self.passage_prefix.value.clone().unwrap_or_default(),
            ..RemoteSetting::new(protocol, url, model)
        }))
    }

    /// The values as a user would write them, in the order of the keys. An API key is not shown.
    pub(super) fn rows(&self) -> Vec<(String, &Origin)> {
        let text = |value: Option<&str>| value.map_or("none".into(), quoted);
        let number = |value: Option<u32>| value.map_or("none".into(), |value| value.to_string());
        let path = self.path.value.as_ref().map(|path| path.display().to_string());
        let key = self.key.value.as_ref().map(|_| "(not shown)");
        vec![
            (quoted(self.kind.value.as_str()), &self.kind.from),
            (text(path.as_deref()), &self.path.from),
            (text(self.model.value.as_deref()), &self.model.from),
            (text(self.base_url.value.as_deref()), &self.base_url.from),
            (text(key), &self.key.from),
            (number(self.dimensions.value), &self.dimensions.from),
            (text(self.query_prefix.value.as_deref()), &self.query_prefix.from),
            (text(self.passage_prefix.value.as_deref()), &self.passage_prefix.from),
            (number(self.threads.value), &self.threads.from),
        ]
    }
}

impl EmbedderKind {
    fn named(text: &str) -> Result<Self> {
        match text {
            "static" => Ok(Self::Static),
            "transformer" => Ok(Self::Transformer),
            "openai" => Ok(Self::OpenAi),
            "ollama" => Ok(Self::Ollama),
            "none" => Ok(Self::None),
            _ => Err(Error::invalid("is unknown")),
        }
    }

    /// As written in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Transformer => "transformer",
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
            Self::None => "none",
        }
    }
}

/// What was set for a key that need not be set.
fn optional<T>(
    layers: &Layers,
    key: Key,
    read: impl Fn(&str) -> Result<T>,
) -> Result<Chosen<Option<T>>> {
    choose(layers, key, |text| read(text).map(Some), || None)
}

pub(super) fn maybe_number(layers: &Layers, key: Key) -> Result<Chosen<Option<u32>>> {
    if layers.find(key).is_none() {
        return Ok(Chosen { value: None, from: Origin::Default });
    }
    let Chosen { value, from } = number(layers, key, 1)?;
    Ok(Chosen { value: Some(value), from })
}

/// The directory of a transformer. In a file, a relative path begins where the file is.
fn path(layers: &Layers, environment: &Environment) -> Result<Chosen<Option<PathBuf>>> {
    let Some(found) = layers.find(key::EMBEDDER_PATH) else {
        return Ok(Chosen { value: None, from: Origin::Default });
    };
    let path = expand_home(found.text(key::EMBEDDER_PATH)?, environment);
    Ok(Chosen { value: Some(from_file(path, found)), from: found.from.clone() })
}
