//! Pages of allowed origins: their browser is allowed to send requests.

use crate::stage::{CHAT, Stage};

const APP: &str = "https://app.example.org";
const ALLOWING: &str = "[server]\nallowed_origins = 'https://app.example.org'\n";
const PATHS: [&str; 6] =
    ["/v1/chat/completions", "/m/ana/v1/messages", "/api/chat", "/v1/vaults", "/mcp", "/api/tags"];

#[tokio::test]
async fn a_preflight_of_an_allowed_page_is_answered_on_every_interface() {
    let stage = Stage::with(ALLOWING).await;
    for origin in [APP, "http://localhost:5173"] {
        for path in PATHS {
            let asks = [
                ("Origin", origin),
                ("Access-Control-Request-Method", "POST"),
                ("Access-Control-Request-Headers", "authorization,content-type,x-everwhen-memory"),
            ];
            let response = stage.ask("OPTIONS", path, &asks, "").await;
            assert_eq!(response.status, 204, "{path}: {}", response.body);
            assert_eq!(response.header("access-control-allow-origin"), Some(origin));
            assert!(response.header("access-control-allow-methods").unwrap().contains("delete"));
            let headers = response.header("access-control-allow-headers").unwrap();
            assert!(headers.contains("authorization") && headers.contains("x-everwhen-memory"));
            assert!(response.head.contains("vary: origin"), "{}", response.head);
            assert!(
                !response.head.contains("credentials")
                    && !response.head.contains("private-network")
            );
        }
    }
    assert_eq!(stage.passed(), 0);
}

#[tokio::test]
async fn only_an_allowed_page_may_reach_a_private_network() {
    let stage = Stage::with(ALLOWING).await;
    let asks = |origin| {
        [
            ("Origin", origin),
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Private-Network", "true"),
        ]
    };
    let response = stage.ask("OPTIONS", "/v1/chat/completions", &asks(APP), "").await;
    assert_eq!(response.header("access-control-allow-private-network"), Some("true"));
    let response =
        stage.ask("OPTIONS", "/v1/chat/completions", &asks("https://evil.example"), "").await;
    assert_eq!(response.status, 403);
    assert!(!response.head.contains("access-control"), "{}", response.head);
}

#[tokio::test]
async fn an_allowed_page_chats_and_reads_our_headers() {
    let stage = Stage::with(ALLOWING).await;
    let headers =
        [("Origin", APP), ("Content-Type", "application/json"), ("x-everwhen-memory", "ana")];
    let response = stage.ask("POST", "/v1/chat/completions", &headers, CHAT).await;
    assert_eq!(response.status, 200, "{}", response.body);
    assert_eq!(
        response.header("access-control-allow-origin"),
        Some(APP),
        "not what the upstream said"
    );
    assert_eq!(response.head.matches("access-control-allow-origin").count(), 1);
    assert_eq!(response.header("access-control-expose-headers"), Some("*"));
    assert_eq!(response.header("access-control-allow-credentials"), None);
    assert_eq!(response.header("x-everwhen-memory"), Some("ana"));
    assert_eq!(stage.stored().await, ["hi", "Noted."]);
}

#[tokio::test]
async fn an_allowed_page_can_read_why_it_was_refused() {
    let stage = Stage::with(ALLOWING).await;
    let response = stage.ask("GET", "/v1/vaults/nobody", &[("Origin", APP)], "").await;
    assert_eq!((response.status, response.header("access-control-allow-origin")), (404, Some(APP)));
}

#[tokio::test]
async fn options_without_an_origin_is_a_method_like_any_other() {
    let stage = Stage::new().await;
    assert_eq!(stage.ask("OPTIONS", "/v1/vaults", &[], "").await.status, 405);
}
