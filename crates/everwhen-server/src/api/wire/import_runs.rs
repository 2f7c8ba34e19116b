//! Imports of uploaded files, and what was found in them.

use std::collections::BTreeMap;

use everwhen::export::ForeignFormat;
use everwhen::import::Report;
use everwhen::{Error, Result};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::shape;
use crate::imports::{self, ImportState};

/// The most characters of a file's name.
const FILE_NAME: usize = 200;

/// How an uploaded file is imported.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ImportFileQuery {
    /// The name of the file, which reports name.
    #[param(max_length = 200)]
    name: Option<String>,
    /// The memory, by id or name; without one, each source has a memory of its own name.
    #[param(value_type = Option<shape::Name>)]
    pub(crate) memory: Option<String>,
    /// The source, if it should not be recognised.
    pub(crate) from: Option<String>,
    /// Check everything and report what would be imported, but store nothing.
    pub(crate) dry_run: Option<bool>,
    /// The time zone of local times, such as `Europe/Berlin`.
    #[param(value_type = Option<shape::ZoneName>)]
    pub(crate) timezone: Option<String>,
    /// The order of day and month in written dates: `dmy`, `mdy` or `ymd`.
    #[param(pattern = "^(dmy|mdy|ymd)$")]
    pub(crate) date_order: Option<String>,
    /// The time of messages that have none.
    #[param(value_type = Option<shape::TimeIn>)]
    pub(crate) at: Option<String>,
    /// Only what was said at or after this.
    #[param(value_type = Option<shape::TimeIn>)]
    pub(crate) since: Option<String>,
    /// Only what was said before this.
    #[param(value_type = Option<shape::TimeIn>)]
    pub(crate) until: Option<String>,
    /// Import what tools answered, too.
    pub(crate) tools: Option<bool>,
    /// Import instructions, too.
    pub(crate) system: Option<bool>,
    /// Import messages that the program did not show, too.
    pub(crate) hidden: Option<bool>,
    /// Leave out branches.
    pub(crate) drop_branches: Option<bool>,
    /// The name of the owner in chats between people.
    pub(crate) me: Option<String>,
    /// The field with the time, in files of no known program.
    pub(crate) time_field: Option<String>,
    /// The field with the role.
    pub(crate) role_field: Option<String>,
    /// The field with the text.
    pub(crate) text_field: Option<String>,
    /// The field with the name of the conversation.
    pub(crate) conversation_field: Option<String>,
}

impl ImportFileQuery {
    /// The name of the file, for reports.
    pub(crate) fn name(&self) -> Result<&str> {
        match self.name.as_deref().unwrap_or("upload") {
            name if name.chars().count() <= FILE_NAME => Ok(name),
            _ => Err(Error::invalid(format!("name: at most {FILE_NAME} characters"))),
        }
    }
}

/// What is exported.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ExportQuery {
    /// Only this memory, by id or name.
    #[param(value_type = Option<shape::Name>)]
    pub(crate) memory: Option<String>,
    /// The format: everything as lines of JSON, or the conversations of one memory as another program
    /// has them.
    #[serde(default)]
    #[param(inline)]
    pub(crate) format: ExportFormat,
}

/// The format of an export.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ExportFormat {
    /// Everything, as lines of JSON.
    #[default]
    Everwhen,
    /// `conversations.json` of ChatGPT.
    Chatgpt,
    /// `conversations.json` of Claude.ai.
    Claude,
    /// Chats of Open WebUI, as JSON.
    OpenWebui,
    /// A zip archive of SillyTavern's chats.
    Sillytavern,
}

impl ExportFormat {
    /// The format of another program; `None` for our own.
    pub(crate) fn foreign(self) -> Option<ForeignFormat> {
        match self {
            Self::Everwhen => None,
            Self::Chatgpt => Some(ForeignFormat::ChatGpt),
            Self::Claude => Some(ForeignFormat::Claude),
            Self::OpenWebui => Some(ForeignFormat::OpenWebUi),
            Self::Sillytavern => Some(ForeignFormat::SillyTavern),
        }
    }
}

/// An import of an uploaded file.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImportRun {
    /// Its id.
    id: String,
    /// The name of the file.
    file: String,
    /// How far it is.
    state: ImportStateName,
    /// Whether nothing is stored.
    dry_run: bool,
    /// When it began.
    #[schema(value_type = shape::TimeOut)]
    started_at: String,
    /// Messages that were read and stored, or found to be stored already.
    messages: u64,
    /// New entries.
    stored: u64,
    /// Entries that were stored already.
    known: u64,
    /// Entries whose text had changed in their source.
    corrected: u64,
    /// New branches.
    branches: u64,
    /// Conversations that were not stored, and why.
    refused: Vec<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// What was found in the file, once it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<ImportReport>,
}

/// How far an import is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ImportStateName {
    Running,
    Done,
    Cancelled,
    Failed,
}

/// Imports, newest first.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImportRuns {
    /// The imports.
    pub(crate) data: Vec<ImportRun>,
}

/// What was found in a file.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImportReport {
    /// Conversations with something said.
    conversations: u64,
    /// Messages, those on branches included.
    messages: u64,
    /// Branches.
    branches: u64,
    /// The first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<shape::TimeOut>)]
    first: Option<String>,
    /// The last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<shape::TimeOut>)]
    last: Option<String>,
    /// Messages by what their time was taken from.
    time_from: BTreeMap<String, u64>,
    /// Messages by how precisely their time is known.
    precision: BTreeMap<String, u64>,
    /// Messages without any time, which are left out.
    undated: u64,
    /// What was left out on purpose, by kind.
    left_out: BTreeMap<String, u64>,
    /// What a person should know.
    warnings: Vec<String>,
    /// What could not be read: the file, the place in it, and what to do.
    problems: Vec<String>,
}

impl ImportRun {
    /// Converts it from the server's type.
    pub(crate) fn write(run: &imports::UploadImport) -> Self {
        let (counts, state) = (run.progress.counts(), run.state());
        let (name, problem) = match state {
            ImportState::Running => (ImportStateName::Running, None),
            ImportState::Done => (ImportStateName::Done, None),
            ImportState::Cancelled => (ImportStateName::Cancelled, None),
            ImportState::Failed(problem) => (ImportStateName::Failed, Some(problem)),
        };
        Self {
            id: run.id.clone(),
            file: run.file.clone(),
            state: name,
            dry_run: run.is_rehearsal,
            started_at: run.started_at.to_string(),
            messages: counts.messages,
            stored: counts.stored,
            known: counts.known,
            corrected: counts.corrected,
            branches: counts.branches,
            refused: counts.refused.iter().map(|why| run.in_words_of_caller(why)).collect(),
            problem,
            found: run.progress.report().map(|report| ImportReport::write(report, run)),
        }
    }
}

impl ImportReport {
    fn write(report: Report, run: &imports::UploadImport) -> Self {
        let said = |sentences: Vec<String>| {
            sentences.iter().map(|one| run.in_words_of_caller(one)).collect()
        };
        let (first, last) = report.span.unzip();
        Self {
            conversations: report.conversations,
            messages: report.messages,
            branches: report.branches,
            first: first.map(|time| time.to_string()),
            last: last.map(|time| time.to_string()),
            time_from: named(report.time_from, |from| from.as_str()),
            precision: named(report.precision, |precision| precision.as_str()),
            undated: report.undated,
            left_out: report.left_out,
            warnings: said(report.warnings),
            problems: said(report.problems),
        }
    }
}

fn named<K>(counts: BTreeMap<K, u64>, name: fn(&K) -> &'static str) -> BTreeMap<String, u64> {
    counts.into_iter().map(|(key, count)| (name(&key).to_owned(), count)).collect()
}
