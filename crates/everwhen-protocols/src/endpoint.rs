//! The calls that a provider has: path, method, and what the call does.

use crate::ChatFormat;

/// What a call does.
#[derive(Clone, Copy)]
pub enum Effect {
    /// It asks a model for a reply in a chat.
    Chat(&'static ChatEndpoint),
    /// It lists the models.
    ListModels,
    /// It counts the tokens of a request that is not sent.
    CountTokens,
    /// It tells something about models and versions.
    Read,
    /// It uses a model, and leaves nothing behind but costs.
    Use,
    /// It lists, changes or deletes what the account holds.
    Manage,
    /// It cannot go through a proxy; the text says why.
    Refused(&'static str),
}

/// A call of a provider, by its path and the effects of its methods.
pub struct Endpoint {
    /// The path below the address of this server. `{name}` is a segment, `{*name}` for the
    /// rest of the path, and `:verb` may follow that, as in `/v1beta/models/{*model}:countTokens`.
    pub path: &'static str,
    methods: &'static [(&'static str, Effect)],
    /// Whether clients may leave `/v1` out.
    pub version_optional: bool,
}

/// Every method manages what the account holds.
pub(crate) const MANAGED: &[(&str, Effect)] =
    &[("GET", Effect::Manage), ("POST", Effect::Manage), ("DELETE", Effect::Manage)];

/// A line of a table of calls.
pub(crate) const fn call(
    path: &'static str,
    methods: &'static [(&'static str, Effect)],
) -> Endpoint {
    Endpoint { path, methods, version_optional: false }
}

/// A line for a call that clients also make without `/v1` in their base URL.
pub(crate) const fn call_unversioned(
    path: &'static str,
    methods: &'static [(&'static str, Effect)],
) -> Endpoint {
    Endpoint { path, methods, version_optional: true }
}

impl Endpoint {
    /// What a method does here, if the path has it. `HEAD` is like `GET`.
    pub fn effect(&self, method: &str) -> Option<Effect> {
        let asked = |name: &str| self.methods.iter().find(|(known, _)| *known == name);
        let like_get = || asked("GET").filter(|_| method == "HEAD");
        asked(method).or_else(|| asked("*")).or_else(like_get).map(|(_, effect)| *effect)
    }

    /// The methods of this path, for an answer to another.
    pub fn allowed(&self) -> String {
        self.methods.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// The chat that is held here, if one is.
    pub fn chat(&self) -> Option<&'static ChatEndpoint> {
        self.methods.iter().find_map(|(_, effect)| match effect {
            Effect::Chat(chat) => Some(*chat),
            _ => None,
        })
    }

    /// The path without its verb, as a router takes it.
    pub fn route(&self) -> &'static str {
        match self.path.rfind('}') {
            Some(end) if self.verb().is_some() => &self.path[..=end],
            _ => self.path,
        }
    }

    /// The route without `/v1`, where clients leave that out.
    pub fn route_without_version(&self) -> Option<&'static str> {
        self.route().strip_prefix("/v1").filter(|_| self.version_optional)
    }

    /// The verb behind the model, such as `countTokens`.
    pub fn verb(&self) -> Option<&'static str> {
        self.path.rsplit_once("}:").map(|(_, verb)| verb)
    }

    /// Whether a path that matched the route means this endpoint.
    pub fn is_meant_by(&self, path: &str) -> bool {
        self.verb().is_none_or(|verb| path.rsplit_once(':').is_some_and(|(_, said)| said == verb))
    }
}

/// A call in which a model is asked for a reply.
pub struct ChatEndpoint {
    /// A short name that is written to files.
    pub name: &'static str,
    /// The path below the root of an upstream of that protocol; `{model}` is the model.
    pub path: &'static str,
    /// The format of requests and replies.
    pub format: &'static dyn ChatFormat,
    /// Whether upstreams of other protocols can answer, too.
    pub is_translated: bool,
    /// Whether the reply comes in pieces, where the path says that and not the body.
    pub streams: Option<bool>,
}

impl ChatEndpoint {
    /// The path below an upstream's root for this model.
    pub fn path_for(&self, model: &str) -> String {
        self.path.replace("{model}", model)
    }

    /// The model in a path that a client asked for, where this endpoint has it there.
    pub fn model_in<'p>(&self, path: &'p str) -> Option<&'p str> {
        let (before, after) = self.path.split_once("{model}")?;
        let start = path.find(before)? + before.len();
        path[start..].strip_suffix(after).filter(|model| !model.is_empty())
    }
}
