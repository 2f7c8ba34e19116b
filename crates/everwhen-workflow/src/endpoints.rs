//! Model endpoints from the configuration and presets from files: resolves a name to a model, and
//! falls back to its backup when it is down.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use everwhen::models::{Hear, RemoteLlm, Samplers};
use everwhen::ports::{Prompt, Wait};
use everwhen::{EndpointConfig, Error, Result, SystemChance};
use tokio::sync::Mutex;

use crate::diagnostic::Diagnostic;
use crate::port::{Endpoints, ModelReply, Question};
use crate::source::{self, Located};

/// Models by endpoint name.
pub(crate) struct NamedEndpoints {
    endpoints: BTreeMap<String, EndpointConfig>,
    presets: BTreeMap<String, Samplers>,
    /// Clients that were already created.
    models: Mutex<BTreeMap<String, Arc<RemoteLlm>>>,
}

impl NamedEndpoints {
    /// Builds the endpoints, with presets from the `.json` files of a directory, which need not
    /// exist.
    pub(crate) fn new(endpoints: &[EndpointConfig], presets: &Path) -> (Self, Vec<Diagnostic>) {
        let (presets, diagnostics) = read_presets(presets);
        let named = |one: &EndpointConfig| (one.name.clone(), one.clone());
        let endpoints = endpoints.iter().map(named).collect();
        (Self { endpoints, presets, models: Mutex::default() }, diagnostics)
    }

    /// The names of all endpoints.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.endpoints.keys()
    }

    /// The names of all presets.
    pub(crate) fn presets(&self) -> impl Iterator<Item = &String> {
        self.presets.keys()
    }

    /// Checks that an endpoint and a preset exist.
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

    async fn one(
        &self,
        endpoint: &str,
        question: &Question<'_>,
        hear: Hear<'_>,
    ) -> Result<ModelReply> {
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
        Ok(ModelReply { text: reply.text, spent: reply.spent })
    }

    /// Calls an endpoint, and its backup if the endpoint fails before it has sent anything.
    async fn any(&self, question: &Question<'_>, hear: Hear<'_>) -> Result<ModelReply> {
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
    fn ask<'a>(&'a self, question: &'a Question<'a>, hear: Hear<'a>) -> Wait<'a, ModelReply> {
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

fn read_presets(directory: &Path) -> (BTreeMap<String, Samplers>, Vec<Diagnostic>) {
    let (mut presets, mut diagnostics) = (BTreeMap::new(), Vec::new());
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let files = files.map(|file| file.path());
    for file in files.filter(|path| path.extension().is_some_and(|ending| ending == "json")) {
        let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        match read_preset(&file) {
            Ok(samplers) => drop(presets.insert(name.unwrap_or_default(), samplers)),
            Err(flaw) => diagnostics.push(flaw),
        }
    }
    (presets, diagnostics)
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
