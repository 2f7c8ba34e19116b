//! Chapters and rolling summaries: as rows, and as they grow behind a memory.

use std::sync::Arc;

use everwhen_engine::Forget;
use everwhen_engine::Vault;
use everwhen_engine::chapters::{Chapter, ChapterKind, ChapterQuery, ChapterRules, RollingSummary};
use everwhen_engine::facts::WrittenBy;
use everwhen_engine::memory::{
    Address, ChapterId, Metadata, NewEntry, Provenance, Role, TimeFrom, TimePrecision,
};
use everwhen_engine::ports::{ChapterSelection, Cursor, Erasure, Removal, Row};
use everwhen_engine::recall::{Kind, Query};
use everwhen_testkit::{ScriptedLlm, block_on, engine_over};
use jiff::SignedDuration;

use crate::bed::Open;
use crate::rows::{at, home, id, name, place};
use crate::talk::{Talk, memory, said};

fn cursor(number: u64) -> Cursor {
    Cursor { time: at(i64::try_from(number).unwrap()), sequence: number }
}

/// The chapter with this number, which covers the entries up to ten times the number.
fn chapter(number: u64) -> Chapter {
    Chapter {
        id: id(u128::from(number)),
        memory: id(1),
        first: cursor(number * 10 - 9),
        last: cursor(number * 10),
        entries: 10,
        digest: [u8::try_from(number).unwrap(); 32],
        title: format!("chapter {number}"),
        text: "They \"talked\".".into(),
        entities: vec!["Ada".into(), "a \"b\"".into()],
        key_phrases: Vec::new(),
        by: WrittenBy::Llm,
        creation_time: at(99),
        kind: ChapterKind::Written,
        provenance: None,
        metadata: None,
    }
}

/// The same as another system wrote it.
fn foreign(number: u64, kind: ChapterKind) -> Chapter {
    Chapter {
        kind,
        provenance: Some(Box::new(Provenance {
            source_id: Some(name("m1")),
            time_text: Some(name("2026-01-02")),
            precision: TimePrecision::Unknown,
            time_from: TimeFrom::File,
            ..Provenance::stated(name("wilmer"))
        })),
        metadata: Some(Metadata::new("{\"topics\": []}").unwrap()),
        ..chapter(number)
    }
}

pub(crate) fn kinds_of_chapters_are_told_apart(open: Open) {
    let bed = open();
    let kinds = [ChapterKind::Imported, ChapterKind::Searchable, ChapterKind::Condensed];
    let all = [
        foreign(1, kinds[0]),
        foreign(2, kinds[1]),
        chapter(3),
        Chapter { kind: kinds[2], ..chapter(4) },
    ];
    let rows = all.clone();
    bed.write(move |tx| rows.iter().try_for_each(|one| tx.put(Row::Chapter(id(1), one))));
    let selected = |query: ChapterSelection| bed.look(move |rows| rows.chapters(home(), query));
    assert_eq!(selected(ChapterSelection::Behind(None, None)), all);
    assert_eq!(selected(ChapterSelection::Story(None, None)), [all[0].clone(), all[2].clone()]);
    assert_eq!(selected(ChapterSelection::Story(Some(cursor(10)), Some(1))), [all[2].clone()]);
    assert_eq!(selected(ChapterSelection::Foreign), all[..2]);
    assert_eq!(selected(ChapterSelection::Last(None)), [all[2].clone()]);
    assert_eq!(bed.look(|rows| rows.chapters_through(home(), cursor(99))).0, 2);
}

fn version(number: u64) -> RollingSummary {
    RollingSummary {
        memory: id(1),
        version: number,
        text: format!("summary {number}"),
        through: cursor(number * 10),
        chapters: number,
        by: WrittenBy::Extractive,
        creation_time: at(100),
    }
}

pub(crate) fn chapters_come_back_in_order(open: Open) {
    let bed = open();
    bed.write(|tx| {
        [3, 1, 2].into_iter().try_for_each(|number| tx.put(Row::Chapter(id(1), &chapter(number))))
    });
    assert_eq!(
        bed.look(|rows| rows.chapters(home(), ChapterSelection::Behind(None, None))),
        [1, 2, 3].map(chapter)
    );
    let some =
        bed.look(|rows| rows.chapters(home(), ChapterSelection::Behind(Some(cursor(10)), Some(1))));
    assert_eq!(some, [chapter(2)]);
    assert_eq!(
        bed.look(|rows| rows
            .chapters(home(), ChapterSelection::Last(None))
            .map(|mut found| found.pop())),
        Some(chapter(3))
    );
    let before = Some(chapter(3).last.time);
    assert_eq!(
        bed.look(move |rows| rows
            .chapters(home(), ChapterSelection::Last(before))
            .map(|mut found| found.pop())),
        Some(chapter(2))
    );
    assert_eq!(
        bed.look(|rows| rows
            .chapters(place(1, 2), ChapterSelection::Last(None))
            .map(|mut found| found.pop())),
        None
    );
    let latest = chapter(2).creation_time.max(chapter(1).creation_time);
    assert_eq!(bed.look(|rows| rows.chapters_through(home(), cursor(20))), (2, Some(latest)));
    assert_eq!(bed.look(|rows| rows.chapters_through(home(), cursor(9))), (0, None));
    assert_eq!(bed.look(|rows| rows.chapters_through(place(2, 1), cursor(99))), (0, None));
    bed.write(|tx| tx.remove(Removal::Chapter(home(), id(2))).map(drop));
    assert_eq!(bed.write(|tx| tx.remove(Removal::Chapters(place(2, 1), cursor(0)))), 0);
    assert_eq!(bed.write(|tx| tx.remove(Removal::Chapters(home(), cursor(20)))), 1);
    assert_eq!(
        bed.look(|rows| rows.chapters(home(), ChapterSelection::Behind(None, None))),
        [chapter(1)]
    );
}

pub(crate) fn versions_come_back_newest_first(open: Open) {
    let bed = open();
    bed.write(|tx| {
        [1, 2, 3].into_iter().try_for_each(|number| tx.put(Row::Summary(id(1), &version(number))))
    });
    assert_eq!(bed.look(|rows| rows.summaries(home(), None, None)), [3, 2, 1].map(version));
    assert_eq!(bed.look(|rows| rows.summaries(home(), Some(3), Some(1))), [version(2)]);
    assert_eq!(bed.write(|tx| tx.remove(Removal::Summaries(home(), cursor(15)))), 2);
    assert_eq!(bed.look(|rows| rows.summaries(home(), None, None)), [version(1)]);
}

pub(crate) fn they_go_with_their_memory_and_vault(open: Open) {
    let bed = open();
    for forget_vault in [false, true] {
        bed.write(move |tx| {
            tx.put(Row::Chapter(id(1), &chapter(1)))?;
            tx.put(Row::Summary(id(1), &version(1)))?;
            match forget_vault {
                true => tx.erase(Erasure::Vault(id(1))),
                false => tx.erase(Erasure::Memory(home())),
            }
        });
        assert_eq!(
            bed.look(|rows| rows.chapters(home(), ChapterSelection::Behind(None, None))),
            []
        );
        assert_eq!(bed.look(|rows| rows.summaries(home(), None, None)), []);
    }
}

/// What was said in this many minutes before noon, one entry a minute.
fn history(count: i64) -> Vec<NewEntry> {
    let line = |minute: i64| {
        let role = if minute % 2 == 0 { Role::User } else { Role::Assistant };
        said(role, &format!("Line {minute} about Rome")).said_at(at(minute - 600))
    };
    (0..count).map(line).collect()
}

fn chapter_rows(talk: &Talk) -> Vec<(String, String, u64, String)> {
    let page = block_on(talk.vault.chapters(memory(), ChapterQuery::default())).unwrap();
    let row = |one: Chapter| {
        let words = format!("{} {}", one.text, one.entities.join(" "));
        (one.first.time.to_string(), one.last.time.to_string(), one.entries, words)
    };
    page.data.into_iter().map(row).collect()
}

fn work(talk: &Talk) {
    talk.clock.advance(SignedDuration::from_mins(60));
    talk.settle();
}

pub(crate) fn chapters_grow_behind_a_memory_and_regenerate_with_the_same_dates(open: Open) {
    let talk = Talk::new(open);
    for entry in history(33) {
        talk.remember(vec![entry]);
        talk.clock.advance(SignedDuration::from_secs(3));
        talk.settle();
    }
    let grown = chapter_rows(&talk);
    assert_eq!(grown.len(), 6, "{grown:?}");
    assert!(grown.iter().all(|(.., entries, _)| *entries == 5));
    assert_eq!(grown[0].0, at(-600).to_string());
    let summary = block_on(talk.vault.rolling_summary(memory())).unwrap();
    assert_eq!((summary.version, summary.chapters, summary.by), (2, 6, WrittenBy::Extractive));
    assert!(summary.text.starts_with("2025-06-01: "), "{}", summary.text);
    let facts = block_on(talk.vault.facts(memory(), Default::default())).unwrap().data;
    talk.clock.advance(SignedDuration::from_hours(24 * 400));
    block_on(talk.vault.regenerate(memory(), None)).unwrap();
    assert_eq!(chapter_rows(&talk), []);
    work(&talk);
    assert_eq!(chapter_rows(&talk), grown);
    let anew = block_on(talk.vault.rolling_summary(memory())).unwrap();
    assert_eq!((anew.text, anew.through), (summary.text, summary.through));
    let again = block_on(talk.vault.facts(memory(), Default::default())).unwrap().data;
    let dates = |facts: &[everwhen_engine::facts::FactView]| -> Vec<String> {
        facts.iter().map(|view| view.text.clone()).collect()
    };
    assert_eq!(dates(&again), dates(&facts));
}

pub(crate) fn a_late_word_has_its_chapter_written_anew(open: Open) {
    let talk = Talk::new(open);
    talk.remember(history(14));
    work(&talk);
    assert_eq!(chapter_rows(&talk).len(), 2);
    talk.remember(vec![said(Role::User, "Late news from Oslo").said_at(at(-598))]);
    work(&talk);
    let anew = chapter_rows(&talk);
    assert_eq!(anew.len(), 2);
    assert!(anew[0].3.contains("Oslo"), "{anew:?}");
    let through = |one: &(String, String, u64, String)| one.1.clone();
    assert_eq!(through(&anew[0]), at(-597).to_string());
}

fn ids(talk: &Talk) -> Vec<ChapterId> {
    let chapters = block_on(talk.vault.chapters(memory(), ChapterQuery::default())).unwrap();
    chapters.data.iter().map(|chapter| chapter.id).collect()
}

pub(crate) fn what_is_said_late_leaves_earlier_chapters_alone(open: Open) {
    let talk = Talk::new(open);
    talk.remember(history(60));
    work(&talk);
    let before = ids(&talk);
    for late in [at(-550), at(-552)] {
        talk.remember(vec![said(Role::Assistant, "A reply that took long").said_at(late)]);
    }
    work(&talk);
    let (after, grown) = (ids(&talk), chapter_rows(&talk));
    assert_eq!(after[..9], before[..9], "up to the forty-fifth entry nothing has changed");
    assert!(after[9..].iter().all(|id| !before.contains(id)), "{before:?} {after:?}");
    block_on(talk.vault.regenerate(memory(), None)).unwrap();
    work(&talk);
    assert_eq!(chapter_rows(&talk), grown, "as if nothing had come late");
}

pub(crate) fn recall_follows_chapters_as_they_come_and_go(open: Open) {
    let talk = Talk::new(open);
    let same = |what: &str| {
        work(&talk);
        let (fresh, _) = engine_over(Arc::clone(&talk.bed.store));
        let fresh = block_on(fresh.vault(Address::Name(name("v")))).unwrap();
        let found = |vault: &Vault| {
            let kinds = vec![Kind::Chapter];
            let query = Query { kinds, limit: Some(100), ..Query::new("A walk in Rome?") };
            let found = block_on(vault.recall(memory(), query)).unwrap().chapters;
            found.into_iter().map(|one| (one.chapter, one.score)).collect::<Vec<_>>()
        };
        assert_eq!(found(&talk.vault), found(&fresh), "{what}");
        assert!(!found(&fresh).is_empty());
    };
    let late = |minute| {
        talk.remember(vec![said(Role::User, "And then a walk in Oslo").said_at(at(minute))])
    };
    talk.remember(history(400));
    same("as many as are there");
    talk.remember(vec![said(Role::User, "Another walk"); 7]);
    same("one more behind");
    late(-202);
    same("a few at the end anew");
    let lost = late(-590).entries[0].id;
    same("nearly all anew");
    block_on(talk.vault.forget(memory(), Forget::Entry(lost), None)).unwrap();
    same("forgotten");
    block_on(talk.vault.regenerate(memory(), None)).unwrap();
    same("regenerated");
}

pub(crate) fn forgetting_takes_chapters_and_summaries_along(open: Open) {
    let talk = Talk::new(open);
    let mut entries = history(20);
    entries[2] = said(Role::User, "The secret is in Oslo").said_at(at(-598));
    let secret = talk.remember(entries).entries[2].id;
    work(&talk);
    assert!(chapter_rows(&talk)[0].3.contains("Oslo"));
    block_on(talk.vault.forget(memory(), Forget::Entry(secret), None)).unwrap();
    assert_eq!(chapter_rows(&talk), [], "nothing that may tell of it is left");
    assert!(block_on(talk.vault.rolling_summary(memory())).is_err());
    work(&talk);
    let anew = chapter_rows(&talk);
    assert!(anew.len() == 3 && !format!("{anew:?}").contains("Oslo"), "{anew:?}");
}

pub(crate) fn a_model_writes_chapters_by_the_owners_prompt(open: Open) {
    let mut talk = Talk::new(open);
    let rules = ChapterRules {
        prompt: Some("Sum up: [TextChunk]".into()),
        lookback: 0,
        ..ChapterRules::default()
    };
    let model = ScriptedLlm::new(|prompt| {
        let asked = &prompt.messages[1].content;
        let facts = prompt.schema.as_ref().is_some_and(|schema| schema.name == "facts");
        Ok(match asked.strip_prefix("Sum up: [1] ") {
            Some(rest) => format!("Chapter of {}", rest.lines().count()),
            None if facts => r#"{"facts": []}"#.into(),
            None => r#"{"title": "a", "summary": "They talked of Rome."}"#.into(),
        })
    });
    talk.engine = talk.engine.with_chapter_rules(rules).with_llm(Arc::new(model));
    talk.remember(history(16));
    work(&talk);
    let chapter_rows = chapter_rows(&talk);
    assert!(
        chapter_rows.len() == 3 && chapter_rows.iter().all(|one| one.3.starts_with("Chapter of 5"))
    );
    let summary = block_on(talk.vault.rolling_summary(memory())).unwrap();
    assert_eq!(summary.by, WrittenBy::Llm);
}

/// After an import there may be a million entries without a chapter: they are read a part at a time.
pub(crate) fn chapters_of_many_entries_are_written_part_by_part(open: Open) {
    let mut talk = Talk::new(open);
    let rules = ChapterRules { max_messages: 3, lookback: 1, ..ChapterRules::default() };
    talk.engine = talk.engine.with_chapter_rules(rules);
    talk.vault = block_on(talk.engine.vault(Address::Name(name("v")))).unwrap();
    let line = |number: i64| said(Role::User, &format!("bird {number}")).said_at(at(number - 900));
    let count = 3 * 64 + 3 * 20 + 2;
    talk.remember((0..count).map(line).collect());
    let chapter_rows = |talk: &Talk| {
        let query = ChapterQuery { limit: Some(500), ..ChapterQuery::default() };
        block_on(talk.vault.chapters(memory(), query)).unwrap().data
    };
    talk.clock.advance(SignedDuration::from_mins(1));
    let mut counts = Vec::new();
    while block_on(talk.engine.step()).unwrap() {
        counts.push(chapter_rows(&talk).len());
    }
    assert!(counts.contains(&64), "{counts:?}");
    let all = chapter_rows(&talk);
    assert_eq!(all.len(), 84);
    assert!(all.iter().all(|one| one.entries == 3));
    assert!(all.windows(2).all(|two| two[0].last.time < two[1].first.time));
    // A late word among the first has those behind it written again, also part by part.
    talk.remember(vec![said(Role::User, "a late bird").said_at(at(-900))]);
    talk.clock.advance(SignedDuration::from_mins(1));
    block_on(talk.engine.settle()).unwrap();
    let again = chapter_rows(&talk);
    assert_eq!(again.len(), 84);
    assert!(again.iter().all(|one| one.entries == 3));
    assert!(again[1..].iter().zip(&all[1..]).all(|(new, old)| new.id != old.id));
}
