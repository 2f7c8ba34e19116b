//! The routes on which something is said: who speaks there, and in which words.

use everwhen::UpstreamKind;

use super::wire::{Chat, Completions, Messages, OllamaChat, OllamaGenerate, Responses, Wording};

/// A route on which something is said.
pub(crate) struct Route {
    /// What it is called where it is written down.
    pub(crate) name: &'static str,
    /// The language spoken on it.
    pub(crate) kind: UpstreamKind,
    /// Its path below the root of an upstream of that kind.
    pub(crate) path: &'static str,
    /// How requests and replies are worded.
    pub(crate) wording: &'static dyn Wording,
    /// Languages of upstreams that can answer, the best first.
    pub(crate) answered_by: &'static [UpstreamKind],
}

use UpstreamKind::{Anthropic, Ollama, OpenAi};

/// `POST /v1/chat/completions`
pub(crate) static CHAT: Route = Route {
    name: "chat",
    kind: OpenAi,
    path: "/chat/completions",
    wording: &Chat,
    answered_by: &[OpenAi, Ollama],
};
/// `POST /v1/completions`
pub(crate) static COMPLETIONS: Route = Route {
    name: "completions",
    kind: OpenAi,
    path: "/completions",
    wording: &Completions,
    answered_by: &[OpenAi],
};
/// `POST /v1/responses`
pub(crate) static RESPONSES: Route = Route {
    name: "responses",
    kind: OpenAi,
    path: "/responses",
    wording: &Responses,
    answered_by: &[OpenAi],
};
/// `POST /api/chat`
pub(crate) static OLLAMA_CHAT: Route = Route {
    name: "ollama-chat",
    kind: Ollama,
    path: "/api/chat",
    wording: &OllamaChat,
    answered_by: &[Ollama, OpenAi],
};
/// `POST /api/generate`
pub(crate) static OLLAMA_GENERATE: Route = Route {
    name: "ollama-generate",
    kind: Ollama,
    path: "/api/generate",
    wording: &OllamaGenerate,
    answered_by: &[Ollama],
};
/// `POST /v1/messages`
pub(crate) static MESSAGES: Route = Route {
    name: "messages",
    kind: Anthropic,
    path: "/v1/messages",
    wording: &Messages,
    answered_by: &[Anthropic],
};

impl Route {
    /// The route with this name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        [&CHAT, &COMPLETIONS, &RESPONSES, &OLLAMA_CHAT, &OLLAMA_GENERATE, &MESSAGES]
            .into_iter()
            .find(|route| route.name == name)
    }
}
