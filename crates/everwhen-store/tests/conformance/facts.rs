//! Facts as rows: kept whole, in order of mention, found by what they rest on; and how they fade.

use std::sync::Arc;

use everwhen_engine::Vault;
use everwhen_engine::facts::{
    Evidence, Fact, FactQuery, FactVector, Fading, HALF_LIFE, Link, Matter, Relation, Source,
    WrittenBy,
};
use everwhen_engine::memory::{Address, Role};
use everwhen_engine::ports::{FactSelection, Removal, Row};
use everwhen_engine::recall::Query;
use everwhen_engine::time::{Period, Precision};
use everwhen_testkit::{Fault, FaultMode, Faults, FaultyStore, block_on, engine_over};

use crate::bed::{Bed, Open};
use crate::rows::{at, fact, home, id, name, place};
use crate::talk::{Talk, memory};

fn put(bed: &Bed, facts: Vec<Fact>) {
    bed.write(move |tx| facts.iter().try_for_each(|fact| tx.put(Row::Fact(id(1), fact))));
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
    assert_eq!(
        bed.look(|rows| rows.facts(home(), FactSelection::Id(id(1))).map(|mut found| found.pop())),
        Some(full.clone())
    );
    assert_eq!(
        bed.look(|rows| rows.facts(home(), FactSelection::Id(id(3))).map(|mut found| found.pop())),
        None
    );
    assert_eq!(
        bed.look(|rows| rows
            .facts(place(1, 2), FactSelection::Id(id(1)))
            .map(|mut found| found.pop())),
        None
    );
    assert_eq!(
        bed.look(|rows| rows.facts(home(), FactSelection::All)),
        [full.clone(), plain.clone()]
    );
    let changed = Fact { pinned_at: None, link: None, vector: None, ..full };
    put(&bed, vec![changed.clone()]);
    assert_eq!(bed.look(|rows| rows.facts(home(), FactSelection::All)), [changed, plain]);
}

pub(crate) fn facts_are_found_by_what_they_rest_on(open: Open) {
    let bed = open();
    let same_entry = Fact { evidence: fact(1).evidence, ..fact(4) };
    put(&bed, vec![fact(1), fact(2), fact(3), same_entry.clone()]);
    let on = |entries: Vec<u128>| {
        bed.look(move |rows| {
            let entries: Vec<_> = entries.iter().map(|number| id(*number)).collect();
            rows.facts(home(), FactSelection::On(&entries))
        })
    };
    assert_eq!(on(vec![2, 1, 1, 9]), [fact(1), fact(2), same_entry]);
    assert_eq!(on(vec![]), []);
    assert_eq!(bed.look(|rows| rows.facts(place(2, 1), FactSelection::On(&[id(1)]))), []);
}

pub(crate) fn facts_are_read_without_their_vectors(open: Open) {
    let bed = open();
    let vector = FactVector { by: "table".into(), numbers: vec![-128, 0, 127] };
    put(&bed, vec![Fact { vector: Some(vector), ..fact(1) }, fact(2)]);
    let without = |fact: Fact| Fact { vector: None, ..fact };
    let found = bed.look(|rows| rows.facts(home(), FactSelection::WithoutVectors));
    assert_eq!(found, [without(fact(1)), without(fact(2))]);
}

pub(crate) fn facts_go_one_by_one(open: Open) {
    let bed = open();
    put(&bed, vec![fact(1), fact(2), fact(3)]);
    assert_eq!(bed.write(|tx| tx.remove(Removal::Facts(place(2, 1), &[id(1)]))), 0);
    assert_eq!(bed.write(|tx| tx.remove(Removal::Facts(home(), &[id(1), id(3), id(9)]))), 2);
    assert_eq!(bed.look(|rows| rows.facts(home(), FactSelection::All)), [fact(2)]);
}

/// What is not asked for fades behind what is; asking is counted, pinning exempts, nothing goes.
pub(crate) fn facts_fade_until_somebody_asks_for_them(open: Open) {
    let talk = Talk::new(open);
    for (day, text) in [(0, "I like green tea"), (400, "I like black tea")] {
        talk.minute(day * 1440);
        talk.say(Role::User, text);
        talk.minute(day * 1440 + 60);
        talk.settle();
    }
    let engine = talk.engine.clone().with_fading(Some(Fading { half_life: HALF_LIFE }));
    let fading = block_on(engine.vault(Address::Name(name("v")))).unwrap();
    let ask = |vault: &Vault| -> Vec<(String, f32)> {
        let recollection =
            block_on(vault.recall(memory(), Query::new("Which tea do I like?"))).unwrap();
        recollection.facts.into_iter().map(|one| (one.fact.fact.statement, one.score)).collect()
    };
    let plain = ask(&talk.vault);
    assert_eq!((plain.len(), plain[0].1), (2, plain[1].1), "off by default");
    let faded = ask(&fading);
    assert_eq!(faded[0].0, "I like black tea");
    assert!(faded[1].1 < faded[0].1 * 0.3 && faded[1].1 > 0.0, "{faded:?}");
    block_on(engine.settle()).unwrap();
    let known = || block_on(talk.vault.facts(memory(), FactQuery::default())).unwrap().data;
    let counted: Vec<u64> = known().iter().map(|view| view.fact.retrievals).collect();
    assert_eq!(counted, [1, 1]);
    assert_eq!(known()[0].fact.retrieved_at, Some(engine.now()));
    talk.minute(900 * 1440);
    let green = known()[0].fact.id;
    block_on(talk.vault.pin_fact(memory(), green, true, None)).unwrap();
    assert_eq!(ask(&fading)[0].0, "I like green tea", "what is pinned never fades");
}

/// Counts that the store did not take are not lost.
pub(crate) fn what_could_not_be_counted_is_counted_later(open: Open) {
    let talk = Talk::new(open);
    talk.say(Role::User, "I like green tea");
    talk.minute(60);
    talk.settle();
    let faults = Faults::new(None);
    let store = FaultyStore::new(Arc::clone(&talk.bed.store), Arc::clone(&faults));
    let (engine, clock) = engine_over(Arc::new(store));
    clock.set(talk.engine.now());
    let engine = engine.with_fading(Some(Fading { half_life: HALF_LIFE }));
    let vault = block_on(engine.vault(Address::Name(name("v")))).unwrap();
    let ask = || block_on(vault.recall(memory(), Query::new("Which tea do I like?"))).unwrap();
    assert_eq!(ask().facts.len(), 1);
    faults.set(Some(Fault { call: faults.calls() + 1, mode: FaultMode::BeforeWork }));
    block_on(engine.keep_retrievals()).unwrap_err();
    ask();
    block_on(engine.keep_retrievals()).unwrap();
    block_on(engine.keep_retrievals()).unwrap();
    let known = block_on(vault.facts(memory(), FactQuery::default())).unwrap().data;
    assert_eq!(known[0].fact.retrievals, 2);
}
