//! OpenAI's responses: items in, items out, and events that tell everything twice.

use std::borrow::Cow;

use everwhen::memory::Role;

use super::json::Object;
use super::openai::prompt;
use super::{Asked, Heard, Message, Piece, Wording, joined, literals, role};

/// `/v1/responses`
pub(crate) struct Responses;

/// Types of parts that hold words.
const WORDS: [&str; 3] = ["input_text", "output_text", "text"];

impl Wording for Responses {
    fn read<'a>(&self, body: &'a str) -> Option<Asked<'a>> {
        let fields = Object::read(body)?;
        let messages = match fields.get("input") {
            Some(text) if text.starts_with('"') => prompt(text).into_iter().collect(),
            _ => fields.items("input").into_iter().filter_map(item).collect(),
        };
        Some(Asked { streams: fields.is_true("stream"), messages, fields })
    }

    fn hear<'a>(&self, body: &'a str) -> Heard<'a> {
        let Some(fields) = Object::read(body) else { return Heard::default() };
        match fields.text("type").as_deref() {
            Some("response.output_text.delta") => delta(&fields),
            Some("response.completed" | "response.incomplete" | "response.failed") => {
                Heard { is_last: true, ..Heard::default() }
            }
            Some("response.output_item.added") => Heard {
                tools: fields.object("item").iter().filter_map(tool).collect(),
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

fn item(text: &str) -> Option<Message<'_>> {
    let fields = Object::read(text)?;
    if fields.text("type").is_some_and(|kind| kind != "message") {
        return None;
    }
    let content = fields.get("content").unwrap_or("null");
    let literals = literals(content, &WORDS);
    let role: Role = role(&fields.text("role")?)?;
    let text = joined(&literals);
    Some(Message { role, speaker: None, text, content, literals, tools: Vec::new() })
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
    let mut heard = Heard { is_last: true, ..Heard::default() };
    for (place, item) in (0..).zip(fields.items("output")) {
        let Some(item) = Object::read(item) else { continue };
        heard.tools.extend(tool(&item));
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
