//! What a run needs from the outside: models, the memory of the chat, and files.

use everwhen::Result;
use everwhen::chapters::Folding;
use everwhen::models::Hear;
use everwhen::ports::{PromptMessage, Spent, Wait};

use crate::node::{SearchMode, Stamps};

/// A call to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Question<'q> {
    /// The endpoint, by its name in the configuration.
    pub endpoint: &'q str,
    /// The preset, by its name in the configuration.
    pub preset: Option<&'q str>,
    /// The system prompt first, then the messages.
    pub messages: Vec<PromptMessage>,
    /// Maximum length of the reply, in tokens.
    pub max_tokens: u32,
}

/// A model's reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelReply {
    /// The text.
    pub text: String,
    /// Tokens and cost of the call.
    pub spent: Spent,
}

/// The models that nodes can call.
pub trait Endpoints: Send + Sync {
    /// Calls a model. `hear` gets the reply piece by piece; the result is the whole reply.
    fn ask<'a>(&'a self, question: &'a Question<'a>, hear: Hear<'a>) -> Wait<'a, ModelReply>;
}

/// A search in the memory.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchQuery {
    /// Matches any of these keywords.
    pub keywords: Vec<String>,
    /// Maximum number of results.
    pub limit: usize,
    /// How results are found.
    pub mode: SearchMode,
}

/// One search result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchHit {
    /// The day it was said, `YYYY-MM-DD` in the vault's time zone.
    pub day: String,
    /// Its text.
    pub text: String,
}

/// The memory of the chat that a workflow runs for.
pub trait ChatMemory: Send + Sync {
    /// Updates chapters and facts.
    fn distill(&self) -> Wait<'_, ()>;
    /// Updates the rolling summary.
    fn fold(&self, folding: Folding) -> Wait<'_, ()>;
    /// All chapters, oldest first.
    fn chapters(&self) -> Wait<'_, Vec<String>>;
    /// The rolling summary, if there is one.
    fn summary(&self) -> Wait<'_, Option<String>>;
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
pub trait Files: Send + Sync {
    /// Reads a file; `None` if it does not exist.
    fn read(&self, path: &str) -> Result<Option<String>>;
    /// Writes or appends to a file; creates its parent directories.
    fn write(&self, path: &str, content: &str, append: bool) -> Result<()>;
}
