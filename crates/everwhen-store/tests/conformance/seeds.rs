//! Points of docs/seeds.md that every store must get right; the cases are named after their rows.

use std::sync::Arc;

use everwhen_engine::conversations::EndOfConversation;
use everwhen_engine::conversations::retrospect::{DEFAULT_QUESTION, as_text};
use everwhen_engine::memory::{EntryId, Name, NewContext, Role};
use everwhen_engine::ports::{ContextVersion, EntryQuery};
use everwhen_engine::recall::Query;
use everwhen_engine::time::Zone;
use everwhen_engine::{ConflictReason, Engine, ErrorKind, Forget, NewCorrection};
use everwhen_testkit::{ScriptedLlm, block_on, engine_over};

use crate::bed::Open;
use crate::rows::name;
use crate::talk::{Talk, memory, said};

fn tagged(talk: &Talk, tag: &str) -> Vec<String> {
    talk.texts(EntryQuery { tag: Some(name(tag)), ..EntryQuery::default() })
}

/// What recall finds with a tag, in an engine.
fn recalled(engine: &Engine, talk: &Talk, tag: &str) -> Vec<String> {
    let vault = block_on(engine.vault(talk.vault.id().into())).unwrap();
    let query = Query { tags: vec![name(tag)], ..Query::new("Bern".to_owned()) };
    let found = block_on(vault.recall(memory(), query)).unwrap().items;
    found.iter().map(|one| one.entry.content.as_str().to_owned()).collect()
}

fn set_tags(talk: &Talk, id: EntryId, tags: &[&str]) {
    let tags: Vec<Name> = tags.iter().map(|tag| name(tag)).collect();
    block_on(talk.vault.set_tags(memory(), id, tags, None)).unwrap();
}

pub(crate) fn b63_tags_change_in_place_and_recall_follows(open: Open) {
    let talk = Talk::new(open);
    let mut new = said(Role::User, "I live in Bern");
    new.tags = vec![name("old")];
    let id = talk.remember(vec![new]).entries[0].id;
    talk.say(Role::User, "Bern is in Switzerland");
    assert_eq!(recalled(&talk.engine, &talk, "old"), ["I live in Bern"]);
    block_on(talk.engine.keep_indexes(0)).unwrap();

    set_tags(&talk, id, &["home", "city"]);
    assert_eq!((tagged(&talk, "old").len(), tagged(&talk, "home").len()), (0, 1));
    assert_eq!(recalled(&talk.engine, &talk, "home"), ["I live in Bern"]);
    assert!(recalled(&talk.engine, &talk, "old").is_empty());
    let entry = block_on(talk.vault.entry(memory(), id)).unwrap();
    assert_eq!((entry.id, entry.sequence, entry.corrects), (id, 1, None));
    let found = block_on(talk.vault.recall(memory(), Query::new("Bern".to_owned()))).unwrap();
    let found = found.items.into_iter().find(|one| one.entry.id == id).unwrap();
    assert_eq!(found.entry.tags, [name("home"), name("city")], "also from the cache");

    // An engine that loads the index as it was saved before finds the new tags.
    let (again, _) = engine_over(Arc::clone(&talk.bed.store));
    assert_eq!(recalled(&again, &talk, "city"), ["I live in Bern"]);
    assert!(recalled(&again, &talk, "old").is_empty());
    let counted = block_on(talk.vault.tags(memory())).unwrap();
    assert_eq!(counted, [(name("city"), 1), (name("home"), 1)]);
    set_tags(&talk, id, &[]);
    assert!(block_on(talk.vault.tags(memory())).unwrap().is_empty());
}

pub(crate) fn b63_tags_of_what_was_corrected_stay(open: Open) {
    let talk = Talk::new(open);
    let id = talk.say(Role::User, "I live in Bern").entries[0].id;
    correct(&talk, id, "I live in Basel");
    let error = block_on(talk.vault.set_tags(memory(), id, vec![name("x")], None)).unwrap_err();
    assert_eq!(error.reason(), Some(ConflictReason::AlreadyCorrected));
    let many = (0..65).map(|number| name(&format!("t{number}"))).collect();
    let error = block_on(talk.vault.set_tags(memory(), id, many, None)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
}

fn correct(talk: &Talk, id: EntryId, text: &str) -> EntryId {
    let content = said(Role::User, text).content;
    let new = NewCorrection { content, reason: "wrong".into(), tags: None, metadata: None };
    let done = block_on(talk.vault.correct(memory(), id, new, None));
    crate::talk::stored(done).entries[0].id
}

pub(crate) fn a_correction_keeps_its_place_among_entries_of_one_time(open: Open) {
    let talk = Talk::new(open);
    let lines = ["one", "two", "three", "four"].map(|text| said(Role::User, text));
    let ids: Vec<EntryId> =
        talk.remember(lines.into()).entries.iter().map(|entry| entry.id).collect();
    let second = correct(&talk, ids[1], "zwei");
    assert_eq!(talk.texts(EntryQuery::default()), ["one", "zwei", "three", "four"]);
    correct(&talk, second, "deux");
    assert_eq!(talk.texts(EntryQuery::default()), ["one", "deux", "three", "four"]);
    assert_eq!(talk.contents(), [["one", "deux", "three", "four"]]);
    let mut paged = Vec::new();
    let mut query = EntryQuery { limit: Some(1), ..EntryQuery::default() };
    loop {
        let page = block_on(talk.vault.entries(memory(), None, query.clone())).unwrap();
        paged.extend(page.data.iter().map(|entry| entry.content.as_str().to_owned()));
        query.from = page.next;
        if query.from.is_none() {
            break;
        }
    }
    assert_eq!(paged, ["one", "deux", "three", "four"]);
    let briefing = block_on(talk.vault.recall(memory(), Query::new("deux three".to_owned())));
    let briefing = briefing.unwrap().briefing;
    assert!(briefing.find("deux") < briefing.find("three"), "{briefing}");
}

pub(crate) fn b63_a_context_version_is_deleted_and_its_number_not_given_again(open: Open) {
    let talk = Talk::new(open);
    let put = |text: &str| {
        let new = NewContext::new(text, None).unwrap();
        block_on(talk.vault.put_context(memory(), new, None)).unwrap();
    };
    ["one", "two", "three"].into_iter().for_each(put);
    let forget = |version| block_on(talk.vault.forget(memory(), Forget::Context(version), None));
    forget(3).unwrap();
    let current = || block_on(talk.vault.context(memory(), ContextVersion::Current)).unwrap();
    assert_eq!((current().version, current().content), (2, "two".to_owned()));
    assert_eq!(forget(3).unwrap_err().kind(), ErrorKind::NotFound);
    put("four");
    assert_eq!((current().version, current().content), (4, "four".to_owned()));
    let found = |word: &str| {
        let recollection =
            block_on(talk.vault.recall(memory(), Query::new(word.to_owned()))).unwrap();
        recollection.contexts.into_iter().map(|one| one.document.content).collect::<Vec<_>>()
    };
    assert_eq!(found("four"), ["four"]);
    forget(4).unwrap();
    assert!(found("four").is_empty());
    forget(1).unwrap();
    let left = block_on(talk.vault.contexts(memory(), None, None)).unwrap().data;
    assert_eq!(left.iter().map(|one| one.version).collect::<Vec<_>>(), [2]);
}

fn end_in_exchange(talk: &Talk) {
    let end = EndOfConversation { in_exchange: true, ..EndOfConversation::default() };
    block_on(talk.vault.end(memory(), end, None)).unwrap();
}

pub(crate) fn d8_the_users_farewell_stored_after_the_end_belongs_to_what_it_ends(open: Open) {
    let talk = Talk::new(open);
    talk.say(Role::User, "What is the time?");
    talk.say(Role::Assistant, "Noon.");
    talk.minute(1);
    end_in_exchange(&talk);
    talk.minute(2);
    talk.remember(vec![said(Role::User, "Thanks, bye!"), said(Role::Assistant, "Bye!")]);
    let first = ["What is the time?", "Noon.", "Thanks, bye!", "Bye!"];
    assert_eq!(talk.contents(), [first.to_vec()]);
    talk.minute(3);
    talk.say(Role::User, "Hello again");
    assert_eq!(talk.contents(), [first.to_vec(), vec!["Hello again"]]);
    assert!(talk.conversations()[0].ended.is_some());
}

pub(crate) fn d8_what_is_no_farewell_opens_a_conversation(open: Open) {
    // The exchange was stored before its end.
    let talk = Talk::new(open);
    talk.say(Role::User, "Thanks, bye!");
    end_in_exchange(&talk);
    talk.say(Role::Assistant, "Bye!");
    talk.minute(1);
    talk.say(Role::User, "Hello again");
    assert_eq!(talk.contents(), [vec!["Thanks, bye!", "Bye!"], vec!["Hello again"]]);

    // A caller outside of an exchange ended it, or the next words came too late.
    for (in_exchange, later) in [(false, 11), (true, 13)] {
        let talk = Talk::new(open);
        talk.minute(10);
        talk.say(Role::User, "What is the time?");
        talk.say(Role::Assistant, "Noon.");
        let end = EndOfConversation { in_exchange, ..EndOfConversation::default() };
        block_on(talk.vault.end(memory(), end, None)).unwrap();
        talk.minute(later);
        talk.say(Role::User, "Hello again");
        assert_eq!(talk.contents()[1], ["Hello again"], "{in_exchange}");
    }
}

/// A model that looks back with these words, and finds no facts and no titles.
fn looking_back(words: &'static str) -> Arc<ScriptedLlm> {
    Arc::new(ScriptedLlm::new(move |prompt| {
        Ok(match prompt.schema.as_ref().map(|schema| schema.name) {
            None => words.to_owned(),
            Some("facts") => "{\"facts\": []}".to_owned(),
            Some(_) => {
                "{\"title\": \"Five words make a title\", \"summary\": \"A talk.\"}".to_owned()
            }
        })
    }))
}

fn talked(open: Open) -> Talk {
    let talk = Talk::new(open);
    talk.say(Role::User, "Please sort my notes by date.");
    talk.say(Role::Assistant, "I sorted them by name.");
    talk.minute(60);
    talk.settle();
    talk
}

pub(crate) fn d45_past_conversations_are_looked_back_at_on_request(open: Open) {
    let mut talk = talked(open);
    let refused = block_on(talk.vault.retrospect(memory(), false, None)).unwrap_err();
    assert_eq!(refused.reason(), Some(ConflictReason::NoLanguageModel));
    let llm = looking_back("Sort by date next time.");
    talk.engine = talk.engine.with_llm(llm.clone());
    let vault = block_on(talk.engine.vault(talk.vault.id().into())).unwrap();
    block_on(vault.retrospect(memory(), false, None)).unwrap();
    talk.settle();
    let found = block_on(vault.retrospections(memory(), 9)).unwrap();
    let text = as_text(&found, &Zone::utc());
    assert!(text.starts_with("## ") && text.contains(" — 2025-06-01 "), "{text}");
    assert!(text.ends_with("\n\nSort by date next time.\n"), "{text}");
    let asked = llm.asked();
    assert!(asked[0].messages[0].content.contains(DEFAULT_QUESTION), "{asked:?}");
    assert!(asked[0].messages[1].content.contains("sort my notes by date"), "{asked:?}");
    // It was looked back at; only again does it a second time.
    block_on(vault.retrospect(memory(), false, None)).unwrap();
    talk.settle();
    assert_eq!(llm.asked().len(), 1);
    // What is said later in it, or forgotten, leaves nothing of it.
    let entry = block_on(vault.entries(memory(), None, EntryQuery::default())).unwrap().data[1].id;
    block_on(vault.forget(memory(), Forget::Entry(entry), None)).unwrap();
    assert!(block_on(vault.retrospections(memory(), 9)).unwrap().is_empty());
}

pub(crate) fn d45_with_a_question_every_end_is_looked_back_at(open: Open) {
    let mut talk = talked(open);
    let llm = looking_back("They wanted dates.");
    let question = Some("What did they want?".to_owned());
    talk.engine = talk.engine.with_llm(llm.clone()).with_retrospection(question);
    talk.minute(200);
    talk.say(Role::User, "And now by size, please.");
    talk.minute(300);
    talk.settle();
    let found = block_on(talk.vault.retrospections(memory(), 9)).unwrap();
    assert_eq!(found.len(), 1, "the one that ended since");
    assert_eq!(found[0].retrospection.as_ref().unwrap().text, "They wanted dates.");
    let asked = llm.asked();
    let looked = asked.iter().find(|prompt| prompt.schema.is_none()).unwrap();
    assert!(looked.messages[0].content.contains("What did they want?"));
}
