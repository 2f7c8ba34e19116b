//! Lanes: the ways to find something. Each computes signals, one value per group or document.

pub(crate) mod meaning;
pub(crate) mod when;
pub(crate) mod words;
