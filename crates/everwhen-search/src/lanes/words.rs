//! The words lane: BM25 over groups and documents, in one pass over the postings of the query's terms.
//! In a large index, terms that occur in many documents are deferred until the candidates are known.
//!
//! Groups have two fields: primary documents, and replies at half the weight. How rare a term is is
//! counted over the groups or documents of this index.

mod deferred;

pub(crate) use deferred::PostingBudget;

use crate::document::Placement;
use crate::index::{Index, Occurrences, ScoreBuffer, Term};
use crate::scope::{Scope, VisibleCounts};

/// The `k1` of BM25 for groups: how soon repeating a term stops counting.
const SATURATION: f32 = 1.2;
/// The `k1` of BM25 for documents. One entry says a thing once, so that repeating it says little more.
const DOCUMENT_SATURATION: f32 = 0.3;
/// The `b` of BM25: how much long texts are held back.
const LENGTH: f32 = 0.3;
/// What a term counts in a primary document, and in a reply.
const FIELDS: [f32; 2] = [1.0, 0.5];

/// Scores of groups and documents; zero where no term occurs.
pub(crate) struct WordScores<'i> {
    /// BM25F per group.
    pub(crate) groups: ScoreBuffer<'i>,
    /// BM25 per document.
    pub(crate) documents: ScoreBuffer<'i>,
    /// Terms that were deferred, with their weights.
    deferred: Vec<(Term, f32)>,
}

/// Scores every occurrence of the terms. Depending on the budget, frequent terms are deferred to
/// [`WordScores::add_deferred`].
pub(crate) fn score<'i>(
    index: &'i Index,
    scope: &Scope<'i>,
    terms: &[(Term, f32)],
    budget: PostingBudget,
) -> WordScores<'i> {
    let (now, deferred) = deferred::split(index, scope, terms, budget);
    let mut scorer = WordScorer::new(index, scope);
    now.iter().for_each(|(term, weight)| scorer.add(*term, *weight));
    WordScores { groups: scorer.groups, documents: scorer.documents, deferred }
}

struct WordScorer<'q, 'i> {
    index: &'i Index,
    scope: &'q Scope<'i>,
    groups: ScoreBuffer<'i>,
    documents: ScoreBuffer<'i>,
    /// The weighted frequency of the current term in each group in which it occurs.
    frequencies: ScoreBuffer<'i>,
    batch: Batch,
}

/// Occurrences that are processed together, in several short loops, which the CPU executes faster than
/// one long loop. Only the first `len` items of each list are valid.
struct Batch {
    len: usize,
    documents: [u32; BATCH],
    counts: [u32; BATCH],
    groups: [u32; BATCH],
    placements: [Placement; BATCH],
    /// First the length norms, then the frequencies they give for groups and the shares for documents.
    frequencies: [f32; BATCH],
    shares: [f32; BATCH],
}

/// The number of occurrences in a batch.
const BATCH: usize = 256;

/// Marks a group in which the term occurs, but in no document that may match.
const TOUCH: f32 = f32::MIN_POSITIVE;

impl<'q, 'i> WordScorer<'q, 'i> {
    fn new(index: &'i Index, scope: &'q Scope<'i>) -> Self {
        Self {
            index,
            scope,
            groups: index.group_buffers.take(index.groups.len()),
            documents: index.document_buffers.take(index.len()),
            frequencies: index.group_buffers.take(index.groups.len()),
            batch: Batch::new(),
        }
    }

    fn add(&mut self, term: Term, weight: f32) {
        let totals = self.scope.counts.totals;
        let rarity_of = |occurs_in, total| weight * rarity(occurs_in, total);
        let occurs_in = self.scope.occurs_in(self.index.postings(term));
        self.collect(term, rarity_of(occurs_in, totals.documents));
        let groups = self.frequencies.touched().len() as u32;
        let of_groups = rarity_of(groups, totals.groups);
        let score = |frequency| of_groups * saturated(frequency);
        self.frequencies.drain_into(&mut self.groups, score);
    }

    /// Collects the frequencies of a term in groups, and adds its scores to documents.
    fn collect(&mut self, term: Term, rarity: f32) {
        let (index, norms) = (self.index, LengthNorms::new(&self.scope.counts));
        let mut occurrences = index.postings(term).iter();
        while self.batch.read(&mut occurrences) && self.batch.documents[0] < self.scope.end() {
            self.filter_batch();
            self.batch.score(index, &norms, rarity);
            let Batch { len, documents, groups, frequencies, shares, .. } = &self.batch;
            self.frequencies.add_each(&groups[..*len], &frequencies[..*len]);
            self.documents.add_each(&documents[..*len], &shares[..*len]);
        }
    }

    /// Removes documents that may not match from the batch; groups of those that can be seen are
    /// touched, so that they count for the rarity of the term.
    fn filter_batch(&mut self) {
        let Self { index, scope, frequencies, batch, .. } = self;
        let all = &batch.documents[..batch.len];
        if scope.admits_every_document() || all.iter().all(|one| scope.admits(*one)) {
            return;
        }
        let mut left = 0;
        for position in 0..batch.len {
            let document = batch.documents[position];
            if scope.admits(document) {
                batch.documents[left] = document;
                batch.counts[left] = batch.counts[position];
                left += 1;
            } else if scope.sees(document) {
                frequencies.add(index.placements[document as usize].group, TOUCH);
            }
        }
        batch.len = left;
    }
}

/// How much the lengths of texts hold their scores back.
struct LengthNorms<'c> {
    counts: &'c VisibleCounts<'c>,
    /// For the primary documents of a group, and for its replies.
    fields: [LengthNorm; 2],
    documents: LengthNorm,
}

/// What a count is divided by; it grows with the length of the text.
#[derive(Clone, Copy)]
struct LengthNorm {
    base: f32,
    slope: f32,
}

impl LengthNorm {
    /// For texts of this mean length, in which a term counts `weight`.
    fn new(mean: f32, weight: f32) -> Self {
        Self { base: (1.0 - LENGTH) / weight, slope: LENGTH / mean / weight }
    }

    fn of(self, length: u32) -> f32 {
        self.base + self.slope * length as f32
    }
}

impl<'c> LengthNorms<'c> {
    fn new(counts: &'c VisibleCounts<'_>) -> Self {
        let totals = counts.totals;
        let field = |in_replies: bool| {
            let mean = totals.mean_group_length(in_replies);
            LengthNorm::new(mean, FIELDS[usize::from(in_replies)])
        };
        Self {
            counts,
            fields: [field(false), field(true)],
            documents: LengthNorm::new(totals.mean_document_length(), 1.0),
        }
    }

    /// Returns the frequency of a term for the group of a document that contains it `count` times, and
    /// the share of the rarity for the document itself.
    fn frequency_and_share(&self, index: &Index, document: u32, count: u32) -> (f32, f32) {
        let (of_group, own) = self.norms(index.placements[document as usize]);
        (count as f32 / of_group, share(count as f32, own))
    }

    /// Returns the length norms of the group of a document, and of the document.
    #[inline]
    fn norms(&self, placement: Placement) -> (f32, f32) {
        let field = usize::from(placement.is_reply());
        let length = self.counts.lengths(placement.group)[field];
        (self.fields[field].of(length), self.documents.of(placement.length()))
    }
}

impl Batch {
    fn new() -> Self {
        let (numbers, values) = ([0; BATCH], [0.0; BATCH]);
        Self {
            len: 0,
            documents: numbers,
            counts: numbers,
            groups: numbers,
            placements: [Placement::default(); BATCH],
            frequencies: values,
            shares: values,
        }
    }

    /// Reads the next occurrences, and returns whether there were any.
    fn read(&mut self, occurrences: &mut Occurrences<'_>) -> bool {
        self.len = occurrences.read(&mut self.documents, &mut self.counts);
        self.len > 0
    }

    #[inline(never)]
    fn score(&mut self, index: &Index, norms: &LengthNorms<'_>, rarity: f32) {
        // Random reads have a loop of their own, so that many cache misses overlap.
        for (placement, document) in self.placements.iter_mut().zip(&self.documents).take(self.len)
        {
            *placement = index.placements[*document as usize];
        }
        for (position, placement) in self.placements.iter().enumerate().take(self.len) {
            self.groups[position] = placement.group;
            (self.frequencies[position], self.shares[position]) = norms.norms(*placement);
        }
        for position in 0..self.len {
            let count = self.counts[position] as i32 as f32;
            self.frequencies[position] = count / self.frequencies[position];
            self.shares[position] = rarity * share(count, self.shares[position]);
        }
    }
}

fn saturated(frequency: f32) -> f32 {
    frequency / (frequency + SATURATION)
}

/// Returns the saturated frequency of a count with a length norm, with one division less.
fn share(count: f32, norm: f32) -> f32 {
    count / (count + DOCUMENT_SATURATION * norm)
}

/// Returns how much a term counts that occurs in `occurs_in` of `total` texts.
pub(crate) fn rarity(occurs_in: u32, total: u32) -> f32 {
    let (occurs_in, total) = (occurs_in as f32, total as f32);
    (1.0 + (total - occurs_in + 0.5).max(0.5) / (occurs_in + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::SearchFilter;
    use crate::testing::{Role, index_of};

    /// Scores of groups and of documents.
    fn scores(documents: &[(u128, Role, &str)], words: &[&str]) -> (Vec<f32>, Vec<f32>) {
        let index = index_of(documents);
        let scope = Scope::new(&index, &SearchFilter::default());
        let terms: Vec<(Term, f32)> =
            words.iter().filter_map(|word| index.term(word)).map(|term| (term, 1.0)).collect();
        let found = score(&index, &scope, &terms, PostingBudget::Unlimited);
        let list = |scores: &ScoreBuffer<'_>, len| {
            (0..len as u32).map(|number| scores.get(number)).collect()
        };
        (list(&found.groups, index.groups.len()), list(&found.documents, documents.len()))
    }

    #[test]
    fn a_primary_document_counts_more_than_a_reply() {
        let documents = [
            (1, Role::User, "cats here"),
            (2, Role::User, "nothing"),
            (2, Role::Assistant, "cats here"),
        ];
        let (groups, documents) = scores(&documents, &["cat"]);
        assert!(groups[0] > groups[1] && groups[1] > 0.0);
        assert_eq!(documents[1], 0.0);
        assert!(documents[0] > 0.0 && documents[2] > 0.0);
    }

    #[test]
    fn a_rare_word_counts_more_and_words_together_beat_scattered_ones() {
        let documents = [
            (1, Role::User, "dentist"),
            (2, Role::User, "coffee"),
            (3, Role::User, "coffee"),
            (4, Role::User, "blue"),
            (4, Role::User, "lamp"),
            (5, Role::User, "blue lamp"),
        ];
        let (rare, _) = scores(&documents, &["dentist", "coffee"]);
        assert!(rare[0] > rare[1]);
        let (_, pair) = scores(&documents, &["blue", "lamp"]);
        assert!(pair[5] > pair[3] && pair[5] > pair[4]);
    }
}
