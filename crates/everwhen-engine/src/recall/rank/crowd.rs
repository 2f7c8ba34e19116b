//! Who takes part in a ranking: conversations, and their entries beside each other.

use std::ops::{Deref, Range};

use crate::recall::fuse::Candidates;
use crate::recall::index::{Gathering, Index, SAMPLED, Sample};
use crate::recall::lanes::meaning::{Bearing, Cosines};
use crate::recall::scope::Scope;

/// Conversations and their entries. Some were picked; the others are a sample of the rest and
/// stand for it, so that means and deviations come out as if everybody took part.
#[derive(Debug, Default)]
pub(super) struct Crowd {
    gathered: Gathering,
    /// Conversations and entries that speak for themselves.
    picked: (usize, usize),
    stand_for: f64,
    /// Places in the sample of the entries that were taken from it.
    sampled: Vec<Range<usize>>,
}

impl Deref for Crowd {
    type Target = Gathering;

    fn deref(&self) -> &Gathering {
        &self.gathered
    }
}

impl Crowd {
    /// Gathers picked conversations.
    pub(super) fn of(index: &Index, scope: &Scope<'_>, picked: impl Iterator<Item = u32>) -> Self {
        let mut gathered = Gathering::default();
        picked.for_each(|number| gathered.add(index, number, |entry| scope.admits(entry)));
        let picked = (gathered.conversations.len(), gathered.entries.len());
        Self { gathered, picked, stand_for: 1.0, sampled: Vec::new() }
    }

    /// Lets those of a sample that were not picked stand for the rest of so many conversations.
    pub(super) fn with_sample(mut self, sample: &Gathering, total: usize) -> Self {
        let (picked, rest) = (self.picked.0, total.saturating_sub(self.picked.0));
        for (place, span) in sample.spans().enumerate() {
            let is_picked = |all: &[u32]| all.binary_search(&sample.conversations[place]).is_ok();
            if !is_picked(&self.conversations[..picked]) {
                self.gathered.take(sample, place, span.clone());
                self.sampled.push(span);
            }
        }
        self.stand_for = rest as f64 / self.sampled.len().max(1) as f64;
        self
    }

    /// The conversations, to rank.
    pub(super) fn of_conversations(&self) -> Candidates<'_> {
        let (numbers, picked) = (&self.conversations[..], self.picked.0);
        Candidates { numbers, picked, stand_for: self.stand_for }
    }

    /// The entries, to rank.
    pub(super) fn of_entries(&self) -> Candidates<'_> {
        let (numbers, picked) = (&self.entries[..], self.picked.1);
        Candidates { numbers, picked, stand_for: self.stand_for }
    }

    /// The cosines of all entries; those of the sample are known, by place in it.
    pub(super) fn cosines(&self, cosines: &Cosines<'_>, sampled: &[f32]) -> Vec<f32> {
        let mut found = cosines.entries(&self.entries[..self.picked.1]);
        self.sampled.iter().for_each(|span| found.extend_from_slice(&sampled[span.clone()]));
        found
    }

    /// The places of the entries of each conversation that speaks for itself; those of the sample
    /// come behind them.
    pub(super) fn picked_spans(&self) -> impl Iterator<Item = Range<usize>> {
        self.spans().take(self.picked.0)
    }

    /// Places in the sample of the entries of each conversation that was taken from it.
    pub(super) fn sampled_spans(&self) -> &[Range<usize>] {
        &self.sampled
    }
}

/// Conversations that stand for the rest: those the index has at hand, or some of what this question
/// may see.
pub(super) enum Sampled<'q> {
    Lent(&'q Sample),
    Own(Box<Sample>),
}

impl<'q> Sampled<'q> {
    pub(super) fn of(index: &'q Index, scope: &Scope<'_>) -> Self {
        if scope.is_open() {
            return Self::Lent(index.sample());
        }
        let numbers = scope.sample(SAMPLED).into_iter();
        Self::Own(Box::new(Sample::of(index, numbers, |entry| scope.admits(entry))))
    }

    /// The cosines of its entries, by place.
    pub(super) fn cosines(&self, bearing: &Bearing) -> Vec<f32> {
        let places: Vec<u32> = (0..self.gathered.entries.len() as u32).collect();
        bearing.entries(&self.vectors, &places)
    }
}

impl Deref for Sampled<'_> {
    type Target = Sample;

    fn deref(&self) -> &Sample {
        match self {
            Self::Lent(sample) => sample,
            Self::Own(sample) => sample,
        }
    }
}
