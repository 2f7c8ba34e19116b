//! How much all requests together may take.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::stage::{CHAT, ENTRIES, Stage, read};

const JSON: (&str, &str) = ("Content-Type", "application/json");
const MEGABYTE: usize = 1 << 20;

/// A request whose body is so long and never ends.
async fn unfinished(stage: &Stage, bytes: usize) -> TcpStream {
    let mut client = stage.connect().await;
    let head = format!(
        "POST {ENTRIES} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        bytes + 1
    );
    client.write_all(head.as_bytes()).await.unwrap();
    // The server may refuse in the middle of it.
    let _ = client.write_all(&vec![b' '; bytes]).await;
    client
}

#[tokio::test]
async fn unfinished_bodies_do_not_fill_the_memory() {
    let stage = Stage::with("[server]\nmax_buffered_mb = 8\n").await;
    let mut answers = JoinSet::new();
    for _ in 0..16 {
        let mut client = unfinished(&stage, 3 * MEGABYTE).await;
        answers.spawn(async move { read(&mut client).await });
    }
    // Two of these bodies fit into 8 MiB; they wait for the rest of theirs.
    for _ in 0..14 {
        let response = answers.join_next().await.unwrap().unwrap();
        assert_eq!(response.status, 503, "{response:?}");
        assert_eq!(response.header("retry-after"), Some("1"), "{response:?}");
    }
    let response =
        stage.ask("POST", ENTRIES, &[JSON], r#"{"role":"user","content":"small"}"#).await;
    assert_eq!(response.status, 201, "small requests go on: {}", response.body);
    answers.abort_all();
    let large = format!(r#"{{"role":"user","content":"hi"{}}}"#, " ".repeat(7 * MEGABYTE));
    let mut status = 0;
    while status != 201 {
        status = stage.ask("POST", ENTRIES, &[JSON], &large).await.status;
        assert!([201, 503].contains(&status), "the memory is free once the clients are gone");
    }
}

#[tokio::test]
async fn requests_beyond_the_limit_are_told_to_come_back() {
    let stage = Stage::with("[server]\nmax_requests = 2\n").await;
    let mut watching = Vec::new();
    for _ in 0..2 {
        let mut client = stage.connect().await;
        client.write_all(b"GET /proxy/tail HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
        let mut first = [0; 12];
        client.read_exact(&mut first).await.unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
        watching.push(client);
    }
    for (path, body) in [(ENTRIES, "{}"), ("/v1/chat/completions", CHAT), ("/mcp", "{}")] {
        let response = stage.ask("POST", path, &[JSON], body).await;
        assert_eq!((response.status, response.header("retry-after")), (503, Some("1")), "{path}");
        assert!(response.body.contains("2 requests"), "{}", response.body);
    }
    assert_eq!(stage.ask("GET", "/healthz", &[], "").await.status, 200, "it still lives");
    drop(watching);
    while stage.ask("GET", "/v1/vaults", &[], "").await.status != 200 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_upstream_that_never_answers_is_given_up() {
    let stage = Stage::with(
        "[[upstream]]\nbase_url = 'UPSTREAM/v1'\nkind = 'openai'\nname = 'u'\ntimeout_s = 1\n",
    )
    .await;
    let chat = CHAT.replace("hi", "never answer");
    let response = stage.ask("POST", "/v1/chat/completions", &[JSON], &chat).await;
    assert_eq!(response.status, 504, "{}", response.body);
    assert!(response.body.contains("does not answer in time"), "{}", response.body);
}
