//! How much each signal counts.
//!
//! Conversations: words and meaning as a study fitted them on the `dev` split of LongMemEval S (98
//! questions, split seed 20261115); the others set by hand in steps, judged on `dev` and on the
//! first two conversations of LoCoMo, with the `valid` split (251 questions) in view, so `valid` is
//! not clean. `everwhen bench tune --data DIR --ids dev_ids.txt --seed 1 --tries 300` searches from
//! here: what it finds is better on `dev` and worse on `valid`, so these stay. Its cross-validation
//! over both splits, five seeds: any@1 91.4 to 92.6, any@5 99.1 to 100, all@5 95.7 to 96.6.
//!
//! Entries: random steps on the first two conversations of LoCoMo, rounded towards plain numbers.

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
