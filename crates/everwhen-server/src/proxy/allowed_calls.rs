//! Every call of a provider that the proxy knows: path, method, and what it does there.
//!
//! This table is the proxy's table of contents; what is not in it is refused in the provider's own
//! error shape. A chat is remembered. A call that reads is for every key, one that uses a model for
//! keys that may write, and one that manages what an account holds is for the operator, because it
//! is done with the operator's account.

use axum::http::Method;

use super::route::{CHAT, COMPLETIONS, MESSAGES, OLLAMA_CHAT, OLLAMA_GENERATE, RESPONSES, Route};

/// What a call does.
#[derive(Clone, Copy)]
pub(crate) enum CallEffect {
    /// Something is said: it is remembered.
    Chat(&'static Route),
    /// It tells what models and versions there are.
    Read,
    /// It uses a model, and leaves nothing behind but costs.
    Use,
    /// It lists, changes or deletes what the account holds.
    Manage,
    /// It cannot go through a proxy that remembers; the text says why.
    Refused(&'static str),
}

/// A path, and what each of its methods does.
pub(crate) struct AllowedCall {
    pub(crate) path: &'static str,
    methods: &'static [(&'static str, CallEffect)],
}

impl AllowedCall {
    /// What a method does here, if the path has it.
    pub(crate) fn effect(&self, method: &Method) -> Option<CallEffect> {
        let asked = |name: &str| self.methods.iter().find(|(known, _)| *known == name);
        let like_get = || asked("GET").filter(|_| *method == Method::HEAD);
        asked(method.as_str()).or_else(|| asked("*")).or_else(like_get).map(|(_, effect)| *effect)
    }

    /// The methods of this path, for those who used another.
    pub(crate) fn allowed(&self) -> String {
        self.methods.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// The chat that is had here, if one is.
    pub(crate) fn chat(&self) -> Option<&'static Route> {
        self.methods.iter().find_map(|(_, effect)| match effect {
            CallEffect::Chat(route) => Some(*route),
            _ => None,
        })
    }

    /// The same path without `/v1`, where clients leave that out.
    pub(crate) fn without_version(&self) -> Option<&'static str> {
        let rest = self.path.strip_prefix("/v1")?;
        WITHOUT_VERSION.contains(&rest).then_some(rest)
    }
}

/// What clients whose base URL lacks `/v1` ask for.
const WITHOUT_VERSION: [&str; 8] = [
    "/chat/completions",
    "/completions",
    "/responses",
    "/messages",
    "/messages/count_tokens",
    "/models",
    "/models/{*model}",
    "/embeddings",
];

use CallEffect::{Chat, Manage, Read, Refused, Use};

const REALTIME: &str = "realtime sessions are not served here: what is said in them would not be \
                        remembered; connect to the provider itself";
const MANAGED: &[(&str, CallEffect)] = &[("GET", Manage), ("POST", Manage), ("DELETE", Manage)];

const fn call(path: &'static str, methods: &'static [(&'static str, CallEffect)]) -> AllowedCall {
    AllowedCall { path, methods }
}

/// The table.
#[rustfmt::skip]
pub(crate) static TABLE: [AllowedCall; 67] = [
    // OpenAI's: chats
    call("/v1/chat/completions", &[("POST", Chat(&CHAT)), ("GET", Manage)]),
    call("/v1/chat/completions/{*rest}", MANAGED),
    call("/v1/completions", &[("POST", Chat(&COMPLETIONS))]),
    call("/v1/responses", &[("POST", Chat(&RESPONSES))]),
    // A response is found by an id that nobody can guess.
    call("/v1/responses/{id}", &[("GET", Use), ("DELETE", Manage)]),
    call("/v1/responses/{id}/input_items", &[("GET", Use)]),
    call("/v1/responses/{id}/cancel", &[("POST", Use)]),
    call("/v1/responses/input_tokens", &[("POST", Use)]),
    call("/v1/responses/compact", &[("POST", Use)]),
    // OpenAI's and Anthropic's: models
    call("/v1/models", &[("GET", Read)]),
    call("/v1/models/{*model}", &[("GET", Read), ("DELETE", Manage)]),
    // OpenAI's, and of those who are like it: models at work
    call("/v1/embeddings", &[("POST", Use)]),
    call("/v1/moderations", &[("POST", Use)]),
    call("/v1/rerank", &[("POST", Use)]),
    call("/v1/audio/speech", &[("POST", Use)]),
    call("/v1/audio/transcriptions", &[("POST", Use)]),
    call("/v1/audio/translations", &[("POST", Use)]),
    call("/v1/audio/{*rest}", MANAGED),
    call("/v1/images/generations", &[("POST", Use)]),
    call("/v1/images/edits", &[("POST", Use)]),
    call("/v1/images/variations", &[("POST", Use)]),
    // OpenAI's and Anthropic's: what an account holds
    call("/v1/files", MANAGED),
    call("/v1/files/{*rest}", MANAGED),
    call("/v1/uploads", MANAGED),
    call("/v1/uploads/{*rest}", MANAGED),
    call("/v1/batches", MANAGED),
    call("/v1/batches/{*rest}", MANAGED),
    call("/v1/vector_stores", MANAGED),
    call("/v1/vector_stores/{*rest}", MANAGED),
    call("/v1/conversations", MANAGED),
    call("/v1/conversations/{*rest}", MANAGED),
    call("/v1/fine_tuning/{*rest}", MANAGED),
    call("/v1/assistants", MANAGED),
    call("/v1/assistants/{*rest}", MANAGED),
    call("/v1/threads", MANAGED),
    call("/v1/threads/{*rest}", MANAGED),
    call("/v1/evals", MANAGED),
    call("/v1/evals/{*rest}", MANAGED),
    call("/v1/containers", MANAGED),
    call("/v1/containers/{*rest}", MANAGED),
    call("/v1/skills", MANAGED),
    call("/v1/skills/{*rest}", MANAGED),
    call("/v1/videos", MANAGED),
    call("/v1/videos/{*rest}", MANAGED),
    call("/v1/chatkit/{*rest}", MANAGED),
    call("/v1/organization/{*rest}", MANAGED),
    call("/v1/organizations/{*rest}", MANAGED),
    call("/v1/realtime", &[("*", Refused(REALTIME))]),
    call("/v1/realtime/{*rest}", &[("*", Refused(REALTIME))]),
    // Anthropic's
    call("/v1/messages", &[("POST", Chat(&MESSAGES))]),
    call("/v1/messages/count_tokens", &[("POST", Use)]),
    call("/v1/messages/batches", MANAGED),
    call("/v1/messages/batches/{*rest}", MANAGED),
    // Ollama's
    call("/api/chat", &[("POST", Chat(&OLLAMA_CHAT))]),
    call("/api/generate", &[("POST", Chat(&OLLAMA_GENERATE))]),
    call("/api/tags", &[("GET", Read)]),
    call("/api/show", &[("POST", Read)]),
    call("/api/ps", &[("GET", Read)]),
    call("/api/version", &[("GET", Read)]),
    call("/api/embed", &[("POST", Use)]),
    call("/api/embeddings", &[("POST", Use)]),
    call("/api/pull", &[("POST", Manage)]),
    call("/api/push", &[("POST", Manage)]),
    call("/api/create", &[("POST", Manage)]),
    call("/api/copy", &[("POST", Manage)]),
    call("/api/delete", &[("DELETE", Manage)]),
    call("/api/blobs/{digest}", &[("HEAD", Manage), ("POST", Manage)]),
];
