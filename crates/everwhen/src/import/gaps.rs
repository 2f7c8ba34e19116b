//! Chats without threads: messages of one chat, split into conversations where nothing was said for a while.
//!
//! A chat may be larger than memory, so conversations are handed on as soon as no later message of the file
//! can belong to them.

use everwhen_engine::limits;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::reading::Reading;
use super::thread::{Message, Thread};

/// A conversation ends after this many seconds of silence.
const GAP_SECONDS: i64 = 30 * 60;
/// This many messages, or bytes of them, are held back until they are sorted and split.
const HELD: usize = 2 * limits::IMPORT_ENTRIES;
pub(crate) const HELD_BYTES: usize = 8 * 1024 * 1024;

/// The messages of one chat, in about the order of their times, rising or falling.
pub(crate) struct GapSplitter {
    id: String,
    place: String,
    held: Vec<Message>,
    /// Bytes of the texts held, and how many there may be until they are split.
    bytes: usize,
    most_bytes: usize,
    /// The conversation that the first message held goes on with: its name and the number of its parts.
    begun: Option<(String, usize)>,
}

impl GapSplitter {
    /// Conversations named by the chat and by when they began.
    pub(crate) fn new(id: impl Into<String>, place: impl Into<String>) -> Self {
        let (id, place) = (id.into(), place.into());
        Self { id, place, held: Vec::new(), bytes: 0, most_bytes: HELD_BYTES, begun: None }
    }

    /// Takes the next message, and hands on what is complete.
    pub(crate) fn push(&mut self, reading: &mut Reading<'_>, message: Message) {
        self.bytes += message.text.len();
        self.held.push(message);
        if self.held.len() >= HELD || self.bytes >= self.most_bytes {
            self.hand_on(reading);
            self.bytes = self.held.iter().map(|message| message.text.len()).sum();
            // One long conversation is not sorted again with every message.
            self.most_bytes = HELD_BYTES.max(2 * self.bytes);
        }
    }

    /// Hands on the rest.
    pub(crate) fn finish(mut self, reading: &mut Reading<'_>) {
        for part in split(std::mem::take(&mut self.held)) {
            let thread = self.thread(part);
            self.begun = None;
            reading.take(thread);
        }
    }

    /// Hands on all conversations but the one next to the messages that follow. If there is but one and it is
    /// longer than one may be, its first part.
    fn hand_on(&mut self, reading: &mut Reading<'_>) {
        let falls = time(self.held.first()) > time(self.held.last());
        let mut parts = split(std::mem::take(&mut self.held));
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
        self.held = parts.remove(if falls { 0 } else { parts.len() - 1 });
        for part in parts {
            let thread = self.thread(part);
            self.begun = None;
            reading.take(thread);
        }
    }

    /// A conversation of these messages: the one that has begun, or a new one.
    fn thread(&self, messages: Vec<Message>) -> Thread {
        let name = match &self.begun {
            Some((name, parts)) => format!("{name}#{}", parts + 1),
            None => match time(messages.first()) {
                Some(at) => {
                    let began = at.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%SZ");
                    format!("{} {began}", self.id)
                }
                None => format!("{} undated", self.id),
            },
        };
        let mut thread = Thread::new(name, self.place.as_str());
        thread.messages = messages;
        thread
    }
}

fn time(message: Option<&Message>) -> Option<Timestamp> {
    message?.time.as_ref().map(|time| time.at)
}

/// Sorts messages by time and splits them at silences. One without a time goes with those before it.
fn split(mut messages: Vec<Message>) -> Vec<Vec<Message>> {
    messages.sort_by_key(|message| time(Some(message)));
    let mut parts: Vec<Vec<Message>> = Vec::new();
    let mut last: Option<Timestamp> = None;
    for message in messages {
        let at = time(Some(&message));
        let is_near = match (last, at) {
            (Some(last), Some(at)) => at.as_second() - last.as_second() <= GAP_SECONDS,
            _ => !parts.is_empty(),
        };
        last = at.or(last);
        match parts.last_mut().filter(|_| is_near) {
            Some(part) => part.push(message),
            None => parts.push(vec![message]),
        }
    }
    parts
}

/// Splits the messages of a small chat.
pub(crate) fn by_gaps(id: &str, place: &str, messages: Vec<Message>) -> Vec<Thread> {
    let splitter = GapSplitter::new(id, place);
    split(messages).into_iter().map(|part| splitter.thread(part)).collect()
}
