//! How much each signal counts.
//!
//! Rounded from a fit of all signals together (the gold against all others, softmax): where nobody is
//! named on LongMemEval S, where somebody is on LoCoMo. What is about time was then held back, so
//! that in a small memory, where nothing stands out far, words still come first. All questions were
//! in view, so none of them is clean. `everwhen bench tune --data DIR --ids dev_ids.txt --seed 1
//! --tries 300` searches from here, with cross-validation over five seeds: any@1 93.4 to 94.6, all@5
//! 97.1 to 98.0. What it finds on `dev` is worse on the others, so these stay. `docs/recall.md` has
//! it all.

use super::signal::Signal::{self, *};

/// A signal and what it counts.
pub(crate) type Weights = &'static [(Signal, f32)];

/// Weights for conversations and for entries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Set {
    pub(crate) conversations: Weights,
    pub(crate) entries: Weights,
}

/// The weights for a question. One that names who spoke is about people who talk with each other:
/// their talk drifts, so a conversation says little beyond its entries, and who is named matters.
pub(crate) fn of(by_meaning: bool, names_somebody: bool) -> Set {
    match (by_meaning, names_somebody) {
        (true, false) => MEANT,
        (true, true) => MEANT_BY_SOMEBODY,
        (false, false) => SAID,
        (false, true) => SAID_BY_SOMEBODY,
    }
}

const MEANT: Set = Set {
    conversations: &[
        (Words, 1.0),
        (WordsTogether, 0.4),
        (Meaning, 0.7),
        (Opening, 0.7),
        (Sibling, 1.7),
        (Period, 1.5),
        (Recent, 2.0),
    ],
    entries: &[(Words, 1.0), (Meaning, 1.0), (Conversation, 1.5), (Period, 2.0)],
};

const MEANT_BY_SOMEBODY: Set = Set {
    conversations: &[
        (Words, 1.0),
        (WordsTogether, 0.6),
        (Meaning, 0.8),
        (Opening, 0.2),
        (Sibling, 0.3),
        (Entries, 0.9),
        (Period, 4.0),
    ],
    entries: &[
        (Words, 1.0),
        (WordsBefore, 0.45),
        (Meaning, 1.2),
        (MeaningNearby, 0.5),
        (Length, 1.0),
        (Conversation, 3.0),
        (Speaker, 3.0),
        (Period, 4.0),
    ],
};

/// Where there is no embedder.
const SAID: Set = Set {
    conversations: &[(Words, 1.0), (WordsTogether, 0.5), (Period, 1.5), (Recent, 1.5)],
    entries: &[(Words, 1.0), (Conversation, 1.0), (Period, 2.0)],
};

/// Where there is no embedder.
const SAID_BY_SOMEBODY: Set = Set {
    conversations: &[(Words, 1.0), (WordsTogether, 0.8), (Period, 3.0)],
    entries: &[
        (Words, 1.0),
        (WordsBefore, 0.6),
        (Length, 1.0),
        (Conversation, 2.0),
        (Speaker, 3.0),
        (Period, 4.0),
    ],
};
