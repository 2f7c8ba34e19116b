//! Active forgetting: a fact that no question asks for fades behind those that are in use. It is demoted,
//! never deleted, and a fact that is pinned never fades.

use std::collections::HashSet;
use std::sync::PoisonError;

use jiff::Timestamp;

use super::{Fact, FactView, Fading};
use crate::Result;
use crate::engine::Engine;
use crate::memory::{FactId, Retrieved, VaultId};
use crate::ports::{FactSelection, MemoryRef, Row, Tx};

/// However long ago, so much of its weight stays.
const FLOOR: f32 = 0.1;
/// Every time that recall answers with a fact counts, less and less…
const PER_RETRIEVAL: f32 = 0.1;
/// …up to this.
const MOST_BONUS: f32 = 0.3;

impl Fading {
    /// What is left of a fact's weight at an instant: from 1 down to a tenth.
    pub(crate) fn left(&self, view: &FactView, now: Timestamp) -> f32 {
        if view.fact.pinned_at.is_some() {
            return 1.0;
        }
        let known = view.fact.creation_time.max(view.last_mentioned_at);
        let since = view.fact.retrieved_at.map_or(known, |retrieved| retrieved.max(known));
        let idle = now.duration_since(since).as_secs_f32().max(0.0);
        let half_life = self.half_life.as_secs_f32().max(1.0);
        let bonus = (PER_RETRIEVAL * (view.fact.retrievals as f32).ln_1p()).min(MOST_BONUS);
        (0.5f32.powf(idle / half_life).max(FLOOR) + bonus).min(1.0)
    }
}

impl Engine {
    /// Counts facts that recall has answered with, if fading is on. The store learns of it
    /// later, so that no question waits for a write.
    pub(crate) fn note_retrieved(&self, facts: impl Iterator<Item = (MemoryRef, FactId)>) {
        if self.fading().is_none() {
            return;
        }
        let now = self.now();
        let mut retrieved = self.retrieved.lock().unwrap_or_else(PoisonError::into_inner);
        for fact in facts {
            let (count, at) = retrieved.entry(fact).or_insert((0, now));
            (*count, *at) = (*count + 1, now);
        }
    }

    /// Keeps what recall has answered with since the last time, vault by vault. What could not be kept is
    /// kept the next time, and the first failure is returned.
    pub async fn keep_retrievals(&self) -> Result<()> {
        let mut taken =
            std::mem::take(&mut *self.retrieved.lock().unwrap_or_else(PoisonError::into_inner));
        let mut all_kept = Ok(());
        while let Some(vault) = taken.keys().next().map(|(place, _)| place.vault) {
            let ours =
                taken.extract_if(|(place, _), _| place.vault == vault).collect::<Retrieved>();
            // Only fading looks at the counts; otherwise cached facts need not be read again.
            let (fades, counted) = (self.fading().is_some(), ours.clone());
            let kept = self.store.transact(move |tx| count(tx, vault, &counted, fades)).await;
            if kept.is_err() {
                self.return_retrieved(ours);
            }
            all_kept = all_kept.and(kept);
        }
        all_kept
    }

    fn return_retrieved(&self, taken: Retrieved) {
        let mut retrieved = self.retrieved.lock().unwrap_or_else(PoisonError::into_inner);
        for (fact, (count, at)) in taken {
            let known = retrieved.entry(fact).or_insert((0, at));
            *known = (known.0 + count, known.1.max(at));
        }
    }
}

/// Adds to the counts of facts that are still there.
fn count(tx: &mut dyn Tx, vault: VaultId, retrieved: &Retrieved, fades: bool) -> Result<()> {
    // The vault comes first, as in every verb, so that two never wait for each other.
    tx.vault(vault)?;
    for ((place, id), (count, at)) in retrieved {
        if let Some(fact) = tx.facts(*place, FactSelection::Id(*id))?.pop() {
            let retrieved_at = fact.retrieved_at.max(Some(*at));
            let counted = Fact { retrievals: fact.retrievals + count, retrieved_at, ..fact };
            tx.put(Row::Fact(vault, &counted))?;
        }
    }
    let places = retrieved.keys().filter(|_| fades).map(|(place, _)| *place);
    let memories: HashSet<MemoryRef> = places.collect();
    memories.into_iter().try_for_each(|place| note_change(tx, place))
}

/// Caches of the facts of a memory read them again.
fn note_change(tx: &mut dyn Tx, place: MemoryRef) -> Result<()> {
    let Some(mut memory) = tx.memory(place)? else { return Ok(()) };
    memory.distilled += 1;
    memory.facts_changed = memory.distilled;
    tx.put(Row::Memory(place.vault, &memory))
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::facts::{fact_for_tests, views};
    use crate::memory::HALF_LIFE;
    use crate::time::Zone;

    fn left(change: impl Fn(&mut Fact), days: i64) -> f32 {
        let mut fact = fact_for_tests("I live in Bern");
        change(&mut fact);
        let since = fact.creation_time;
        let view = views(vec![fact], &Zone::utc()).remove(0);
        let now = since + SignedDuration::from_hours(24 * days);
        Fading { half_life: HALF_LIFE }.left(&view, now)
    }

    #[test]
    fn half_is_left_after_the_half_life_and_never_less_than_a_tenth() {
        assert_eq!(left(|_| {}, 0), 1.0);
        assert!((left(|_| {}, 180) - 0.5).abs() < 1e-3);
        assert!((left(|_| {}, 360) - 0.25).abs() < 1e-3);
        assert_eq!(left(|_| {}, 5_000), 0.1);
        assert_eq!(left(|_| {}, -30), 1.0, "a question asked about an earlier day");
    }

    #[test]
    fn being_asked_for_begins_anew_and_counts() {
        let asked = |times: u64, day: i64| {
            move |fact: &mut Fact| {
                fact.retrievals = times;
                let at = fact.creation_time + SignedDuration::from_hours(24 * day);
                fact.retrieved_at = Some(at);
            }
        };
        assert_eq!(left(asked(1, 180), 180), 1.0);
        let (few, many) = (left(asked(1, 0), 180), left(asked(10, 0), 180));
        assert!(few > 0.5 && many > few, "{few} {many}");
        assert!((left(asked(1_000_000, 0), 5_000) - 0.4).abs() < 1e-3, "up to 0.3 more");
    }

    #[test]
    fn what_is_pinned_never_fades() {
        assert_eq!(left(|fact| fact.pinned_at = Some(fact.creation_time), 5_000), 1.0);
    }
}
