//! A chat as a front end has it: its history goes along with every request.

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::harness::filler;

/// Words of a message.
const WORDS: usize = 20;

/// A history of a fixed length: as it grows at its end, it is cut at its front.
pub(super) struct Chat {
    called: String,
    messages: VecDeque<(&'static str, String)>,
    most: usize,
    said: usize,
}

impl Chat {
    /// A chat with a history, so long that requests have `most` messages.
    pub(super) fn new(called: &str, most: usize) -> Self {
        let mut chat = Self { called: called.to_owned(), messages: VecDeque::new(), most, said: 0 };
        while chat.messages.len() + 1 < most {
            let role = if chat.messages.len() % 2 == most % 2 { "assistant" } else { "user" };
            chat.say(role);
        }
        chat
    }

    /// The next request: one more message of the user.
    pub(super) fn ask(&mut self, model: &str) -> String {
        self.say("user");
        let message = |(role, content): &(&str, String)| json!({"role": role, "content": content});
        let messages: Vec<Value> = self.messages.iter().map(message).collect();
        json!({ "model": model, "stream": true, "messages": messages }).to_string()
    }

    /// The reply.
    pub(super) fn add_reply(&mut self, reply: String) {
        self.push("assistant", reply);
    }

    fn say(&mut self, role: &'static str) {
        self.said += 1;
        let said = filler::text(self.said);
        let said: Vec<&str> = said.split(' ').take(WORDS).collect();
        self.push(role, format!("{} {}: {}", self.called, self.said, said.join(" ")));
    }

    fn push(&mut self, role: &'static str, content: String) {
        self.messages.push_back((role, content));
        while self.messages.len() > self.most {
            self.messages.pop_front();
        }
    }
}
