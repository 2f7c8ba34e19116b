//! A chat as a program keeps it, written in each of the languages that clients speak.

use serde_json::{Value, json};

use crate::recorder::{Script, completion};

/// A language of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    Chat,
    Messages,
    Responses,
    Ollama,
    Gemini,
}

/// One message of a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line {
    User(String),
    Assistant(String),
    /// The assistant calls the tool `look`, by this id.
    Call(String),
    /// What the tool answered.
    Result(String),
}

impl Wire {
    pub(crate) const ALL: [Self; 5] =
        [Self::Chat, Self::Messages, Self::Responses, Self::Ollama, Self::Gemini];

    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Chat => "/v1/chat/completions",
            Self::Messages => "/v1/messages",
            Self::Responses => "/v1/responses",
            Self::Ollama => "/api/chat",
            Self::Gemini => "/v1beta/models/m:generateContent",
        }
    }

    /// The field with the messages.
    pub(crate) fn list(self) -> &'static str {
        match self {
            Self::Responses => "input",
            Self::Gemini => "contents",
            Self::Chat | Self::Messages | Self::Ollama => "messages",
        }
    }

    /// A request with this history.
    pub(crate) fn request(self, lines: &[Line]) -> String {
        let mut call = String::new();
        let mut messages = Vec::new();
        for line in lines {
            if let Line::Call(id) = line {
                call.clone_from(id);
            }
            messages.push(self.message(line, &call));
        }
        if self == Self::Gemini {
            return json!({ self.list(): messages }).to_string();
        }
        json!({ "model": "m", "stream": false, self.list(): messages }).to_string()
    }

    fn message(self, line: &Line, call: &str) -> Value {
        match (self, line) {
            (Self::Gemini, line) => content(line, call),
            (Self::Responses, Line::Assistant(text)) => {
                let content = json!([{ "type": "output_text", "text": text }]);
                json!({ "type": "message", "role": "assistant", "content": content })
            }
            (_, Line::User(text)) => json!({ "role": "user", "content": text }),
            (_, Line::Assistant(text)) => json!({ "role": "assistant", "content": text }),
            (Self::Chat, Line::Call(id)) => {
                json!({ "role": "assistant", "content": null, "tool_calls": [called(id)] })
            }
            (Self::Chat, Line::Result(text)) => {
                json!({ "role": "tool", "tool_call_id": call, "content": text })
            }
            (Self::Messages, Line::Call(id)) => {
                let block = json!({ "type": "tool_use", "id": id, "name": "look", "input": {} });
                json!({ "role": "assistant", "content": [block] })
            }
            (Self::Messages, Line::Result(text)) => {
                let block = json!({ "type": "tool_result", "tool_use_id": call, "content": text });
                json!({ "role": "user", "content": [block] })
            }
            (Self::Responses, Line::Call(id)) => {
                json!({ "type": "function_call", "call_id": id, "name": "look", "arguments": "{}" })
            }
            (Self::Responses, Line::Result(text)) => {
                json!({ "type": "function_call_output", "call_id": call, "output": text })
            }
            (Self::Ollama, Line::Call(_)) => {
                let call = json!({ "function": { "name": "look", "arguments": {} } });
                json!({ "role": "assistant", "content": "", "tool_calls": [call] })
            }
            (Self::Ollama, Line::Result(text)) => {
                json!({ "role": "tool", "tool_name": "look", "content": text })
            }
        }
    }

    /// A whole answer that says this, or calls the tool.
    pub(crate) fn answer(self, line: &Line) -> Script {
        let body = match (self, line) {
            (Self::Chat, Line::Call(id)) => {
                let mut body = completion("");
                body["choices"][0]["message"] =
                    json!({ "role": "assistant", "content": null, "tool_calls": [called(id)] });
                body
            }
            (Self::Chat, line) => completion(line.text()),
            (Self::Messages, line) => {
                let block = match line {
                    Line::Call(_) => self.message(line, "")["content"][0].clone(),
                    line => json!({ "type": "text", "text": line.text() }),
                };
                json!({ "type": "message", "role": "assistant", "content": [block] })
            }
            (Self::Responses, line) => {
                json!({ "object": "response", "output": [self.message(line, "")] })
            }
            (Self::Ollama, line) => {
                let message = self.message(line, "");
                json!({ "model": "m", "message": message, "done": true })
            }
            (Self::Gemini, line) => {
                let candidate = json!({ "content": content(line, ""), "finishReason": "STOP" });
                json!({ "candidates": [candidate], "modelVersion": "m" })
            }
        };
        Script::json(200, &body)
    }
}

/// A message as Gemini has it.
fn content(line: &Line, call: &str) -> Value {
    let (role, part) = match line {
        Line::User(text) => ("user", json!({ "text": text })),
        Line::Assistant(text) => ("model", json!({ "text": text })),
        Line::Call(id) => {
            ("model", json!({ "functionCall": { "id": id, "name": "look", "args": {} } }))
        }
        Line::Result(text) => {
            let response = json!({ "result": text });
            let result = json!({ "id": call, "name": "look", "response": response });
            ("user", json!({ "functionResponse": result }))
        }
    };
    json!({ "role": role, "parts": [part] })
}

fn called(id: &str) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": "look", "arguments": "{}" } })
}

impl Line {
    pub(crate) fn text(&self) -> &str {
        let (Self::User(text) | Self::Assistant(text) | Self::Call(text) | Self::Result(text)) =
            self;
        text
    }
}
