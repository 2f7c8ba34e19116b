//! A timeline of what was said about something: found by recall, told oldest first.

use super::{TimelineLine, lines};
use crate::Result;
use crate::memory::{Address, MemoryId};
use crate::recall::{About, Query};
use crate::vault::Vault;

/// What was said about something, oldest first.
#[derive(Debug, Clone)]
pub struct TimelineAbout {
    /// One dated line each.
    pub lines: Vec<TimelineLine>,
    /// How time in the words was read.
    pub about: Option<About>,
    /// Nothing was said in that stretch; the lines lie outside.
    pub nothing_in_period: bool,
}

impl Vault {
    /// The timeline of what answers a question.
    pub async fn timeline_about(
        &self,
        memory: Address<MemoryId>,
        query: Query,
    ) -> Result<TimelineAbout> {
        let zone = self.info().await?.zone;
        let recollection = self.recall(memory, query).await?;
        let mut entries: Vec<_> = recollection.items.into_iter().map(|found| found.entry).collect();
        entries.sort_by_key(|entry| (entry.conversation_time, entry.place));
        Ok(TimelineAbout {
            lines: lines(&entries, &zone, None),
            about: recollection.about,
            nothing_in_period: recollection.nothing_in_period,
        })
    }
}
