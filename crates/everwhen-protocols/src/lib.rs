//! The protocols of model providers: OpenAI's, Anthropic's, Ollama's and Gemini's.
//!
//! Bytes go in and values come out: there is no HTTP client, no runtime and no clock here, and
//! nothing knows what a caller does with what was said.
//!
//! Everything about one protocol is in the file named after it, behind the trait [`Adapter`]:
//! addresses, the header for the key, the calls a provider has, where the words of a request and a
//! reply are ([`ChatFormat`]), errors, lists of models, and the way to and from one neutral chat
//! ([`ChatRequest`], [`ChatReply`]). [`Protocol`] is the table of them; a new protocol is a file
//! and a line in that table. [`Translation`] lets a client of one protocol use an upstream of
//! another, always through the neutral chat.

#![forbid(unsafe_code)]

mod adapter;
mod anthropic;
mod chat;
mod edit;
mod endpoint;
mod format;
mod gemini;
pub mod json;
mod models;
mod ollama;
mod openai;
pub mod partial;
mod protocol;
mod reply;
mod reply_stream;
mod responses;
mod stream;
mod tool_calls;
mod translation;

pub use adapter::{Adapter, AuthHeader, Embeddings};
pub use chat::{
    ChatMessage, ChatRequest, Part, ReplyFormat, Role, Sampling, Tool, ToolCall, ToolChoice,
    Unsupported,
};
pub use edit::Draft;
pub use endpoint::{ChatEndpoint, Effect, Endpoint};
pub use format::{ChatFormat, Fragment, Message, OwnWords, RequestView, TextPiece};
pub use models::ModelInfo;
pub use protocol::Protocol;
pub use reply::{
    CallPiece, CallsSoFar, ChatReply, EventWriter, ReplyEvent, ReplyId, StopReason, Usage,
};
pub use reply_stream::ReplyStream;
pub use stream::{Encoder, Event, EventReader, Framing};
pub use translation::{EventTranslator, Translation};
