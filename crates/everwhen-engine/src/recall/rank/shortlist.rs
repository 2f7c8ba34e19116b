//! Who takes part in a ranking of a large memory: what each lane puts first, and a sample of the
//! rest.
//!
//! Signals are measured by how far they stand out among all conversations. The sample stands for
//! those that no lane put first, so nobody has to look at all of them.

use super::crowd::Crowd;
use super::times::Times;
use crate::recall::fuse::{Footing, highest, top};
use crate::recall::index::{Gathering, Index, Slate};
use crate::recall::lanes::meaning::MeaningScores;
use crate::recall::lanes::words::WordScores;
use crate::recall::scope::{Scope, WHOLE};
use crate::recall::signal::Signal;
use crate::recall::weights::Weights;

/// At least so many conversations are picked by each lane, and by all together.
const PICKED: usize = 10;
/// Before times are looked at, so many times more are in question.
const IN_QUESTION: usize = 2;
/// Of the period asked about, so many are in question, the latest.
const IN_PERIOD: usize = 2_048;
/// So many entries bring their conversations by their words alone.
const ENTRIES: usize = 10;

/// Whether everybody takes part.
pub(super) fn takes_all(scope: &Scope<'_>) -> bool {
    scope.conversation_total() <= WHOLE
}

/// What the lanes found.
pub(super) struct Lanes<'l, 'q> {
    pub(super) index: &'q Index,
    pub(super) scope: &'q Scope<'q>,
    pub(super) times: &'l Times<'q>,
    pub(super) words: &'l WordScores<'q>,
    pub(super) meaning: Option<&'l MeaningScores<'q>>,
    /// Those that stand for the rest, and how near their entries are in meaning.
    pub(super) sampled: (&'l Gathering, &'l [f32]),
    pub(super) weights: Weights,
}

impl Lanes<'_, '_> {
    /// Those that are worth it if `limit` answers are wanted, and a sample of the rest.
    pub(super) fn crowd(&self, limit: usize) -> Crowd {
        let total = self.scope.conversation_total();
        // Where words alone choose, more of them.
        let most = if self.meaning.is_some() { limit } else { limit + limit / 2 };
        let picked = self.picked(PICKED.max(most), total);
        let picked = Crowd::of(self.index, self.scope, picked.into_iter());
        picked.with_sample(self.sampled.0, total)
    }

    /// Those that each lane puts first, in rising order.
    fn picked(&self, most: usize, total: usize) -> Vec<u32> {
        let weight = |signal| weight_of(signal, self.weights);
        let said = Standing::of_words(self.words, total, weight(Signal::Words));
        let meant = self.meaning.map(|one| self.of_meaning(one, weight(Signal::Meaning)));
        let asked = self.in_question(most, &said, meant.as_ref());
        let times = self.of_times(&asked, weight(Signal::Period), weight(Signal::Recent));
        let mut picked = self.of_best_entries();
        let said: Vec<f32> = asked.iter().map(|one| said.of(*one)).collect();
        let mut pick = |values: &mut dyn Iterator<Item = f32>| {
            let places = highest(most, values.zip(&times).map(|(value, time)| value + time));
            picked.extend(places.map(|place| asked[place as usize]));
        };
        pick(&mut said.iter().copied());
        if let Some(meant) = &meant {
            let meant: Vec<f32> = asked.iter().map(|one| meant.of(*one)).collect();
            pick(&mut meant.iter().copied());
            pick(&mut said.iter().zip(&meant).map(|(said, meant)| said + meant));
        }
        picked.sort_unstable();
        picked.dedup();
        picked
    }

    /// What times say about conversations, weighted.
    fn of_times(&self, asked: &[u32], period: f32, recent: f32) -> Vec<f32> {
        let of =
            |one: &u32| period * self.times.conversation(*one) + recent * self.times.recent(*one);
        asked.iter().map(of).collect()
    }

    /// Those that may come first once times are looked at, in rising order.
    fn in_question(
        &self,
        most: usize,
        said: &Standing<'_, '_>,
        meant: Option<&Standing<'_, '_>>,
    ) -> Vec<u32> {
        let mut asked = self.by_time(most);
        for standing in [Some(said), meant].into_iter().flatten() {
            asked.extend(standing.best(IN_QUESTION * most));
        }
        asked.sort_unstable();
        asked.dedup();
        asked
    }

    /// Those that come first by time alone.
    fn by_time(&self, most: usize) -> Vec<u32> {
        if let Some(chosen) = self.times.chosen() {
            return chosen.to_vec();
        }
        let order = self.index.in_order();
        let may_answer = |one: &u32| self.scope.may_answer(*one);
        let mut found: Vec<u32> = Vec::new();
        let mut find_latest = |all: &[u32], most: usize| {
            found.extend(all.iter().rev().copied().filter(may_answer).take(most));
        };
        find_latest(self.scope.in_order(), most);
        if let Some((since, until)) = self.times.period() {
            let inside = self.index.ended_between(since, until);
            find_latest(&order[..inside.start], most);
            find_latest(&order[inside.clone()], IN_PERIOD.max(most));
            found.extend(order[inside.end..].iter().copied().filter(may_answer).take(most));
        }
        found
    }

    /// How conversations stand by meaning, as far as they are known; the sample says how the others
    /// do.
    fn of_meaning<'m>(&'m self, meaning: &'m MeaningScores<'_>, weight: f32) -> Standing<'m, 'm> {
        let (sample, near) = self.sampled;
        let usual = sample.highest(near);
        let footing = Footing::among_zeros(&usual, usual.len());
        let slate = meaning.of_conversations(self.index, self.scope);
        Standing { values: slate.values(), slate: slate.into(), footing, weight }
    }

    /// The conversations of the entries that the words put first.
    fn of_best_entries(&self) -> Vec<u32> {
        let entries = &self.words.entries;
        let best = top(ENTRIES, entries.touched().iter().map(|one| (*one, entries.get(*one))));
        best.map(|entry| self.index.homes[entry as usize].conversation).collect()
    }
}

/// How far conversations stand out in one lane, weighted.
struct Standing<'l, 'i> {
    slate: Held<'l, 'i>,
    /// Its values, side by side.
    values: Vec<f32>,
    footing: Footing,
    weight: f32,
}

/// A slate of somebody else, or an own one.
enum Held<'l, 'i> {
    Lent(&'l Slate<'i>),
    Own(Slate<'i>),
}

impl<'i> From<Slate<'i>> for Held<'_, 'i> {
    fn from(slate: Slate<'i>) -> Self {
        Self::Own(slate)
    }
}

impl<'l, 'i> Standing<'l, 'i> {
    /// By words, among so many conversations.
    fn of_words(words: &'l WordScores<'i>, total: usize, weight: f32) -> Self {
        let slate = &words.conversations;
        let values = slate.values();
        let footing = Footing::among_zeros(&values, total);
        Self { slate: Held::Lent(slate), values, footing, weight }
    }

    fn slate(&self) -> &Slate<'i> {
        match &self.slate {
            Held::Lent(slate) => slate,
            Held::Own(slate) => slate,
        }
    }

    /// Of a conversation; what is not known is as usual.
    fn of(&self, number: u32) -> f32 {
        let value = self.slate().get(number);
        if value > 0.0 { self.weight * self.footing.of(value) } else { 0.0 }
    }

    /// The conversations that stand out most.
    fn best(&self, most: usize) -> impl Iterator<Item = u32> {
        let touched = self.slate().touched().iter().copied();
        top(most, touched.zip(self.values.iter().copied()))
    }
}

fn weight_of(signal: Signal, weights: Weights) -> f32 {
    weights.iter().find(|(one, _)| *one == signal).map_or(0.0, |(_, weight)| *weight)
}
