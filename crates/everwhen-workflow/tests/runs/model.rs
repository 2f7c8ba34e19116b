//! A model behind HTTP: it gives scripted answers, else it repeats what it got.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};

#[derive(Default)]
struct Notes {
    asked: Mutex<Vec<Value>>,
    says: Mutex<VecDeque<String>>,
}

/// The model.
#[derive(Clone)]
pub(crate) struct Model {
    pub(crate) url: String,
    notes: Arc<Notes>,
}

impl Model {
    /// Starts one on a port of its own.
    pub(crate) async fn start() -> Self {
        let notes = Arc::<Notes>::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let router = Router::new()
            .route("/v1/chat/completions", post(answer))
            .route("/v1/models", get(async || json!({"data": [{"id": "served"}]}).to_string()))
            .with_state(Arc::clone(&notes));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, notes }
    }

    /// What it says next.
    pub(crate) fn says(&self, text: &str) {
        self.notes.says.lock().unwrap().push_back(text.to_owned());
    }

    /// All requests.
    pub(crate) fn asked(&self) -> Vec<Value> {
        self.notes.asked.lock().unwrap().clone()
    }

    /// The last request's messages, as `role: content`.
    pub(crate) fn heard(&self) -> Vec<String> {
        let last = self.asked().pop().unwrap();
        let line = |message: &Value| {
            let text = |name: &str| message[name].as_str().unwrap().to_owned();
            format!("{}: {}", text("role"), text("content"))
        };
        last["messages"].as_array().unwrap().iter().map(line).collect()
    }
}

async fn answer(State(notes): State<Arc<Notes>>, body: String) -> Response {
    let asked: Value = serde_json::from_str(&body).unwrap();
    let last = asked["messages"].as_array().unwrap().last().unwrap()["content"].clone();
    let usual = format!("heard {} letters", last.as_str().unwrap().chars().count());
    notes.asked.lock().unwrap().push(asked);
    let text = notes.says.lock().unwrap().pop_front().unwrap_or(usual);
    if text == "(fail)" {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    let mut events: Vec<String> = text
        .split_inclusive(' ')
        .map(|piece| json!({"choices": [{"index": 0, "delta": {"content": piece}}]}).to_string())
        .collect();
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 5});
    events.push(json!({"choices": [], "usage": usage}).to_string());
    events.push("[DONE]".into());
    let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    ([(CONTENT_TYPE, "text/event-stream")], events).into_response()
}
