//! Scheduling the context document: it is written again when what it tells has changed.

use jiff::SignedDuration;

use super::MemoryEdit;
use crate::Result;
use crate::job::{Job, JobKind, Subject};
use crate::ports::Row;

/// The job waits this long for more changes.
const DELAY: SignedDuration = SignedDuration::from_secs(2);

impl MemoryEdit<'_> {
    /// Schedules the context document to be written again.
    pub(crate) fn put_context_job(&mut self) -> Result<()> {
        let (subject, due) = (Subject::Memory(self.memory.id), self.now + DELAY);
        let job = Job::new(self.mint(), self.place(), JobKind::Context, subject, due);
        self.tx.put(Row::Job(&job))
    }
}
