//! The chat that a workflow runs for, as a snapshot of when it was asked. A run that continues
//! later, in another process or after a restart, sees the same messages with the same times.

use everwhen::ledger::{Begun, Stamper, Style};
use everwhen::memory::{EntryId, Role};
use everwhen::ports::PromptMessage;
use everwhen::time::Zone;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::node::Stamps;
use crate::variables::ChatVariables;

/// The messages and times that a workflow can see.
#[derive(Debug, Clone, PartialEq)]
pub struct Chat {
    /// The messages, oldest first.
    pub messages: Vec<PromptMessage>,
    /// When each message was said; `None` for messages that hold no content.
    pub times: Vec<Option<SaidAt>>,
    /// The time of the request.
    pub now: Timestamp,
    /// The time zone of the vault.
    pub zone: Zone,
    /// The idle timeout: a longer pause ends a conversation.
    pub pause: SignedDuration,
    /// The name of the memory; empty if the request names none.
    pub discussion_id: String,
    /// The value of `{time_context_summary}`.
    pub time_context_summary: String,
    /// The entry that holds the message being answered.
    pub asked: Option<EntryId>,
    /// The messages as OpenAI's protocol writes them, where they hold images or calls of tools.
    /// Empty if none does.
    pub raw: Vec<Option<Value>>,
    /// `tools` and `tool_choice` of the request, as OpenAI's protocol writes them.
    pub tools: Option<Value>,
}

/// When a message was said, and when the one before it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SaidAt {
    /// When the message was said.
    pub time: Timestamp,
    /// When the message before it was said.
    pub since: Option<Timestamp>,
}

impl Chat {
    /// Builds the chat of an exchange that has begun; `messages` must be in the ledger's order.
    pub fn of(begun: &Begun, messages: Vec<PromptMessage>, discussion_id: String) -> Self {
        let said = begun.messages.iter();
        let time = |message: &everwhen::ledger::KnownMessage| {
            message.time.map(|time| SaidAt { time, since: message.since })
        };
        Self {
            messages,
            times: said.clone().map(time).collect(),
            now: begun.now,
            zone: begun.zone.clone(),
            pause: begun.pause,
            discussion_id,
            time_context_summary: begun.time_context_summary(),
            asked: said.rev().find_map(|message| message.entry),
            raw: Vec::new(),
            tools: None,
        }
    }

    /// Builds a chat without any times, for when memory cannot be reached.
    pub fn unknown(messages: Vec<PromptMessage>, now: Timestamp, zone: Zone) -> Self {
        Self {
            times: vec![None; messages.len()],
            messages,
            now,
            zone,
            pause: SignedDuration::ZERO,
            discussion_id: String::new(),
            time_context_summary: String::new(),
            asked: None,
            raw: Vec::new(),
            tools: None,
        }
    }

    /// Adds what the request holds beside text. `messages` are those of the request, as OpenAI's
    /// protocol writes them; they are left out if they are not as many as those of the chat.
    #[must_use]
    pub fn with_request(mut self, messages: Vec<Value>, tools: Option<Value>) -> Self {
        let holds_more = |message: &Value| {
            let parts = message["content"].as_array().into_iter().flatten();
            let image = parts.into_iter().any(|part| part["type"] == "image_url");
            image || !message["tool_calls"].is_null() || message["role"] == "tool"
        };
        if messages.len() == self.messages.len() {
            let raw = messages.into_iter().map(|message| Some(message).filter(holds_more));
            self.raw = raw.collect();
        } else if messages.iter().any(holds_more) {
            tracing::warn!("images and calls of tools cannot be matched to the messages");
        }
        self.tools = tools;
        self
    }

    /// Returns the values that variables read from the chat, with this between messages if it is not
    /// a line break.
    pub(crate) fn variables(&self, separator: Option<&str>) -> ChatVariables {
        ChatVariables {
            messages: self.messages.clone(),
            now: self.zone.show(self.now),
            discussion_id: self.discussion_id.clone(),
            time_context_summary: self.time_context_summary.clone(),
            raw: match self.raw.is_empty() {
                true => vec![None; self.messages.len()],
                false => self.raw.clone(),
            },
            tools: self.tools.clone(),
            separator: separator.unwrap_or("\n").to_owned(),
        }
    }

    /// Returns these messages of the chat, each with its date in front. A message that is not of the
    /// chat gets none.
    pub(crate) fn stamped(&self, messages: &[PromptMessage], stamps: Stamps) -> Vec<PromptMessage> {
        let style = if stamps.relative { Style::Relative } else { Style::Absolute };
        let stamper = Stamper { style, zone: self.zone.clone(), now: self.now, pause: self.pause };
        let mut next = 0;
        let stamped = |message: &PromptMessage| {
            let is_same = |known: &PromptMessage| {
                known.role == message.role
                    && (known.content == message.content || known.content.trim().is_empty())
            };
            let found = self.messages.iter().skip(next).position(is_same).map(|at| next + at);
            let said = found.and_then(|place| {
                next = place + 1;
                self.times.get(place).copied().flatten()
            });
            let stamp = said.filter(|_| message.role != Role::Tool);
            let stamp = stamp.and_then(|said| stamper.stamp(said.time, said.since));
            let content = format!("{}{}", stamp.unwrap_or_default(), message.content);
            PromptMessage { role: message.role, content }
        };
        messages.iter().map(stamped).collect()
    }
}
