//! The lifecycle of a conversation: active, cooling, dormant, closed, and presets for its timers.
//!
//! A conversation is active while it is talked in. Silent for its first timer it is cooling: a word
//! takes it up again. Silent for the second, too, or ended by a caller, it is over, and once its facts
//! are kept, in the same transaction, it is dormant. A while later it is closed. The two timers
//! together are the pause that ends a conversation, so a preset sets that rule.

use jiff::{SignedDuration, Timestamp};

use super::{Conversation, Settings};
use crate::{Error, Result};

/// A dormant conversation is closed after this long, where no preset says otherwise.
const CLOSED_AFTER: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Where a conversation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationState {
    /// It is talked in.
    Active,
    /// It has fallen silent, or is over and its facts are not kept yet.
    Cooling,
    /// It is over and its facts are kept. What is said now begins another.
    Dormant,
    /// It has been dormant for long.
    Closed,
}

impl ConversationState {
    /// As written on every wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Cooling => "cooling",
            Self::Dormant => "dormant",
            Self::Closed => "closed",
        }
    }
}

/// Timers for a kind of relationship, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifecycle {
    /// A user who comes back every day: 2 hours, 30 minutes, closed after 7 days.
    DailyCheckin,
    /// Long talks far apart: 24 hours, 6 hours, closed after 90 days.
    WeeklyTherapy,
    /// Questions as they come up: 30 minutes, 15 minutes, closed after 30 days.
    OnDemand,
    /// A companion: 12 hours, 6 hours, closed after 365 days.
    LongTerm,
}

impl Lifecycle {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::DailyCheckin, Self::WeeklyTherapy, Self::OnDemand, Self::LongTerm];

    /// As written in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DailyCheckin => "daily-checkin",
            Self::WeeklyTherapy => "weekly-therapy",
            Self::OnDemand => "on-demand",
            Self::LongTerm => "long-term",
        }
    }

    /// The one with this name.
    pub fn named(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str).join("\", \"");
            Error::invalid(format!("unknown lifecycle {text:?}; use \"{names}\""))
        })
    }

    /// Minutes of silence until it cools, from then until it is over, and from then until closed.
    fn minutes(self) -> [u32; 3] {
        const HOUR: u32 = 60;
        const DAY: u32 = 24 * HOUR;
        match self {
            Self::DailyCheckin => [2 * HOUR, 30, 7 * DAY],
            Self::WeeklyTherapy => [24 * HOUR, 6 * HOUR, 90 * DAY],
            Self::OnDemand => [30, 15, 30 * DAY],
            Self::LongTerm => [12 * HOUR, 6 * HOUR, 365 * DAY],
        }
    }
}

impl Settings {
    /// Sets the timers of a preset.
    #[must_use]
    pub fn with_lifecycle(self, lifecycle: Lifecycle) -> Self {
        let [cooling, dormant, _] = lifecycle.minutes();
        Self {
            idle_timeout_minutes: cooling + dormant,
            lifecycle: Some(lifecycle),
            cooling_minutes: None,
            closed_minutes: None,
            ..self
        }
    }

    /// Silence after which a conversation cools: half of the pause that ends it, unless a setting or
    /// a preset says otherwise.
    fn cools_after(&self) -> SignedDuration {
        let preset = self.lifecycle.map(|lifecycle| lifecycle.minutes()[0]);
        let cooling = self
            .cooling_minutes
            .or(preset)
            .map(|cooling| SignedDuration::from_mins(cooling.into()));
        cooling.unwrap_or(self.idle_timeout() / 2).min(self.idle_timeout())
    }

    /// The minutes of silence after which a conversation cools, rounded up.
    pub fn cools_after_minutes(&self) -> i64 {
        (self.cools_after().as_secs() + 59) / 60
    }

    /// The minutes after which a dormant conversation is closed.
    pub fn closes_after_minutes(&self) -> i64 {
        self.closes_after().as_mins()
    }

    fn closes_after(&self) -> SignedDuration {
        let preset = self.lifecycle.map(|lifecycle| lifecycle.minutes()[2]);
        let closed = self.closed_minutes.or(preset);
        closed.map_or(CLOSED_AFTER, |closed| SignedDuration::from_mins(closed.into()))
    }

    /// Where a conversation stands at an instant, by these rules.
    pub fn state_of(&self, conversation: &Conversation, now: Timestamp) -> ConversationState {
        let since = |time: Timestamp| now.duration_since(time);
        match (&conversation.ended, conversation.distilled_at) {
            (None, _) if since(conversation.last_at) < self.cools_after() => {
                ConversationState::Active
            }
            (None, _) | (Some(_), None) => ConversationState::Cooling,
            (Some(ended), Some(_)) if since(ended.at) < self.closes_after() => {
                ConversationState::Dormant
            }
            (Some(_), Some(_)) => ConversationState::Closed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Ended, EndedBy};
    use uuid::Uuid;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minutes)
    }

    fn conversation(ended: Option<i64>, distilled: bool) -> Conversation {
        let ended = ended.map(|minute| Ended { at: at(minute), by: EndedBy::Idle });
        let distilled_at = distilled.then(|| at(0));
        let open = Conversation::open(Uuid::nil().into(), Uuid::nil().into(), None, at(0));
        Conversation { ended, distilled_at, ..open }
    }

    #[test]
    fn a_preset_says_when_a_conversation_cools_ends_and_closes() {
        for (name, cools, ends, closes) in [
            ("daily-checkin", 120, 150, 7 * 1440),
            ("weekly-therapy", 1440, 1800, 90 * 1440),
            ("on-demand", 30, 45, 30 * 1440),
            ("long-term", 720, 1080, 365 * 1440),
        ] {
            let rules = Settings::default().with_lifecycle(Lifecycle::named(name).unwrap());
            assert_eq!(rules.idle_timeout_minutes, ends, "{name}");
            let open = |minute| rules.state_of(&conversation(None, false), at(minute));
            assert_eq!(open(cools - 1), ConversationState::Active, "{name}");
            assert_eq!(open(cools), ConversationState::Cooling, "{name}");
            let over = |minute| rules.state_of(&conversation(Some(5), true), at(minute));
            assert_eq!(over(4 + closes), ConversationState::Dormant, "{name}");
            assert_eq!(over(5 + closes), ConversationState::Closed, "{name}");
        }
    }

    #[test]
    fn without_a_preset_it_cools_after_half_the_pause_and_closes_after_a_month() {
        let rules = Settings::default();
        let state = |one: &Conversation, minute| rules.state_of(one, at(minute));
        assert_eq!(state(&conversation(None, false), 14), ConversationState::Active);
        assert_eq!(state(&conversation(None, false), 15), ConversationState::Cooling);
        let over = conversation(Some(30), true);
        assert_eq!(state(&over, 30 * 1440), ConversationState::Dormant);
        assert_eq!(state(&over, 30 * 1440 + 30), ConversationState::Closed);
    }

    #[test]
    fn c40_each_timer_can_be_set() {
        let rules = Settings {
            idle_timeout_minutes: 720,
            cooling_minutes: Some(360),
            closed_minutes: Some(60 * 1440),
            ..Settings::default()
        };
        assert!(rules.check().is_ok());
        let state = |one: &Conversation, minute| rules.state_of(one, at(minute));
        assert_eq!(state(&conversation(None, false), 359), ConversationState::Active);
        assert_eq!(state(&conversation(None, false), 360), ConversationState::Cooling);
        let over = conversation(Some(0), true);
        assert_eq!(state(&over, 60 * 1440 - 1), ConversationState::Dormant);
        assert_eq!(state(&over, 60 * 1440), ConversationState::Closed);
        let wrong = Settings { cooling_minutes: Some(721), ..rules };
        assert!(wrong.check().unwrap_err().message().contains("coolingTimeoutMinutes"));
    }

    #[test]
    fn it_is_dormant_only_once_its_facts_are_kept() {
        let rules = Settings::default();
        let state = |distilled| rules.state_of(&conversation(Some(30), distilled), at(60 * 1440));
        assert_eq!(state(false), ConversationState::Cooling);
        assert_eq!(state(true), ConversationState::Closed);
    }

    #[test]
    fn an_unknown_preset_names_the_known_ones() {
        let error = Lifecycle::named("hourly").unwrap_err();
        assert!(error.message().contains("\"daily-checkin\", \"weekly-therapy\""), "{error}");
    }
}
