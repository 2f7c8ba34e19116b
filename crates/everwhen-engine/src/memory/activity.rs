//! When models and tools were at work in a conversation, and the measures that makes.

use jiff::{SignedDuration, Timestamp};

use super::Name;
use crate::{Error, Result, limits};

/// Who was at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ActivityKind {
    /// A model.
    Model,
    /// A tool.
    Tool,
}

impl ActivityKind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Model, Self::Tool];

    /// As written on every wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Tool => "tool",
        }
    }

    /// The kind with this name.
    pub fn named(text: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| Error::invalid(format!("unknown activity {text:?}; use model or tool")))
    }
}

/// A stretch in which a model or a tool was working.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity {
    /// Who.
    pub kind: ActivityKind,
    /// Which model or tool, if known.
    pub name: Option<Name>,
    /// When it began.
    pub began_at: Timestamp,
    /// How long it took, by a clock that only goes forward.
    pub lasted: SignedDuration,
}

impl Activity {
    /// When it was over.
    pub fn ended_at(&self) -> Timestamp {
        self.began_at.saturating_add(self.lasted).unwrap_or(Timestamp::MAX)
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.lasted.is_negative() || self.lasted > limits::ACTIVITY {
            return Err(Error::invalid("an activity lasts between 0 seconds and a day"));
        }
        Ok(())
    }
}

/// The six measures of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConversationTime {
    /// First entry or first activity, whichever is earlier.
    pub start_at: Timestamp,
    /// Last entry before it was over, or the end of the last activity if that is later; when it was
    /// over if there is neither or it broke off.
    pub end_at: Timestamp,
    /// From start to end.
    pub elapsed: SignedDuration,
    /// The part in which a model or tool was at work.
    pub active: SignedDuration,
    /// The rest.
    pub idle: SignedDuration,
    /// Entries of user and assistant.
    pub turns: u64,
    /// No activities were recorded, so that `active` says nothing.
    pub active_unknown: bool,
}
