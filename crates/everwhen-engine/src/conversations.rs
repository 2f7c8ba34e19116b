//! Conversations: where one ends and the next begins, and what becomes of them.
//!
//! The rule stands in [`boundary`], once, as a pure function of all entries. `place` applies it
//! to one new entry at a time and leaves the same conversations behind, in whatever order the
//! entries arrive. `finish` keeps a conversation's end, jobs and retention in step.

pub(crate) mod act;
pub mod boundary;
pub(crate) mod finish;
pub(crate) mod place;
pub(crate) mod prompt;
pub(crate) mod rearrange;
pub mod recent_context;
pub mod retrospect;
pub(crate) mod summarize_with_model;
mod verbs;

pub use verbs::EndOfConversation;
