//! The writer port: somebody else who writes chapters, such as a workflow, instead of the language
//! model with our own prompts.

use super::{MemoryRef, Wait};

/// Writes chapters.
pub trait ChapterWriter: Send + Sync {
    /// Writes one.
    fn write<'a>(&'a self, material: &'a ChapterMaterial) -> Wait<'a, ChapterWords>;
}

/// What a chapter is written from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChapterMaterial {
    /// The memory.
    pub place: MemoryRef,
    /// What was said, dated, a line for each entry.
    pub transcript: String,
    /// The chapters so far, oldest first.
    pub chapters: Vec<String>,
    /// The rolling summary so far; empty if there is none.
    pub summary: String,
}

/// What was written. What is left empty is found in the entries' own words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChapterWords {
    /// A title.
    pub title: String,
    /// What it was about.
    pub text: String,
    /// Names that occur in it.
    pub entities: Vec<String>,
    /// Words that stand for it.
    pub key_phrases: Vec<String>,
}
