//! OpenAI's chat completions, and the older completions of a text.

use everwhen::memory::Role;

use super::json::{self, Object};
use super::{Asked, Heard, Message, Own, Piece, Wording, joined, literals, role};

/// `/v1/chat/completions`
pub(crate) struct Chat;

impl Wording for Chat {
    fn read<'a>(&self, body: &'a str) -> Option<Asked<'a>> {
        let fields = Object::read(body)?;
        let messages = fields.items("messages").into_iter().filter_map(message).collect();
        let streams = fields.is_true("stream");
        Some(Asked::new(fields, messages, streams))
    }

    fn hear<'a>(&self, body: &'a str) -> Heard<'a> {
        if body == "[DONE]" {
            return Heard { is_last: true, ..Heard::default() };
        }
        let mut heard = Heard::default();
        let Some(fields) = Object::read(body) else { return heard };
        for choice in fields.items("choices") {
            let Some(choice) = Object::read(choice) else { continue };
            let said = choice.object("delta").or_else(|| choice.object("message"));
            let said = said.unwrap_or_default();
            let number = choice.number("index").unwrap_or(0);
            heard.finishes |= finishes(&choice, number);
            heard.pieces.extend(Piece::new(number, 0, said.get("content")));
            heard.tools.extend(said.items("tool_calls").into_iter().filter_map(tool));
            heard.ids.extend(call_ids(&said));
        }
        heard
    }
}

fn message(text: &str) -> Option<Message<'_>> {
    let fields = Object::read(text)?;
    let content = fields.get("content").unwrap_or("null");
    let literals = literals(content, &["text"]);
    Some(Message {
        role: role(&fields.text("role")?)?,
        speaker: fields.text("name"),
        text: joined(&literals),
        content,
        literals,
        tools: fields.items("tool_calls").into_iter().filter_map(tool).collect(),
        ids: call_ids(&fields),
        own: Own::All,
    })
}

/// Whether the first reply says why it ends.
fn finishes(choice: &Object<'_>, number: u64) -> bool {
    number == 0 && choice.text("finish_reason").is_some_and(|reason| !reason.is_empty())
}

/// Ids of the tool calls in a message, or of the one whose result it is.
pub(super) fn call_ids<'a>(message: &Object<'a>) -> Vec<std::borrow::Cow<'a, str>> {
    let calls = message.items("tool_calls").into_iter();
    let calls = calls.filter_map(|call| Object::read(call)?.text("id"));
    calls.chain(message.text("tool_call_id")).collect()
}

/// The name in a call of a tool.
pub(super) fn tool(call: &str) -> Option<std::borrow::Cow<'_, str>> {
    Object::read(call)?.object("function")?.text("name").filter(|name| !name.is_empty())
}

/// `/v1/completions`: one text to go on with. It may be code or half a sentence, so nothing is
/// added to it.
pub(crate) struct Completions;

impl Wording for Completions {
    fn read<'a>(&self, body: &'a str) -> Option<Asked<'a>> {
        let fields = Object::read(body)?;
        let messages = fields.get("prompt").and_then(prompt).into_iter().collect();
        let streams = fields.is_true("stream");
        Some(Asked::new(fields, messages, streams))
    }

    fn hear<'a>(&self, body: &'a str) -> Heard<'a> {
        if body == "[DONE]" {
            return Heard { is_last: true, ..Heard::default() };
        }
        let mut heard = Heard::default();
        let Some(fields) = Object::read(body) else { return heard };
        for choice in fields.items("choices").into_iter().filter_map(Object::read) {
            let number = choice.number("index").unwrap_or(0);
            heard.finishes |= finishes(&choice, number);
            heard.pieces.extend(Piece::new(number, 0, choice.get("text")));
        }
        heard
    }

    fn takes_additions(&self) -> bool {
        false
    }
}

/// A prompt that is one text; batches and tokens are nobody's words.
pub(super) fn prompt(content: &str) -> Option<Message<'_>> {
    Some(Message {
        role: Role::User,
        speaker: None,
        text: json::string(content)?,
        content,
        literals: vec![content],
        tools: Vec::new(),
        ids: Vec::new(),
        own: Own::All,
    })
}
