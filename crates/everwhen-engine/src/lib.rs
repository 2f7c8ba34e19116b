//! The engine of Everwhen: memory that knows *when*.
//!
//! A [`Vault`] belongs to one owner and holds memories. A memory is a stream of entries, each one
//! thing said, with a `conversation_time` (when it was said) and a `creation_time` (when it was
//! stored). Entries fall into conversations, bounded by a pause or by a word.
//!
//! This crate decides. It does no I/O, reads no clock, rolls no dice and knows no database: time
//! and chance come from a [`World`], and what it keeps goes through the [`ports::Store`] port. So
//! all of it runs in a test, on one thread, from a seed.
//!
//! Start reading at [`Vault`] for what can be done, at [`conversations::boundary`] for the rule
//! that splits conversations, and at [`ports`] for what a store has to provide.

#![forbid(unsafe_code)]

pub mod activity;
pub mod chapters;
mod contexts;
pub mod conversations;
mod dated;
mod engine;
mod erase;
mod error;
mod export;
mod fact_views;
pub mod facts;
mod files;
mod forget;
mod graph;
mod idempotency;
mod import;
mod index;
pub mod job;
mod job_run;
pub mod json;
pub mod key;
pub mod ledger;
pub mod limits;
pub mod memory;
pub mod memory_block;
mod memory_edit;
mod past;
pub mod ports;
mod reach;
pub mod recall;
pub mod receipt;
mod remember;
mod similarity;
mod stamp;
mod summary;
mod text;
mod timeline;
mod tombstones;
mod transcript;
pub mod usage;
mod vault;
mod work;

pub use everwhen_time as time;

pub use engine::{Engine, NewVault, VaultDefaults, World};
pub use error::{ConflictReason, Error, ErrorKind, Result};
pub use export::{ExportSink, ExportedLines, ExportedMemory, ExportedVault, Restored};
pub use files::{FileAnswer, FileCommand};
pub use forget::Forget;
pub use graph::{Entity, Graph, GraphChange, GraphRelation};
pub use import::{ImportMode, ImportOutcome, ImportedBatch, ImportedBranch, ImportedConversation};
pub use memory_edit::{ClockStep, ClockSteps};
pub use reach::Unreached;
pub use remember::NewCorrection;
pub use timeline::{Density, DensityQuery, TimeBetween, TimelineAbout, TimelineLine};
pub use vault::{ConversationView, MemoryChange, Page, Vault, VaultChange};
pub use work::{AheadMemory, FarLeases, JobReport, Lock, RetriedJobs, caught};
