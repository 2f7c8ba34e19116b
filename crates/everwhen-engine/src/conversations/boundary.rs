//! The rule that splits a memory into conversations.
//!
//! Entries stand in order of conversation_time; at the same instant, those that open an exchange
//! stand before replies. An entry begins a new conversation if
//!
//! - it is the first, or
//! - the pause before it is strictly longer than the idle timeout, or
//! - it opens an exchange and a caller ended the conversation since the exchange before it was
//!   opened. A reply never does: the exchange in which a caller ends a conversation still belongs
//!   to the conversation it ends.
//!
//! Entries that carry a conversation of the caller's own take no part in this.

use std::ops::Range;

use jiff::{SignedDuration, Timestamp};

use crate::Result;
use crate::memory::{Conversation, MemoryRef, Role, VaultInfo};
use crate::ports::{ConversationQuery, Snapshot};

/// An entry as the rule sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// When it was said.
    pub time: Timestamp,
    /// Who said it.
    pub role: Role,
}

impl Mark {
    /// What the rule's order is made of.
    pub fn order(&self) -> (Timestamp, bool) {
        (self.time, self.role.is_reply())
    }
}

/// Whether a pause is too long for one conversation.
pub fn is_pause(earlier: Timestamp, later: Timestamp, timeout: SignedDuration) -> bool {
    later.duration_since(earlier) > timeout
}

/// Splits marks, which must stand in [`Mark::order`], into conversations. `endings` are the
/// instants at which a caller ended one, in order.
pub fn partition(
    marks: &[Mark],
    endings: &[Timestamp],
    timeout: SignedDuration,
) -> Vec<Range<usize>> {
    let mut starts = Vec::new();
    let mut opener = None;
    for (index, mark) in marks.iter().enumerate() {
        let opens = !mark.role.is_reply();
        let paused = index == 0 || is_pause(marks[index - 1].time, mark.time, timeout);
        if paused || (opens && ended_between(opener, mark.time, endings)) {
            starts.push(index);
        }
        if opens {
            opener = Some(mark.time);
        }
    }
    let ends = starts.iter().skip(1).copied().chain([marks.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// Whether a caller ended a conversation at or after the last opener and before `time`.
fn ended_between(opener: Option<Timestamp>, time: Timestamp, endings: &[Timestamp]) -> bool {
    endings.iter().any(|ending| opener.is_none_or(|opener| opener <= *ending) && *ending < time)
}

/// Whether a word said at `now` would continue a conversation that lasted from `started` to `last`.
pub fn is_active(
    started: Timestamp,
    last: Timestamp,
    now: Timestamp,
    timeout: SignedDuration,
) -> bool {
    !is_pause(last, now, timeout) && !is_pause(now, started, timeout)
}

/// The conversation that a word said now would continue: of those that are open and not silent for
/// too long, the one in which something was said last.
pub(crate) fn active(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    vault: &VaultInfo,
    now: Timestamp,
) -> Result<Option<Conversation>> {
    let query = ConversationQuery { ended: Some(false), ..ConversationQuery::default() };
    let open = snapshot.conversations(place, &query)?;
    let timeout = vault.settings.idle_timeout();
    let active =
        open.into_iter().filter(|one| is_active(one.started_at, one.last_at, now, timeout));
    Ok(active.max_by_key(|one| (one.last_at, one.id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: SignedDuration = SignedDuration::from_mins(30);

    fn split(marks: &[(i64, Role)], endings: &[i64]) -> Vec<usize> {
        let at = |seconds| Timestamp::from_second(seconds).unwrap();
        let marks: Vec<Mark> =
            marks.iter().map(|(time, role)| Mark { time: at(*time), role: *role }).collect();
        let endings: Vec<Timestamp> = endings.iter().copied().map(at).collect();
        partition(&marks, &endings, TIMEOUT).into_iter().map(|range| range.len()).collect()
    }

    #[test]
    fn equality_keeps_a_conversation_together() {
        assert_eq!(split(&[(0, Role::User), (1800, Role::User)], &[]), [2]);
        assert_eq!(split(&[(0, Role::User), (1801, Role::User)], &[]), [1, 1]);
        assert_eq!(split(&[], &[]), [0usize; 0]);
    }

    #[test]
    fn the_farewell_belongs_to_the_conversation_it_ends() {
        let exchange = [(0, Role::User), (20, Role::Assistant), (30, Role::User)];
        assert_eq!(split(&exchange, &[10]), [2, 1]);
        assert_eq!(split(&exchange, &[]), [3]);
        assert_eq!(split(&exchange, &[30]), [3]);
    }

    #[test]
    fn an_ending_counts_once() {
        let later = [(0, Role::User), (20, Role::User), (30, Role::User)];
        assert_eq!(split(&later, &[10]), [1, 2]);
        assert_eq!(split(&later, &[10, 25]), [1, 1, 1]);
    }
}
