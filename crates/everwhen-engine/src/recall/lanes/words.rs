//! The words lane: BM25 over conversations and entries, added up in one pass over the places where
//! the question's words occur. Nothing else is looked at.
//!
//! Conversations have two fields: what was said first hand, and replies at half the weight. How
//! rare a word is is counted among the conversations or entries of this memory.

use crate::recall::index::{Index, Slate, Term};
use crate::recall::scope::Scope;

/// How soon repeating a word stops counting.
const SATURATION: f32 = 1.2;
/// How much long texts are held back.
const LENGTH: f32 = 0.3;
/// What a word in a reply counts, against one said first hand.
const REPLY: f32 = 0.5;

/// Scores of conversations and entries; zero where no word occurs.
pub(crate) struct WordScores<'i> {
    /// BM25F per conversation.
    pub(crate) conversations: Slate<'i>,
    /// BM25 per entry.
    pub(crate) entries: Slate<'i>,
}

/// Scores every place where one of the terms occurs.
pub(crate) fn score<'i>(
    index: &'i Index,
    scope: &Scope<'i>,
    terms: &[(Term, f32)],
) -> WordScores<'i> {
    let mut tally = Tally::new(index, scope);
    terms.iter().for_each(|(term, weight)| tally.add(*term, *weight));
    WordScores { conversations: tally.conversations, entries: tally.entries }
}

struct Tally<'q, 'i> {
    index: &'i Index,
    scope: &'q Scope<'i>,
    conversations: Slate<'i>,
    entries: Slate<'i>,
    /// What the current term gives to each conversation, and whether it occurs in it at all.
    said: Slate<'i>,
    /// What it gives to each entry.
    occurrences: Vec<(u32, f32)>,
}

/// A touch that gives nothing: the term occurs, but not where an answer may be.
const TOUCH: f32 = f32::MIN_POSITIVE;

impl<'q, 'i> Tally<'q, 'i> {
    fn new(index: &'i Index, scope: &'q Scope<'i>) -> Self {
        Self {
            index,
            scope,
            conversations: index.slates.slate(index.conversations.len()),
            entries: index.slates.slate(index.homes.len()),
            said: index.slates.slate(index.conversations.len()),
            occurrences: Vec::new(),
        }
    }

    fn add(&mut self, term: Term, importance: f32) {
        let occurs_in = self.collect(term);
        let census = &self.scope.census;
        let rarity_of = |occurs_in, total| importance * rarity(occurs_in, total);
        let of_entries = rarity_of(occurs_in, census.entry_total);
        for (entry, said) in self.occurrences.drain(..) {
            self.entries.add(entry, of_entries * saturated(said));
        }
        let conversations = self.said.touched().len() as u32;
        let of_conversations = rarity_of(conversations, census.conversation_total);
        let sums = &mut self.conversations;
        self.said.drain(|number, said| sums.add(number, of_conversations * saturated(said)));
    }

    /// Notes what a term gives to each conversation and entry; answers how many entries have it.
    fn collect(&mut self, term: Term) -> u32 {
        let census = &self.scope.census;
        let slopes = [census.mean_length(false), census.mean_length(true)].map(|m| LENGTH / m);
        let entry_slope = LENGTH / census.mean_entry();
        let mut seen = 0;
        for (entry, count) in self.index.postings(term).iter() {
            if !self.scope.sees(entry) {
                continue;
            }
            seen += 1;
            let home = self.index.homes[entry as usize];
            if !self.scope.admits(entry) {
                self.said.add(home.conversation, TOUCH);
                continue;
            }
            let (count, field) = (count as f32, usize::from(home.is_reply()));
            let length = census.lengths[home.conversation as usize][field];
            let weight = if home.is_reply() { REPLY } else { 1.0 };
            self.said.add(home.conversation, weight * count / held_back(length, slopes[field]));
            self.occurrences.push((entry, count / held_back(home.length(), entry_slope)));
        }
        seen
    }
}

/// What a long text is divided by; `slope` is [`LENGTH`] over the mean length.
fn held_back(length: u32, slope: f32) -> f32 {
    1.0 - LENGTH + slope * length as f32
}

fn saturated(said: f32) -> f32 {
    said / (said + SATURATION)
}

/// How much a word counts that occurs in so many of so many texts.
pub(crate) fn rarity(occurs_in: u32, total: u32) -> f32 {
    let (occurs_in, total) = (occurs_in as f32, total as f32);
    (1.0 + (total - occurs_in + 0.5).max(0.5) / (occurs_in + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Role;
    use crate::recall::index::tests::index_of;
    use crate::recall::scope::Narrow;

    /// Scores of conversations and of entries.
    fn scores(entries: &[(u128, Role, &str)], words: &[&str]) -> (Vec<f32>, Vec<f32>) {
        let index = index_of(entries);
        let scope = Scope::new(&index, &Narrow::default());
        let terms: Vec<(Term, f32)> =
            words.iter().filter_map(|word| index.term(word)).map(|term| (term, 1.0)).collect();
        let found = score(&index, &scope, &terms);
        let list = |slate: &Slate<'_>, len| (0..len as u32).map(|one| slate.get(one)).collect();
        (list(&found.conversations, index.conversations.len()), list(&found.entries, entries.len()))
    }

    #[test]
    fn first_hand_counts_more_than_a_reply() {
        let said = [
            (1, Role::User, "cats here"),
            (2, Role::User, "nothing"),
            (2, Role::Assistant, "cats here"),
        ];
        let (conversations, entries) = scores(&said, &["cat"]);
        assert!(conversations[0] > conversations[1] && conversations[1] > 0.0);
        assert_eq!(entries[1], 0.0);
        assert!(entries[0] > 0.0 && entries[2] > 0.0);
    }

    #[test]
    fn a_rare_word_counts_more_and_words_together_beat_scattered_ones() {
        let said = [
            (1, Role::User, "dentist"),
            (2, Role::User, "coffee"),
            (3, Role::User, "coffee"),
            (4, Role::User, "blue"),
            (4, Role::User, "lamp"),
            (5, Role::User, "blue lamp"),
        ];
        let (rare, _) = scores(&said, &["dentist", "coffee"]);
        assert!(rare[0] > rare[1]);
        let (_, pair) = scores(&said, &["blue", "lamp"]);
        assert!(pair[5] > pair[3] && pair[5] > pair[4]);
    }
}
