//! Nodes: what one step of a workflow does, parsed from its object in the file.

mod read;

use std::fmt;

pub(crate) use read::node;

use crate::condition::Condition;
use crate::properties::Amount;
use crate::template::Template;

/// One step of a workflow.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The line it begins on.
    pub line: usize,
    /// The title its author gave it.
    pub title: String,
    /// Whether the file marks it as the node that answers the user.
    pub answers: bool,
    /// What it does.
    pub kind: NodeKind,
}

/// What a node does. Variants are named after the types in the file.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// Calls a model.
    Standard(Box<Standard>),
    /// Updates chapters and facts.
    QualityMemory,
    /// Adds new chapters to the rolling summary.
    ChatSummarySummarizer {
        /// Does nothing while there are fewer new chapters than this.
        min_memories: Amount,
        /// More chapters than this are added in several rounds.
        loop_if_exceed: Amount,
    },
    /// Returns the latest chapters.
    RecentMemorySummarizerTool(RecentChapters),
    /// Updates the chapters, then returns the latest ones.
    RecentMemory(RecentChapters),
    /// Returns the rolling summary.
    GetCurrentSummaryFromFile,
    /// Updates the rolling summary, unless it is edited by hand, and returns it.
    FullChatSummary {
        /// Whether the summary is edited by hand, so that it is only read.
        by_hand: bool,
    },
    /// Searches the memory.
    VectorMemorySearch(Search),
    /// Returns all chapters.
    GetCurrentMemoryFromFile,
    /// Ends the run if another run holds this lock.
    WorkflowLock {
        /// The name of the lock.
        lock: String,
    },
    /// Runs another workflow.
    CustomWorkflow(SubWorkflow),
    /// Runs one of several workflows.
    ConditionalCustomWorkflow(Box<WorkflowChoice>),
    /// Returns `TRUE` or `FALSE`.
    Conditional(Condition),
    /// Joins texts.
    StringConcatenator {
        /// The texts to join.
        strings: Vec<Template>,
        /// The separator.
        delimiter: String,
    },
    /// Returns a fixed text.
    StaticResponse {
        /// The text.
        content: Template,
    },
    /// Reads a file.
    GetCustomFile(FileToRead),
    /// Writes a file.
    SaveCustomFile {
        /// The path of the file.
        path: Template,
        /// The new content.
        content: Template,
        /// Whether the content is appended instead of replacing the file.
        append: bool,
    },
    /// Extracts the content of a tag.
    TagTextExtractor {
        /// The text to search.
        from: Template,
        /// The name of the tag.
        tag: Template,
        /// The result if there is no such tag.
        otherwise: Option<Template>,
    },
    /// Extracts a field of a JSON object.
    JsonExtractor {
        /// The JSON text.
        from: Template,
        /// The name of the field.
        field: Template,
    },
    /// Evaluates an arithmetic expression.
    ArithmeticProcessor {
        /// Two numbers and an operator.
        expression: Template,
    },
}

/// A call to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Standard {
    /// The endpoint to call.
    pub endpoint: Template,
    /// The preset to use.
    pub preset: Option<Template>,
    /// The system prompt.
    pub system_prompt: Prompt,
    /// The user prompt; if it is empty, the latest messages are sent instead.
    pub prompt: Prompt,
    /// How many messages are sent if the prompt is empty.
    pub last_messages: Amount,
    /// Maximum length of the reply, in tokens.
    pub max_tokens: Amount,
    /// How much of the conversation its variables hold.
    pub windows: Windows,
    /// How messages are dated.
    pub stamps: Stamps,
}

/// A prompt: plain text with variables, or a Jinja template.
#[derive(Debug, Clone, PartialEq)]
pub enum Prompt {
    /// Text with `{variables}`.
    Plain(Template),
    /// A Jinja template.
    Jinja(String),
}

/// Sizes of the variables whose length a node can set.
#[derive(Debug, Clone, PartialEq)]
pub struct Windows {
    /// Messages in `…_n_messages`.
    pub messages: Amount,
    /// Tokens in `…_estimated_token_limit`.
    pub tokens: Amount,
    /// Minimum number of messages in `…_min_n_max_tokens`.
    pub min_messages: Amount,
    /// Maximum number of tokens in `…_min_n_max_tokens`, beyond that minimum.
    pub max_tokens: Amount,
    /// Whether each message is prefixed with its speaker.
    pub tags: bool,
}

/// The three timestamp properties of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamps {
    /// Whether messages are dated at all.
    pub on: bool,
    /// Whether dates are relative ("2 hours ago").
    pub relative: bool,
    /// Whether a reply gets its time as soon as it is complete.
    pub group_chat: bool,
}

/// Which chapters a node returns.
#[derive(Debug, Clone, PartialEq)]
pub struct RecentChapters {
    /// How many messages to return if there are no chapters.
    pub turns: Amount,
    /// How many chapters: 0 means three, -1 means all.
    pub chapters: Amount,
    /// How many of the latest chapters to skip.
    pub skip: Amount,
    /// The separator between chapters.
    pub delimiter: String,
}

/// A search in the memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// Keywords, separated by semicolons.
    pub input: Template,
    /// Maximum number of results.
    pub limit: Amount,
    /// How results are found.
    pub mode: SearchMode,
    /// Whether each result is prefixed with its date.
    pub dates: bool,
}

/// How a search finds results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchMode {
    /// By words.
    Keyword,
    /// By meaning.
    Semantic,
    /// By words and meaning.
    Hybrid,
}

/// Another workflow to run.
#[derive(Debug, Clone, PartialEq)]
pub struct SubWorkflow {
    /// The name of the workflow.
    pub name: String,
    /// The line that names it.
    pub line: usize,
    /// The values of `{agent1Input}`, `{agent2Input}` and so on.
    pub inputs: Vec<Template>,
    /// Replaces the system prompt of its first node.
    pub system_prompt: Option<Template>,
    /// Replaces the user prompt of its first node.
    pub prompt: Option<Template>,
}

/// Several workflows, one of which is chosen by a value.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkflowChoice {
    /// The value that chooses.
    pub key: Template,
    /// The workflows by value, in lower case.
    pub routes: Vec<(String, SubWorkflow)>,
    /// The text to return if no value matches.
    pub otherwise_text: Option<Template>,
    /// The workflow to run if no value matches and there is no such text.
    pub otherwise: Option<SubWorkflow>,
}

/// A file to read.
#[derive(Debug, Clone, PartialEq)]
pub struct FileToRead {
    /// The path of the file.
    pub path: Template,
    /// A text in the file that is replaced.
    pub delimiter: Option<String>,
    /// The text that replaces it.
    pub replacement: Option<String>,
    /// Limits the result to the first or last pieces of the file.
    pub part: Option<FilePart>,
    /// The separator between pieces.
    pub piece_delimiter: String,
}

/// A part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilePart {
    /// The first pieces.
    Head(usize),
    /// The last pieces.
    Tail(usize),
}

impl NodeKind {
    /// The name of the type, as written in files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Standard(_) => "Standard",
            Self::QualityMemory => "QualityMemory",
            Self::ChatSummarySummarizer { .. } => "chatSummarySummarizer",
            Self::RecentMemorySummarizerTool(_) => "RecentMemorySummarizerTool",
            Self::RecentMemory(_) => "RecentMemory",
            Self::GetCurrentSummaryFromFile => "GetCurrentSummaryFromFile",
            Self::FullChatSummary { .. } => "FullChatSummary",
            Self::VectorMemorySearch(_) => "VectorMemorySearch",
            Self::GetCurrentMemoryFromFile => "GetCurrentMemoryFromFile",
            Self::WorkflowLock { .. } => "WorkflowLock",
            Self::CustomWorkflow(_) => "CustomWorkflow",
            Self::ConditionalCustomWorkflow(_) => "ConditionalCustomWorkflow",
            Self::Conditional(_) => "Conditional",
            Self::StringConcatenator { .. } => "StringConcatenator",
            Self::StaticResponse { .. } => "StaticResponse",
            Self::GetCustomFile(_) => "GetCustomFile",
            Self::SaveCustomFile { .. } => "SaveCustomFile",
            Self::TagTextExtractor { .. } => "TagTextExtractor",
            Self::JsonExtractor { .. } => "JsonExtractor",
            Self::ArithmeticProcessor { .. } => "ArithmeticProcessor",
        }
    }

    /// The workflows that the node may run.
    pub fn runs(&self) -> Vec<&SubWorkflow> {
        match self {
            Self::CustomWorkflow(one) => vec![one],
            Self::ConditionalCustomWorkflow(fork) => {
                let routes = fork.routes.iter().map(|(_, one)| one);
                routes.chain(&fork.otherwise).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.title.is_empty() {
            write!(f, "the node on line {}", self.line)
        } else {
            write!(f, "the node {:?} on line {}", self.title, self.line)
        }
    }
}
