//! Condensing: one text in place of several chapters, where a writer wants that.
//!
//! The chapters stay: they are searched, summarised and regenerated as before. Who reads a memory in
//! order reads the condensed text instead of them ([`condensed_view`]).

use super::{Chapter, ChapterKind};
use crate::engine::Engine;
use crate::job::Job;
use crate::memory::{ChapterId, Cursor, TimePrecision, WrittenBy, chapter_digest_of};
use crate::memory_edit::MemoryEdit;
use crate::ports::{ChapterSelection, ChapterWriter, CondenseMaterial, CondenseRule};
use crate::text::shorten;
use crate::{Result, summary};

/// Chapters before the condensed ones that the writer is shown.
const CONTEXT: usize = 3;
/// Longest title, in characters.
const TITLE_CHARS: usize = 120;
/// Most names and phrases of a condensed chapter.
const WORDS: usize = 20;
/// A condensed chapter ends behind the last one it condenses, and before any other.
const END: u64 = 1 << 60;

/// Chapters as a reader is shown them, oldest first: those that tell the memory in order, with
/// condensed ones in place of what they condense.
pub fn condensed_view(all: Vec<Chapter>) -> Vec<Chapter> {
    let condensed: Vec<(Cursor, Cursor)> = all
        .iter()
        .filter(|one| one.kind == ChapterKind::Condensed)
        .map(|one| (one.first, one.last))
        .collect();
    let mut shown = all;
    shown.retain(|one| match one.kind {
        ChapterKind::Condensed => true,
        ChapterKind::Searchable => false,
        ChapterKind::Written | ChapterKind::Imported => !condensed
            .iter()
            .any(|(first, last)| at(*first) <= at(one.first) && at(one.last) <= at(*last)),
    });
    shown
}

fn at(cursor: Cursor) -> (jiff::Timestamp, u64) {
    (cursor.time, cursor.sequence)
}

/// Condenses the oldest chapters if enough have come since the last time.
pub(super) async fn run(engine: &Engine, writer: &dyn ChapterWriter, job: &Job) -> Result<()> {
    let Some(rule) = writer.condenses() else { return Ok(()) };
    let place = job.place();
    let all = engine
        .store
        .look(move |snapshot| snapshot.chapters(place, ChapterSelection::Behind(None, None)))
        .await?;
    let Some((batch, before)) = due(&all, rule) else { return Ok(()) };
    let texts = |chapters: &[&Chapter]| chapters.iter().map(|one| one.text.clone()).collect();
    let before = &before[before.len().saturating_sub(CONTEXT)..];
    let material = CondenseMaterial { place, chapters: texts(&batch), before: texts(before) };
    let Some(text) = writer.condense(&material).await? else { return Ok(()) };
    let batch: Vec<Chapter> = batch.into_iter().cloned().collect();
    engine.go_on(job, move |edit, _| keep(edit, &batch, &text)).await
}

/// The oldest chapters that are not condensed, if there are enough of them, and what a reader is shown
/// before them.
fn due(all: &[Chapter], rule: CondenseRule) -> Option<(Vec<&Chapter>, Vec<&Chapter>)> {
    let condensed = all.iter().filter(|one| one.kind == ChapterKind::Condensed);
    let last = condensed.clone().map(|one| at(one.last)).max();
    let is_new = |one: &&Chapter| last.is_none_or(|last| at(one.last) > last);
    let mut fresh: Vec<&Chapter> =
        all.iter().filter(|one| one.kind.is_story()).filter(is_new).collect();
    if rule.count == 0 || fresh.len() < rule.count + rule.buffer {
        return None;
    }
    fresh.truncate(rule.count);
    Some((fresh, condensed.collect()))
}

/// Keeps a condensed chapter, if all that it condenses is still there.
fn keep(edit: &mut MemoryEdit<'_>, batch: &[Chapter], text: &str) -> Result<()> {
    let (Some(first), Some(last)) = (batch.first(), batch.last()) else { return Ok(()) };
    let now = edit.tx.chapters(edit.place(), ChapterSelection::Story(None, None))?;
    let is_there = |id: ChapterId| now.iter().any(|one| one.id == id);
    if !batch.iter().all(|one| is_there(one.id)) {
        return Ok(());
    }
    let mut end = last.last;
    end.sequence |= END;
    let mut undated = batch.iter().filter_map(|one| one.provenance.as_ref());
    let undated = undated.rfind(|from| from.precision == TimePrecision::Unknown);
    let words = |of: fn(&Chapter) -> &Vec<String>| {
        let mut words: Vec<String> = Vec::new();
        for word in batch.iter().flat_map(of) {
            if words.len() < WORDS && !words.contains(word) {
                words.push(word.clone());
            }
        }
        words
    };
    let chapter = Chapter {
        id: edit.mint(),
        memory: edit.memory.id,
        first: first.first,
        last: end,
        entries: batch.iter().map(|one| one.entries).sum(),
        digest: chapter_digest_of(batch),
        title: summary::without_controls(&shorten(text, TITLE_CHARS)),
        text: text.to_owned(),
        entities: words(|one| &one.entities),
        key_phrases: words(|one| &one.key_phrases),
        by: WrittenBy::Llm,
        creation_time: edit.now,
        kind: ChapterKind::Condensed,
        provenance: undated.cloned(),
        metadata: None,
    };
    edit.put_chapter(&chapter)
}

/// Removes condensed chapters that hold any of these chapters.
pub(super) fn remove_over(edit: &mut MemoryEdit<'_>, stale: &[Chapter]) -> Result<()> {
    if stale.is_empty() {
        return Ok(());
    }
    let first =
        stale.iter().map(|gone| Cursor { sequence: 0, ..gone.first }).min_by_key(|it| it.time);
    let mut all = edit.tx.chapters(edit.place(), ChapterSelection::Behind(first, None))?;
    all.retain(|one| one.kind == ChapterKind::Condensed);
    let holds = |one: &&Chapter| {
        stale.iter().any(|gone| at(one.first) <= at(gone.last) && at(gone.first) <= at(one.last))
    };
    all.iter().filter(holds).try_for_each(|one| edit.remove_chapter(one.id))
}
