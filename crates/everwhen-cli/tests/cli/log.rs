//! The log never holds what people said, however much is logged and whichever store is used.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use everwhen_testkit::Cluster;
use serde_json::{Value, json};

use crate::stage::Stage;

/// Said and asked for below; in no log.
const SECRET: &str = "pneumothorax";
const ENTRIES: &str = "/v1/vaults/ana/memories/diary/entries";

fn post(server: &str, path: &str, body: &Value) {
    let address = server.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 20"), "{path}: {answer}");
}

/// What a server over this store logs at the lowest level while something is said and found.
fn log_over(store: &[&str]) -> String {
    let stage = Stage::new();
    let file = stage.home().join("log");
    let mut command = stage.command(&["serve", "--json", "--listen", "127.0.0.1:0", "--log"]);
    command.arg("trace").args(store).stdout(Stdio::piped()).stderr(File::create(&file).unwrap());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let hello: Value = serde_json::from_str(&line).expect("the server says where it is");
    let server = hello["url"].as_str().unwrap();
    let said = format!("My diagnosis is {SECRET}");
    post(server, ENTRIES, &json!({ "role": "user", "content": said }));
    let question = json!({ "query": format!("what about the {SECRET}?") });
    post(server, "/v1/vaults/ana/memories/diary/recall", &question);
    child.kill().unwrap();
    child.wait().unwrap();
    std::fs::read_to_string(file).unwrap()
}

#[test]
fn the_log_over_sqlite_never_holds_what_was_said() {
    let log = log_over(&[]);
    assert!(log.contains("status=201") && !log.contains(SECRET), "{log}");
}

#[test]
fn the_log_over_postgresql_never_holds_what_was_said() {
    let cluster = Cluster::start();
    let log = log_over(&["--store", &cluster.url()]);
    assert!(log.contains("status=201") && !log.contains(SECRET), "{log}");
}
