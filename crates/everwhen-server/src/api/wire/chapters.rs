//! Chapters and rolling summaries.

use everwhen::Result;
use everwhen::chapters::{self, ChapterQuery};
use everwhen::ledger::TextHash;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::provenance::Provenance;
use super::{read_bounds, read_query_time, shape};
use crate::api::cursor;

/// The summary of a run of entries.
#[derive(Serialize, ToSchema)]
pub(crate) struct Chapter {
    /// The id.
    #[schema(examples("chp_01jh2m8z5qf3v9k7c4x0tnwr6e"))]
    id: String,
    /// The title.
    title: String,
    /// The summary.
    text: String,
    /// Names that occur in it.
    entities: Vec<String>,
    /// Its key phrases.
    key_phrases: Vec<String>,
    /// The conversation_time of its first entry.
    #[schema(value_type = shape::TimeOut)]
    started_at: String,
    /// The conversation_time of its last entry.
    #[schema(value_type = shape::TimeOut)]
    last_at: String,
    /// Number of entries it covers.
    entry_count: u64,
    /// Who wrote it: `llm`, or `extractive` for the built-in rules.
    #[schema(examples("extractive"))]
    written_by: String,
    /// When it was stored.
    #[schema(value_type = shape::TimeOut)]
    creation_time: String,
    /// What it was written from: `written` from entries, `imported` from another system, `searchable`
    /// from another system and only to be searched for, `condensed` from several chapters.
    #[schema(pattern = "^(written|imported|searchable|condensed)$", example = "written")]
    kind: String,
    /// SHA-256 of the last message it covers, if another system wrote it and says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<shape::TextHash>)]
    last_message_hash: Option<String>,
    /// Where it was imported from, and how well `last_at` is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<Provenance>,
    /// What else its source says about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    metadata: Option<Box<RawValue>>,
}

impl From<chapters::Chapter> for Chapter {
    fn from(chapter: chapters::Chapter) -> Self {
        let hash = TextHash(chapter.digest);
        let hash = (chapter.kind.is_foreign() && hash.0 != [0; 32]).then(|| hash.to_string());
        let metadata = chapter.metadata.map(|json| RawValue::from_string(json.as_str().to_owned()));
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
            kind: chapter.kind.as_str().to_owned(),
            last_message_hash: hash,
            provenance: chapter.provenance.map(|from| Provenance::write(*from)),
            metadata: metadata.and_then(|json| json.ok()),
        }
    }
}

/// Filters for chapters.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ChaptersQuery {
    /// Only chapters with an entry at this time or later.
    #[param(value_type = Option<shape::TimeIn>)]
    after: Option<String>,
    /// Only chapters that began before this time.
    #[param(value_type = Option<shape::TimeIn>)]
    before: Option<String>,
    /// Only those that had been written at this time.
    #[param(value_type = Option<shape::TimeIn>)]
    as_of: Option<String>,
    /// `next_cursor` of the previous page.
    #[param(inline, value_type = Option<shape::EntryCursor>)]
    cursor: Option<String>,
    /// Maximum number of rows in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<usize>,
}

impl ChaptersQuery {
    /// Converts it to the engine's type.
    pub(crate) fn read(self) -> Result<ChapterQuery> {
        let (after, before) = read_bounds(self.after.as_deref(), self.before.as_deref())?;
        let from = self.cursor.as_deref().map(cursor::read_entry).transpose()?;
        let as_of = read_query_time("as_of", self.as_of.as_deref())?;
        Ok(ChapterQuery { after, before, as_of, from, limit: self.limit })
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
    /// The conversation_time of the last entry it covers.
    #[schema(value_type = shape::TimeOut)]
    through: String,
    /// Number of chapters it covers.
    chapters: u64,
    /// Who wrote it: `llm`, or `extractive` for the built-in rules.
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

/// What is being regenerated.
#[derive(Serialize, ToSchema)]
pub(crate) struct Regenerating {
    /// Number of conversations whose facts and titles are regenerated; chapters and summaries follow.
    pub(crate) conversations: u64,
}
