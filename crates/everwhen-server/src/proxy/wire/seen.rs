//! What the proxy did, as `everwhen tail` and traces tell it.

use serde::Serialize;

/// Something the proxy did.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub(crate) enum Seen {
    /// A request was passed on.
    Asked(Box<AskedSeen>),
    /// A reply went through.
    Answered(AnsweredSeen),
}

/// A request that was passed on.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct AskedSeen {
    pub(crate) id: u64,
    pub(crate) time: String,
    pub(crate) door: &'static str,
    pub(crate) upstream: String,
    pub(crate) model: Option<String>,
    pub(crate) vault: String,
    pub(crate) memory: Option<String>,
    pub(crate) memory_source: Option<&'static str>,
    pub(crate) messages: usize,
    /// Every message that was stamped, and with what.
    pub(crate) stamped: Vec<StampSeen>,
    /// What was put behind the last thing the user said.
    pub(crate) injected: Option<String>,
    /// Entries that this request brought.
    pub(crate) stored: Vec<StoredSeen>,
    pub(crate) degraded: Option<String>,
    pub(crate) errand: bool,
}

/// A stamp before a message.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct StampSeen {
    pub(crate) message: usize,
    pub(crate) stamp: String,
}

/// An entry that was stored.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct StoredSeen {
    pub(crate) entry: String,
    pub(crate) role: &'static str,
    pub(crate) conversation_time: String,
    pub(crate) content: String,
}

/// A reply that went through.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct AnsweredSeen {
    pub(crate) id: u64,
    pub(crate) time: String,
    pub(crate) vault: String,
    pub(crate) memory: Option<String>,
    pub(crate) entry: Option<String>,
    pub(crate) characters: usize,
    pub(crate) truncated: bool,
    pub(crate) degraded: Option<String>,
}

impl Seen {
    /// The vault it was about.
    pub(crate) fn vault(&self) -> &str {
        match self {
            Self::Asked(asked) => &asked.vault,
            Self::Answered(answered) => &answered.vault,
        }
    }

    /// The number of the request.
    pub(crate) fn id(&self) -> u64 {
        match self {
            Self::Asked(asked) => asked.id,
            Self::Answered(answered) => answered.id,
        }
    }
}
