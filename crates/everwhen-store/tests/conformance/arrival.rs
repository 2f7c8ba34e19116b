//! The conversations of a memory do not depend on the order in which its entries arrived.
//!
//! Random entries arrive in a random order, in random batches, before and after a caller ends
//! conversations. What is found afterwards must be what the rule says about all of them at once.

use std::cell::Cell;

use everwhen_engine::conversations::boundary::{self, Mark, is_pause};
use everwhen_engine::memory::{Address, Conversation, Ended, EndedBy, MemoryId, NewEntry, Role};
use everwhen_engine::ports::{ArchiveFilter, ConversationQuery};
use everwhen_engine::receipt::Receipt;
use everwhen_testkit::block_on;
use jiff::{SignedDuration, Timestamp};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, prop_oneof};
use proptest::sample::select;

use crate::bed::{Open, for_all};
use crate::rows::{at, name};
use crate::talk::{Talk, said};

const TIMEOUT: SignedDuration = SignedDuration::from_mins(30);

/// Something that will be said.
#[derive(Debug, Clone)]
struct Word {
    time: Timestamp,
    role: Role,
    /// The caller's own name for the conversation, where it has one.
    own: Option<&'static str>,
    /// How many endings come before it arrives.
    phase: usize,
}

/// What happens in one case.
#[derive(Debug, Clone)]
struct Course {
    /// In order of arrival.
    words: Vec<Word>,
    /// How many arrive together, again and again.
    batches: Vec<usize>,
    /// When the conversation that is active is ended, if one is.
    ends: Vec<Timestamp>,
    /// When it is all looked at.
    now: Timestamp,
}

/// Times on a grid of ten minutes, some a second late, so that pauses of exactly the timeout, just
/// over it, and equal instants are common.
fn any_time() -> impl Strategy<Value = Timestamp> {
    (0..18i64, prop_oneof![4 => Just(0), 1 => Just(1)])
        .prop_map(|(ten, second)| at(ten * 10) + SignedDuration::from_secs(second))
}

fn any_word(phases: usize) -> impl Strategy<Value = Word> {
    let role = prop_oneof![
        3 => Just(Role::User), 3 => Just(Role::Assistant), 1 => Just(Role::System), 1 => Just(Role::Tool)
    ];
    let own = prop_oneof![6 => Just(None), 1 => select(vec![Some("a"), Some("b")])];
    (any_time(), role, own, 0..=phases).prop_map(|(time, role, own, phase)| Word {
        time,
        role,
        own,
        phase,
    })
}

fn any_course(ends: usize) -> impl Strategy<Value = Course> {
    let words = vec(any_word(ends), 1..14).prop_shuffle();
    (words, vec(1..5usize, 4), vec(any_time(), ends + 1)).prop_map(|(words, batches, mut times)| {
        times.sort_unstable();
        let now = times.pop().expect("one more than there are ends");
        let words = words.into_iter().map(|word| before_its_end(word, &times)).collect();
        Course { words, batches, ends: times, now }
    })
}

/// No caller ends a conversation of the future: what arrives before an end was said before it.
fn before_its_end(word: Word, ends: &[Timestamp]) -> Word {
    match ends.get(word.phase) {
        Some(end) if word.time > *end => {
            Word { time: *end - word.time.duration_since(*end), ..word }
        }
        _ => word,
    }
}

/// A conversation as it is compared: what it holds and how it ended.
type Shape = (Option<String>, Vec<String>, Timestamp, Timestamp, Option<Ended>);

/// What a caller ended, when, and before which words.
struct Ending {
    own: Option<String>,
    at: Timestamp,
    phase: usize,
}

/// Lets it all happen in a new memory.
fn happen(talk: &Talk, course: &Course, memory: &Address<MemoryId>) -> Vec<Ending> {
    let mut endings = Vec::new();
    for phase in 0..=course.ends.len() {
        talk.clock.set(course.ends.get(phase).copied().unwrap_or(course.now));
        let words = course.words.iter().enumerate().filter(|(_, word)| word.phase == phase);
        let mut arriving: Vec<NewEntry> =
            words.map(|(index, word)| new_entry(index, word)).collect();
        for size in course.batches.iter().cycle() {
            if arriving.is_empty() {
                break;
            }
            let batch = arriving.drain(..arriving.len().min(*size)).collect();
            block_on(talk.vault.remember(memory.clone(), batch, None)).unwrap();
        }
        if phase < course.ends.len() {
            endings.extend(end(talk, memory, phase));
        }
    }
    talk.settle();
    endings
}

fn new_entry(index: usize, word: &Word) -> NewEntry {
    NewEntry {
        allow_future: true,
        conversation: word.own.map(|own| Address::Name(name(own))),
        ..said(word.role, &format!("word {index}")).said_at(word.time)
    }
}

/// Ends what is active. Who ends something took part in it: replies alone are not ended.
fn end(talk: &Talk, memory: &Address<MemoryId>, phase: usize) -> Option<Ending> {
    let query = ConversationQuery { ended: Some(false), ..ConversationQuery::default() };
    let open = block_on(talk.vault.conversations(memory.clone(), query)).ok()?.data;
    let opened = |one: Conversation| {
        let view = block_on(talk.vault.conversation(memory.clone(), one.id.into())).unwrap();
        view.entries.iter().any(|entry| !entry.role.is_reply())
    };
    if !open.into_iter().all(opened) {
        return None;
    }
    let reason = Some(phase.to_string());
    let done = block_on(talk.vault.end_conversation(memory.clone(), None, reason, None)).ok()?;
    let Receipt::Conversation(id) = done.receipt else { panic!("{done:?}") };
    let ended = block_on(talk.vault.conversation(memory.clone(), id.into())).unwrap().conversation;
    let own = ended.name.map(|name| name.to_string());
    Some(Ending { own, at: ended.ended.expect("it was just ended").at, phase })
}

/// What is there.
fn found(talk: &Talk, memory: &Address<MemoryId>) -> Vec<Shape> {
    let query = ConversationQuery { archive: ArchiveFilter::Both, ..ConversationQuery::default() };
    let Ok(page) = block_on(talk.vault.conversations(memory.clone(), query)) else {
        return Vec::new();
    };
    let mut shapes: Vec<Shape> =
        page.data.into_iter().map(|one| found_shape(talk, memory, one)).collect();
    shapes.sort_by(|a, b| a.1.cmp(&b.1));
    shapes
}

fn found_shape(talk: &Talk, memory: &Address<MemoryId>, one: Conversation) -> Shape {
    let view = block_on(talk.vault.conversation(memory.clone(), one.id.into())).unwrap();
    assert_eq!(view.entries.len() as u64, one.entries, "the count of {one:?}");
    let mut texts: Vec<String> =
        view.entries.iter().map(|entry| entry.content.as_str().to_owned()).collect();
    texts.sort_unstable();
    (one.name.map(|name| name.to_string()), texts, one.started_at, one.last_at, one.ended)
}

/// What the rule says about all words at once.
fn expected(course: &Course, endings: &[Ending]) -> Vec<Shape> {
    let words = || course.words.iter().enumerate();
    let mut by_time: Vec<(usize, &Word)> = words().filter(|(_, word)| word.own.is_none()).collect();
    by_time.sort_by_key(|(_, word)| mark(word).order());
    let marks: Vec<Mark> = by_time.iter().map(|(_, word)| mark(word)).collect();
    let ends: Vec<&Ending> = endings.iter().filter(|ending| ending.own.is_none()).collect();
    let times: Vec<Timestamp> = ends.iter().map(|ending| ending.at).collect();
    let mut shapes: Vec<Shape> = boundary::partition(&marks, &times, TIMEOUT)
        .into_iter()
        .map(|group| {
            let ended = ended_by_word(&marks, group.clone(), &ends);
            shape(None, &by_time[group], ended, course.now)
        })
        .collect();
    for own in ["a", "b"] {
        let members: Vec<(usize, &Word)> =
            words().filter(|(_, word)| word.own == Some(own)).collect();
        if !members.is_empty() {
            let ended = own_end(own, &members, endings);
            shapes.push(shape(Some(own), &members, ended, course.now));
        }
    }
    shapes.sort_by(|a, b| a.1.cmp(&b.1));
    shapes
}

fn mark(word: &Word) -> Mark {
    Mark { time: word.time, role: word.role }
}

/// The first explicit end after the group's last opener and before the next group. A
/// farewell moves it on.
fn ended_by_word(
    marks: &[Mark],
    group: std::ops::Range<usize>,
    endings: &[&Ending],
) -> Option<Ended> {
    let opens = |mark: &&Mark| !mark.role.is_reply();
    let since = marks[group.clone()].iter().rfind(opens).unwrap_or(&marks[group.start]).time;
    let until = marks.get(group.end).map(|mark| mark.time);
    let within = |one: &&&Ending| since <= one.at && until.is_none_or(|until| one.at < until);
    let last = marks[group].iter().map(|mark| mark.time).max();
    endings.iter().filter(within).min_by_key(|one| one.at).map(|one| by_caller(one, last))
}

/// The end of a conversation of the caller's own, unless it went on after it.
fn own_end(own: &str, members: &[(usize, &Word)], endings: &[Ending]) -> Option<Ended> {
    let end = endings.iter().rfind(|ending| ending.own.as_deref() == Some(own))?;
    let went_on = members
        .iter()
        .any(|(_, word)| word.phase > end.phase && word.time > end.at && !word.role.is_reply());
    (!went_on).then(|| by_caller(end, None))
}

fn by_caller(ending: &Ending, farewell: Option<Timestamp>) -> Ended {
    let at = farewell.map_or(ending.at, |farewell| farewell.max(ending.at));
    Ended { at, by: EndedBy::Caller { reason: Some(ending.phase.to_string()) } }
}

fn shape(
    own: Option<&str>,
    members: &[(usize, &Word)],
    ended: Option<Ended>,
    now: Timestamp,
) -> Shape {
    let mut texts: Vec<String> = members.iter().map(|(index, _)| format!("word {index}")).collect();
    texts.sort_unstable();
    let times = || members.iter().map(|(_, word)| word.time);
    let (first, last) = (times().min().expect("a member"), times().max().expect("a member"));
    let ended = ended
        .or(is_pause(last, now, TIMEOUT).then(|| Ended { at: last + TIMEOUT, by: EndedBy::Idle }));
    (own.map(str::to_owned), texts, first, last, ended)
}

fn check(open: Open, cases: u32, courses: impl Strategy<Value = Course>) {
    let talk = Talk::new(open);
    let count = Cell::new(0);
    for_all(cases, courses, |course| {
        count.set(count.get() + 1);
        check_one(&talk, &course, count.get());
    });
}

fn check_one(talk: &Talk, course: &Course, number: usize) {
    let memory = Address::Name(name(&format!("m {number}")));
    let endings = happen(talk, course, &memory);
    assert_eq!(found(talk, &memory), expected(course, &endings), "{course:?}");
}

pub(crate) fn whatever_the_order(open: Open) {
    check(open, 100, any_course(0));
}

pub(crate) fn whatever_the_order_around_explicit_ends(open: Open) {
    check(open, 250, any_course(1));
}

pub(crate) fn whatever_the_order_around_two_explicit_ends(open: Open) {
    check(open, 150, any_course(2));
}

/// Words as (minute, who, how many ends come before it), one at a time.
fn course(words: &[(i64, Role, usize)], ends: &[i64], now: i64) -> Course {
    let word = |&(minute, role, phase): &(i64, Role, usize)| Word {
        time: at(minute),
        role,
        own: None,
        phase,
    };
    Course {
        words: words.iter().map(word).collect(),
        batches: vec![1],
        ends: ends.iter().map(|minute| at(*minute)).collect(),
        now: at(now),
    }
}

/// What random courses found once, or would find only rarely.
pub(crate) fn courses_that_once_went_wrong(open: Open) {
    use Role::{Assistant as A, User as U};
    let talk = Talk::new(open);
    let courses = [
        // A reply bridges the pause between an ended conversation and later replies.
        course(&[(0, U, 0), (50, A, 1), (25, A, 1)], &[10], 100),
        // A late opener takes the farewell with it; the end goes back to when it was said.
        course(&[(0, U, 0), (20, A, 1), (15, U, 1)], &[10], 60),
        // An end older than the last opener does not split what begins with a reply.
        course(
            &[(-200, U, 0), (-100, U, 1), (-5, A, 1), (0, U, 1), (10, A, 2), (5, U, 2)],
            &[-190, 3],
            60,
        ),
        // A late opener frees a far opener from the end; it joins the replies just before it.
        course(&[(0, U, 0), (60, A, 1), (100, A, 1), (110, U, 1), (15, U, 1)], &[10], 120),
        // A reply and an opener of one instant after an end: the opener begins, whichever came first.
        course(&[(0, U, 0), (20, A, 1), (20, U, 1), (15, A, 1)], &[10], 60),
        // A caller ended what a late opener, not the replies before it, was about.
        course(&[(0, U, 0), (40, A, 1), (45, U, 1), (44, U, 2)], &[0, 50], 60),
    ];
    for (number, course) in courses.iter().enumerate() {
        check_one(&talk, course, number);
    }
    let own = Some("a");
    let named = course(&[(0, U, 0), (20, A, 1), (15, U, 1)], &[10], 60);
    let words = named.words.iter().map(|word| Word { own, ..word.clone() }).collect();
    check_one(&talk, &Course { words, ..named }, courses.len());
}
