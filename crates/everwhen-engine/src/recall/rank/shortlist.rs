//! Who takes part in a ranking of a large memory: what each lane puts first, and a sample of the
//! rest.
//!
//! Signals are measured by how far they stand out among all conversations. The sample stands for
//! those that no lane put first, so nobody has to look at all of them.

use super::crowd::Crowd;
use super::times::Times;
use crate::recall::fuse::{Footing, top};
use crate::recall::index::{Index, Slate};
use crate::recall::lanes::meaning::MeaningScores;
use crate::recall::lanes::words::WordScores;
use crate::recall::scope::Scope;
use crate::recall::signal::Signal;
use crate::recall::weights;

/// Up to so many conversations all take part.
const WHOLE: usize = 2_048;
/// So many conversations are picked by each lane, and by all together.
const PICKED: usize = 384;
/// So many entries bring their conversations by their words alone.
const ENTRIES: usize = 256;
/// So many conversations stand for the rest.
const SAMPLED: usize = 384;

/// What the lanes found.
pub(super) struct Lanes<'l, 'q> {
    pub(super) index: &'q Index,
    pub(super) scope: &'q Scope<'q>,
    pub(super) times: &'l Times<'q>,
    pub(super) words: &'l WordScores<'q>,
    pub(super) meaning: Option<&'l MeaningScores<'q>>,
}

impl Lanes<'_, '_> {
    /// Everybody, or those that are worth it if `limit` answers are wanted.
    pub(super) fn crowd(&self, limit: usize) -> Crowd {
        let everybody: Vec<u32> = self.scope.conversations().collect();
        if everybody.len() <= WHOLE {
            return Crowd::of(self.index, self.scope, everybody.into_iter());
        }
        let picked = self.picked(&everybody, PICKED.max(2 * limit));
        let mut is_picked = vec![false; self.index.conversations.len()];
        picked.iter().for_each(|number| is_picked[*number as usize] = true);
        let rest: Vec<u32> =
            everybody.into_iter().filter(|number| !is_picked[*number as usize]).collect();
        let step = rest.len().div_ceil(SAMPLED).max(1);
        let sample: Vec<u32> = rest.iter().copied().skip(step / 2).step_by(step).collect();
        Crowd::of(self.index, self.scope, picked.into_iter()).with_sample(
            self.index,
            self.scope,
            &sample,
            rest.len(),
        )
    }

    fn picked(&self, everybody: &[u32], most: usize) -> Vec<u32> {
        let weight = |signal| weight_of(signal, self.meaning.is_some());
        let (period, recent) = (weight(Signal::Period), weight(Signal::Recent));
        let times: Vec<f32> = everybody
            .iter()
            .map(|one| period * self.times.conversation(*one) + recent * self.times.recent(*one))
            .collect();
        let said = standing(&self.words.conversations, everybody, weight(Signal::Words));
        let meant = self.meaning.map(|meaning| {
            let slate = meaning.of_conversations(self.index, self.scope);
            standing(&slate, everybody, weight(Signal::Meaning))
        });
        let mut picked = self.of_best_entries();
        let mut pick = |value: &dyn Fn(usize) -> f32| {
            // The newest first: they are the most recent, so most of the others need no look.
            let places = (0..everybody.len() as u32).rev();
            let best = top(most, places, |place| value(place as usize));
            picked.extend(best.into_iter().map(|(place, _)| everybody[place as usize]));
        };
        pick(&|place| times[place] + said[place]);
        if let Some(meant) = &meant {
            pick(&|place| times[place] + meant[place]);
            pick(&|place| times[place] + said[place] + meant[place]);
        }
        picked.sort_unstable();
        picked.dedup();
        picked
    }

    /// The conversations of the entries that the words put first.
    fn of_best_entries(&self) -> Vec<u32> {
        let entries = &self.words.entries;
        let best = top(ENTRIES, entries.touched().iter().copied(), |entry| entries.get(entry));
        best.iter().map(|(entry, _)| self.index.homes[*entry as usize].conversation).collect()
    }
}

/// How far each conversation stands out, weighted.
fn standing(slate: &Slate<'_>, everybody: &[u32], weight: f32) -> Vec<f32> {
    let values = slate.touched().iter().map(|number| slate.get(*number));
    let footing = Footing::among_zeros(values, everybody.len());
    everybody.iter().map(|number| weight * footing.of(slate.get(*number))).collect()
}

fn weight_of(signal: Signal, by_meaning: bool) -> f32 {
    let weights = if by_meaning { weights::CONVERSATIONS } else { weights::CONVERSATIONS_BY_WORDS };
    weights.iter().find(|(one, _)| *one == signal).map_or(0.0, |(_, weight)| *weight)
}
