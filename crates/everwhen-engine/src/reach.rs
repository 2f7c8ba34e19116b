//! What of a store cannot be reached at the moment, and when it is tried again.
//!
//! A store that lies on several nodes refuses a question over all vaults while one node is away. Then background
//! work asks one vault after the other, in order of their names, and comes back to those that cannot be reached
//! after a pause that grows. Nothing of this is stored: another process, or the next start, finds out by itself.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

use crate::job::{Queue, backoff};
use crate::memory::{Name, VaultId};
use crate::{Error, limits};

/// What cannot be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreached {
    /// How many vaults could not be reached when they were last asked.
    pub vaults: u64,
    /// Why.
    pub reason: String,
    /// When all vaults together are asked again.
    pub next: Timestamp,
}

impl std::fmt::Display for Unreached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let which = match self.vaults {
            0 => "every vault that was asked could be reached".to_owned(),
            1 => "1 vault cannot be reached, and its jobs wait".to_owned(),
            some => format!("{some} vaults cannot be reached, and their jobs wait"),
        };
        let Self { reason, next, .. } = self;
        write!(
            f,
            "a part of the store is away, so background work asks each vault by itself: {which}; all are asked again \
             at {next} ({reason})"
        )
    }
}

/// What one engine knows of what can be reached.
#[derive(Debug, Default)]
pub(crate) struct Reachability {
    known: Mutex<ReachabilityState>,
    /// What models cost, which cannot be added up meanwhile.
    pub(crate) cost: KnownCost,
}

/// What models cost in all vaults from the beginning of a month on, as it was last added up.
#[derive(Debug, Default)]
pub(crate) struct KnownCost(Mutex<Option<(Date, u64)>>);

impl KnownCost {
    /// It was added up.
    pub(crate) fn set(&self, since: Date, nanos: u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((since, nanos));
    }

    /// This process has spent more.
    pub(crate) fn add(&self, nanos: u64) {
        if let Some((_, known)) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            *known = known.saturating_add(nanos);
        }
    }

    /// What is known of this month.
    pub(crate) fn of(&self, since: Date) -> Option<u64> {
        let known = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.filter(|(month, _)| *month == since).map(|(_, nanos)| nanos)
    }
}

#[derive(Debug, Default)]
struct ReachabilityState {
    /// The question over all vaults failed.
    whole: Option<Pause>,
    vaults: HashMap<VaultId, Pause>,
    rounds: HashMap<Queue, Round>,
}

/// How long something that could not be reached is left alone.
#[derive(Debug, Clone)]
struct Pause {
    failures: u32,
    until: Timestamp,
    reason: String,
}

/// Asking one vault after the other for jobs of a queue.
#[derive(Debug, Default)]
struct Round {
    /// The last vault that was asked.
    after: Option<Name>,
    /// When the next job of those asked so far is due.
    due: Option<Timestamp>,
    /// Whether all were asked.
    is_over: bool,
}

impl Reachability {
    /// What cannot be reached; nothing while a question over all vaults is answered.
    pub(crate) fn unreached(&self) -> Option<Unreached> {
        let known = self.lock();
        known.whole.as_ref().map(|whole| Unreached {
            vaults: known.vaults.len() as u64,
            reason: whole.reason.clone(),
            next: whole.until,
        })
    }

    /// Whether each vault is to be asked by itself, because asking all has just failed.
    pub(crate) fn asks_each(&self, now: Timestamp) -> bool {
        let known = self.lock();
        known.whole.as_ref().is_some_and(|whole| whole.lasts(now, limits::WHOLE_BACKOFF))
    }

    /// Asking all vaults failed.
    pub(crate) fn mark_store_unreachable(&self, error: &Error, now: Timestamp) {
        let whole = &mut self.lock().whole;
        let failures = whole.as_ref().map_or(0, |pause| pause.failures);
        *whole = Some(Pause::after(failures, error, (now, limits::WHOLE_BACKOFF)));
    }

    /// Asking all vaults is answered again.
    pub(crate) fn mark_store_reachable(&self) {
        let mut known = self.lock();
        if known.whole.is_some() || !known.vaults.is_empty() {
            *known = ReachabilityState::default();
        }
    }

    /// Until when a vault is left alone, because it could not be reached.
    pub(crate) fn pause(&self, vault: VaultId, now: Timestamp) -> Option<Timestamp> {
        let known = self.lock();
        let pause =
            known.vaults.get(&vault).filter(|pause| pause.lasts(now, limits::VAULT_BACKOFF));
        pause.map(|pause| pause.until)
    }

    /// A vault could not be reached.
    pub(crate) fn mark_vault_unreachable(&self, vault: VaultId, error: &Error, now: Timestamp) {
        let vaults = &mut self.lock().vaults;
        let failures = vaults.get(&vault).map_or(0, |pause| pause.failures);
        vaults.insert(vault, Pause::after(failures, error, (now, limits::VAULT_BACKOFF)));
    }

    /// A vault can be reached.
    pub(crate) fn mark_vault_reachable(&self, vault: VaultId) {
        self.lock().vaults.remove(&vault);
    }

    /// Behind which vault a round goes on. A new one begins where the last one is over.
    pub(crate) fn position(&self, queue: Queue) -> Option<Name> {
        let mut known = self.lock();
        let round = known.rounds.entry(queue).or_default();
        if round.is_over {
            *round = Round::default();
        }
        round.after.clone()
    }

    /// A vault was asked; its next job is due then.
    pub(crate) fn record_vault(&self, queue: Queue, vault: &Name, due: Option<Timestamp>) {
        let mut known = self.lock();
        let round = known.rounds.entry(queue).or_default();
        round.after = Some(vault.clone());
        round.due = round.due.into_iter().chain(due).min();
    }

    /// All vaults were asked.
    pub(crate) fn end_round(&self, queue: Queue) {
        self.lock().rounds.entry(queue).or_default().is_over = true;
    }

    /// When the next job is due: at once while not all vaults were asked.
    pub(crate) fn next_due(&self, queue: Queue, now: Timestamp) -> Option<Timestamp> {
        let known = self.lock();
        let round = known.rounds.get(&queue).filter(|round| round.is_over);
        round.map_or(Some(now), |round| round.due)
    }

    fn lock(&self) -> MutexGuard<'_, ReachabilityState> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pause {
    /// The pause after one more failure.
    fn after(failures: u32, error: &Error, (now, longest): (Timestamp, SignedDuration)) -> Self {
        let failures = failures + 1;
        Self { failures, until: now + backoff(failures, longest), reason: error.to_string() }
    }

    /// Whether it is not over. One that ends later than any can was begun while the clock was ahead.
    fn lasts(&self, now: Timestamp, longest: SignedDuration) -> bool {
        now < self.until && self.until <= now + longest + limits::CLOCK_SLACK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::new("vault", text).unwrap()
    }

    #[test]
    fn pauses_grow_and_end_when_everything_is_back() {
        let (reach, vault) = (Reachability::default(), uuid::Uuid::nil().into());
        let error = Error::unavailable("a node is away");
        let mut now = Timestamp::UNIX_EPOCH;
        let mut pauses = Vec::new();
        for _ in 0..12 {
            reach.mark_store_unreachable(&error, now);
            reach.mark_vault_unreachable(vault, &error, now);
            let until = reach.pause(vault, now).unwrap();
            pauses.push((until - now).get_seconds());
            assert!(reach.asks_each(now));
            now = until;
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
        assert_eq!(reach.pause(vault, now), None);
        let said = reach.unreached().unwrap().to_string();
        assert!(said.contains("1 vault cannot be reached"), "{said}");
        assert!(said.contains("a node is away"), "{said}");
        reach.mark_store_reachable();
        assert_eq!((reach.unreached(), reach.asks_each(now)), (None, false));
        reach.mark_vault_unreachable(vault, &error, now);
        assert_eq!(reach.pause(vault, now), Some(now + SignedDuration::from_secs(1)));
    }

    #[test]
    fn a_pause_of_a_clock_that_was_ahead_is_over_once_it_is_right() {
        let (reach, vault) = (Reachability::default(), uuid::Uuid::nil().into());
        let error = Error::unavailable("a node is away");
        let now = Timestamp::UNIX_EPOCH;
        let ahead = now + SignedDuration::from_hours(24 * 3650);
        reach.mark_store_unreachable(&error, ahead);
        reach.mark_vault_unreachable(vault, &error, ahead);
        assert!(reach.asks_each(ahead) && reach.pause(vault, ahead).is_some());
        assert!(!reach.asks_each(now));
        assert_eq!(reach.pause(vault, now), None);
        reach.mark_store_unreachable(&error, now);
        reach.mark_vault_unreachable(vault, &error, now);
        let a_little_before = now - limits::CLOCK_SLACK;
        assert!(reach.asks_each(a_little_before) && reach.pause(vault, a_little_before).is_some());
    }

    #[test]
    fn a_round_goes_through_all_vaults_and_then_begins_again() {
        let (reach, queue, now) = (Reachability::default(), Queue::Quick, Timestamp::UNIX_EPOCH);
        let later = now + SignedDuration::from_secs(9);
        assert_eq!((reach.position(queue), reach.next_due(queue, now)), (None, Some(now)));
        reach.record_vault(queue, &name("a"), Some(later));
        assert_eq!(reach.position(queue), Some(name("a")));
        reach.record_vault(queue, &name("b"), None);
        assert_eq!(reach.next_due(queue, now), Some(now), "there may be more");
        reach.end_round(queue);
        assert_eq!(reach.next_due(queue, now), Some(later));
        assert_eq!(reach.next_due(Queue::Patient, now), Some(now), "queues are apart");
        assert_eq!(reach.position(queue), None);
    }
}
