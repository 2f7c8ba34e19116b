//! Times for messages that have none.
//!
//! A repaired time depends on what stands *before* the message alone, so it stays the same when the
//! file grows and importing again finds the message. What stands after it only says how far off the
//! time may be.

use everwhen_engine::memory::{TimeFrom, TimePrecision};
use jiff::{SignedDuration, Timestamp};

use super::moment::Moment;
use super::thread::Message;

/// Gives a time to each message of a line that has none: a microsecond after the message before it,
/// else the time the conversation began, else just before the first that has one. Messages of a line
/// without any time stay without.
pub(super) fn line(messages: &mut [Message], before: Option<&Moment>, began: Option<&Moment>) {
    let mut anchor: Option<Moment> = before.cloned();
    for place in 0..messages.len() {
        if let Some(time) = &messages[place].time {
            anchor = Some(time.clone());
            continue;
        }
        let next = messages[place..].iter().find_map(|message| message.time.as_ref());
        let text = messages[place].more.get("source_time").and_then(|text| text.as_str());
        let text = text.or_else(|| Some(messages[place].unread.as_ref()?.text.as_str()));
        let mut found = match (&anchor, began) {
            (Some(anchor), _) => after(anchor, next),
            (None, Some(began)) => {
                Moment { from: TimeFrom::Conversation, text: None, ..began.clone() }
            }
            (None, None) => match next {
                Some(next) => before_next(&messages[place..], next),
                None => return,
            },
        };
        found.text = text.map(str::to_owned);
        anchor = Some(found.clone());
        messages[place].time = Some(found);
    }
}

fn after(anchor: &Moment, next: Option<&Moment>) -> Moment {
    let at = anchor.at.checked_add(SignedDuration::from_micros(1)).unwrap_or(anchor.at);
    let gap = next.map(|next| next.at.duration_since(anchor.at));
    let precision = gap.map_or(TimePrecision::Unknown, within).max(anchor.precision);
    Moment { at, precision, from: TimeFrom::Neighbour, zone: anchor.zone, text: None }
}

/// Messages before the first known time keep their order just before it.
fn before_next(rest: &[Message], next: &Moment) -> Moment {
    let ahead = rest.iter().take_while(|message| message.time.is_none()).count();
    let back = SignedDuration::from_micros(i64::try_from(ahead).unwrap_or(1));
    let at = next.at.checked_sub(back).unwrap_or(next.at);
    let (precision, from) = (TimePrecision::Unknown, TimeFrom::Neighbour);
    Moment { at, precision, from, zone: next.zone, text: None }
}

/// The precision of a time somewhere in a gap.
fn within(gap: SignedDuration) -> TimePrecision {
    match gap.as_secs() {
        ..=1 => TimePrecision::Second,
        2..=60 => TimePrecision::Minute,
        61..=3_600 => TimePrecision::Hour,
        3_601..=86_400 => TimePrecision::Day,
        86_401..=604_800 => TimePrecision::Week,
        604_801..=2_678_400 => TimePrecision::Month,
        _ => TimePrecision::Year,
    }
}

/// Whether an instant can be when something was said: not in the future.
pub(super) fn is_possible(at: Timestamp, now: Timestamp) -> bool {
    at <= now.saturating_add(SignedDuration::from_secs(60)).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use everwhen_engine::memory::Role;

    fn said(second: Option<i64>) -> Message {
        let at = second.and_then(|second| Timestamp::from_second(second).ok());
        Message::new(Role::User, "x", at.map(|at| Moment::utc(at, TimePrecision::Second)))
    }

    fn micros(messages: &[Message]) -> Vec<Option<i64>> {
        messages.iter().map(|m| m.time.as_ref().map(|t| t.at.as_microsecond())).collect()
    }

    #[test]
    fn a_repaired_time_does_not_change_when_the_file_grows() {
        let mut short = vec![said(Some(1_000)), said(None), said(None)];
        let mut long = vec![said(Some(1_000)), said(None), said(None), said(Some(1_030))];
        line(&mut short, None, None);
        line(&mut long, None, None);
        assert_eq!(micros(&short), micros(&long[..3]));
        assert_eq!(long[1].time.as_ref().unwrap().precision, TimePrecision::Minute);
        assert_eq!(short[1].time.as_ref().unwrap().precision, TimePrecision::Unknown);
    }

    #[test]
    fn the_head_of_a_line_takes_the_conversation_or_the_next() {
        let began = Moment::utc(Timestamp::from_second(500).unwrap(), TimePrecision::Second);
        let mut with = vec![said(None), said(Some(1_000))];
        line(&mut with, None, Some(&began));
        assert_eq!(with[0].time.as_ref().unwrap().from, TimeFrom::Conversation);
        let mut without = vec![said(None), said(None), said(Some(1))];
        line(&mut without, None, None);
        assert_eq!(micros(&without), [Some(999_998), Some(999_999), Some(1_000_000)]);
        let mut undated = vec![said(None)];
        line(&mut undated, None, None);
        assert!(undated[0].time.is_none());
    }
}
