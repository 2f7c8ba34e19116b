//! The figures of an import.

use std::fmt;

use serde::Serialize;

/// What was measured.
#[derive(Debug, Serialize)]
pub struct ImportReport {
    /// Messages in the archive.
    pub messages: u64,
    /// The size of the archive.
    pub archive_mib: f64,
    /// Seconds until everything was stored and indexed and a question was answered.
    pub seconds: f64,
    /// The most memory that the importing process had.
    pub peak_mib: f64,
    /// The memory of a process that only opens the result and answers a question.
    pub index_mib: f64,
    /// Messages that were stored when the process was killed, as it had said by then.
    pub killed_at: u64,
    /// Messages that were found when it was started again.
    pub known_afterwards: u64,
    /// Messages that were stored then.
    pub stored_afterwards: u64,
}

impl fmt::Display for ImportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = self.messages as f64 / self.seconds.max(0.001);
        writeln!(f, "archive       {} messages, {:.0} MiB", self.messages, self.archive_mib)?;
        writeln!(
            f,
            "import        {:.1} s, {rate:.0} messages/s, index and one question included",
            self.seconds
        )?;
        writeln!(
            f,
            "memory        {:.0} MiB at most, {:.0} MiB of it the index: {:.0} MiB above it",
            self.peak_mib,
            self.index_mib,
            self.peak_mib - self.index_mib
        )?;
        write!(
            f,
            "killed        at {}; continued: {} were there, {} were stored, none twice",
            self.killed_at, self.known_afterwards, self.stored_afterwards
        )
    }
}
