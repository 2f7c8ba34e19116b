//! OpenAI's responses: items in, items out, and events that repeat everything at the end.

use std::borrow::Cow;

use crate::format::{literals, prompt, role};
use crate::json::Object;
use crate::{ChatEndpoint, ChatFormat, Fragment, Message, RequestView, Role, TextPiece};

/// `POST /v1/responses`. Only OpenAI's kind has it: a request may go on from an earlier response by
/// its id alone, and what was said there is known to that upstream only.
pub(crate) static RESPONSES: ChatEndpoint = ChatEndpoint {
    name: "responses",
    path: "/responses",
    format: &Responses,
    is_translated: false,
    streams: None,
};

/// `/v1/responses`
struct Responses;

/// Types of parts that hold words.
const WORDS: [&str; 3] = ["input_text", "output_text", "text"];

impl ChatFormat for Responses {
    fn request<'a>(&self, body: &'a str) -> Option<RequestView<'a>> {
        let fields = Object::read(body)?;
        let (messages, called) = match fields.get("input") {
            Some(text) if text.starts_with('"') => (prompt(text).into_iter().collect(), Vec::new()),
            _ => items(fields.items("input")),
        };
        let (ids, streams) = (referred(&fields), fields.is_true("stream"));
        Some(RequestView { called, ids, ..RequestView::new(fields, messages, streams) })
    }

    fn reply<'a>(&self, body: &'a str) -> Fragment<'a> {
        let Some(fields) = Object::read(body) else { return Fragment::default() };
        match fields.text("type").as_deref() {
            Some("response.output_text.delta") => delta(&fields),
            Some("response.created") => {
                Fragment { ids: response_id(&fields), ..Fragment::default() }
            }
            Some("response.completed" | "response.incomplete" | "response.failed") => {
                Fragment { is_last: true, ids: response_id(&fields), ..Fragment::default() }
            }
            Some("response.output_item.added") => Fragment {
                tools: fields.object("item").iter().filter_map(tool).collect(),
                ids: fields.object("item").iter().flat_map(item_ids).collect(),
                ..Fragment::default()
            },
            Some(_) => Fragment::default(),
            None => whole(&fields),
        }
    }

    fn text_part(&self) -> &'static str {
        "{\"type\":\"input_text\",\"text\":"
    }

    fn repeats_text(&self) -> bool {
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
    let role = role(&fields.text("role")?)?;
    let message = Message::new(role, content, literals(content, &WORDS));
    Some(Message { ids: item_ids(&fields), ..message })
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

fn delta<'a>(fields: &Object<'a>) -> Fragment<'a> {
    let place = |name| fields.number(name).unwrap_or(0);
    let part = part(place("output_index"), place("content_index"));
    let piece = TextPiece::new(0, part, fields.get("delta"));
    Fragment { pieces: piece.into_iter().collect(), ..Fragment::default() }
}

/// The place of a text among the parts of all items.
fn part(item: u64, content: u64) -> u64 {
    (item << 32) | content
}

fn whole<'a>(fields: &Object<'a>) -> Fragment<'a> {
    let ids = fields.text("id").into_iter().collect();
    let mut fragment = Fragment { is_last: true, ids, ..Fragment::default() };
    for (place, item) in (0..).zip(fields.items("output")) {
        let Some(item) = Object::read(item) else { continue };
        fragment.tools.extend(tool(&item));
        fragment.ids.extend(item_ids(&item));
        let Some(content) = item.get("content") else { continue };
        let pieces = (0..).zip(literals(content, &["output_text"]));
        let piece = |(at, literal)| TextPiece::new(0, part(place, at), Some(literal));
        fragment.pieces.extend(pieces.filter_map(piece));
    }
    fragment
}

fn tool<'a>(item: &Object<'a>) -> Option<Cow<'a, str>> {
    item.text("name").filter(|_| item.text("type").is_some_and(|kind| kind.ends_with("_call")))
}
