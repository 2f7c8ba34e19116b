//! Ranges of time.

use crate::document::Micros;

/// A half-open range of time: `since` is inside, `until` is not. Either end may be open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeRange {
    /// The first instant inside, if the range has a start.
    pub since: Option<Micros>,
    /// The first instant after, if the range has an end.
    pub until: Option<Micros>,
}

impl TimeRange {
    /// Returns whether an instant is inside.
    pub fn contains(&self, instant: Micros) -> bool {
        self.since.is_none_or(|since| since <= instant)
            && self.until.is_none_or(|until| instant < until)
    }

    /// Returns whether any instant from `first` to `last`, including both, is inside.
    pub fn touches(&self, first: Micros, last: Micros) -> bool {
        let (since, until) = self.bounds();
        since <= last && first < until
    }

    /// Returns both ends, with the first and the last instant there is for open ones.
    pub(crate) fn bounds(&self) -> (Micros, Micros) {
        (self.since.unwrap_or(Micros::MIN), self.until.unwrap_or(Micros::MAX))
    }
}
