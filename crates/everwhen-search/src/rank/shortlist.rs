//! The shortlist of a large index: the best groups of each lane, and a sample of the rest.
//!
//! Signals are normalized by their distribution over all groups. The sample represents the groups that
//! no lane picked, so that not all of them have to be scored.

use super::candidates::CandidateSet;
use super::times::TimeScores;
use crate::fuse::Normalizer;
use crate::fuse::top::{best_numbers, highest_positions};
use crate::index::{GroupedDocuments, Index, ScoreBuffer};
use crate::lanes::meaning::MeaningScores;
use crate::lanes::words::WordScores;
use crate::scope::Scope;
use crate::weights::GroupWeights;

/// The least number of groups that each lane picks. With 10, a pooled benchmark lost two points of any@10
/// against a full ranking; with 64, less than one; with 200, a third of one and half as much time again.
const PICKED: usize = 64;
/// Before times are scored, each lane considers this many times more groups than it picks.
const CONSIDERED: usize = 2;
/// The number of groups in the period asked about that are considered, the latest ones.
const CONSIDERED_IN_PERIOD: usize = 2_048;
/// The number of documents whose groups are picked by the words of the document alone.
const BEST_DOCUMENTS: usize = 64;

/// Chooses candidates from what the lanes found.
pub(super) struct Shortlister<'l, 'q> {
    pub(super) index: &'q Index,
    pub(super) scope: &'q Scope<'q>,
    pub(super) times: &'l TimeScores<'q>,
    pub(super) words: &'l WordScores<'q>,
    pub(super) meaning: Option<&'l MeaningScores<'q>>,
    /// The groups that represent the rest, and the cosines of their documents.
    pub(super) sampled: (&'l GroupedDocuments, &'l [f32]),
    pub(super) weights: GroupWeights,
}

impl Shortlister<'_, '_> {
    /// Returns the candidates for `limit` results, and a sample of the rest.
    pub(super) fn candidates(&self, limit: usize) -> CandidateSet {
        let total = self.scope.group_total();
        // Where words alone choose, they choose more.
        let most = if self.meaning.is_some() { limit } else { limit + limit / 2 };
        let picked = self.pick(PICKED.max(most), total);
        let picked = CandidateSet::new(self.index, self.scope, picked.into_iter());
        picked.with_sample(self.sampled.0, total)
    }

    /// Returns the groups that each lane ranks first, in rising order.
    fn pick(&self, most: usize, total: usize) -> Vec<u32> {
        let words = LaneScores::of_words(self.words, total, self.weights.words);
        let meaning = self.meaning.map(|one| self.of_meaning(one, self.weights.meaning));
        let considered = self.consider(most, &words, meaning.as_ref());
        let times = self.of_times(&considered);
        let mut picked = self.groups_of_best_documents();
        let words: Vec<f32> = considered.iter().map(|one| words.of(*one)).collect();
        let mut pick = |values: &mut dyn Iterator<Item = f32>| {
            let values = values.zip(&times).map(|(value, time)| value + time);
            let positions = highest_positions(most, values);
            picked.extend(positions.map(|position| considered[position as usize]));
        };
        pick(&mut words.iter().copied());
        if let Some(meaning) = &meaning {
            let meaning: Vec<f32> = considered.iter().map(|one| meaning.of(*one)).collect();
            pick(&mut meaning.iter().copied());
            pick(&mut words.iter().zip(&meaning).map(|(words, meaning)| words + meaning));
        }
        picked.sort_unstable();
        picked.dedup();
        picked
    }

    /// Returns the weighted time signals of groups.
    fn of_times(&self, groups: &[u32]) -> Vec<f32> {
        let GroupWeights { period, recent, .. } = self.weights;
        let of =
            |one: &u32| period * self.times.group(*one) + recent * self.times.recent_group(*one);
        groups.iter().map(of).collect()
    }

    /// Returns the groups that may be picked once times are scored, in rising order.
    fn consider(
        &self,
        most: usize,
        words: &LaneScores<'_, '_>,
        meaning: Option<&LaneScores<'_, '_>>,
    ) -> Vec<u32> {
        let mut considered = self.best_by_time(most);
        for scores in [Some(words), meaning].into_iter().flatten() {
            considered.extend(scores.best(CONSIDERED * most));
        }
        considered.sort_unstable();
        considered.dedup();
        considered
    }

    /// Returns the groups that rank first by time alone.
    fn best_by_time(&self, most: usize) -> Vec<u32> {
        if let Some(chosen) = self.times.chosen_groups() {
            return chosen.to_vec();
        }
        let order = self.index.groups_by_end();
        let may_match = |one: &u32| self.scope.may_match(*one);
        let mut found: Vec<u32> = Vec::new();
        let mut add_latest = |all: &[u32], most: usize| {
            found.extend(all.iter().rev().copied().filter(may_match).take(most));
        };
        add_latest(self.scope.groups_by_end(), most);
        if let Some(period) = self.times.period() {
            let inside = self.index.ended_between(period.since, period.until);
            add_latest(&order[..inside.start], most);
            add_latest(&order[inside.clone()], CONSIDERED_IN_PERIOD.max(most));
            found.extend(order[inside.end..].iter().copied().filter(may_match).take(most));
        }
        found
    }

    /// Returns the scores of the groups with compared passages; the sample gives the distribution.
    fn of_meaning<'m>(&'m self, meaning: &'m MeaningScores<'_>, weight: f32) -> LaneScores<'m, 'm> {
        let (sample, cosines) = self.sampled;
        let usual = sample.highest(cosines);
        let normalizer = Normalizer::among_zeros(&usual, usual.len());
        let buffer = meaning.of_groups(self.index, self.scope);
        LaneScores { values: buffer.values(), buffer: BufferRef::Owned(buffer), normalizer, weight }
    }

    /// Returns the groups of the documents with the highest word scores.
    fn groups_of_best_documents(&self) -> Vec<u32> {
        let scores = &self.words.documents;
        let all = scores.touched().iter().map(|one| (*one, scores.get(*one)));
        let best = best_numbers(BEST_DOCUMENTS, all);
        best.map(|document| self.index.placements[document as usize].group).collect()
    }
}

/// The weighted, normalized scores of groups in one lane.
struct LaneScores<'l, 'i> {
    buffer: BufferRef<'l, 'i>,
    /// The values of the touched groups.
    values: Vec<f32>,
    normalizer: Normalizer,
    weight: f32,
}

/// A borrowed or an owned buffer.
enum BufferRef<'l, 'i> {
    Borrowed(&'l ScoreBuffer<'i>),
    Owned(ScoreBuffer<'i>),
}

impl<'l, 'i> LaneScores<'l, 'i> {
    /// The word scores, among `total` groups.
    fn of_words(words: &'l WordScores<'i>, total: usize, weight: f32) -> Self {
        let values = words.groups.values();
        let normalizer = Normalizer::among_zeros(&values, total);
        Self { buffer: BufferRef::Borrowed(&words.groups), values, normalizer, weight }
    }

    fn buffer(&self) -> &ScoreBuffer<'i> {
        match &self.buffer {
            BufferRef::Borrowed(buffer) => buffer,
            BufferRef::Owned(buffer) => buffer,
        }
    }

    /// Returns the score of a group; zero, the mean, if the lane did not score it.
    fn of(&self, group: u32) -> f32 {
        let value = self.buffer().get(group);
        if value > 0.0 { self.weight * self.normalizer.normalize(value) } else { 0.0 }
    }

    /// Returns the `most` groups with the highest scores.
    fn best(&self, most: usize) -> impl Iterator<Item = u32> {
        let touched = self.buffer().touched().iter().copied();
        best_numbers(most, touched.zip(self.values.iter().copied()))
    }
}
