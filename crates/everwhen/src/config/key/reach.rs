//! Keys for what a chat gets to see of other chats.

use super::{Key, SWITCH, key};

/// How far a briefing reaches.
pub(in crate::config) const REACH: Key = key(
    "proxy.reach",
    "EVERWHEN_PROXY_REACH",
    "a chat that names no memory is briefed from all such chats of the same person, or from itself",
    "\"vault\" or \"memory\"",
);
/// Whether the model gets what tools answered.
pub(in crate::config) const TOOL_ENTRIES: Key = key(
    "proxy.tool_entries",
    "EVERWHEN_PROXY_TOOL_ENTRIES",
    "briefings hold entries of the role tool, too",
    SWITCH,
);
