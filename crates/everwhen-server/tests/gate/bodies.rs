//! Bodies: which are read, how large, how deep and how slow they may be.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::stage::{CHAT, ENTRIES, Stage, read};

const JSON: (&str, &str) = ("Content-Type", "application/json");
const ENTRY: &str = r#"{"role":"user","content":"hi"}"#;

#[tokio::test]
async fn a_packed_body_is_refused_on_every_interface() {
    let stage = Stage::new().await;
    for path in [ENTRIES, "/mcp", "/v1/chat/completions", "/api/chat"] {
        for encoding in ["gzip", "zstd", "br", "deflate, gzip"] {
            let headers = [JSON, ("Content-Encoding", encoding)];
            let response = stage.ask("POST", path, &headers, CHAT).await;
            assert_eq!(response.status, 415, "{path} {encoding}");
            assert!(response.body.contains("Content-Encoding"), "{}", response.body);
        }
    }
    let response =
        stage.ask("POST", ENTRIES, &[JSON, ("Content-Encoding", "identity")], ENTRY).await;
    assert_eq!(response.status, 201, "{}", response.body);
    assert_eq!(stage.passed(), 0);
}

#[tokio::test]
async fn json_is_json_whatever_its_parameters_and_files_are_files() {
    let stage = Stage::new().await;
    for kind in ["application/json; charset=utf-8", "Application/JSON", "application/vnd.api+json"]
    {
        let response =
            stage.ask("POST", "/v1/chat/completions", &[("Content-Type", kind)], CHAT).await;
        assert_eq!(response.status, 200, "{kind}: {}", response.body);
    }
    let form = [("Content-Type", "multipart/form-data; boundary=x")];
    let response = stage.ask("POST", "/v1/audio/transcriptions", &form, "--x--").await;
    assert_eq!(response.status, 200, "{}", response.body);
    let response =
        stage.ask("POST", "/v1/audio/transcriptions", &[("Content-Type", "text/plain")], "x").await;
    assert_eq!(response.status, 415, "{}", response.body);
}

#[tokio::test]
async fn a_program_may_leave_the_type_out_and_a_page_may_not() {
    let stage = Stage::new().await;
    for path in ["/v1/chat/completions", "/api/chat"] {
        let response = stage.ask("POST", path, &[], CHAT).await;
        assert_eq!(response.status, 200, "{path}: {}", response.body);
    }
    let passed = stage.passed();
    for page in [("Origin", "http://localhost"), ("Sec-Fetch-Site", "same-origin")] {
        let response = stage.ask("POST", "/v1/chat/completions", &[page], CHAT).await;
        assert_eq!(response.status, 415, "{page:?}: {}", response.body);
    }
    let response =
        stage.ask("POST", "/v1/chat/completions", &[("Content-Type", "text/plain")], CHAT);
    assert_eq!(response.await.status, 415);
    assert_eq!(stage.passed(), passed);
}

#[tokio::test]
async fn an_answer_before_the_body_came_says_that_the_connection_ends() {
    let stage = Stage::new().await;
    let head = |path: &str, more: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n{more}\
             Content-Length: {}\r\n\r\n",
            stage.address,
            ENTRY.len()
        )
    };
    // Refused by the route, which needs a key, and at the gate.
    for (path, more) in [("/v1/keys", ""), (ENTRIES, "Origin: http://elsewhere.example\r\n")] {
        let mut client = stage.connect().await;
        client.write_all(head(path, more).as_bytes()).await.unwrap();
        let response = read(&mut client).await;
        assert!([401, 403].contains(&response.status), "{response:?}");
        assert_eq!(response.header("connection"), Some("close"), "{response:?}");
    }
    let mut client = stage.connect().await;
    let twice = (head(ENTRIES, "") + ENTRY).repeat(2);
    client.write_all(twice.as_bytes()).await.unwrap();
    let mut response = String::new();
    while response.matches("HTTP/1.1 201").count() < 2 {
        let mut some = [0; 4_096];
        let length = client.read(&mut some).await.unwrap();
        assert_ne!(length, 0, "a body that was read leaves the connection open: {response}");
        response.push_str(&String::from_utf8_lossy(&some[..length]));
    }
    assert!(!response.contains("connection: close"), "{response}");
}

#[tokio::test]
async fn a_body_may_be_as_large_as_configured() {
    let stage = Stage::with("[server]\nmax_body_mb = 1\n").await;
    let large = format!(r#"{{"role":"user","content":"{}"}}"#, "x".repeat(1 << 20));
    for path in [ENTRIES, "/v1/chat/completions"] {
        let response = stage.ask("POST", path, &[JSON], &large).await;
        assert_eq!(response.status, 413, "declared: {}", response.body);
        assert!(response.body.contains("1048576 bytes"), "{}", response.body);
        let chunked = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: \
             application/json\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{large}\r\n0\r\n\r\n",
            large.len()
        );
        assert_eq!(stage.raw(&chunked).await.status, 413, "found out while reading");
    }
    assert!(stage.stored().await.is_empty());
}

#[tokio::test]
async fn json_may_be_nested_as_deep_as_configured() {
    let stage = Stage::with("[server]\nmax_json_depth = 10\n").await;
    let chat = |levels: usize| {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        format!(
            r#"{{"model":"m","x":{open}{close},"messages":[{{"role":"user","content":"[[[[[[[[[[["}}]}}"#
        )
    };
    let response = stage.ask("POST", "/v1/chat/completions", &[JSON], &chat(9)).await;
    assert_eq!(response.status, 200, "{}", response.body);
    let headers = [JSON, ("Accept", "application/json, text/event-stream")];
    for path in ["/v1/chat/completions", "/v1/embeddings", ENTRIES, "/mcp"] {
        let response = stage.ask("POST", path, &headers, &chat(10)).await;
        assert_eq!(response.status, 400, "{path}");
        assert!(response.body.contains("deeper than 10 levels"), "{}", response.body);
    }
    assert_eq!(stage.passed(), 1);
}

#[tokio::test]
async fn a_body_that_pauses_too_long_is_answered_with_408() {
    let stage = Stage::with("[server]\nbody_timeout_seconds = 1\n").await;
    for path in [ENTRIES, "/v1/chat/completions", "/mcp"] {
        let mut client = stage.connect().await;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: \
             application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n{{\"role\":"
        );
        client.write_all(head.as_bytes()).await.unwrap();
        let response = read(&mut client).await;
        assert_eq!(response.status, 408, "{path}: {response:?}");
        assert!(response.body.contains("did not arrive in time"), "{}", response.body);
    }
}
