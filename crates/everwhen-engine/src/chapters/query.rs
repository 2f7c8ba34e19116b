//! Asking for chapters and summaries, and having everything derived made again.

use jiff::Timestamp;

use super::{Chapter, RollingSummary, fold};
use crate::memory::{Address, ChapterId, ForgetMark, MemoryId};
use crate::ports::{ChapterSelection, Cursor, PastKind};
use crate::receipt::{Done, Idempotency, Receipt};
use crate::vault::{Absent, Page, Vault, View, page, page_limit};
use crate::{Error, Result};

/// The number of chapters that are read at a time.
const STEP: usize = 200;

/// Which chapters to list, oldest first.
#[derive(Debug, Clone, Default)]
pub struct ChapterQuery {
    /// With an entry at or after this.
    pub after: Option<Timestamp>,
    /// That began before this.
    pub before: Option<Timestamp>,
    /// That had been written at this time.
    pub as_of: Option<Timestamp>,
    /// Go on behind the chapter that ends here.
    pub from: Option<Cursor>,
    /// The maximum number.
    pub limit: Option<usize>,
}

impl ChapterQuery {
    fn admits(&self, chapter: &Chapter) -> bool {
        self.after.is_none_or(|after| chapter.last.time >= after)
            && self.before.is_none_or(|before| chapter.first.time < before)
            && self.as_of.is_none_or(|as_of| chapter.creation_time <= as_of)
    }
}

/// Reads chapters until enough are found, a few more than asked for at a time; as of an earlier moment
/// with those that have been replaced since.
fn found(view: &View<'_>, query: &ChapterQuery, enough: usize) -> Result<Vec<Chapter>> {
    let (snapshot, place) = (view.snapshot, view.place);
    let (mut from, mut found) = (query.from, Vec::new());
    loop {
        let mut rows = snapshot.chapters(place, ChapterSelection::Behind(from, Some(STEP)))?;
        let is_last = rows.len() < STEP;
        // Several may end together; the next part begins behind a place, so it must not be theirs.
        let end = rows.last().map(|last| last.last);
        rows.retain(|one| is_last || Some(one.last) != end);
        from = rows.last().map(|last| last.last);
        found.extend(rows.into_iter().filter(|one| query.admits(one)));
        if is_last || found.len() >= enough {
            break;
        }
    }
    if let Some(at) = query.as_of {
        let past = snapshot.past(place, at, &[PastKind::Chapters])?;
        let order = |cursor: Cursor| (cursor.time, cursor.sequence);
        let behind = |one: &Chapter| query.from.is_none_or(|from| order(one.last) > order(from));
        found.extend(past.chapters.into_iter().filter(|one| behind(one) && query.admits(one)));
        found.sort_by_key(|one| (order(one.last), one.id));
    }
    found.truncate(enough);
    Ok(found)
}

impl Vault {
    /// Chapters, oldest first.
    pub async fn chapters(
        &self,
        memory: Address<MemoryId>,
        query: ChapterQuery,
    ) -> Result<Page<Chapter, Cursor>> {
        let limit = page_limit(query.limit)?;
        let rows = self.read(memory, move |view, _| found(view, &query, limit + 1)).await?;
        Ok(page(rows, limit, |chapter| chapter.last))
    }

    /// One chapter.
    pub async fn chapter(&self, memory: Address<MemoryId>, id: ChapterId) -> Result<Chapter> {
        let found = self
            .read(memory, move |view, _| {
                Ok(view.snapshot.chapters(view.place, ChapterSelection::Id(id))?.pop())
            })
            .await?;
        found.ok_or_else(|| Error::not_found(format!("chapter not found: {id}")))
    }

    /// The newest version of the rolling summary.
    pub async fn rolling_summary(&self, memory: Address<MemoryId>) -> Result<RollingSummary> {
        let newest =
            self.read(memory, |view, _| view.snapshot.summaries(view.place, None, Some(1))).await?;
        let none =
            || Error::not_found("there is no summary yet: no chapter has been folded into one");
        newest.into_iter().next().ok_or_else(none)
    }

    /// Versions of the rolling summary, newest first, below `before`.
    pub async fn rolling_summaries(
        &self,
        memory: Address<MemoryId>,
        before: Option<u64>,
        limit: Option<usize>,
    ) -> Result<Page<RollingSummary, u64>> {
        let limit = page_limit(limit)?;
        let rows = self
            .read(memory, move |view, _| {
                view.snapshot.summaries(view.place, before, Some(limit + 1))
            })
            .await?;
        Ok(page(rows, limit, |summary| summary.version))
    }

    /// Writes a version of the rolling summary that holds all chapters there are. Refused while
    /// there are none, for an empty text, and if something was forgotten in the memory since the text's writer
    /// read it.
    pub async fn write_summary(
        &self,
        memory: Address<MemoryId>,
        text: String,
        read_at: ForgetMark,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        if text.trim().is_empty() {
            return Err(Error::invalid("the summary is empty; write some text"));
        }
        self.edit_memory(memory, Absent::Refuse, idempotency, move |edit| {
            edit.check_mark(&read_at)?;
            fold::write_by_hand(edit, &text)?;
            Ok(Receipt::Memory(edit.memory.id))
        })
        .await
    }
}
