//! The chat that a workflow runs for, as a snapshot of when it was asked. A run that continues
//! later, in another process or after a restart, sees the same messages with the same times.

use everwhen::ledger::{Begun, Stamper, Style};
use everwhen::memory::{EntryId, Role};
use everwhen::ports::PromptMessage;
use everwhen::time::Zone;
use jiff::{SignedDuration, Timestamp};

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
        let time = |told: &everwhen::ledger::Told| {
            told.time.map(|time| SaidAt { time, since: told.since })
        };
        Self {
            messages,
            times: said.clone().map(time).collect(),
            now: begun.now,
            zone: begun.zone.clone(),
            pause: begun.pause,
            discussion_id,
            time_context_summary: begun.time_context_summary(),
            asked: said.rev().find_map(|told| told.entry),
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
        }
    }

    /// Returns the values that variables read from the chat.
    pub(crate) fn variables(&self) -> ChatVariables {
        ChatVariables {
            messages: self.messages.clone(),
            now: self.zone.show(self.now),
            discussion_id: self.discussion_id.clone(),
            time_context_summary: self.time_context_summary.clone(),
        }
    }

    /// Returns the messages, each with its date in front.
    pub(crate) fn stamped(&self, stamps: Stamps) -> Vec<PromptMessage> {
        let style = if stamps.relative { Style::Relative } else { Style::Absolute };
        let stamper = Stamper { style, zone: self.zone.clone(), now: self.now, pause: self.pause };
        let stamped = |(message, said): (&PromptMessage, &Option<SaidAt>)| {
            let stamp = said.filter(|_| message.role != Role::Tool);
            let stamp = stamp.and_then(|said| stamper.stamp(said.time, said.since));
            let content = format!("{}{}", stamp.unwrap_or_default(), message.content);
            PromptMessage { role: message.role, content }
        };
        self.messages.iter().zip(&self.times).map(stamped).collect()
    }
}
