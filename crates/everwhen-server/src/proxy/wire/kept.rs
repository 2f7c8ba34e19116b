//! An exchange as it waits on the spool: one line of JSON.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An exchange that could not be kept when it happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// The vault, by id or name.
    pub(crate) vault: String,
    /// The memory, where it was known.
    pub(crate) memory: Option<String>,
    /// Whose chat the memory is, if it is one.
    #[serde(default)]
    pub(crate) chat_of: Option<String>,
    /// The route by which it came.
    pub(crate) route: String,
    /// When the reply began.
    #[serde(with = "time")]
    pub(crate) at: Timestamp,
    /// Whether its time is settled at once.
    pub(crate) at_once: bool,
    /// The request as it was sent.
    pub(crate) request: String,
    pub(crate) reply: String,
    pub(crate) truncated: bool,
    pub(crate) tools: Vec<String>,
    /// Ids in the reply that the client may send back.
    #[serde(default)]
    pub(crate) ids: Vec<String>,
    /// Who sent it, as hashes.
    #[serde(default)]
    pub(crate) client: String,
}

/// Times as text.
mod time {
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(time: &Timestamp, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(time)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Timestamp, D::Error> {
        String::deserialize(input)?.parse().map_err(D::Error::custom)
    }
}
