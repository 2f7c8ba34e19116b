//! Context documents: as rows, and as they are written from what is known.

use std::sync::Arc;

use everwhen_engine::Forget;
use everwhen_engine::memory::{ContextBy, ContextDocument, NewContext, Role};
use everwhen_engine::ports::{ContextSelection, ContextVersion, Removal, Row};
use everwhen_engine::receipt::Receipt;
use everwhen_testkit::{ScriptedLlm, block_on};

use crate::bed::{Bed, Open};
use crate::rows::{at, context, home, id, place};
use crate::talk::{Talk, memory};

fn three(open: Open) -> Bed {
    let bed = open();
    bed.write(|tx| (1..=3).try_for_each(|version| tx.put(Row::Context(id(1), &context(version)))));
    bed
}

pub(crate) fn a_version_is_found_by_number_and_by_time(open: Open) {
    let bed = three(open);
    let version = |version: ContextVersion| {
        bed.look(move |rows| rows.contexts(home(), version.into(), 1).map(|mut found| found.pop()))
    };
    assert_eq!(version(ContextVersion::Current), Some(context(3)));
    assert_eq!(version(ContextVersion::Number(2)), Some(context(2)));
    assert_eq!(version(ContextVersion::Number(4)), None);
    assert_eq!(version(ContextVersion::AsOf(at(0))), None);
    assert_eq!(version(ContextVersion::AsOf(at(2))), Some(context(2)));
    assert_eq!(version(ContextVersion::AsOf(at(9))), Some(context(3)));
}

pub(crate) fn two_versions_of_one_moment_are_told_apart(open: Open) {
    let bed = three(open);
    let same = ContextDocument { creation_time: at(3), ..context(4) };
    let kept = same.clone();
    bed.write(move |tx| tx.put(Row::Context(id(1), &kept)));
    let found = bed.look(|rows| {
        rows.contexts(home(), ContextSelection::AsOf(at(3)), 1).map(|mut found| found.pop())
    });
    assert_eq!(found, Some(same));
}

pub(crate) fn versions_are_listed_newest_first(open: Open) {
    let bed = three(open);
    let listed = |before: Option<u64>, limit| {
        bed.look(move |rows| {
            rows.contexts(
                home(),
                before.map_or(ContextSelection::All, ContextSelection::Below),
                limit,
            )
        })
    };
    assert_eq!(listed(None, 9), [context(3), context(2), context(1)]);
    assert_eq!(listed(None, 1), [context(3)]);
    assert_eq!(listed(Some(3), 1), [context(2)]);
    assert_eq!(listed(Some(1), 9), []);
}

pub(crate) fn versions_go_by_who_wrote_them(open: Open) {
    let bed = open();
    let by = |version, by| ContextDocument { by, ..context(version) };
    let all = [by(1, ContextBy::Agent), by(2, ContextBy::Extractive), by(3, ContextBy::Llm)];
    let other = ContextDocument { memory: id(2), ..by(9, ContextBy::Llm) };
    let (rows, stays) = (all.clone(), other.clone());
    bed.write(move |tx| {
        tx.put(Row::Context(id(1), &stays))?;
        rows.iter().try_for_each(|row| tx.put(Row::Context(id(1), row)))
    });
    let listed = || bed.look(|rows| rows.contexts(home(), ContextSelection::All, 9));
    assert_eq!(listed().len(), 3);
    let written = [ContextBy::Extractive, ContextBy::Llm];
    assert_eq!(bed.write(move |tx| tx.remove(Removal::Contexts(home(), &written))), 2);
    assert_eq!(listed(), all[..1]);
    assert_eq!(bed.look(|rows| rows.contexts(place(1, 2), ContextSelection::All, 9)), [other]);
}

fn current(talk: &Talk) -> ContextDocument {
    block_on(talk.vault.context(memory(), ContextVersion::Current)).unwrap()
}

fn say_on(talk: &Talk, day: i64, text: &str) {
    talk.minute(day * 1440);
    talk.say(Role::User, text);
    talk.minute(day * 1440 + 60);
    talk.settle();
    talk.minute(day * 1440 + 61);
    talk.settle();
}

pub(crate) fn a_document_grows_out_of_what_is_said(open: Open) {
    let talk = Talk::new(open);
    say_on(&talk, 0, "My A1C was 7.4% and I prefer tea in the morning.");
    let first = current(&talk);
    assert_eq!((first.version, first.by), (1, ContextBy::Extractive));
    assert_eq!(first.conversation_time, at(0));
    say_on(&talk, 92, "My A1C is 7.0% now. We decided on the blue tiles from Porto.");
    let second = current(&talk);
    assert!(second.version > 1);
    for part in [
        "# Facts\n- My A1C is 7.0% now. (mentioned 2025-09-01); before: 7.4% (2025-06-01)",
        "# Decisions\n- We decided on the blue tiles from Porto. (mentioned 2025-09-01)",
        "# Entities\n",
        "# Timeline\n2025-06-01 – ",
        "(+92 days)",
    ] {
        assert!(second.content.contains(part), "{part} in\n{}", second.content);
    }
    talk.settle();
    assert_eq!(current(&talk), second, "nothing new, no new version");
}

pub(crate) fn what_an_agent_wrote_stands_until_somebody_asks(open: Open) {
    let talk = Talk::new(open);
    let own = NewContext::new("Mine.", None).unwrap();
    block_on(talk.vault.put_context(memory(), own, None)).unwrap();
    say_on(&talk, 0, "I live in Bern.");
    assert_eq!((current(&talk).version, current(&talk).by), (1, ContextBy::Agent));
    block_on(talk.vault.rebuild_context(memory(), None)).unwrap();
    assert_eq!((current(&talk).version, current(&talk).by), (2, ContextBy::Extractive));
    say_on(&talk, 1, "I have a dog called Rex.");
    assert!(current(&talk).version > 2);
    assert!(current(&talk).content.contains("Rex"));
    let mine = block_on(talk.vault.context(memory(), ContextVersion::Number(1))).unwrap();
    assert_eq!(mine.content, "Mine.");
}

pub(crate) fn forgetting_takes_what_was_written_along(open: Open) {
    let talk = Talk::new(open);
    let secret = talk.say(Role::User, "My code word is Ginkgo.").entries[0].id;
    say_on(&talk, 1, "I live in Bern.");
    assert!(current(&talk).content.contains("Ginkgo"));
    let done = block_on(talk.vault.forget(memory(), Forget::Entry(secret), None)).unwrap();
    let Receipt::Forgotten(removed) = done.receipt else { panic!("{done:?}") };
    assert!(removed.contexts > 0, "{removed:?}");
    let gone = block_on(talk.vault.context(memory(), ContextVersion::Current));
    assert!(gone.is_err(), "{gone:?}");
    talk.minute(2 * 1440);
    talk.settle();
    assert!(current(&talk).content.contains("Bern") && !current(&talk).content.contains("Ginkgo"));
}

/// A model chooses and describes; it can neither change a fact nor a day.
pub(crate) fn a_model_describes_and_code_keeps_the_facts(open: Open) {
    let mut talk = Talk::new(open);
    let answer = r#"{"description": "Somebody who lives in Bern with a dog.", "preferences": [1, 99],
        "decisions": [], "topics": ["dog", "warp drives"], "entities": ["Bern", "Atlantis"],
        "notes": ["Bern has 500 dogs.", "The dog is new in Bern."]}"#;
    talk.engine = talk.engine.with_llm(Arc::new(ScriptedLlm::new(move |prompt| {
        match prompt.schema.as_ref().map(|schema| schema.name) {
            Some("context") => Ok(answer.to_owned()),
            Some("facts") => Ok(r#"{"facts": [
                {"line": 1, "quote": "I live in Bern.", "statement": "The user lives in Bern.",
                 "matter": "home", "value": "Bern", "tags": ["place"]},
                {"line": 1, "quote": "I have a dog.", "statement": "The user has a dog.",
                 "matter": "", "value": "", "tags": ["general"]}]}"#
                .to_owned()),
            _ => Ok(r#"{"title": "Living with a dog in Bern", "summary": "A dog."}"#.to_owned()),
        }
    })));
    say_on(&talk, 0, "I live in Bern. I have a dog.");
    let written = current(&talk);
    assert_eq!(written.by, ContextBy::Llm);
    assert_eq!(
        written.content,
        "# Description\nSomebody who lives in Bern with a dog.\n\n\
         # Facts\n- The user lives in Bern. (mentioned 2025-06-01)\n\n\
         # Preferences\n- The user has a dog. (mentioned 2025-06-01)\n\n\
         # Topics\ndog\n\n# Entities\nBern\n\n\
         # Notes\n- The dog is new in Bern.\n\n\
         # Timeline\n2025-06-01 – Living with a dog in Bern"
    );
}
