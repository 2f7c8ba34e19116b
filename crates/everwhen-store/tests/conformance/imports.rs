//! Conversations from another system: they keep their own end and words, and come in once.

use everwhen_engine::memory::{
    Address, ConversationId, Ended, EndedBy, NewEntry, Retention, Role, Said, SettingsChange,
    Summary, SummaryBy,
};
use everwhen_engine::ports::{EntryQuery, Which};
use everwhen_engine::receipt::{Done, Idempotency, Receipt};
use everwhen_engine::{
    ErrorKind, Forget, ImportedBranch, ImportedConversation, NewCorrection, Result,
};
use everwhen_testkit::block_on;
use jiff::SignedDuration;

use crate::bed::Open;
use crate::dump::{Dump, dump};
use crate::rows::{at, name};
use crate::talk::{Talk, memory, said};

fn entry_at(minute: i64, role: Role, text: &str) -> NewEntry {
    said(role, text).said_at(at(minute))
}

/// A question and its answer hours ago, with what a fork had put aside, ended explicitly.
fn chat() -> ImportedConversation {
    ImportedConversation {
        name: name("chat"),
        entries: vec![
            entry_at(-300, Role::User, "Where is the armor?"),
            entry_at(-300, Role::Assistant, "In the great hall."),
        ],
        branches: vec![ImportedBranch {
            archived_at: at(-295),
            entries: vec![entry_at(-299, Role::User, "Where is the cafe?")],
        }],
        ended_at: Some(at(-200)),
        title: Some("Where the armor is".into()),
        summary: Some("The armor was looked for. It is in the great hall.".into()),
        extract: None,
    }
}

fn import(talk: &Talk, imported: ImportedConversation) -> Result<Done> {
    block_on(talk.vault.import_conversation(memory(), imported, None))
}

/// How many entries and branches an import brought in.
fn counts(done: Result<Done>) -> (u64, u64) {
    match done.unwrap().receipt {
        Receipt::Imported { entries, branches, .. } => (entries, branches),
        other => panic!("not a receipt of an import: {other:?}"),
    }
}

fn by_name() -> Address<ConversationId> {
    Address::Name(name("chat"))
}

fn everything(talk: &Talk) -> Dump {
    talk.bed.look(|rows| dump(rows, &[]))
}

fn settle(talk: &Talk) {
    talk.clock.advance(SignedDuration::from_mins(1));
    talk.settle();
}

pub(crate) fn an_import_keeps_its_end_its_words_and_its_branches(open: Open) {
    let talk = Talk::new(open);
    talk.say_at(-299, Role::User, "something else meanwhile");
    assert_eq!(counts(import(&talk, chat())), (3, 1));
    settle(&talk);
    let view = block_on(talk.vault.conversation(memory(), by_name())).unwrap();
    let by = EndedBy::Caller { reason: None };
    assert_eq!(view.conversation.ended, Some(Ended { at: at(-200), by }));
    assert_eq!(
        view.conversation.summary,
        Some(Summary {
            title: "Where the armor is".into(),
            text: "The armor was looked for. It is in the great hall.".into(),
            by: SummaryBy::Source,
        })
    );
    assert_eq!((view.conversation.started_at, view.conversation.last_at), (at(-300), at(-300)));
    assert_eq!(view.entries.len(), 2);
    assert_eq!((view.branches[0].archived_at, view.branches[0].entries), (at(-295), 1));
    let aside = EntryQuery { which: Which::Branch(view.branches[0].id), ..EntryQuery::default() };
    assert_eq!(talk.texts(aside), ["Where is the cafe?"]);
    assert_eq!(talk.contents().len(), 2, "it joins nothing that was said at the same time");
}

pub(crate) fn the_sources_words_stand_until_the_entries_change(open: Open) {
    let talk = Talk::new(open);
    import(&talk, chat()).unwrap();
    talk.minute(600);
    talk.settle();
    let summary_by = || talk.conversations()[0].summary.as_ref().map(|summary| summary.by);
    assert_eq!(summary_by(), Some(SummaryBy::Source));
    let mut late = entry_at(-250, Role::User, "Is the great hall open on Mondays?");
    late.conversation = Some(by_name());
    talk.remember(vec![late]);
    settle(&talk);
    assert_eq!(summary_by(), Some(SummaryBy::Extractive));
}

pub(crate) fn what_the_source_left_open_ends_in_silence_or_goes_on(open: Open) {
    let talk = Talk::new(open);
    let open_there = |text: &str, minute| ImportedConversation {
        name: name(text),
        entries: vec![entry_at(minute, Role::User, text)],
        branches: Vec::new(),
        ended_at: None,
        title: Some("Untold".into()),
        summary: None,
        extract: None,
    };
    import(&talk, open_there("silent", -300)).unwrap();
    import(&talk, open_there("fresh", -5)).unwrap();
    let [silent, fresh] = <[_; 2]>::try_from(talk.conversations()).unwrap();
    assert_eq!(silent.ended, Some(Ended { at: at(-270), by: EndedBy::Idle }));
    let words = silent.summary.unwrap();
    assert_eq!((words.title.as_str(), words.text.as_str()), ("Untold", "silent."));
    assert_eq!((fresh.ended, fresh.summary), (None, None));
    talk.minute(60);
    talk.settle();
    let fresh = talk.conversations().remove(1);
    assert_eq!(fresh.ended, Some(Ended { at: at(25), by: EndedBy::Idle }));
    assert_eq!(fresh.summary.unwrap().by, SummaryBy::Extractive);
}

pub(crate) fn importing_again_brings_only_what_is_new(open: Open) {
    let talk = Talk::new(open);
    let mut first = chat();
    first.branches.clear();
    first.ended_at = None;
    first.entries.push(entry_at(-299, Role::User, "Where is the cafe?"));
    assert_eq!(counts(import(&talk, first.clone())), (3, 0));
    assert_eq!(counts(import(&talk, first)), (0, 0));
    let view = block_on(talk.vault.conversation(memory(), by_name())).unwrap();
    let content = Said::new("Where is the bar?").unwrap();
    let correction = NewCorrection { content, reason: "a slip".into(), tags: None, metadata: None };
    block_on(talk.vault.correct(memory(), view.entries[2].id, correction, None)).unwrap();
    let mut grown = chat();
    grown.entries.push(entry_at(-290, Role::User, "Thank you."));
    grown.entries.push(entry_at(-290, Role::User, "Thank you."));
    assert_eq!(counts(import(&talk, grown.clone())), (2, 1), "the branch is of a known entry");
    assert_eq!(counts(import(&talk, grown)), (0, 0));
    let view = block_on(talk.vault.conversation(memory(), by_name())).unwrap();
    assert_eq!((view.entries.len(), view.branches.len()), (4, 1), "its correction went along");
    assert_eq!(view.conversation.ended.unwrap().at, at(-200));
}

pub(crate) fn a_key_stands_for_one_import_until_it_is_forgotten(open: Open) {
    let talk = Talk::new(open);
    let key = || Some(Idempotency::new(name("k"), &[b"chat"]));
    let send = || block_on(talk.vault.import_conversation(memory(), chat(), key()));
    let (first, again) = (send().unwrap(), send().unwrap());
    assert_eq!((first.replayed, again.replayed), (false, true));
    assert_eq!(first.receipt, again.receipt);
    let rehearsed = block_on(talk.vault.rehearse_import(memory(), chat(), key())).unwrap();
    assert!(rehearsed.replayed);
    block_on(talk.vault.forget(memory(), Forget::Conversation(by_name()), None)).unwrap();
    assert_eq!(send().unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(talk.conversations(), []);
}

pub(crate) fn a_rehearsal_says_what_would_come_and_stores_nothing(open: Open) {
    let talk = Talk::new(open);
    let before = everything(&talk);
    let key = || Some(Idempotency::new(name("k"), &[b"chat"]));
    let rehearse = |imported| block_on(talk.vault.rehearse_import(memory(), imported, key()));
    let foreseen = rehearse(chat());
    assert!(!foreseen.as_ref().unwrap().replayed);
    assert_eq!(counts(foreseen), (3, 1));
    let wrong = ImportedConversation { ended_at: Some(at(60)), ..chat() };
    assert_eq!(rehearse(wrong).unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(everything(&talk), before);
    let done = block_on(talk.vault.import_conversation(memory(), chat(), key()));
    assert!(!done.as_ref().unwrap().replayed, "the rehearsal did not use up the key");
    assert_eq!(counts(done), (3, 1));
}

pub(crate) fn an_end_before_the_last_word_waits_for_it(open: Open) {
    let talk = Talk::new(open);
    let early = ImportedConversation { ended_at: Some(at(-400)), branches: Vec::new(), ..chat() };
    import(&talk, early).unwrap();
    assert_eq!(talk.conversations()[0].ended.as_ref().unwrap().at, at(-300));
}

pub(crate) fn imports_count_among_what_is_retained(open: Open) {
    let settings = SettingsChange {
        conversations_retained: Some(1),
        retention: Some(Retention::Delete),
        ..SettingsChange::default()
    };
    let talk = Talk::with(open, settings);
    talk.say_at(-100, Role::User, "newer");
    assert_eq!(counts(import(&talk, chat())), (3, 1));
    assert_eq!(talk.contents(), [["newer"]], "the import is the oldest, and this vault deletes");
}

pub(crate) fn wrong_imports_are_refused_whole(open: Open) {
    let talk = Talk::new(open);
    let before = everything(&talk);
    let id = "cnv_01jh2m8z5qf3v9k7c4x0tnwr6e";
    let entry = |entry| ImportedConversation { entries: vec![entry], ..chat() };
    let late = ImportedBranch { archived_at: at(60), ..chat().branches.remove(0) };
    let nothing = ImportedConversation { entries: Vec::new(), branches: Vec::new(), ..chat() };
    let many = vec![entry_at(-9, Role::User, "again"); 10_001];
    let cases = [
        (nothing, ErrorKind::Conflict, "no entries"),
        (entry(said(Role::User, "when?")), ErrorKind::Invalid, "entries[0]: conversation_time"),
        (entry(entry_at(60, Role::User, "soon")), ErrorKind::Conflict, "entries[0]: "),
        (ImportedConversation { name: name("end"), ..chat() }, ErrorKind::Invalid, "\"end\""),
        (ImportedConversation { name: name(id), ..chat() }, ErrorKind::Invalid, "looks like an id"),
        (
            ImportedConversation { ended_at: Some(at(60)), ..chat() },
            ErrorKind::Conflict,
            "ended_at",
        ),
        (
            ImportedConversation { branches: vec![late], ..chat() },
            ErrorKind::Conflict,
            "branches[0]",
        ),
        (ImportedConversation { title: Some(" ".into()), ..chat() }, ErrorKind::Invalid, "title"),
        (
            ImportedConversation { summary: Some("x".repeat(65_537)), ..chat() },
            ErrorKind::TooLarge,
            "summary",
        ),
        (ImportedConversation { entries: many, ..chat() }, ErrorKind::TooLarge, "10000"),
    ];
    for (wrong, kind, problem) in cases {
        let error = import(&talk, wrong).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.message().contains(problem), "{error}");
    }
    assert_eq!(everything(&talk), before);
}
