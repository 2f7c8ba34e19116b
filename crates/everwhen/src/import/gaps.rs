//! Chats without threads: messages of one chat, split into conversations where nothing was said for a while.
//!
//! A chat may be larger than memory, so conversations are handed on as soon as no later message of the file
//! can belong to them.

use everwhen_engine::limits;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::reading::Reading;
use super::repair;
use super::thread::{Message, Thread};

/// A conversation ends after this many seconds of silence.
const GAP_SECONDS: i64 = 30 * 60;
/// This many messages, or bytes of them, are held back until they are sorted and split.
const HELD: usize = 2 * limits::IMPORT_ENTRIES;
pub(crate) const HELD_BYTES: usize = 8 * 1024 * 1024;

/// A message, and where it belongs.
struct Placed {
    /// Its time; without one, that of the message before it in the chat.
    at: Option<Timestamp>,
    message: Message,
}

/// The messages of one chat, in about the order of their times, rising or falling.
pub(crate) struct GapSplitter {
    id: String,
    place: String,
    held: Vec<Placed>,
    /// How many of those held are in their places; the others are as the file has them.
    placed: usize,
    /// The last time before those.
    before: Option<Timestamp>,
    /// The last time of the file so far, and how many more times followed a lower one than a higher one.
    last: Option<Timestamp>,
    rises: i64,
    /// Bytes of the texts held, and how many there may be until they are split.
    bytes: usize,
    most_bytes: usize,
    /// The conversation that the first message held goes on with: its name and the number of its parts.
    begun: Option<(String, usize)>,
}

impl GapSplitter {
    /// Conversations named by the chat and by when they began.
    pub(crate) fn new(id: impl Into<String>, place: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            place: place.into(),
            held: Vec::new(),
            placed: 0,
            before: None,
            last: None,
            rises: 0,
            bytes: 0,
            most_bytes: HELD_BYTES,
            begun: None,
        }
    }

    /// Takes the next message, and hands on what is complete.
    pub(crate) fn push(&mut self, reading: &mut Reading<'_>, message: Message) {
        self.hold(message, reading.options.now);
        if self.held.len() >= HELD || self.bytes >= self.most_bytes {
            self.hand_on(reading);
            self.placed = self.held.len();
            self.before = self.last;
            self.bytes = self.held.iter().map(|one| one.message.text.len()).sum();
            // One long conversation is not sorted again with every message.
            self.most_bytes = HELD_BYTES.max(2 * self.bytes);
        }
    }

    fn hold(&mut self, message: Message, now: Timestamp) {
        self.bytes += message.text.len();
        let at = time(&message, now);
        if let (Some(last), Some(at)) = (self.last, at) {
            self.rises += at.cmp(&last) as i64;
        }
        self.last = at.or(self.last);
        self.held.push(Placed { at, message });
    }

    /// Hands on the rest.
    pub(crate) fn finish(mut self, reading: &mut Reading<'_>) {
        for part in self.split() {
            let thread = self.thread(part);
            self.begun = None;
            reading.take(thread);
        }
    }

    /// Hands on all conversations but the one next to the messages that follow. If there is but one and it is
    /// longer than one may be, its first part.
    fn hand_on(&mut self, reading: &mut Reading<'_>) {
        let mut parts = self.split();
        if parts.len() == 1 && parts[0].len() < HELD {
            self.held = parts.remove(0);
            return;
        }
        if parts.len() == 1 {
            let rest = parts[0].split_off(limits::IMPORT_ENTRIES);
            let first = std::mem::replace(&mut parts[0], rest);
            let thread = self.thread(first);
            self.begun = Some(match self.begun.take() {
                Some((name, count)) => (name, count + 1),
                None => (thread.id.clone(), 1),
            });
            reading.take(thread);
        }
        self.held = parts.remove(if self.falls() { 0 } else { parts.len() - 1 });
        for part in parts {
            let thread = self.thread(part);
            self.begun = None;
            reading.take(thread);
        }
    }

    /// Whether the file has the newest message first.
    fn falls(&self) -> bool {
        self.rises < 0
    }

    /// Sorts the messages held by time and splits them at silences. One without a time stays behind the one
    /// before it.
    fn split(&mut self) -> Vec<Vec<Placed>> {
        let mut held = std::mem::take(&mut self.held);
        let mut before = self.before;
        if self.falls() {
            held[self.placed..].reverse();
            before = None;
        }
        for one in &mut held[self.placed..] {
            before = one.at.or(before);
            one.at = before;
        }
        held.sort_by_key(|one| one.at);
        let mut parts: Vec<Vec<Placed>> = Vec::new();
        let mut last: Option<Timestamp> = None;
        for one in held {
            let is_near = match (last, one.at) {
                (Some(last), Some(at)) => at.as_second() - last.as_second() <= GAP_SECONDS,
                _ => !parts.is_empty(),
            };
            last = one.at.or(last);
            match parts.last_mut().filter(|_| is_near) {
                Some(part) => part.push(one),
                None => parts.push(vec![one]),
            }
        }
        parts
    }

    /// A conversation of these messages: the one that has begun, or a new one.
    fn thread(&self, messages: Vec<Placed>) -> Thread {
        let name = match &self.begun {
            Some((name, parts)) => format!("{name}#{}", parts + 1),
            None => match messages.first().and_then(|first| first.at) {
                Some(at) => {
                    let began = at.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%SZ");
                    format!("{} {began}", self.id)
                }
                None => format!("{} undated", self.id),
            },
        };
        let mut thread = Thread::new(name, self.place.as_str());
        thread.messages = messages.into_iter().map(|one| one.message).collect();
        thread
    }
}

/// The time of a message. One in the future is none: it says nothing of where a message belongs.
fn time(message: &Message, now: Timestamp) -> Option<Timestamp> {
    let time = message.time.as_ref().map(|time| time.at);
    time.filter(|at| repair::is_possible(*at, now))
}

/// Splits the messages of a small chat, and hands them on.
pub(crate) fn take_by_gaps(
    reading: &mut Reading<'_>,
    id: &str,
    place: &str,
    messages: Vec<Message>,
) {
    let mut splitter = GapSplitter::new(id, place);
    for message in messages {
        splitter.hold(message, reading.options.now);
    }
    splitter.finish(reading);
}
