//! What is remembered of a file that was imported, as it is written in `watch.json`.

use serde::{Deserialize, Serialize};

/// The size and time of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileStamp {
    pub(super) size: u64,
    /// Nanoseconds since 1970.
    pub(super) modified: u64,
}
