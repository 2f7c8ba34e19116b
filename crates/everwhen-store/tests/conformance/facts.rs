//! Facts as rows: kept whole, in order of mention, found by what they rest on.

use everwhen_engine::facts::{
    Evidence, Fact, FactVector, Link, Matter, Relation, Source, WrittenBy,
};
use everwhen_engine::when::{Period, Precision};

use crate::bed::{Bed, Open};
use crate::rows::{at, fact, home, id, name, place};

fn put(bed: &Bed, facts: Vec<Fact>) {
    bed.write(move |tx| facts.iter().try_for_each(|fact| tx.put_fact(id(1), fact)));
}

pub(crate) fn a_fact_comes_back_as_it_was_put(open: Open) {
    let bed = open();
    let full = Fact {
        source: Source::Inferred,
        tags: vec![name("health"), name("a \"tag\"")],
        matter: Some(Matter { key: "a1c".into(), value: "7.4%".into() }),
        event: Some(Period::new(Some(at(-9)), None, Precision::Year).unwrap()),
        evidence: Evidence { entry: id(7), range: 3..9 },
        by: WrittenBy::Llm,
        pinned_at: Some(at(1)),
        withdrawn_at: Some(at(2)),
        link: Some(Link { to: id(2), relation: Relation::Retracts }),
        vector: Some(FactVector { by: "table".into(), numbers: vec![-128, 0, 127] }),
        retrievals: 3,
        retrieved_at: Some(at(3)),
        ..fact(1)
    };
    let bounded = Period::new(None, Some(at(-1)), Precision::Minute).unwrap();
    let plain = Fact { event: Some(bounded), ..fact(2) };
    put(&bed, vec![plain.clone(), full.clone()]);
    assert_eq!(bed.look(|rows| rows.fact(home(), id(1))), Some(full.clone()));
    assert_eq!(bed.look(|rows| rows.fact(home(), id(3))), None);
    assert_eq!(bed.look(|rows| rows.fact(place(1, 2), id(1))), None);
    assert_eq!(bed.look(|rows| rows.facts(home())), [full.clone(), plain.clone()]);
    let changed = Fact { pinned_at: None, link: None, vector: None, ..full };
    put(&bed, vec![changed.clone()]);
    assert_eq!(bed.look(|rows| rows.facts(home())), [changed, plain]);
}

pub(crate) fn facts_are_found_by_what_they_rest_on(open: Open) {
    let bed = open();
    let same_entry = Fact { evidence: fact(1).evidence, ..fact(4) };
    put(&bed, vec![fact(1), fact(2), fact(3), same_entry.clone()]);
    let on = |entries: Vec<u128>| {
        bed.look(move |rows| {
            let entries: Vec<_> = entries.iter().map(|number| id(*number)).collect();
            rows.facts_on(home(), &entries)
        })
    };
    assert_eq!(on(vec![2, 1, 1, 9]), [fact(1), fact(2), same_entry]);
    assert_eq!(on(vec![]), []);
    assert_eq!(bed.look(|rows| rows.facts_on(place(2, 1), &[id(1)])), []);
}

pub(crate) fn facts_go_one_by_one(open: Open) {
    let bed = open();
    put(&bed, vec![fact(1), fact(2), fact(3)]);
    assert_eq!(bed.write(|tx| tx.remove_facts(place(2, 1), &[id(1)])), 0);
    assert_eq!(bed.write(|tx| tx.remove_facts(home(), &[id(1), id(3), id(9)])), 2);
    assert_eq!(bed.look(|rows| rows.facts(home())), [fact(2)]);
}
