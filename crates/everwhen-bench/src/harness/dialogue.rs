//! Synthetic dialogue: deterministic, of ordinary length, with pauses between conversations.

use jiff::{SignedDuration, Timestamp};

const WORDS: [&str; 48] = [
    "about",
    "again",
    "airport",
    "always",
    "apple",
    "blue",
    "book",
    "bread",
    "bridge",
    "brother",
    "call",
    "cat",
    "city",
    "coffee",
    "dentist",
    "dinner",
    "doctor",
    "early",
    "evening",
    "family",
    "flight",
    "friend",
    "garden",
    "green",
    "house",
    "hotel",
    "interview",
    "later",
    "letter",
    "market",
    "meeting",
    "money",
    "morning",
    "mother",
    "music",
    "never",
    "office",
    "paper",
    "project",
    "rain",
    "river",
    "school",
    "sister",
    "station",
    "summer",
    "train",
    "weather",
    "window",
];

/// Messages in one conversation.
const PER_CONVERSATION: usize = 20;

/// The role, text and conversation_time of message number `index`.
pub(crate) struct Message {
    pub(crate) role: &'static str,
    pub(crate) content: String,
    pub(crate) time: Timestamp,
}

/// Message number `index`: 12 to 60 words, one a minute, two hours between conversations, from the
/// start of 2020 on.
pub(crate) fn message(index: usize) -> Message {
    let mut state = (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let length = 12 + next() % 49;
    let words: Vec<&str> =
        (0..length).map(|_| WORDS[(next() % WORDS.len() as u64) as usize]).collect();
    Message {
        role: if index.is_multiple_of(2) { "user" } else { "assistant" },
        content: words.join(" "),
        time: time(index),
    }
}

/// When message number `index` was said.
pub(crate) fn time(index: usize) -> Timestamp {
    let start = Timestamp::constant(1_577_836_800, 0);
    let conversations = (index / PER_CONVERSATION) as i64;
    // A million messages must fit between 2020 and now.
    let minutes = conversations * 60 + (index % PER_CONVERSATION) as i64;
    start + SignedDuration::from_mins(minutes)
}
