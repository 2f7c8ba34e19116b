//! When unknown messages were said: the walk from now into the past.

use jiff::{SignedDuration, Timestamp};

use crate::limits;

/// How far apart two unknown messages are taken to be.
const STEP: SignedDuration = SignedDuration::from_secs(1);

/// What is known of a message's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeClue {
    /// It has a time, for ever.
    Known(Timestamp),
    /// The client says so; it holds as far as it fits between its neighbours.
    Claimed(Timestamp),
    /// Nothing.
    Unknown,
}

/// The time of every message. Times never run backwards as long as the known ones do not, and as long
/// as none is so far ahead of now that a clock was wrong.
pub(super) fn backfill(clues: &[TimeClue], now: Timestamp) -> Vec<Timestamp> {
    let floors = floors(clues, now);
    let mut anchor = floors.last().copied().flatten().map_or(now, |floor| floor.max(now));
    let mut times = vec![now; clues.len()];
    for place in (0..clues.len()).rev() {
        let latest = match clues[place] {
            TimeClue::Known(time) => time,
            TimeClue::Claimed(time) => time.min(anchor),
            TimeClue::Unknown => anchor,
        };
        times[place] = match clues[place] {
            TimeClue::Known(time) => time,
            _ => floors[place].map_or(latest, |floor| latest.max(floor)),
        };
        anchor = times[place].checked_sub(STEP).unwrap_or(Timestamp::MIN);
    }
    times
}

/// For each message the latest known time before it that a right clock may have told.
fn floors(clues: &[TimeClue], now: Timestamp) -> Vec<Option<Timestamp>> {
    let mut floor = None;
    let step = |clue: &TimeClue| {
        let below = floor;
        if let TimeClue::Known(time) = clue
            && time.duration_since(now) <= limits::CLOCK_SLACK
        {
            floor = floor.max(Some(*time));
        }
        below
    };
    clues.iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn clue(known: Option<i64>) -> TimeClue {
        known.map_or(TimeClue::Unknown, |second| TimeClue::Known(at(second)))
    }

    fn walk(clues: &[Option<i64>], now: i64) -> Vec<i64> {
        let clues: Vec<TimeClue> = clues.iter().copied().map(clue).collect();
        backfill(&clues, at(now)).into_iter().map(Timestamp::as_second).collect()
    }

    #[test]
    fn one_second_back_from_the_anchor() {
        assert_eq!(walk(&[None, None, None], 100), [98, 99, 100]);
        assert_eq!(walk(&[None, Some(50), None, None], 100), [49, 50, 99, 100]);
        assert_eq!(walk(&[Some(50), None, Some(50), None], 100), [50, 50, 50, 100]);
        assert_eq!(walk(&[Some(50), None], 40), [50, 50], "a clock that was set back");
        assert_eq!(walk(&[Some(5_000), None], 40), [5_000, 40], "a clock that was ahead");
        assert_eq!(walk(&[], 40), [0; 0]);
    }

    #[test]
    fn what_another_system_said_holds_where_it_fits() {
        let claimed = |second| TimeClue::Claimed(at(second));
        let clues =
            [claimed(5), TimeClue::Known(at(10)), claimed(7), claimed(500), TimeClue::Unknown];
        let times: Vec<i64> =
            backfill(&clues, at(100)).into_iter().map(Timestamp::as_second).collect();
        assert_eq!(times, [5, 10, 10, 99, 100]);
    }

    proptest! {
        #[test]
        fn known_times_stay_and_none_runs_backwards(
            mut known in prop::collection::vec(0i64..1000, 0..12),
            holes in prop::collection::vec(any::<bool>(), 12),
            now in 0i64..1200,
        ) {
            known.sort_unstable();
            let clues: Vec<Option<i64>> =
                known.iter().zip(&holes).map(|(time, hole)| (!hole).then_some(*time)).collect();
            let times = walk(&clues, now);
            let slack = limits::CLOCK_SLACK.as_secs();
            let is_clock_right = clues.iter().flatten().all(|time| time - now <= slack);
            prop_assert!(!is_clock_right || times.is_sorted());
            for (clue, time) in clues.iter().zip(&times) {
                prop_assert!(clue.is_none_or(|known| known == *time));
            }
        }
    }
}
