//! Sequence files as they are written: TOML, one file for one sequence. `README.md` beside this
//! file describes the format.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

/// One file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sequence {
    /// The program whose requests these are, with its version.
    pub(crate) program: String,
    /// What the sequence shows, in one sentence.
    pub(crate) shows: String,
    /// Configuration of the proxy; without it only stamps are added.
    #[serde(default)]
    pub(crate) settings: Option<String>,
    /// The path of every request that names no other.
    #[serde(default = "chat_completions")]
    pub(crate) path: String,
    /// Headers of every request.
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    /// Fields of every request's body.
    #[serde(default)]
    pub(crate) fields: Map<String, Value>,
    pub(crate) step: Vec<Step>,
    /// What is stored in each memory in the end.
    pub(crate) stored: BTreeMap<String, Vec<String>>,
}

fn chat_completions() -> String {
    "/v1/chat/completions".to_owned()
}

/// One request, the upstream's reply, and what must become of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    /// So that later steps can name it.
    #[serde(default)]
    pub(crate) name: Option<String>,
    /// Minutes that pass before it.
    #[serde(default)]
    pub(crate) wait: i64,
    #[serde(default)]
    pub(crate) path: Option<String>,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) fields: Map<String, Value>,
    pub(crate) messages: Vec<Value>,
    /// Whether the reply is wanted in events.
    #[serde(default)]
    pub(crate) stream: bool,
    /// What the upstream says.
    #[serde(default)]
    pub(crate) reply: Option<String>,
    /// Tools that the upstream calls.
    #[serde(default)]
    pub(crate) calls: Vec<ToolCall>,
    /// The status of the upstream's answer.
    #[serde(default = "ok")]
    pub(crate) status: u16,
    /// The id of the upstream's answer.
    #[serde(default)]
    pub(crate) reply_id: Option<String>,
    /// The memory, by a label of the file; `none` for what is passed and not remembered.
    pub(crate) memory: String,
    /// Every stamp that reaches the upstream, as `12:00 the text behind it`.
    #[serde(default)]
    pub(crate) stamped: Option<Vec<String>>,
    /// Texts that reach the upstream.
    #[serde(default)]
    pub(crate) upstream_has: Vec<String>,
    /// Texts that do not.
    #[serde(default)]
    pub(crate) upstream_lacks: Vec<String>,
}

fn ok() -> u16 {
    200
}

/// A call of a tool.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolCall {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) arguments: Map<String, Value>,
}

impl Sequence {
    /// The last step of a chat that is remembered and resent as a whole in every request.
    pub(crate) fn last_resent(&self) -> Option<usize> {
        let names_earlier = |step: &Step| {
            step.fields.contains_key("previous_response_id")
                || step.messages.iter().any(|message| message["type"] == "item_reference")
        };
        let is_resent =
            |step: &Step| step.memory != "none" && step.status < 400 && !names_earlier(step);
        self.step.iter().rposition(is_resent)
    }

    /// Reads a file and puts its texts in.
    pub(crate) fn read(file: &str) -> Result<Self, String> {
        let mut value: Value = toml::from_str(file).map_err(|error| error.to_string())?;
        let fields = value.as_object_mut().ok_or("a file is a table")?;
        let texts = fields.remove("texts").unwrap_or_default();
        let filled = filled(value, &texts)?;
        serde_json::from_value(filled).map_err(|error| error.to_string())
    }
}

/// The same with `{{name}}` replaced.
fn filled(value: Value, texts: &Value) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => Value::String(filled_text(text, texts)?),
        Value::Array(items) => Value::Array(
            items.into_iter().map(|item| filled(item, texts)).collect::<Result<_, _>>()?,
        ),
        Value::Object(fields) => {
            let one = |(name, value)| Ok::<_, String>((name, filled(value, texts)?));
            Value::Object(fields.into_iter().map(one).collect::<Result<_, _>>()?)
        }
        other => other,
    })
}

fn filled_text(mut text: String, texts: &Value) -> Result<String, String> {
    while let Some(start) = text.find("{{") {
        let length = text[start..].find("}}").ok_or("{{ without }}")?;
        let name = text[start + 2..start + length].to_owned();
        let inside = texts[&name].as_str().ok_or_else(|| format!("no text is called {name:?}"))?;
        text.replace_range(start..start + length + 2, inside);
    }
    Ok(text)
}
