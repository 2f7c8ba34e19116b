//! The proxy as the binary runs it: a chat goes through, is kept, and can be watched.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::mpsc;

use crate::stage::{Stage, read_request};

const REPLY: &str =
    r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Noted."}}]}"#;

/// A model provider that says one thing; tells what it was sent.
pub(crate) fn upstream() -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (sender, heard) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let body = read_request(&mut stream);
            let length = REPLY.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
                 connection: close\r\n\r\n{REPLY}"
            );
            stream.write_all(head.as_bytes()).unwrap();
            if sender.send(body).is_err() {
                return;
            }
        }
    });
    (url, heard)
}

fn say(server: &str, text: &str) -> String {
    say_at(server, "/m/diary/v1/chat/completions", text)
}

/// Says something at a path; answers the whole response.
pub(crate) fn say_at(server: &str, path: &str, text: &str) -> String {
    let address = server.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let body = format!(r#"{{"model":"m","messages":[{{"role":"user","content":"{text}"}}]}}"#);
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_chat_goes_through_and_is_kept() {
    let stage = Stage::new();
    let (url, heard) = upstream();
    let server = stage.serve_before(&url);
    let answer = say(&server.url, "I have a dog.");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with(REPLY), "{answer}");
    assert!(answer.contains("x-everwhen-memory: diary\r\n"), "{answer}");
    let sent = heard.recv().unwrap();
    assert!(sent.contains(") I have a dog.") && sent.contains("[It is "), "{sent}");
    assert_eq!(server.terminate(), 0);
    let entries = stage.json(&["entries", "--memory", "diary"]);
    let said: Vec<&str> = entries["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["content"].as_str().unwrap())
        .collect();
    assert_eq!(said, ["Noted.", "I have a dog."], "newest first");
}

#[test]
fn the_tail_shows_what_happens() {
    let stage = Stage::new();
    let (url, _heard) = upstream();
    let server = stage.serve_before(&url);
    let mut tail = stage.command(&["tail"]);
    let mut tail = tail.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut notes = BufReader::new(tail.stderr.take().unwrap()).lines();
    let begun = notes.next().unwrap().unwrap();
    assert!(begun.contains("Watching the proxy"), "{begun}");
    say(&server.url, "hello");
    let mut lines = BufReader::new(tail.stdout.take().unwrap()).lines().map(Result::unwrap);
    let first = lines.next().unwrap();
    assert!(first.contains("diary (by path) → m at openai: 1 messages, 1 stamped"), "{first}");
    let mut more = String::new();
    while !more.contains('←') {
        more += &lines.next().unwrap();
    }
    assert!(more.contains("+ [It is ") && more.contains("← 6 characters"), "{more}");
    tail.kill().unwrap();
    tail.wait().unwrap();
}

#[test]
fn without_a_server_there_is_nothing_to_watch() {
    let stage = Stage::new();
    for code in [3, 1] {
        let ran = stage.run(&["tail"]);
        assert_eq!(ran.code, code);
        assert!(ran.stderr.contains("everwhen serve --upstream"), "{}", ran.stderr);
        stage.ok(&["remember", "hello"]);
    }
}
