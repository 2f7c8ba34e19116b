//! A clock that was ahead or behind for a while.

use everwhen_engine::memory::{Entry, Role};
use everwhen_engine::ports::{EntryQuery, Which};
use everwhen_engine::recall::Query;
use everwhen_testkit::block_on;
use jiff::SignedDuration;

use crate::bed::Open;
use crate::exchanges::exchange;
use crate::rows::at;
use crate::talk::{Talk, memory};

const TEN_YEARS: SignedDuration = SignedDuration::from_hours(24 * 3650);

fn all(talk: &Talk, which: Which) -> Vec<Entry> {
    let query = EntryQuery { which, ..EntryQuery::default() };
    block_on(talk.vault.entries(memory(), None, query)).unwrap().data
}

/// One entry before the clock is ten years ahead, one while it is, one after.
fn with_a_step_forward(open: Open) -> Talk {
    let talk = Talk::new(open);
    talk.say(Role::User, "before the step");
    talk.clock.set(at(1) + TEN_YEARS);
    talk.say(Role::User, "in the year 2036");
    talk.minute(120);
    talk.say(Role::User, "after the step");
    talk
}

pub(crate) fn a_clock_that_was_ahead_dates_nothing_later(open: Open) {
    let talk = with_a_step_forward(open);
    talk.minute(121);
    talk.say(Role::User, "and a minute later");
    let dated = |text: &str| {
        let entries = all(&talk, Which::Current);
        let one = entries.into_iter().find(|one| one.content.as_str() == text).unwrap();
        (one.conversation_time, one.creation_time)
    };
    assert_eq!(dated("before the step"), (at(0), at(0)));
    assert_eq!(dated("in the year 2036"), (at(1) + TEN_YEARS, at(1) + TEN_YEARS));
    assert_eq!(dated("after the step"), (at(120), at(120)));
    assert_eq!(dated("and a minute later"), (at(121), at(121)));
    let (count, last) = talk.engine.clock_steps().noted();
    assert_eq!(count, 1, "it recovers with the first write");
    assert_eq!(last.unwrap().written_at, at(1) + TEN_YEARS);
}

pub(crate) fn a_clock_that_was_set_back_is_followed_and_told_of(open: Open) {
    let talk = Talk::new(open);
    talk.say(Role::User, "today");
    talk.clock.set(at(0) - SignedDuration::from_hours(24));
    talk.say(Role::User, "yesterday");
    let times: Vec<_> =
        all(&talk, Which::Current).iter().map(|one| one.conversation_time).collect();
    assert_eq!(times, [at(0) - SignedDuration::from_hours(24), at(0)]);
    assert_eq!(talk.engine.clock_steps().noted().0, 1);
}

pub(crate) fn a_small_step_back_keeps_the_order_of_creation(open: Open) {
    let talk = Talk::new(open);
    talk.say(Role::User, "first");
    talk.clock.set(at(0) - SignedDuration::from_secs(30));
    talk.say(Role::User, "second");
    let entries = all(&talk, Which::Current);
    let second = entries.iter().find(|one| one.content.as_str() == "second").unwrap();
    assert_eq!(second.creation_time, at(0), "creation_time does not run back");
    assert_eq!(second.conversation_time, at(0) - SignedDuration::from_secs(30));
    assert_eq!(talk.engine.clock_steps().noted().0, 0, "clocks differ a little");
}

pub(crate) fn a_chat_is_dated_by_the_clock_after_it_was_ahead(open: Open) {
    let talk = Talk::new(open);
    talk.clock.set(at(1) + TEN_YEARS);
    exchange(&talk, &["u:hi"], "hello");
    talk.minute(120);
    exchange(&talk, &["u:hi", "a:hello", "u:still there?"], "yes");
    let entries = all(&talk, Which::Current);
    for text in ["still there?", "yes"] {
        let one = entries.iter().find(|one| one.content.as_str() == text).unwrap();
        assert_eq!(one.conversation_time.duration_since(at(120)).as_secs(), 0, "{text}");
    }
}

pub(crate) fn what_was_said_after_a_step_is_found_as_of_then(open: Open) {
    let talk = with_a_step_forward(open);
    talk.minute(200);
    let texts = |which| -> Vec<String> {
        all(&talk, which).iter().map(|one| one.content.as_str().to_owned()).collect()
    };
    assert_eq!(texts(Which::AsOf(at(60))), ["before the step"]);
    assert_eq!(texts(Which::AsOf(at(130))), ["before the step", "after the step"]);
    let query = Query { as_of: Some(at(130)), ..Query::new("the step") };
    let found = block_on(talk.vault.recall(memory(), query)).unwrap();
    let found = format!("{found:?}");
    assert!(found.contains("after the step"), "{found}");
}
