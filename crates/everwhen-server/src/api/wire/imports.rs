//! Conversations from another system on the wire.

use everwhen::memory::{self, Name, Said};
use everwhen::receipt::Receipt;
use everwhen::{Error, Result, time};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::entries::{RoleName, read_metadata, read_names};
use super::{read_time, shape};

/// A conversation as another system kept it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportedConversation {
    /// Its name there.
    #[schema(value_type = shape::SourceName)]
    conversation_id: String,
    /// What was said in it; with its branches at least one entry, at most 10,000.
    entries: Vec<ImportedEntry>,
    /// What forks had put aside there.
    branches: Option<Vec<ImportedBranch>>,
    /// When somebody ended it there; null if nobody did. No conversation ends before its last entry,
    /// and one that fell silent long ago has ended anyway.
    #[schema(value_type = Option<shape::TimeIn>)]
    ended_at: Option<String>,
    /// Its title there; kept if the conversation has ended.
    #[schema(value_type = Option<shape::SourceTitle>)]
    title: Option<String>,
    /// Its summary there; kept if the conversation has ended.
    #[schema(value_type = Option<shape::SourceSummary>)]
    summary: Option<String>,
}

/// Entries that a fork had put aside in another system.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportedBranch {
    /// When the fork happened.
    #[schema(value_type = shape::TimeIn)]
    archived_at: String,
    /// What it put aside.
    #[schema(min_items = 1)]
    entries: Vec<ImportedEntry>,
}

/// Something said, as another system kept it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportedEntry {
    /// Who spoke.
    role: RoleName,
    /// What was said.
    #[schema(value_type = shape::Content)]
    content: String,
    /// When it was said.
    #[schema(value_type = shape::TimeIn)]
    conversation_time: String,
    /// The speaker's name, where there are several.
    #[schema(value_type = Option<shape::Name>)]
    speaker: Option<String>,
    /// Labels, at most 64.
    #[schema(value_type = Option<Vec<shape::Name>>)]
    tags: Option<Vec<String>>,
    /// A JSON object of the caller's own, at most 64 KiB as text.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Box<RawValue>>,
    /// Tools the assistant used while saying it, at most 64.
    #[schema(value_type = Option<Vec<shape::Name>>)]
    tools_used: Option<Vec<String>>,
}

impl ImportedConversation {
    /// Reads it; an error says which part it is about.
    pub(crate) fn read(self) -> Result<everwhen::ImportedConversation> {
        let branches = self.branches.unwrap_or_default().into_iter().enumerate();
        let read = |(index, branch): (usize, ImportedBranch)| {
            branch.read().map_err(|error| within(error, &format!("branches[{index}]")))
        };
        Ok(everwhen::ImportedConversation {
            name: Name::new("conversation_id", self.conversation_id)?,
            entries: read_entries(self.entries)?,
            branches: branches.map(read).collect::<Result<_>>()?,
            ended_at: read_time("ended_at", self.ended_at.as_deref())?,
            title: self.title,
            summary: self.summary,
        })
    }
}

impl ImportedBranch {
    fn read(self) -> Result<everwhen::ImportedBranch> {
        if self.entries.is_empty() {
            return Err(
                Error::invalid("no entries given; a branch needs something said").at("entries")
            );
        }
        let archived_at = time::read_time(&self.archived_at);
        Ok(everwhen::ImportedBranch {
            archived_at: archived_at.map_err(|error| Error::from(error).at("archived_at"))?,
            entries: read_entries(self.entries)?,
        })
    }
}

/// The same error, its place inside a larger one: `branches[0].entries[2]: …`.
fn within(error: Error, outer: &str) -> Error {
    Error::new(error.kind(), format!("{outer}.{}", error.message()))
}

fn read_entries(entries: Vec<ImportedEntry>) -> Result<Vec<memory::NewEntry>> {
    let entries = entries.into_iter().enumerate();
    let read = |(index, entry): (usize, ImportedEntry)| {
        entry.read().map_err(|error| error.at(format!("entries[{index}]")))
    };
    entries.map(read).collect()
}

impl ImportedEntry {
    fn read(self) -> Result<memory::NewEntry> {
        let new = memory::NewEntry::new(self.role.into(), Said::new(self.content)?);
        Ok(memory::NewEntry {
            conversation_time: read_time("conversation_time", Some(&self.conversation_time))?,
            speaker: self.speaker.map(|name| Name::new("speaker", name)).transpose()?,
            tags: read_names("tags", self.tags)?,
            metadata: self.metadata.map(|metadata| read_metadata(&metadata)).transpose()?,
            tools_used: read_names("tools_used", self.tools_used)?,
            ..new
        })
    }
}

/// How to import.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ImportQuery {
    /// Check everything and say what would come in, but store nothing.
    pub(crate) dry_run: Option<bool>,
}

/// What an import brought in.
#[derive(Serialize, ToSchema)]
pub(crate) struct Imported {
    /// The conversation's name in its source.
    conversation_id: String,
    /// How many entries came in; those that were here before do not count.
    message_count: u64,
    /// How many branches they left.
    branch_count: u64,
}

impl Imported {
    /// Writes it; nothing if the receipt is that of another kind of write.
    pub(crate) fn write(name: String, receipt: &Receipt) -> Option<Self> {
        let Receipt::Imported { entries, branches, .. } = receipt else { return None };
        Some(Self { conversation_id: name, message_count: *entries, branch_count: *branches })
    }

    /// How many entries came in.
    pub(crate) fn entries(&self) -> usize {
        usize::try_from(self.message_count).unwrap_or(usize::MAX)
    }
}
