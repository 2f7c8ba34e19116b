//! Anthropic's messages: content in blocks, events with names.

use super::json::Object;
use super::{Asked, Heard, Message, Own, Piece, Wording, joined, literals, role};

/// `/v1/messages`
pub(crate) struct Messages;

impl Wording for Messages {
    fn read<'a>(&self, body: &'a str) -> Option<Asked<'a>> {
        let fields = Object::read(body)?;
        let messages = fields.items("messages").into_iter().filter_map(message).collect();
        let streams = fields.is_true("stream");
        Some(Asked::new(fields, messages, streams))
    }

    fn hear<'a>(&self, body: &'a str) -> Heard<'a> {
        let Some(fields) = Object::read(body) else { return Heard::default() };
        let part = fields.number("index").unwrap_or(0);
        match fields.text("type").as_deref() {
            Some("content_block_start") => Heard {
                tools: fields.object("content_block").iter().filter_map(tool).collect(),
                ids: fields.object("content_block").iter().filter_map(call_id).collect(),
                ..Heard::default()
            },
            Some("content_block_delta") => {
                let delta = fields.object("delta").unwrap_or_default();
                let piece = Piece::new(0, part, delta.get("text"));
                Heard { pieces: piece.into_iter().collect(), ..Heard::default() }
            }
            Some("message_stop") => Heard { is_last: true, ..Heard::default() },
            Some("message") => whole(&fields),
            _ => Heard::default(),
        }
    }
}

fn message(text: &str) -> Option<Message<'_>> {
    let fields = Object::read(text)?;
    let content = fields.get("content").unwrap_or("null");
    let literals = literals(content, &["text"]);
    let blocks = super::json::items(content).into_iter().filter_map(Object::read);
    let blocks: Vec<Object<'_>> = blocks.collect();
    Some(Message {
        role: role(&fields.text("role")?)?,
        speaker: None,
        text: joined(&literals),
        content,
        literals,
        tools: blocks.iter().filter_map(tool).collect(),
        ids: blocks.iter().filter_map(call_id).collect(),
        own: Own::All,
    })
}

fn whole<'a>(fields: &Object<'a>) -> Heard<'a> {
    let mut heard = Heard { is_last: true, ..Heard::default() };
    for (part, block) in (0..).zip(fields.items("content")) {
        let Some(block) = Object::read(block) else { continue };
        heard.tools.extend(tool(&block));
        heard.ids.extend(call_id(&block));
        heard.pieces.extend(Piece::new(0, part, block.get("text")));
    }
    heard
}

fn tool<'a>(block: &Object<'a>) -> Option<std::borrow::Cow<'a, str>> {
    block.text("name").filter(|_| block.text("type").is_some_and(|kind| kind == "tool_use"))
}

/// The id of a call of a tool, or of the call whose result a block is.
fn call_id<'a>(block: &Object<'a>) -> Option<std::borrow::Cow<'a, str>> {
    match block.text("type")?.as_ref() {
        "tool_use" => block.text("id"),
        "tool_result" => block.text("tool_use_id"),
        _ => None,
    }
}
