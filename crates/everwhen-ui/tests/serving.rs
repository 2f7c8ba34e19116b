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
    let start = page.rfind("src=\"").unwrap() + 5;
    page[start..].split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn every_view_has_an_address_and_every_response_the_policy() {
    let script = script_address().await;
    for path in
        ["/ui/", "/ui/default/ana/facts", "/ui/-/live", &script, "/ui/-/assets/0/lib/main.js"]
    {
        let response = ask(path, &[]).await;
        assert_eq!(response.headers().get_all("content-security-policy").iter().count(), 1);
        let policy = header(&response, "content-security-policy");
        assert!(policy.contains("default-src 'none'"), "{path}: {policy}");
        assert!(
            policy.contains("trusted-types 'none'") && policy.contains("frame-ancestors 'none'")
        );
        let is_document = header(&response, "content-type").starts_with("text/html");
        assert_eq!(policy.contains("script-src 'self'"), is_document, "{path}: {policy}");
        assert_eq!(policy.contains("require-trusted-types-for"), is_document, "{path}: {policy}");
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
async fn the_page_names_every_module_of_its_view_in_the_language_of_the_browser() {
    for (path, language, view, texts) in [
        ("/ui/default/ana", "de-AT,de;q=0.9,en;q=0.8", "views/timeline.js", "texts/de.js"),
        ("/ui/-/settings", "fr, en;q=0.5", "views/settings.js", "texts/en.js"),
    ] {
        let response = ask(path, &[("accept-language", language)]).await;
        assert_eq!(header(&response, "vary"), "accept-encoding, accept-language");
        let page = text(response).await;
        let preloads = |part: &str| page.matches(&format!("/{part}\">")).count();
        assert_eq!((preloads(view), preloads(texts)), (1, 1), "{page}");
        assert_eq!((page.matches("/views/").count(), page.matches("/texts/").count()), (1, 1));
        assert_eq!(preloads("vendor/library.js"), 1, "{page}");
        // What every view needs is one file, so that a browser asks for few.
        assert_eq!(page.matches("/lib/main.js\"").count(), 1, "{page}");
        assert!(!page.contains("lib/api.js"), "{page}");
        assert_eq!(preloads("lib/transfer.js"), usize::from(path.ends_with("settings")));
    }
    let etag = |language: &'static str| async move {
        let response = ask("/ui/", &[("accept-language", language)]).await;
        header(&response, "etag").to_owned()
    };
    assert_ne!(etag("de").await, etag("en").await);
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
    let response = ask("/ui/-/assets/0123456789abcdef/lib/main.js", &[]).await;
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    let response = ask(&script_address().await.replace("lib/main.js", "../Cargo.toml"), &[]).await;
    assert_ne!(response.status(), StatusCode::OK);
}
