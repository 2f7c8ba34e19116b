//! The words lane: BM25 over conversations and entries, added up in one pass over the places where
//! the question's words occur. Nothing else is looked at. In a large memory words that occur all
//! over wait until it is known who takes part.
//!
//! Conversations have two fields: what was said first hand, and replies at half the weight. How
//! rare a word is is counted among the conversations or entries of this memory.

mod late;

pub(crate) use late::Haste;

use crate::recall::index::{Home, Index, Occurrences, Slate, Term};
use crate::recall::scope::{Counts, Scope};

/// How soon repeating a word stops counting.
const SATURATION: f32 = 1.2;
/// How much long texts are held back.
const LENGTH: f32 = 0.3;
/// What a word counts that was said first hand, and one in a reply.
const FIELDS: [f32; 2] = [1.0, 0.5];

/// Scores of conversations and entries; zero where no word occurs.
pub(crate) struct WordScores<'i> {
    /// BM25F per conversation.
    pub(crate) conversations: Slate<'i>,
    /// BM25 per entry.
    pub(crate) entries: Slate<'i>,
    /// Terms that wait, with what they count.
    late: Vec<(Term, f32)>,
}

/// Scores every place where one of the terms occurs. Where only some take part, terms that occur
/// all over may wait for [`WordScores::complete`].
pub(crate) fn score<'i>(
    index: &'i Index,
    scope: &Scope<'i>,
    terms: &[(Term, f32)],
    haste: Haste,
) -> WordScores<'i> {
    let (now, late) = late::split(index, scope, terms, haste);
    let mut tally = Tally::new(index, scope);
    now.iter().for_each(|(term, weight)| tally.add(*term, *weight));
    WordScores { conversations: tally.conversations, entries: tally.entries, late }
}

struct Tally<'q, 'i> {
    index: &'i Index,
    scope: &'q Scope<'i>,
    conversations: Slate<'i>,
    entries: Slate<'i>,
    /// What the current term gives to each conversation, and whether it occurs in it at all.
    said: Slate<'i>,
    batch: Batch,
}

/// Occurrences that are worked on together, step by step: the machine is faster at several short
/// loops than at a long one. Only the first `len` of each list mean anything.
struct Batch {
    len: usize,
    entries: [u32; BATCH],
    counts: [u32; BATCH],
    conversations: [u32; BATCH],
    homes: [Home; BATCH],
    /// What they give to conversations and entries; before that, by how much they are held back.
    weighed: [f32; BATCH],
    shares: [f32; BATCH],
}

/// So many at a time.
const BATCH: usize = 256;

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
            batch: Batch::new(),
        }
    }

    fn add(&mut self, term: Term, importance: f32) {
        let totals = self.scope.census.totals;
        let rarity_of = |occurs_in, total| importance * rarity(occurs_in, total);
        let occurs_in = self.scope.occurs_in(self.index.postings(term));
        self.collect(term, rarity_of(occurs_in, totals.entries));
        let conversations = self.said.touched().len() as u32;
        let of_conversations = rarity_of(conversations, totals.conversations);
        let weigh = |said| of_conversations * saturated(said);
        self.said.pour_into(&mut self.conversations, weigh);
    }

    /// Notes what a term gives to each conversation, and adds what it gives to each entry.
    fn collect(&mut self, term: Term, of_entries: f32) {
        let (index, lengths) = (self.index, Lengths::of(&self.scope.census));
        let mut occurrences = index.postings(term).iter();
        while self.batch.read(&mut occurrences) && self.batch.entries[0] < self.scope.end() {
            self.leave_out();
            self.batch.weigh(index, &lengths, of_entries);
            let Batch { len, entries, conversations, weighed, shares, .. } = &self.batch;
            self.said.add_each(&conversations[..*len], &weighed[..*len]);
            self.entries.add_each(&entries[..*len], &shares[..*len]);
        }
    }

    /// Leaves out what may be no answer; the conversations of what can be seen are touched.
    fn leave_out(&mut self) {
        let Self { index, scope, said, batch, .. } = self;
        let all = &batch.entries[..batch.len];
        if scope.admits_every_one() || all.iter().all(|entry| scope.admits(*entry)) {
            return;
        }
        let mut left = 0;
        for place in 0..batch.len {
            let entry = batch.entries[place];
            if scope.admits(entry) {
                (batch.entries[left], batch.counts[left]) = (entry, batch.counts[place]);
                left += 1;
            } else if scope.sees(entry) {
                said.add(index.homes[entry as usize].conversation, TOUCH);
            }
        }
        batch.len = left;
    }
}

/// How long texts are, and how much that holds them back.
struct Lengths<'c> {
    of_conversations: &'c Counts<'c>,
    /// For what was said first hand in a conversation, and for replies in it.
    fields: [HeldBack; 2],
    entries: HeldBack,
}

/// What a count is divided by: a part of it grows with the length.
#[derive(Clone, Copy)]
struct HeldBack {
    base: f32,
    slope: f32,
}

impl HeldBack {
    /// By the mean length, if a word counts `weight`.
    fn new(mean: f32, weight: f32) -> Self {
        Self { base: (1.0 - LENGTH) / weight, slope: LENGTH / mean / weight }
    }

    fn by(self, length: u32) -> f32 {
        self.base + self.slope * length as f32
    }
}

impl<'c> Lengths<'c> {
    fn of(census: &'c Counts<'_>) -> Self {
        let totals = census.totals;
        let field =
            |reply: bool| HeldBack::new(totals.mean_length(reply), FIELDS[usize::from(reply)]);
        Self {
            of_conversations: census,
            fields: [field(false), field(true)],
            entries: HeldBack::new(totals.mean_entry(), 1.0),
        }
    }

    /// What a term that an entry contains so often gives to its conversation, and to it.
    fn weigh(&self, index: &Index, entry: u32, count: u32) -> (f32, f32) {
        let (talk, text) = self.held_back(index.homes[entry as usize]);
        (count as f32 / talk, share(count as f32, text))
    }

    /// By how much the conversation of an entry is held back, and the entry.
    #[inline]
    fn held_back(&self, home: Home) -> (f32, f32) {
        let field = usize::from(home.is_reply());
        let length = self.of_conversations.lengths(home.conversation)[field];
        (self.fields[field].by(length), self.entries.by(home.length()))
    }
}

impl Batch {
    fn new() -> Self {
        let (numbers, values) = ([0; BATCH], [0.0; BATCH]);
        Self {
            len: 0,
            entries: numbers,
            counts: numbers,
            conversations: numbers,
            homes: [Home::default(); BATCH],
            weighed: values,
            shares: values,
        }
    }

    /// Reads the next occurrences; says whether there were any.
    fn read(&mut self, occurrences: &mut Occurrences<'_>) -> bool {
        self.len = occurrences.read(&mut self.entries, &mut self.counts);
        self.len > 0
    }

    #[inline(never)]
    fn weigh(&mut self, index: &Index, lengths: &Lengths<'_>, of_entries: f32) {
        // What has to be waited for is asked for by itself, as much as possible at a time.
        for (home, entry) in self.homes.iter_mut().zip(&self.entries).take(self.len) {
            *home = index.homes[*entry as usize];
        }
        for (place, home) in self.homes.iter().enumerate().take(self.len) {
            self.conversations[place] = home.conversation;
            (self.weighed[place], self.shares[place]) = lengths.held_back(*home);
        }
        for place in 0..self.len {
            let count = self.counts[place] as i32 as f32;
            self.weighed[place] = count / self.weighed[place];
            self.shares[place] = of_entries * share(count, self.shares[place]);
        }
    }
}

fn saturated(said: f32) -> f32 {
    said / (said + SATURATION)
}

/// The same of a count that is held back, with one division less.
fn share(count: f32, held_back: f32) -> f32 {
    count / (count + SATURATION * held_back)
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
        let found = score(&index, &scope, &terms, Haste::None);
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
