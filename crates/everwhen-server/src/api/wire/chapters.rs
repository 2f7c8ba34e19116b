//! Chapters and rolling summaries on the wire.

use everwhen::Result;
use everwhen::chapters::{self, ChapterQuery};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{read_bounds, shape};
use crate::api::cursor;

/// What a run of entries was about.
#[derive(Serialize, ToSchema)]
pub(crate) struct Chapter {
    /// Its id.
    #[schema(examples("chp_01jh2m8z5qf3v9k7c4x0tnwr6e"))]
    id: String,
    /// A title.
    title: String,
    /// What it was about.
    text: String,
    /// Names that occur in it.
    entities: Vec<String>,
    /// Words that stand for it.
    key_phrases: Vec<String>,
    /// The conversation_time of its first entry.
    #[schema(value_type = shape::TimeOut)]
    started_at: String,
    /// The conversation_time of its last entry.
    #[schema(value_type = shape::TimeOut)]
    last_at: String,
    /// How many entries it tells of.
    entry_count: u64,
    /// Who wrote it: `llm`, or `extractive` if it was chosen without a model.
    #[schema(examples("extractive"))]
    written_by: String,
    /// When it was stored.
    #[schema(value_type = shape::TimeOut)]
    creation_time: String,
}

impl From<chapters::Chapter> for Chapter {
    fn from(chapter: chapters::Chapter) -> Self {
        Self {
            id: chapter.id.to_string(),
            title: chapter.title,
            text: chapter.text,
            entities: chapter.entities,
            key_phrases: chapter.key_phrases,
            started_at: chapter.first.time.to_string(),
            last_at: chapter.last.time.to_string(),
            entry_count: chapter.entries,
            written_by: chapter.by.as_str().to_owned(),
            creation_time: chapter.creation_time.to_string(),
        }
    }
}

/// Which chapters are asked for.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ChaptersQuery {
    /// Only those with an entry at this time or later.
    #[param(value_type = Option<shape::TimeIn>)]
    after: Option<String>,
    /// Only those that began before this time.
    #[param(value_type = Option<shape::TimeIn>)]
    before: Option<String>,
    /// `next_cursor` of the page before.
    #[param(inline, value_type = Option<shape::EntryCursor>)]
    cursor: Option<String>,
    /// Rows in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<usize>,
}

impl ChaptersQuery {
    /// Reads it.
    pub(crate) fn read(self) -> Result<ChapterQuery> {
        let (after, before) = read_bounds(self.after.as_deref(), self.before.as_deref())?;
        let from = self.cursor.as_deref().map(cursor::read_entry).transpose()?;
        Ok(ChapterQuery { after, before, from, limit: self.limit })
    }
}

/// One version of the summary of a whole memory.
#[derive(Serialize, ToSchema)]
pub(crate) struct RollingSummary {
    /// From 1; the highest is current.
    #[schema(minimum = 1)]
    version: u64,
    /// The text.
    text: String,
    /// The conversation_time of the last entry it tells of.
    #[schema(value_type = shape::TimeOut)]
    through: String,
    /// How many chapters are in it.
    chapters: u64,
    /// Who wrote it: `llm`, or `extractive` if it was chosen without a model.
    #[schema(examples("extractive"))]
    written_by: String,
    /// When it was stored.
    #[schema(value_type = shape::TimeOut)]
    creation_time: String,
}

impl From<chapters::RollingSummary> for RollingSummary {
    fn from(summary: chapters::RollingSummary) -> Self {
        Self {
            version: summary.version,
            text: summary.text,
            through: summary.through.time.to_string(),
            chapters: summary.chapters,
            written_by: summary.by.as_str().to_owned(),
            creation_time: summary.creation_time.to_string(),
        }
    }
}

/// What is being made anew.
#[derive(Serialize, ToSchema)]
pub(crate) struct Regenerating {
    /// So many conversations become facts and titles again; chapters and summaries follow.
    pub(crate) conversations: u64,
}
