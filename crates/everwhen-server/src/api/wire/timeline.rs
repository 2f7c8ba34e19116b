//! The timeline.

use everwhen::Result;
use everwhen::memory::Role;
use everwhen::ports::{EntryQuery, Order, Which};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::entries::{Direction, RoleName};
use super::{read_bounds, read_query_time, shape};
use crate::api::cursor;

/// One dated line.
#[derive(Serialize, ToSchema)]
pub(crate) struct TimelineLine {
    /// The day it was said, in the vault's zone.
    #[schema(format = Date, examples("2023-01-15"))]
    date: String,
    /// What was said, shortened.
    #[schema(examples("Went to the Met"))]
    event: String,
    /// Days since the next earlier line; null on the same day and on the first line of all.
    #[schema(required = true, examples("+7 days"))]
    gap: Option<String>,
    /// The line as text.
    #[schema(examples("2023-01-15 – Went to the Met (+7 days)"))]
    text: String,
    /// When it was said.
    #[schema(value_type = shape::TimeOut)]
    conversation_time: String,
    /// The entry of the line.
    #[schema(value_type = shape::EntryRef)]
    entry_id: String,
    /// The conversation: the caller's name for it, else its id.
    conversation_id: String,
}

impl From<everwhen::TimelineLine> for TimelineLine {
    fn from(line: everwhen::TimelineLine) -> Self {
        Self {
            date: line.date.to_string(),
            text: line.text(),
            event: line.event,
            gap: line.gap,
            conversation_time: line.conversation_time.to_string(),
            entry_id: line.entry.to_string(),
            conversation_id: line.conversation,
        }
    }
}

/// Filters for the timeline.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TimelineQuery {
    /// Said at this time or later.
    #[param(value_type = Option<shape::TimeIn>)]
    after: Option<String>,
    /// Said before this time.
    #[param(value_type = Option<shape::TimeIn>)]
    before: Option<String>,
    /// Only entries of this role; those of the user if absent.
    role: Option<RoleName>,
    /// State of the memory at this time.
    #[param(value_type = Option<shape::TimeIn>)]
    as_of: Option<String>,
    /// Oldest (`asc`, the default) or newest (`desc`) first.
    #[param(inline)]
    order: Option<Direction>,
    /// `next_cursor` of the previous page.
    #[param(inline, value_type = Option<shape::EntryCursor>)]
    cursor: Option<String>,
    /// Maximum number of rows in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<usize>,
}

impl TimelineQuery {
    /// Converts it to the engine's type.
    pub(crate) fn read(self) -> Result<EntryQuery> {
        let as_of = read_query_time("as_of", self.as_of.as_deref())?;
        let (after, before) = read_bounds(self.after.as_deref(), self.before.as_deref())?;
        Ok(EntryQuery {
            after,
            before,
            which: as_of.map_or(Which::Current, Which::AsOf),
            role: self.role.map(Role::from),
            order: self.order.map(Order::from).unwrap_or_default(),
            from: self.cursor.as_deref().map(cursor::read_entry).transpose()?,
            limit: self.limit,
            ..EntryQuery::default()
        })
    }
}
