//! Promotes documents that a query asks for by time: the first or the last match ("the first time",
//! "most recently"), and what is inside a period ("last Sunday").

use super::{FusedScores, OrderedMatches, Ranker};
use crate::signal::Signal;

/// A document is a strong match if its score is at least this share of the best.
const STRONG: f32 = 0.5;
/// By how much a promoted document exceeds the others.
const MARGIN: f32 = 0.1;

impl Ranker<'_> {
    /// Promotes the documents that are asked for by their order above all others.
    pub(super) fn promote_ordered(&self, documents: &mut FusedScores<'_>) {
        let Some(order) = self.query.order else { return };
        let top = documents.scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut boosts = vec![0.0; documents.scores.len()];
        for (rank, position) in (1u32..).zip(self.ordered_matches(order, &documents.scores, top)) {
            boosts[position] = top - documents.scores[position] + MARGIN / rank as f32;
        }
        documents.add(Signal::Order, 1.0, boosts.into());
    }

    /// Of the leading documents, promotes those inside the period above the others. A document that
    /// matches too little to lead stays behind, whatever its time.
    pub(super) fn promote_inside(&self, documents: &mut FusedScores<'_>) {
        let Some(range) = &self.query.inside_first else { return };
        let is_inside = |position: &usize| {
            let document = self.candidates.documents[*position];
            let (first, last) = self.index.documents.times(document);
            range.touches(first, last)
        };
        let leading = documents.best(self.query.leading);
        let (inside, outside): (Vec<usize>, Vec<usize>) = leading.into_iter().partition(is_inside);
        let (Some(lowest), Some(highest)) = (inside.last(), outside.first()) else { return };
        let gap = documents.scores[*highest] - documents.scores[*lowest];
        if gap >= 0.0 {
            let mut boosts = vec![0.0; documents.scores.len()];
            inside.iter().for_each(|position| boosts[*position] = gap + MARGIN);
            documents.add(Signal::Inside, 1.0, boosts.into());
        }
    }

    /// Returns the positions of the documents that are asked for by their order, in that order.
    fn ordered_matches(&self, order: OrderedMatches, scores: &[f32], top: f32) -> Vec<usize> {
        let is_strong = |position: &usize| {
            scores[*position] >= STRONG * top && self.document_words[*position] > 0.0
        };
        let strong: Vec<usize> = (0..scores.len()).filter(is_strong).collect();
        let mut primary: Vec<usize> =
            strong.iter().copied().filter(|position| !self.is_reply(*position)).collect();
        if primary.is_empty() {
            primary = strong;
        }
        primary.sort_by_key(|position| {
            let document = self.candidates.documents[*position];
            (self.index.documents.time(document), document)
        });
        if order.from_latest {
            primary.reverse();
        }
        let skipped = (order.first as usize).max(1) - 1;
        let count = (order.last as usize).saturating_sub(skipped);
        primary.into_iter().skip(skipped).take(count).collect()
    }
}
