//! The words lane: BM25 over conversations, rounds and entries, added up in one pass.
//!
//! Conversations have two fields: what was said first hand, and replies at half the weight. How
//! rare a word is is counted among the conversations, rounds or entries of this memory.

use crate::recall::index::{Index, Term};
use crate::recall::scope::Scope;

/// How soon repeating a word stops counting.
const SATURATION: f32 = 1.2;
/// How much long texts are held back.
const LENGTH: f32 = 0.3;
/// What a word in a reply counts, against one said first hand.
const REPLY: f32 = 0.5;

/// Scores of all conversations, rounds and entries; zero where no word occurs.
pub(crate) struct WordScores {
    /// BM25F per conversation.
    pub(crate) conversations: Vec<f32>,
    /// BM25 of its best round, per conversation.
    pub(crate) best_rounds: Vec<f32>,
    /// BM25 per entry.
    pub(crate) entries: Vec<f32>,
}

/// Scores every place where one of the terms occurs.
pub(crate) fn score(index: &Index, scope: &Scope<'_>, terms: &[(Term, f32)]) -> WordScores {
    let mut tally = Tally::new(index, scope);
    terms.iter().for_each(|(term, weight)| tally.add(*term, *weight));
    tally.finish()
}

struct Tally<'q, 'i> {
    index: &'i Index,
    scope: &'q Scope<'i>,
    conversations: Level,
    rounds: Level,
    entries: Vec<f32>,
    occurrences: Vec<(u32, f32)>,
}

impl<'q, 'i> Tally<'q, 'i> {
    fn new(index: &'i Index, scope: &'q Scope<'i>) -> Self {
        Self {
            index,
            scope,
            conversations: Level::new(index.conversations.len()),
            rounds: Level::new(index.rounds.len()),
            entries: vec![0.0; index.homes.len()],
            occurrences: Vec::new(),
        }
    }

    fn add(&mut self, term: Term, importance: f32) {
        let census = &self.scope.census;
        let means = [census.mean_length(false), census.mean_length(true)];
        let (mean_round, mean_entry) = (census.mean_round(), census.mean_entry());
        self.occurrences.clear();
        let mut seen = 0;
        for (entry, count) in self.index.postings(term).iter() {
            if !self.scope.sees(entry) {
                continue;
            }
            seen += 1;
            let home = self.index.homes[entry as usize];
            let admitted = self.scope.admits(entry);
            let (count, field) = (count as f32, usize::from(home.reply));
            let length = census.conversations[home.conversation as usize].lengths[field];
            let weight = if home.reply { REPLY } else { 1.0 };
            let said = weight * count / held_back(length, means[field]);
            self.conversations.add(home.conversation, said, admitted);
            let round = count / held_back(census.rounds[home.round as usize], mean_round);
            self.rounds.add(home.round, round, admitted);
            if admitted {
                self.occurrences.push((entry, count / held_back(home.length, mean_entry)));
            }
        }
        self.conversations.close_term(census.conversation_total, importance);
        self.rounds.close_term(census.round_total, importance);
        let rarity = importance * rarity(seen, census.entry_total);
        for (entry, said) in &self.occurrences {
            self.entries[*entry as usize] += rarity * saturated(*said);
        }
    }

    fn finish(self) -> WordScores {
        let mut best_rounds = vec![0.0f32; self.index.conversations.len()];
        for (conversation, score) in self.index.rounds.iter().zip(&self.rounds.scores) {
            let best = &mut best_rounds[*conversation as usize];
            *best = best.max(*score);
        }
        WordScores { conversations: self.conversations.scores, best_rounds, entries: self.entries }
    }
}

/// Scores of one kind of text, term by term.
struct Level {
    scores: Vec<f32>,
    /// What the current term gives to each text, and whether it occurs in it at all.
    current: Vec<f32>,
    touched: Vec<u32>,
}

/// A touch that gives nothing: the term occurs, but not where an answer may be.
const TOUCH: f32 = f32::MIN_POSITIVE;

impl Level {
    fn new(texts: usize) -> Self {
        Self { scores: vec![0.0; texts], current: vec![0.0; texts], touched: Vec::new() }
    }

    fn add(&mut self, text: u32, said: f32, admitted: bool) {
        let current = &mut self.current[text as usize];
        if *current == 0.0 {
            self.touched.push(text);
        }
        *current += if admitted { said } else { TOUCH };
    }

    fn close_term(&mut self, total: u32, importance: f32) {
        let rarity = importance * rarity(self.touched.len() as u32, total);
        for text in self.touched.drain(..) {
            let said = std::mem::take(&mut self.current[text as usize]);
            self.scores[text as usize] += rarity * saturated(said);
        }
    }
}

fn held_back(length: u32, mean: f32) -> f32 {
    1.0 - LENGTH + LENGTH * length as f32 / mean
}

fn saturated(said: f32) -> f32 {
    said / (said + SATURATION)
}

fn rarity(occurs_in: u32, total: u32) -> f32 {
    let (occurs_in, total) = (occurs_in as f32, total as f32);
    (1.0 + (total - occurs_in + 0.5).max(0.5) / (occurs_in + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Role;
    use crate::recall::index::tests::index_of;
    use crate::recall::scope::Narrow;

    fn scores(entries: &[(u128, Role, &str)], words: &[&str]) -> WordScores {
        let index = index_of(entries);
        let scope = Scope::new(&index, &Narrow::default());
        let terms: Vec<(Term, f32)> =
            words.iter().filter_map(|word| index.term(word)).map(|term| (term, 1.0)).collect();
        score(&index, &scope, &terms)
    }

    #[test]
    fn first_hand_counts_more_than_a_reply() {
        let entries = [
            (1, Role::User, "cats here"),
            (2, Role::User, "nothing"),
            (2, Role::Assistant, "cats here"),
        ];
        let found = scores(&entries, &["cat"]);
        assert!(found.conversations[0] > found.conversations[1] && found.conversations[1] > 0.0);
        assert_eq!(found.entries[1], 0.0);
    }

    #[test]
    fn a_rare_word_counts_more_and_words_in_one_round_beat_scattered_ones() {
        let entries = [
            (1, Role::User, "dentist"),
            (2, Role::User, "coffee"),
            (3, Role::User, "coffee"),
            (4, Role::User, "blue"),
            (4, Role::User, "lamp"),
            (5, Role::User, "blue lamp"),
        ];
        let rare = scores(&entries, &["dentist", "coffee"]);
        assert!(rare.conversations[0] > rare.conversations[1]);
        let pair = scores(&entries, &["blue", "lamp"]);
        assert!(pair.best_rounds[4] > pair.best_rounds[3]);
    }
}
