//! The SmartHole plugin for Obsidian: `data.json` with `conversationData` or the older
//! `conversationHistory`.

use serde_json::Value;

use super::Source;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample};
use crate::import::text;
use crate::import::thread::{Branch, Message, Thread};

/// The plugin.
pub(super) static SOURCE: Source = Source {
    name: "smarthole",
    title: "SmartHole (Obsidian)",
    takes: "data.json of the plugin, from .obsidian/plugins in the Obsidian vault",
    folders: &[],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    let is_ours = |one: &Value| {
        one["conversationData"].get("conversations").is_some()
            || one["conversationHistory"].get("recentConversations").is_some()
    };
    Claim::when(sample.any(is_ours))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let Some(data) = reading.value(document) else { continue };
        if let Some(list) = data["conversationData"]["conversations"].as_array() {
            for (index, one) in list.iter().enumerate() {
                let place = format!("{}: conversation {}", document.place, index + 1);
                conversation(reading, one, &place);
            }
        } else {
            history(reading, &data["conversationHistory"], &document.place);
        }
    }
}

fn conversation(reading: &mut Reading<'_>, one: &Value, place: &str) {
    let mut thread = Thread::new(one["id"].as_str().unwrap_or_default(), place);
    let failed = one["summary"].as_str() == Some("Summary generation failed.");
    thread.title = one["title"].as_str().filter(|_| !failed).map(str::to_owned);
    thread.summary = one["summary"].as_str().filter(|_| !failed).map(str::to_owned);
    thread.created = moment::of_value(&one["startedAt"]);
    thread.ended = moment::of_value(&one["endedAt"]).map(|ended| ended.at);
    thread.messages = messages(&one["messages"]);
    for branch in one["archivedBranches"].as_array().into_iter().flatten() {
        let at = moment::of_value(&branch["archivedAt"]).map(|time| time.at);
        thread.branches.push(Branch { at, after: None, messages: messages(&branch["messages"]) });
    }
    reading.take(thread);
}

fn messages(list: &Value) -> Vec<Message> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(|message| {
        let role = text::role(message["role"].as_str()?)?;
        let said = message["content"].as_str().unwrap_or_default();
        let mut taken = Message::new(role, said, moment::of_value(&message["timestamp"]));
        taken.id = message["id"].as_str().map(str::to_owned);
        taken.tools = tools(message);
        Some(taken)
    })
    .collect()
}

fn tools(message: &Value) -> Vec<String> {
    let tools = message["toolsUsed"].as_array().into_iter().flatten();
    tools.filter_map(|tool| tool.as_str().map(str::to_owned)).collect()
}

fn history(reading: &mut Reading<'_>, history: &Value, place: &str) {
    let mut thread = Thread::new("conv-migrated", place);
    thread.title = Some("Migrated Conversation History".to_owned());
    for one in history["recentConversations"].as_array().into_iter().flatten() {
        let time = moment::of_value(&one["timestamp"]);
        let id = one["id"].as_str().unwrap_or_default();
        for (role, field) in [("user", "userMessage"), ("assistant", "assistantResponse")] {
            let Some(role_here) = text::role(role) else { continue };
            let said = one[field].as_str().unwrap_or_default();
            let mut message =
                Message::new(role_here, said, time.clone()).id(format!("{id}-{role}"));
            if role == "assistant" {
                message.tools = tools(one);
            }
            thread.messages.push(message);
        }
    }
    reading.take(thread);
}
