//! Everwhen's own export: a vault as lines of JSON, and a vault made of them again; and `foreign`: a memory
//! in the formats of other programs.
//!
//! The first line says what the file is and what is known of the vault. Each memory is between a line
//! `begin` and a line `end`, which counts what is in between; the line `done` ends the file. So a file that
//! breaks off is recognised, and the memories before the fault can be restored. `docs/export.md` describes
//! every line.

mod foreign;
mod reader;
mod wire;
mod writer;

pub use foreign::{ForeignFormat, write_foreign};
pub use reader::{ExportFile, ExportFileMemory};
pub use writer::ExportWriter;

/// The version of the format.
const VERSION: u64 = 1;
/// What the first line says of itself.
const KIND: &str = "everwhen";
