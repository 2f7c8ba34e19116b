//! Reconciling: which earlier fact each fact repeats, replaces or denies.
//!
//! Each fact is linked to the *latest* earlier one it has to do with, where earlier and later are
//! by when they were mentioned. That is a function of the set of facts alone: in whatever order
//! conversations arrive, the links come out the same, and old news never replaces newer.

use std::collections::HashSet;

use crate::memory::{Fact, FactId, Link, Relation};
use crate::similarity::{Ruler, denies, tells_a_change};
use crate::text::quantity::{bare, quantities};

/// Links every fact anew. Facts that are withdrawn must not be among them.
pub(crate) fn link_all(facts: &mut [Fact], ruler: &Ruler) {
    facts.sort_by(|a, b| a.order().cmp(&b.order()));
    for place in 0..facts.len() {
        facts[place].link = latest(&facts[..place], &facts[place], ruler);
    }
}

/// Links facts after some came and some went; answers which others have another link now. Looks only
/// at pairs that can have changed, and comes to what [`link_all`] comes to.
pub(crate) fn relink(facts: &mut [Fact], fresh: &HashSet<FactId>, ruler: &Ruler) -> Vec<FactId> {
    facts.sort_by(|a, b| a.order().cmp(&b.order()));
    let mut changed = Vec::new();
    for place in 0..facts.len() {
        let (earlier, fact) = (&facts[..place], &facts[place]);
        let link = match fact.link.and_then(|link| earlier.iter().position(|one| one.id == link.to))
        {
            Some(known) if !fresh.contains(&fact.id) => {
                let between = &earlier[known + 1..];
                newer_link(between, fact, fresh, ruler).or(fact.link)
            }
            None if !fresh.contains(&fact.id) && fact.link.is_none() => {
                newer_link(earlier, fact, fresh, ruler)
            }
            _ => latest(earlier, fact, ruler),
        };
        if link != facts[place].link {
            facts[place].link = link;
            changed.push(facts[place].id);
        }
    }
    changed
}

/// The latest of the earlier facts that this one has to do with.
fn latest(earlier: &[Fact], fact: &Fact, ruler: &Ruler) -> Option<Link> {
    earlier.iter().rev().find_map(|older| link(older, fact, ruler))
}

/// The same, among those that have just come.
fn newer_link(
    earlier: &[Fact],
    fact: &Fact,
    fresh: &HashSet<FactId>,
    ruler: &Ruler,
) -> Option<Link> {
    let came = earlier.iter().rev().filter(|older| fresh.contains(&older.id));
    came.into_iter().find_map(|older| link(older, fact, ruler))
}

fn link(older: &Fact, newer: &Fact, ruler: &Ruler) -> Option<Link> {
    relate(older, newer, ruler).map(|relation| Link { to: older.id, relation })
}

/// What a fact does to an earlier one, if it has to do with it.
///
/// Two values of one matter are a history. Without a matter, closeness makes the pair a candidate,
/// and the words decide: quantities that differ, a denial, or a word for change. Closeness alone
/// replaces nothing, since "I like tea" and "I like coffee" are close and both true.
pub(crate) fn relate(older: &Fact, newer: &Fact, ruler: &Ruler) -> Option<Relation> {
    let is_later = newer.mentioned_at > older.mentioned_at;
    let if_later = |relation| is_later.then_some(relation);
    let denial = (denies(&older.statement), denies(&newer.statement));
    if let (Some(old), Some(new)) = (&older.matter, &newer.matter) {
        if old.key != new.key {
            return None;
        }
        let same = is_same_value(&old.value, &new.value);
        if !same && is_list(&new.key) && !is_same_item(&old.value, &new.value) {
            return None;
        }
        return match denial {
            (a, b) if a == b && same => Some(Relation::Repeats),
            // What is over says nothing about another value, and another value nothing about it.
            (true, false) | (false, true) if !same => None,
            (false, true) => if_later(Relation::Retracts),
            _ => if_later(Relation::Supersedes),
        };
    }
    if happened_apart(older, newer) {
        return None;
    }
    let (close, thresholds) = ruler.measure(older, newer);
    let (old, new) = (quantities(&older.statement), quantities(&newer.statement));
    match denial {
        _ if close < thresholds.related => None,
        (false, true) => if_later(Relation::Retracts),
        (true, false) => if_later(Relation::Supersedes),
        _ if close >= thresholds.same && old == new => Some(Relation::Repeats),
        _ if old != new && old.len() == new.len() => if_later(Relation::Supersedes),
        _ if tells_a_change(&newer.statement) => if_later(Relation::Supersedes),
        _ => None,
    }
}

/// Matters that have several values at a time: another allergy does not replace the first.
fn is_list(key: &str) -> bool {
    const LISTS: [&str; 7] =
        ["allergy", "medication", "condition", "goal", "hobby", "language", "pet"];
    LISTS.contains(&key.rsplit(": ").next().unwrap_or(key))
}

/// Whether two values of a list are about one item: "metformin 500 mg" and "metformin 1000 mg".
fn is_same_item(a: &str, b: &str) -> bool {
    let first = |text: &str| {
        let mut words = text.split_whitespace().map(|word| bare(word).to_lowercase());
        words.find(|word| word.starts_with(char::is_alphabetic))
    };
    first(a).is_some() && first(a) == first(b)
}

/// Whether two values are one, however they are written: "3 PM" is "3 pm", and "3 am" is not.
fn is_same_value(a: &str, b: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split_whitespace().map(|word| bare(word).to_lowercase()).collect()
    };
    words(a) == words(b) || (!quantities(a).is_empty() && quantities(a) == quantities(b))
}

/// Whether both happened at times that do not meet: two visits are two visits.
fn happened_apart(a: &Fact, b: &Fact) -> bool {
    match (&a.event, &b.event) {
        (Some(a), Some(b)) => a.intersection(b).is_none(),
        _ => false,
    }
}

#[cfg(test)]
pub(crate) mod tests;
