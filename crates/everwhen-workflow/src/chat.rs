//! A chat that a workflow runs for, as it stood when it was asked. Whoever goes on with the workflow
//! later, elsewhere or after a restart sees the same chat, said at the same times.

use everwhen::ledger::{Begun, Stamper, Style};
use everwhen::memory::{EntryId, Role};
use everwhen::ports::PromptMessage;
use everwhen::time::Zone;
use jiff::{SignedDuration, Timestamp};

use crate::node::Stamps;
use crate::variables::Scene;

/// A chat.
#[derive(Debug, Clone, PartialEq)]
pub struct Chat {
    /// What was said, oldest first.
    pub messages: Vec<PromptMessage>,
    /// When each was said; nothing for what is not content.
    pub times: Vec<Option<SaidAt>>,
    /// Now.
    pub now: Timestamp,
    /// The vault's zone.
    pub zone: Zone,
    /// The pause that ends a conversation.
    pub pause: SignedDuration,
    /// What the memory is called; empty if there is none.
    pub discussion_id: String,
    /// `{time_context_summary}`.
    pub time_context_summary: String,
    /// The entry that holds the message being answered.
    pub asked: Option<EntryId>,
}

/// When something was said, and the message before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SaidAt {
    /// When.
    pub time: Timestamp,
    /// When the message before it had been said.
    pub since: Option<Timestamp>,
}

impl Chat {
    /// The chat of an exchange that has begun; one message for each that the ledger tells of.
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

    /// A chat of which memory knows nothing, because it is down.
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

    /// What variables see of it.
    pub(crate) fn scene(&self) -> Scene {
        Scene {
            messages: self.messages.clone(),
            now: self.zone.show(self.now),
            discussion_id: self.discussion_id.clone(),
            time_context_summary: self.time_context_summary.clone(),
        }
    }

    /// The messages, each with its date in front.
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
