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
}

/// The facts as they stood at an instant: only what had been stored by then counts, and only that
/// decides what replaced what.
pub(crate) fn as_of(facts: Vec<Fact>, instant: Timestamp, ruler: &Ruler) -> Vec<Fact> {
    let (mut facts, back) = standing(facts, instant);
    reconcile::relink(&mut facts, &back, ruler);
    facts
}

/// The facts that stood at an instant, and which of them were withdrawn since. Links say what holds now. Those that
/// were withdrawn are back; the others keep their links unless what they are linked to has come since.
fn standing(facts: Vec<Fact>, instant: Timestamp) -> (Vec<Fact>, HashSet<FactId>) {
    let stood = |fact: &Fact| {
        fact.creation_time <= instant && fact.withdrawn_at.is_none_or(|at| at > instant)
    };
    let mut facts: Vec<Fact> = facts.into_iter().filter(stood).collect();
    let back: HashSet<FactId> =
        facts.iter().filter(|fact| fact.withdrawn_at.is_some()).map(|fact| fact.id).collect();
    facts.iter_mut().for_each(|fact| fact.withdrawn_at = None);
    (facts, back)
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

/// Facts as they were shown at an instant, without comparing any, so that they need no vectors; `None` if some have to be compared.
pub(crate) fn views_by_links(
    mut facts: Vec<Fact>,
    (instant, past): (Timestamp, &[PastFact]),
    zone: &Zone,
) -> Option<Vec<FactView>> {
    restore_facts(&mut facts, past);
    let (mut facts, back) = standing(facts, instant);
    facts.sort_by(|a, b| a.order().cmp(&b.order()));
    (back.is_empty() && reconcile::are_linked(&facts)).then(|| views(facts, zone))
}

/// Facts as they are shown, in order of mention: those said again once, with all their evidence.
pub(crate) fn views(mut facts: Vec<Fact>, zone: &Zone) -> Vec<FactView> {
    facts.sort_by(|a, b| a.order().cmp(&b.order()));
    let chains = FactChains::new(&facts);
    let mut starts: HashMap<usize, FactStart> = HashMap::new();
    let mut outlines: Vec<Option<FactOutline>> = Vec::with_capacity(facts.len());
    // From the newest on, so that a successor's beginning is known when its predecessor is shown.
    for place in (0..facts.len()).rev() {
        outlines.push(chains.is_root(place).then(|| {
            let next = chains.successors.get(&place).and_then(|next| starts.get(next));
            let outline = chains.outline(&facts, place, next);
            if chains.predecessors.contains_key(&place) {
                let since = outline.holds.since().unwrap_or(facts[place].mentioned_at);
                let known =
                    next.map_or(outline.known_since, |next| next.known.min(outline.known_since));
                starts.insert(place, FactStart { since, known });
            }
            outline
        }));
    }
    let shown = facts.into_iter().zip(outlines.into_iter().rev());
    shown.filter_map(|(fact, outline)| Some(outline?.view(fact, zone))).collect()
}

/// Where a fact begins, for the one that it replaced.
struct FactStart {
    /// Since when it is true.
    since: Timestamp,
    /// Since when it, or anything that replaced it, is known: old news may arrive after newer news.
    known: Timestamp,
}

/// What follows for one fact from the others.
struct FactOutline {
    evidence: Vec<Evidence>,
    repeated_by: Vec<FactId>,
    last_mentioned_at: Timestamp,
    holds: Period,
    known_since: Timestamp,
    known_until: Option<Timestamp>,
    supersedes: Option<FactId>,
    superseded_by: Option<FactId>,
}

impl FactOutline {
    fn view(self, fact: Fact, zone: &Zone) -> FactView {
        FactView {
            text: fact.text(zone),
            evidence: self.evidence,
            repeated_by: self.repeated_by,
            last_mentioned_at: self.last_mentioned_at,
            holds: self.holds,
            known_since: self.known_since,
            known_until: self.known_until,
            supersedes: self.supersedes,
            superseded_by: self.superseded_by,
            fact,
        }
    }
}

/// Which facts say the same, and what comes next. Most facts are in none of these.
#[derive(Default)]
struct FactChains {
    /// For each fact that says an earlier one again, the first that said it.
    roots: HashMap<usize, usize>,
    /// For each of those, the ones that say it again.
    repeats: HashMap<usize, Vec<usize>>,
    /// For each fact, the first that took its place.
    successors: HashMap<usize, usize>,
    /// For each fact, the one whose place it took.
    predecessors: HashMap<usize, usize>,
}

impl FactChains {
    fn new(facts: &[Fact]) -> Self {
        let linked: HashSet<FactId> =
            facts.iter().filter_map(|fact| fact.link).map(|link| link.to).collect();
        let mut places: HashMap<FactId, usize> = HashMap::with_capacity(linked.len());
        let mut chains = Self::default();
        for (place, fact) in facts.iter().enumerate() {
            let earlier = fact.link.and_then(|link| Some((*places.get(&link.to)?, link.relation)));
            if let Some((earlier, relation)) = earlier {
                let root = chains.roots.get(&earlier).copied().unwrap_or(earlier);
                if relation == Relation::Repeats {
                    chains.roots.insert(place, root);
                    chains.repeats.entry(root).or_default().push(place);
                } else {
                    chains.successors.entry(root).or_insert(place);
                    chains.predecessors.insert(place, root);
                }
            }
            if linked.contains(&fact.id) {
                places.insert(fact.id, place);
            }
        }
        chains
    }

    fn is_root(&self, place: usize) -> bool {
        !self.roots.contains_key(&place)
    }

    fn outline(&self, facts: &[Fact], place: usize, next: Option<&FactStart>) -> FactOutline {
        let fact = &facts[place];
        let repeats = self.repeats.get(&place).map_or(&[][..], Vec::as_slice);
        let said = || std::iter::once(fact).chain(repeats.iter().map(|one| &facts[*one]));
        let known_since = said().map(|one| one.creation_time).min().unwrap_or(fact.creation_time);
        let stands = said().any(|one| one.withdrawn_at.is_none());
        let withdrawn = fact.withdrawn_at.filter(|_| !stands);
        let replaced = next.map(|next| next.known.max(known_since));
        let id_of = |place: &usize| facts[*place].id;
        FactOutline {
            evidence: said().map(|one| one.evidence.clone()).collect(),
            repeated_by: repeats.iter().map(id_of).collect(),
            last_mentioned_at: said().map(|one| one.mentioned_at).max().unwrap_or_default(),
            holds: holds(fact, next.map(|next| next.since)),
            known_since,
            known_until: withdrawn.into_iter().chain(replaced).min(),
            supersedes: self.predecessors.get(&place).map(id_of),
            superseded_by: self.successors.get(&place).map(id_of),
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
