//! What a browser gets: headers, caching, packing.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, StatusCode};
use tower::ServiceExt;

async fn ask(path: &str, headers: &[(&str, &str)]) -> Response<Body> {
    let mut request = Request::get(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let app: Router = everwhen_ui::routes();
    app.oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
}

async fn text(response: Response<Body>) -> String {
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn header<'a>(response: &'a Response<Body>, name: &str) -> &'a str {
    response.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

async fn script_address() -> String {
    let page = text(ask("/ui/", &[]).await).await;
    let start = page.find("src=\"").unwrap() + 5;
    page[start..].split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn every_view_has_an_address_and_every_response_the_policy() {
    let script = script_address().await;
    for path in ["/ui/", "/ui/default/ana/facts", "/ui/-/live", &script, "/ui/-/assets/0/main.js"] {
        let response = ask(path, &[]).await;
        let policy = header(&response, "content-security-policy");
        assert!(policy.contains("default-src 'none'"), "{path}: {policy}");
        assert!(
            policy.contains("trusted-types 'none'") && policy.contains("frame-ancestors 'none'")
        );
        assert_eq!(header(&response, "x-content-type-options"), "nosniff", "{path}");
        assert_eq!(header(&response, "referrer-policy"), "no-referrer", "{path}");
    }
    let page = text(ask("/ui/default/ana/facts", &[]).await).await;
    assert!(page.contains("<noscript>") && !page.contains("{assets}"), "{page}");
    assert!(!page.contains("<script>") && !page.contains("style="), "nothing is inline");
}

#[tokio::test]
async fn headers_that_only_a_document_needs_are_sent_with_the_document_only() {
    let (page, script) = (ask("/ui/", &[]).await, ask(&script_address().await, &[]).await);
    let only = [
        ("x-frame-options", "DENY"),
        ("cross-origin-opener-policy", "same-origin"),
        ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ];
    for (name, value) in only {
        assert_eq!((header(&page, name), header(&script, name)), (value, ""), "{name}");
    }
}

#[tokio::test]
async fn assets_are_kept_for_ever_and_the_page_is_asked_for_again() {
    let script = script_address().await;
    let response = ask(&script, &[]).await;
    assert!(header(&response, "cache-control").contains("immutable"));
    assert_eq!(header(&response, "content-type"), "text/javascript; charset=utf-8");
    let page = ask("/ui/", &[]).await;
    assert_eq!(header(&page, "cache-control"), "no-cache");
    let etag = header(&page, "etag").to_owned();
    let again = ask("/ui/", &[("if-none-match", &etag)]).await;
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    assert_eq!(text(again).await, "");
}

#[tokio::test]
async fn files_are_packed_for_those_who_can_unpack() {
    let script = script_address().await;
    let plain = ask(&script, &[]).await;
    assert_eq!(header(&plain, "content-encoding"), "");
    let packed = ask(&script, &[("accept-encoding", "gzip, br")]).await;
    assert_eq!(header(&packed, "content-encoding"), "gzip");
    let packed = to_bytes(packed.into_body(), usize::MAX).await.unwrap();
    assert!(packed.len() * 2 < text(plain).await.len());
}

#[tokio::test]
async fn a_file_of_another_version_is_not_found() {
    let response = ask("/ui/-/assets/0123456789abcdef/main.js", &[]).await;
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    let response = ask(&script_address().await.replace("main.js", "../Cargo.toml"), &[]).await;
    assert_ne!(response.status(), StatusCode::OK);
}
