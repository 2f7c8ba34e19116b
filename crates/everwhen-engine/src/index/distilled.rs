//! The facts and chapters of a memory, cached until they change.

mod changes;

use std::collections::BTreeSet;

use super::word_index::WordIndex;
use crate::fact_views::FactView;
use crate::memory::{Chapter, Fact};
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
}

impl Distilled {
    /// Returns the approximate number of bytes in use.
    pub(crate) fn size(&self) -> usize {
        self.views.size() + self.chapters.size()
    }

    /// Returns whether there are no facts and no chapters.
    pub(crate) fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.chapters.all().is_empty()
    }
}

/// Returns the words that a fact is found by.
pub(crate) fn words_of_fact(view: &FactView) -> BTreeSet<String> {
    content_words(&view.fact.statement).collect()
}

fn words_of_chapter(chapter: &Chapter) -> BTreeSet<String> {
    let Chapter { title, text, entities, key_phrases, .. } = chapter;
    let words = format!("{title} {text} {} {}", entities.join(" "), key_phrases.join(" "));
    content_words(&words).collect()
}
