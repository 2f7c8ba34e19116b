//! How much each signal counts.
//!
//! Conversations: recipe T2 with a static table, from a study on the `dev` split of LongMemEval S.

use super::signal::Signal::{self, *};

/// A signal and what it counts.
pub(crate) type Weights = &'static [(Signal, f32)];

/// For conversations.
pub(crate) const CONVERSATIONS: Weights = &[
    (Words, 0.9),
    (Round, 0.0),
    (Meaning, 1.3),
    (Person, 0.0),
    (Sibling, 0.5),
    (Own, 0.0),
    (Cover, 0.0),
    (MeaningTop, 0.0),
    (MeaningReply, 0.0),
    (Period, 0.0),
    (Recent, 0.0),
];

/// For conversations, where there is no embedder.
pub(crate) const CONVERSATIONS_BY_WORDS: Weights =
    &[(Words, 1.0), (Round, 0.0), (Person, 0.0), (Own, 0.0), (Cover, 0.0), (Period, 0.0), (Recent, 0.0)];

/// For entries.
pub(crate) const ENTRIES: Weights = &[
    (Words, 1.0),
    (WordsNearby, 0.3),
    (Meaning, 1.0),
    (MeaningNearby, 0.5),
    (Conversation, 0.3),
    (Speaker, 0.6),
    (Period, 2.0),
    (Recent, 0.0),
];

/// For entries, where there is no embedder.
pub(crate) const ENTRIES_BY_WORDS: Weights = &[
    (Words, 1.0),
    (WordsNearby, 0.3),
    (Conversation, 0.3),
    (Speaker, 0.6),
    (Period, 2.0),
    (Recent, 0.0),
];
