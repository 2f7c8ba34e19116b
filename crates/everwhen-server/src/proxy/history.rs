//! A request as the ledger reads it.

use std::borrow::Cow;

use axum::http::HeaderMap;
use everwhen::ledger::{History, Message as Said};
use everwhen::memory::Name;

use super::headers;
use super::whose::tag;
use super::wire::{Asked, Message};

/// SDKs count in this header how often they have tried before.
const RETRIES: &str = "x-stainless-retry-count";

/// The history that a request sends.
pub(crate) fn history(asked: &Asked<'_>, headers: &HeaderMap) -> History {
    let retried = headers::text(headers, RETRIES);
    History {
        messages: asked.messages.iter().map(said).collect(),
        resent: retried.is_some_and(|count| count != "0"),
        ids: ids(asked),
        ..History::default()
    }
}

/// Ids that a request refers to, each with the number of messages up to it.
fn ids(asked: &Asked<'_>) -> Vec<(usize, String)> {
    let within =
        asked.messages.iter().enumerate().flat_map(|(place, message)| {
            message.ids.iter().map(move |id| (place + 1, id.to_string()))
        });
    let beside = asked.ids.iter().map(|id| (asked.messages.len(), id.to_string()));
    within.chain(beside).collect()
}

fn said(message: &Message<'_>) -> Said {
    let content = without_tags(&message.text).into_owned();
    let other = if content.trim().is_empty() { message.content.into() } else { Vec::new() };
    Said {
        role: message.role,
        content,
        other,
        speaker: message.speaker.as_ref().map(ToString::to_string),
        tools_used: names(message.tools.iter()),
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
