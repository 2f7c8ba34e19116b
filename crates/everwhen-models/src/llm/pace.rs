//! A rate limit: no more requests a minute than configured; each waits for its turn.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use tokio::time::Instant;

const MINUTE: Duration = Duration::from_secs(60);

/// Turns at equal distances.
pub(super) struct Pace {
    distance: Option<Duration>,
    next: Mutex<Option<Instant>>,
}

impl Pace {
    pub(super) fn new(per_minute: Option<u32>) -> Self {
        Self { distance: per_minute.map(|count| MINUTE / count), next: Mutex::new(None) }
    }

    /// Waits for the next turn.
    pub(super) async fn wait(&self) {
        if let Some(turn) = self.turn() {
            tokio::time::sleep_until(turn).await;
        }
    }

    fn turn(&self) -> Option<Instant> {
        let distance = self.distance?;
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = next.map_or_else(Instant::now, |next| next.max(Instant::now()));
        *next = Some(turn + distance);
        Some(turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn turns_keep_their_distance_and_none_is_saved_up() {
        let (pace, began) = (Pace::new(Some(60)), Instant::now());
        for _ in 0..3 {
            pace.wait().await;
        }
        assert_eq!(began.elapsed().as_secs(), 2);
        tokio::time::advance(Duration::from_secs(10)).await;
        let later = Instant::now();
        pace.wait().await;
        assert_eq!(later.elapsed(), Duration::ZERO);
        pace.wait().await;
        assert_eq!(later.elapsed().as_secs(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_bound_nobody_waits() {
        let (pace, began) = (Pace::new(None), Instant::now());
        for _ in 0..9 {
            pace.wait().await;
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
