//! One message of the protocol: what the transport has to know about it, and its answer.

use everwhen::protocols::{EventReader, Framing};
use serde_json::{Value, json};

use super::lines::{InputLine, LONGEST};
use crate::client::{Reply, Request};

/// Not JSON.
const PARSE_ERROR: i64 = -32700;
/// JSON, but not a message.
const INVALID_REQUEST: i64 = -32600;
/// The message could not be delivered.
const INTERNAL_ERROR: i64 = -32603;
/// Where a request declares its protocol version.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// A message of the client, or why a line is not one.
pub(super) enum Message {
    Known(Value),
    Unreadable(i64, String),
}

impl Message {
    /// Parses a line; returns its text, too. A blank line is no message.
    pub(super) fn of(line: InputLine) -> Option<(Self, String)> {
        let unreadable = |code, why| Some((Self::Unreadable(code, why), String::new()));
        let InputLine::Whole(bytes) = line else {
            let most = LONGEST / (1024 * 1024);
            return unreadable(INVALID_REQUEST, format!("a line is longer than {most} MiB"));
        };
        match String::from_utf8(bytes) {
            Ok(line) if line.trim().is_empty() => None,
            Ok(line) => Some((Self::read(&line), line)),
            Err(error) => {
                let place = error.utf8_error().valid_up_to();
                unreadable(PARSE_ERROR, format!("not UTF-8, from byte {place} on"))
            }
        }
    }

    /// Parses the text of a line.
    fn read(line: &str) -> Self {
        match serde_json::from_str(line) {
            Ok(message @ Value::Object(_)) => Self::Known(message),
            Ok(_) => Self::Unreadable(INVALID_REQUEST, "send one message a line".into()),
            Err(error) => Self::Unreadable(PARSE_ERROR, format!("not JSON: {error}")),
        }
    }

    /// The id of a request, as text; notifications have none.
    pub(super) fn id(&self) -> Option<String> {
        match self {
            Self::Known(message) => message.get("id").map(Value::to_string),
            Self::Unreadable(..) => None,
        }
    }

    /// The id of the request that this message cancels.
    pub(super) fn cancels(&self) -> Option<String> {
        let Self::Known(message) = self else { return None };
        let cancelled = message["method"] == "notifications/cancelled";
        cancelled.then(|| message["params"]["requestId"].to_string())
    }

    /// Whether it initializes a session of an older protocol version, where the version is
    /// negotiated once.
    pub(super) fn is_greeting(&self) -> bool {
        matches!(self, Self::Known(message) if message["method"] == "initialize")
    }

    /// The message as a request to `/mcp`, with the headers that intermediaries read.
    pub(super) fn request(
        &self,
        line: String,
        address: Request,
        agreed: Option<String>,
    ) -> Result<Request, String> {
        let message = match self {
            Self::Known(message) => message,
            Self::Unreadable(code, why) => return Err(refusal(None, *code, why)),
        };
        let text = |value: &Value| value.as_str().map(ToOwned::to_owned);
        let params = &message["params"];
        let own = text(&params["_meta"][VERSION]);
        let name = ["name", "uri", "taskId"].iter().find_map(|key| text(&params[*key]));
        Ok(address
            .body(line)
            .header("accept", Some("application/json, text/event-stream".into()))
            .header("mcp-protocol-version", own.or(agreed))
            .header("mcp-method", text(&message["method"]).filter(|method| is_plain(method)))
            .header("mcp-name", name.map(|name| header_value(&name))))
    }

    /// The messages in the response, or an error message if there is none.
    pub(super) fn answers(&self, reply: &Reply) -> Vec<String> {
        let answers: Vec<String> = match reply.is_stream {
            true => events(&reply.text),
            false => one_line(&reply.text)
                .filter(|text| text.contains("\"jsonrpc\""))
                .into_iter()
                .collect(),
        };
        if answers.is_empty() && self.id().is_some() {
            let problem: Value = serde_json::from_str(&reply.text).unwrap_or_default();
            let plain = || format!("the server answered {} {}", reply.status, reply.text);
            let why = problem["detail"].as_str().map_or_else(plain, ToOwned::to_owned);
            return self.failed(&why);
        }
        answers
    }

    /// The error message when the request failed. Notifications get none.
    pub(super) fn failed(&self, why: &str) -> Vec<String> {
        match self {
            Self::Known(message) => {
                let id = message.get("id").cloned();
                id.map(|id| refusal(Some(id), INTERNAL_ERROR, why)).into_iter().collect()
            }
            Self::Unreadable(code, why) => vec![refusal(None, *code, why)],
        }
    }
}

/// The version that the answer to an initialization agrees on.
pub(super) fn agreed_version(answer: &str) -> Option<String> {
    let answer: Value = serde_json::from_str(answer).ok()?;
    answer["result"]["protocolVersion"].as_str().map(ToOwned::to_owned)
}

fn refusal(id: Option<Value>, code: i64, why: &str) -> String {
    let error = json!({ "code": code, "message": why });
    json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()
}

/// The messages of an event stream.
fn events(stream: &str) -> Vec<String> {
    let mut reader = EventReader::new(Framing::Sse);
    reader.push(stream.as_bytes());
    reader.push(b"\n\n");
    let events = std::iter::from_fn(|| reader.next_event());
    let messages = events.filter_map(|event| {
        let event = String::from_utf8_lossy(&event);
        Framing::Sse.data(&event).filter(|text| !text.is_empty()).and_then(one_line)
    });
    messages.collect()
}

/// A document without line breaks: a message must be one line.
fn one_line(text: &str) -> Option<String> {
    if !text.contains('\n') {
        return Some(text.to_owned());
    }
    serde_json::from_str::<Value>(text).ok().map(|value| value.to_string())
}

fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

/// A header value as the protocol requires it: as it is, or as base64.
fn header_value(text: &str) -> String {
    use base64::Engine as _;
    let safe = is_plain(text) && text.trim() == text && !text.starts_with("=?base64?");
    match safe {
        true => text.to_owned(),
        false => format!("=?base64?{}?=", base64::prelude::BASE64_STANDARD.encode(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_message_is_answered_as_the_protocol_says() {
        for (line, code) in [("{", PARSE_ERROR), ("[]", INVALID_REQUEST), ("1", INVALID_REQUEST)] {
            let answers = Message::read(line).failed("");
            let answer: Value = serde_json::from_str(&answers[0]).unwrap();
            assert_eq!(answer["error"]["code"], code, "{line}");
            assert!(answer["id"].is_null());
        }
    }

    #[test]
    fn a_stream_is_unpacked_into_lines() {
        let stream = "id: 0\ndata:\n\nevent: message\ndata: {\"jsonrpc\": \"2.0\"}\n\n";
        assert_eq!(events(stream), ["{\"jsonrpc\": \"2.0\"}"]);
    }

    #[test]
    fn names_that_no_header_can_carry_are_wrapped() {
        assert_eq!(header_value("add_entry"), "add_entry");
        assert_eq!(
            header_value("everwhen://timeline/日"),
            "=?base64?ZXZlcndoZW46Ly90aW1lbGluZS/ml6U=?="
        );
    }

    #[test]
    fn notifications_are_told_nothing() {
        let message = Message::read(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
        assert!(message.failed("no server").is_empty());
        let cancel = r#"{"method": "notifications/cancelled", "params": {"requestId": 7}}"#;
        assert_eq!(Message::read(cancel).cancels().as_deref(), Some("7"));
    }
}
