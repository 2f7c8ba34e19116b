//! What has to be known about a protocol.

use serde_json::Value;

use crate::{
    ChatReply, ChatRequest, Endpoint, EventWriter, Framing, ModelInfo, ReplyEvent, ReplyId,
    Unsupported,
};

/// The header that carries a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthHeader {
    /// `Authorization: Bearer KEY`.
    Bearer,
    /// A header of this name with the key alone.
    Named(&'static str),
}

/// Everything about one protocol.
pub trait Adapter: Send + Sync {
    /// Its name in configurations.
    fn name(&self) -> &'static str;

    /// What people call it.
    fn title(&self) -> &'static str;

    /// The name of its provider with an article, for error messages: "an Ollama".
    fn article(&self) -> &'static str;

    // Addresses.

    /// The address of the provider when a configuration names none.
    fn default_url(&self) -> &'static str;

    /// Whether an address is one of this protocol's, judged by the address alone.
    fn is_at(&self, _host: &str, _path: &str) -> bool {
        false
    }

    /// The address that paths are appended to, from an address in any of the usual spellings.
    fn root(&self, url: &str) -> String;

    /// The address that clients of this protocol are given for a server that speaks all protocols.
    fn client_url(&self, server: &str) -> String {
        server.to_owned()
    }

    /// The path, with a query if one is needed, at which a model is asked.
    fn chat_path(&self, model: &str, streams: bool) -> String;

    /// The path, with a query if one is needed, at which models are listed.
    fn models_path(&self) -> &'static str;

    // Requests to a server that speaks all protocols.

    /// What all paths of the protocol begin with.
    fn prefix(&self) -> &'static str {
        "/v1"
    }

    /// The calls of the protocol.
    fn endpoints(&self) -> &'static [Endpoint];

    /// Whether a request is one of this protocol's; those that no protocol claims are OpenAI's.
    fn claims(&self, path: &str, has_header: &dyn Fn(&str) -> bool) -> bool;

    /// The path below an upstream's root, for a path that a client asked for.
    fn below_root(&self, path: &str) -> String {
        path.to_owned()
    }

    // Keys.

    /// The header that carries a key.
    fn auth_header(&self) -> AuthHeader {
        AuthHeader::Bearer
    }

    /// The parameter of a query that may carry a key instead.
    fn key_parameter(&self) -> Option<&'static str> {
        None
    }

    /// Headers that every request needs.
    fn fixed_headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    // Errors.

    /// An error with this HTTP status and short code, in the provider's shape.
    fn error(&self, status: u16, code: &str, message: &str) -> Value;

    // The neutral chat.

    /// Reads a request; `model` and `streams` are those of the path, where the protocol has them
    /// there.
    fn read_request(&self, body: &Value) -> ChatRequest;

    /// Writes a request; refuses one whose meaning would change.
    fn write_request(&self, request: &ChatRequest) -> Result<Value, Unsupported>;

    /// The place in a request that holds `temperature` and the like.
    fn sampling_place<'b>(&self, body: &'b mut Value) -> &'b mut Value {
        body
    }

    /// Reads a whole reply; else says what is wrong with it, as the rest of a sentence.
    fn read_reply(&self, body: &Value) -> Result<ChatReply, &'static str>;

    /// Writes a whole reply.
    fn write_reply(&self, reply: &ChatReply, id: &ReplyId) -> Value;

    /// Reads the data of one event of a streamed reply.
    fn read_event(&self, event: &Value) -> ReplyEvent;

    /// A writer of a streamed reply. `counts` says whether the client asked for a count of tokens,
    /// where a request has to.
    fn event_writer(&self, id: ReplyId, counts: bool) -> Box<dyn EventWriter>;

    /// How a reply with this content type comes in pieces, if it does. `streams` says whether that
    /// was asked for.
    fn reply_framing(&self, content_type: Option<&str>, _streams: bool) -> Option<Framing> {
        content_type.and_then(Framing::of)
    }

    /// How a streamed reply is written for a client that asked with this query.
    fn client_framing(&self, _query: Option<&str>) -> Framing {
        Framing::Sse
    }

    // Lists of models.

    /// The field of a list that holds the models.
    fn list_field(&self) -> &'static str {
        "data"
    }

    /// Reads a model of a list.
    fn read_model(&self, item: &Value) -> ModelInfo;

    /// Writes a model of a list.
    fn write_model(&self, model: &ModelInfo) -> Value;

    /// Writes a list of models.
    fn write_list(&self, items: Vec<Value>) -> Value;

    /// Puts an upstream's name before that of a model of a list.
    fn prefix_model(&self, item: &mut Value, upstream: &str) {
        for field in ["id", "name", "model"] {
            if let Some(Value::String(name)) = item.get_mut(field) {
                name.insert_str(0, &format!("{upstream}/"));
            }
        }
    }

    // Embeddings.

    /// How the protocol embeds texts, if it does.
    fn embeddings(&self) -> Option<&'static dyn Embeddings> {
        None
    }
}

/// How a protocol embeds texts.
pub trait Embeddings: Send + Sync {
    /// The address that is asked, from the path of an address in any of the usual spellings.
    fn path(&self, path: &str) -> String;

    /// The body of a request.
    fn request(&self, model: &str, texts: &[String], dimensions: Option<usize>) -> String;

    /// One vector per text, in the order of the texts; else what is wrong, as the rest of a
    /// sentence that does not quote the answer.
    fn vectors(&self, content: &[u8]) -> Result<Vec<Vec<f32>>, String>;
}

/// The message of an error in any provider's shape.
pub(crate) fn error_message(body: &Value) -> Option<&str> {
    let error = body.get(0).unwrap_or(body).get("error")?;
    error["message"].as_str().or(error.as_str())
}

/// The host with its port, and the path without slashes around it.
pub(crate) fn host_and_path(url: &str) -> (&str, &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest).trim_end_matches('/');
    rest.split_once('/').unwrap_or((rest, ""))
}
