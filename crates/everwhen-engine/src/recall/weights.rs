//! How much each signal counts.
//!
//! Found by hand in steps of about a third of a weight, judged on the `dev` split of LongMemEval S (98
//! questions, split seed 20261115) and the first two conversations of LoCoMo together: what helps one
//! and hurts the other was left. The other questions of both were in view, so they are not clean.
//! `everwhen bench tune --data DIR --ids dev_ids.txt --seed 1 --tries 300` searches from here, with
//! cross-validation over five seeds: any@1 91.7 to 92.3, any@5 98.6 to 99.4, all@5 95.1 to 95.7. What
//! it finds is better on `dev` and worse on the others, so these stay. `docs/recall.md` has it all.

use super::signal::Signal::{self, *};

/// A signal and what it counts.
pub(crate) type Weights = &'static [(Signal, f32)];

/// For conversations.
pub(crate) const CONVERSATIONS: Weights =
    &[(Words, 1.1), (Meaning, 1.3), (Sibling, 0.8), (Entries, 0.7), (Period, 2.0), (Recent, 0.8)];

/// For conversations, where there is no embedder.
pub(crate) const CONVERSATIONS_BY_WORDS: Weights = &[(Words, 1.0), (Period, 1.5), (Recent, 0.8)];

/// For entries.
pub(crate) const ENTRIES: Weights = &[
    (Words, 1.0),
    (WordsNearby, 0.8),
    (Meaning, 0.8),
    (MeaningNearby, 0.4),
    (Conversation, 1.0),
    (Speaker, 2.0),
    (Period, 2.0),
];

/// For entries, where there is no embedder.
pub(crate) const ENTRIES_BY_WORDS: Weights =
    &[(Words, 1.0), (WordsNearby, 0.8), (Conversation, 0.4), (Speaker, 2.0), (Period, 2.0)];
