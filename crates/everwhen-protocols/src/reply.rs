//! The neutral form of a reply, whole and event by event.

use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::{Event, ToolCall};

/// What is wrong with an answer that is JSON and no reply, as the rest of a sentence.
pub(crate) const NO_REPLY: &str =
    "gave an answer that is JSON, but no completion; is the address right?";

/// Why a reply ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// All was said.
    End,
    /// The limit of tokens was reached.
    Length,
    /// Tools are called.
    ToolCalls,
    /// The provider held the rest back.
    Filtered,
    /// Something else.
    Other,
}

/// Tokens that an exchange took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens that were read, from a cache or not.
    pub input: u64,
    /// Tokens that were written, thoughts included.
    pub output: u64,
    /// Of those that were read, how many came from a cache.
    pub cached: u64,
    /// Of those that were written, how many are thoughts.
    pub reasoning: u64,
}

impl Usage {
    /// Read and written together.
    pub fn total(self) -> u64 {
        self.input + self.output
    }

    /// The higher of both counts: streams count more than once, each time from the start.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            input: self.input.max(other.input),
            output: self.output.max(other.output),
            cached: self.cached.max(other.cached),
            reasoning: self.reasoning.max(other.reasoning),
        }
    }
}

/// A whole reply.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatReply {
    /// The model that gave it.
    pub model: Option<String>,
    /// When it was made.
    pub created: Option<Timestamp>,
    /// What was said.
    pub text: String,
    /// What the model said instead, if it refused to answer.
    pub refusal: Option<String>,
    /// What the model thought before.
    pub thinking: String,
    /// Tools that are called.
    pub calls: Vec<ToolCall>,
    /// Why it ends, if it says so.
    pub stop: Option<StopReason>,
    /// Tokens it took, if they were counted.
    pub usage: Option<Usage>,
}

impl ChatReply {
    /// What was said, or what was said instead.
    pub fn said(&self) -> &str {
        match &self.refusal {
            Some(refusal) if self.text.is_empty() => refusal,
            _ => &self.text,
        }
    }
}

/// What one event of a streamed reply says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReplyEvent {
    /// The model.
    pub model: Option<String>,
    /// When it was made.
    pub created: Option<Timestamp>,
    /// A piece of what is said.
    pub text: String,
    /// A piece of what the model thinks.
    pub thinking: String,
    /// Calls of tools, or pieces of them.
    pub calls: Vec<CallPiece>,
    /// Why the reply ends.
    pub stop: Option<StopReason>,
    /// Tokens so far.
    pub usage: Option<Usage>,
    /// What went wrong in the middle of the reply.
    pub error: Option<String>,
    /// Whether nothing comes after it.
    pub is_last: bool,
}

/// A call of a tool, or a piece of one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallPiece {
    /// What pieces of the same call have in common; nothing for a call that is whole.
    pub index: Option<u64>,
    /// The call as far as it comes here.
    pub call: ToolCall,
}

/// The calls of a streamed reply, as far as they have come.
#[derive(Debug, Default)]
pub struct CallsSoFar(Vec<(Option<u64>, ToolCall)>);

impl CallsSoFar {
    /// Adds a piece; answers which call it belongs to. Pieces of one call have the same index; a
    /// new id under a known index is another call, of an upstream that does not count them.
    pub fn add(&mut self, piece: &CallPiece) -> usize {
        let new = &piece.call;
        let is_same = |(index, call): &(Option<u64>, ToolCall)| {
            piece.index.is_some()
                && *index == piece.index
                && (new.id.is_empty() || call.id.is_empty() || call.id == new.id)
        };
        let Some(place) = self.0.iter().rposition(is_same) else {
            self.0.push((piece.index, new.clone()));
            return self.0.len() - 1;
        };
        let call = &mut self.0[place].1;
        if call.id.is_empty() {
            call.id.clone_from(&new.id);
        }
        if call.name.is_empty() {
            call.name.clone_from(&new.name);
        }
        call.arguments.push_str(&new.arguments);
        if new.signature.is_some() {
            call.signature.clone_from(&new.signature);
        }
        place
    }

    /// The calls in the order they were begun.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.0.iter().map(|(_, call)| call)
    }

    /// The calls in the order they were begun, when nothing more comes.
    pub fn into_calls(self) -> Vec<ToolCall> {
        self.0.into_iter().map(|(_, call)| call).collect()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// What marks one reply: no other reply has the same number, and some clients get how long it
/// took.
#[derive(Debug, Clone)]
pub struct ReplyId {
    /// A text that no other reply has.
    pub number: String,
    /// The model, as the client asked for it.
    pub model: String,
    /// When the request was sent.
    pub asked_at: Timestamp,
    /// When the request was sent, for measuring.
    pub since: Instant,
}

impl ReplyId {
    /// The id of a call that its upstream gave none.
    pub(crate) fn call(&self, index: usize) -> String {
        format!("call_{}_{index}", self.number)
    }

    /// The id of a call.
    pub(crate) fn call_id(&self, index: usize, call: &ToolCall) -> String {
        if call.id.is_empty() { self.call(index) } else { call.id.clone() }
    }

    /// When a reply was made, as it says or as we know.
    pub(crate) fn created(&self, said: Option<Timestamp>) -> Timestamp {
        said.unwrap_or(self.asked_at)
    }

    /// The model that a reply names, else the one that was asked.
    pub(crate) fn model_of(&self, said: Option<&str>) -> String {
        said.unwrap_or(&self.model).to_owned()
    }

    /// How long ago it was asked.
    pub(crate) fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }
}

/// Writes the events of a streamed reply for a client.
pub trait EventWriter: Send {
    /// The events that say the same as this one.
    fn event(&mut self, event: &ReplyEvent) -> Vec<Event>;

    /// The events at the end of a reply that is whole.
    fn end(&mut self) -> Vec<Event>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(index: Option<u64>, id: &str, arguments: &str) -> CallPiece {
        let call = ToolCall { id: id.into(), arguments: arguments.into(), ..ToolCall::default() };
        CallPiece { index, call }
    }

    #[test]
    fn pieces_join_the_call_they_belong_to() {
        let mut calls = CallsSoFar::default();
        assert_eq!(calls.add(&piece(Some(0), "a", "{")), 0);
        assert_eq!(calls.add(&piece(Some(1), "b", "{\"x\"")), 1);
        assert_eq!(calls.add(&piece(Some(0), "", "}")), 0);
        assert_eq!(calls.add(&piece(Some(1), "", ":1}")), 1);
        assert_eq!(calls.add(&piece(Some(0), "c", "{}")), 2, "another id is another call");
        assert_eq!(calls.add(&piece(None, "", "{}")), 3, "a whole call is a call of its own");
        assert_eq!(calls.add(&piece(None, "", "{}")), 4);
        let arguments: Vec<&str> = calls.calls().map(|call| call.arguments.as_str()).collect();
        assert_eq!(arguments, ["{}", "{\"x\":1}", "{}", "{}", "{}"]);
    }
}
