//! Conversations imported from another system.

use everwhen::memory::{self, Name, Said};
use everwhen::receipt::Receipt;
use everwhen::{Error, ImportMode, Result, time};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::entries::{RoleName, read_metadata, read_names};
use super::provenance::Provenance;
use super::{read_time, shape};

/// A conversation of another system.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportedConversation {
    /// Its name in that system.
    #[schema(value_type = shape::SourceName)]
    conversation_id: String,
    /// Its entries; together with its branches at least one and at most 10,000.
    entries: Vec<ImportedEntry>,
    /// Its branches.
    branches: Option<Vec<ImportedBranch>>,
    /// When it was ended explicitly; null if it was not. No conversation ends before its last entry,
    /// and one that has been idle for long has ended anyway.
    #[schema(value_type = Option<shape::TimeIn>)]
    ended_at: Option<String>,
    /// Its title in that system; kept if the conversation has ended.
    #[schema(value_type = Option<shape::SourceTitle>)]
    title: Option<String>,
    /// Its summary in that system; kept if the conversation has ended.
    #[schema(value_type = Option<shape::SourceSummary>)]
    summary: Option<String>,
}

/// A branch of a conversation of another system.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportedBranch {
    /// When the fork happened.
    #[schema(value_type = shape::TimeIn)]
    archived_at: String,
    /// The entries of the branch.
    #[schema(min_items = 1)]
    entries: Vec<ImportedEntry>,
}

/// An entry of another system.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportedEntry {
    /// The role of the speaker.
    role: RoleName,
    /// What was said.
    #[schema(value_type = shape::Content)]
    content: String,
    /// When it was said.
    #[schema(value_type = shape::TimeIn)]
    conversation_time: String,
    /// The name of the speaker, if several people share the role.
    #[schema(value_type = Option<shape::Name>)]
    speaker: Option<String>,
    /// Tags, at most 64.
    #[schema(value_type = Option<Vec<shape::Name>>)]
    tags: Option<Vec<String>>,
    /// Any JSON object of the caller, at most 64 KiB as text.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Box<RawValue>>,
    /// Tools that the assistant used, at most 64.
    #[schema(value_type = Option<Vec<shape::Name>>)]
    tools_used: Option<Vec<String>>,
    /// Whether this is a question of the assistant that waits for an answer.
    is_question: Option<bool>,
    /// Where it comes from, and how well its time is known. An entry whose `source_id` is known in the
    /// memory is not stored again; if its text has changed, it is corrected.
    provenance: Option<Provenance>,
}

/// Conversations of other systems, imported in one durable write.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportBatch {
    /// The conversations.
    conversations: Vec<ImportedConversation>,
}

/// What became of one of several conversations.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImportOutcome {
    /// The name of the conversation in its system.
    conversation_id: String,
    /// New entries.
    stored: u64,
    /// Entries that were stored already.
    known: u64,
    /// Entries whose text had changed in their source.
    corrected: u64,
    /// New branches.
    branches: u64,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// What became of several conversations.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImportOutcomes {
    /// For each conversation, in the order of the request.
    pub(crate) outcomes: Vec<ImportOutcome>,
}

impl ImportBatch {
    /// Converts them to the engine's type; a malformed one is an error.
    pub(crate) fn read(self) -> Result<Vec<everwhen::ImportedConversation>> {
        let checked = |one: ImportedConversation| {
            let one = one.read()?;
            one.check_texts().map(|()| one)
        };
        let read = |(at, one): (usize, ImportedConversation)| {
            checked(one).map_err(|error| error.at(format!("conversations[{at}]")))
        };
        self.conversations.into_iter().enumerate().map(read).collect()
    }
}

impl ImportOutcome {
    /// Converts it from the engine's type.
    pub(crate) fn write(conversation_id: String, outcome: Result<everwhen::ImportOutcome>) -> Self {
        let (outcome, problem) = match outcome {
            Ok(outcome) => (outcome, None),
            Err(error) => (everwhen::ImportOutcome::default(), Some(error.message().to_owned())),
        };
        let everwhen::ImportOutcome { stored, known, corrected, branches, .. } = outcome;
        Self { conversation_id, stored, known, corrected, branches, problem }
    }

    /// Number of new entries.
    pub(crate) fn stored(&self) -> usize {
        usize::try_from(self.stored).unwrap_or(usize::MAX)
    }
}

impl ImportedConversation {
    /// Converts it to the engine's type; an error names the part.
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
            extract: None,
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

/// Prefixes an error with its position: `branches[0].entries[2]: …`.
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
            is_question: self.is_question.unwrap_or_default(),
            provenance: self.provenance.map(Provenance::read).transpose()?,
            ..new
        })
    }
}

/// Options of an import.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ImportQuery {
    /// Check everything and report what would be imported, but store nothing.
    pub(crate) dry_run: Option<bool>,
}

/// Options of an import of several conversations.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ImportBatchQuery {
    /// Check everything and report what would be imported, but store nothing.
    dry_run: Option<bool>,
    /// Leave out what was imported into this memory before and then forgotten; it counts as known. For
    /// programs that send the same file again by themselves.
    skip_forgotten: Option<bool>,
}

impl ImportBatchQuery {
    pub(crate) fn mode(&self) -> ImportMode {
        ImportMode {
            is_rehearsal: self.dry_run.unwrap_or_default(),
            skips_forgotten: self.skip_forgotten.unwrap_or_default(),
        }
    }
}

/// The result of an import.
#[derive(Serialize, ToSchema)]
pub(crate) struct Imported {
    /// The name of the conversation in that system.
    conversation_id: String,
    /// Number of new entries; those that were already stored do not count.
    message_count: u64,
    /// Number of branches.
    branch_count: u64,
}

impl Imported {
    /// Converts a receipt; `None` if it is that of another kind of write.
    pub(crate) fn write(name: String, receipt: &Receipt) -> Option<Self> {
        let Receipt::Imported { entries, branches, .. } = receipt else { return None };
        Some(Self { conversation_id: name, message_count: *entries, branch_count: *branches })
    }

    /// Number of new entries.
    pub(crate) fn entries(&self) -> usize {
        usize::try_from(self.message_count).unwrap_or(usize::MAX)
    }
}
