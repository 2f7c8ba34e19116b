//! What was believed when, and what holds when: facts as they are shown.
//!
//! `holds` is when something is true in the world, `known` is when the vault believed it. A fact that
//! was replaced holds until its successor begins to hold, and was believed until the successor came.

pub(crate) mod reconcile;

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use crate::memory::{Evidence, Fact, FactId, Relation};
use crate::past::restore_facts;
use crate::ports::PastFact;
use crate::similarity::Ruler;
use crate::time::{Period, Precision, Zone};

/// A fact with what follows from the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactView {
    /// The fact as it was first stated.
    pub fact: Fact,
    /// The statement with its date.
    pub text: String,
    /// What it rests on, with every time it was said again.
    pub evidence: Vec<Evidence>,
    /// The facts that say it again.
    pub repeated_by: Vec<FactId>,
    /// When it was last said.
    pub last_mentioned_at: Timestamp,
    /// When it is true in the world.
    pub holds: Period,
    /// Since when the vault knows it.
    pub known_since: Timestamp,
    /// Until when the vault believed it; equal to `known_since` if it knew better from the first.
    pub known_until: Option<Timestamp>,
    /// What it took the place of.
    pub supersedes: Option<FactId>,
    /// What took its place.
    pub superseded_by: Option<FactId>,
}

impl FactView {
    /// Whether it is believed now.
    pub fn is_current(&self) -> bool {
        self.known_until.is_none()
    }

    /// Whether the vault believed it at an instant.
    pub fn was_known_at(&self, instant: Timestamp) -> bool {
        self.known_since <= instant && self.known_until.is_none_or(|until| instant < until)
    }
}

/// The facts as they stood at an instant: only what had been stored by then counts, and only that
/// decides what replaced what.
pub(crate) fn as_of(facts: Vec<Fact>, instant: Timestamp, ruler: &Ruler) -> Vec<Fact> {
    let mut facts: Vec<Fact> = facts
        .into_iter()
        .filter(|fact| fact.creation_time <= instant)
        .filter(|fact| fact.withdrawn_at.is_none_or(|at| at > instant))
        .collect();
    // Links say what holds now. Those that were withdrawn since are back; the others keep their links
    // unless what they are linked to has come since.
    let back: HashSet<FactId> =
        facts.iter().filter(|fact| fact.withdrawn_at.is_some()).map(|fact| fact.id).collect();
    facts.iter_mut().for_each(|fact| fact.withdrawn_at = None);
    reconcile::relink(&mut facts, &back, ruler);
    facts
}

/// Facts as they were shown at an instant, given what has changed about single ones since.
pub(crate) fn views_at(
    mut facts: Vec<Fact>,
    (instant, past): (Timestamp, &[PastFact]),
    ruler: &Ruler,
    zone: &Zone,
) -> Vec<FactView> {
    restore_facts(&mut facts, past);
    views(as_of(facts, instant, ruler), zone)
}

/// Facts as they are shown, in order of mention: those said again once, with all their evidence.
pub(crate) fn views(mut facts: Vec<Fact>, zone: &Zone) -> Vec<FactView> {
    facts.sort_by(|a, b| a.order().cmp(&b.order()));
    let lines = FactChains::new(&facts);
    let mut starts: HashMap<FactId, FactStart> = HashMap::new();
    let mut shown: Vec<FactView> = Vec::new();
    // From the newest on, so that a successor's beginning is known when its predecessor is shown.
    for (place, fact) in facts.iter().enumerate().rev().filter(|(place, _)| lines.is_root(*place)) {
        let view = lines.view(&facts, place, &starts, zone);
        let since = view.holds.since().unwrap_or(fact.mentioned_at);
        let next = view.superseded_by.and_then(|next| starts.get(&next));
        let known = next.map_or(view.known_since, |next| next.known.min(view.known_since));
        starts.insert(fact.id, FactStart { since, known });
        shown.push(view);
    }
    shown.reverse();
    shown
}

/// Where a fact begins, for the one that it replaced.
struct FactStart {
    /// Since when it is true.
    since: Timestamp,
    /// Since when it, or anything that replaced it, is known: old news may arrive after newer news.
    known: Timestamp,
}

/// Which facts say the same, and what comes next.
#[derive(Default)]
struct FactChains {
    /// For each fact, the first that said it.
    roots: Vec<usize>,
    /// For each of those, all that say it.
    said: HashMap<usize, Vec<usize>>,
    /// For each fact, the first that took its place.
    successors: HashMap<usize, usize>,
    /// For each fact, the one whose place it took.
    predecessors: HashMap<usize, usize>,
}

impl FactChains {
    fn new(facts: &[Fact]) -> Self {
        let places: HashMap<FactId, usize> =
            facts.iter().enumerate().map(|(place, fact)| (fact.id, place)).collect();
        let mut lines = Self::default();
        for (place, fact) in facts.iter().enumerate() {
            let earlier = fact.link.and_then(|link| Some((places.get(&link.to)?, link.relation)));
            let root = match earlier {
                Some((earlier, Relation::Repeats)) => lines.roots[*earlier],
                _ => place,
            };
            lines.roots.push(root);
            lines.said.entry(root).or_default().push(place);
            if let Some((earlier, Relation::Supersedes | Relation::Retracts)) = earlier {
                let earlier = lines.roots[*earlier];
                lines.successors.entry(earlier).or_insert(place);
                lines.predecessors.insert(place, earlier);
            }
        }
        lines
    }

    fn is_root(&self, place: usize) -> bool {
        self.roots[place] == place
    }

    fn view(
        &self,
        facts: &[Fact],
        place: usize,
        starts: &HashMap<FactId, FactStart>,
        zone: &Zone,
    ) -> FactView {
        let fact = facts[place].clone();
        let said: Vec<&Fact> = self.said[&place].iter().map(|one| &facts[*one]).collect();
        let standing = said.iter().filter(|one| one.withdrawn_at.is_none());
        let known_since =
            said.iter().map(|one| one.creation_time).min().unwrap_or(fact.creation_time);
        let successor = self.successors.get(&place).map(|place| &facts[*place]);
        let withdrawn = (standing.count() == 0).then_some(fact.withdrawn_at).flatten();
        let next = successor.and_then(|next| starts.get(&next.id));
        let replaced = next.map(|next| next.known.max(known_since));
        FactView {
            text: fact.text(zone),
            evidence: said.iter().map(|one| one.evidence.clone()).collect(),
            repeated_by: said.iter().map(|one| one.id).filter(|id| *id != fact.id).collect(),
            last_mentioned_at: said.iter().map(|one| one.mentioned_at).max().unwrap_or_default(),
            holds: holds(&fact, next.map(|next| next.since)),
            known_since,
            known_until: withdrawn.into_iter().chain(replaced).min(),
            supersedes: self.predecessors.get(&place).map(|place| facts[*place].id),
            superseded_by: successor.map(|next| next.id),
            fact,
        }
    }
}

/// When a fact is true: an event while it happens, anything else from when it began, or was first
/// mentioned, until its successor begins. What began and has no end ("since 2022") ends there, too.
fn holds(fact: &Fact, successor: Option<Timestamp>) -> Period {
    let has_end = |event: &Period| event.until().is_some() || successor.is_none();
    if let Some(event) = fact.event.filter(|event| fact.matter.is_none() && has_end(event)) {
        return event;
    }
    let begun = fact.event.and_then(|event| event.since());
    let since = begun.unwrap_or(fact.mentioned_at);
    let precision = fact.event.map_or(Precision::Day, |event| event.precision());
    let until = successor.filter(|until| *until > since);
    Period::new(Some(since), until, precision).unwrap_or(Period::ALWAYS)
}
