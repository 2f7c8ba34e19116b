//! Context documents.

use everwhen::memory::{self, ContextDocument};
use everwhen::ports::ContextVersion;
use everwhen::{Error, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{read_query_time, read_time, shape};
use crate::api::cursor;

/// One version of a memory's context document.
#[derive(Serialize, ToSchema)]
pub(crate) struct Context {
    /// The id.
    #[schema(examples("ctx_01jh2m8z5qf3v9k7c4x0tnwr6e"))]
    id: String,
    /// From 1; the highest is current.
    #[schema(minimum = 1)]
    version: u64,
    /// The text.
    content: String,
    /// The time up to which it is complete.
    #[schema(value_type = shape::TimeOut)]
    conversation_time: String,
    /// When it was stored.
    #[schema(value_type = shape::TimeOut)]
    creation_time: String,
    /// Who wrote it: `agent`, or, from facts and chapters, `extractive` (rules) or `llm`.
    #[schema(examples("agent"))]
    written_by: String,
}

impl From<ContextDocument> for Context {
    fn from(document: ContextDocument) -> Self {
        Self {
            id: document.id.to_string(),
            version: document.version,
            content: document.content,
            conversation_time: document.conversation_time.to_string(),
            creation_time: document.creation_time.to_string(),
            written_by: document.by.as_str().to_owned(),
        }
    }
}

/// A version to store.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewContext {
    /// The text.
    #[schema(value_type = shape::Document)]
    content: String,
    /// The time up to which it is complete; now if absent, never in the future.
    #[schema(value_type = Option<shape::TimeIn>)]
    conversation_time: Option<String>,
}

impl NewContext {
    /// Converts it to the engine's type.
    pub(crate) fn read(self) -> Result<memory::NewContext> {
        let time = read_time("conversation_time", self.conversation_time.as_deref())?;
        memory::NewContext::new(self.content, time)
    }
}

/// Which version to return; the current one by default.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ContextQuery {
    /// The version with this number.
    #[param(minimum = 1, maximum = 9_223_372_036_854_775_807i64)]
    version: Option<u64>,
    /// The version that was current at this time; a `version` that was stored later is not found.
    #[param(value_type = Option<shape::TimeIn>)]
    as_of: Option<String>,
}

impl ContextQuery {
    /// The version, and the time by which it must have been stored.
    pub(crate) fn read(self) -> Result<(ContextVersion, Option<Timestamp>)> {
        let as_of = read_query_time("as_of", self.as_of.as_deref())?;
        match (self.version, as_of) {
            (Some(version), as_of) => {
                let number = checked_version(version)?;
                Ok((ContextVersion::Number(number), as_of))
            }
            (None, Some(as_of)) => Ok((ContextVersion::AsOf(as_of), None)),
            (None, None) => Ok((ContextVersion::Current, None)),
        }
    }
}

/// Rejects numbers that no version has.
pub(crate) fn checked_version(version: u64) -> Result<u64> {
    if (1..=i64::MAX.cast_unsigned()).contains(&version) {
        return Ok(version);
    }
    Err(Error::invalid(format!("version is {version}; versions count from 1")))
}

/// Paging of versions.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct VersionsQuery {
    /// `next_cursor` of the previous page.
    #[param(inline, value_type = Option<shape::VersionCursor>)]
    cursor: Option<String>,
    /// Maximum number of rows in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub(crate) limit: Option<usize>,
}

impl VersionsQuery {
    /// The version below which the page begins.
    pub(crate) fn before(&self) -> Result<Option<u64>> {
        self.cursor.as_deref().map(cursor::read_version).transpose()
    }
}
