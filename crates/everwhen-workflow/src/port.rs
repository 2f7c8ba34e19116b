//! What a run needs from the world: models behind endpoints, and the memory of the chat.

use everwhen::Result;
use everwhen::ports::{PromptMessage, Wait};

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

/// Hears a text piece by piece.
pub type Hear<'h> = &'h mut (dyn FnMut(&str) + Send);

/// Models behind endpoints.
pub trait Endpoints: Send + Sync {
    /// Asks a model. Its answer is heard piece by piece as it comes, and told whole at the end.
    fn ask<'a>(&'a self, question: &'a Question<'a>, hear: Hear<'a>) -> Wait<'a, String>;
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

/// How far the rolling summary is brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folding {
    /// Not with fewer new chapters than this.
    pub min: usize,
    /// In rounds of so many.
    pub rounds_of: usize,
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
    /// Takes a lock of this workflow in this memory. Nothing if somebody else has it; it is let go
    /// when what is given is dropped.
    fn lock<'a>(&'a self, workflow: &'a str, lock: &'a str) -> Wait<'a, Option<Held>>;
    /// The messages of the chat, each with its date in front; instructions stay as they are.
    fn stamp<'a>(
        &'a self,
        messages: &'a [PromptMessage],
        stamps: Stamps,
    ) -> Wait<'a, Vec<PromptMessage>>;
}

/// A lock that is held until this is dropped.
pub struct Held(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Held {
    /// A lock, and how to let it go.
    pub fn new(let_go: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(let_go)))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(let_go) = self.0.take() {
            let_go();
        }
    }
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Held")
    }
}

/// Files that workflows read and write; they lie below one directory.
pub trait Files: Send + Sync {
    /// The text of a file; nothing if there is none.
    fn read(&self, path: &str) -> Result<Option<String>>;
    /// Writes a file, or adds to it; makes the directories above it.
    fn write(&self, path: &str, content: &str, append: bool) -> Result<()>;
}
