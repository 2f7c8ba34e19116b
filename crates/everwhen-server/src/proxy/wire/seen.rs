//! What the proxy did, as `everwhen tail` and traces tell it.

use serde::{Deserialize, Serialize};

/// Which traces are asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TracesQuery {
    pub(crate) limit: Option<usize>,
}

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
    pub(crate) protocol: &'static str,
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
    /// Messages that are longer than an entry may be.
    pub(crate) not_remembered: Vec<NotRememberedSeen>,
    /// Whether contents were shortened, because all of them together are too long to be shown.
    pub(crate) shortened: bool,
    pub(crate) degraded: Option<String>,
    pub(crate) is_auxiliary: bool,
}

/// A message that is not remembered.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct NotRememberedSeen {
    pub(crate) message: usize,
    pub(crate) reason: String,
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
    /// Which message of the request it is, from 0.
    pub(crate) message: usize,
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
    /// The text of the reply, as far as it may be shown, while a client watches. It is sent to clients that watch and not kept as a trace.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) content: String,
    pub(crate) truncated: bool,
    /// Why it is not remembered, if it is longer than an entry may be.
    pub(crate) not_remembered: Option<String>,
    pub(crate) degraded: Option<String>,
}

/// Most bytes of what was said in one request that are shown.
const SHOWN_BYTES: usize = 256 * 1024;
/// About what everything else about a request takes.
const OUTLINE_BYTES: usize = 1024;

impl AnsweredSeen {
    /// As much of a reply as may be shown.
    pub(crate) fn shown(text: &str) -> String {
        text[..text.floor_char_boundary(SHOWN_BYTES)].to_owned()
    }
}

impl AskedSeen {
    /// Shortens what was stored to what may be shown of it, the first first.
    pub(crate) fn shorten(&mut self) {
        let mut left = SHOWN_BYTES;
        for stored in &mut self.stored {
            if stored.content.len() > left {
                stored.content.truncate(stored.content.floor_char_boundary(left));
                stored.content.shrink_to_fit();
                self.shortened = true;
            }
            left -= stored.content.len();
        }
    }

    fn bytes(&self) -> usize {
        let stored: usize = self.stored.iter().map(|one| one.content.len() + OUTLINE_BYTES).sum();
        let stamped = self.stamped.iter().map(|one| one.stamp.len() + size_of::<StampSeen>());
        let injected = self.injected.as_ref().map_or(0, String::len);
        stored + stamped.sum::<usize>() + injected + OUTLINE_BYTES
    }
}

impl Seen {
    /// About how much memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Asked(asked) => asked.bytes(),
            Self::Answered(_) => OUTLINE_BYTES,
        }
    }

    /// The vault it was about.
    pub(crate) fn vault(&self) -> &str {
        match self {
            Self::Asked(asked) => &asked.vault,
            Self::Answered(answered) => &answered.vault,
        }
    }

    /// The memory it was about, if that was known.
    pub(crate) fn memory(&self) -> Option<&str> {
        match self {
            Self::Asked(asked) => asked.memory.as_deref(),
            Self::Answered(answered) => answered.memory.as_deref(),
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
