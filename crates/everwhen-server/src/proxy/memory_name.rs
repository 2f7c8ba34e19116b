//! Which memory a request names: the table of everything that may name it, the strongest first.

use std::borrow::Cow;
use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header::USER_AGENT;
use everwhen::Result;
use everwhen::memory::{Address, MemoryId};
use everwhen_protocols::json::Object;
use everwhen_protocols::{Message, RequestView, Role};

use super::headers;
use super::new_chats::Claim;
use super::recording::shown;

/// The header that names the memory.
pub(crate) const MEMORY: &str = "x-everwhen-memory";

/// What a request says of itself.
pub(crate) struct RequestHints<'a> {
    pub(crate) headers: &'a HeaderMap,
    /// The memory in the path.
    pub(crate) path: Option<&'a str>,
    pub(crate) asked: &'a RequestView<'a>,
    /// Whether the client may say on whose behalf it speaks.
    pub(crate) trusted: bool,
    /// The user that a signed header names.
    pub(crate) signed_user: Option<String>,
    /// Whether `prompt_cache_key` counts.
    pub(crate) prompt_cache_key: bool,
}

/// A memory, and what named it.
#[derive(Debug, Clone)]
pub(crate) struct NamedMemory {
    pub(crate) memory: Address<MemoryId>,
    /// The name that the response reports; it is the same on every turn.
    pub(crate) name: String,
    pub(crate) source: &'static str,
    /// Whether the client always sends the whole chat.
    pub(crate) resends_all: bool,
    /// Held while the first request of a new chat is being answered.
    pub(crate) _claim: Option<Arc<Claim>>,
}

impl NamedMemory {
    /// A memory that a request names itself.
    pub(crate) fn new(memory: Address<MemoryId>, source: &'static str) -> Self {
        let resends_all = RESEND_ALL.contains(&source);
        Self { name: shown(&memory), memory, source, resends_all, _claim: None }
    }
}

/// Programs that send the whole chat with every request, under the chat's id.
const RESEND_ALL: [&str; 2] = ["Open WebUI", "LibreChat"];

/// One way to name a memory.
type Way = fn(&RequestHints<'_>) -> Option<(String, &'static str)>;

/// The order in which they are asked.
const WAYS: [Way; 9] = [
    own_header,
    path,
    body_field,
    known_header,
    generic_header,
    discussion_tag,
    session_in_user_id,
    prompt_cache_key,
    user,
];

/// The memory a request names, by the strongest sign it carries.
pub(crate) fn named(hints: &RequestHints<'_>) -> Result<Option<NamedMemory>> {
    let Some((text, source)) = WAYS.into_iter().find_map(|way| way(hints)) else {
        return Ok(None);
    };
    let memory = Address::read("memory", text.trim()).map_err(|error| error.at(source))?;
    Ok(Some(NamedMemory::new(memory, source)))
}

fn own_header(hints: &RequestHints<'_>) -> Option<(String, &'static str)> {
    Some((headers::given(hints.headers, MEMORY)?, "x-everwhen-memory"))
}

fn path(hints: &RequestHints<'_>) -> Option<(String, &'static str)> {
    Some((hints.path?.to_owned(), "path"))
}

/// Fields of the body that name a chat.
const FIELDS: [(&str, &str); 4] = [
    ("conversation_id", "metadata.conversation_id"),
    ("session_id", "metadata.session_id"),
    ("thread_id", "metadata.thread_id"),
    ("chat_id", "metadata.chat_id"),
];

fn body_field(hints: &RequestHints<'_>) -> Option<(String, &'static str)> {
    let fields = &hints.asked.fields;
    let metadata = fields.object("metadata").unwrap_or_default();
    let within =
        FIELDS.into_iter().find_map(|(name, source)| Some((text(&metadata, name)?, source)));
    let direct = || {
        let names = [("session_id", "session_id"), ("litellm_session_id", "litellm_session_id")];
        names.into_iter().find_map(|(name, source)| Some((text(fields, name)?, source)))
    };
    let conversation = || {
        let inner = fields.object("conversation").and_then(|inner| text(&inner, "id"));
        Some((text(fields, "conversation").or(inner)?, "conversation"))
    };
    within.or_else(direct).or_else(conversation)
}

fn text(object: &Object<'_>, name: &str) -> Option<String> {
    object.text(name).map(Cow::into_owned).filter(|text| !text.trim().is_empty())
}

/// Headers that known programs send, and which program that is.
const KNOWN: [(&str, &str); 11] = [
    ("x-openwebui-chat-id", "Open WebUI"),
    ("x-librechat-conversation-id", "LibreChat"),
    ("x-claude-code-session-id", "Claude Code"),
    ("x-opencode-session", "opencode"),
    ("x-session-affinity", "opencode"),
    ("x-litellm-session-id", "LiteLLM"),
    ("x-litellm-trace-id", "LiteLLM"),
    ("helicone-session-id", "Helicone"),
    ("x-conversation-id", "x-conversation-id"),
    ("x-chat-id", "x-chat-id"),
    (DISCUSSION, DISCUSSION),
];
/// Names one memory, which other chats do not see, unlike the others.
const DISCUSSION: &str = "x-discussion-id";
/// Headers whose names are so common that they count only from Codex.
const CODEX: [&str; 4] = ["session-id", "thread-id", "session_id", "conversation_id"];

fn known_header(hints: &RequestHints<'_>) -> Option<(String, &'static str)> {
    let found = KNOWN
        .into_iter()
        .find_map(|(name, program)| Some((headers::text(hints.headers, name)?, program)));
    let empty = || Some((headers::given(hints.headers, DISCUSSION)?, DISCUSSION));
    found.or_else(empty).or_else(|| {
        let agent = headers::text(hints.headers, USER_AGENT.as_str())?.to_lowercase();
        let names = CODEX.into_iter().filter(|_| agent.starts_with("codex"));
        Some((names.into_iter().find_map(|name| headers::text(hints.headers, name))?, "Codex"))
    })
}

/// `x-session-id`, or `x-VENDOR-session-id` with something that looks like an id.
fn generic_header(hints: &RequestHints<'_>) -> Option<(String, &'static str)> {
    let names = hints.headers.keys().map(|name| name.as_str());
    let mut names = names.filter(|name| name.starts_with("x-") && name.ends_with("-session-id"));
    let text = names.find_map(|name| headers::text(hints.headers, name).filter(|text| is_id(text)));
    Some((text?, "x-session-id"))
}

fn is_id(text: &str) -> bool {
    text.len() >= 8
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

const OPENS: &str = "[DiscussionId]";
const CLOSES: &str = "[/DiscussionId]";

/// The tag that WilmerAI's users write into a prompt. One without a name in it is one all the same, as a header is.
fn discussion_tag(hints: &RequestHints<'_>) -> Option<(String, &'static str)> {
    let inside = |message: &Message<'_>| tag(&message.text).map(|(_, inside)| inside.to_owned());
    let name = hints.asked.messages.iter().filter(|one| may_name(one.role)).find_map(inside);
    Some((name?, "DiscussionId"))
}

/// Whether a message of this role may name the memory: a person's, or instructions; not what a model
/// or a tool says.
pub(crate) fn may_name(role: Role) -> bool {
    matches!(role, Role::User | Role::System)
}

/// A tag at the start or the end of a text: the whole of it, and what it holds. One in the middle is
/// something quoted or pasted.
pub(crate) fn tag(text: &str) -> Option<(std::ops::Range<usize>, &str)> {
    let start = text.len() - text.trim_start().len();
    let first = text[start..].strip_prefix(OPENS).and_then(|rest| {
        let inside = start + OPENS.len();
        Some((start, inside, inside + rest.find(CLOSES)?))
    });
    let last = || {
        let inner = text.trim_end().strip_suffix(CLOSES)?;
        let start = inner.rfind(OPENS)?;
        Some((start, start + OPENS.len(), inner.len()))
    };
    let (start, inside, end) = first.or_else(last)?;
    Some((start..end + CLOSES.len(), &text[inside..end]))
}

/// Claude Code writes the session into `metadata.user_id`.
fn session_in_user_id(hints: &RequestHints<'_>) -> Option<(String, &'static str)> {
    let user = text(&hints.asked.fields.object("metadata")?, "user_id")?;
    let inner = Object::read(&user).and_then(|inner| text(&inner, "session_id"));
    let behind = || Some(user.rsplit_once("_session_")?.1.to_owned());
    Some((inner.or_else(behind)?, "metadata.user_id"))
}

fn prompt_cache_key(hints: &RequestHints<'_>) -> Option<(String, &'static str)> {
    let key = text(&hints.asked.fields, "prompt_cache_key").filter(|_| hints.prompt_cache_key);
    Some((key?, "prompt_cache_key"))
}

/// Headers that say who speaks.
const USERS: [&str; 5] = [
    "x-everwhen-user",
    "x-openwebui-user-id",
    "x-librechat-user-id",
    "x-litellm-end-user-id",
    "x-litellm-customer-id",
];

/// The user on whose behalf a request is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Who it is; empty if the request has a header for it without a name.
    pub(crate) user: String,
    /// Whether a signature, or a key that may speak for others, proves it. What is not
    /// proven may separate people, but grants no access.
    pub(crate) is_proven: bool,
}

/// The user a request names: signed for, in a header, or in a field of the body. A header that was sent without
/// a name in it means a user without a name, who is no other user and is never proven.
pub(crate) fn identity(hints: &RequestHints<'_>) -> Option<Identity> {
    if let Some(user) = &hints.signed_user {
        return Some(Identity { user: user.clone(), is_proven: true });
    }
    let sent = USERS.into_iter().filter_map(|name| headers::given(hints.headers, name));
    let (named, empty): (Vec<_>, Vec<_>) = sent.partition(|user| !user.trim().is_empty());
    let fields = &hints.asked.fields;
    let body = || text(fields, "user").or_else(|| text(fields, "safety_identifier"));
    let user = named.into_iter().next().or_else(body).or_else(|| user_in_metadata(fields));
    let is_proven = hints.trusted && user.is_some();
    let user = user.or_else(|| empty.first().map(|_| String::new()))?;
    Some(Identity { user, is_proven })
}

/// `metadata.user_id` of Anthropic's requests, without the session that Claude Code adds to it.
fn user_in_metadata(fields: &Object<'_>) -> Option<String> {
    let user = text(&fields.object("metadata")?, "user_id")?;
    match Object::read(&user) {
        Some(inner) => text(&inner, "account_uuid").or_else(|| text(&inner, "device_id")),
        None => Some(user.split("_session_").next().unwrap_or_default().to_owned()),
    }
}

/// A user names a memory only where it is proven who that is.
fn user(hints: &RequestHints<'_>) -> Option<(String, &'static str)> {
    let identity = identity(hints).filter(|identity| identity.is_proven)?;
    let source = if hints.signed_user.is_some() { "signed user" } else { "user" };
    Some((identity.user, source))
}
