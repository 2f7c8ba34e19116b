//! Conversation time: when models and tools were working, and the measures made of it.

use everwhen::activity::{self, ActivityKind};
use everwhen::memory::Name;
use everwhen::{Error, Result, limits};
use jiff::SignedDuration;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::vaults::whole;
use super::{read_time, shape};

/// How long a conversation was active and how long it was idle.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConversationTime {
    /// The time of the first entry or activity.
    #[schema(value_type = shape::TimeOut)]
    conversation_start_at: String,
    /// The time of the last entry before its end; without one, the end.
    #[schema(value_type = shape::TimeOut)]
    conversation_end_at: String,
    /// Milliseconds from start to end.
    conversation_elapsed_ms: u64,
    /// Milliseconds in which a model or tool was working; overlaps count once.
    conversation_active_ms: u64,
    /// The remaining milliseconds.
    conversation_idle_ms: u64,
    /// Number of entries of user and assistant.
    conversation_turns: u64,
    /// No activities were recorded, so `conversation_active_ms` has no meaning.
    active_unknown: bool,
}

impl From<activity::ConversationTime> for ConversationTime {
    fn from(time: activity::ConversationTime) -> Self {
        Self {
            conversation_start_at: time.start_at.to_string(),
            conversation_end_at: time.end_at.to_string(),
            conversation_elapsed_ms: milliseconds(time.elapsed),
            conversation_active_ms: milliseconds(time.active),
            conversation_idle_ms: milliseconds(time.idle),
            conversation_turns: time.turns,
            active_unknown: time.active_unknown,
        }
    }
}

fn milliseconds(length: SignedDuration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(0)
}

/// What was working.
#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ActivityKind)]
pub(crate) enum ActivityKindName {
    Model,
    Tool,
}

/// A period in which a model or a tool was working.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Activity {
    /// Whether it was a model or a tool.
    kind: ActivityKindName,
    /// The name of the model or tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<shape::Name>)]
    name: Option<String>,
    /// When it began.
    #[schema(value_type = shape::TimeIn)]
    began_at: String,
    /// How long it took, in milliseconds of a monotonic clock; at most a day.
    #[serde(deserialize_with = "milliseconds_read")]
    #[schema(maximum = 86_400_000)]
    lasted_ms: u64,
}

/// Parses milliseconds, also if they are written as `30.0`.
fn milliseconds_read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let read = whole(deserializer)?;
    read.map(u64::from).ok_or_else(|| D::Error::custom("lasted_ms is null; say how long it took"))
}

impl From<activity::Activity> for Activity {
    fn from(activity: activity::Activity) -> Self {
        Self {
            kind: match activity.kind {
                ActivityKind::Model => ActivityKindName::Model,
                ActivityKind::Tool => ActivityKindName::Tool,
            },
            name: activity.name.map(|name| name.to_string()),
            began_at: activity.began_at.to_string(),
            lasted_ms: milliseconds(activity.lasted),
        }
    }
}

impl Activity {
    fn read(self) -> Result<activity::Activity> {
        let began_at = read_time("began_at", Some(&self.began_at))?.unwrap_or_default();
        let lasted = i64::try_from(self.lasted_ms).unwrap_or(i64::MAX);
        Ok(activity::Activity {
            kind: match self.kind {
                ActivityKindName::Model => ActivityKind::Model,
                ActivityKindName::Tool => ActivityKind::Tool,
            },
            name: self.name.map(|name| Name::new("name", name)).transpose()?,
            began_at,
            lasted: SignedDuration::from_millis(lasted),
        })
    }
}

/// Activities to record.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewActivities {
    /// One for each attempt of a call; a pause between two attempts is idle time.
    #[schema(min_items = 1, max_items = 1000)]
    activities: Vec<Activity>,
}

impl NewActivities {
    /// Converts them to the engine's type.
    pub(crate) fn read(self) -> Result<Vec<activity::Activity>> {
        let count = self.activities.len();
        if !(1..=limits::BATCH_ENTRIES).contains(&count) {
            let most = limits::BATCH_ENTRIES;
            return Err(Error::invalid(format!("{count} activities were sent; send 1 to {most}")));
        }
        let numbered = self.activities.into_iter().enumerate();
        numbered
            .map(|(at, one)| one.read().map_err(|error| error.at(format!("activities[{at}]"))))
            .collect()
    }
}
