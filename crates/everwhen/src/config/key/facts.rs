//! Keys for facts.

use super::{Key, SWITCH, key};

/// Whether facts fade.
pub(in crate::config) const FORGETTING: Key = key(
    "facts.forgetting",
    "EVERWHEN_FACTS_FORGETTING",
    "whether unused facts rank lower over time; none is deleted",
    SWITCH,
);
/// How fast.
pub(in crate::config) const HALF_LIFE: Key = key(
    "facts.half_life_days",
    "EVERWHEN_FACTS_HALF_LIFE_DAYS",
    "half-life of a fact's weight in days, if forgetting is on",
    "a whole number of days, such as 180",
);
/// Which facts are pinned by themselves.
pub(in crate::config) const AUTO_PIN: Key = key(
    "facts.auto_pin",
    "EVERWHEN_FACTS_AUTO_PIN",
    "a new fact in which a word begins like one of these is pinned; \"health\" means a set of them",
    "words with commas, such as \"health, passport\"",
);
/// From which closeness on two facts say the same.
pub(in crate::config) const SAME: Key = key(
    "facts.same",
    "EVERWHEN_FACTS_SAME",
    "two facts of at least this cosine say the same; else as measured for the embedder",
    "a number between 0 and 1, such as 0.92",
);
/// From which closeness on two facts are about the same thing.
pub(in crate::config) const RELATED: Key = key(
    "facts.related",
    "EVERWHEN_FACTS_RELATED",
    "two facts of at least this cosine are about the same thing; else as measured for the embedder",
    "a number between 0 and 1, such as 0.75",
);
/// From which closeness on a statement may follow from other words.
pub(in crate::config) const BORNE_OUT: Key = key(
    "facts.borne_out",
    "EVERWHEN_FACTS_BORNE_OUT",
    "a model's fact that shares no word with what was said is kept from this cosine on; else as measured for the embedder",
    "a number between 0 and 1, such as 0.4",
);
