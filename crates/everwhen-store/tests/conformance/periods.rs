//! What was said on a day or in a month, without a time, is found wherever that period reaches.

use std::sync::Arc;

use everwhen_engine::memory::{Address, NewEntry, Provenance, Role, TimePrecision};
use everwhen_engine::ports::{EntryQuery, Order};
use everwhen_engine::recall::{PeriodUse, Query};
use everwhen_testkit::{block_on, engine_over};
use jiff::Timestamp;

use crate::bed::Open;
use crate::rows::name;
use crate::talk::{Talk, memory, said};

const DAY: &str = "the cat was ill";
const MONTH: &str = "a cat from Lisbon moved in";
const YEAR: &str = "the year of the cat";
const UNKNOWN: &str = "some cat, some time";
const STATED: &str = "the cat is well again";

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn dated(at: &str, precision: TimePrecision, text: &str) -> NewEntry {
    let provenance = Provenance { precision, ..Provenance::stated(name("notes")) };
    NewEntry { provenance: Some(Box::new(provenance)), ..said(Role::User, text).said_at(time(at)) }
}

/// Entries of every kind of date, the last one first.
fn dated_talk(open: Open) -> Talk {
    let talk = Talk::new(open);
    talk.remember(vec![
        said(Role::User, STATED).said_at(time("2023-03-20T15:00:00Z")),
        dated("2023-03-03T00:00:00Z", TimePrecision::Day, DAY),
        dated("2023-03-01T00:00:00Z", TimePrecision::Month, MONTH),
        dated("2023-01-01T00:00:00Z", TimePrecision::Unknown, UNKNOWN),
        dated("2022-01-01T00:00:00Z", TimePrecision::Year, YEAR),
    ]);
    talk
}

fn between(after: &str, before: &str) -> EntryQuery {
    let (after, before) = (Some(time(after)), Some(time(before)));
    EntryQuery { after, before, ..EntryQuery::default() }
}

pub(crate) fn a_list_has_what_reaches_into_its_time(open: Open) {
    let talk = dated_talk(open);
    for (after, before, expected) in [
        ("2023-03-03T12:00:00Z", "2023-03-03T13:00:00Z", &[MONTH, DAY][..]),
        ("2023-03-04T00:00:00Z", "2023-03-05T00:00:00Z", &[MONTH]),
        ("2023-03-20T00:00:00Z", "2023-04-20T00:00:00Z", &[MONTH, STATED]),
        ("2023-04-01T00:00:00Z", "2023-05-01T00:00:00Z", &[]),
        ("2022-12-31T00:00:00Z", "2023-01-01T00:00:00Z", &[YEAR]),
        ("2023-01-01T00:00:00Z", "2023-02-01T00:00:00Z", &[UNKNOWN]),
        ("2021-12-31T00:00:00Z", "2022-01-02T00:00:00Z", &[YEAR]),
    ] {
        let oldest = talk.texts(between(after, before));
        assert_eq!(oldest, expected, "{after} to {before}");
        let mut newest = talk.texts(EntryQuery { order: Order::Newest, ..between(after, before) });
        newest.reverse();
        assert_eq!(newest, expected, "{after} to {before}, backwards");
    }
}

pub(crate) fn pages_go_from_periods_to_instants_and_back(open: Open) {
    let talk = dated_talk(open);
    for (order, expected) in
        [(Order::Oldest, [MONTH, DAY, STATED]), (Order::Newest, [STATED, DAY, MONTH])]
    {
        let mut all = Vec::new();
        let mut from = None;
        loop {
            let after = Some(time("2023-03-03T10:00:00Z"));
            let query = EntryQuery { after, order, from, limit: Some(1), ..EntryQuery::default() };
            let page = block_on(talk.vault.entries(memory(), None, query)).unwrap();
            all.extend(page.data.iter().map(|entry| entry.content.as_str().to_owned()));
            from = page.next;
            if from.is_none() {
                break;
            }
        }
        assert_eq!(all, expected);
    }
}

pub(crate) fn recall_finds_a_day_and_a_month_by_any_time_within(open: Open) {
    let talk = dated_talk(open);
    let ask = |vault: &everwhen_engine::Vault, query: Query| {
        block_on(vault.recall(memory(), query)).unwrap()
    };
    let cold = || {
        block_on(talk.engine.keep_indexes(1)).unwrap();
        let (engine, clock) = engine_over(Arc::clone(&talk.bed.store));
        clock.set(talk.engine.now());
        block_on(engine.vault(Address::Name(name("v")))).unwrap()
    };
    let filter = |text: &str| Query { period: PeriodUse::Filter, ..Query::new(text) };
    for (question, expected) in [
        ("What about the cat on 3 March 2023?", &[DAY, MONTH][..]),
        ("What about the cat on 4 March 2023?", &[MONTH]),
        ("What about the cat in the last week of March 2023?", &[MONTH]),
        ("What about the cat in March 2023?", &[DAY, MONTH, STATED]),
        ("What about the cat in August 2022?", &[YEAR]),
    ] {
        for vault in [talk.vault.clone(), cold()] {
            let recollection = ask(&vault, filter(question));
            let mut found: Vec<&str> =
                recollection.items.iter().map(|one| one.entry.content.as_str()).collect();
            found.sort_unstable();
            let mut expected = expected.to_vec();
            expected.sort_unstable();
            assert_eq!(found, expected, "{question}");
            assert!(!recollection.nothing_in_period, "{question}");
            assert!(recollection.items.iter().all(|one| !one.outside), "{question}");
        }
    }
    let hour = Query {
        after: Some(time("2023-03-03T21:00:00Z")),
        before: Some(time("2023-03-03T22:00:00Z")),
        ..Query::new("the cat")
    };
    let briefing = ask(&talk.vault, hour).briefing;
    assert!(briefing.contains("(about 3 March 2023) User: the cat was ill"), "{briefing}");
    assert!(briefing.contains("(about March 2023) User: a cat from Lisbon"), "{briefing}");
    assert!(!briefing.contains(STATED), "{briefing}");
}
