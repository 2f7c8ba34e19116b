//! Siblings: a question about several conversations often shares its words with only one of them.
//! What the leading conversations are about finds the others.

use std::borrow::Cow;
use std::ops::Range;
use std::{array, iter};

use super::Asked;
use crate::recall::fuse::{best, stand_out};
use crate::recall::index::Rounded;
use crate::recall::lanes::meaning::{MeaningScores, THEMES, Themes};

/// So many passages of a leading conversation, those nearest to the question, say what it is about.
const PASSAGES: usize = 4;

/// A conversation that stands out.
#[derive(Clone, Copy)]
struct Leader {
    place: usize,
    /// How far it stands out, against the first.
    share: f32,
}

impl Asked<'_> {
    /// How close conversations come to those that stand out most. Several of those, because the
    /// first may be the wrong one.
    pub(super) fn siblings(&self, meaning: &MeaningScores<'_>) -> Cow<'_, [f32]> {
        let leaders = self.leaders();
        let themes = Themes(array::from_fn(|one| self.theme(meaning, leaders.get(one))));
        let mut closest = self.closest(&themes);
        let shares: [f32; THEMES] =
            array::from_fn(|one| leaders.get(one).map_or(0.0, |leader| leader.share));
        for (one, leader) in leaders.iter().enumerate() {
            // It has been found by other signals: it is as close to itself as the closest other.
            closest[leader.place][one] = 0.0;
            let others = closest.iter().map(|close| close[one]);
            closest[leader.place][one] = others.fold(0.0, f32::max);
        }
        let sum = |close: &[f32; THEMES]| {
            close.iter().zip(shares).map(|(close, share)| close * share).sum()
        };
        closest.iter().map(sum).collect()
    }

    /// The conversations that stand out most by words and meaning together.
    fn leaders(&self) -> Vec<Leader> {
        let candidates = self.crowd.of_conversations();
        let mut words = self.each(|number| self.words.conversations.get(number)).into_owned();
        let mut meant = self.crowd.highest(&self.meant);
        stand_out(&candidates, &mut words);
        stand_out(&candidates, &mut meant);
        let both: Vec<f32> = words.iter().zip(&meant).map(|(words, meant)| words + meant).collect();
        let mut leaders = best(&candidates, &both, THEMES);
        leaders.retain(|place| both[*place] > 0.0);
        let most = leaders.first().map_or(0.0, |first| both[*first]);
        leaders.into_iter().map(|place| Leader { place, share: both[place] / most }).collect()
    }

    /// What a leader is about, as far as the question goes.
    fn theme(&self, meaning: &MeaningScores<'_>, leader: Option<&Leader>) -> Rounded {
        let entries = leader.map_or(0..0, |leader| self.crowd.span(leader.place));
        let mut passages = meaning.nearest_of(&self.crowd.entries[entries]);
        passages.truncate(PASSAGES);
        self.index.vectors.together(&passages)
    }

    /// How close the nearest passage of each conversation is to each theme.
    fn closest(&self, themes: &Themes) -> Vec<[f32; THEMES]> {
        let vectors = &self.index.vectors;
        let picked = self.crowd.picked_spans().map(|span| {
            let runs = self.crowd.entries[span].chunk_by(|a, b| a + 1 == *b);
            themes.closest(vectors, runs.map(|run| vectors.of_run(run[0], run[run.len() - 1])))
        });
        let sampled = self.sample.iter().flat_map(|sample| {
            let passages =
                |span: &Range<usize>| sample.vectors.of_run(span.start as u32, span.end as u32 - 1);
            let spans = self.crowd.sampled_spans().iter();
            spans.map(move |span| themes.closest(&sample.vectors, iter::once(passages(span))))
        });
        picked.chain(sampled).collect()
    }
}
