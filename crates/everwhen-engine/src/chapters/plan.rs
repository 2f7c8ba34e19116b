//! Which entries make a chapter. Pure, and a function of the entries alone.

use unicode_segmentation::UnicodeSegmentation;

use super::ChapterRules;
use crate::memory::{Entry, Role, chapter_digest};
use crate::ports::Cursor;

/// A chapter to be written, or that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Planned {
    pub(super) entries: Vec<Entry>,
    pub(super) digest: [u8; 32],
}

impl Planned {
    fn new(entries: Vec<Entry>) -> Self {
        let digest = chapter_digest(entries.iter().map(|entry| entry.id));
        Self { entries, digest }
    }

    pub(super) fn first(&self) -> Option<Cursor> {
        self.entries.first().map(place)
    }

    pub(super) fn last(&self) -> Option<Cursor> {
        self.entries.last().map(place)
    }
}

/// Where an entry stands.
pub(super) fn place(entry: &Entry) -> Cursor {
    Cursor { time: entry.conversation_time, sequence: entry.place }
}

/// Whether chapters cover an entry.
pub(super) fn is_spoken(entry: &Entry) -> bool {
    matches!(entry.role, Role::User | Role::Assistant)
}

/// The chapters of entries that stand in order: each closes with its `max_messages`-th message or
/// when it has `chunk_tokens`, whichever comes first. What is not closed yet waits, and so do the
/// newest messages.
pub(super) fn plan(entries: Vec<Entry>, rules: &ChapterRules) -> Vec<Planned> {
    let mut spoken: Vec<Entry> = entries.into_iter().filter(is_spoken).collect();
    spoken.truncate(spoken.len().saturating_sub(rules.lookback));
    let (mut planned, mut open, mut tokens) = (Vec::new(), Vec::new(), 0);
    for entry in spoken {
        tokens += estimate(entry.content.as_str());
        open.push(entry);
        if open.len() >= rules.max_messages || tokens >= rules.chunk_tokens {
            planned.push(Planned::new(std::mem::take(&mut open)));
            tokens = 0;
        }
    }
    planned
}

/// Tokens of a text, on the safe side.
pub(super) fn estimate(text: &str) -> usize {
    let (words, letters) = (text.unicode_words().count() as f64, text.chars().count() as f64);
    ((words * 1.35).max(letters / 3.5) * 1.10) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn said(count: usize, words: usize) -> Vec<Entry> {
        (0..count)
            .map(|number| {
                let mut entry = Entry::said(Role::User, &"word ".repeat(words));
                entry.sequence = number as u64;
                entry.id = uuid::Uuid::from_u128(number as u128).into();
                entry
            })
            .collect()
    }

    fn sizes(entries: Vec<Entry>) -> Vec<usize> {
        let planned = plan(entries, &ChapterRules::default());
        planned.iter().map(|one| one.entries.len()).collect()
    }

    #[test]
    fn five_messages_or_a_thousand_tokens_and_never_the_newest_three() {
        assert_eq!(sizes(said(7, 3)), [0; 0]);
        assert_eq!(sizes(said(8, 3)), [5]);
        assert_eq!(sizes(said(12, 3)), [5]);
        assert_eq!(sizes(said(13, 3)), [5, 5]);
        assert_eq!(sizes(said(7, 400)), [2, 2]);
        assert_eq!(sizes(said(5, 5000)), [1, 1]);
        assert_eq!(estimate("one two three four"), 5);
    }

    proptest! {
        /// What is written behind the chat is what regenerating comes to.
        #[test]
        fn more_entries_never_change_earlier_chapters(count in 0usize..60, more in 0usize..20) {
            let rules = ChapterRules::default();
            let before = plan(said(count, 90), &rules);
            let after = plan(said(count + more, 90), &rules);
            prop_assert_eq!(&after[..before.len()], &before[..]);
        }
    }
}
