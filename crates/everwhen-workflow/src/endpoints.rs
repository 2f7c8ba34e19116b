//! Endpoints from the configuration, and presets from files: which model a name means, and who is
//! asked when that one is down.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use everwhen::models::{Hear, RemoteLlm, Samplers};
use everwhen::ports::{Prompt, Wait};
use everwhen::{EndpointConfig, Error, Result, SystemChance};
use tokio::sync::Mutex;

use crate::flaw::Flaw;
use crate::port::{Endpoints, Question, Told};
use crate::source::{self, Located};

/// Models by the names of their endpoints.
pub(crate) struct NamedEndpoints {
    endpoints: BTreeMap<String, EndpointConfig>,
    presets: BTreeMap<String, Samplers>,
    /// Models that were asked before.
    models: Mutex<BTreeMap<String, Arc<RemoteLlm>>>,
}

impl NamedEndpoints {
    /// These endpoints, with presets out of `.json` files in a directory, which need not exist.
    pub(crate) fn new(endpoints: &[EndpointConfig], presets: &Path) -> (Self, Vec<Flaw>) {
        let (presets, flaws) = read_presets(presets);
        let named = |one: &EndpointConfig| (one.name.clone(), one.clone());
        let endpoints = endpoints.iter().map(named).collect();
        (Self { endpoints, presets, models: Mutex::default() }, flaws)
    }

    /// The names of endpoints.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.endpoints.keys()
    }

    /// The names of presets.
    pub(crate) fn presets(&self) -> impl Iterator<Item = &String> {
        self.presets.keys()
    }

    /// Whether an endpoint and a preset are there.
    pub(crate) fn check(&self, endpoint: &str, preset: Option<&str>) -> Result<()> {
        if !self.endpoints.contains_key(endpoint) {
            return Err(self.unknown(endpoint));
        }
        match preset.filter(|preset| !self.presets.contains_key(*preset)) {
            Some(preset) => Err(no_preset(preset)),
            None => Ok(()),
        }
    }

    async fn model(&self, endpoint: &EndpointConfig) -> Result<Arc<RemoteLlm>> {
        if let Some(known) = self.models.lock().await.get(&endpoint.name) {
            return Ok(Arc::clone(known));
        }
        let reach = |model: &str| RemoteLlm::new(endpoint.setting(model), Arc::new(SystemChance));
        let model = match &endpoint.model {
            Some(model) => reach(model)?,
            None => {
                let served = reach("(any)")?.served().await?;
                let first = served.first().ok_or_else(|| nothing_served(endpoint))?;
                reach(first)?
            }
        };
        let model = Arc::new(model);
        self.models.lock().await.insert(endpoint.name.clone(), Arc::clone(&model));
        Ok(model)
    }

    async fn one(&self, endpoint: &str, question: &Question<'_>, hear: Hear<'_>) -> Result<Told> {
        let endpoint = self.endpoints.get(endpoint).ok_or_else(|| self.unknown(endpoint))?;
        let samplers = match question.preset {
            None => Samplers::new(),
            Some(name) => self.presets.get(name).cloned().ok_or_else(|| no_preset(name))?,
        };
        let prompt = Prompt {
            messages: question.messages.clone(),
            schema: None,
            max_tokens: question.max_tokens,
            temperature: 0.0,
        };
        let model = self.model(endpoint).await?;
        let reply = model.ask_aloud(&prompt, &samplers, hear).await?;
        Ok(Told { text: reply.text, spent: reply.spent })
    }

    /// Asks an endpoint, and its backup if it is down and has not begun to answer.
    async fn any(&self, question: &Question<'_>, hear: Hear<'_>) -> Result<Told> {
        let mut tried = Vec::new();
        let mut name = question.endpoint;
        loop {
            let begun = AtomicBool::new(false);
            let mut listen = |piece: &str| {
                begun.store(true, Ordering::Relaxed);
                hear(piece);
            };
            let answered = self.one(name, question, &mut listen).await;
            let Err(error) = answered else { return answered };
            tried.push(name);
            let backup = self.endpoints.get(name).and_then(|one| one.backup.as_deref());
            match backup.filter(|backup| !tried.contains(backup)) {
                Some(backup) if error.passes() && !begun.load(Ordering::Relaxed) => {
                    tracing::warn!(%error, backup, "an endpoint is down; its backup is asked");
                    name = backup;
                }
                _ => return Err(error),
            }
        }
    }

    fn unknown(&self, name: &str) -> Error {
        let known: Vec<&str> = self.names().map(String::as_str).collect();
        Error::invalid(format!(
            "no endpoint {name:?} is configured; there are: {}",
            known.join(", ")
        ))
    }
}

impl Endpoints for NamedEndpoints {
    fn ask<'a>(&'a self, question: &'a Question<'a>, hear: Hear<'a>) -> Wait<'a, Told> {
        Box::pin(self.any(question, hear))
    }
}

fn nothing_served(endpoint: &EndpointConfig) -> Error {
    Error::unavailable(format!(
        "the upstream {:?} lists no models; name one in an [[endpoint]]",
        endpoint.upstream.name
    ))
}

fn no_preset(name: &str) -> Error {
    Error::invalid(format!("there is no preset {name:?}; presets are .json files in \"presets\""))
}

fn read_presets(directory: &Path) -> (BTreeMap<String, Samplers>, Vec<Flaw>) {
    let (mut presets, mut flaws) = (BTreeMap::new(), Vec::new());
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let files = files.map(|file| file.path());
    for file in files.filter(|path| path.extension().is_some_and(|ending| ending == "json")) {
        let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        match read_preset(&file) {
            Ok(samplers) => drop(presets.insert(name.unwrap_or_default(), samplers)),
            Err(flaw) => flaws.push(flaw),
        }
    }
    (presets, flaws)
}

fn read_preset(file: &Path) -> Result<Samplers, Flaw> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Flaw::new(file, 1, format!("the file cannot be read: {error}")))?;
    match source::read(file, &text).map(Located::into_json)? {
        serde_json::Value::Object(samplers) => Ok(samplers),
        _ => Err(Flaw::new(file, 1, "a preset is an object of values that are sent as they are")),
    }
}
