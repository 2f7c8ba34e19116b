//! Requests that a foreign web page made a browser send, on every interface: none is answered, stored
//! or passed on. The names of the tests are those of the attacks.

use crate::stage::{CHAT, ENTRIES, Stage, TOKEN};

const JSON: (&str, &str) = ("Content-Type", "application/json");
const MCP: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

/// Something on every interface: method, path, body.
const EVERYWHERE: [(&str, &str, &str); 18] = [
    ("GET", "/v1/vaults", ""),
    ("GET", ENTRIES, ""),
    ("POST", ENTRIES, r#"{"role":"user","content":"evil"}"#),
    ("DELETE", "/v1/vaults/default/memories/ana", ""),
    ("DELETE", "/v1/vaults/default", ""),
    ("POST", "/v1/vaults/default/memories/ana/conversations/end", ""),
    ("POST", "/v1/vaults/default/memories/ana/regenerate", ""),
    ("POST", "/v1/vaults/default/memories/ana/context/rebuild", ""),
    ("GET", "/metrics", ""),
    ("GET", "/docs/", ""),
    ("GET", "/ui/", ""),
    ("GET", "/ui/default/ana", ""),
    ("POST", "/mcp", MCP),
    ("POST", "/v1/chat/completions", CHAT),
    ("POST", "/m/ana/v1/messages", CHAT),
    ("POST", "/api/chat", CHAT),
    ("GET", "/proxy/tail", ""),
    ("GET", "/nowhere", ""),
];

/// Whether the server is as it was before the attack.
async fn is_untouched(stage: &Stage) {
    assert_eq!(stage.stored().await, ["my secret"]);
    assert_eq!(stage.passed(), 0, "nothing was passed on");
}

async fn is_refused(stage: &Stage, headers: &[(&str, &str)]) {
    for (method, path, body) in EVERYWHERE {
        let response = stage.ask(method, path, &[&[JSON], headers].concat(), body).await;
        assert_eq!(response.status, 403, "{method} {path} {headers:?}: {}", response.body);
        assert!(!response.head.contains("access-control"), "{path}: {}", response.head);
        assert!(!response.body.contains("my secret"));
        assert!(
            response.body.contains("server.allowed_"),
            "it says what would help: {}",
            response.body
        );
    }
    is_untouched(stage).await;
}

#[tokio::test]
async fn dns_rebinding_is_refused_everywhere() {
    let stage = Stage::new().await;
    stage.remember().await;
    is_refused(&stage, &[("Host", "evil.example:3939")]).await;
    // To a browser this is the page's own server.
    let own = [("Host", "evil.example"), ("Origin", "http://evil.example")];
    is_refused(&stage, &own).await;
    is_refused(&stage, &[("Host", "localhost.evil.example"), ("Sec-Fetch-Site", "same-origin")])
        .await;
}

#[tokio::test]
async fn a_foreign_origin_is_refused_everywhere() {
    let stage = Stage::new().await;
    stage.remember().await;
    for origin in
        ["https://evil.example", "null", "chrome-extension://abc", "http://localhost.evil.example"]
    {
        is_refused(&stage, &[("Origin", origin)]).await;
    }
}

#[tokio::test]
async fn what_a_browser_calls_cross_site_is_refused_everywhere() {
    let stage = Stage::new().await;
    stage.remember().await;
    for site in ["cross-site", "same-site"] {
        is_refused(&stage, &[("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "no-cors")]).await;
    }
}

#[tokio::test]
async fn two_hosts_or_two_origins_do_not_confuse_it() {
    let stage = Stage::new().await;
    stage.remember().await;
    for headers in [
        "Host: localhost\r\nHost: evil.example\r\n",
        "Host: localhost\r\nOrigin: http://localhost\r\nOrigin: https://evil.example\r\n",
        "Host: localhost/@evil.example\r\n",
        "Host: \r\n",
    ] {
        let request = format!("GET {ENTRIES} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n");
        let response = stage.raw(&request).await;
        assert!([400, 403].contains(&response.status), "{headers}: {response:?}");
    }
    let absolute = format!(
        "GET http://evil.example{ENTRIES} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(stage.raw(&absolute).await.status, 403);
}

#[tokio::test]
async fn a_simple_post_of_a_web_page_writes_nothing_to_memory() {
    let stage = Stage::new().await;
    stage.remember().await;
    for kind in
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
    {
        for path in ["/m/ana/v1/chat/completions", "/v1/messages", "/v1/responses", "/api/generate"]
        {
            // A browser that says where the page came from, and one that says nothing.
            let named = [("Content-Type", kind), ("Origin", "https://evil.example")];
            assert_eq!(stage.ask("POST", path, &named, CHAT).await.status, 403, "{kind} {path}");
            let silent = stage.ask("POST", path, &named[..1], CHAT).await;
            assert_eq!(silent.status, 415, "{kind} {path}");
            assert!(silent.body.contains("Content-Type: application/json"), "{}", silent.body);
        }
    }
    // A page can leave the type out; its browser names the page, or says that it is one.
    let page = [("Sec-Fetch-Site", "none")];
    assert_eq!(stage.ask("POST", "/v1/chat/completions", &page, CHAT).await.status, 415);
    let page = [("Origin", "https://evil.example")];
    assert_eq!(stage.ask("POST", "/v1/chat/completions", &page, CHAT).await.status, 403);
    is_untouched(&stage).await;
}

#[tokio::test]
async fn refusals_have_the_shape_that_clients_of_a_provider_read() {
    let stage = Stage::new().await;
    let evil = [("Origin", "https://evil.example"), JSON];
    let response = stage.ask("POST", "/v1/chat/completions", &evil, CHAT).await.json();
    assert!(response["error"]["message"].as_str().unwrap().contains("server.allowed_origins"));
    let response = stage.ask("POST", "/m/ana/v1/messages", &evil, CHAT).await.json();
    assert_eq!(
        (&response["type"], &response["error"]["type"]),
        (&"error".into(), &"denied".into())
    );
    let response = stage.ask("POST", "/api/chat", &evil, CHAT).await.json();
    assert!(response["error"].as_str().unwrap().contains("https://evil.example"));
    let response = stage.ask("GET", "/v1/vaults", &evil, "").await;
    assert_eq!(response.header("content-type"), Some("application/problem+json"));
    assert_eq!(response.json()["kind"], "denied");
}

#[tokio::test]
async fn this_machine_and_programs_are_answered() {
    let stage = Stage::new().await;
    stage.remember().await;
    for headers in [
        &[("Host", "localhost:3939")][..],
        &[("Host", "127.0.0.1")],
        &[("Host", "[::1]:3939")],
        &[("Host", "app.localhost")],
        &[("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")],
        &[("Sec-Fetch-Site", "same-origin")],
        // As with Ollama, pages that this machine serves are trusted.
        &[("Origin", "http://localhost:8080"), ("Sec-Fetch-Site", "same-site")],
        &[("Origin", "https://127.0.0.1:1")],
        &[("Origin", "http://[::1]:5173")],
    ] {
        let response = stage.ask("GET", ENTRIES, headers, "").await;
        assert_eq!(response.status, 200, "{headers:?}: {}", response.body);
    }
    let old = format!("GET {ENTRIES} HTTP/1.0\r\n\r\n");
    assert_eq!(stage.raw(&old).await.status, 200, "programs may leave Host out");
}

#[tokio::test]
async fn whoever_shows_a_key_may_use_any_name() {
    let stage = Stage::new().await;
    stage.remember().await;
    let made = stage
        .ask(
            "POST",
            "/v1/keys",
            &[JSON, ("Authorization", &format!("Bearer {TOKEN}"))],
            r#"{"vault":"default"}"#,
        )
        .await;
    let key = made.json()["key"].as_str().unwrap().to_owned();
    let host = ("Host", "memory.example.org");
    for shown in [TOKEN, &key] {
        let bearer = format!("Bearer {shown}");
        for header in
            [("Authorization", bearer.as_str()), ("x-api-key", shown), ("x-everwhen-key", shown)]
        {
            let response = stage
                .ask(
                    "POST",
                    "/mcp",
                    &[host, header, JSON, ("Accept", "application/json, text/event-stream")],
                    MCP,
                )
                .await;
            let expected = if header.0 == "x-everwhen-key" { 401 } else { 200 };
            assert_eq!(response.status, expected, "{header:?}: {}", response.body);
        }
        let response = stage.ask("GET", ENTRIES, &[host, ("Authorization", &bearer)], "").await;
        assert_eq!(response.status, 200, "{}", response.body);
        let response = stage
            .ask(
                "GET",
                ENTRIES,
                &[("Origin", "https://evil.example"), ("Authorization", &bearer)],
                "",
            )
            .await;
        assert_eq!(response.status, 403, "a key is no passport for a web page");
    }
    let response = stage.ask("GET", ENTRIES, &[host, ("Authorization", "Bearer wrong")], "").await;
    assert_eq!(response.status, 403);
}

#[tokio::test]
async fn hosts_and_origins_that_are_listed_are_answered() {
    let stage = Stage::with(
        "[server]\nallowed_hosts = 'memory.example.org, *.example.net'\nallowed_origins = 'https://app.example.org'\n\
         [mcp]\nallowed_hosts = 'agents.example.org'\nallowed_origins = 'http://agents.example.org:*'\n",
    )
    .await;
    stage.remember().await;
    for (host, status) in [
        ("memory.example.org", 200),
        ("a.example.net:80", 200),
        ("agents.example.org", 200),
        ("example.net", 403),
        ("evil.example", 403),
    ] {
        assert_eq!(stage.ask("GET", ENTRIES, &[("Host", host)], "").await.status, status, "{host}");
    }
    for (origin, status) in [
        ("https://app.example.org", 200),
        ("http://agents.example.org:6274", 200),
        ("http://app.example.org", 403),
        ("https://app.example.org.evil.example", 403),
    ] {
        let response = stage.ask("GET", ENTRIES, &[("Origin", origin)], "").await;
        assert_eq!(response.status, status, "{origin}");
    }
}

#[tokio::test]
async fn a_star_allows_all() {
    let stage = Stage::with("[server]\nallowed_hosts = '*'\nallowed_origins = '*'\n").await;
    stage.remember().await;
    for headers in [
        [("Host", "evil.example"), ("Origin", "null")],
        [("Host", "evil.example"), ("Origin", "https://other.example")],
        [("Host", "localhost"), ("Sec-Fetch-Site", "cross-site")],
    ] {
        assert_eq!(stage.ask("GET", ENTRIES, &headers, "").await.status, 200, "{headers:?}");
    }
}

#[tokio::test]
async fn a_link_leads_to_our_pages_and_nowhere_else() {
    let stage = Stage::new().await;
    stage.remember().await;
    let follows = |dest| {
        [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", dest)]
    };
    let response = stage.ask("GET", "/docs/", &follows("document"), "").await;
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-security-policy"), Some("frame-ancestors 'none'"));
    assert_eq!(stage.ask("GET", "/ui/", &follows("document"), "").await.status, 200);
    for (path, dest) in [
        ("/docs/", "iframe"),
        ("/ui/", "iframe"),
        (ENTRIES, "document"),
        ("/v1/vaults", "document"),
    ] {
        assert_eq!(stage.ask("GET", path, &follows(dest), "").await.status, 403, "{path} {dest}");
    }
    let rebound = [follows("document").as_slice(), &[("Host", "evil.example")]].concat();
    assert_eq!(stage.ask("GET", "/docs/", &rebound, "").await.status, 403);
}

#[tokio::test]
async fn health_checks_are_answered_by_any_name() {
    let stage = Stage::new().await;
    for path in ["/healthz", "/readyz"] {
        let response = stage.ask("GET", path, &[("Host", "10.1.2.3:3939")], "").await;
        assert_eq!(response.status, 200, "{path}");
    }
}

#[tokio::test]
async fn a_web_socket_of_a_foreign_page_is_refused() {
    let stage = Stage::new().await;
    let upgrade = [
        ("Origin", "http://evil.example"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    assert_eq!(stage.ask("GET", "/proxy/tail", &upgrade, "").await.status, 403);
}
