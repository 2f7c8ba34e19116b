//! How much each signal counts.
//!
//! Rounded from a fit of all signals together (the right answer against all others, softmax): on
//! LongMemEval S where the query names no speaker, on LoCoMo where it does. The weights of times were
//! then reduced, so that words still come first in a small index, where nothing stands out far. All
//! questions of both sets were used, so none of them is held out. `everwhen bench tune --data DIR --ids
//! dev_ids.txt --seed 1 --tries 300` searches from here, with cross-validation over five seeds: any@1
//! 93.4 to 94.6, all@5 97.1 to 98.0. What it finds on `dev` is worse on the others, so these stay.
//! `docs/recall.md` has the details.

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
    pub(crate) words_together: f32,
    pub(crate) meaning: f32,
    pub(crate) opening: f32,
    pub(crate) sibling: f32,
    pub(crate) documents: f32,
    pub(crate) period: f32,
    pub(crate) recent: f32,
}

/// The weights of the signals of documents. Zero leaves a signal out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DocumentWeights {
    pub(crate) words: f32,
    pub(crate) words_before: f32,
    pub(crate) meaning: f32,
    pub(crate) meaning_nearby: f32,
    pub(crate) length: f32,
    pub(crate) speaker: f32,
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
            Signal::WordsTogether => self.words_together,
            Signal::Meaning => self.meaning,
            Signal::Opening => self.opening,
            Signal::Sibling => self.sibling,
            Signal::Documents => self.documents,
            Signal::Period => self.period,
            Signal::Recent => self.recent,
            Signal::WordsBefore
            | Signal::MeaningNearby
            | Signal::Length
            | Signal::Speaker
            | Signal::Group
            | Signal::Inside
            | Signal::Order => 0.0,
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
            Signal::WordsBefore => self.words_before,
            Signal::Meaning => self.meaning,
            Signal::MeaningNearby => self.meaning_nearby,
            Signal::Length => self.length,
            Signal::Speaker => self.speaker,
            Signal::Period => self.period,
            Signal::Group => self.group,
            Signal::WordsTogether
            | Signal::Opening
            | Signal::Sibling
            | Signal::Documents
            | Signal::Recent
            | Signal::Inside
            | Signal::Order => 0.0,
        }
    }
}

impl Weights {
    /// Returns the weights for a query. One that names a speaker is about people who talk with each
    /// other: their topics drift, so a group says little beyond its documents, and the speaker matters.
    pub(crate) fn new(has_vector: bool, names_speaker: bool) -> Self {
        match (has_vector, names_speaker) {
            (true, false) => VECTOR,
            (true, true) => VECTOR_AND_SPEAKER,
            (false, false) => NO_VECTOR,
            (false, true) => SPEAKER,
        }
    }
}

const VECTOR: Weights = Weights {
    groups: GroupWeights {
        words: 1.0,
        words_together: 0.4,
        meaning: 0.7,
        opening: 0.7,
        sibling: 1.7,
        documents: 0.0,
        period: 1.5,
        recent: 2.0,
    },
    documents: DocumentWeights {
        words: 1.0,
        words_before: 0.0,
        meaning: 1.0,
        meaning_nearby: 0.0,
        length: 0.0,
        speaker: 0.0,
        period: 2.0,
        group: 1.5,
    },
};

const VECTOR_AND_SPEAKER: Weights = Weights {
    groups: GroupWeights {
        words: 1.0,
        words_together: 0.6,
        meaning: 0.8,
        opening: 0.2,
        sibling: 0.3,
        documents: 0.9,
        period: 4.0,
        recent: 0.0,
    },
    documents: DocumentWeights {
        words: 1.0,
        words_before: 0.45,
        meaning: 1.2,
        meaning_nearby: 0.5,
        length: 1.0,
        speaker: 3.0,
        period: 4.0,
        group: 3.0,
    },
};

const NO_VECTOR: Weights = Weights {
    groups: GroupWeights {
        words: 1.0,
        words_together: 0.5,
        meaning: 0.0,
        opening: 0.0,
        sibling: 0.0,
        documents: 0.0,
        period: 1.5,
        recent: 1.5,
    },
    documents: DocumentWeights {
        words: 1.0,
        words_before: 0.0,
        meaning: 0.0,
        meaning_nearby: 0.0,
        length: 0.0,
        speaker: 0.0,
        period: 2.0,
        group: 1.0,
    },
};

const SPEAKER: Weights = Weights {
    groups: GroupWeights {
        words: 1.0,
        words_together: 0.8,
        meaning: 0.0,
        opening: 0.0,
        sibling: 0.0,
        documents: 0.0,
        period: 3.0,
        recent: 0.0,
    },
    documents: DocumentWeights {
        words: 1.0,
        words_before: 0.6,
        meaning: 0.0,
        meaning_nearby: 0.0,
        length: 1.0,
        speaker: 3.0,
        period: 4.0,
        group: 2.0,
    },
};
