//! A graph, over every store: its statements are dated entries and facts at once.

use everwhen_engine::facts::FactQuery;
use everwhen_engine::{Entity, GraphChange, GraphRelation};
use everwhen_testkit::block_on;

use crate::bed::Open;
use crate::rows::at;
use crate::talk::{Talk, memory};

/// Days in minutes.
const DAY: i64 = 24 * 60;

fn change(talk: &Talk, change: GraphChange) {
    block_on(talk.vault.change_graph(memory(), change)).unwrap();
}

fn facts(talk: &Talk, query: FactQuery) -> Vec<String> {
    let page = block_on(talk.vault.facts(memory(), query)).unwrap();
    page.data.into_iter().map(|view| view.text).collect()
}

/// Ana and Acme on the first day, one thing more of Ana a week later.
fn change_graph(talk: &Talk) {
    let ana = Entity {
        name: "Ana".into(),
        kind: "person".into(),
        observations: vec!["speaks Basque".into()],
    };
    change(talk, GraphChange::AddEntities(vec![ana]));
    let works = GraphRelation { from: "Ana".into(), to: "Acme".into(), kind: "works_at".into() };
    change(talk, GraphChange::AddRelations(vec![works]));
    talk.minute(7 * DAY);
    talk.settle();
    let more = vec![("Ana".to_owned(), vec!["plays the cello".to_owned()])];
    change(talk, GraphChange::AddObservations(more));
}

pub(crate) fn statements_are_facts_with_their_day(open: Open) {
    let talk = Talk::new(open);
    change_graph(&talk);
    talk.minute(8 * DAY);
    talk.settle();
    let mut statements = facts(&talk, FactQuery::default());
    statements.sort();
    assert_eq!(
        statements,
        [
            "Ana (person) (mentioned 2025-06-01)",
            "Ana works_at Acme (mentioned 2025-06-01)",
            "Ana: plays the cello (mentioned 2025-06-08)",
            "Ana: speaks Basque (mentioned 2025-06-01)",
        ]
    );
    let profile = block_on(talk.vault.profile(memory(), None)).unwrap();
    assert_eq!((profile[0].key.as_str(), profile[0].value.as_str()), ("ana", "person"));
}

pub(crate) fn what_is_removed_is_withdrawn_and_stays_known_of_then(open: Open) {
    let talk = Talk::new(open);
    change_graph(&talk);
    talk.minute(9 * DAY);
    let gone = vec![("Ana".to_owned(), vec!["speaks Basque".to_owned()])];
    change(&talk, GraphChange::RemoveObservations(gone));
    talk.minute(10 * DAY);
    talk.settle();
    let basque = |query| facts(&talk, query).iter().any(|text| text.contains("Basque"));
    assert!(!basque(FactQuery::default()));
    assert!(basque(FactQuery { as_of: Some(at(8 * DAY)), ..FactQuery::default() }));
    let graph = block_on(talk.vault.graph(memory(), None)).unwrap();
    assert_eq!(graph.entities[0].observations, ["plays the cello"]);
}
