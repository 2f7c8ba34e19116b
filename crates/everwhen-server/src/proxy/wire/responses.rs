//! OpenAI's responses: items in, items out, and events that tell everything twice.

use std::borrow::Cow;

use everwhen::memory::Role;

use super::json::Object;
use super::openai::prompt;
use super::{Asked, Heard, Message, Own, Piece, Wording, joined, literals, role};

/// `/v1/responses`
pub(crate) struct Responses;

/// Types of parts that hold words.
const WORDS: [&str; 3] = ["input_text", "output_text", "text"];

impl Wording for Responses {
    fn read<'a>(&self, body: &'a str) -> Option<Asked<'a>> {
        let fields = Object::read(body)?;
        let (messages, called) = match fields.get("input") {
            Some(text) if text.starts_with('"') => (prompt(text).into_iter().collect(), Vec::new()),
            _ => items(fields.items("input")),
        };
        let (ids, streams) = (referred(&fields), fields.is_true("stream"));
        Some(Asked { called, ids, ..Asked::new(fields, messages, streams) })
    }

    fn hear<'a>(&self, body: &'a str) -> Heard<'a> {
        let Some(fields) = Object::read(body) else { return Heard::default() };
        match fields.text("type").as_deref() {
            Some("response.output_text.delta") => delta(&fields),
            Some("response.created") => Heard { ids: response_id(&fields), ..Heard::default() },
            Some("response.completed" | "response.incomplete" | "response.failed") => {
                Heard { is_last: true, ids: response_id(&fields), ..Heard::default() }
            }
            Some("response.output_item.added") => Heard {
                tools: fields.object("item").iter().filter_map(tool).collect(),
                ids: fields.object("item").iter().flat_map(item_ids).collect(),
                ..Heard::default()
            },
            Some(_) => Heard::default(),
            None => whole(&fields),
        }
    }

    fn text_part(&self) -> &'static str {
        "input_text"
    }

    fn tells_again(&self) -> bool {
        true
    }
}

/// The messages among items, each with the tools that were called before it since the one before;
/// and those called since the last.
fn items<'a>(items: Vec<&'a str>) -> (Vec<Message<'a>>, Vec<Cow<'a, str>>) {
    let (mut messages, mut called) = (Vec::new(), Vec::new());
    for text in items {
        let Some(mut message) = item(text) else {
            called.extend(Object::read(text).iter().filter_map(tool));
            continue;
        };
        let before = std::mem::take(&mut called);
        if message.role == Role::Assistant {
            message.tools = before;
        }
        messages.push(message);
    }
    (messages, called)
}

fn item(text: &str) -> Option<Message<'_>> {
    let fields = Object::read(text)?;
    if fields.text("type").is_some_and(|kind| kind != "message") {
        return None;
    }
    let content = fields.get("content").unwrap_or("null");
    let literals = literals(content, &WORDS);
    let role: Role = role(&fields.text("role")?)?;
    let text = joined(&literals);
    let ids = item_ids(&fields);
    Some(Message {
        role,
        speaker: None,
        text,
        content,
        literals,
        tools: Vec::new(),
        ids,
        own: Own::All,
    })
}

/// Ids that a request refers to beside its messages: an earlier response, items of one, tool calls
/// and their results.
fn referred<'a>(fields: &Object<'a>) -> Vec<Cow<'a, str>> {
    let is_message = |item: &Object<'_>| item.text("type").is_none_or(|kind| kind == "message");
    let items = fields.items("input").into_iter().filter_map(Object::read);
    let items = items.filter(|item| !is_message(item));
    fields
        .text("previous_response_id")
        .into_iter()
        .chain(items.flat_map(|item| item_ids(&item)))
        .collect()
}

fn item_ids<'a>(item: &Object<'a>) -> Vec<Cow<'a, str>> {
    item.text("id").into_iter().chain(item.text("call_id")).collect()
}

fn response_id<'a>(fields: &Object<'a>) -> Vec<Cow<'a, str>> {
    fields.object("response").and_then(|response| response.text("id")).into_iter().collect()
}

fn delta<'a>(fields: &Object<'a>) -> Heard<'a> {
    let place = |name| fields.number(name).unwrap_or(0);
    let part = part(place("output_index"), place("content_index"));
    let piece = Piece::new(0, part, fields.get("delta"));
    Heard { pieces: piece.into_iter().collect(), ..Heard::default() }
}

/// The place of a text among the parts of all items.
fn part(item: u64, content: u64) -> u64 {
    (item << 32) | content
}

fn whole<'a>(fields: &Object<'a>) -> Heard<'a> {
    let ids = fields.text("id").into_iter().collect();
    let mut heard = Heard { is_last: true, ids, ..Heard::default() };
    for (place, item) in (0..).zip(fields.items("output")) {
        let Some(item) = Object::read(item) else { continue };
        heard.tools.extend(tool(&item));
        heard.ids.extend(item_ids(&item));
        let Some(content) = item.get("content") else { continue };
        let pieces = (0..).zip(literals(content, &["output_text"]));
        let piece = |(at, literal)| Piece::new(0, part(place, at), Some(literal));
        heard.pieces.extend(pieces.filter_map(piece));
    }
    heard
}

fn tool<'a>(item: &Object<'a>) -> Option<Cow<'a, str>> {
    item.text("name").filter(|_| item.text("type").is_some_and(|kind| kind.ends_with("_call")))
}
