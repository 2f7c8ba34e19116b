//! The neutral form of a request for a reply, between any two protocols.
//!
//! What only one protocol has is left out. What would change the meaning of a request, such as an
//! image that an upstream cannot fetch, is refused when the request is written ([`Unsupported`]).

use serde_json::{Map, Value, json};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Instructions.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool that the model called.
    Tool,
}

/// A request for a reply.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatRequest {
    /// The model.
    pub model: String,
    /// The messages, oldest first.
    pub messages: Vec<ChatMessage>,
    /// Tools that the model may call.
    pub tools: Vec<Tool>,
    /// Whether and which tools are called, where the request says so.
    pub tool_choice: Option<ToolChoice>,
    /// The form of the reply, where it is not free text.
    pub format: Option<ReplyFormat>,
    /// How tokens are chosen.
    pub sampling: Sampling,
    /// How much the model thinks before it answers, such as `low` or `none`.
    pub effort: Option<String>,
    /// Whether the reply is wanted piece by piece.
    pub streams: bool,
    /// Whether a streamed reply ends with a count of tokens, where a request has to ask for that.
    pub counts_tokens: bool,
}

/// How tokens are chosen. The values are those of the request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sampling {
    /// `temperature`.
    pub temperature: Option<Value>,
    /// `top_p`.
    pub top_p: Option<Value>,
    /// `top_k`.
    pub top_k: Option<Value>,
    /// `seed`.
    pub seed: Option<Value>,
    /// `frequency_penalty`.
    pub frequency_penalty: Option<Value>,
    /// `presence_penalty`.
    pub presence_penalty: Option<Value>,
    /// Texts that end the reply.
    pub stop: Vec<Value>,
    /// The most tokens of the reply.
    pub max_tokens: Option<Value>,
    /// Whether OpenAI's name for that limit is the newer `max_completion_tokens`.
    pub uses_completion_limit: bool,
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: Role,
    /// What it consists of.
    pub parts: Vec<Part>,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Text.
    Text(String),
    /// An image inside the request, as base64 of this media type.
    Image {
        /// Such as `image/png`.
        media_type: String,
        /// The bytes, as base64.
        data: String,
    },
    /// An image at an address.
    ImageUrl(String),
    /// What the model thought before it answered.
    Thinking(String),
    /// A call of a tool by the model.
    Call(ToolCall),
    /// What a tool answered.
    Result {
        /// The id of the call, if it is known.
        id: String,
        /// The name of the tool, if it is known.
        name: String,
        /// What the tool said.
        content: String,
    },
    /// Something that only its own protocol has, by the name of its type there.
    Other(String),
}

/// A call of a tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolCall {
    /// Its id; empty where the protocol gave none.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
    /// What the model signed it with, to be sent back with the call.
    pub signature: Option<String>,
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: Option<Value>,
    /// The JSON schema of its arguments.
    pub parameters: Option<Value>,
    /// Whether the model is held to the schema, where the request says so.
    pub strict: Option<Value>,
}

/// Whether and which tools are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChoice {
    /// As the model likes.
    Auto,
    /// None.
    None,
    /// At least one.
    Required,
    /// This one.
    Named(String),
}

/// The form of a reply.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplyFormat {
    /// Any JSON.
    Json,
    /// JSON that fits a schema.
    Schema {
        /// What the schema is called.
        name: String,
        /// The schema.
        schema: Value,
        /// Whether the model is held to it strictly.
        strict: bool,
    },
}

/// A request that an upstream of another protocol cannot be asked, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported(pub String);

impl Role {
    /// Its usual name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

impl ChatMessage {
    /// A message of text alone.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self { role, parts: vec![Part::Text(text.into())] }
    }

    /// Its texts, joined by line breaks.
    pub fn joined_text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The calls of tools in it.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            _ => None,
        })
    }
}

impl ChatRequest {
    /// The instructions of all system messages, for protocols that have one place for them.
    pub fn instructions(&self) -> Option<String> {
        let system = self.messages.iter().filter(|message| message.role == Role::System);
        let texts: Vec<String> = system.map(ChatMessage::joined_text).collect();
        (!texts.is_empty()).then(|| texts.join("\n\n"))
    }

    /// The tools, unless none may be called.
    pub fn usable_tools(&self) -> &[Tool] {
        if self.tool_choice == Some(ToolChoice::None) { &[] } else { &self.tools }
    }
}

/// Writes the values that are set, each under the name that a protocol has for it.
pub(crate) fn write_set(into: &mut Value, values: &[(&str, &Option<Value>)]) {
    for (name, value) in values {
        if let Some(value) = value {
            into[*name] = value.clone();
        }
    }
}

impl Tool {
    /// The tool as OpenAI's and Ollama's kind write it.
    pub(crate) fn as_function(&self) -> Value {
        let mut function = json!({ "name": self.name });
        let fields = [
            ("description", &self.description),
            ("parameters", &self.parameters),
            ("strict", &self.strict),
        ];
        write_set(&mut function, &fields);
        json!({ "type": "function", "function": function })
    }

    /// Reads a tool as OpenAI's and Ollama's kind write it; nothing for tools of another type.
    pub(crate) fn of_function(tool: &Value) -> Option<Self> {
        let function = &tool["function"];
        let value = |name: &str| set(&function[name]);
        Some(Self {
            name: function["name"].as_str()?.to_owned(),
            description: value("description"),
            parameters: value("parameters"),
            strict: value("strict"),
        })
    }
}

impl ToolCall {
    /// The arguments as an object. Text that is no JSON object, as when a reply was cut off within
    /// it, is handed over under a name that no tool knows: a tool that refuses is better than one
    /// that runs without its arguments.
    pub fn arguments_object(&self) -> Value {
        if self.arguments.trim().is_empty() {
            return json!({});
        }
        match serde_json::from_str::<Value>(&self.arguments) {
            Ok(read) if read.is_object() => read,
            _ => json!({ "unreadable_arguments": self.arguments }),
        }
    }
}

/// The arguments of a call as text, whether they were sent as text or as an object.
pub(crate) fn arguments_text(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        Value::Null => "{}".to_owned(),
        other => other.to_string(),
    }
}

/// A value that is set.
pub(crate) fn set(value: &Value) -> Option<Value> {
    Some(value.clone()).filter(|value| !value.is_null())
}

/// A text, or nothing where there is none.
pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// An object without the members that are null.
pub(crate) fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members.into_iter().filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>(),
        ),
        other => other,
    }
}

/// How images begin in base64, by their media type.
const IMAGES: [(&str, &str); 3] =
    [("/9j/", "image/jpeg"), ("R0lGOD", "image/gif"), ("UklGR", "image/webp")];

impl Part {
    /// An image as base64 whose type is not said.
    pub(crate) fn image_of_base64(data: &str) -> Self {
        if data.starts_with("data:") {
            return Self::image_of_url(data);
        }
        let known = IMAGES.into_iter().find(|(begins, _)| data.starts_with(begins));
        let media_type = known.map_or("image/png", |(_, kind)| kind);
        Self::Image { media_type: media_type.into(), data: data.into() }
    }

    /// An image by its URL, which may hold the image itself (`data:image/png;base64,…`).
    pub(crate) fn image_of_url(url: &str) -> Self {
        let data = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
        match data {
            Some((media_type, data)) => {
                Self::Image { media_type: media_type.into(), data: data.into() }
            }
            None => Self::ImageUrl(url.into()),
        }
    }
}

impl Unsupported {
    /// An image at an address, for an upstream that fetches none.
    pub(crate) fn image_url(place: usize, upstream: &str) -> Self {
        Self(format!(
            "messages[{place}] has an image by its address, which {upstream} upstream does not \
             fetch; send it as data:image/png;base64,…"
        ))
    }

    /// A part that an upstream does not know.
    pub(crate) fn part(place: usize, kind: &str, upstream: &str) -> Self {
        Self(format!(
            "messages[{place}] has a part of type {kind:?}, which {upstream} upstream does not \
             take; it takes text and images"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_cannot_be_read_are_not_taken_for_none() {
        let object = |text: &str| {
            ToolCall { arguments: text.into(), ..ToolCall::default() }.arguments_object()
        };
        assert_eq!(object("{\"a\":1}"), json!({ "a": 1 }));
        assert_eq!(object(""), json!({}));
        assert_eq!(object("{\"a"), json!({ "unreadable_arguments": "{\"a" }));
        assert_eq!(arguments_text(&json!({ "a": 1 })), "{\"a\":1}");
        assert_eq!(arguments_text(&json!("{}")), "{}");
        assert_eq!(arguments_text(&Value::Null), "{}");
    }

    #[test]
    fn images_are_known_by_their_first_bytes_or_their_url() {
        let image = |media_type: &str, data: &str| Part::Image {
            media_type: media_type.into(),
            data: data.into(),
        };
        assert_eq!(Part::image_of_base64("/9j/4AAQ"), image("image/jpeg", "/9j/4AAQ"));
        assert_eq!(Part::image_of_base64("iVBORw0K"), image("image/png", "iVBORw0K"));
        assert_eq!(Part::image_of_url("data:image/bmp;base64,Qk0"), image("image/bmp", "Qk0"));
        assert_eq!(Part::image_of_url("https://h/a"), Part::ImageUrl("https://h/a".into()));
    }
}
