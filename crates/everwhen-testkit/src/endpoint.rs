//! A model provider of OpenAI's kind on this machine, which gives the answers of the test and
//! remembers what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

/// What a provider does with a request.
#[derive(Debug, Clone)]
pub enum ModelReply {
    /// The model says this.
    Text(String),
    /// The provider answers with this status and body.
    Status(u16, String),
    /// Nothing is said for so long; then the connection ends.
    Silence(Duration),
}

type RequestScript = dyn Fn(&Value) -> ModelReply + Send + Sync;

/// A provider that answers as long as the test runs.
pub struct ModelEndpoint {
    /// Where it is.
    pub url: String,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl ModelEndpoint {
    /// A provider that answers with what `script` makes of the request's body.
    pub fn start(script: impl Fn(&Value) -> ModelReply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("it is bound");
        let asked = Arc::<Mutex<Vec<Value>>>::default();
        let (script, heard): (Arc<RequestScript>, _) = (Arc::new(script), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, heard) = (Arc::clone(&script), Arc::clone(&heard));
                // A client that goes away is not the provider's trouble.
                std::thread::spawn(move || drop(answer(stream, &*script, &heard)));
            }
        });
        Self { url: format!("http://{address}/v1"), asked }
    }

    /// The bodies of what it was asked, in order.
    pub fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn answer(
    stream: TcpStream,
    script: &RequestScript,
    heard: &Mutex<Vec<Value>>,
) -> std::io::Result<()> {
    let body = read_body(&stream)?;
    heard.lock().unwrap_or_else(PoisonError::into_inner).push(body.clone());
    match script(&body) {
        ModelReply::Text(text) => send(stream, 200, &completion(&text)),
        ModelReply::Status(status, body) => send(stream, status, &body),
        ModelReply::Silence(length) => {
            std::thread::sleep(length);
            Ok(())
        }
    }
}

/// The JSON that a request carries.
fn read_body(stream: &TcpStream) -> std::io::Result<Value> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(number) = line.strip_prefix("content-length:") {
            length = number.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

fn completion(text: &str) -> String {
    let message = json!({ "role": "assistant", "content": text });
    let choice = json!({ "index": 0, "finish_reason": "stop", "message": message });
    let usage = json!({ "prompt_tokens": 10, "completion_tokens": 5 });
    json!({ "model": "scripted", "choices": [choice], "usage": usage }).to_string()
}

fn send(mut stream: TcpStream, status: u16, body: &str) -> std::io::Result<()> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post(endpoint: &ModelEndpoint, body: &str) -> String {
        let host = endpoint.url.trim_start_matches("http://").trim_end_matches("/v1");
        let mut stream = TcpStream::connect(host).unwrap();
        let length = body.len();
        write!(
            stream,
            "POST /v1/chat/completions HTTP/1.1\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn says_what_it_is_told_to_and_remembers_what_it_was_asked() {
        let endpoint = ModelEndpoint::start(|body| match body["n"].as_u64() {
            Some(1) => ModelReply::Text("yes".into()),
            Some(2) => ModelReply::Status(429, "later".into()),
            _ => ModelReply::Silence(Duration::from_millis(1)),
        });
        assert!(post(&endpoint, r#"{"n": 1}"#).contains(r#""content":"yes""#));
        let refused = post(&endpoint, r#"{"n": 2}"#);
        assert!(refused.starts_with("HTTP/1.1 429 ") && refused.ends_with("\r\n\r\nlater"));
        assert_eq!(post(&endpoint, r#"{"n": 3}"#), "");
        assert_eq!(endpoint.asked()[1], json!({ "n": 2 }));
    }
}
