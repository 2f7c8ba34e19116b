//! Graphiti and Zep: episodes, and facts between entities. Both have when it was true and when it was
//! stored.

use everwhen_engine::memory::Role;
use serde_json::Value;

use super::Source;
use crate::import::gaps::take_by_gaps;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::Message;

/// Graphiti and Zep.
pub(super) static SOURCE: Source = Source {
    name: "graphiti",
    title: "Graphiti / Zep",
    takes: "JSON of episodes ({\"uuid\", \"content\", \"valid_at\"}) or facts ({\"fact\", \"valid_at\"})",
    folders: &[],
    claims,
    read,
};

fn is_ours(one: &Value) -> bool {
    has(one, &["valid_at"]) && (has(one, &["content"]) || has(one, &["fact"]))
}

fn claims(sample: &Sample<'_>) -> Claim {
    let is_page = |one: &Value| {
        ["episodes", "edges", "facts"]
            .iter()
            .any(|field| one[*field].as_array().is_some_and(|all| all.iter().any(is_ours)))
    };
    Claim::when(sample.any(is_ours) || sample.any(is_page) || sample.any_line(is_ours))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let mut messages = Vec::new();
        if document.file_name().ends_with(".jsonl") {
            reading.lines(document, &mut |_, _, line| messages.push(message(&line)));
        } else {
            reading.elements(document, &["episodes", "edges", "facts"], &mut |_, _, _, one| {
                messages.push(message(&one));
            });
        }
        let group = "graphiti";
        take_by_gaps(reading, group, &document.place, messages);
    }
}

fn message(one: &Value) -> Message {
    let time = moment::of_value(&one["valid_at"]).or_else(|| moment::of_value(&one["created_at"]));
    let mut message = match one["fact"].as_str() {
        Some(fact) => {
            let mut message = Message::new(Role::User, fact, time);
            message.tags.push("fact".to_owned());
            message
        }
        None => episode(one["content"].as_str().unwrap_or_default(), one["source"].as_str(), time),
    };
    message.id = one["uuid"].as_str().map(str::to_owned);
    for name in ["created_at", "invalid_at", "expired_at", "group_id", "source_description"] {
        if let Some(value) = one.get(name).filter(|value| !value.is_null()) {
            message.more.insert(name.to_owned(), value.clone());
        }
    }
    message
}

/// An episode of messages says who speaks: `actor: text`.
fn episode(content: &str, source: Option<&str>, time: Option<moment::Moment>) -> Message {
    let speaker = content.split_once(':').filter(|(actor, _)| {
        source == Some("message") && !actor.is_empty() && actor.len() < 60 && !actor.contains('\n')
    });
    let Some((actor, said)) = speaker else { return Message::new(Role::User, content, time) };
    let (actor, role_in_brackets) = actor
        .split_once('(')
        .map_or((actor, None), |(name, role)| (name.trim(), Some(role.trim_end_matches(')'))));
    let role = role_in_brackets.and_then(text::role).or_else(|| text::role(actor));
    let name = text::role(actor).is_none().then_some(actor);
    Message::new(role.unwrap_or(Role::User), said.trim(), time).by(name)
}
