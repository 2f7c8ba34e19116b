//! Importing files of other programs.
//!
//! [`Plan`] recognises files, folders and archives and says which source reads which; reading gives
//! conversations for the engine, one at a time, and a [`Report`]. [`run()`] stores them in a vault. No file
//! is held in memory as a whole.
//!
//! Walk: documents (`input`, `archive`, `decode`) → samples (`sample`) → a source (`sources`, one file
//! each) reads threads with `reading`, `json`, `moment`, `tree` and `text` → times are repaired
//! (`repair`) → conversations for the engine (`finish`).
//!
//! A new source is a file in `sources` and a line in its table.

mod archive;
mod beside;
mod content_id;
mod decode;
mod finish;
mod gaps;
mod input;
mod json;
pub(crate) mod moment;
mod options;
mod plan;
mod reading;
mod repair;
mod report;
mod run;
mod sample;
mod sources;
mod text;
mod thread;
mod tree;

pub use decode::json_of;
pub use options::{DateOrder, Fields, Options};
pub use plan::Plan;
pub use report::Report;
pub use run::{
    ImportBatch, ImportCounts, ImportProgress, ImportTarget, forgotten_meanwhile, read_batches,
    restore, run,
};
pub use sources::{SOURCES, Source, message_in_note};
