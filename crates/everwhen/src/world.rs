//! The system's clock and source of randomness.
//!
//! All other code takes a `Clock` and a `Chance` as arguments; a running program passes these two.

use jiff::Timestamp;

use crate::World;
use crate::memory::Chance;
use crate::time::Clock;

/// The system clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where the clock is read")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// The operating system's random number generator.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemChance;

impl Chance for SystemChance {
    #[expect(clippy::disallowed_methods, reason = "the one place where chance is asked")]
    fn fill(&self, buffer: &mut [u8]) {
        getrandom::fill(buffer).expect("the operating system gives random bytes");
    }
}

/// The system's clock and randomness.
pub fn world() -> World {
    World { clock: Box::new(SystemClock), chance: Box::new(SystemChance) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_differs_each_time() {
        let mut buffers = [[0; 32]; 2];
        buffers.iter_mut().for_each(|buffer| SystemChance.fill(buffer));
        assert_ne!(buffers[0], buffers[1]);
        assert_ne!(buffers[0], [0; 32]);
    }

    #[test]
    fn the_clock_goes_forward() {
        let first = SystemClock.now();
        assert!(first > "2024-01-01T00:00:00Z".parse().unwrap());
        assert!(SystemClock.now() >= first);
    }
}
