//! Keys for the rules of conversations.

use super::{Key, key};

/// The pause that ends a conversation.
pub(in crate::config) const IDLE_TIMEOUT: Key = key(
    "conversations.conversationIdleTimeoutMinutes",
    "EVERWHEN_CONVERSATION_IDLE_TIMEOUT_MINUTES",
    "idle timeout: a longer pause ends a conversation (new vaults and the default one)",
    "a whole number of minutes, such as 30",
);
/// How many ended conversations stay listed.
pub(in crate::config) const RETAINED: Key = key(
    "conversations.maxConversationsRetained",
    "EVERWHEN_MAX_CONVERSATIONS_RETAINED",
    "number of ended conversations that stay listed (new vaults and the default one)",
    "a whole number, such as 1000",
);
/// How long a question waits.
pub(in crate::config) const STATE_TIMEOUT: Key = key(
    "conversations.conversationStateTimeoutMinutes",
    "EVERWHEN_CONVERSATION_STATE_TIMEOUT_MINUTES",
    "how long a question waits for its answer (new vaults and the default one)",
    "a whole number of minutes, such as 60",
);
/// What happens to the conversations beyond that.
pub(in crate::config) const RETENTION: Key = key(
    "conversations.retention",
    "EVERWHEN_RETENTION",
    "what happens to conversations beyond that number (new vaults and the default one)",
    "\"archive\" or \"delete\"",
);
/// The timers of conversations.
pub(in crate::config) const LIFECYCLE: Key = key(
    "conversations.lifecycle",
    "EVERWHEN_LIFECYCLE",
    "preset for when conversations cool, end and close; an explicit idle timeout overrides it (new vaults and the default one)",
    "\"daily-checkin\", \"weekly-therapy\", \"on-demand\" or \"long-term\"",
);
/// When conversations cool.
pub(in crate::config) const COOLING: Key = key(
    "conversations.coolingTimeoutMinutes",
    "EVERWHEN_COOLING_TIMEOUT_MINUTES",
    "a conversation cools after this long; at most the idle timeout (new vaults and the default one)",
    "a whole number of minutes, such as 360",
);
/// When conversations close.
pub(in crate::config) const CLOSED: Key = key(
    "conversations.closedTimeoutMinutes",
    "EVERWHEN_CLOSED_TIMEOUT_MINUTES",
    "a dormant conversation is closed after this long (new vaults and the default one)",
    "a whole number of minutes, such as 43200",
);
/// Whether a language model looks back at conversations.
pub(in crate::config) const RETROSPECTION: Key = key(
    "conversations.retrospection",
    "EVERWHEN_RETROSPECTION",
    "what the language model looks for when it looks back at every conversation that ends; \"on\" for the built-in question",
    "\"off\", \"on\" or a question, such as \"What should be done differently next time?\"",
);
