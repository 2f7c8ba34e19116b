//! What a run needs from the world: models behind endpoints, and the memory of the chat.

use everwhen::Result;
use everwhen::chapters::Folding;
use everwhen::models::Hear;
use everwhen::ports::{PromptMessage, Spent, Wait};

use crate::node::{SearchMode, Stamps};

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Question<'q> {
    /// The endpoint, by the name it has in the configuration.
    pub endpoint: &'q str,
    /// The preset, by the name it has there.
    pub preset: Option<&'q str>,
    /// Instructions first, then what was said.
    pub messages: Vec<PromptMessage>,
    /// The longest answer, in tokens.
    pub max_tokens: u32,
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The text.
    pub text: String,
    /// What it took.
    pub spent: Spent,
}

/// Models behind endpoints.
pub trait Endpoints: Send + Sync {
    /// Asks a model. Its answer is heard piece by piece as it comes, and told whole at the end.
    fn ask<'a>(&'a self, question: &'a Question<'a>, hear: Hear<'a>) -> Wait<'a, Told>;
}

/// What is searched for in the memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// Any of these.
    pub keywords: Vec<String>,
    /// At most so many.
    pub limit: usize,
    /// How.
    pub mode: SearchMode,
}

/// Something found in the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The day it was said, `YYYY-MM-DD` in the vault's zone.
    pub day: String,
    /// What it says.
    pub text: String,
}

/// The memory of the chat a workflow runs for.
pub trait Desk: Send + Sync {
    /// Brings chapters and facts up to date.
    fn distill(&self) -> Wait<'_, ()>;
    /// Brings the rolling summary up to date.
    fn fold(&self, folding: Folding) -> Wait<'_, ()>;
    /// All chapters, oldest first.
    fn chapters(&self) -> Wait<'_, Vec<String>>;
    /// The rolling summary, if there is one.
    fn summary(&self) -> Wait<'_, Option<String>>;
    /// Searches.
    fn search<'a>(&'a self, wanted: &'a Wanted) -> Wait<'a, Vec<Found>>;
    /// Takes a lock of this workflow in this memory; says whether nobody else has it. Taking it
    /// again is allowed.
    fn lock<'a>(&'a self, workflow: &'a str, lock: &'a str) -> Wait<'a, bool>;
    /// Lets a lock go.
    fn let_go<'a>(&'a self, workflow: &'a str, lock: &'a str) -> Wait<'a, ()>;
    /// The messages of the chat, each with its date in front; instructions stay as they are.
    fn stamp<'a>(
        &'a self,
        messages: &'a [PromptMessage],
        stamps: Stamps,
    ) -> Wait<'a, Vec<PromptMessage>>;
}

/// Files that workflows read and write; they lie below one directory.
pub trait Files: Send + Sync {
    /// The text of a file; nothing if there is none.
    fn read(&self, path: &str) -> Result<Option<String>>;
    /// Writes a file, or adds to it; makes the directories above it.
    fn write(&self, path: &str, content: &str, append: bool) -> Result<()>;
}
