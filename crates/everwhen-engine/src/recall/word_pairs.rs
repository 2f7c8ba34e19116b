//! Puts the leading entries and conversations in order once more, now that their texts were read: entries in
//! which words are next to each other as they are in the question answer more often than those in which they are apart.
//!
//! A question about a time keeps its order, because there the time decides.

use everwhen_search::{Reason, Signal, WordPairs};

use super::{PreparedMemory, Question, Recollection};
use crate::limits;

impl Question {
    /// Returns whether the texts of entries leave their order as it is.
    pub(super) fn keeps_order(&self) -> bool {
        self.time.about().is_some()
    }

    /// Adds the pairs of words of the leading entries to their scores and to those of their conversations. What
    /// leads is the same, in another order.
    pub(super) fn add_word_pairs(
        &self,
        memories: &[PreparedMemory],
        recollection: &mut Recollection,
    ) {
        if self.keeps_order() {
            return;
        }
        let of_memory = |one: &PreparedMemory| (one.memory.name.clone(), WordPairs::of(&one.rest));
        let asked: Vec<_> = memories.iter().map(of_memory).collect();
        let Recollection { items, conversations, .. } = recollection;
        let (entries, conversations) = (leading(items), leading(conversations));
        for found in entries.iter_mut() {
            let pairs = asked.iter().find(|(name, _)| *name == found.memory);
            let count = pairs.map_or(0, |(_, pairs)| pairs.count_in(found.entry.content.as_str()));
            add(count, &mut found.score, &mut found.reasons);
        }
        for found in conversations.iter_mut() {
            let own = entries.iter().filter(|one| {
                one.memory == found.memory && one.entry.conversation == found.conversation.id
            });
            let most = own.map(|one| count_of(&one.reasons)).max().unwrap_or(0);
            add(most, &mut found.score, &mut found.reasons);
        }
        entries.sort_by(|a, b| b.score.total_cmp(&a.score));
        conversations.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
}

/// Adds a number of pairs to a score.
fn add(count: usize, score: &mut f32, reasons: &mut Vec<Reason>) {
    if count > 0 {
        let reason = WordPairs::reason(count);
        *score += reason.share;
        reasons.push(reason);
    }
}

/// Returns the number of pairs that was added.
fn count_of(reasons: &[Reason]) -> usize {
    let pairs = reasons.last().filter(|last| last.signal == Signal::WordPairs);
    pairs.map_or(0, |reason| reason.value as usize)
}

/// Returns the first items of a list, as many as are answered if the caller does not say.
fn leading<T>(list: &mut [T]) -> &mut [T] {
    let count = list.len().min(limits::RECALL_ITEMS_DEFAULT);
    &mut list[..count]
}
