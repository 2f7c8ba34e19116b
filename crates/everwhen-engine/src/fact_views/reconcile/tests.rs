//! Links are a function of the facts, whatever the order in which they came.

use std::cell::Cell;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::fact_views::{as_of, views, views_by_links};
use crate::facts::extract::stated_matter;
use crate::facts::{Evidence, Matter};
use crate::time::{Period, Precision, Zone};

thread_local! {
    /// How many pairs of facts this thread has compared.
    pub(super) static COMPARISONS: Cell<usize> = const { Cell::new(0) };
}

fn day(day: i64) -> Timestamp {
    "2025-01-01T12:00:00Z".parse::<Timestamp>().unwrap() + SignedDuration::from_hours(24 * day)
}

/// A statement made on a day and stored on another.
fn fact(number: u128, said: i64, stored: i64, statement: &str) -> Fact {
    let matter = stated_matter(statement).map(|(key, value)| Matter { key, value });
    let evidence = Evidence { entry: Uuid::from_u128(number).into(), range: 0..1 };
    let id = Uuid::from_u128(number).into();
    let stated = Fact::stated(id, Uuid::nil().into(), statement, evidence, day(said));
    Fact { matter, creation_time: day(stored), ..stated }
}

fn a1c() -> Vec<Fact> {
    vec![
        fact(1, 9, 9, "My A1C was 7.4%"),
        fact(2, 101, 101, "A1C improved to 7.0%"),
        fact(3, 200, 200, "My A1C is now at 6.8%"),
    ]
}

fn linked(mut facts: Vec<Fact>) -> Vec<Fact> {
    link_all(&mut facts, &Ruler::default());
    facts
}

#[test]
fn readings_of_one_measure_are_a_history_and_the_latest_is_current() {
    let shown = views(linked(a1c()), &Zone::utc());
    let current: Vec<bool> = shown.iter().map(|view| view.is_current()).collect();
    assert_eq!(current, [false, false, true]);
    assert_eq!(shown[0].superseded_by, Some(shown[1].fact.id));
    assert_eq!(shown[2].supersedes, Some(shown[1].fact.id));
    assert_eq!(shown[0].holds.until(), Some(day(101)));
    assert_eq!((shown[1].known_since, shown[1].known_until), (day(101), Some(day(200))));
    assert_eq!(shown[0].text, "My A1C was 7.4% (mentioned 2025-01-10)");
}

#[test]
fn as_of_a_time_only_what_was_stored_by_then_decides() {
    let mut facts = a1c();
    facts[0].creation_time = day(300);
    let then = views(as_of(linked(facts.clone()), day(150), &Ruler::default()), &Zone::utc());
    assert_eq!(then.len(), 1);
    assert!(then[0].is_current() && then[0].fact.statement.contains("7.0"));
    let now = views(linked(facts), &Zone::utc());
    assert_eq!((now[0].known_since, now[0].known_until), (day(300), Some(day(300))));
    assert!(now[2].is_current());
}

#[test]
fn a_fact_was_known_until_anything_replaced_it_even_if_old_news_arrives_later() {
    let facts = vec![
        fact(1, 0, 0, "I live in Rome"),
        fact(2, 30, 160, "I live in Bern"),
        fact(3, 60, 60, "I live in Oslo"),
    ];
    let then = views(as_of(linked(facts.clone()), day(100), &Ruler::default()), &Zone::utc());
    assert!(!then[0].is_current(), "Oslo had replaced it");
    let now = views(linked(facts), &Zone::utc());
    assert_eq!(now[0].superseded_by, Some(now[1].fact.id));
    assert_eq!(now[0].known_until, Some(day(60)));
    assert_eq!(now[1].known_until, Some(day(160)));
}

#[test]
fn what_has_been_so_since_a_time_ends_when_it_is_denied() {
    let since = Period::new(Some(day(-900)), None, Precision::Year);
    let mut facts =
        vec![fact(1, 0, 0, "I am a vegetarian"), fact(2, 90, 90, "I am no longer a vegetarian")];
    facts.iter_mut().for_each(|fact| fact.matter = None);
    facts[0].event = since.ok();
    assert_eq!(views(vec![facts[0].clone()], &Zone::utc())[0].holds.until(), None);
    let shown = views(linked(facts), &Zone::utc());
    assert_eq!(shown[0].superseded_by, Some(shown[1].fact.id), "{:?}", shown[1].fact.link);
    assert_eq!(shown[0].holds.until(), Some(day(90)));
}

#[test]
fn said_again_is_one_fact_with_both_as_evidence_unless_something_came_between() {
    let same = [fact(1, 0, 0, "I live in Berlin"), fact(2, 9, 9, "I live in Berlin")];
    let shown = views(linked(same.to_vec()), &Zone::utc());
    assert_eq!((shown.len(), shown[0].evidence.len()), (1, 2));
    assert_eq!(shown[0].last_mentioned_at, day(9));
    let mut back = same.to_vec();
    back.push(fact(3, 5, 20, "I moved to Paris"));
    let shown = views(linked(back), &Zone::utc());
    let statements: Vec<(&str, bool)> =
        shown.iter().map(|view| (view.fact.statement.as_str(), view.is_current())).collect();
    assert_eq!(
        statements,
        [("I live in Berlin", false), ("I moved to Paris", false), ("I live in Berlin", true)]
    );
}

#[test]
fn a_value_replaces_the_one_before_it_whatever_else_was_said_in_between() {
    let are_current = |shown: Vec<crate::fact_views::FactView>| -> Vec<bool> {
        shown.iter().map(|view| view.is_current()).collect()
    };
    let plan = fact(2, 5, 5, "We move to Lisbon");
    let (before, after) = (fact(1, 0, 0, "I live in Porto"), fact(3, 9, 9, "I moved to Lisbon"));
    assert_eq!(plan.matter, None);
    let near = linked(vec![plan.clone(), after.clone()]);
    assert!(near[1].link.is_some(), "without a home before, it has to do with the plan");
    let shown = views(linked(vec![before, plan, after]), &Zone::utc());
    assert_eq!(shown[0].holds.until(), Some(day(9)), "she lived there until she moved");
    assert_eq!(shown[2].supersedes, Some(shown[0].fact.id));
    assert_eq!(are_current(shown), [false, true, true]);
}

#[test]
fn closeness_alone_replaces_nothing() {
    let facts = linked(vec![
        fact(1, 0, 0, "I like green tea a lot"),
        fact(2, 1, 1, "I like black tea a lot"),
        fact(3, 2, 2, "I no longer like green tea a lot"),
    ]);
    assert_eq!(facts[1].link, None);
    let denied = facts[2].link.unwrap();
    assert_eq!(denied.relation, Relation::Retracts);
}

const STATEMENTS: [&str; 11] = [
    "I live in Berlin",
    "I live in Paris",
    "My A1C was 7.4%",
    "My A1C was 7.0%",
    "I run twice a week",
    "I run three times a week",
    "I no longer run",
    "I like tea",
    "My dog is Rex",
    "I moved to Lisbon",
    "We move to Lisbon",
];

fn any_facts() -> impl Strategy<Value = Vec<Fact>> {
    let said = proptest::collection::vec((0..STATEMENTS.len(), 0i64..40), 1..14);
    said.prop_map(|said| {
        let facts = said.iter().enumerate();
        facts
            .map(|(number, (which, day))| fact(number as u128, *day, 0, STATEMENTS[*which]))
            .collect()
    })
}

proptest! {
    /// Old conversations that arrive late never change what is current, and coming one by one in any
    /// order leads to the same links as coming all at once.
    #[test]
    fn the_order_of_arrival_does_not_matter(
        facts in any_facts(), order in proptest::collection::vec(any::<u32>(), 14)
    ) {
        let mut arrivals: Vec<(u32, Fact)> = order.into_iter().zip(facts.clone()).collect();
        arrivals.sort_by_key(|(place, fact)| (*place, fact.id));
        let mut known: Vec<Fact> = Vec::new();
        for (_, fact) in arrivals {
            let fresh = HashSet::from([fact.id]);
            known.push(fact);
            relink(&mut known, &fresh, &Ruler::default());
        }
        prop_assert_eq!(&known, &linked(facts));
        for older in views(known.clone(), &Zone::utc()).iter().filter(|view| !view.is_current()) {
            let newer = known.iter().find(|fact| Some(fact.id) == older.superseded_by).unwrap();
            prop_assert!(newer.mentioned_at > older.fact.mentioned_at);
        }
    }

    #[test]
    fn what_goes_leaves_the_links_of_what_stays(facts in any_facts(), doomed in 0usize..14) {
        let mut known = linked(facts);
        known.remove(doomed % known.len());
        relink(&mut known, &HashSet::new(), &Ruler::default());
        prop_assert_eq!(&known, &linked(known.clone()));
    }

    #[test]
    fn as_of_a_time_links_are_those_of_what_stood_then(
        facts in any_facts(),
        withdrawn in prop::collection::vec(prop::option::of(0i64..400), 14),
        then in 0i64..400,
    ) {
        let all = facts.into_iter().zip(withdrawn).map(|(fact, on)| {
            let withdrawn_at = on.map(day).filter(|at| *at > fact.creation_time);
            Fact { withdrawn_at, ..fact }
        });
        let (standing, gone): (Vec<Fact>, Vec<Fact>) =
            all.partition(|fact| fact.withdrawn_at.is_none());
        let known: Vec<Fact> = linked(standing).into_iter().chain(gone).collect();
        let stood = |fact: &&Fact| {
            fact.creation_time <= day(then) && fact.withdrawn_at.is_none_or(|at| at > day(then))
        };
        let stood = known.iter().filter(stood).map(|fact| Fact { withdrawn_at: None, ..fact.clone() });
        let expected = linked(stood.collect());
        prop_assert_eq!(as_of(known, day(then), &Ruler::default()), expected);
    }
}

/// Facts of which each has its own words, said and stored day by day.
fn many(count: i64) -> Vec<Fact> {
    let say = |number: i64| match number % 3 {
        0 => format!("I live in town{number}"),
        1 => format!("I like tea from village{number}"),
        _ => format!("My sister met neighbour{number} of street{number}"),
    };
    (0..count).map(|number| fact(number as u128 + 1, number, number, &say(number))).collect()
}

#[test]
fn facts_as_of_a_time_are_not_compared_with_each_other_again() {
    let facts = linked(many(1_000));
    COMPARISONS.set(0);
    assert_eq!(as_of(facts.clone(), day(500), &Ruler::default()).len(), 501);
    assert_eq!(COMPARISONS.get(), 0, "links to earlier facts are those of then");
    let mut facts = facts;
    for fact in facts.iter_mut().skip(100).take(10) {
        (fact.withdrawn_at, fact.link) = (Some(day(700)), None);
    }
    let mut standing: Vec<Fact> =
        facts.extract_if(.., |fact| fact.withdrawn_at.is_none()).collect();
    link_all(&mut standing, &Ruler::default());
    COMPARISONS.set(0);
    standing.extend(facts);
    as_of(standing, day(500), &Ruler::default());
    let compared = COMPARISONS.get();
    assert!(compared <= 10 * 501, "{compared} pairs for ten facts among 501");
}

#[test]
fn a_fact_is_compared_with_those_that_share_enough_words_with_it() {
    let say = |number: i64| match number % 2 {
        0 => format!("Hana{number} visited Kyoto{number}"),
        _ => format!("Hana{} left Kyoto{}", number - 1, number - 1),
    };
    let facts = (0..5_000).map(|number| fact(number as u128 + 1, number, number, &say(number)));
    let all: Vec<Fact> = facts.collect();
    COMPARISONS.set(0);
    let facts = linked(all);
    assert_eq!(COMPARISONS.get(), 2_500, "pairs of 5,000 facts");
    // Everything was withdrawn since, as when facts are extracted again by other rules.
    let withdrawn = |fact: Fact| Fact { withdrawn_at: Some(day(9_000)), link: None, ..fact };
    let then = as_of(facts.iter().cloned().map(withdrawn).collect(), day(8_000), &Ruler::default());
    assert_eq!(COMPARISONS.get(), 5_000, "as many again");
    assert_eq!(then, facts);
}

#[test]
fn facts_are_shown_without_comparing_unless_one_is_back() {
    let facts = linked(a1c());
    let (zone, ruler) = (Zone::utc(), Ruler::default());
    COMPARISONS.set(0);
    for then in [50, 150, 500] {
        let compared = views(as_of(facts.clone(), day(then), &ruler), &zone);
        assert_eq!(views_by_links(facts.clone(), (day(then), &[]), &zone), Some(compared));
    }
    assert_eq!(COMPARISONS.get(), 0);
    let mut withdrawn = facts.clone();
    withdrawn[1].withdrawn_at = Some(day(300));
    assert_eq!(views_by_links(withdrawn.clone(), (day(250), &[]), &zone), None, "one is back");
    assert!(views_by_links(withdrawn, (day(300), &[]), &zone).is_none(), "one has lost its target");
    let (mut late, newer) = (facts[1].clone(), facts[2].clone());
    late.creation_time = day(400);
    let facts = vec![facts[0].clone(), late, newer];
    assert_eq!(views_by_links(facts, (day(250), &[]), &zone), None, "the target came later");
}

/// A fact that says this and nothing else.
pub(crate) fn plain_fact(statement: &str) -> Fact {
    fact(1, 9, 9, statement)
}
