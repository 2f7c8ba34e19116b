//! The JSON types of the REST API. They are not the engine's types: their names and fields are
//! public, and each is converted from or to an engine type.
//!
//! Field names and descriptions become the OpenAPI document.

mod activities;
mod chapters;
mod context;
mod conversations;
mod density;
mod entries;
mod facts;
mod files;
mod import_runs;
mod imported_chapters;
mod imports;
mod keys;
mod lists;
mod period;
mod problem;
mod provenance;
mod recall;
mod receipts;
pub(crate) mod shape;
mod timeline;
mod times;
mod upkeep;
mod usage;
mod vaults;

pub(crate) use activities::{Activity, ConversationTime, NewActivities};
pub(crate) use chapters::{Chapter, ChaptersQuery, Regenerating, RollingSummary};
pub(crate) use context::{Context, ContextQuery, NewContext, VersionsQuery, checked_version};
pub(crate) use conversations::{
    Conversation, ConversationAsOfQuery, ConversationDetail, ConversationsQuery, EndConversation,
    Fork, Forked, Prompt, Retrospect, Retrospections, RetrospectionsQuery, Rules,
};
pub(crate) use density::{Density, DensityQuery};
pub(crate) use entries::{
    Batch, EntriesQuery, Entry, EntryPatch, NewCorrection, NewEntry, TagCount,
};
pub(crate) use facts::{
    Fact, FactPeriod, FactRemoved, FactsQuery, FactsText, FactsTextQuery, NewFactText, Pin,
    ProfileQuery, ProfileValue,
};
pub(crate) use files::FileAnswer;
pub(crate) use import_runs::{ExportQuery, ImportFileQuery, ImportRun, ImportRuns};
pub(crate) use imported_chapters::{ChapterImport, ImportedChapters};
pub(crate) use imports::{
    ImportBatch, ImportBatchQuery, ImportOutcome, ImportOutcomes, ImportQuery, Imported,
    ImportedConversation,
};
pub(crate) use keys::{Key, MadeKey, NewKey};
pub(crate) use lists::{NamesQuery, Page};
pub(crate) use period::PeriodQuery;
pub(crate) use problem::{Problem, ProblemKind, ProblemReason};
pub(crate) use recall::{Question, Recollection};
pub(crate) use receipts::{BatchReceipt, EntryReceipt, Removed};
pub(crate) use timeline::{TimelineLine, TimelineQuery};
pub(crate) use times::{NewTextTimes, TextTimes};
pub(crate) use upkeep::{
    BackupStatus, Doctor, HealthStatus, JobGroup, Jobs, OutboxStatus, Retried, RetriedJobs,
    RetryQuery, SetAsideJob, SettleQuery, Settled, WorkerTaskStatus,
};
pub(crate) use usage::{Usage, UsageMonth, UsageQuery};
pub(crate) use vaults::{Forget, Memory, MemoryPatch, NewMemory, NewVault, Vault, VaultPatch};

use everwhen::memory::{Address, ConversationId, ConversationName};
use everwhen::{ConflictReason, Error, Result, time};
use jiff::Timestamp;

/// Parses a time in a field; the error names the field.
fn read_time(field: &str, text: Option<&str>) -> Result<Option<Timestamp>> {
    text.map(|text| time::read_time(text).map_err(|error| Error::from(error).at(field))).transpose()
}

/// Parses a time in a query, where a plus sign that was not written as `%2B` has become a space.
fn read_query_time(field: &str, text: Option<&str>) -> Result<Option<Timestamp>> {
    let read = read_time(field, text);
    match text {
        Some(text) if read.is_err() && text.contains(' ') => {
            read.map_err(|error| error.hint("in a URL, write + as %2B"))
        }
        _ => read,
    }
}

/// The two ends of a period, `after` and `before`.
type Bounds = (Option<Timestamp>, Option<Timestamp>);

/// Rejects a period that ends before it begins. Each end is valid, so the error is a conflict and
/// not a syntax error.
fn check_bounds((after, before): Bounds) -> Result<Bounds> {
    if let (Some(after), Some(before)) = (after, before)
        && after >= before
    {
        return Err(Error::conflict(format!(
            "the period is empty: after is {after}, before is {before}; before must be later"
        ))
        .because(ConflictReason::InconsistentValues));
    }
    Ok((after, before))
}

/// Parses `after` and `before` of a query.
fn read_bounds(after: Option<&str>, before: Option<&str>) -> Result<Bounds> {
    check_bounds((read_query_time("after", after)?, read_query_time("before", before)?))
}

/// Parses the id or name of a conversation.
fn read_conversation(field: &str, text: Option<&str>) -> Result<Option<ConversationName>> {
    text.map(|text| Address::<ConversationId>::read(field, text)).transpose()
}

/// Adds a hint to an error.
trait Hint {
    fn hint(self, hint: &str) -> Self;
}

impl Hint for Error {
    fn hint(self, hint: &str) -> Self {
        let hinted = Self::new(self.kind(), format!("{}; {hint}", self.message()));
        self.reason().map_or(hinted.clone(), |reason| hinted.because(reason))
    }
}
