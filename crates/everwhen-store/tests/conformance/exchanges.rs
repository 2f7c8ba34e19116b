//! The ledger through its verbs: a client that resends its history, and what became of it.

use everwhen_engine::Forget;
use everwhen_engine::ledger::{
    Begun, Commit, ExchangeReply, Finished, History, Message, PastExchange, Style, Times,
};
use everwhen_engine::memory::{Address, Entry, EntryId, Role};
use everwhen_engine::ports::{EntryQuery, Order, Which};
use everwhen_testkit::block_on;
use jiff::{SignedDuration, Timestamp};

use crate::bed::Open;
use crate::rows::{at, name};
use crate::talk::{Talk, memory};

/// `u:` or `a:` or `s:` and what was said.
fn messages(lines: &[&str]) -> History {
    let message = |line: &&str| {
        let role = match &line[..2] {
            "u:" => Role::User,
            "a:" => Role::Assistant,
            "s:" => Role::System,
            _ => panic!("{line}"),
        };
        Message::new(role, &line[2..])
    };
    History::from(lines.iter().map(message).collect::<Vec<Message>>())
}

fn begin(talk: &Talk, lines: &[&str]) -> Begun {
    block_on(talk.vault.begin_exchange(memory(), messages(lines), Commit::NextTurn)).unwrap()
}

fn finish(talk: &Talk, begun: &Begun, reply: &str) -> Finished {
    let reply = ExchangeReply { content: reply.into(), ..ExchangeReply::default() };
    block_on(talk.vault.finish_exchange(begun.exchange.clone(), reply)).unwrap()
}

/// One exchange: the history, then the reply.
pub(crate) fn exchange(talk: &Talk, lines: &[&str], reply: &str) -> Begun {
    let begun = begin(talk, lines);
    finish(talk, &begun, reply);
    begun
}

/// The minutes after noon at which the messages of a request were said, to the second.
fn said_at(begun: &Begun) -> Vec<Option<f64>> {
    let minutes = |time: Timestamp| time.duration_since(at(0)).as_secs() as f64 / 60.0;
    begun.messages.iter().map(|message| message.time.map(minutes)).collect()
}

fn minutes(times: &[f64]) -> Vec<Option<f64>> {
    times.iter().copied().map(Some).collect()
}

/// The current entries of the memory, in order.
fn current(talk: &Talk) -> Vec<String> {
    talk.texts(EntryQuery::default())
}

/// How many entries there are, whatever became of them.
fn all(talk: &Talk) -> usize {
    talk.texts(EntryQuery { which: Which::All, ..EntryQuery::default() }).len()
}

fn entry(talk: &Talk, id: Option<EntryId>) -> Entry {
    block_on(talk.vault.entry(memory(), id.unwrap())).unwrap()
}

const SECOND: f64 = 1.0 / 60.0;
const WEEK: i64 = 7 * 24 * 60;

pub(crate) fn a_resent_history_keeps_its_times(open: Open) {
    let talk = Talk::new(open);
    exchange(&talk, &["s:Be kind.", "u:hi"], "hello");
    talk.minute(5);
    exchange(&talk, &["s:Be kind.", "u:hi", "a:hello", "u:how are you"], "fine");
    talk.minute(9);
    let begun =
        begin(&talk, &["s:Be kind.", "u:hi", "a:hello", "u:how are you", "a:fine", "u:bye"]);
    let expected = [None].into_iter().chain(minutes(&[0.0, 0.0, 5.0, 5.0, 9.0]));
    assert_eq!(said_at(&begun), expected.collect::<Vec<_>>());
    let new: Vec<bool> = begun.messages.iter().map(|message| message.is_new).collect();
    assert_eq!(new, [false, false, false, false, false, true]);
    assert_eq!(current(&talk), ["hi", "hello", "how are you", "fine", "bye"]);
    assert_eq!(begun.last_at.map(Timestamp::as_second), Some(at(5).as_second()));
    assert_eq!(begun.started_at, Some(at(0)));
}

pub(crate) fn the_second_ok_a_week_later_has_its_own_time(open: Open) {
    let talk = Talk::new(open);
    exchange(&talk, &["u:hi"], "hello");
    talk.minute(3);
    exchange(&talk, &["u:hi", "a:hello", "u:ok"], "good");
    talk.minute(WEEK);
    let begun = begin(&talk, &["u:hi", "a:hello", "u:ok", "a:good", "u:ok"]);
    assert_eq!(said_at(&begun), minutes(&[0.0, 0.0, 3.0, 3.0, WEEK as f64]));
    assert_eq!(begun.stamps(Style::Gap)[4].as_deref(), Some("[6 days later] "));
    let summary = begun.time_context_summary();
    assert!(summary.contains("sent 6 days, 23 hours, 57 minutes ago"), "{summary}");
    finish(&talk, &begun, "good");
    assert_eq!(current(&talk), ["hi", "hello", "ok", "good", "ok", "good"]);
}

pub(crate) fn translate_this_is_stamped_on_its_own_turn(open: Open) {
    let talk = Talk::new(open);
    let begun = exchange(&talk, &["u:Translate this:"], "What?");
    assert_eq!(begun.stamps(Style::Absolute), [Some("(Sunday, 2025-06-01 12:00:00) ".to_owned())]);
    talk.minute(300);
    let begun = begin(&talk, &["u:Translate this:", "a:What?", "u:bonjour"]);
    assert_eq!(said_at(&begun), minutes(&[0.0, 0.0, 300.0]));
    assert_eq!(current(&talk), ["Translate this:", "What?", "bonjour"]);
}

pub(crate) fn a_reply_containing_braces_keeps_its_committed_time(open: Open) {
    for commit in [Commit::NextTurn, Commit::AtOnce] {
        let talk = Talk::new(open);
        let code = "fn main() {}";
        let asked = messages(&["u:code please"]);
        let begun = block_on(talk.vault.begin_exchange(memory(), asked, commit)).unwrap();
        talk.minute(1);
        finish(&talk, &begun, code);
        talk.minute(60);
        let again = messages(&["u:code please", "a:fn main() {}", "u:thanks"]);
        let begun = block_on(talk.vault.begin_exchange(memory(), again, commit)).unwrap();
        assert_eq!(said_at(&begun), minutes(&[0.0, 0.0, 60.0]));
        assert_eq!(current(&talk), ["code please", code, "thanks"]);
    }
}

pub(crate) fn unknown_history_is_dated_from_now_backwards(open: Open) {
    let talk = Talk::new(open);
    let begun = begin(&talk, &["u:one", "a:two", "u:three"]);
    assert_eq!(said_at(&begun), minutes(&[-2.0 * SECOND, -SECOND, 0.0]));
    finish(&talk, &begun, "four");
    talk.minute(10);
    let begun = begin(&talk, &["u:zero", "a:half", "u:one", "a:two", "u:three", "a:four", "u:5"]);
    let times = [-4.0, -3.0, -2.0, -1.0, 0.0, 0.0].map(|seconds| seconds * SECOND);
    assert_eq!(said_at(&begun)[..6], minutes(&times));
    assert_eq!(current(&talk), ["zero", "half", "one", "two", "three", "four", "5"]);
}

pub(crate) fn a_history_may_be_cut_at_the_front(open: Open) {
    let talk = Talk::new(open);
    exchange(&talk, &["u:ok", "a:one", "u:ok", "a:two", "u:three"], "four");
    talk.minute(10);
    let begun = begin(&talk, &["u:ok", "a:two", "u:three", "a:four", "u:ok"]);
    assert_eq!(said_at(&begun)[..4], minutes(&[-2.0 * SECOND, -SECOND, 0.0, 0.0]));
    assert_eq!(said_at(&begun)[4], Some(10.0));
    assert_eq!(all(&talk), 7);
}

pub(crate) fn an_edited_message_takes_the_place_of_the_old(open: Open) {
    let talk = Talk::new(open);
    exchange(&talk, &["u:one", "a:two", "u:three"], "four");
    talk.minute(10);
    let old = begin(&talk, &["u:one", "a:two", "u:three", "a:four", "u:five"]).messages[1];
    let edited = &["u:one", "a:TWO", "u:three", "a:four", "u:five"];
    let begun = begin(&talk, edited);
    assert_eq!(begun.messages[1].time, old.time);
    let correction = entry(&talk, begun.messages[1].entry);
    assert_eq!(correction.corrects.map(|corrects| corrects.entry), old.entry);
    assert_eq!(current(&talk), ["one", "TWO", "three", "four", "five"]);
    assert_eq!(begin(&talk, edited).messages[1].entry, begun.messages[1].entry);
    assert_eq!(all(&talk), 6);
    let back = begin(&talk, &["u:one", "a:two", "u:three", "a:four", "u:five"]);
    assert_eq!(back.messages[1].time, old.time, "taken back");
    assert_eq!(current(&talk), ["one", "two", "three", "four", "five"]);
}

pub(crate) fn what_the_client_made_of_a_reply_is_the_reply(open: Open) {
    let talk = Talk::new(open);
    exchange(&talk, &["u:hi"], "hello *waves*");
    talk.minute(WEEK);
    for cut in [&["u:hi", "a:hello", "u:bye"][..], &["a:hello", "u:bye"]] {
        let begun = begin(&talk, cut);
        let reply = cut.len() - 2;
        assert_eq!(said_at(&begun)[reply..], minutes(&[0.0, WEEK as f64]));
        assert_eq!(current(&talk), ["hi", "hello", "bye"]);
    }
    assert_eq!(all(&talk), 4);
}

pub(crate) fn a_reply_cut_at_the_front_is_still_the_reply(open: Open) {
    let talk = Talk::new(open);
    exchange(&talk, &["u:hi"], "hello *waves*");
    talk.minute(WEEK);
    let begun = begin(&talk, &["a:hello", "u:bye"]);
    assert_eq!(said_at(&begun), minutes(&[0.0, WEEK as f64]));
    assert_eq!(current(&talk), ["hi", "hello", "bye"]);
}

pub(crate) fn a_regenerated_reply_takes_the_place_of_the_first(open: Open) {
    let talk = Talk::new(open);
    exchange(&talk, &["u:hi"], "hello");
    talk.minute(2);
    exchange(&talk, &["u:hi", "a:hello", "u:joke?"], "no");
    talk.minute(3);
    let begun = begin(&talk, &["u:hi", "a:hello", "u:joke?"]);
    assert!(begun.messages.iter().all(|message| !message.is_new));
    finish(&talk, &begun, "knock knock");
    assert_eq!(current(&talk), ["hi", "hello", "joke?", "knock knock"]);
    assert_eq!(all(&talk), 5);
    talk.minute(4);
    let next = &["u:hi", "a:hello", "u:joke?", "a:knock knock", "u:who's there?"];
    assert_eq!(said_at(&begin(&talk, next)), minutes(&[0.0, 0.0, 2.0, 3.0, 4.0]));
    let swiped = &["u:hi", "a:hello", "u:joke?", "a:no", "u:oh"];
    talk.minute(5);
    assert_eq!(said_at(&begin(&talk, swiped)), minutes(&[0.0, 0.0, 2.0, 2.0, 5.0]));
    assert_eq!(current(&talk), ["hi", "hello", "joke?", "no", "oh"]);
}

pub(crate) fn the_first_reply_can_be_regenerated(open: Open) {
    let talk = Talk::new(open);
    exchange(&talk, &["u:hi"], "hello");
    talk.minute(1);
    exchange(&talk, &["u:hi"], "hey");
    assert_eq!(current(&talk), ["hi", "hey"]);
    talk.minute(WEEK);
    exchange(&talk, &["u:hi"], "welcome back");
    assert_eq!(current(&talk), ["hi", "hey", "hi", "welcome back"], "a week later it is new");
}

pub(crate) fn of_the_first_replies_the_one_that_is_gone_on_with_stands(open: Open) {
    for (before, pause) in [(&[][..], 1), (&["a:Welcome."], 1), (&["u:Be", "a:ok"], 1), (&[], 60)] {
        let talk = Talk::new(open);
        let with = |more: &[&'static str]| [before, more].concat();
        let stands = |more: &[&str]| {
            let said = before.iter().map(|line| &line[2..]).chain(more.iter().copied());
            assert_eq!(current(&talk), said.collect::<Vec<&str>>(), "{before:?}, {pause}");
        };
        exchange(&talk, &with(&["u:hi"]), "hello");
        talk.minute(pause);
        exchange(&talk, &with(&["u:hi"]), "hey");
        stands(&["hi", "hey"]);
        talk.minute(pause + 1);
        exchange(&talk, &with(&["u:hi", "a:hello", "u:joke?"]), "no");
        stands(&["hi", "hello", "joke?", "no"]);
        talk.minute(pause + 2);
        exchange(&talk, &with(&["u:hi", "a:hello", "u:joke?", "a:no", "u:oh"]), "yes");
        stands(&["hi", "hello", "joke?", "no", "oh", "yes"]);
        assert_eq!(all(&talk), before.len() + 7, "nothing is lost");
    }
}

pub(crate) fn of_replies_that_were_given_at_once_the_one_that_is_gone_on_with_stands(open: Open) {
    for chosen in ["a:hello", "a:hey", "a:good day"] {
        let talk = Talk::new(open);
        exchange(&talk, &["u:hi"], "hello");
        talk.minute(1);
        let early = begin(&talk, &["u:hi"]);
        talk.minute(2);
        let late = begin(&talk, &["u:hi"]);
        finish(&talk, &late, "good day");
        finish(&talk, &early, "hey");
        talk.minute(3);
        exchange(&talk, &["u:hi", chosen, "u:joke?"], "no");
        assert_eq!(current(&talk), ["hi", &chosen[2..], "joke?", "no"]);
        assert_eq!(all(&talk), 6, "nothing is lost");
    }
}

pub(crate) fn clients_that_send_one_message_may_repeat_themselves(open: Open) {
    let talk = Talk::new(open);
    exchange(&talk, &["u:hi"], "hello");
    for minute in [1, 2] {
        talk.minute(minute);
        exchange(&talk, &["u:ok"], "good");
    }
    assert_eq!(current(&talk), ["hi", "hello", "ok", "good", "ok", "good"]);
}

pub(crate) fn the_same_request_again_stores_nothing_twice(open: Open) {
    let talk = Talk::new(open);
    let lines = &["u:hi", "a:hello", "u:ok"];
    let (first, second) = (begin(&talk, lines), begin(&talk, lines));
    assert_eq!(first.messages[2].entry, second.messages[2].entry);
    finish(&talk, &first, "good");
    finish(&talk, &second, "good");
    assert_eq!(current(&talk), ["hi", "hello", "ok", "good"]);
    talk.minute(1);
    let third = begin(&talk, lines);
    finish(&talk, &third, "better");
    assert_eq!(current(&talk), ["hi", "hello", "ok", "better"]);
    assert_eq!(all(&talk), 5);
    let single = History { resent: true, ..messages(&["u:ok"]) };
    block_on(talk.vault.begin_exchange(memory(), single, Commit::NextTurn)).unwrap();
    assert_eq!(all(&talk), 5);
}

pub(crate) fn of_two_replies_the_one_that_began_later_stays(open: Open) {
    for late_first in [false, true] {
        let talk = Talk::new(open);
        let early = begin(&talk, &["u:hi"]);
        talk.minute(1);
        let late = begin(&talk, &["u:hi"]);
        let mut replies = [(&early, "early"), (&late, "late")];
        if late_first {
            replies.reverse();
        }
        for (begun, text) in replies {
            finish(&talk, begun, text);
        }
        assert_eq!(current(&talk), ["hi", "late"]);
        assert_eq!(all(&talk), 3, "nothing is lost");
    }
}

pub(crate) fn a_fork_puts_aside_what_it_leaves(open: Open) {
    let talk = Talk::new(open);
    exchange(&talk, &["u:hi"], "hello");
    talk.minute(1);
    exchange(&talk, &["u:hi", "a:hello", "u:cats?"], "meow");
    talk.minute(2);
    let begun = exchange(&talk, &["u:hi", "a:hello", "u:dogs?"], "woof");
    assert_eq!(said_at(&begun), minutes(&[0.0, 0.0, 2.0]));
    assert_eq!(current(&talk), ["hi", "hello", "dogs?", "woof"]);
    talk.minute(3);
    let back = begin(&talk, &["u:hi", "a:hello", "u:cats?", "a:meow", "u:more"]);
    assert_eq!(said_at(&back), minutes(&[0.0, 0.0, 1.0, 1.0, 3.0]));
    assert_eq!(current(&talk), ["hi", "hello", "cats?", "meow", "more"]);
    assert_eq!(all(&talk), 7);
}

pub(crate) fn another_talk_in_the_same_memory_hides_nothing(open: Open) {
    let talk = Talk::new(open);
    exchange(&talk, &["a:Welcome.", "u:cats?"], "meow");
    talk.minute(1);
    exchange(&talk, &["a:Welcome.", "u:dogs?"], "woof");
    talk.minute(2);
    exchange(&talk, &["u:birds?"], "tweet");
    talk.minute(3);
    let begun = begin(&talk, &["a:Welcome.", "u:cats?", "a:meow", "u:more"]);
    assert_eq!(said_at(&begun), minutes(&[-SECOND, 0.0, 0.0, 3.0]));
    let expected = ["Welcome.", "cats?", "meow", "dogs?", "woof", "birds?", "tweet", "more"];
    assert_eq!(current(&talk), expected);
    exchange(&talk, &["a:Welcome.", "u:cats?", "a:meow", "u:other"], "x");
    assert!(!current(&talk).contains(&"more".to_owned()), "a fork of the first talk");
    assert_eq!(current(&talk).len(), 9);
}

pub(crate) fn a_reply_that_never_came_leaves_its_time(open: Open) {
    let talk = Talk::new(open);
    begin(&talk, &["u:hi"]);
    talk.minute(60);
    let begun = begin(&talk, &["u:hi", "a:hello", "u:there?"]);
    assert_eq!(said_at(&begun), minutes(&[0.0, 0.0, 60.0]));
}

pub(crate) fn nul_characters_are_left_out_of_what_is_kept(open: Open) {
    let talk = Talk::new(open);
    exchange(&talk, &["u:one\0two \0"], "\0three");
    exchange(&talk, &["u:one\0two \0", "a:\0three", "u:four"], "\0");
    assert_eq!(current(&talk), ["onetwo ", "three", "four"]);
    exchange(&talk, &["u:one\0two \0", "a:\0three", "u:f\0ive", "a:six", "u:seven"], "eight");
    assert_eq!(current(&talk), ["onetwo ", "three", "five", "six", "seven", "eight"]);
}

pub(crate) fn a_cut_reply_is_kept_and_marked(open: Open) {
    let talk = Talk::new(open);
    let begun = begin(&talk, &["u:hi"]);
    let reply =
        ExchangeReply { content: "hel".into(), truncated: true, ..ExchangeReply::default() };
    let kept = block_on(talk.vault.finish_exchange(begun.exchange, reply)).unwrap();
    let metadata = entry(&talk, kept.entry).metadata.unwrap();
    assert_eq!(metadata.as_str(), r#"{"truncated":true}"#);
    let finished = finish(&talk, &begin(&talk, &["u:hi", "a:hel", "u:go on"]), "  ");
    assert_eq!(finished, Finished::default());
    assert_eq!(current(&talk), ["hi", "hel", "go on"]);
}

pub(crate) fn a_reply_after_the_next_message_stands_before_it(open: Open) {
    let talk = Talk::new(open);
    let slow = begin(&talk, &["u:hi"]);
    talk.minute(1);
    begin(&talk, &["u:hi", "u:hello?"]);
    talk.minute(2);
    finish(&talk, &slow, "sorry");
    assert_eq!(current(&talk), ["hi", "sorry", "hello?"]);
    let begun = begin(&talk, &["u:hi", "a:sorry", "u:hello?"]);
    assert_eq!(said_at(&begun), minutes(&[0.0, 0.0, 1.0]));
    assert_eq!(all(&talk), 3);
}

pub(crate) fn a_generation_prompt_is_no_message(open: Open) {
    let talk = Talk::new(open);
    let lines = &["u:Tom: hi", "a:Mira: hello", "u:Tom: bye", "a:Mira:"];
    let at_once = |lines: &[&str]| {
        block_on(talk.vault.begin_exchange(memory(), messages(lines), Commit::AtOnce)).unwrap()
    };
    let begun = at_once(lines);
    assert_eq!(begun.messages[3].time, None);
    assert_eq!(begun.stamps(Style::Absolute)[3], None);
    finish(&talk, &begun, "see you");
    assert_eq!(current(&talk), ["Tom: hi", "Mira: hello", "Tom: bye", "Mira: see you"]);
    talk.minute(9);
    let next =
        at_once(&["u:Tom: hi", "a:Mira: hello", "u:Tom: bye", "a:Mira: see you", "u:Tom: x"]);
    assert_eq!(said_at(&next)[3..], minutes(&[0.0, 9.0]));
}

pub(crate) fn a_reply_can_be_begun_or_continued_by_the_client(open: Open) {
    let talk = Talk::new(open);
    let begun = begin(&talk, &["u:list", "a:1. apple"]);
    assert_eq!(said_at(&begun)[1], None);
    finish(&talk, &begun, "\n2. pear");
    assert_eq!(current(&talk), ["list", "1. apple\n2. pear"]);
    talk.minute(5);
    let begun = begin(&talk, &["u:list", "a:1. apple\n2. pear"]);
    finish(&talk, &begun, "\n3. plum");
    assert_eq!(current(&talk), ["list", "1. apple\n2. pear\n3. plum"]);
    let begun = begin(&talk, &["u:list", "a:1. apple\n2. pear\n3. plum", "u:thanks"]);
    assert_eq!(said_at(&begun), minutes(&[0.0, 0.0, 5.0]));
}

pub(crate) fn what_was_forgotten_does_not_come_back_with_the_history(open: Open) {
    let talk = Talk::new(open);
    let begun = exchange(&talk, &["u:my secret"], "noted");
    let secret = Forget::Entry(begun.messages[0].entry.unwrap());
    block_on(talk.vault.forget(memory(), secret, None)).unwrap();
    talk.minute(2);
    let begun = begin(&talk, &["u:my secret", "a:noted", "u:bye"]);
    assert_eq!(said_at(&begun), minutes(&[0.0, 0.0, 2.0]));
    assert_eq!(begun.messages[0].entry, None);
    assert_eq!(current(&talk), ["noted", "bye"]);
}

pub(crate) fn a_reply_to_what_was_forgotten_meanwhile_is_not_stored(open: Open) {
    for what in ["entry", "conversation", "period"] {
        let talk = Talk::new(open);
        let begun = begin(&talk, &["u:my secret"]);
        let id = begun.messages[0].entry.unwrap();
        let forget = match what {
            "entry" => Forget::Entry(id),
            "conversation" => {
                Forget::Conversation(Address::Id(entry(&talk, Some(id)).conversation))
            }
            _ => Forget::Period { after: Some(at(-1)), before: Some(at(1)) },
        };
        block_on(talk.vault.forget(memory(), forget, None)).unwrap();
        let finished = finish(&talk, &begun, "your secret is safe");
        assert_eq!(finished.entry, None, "{what}");
        assert_eq!(all(&talk), 0, "{what}");
        talk.minute(2);
        let begun = begin(&talk, &["u:my secret", "a:your secret is safe", "u:bye"]);
        finish(&talk, &begun, "so long");
        assert_eq!(current(&talk), ["bye", "so long"], "{what}");
    }
}

pub(crate) fn times_of_another_system_hold_for_what_it_saw(open: Open) {
    let talk = Talk::new(open);
    let hello = "a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e".parse().unwrap();
    let (said, began) = (at(-1000), at(-999));
    let times = Times { texts: vec![(hello, said)], reply_began: Some(began) };
    block_on(talk.vault.import_times(memory(), times, None)).unwrap();
    let begun = begin(&talk, &["u:Hello World", "a:x {y}", "u:Hello World"]);
    assert_eq!(said_at(&begun), minutes(&[-1000.0, -999.0, 0.0]));
    let exported = block_on(talk.vault.export_times(memory())).unwrap();
    let kept: Vec<Timestamp> = exported.texts.iter().map(|(_, time)| *time).collect();
    assert_eq!((exported.texts[0].0, kept), (hello, vec![said, began]));
    assert_eq!(exported.reply_began, Some(begun.exchange.started_at));
    let other = Address::Name(name("other"));
    block_on(talk.vault.import_times(other.clone(), exported.clone(), None)).unwrap();
    let carried = block_on(talk.vault.export_times(other)).unwrap();
    let sorted = |times: Times| {
        let mut texts = times.texts;
        texts.sort_unstable();
        (texts, times.reply_began)
    };
    assert_eq!(sorted(carried), sorted(exported));
}

pub(crate) fn a_history_finds_its_memory(open: Open) {
    let talk = Talk::new(open);
    let exchange = |called: &str, lines: &[&str], reply: &str| {
        let address = Address::Name(name(called));
        let begun = block_on(talk.vault.begin_exchange(address, messages(lines), Commit::NextTurn));
        finish(&talk, &begun.unwrap(), reply);
    };
    exchange("cats", &["u:hi"], "hello");
    exchange("cats", &["u:hi", "a:hello", "u:cats?"], "meow");
    exchange("dogs", &["u:hi"], "hello");
    let find = |lines: &[&str]| {
        let found = block_on(talk.vault.memory_of_history(&messages(lines))).unwrap();
        found.map(|found| found.name.to_string())
    };
    assert_eq!(find(&["u:hi", "a:hello", "u:cats?", "a:meow", "u:x"]).as_deref(), Some("cats"));
    assert_eq!(find(&["s:be", "u:hi", "a:hello", "u:dogs?"]).as_deref(), Some("dogs"));
    assert_eq!(find(&["u:cats?", "a:meow", "u:x"]).as_deref(), Some("cats"));
    assert_eq!(find(&["u:hi"]), None);
    assert_eq!(find(&["u:hi", "a:bye", "u:x"]), None);
    assert_eq!(find(&[]), None);
}

pub(crate) fn examples_sent_with_every_request_put_nothing_aside(open: Open) {
    let talk = Talk::new(open);
    let few = ["u:I love it", "a:positive", "u:I hate it", "a:negative"];
    for (minute, last) in (0..).zip(["u:Alice is pregnant.", "u:Bob was fired.", "u:Carol moved."])
    {
        talk.minute(minute);
        exchange(&talk, &[&few[..], &[last]].concat(), "Noted.");
    }
    let texts: Vec<String> = current(&talk);
    for text in ["Alice is pregnant.", "Bob was fired.", "Carol moved."] {
        assert!(texts.contains(&text.to_owned()), "{text} is out of sight: {texts:?}");
    }
    assert_eq!(texts.iter().filter(|text| *text == "Noted.").count(), 3);
    assert_eq!(texts.iter().filter(|text| *text == "positive").count(), 1);
    talk.minute(9);
    let more = [&few[..], &["u:Carol moved.", "a:Noted.", "u:To Rome."]].concat();
    exchange(&talk, &more, "Oh.");
    talk.minute(10);
    let edited = [&few[..], &["u:Carol moved.", "a:Noted.", "u:To Oslo."]].concat();
    exchange(&talk, &edited, "Ah.");
    let texts = current(&talk);
    assert!(!texts.contains(&"To Rome.".to_owned()) && texts.contains(&"To Oslo.".to_owned()));
    assert!(texts.contains(&"Alice is pregnant.".to_owned()), "{texts:?}");
}

pub(crate) fn a_chat_that_is_always_sent_whole_may_begin_with_other_words(open: Open) {
    let talk = Talk::new(open);
    let whole = |lines: &[&str], reply: &str| {
        let history = History { resends_all: true, ..messages(lines) };
        let begun = block_on(talk.vault.begin_exchange(memory(), history, Commit::NextTurn));
        finish(&talk, &begun.unwrap(), reply);
    };
    whole(&["u:My cat is called Tom."], "Nice.");
    talk.minute(2);
    whole(&["u:My cat is called Tom.", "a:Nice.", "u:He is old."], "Oh.");
    talk.minute(60 * 24);
    whole(&["u:My cat is called Tim."], "Lovely.");
    assert_eq!(current(&talk), ["My cat is called Tim.", "Lovely."]);
    talk.minute(60 * 48);
    whole(&["u:My cat is called Tim."], "Sweet.");
    assert_eq!(current(&talk), ["My cat is called Tim.", "Sweet."], "another reply, days later");
    whole(&["u:My cat is called Tom.", "a:Nice.", "u:He is old.", "a:Oh.", "u:Very."], "Hm.");
    let back = ["My cat is called Tom.", "Nice.", "He is old.", "Oh.", "Very.", "Hm."];
    assert!(back.iter().all(|text| current(&talk).contains(&(*text).to_owned())));
}

pub(crate) fn the_first_reply_can_be_asked_for_again_after_a_pause(open: Open) {
    let talk = Talk::new(open);
    exchange(&talk, &["u:hi"], "hello");
    talk.minute(60);
    let begun = exchange(&talk, &["u:hi"], "hey");
    assert_eq!(said_at(&begun), minutes(&[0.0]), "it is not said again");
    assert_eq!(current(&talk), ["hi", "hey"]);
}

pub(crate) fn each_of_two_replies_keeps_its_time_however_often_they_change_places(open: Open) {
    let talk = Talk::new(open);
    exchange(&talk, &["u:one", "a:two", "u:joke?"], "first");
    talk.minute(2);
    exchange(&talk, &["u:one", "a:two", "u:joke?"], "second");
    talk.minute(4);
    let next = |reply| ["u:one", "a:two", "u:joke?", reply, "u:go on"];
    exchange(&talk, &next("a:second"), "fine");
    for (reply, minute) in [("a:first", 0.0), ("a:second", 2.0), ("a:first", 0.0)] {
        talk.minute(10);
        let begun = begin(&talk, &next(reply));
        assert_eq!(said_at(&begun)[3..], minutes(&[minute, 4.0]), "{reply}");
        assert!(current(&talk).contains(&reply[2..].to_owned()));
        assert_eq!(current(&talk).iter().filter(|text| *text == "go on").count(), 1);
    }
}

pub(crate) fn a_clock_set_back_a_little_makes_no_time_run_backwards(open: Open) {
    let talk = Talk::new(open);
    exchange(&talk, &["u:hi"], "hello");
    talk.clock.set(at(0) - SignedDuration::from_secs(5));
    let begun = begin(&talk, &["u:hi", "a:hello", "u:bye"]);
    assert_eq!(said_at(&begun), minutes(&[0.0, 0.0, 0.0]));
    let newest = EntryQuery { order: Order::Newest, ..EntryQuery::default() };
    assert_eq!(talk.texts(newest)[0], "bye");
}

/// A history that was sent at this second.
fn sent(lines: &[&str], second: i64) -> History {
    History { sent_at: Some(at(0) + SignedDuration::from_secs(second)), ..messages(lines) }
}

fn keep(talk: &Talk, lines: &[&str], second: i64, reply: Option<&str>) -> Finished {
    let reply =
        reply.map(|content| ExchangeReply { content: content.into(), ..ExchangeReply::default() });
    let past = PastExchange { history: sent(lines, second), commit: Commit::NextTurn, reply };
    block_on(talk.vault.keep_exchanges(memory(), vec![past])).unwrap().remove(0)
}

pub(crate) fn what_is_stored_later_is_stored_once_however_far_it_had_come(open: Open) {
    let talk = Talk::new(open);
    talk.minute(60);
    // A client that sends one message only: it has said something before.
    keep(&talk, &["u:good morning"], 0, Some("hello"));
    // Never begun; begun; stored whole: each is stored again from the outbox.
    keep(&talk, &["u:ok"], 1, Some("fine"));
    block_on(talk.vault.begin_exchange(memory(), sent(&["u:ok"], 2), Commit::NextTurn)).unwrap();
    for _ in 0..2 {
        keep(&talk, &["u:ok"], 2, Some("fine"));
        keep(&talk, &["u:ok"], 1, Some("fine"));
    }
    assert_eq!(current(&talk), ["good morning", "hello", "ok", "fine", "ok", "fine"]);
    keep(&talk, &["u:ok", "a:fine", "u:ok", "a:fine", "u:ok"], 3, None);
    keep(&talk, &["u:ok", "a:fine", "u:ok", "a:fine", "u:ok"], 3, Some("last"));
    assert_eq!(current(&talk)[2..], ["ok", "fine", "ok", "fine", "ok", "last"]);
    assert_eq!(all(&talk), 8);
}

pub(crate) fn a_reply_that_was_left_is_not_stored_again(open: Open) {
    let talk = Talk::new(open);
    talk.minute(60);
    keep(&talk, &["u:tell me a story"], 1, Some("Once upon a time"));
    keep(&talk, &["u:tell me a story"], 2, Some("In a hole"));
    assert_eq!((current(&talk).len(), all(&talk)), (2, 3));
    keep(&talk, &["u:tell me a story"], 1, Some("Once upon a time"));
    assert_eq!(all(&talk), 3);
    assert_eq!(current(&talk), ["tell me a story", "In a hole"]);
}

/// Chats as clients hold them, with few words, so that many messages are equal: they go on, ask again
/// for a reply, change the last question, and forget their beginning.
fn chat_of_few_words(seed: u64, turns: i64) -> Vec<PastExchange> {
    let words = ["ok", "fine", "go on", "what?", "a longer thing that is hardly said twice"];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut chance = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let (mut history, mut chat) = (Vec::<Message>::new(), Vec::new());
    for turn in 0..turns {
        match chance(8) {
            0 if history.len() > 2 => drop(history.pop()),
            1 if history.len() > 3 => history.truncate(history.len() - 2),
            2 if history.len() > 6 => drop(history.drain(..2)),
            _ => {}
        }
        if history.last().is_none_or(|last| last.role == Role::Assistant) {
            history.push(Message::new(Role::User, words[chance(5) as usize]));
        }
        let content = words[chance(5) as usize].to_owned();
        let sent_at = Some(at(0) + SignedDuration::from_secs(turn));
        let reply = ExchangeReply { content: content.clone(), ..ExchangeReply::default() };
        let sent = History { sent_at, messages: history.clone(), ..History::default() };
        let reply = (chance(9) > 0).then_some(reply);
        if reply.is_some() {
            history.push(Message::new(Role::Assistant, content));
        }
        chat.push(PastExchange { history: sent, commit: Commit::NextTurn, reply });
    }
    chat
}

pub(crate) fn exchanges_stored_together_are_as_stored_one_by_one(open: Open) {
    for seed in 1..=12 {
        let chat = chat_of_few_words(seed, 30);
        let [together, one_by_one] = [Talk::new(open), Talk::new(open)];
        for talk in [&together, &one_by_one] {
            talk.minute(60);
        }
        block_on(together.vault.keep_exchanges(memory(), chat.clone())).unwrap();
        for past in chat.clone() {
            block_on(one_by_one.vault.keep_exchanges(memory(), vec![past])).unwrap();
        }
        assert_eq!(everything(&together), everything(&one_by_one), "seed {seed}");
        // A crash after the commit: all are stored again, and nothing changes.
        let before = everything(&together);
        block_on(together.vault.keep_exchanges(memory(), chat)).unwrap();
        assert_eq!(everything(&together), before, "seed {seed}");
    }
}

/// What was said when, and whether it still counts.
fn everything(talk: &Talk) -> Vec<(String, Timestamp, bool)> {
    let query = EntryQuery { which: Which::All, ..EntryQuery::default() };
    let entries = block_on(talk.vault.entries(memory(), None, query)).unwrap().data;
    let one = |entry: Entry| {
        let counts = entry.corrected.is_none() && entry.branch.is_none();
        (entry.content.as_str().to_owned(), entry.conversation_time, counts)
    };
    entries.into_iter().map(one).collect()
}
