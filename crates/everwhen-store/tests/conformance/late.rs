//! Old news never replace newer ones: in whatever order conversations arrive and are distilled, what
//! is current at every moment is what was said last of all that has arrived, and in the end
//! everything is as if it had arrived in order.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use everwhen_engine::facts::FactQuery;
use everwhen_engine::memory::{Address, MemoryId, Role};
use everwhen_testkit::{ScriptedLlm, block_on};
use jiff::SignedDuration;
use proptest::prelude::{Just, Strategy};
use proptest::sample::{select, subsequence};

use crate::bed::{Open, for_all};
use crate::rows::{at, name};
use crate::talk::{Talk, said};

const DAY: i64 = 24 * 60;
/// When everything arrives.
const NOW: i64 = 400 * DAY;
/// The number of days of which something may be said.
const DAYS: i64 = 9;

/// Matters with a value that changes, as our rules and the model name them.
const READINGS: [(&str, &[&str]); 2] =
    [("a1c", &["7.4%", "7.0%", "6.8%"]), ("oxygen", &["97%", "95%"])];

/// What was said on a day: a conversation of its own.
#[derive(Debug, Clone, Copy)]
struct News {
    day: i64,
    matter: &'static str,
    value: &'static str,
}

/// News in the order in which they arrive, and how many arrive before they are distilled.
#[derive(Debug, Clone)]
struct Course {
    arriving: Vec<News>,
    batch: usize,
}

impl News {
    fn text(self) -> String {
        format!("My {} is {}", self.matter, self.value)
    }
}

fn any_news(day: i64) -> impl Strategy<Value = News> {
    let reading = select(READINGS.to_vec());
    let news = move |(matter, values): (&'static str, &'static [&'static str])| {
        select(values.to_vec()).prop_map(move |value| News { day, matter, value })
    };
    reading.prop_flat_map(news)
}

fn any_course() -> impl Strategy<Value = Course> {
    let days = subsequence((0..DAYS).collect::<Vec<_>>(), 2..=6);
    let news = days.prop_flat_map(|days| days.into_iter().map(any_news).collect::<Vec<_>>());
    let arriving = news.prop_flat_map(|news| Just(news).prop_shuffle());
    (arriving, 1..4usize).prop_map(|(arriving, batch)| Course { arriving, batch })
}

/// A model that reads off what the user says of a matter.
fn model() -> ScriptedLlm {
    ScriptedLlm::new(|prompt| {
        let shown = &prompt.messages[1].content;
        let said = shown.split_once("User: ").map_or("", |(_, said)| said);
        let parts = said.strip_prefix("My ").and_then(|rest| rest.split_once(" is "));
        let (matter, value) = parts.unwrap_or_default();
        Ok(match prompt.schema.as_ref().map(|schema| schema.name) {
            Some("facts") => format!(
                r#"{{"facts": [{{"line": 1, "quote": "{said}", "statement": "The {matter} is {value}",
                    "matter": "{matter}", "value": "{value}", "tags": []}}]}}"#
            ),
            _ => r#"{"title": "One two three four five", "summary": "They talked."}"#.to_owned(),
        })
    })
}

fn store_news(talk: &Talk, memory: &Address<MemoryId>, news: &[News]) {
    for one in news {
        let entry = said(Role::User, &one.text()).said_at(at(one.day * DAY));
        block_on(talk.vault.remember(memory.clone(), vec![entry], None)).unwrap();
    }
    talk.clock.advance(SignedDuration::from_mins(1));
    talk.settle();
}

/// What is current of each matter.
fn current(talk: &Talk, memory: &Address<MemoryId>) -> BTreeMap<String, String> {
    let profile = block_on(talk.vault.profile(memory.clone(), None)).unwrap();
    profile.into_iter().map(|line| (line.key, line.value)).collect()
}

/// What was said last of each matter.
fn latest(news: &[News]) -> BTreeMap<String, String> {
    let mut ordered = news.to_vec();
    ordered.sort_by_key(|one| one.day);
    ordered.into_iter().map(|one| (one.matter.to_owned(), one.value.to_owned())).collect()
}

/// All facts as they stand.
fn standing(talk: &Talk, memory: &Address<MemoryId>) -> Vec<String> {
    let query = FactQuery { all: true, ..FactQuery::default() };
    let facts = block_on(talk.vault.facts(memory.clone(), query)).unwrap().data;
    let show = |view: &everwhen_engine::facts::FactView| {
        let relation = view.fact.link.map(|link| link.relation);
        format!("{} {relation:?} {} {}", view.text, view.evidence.len(), view.is_current())
    };
    facts.iter().map(show).collect()
}

fn check(talk: &Talk, course: &Course, number: usize) {
    let memory = |kind: &str| Address::Name(name(&format!("{kind} {number}")));
    let late = memory("late");
    let mut arrived = Vec::new();
    for batch in course.arriving.chunks(course.batch) {
        store_news(talk, &late, batch);
        arrived.extend_from_slice(batch);
        assert_eq!(current(talk, &late), latest(&arrived), "after {arrived:?}");
    }
    let mut ordered = arrived;
    ordered.sort_by_key(|one| one.day);
    let in_order = memory("in order");
    ordered.iter().for_each(|one| store_news(talk, &in_order, &[*one]));
    assert_eq!(standing(talk, &late), standing(talk, &in_order), "{course:?}");
    store_news(talk, &late, &ordered[..1]);
    assert_eq!(current(talk, &late), latest(&ordered), "the oldest, told again");
}

fn check_all(talk: &Talk) {
    talk.minute(NOW);
    let count = Cell::new(0);
    for_all(24, any_course(), |course| {
        count.set(count.get() + 1);
        check(talk, &course, count.get());
    });
}

pub(crate) fn old_news_never_replace_newer_ones_by_rules(open: Open) {
    check_all(&Talk::new(open));
}

pub(crate) fn old_news_never_replace_newer_ones_by_a_model(open: Open) {
    let mut talk = Talk::new(open);
    talk.engine = talk.engine.with_llm(Arc::new(model()));
    check_all(&talk);
}
