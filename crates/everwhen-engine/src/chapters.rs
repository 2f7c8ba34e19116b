//! Chapters and the rolling summary: what a memory was about, in order.
//!
//! Which entries make a chapter is a pure function of all of them (`plan`), so writing behind the
//! chat and regenerating from the first word come to the same chapters with the same dates. A job
//! writes what is missing (`write`); another folds new chapters into the summary (`fold`).

mod condense;
pub(crate) mod fold;
mod imported;
mod job_note;
mod plan;
mod query;
mod state_document;
mod watch;
pub(crate) mod write;

pub use crate::memory::{Chapter, ChapterKind, ChapterRules, Folding, RollingSummary};
pub use condense::condensed_view;
pub use imported::{ChapterImport, ImportedChapter, ImportedChapters, ImportedSummary};
pub use query::ChapterQuery;
pub(crate) use watch::{forget_said, hurried, look_now, note_change, note_said, plan_from};
pub(crate) use write::names_in;
