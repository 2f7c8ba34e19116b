//! Vaults and the memories in them, as they are kept.

use jiff::{SignedDuration, Timestamp};

use super::{EntryId, Lifecycle, MemoryId, Name, Person, VaultId};
use crate::time::{Zone, to_microsecond};
use crate::{ConflictReason, Error, Result, limits};

/// What is known of a vault: the unit of isolation, export and erasure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultInfo {
    /// Its id.
    pub id: VaultId,
    /// Its name, unique on this server.
    pub name: Name,
    /// What it is for.
    pub description: Option<String>,
    /// Where its days begin and end.
    pub zone: Zone,
    /// Its rules.
    pub settings: Settings,
    /// When it was made.
    pub creation_time: Timestamp,
}

/// One continuing relationship: a chat, a character, a project, a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Its id.
    pub id: MemoryId,
    /// Its name, unique in the vault.
    pub name: Name,
    /// What it is for.
    pub description: Option<String>,
    /// When it was made.
    pub creation_time: Timestamp,
    /// The sequence of its newest entry.
    pub last_sequence: u64,
    /// How often stored entries were corrected, moved, put on a branch or forgotten. A cache of
    /// something derived from entries reads their states again when it changes.
    pub generation: u64,
    /// How often something in it was forgotten: its epoch of forgetting. The result of a job that
    /// began in an earlier epoch is not kept, since it may tell what is forgotten.
    pub forgotten: u64,
    /// How often its facts or chapters changed. A cache of them reads what is new when it changes.
    pub distilled: u64,
    /// What that count was when facts changed last.
    pub facts_changed: u64,
    /// The ids of all its chapters as a checksum, by which a cache knows that
    /// it has exactly these.
    pub chapters_mark: u64,
    /// The newest creation_time in it; the next is never earlier.
    pub last_creation: Timestamp,
    /// When a conversation of it was last ended by a caller.
    pub last_ending: Option<Timestamp>,
    /// When a conversation was ended inside an exchange that has not been stored yet.
    pub unfinished_end: Option<Timestamp>,
    /// The highest version number that its context document has had.
    pub last_context: u64,
    /// The assistant's question that waits for an answer.
    pub waiting: Option<(EntryId, Timestamp)>,
    /// The conversation_time of the last entry that a chapter covers.
    pub chaptered_until: Option<Timestamp>,
    /// Chapters that end here or later no longer tell what was said; nothing if all do.
    pub chapters_from: Option<Timestamp>,
    /// The sequence at which it is time to look for a chapter to write.
    pub chapters_at: u64,
    /// The preset for its conversations, if it has one of its own.
    pub lifecycle: Option<Lifecycle>,
    /// Whose chat it is; nothing for a memory that a caller named.
    pub chat_of: Option<Person>,
}

impl Memory {
    /// The rules that hold in it: the vault's, with its own preset over them.
    pub fn rules(&self, vault: Settings) -> Settings {
        self.lifecycle.map_or(vault, |lifecycle| vault.with_lifecycle(lifecycle))
    }
}

/// The rules of a vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// `conversationIdleTimeoutMinutes`: a longer pause ends a conversation.
    pub idle_timeout_minutes: u32,
    /// `maxConversationsRetained`: the number of ended conversations that stay in lists.
    pub conversations_retained: u32,
    /// `conversationStateTimeoutMinutes`: a question waits so long for its answer.
    pub state_timeout_minutes: u32,
    /// What becomes of conversations beyond that.
    pub retention: Retention,
    /// `lifecycle`: the preset for the timers of conversations, if one was chosen.
    pub lifecycle: Option<Lifecycle>,
    /// `coolingTimeoutMinutes`: a conversation cools after this long, whatever a preset says.
    pub cooling_minutes: Option<u32>,
    /// `closedTimeoutMinutes`: a dormant conversation closes after this long, whatever a preset says.
    pub closed_minutes: Option<u32>,
}

/// Rules to change; absent ones stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SettingsChange {
    /// `conversationIdleTimeoutMinutes`.
    pub idle_timeout_minutes: Option<u32>,
    /// `maxConversationsRetained`.
    pub conversations_retained: Option<u32>,
    /// `conversationStateTimeoutMinutes`.
    pub state_timeout_minutes: Option<u32>,
    /// `retention`.
    pub retention: Option<Retention>,
    /// `lifecycle`: sets the idle timeout, too, unless that is given beside it, and puts the preset's
    /// other timers in place of those set before.
    pub lifecycle: Option<Lifecycle>,
    /// `coolingTimeoutMinutes`.
    pub cooling_minutes: Option<u32>,
    /// `closedTimeoutMinutes`.
    pub closed_minutes: Option<u32>,
}

impl SettingsChange {
    /// The rules as they are after the change: a preset first, and a timeout given beside it over it.
    pub fn on(self, known: Settings) -> Settings {
        let known = self.lifecycle.map_or(known, |lifecycle| known.with_lifecycle(lifecycle));
        Settings {
            idle_timeout_minutes: self.idle_timeout_minutes.unwrap_or(known.idle_timeout_minutes),
            conversations_retained: self
                .conversations_retained
                .unwrap_or(known.conversations_retained),
            state_timeout_minutes: self
                .state_timeout_minutes
                .unwrap_or(known.state_timeout_minutes),
            retention: self.retention.unwrap_or(known.retention),
            lifecycle: known.lifecycle,
            cooling_minutes: self.cooling_minutes.or(known.cooling_minutes),
            closed_minutes: self.closed_minutes.or(known.closed_minutes),
        }
    }
}

impl From<Settings> for SettingsChange {
    fn from(settings: Settings) -> Self {
        Self {
            idle_timeout_minutes: Some(settings.idle_timeout_minutes),
            conversations_retained: Some(settings.conversations_retained),
            state_timeout_minutes: Some(settings.state_timeout_minutes),
            retention: Some(settings.retention),
            lifecycle: settings.lifecycle,
            cooling_minutes: settings.cooling_minutes,
            closed_minutes: settings.closed_minutes,
        }
    }
}

/// What becomes of ended conversations beyond the number retained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retention {
    /// They leave lists, stay recallable and can be restored.
    Archive,
    /// They are removed permanently.
    Delete,
}

impl Retention {
    /// As written in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Archive => "archive",
            Self::Delete => "delete",
        }
    }

    /// The choice with this name.
    pub fn named(text: &str) -> Result<Self> {
        match text {
            "archive" => Ok(Self::Archive),
            "delete" => Ok(Self::Delete),
            _ => Err(Error::invalid(format!(
                "unknown retention {text:?}; use \"archive\" or \"delete\""
            ))),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            idle_timeout_minutes: 30,
            conversations_retained: 1000,
            state_timeout_minutes: 60,
            retention: Retention::Archive,
            lifecycle: None,
            cooling_minutes: None,
            closed_minutes: None,
        }
    }
}

impl Settings {
    /// Refuses values that make no sense.
    pub fn check(&self) -> Result<()> {
        let timeouts = [
            ("conversationIdleTimeoutMinutes", Some(self.idle_timeout_minutes)),
            ("conversationStateTimeoutMinutes", Some(self.state_timeout_minutes)),
            ("coolingTimeoutMinutes", self.cooling_minutes),
            ("closedTimeoutMinutes", self.closed_minutes),
        ];
        for (name, minutes) in timeouts {
            let Some(minutes) = minutes else { continue };
            if !(1..=limits::TIMEOUT_MINUTES).contains(&minutes) {
                return Err(Error::invalid(format!(
                    "{name} is {minutes}; use 1 to {} minutes",
                    limits::TIMEOUT_MINUTES
                )));
            }
        }
        if self.cooling_minutes.is_some_and(|cooling| cooling > self.idle_timeout_minutes) {
            return Err(Error::conflict(format!(
                "coolingTimeoutMinutes is longer than conversationIdleTimeoutMinutes, {}",
                self.idle_timeout_minutes
            ))
            .because(ConflictReason::InconsistentValues));
        }
        if self.conversations_retained == 0 {
            return Err(Error::invalid("maxConversationsRetained is 0; use at least 1"));
        }
        Ok(())
    }

    /// The pause that a conversation survives.
    pub fn idle_timeout(&self) -> SignedDuration {
        SignedDuration::from_mins(i64::from(self.idle_timeout_minutes))
    }

    /// When a conversation with nothing after `last` has been silent for too long.
    pub fn silent_at(&self, last: Timestamp) -> Timestamp {
        let end = last.saturating_add(self.idle_timeout());
        to_microsecond(end.expect("minutes can be added to every instant"))
    }

    /// How long a question waits.
    pub fn state_timeout(&self) -> SignedDuration {
        SignedDuration::from_mins(i64::from(self.state_timeout_minutes))
    }
}

/// Checks the length of a description or reason.
pub(crate) fn check_description(what: &str, text: Option<&str>) -> Result<()> {
    match text {
        Some(text) if text.chars().count() > limits::DESCRIPTION_CHARS => Err(Error::too_large(
            format!("{what} is longer than {} characters", limits::DESCRIPTION_CHARS),
        )),
        Some(text) if text.contains('\0') => {
            Err(Error::invalid(format!("{what} contains a NUL character; remove it")))
        }
        _ => Ok(()),
    }
}
