//! Chapters and the rolling summary: what a memory was about, in order.
//!
//! Which entries make a chapter is a pure function of all of them (`plan`), so writing behind the
//! chat and regenerating from the first word come to the same chapters with the same dates. A job
//! writes what is missing (`write`); another folds new chapters into the summary (`fold`).

mod chapter;
pub(crate) mod fold;
mod plan;
mod query;
mod rules;
mod watch;
pub(crate) mod write;

pub(crate) use chapter::mark;
pub use chapter::{Chapter, RollingSummary};
pub use query::ChapterQuery;
pub use rules::{ChapterRules, Folding};
pub(crate) use watch::{FIRST_LOOK, forget_said, hurried, look_now, note_change, note_said};
pub(crate) use write::names_in;
