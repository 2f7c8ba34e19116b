//! Chapters and a summary that another system wrote.

use everwhen::chapters::{self, ChapterKind};
use everwhen::memory::Name;
use everwhen::{Error, Result, time};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::entries::read_metadata;
use super::provenance::Provenance;
use super::shape;

/// Chapters and the summary of a memory, as another system wrote them.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportedChapters {
    /// The chapters, oldest first; at most 10,000.
    chapters: Vec<ImportedChapter>,
    /// The summary.
    summary: Option<ImportedSummary>,
    /// Whether these are all chapters of their kinds, so that others of the same source are removed.
    complete: Option<bool>,
}

/// A chapter as another system wrote it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportedChapter {
    /// `imported`, or `searchable` if it is only to be searched for.
    #[schema(pattern = "^(imported|searchable)$", example = "imported")]
    kind: String,
    /// Its title; made from the text if there is none.
    #[schema(value_type = Option<shape::SourceTitle>)]
    title: Option<String>,
    /// Its text.
    #[schema(value_type = shape::SourceSummary)]
    text: String,
    /// Names that occur in it.
    #[schema(value_type = Option<Vec<shape::Name>>)]
    entities: Option<Vec<String>>,
    /// Its key phrases.
    #[schema(value_type = Option<Vec<shape::Name>>)]
    key_phrases: Option<Vec<String>>,
    /// When the last message it covers was said.
    #[schema(value_type = shape::TimeIn)]
    last_at: String,
    /// SHA-256 of that message, by which it is recognised when a client sends it.
    #[schema(value_type = Option<shape::TextHash>)]
    last_message_hash: Option<String>,
    /// Its source, its id there (required), and how well `last_at` is known. A chapter with the same
    /// kind, source and id is replaced if it says something else.
    provenance: Provenance,
    /// What else the source says about it: a JSON object, at most 64 KiB as text.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Box<RawValue>>,
}

/// The summary of a memory as another system wrote it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportedSummary {
    /// The text.
    #[schema(value_type = shape::SourceSummary)]
    text: String,
    /// The `source_id` of the last chapter that is in it.
    #[schema(value_type = Option<shape::Name>)]
    through: Option<String>,
}

/// What an import of chapters did, or would do.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChapterImport {
    /// Chapters that are new or have changed.
    stored: u64,
    /// Chapters that were stored already.
    known: u64,
    /// Chapters that the source no longer has.
    removed: u64,
    /// Whether the summary is new.
    summary: bool,
}

impl ImportedChapters {
    /// Converts them to the engine's type; an error names the part.
    pub(crate) fn read(self) -> Result<chapters::ImportedChapters> {
        let read = |(place, one): (usize, ImportedChapter)| {
            one.read().map_err(|error| error.at(format!("chapters[{place}]")))
        };
        let summary = self.summary.map(|summary| {
            let through = summary.through.map(|id| Name::new("summary.through", id)).transpose()?;
            Ok::<_, Error>(chapters::ImportedSummary { text: summary.text, through })
        });
        Ok(chapters::ImportedChapters {
            chapters: self.chapters.into_iter().enumerate().map(read).collect::<Result<_>>()?,
            summary: summary.transpose()?,
            is_complete: self.complete.unwrap_or_default(),
        })
    }
}

impl ImportedChapter {
    fn read(self) -> Result<chapters::ImportedChapter> {
        let until = time::read_time(&self.last_at);
        let texts = |what: &str, list: Option<Vec<String>>| -> Result<Vec<String>> {
            let list = list.unwrap_or_default().into_iter();
            list.map(|text| Name::new(what, text).map(|name| name.to_string())).collect()
        };
        if self.title.as_ref().is_some_and(|title| title.contains('\0')) {
            return Err(Error::invalid("title contains a NUL character; remove it"));
        }
        Ok(chapters::ImportedChapter {
            kind: ChapterKind::named(&self.kind)?,
            title: self.title.filter(|title| !title.trim().is_empty()),
            text: self.text,
            entities: texts("entities", self.entities)?,
            key_phrases: texts("key_phrases", self.key_phrases)?,
            until: until.map_err(|error| Error::from(error).at("last_at"))?,
            last_message: self.last_message_hash.map(|hash| hash.parse()).transpose()?,
            provenance: *self.provenance.read()?,
            metadata: self.metadata.map(|json| read_metadata(&json)).transpose()?,
        })
    }
}

impl From<chapters::ChapterImport> for ChapterImport {
    fn from(done: chapters::ChapterImport) -> Self {
        let chapters::ChapterImport { stored, known, removed, summary } = done;
        Self { stored, known, removed, summary }
    }
}
