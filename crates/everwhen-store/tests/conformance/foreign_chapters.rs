//! Chapters that are not written from entries: imported ones, condensed ones, and the state document
//! that is merged from them.

use std::sync::Arc;

use everwhen_engine::chapters::{
    ChapterImport, ChapterKind, ChapterQuery, ImportedChapter, ImportedChapters, ImportedSummary,
    condensed_view,
};
use everwhen_engine::memory::{
    ContextBy, NewEntry, Provenance, Role, TextHash, TimeFrom, TimePrecision,
};
use everwhen_engine::ports::{
    ChapterMaterial, ChapterWords, ChapterWriter, CondenseMaterial, CondenseRule, ContextVersion,
    StateMaterial, Wait,
};
use everwhen_testkit::block_on;
use jiff::SignedDuration;

use crate::bed::Open;
use crate::rows::{at, name};
use crate::talk::{Talk, memory, said};

fn history(count: i64) -> Vec<NewEntry> {
    let line = |minute: i64| said(Role::User, &format!("Line {minute} about Rome"));
    (0..count).map(|minute| line(minute).said_at(at(minute - 600))).collect()
}

fn imported(number: i64, last_message: Option<&str>) -> ImportedChapter {
    ImportedChapter {
        kind: ChapterKind::Imported,
        title: None,
        text: format!("Memory {number} of another system.\nSecond line."),
        entities: Vec::new(),
        key_phrases: Vec::new(),
        until: at(number - 900),
        last_message: last_message.map(TextHash::of),
        provenance: Provenance {
            source_id: Some(name(&format!("memory {number}"))),
            ..Provenance::stated(name("wilmer"))
        },
        metadata: None,
    }
}

fn searchable(number: i64) -> ImportedChapter {
    ImportedChapter {
        kind: ChapterKind::Searchable,
        title: Some("A title".into()),
        entities: vec!["Ada".into()],
        key_phrases: vec!["a phrase".into()],
        ..imported(number, None)
    }
}

fn import(talk: &Talk, chapters: Vec<ImportedChapter>, summary: Option<&str>) -> ChapterImport {
    let summary =
        summary.map(|text| ImportedSummary { text: text.into(), through: Some(name("memory 1")) });
    let all = ImportedChapters { chapters, summary, is_complete: true };
    block_on(talk.vault.import_chapters(memory(), all, false)).unwrap()
}

fn work(talk: &Talk) {
    talk.clock.advance(SignedDuration::from_mins(60));
    talk.settle();
}

/// Kinds and first lines of all chapters.
fn chapter_texts(talk: &Talk) -> Vec<(ChapterKind, String)> {
    let page = block_on(talk.vault.chapters(memory(), ChapterQuery::default())).unwrap();
    let line = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    page.data.iter().map(|one| (one.kind, line(&one.text))).collect()
}

pub(crate) fn importing_chapters_again_changes_nothing(open: Open) {
    let talk = Talk::new(open);
    let all = || vec![imported(1, None), imported(2, None), searchable(1), searchable(2)];
    let first = import(&talk, all(), Some("So far"));
    assert_eq!(first, ChapterImport { stored: 4, known: 0, removed: 0, summary: true });
    let before = block_on(talk.vault.chapters(memory(), ChapterQuery::default())).unwrap().data;
    work(&talk);
    let again = import(&talk, all(), Some("So far"));
    assert_eq!(again, ChapterImport { stored: 0, known: 4, removed: 0, summary: false });
    let after = block_on(talk.vault.chapters(memory(), ChapterQuery::default())).unwrap().data;
    assert_eq!(before, after);
    assert_eq!(after[0].text, "Memory 1 of another system.\nSecond line.");
    let summary = block_on(talk.vault.rolling_summary(memory())).unwrap();
    assert_eq!((summary.text.as_str(), summary.chapters, summary.version), ("So far", 1, 1));
    // The source has condensed its memories meanwhile.
    let changed = ImportedChapter { text: "Both.".into(), ..imported(2, None) };
    let third = import(&talk, vec![changed], None);
    assert_eq!(third, ChapterImport { stored: 1, known: 0, removed: 1, summary: false });
    assert_eq!(chapter_texts(&talk).len(), 3, "searchable ones stay: none were given");
}

pub(crate) fn a_dry_run_imports_no_chapters(open: Open) {
    let talk = Talk::new(open);
    let all = ImportedChapters { chapters: vec![imported(1, None)], ..Default::default() };
    let counts = block_on(talk.vault.import_chapters(memory(), all, true)).unwrap();
    assert_eq!(counts.stored, 1);
    assert!(block_on(talk.vault.chapters(memory(), ChapterQuery::default())).is_err());
}

pub(crate) fn chapters_are_written_for_what_was_said_after_the_imported_ones(open: Open) {
    let talk = Talk::new(open);
    // Its time is unknown, so only the text of its last message says where it ends.
    let mut unknown = imported(2, Some("Line 9 about Rome"));
    unknown.provenance.precision = TimePrecision::Unknown;
    unknown.provenance.time_from = TimeFrom::File;
    import(&talk, vec![imported(1, None), unknown], None);
    talk.remember(history(23));
    work(&talk);
    let kinds = |talk: &Talk| chapter_texts(talk).into_iter().map(|one| one.0).collect::<Vec<_>>();
    let both = [ChapterKind::Imported, ChapterKind::Written];
    assert_eq!(kinds(&talk), [both[0], both[0], both[1], both[1]], "ten lines are told already");
    block_on(talk.vault.regenerate(memory(), None)).unwrap();
    assert_eq!(kinds(&talk), [both[0]; 2], "what cannot be written again stays");
    work(&talk);
    assert_eq!(kinds(&talk), [both[0], both[0], both[1], both[1]]);
    let page = block_on(talk.vault.chapters(memory(), ChapterQuery::default())).unwrap().data;
    let zone = everwhen_engine::time::Zone::utc();
    assert_eq!(page.iter().filter(|one| one.days(&zone).is_none()).count(), 1);
}

/// Writes chapters, condenses two of them at a time, and keeps a state document.
struct Writer;

impl ChapterWriter for Writer {
    fn write<'a>(&'a self, material: &'a ChapterMaterial) -> Wait<'a, ChapterWords> {
        let text = format!("Chapter after {}", material.chapters.len());
        Box::pin(async { Ok(ChapterWords { text, ..ChapterWords::default() }) })
    }

    fn condenses(&self) -> Option<CondenseRule> {
        Some(CondenseRule { count: 2, buffer: 1 })
    }

    fn condense<'a>(&'a self, material: &'a CondenseMaterial) -> Wait<'a, Option<String>> {
        let text = format!("Condensed: {}", material.chapters.join(", "));
        Box::pin(async { Ok(Some(text)) })
    }

    fn keeps_state_document(&self) -> bool {
        true
    }

    fn merge_state<'a>(&'a self, material: &'a StateMaterial) -> Wait<'a, Option<String>> {
        let text = format!("{}+{}", material.document, material.new_chapters.len());
        Box::pin(async { Ok(Some(text)) })
    }
}

pub(crate) fn a_writer_condenses_chapters_and_keeps_a_state_document(open: Open) {
    let mut talk = Talk::new(open);
    talk.engine = talk.engine.with_chapter_writer(Arc::new(Writer));
    let lines = history(33);
    talk.remember(lines[..13].to_vec());
    work(&talk);
    assert_eq!(chapter_texts(&talk).len(), 2, "two chapters and no third one to keep");
    talk.remember(lines[13..18].to_vec());
    work(&talk);
    let page = block_on(talk.vault.chapters(memory(), ChapterQuery::default())).unwrap().data;
    let shown: Vec<String> = condensed_view(page).into_iter().map(|one| one.text).collect();
    assert_eq!(shown, ["Condensed: Chapter after 0, Chapter after 1", "Chapter after 2"]);
    assert_eq!(chapter_texts(&talk).len(), 4, "what was condensed is still there");
    let newest = ContextVersion::Current;
    let state = block_on(talk.vault.context(memory(), newest)).unwrap();
    assert_eq!((state.content.as_str(), state.by), ("+2+1", ContextBy::Llm));
    // What comes late changes the chapter, so nothing condensed may tell the old one.
    talk.remember(vec![said(Role::User, "Late").said_at(at(-598))]);
    work(&talk);
    let kinds: Vec<ChapterKind> = chapter_texts(&talk).into_iter().map(|one| one.0).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == ChapterKind::Condensed).count(), 1);
    assert_eq!(kinds.len(), 4);
}
