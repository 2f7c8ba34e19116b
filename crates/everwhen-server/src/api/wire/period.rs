//! Periods in words on the wire.

use everwhen::time::{Period, Zone};
use everwhen::{Error, Result, limits};
use jiff::Timestamp;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{read_query_time, shape};

/// What to read.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PeriodQuery {
    /// A year, a month, a day, two of them with a slash, or words such as `last March`; at most 200
    /// characters.
    #[param(inline, value_type = shape::AboutText)]
    text: String,
    /// When it was said, which `yesterday` counts from; now if absent.
    #[param(value_type = Option<shape::TimeIn>)]
    asked_at: Option<String>,
}

impl PeriodQuery {
    /// Reads the period in a zone.
    pub(crate) fn read(&self, now: Timestamp, zone: &Zone) -> Result<Period> {
        let asked_at = read_query_time("asked_at", self.asked_at.as_deref())?.unwrap_or(now);
        let length = self.text.chars().count();
        if length > limits::NAME_CHARS {
            let most = limits::NAME_CHARS;
            return Err(Error::invalid(format!(
                "text has {length} characters; use at most {most}"
            )));
        }
        everwhen::time::read_period(&self.text, asked_at, zone)
            .map_err(|error| Error::invalid(format!("text {}", error.message())))
    }
}
