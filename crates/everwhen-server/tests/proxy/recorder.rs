//! An upstream that writes down every byte it is sent, and answers what it was told to answer.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// What an upstream was sent.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Sent {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// What it answers.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, &'static str)>,
    pub(crate) pieces: Vec<String>,
    /// Whether it goes on for ever after that.
    pub(crate) hangs: bool,
    /// Whether the connection breaks after that.
    pub(crate) breaks: bool,
}

impl Script {
    /// A whole answer.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            headers: vec![("content-type", "application/json")],
            pieces: vec![body.to_string()],
            hangs: false,
            breaks: false,
        }
    }

    /// A whole answer of which only the beginning comes, before the connection breaks.
    pub(crate) fn cut(body: &Value, bytes: usize) -> Self {
        let whole = Self::json(200, body);
        let came = whole.pieces[0][..bytes].to_owned();
        Self { pieces: vec![came], breaks: true, ..whole }
    }

    /// Events of this type, each in a piece of its own.
    pub(crate) fn stream(kind: &'static str, pieces: &[&str]) -> Self {
        let pieces = pieces.iter().map(ToString::to_string).collect();
        Self {
            status: 200,
            headers: vec![("content-type", kind)],
            pieces,
            hangs: false,
            breaks: false,
        }
    }

    /// OpenAI's events that say these pieces.
    pub(crate) fn says(pieces: &[&str]) -> Self {
        let mut events: Vec<String> = pieces.iter().map(|text| delta(text)).collect();
        events.push("data: [DONE]\n\n".into());
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        Self::stream("text/event-stream", &events)
    }
}

/// One of OpenAI's events.
pub(crate) fn delta(text: &str) -> String {
    let event = json!({ "choices": [{ "index": 0, "delta": { "content": text } }] });
    format!("data: {event}\n\n")
}

/// OpenAI's whole reply.
pub(crate) fn completion(text: &str) -> Value {
    let message = json!({ "role": "assistant", "content": text });
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
    })
}

/// Gemini's whole reply.
pub(crate) fn gemini(text: &str) -> Value {
    let content = json!({ "role": "model", "parts": [{ "text": text }] });
    json!({
        "candidates": [{ "content": content, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18 },
        "modelVersion": "gemini-2.5-flash", "responseId": "r1",
    })
}

#[derive(Default)]
struct Notes {
    sent: Mutex<Vec<Sent>>,
    scripts: Mutex<VecDeque<Script>>,
    asked: watch::Sender<usize>,
    dropped: watch::Sender<usize>,
}

/// The upstream.
#[derive(Clone)]
pub(crate) struct Recorder {
    pub(crate) url: String,
    notes: Arc<Notes>,
}

impl Recorder {
    /// Starts one on a port of its own.
    pub(crate) async fn start() -> Self {
        let notes = Arc::<Notes>::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer).with_state(Arc::clone(&notes));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, notes }
    }

    /// What it answers next; afterwards it says "Noted.".
    pub(crate) fn answers(&self, script: Script) {
        self.notes.scripts.lock().unwrap().push_back(script);
    }

    /// Everything it was sent.
    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.notes.sent.lock().unwrap().clone()
    }

    /// The last thing it was sent.
    pub(crate) fn last(&self) -> Sent {
        self.notes.sent.lock().unwrap().last().unwrap().clone()
    }

    /// How many answers were cut off by the other side.
    pub(crate) fn dropped(&self) -> usize {
        *self.notes.dropped.borrow()
    }

    /// Waits until an answer was cut off by the other side.
    pub(crate) async fn was_dropped(&self) {
        self.notes.dropped.subscribe().wait_for(|count| *count > 0).await.unwrap();
    }

    /// Waits until it is sent a request that comes after this was asked for.
    pub(crate) fn next_asked(&self) -> impl Future<Output = ()> + use<> {
        let mut asked = self.notes.asked.subscribe();
        async move { asked.changed().await.unwrap() }
    }
}

async fn answer(State(notes): State<Arc<Notes>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let path = parts.uri.path_and_query().unwrap().to_string();
    let usual = usual(&path);
    notes.sent.lock().unwrap().push(Sent {
        method: parts.method.to_string(),
        path,
        headers: parts.headers,
        body: String::from_utf8(body.to_vec()).unwrap(),
    });
    notes.asked.send_modify(|count| *count += 1);
    let script = notes.scripts.lock().unwrap().pop_front().unwrap_or(usual);
    let mut response = Response::builder().status(StatusCode::from_u16(script.status).unwrap());
    for (name, value) in script.headers.clone() {
        response = response.header(name, value);
    }
    response.body(body_of(script, notes)).unwrap()
}

/// Notices when it is dropped before its end.
struct Watch {
    notes: Arc<Notes>,
    has_ended: bool,
}

impl Drop for Watch {
    fn drop(&mut self) {
        if !self.has_ended {
            self.notes.dropped.send_modify(|count| *count += 1);
        }
    }
}

fn body_of(script: Script, notes: Arc<Notes>) -> Body {
    let pieces: VecDeque<String> = script.pieces.into();
    let state = (pieces, Watch { notes, has_ended: false }, script.hangs, script.breaks);
    Body::from_stream(stream::unfold(state, |(mut pieces, mut watch, hangs, breaks)| async move {
        tokio::time::sleep(Duration::from_millis(1)).await;
        let Some(piece) = pieces.pop_front() else {
            if hangs {
                std::future::pending::<()>().await;
            }
            if breaks {
                // What was sent has to arrive before the connection goes.
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            watch.has_ended = true;
            let error = Err(std::io::Error::other("the upstream died"));
            return breaks.then_some((error, (pieces, watch, hangs, breaks)));
        };
        Some((Ok::<Bytes, std::io::Error>(piece.into()), (pieces, watch, hangs, breaks)))
    }))
}

fn usual(path: &str) -> Script {
    let body = match path.split('?').next().unwrap() {
        "/v1/chat/completions" => completion("Noted."),
        "/v1/completions" => json!({ "choices": [{ "index": 0, "text": "Noted." }] }),
        "/v1/messages" => {
            let content = json!([{ "type": "text", "text": "Noted." }]);
            json!({ "type": "message", "role": "assistant", "content": content })
        }
        "/v1/responses" => {
            let content = json!([{ "type": "output_text", "text": "Noted." }]);
            json!({ "object": "response", "output": [{ "type": "message", "content": content }] })
        }
        "/api/chat" => {
            let message = json!({ "role": "assistant", "content": "Noted." });
            json!({ "model": "m", "created_at": "2025-06-01T12:00:00Z", "message": message, "done": true })
        }
        "/v1/models" => json!({ "data": [{ "id": "m-1" }] }),
        "/far/v1/models" => json!({ "data": [{ "id": "m-2" }] }),
        "/api/tags" => json!({ "models": [{ "name": "m-3", "model": "m-3" }] }),
        path if path.ends_with(":generateContent") => gemini("Noted."),
        path if path.ends_with(":countTokens") => json!({ "totalTokens": 7 }),
        "/v1beta/models" => json!({ "models": [{ "name": "models/m-4", "displayName": "M 4" }] }),
        "/api/generate" => json!({ "response": "Noted.", "done": true }),
        path => json!({ "path": path }),
    };
    Script::json(200, &body)
}
