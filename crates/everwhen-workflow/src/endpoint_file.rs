//! Endpoint files of WilmerAI's tree: where a model is, what is sent to it beside the prompt, and
//! what is removed from its replies.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use everwhen::models::{Samplers, Secret};
use everwhen::{EndpointConfig, Protocol, Upstream};
use serde_json::Value;

use crate::cleaning::{Cleaning, ThinkTags};
use crate::diagnostic::Diagnostic;
use crate::profile::object;

/// How many letters may stand before an opening think tag, if the file does not say.
const GRACE: u64 = 100;

/// An endpoint of a file.
#[derive(Debug, Clone)]
pub(crate) struct FileEndpoint {
    /// Where it is, and its model; an empty model is not sent.
    pub(crate) config: EndpointConfig,
    /// Sampler values of its own.
    pub(crate) samplers: Option<Samplers>,
    /// A preset that is added to those values.
    pub(crate) extra_preset: Option<String>,
    /// The subdirectory of presets for its API.
    pub(crate) preset_type: String,
    /// What is removed from its replies.
    pub(crate) cleaning: Cleaning,
    /// Texts that are put before the system prompt, the user prompt and the reply.
    pub(crate) prefixes: PromptPrefixes,
    /// Whether it takes images.
    pub(crate) takes_images: bool,
}

/// Texts that are put before prompts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PromptPrefixes {
    pub(crate) system: String,
    pub(crate) prompt: String,
    pub(crate) reply: String,
}

/// Reads the endpoints of a directory and of the one above it, by name. Those in the directory win.
pub(crate) fn read_all(
    configs: &Path,
    below: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> BTreeMap<String, FileEndpoint> {
    let root = configs.join("Endpoints");
    let mut all = BTreeMap::new();
    let own = (!below.is_empty()).then(|| root.join(below));
    for directory in std::iter::once(root).chain(own) {
        for path in json_files(&directory) {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let name = name.unwrap_or_default();
            if let Some(endpoint) = read(configs, &name, &path, diagnostics) {
                all.insert(name, endpoint);
            }
        }
    }
    all
}

/// The `.json` files of a directory, which need not exist, sorted.
pub(crate) fn json_files(directory: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let files = files.map(|file| file.path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect();
    files.sort();
    files
}

fn read(
    configs: &Path,
    name: &str,
    path: &Path,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<FileEndpoint> {
    let file = object(path, diagnostics)?;
    let text = |key: &str| file[key].as_str().unwrap_or_default();
    let api = Api::of(configs, text("apiTypeConfigFileName"));
    let kind = api.kind.or_else(|| {
        let sentence = "this endpoint makes embeddings; see [embedder] in the configuration";
        diagnostics.push(Diagnostic::hint(path, 1, sentence));
        None
    })?;
    let Ok(mut upstream) = Upstream::at(text("endpoint")) else {
        let sentence = "\"endpoint\" must be the address of a server";
        diagnostics.push(Diagnostic::new(path, 1, sentence));
        return None;
    };
    (upstream.name, upstream.kind) = (name.to_owned(), kind);
    upstream.root = kind.adapter().root(text("endpoint"));
    let key = text("apiKey").trim();
    upstream.key = (!key.is_empty()).then(|| Secret::new(key));
    if api.is_text_completion {
        let sentence = "this endpoint is asked as a chat: its server applies the chat template";
        diagnostics.push(Diagnostic::hint(path, 1, sentence));
    }
    Some(FileEndpoint {
        config: EndpointConfig {
            model: model(&file),
            backup: Some(text("backupEndpointName").to_owned()).filter(|name| !name.is_empty()),
            ..EndpointConfig::of(&upstream, name)
        },
        samplers: file["presetSamplers"].as_object().cloned(),
        extra_preset: Some(text("appendPresetName").to_owned()).filter(|name| !name.is_empty()),
        preset_type: api.preset_type,
        cleaning: cleaning(&file),
        prefixes: prefixes(&file),
        takes_images: file["backendSupportsImages"] != false,
    })
}

/// The model to send; empty if none is to be sent.
fn model(file: &Value) -> Option<String> {
    let named = file["modelNameToSendToAPI"].as_str().unwrap_or_default();
    let left_out = file["dontIncludeModel"] == true || ["", "None"].contains(&named);
    Some(if left_out { String::new() } else { named.to_owned() })
}

fn cleaning(file: &Value) -> Cleaning {
    let text = |key: &str| file[key].as_str().unwrap_or_default().to_owned();
    let tags = ThinkTags {
        open: text("startThinkTag"),
        close: text("endThinkTag"),
        only_close: file["expectOnlyClosingThinkTag"] == true,
        grace: usize::try_from(file["openingTagGracePeriod"].as_u64().unwrap_or(GRACE))
            .unwrap_or_default(),
    };
    let thinks = file["removeThinking"] == true && !tags.close.is_empty();
    let usable = thinks && (tags.only_close || !tags.open.is_empty());
    let start = match file["removeCustomTextFromResponseStartEndpointWide"] == true {
        true => file["responseStartTextToRemoveEndpointWide"].clone(),
        false => Value::Null,
    };
    let starts = match start {
        Value::String(text) => vec![text],
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    Cleaning {
        think: usable.then_some(tags),
        starts: starts.into_iter().filter(|text| !text.is_empty()).collect(),
        trims: file["trimBeginningAndEndLineBreaks"] == true,
    }
}

fn prefixes(file: &Value) -> PromptPrefixes {
    let text = |flag: &str, key: &str| match file[flag] == true {
        true => file[key].as_str().unwrap_or_default().to_owned(),
        false => String::new(),
    };
    let reply = text("addTextToStartOfCompletion", "textToAddToStartOfCompletion");
    let sent = file["ensureTextAddedToAssistantWhenChatCompletion"] == true;
    PromptPrefixes {
        system: text("addTextToStartOfSystem", "textToAddToStartOfSystem"),
        prompt: text("addTextToStartOfPrompt", "textToAddToStartOfPrompt"),
        reply: if sent { reply } else { String::new() },
    }
}

/// What a file in `ApiTypes` says.
struct Api {
    /// The protocol; none for embeddings.
    kind: Option<Protocol>,
    is_text_completion: bool,
    preset_type: String,
}

impl Api {
    fn of(configs: &Path, name: &str) -> Self {
        let path = configs.join("ApiTypes").join(format!("{name}.json"));
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let file: Value = serde_json::from_str(&text).unwrap_or_default();
        let type_name = file["type"].as_str().map_or_else(|| guessed(name), str::to_owned);
        let preset_type = file["presetType"].as_str().unwrap_or(name).to_owned();
        let kind = match type_name.as_str() {
            "openAIEmbeddings" | "ollamaEmbeddings" => None,
            "claudeMessages" => Some(Protocol::Anthropic),
            "ollamaApiChat" | "ollamaApiGenerate" => Some(Protocol::Ollama),
            _ => Some(Protocol::OpenAi),
        };
        let is_text_completion = ["openAIV1Completion", "koboldCppGenerate", "ollamaApiGenerate"]
            .iter()
            .any(|kind| type_name.starts_with(kind));
        Self { kind, is_text_completion, preset_type }
    }
}

/// The type that the name of an API means, if its file is not there.
fn guessed(name: &str) -> String {
    let name = name.to_lowercase();
    let guess = match name {
        _ if name.contains("embedding") => "openAIEmbeddings",
        _ if name.contains("ollama") => "ollamaApiChat",
        _ if name.contains("claude") => "claudeMessages",
        _ => "openAIChatCompletion",
    };
    guess.to_owned()
}
