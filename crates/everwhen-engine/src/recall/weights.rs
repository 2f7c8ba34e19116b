//! How much each signal counts.
//!
//! Conversations: the recipe of a study on the `dev` split of LongMemEval S (98 questions, seed
//! 20261115) as the start, then steps by hand that held on that split and on the first two
//! conversations of LoCoMo. `everwhen bench tune --data DIR --ids dev_ids.txt --seed 1` searches
//! from here and cross-validates; what it finds lies within noise of these. Entries: fitted on the
//! first two conversations of LoCoMo, seed 1, and rounded.

use super::signal::Signal::{self, *};

/// A signal and what it counts.
pub(crate) type Weights = &'static [(Signal, f32)];

/// For conversations.
pub(crate) const CONVERSATIONS: Weights =
    &[(Words, 0.9), (Meaning, 1.3), (Sibling, 0.8), (Entries, 0.5), (Period, 1.5), (Recent, 0.8)];

/// For conversations, where there is no embedder.
pub(crate) const CONVERSATIONS_BY_WORDS: Weights = &[(Words, 1.0), (Period, 1.5), (Recent, 0.8)];

/// For entries.
pub(crate) const ENTRIES: Weights = &[
    (Words, 1.0),
    (WordsNearby, 0.8),
    (Meaning, 0.6),
    (MeaningNearby, 0.4),
    (Conversation, 0.4),
    (Speaker, 1.6),
    (Period, 2.0),
];

/// For entries, where there is no embedder.
pub(crate) const ENTRIES_BY_WORDS: Weights =
    &[(Words, 1.0), (WordsNearby, 0.8), (Conversation, 0.4), (Speaker, 1.6), (Period, 2.0)];
