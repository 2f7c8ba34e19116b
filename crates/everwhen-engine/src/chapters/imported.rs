//! Chapters that another system wrote.
//!
//! What they cover may not be stored here, so they cannot be written again: only forgetting and a
//! later import remove them, and chapters are written here for what was said after them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

use super::write::names_in;
use super::{Chapter, ChapterKind, RollingSummary, watch};
use crate::memory::{
    Address, ChapterId, Entry, MemoryId, Metadata, Name, Provenance, TextHash, TimeFrom, WrittenBy,
};
use crate::memory_edit::MemoryEdit;
use crate::ports::{ChapterSelection, Cursor, Row};
use crate::text::shorten;
use crate::vault::{Absent, Vault};
use crate::{Error, Result, limits, summary};

/// Undoes a dry run.
const DRY_RUN: &str = "this was only a dry run";
/// Longest title that is made from a text, in characters.
const TITLE_CHARS: usize = 120;
/// Most names that are found in a text.
const NAMES: usize = 10;
/// The sequence of the end of an imported chapter: behind every entry of the same time, and no two
/// kinds of chapters end at the same place.
const END: u64 = 1 << 61;
const SEARCHABLE_END: u64 = END + 1;

/// A chapter as another system wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedChapter {
    /// [`ChapterKind::Imported`] or [`ChapterKind::Searchable`].
    pub kind: ChapterKind,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Its text.
    pub text: String,
    /// Names that occur in it; found in the text if there are none.
    pub entities: Vec<String>,
    /// Words that stand for it.
    pub key_phrases: Vec<String>,
    /// When the last message that it covers was said.
    pub until: Timestamp,
    /// The hash of that message, by which it is recognised when a client sends it.
    pub last_message: Option<TextHash>,
    /// Its source, its id there, and how well `until` is known.
    pub provenance: Provenance,
    /// What else the source says about it.
    pub metadata: Option<Metadata>,
}

/// The summary of a memory as another system wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedSummary {
    /// The text.
    pub text: String,
    /// The id, in the source, of the last chapter that is in it; nothing if none is known to be.
    pub through: Option<Name>,
}

/// Chapters and the summary of a memory, as another system wrote them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportedChapters {
    /// The chapters, oldest first.
    pub chapters: Vec<ImportedChapter>,
    /// The summary.
    pub summary: Option<ImportedSummary>,
    /// Whether these are all chapters of their kinds, so that others of the same source are removed.
    pub is_complete: bool,
}

/// What an import of chapters did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChapterImport {
    /// Chapters that are new or have changed.
    pub stored: u64,
    /// Chapters that were here already.
    pub known: u64,
    /// Chapters that the source no longer has.
    pub removed: u64,
    /// Whether the summary is new.
    pub summary: bool,
}

impl Vault {
    /// Imports chapters and a summary of another system in one durable write, or only says what that
    /// would do. Makes the memory if it does not exist. A chapter is known by its source, its kind
    /// and its id there; importing it again changes nothing.
    pub async fn import_chapters(
        &self,
        memory: Address<MemoryId>,
        imported: ImportedChapters,
        dry_run: bool,
    ) -> Result<ChapterImport> {
        imported.check()?;
        let result = Arc::new(Mutex::new(ChapterImport::default()));
        let slot = Arc::clone(&result);
        let outcome = self
            .edit_memory_for(memory, Absent::Make, move |edit| {
                let done = import(edit, &imported)?;
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = done;
                if dry_run { Err(Error::conflict(DRY_RUN)) } else { Ok(()) }
            })
            .await;
        match outcome {
            Err(error) if !dry_run || error.message() != DRY_RUN => Err(error),
            _ => Ok(*result.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

impl ImportedChapters {
    fn check(&self) -> Result<()> {
        if self.chapters.len() > limits::IMPORT_ENTRIES {
            return Err(Error::too_large(format!(
                "{} chapters in one call; send at most {}",
                self.chapters.len(),
                limits::IMPORT_ENTRIES
            )));
        }
        for (place, chapter) in self.chapters.iter().enumerate() {
            chapter.check().map_err(|error| error.at(format!("chapters[{place}]")))?;
        }
        match &self.summary {
            Some(summary) => check_text(&summary.text).map_err(|error| error.at("summary")),
            None => Ok(()),
        }
    }
}

impl ImportedChapter {
    fn check(&self) -> Result<()> {
        if !self.kind.is_foreign() {
            return Err(Error::invalid("kind must be imported or searchable"));
        }
        if self.provenance.source_id.is_none() {
            return Err(Error::conflict(
                "provenance.source_id is missing; it tells chapters apart",
            ));
        }
        check_text(&self.text)
    }

    fn key(&self) -> SourceKey {
        let from = &self.provenance;
        (self.kind, from.source.clone(), from.source_id.clone())
    }

    /// Whether a stored chapter says the same. Its time does not count: one that is not known may
    /// be assumed differently each time.
    fn is_same(&self, old: &Chapter) -> bool {
        self.text == old.text
            && self.metadata == old.metadata
            && self.title.as_ref().is_none_or(|title| summary::without_controls(title) == old.title)
            && (self.key_phrases.is_empty() || self.key_phrases == old.key_phrases)
            && (self.entities.is_empty() || self.entities == old.entities)
    }
}

fn check_text(text: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::invalid("text is blank; leave it out"));
    }
    if text.contains('\0') {
        return Err(Error::invalid("text contains a NUL character; remove it"));
    }
    if text.len() > limits::SUMMARY_BYTES {
        let (given, most) = (text.len(), limits::SUMMARY_BYTES);
        return Err(Error::too_large(format!("text has {given} bytes; at most {most} fit")));
    }
    Ok(())
}

/// What tells imported chapters apart.
type SourceKey = (ChapterKind, Name, Option<Name>);

fn key_of(chapter: &Chapter) -> Option<SourceKey> {
    let from = chapter.provenance.as_ref().filter(|_| chapter.kind.is_foreign())?;
    Some((chapter.kind, from.source.clone(), from.source_id.clone()))
}

fn import(edit: &mut MemoryEdit<'_>, imported: &ImportedChapters) -> Result<ChapterImport> {
    let all = edit.tx.chapters(edit.place(), ChapterSelection::Behind(None, None))?;
    let mut ends: HashSet<(Timestamp, u64)> = all.iter().map(|one| end(one.last)).collect();
    let old: HashMap<SourceKey, &Chapter> =
        all.iter().filter_map(|one| Some((key_of(one)?, one))).collect();
    let mut done = ChapterImport::default();
    let mut met: HashSet<ChapterId> = HashSet::new();
    let mut before: HashMap<ChapterKind, Timestamp> = HashMap::new();
    for one in &imported.chapters {
        let began = before.insert(one.kind, one.until);
        if let Some(old) = old.get(&one.key()) {
            met.insert(old.id);
            if one.is_same(old) {
                done.known += 1;
                continue;
            }
            edit.remove_chapter(old.id)?;
        }
        let chapter = chapter(edit, one, began, &mut ends);
        edit.put_chapter(&chapter)?;
        done.stored += 1;
    }
    if imported.is_complete {
        done.removed = remove_others(edit, &all, imported, &met)?;
    }
    if done.stored + done.removed > 0 {
        replan(edit, &all)?;
    }
    if let Some(summary) = &imported.summary {
        done.summary = put_summary(edit, summary, imported)?;
    }
    if done.stored + done.removed > 0 || done.summary {
        edit.put_context_job()?;
        edit.save_memory()?;
    }
    Ok(done)
}

fn end(cursor: Cursor) -> (Timestamp, u64) {
    (cursor.time, cursor.sequence)
}

/// The chapter as it is stored, at an end that no other has.
fn chapter(
    edit: &mut MemoryEdit<'_>,
    one: &ImportedChapter,
    began: Option<Timestamp>,
    ends: &mut HashSet<(Timestamp, u64)>,
) -> Chapter {
    let sequence = if one.kind == ChapterKind::Imported { END } else { SEARCHABLE_END };
    let mut last = Cursor { time: crate::time::to_microsecond(one.until), sequence };
    while !ends.insert(end(last)) {
        last.time += SignedDuration::from_micros(1);
    }
    let began = began.filter(|began| *began <= last.time && one.kind == ChapterKind::Imported);
    let digest = one.last_message.map_or([0; 32], |hash| hash.0);
    let title = one.title.clone().unwrap_or_else(|| shorten(&one.text, TITLE_CHARS));
    let found = || names_in(&one.text).take(NAMES).collect();
    Chapter {
        id: edit.mint(),
        memory: edit.memory.id,
        first: Cursor { time: began.unwrap_or(last.time), sequence: 0 },
        last,
        entries: 0,
        digest,
        title: summary::without_controls(&title),
        text: one.text.clone(),
        entities: if one.entities.is_empty() { found() } else { one.entities.clone() },
        key_phrases: one.key_phrases.clone(),
        by: WrittenBy::Llm,
        creation_time: edit.now,
        kind: one.kind,
        provenance: Some(Box::new(one.provenance.clone())),
        metadata: one.metadata.clone(),
    }
}

/// Removes what the source has no more, of the kinds that it still has.
fn remove_others(
    edit: &mut MemoryEdit<'_>,
    all: &[Chapter],
    imported: &ImportedChapters,
    met: &HashSet<ChapterId>,
) -> Result<u64> {
    let given: HashSet<(ChapterKind, &Name)> =
        imported.chapters.iter().map(|one| (one.kind, &one.provenance.source)).collect();
    let is_gone = |one: &&Chapter| {
        let from = one.provenance.as_ref().map(|from| (one.kind, &from.source));
        from.is_some_and(|from| given.contains(&from)) && !met.contains(&one.id)
    };
    let gone: Vec<ChapterId> = all.iter().filter(is_gone).map(|one| one.id).collect();
    gone.iter().try_for_each(|id| edit.remove_chapter(*id))?;
    Ok(gone.len() as u64)
}

/// Removes chapters that were written here and end before the last imported one, since they tell the
/// same a second time, and has the rest planned again.
fn replan(edit: &mut MemoryEdit<'_>, before: &[Chapter]) -> Result<()> {
    let foreign = edit.tx.chapters(edit.place(), ChapterSelection::Foreign)?;
    if let Some(until) = foreign_end(&foreign) {
        let is_covered = |one: &&Chapter| !one.kind.is_foreign() && end(one.last) <= end(until);
        before.iter().filter(is_covered).try_for_each(|one| edit.remove_chapter(one.id))?;
    }
    watch::plan_from(edit, Timestamp::MIN)
}

/// Where the last chapter of another system ends, among those whose time the source states.
pub(super) fn foreign_end(foreign: &[Chapter]) -> Option<Cursor> {
    let is_stated = |one: &&Chapter| {
        one.provenance.as_ref().is_some_and(|from| from.time_from == TimeFrom::Stated)
    };
    foreign.iter().filter(is_stated).map(|one| one.last).max_by_key(|last| end(*last))
}

/// Leaves out entries that chapters of another system cover: all up to the last one whose text has
/// the hash of the last message of such a chapter.
pub(super) fn after_foreign(foreign: &[Chapter], mut entries: Vec<Entry>) -> Vec<Entry> {
    if foreign.is_empty() {
        return entries;
    }
    let hashes: HashSet<TextHash> = foreign.iter().map(|one| TextHash(one.digest)).collect();
    let is_covered = |entry: &Entry| {
        let forms = TextHash::forms(entry.role, entry.content.as_str());
        forms.iter().any(|form| hashes.contains(form))
    };
    let last_covered = entries.iter().rposition(is_covered);
    entries.drain(..last_covered.map_or(0, |last_covered| last_covered + 1));
    entries
}

/// Keeps a summary as the next version, unless some version says the same.
fn put_summary(
    edit: &mut MemoryEdit<'_>,
    summary: &ImportedSummary,
    imported: &ImportedChapters,
) -> Result<bool> {
    let place = edit.place();
    let versions = edit.tx.summaries(place, None, None)?;
    if versions.iter().any(|one| one.text == summary.text) {
        return Ok(false);
    }
    let all = edit.tx.chapters(place, ChapterSelection::Story(None, None))?;
    let is_last = |one: &&Chapter| {
        let id = one.provenance.as_ref().and_then(|from| from.source_id.as_ref());
        id.is_some() && id == summary.through.as_ref()
    };
    // A summary that names no chapter holds none of them, as far as is known.
    let through = match all.iter().rev().find(is_last) {
        Some(chapter) => chapter.last,
        None => {
            let first = all.first().map(|one| one.last.time);
            let time = first.or(imported.chapters.first().map(|one| one.until));
            let time = time.unwrap_or(edit.clock) - SignedDuration::from_micros(1);
            Cursor { time, sequence: 0 }
        }
    };
    let (chapters, _) = edit.tx.snapshot().chapters_through(place, through)?;
    let summary = RollingSummary {
        memory: edit.memory.id,
        version: versions.first().map_or(0, |newest| newest.version) + 1,
        text: summary.text.clone(),
        through,
        chapters,
        by: WrittenBy::Llm,
        creation_time: edit.now,
    };
    edit.tx.put(Row::Summary(edit.vault.id, &summary))?;
    Ok(true)
}
