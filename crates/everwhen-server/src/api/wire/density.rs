//! Density on the wire.

use everwhen::ports::{TimeAxis, Which};
use everwhen::{DensityQuery as Query, Result};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{read_bounds, read_query_time, shape};

/// How many entries there are over time.
#[derive(Serialize, ToSchema)]
pub(crate) struct Density {
    /// The first time there is; null in a memory without entries.
    #[schema(required = true, value_type = Option<shape::TimeOut>)]
    first: Option<String>,
    /// The last time there is.
    #[schema(required = true, value_type = Option<shape::TimeOut>)]
    last: Option<String>,
    /// How many entries each part has. The parts have equal lengths from `after`, or the first time,
    /// to `before`, or the last.
    counts: Vec<u64>,
}

impl From<everwhen::Density> for Density {
    fn from(density: everwhen::Density) -> Self {
        Self {
            first: density.span.map(|(first, _)| first.to_string()),
            last: density.span.map(|(_, last)| last.to_string()),
            counts: density.counts,
        }
    }
}

/// One of the two times of an entry.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Axis {
    ConversationTime,
    CreationTime,
}

/// What can be counted.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DensityQuery {
    /// By when entries were said (`conversation_time`, the default) or stored (`creation_time`).
    #[param(inline)]
    by: Option<Axis>,
    /// From this time on; from the first entry if absent.
    #[param(value_type = Option<shape::TimeIn>)]
    after: Option<String>,
    /// Up to this time; up to the last entry if absent.
    #[param(value_type = Option<shape::TimeIn>)]
    before: Option<String>,
    /// As the memory stood at this time.
    #[param(value_type = Option<shape::TimeIn>)]
    as_of: Option<String>,
    /// The number of parts.
    #[param(minimum = 1, maximum = 2000, default = 100)]
    buckets: Option<usize>,
}

impl DensityQuery {
    /// Reads it.
    pub(crate) fn read(self) -> Result<Query> {
        let (after, before) = read_bounds(self.after.as_deref(), self.before.as_deref())?;
        let as_of = read_query_time("as_of", self.as_of.as_deref())?;
        let axis = match self.by {
            Some(Axis::CreationTime) => TimeAxis::CreationTime,
            Some(Axis::ConversationTime) | None => TimeAxis::ConversationTime,
        };
        let which = as_of.map_or(Which::Current, Which::AsOf);
        Ok(Query { axis, which, after, before, buckets: self.buckets })
    }
}
