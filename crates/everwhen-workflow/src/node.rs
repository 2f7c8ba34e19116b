//! Nodes: what one step of a workflow does, parsed from its object in the file.

mod catalog;
mod read;
mod read_memory;
mod read_text;

use std::fmt;

pub(crate) use catalog::{COMMON, FOREIGN, NODE_TYPES, Property, node, refusal};

use crate::condition::Condition;
use crate::properties::Amount;
use crate::template::Template;

/// One step of a workflow.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
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
pub(crate) enum NodeKind {
    /// Calls a model.
    Standard(Box<Standard>),
    /// Updates chapters and facts.
    QualityMemory,
    /// Adds new chapters to the rolling summary.
    ChatSummarySummarizer(Box<Summarizer>),
    /// Returns the latest chapters.
    RecentMemorySummarizerTool(RecentChapters),
    /// Updates the chapters, then returns the latest ones.
    RecentMemory(RecentChapters),
    /// Updates the chapters, then runs the user's workflow for it, or returns the latest ones.
    ConversationMemory(RecentChapters),
    /// Returns the chapters that are not in the rolling summary yet.
    ChatSummaryMemoryGatheringTool,
    /// Replaces the rolling summary.
    WriteCurrentSummaryToFileAndReturnIt {
        /// The new text.
        input: Template,
    },
    /// Returns the context document.
    GetCurrentStateDocument,
    /// Searches messages or chapters for keywords.
    KeywordSearch(KeywordSearch),
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
    /// Describes the images of the chat with a model.
    ImageProcessor(Box<ImageProcessor>),
    /// Keeps the first or last pieces of a text.
    DelimitedChunker {
        /// The text.
        content: Template,
        /// The separator between pieces.
        delimiter: Template,
        /// The pieces to keep.
        part: TextPart,
    },
    /// Runs a workflow for every group of messages that it has not run for yet.
    ConversationChunkProcessor(Box<ChunkProcessor>),
    /// Returns the rolling summary and the chapters that are not in it, in tags.
    ContextCompactor,
    /// A type of WilmerAI that needs a service which is not run here; the run ends with the reason.
    Foreign(&'static ForeignType),
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
pub(crate) struct Standard {
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
    /// What of the chat is sent beside text, and how messages are arranged.
    pub passing: Passing,
    /// A text that is removed from the start of the reply.
    pub response_start: Option<Template>,
}

/// What of the chat is sent beside text, and how messages are arranged.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Passing {
    /// Whether images are sent.
    pub images: bool,
    /// How many images are sent at most; 0 means all.
    pub max_images: Amount,
    /// Whether the client's tools are offered to the model.
    pub tools: bool,
    /// Whether the latest calls of tools and their results follow an own prompt.
    pub tool_exchange: bool,
    /// Whether the names of called tools are changed to lower case.
    pub lowercase_calls: bool,
    /// Whether an assistant's message without text shows the tools it called.
    pub show_calls: bool,
    /// Maximum number of tokens of the messages that are sent instead of a prompt.
    pub last_messages_tokens: Option<Amount>,
    /// Joins messages of the assistant that follow each other with this separator.
    pub merge_with: Option<String>,
    /// A message of the user that is put between messages of the assistant.
    pub between: Option<String>,
}

/// A node that folds chapters into the rolling summary.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Summarizer {
    /// Does nothing while there are fewer new chapters than this.
    pub min_memories: Amount,
    /// More chapters than this are added in several rounds.
    pub loop_if_exceed: Amount,
    /// The node's own prompts, if it has any.
    pub own: Option<SummaryPrompts>,
}

/// The prompts of a node that folds chapters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SummaryPrompts {
    /// The endpoint to call.
    pub endpoint: Template,
    /// The preset to use.
    pub preset: Option<Template>,
    /// The system prompt.
    pub system_prompt: Template,
    /// The user prompt.
    pub prompt: Template,
    /// Maximum length of the summary, in tokens.
    pub max_tokens: Amount,
}

/// A search for keywords.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KeywordSearch {
    /// The name of the type in the file: two have the same meaning.
    pub type_name: &'static str,
    /// Keywords, separated by semicolons.
    pub keywords: Template,
    /// Whether chapters are searched instead of messages.
    pub in_memories: bool,
    /// How many of the latest messages are skipped.
    pub lookback: Amount,
}

/// A node that describes images.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ImageProcessor {
    /// How the model is called.
    pub ask: Standard,
    /// Whether the description is added to the chat for the nodes after this one.
    pub add_as_message: bool,
    /// The message that is added; `[IMAGE_BLOCK]` is replaced by the description.
    pub message: Option<Template>,
    /// Whether a description is kept, so that an image is described once in a memory.
    pub keeps: bool,
}

/// A node that runs a workflow for every group of messages.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChunkProcessor {
    /// The name of the file that holds its progress.
    pub id: String,
    /// The workflow; its first input is the text of the group.
    pub run: SubWorkflow,
    /// Messages in a group.
    pub size: Amount,
    /// How many of the latest messages are left for later.
    pub lookback: Amount,
    /// The directory of the file that holds its progress.
    pub directory: Template,
    /// A file whose content is the output.
    pub return_file: Option<Template>,
}

/// A node type of WilmerAI that needs a service which is not run here.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ForeignType {
    /// Its name.
    pub name: &'static str,
    /// What it needs.
    pub needs: &'static str,
    /// What can be used here instead.
    pub instead: &'static str,
}

/// A prompt: plain text with variables, or a Jinja template.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Prompt {
    /// Text with `{variables}`.
    Plain(Template),
    /// A Jinja template.
    Jinja(String),
}

/// Sizes of the variables whose length a node can set.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Windows {
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
pub(crate) struct RecentChapters {
    /// How many messages to return if there are no chapters.
    pub turns: Amount,
    /// How many chapters: 0 means three, -1 means all.
    pub chapters: Amount,
    /// How many of the latest messages to skip if there are no chapters.
    pub skip: Amount,
    /// The separator between chapters.
    pub delimiter: String,
}

/// A search in the memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Search {
    /// Keywords, separated by semicolons.
    pub input: Template,
    /// Maximum number of results.
    pub limit: Amount,
    /// How results are found.
    pub mode: SearchMode,
    /// What is looked for by meaning, instead of the keywords.
    pub semantic: Option<Template>,
    /// Whether each result is prefixed with its date.
    pub dates: bool,
}

/// How a search finds results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchMode {
    /// By words.
    Keyword,
    /// By meaning.
    Semantic,
    /// By words and meaning.
    Hybrid,
}

/// Another workflow to run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SubWorkflow {
    /// The name of the workflow.
    pub name: String,
    /// The folder it is in, if that is another one.
    pub folder: Option<String>,
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
pub(crate) struct WorkflowChoice {
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
pub(crate) struct FileToRead {
    /// The path of the file.
    pub path: Template,
    /// A text in the file that is replaced.
    pub delimiter: Option<String>,
    /// The text that replaces it.
    pub replacement: Option<String>,
    /// Limits the result to the first or last pieces of the file.
    pub part: Option<TextPart>,
    /// The separator between pieces.
    pub piece_delimiter: String,
}

/// The first or last pieces of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextPart {
    /// The first pieces.
    Head(usize),
    /// The last pieces.
    Tail(usize),
}

impl NodeKind {
    /// The name of the type, as written in files.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Standard(_) => "Standard",
            Self::QualityMemory => "QualityMemory",
            Self::ConversationMemory(_) => "ConversationMemory",
            Self::ChatSummaryMemoryGatheringTool => "ChatSummaryMemoryGatheringTool",
            Self::WriteCurrentSummaryToFileAndReturnIt { .. } => {
                "WriteCurrentSummaryToFileAndReturnIt"
            }
            Self::GetCurrentStateDocument => "GetCurrentStateDocument",
            Self::KeywordSearch(search) => search.type_name,
            Self::ImageProcessor(_) => "ImageProcessor",
            Self::DelimitedChunker { .. } => "DelimitedChunker",
            Self::ConversationChunkProcessor(_) => "ConversationChunkProcessor",
            Self::ContextCompactor => "ContextCompactor",
            Self::Foreign(foreign) => foreign.name,
            Self::ChatSummarySummarizer(_) => "chatSummarySummarizer",
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
    pub(crate) fn runs(&self) -> Vec<&SubWorkflow> {
        match self {
            Self::CustomWorkflow(one) => vec![one],
            Self::ConversationChunkProcessor(processor) => vec![&processor.run],
            Self::ConditionalCustomWorkflow(fork) => {
                let routes = fork.routes.iter().map(|(_, one)| one);
                routes.chain(&fork.otherwise).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Node {
    /// The endpoint and the preset that the node names, if it calls a model.
    pub(crate) fn asked(&self) -> Option<(&Template, Option<&Template>)> {
        match &self.kind {
            NodeKind::Standard(ask) => Some((&ask.endpoint, ask.preset.as_ref())),
            NodeKind::ImageProcessor(image) => {
                Some((&image.ask.endpoint, image.ask.preset.as_ref()))
            }
            NodeKind::ChatSummarySummarizer(summarizer) => {
                let own = summarizer.own.as_ref()?;
                Some((&own.endpoint, own.preset.as_ref()))
            }
            _ => None,
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
