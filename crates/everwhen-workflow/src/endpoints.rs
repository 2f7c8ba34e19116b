//! Model endpoints from the configuration and from endpoint files: resolves a name to a model, and
//! falls back to its backup when it is down.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use everwhen::memory::Role;
use everwhen::models::{OnText, RemoteLlm, Samplers};
use everwhen::ports::{Llm, Wait};
use everwhen::protocols::{ChatMessage, ChatRequest, Role as ChatRole, Sampling};
use everwhen::{EndpointConfig, Error, Protocol, Result, SystemChance};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::cleaning::{Cleaner, Cleaning};
use crate::endpoint_file::{FileEndpoint, PromptPrefixes};
use crate::port::{Endpoints, ModelReply, Question};
use crate::presets::{Presets, no_preset};

/// What a model is called here if its endpoint says that no name is sent.
const UNNAMED: &str = "(unnamed)";

/// Models by endpoint name.
pub(crate) struct NamedEndpoints {
    endpoints: BTreeMap<String, FileEndpoint>,
    presets: Presets,
    /// Clients that were already created.
    models: Mutex<BTreeMap<String, Arc<RemoteLlm>>>,
}

impl NamedEndpoints {
    /// Builds the endpoints; those of the configuration win over those of files.
    pub(crate) fn new(
        configured: &[EndpointConfig],
        files: BTreeMap<String, FileEndpoint>,
        presets: Presets,
    ) -> Self {
        let mut endpoints = files;
        for config in configured {
            let file = endpoints.remove(&config.name);
            let endpoint = FileEndpoint {
                config: config.clone(),
                preset_type: file.map(|file| file.preset_type).unwrap_or_default(),
                samplers: None,
                extra_preset: None,
                cleaning: Cleaning::default(),
                prefixes: PromptPrefixes::default(),
                takes_images: true,
            };
            endpoints.insert(config.name.clone(), endpoint);
        }
        Self { endpoints, presets, models: Mutex::default() }
    }

    /// The names of all endpoints.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.endpoints.keys().map(String::as_str)
    }

    /// Whether there is an endpoint of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.endpoints.contains_key(name)
    }

    /// Whether there is a preset of this name: a file, or an endpoint with sampler values.
    pub(crate) fn has_preset(&self, name: &str) -> bool {
        self.preset("", name).is_some()
    }

    /// Checks that an endpoint and a preset exist.
    pub(crate) fn check(&self, endpoint: &str, preset: Option<&str>) -> Result<()> {
        if !self.has(endpoint) {
            return Err(self.unknown(endpoint));
        }
        match preset.filter(|preset| !preset.is_empty() && !self.has_preset(preset)) {
            Some(preset) => Err(no_preset(preset)),
            None => Ok(()),
        }
    }

    fn preset(&self, api: &str, name: &str) -> Option<&Samplers> {
        let own = || self.endpoints.get(name).and_then(|one| one.samplers.as_ref());
        self.presets.get(api, name).or_else(own)
    }

    /// The sampler values of a call: the endpoint's own, the preset it adds, and the preset of the
    /// node over both.
    fn samplers(&self, endpoint: &FileEndpoint, preset: Option<&str>) -> Result<Samplers> {
        let mut samplers = endpoint.samplers.clone().unwrap_or_default();
        let added = endpoint.extra_preset.as_deref();
        let added = added.and_then(|name| self.preset(&endpoint.preset_type, name));
        samplers.extend(added.cloned().unwrap_or_default());
        let preset = preset.filter(|name| !name.trim().is_empty());
        match preset.map(|name| (name, self.preset(&endpoint.preset_type, name))) {
            None => {}
            Some((_, Some(preset))) => samplers.extend(preset.clone()),
            Some((name, None)) if endpoint.samplers.is_some() => {
                tracing::warn!("there is no preset {name:?}; the endpoint's own values are sent");
            }
            Some((name, None)) => return Err(no_preset(name)),
        }
        samplers.retain(|_, value| !value.is_null());
        Ok(samplers)
    }

    async fn model(&self, endpoint: &EndpointConfig) -> Result<Arc<RemoteLlm>> {
        if let Some(known) = self.models.lock().await.get(&endpoint.name) {
            return Ok(Arc::clone(known));
        }
        let reach = |model: &str| RemoteLlm::new(endpoint.setting(model), Arc::new(SystemChance));
        let model = match &endpoint.model {
            Some(model) => reach(if model.is_empty() { UNNAMED } else { model })?,
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
        on_text: OnText<'_>,
    ) -> Result<ModelReply> {
        let endpoint = self.endpoints.get(endpoint).ok_or_else(|| self.unknown(endpoint))?;
        let samplers = self.samplers(endpoint, question.preset)?;
        let chat = chat(endpoint, question);
        let model = self.model(&endpoint.config).await?;
        let cleaning = Cleaning {
            starts: question
                .removed_start
                .iter()
                .chain(&endpoint.cleaning.starts)
                .cloned()
                .collect(),
            ..endpoint.cleaning.clone()
        };
        let mut cleaner = Cleaner::new(&cleaning);
        let mut text = String::new();
        let mut listen = |piece: &str| {
            let piece = cleaner.push(piece);
            if !piece.is_empty() {
                text.push_str(&piece);
                on_text(&piece);
            }
        };
        let answer = model.ask_chat(&chat, &samplers, &mut listen).await?;
        let rest = cleaner.finish();
        if !rest.is_empty() {
            text.push_str(&rest);
            on_text(&rest);
        }
        let call = |call: &everwhen::protocols::ToolCall| {
            let function = json!({ "name": call.name, "arguments": call.arguments });
            json!({ "id": call.id, "type": "function", "function": function })
        };
        let calls = answer.calls.iter().map(call).collect();
        let name = model.name().to_owned();
        Ok(ModelReply { text, model: name, spent: answer.spent, calls })
    }

    /// Calls an endpoint, and its backup if the endpoint fails before it has sent anything.
    async fn any(&self, question: &Question<'_>, on_text: OnText<'_>) -> Result<ModelReply> {
        let mut tried = Vec::new();
        let mut name = question.endpoint;
        loop {
            let begun = AtomicBool::new(false);
            let mut listen = |piece: &str| {
                begun.store(true, Ordering::Relaxed);
                on_text(piece);
            };
            let answered = self.one(name, question, &mut listen).await;
            let Err(error) = answered else { return answered };
            tried.push(name);
            let backup = self.endpoints.get(name).and_then(|one| one.config.backup.as_deref());
            match backup.filter(|backup| !tried.contains(backup)) {
                Some(backup) if error.is_retryable() && !begun.load(Ordering::Relaxed) => {
                    tracing::warn!(%error, backup, "an endpoint is down; its backup is asked");
                    name = backup;
                }
                _ => return Err(error),
            }
        }
    }

    fn unknown(&self, name: &str) -> Error {
        let known: Vec<&str> = self.names().collect();
        Error::invalid(format!(
            "no endpoint {name:?} is configured; there are: {}",
            known.join(", ")
        ))
    }
}

impl Endpoints for NamedEndpoints {
    fn ask<'a>(&'a self, question: &'a Question<'a>, on_text: OnText<'a>) -> Wait<'a, ModelReply> {
        Box::pin(self.any(question, on_text))
    }
}

/// The chat that an endpoint is asked.
fn chat(endpoint: &FileEndpoint, question: &Question<'_>) -> ChatRequest {
    let mut messages: Vec<ChatMessage> = Vec::new();
    let last_user = question.messages.iter().rposition(|message| message.role == Role::User);
    for (place, message) in question.messages.iter().enumerate() {
        let raw =
            question.raw.get(&place).filter(|_| endpoint.takes_images || is_tool(message.role));
        if let Some(raw) = raw {
            let body = json!({ "messages": [raw] });
            messages.extend(Protocol::OpenAi.adapter().read_request(&body).messages);
            continue;
        }
        let (role, before) = match message.role {
            Role::System => (ChatRole::System, endpoint.prefixes.system.as_str()),
            Role::Assistant => (ChatRole::Assistant, ""),
            Role::User if Some(place) == last_user => (ChatRole::User, &*endpoint.prefixes.prompt),
            Role::User | Role::Tool => (ChatRole::User, ""),
        };
        messages.push(ChatMessage::text(role, format!("{before}{}", message.content)));
    }
    if !endpoint.prefixes.reply.is_empty() {
        messages.push(ChatMessage::text(ChatRole::Assistant, endpoint.prefixes.reply.clone()));
    }
    let offered = question.tools.cloned().unwrap_or(Value::Null);
    let offered = Protocol::OpenAi.adapter().read_request(&offered);
    let is_sent = endpoint.config.model.as_ref().is_none_or(|model| !model.is_empty());
    ChatRequest {
        model: if is_sent { UNNAMED.to_owned() } else { String::new() },
        messages,
        tools: offered.tools,
        tool_choice: offered.tool_choice,
        sampling: Sampling { max_tokens: Some(json!(question.max_tokens)), ..Sampling::default() },
        ..ChatRequest::default()
    }
}

fn is_tool(role: Role) -> bool {
    matches!(role, Role::Tool | Role::Assistant)
}

fn nothing_served(endpoint: &EndpointConfig) -> Error {
    Error::unavailable(format!(
        "the upstream {:?} lists no models; name one in an [[endpoint]]",
        endpoint.upstream.name
    ))
}
