//! What a request is for: the next message of a chat, or something that a program wants for itself.

use axum::http::HeaderMap;
use everwhen::ledger::Wanted;
use everwhen_protocols::{Message, RequestView, Role};

use super::{ProgramRule, ProgramRuleKind};
use crate::proxy::headers;

/// What a request is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Something in a chat.
    Chat(Wanted),
    /// Something that a program wants for itself, apart from any chat: it is passed as it came and not
    /// remembered.
    Auxiliary,
}

impl Default for Purpose {
    fn default() -> Self {
        Self::Chat(Wanted::Reply)
    }
}

/// The purpose of a request.
pub(super) fn of(
    asked: &RequestView<'_>,
    headers: &HeaderMap,
    rules: impl Iterator<Item = &'static ProgramRule> + Clone,
) -> Purpose {
    // A fill-in-the-middle request comes from an editor, not from a person.
    let fills_in = asked.fields.get("suffix").is_some();
    if fills_in || rules.clone().any(|rule| is_auxiliary(asked, headers, rule.kind)) {
        return Purpose::Auxiliary;
    }
    Purpose::Chat(wanted(&asked.messages, rules))
}

fn is_auxiliary(asked: &RequestView<'_>, headers: &HeaderMap, kind: ProgramRuleKind) -> bool {
    match kind {
        ProgramRuleKind::Header(name) => {
            headers::text(headers, name).is_some_and(|text| says_something(&text))
        }
        ProgramRuleKind::HeaderIs(name, value) => {
            headers::text(headers, name).is_some_and(|text| text.eq_ignore_ascii_case(value))
        }
        ProgramRuleKind::Last(begins, contains) => last(&asked.messages).any(|message| {
            let text = message.text.trim_start();
            text.starts_with(begins) && text.contains(contains)
        }),
        ProgramRuleKind::Instructions(contains) => instructs(asked, contains),
        ProgramRuleKind::Schema(fields) => is_for(asked, fields),
        _ => false,
    }
}

/// Whether the value of a header is one: not the usual case, and no variable that was not filled in.
fn says_something(value: &str) -> bool {
    value != "default" && !value.starts_with("{{")
}

/// The last message, and the last that is no instruction.
fn last<'m, 'a>(messages: &'m [Message<'a>]) -> impl Iterator<Item = &'m Message<'a>> {
    let said = messages.iter().rev().find(|message| message.role != Role::System);
    messages.last().into_iter().chain(said)
}

/// Whether the instructions of a request contain a text.
fn instructs(asked: &RequestView<'_>, contains: &str) -> bool {
    let first = asked.messages.first().filter(|message| message.role == Role::System);
    asked.instructions.is_some_and(|text| text.contains(contains))
        || first.is_some_and(|message| message.text.contains(contains))
}

/// Whether a request wants an object of exactly these fields, and has no tools.
fn is_for(asked: &RequestView<'_>, names: &[&str]) -> bool {
    let fields = &asked.fields;
    let format = |name: &str| fields.object(name)?.object("format");
    let schema = format("output_config")
        .or_else(|| format("text"))
        .or_else(|| fields.object("response_format"))
        .and_then(|format| format.object("json_schema").unwrap_or(format).object("schema"))
        .or_else(|| fields.object("format"));
    let Some(properties) = schema.and_then(|schema| schema.object("properties")) else {
        return false;
    };
    let spoken = asked.messages.iter().filter(|message| message.role != Role::System).count();
    let mut wanted: Vec<&str> = properties.names().collect();
    wanted.sort_unstable();
    spoken == 1 && fields.items("tools").is_empty() && wanted == names
}

/// What of a chat is wanted.
fn wanted(
    messages: &[Message<'_>],
    rules: impl Iterator<Item = &'static ProgramRule> + Clone,
) -> Wanted {
    let Some(end) = messages.last() else { return Wanted::Reply };
    let said = messages.iter().rev().find(|message| message.role != Role::System);
    if said.is_some_and(|said| is_side_request(said, rules.clone())) {
        return Wanted::Unrecorded;
    }
    let text = end.text.trim();
    for rule in rules {
        match rule.kind {
            _ if end.role == Role::Assistant || end.role == Role::Tool => break,
            ProgramRuleKind::Speaker(before, after) => {
                if let Some(name) = named(text, before, after) {
                    return Wanted::By(name.to_owned());
                }
            }
            ProgramRuleKind::Continue(begins)
                if text.starts_with(begins) && text.ends_with(']') =>
            {
                return Wanted::Continuation;
            }
            ProgramRuleKind::SideRequest(begins) if text.starts_with(begins) => {
                return Wanted::Unrecorded;
            }
            _ => {}
        }
    }
    let follows_reply = said.is_some_and(|said| said.role == Role::Assistant);
    // A name and a colon requests a message of that character; the ledger handles that.
    let names_speaker = text.ends_with(':') && !text.contains('\n');
    if end.role == Role::System && follows_reply && !text.is_empty() && !names_speaker {
        return Wanted::Unrecorded;
    }
    Wanted::Reply
}

fn is_side_request(
    message: &Message<'_>,
    rules: impl Iterator<Item = &'static ProgramRule> + Clone,
) -> bool {
    let begins_line = |text: &str, begins: &str| {
        text.trim_start().starts_with(begins) || text.contains(&format!("\n{begins}"))
    };
    message.role == Role::User
        && rules.into_iter().any(|rule| match rule.kind {
            ProgramRuleKind::SideRequest(begins) => begins_line(&message.text, begins),
            _ => false,
        })
}

/// The name between two texts on the last line.
fn named<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let name = text.lines().next_back()?.trim().strip_prefix(before)?.strip_suffix(after)?.trim();
    (!name.is_empty()).then_some(name)
}
