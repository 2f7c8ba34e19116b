//! What a run needs from the outside: models, the memory of the chat, and files.

use std::collections::BTreeMap;
use std::sync::Arc;

use everwhen::Result;
use everwhen::chapters::Folding;
use everwhen::models::OnText;
use everwhen::ports::{ChapterWriter, PromptMessage, Spent, Wait};
use serde_json::Value;

use crate::node::{SearchMode, Stamps};

/// A call to a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Question<'q> {
    /// The endpoint, by its name in the configuration.
    pub endpoint: &'q str,
    /// The preset, by its name in the configuration.
    pub preset: Option<&'q str>,
    /// The system prompt first, then the messages.
    pub messages: Vec<PromptMessage>,
    /// Maximum length of the reply, in tokens.
    pub max_tokens: u32,
    /// Messages that hold more than text, by their place, as OpenAI's protocol writes them.
    pub raw: BTreeMap<usize, Value>,
    /// `tools` and `tool_choice` as OpenAI's protocol writes them, if tools are offered.
    pub tools: Option<&'q Value>,
    /// A text that is removed from the start of the reply.
    pub removed_start: Option<String>,
}

/// A model's reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelReply {
    /// The text.
    pub text: String,
    /// The model that wrote it.
    pub model: String,
    /// Tokens and cost of the call.
    pub spent: Spent,
    /// The tools that the model calls, as OpenAI's protocol writes them.
    pub calls: Vec<Value>,
}

/// The models that nodes can call.
pub(crate) trait Endpoints: Send + Sync {
    /// Calls a model. `on_text` gets the reply piece by piece; the result is the whole reply.
    fn ask<'a>(&'a self, question: &'a Question<'a>, on_text: OnText<'a>) -> Wait<'a, ModelReply>;
}

/// A search in the memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SearchQuery {
    /// Matches any of these keywords.
    pub keywords: Vec<String>,
    /// Maximum number of results.
    pub limit: usize,
    /// How results are found.
    pub mode: SearchMode,
    /// What is looked for by meaning, instead of the keywords.
    pub semantic: Option<String>,
}

/// One search result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchHit {
    /// The day it was said, `YYYY-MM-DD` in the vault's time zone.
    pub day: String,
    /// Its text.
    pub text: String,
}

/// The memory of the chat that a workflow runs for.
pub(crate) trait ChatMemory: Send + Sync {
    /// Updates chapters and facts.
    fn distill(&self) -> Wait<'_, ()>;
    /// Updates the rolling summary, with the words of a writer if one is given.
    fn fold(&self, folding: Folding, writer: Option<Arc<dyn ChapterWriter>>) -> Wait<'_, ()>;
    /// All chapters, oldest first.
    fn chapters(&self) -> Wait<'_, Vec<String>>;
    /// The rolling summary, if there is one.
    fn summary(&self) -> Wait<'_, Option<String>>;
    /// The chapters that are not in the rolling summary, oldest first.
    fn unfolded(&self) -> Wait<'_, Vec<String>>;
    /// Writes a version of the rolling summary.
    fn write_summary(&self, text: String) -> Wait<'_, ()>;
    /// The context document, if there is one.
    fn state(&self) -> Wait<'_, Option<String>>;
    /// Searches the memory.
    fn search<'a>(&'a self, wanted: &'a SearchQuery) -> Wait<'a, Vec<SearchHit>>;
    /// Acquires a lock of this workflow in this memory. Returns `false` if another run holds it; a
    /// run may acquire its own lock again.
    fn lock<'a>(&'a self, workflow: &'a str, lock: &'a str) -> Wait<'a, bool>;
    /// Releases a lock.
    fn unlock<'a>(&'a self, workflow: &'a str, lock: &'a str) -> Wait<'a, ()>;
    /// The messages of the chat, each with its date in front; system messages stay as they are.
    fn stamp<'a>(
        &'a self,
        messages: &'a [PromptMessage],
        stamps: Stamps,
    ) -> Wait<'a, Vec<PromptMessage>>;
}

/// Files that workflows read and write, below one directory.
pub(crate) trait Files: Send + Sync {
    /// Reads a file; `None` if it does not exist.
    fn read(&self, path: &str) -> Result<Option<String>>;
    /// Writes or appends to a file; creates its parent directories.
    fn write(&self, path: &str, content: &str, append: bool) -> Result<()>;
}
