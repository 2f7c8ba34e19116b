//! Conversation time against a brute-force clock, and each edge case by name.

use proptest::prelude::*;

use super::*;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + seconds).unwrap()
}

fn stretch(from: i64, to: i64) -> (Timestamp, SignedDuration) {
    (at(from), SignedDuration::from_secs(to - from))
}

fn measured(
    entries: &[i64],
    activities: &[(i64, i64)],
    terminal: Option<i64>,
) -> Option<(i64, i64, i64, u64, bool)> {
    let entries: Vec<_> = entries.iter().map(|time| at(*time)).collect();
    let activities: Vec<_> = activities.iter().map(|(from, to)| stretch(*from, *to)).collect();
    let terminal = terminal.map(at);
    let observed =
        Observed { entries: &entries, activities: &activities, terminal, ..Observed::default() };
    let time = measure(&observed)?;
    let seconds = |length: SignedDuration| length.as_secs();
    let ConversationTime { elapsed, active, idle, turns, active_unknown, .. } = time;
    Some((seconds(elapsed), seconds(active), seconds(idle), turns, active_unknown))
}

#[test]
fn without_an_invocation_nothing_was_active_and_it_says_so() {
    assert_eq!(measured(&[0, 60], &[], Some(90)), Some((60, 0, 60, 2, true)));
}

#[test]
fn without_a_last_message_the_terminal_event_is_the_end() {
    assert_eq!(measured(&[], &[(10, 20)], Some(70)), Some((60, 10, 50, 0, false)));
    assert_eq!(measured(&[], &[], Some(70)), Some((0, 0, 0, 0, true)));
    assert_eq!(measured(&[], &[], None), None);
}

#[test]
fn the_last_message_is_the_end_even_if_the_terminal_event_is_later() {
    assert_eq!(measured(&[0, 30], &[(5, 15)], Some(500)), Some((30, 10, 20, 2, false)));
    // What was said after it was over does not count.
    assert_eq!(measured(&[0, 30, 600], &[(5, 15)], Some(500)), Some((30, 10, 20, 2, false)));
}

#[test]
fn the_first_model_call_may_be_the_start() {
    assert_eq!(measured(&[10, 40], &[(0, 20)], None), Some((40, 20, 20, 2, false)));
}

#[test]
fn the_pause_between_two_tries_is_idle() {
    assert_eq!(measured(&[0, 60], &[(0, 10), (40, 50)], None), Some((60, 20, 40, 2, false)));
}

#[test]
fn tools_that_overlap_count_once() {
    let tools = [(0, 30), (10, 20), (20, 40), (40, 45)];
    assert_eq!(measured(&[0, 60], &tools, None), Some((60, 45, 15, 2, false)));
}

#[test]
fn bug_5_the_last_model_call_is_inside_the_window() {
    // One turn whose reply is stamped with the start of its generation.
    assert_eq!(measured(&[0, 0], &[(0, 1)], None), Some((1, 1, 0, 2, false)));
    // Two calls of one second with two seconds between them.
    let calls = [(0, 1), (3, 4)];
    assert_eq!(measured(&[0, 0, 3, 3], &calls, None), Some((4, 2, 2, 4, false)));
    // An activity that is posted after the last entry.
    assert_eq!(measured(&[0, 5], &[(0, 60)], None), Some((60, 60, 0, 2, false)));
}

#[test]
fn bug_2_what_broke_off_lasts_until_its_terminal_event() {
    let (entries, activities) = ([at(0)], [stretch(0, 3)]);
    let broken = Observed {
        entries: &entries,
        activities: &activities,
        terminal: Some(at(10)),
        broke_off: true,
    };
    let time = measure(&broken).unwrap();
    assert_eq!((time.elapsed.as_secs(), time.active.as_secs(), time.idle.as_secs()), (10, 3, 7));
}

#[test]
fn lengths_are_checked() {
    let activity =
        |lasted| Activity { kind: ActivityKind::Tool, name: None, began_at: at(0), lasted };
    assert!(activity(SignedDuration::ZERO).check().is_ok());
    assert!(activity(SignedDuration::from_nanos(-1)).check().is_err());
    assert!(activity(SignedDuration::from_hours(25)).check().is_err());
}

proptest! {
    #[test]
    fn the_union_is_what_a_clock_would_count(
        stretches in prop::collection::vec((0_i64..200, 0_i64..60), 0..12),
    ) {
        let ticked = (0..300).filter(|second| {
            stretches.iter().any(|(from, length)| (*from..from + length).contains(second))
        });
        let stretched = stretches.iter().map(|(from, length)| stretch(*from, from + length));
        prop_assert_eq!(union(stretched).as_secs(), ticked.count() as i64);
    }

    #[test]
    fn parts_add_up_and_order_does_not_matter(
        mut entries in prop::collection::vec(0_i64..500, 1..9),
        mut activities in prop::collection::vec((0_i64..400, 0_i64..60), 0..9),
    ) {
        let pairs = |list: &[(i64, i64)]| -> Vec<(i64, i64)> {
            list.iter().map(|(from, length)| (*from, from + length)).collect()
        };
        let first = measured(&entries, &pairs(&activities), None).unwrap();
        let (elapsed, active, idle, turns, _) = first;
        prop_assert!(active <= elapsed);
        prop_assert_eq!(idle, elapsed - active);
        prop_assert_eq!(turns, entries.len() as u64);
        entries.reverse();
        activities.reverse();
        prop_assert_eq!(measured(&entries, &pairs(&activities), None).unwrap(), first);
    }
}
