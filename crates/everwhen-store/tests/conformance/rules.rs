//! The rules of conversations, seen through the verbs of a vault.

use std::sync::{Arc, Mutex};

use everwhen_engine::job::JobKind;
use everwhen_engine::memory::{
    Address, ConversationState, Ended, EndedBy, Lifecycle, Metadata, Name, NewContext, NewEntry,
    Retention, Role, Said, SettingsChange,
};
use everwhen_engine::ports::{ArchiveFilter, ConversationQuery, Embedder, EntryQuery, Wait, Which};
use everwhen_engine::receipt::{PendingQuestion, Receipt};
use everwhen_engine::{ErrorKind, Forget, MemoryChange, NewCorrection, VaultChange};
use everwhen_testkit::{WordEmbedder, block_on};
use jiff::{SignedDuration, Timestamp};

use crate::bed::Open;
use crate::rows::{at, name};
use crate::talk::{Talk, memory, said, stored};

const INSTANT: SignedDuration = SignedDuration::from_micros(1);

pub(crate) fn the_farewell_belongs_to_the_conversation_it_ends(open: Open) {
    let talk = Talk::new(open);
    talk.say(Role::User, "goodbye");
    talk.minute(1);
    talk.end(Some("done")).unwrap();
    talk.minute(2);
    talk.say(Role::Assistant, "farewell");
    talk.minute(3);
    talk.say(Role::User, "hello again");
    assert_eq!(talk.contents(), [vec!["goodbye", "farewell"], vec!["hello again"]]);
    let first = talk.conversations().remove(0);
    let by = EndedBy::Caller { reason: Some("done".into()) };
    assert_eq!(first.ended, Some(Ended { at: at(2), by }));
}

pub(crate) fn two_ends_at_once_are_refused(open: Open) {
    let talk = Talk::new(open);
    talk.say(Role::User, "goodbye");
    talk.end(None).unwrap();
    assert_eq!(talk.end(None).unwrap_err().kind(), ErrorKind::Conflict);
    let id = talk.conversations()[0].id;
    let again = block_on(talk.vault.end_conversation(memory(), Some(id.into()), None, None));
    let error = again.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.message().contains("already ended"), "{error}");
}

pub(crate) fn ending_one_conversation_leaves_the_next_alone(open: Open) {
    let talk = Talk::new(open);
    talk.say(Role::User, "goodbye");
    talk.end(None).unwrap();
    talk.minute(50);
    talk.say(Role::Tool, "the build is done");
    talk.minute(55);
    talk.say(Role::User, "hello");
    talk.minute(60);
    let build = talk.conversations()[1].id;
    block_on(talk.vault.end_conversation(memory(), Some(build.into()), None, None)).unwrap();
    talk.minute(65);
    talk.say(Role::User, "still there?");
    assert_eq!(talk.contents()[2], ["hello", "still there?"]);
}

pub(crate) fn an_end_belongs_to_what_a_late_word_opened_before_it(open: Open) {
    let talk = Talk::new(open);
    talk.say(Role::User, "goodbye");
    talk.end(None).unwrap();
    talk.minute(40);
    talk.say(Role::Tool, "the build is done");
    talk.minute(50);
    talk.end(Some("enough")).unwrap();
    talk.say_at(45, Role::User, "was it long?");
    let ended: Vec<Option<Ended>> = talk.conversations().into_iter().map(|one| one.ended).collect();
    let enough = EndedBy::Caller { reason: Some("enough".into()) };
    assert_eq!(ended[1], None);
    assert_eq!(ended[2], Some(Ended { at: at(50), by: enough }));
}

pub(crate) fn the_timer_closes_at_last_activity_plus_timeout(open: Open) {
    let talk = Talk::new(open);
    talk.say(Role::User, "one");
    talk.minute(20);
    talk.say(Role::User, "two");
    talk.minute(50);
    talk.settle();
    assert_eq!(talk.conversations()[0].ended, None, "a pause of just the timeout is none");
    talk.clock.advance(INSTANT);
    talk.settle();
    let idle = Some(Ended { at: at(50), by: EndedBy::Idle });
    assert_eq!(talk.conversations()[0].ended, idle);
    talk.minute(500);
    talk.settle();
    let closed = talk.conversations().remove(0);
    assert_eq!(closed.ended, idle);
    assert!(closed.summary.is_some());
    assert_eq!(block_on(talk.engine.jobs(9)).unwrap(), []);
}

pub(crate) fn a_conversation_that_goes_on_leaves_the_archive(open: Open) {
    let talk = Talk::with(open, retaining(1, Retention::Archive));
    talk.say_at(-60, Role::User, "one");
    talk.remember(vec![in_their_own("other", -45)]);
    talk.settle();
    let archived = |talk: &Talk| {
        let all = talk.conversations();
        all.iter().map(|one| one.archived_at.is_some()).collect::<Vec<_>>()
    };
    assert_eq!(archived(&talk), [true, false]);
    talk.say_at(-30, Role::User, "two");
    assert_eq!(archived(&talk), [false, false]);
    let first = talk.conversations().remove(0);
    assert_eq!((first.ended, first.summary, first.entries), (None, None, 2));
}

/// An entry of the conversation `a` in the caller's own source.
fn in_their_own(text: &str, minute: i64) -> NewEntry {
    NewEntry {
        conversation: Some(Address::Name(name("a"))),
        ..said(Role::User, text).said_at(at(minute))
    }
}

fn retaining(count: u32, retention: Retention) -> SettingsChange {
    SettingsChange {
        conversations_retained: Some(count),
        retention: Some(retention),
        ..SettingsChange::default()
    }
}

pub(crate) fn surplus_conversations_are_archived_and_restored(open: Open) {
    let talk = Talk::with(open, retaining(2, Retention::Archive));
    for (number, minute) in [-500, -100, -400, -300].into_iter().enumerate() {
        talk.say_at(minute, Role::User, &format!("entry {number}"));
    }
    let listed = |talk: &Talk| {
        let page = block_on(talk.vault.conversations(memory(), ConversationQuery::default()));
        page.unwrap().data.iter().map(|one| one.started_at).collect::<Vec<_>>()
    };
    assert_eq!(listed(&talk), [at(-300), at(-100)]);
    let oldest = talk.conversations()[0].id;
    block_on(talk.vault.restore(memory(), oldest.into(), None)).unwrap();
    assert_eq!(listed(&talk), [at(-500), at(-100)], "it counts from when it was brought back");
    let again = block_on(talk.vault.restore(memory(), oldest.into(), None));
    assert_eq!(again.unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(talk.texts(EntryQuery::default()).len(), 4);
}

pub(crate) fn surplus_conversations_are_deleted_if_the_vault_says_so(open: Open) {
    let talk = Talk::with(open, retaining(1, Retention::Delete));
    let batch = vec![
        said(Role::User, "old").said_at(at(-300)),
        in_their_own("newer", -200),
        said(Role::User, "older still").said_at(at(-290)),
        said(Role::User, "newest").said_at(at(-100)),
    ];
    let receipt = talk.remember(batch);
    assert_eq!(receipt.entries.len(), 4);
    assert_eq!(talk.texts(EntryQuery { which: Which::All, ..EntryQuery::default() }), ["newest"]);
    assert_eq!(talk.conversations().len(), 1);
    for minute in 1..3 {
        talk.minute(minute);
        talk.settle();
    }
    assert_eq!(block_on(talk.engine.jobs(9)).unwrap(), []);
}

/// An embedder that keeps vectors outside the store, and notes which texts it is asked to remove.
#[derive(Default)]
struct KeepingEmbedder(Mutex<Vec<String>>);

impl Embedder for KeepingEmbedder {
    fn name(&self) -> &str {
        WordEmbedder.name()
    }

    fn dimensions(&self) -> usize {
        WordEmbedder.dimensions()
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> Wait<'a, Vec<Vec<f32>>> {
        Box::pin(async move { WordEmbedder.embed(texts).await })
    }

    fn keeps(&self) -> bool {
        true
    }

    fn forget(&self, texts: &[&str]) {
        self.0.lock().unwrap().extend(texts.iter().map(|text| (*text).to_owned()));
    }
}

pub(crate) fn surplus_conversations_leave_no_vector_behind(open: Open) {
    let mut talk = Talk::with(open, retaining(1, Retention::Delete));
    let embedder = Arc::new(KeepingEmbedder::default());
    talk.engine = talk.engine.with_embedder(Arc::clone(&embedder) as Arc<dyn Embedder>);
    talk.vault = block_on(talk.engine.vault(Address::Name(name("v")))).unwrap();
    talk.say_at(-300, Role::User, "I live in Rome");
    talk.settle();
    talk.minute(1);
    assert!(embedder.0.lock().unwrap().is_empty());
    talk.say_at(-100, Role::User, "newest");
    let forgotten = embedder.0.lock().unwrap().clone();
    assert!(forgotten.iter().any(|text| text == "I live in Rome"), "{forgotten:?}");
    assert_eq!(talk.texts(EntryQuery::default()), ["newest"]);
    // Closed by a job as well as by what is said.
    talk.say(Role::User, "and the next");
    talk.minute(200);
    talk.settle();
    let forgotten = embedder.0.lock().unwrap().clone();
    assert!(forgotten.iter().any(|text| text == "newest"), "{forgotten:?}");
}

pub(crate) fn a_question_waits_for_its_answer(open: Open) {
    let talk = Talk::new(open);
    let ask = || NewEntry { is_question: true, ..said(Role::Assistant, "red or blue?") };
    let question = talk.remember(vec![ask()]).entries[0].id;
    talk.minute(60);
    assert_eq!(talk.say(Role::Assistant, "take your time").pending, None);
    let older = talk.say_at(-1, Role::User, "said before the question");
    assert_eq!(older.pending, None);
    let answer = talk.say(Role::User, "blue");
    assert_eq!(answer.pending, Some(PendingQuestion { question, asked_at: at(0) }));
    assert_eq!(talk.say(Role::User, "no, red").pending, None, "it was answered");
}

pub(crate) fn a_question_grows_stale(open: Open) {
    let talk = Talk::new(open);
    let ask = NewEntry { is_question: true, ..said(Role::Assistant, "red or blue?") };
    talk.remember(vec![ask]);
    talk.minute(60);
    talk.clock.advance(INSTANT);
    assert_eq!(talk.say(Role::User, "what?").pending, None);
}

pub(crate) fn a_fork_keeps_what_it_puts_aside(open: Open) {
    let talk = Talk::new(open);
    let first = talk.say(Role::User, "one").entries.remove(0);
    talk.say(Role::Assistant, "two");
    talk.say(Role::User, "three");
    talk.minute(5);
    let conversation = talk.conversations()[0].id;
    let done = block_on(talk.vault.fork(memory(), conversation.into(), first.id, None)).unwrap();
    let Receipt::Forked { branch, entries: 2 } = done.receipt else { panic!("{done:?}") };
    talk.say(Role::Assistant, "another two");
    assert_eq!(talk.contents(), [["one", "another two"]]);
    let which = |which| talk.texts(EntryQuery { which, ..EntryQuery::default() });
    assert_eq!(which(Which::Branch(branch)), ["two", "three"]);
    assert_eq!(which(Which::AsOf(at(4))), ["one", "two", "three"]);
    let view = block_on(talk.vault.conversation(memory(), conversation.into())).unwrap();
    assert_eq!((view.branches.len(), view.conversation.entries), (1, 2));
    let nothing_left =
        block_on(talk.vault.fork(memory(), conversation.into(), view.entries[1].id, None));
    assert_eq!(nothing_left.unwrap_err().kind(), ErrorKind::Conflict);
}

pub(crate) fn a_correction_takes_the_place_of_what_it_corrects(open: Open) {
    let talk = Talk::new(open);
    let wrong = talk.say(Role::User, "the 4th").entries.remove(0);
    talk.minute(10);
    let correct = |id, text: &str| {
        let content = Said::new(text).unwrap();
        let correction =
            NewCorrection { content, reason: "typo".into(), tags: None, metadata: None };
        block_on(talk.vault.correct(memory(), id, correction, None))
    };
    let right = stored(correct(wrong.id, "the 5th")).entries.remove(0);
    assert_eq!((right.conversation_time, right.creation_time), (at(0), at(10)));
    assert_eq!(talk.texts(EntryQuery::default()), ["the 5th"]);
    let as_of = |minute| EntryQuery { which: Which::AsOf(at(minute)), ..EntryQuery::default() };
    assert_eq!(talk.texts(as_of(9)), ["the 4th"]);
    assert_eq!(talk.texts(as_of(10)), ["the 5th"]);
    assert_eq!(talk.conversations()[0].entries, 1);
    assert_eq!(correct(wrong.id, "the 6th").unwrap_err().kind(), ErrorKind::Conflict);
    stored(correct(right.id, "the 6th"));
    assert_eq!(talk.texts(EntryQuery::default()), ["the 6th"]);
}

pub(crate) fn a_corrected_entry_still_holds_its_conversation_together(open: Open) {
    let talk = Talk::new(open);
    talk.minute(60);
    let bridge = talk.say_at(25, Role::User, "bridge").entries.remove(0);
    let correction = NewCorrection {
        content: Said::new("b").unwrap(),
        reason: "typo".into(),
        tags: None,
        metadata: None,
    };
    block_on(talk.vault.correct(memory(), bridge.id, correction, None)).unwrap();
    talk.say_at(50, Role::User, "later");
    talk.say_at(0, Role::User, "earlier");
    assert_eq!(talk.contents(), [["earlier", "b", "later"]]);
}

/// Whether it was said in the middle or never, the rest is divided in the same way.
pub(crate) fn a_forgotten_entry_no_longer_holds_its_conversation_together(open: Open) {
    let talk = Talk::new(open);
    talk.minute(90);
    talk.say_at(0, Role::User, "earlier");
    let bridge = talk.say_at(25, Role::User, "bridge").entries.remove(0);
    let near = talk.say_at(49, Role::User, "near").entries.remove(0);
    talk.say_at(50, Role::User, "later");
    talk.settle();
    let first = talk.conversations()[0].id;
    block_on(talk.vault.forget(memory(), Forget::Entry(near.id), None)).unwrap();
    assert_eq!(talk.contents(), [["earlier", "bridge", "later"]]);
    block_on(talk.vault.forget(memory(), Forget::Entry(bridge.id), None)).unwrap();
    assert_eq!(talk.contents(), [["earlier"], ["later"]]);
    let conversations = talk.conversations();
    assert_eq!(
        (conversations[0].id, conversations[0].last_at, conversations[1].started_at),
        (first, at(0), at(50))
    );
    let end = |minute| Some(Ended { at: at(minute), by: EndedBy::Idle });
    assert_eq!((&conversations[0].ended, &conversations[1].ended), (&end(30), &end(80)));
    talk.minute(95);
    talk.settle();
    assert!(talk.conversations().iter().all(|one| one.summary.is_some()), "each has its own");
}

pub(crate) fn the_ends_of_the_calendar_are_no_trap(open: Open) {
    let talk = Talk::new(open);
    for time in ["0001-01-02T00:00:00Z", "9999-12-30T21:59:59.999999Z"] {
        let time: Timestamp = time.parse().unwrap();
        let entry = NewEntry { allow_future: true, ..said(Role::User, "far").said_at(time) };
        talk.remember(vec![entry]);
    }
    talk.settle();
    let conversations = talk.conversations();
    assert!(conversations[0].ended.is_some() && conversations[1].ended.is_none());
    let due = |kind| {
        let jobs = block_on(talk.engine.jobs(9)).unwrap();
        jobs.iter().filter(|job| job.kind == kind).count()
    };
    assert_eq!(due(JobKind::Close), 1);
    let last = Some(conversations[1].id.into());
    block_on(talk.vault.end_conversation(memory(), last, None, None)).unwrap();
    assert_eq!(due(JobKind::Close), 0);
}

pub(crate) fn times_are_kept_to_the_microsecond(open: Open) {
    let talk = Talk::new(open);
    let fine = at(-1) + SignedDuration::from_nanos(1_999);
    let receipt = talk.remember(vec![said(Role::User, "fine").said_at(fine)]).entries.remove(0);
    assert_eq!(receipt.conversation_time, at(-1) + INSTANT);
    let entry = block_on(talk.vault.entry(memory(), receipt.id)).unwrap();
    assert_eq!(entry.conversation_time, at(-1) + INSTANT);
}

pub(crate) fn a_conversation_of_their_own_goes_on_after_its_end(open: Open) {
    let talk = Talk::new(open);
    talk.minute(5);
    talk.remember(vec![in_their_own("one", 0)]);
    talk.end(None).unwrap();
    talk.minute(8);
    talk.remember(vec![NewEntry { role: Role::Assistant, ..in_their_own("two", 7) }]);
    assert!(talk.conversations()[0].ended.is_some(), "a farewell opens nothing");
    talk.remember(vec![in_their_own("three", 6)]);
    assert_eq!(talk.conversations()[0].ended, None);
    let query = ConversationQuery { archive: ArchiveFilter::Both, ..ConversationQuery::default() };
    assert_eq!(block_on(talk.vault.conversations(memory(), query)).unwrap().data.len(), 1);
}

/// Not every store can keep a NUL character, so none is given one.
pub(crate) fn nul_characters_are_refused_wherever_they_stand(open: Open) {
    let talk = Talk::new(open);
    let entry = talk.say(Role::User, "hello").entries[0].id;
    let nul = || "a\0b".to_owned();
    let described = VaultChange { description: Some(nul()), ..VaultChange::default() };
    let corrected = NewCorrection {
        content: Said::new("hi").unwrap(),
        reason: nul(),
        tags: None,
        metadata: None,
    };
    let named = MemoryChange { description: Some(nul()), ..MemoryChange::default() };
    let errors = [
        Said::new(nul()).err(),
        Name::new("name", nul()).err(),
        Metadata::new(format!("{{\"a\": \"{}\"}}", nul())).err(),
        NewContext::new(nul(), None).err(),
        block_on(talk.vault.change(described, None)).err(),
        block_on(talk.vault.create_memory(name("other"), named, None)).err(),
        block_on(talk.vault.correct(memory(), entry, corrected, None)).err(),
        talk.end(Some(&nul())).err(),
    ];
    for (place, error) in errors.into_iter().enumerate() {
        assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::Invalid), "{place}");
    }
    assert_eq!(talk.texts(EntryQuery::default()), ["hello"]);
}

/// A memory may have a preset of its own; the others go by the vault's rules.
pub(crate) fn a_memory_may_have_a_lifecycle_of_its_own(open: Open) {
    let talk = Talk::new(open);
    let lifecycle = Some(Some(Lifecycle::DailyCheckin));
    let about = MemoryChange { lifecycle, ..MemoryChange::default() };
    block_on(talk.vault.create_memory(name("m"), about, None)).unwrap();
    talk.say(Role::User, "one");
    talk.minute(149);
    talk.settle();
    talk.say(Role::User, "two");
    assert_eq!(talk.contents(), [["one", "two"]], "two and a half hours do not end it");
    let rules = block_on(talk.vault.rules(memory())).unwrap();
    let state = |now| rules.state_of(&talk.conversations()[0], at(now));
    assert_eq!((state(149), state(270)), (ConversationState::Active, ConversationState::Cooling));
    talk.minute(149 + 151);
    talk.settle();
    assert_eq!(talk.conversations()[0].ended.as_ref().unwrap().at, at(149 + 150));
    assert_eq!(state(149 + 151), ConversationState::Dormant);
    let back = MemoryChange { lifecycle: Some(None), ..MemoryChange::default() };
    block_on(talk.vault.change_memory(memory(), back, None)).unwrap();
    talk.say(Role::User, "three");
    talk.minute(149 + 151 + 31);
    talk.say(Role::User, "four");
    assert_eq!(talk.conversations().len(), 3, "half an hour ends it again");
}
