//! Prints what passing the gate costs a request: the time of one route behind the whole server's layers
//! (gate, counters, log) beside the same route alone. Run it with `--release`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use axum::routing::get;
use everwhen_server::{ServerState, router};
use everwhen_testkit::{PlainStore, engine_over};
use tower::ServiceExt;

const REQUESTS: u32 = 1_000;
const ROUNDS: usize = 7;

/// The quickest of several rounds: in the others the machine did something else as well.
async fn per_request(router: &Router, request: impl Fn() -> Request<Body>) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        for _ in 0..REQUESTS {
            // A router never fails; what it answers is not what is measured.
            let Ok(response) = router.clone().oneshot(request()).await;
            drop(response);
        }
        best = best.min(begun.elapsed() / REQUESTS);
    }
    best
}

fn from_page(request: axum::http::request::Builder) -> axum::http::request::Builder {
    request.header("host", "localhost:3939").header("origin", "http://localhost:8080")
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (engine, _) = engine_over(Arc::new(PlainStore::default()));
    let state = ServerState::new(engine, None).await.expect("an empty store has no keys to read");
    let whole = router(state);
    let bare = Router::new().route("/healthz", get(async || r#"{"status":"ok"}"#));
    let request = || from_page(Request::get("/healthz")).body(Body::empty()).expect("a request");
    let (bare, whole) = (per_request(&bare, request).await, per_request(&whole, request).await);
    let cost = whole.saturating_sub(bare);
    #[expect(clippy::print_stdout, reason = "this is what the program is for")]
    {
        println!("{bare:?} alone, {whole:?} behind the server's layers, cost {cost:?}");
    }
}
