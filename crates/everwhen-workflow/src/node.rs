//! Nodes: what one step of a workflow does, read from its object in the file.

mod read;

use std::fmt;

pub(crate) use read::node;

use crate::condition::Condition;
use crate::properties::Amount;
use crate::template::Template;

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The line it begins on.
    pub line: usize,
    /// What its author calls it.
    pub title: String,
    /// Whether it says of itself that it answers the user.
    pub answers: bool,
    /// What it does.
    pub kind: Kind,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Asks a model.
    Standard(Box<Standard>),
    /// Brings what is distilled from the memory up to date.
    QualityMemory,
    /// Folds new chapters into the rolling summary.
    ChatSummarySummarizer {
        /// At least so many new chapters.
        min_memories: Amount,
        /// More than so many are folded in several rounds.
        loop_if_exceed: Amount,
    },
    /// Shows the last chapters.
    RecentMemorySummarizerTool(RecentChapters),
    /// Brings chapters up to date, then shows the last ones.
    RecentMemory(RecentChapters),
    /// Shows the rolling summary.
    GetCurrentSummaryFromFile,
    /// Brings the rolling summary up to date, unless it is kept by hand, and shows it.
    FullChatSummary {
        /// Read only.
        by_hand: bool,
    },
    /// Searches the memory.
    VectorMemorySearch(Search),
    /// Shows all chapters.
    GetCurrentMemoryFromFile,
    /// Goes on only if nobody else is behind this lock.
    WorkflowLock {
        /// Its name.
        lock: String,
    },
    /// Runs another workflow.
    CustomWorkflow(SubWorkflow),
    /// Runs one of several workflows.
    ConditionalCustomWorkflow(Box<Fork>),
    /// Says `TRUE` or `FALSE`.
    Conditional(Condition),
    /// Joins texts.
    StringConcatenator {
        /// The texts.
        strings: Vec<Template>,
        /// What stands between them.
        delimiter: String,
    },
    /// Says a text.
    StaticResponse {
        /// The text.
        content: Template,
    },
    /// Reads a file.
    GetCustomFile(FileToRead),
    /// Writes a file.
    SaveCustomFile {
        /// Where.
        path: Template,
        /// What.
        content: Template,
        /// Behind what is there, instead of in its place.
        append: bool,
    },
    /// Finds what stands in a tag.
    TagTextExtractor {
        /// The text.
        from: Template,
        /// The tag.
        tag: Template,
        /// What it says if there is no such tag.
        otherwise: Option<Template>,
    },
    /// Finds a field of JSON.
    JsonExtractor {
        /// The JSON.
        from: Template,
        /// The field.
        field: Template,
    },
    /// Calculates.
    ArithmeticProcessor {
        /// Two numbers and a sign.
        expression: Template,
    },
}

/// How a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Standard {
    /// Which endpoint.
    pub endpoint: Template,
    /// Which preset.
    pub preset: Option<Template>,
    /// Instructions.
    pub system_prompt: Prompt,
    /// The question; if it comes to nothing, the last messages are sent instead.
    pub prompt: Prompt,
    /// How many messages then.
    pub last_messages: Amount,
    /// The longest reply, in tokens.
    pub max_tokens: Amount,
    /// What the variables of the conversation hold.
    pub windows: Windows,
    /// How messages are dated.
    pub stamps: Stamps,
}

/// A prompt: plain, or written in Jinja.
#[derive(Debug, Clone, PartialEq)]
pub enum Prompt {
    /// With `{variables}`.
    Plain(Template),
    /// In Jinja.
    Jinja(String),
}

/// How much of a conversation the variables with a size of their own hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Windows {
    /// Messages in `…_n_messages`.
    pub messages: Amount,
    /// Tokens in `…_estimated_token_limit`.
    pub tokens: Amount,
    /// Messages at least in `…_min_n_max_tokens`.
    pub min_messages: Amount,
    /// Tokens at most there, beyond that least.
    pub max_tokens: Amount,
    /// Whether each message says who speaks.
    pub tags: bool,
}

/// The three timestamp properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamps {
    /// Whether messages are dated at all.
    pub on: bool,
    /// By how long ago they were sent.
    pub relative: bool,
    /// Whether a reply is dated as soon as it is complete.
    pub group_chat: bool,
}

/// Which chapters are shown.
#[derive(Debug, Clone, PartialEq)]
pub struct RecentChapters {
    /// Messages, where there are no chapters to show.
    pub turns: Amount,
    /// Chapters: 0 for three, -1 for all.
    pub chapters: Amount,
    /// How many of the newest are left out.
    pub skip: Amount,
    /// What stands between them.
    pub delimiter: String,
}

/// What is searched for.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// Keywords between semicolons.
    pub input: Template,
    /// At most so many.
    pub limit: Amount,
    /// How.
    pub mode: SearchMode,
    /// Whether each says when it was said.
    pub dates: bool,
}

/// How a search finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchMode {
    /// By words.
    Keyword,
    /// By meaning.
    Semantic,
    /// By both.
    Hybrid,
}

/// Another workflow to run.
#[derive(Debug, Clone, PartialEq)]
pub struct SubWorkflow {
    /// Its name.
    pub name: String,
    /// The line that names it.
    pub line: usize,
    /// What it sees as `{agent1Input}` and so on.
    pub inputs: Vec<Template>,
    /// Instructions for its first node.
    pub system_prompt: Option<Template>,
    /// The question for its first node.
    pub prompt: Option<Template>,
}

/// Several workflows, one of which is run.
#[derive(Debug, Clone, PartialEq)]
pub struct Fork {
    /// What decides.
    pub key: Template,
    /// By value, in small letters.
    pub routes: Vec<(String, SubWorkflow)>,
    /// If no value fits: this text,
    pub otherwise_text: Option<Template>,
    /// else this workflow.
    pub otherwise: Option<SubWorkflow>,
}

/// A file to read.
#[derive(Debug, Clone, PartialEq)]
pub struct FileToRead {
    /// Where.
    pub path: Template,
    /// A text that is replaced,
    pub delimiter: Option<String>,
    /// and by what.
    pub replacement: Option<String>,
    /// Only so many pieces.
    pub part: Option<Part>,
    /// What divides pieces.
    pub piece_delimiter: String,
}

/// A part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The first pieces.
    Head(usize),
    /// The last ones.
    Tail(usize),
}

impl Kind {
    /// Its type, as files write it.
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

    /// The workflows it may run.
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
