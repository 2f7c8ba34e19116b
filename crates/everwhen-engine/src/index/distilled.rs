//! The facts and chapters of a memory, cached until they change.

mod changes;

use std::collections::BTreeSet;

use super::word_index::WordIndex;
use crate::fact_views::FactView;
use crate::memory::{Chapter, ContextDocument, Fact};
use crate::text::content_words;
use crate::time::Zone;

/// The facts and chapters of a memory, indexed by their words.
#[derive(Debug, Default)]
pub(crate) struct Distilled {
    /// The memory's count of changes when they were read.
    version: u64,
    /// The zone of the dates in their texts.
    zone: Option<Zone>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) views: WordIndex<FactView>,
    pub(crate) chapters: WordIndex<Chapter>,
    chapters_checksum: u64,
    /// The current context document.
    pub(crate) context: Option<ContextDocument>,
}

impl Distilled {
    /// Returns the memory's count of changes when they were read.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Returns the approximate number of bytes in use.
    pub(crate) fn size(&self) -> usize {
        let context = self.context.as_ref().map_or(0, |one| one.content.as_str().len());
        self.views.size() + self.chapters.size() + context
    }

    /// Returns whether there are no facts, no chapters and no context document.
    pub(crate) fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.chapters.all().is_empty() && self.context.is_none()
    }
}

/// Returns the words that a fact is found by: its own, and the name of what it states a value of.
/// "I take metformin" answers a question about medications.
pub(crate) fn words_of_fact(view: &FactView) -> BTreeSet<String> {
    let mut words: BTreeSet<String> = content_words(&view.fact.statement).collect();
    if let Some(matter) = &view.fact.matter {
        for word in content_words(&matter.key) {
            let stem = word.strip_suffix('y').map(|stem| format!("{stem}ies"));
            words.insert(stem.unwrap_or_else(|| format!("{word}s")));
            words.insert(word);
        }
    }
    words
}

/// Returns the words that a chapter is found by.
pub(crate) fn words_of_chapter(chapter: &Chapter) -> BTreeSet<String> {
    let Chapter { title, text, entities, key_phrases, .. } = chapter;
    let words = format!("{title} {text} {} {}", entities.join(" "), key_phrases.join(" "));
    content_words(&words).collect()
}
