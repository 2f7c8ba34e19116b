//! Recall shows the same entry whether its row is cached or comes from the store, whatever became of
//! it meanwhile; and what is cached costs no visit to the store.

use std::sync::Arc;

use everwhen_engine::memory::{Address, Entry, EntryId, Metadata, NewEntry, Role, Said};
use everwhen_engine::ports::{EntryQuery, Store, Which};
use everwhen_engine::recall::{EntryFound, Kind, Query, Recollection};
use everwhen_engine::{Engine, Forget, NewCorrection, NewVault, Vault};
use everwhen_testkit::{Faults, FaultyStore, block_on, engine_over};
use jiff::Timestamp;

use crate::bed::Open;
use crate::rows::{at, name};
use crate::talk::{Talk, memory, said, stored};

/// The vault as another process opens it: its index comes from segments, without any row.
struct Restarted {
    engine: Engine,
    vault: Vault,
    faults: Arc<Faults>,
}

impl Restarted {
    fn new(talk: &Talk) -> Self {
        block_on(talk.engine.keep_indexes(1)).unwrap();
        let faults = Faults::new(None);
        let store = FaultyStore::new(Arc::clone(&talk.bed.store), Arc::clone(&faults));
        let (engine, clock) = engine_over(Arc::new(store) as Arc<dyn Store>);
        clock.set(at(60));
        let vault = block_on(engine.vault(Address::Name(name("v")))).unwrap();
        Self { engine, vault, faults }
    }

    /// Asks for entries alone. Answers how many there are, and after how many visits to the store.
    fn found(&self) -> (usize, u64) {
        let before = self.faults.calls();
        let query = Query { kinds: vec![Kind::Entry], ..questions().remove(0) };
        (ask(&self.vault, &query).items.len(), self.faults.calls() - before)
    }
}

/// The entries and conversations that a question finds, with scores and reasons, both best first.
fn ranked(talk: &Talk, query: &Query) -> [Vec<String>; 2] {
    let found = ask(&talk.vault, query);
    let said = |one: &EntryFound| (one.entry.content.as_str().to_owned(), format!("{one:?}"));
    let entries = found.items.iter().map(|one| format!("{:?}", said(one)));
    [entries.collect(), found.conversations.iter().map(|one| format!("{one:?}")).collect()]
}

fn ask(vault: &Vault, query: &Query) -> Recollection {
    block_on(vault.recall(memory(), query.clone())).unwrap()
}

/// Questions that everything in the talk answers, now and as of earlier.
fn questions() -> Vec<Query> {
    let as_of = |minute: Option<i64>| Query {
        as_of: minute.map(at),
        asked_at: Some(at(60)),
        limit: Some(50),
        ..Query::new("the cat, the dog and the sea")
    };
    let tagged = Query { tags: vec![name("travel")], ..as_of(None) };
    let bounded = Query { after: Some(at(-400)), before: Some(at(-250)), ..as_of(None) };
    [None, Some(2), Some(12), Some(22), Some(32)]
        .map(as_of)
        .into_iter()
        .chain([tagged, bounded])
        .collect()
}

/// All that a recollection says, in a form that compares.
fn words(recollection: &Recollection) -> Vec<String> {
    let entry =
        |one: &EntryFound| format!("{:?} {} {}", one, one.entry.content.as_str(), one.score);
    let talks = recollection.conversations.iter().map(|one| format!("{one:?}"));
    recollection
        .items
        .iter()
        .map(entry)
        .chain(talks)
        .chain([recollection.briefing.clone()])
        .collect()
}

/// An entry as the store has it, or had it.
fn stored_at(talk: &Talk, id: EntryId, then: Option<Timestamp>) -> Entry {
    let Some(then) = then else { return block_on(talk.vault.entry(memory(), id)).unwrap() };
    let query = EntryQuery { which: Which::AsOf(then), ..EntryQuery::default() };
    let listed = block_on(talk.vault.entries(memory(), None, query)).unwrap().data;
    listed.into_iter().find(|entry| entry.id == id).unwrap()
}

/// Asks an engine with the rows cached, one without and one that has read them, and compares what
/// they say with each other and with the store. Answers the entries that were told.
fn agree(talk: &Talk) -> Vec<(EntryId, Option<Timestamp>)> {
    let mut all = Vec::new();
    for query in questions() {
        let recollection = ask(&talk.vault, &query);
        for item in &recollection.items {
            let stored = stored_at(talk, item.entry.id, query.as_of);
            assert_eq!(item.entry, stored);
            assert_eq!(item.entry.content.as_str(), stored.content.as_str());
        }
        let cold = Restarted::new(talk).vault;
        assert_eq!(words(&ask(&cold, &query)), words(&recollection), "{query:?}");
        assert_eq!(words(&ask(&cold, &query)), words(&recollection), "{query:?}");
        assert_eq!(words(&ask(&talk.vault, &query)), words(&recollection), "{query:?}");
        all.extend(recollection.items.iter().map(|item| (item.entry.id, query.as_of)));
    }
    all
}

/// One with all that can be attached to it, in a conversation of its own.
fn rich(text: &str) -> NewEntry {
    NewEntry {
        speaker: Some(name("Ana")),
        summary: Some("a trip".into()),
        tags: vec![name("travel"), name("sea")],
        metadata: Some(Metadata::new(r#"{"mood":"fine"}"#).unwrap()),
        tools_used: vec![name("maps")],
        is_question: true,
        conversation: Some(Address::Name(name("spring"))),
        ..said(Role::Assistant, text)
    }
}

fn named(text: &str) -> NewEntry {
    NewEntry { conversation: Some(Address::Name(name("spring"))), ..said(Role::User, text) }
}

fn correct(talk: &Talk, id: EntryId, text: &str) -> EntryId {
    let correction = NewCorrection {
        content: Said::new(text).unwrap(),
        reason: "a slip".into(),
        tags: None,
        metadata: None,
    };
    stored(block_on(talk.vault.correct(memory(), id, correction, None))).entries[0].id
}

/// Five entries in a conversation of their own and two placed by time, an hour apart.
fn talked(open: Open) -> (Talk, Vec<EntryId>) {
    let talk = Talk::new(open);
    let entries = vec![
        named("the cat goes to the sea"),
        rich("shall the dog come along?"),
        named("the dog stays").said_at(at(-3)),
        named("the cat may take the boat").said_at(at(-2)),
        rich("a boat for the cat").said_at(at(-1)),
        said(Role::User, "the dog barks").said_at(at(-340)),
        said(Role::User, "the sea is calm").said_at(at(-300)),
    ];
    let ids = talk.remember(entries).entries.iter().map(|entry| entry.id).collect();
    (talk, ids)
}

pub(crate) fn what_is_at_hand_is_told_as_the_store_has_it(open: Open) {
    let (talk, ids) = talked(open);
    assert_eq!(agree(&talk).iter().filter(|(_, as_of)| as_of.is_none()).count(), 7 + 2 + 2);
    talk.minute(10);
    let right = correct(&talk, ids[3], "the cat may take the ferry to the sea");
    assert!(agree(&talk).contains(&(right, None)));
    talk.minute(20);
    let spring = Address::Name(name("spring"));
    block_on(talk.vault.fork(memory(), spring, ids[2], None)).unwrap();
    let found = agree(&talk);
    assert!(!found.contains(&(right, None)) && found.contains(&(right, Some(at(12)))));
    assert!(found.contains(&(ids[3], Some(at(2)))), "before it was corrected and put aside");
    talk.minute(30);
    // What was said between two conversations makes them one.
    talk.say_at(-320, Role::User, "a dog by the sea");
    assert_eq!(talk.conversations().len(), 2);
    let found = agree(&talk);
    assert!(found.contains(&(ids[6], None)) && found.contains(&(ids[5], Some(at(2)))));
}

pub(crate) fn what_is_forgotten_is_told_no_more(open: Open) {
    let (talk, ids) = talked(open);
    agree(&talk);
    talk.minute(10);
    block_on(talk.vault.forget(memory(), Forget::Entry(ids[0]), None)).unwrap();
    assert!(agree(&talk).iter().all(|(id, _)| *id != ids[0]));
    let (after, before) = (Some(at(-350)), Some(at(-330)));
    let other = Restarted::new(&talk).vault;
    for query in questions() {
        ask(&other, &query);
    }
    block_on(talk.vault.forget(memory(), Forget::Period { after, before }, None)).unwrap();
    assert!(agree(&talk).iter().all(|(id, _)| *id != ids[5]));
    // A process that did not forget it itself learns of it.
    for query in questions() {
        assert!(ask(&other, &query).items.iter().all(|item| item.entry.id != ids[5]));
    }
}

/// A vault whose entries have just been told by another process.
fn read(open: Open) -> (Talk, Restarted) {
    let (talk, _) = talked(open);
    ask(&talk.vault, &questions()[0]);
    let other = Restarted::new(&talk);
    let (found, visits) = other.found();
    assert!(found == 7 && visits > 2, "the index is read, and then what was found");
    (talk, other)
}

pub(crate) fn what_is_at_hand_costs_no_visit(open: Open) {
    let (talk, other) = read(open);
    assert_eq!(other.found(), (7, 1), "to open the memory");
    talk.say(Role::User, "one more dog");
    assert_eq!(other.found(), (8, 1), "which brings what has come since");
}

pub(crate) fn what_others_forget_leaves_it_at_hand(open: Open) {
    let (_talk, other) = read(open);
    let new = NewVault { name: name("w"), description: None, zone: None, settings: None };
    block_on(other.engine.create_vault(new, None)).unwrap();
    let theirs = block_on(other.engine.vault(Address::Name(name("w")))).unwrap();
    let secret = vec![said(Role::User, "a secret cat")];
    let secret = stored(block_on(theirs.remember(memory(), secret, None))).entries[0].id;
    assert_eq!(ask(&theirs, &questions()[0]).items.len(), 1);
    block_on(theirs.forget(memory(), Forget::Entry(secret), None)).unwrap();
    assert_eq!(ask(&theirs, &questions()[0]).items.len(), 0);
    assert_eq!(other.found(), (7, 1));
}

/// A vault whose indexes do not fit into memory together is asked as a whole: the answer is the same as with room for
/// all, and never more than the budget and one index are held.
pub(crate) fn all_memories_are_recalled_within_the_bytes_for_indexes(open: Open) {
    let talk = Talk::new(open);
    let animals = ["cat", "dog", "owl", "fox", "hen", "bee", "ant", "elk", "emu", "yak"];
    for (number, animal) in animals.iter().enumerate() {
        let line = |day: i64| {
            let text = format!("on day {day} the {animal} went to the sea and I live near it");
            said(Role::User, &text).said_at(at(-10_000 + 100 * day + number as i64))
        };
        let place = Address::Name(name(&format!("m{number}")));
        block_on(talk.vault.remember(place, (0..40).map(line).collect(), None)).unwrap();
    }
    talk.minute(1);
    talk.settle();
    let bed = Arc::clone(&talk.bed.store);
    let asked = |bytes: usize, query: &Query| {
        let (engine, clock) = engine_over(Arc::clone(&bed));
        let engine = engine.with_index_bytes(bytes);
        clock.set(at(60));
        let vault = block_on(engine.vault(Address::Name(name("v")))).unwrap();
        let recollection = block_on(vault.recall_all(query.clone())).unwrap();
        let briefly: Vec<String> = (recollection.items.iter())
            .map(|one| format!("{} {:.3}", one.entry.id, one.score))
            .chain(recollection.conversations.iter().map(|one| format!("{:.3}", one.score)))
            .chain(recollection.facts.iter().map(|one| one.fact.fact.statement.clone()))
            .collect();
        (briefly, engine.index_bytes())
    };
    let texts = ["the owl and the sea", "what did the fox do on day 7?", "where do I live?"];
    let asked_now = texts.map(|text| Query { asked_at: Some(at(60)), ..Query::new(text) });
    let as_of = Query { as_of: Some(at(30)), ..asked_now[0].clone() };
    for query in asked_now.into_iter().chain([as_of]) {
        let (with_room, (_, all)) = asked(usize::MAX, &query);
        let budget = all / 4;
        let (without, (_, peak)) = asked(budget, &query);
        assert_eq!(without, with_room, "{query:?}");
        assert!(!without.is_empty(), "{query:?}");
        assert!(peak <= budget + all / 8, "{peak} of {all} with a budget of {budget}: {query:?}");
    }
}

/// Of many small indexes several are dropped at once; the answer and the budget are kept.
pub(crate) fn a_question_to_many_small_memories_keeps_to_the_budget(open: Open) {
    let talk = Talk::new(open);
    for number in 0..300 {
        let line = said(Role::User, &format!("on day {number} the heron went to the sea"));
        let place = Address::Name(name(&format!("m{number}")));
        block_on(talk.vault.remember(place, vec![line.said_at(at(-number))], None)).unwrap();
    }
    let asked = |bytes: usize| {
        let (engine, clock) = engine_over(Arc::clone(&talk.bed.store));
        let engine = engine.with_index_bytes(bytes);
        clock.set(at(60));
        let vault = block_on(engine.vault(Address::Name(name("v")))).unwrap();
        let query = Query { asked_at: Some(at(60)), ..Query::new("the heron on day 77") };
        let found = block_on(vault.recall_all(query)).unwrap().items;
        let ids = found.iter().map(|one| (one.entry.id, format!("{:.3}", one.score)));
        (ids.collect::<Vec<_>>(), engine.index_bytes())
    };
    let (with_room, (_, all)) = asked(usize::MAX);
    let budget = all - all / 20;
    let (without, (now, peak)) = asked(budget);
    assert_eq!(without, with_room);
    assert!(!without.is_empty());
    assert!(now <= budget && peak <= budget + all / 100, "{now} and {peak} of {budget}");
}

/// A conversation that is left out takes no place from the others, however much in it would answer.
pub(crate) fn a_conversation_that_is_left_out_hides_no_other(open: Open) {
    let talk = Talk::new(open);
    let line = |conversation: &str, text: &str, minute: i64| NewEntry {
        conversation: Some(Address::Name(name(conversation))),
        ..said(Role::User, text).said_at(at(minute))
    };
    let long = (0..300).map(|one| line("now", "the invoice of the garden", -300 + one));
    let earlier = line("then", "the invoice of the garden was paid in March", -9_000);
    let receipt = talk.remember(std::iter::once(earlier).chain(long).collect());
    let asked = |except| Query {
        except_conversations: vec![except],
        asked_at: Some(at(60)),
        limit: Some(5),
        ..Query::new("the invoice of the garden")
    };
    let last = receipt.entries.last().unwrap().id;
    let now = block_on(talk.vault.entry(memory(), last)).unwrap().conversation;
    for except in [Address::Name(name("now")), Address::Id(now)] {
        let found = ask(&talk.vault, &asked(except));
        let texts: Vec<&str> = found.items.iter().map(|one| one.entry.content.as_str()).collect();
        assert_eq!(texts, ["the invoice of the garden was paid in March"]);
        assert_eq!(found.conversations.len(), 1);
    }
    let found = ask(&talk.vault, &asked(Address::Name(name("then"))));
    assert_eq!(found.items.len(), 5);
}

/// A question for fewer answers the first of those that the same question for ten finds.
pub(crate) fn fewer_answers_are_the_first_of_more(open: Open) {
    let talk = Talk::new(open);
    let texts = [
        "the lamp is blue",
        "blue, the lamp and the blue sea",
        "the blue lamp of the old house by the sea fell on the floor of the kitchen",
        "a lamp",
        "the sea is blue",
        "an old blue house",
    ];
    let line = |(number, text): (usize, &str)| {
        said(Role::User, text).said_at(at(-1_440 * (number as i64 % 9) - number as i64))
    };
    talk.remember(texts.into_iter().cycle().take(30).enumerate().map(line).collect());
    let texts =
        ["where is the blue lamp?", "the blue lamp yesterday", "the first blue lamp", "lamp"];
    let plain = texts.map(|text| Query { asked_at: Some(at(60)), ..Query::new(text) });
    let varied = Query { diversity: Some(0.4), ..plain[0].clone() };
    let past = Query { as_of: Some(at(30)), ..plain[0].clone() };
    for query in plain.into_iter().chain([varied, past]) {
        let ten = ranked(&talk, &Query { limit: Some(10), ..query.clone() });
        assert!(ten[0].len() == 10 && ten[1].len() > 5, "{query:?}");
        for limit in 1..10 {
            let fewer = ranked(&talk, &Query { limit: Some(limit), ..query.clone() });
            let first = ten.each_ref().map(|all| all[..limit.min(all.len())].to_vec());
            assert_eq!(fewer, first, "{limit} for {query:?}");
        }
    }
}
