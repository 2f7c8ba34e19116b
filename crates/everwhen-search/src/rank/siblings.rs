//! The sibling signal: a query about several groups often shares its words with only one of them. What
//! the best groups are about finds the others.

use std::array;
use std::borrow::Cow;

use super::Ranker;
use crate::fuse::normalize;
use crate::fuse::top::best_positions;
use crate::lanes::meaning::{MeaningScores, THEMES, Themes};
use crate::vectors::QuantizedVector;

/// The number of passages of a leading group, those nearest to the query, that make up its theme.
const THEME_PASSAGES: usize = 4;

/// A group that matches better than others.
#[derive(Clone, Copy)]
struct Leader {
    position: usize,
    /// Its score, compared with that of the first leader.
    share: f32,
}

impl Ranker<'_> {
    /// Returns how similar groups are to the leading ones. There are several leaders, because the first
    /// may be wrong.
    pub(super) fn siblings(&self, meaning: &MeaningScores<'_>) -> Cow<'_, [f32]> {
        let leaders = self.leaders();
        let themes = Themes(array::from_fn(|one| self.theme(meaning, leaders.get(one))));
        let mut closest = self.closest(&themes);
        let shares: [f32; THEMES] =
            array::from_fn(|one| leaders.get(one).map_or(0.0, |leader| leader.share));
        for (one, leader) in leaders.iter().enumerate() {
            // A leader was found by other signals; here it counts as much as the closest other group.
            closest[leader.position][one] = 0.0;
            let others = closest.iter().map(|close| close[one]);
            closest[leader.position][one] = others.fold(0.0, f32::max);
        }
        let sum = |close: &[f32; THEMES]| {
            close.iter().zip(shares).map(|(close, share)| close * share).sum()
        };
        closest.iter().map(sum).collect()
    }

    /// Returns the groups with the highest sum of word and meaning scores.
    fn leaders(&self) -> Vec<Leader> {
        let candidates = self.candidates.of_groups();
        let mut words = self.each_group(|group| self.words.groups.get(group)).into_owned();
        let mut meaning = self.candidates.highest(&self.document_meaning);
        normalize(&candidates, &mut words);
        normalize(&candidates, &mut meaning);
        let both: Vec<f32> =
            words.iter().zip(&meaning).map(|(words, meaning)| words + meaning).collect();
        let mut leaders = best_positions(&candidates, &both, THEMES);
        leaders.retain(|position| both[*position] > 0.0);
        let most = leaders.first().map_or(0.0, |first| both[*first]);
        let leader = |position: usize| Leader { position, share: both[position] / most };
        leaders.into_iter().map(leader).collect()
    }

    /// Returns the theme of a leader: the mean direction of its passages nearest to the query.
    fn theme(&self, meaning: &MeaningScores<'_>, leader: Option<&Leader>) -> QuantizedVector {
        let documents = leader.map_or(0..0, |leader| self.candidates.range(leader.position));
        let mut passages = meaning.nearest_passages(&self.candidates.documents[documents]);
        passages.truncate(THEME_PASSAGES);
        self.index.vectors.mean_direction(&passages)
    }

    /// Returns the cosines between the nearest passage of each group and each theme.
    fn closest(&self, themes: &Themes) -> Vec<[f32; THEMES]> {
        let documents = &self.candidates.documents;
        let picked = self.candidates.picked_ranges().map(|range| &documents[range]);
        let mut closest = themes.closest(&self.index.vectors, picked);
        if let Some(sample) = &self.sample {
            let numbers: Vec<u32> = (0..sample.grouped.documents.len() as u32).collect();
            let ranges = self.candidates.sampled_ranges().iter();
            let sampled = ranges.map(|range| &numbers[range.clone()]);
            closest.extend(themes.closest(&sample.vectors, sampled));
        }
        closest
    }
}
