//! Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.json` (one document) or `.jsonl` (messages,
//! changes and rewinds, line by line).

use everwhen_engine::memory::Role;
use serde_json::Value;

use super::Source;
use crate::import::input::Document;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::{Branch, Message, Thread};

/// Gemini CLI.
pub(super) static SOURCE: Source = Source {
    name: "gemini-cli",
    title: "Gemini CLI",
    takes: "sessions (session-*.json, .jsonl) from ~/.gemini/tmp/*/chats",
    folders: &[".gemini/tmp"],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    let is_ours = |one: &Value| has(one, &["sessionId", "projectHash"]);
    Claim::when(sample.any(is_ours) || sample.any_line(is_ours))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        if document.file_name().ends_with(".jsonl") {
            lines(reading, document);
        } else if let Some(session) = reading.value(document) {
            let mut log = Log::default();
            log.meta(&session);
            for message in session["messages"].as_array().into_iter().flatten() {
                log.message(message.clone());
            }
            log.take(reading, document);
        }
        if reading.is_stopped() {
            return;
        }
    }
}

fn lines<'r>(reading: &mut Reading<'r>, document: &'r Document) {
    let mut log = Log::default();
    reading.lines(document, &mut |reading, _, line| log.line(reading, line));
    log.take(reading, document);
}

#[derive(Default)]
struct Log {
    id: String,
    title: Option<String>,
    began: Value,
    messages: Vec<Value>,
    rewound: Vec<Vec<Value>>,
}

impl Log {
    fn line(&mut self, reading: &mut Reading<'_>, line: Value) {
        if has(&line, &["sessionId"]) {
            self.meta(&line);
        } else if let Some(change) = line.get("$set") {
            self.meta(change);
            if let Some(all) = change["messages"].as_array() {
                self.messages.clone_from(all);
            }
        } else if let Some(to) = line["$rewindTo"].as_str() {
            let place = self.messages.iter().position(|message| message["id"].as_str() == Some(to));
            let gone = self.messages.split_off(place.unwrap_or(0));
            self.rewound.push(gone);
        } else if has(&line, &["type", "content"]) {
            self.message(line);
        } else {
            reading.leave_out("lines of an unknown type");
        }
    }

    fn meta(&mut self, meta: &Value) {
        if let Some(id) = meta["sessionId"].as_str() {
            id.clone_into(&mut self.id);
        }
        if let Some(title) = meta["summary"].as_str() {
            self.title = Some(title.to_owned());
        }
        if meta.get("startTime").is_some() {
            self.began = meta["startTime"].clone();
        }
    }

    /// A message replaces an earlier state of itself.
    fn message(&mut self, message: Value) {
        let id = message["id"].as_str().map(str::to_owned);
        let old =
            id.and_then(|id| self.messages.iter().position(|one| one["id"].as_str() == Some(&id)));
        match old {
            Some(old) => self.messages[old] = message,
            None => self.messages.push(message),
        }
    }

    fn take(self, reading: &mut Reading<'_>, document: &Document) {
        let mut thread = Thread::new(self.id.clone(), document.place.as_str());
        thread.title = self.title;
        thread.created = moment::of_value(&self.began);
        let mut said = |list: &[Value]| -> Vec<Message> {
            list.iter().filter_map(|one| message(reading, &self.id, one)).collect()
        };
        thread.messages = said(&self.messages);
        for gone in &self.rewound {
            let messages = said(gone);
            thread.branches.push(Branch { at: None, after: None, messages });
        }
        reading.take(thread);
    }
}

fn message(reading: &mut Reading<'_>, session: &str, message: &Value) -> Option<Message> {
    let role = match message["type"].as_str().unwrap_or_default() {
        "user" => Role::User,
        "gemini" | "assistant" | "model" => Role::Assistant,
        other => {
            reading.leave_out(&format!("messages of type {other}"));
            return None;
        }
    };
    let shown = message.get("displayContent").filter(|_| role == Role::User);
    let said = text::of_content(shown.unwrap_or(&message["content"]), &mut |_| {});
    let mut taken = Message::new(role, said, moment::of_value(&message["timestamp"]))
        .model(message["model"].as_str());
    taken.id = message["id"].as_str().map(|id| format!("{session}/{id}"));
    let tools = message["toolCalls"].as_array().into_iter().flatten();
    taken.tools = tools.filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect();
    Some(taken)
}
