//! Timelines and distances in time, as tools take and give them.

use everwhen::ports::EntryQuery;
use everwhen::recall::{PeriodUse, Query};
use everwhen::{Page, Result, TimelineAbout, TimelineLine};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::search::{AboutOutput, read_limit};
use super::{read_time, whole};

/// Default number of lines: a list costs tokens.
const LINES: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetTimeline {
    /// Said at this time or later, RFC 3339
    after: Option<String>,
    /// Said before this time
    before: Option<String>,
    /// Topic or time in words: "museums", "in March"
    about: Option<String>,
    /// 1 to 100, default 50
    #[serde(default, deserialize_with = "whole")]
    limit: Option<u32>,
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

/// A timeline of everything, or of what is said about something.
pub(crate) enum TimelineRequest {
    Everything(EntryQuery),
    About(Query),
}

impl GetTimeline {
    /// Reads what is asked for.
    pub(crate) fn read(self) -> Result<TimelineRequest> {
        let after = read_time("after", self.after.as_deref())?;
        let before = read_time("before", self.before.as_deref())?;
        let limit = Some(read_limit("limit", self.limit)?.unwrap_or(LINES));
        Ok(match self.about {
            None => TimelineRequest::Everything(EntryQuery {
                after,
                before,
                limit,
                ..EntryQuery::default()
            }),
            Some(words) => TimelineRequest::About(Query {
                after,
                before,
                limit,
                period: PeriodUse::Filter,
                ..Query::new(words)
            }),
        })
    }
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct TimelineOutput {
    /// Oldest first, "2023-01-15 – event (+7 days)"
    timeline: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<AboutOutput>,
    nothing_in_period: bool,
    lines: Vec<LineOutput>,
    /// There are more; go on after the last line
    has_more: bool,
}

#[derive(Serialize, JsonSchema)]
struct LineOutput {
    entry_id: String,
    conversation_id: String,
    conversation_time: String,
}

impl<C> From<Page<TimelineLine, C>> for TimelineOutput {
    fn from(page: Page<TimelineLine, C>) -> Self {
        Self {
            timeline: text(&page.data),
            about: None,
            nothing_in_period: false,
            has_more: page.next.is_some(),
            lines: page.data.into_iter().map(LineOutput::from).collect(),
        }
    }
}

impl From<TimelineAbout> for TimelineOutput {
    fn from(timeline: TimelineAbout) -> Self {
        Self {
            timeline: text(&timeline.lines),
            about: timeline.about.map(AboutOutput::from),
            nothing_in_period: timeline.nothing_in_period,
            has_more: false,
            lines: timeline.lines.into_iter().map(LineOutput::from).collect(),
        }
    }
}

fn text(lines: &[TimelineLine]) -> String {
    let lines: Vec<String> = lines.iter().map(TimelineLine::text).collect();
    lines.join("\n")
}

impl From<TimelineLine> for LineOutput {
    fn from(line: TimelineLine) -> Self {
        Self {
            entry_id: line.entry.to_string(),
            conversation_id: line.conversation,
            conversation_time: line.conversation_time.to_string(),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimeBetween {
    /// Entry id, RFC 3339, or a date in the vault's zone
    pub(crate) from: String,
    /// Entry id, RFC 3339, or a date in the vault's zone
    pub(crate) to: String,
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct BetweenOutput {
    from: String,
    to: String,
    /// Midnights in between; negative backwards
    days: i64,
    seconds: i64,
    /// "1 month, 3 days"
    calendar: String,
    /// "34 days, 2 hours"
    length: String,
}

impl From<everwhen::TimeBetween> for BetweenOutput {
    fn from(between: everwhen::TimeBetween) -> Self {
        Self {
            from: between.from,
            to: between.to,
            days: between.days,
            seconds: between.seconds,
            calendar: between.calendar,
            length: between.length,
        }
    }
}
