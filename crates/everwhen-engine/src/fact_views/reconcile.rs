//! Reconciling: which earlier fact each fact repeats, replaces or denies.
//!
//! Each fact is linked to the *latest* earlier one it has to do with, where earlier and later are
//! by when they were mentioned; one of the same matter comes before all others, so that "I moved to
//! Lisbon" replaces "I live in Porto" and not the plan to move that was told in between. That is a
//! function of the set of facts alone: in whatever order conversations arrive, the links come out the
//! same, and old news never replaces newer.
//!
//! A fact is compared only with those it may be related to: those of the same matter, those with vectors if it has
//! one, and those that share enough words with it.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use crate::memory::{Fact, FactId, Link, Relation};
use crate::similarity::{ComparedFact, Ruler, close_by_words};
use crate::text::quantity::{bare, quantities};

/// Links all facts from the beginning. Facts that are withdrawn must not be among them.
#[cfg(test)]
pub(crate) fn link_all(facts: &mut [Fact], ruler: &Ruler) {
    let all = facts.iter().map(|fact| fact.id).collect();
    relink(facts, &all, ruler);
}

/// Updates the links after facts were added or removed, and returns the other facts whose link changed.
/// Only pairs that can have changed are compared; the result is the same as that of linking all facts.
pub(crate) fn relink(facts: &mut [Fact], fresh: &HashSet<FactId>, ruler: &Ruler) -> Vec<FactId> {
    facts.sort_by(|a, b| a.order().cmp(&b.order()));
    if fresh.is_empty() && are_linked(facts) {
        return Vec::new();
    }
    let links = Linking::new(facts, fresh, ruler).links();
    let mut changed = Vec::new();
    for (fact, link) in facts.iter_mut().zip(links) {
        if link != fact.link {
            fact.link = link;
            changed.push(fact.id);
        }
    }
    changed
}

/// Whether every link of these facts, in order, is to an earlier one of them. If none of them has just come, all
/// links are right then.
pub(crate) fn are_linked(facts: &[Fact]) -> bool {
    let targets: HashSet<FactId> =
        facts.iter().filter_map(|fact| fact.link).map(|link| link.to).collect();
    let mut met: HashSet<FactId> = HashSet::with_capacity(targets.len());
    facts.iter().all(|fact| {
        let is_right = fact.link.is_none_or(|link| met.contains(&link.to));
        if targets.contains(&fact.id) {
            met.insert(fact.id);
        }
        is_right
    })
}

/// Facts in order, some of which have just come.
struct Linking<'f> {
    facts: Vec<ComparedFact<'f>>,
    places: HashMap<FactId, usize>,
    /// The positions of new facts.
    fresh: Vec<usize>,
    /// The positions of facts that state a value of a matter.
    by_matter: HashMap<&'f str, Vec<usize>>,
    /// The positions of facts with vectors.
    with_meaning: Vec<usize>,
    /// The positions of facts that contain a word.
    by_word: OnceCell<HashMap<String, Vec<usize>>>,
    ruler: &'f Ruler,
}

impl<'f> Linking<'f> {
    fn new(facts: &'f [Fact], fresh: &HashSet<FactId>, ruler: &'f Ruler) -> Self {
        let mut linking = Self {
            facts: facts.iter().map(ComparedFact::new).collect(),
            places: facts.iter().enumerate().map(|(place, fact)| (fact.id, place)).collect(),
            fresh: Vec::new(),
            by_matter: HashMap::new(),
            with_meaning: Vec::new(),
            by_word: OnceCell::new(),
            ruler,
        };
        for (place, fact) in facts.iter().enumerate() {
            if fresh.contains(&fact.id) {
                linking.fresh.push(place);
            }
            if let Some(matter) = &fact.matter {
                linking.by_matter.entry(&matter.key).or_default().push(place);
            }
            if ruler.has_meaning(fact) {
                linking.with_meaning.push(place);
            }
        }
        linking
    }

    fn links(&self) -> Vec<Option<Link>> {
        (0..self.facts.len()).map(|place| self.link(place)).collect()
    }

    /// The link of a fact to the latest of the earlier ones that it has to do with.
    fn link(&self, place: usize) -> Option<Link> {
        let fact = self.facts[place].fact;
        let is_fresh = self.fresh.binary_search(&place).is_ok();
        let known = fact.link.map(|link| self.places.get(&link.to).filter(|to| **to < place));
        match known {
            Some(Some(known)) if !is_fresh => self.newer_link(Some(*known), place).or(fact.link),
            None if !is_fresh => self.newer_link(None, place),
            _ => self.latest(place),
        }
    }

    /// The link to the latest earlier fact that it is related to; facts of the same matter come first.
    fn latest(&self, place: usize) -> Option<Link> {
        let near = self.candidates(place).into_iter().rev();
        let (same, others): (Vec<usize>, Vec<usize>) =
            near.partition(|older| self.is_same_matter(*older, place));
        same.into_iter().chain(others).find_map(|older| self.link_between(older, place))
    }

    fn is_same_matter(&self, a: usize, b: usize) -> bool {
        let key = |place: usize| self.facts[place].fact.matter.as_ref().map(|matter| &matter.key);
        key(a).is_some() && key(a) == key(b)
    }

    /// The earlier facts that one may be related to, in order.
    fn candidates(&self, place: usize) -> Vec<usize> {
        let fact = &self.facts[place];
        let mut found: Vec<usize> = Vec::new();
        let mut add = |places: &[usize]| {
            found.extend_from_slice(&places[..places.partition_point(|one| *one < place)]);
        };
        if let Some(matter) = &fact.fact.matter {
            add(&self.by_matter[matter.key.as_str()]);
        }
        let has_meaning = self.ruler.has_meaning(fact.fact);
        if has_meaning {
            add(&self.with_meaning);
        }
        if !has_meaning || self.with_meaning.len() < self.facts.len() {
            found.extend(self.close_by_words(place));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The earlier facts that share enough words with one.
    fn close_by_words(&self, place: usize) -> Vec<usize> {
        let by_word = self.by_word.get_or_init(|| self.words());
        let words = self.facts[place].words();
        let mut users: Vec<usize> = Vec::new();
        for places in words.iter().filter_map(|word| by_word.get(word)) {
            users.extend(places.iter().take_while(|one| **one < place));
        }
        users.sort_unstable();
        let is_close = |same: &&[usize]| {
            close_by_words(same.len(), words.len(), self.facts[same[0]].words().len())
        };
        users.chunk_by(|a, b| a == b).filter(is_close).map(|same| same[0]).collect()
    }

    fn words(&self) -> HashMap<String, Vec<usize>> {
        let mut users: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, fact) in self.facts.iter().enumerate() {
            for word in fact.words() {
                users.entry(word.clone()).or_default().push(place);
            }
        }
        users
    }

    /// Of those that have just come, the one that takes the place of what a fact was linked to: the
    /// latest of its matter; else, if it was linked to none of its matter, the latest of the others.
    fn newer_link(&self, known: Option<usize>, place: usize) -> Option<Link> {
        let is_same = |older: &usize| self.is_same_matter(*older, place);
        let side = |place: usize| self.fresh.partition_point(|one| *one < place);
        let fresh = |from: usize| self.fresh.get(side(from)..side(place)).unwrap_or_default();
        let behind = known.map_or(0, |known| known + 1);
        let stays = known.is_some_and(|known| is_same(&known));
        let mut same =
            fresh(if stays { behind } else { 0 }).iter().rev().filter(|one| is_same(one));
        let found = same.find_map(|older| self.link_between(*older, place));
        if stays || found.is_some() {
            return found;
        }
        let mut others = fresh(behind).iter().rev().filter(|one| !is_same(one));
        others.find_map(|older| self.link_between(*older, place))
    }

    fn link_between(&self, older: usize, newer: usize) -> Option<Link> {
        #[cfg(test)]
        tests::COMPARISONS.with(|count| count.set(count.get() + 1));
        let relation = relate(&self.facts[older], &self.facts[newer], self.ruler)?;
        Some(Link { to: self.facts[older].fact.id, relation })
    }
}

/// What a fact does to an earlier one, if it has to do with it.
///
/// Two values of one matter are a history. Without a matter, closeness makes the pair a candidate,
/// and the words decide: quantities that differ, a denial, or a word for change. Closeness alone
/// replaces nothing, since "I like tea" and "I like coffee" are close and both true.
fn relate(older: &ComparedFact<'_>, newer: &ComparedFact<'_>, ruler: &Ruler) -> Option<Relation> {
    let is_later = newer.fact.mentioned_at > older.fact.mentioned_at;
    let if_later = |relation| is_later.then_some(relation);
    if let (Some(old), Some(new)) = (&older.fact.matter, &newer.fact.matter) {
        if old.key != new.key {
            return None;
        }
        let same = is_same_value(&old.value, &new.value);
        if !same && is_list(&new.key) && !is_same_item(&old.value, &new.value) {
            return None;
        }
        return match (older.denies(), newer.denies()) {
            (a, b) if a == b && same => Some(Relation::Repeats),
            // What is over says nothing about another value, and another value nothing about it.
            (true, false) | (false, true) if !same => None,
            (false, true) => if_later(Relation::Retracts),
            _ => if_later(Relation::Supersedes),
        };
    }
    if happened_apart(older.fact, newer.fact) {
        return None;
    }
    let (close, thresholds) = ruler.measure(older, newer);
    if close < thresholds.related {
        return None;
    }
    let (old, new) = (older.quantities(), newer.quantities());
    match (older.denies(), newer.denies()) {
        (false, true) => if_later(Relation::Retracts),
        (true, false) => if_later(Relation::Supersedes),
        _ if close >= thresholds.same && old == new => Some(Relation::Repeats),
        _ if old != new && old.len() == new.len() => if_later(Relation::Supersedes),
        _ if newer.states_a_change() => if_later(Relation::Supersedes),
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
