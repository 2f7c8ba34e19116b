//! Ollama's chat and generate: a line of JSON for every piece, unless the client wants it whole.

use super::json::Object;
use super::openai::{call_ids, prompt, tool};
use super::{Asked, Heard, Message, Own, Piece, Wording, joined, literals, role};

/// `/api/chat`
pub(crate) struct OllamaChat;

impl Wording for OllamaChat {
    fn read<'a>(&self, body: &'a str) -> Option<Asked<'a>> {
        let fields = Object::read(body)?;
        let messages = fields.items("messages").into_iter().filter_map(message).collect();
        let streams = fields.get("stream") != Some("false");
        Some(Asked::new(fields, messages, streams))
    }

    fn hear<'a>(&self, body: &'a str) -> Heard<'a> {
        let Some(fields) = Object::read(body) else { return Heard::default() };
        let said = fields.object("message").unwrap_or_default();
        Heard {
            pieces: Piece::new(0, 0, said.get("content")).into_iter().collect(),
            tools: said.items("tool_calls").into_iter().filter_map(tool).collect(),
            ids: call_ids(&said),
            is_last: fields.is_true("done"),
            finishes: false,
        }
    }
}

fn message(text: &str) -> Option<Message<'_>> {
    let fields = Object::read(text)?;
    let words = literals(fields.get("content").unwrap_or("null"), &[]);
    Some(Message {
        role: role(&fields.text("role")?)?,
        speaker: None,
        text: joined(&words),
        content: text,
        literals: words,
        tools: fields.items("tool_calls").into_iter().filter_map(tool).collect(),
        ids: call_ids(&fields),
        own: Own::All,
    })
}

/// `/api/generate`
pub(crate) struct OllamaGenerate;

impl Wording for OllamaGenerate {
    fn read<'a>(&self, body: &'a str) -> Option<Asked<'a>> {
        let fields = Object::read(body)?;
        let prompt = fields.get("prompt").filter(|text| *text != "\"\"").and_then(prompt);
        let streams = fields.get("stream") != Some("false");
        Some(Asked::new(fields, prompt.into_iter().collect(), streams))
    }

    fn hear<'a>(&self, body: &'a str) -> Heard<'a> {
        let Some(fields) = Object::read(body) else { return Heard::default() };
        let pieces = Piece::new(0, 0, fields.get("response")).into_iter().collect();
        Heard { pieces, is_last: fields.is_true("done"), ..Heard::default() }
    }
}
