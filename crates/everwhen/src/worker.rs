//! The worker: runs jobs that are due, then waits for the next one, until told to stop.
//!
//! Jobs are durable, so the worker keeps nothing. It looks once a second, because a write may have
//! added a job that is due earlier than the one it waits for.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use jiff::Timestamp;

use crate::{Engine, Error, Result};

/// The longest wait between two looks at the queue.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// The shortest, so that a clock that stands still never makes it spin.
const SHORTEST_WAIT: Duration = Duration::from_millis(20);
/// The longest wait while the store fails.
const LONGEST_BACKOFF: Duration = Duration::from_secs(60);

/// Runs jobs until `stop` is ready. A job that has begun is finished first.
pub async fn work(engine: Engine, stop: impl Future<Output = ()> + Send) {
    let mut stop = pin!(stop);
    let mut trouble = Trouble::default();
    loop {
        let wait = match run_due(&engine).await {
            Ok(next) => {
                trouble.over();
                until(next, engine.now())
            }
            Err(error) => trouble.met(&error),
        };
        tokio::select! {
            () = &mut stop => return,
            () = tokio::time::sleep(wait) => {}
        }
    }
}

/// Runs a few jobs, so that a long queue does not outlive a wish to stop; says when the next is due.
async fn run_due(engine: &Engine) -> Result<Option<Timestamp>> {
    for _ in 0..100 {
        if !engine.step().await? {
            return engine.next_due().await;
        }
    }
    Ok(Some(engine.now()))
}

/// How long to wait for a job due at `next`.
fn until(next: Option<Timestamp>, now: Timestamp) -> Duration {
    let Some(next) = next else { return LONGEST_WAIT };
    let wait = Duration::try_from(next.duration_since(now)).unwrap_or(Duration::ZERO);
    wait.clamp(SHORTEST_WAIT, LONGEST_WAIT)
}

/// Failures in a row: told once each, waited out longer each time.
#[derive(Debug, Default)]
struct Trouble {
    failures: u32,
    told: Option<String>,
}

impl Trouble {
    /// Notes a failure; says how long to wait before the next try.
    fn met(&mut self, error: &Error) -> Duration {
        let message = error.to_string();
        if self.told.as_ref() != Some(&message) {
            tracing::error!(error = message, "background work fails; trying again");
            self.told = Some(message);
        }
        self.failures += 1;
        let wait = LONGEST_WAIT.saturating_mul(1 << (self.failures - 1).min(6));
        wait.min(LONGEST_BACKOFF)
    }

    /// Notes that things work.
    fn over(&mut self) {
        if self.failures > 0 {
            tracing::info!(failures = self.failures, "background work goes on");
        }
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use everwhen_store::{SqliteOptions, SqliteStore};

    use super::*;
    use crate::memory::{Address, Name, NewEntry, Role, Said, SeededChance, Settings};
    use crate::ports::ConversationQuery;
    use crate::when::{Clock, HandClock, Zone};
    use crate::{Vault, VaultDefaults, World};

    struct Shared(Arc<HandClock>);

    impl Clock for Shared {
        fn now(&self) -> Timestamp {
            self.0.now()
        }
    }

    fn noon() -> Timestamp {
        "2025-03-01T12:00:00Z".parse().unwrap()
    }

    fn engine_at(clock: &Arc<HandClock>, directory: &std::path::Path) -> Engine {
        let path = directory.join("test.db");
        let store = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
        let world = World {
            clock: Box::new(Shared(Arc::clone(clock))),
            chance: Box::new(SeededChance::new(1)),
        };
        let defaults = VaultDefaults { zone: Zone::utc(), settings: Settings::default() };
        Engine::new(Arc::new(store), world, defaults)
    }

    fn default_memory<Id>() -> Address<Id> {
        Address::Name(Name::new("name", "default").unwrap())
    }

    async fn say(engine: &Engine) -> Vault {
        let vault = engine.vault_to_write(default_memory()).await.unwrap();
        let entry = NewEntry::new(Role::User, Said::new("Good morning").unwrap());
        vault.remember(default_memory(), vec![entry], None).await.unwrap();
        engine.vault(default_memory()).await.unwrap()
    }

    #[tokio::test]
    async fn closes_what_fell_silent_and_summarizes_it_while_running() {
        let directory = tempfile::tempdir().unwrap();
        let clock = Arc::new(HandClock::new(noon()));
        let engine = engine_at(&clock, directory.path());
        let vault = say(&engine).await;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let worker = tokio::spawn(work(engine, async { drop(stopped.await) }));

        clock.advance(jiff::SignedDuration::from_mins(31));
        let summary = async {
            loop {
                let page = vault
                    .conversations(default_memory(), ConversationQuery::default())
                    .await
                    .unwrap();
                if let Some(summary) = &page.data[0].summary {
                    return summary.clone();
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let summary = tokio::time::timeout(Duration::from_secs(20), summary).await.unwrap();
        assert!(!summary.title.is_empty());
        stop.send(()).unwrap();
        tokio::time::timeout(Duration::from_secs(5), worker).await.unwrap().unwrap();
    }

    #[test]
    fn never_spins_and_never_sleeps_long() {
        let soon = noon() + jiff::SignedDuration::from_millis(300);
        let late = noon() + jiff::SignedDuration::from_hours(3);
        let early = noon() - jiff::SignedDuration::from_hours(3);
        assert_eq!(until(None, noon()), LONGEST_WAIT);
        assert_eq!(until(Some(soon), noon()), Duration::from_millis(300));
        assert_eq!(until(Some(late), noon()), LONGEST_WAIT);
        assert_eq!(until(Some(early), noon()), SHORTEST_WAIT);
    }

    #[test]
    fn failures_are_waited_out_longer_each_time() {
        let mut trouble = Trouble::default();
        let error = Error::unavailable("the disk is full");
        let waits: Vec<u64> = (0..8).map(|_| trouble.met(&error).as_secs()).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
        trouble.over();
        assert_eq!(trouble.met(&error).as_secs(), 1);
    }
}
