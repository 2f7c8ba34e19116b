//! A request as the ledger reads it.

use std::borrow::Cow;

use axum::http::HeaderMap;
use everwhen::ledger::{History, Message as Said, Wanted};
use everwhen::memory::{Name, Role};
use everwhen_protocols::{Message, RequestView, Role as SentRole};

use super::headers;
use super::memory_name::{may_name, tag};
use super::programs::Purpose;

/// SDKs count in this header how often they have tried before.
const RETRIES: &str = "x-stainless-retry-count";

/// The history that a request sends.
pub(crate) fn history(asked: &RequestView<'_>, purpose: &Purpose, headers: &HeaderMap) -> History {
    let retried = headers::text(headers, RETRIES);
    let mut messages: Vec<Said> = asked.messages.iter().map(said).collect();
    let tools_used = carry_tools(&mut messages, names(asked.called.iter()));
    History {
        messages,
        tools_used,
        resent: retried.is_some_and(|count| count != "0"),
        ids: ids(asked),
        wanted: match purpose {
            Purpose::Chat(wanted) => wanted.clone(),
            Purpose::Auxiliary => Wanted::Unrecorded,
        },
        ..History::default()
    }
}

/// Ids that a request refers to, each with the number of messages up to it.
fn ids(asked: &RequestView<'_>) -> Vec<(usize, String)> {
    let within =
        asked.messages.iter().enumerate().flat_map(|(place, message)| {
            message.ids.iter().map(move |id| (place + 1, id.to_string()))
        });
    let beside = asked.ids.iter().map(|id| (asked.messages.len(), id.to_string()));
    within.chain(beside).collect()
}

/// A role as memory has it.
pub(crate) fn role(role: SentRole) -> Role {
    match role {
        SentRole::System => Role::System,
        SentRole::User => Role::User,
        SentRole::Assistant => Role::Assistant,
        SentRole::Tool => Role::Tool,
    }
}

/// A message as the ledger reads it: the speaker's own words. One that holds nothing but what a
/// program wrote is an instruction.
fn said(message: &Message<'_>) -> Said {
    let content = match may_name(message.role) {
        true => without_tags(message.words()).into_owned(),
        false => message.words().to_owned(),
    };
    let other = if content.trim().is_empty() { message.content.into() } else { Vec::new() };
    Said {
        role: if message.is_instruction() { Role::System } else { role(message.role) },
        content,
        other,
        speaker: message.speaker.as_ref().map(ToString::to_string),
        tools_used: names(message.tools.iter()),
    }
}

/// Tools that are called in messages without words count for the next words of the same turn;
/// answers those that are left over for the reply, `last` among them.
fn carry_tools(messages: &mut [Said], last: Vec<Name>) -> Vec<Name> {
    let mut carried: Vec<Name> = Vec::new();
    for message in messages {
        let has_words = !message.content.trim().is_empty();
        match message.role {
            Role::User if has_words => carried.clear(),
            Role::Assistant if has_words => {
                let own = std::mem::replace(&mut message.tools_used, std::mem::take(&mut carried));
                add_names(&mut message.tools_used, own);
            }
            // They stay there, too: a call is what a message without words is recognised by.
            Role::Assistant => add_names(&mut carried, message.tools_used.clone()),
            _ => {}
        }
    }
    add_names(&mut carried, last);
    carried
}

fn add_names(names: &mut Vec<Name>, more: Vec<Name>) {
    for name in more {
        if !names.contains(&name) && names.len() < everwhen::limits::LABELS {
            names.push(name);
        }
    }
}

/// Names of tools, each once; what is no name is left out.
pub(crate) fn names<T: AsRef<str>>(tools: impl Iterator<Item = T>) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    for name in tools.filter_map(|tool| Name::new("tool", tool.as_ref()).ok()) {
        if !names.contains(&name) && names.len() < everwhen::limits::LABELS {
            names.push(name);
        }
    }
    names
}

/// A text without the tags that name a memory.
pub(crate) fn without_tags(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    while let Some((place, _)) = tag(&text) {
        let mut shorter = text.into_owned();
        shorter.replace_range(place, "");
        text = Cow::Owned(shorter);
    }
    text
}
