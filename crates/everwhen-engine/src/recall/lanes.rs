//! Lanes: the ways to find something. Each gives signals, one number per conversation or entry.

pub(crate) mod meaning;
pub(crate) mod when;
pub(crate) mod words;
