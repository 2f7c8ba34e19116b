//! The writer port: another program that writes chapters, such as a workflow, instead of the language
//! model with our own prompts.

use super::{MemoryRef, Wait};

/// Writes chapters.
pub trait ChapterWriter: Send + Sync {
    /// Writes one.
    fn write<'a>(&'a self, material: &'a ChapterMaterial) -> Wait<'a, ChapterWords>;

    /// Whether it writes chapters; else the language model does, and it writes summaries alone.
    fn writes_chapters(&self) -> bool {
        true
    }

    /// Writes the next version of the rolling summary, with new chapters in it. `None` leaves it to the
    /// language model.
    fn fold<'a>(&'a self, _material: &'a SummaryMaterial) -> Wait<'a, Option<String>> {
        Box::pin(async { Ok(None) })
    }

    /// When it condenses chapters; `None` if it never does.
    fn condenses(&self) -> Option<CondenseRule> {
        None
    }

    /// Writes one text in place of several chapters. `None` if it cannot: they are condensed a
    /// later time.
    fn condense<'a>(&'a self, _material: &'a CondenseMaterial) -> Wait<'a, Option<String>> {
        Box::pin(async { Ok(None) })
    }

    /// Whether it keeps the context document as a state document; else the engine writes it.
    fn keeps_state_document(&self) -> bool {
        false
    }

    /// Merges new chapters into the state document. `None` leaves it as it is.
    fn merge_state<'a>(&'a self, _material: &'a StateMaterial) -> Wait<'a, Option<String>> {
        Box::pin(async { Ok(None) })
    }
}

/// When chapters are condensed: as soon as there are `count + buffer` new ones, the oldest `count` are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CondenseRule {
    /// How many chapters become one.
    pub count: usize,
    /// How many of the newest chapters stay as they are.
    pub buffer: usize,
}

/// What a condensed chapter is written from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CondenseMaterial {
    /// The memory.
    pub place: MemoryRef,
    /// The chapters to condense, oldest first.
    pub chapters: Vec<String>,
    /// What a reader is shown before them, at most three texts.
    pub before: Vec<String>,
}

/// What a state document is merged from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateMaterial {
    /// The memory.
    pub place: MemoryRef,
    /// The texts of new chapters, oldest first.
    pub new_chapters: Vec<String>,
    /// The document as it is; empty if there is none.
    pub document: String,
}

/// What a version of the rolling summary is written from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryMaterial {
    /// The memory.
    pub place: MemoryRef,
    /// The rolling summary so far; empty if there is none.
    pub summary: String,
    /// The chapters to add, oldest first, each with its days.
    pub chapters: Vec<String>,
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
