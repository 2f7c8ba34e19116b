//! How much each signal counts.
//!
//! There is one set of weights for all queries with a vector, and one for those without. They were fitted
//! by `everwhen bench tune` on four public sets together, each with the same influence, and rounded.
//! `docs/recall.md` has the protocol, and what the same fit scores on a set that it has not seen.

use crate::signal::Signal;

/// Weights for groups and for documents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights {
    pub(crate) groups: GroupWeights,
    pub(crate) documents: DocumentWeights,
}

/// The weights of the signals of groups. Zero leaves a signal out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GroupWeights {
    pub(crate) words: f32,
    pub(crate) meaning: f32,
    pub(crate) sibling: f32,
    pub(crate) documents: f32,
    pub(crate) period: f32,
    pub(crate) recent: f32,
}

/// The weights of the signals of documents. Zero leaves a signal out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DocumentWeights {
    pub(crate) words: f32,
    pub(crate) words_nearby: f32,
    pub(crate) meaning: f32,
    pub(crate) meaning_nearby: f32,
    pub(crate) speaker: f32,
    pub(crate) first_person: f32,
    pub(crate) period: f32,
    pub(crate) group: f32,
}

impl GroupWeights {
    /// Iterates over the signals that count for groups, with their weights.
    pub(crate) fn iter(self) -> impl Iterator<Item = (Signal, f32)> {
        let all = Signal::ALL.iter().map(move |signal| (*signal, self.of(*signal)));
        all.filter(|(_, weight)| *weight != 0.0)
    }

    fn of(self, signal: Signal) -> f32 {
        match signal {
            Signal::Words => self.words,
            Signal::Meaning => self.meaning,
            Signal::Sibling => self.sibling,
            Signal::Documents => self.documents,
            Signal::Period => self.period,
            Signal::Recent => self.recent,
            Signal::WordsNearby
            | Signal::MeaningNearby
            | Signal::Speaker
            | Signal::FirstPerson
            | Signal::Group
            | Signal::Inside
            | Signal::Order
            | Signal::WordPairs => 0.0,
        }
    }
}

impl DocumentWeights {
    /// Iterates over the signals that count for documents, with their weights.
    pub(crate) fn iter(self) -> impl Iterator<Item = (Signal, f32)> {
        let all = Signal::ALL.iter().map(move |signal| (*signal, self.of(*signal)));
        all.filter(|(_, weight)| *weight != 0.0)
    }

    fn of(self, signal: Signal) -> f32 {
        match signal {
            Signal::Words => self.words,
            Signal::WordsNearby => self.words_nearby,
            Signal::Meaning => self.meaning,
            Signal::MeaningNearby => self.meaning_nearby,
            Signal::Speaker => self.speaker,
            Signal::FirstPerson => self.first_person,
            Signal::Period => self.period,
            Signal::Group => self.group,
            Signal::Sibling
            | Signal::Documents
            | Signal::Recent
            | Signal::Inside
            | Signal::Order
            | Signal::WordPairs => 0.0,
        }
    }
}

impl Weights {
    /// Returns the weights for a query.
    pub(crate) fn new(has_vector: bool) -> Self {
        if has_vector { VECTOR } else { NO_VECTOR }
    }
}

const VECTOR: Weights = Weights {
    groups: GroupWeights {
        words: 1.0,
        meaning: 1.0,
        sibling: 0.5,
        documents: 1.5,
        period: 2.0,
        recent: 0.5,
    },
    documents: DocumentWeights {
        words: 1.0,
        words_nearby: 0.4,
        meaning: 1.2,
        meaning_nearby: 0.5,
        speaker: 6.0,
        first_person: 0.5,
        period: 2.0,
        group: 2.5,
    },
};

const NO_VECTOR: Weights = Weights {
    groups: GroupWeights {
        words: 1.0,
        meaning: 0.0,
        sibling: 0.0,
        documents: 1.0,
        period: 1.5,
        recent: 0.5,
    },
    documents: DocumentWeights {
        words: 1.0,
        words_nearby: 0.4,
        meaning: 0.0,
        meaning_nearby: 0.0,
        speaker: 5.0,
        first_person: 0.4,
        period: 2.5,
        group: 1.5,
    },
};
