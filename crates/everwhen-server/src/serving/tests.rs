//! Connections over real sockets: what is answered, what is closed, and what makes room.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::routing::get;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use super::*;

const SHORT: Duration = Duration::from_secs(1);
const TINY: Duration = Duration::from_millis(50);
/// Longer than anything takes, however busy the machine is.
const LONG: Duration = Duration::from_secs(3600);

/// Limits under which nothing ends by itself.
fn patient() -> ServerLimits {
    ServerLimits {
        header_timeout: LONG,
        body_timeout: LONG,
        idle_timeout: LONG,
        ..ServerLimits::default()
    }
}

/// A server that runs until the test ends.
struct Server {
    address: std::net::SocketAddr,
}

impl Server {
    async fn start(router: Router, limits: ServerLimits) -> Self {
        let listener = listen("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(serve(router, listener, limits, std::future::pending()));
        Self { address }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }
}

fn quick() -> Router {
    Router::new().route("/quick", get(async || "quick"))
}

async fn ask(client: &mut TcpStream, path: &str) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client.write_all(request.as_bytes()).await.unwrap();
}

/// The next answer on a connection that stays open, as far as its body "quick".
async fn quick_answer(client: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    while !answer.ends_with(b"quick") {
        let mut byte = [0];
        client.read_exact(&mut byte).await.unwrap();
        answer.extend(byte);
    }
    String::from_utf8(answer).unwrap()
}

/// All that a server still says before it closes the connection.
async fn rest(client: &mut TcpStream) -> String {
    let mut rest = Vec::new();
    // A connection may be closed hard; what arrived before counts.
    let _ = client.read_to_end(&mut rest).await;
    String::from_utf8_lossy(&rest).into_owned()
}

/// A server that is asked to stop while a request runs that takes this long: the client of that request
/// once the server has stopped, and how long that took.
async fn stop_during(work: Duration, grace: Duration) -> (TcpStream, Duration) {
    let (begun, stop) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (begins, stops) = (Arc::clone(&begun), Arc::clone(&stop));
    let slow = get(async move || {
        begins.notify_one();
        sleep(work).await;
    });
    let listener = listen("127.0.0.1:0").await.unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let shutdown = async move { stops.notified().await };
    let router = Router::new().route("/slow", slow);
    let connections = Connections::new(router, patient());
    let server = tokio::spawn(serve_with(grace, connections, listener, shutdown));
    ask(&mut client, "/slow").await;
    begun.notified().await;
    stop.notify_one();
    let since = Instant::now();
    server.await.unwrap().unwrap();
    (client, since.elapsed())
}

#[tokio::test]
async fn a_request_in_flight_is_answered() {
    // The grace period is an hour: the server stops as soon as nothing is left.
    let (mut client, _) = stop_during(TINY, LONG).await;
    let response = rest(&mut client).await;
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
}

#[tokio::test]
async fn a_request_that_never_ends_does_not_hold_the_server() {
    let (mut client, took) = stop_during(LONG, SHORT).await;
    assert!(took >= SHORT, "{took:?}");
    let answer = timeout(TINY, client.read_u8()).await;
    assert!(!matches!(answer, Ok(Ok(_))), "{answer:?}");
}

#[tokio::test]
async fn idle_connections_do_not_hold_the_server() {
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let listener = listen("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = async move { stopped.await.unwrap_or_default() };
    let connections = Connections::new(quick(), patient());
    let server = tokio::spawn(serve_with(LONG, connections, listener, shutdown));
    let mut used = TcpStream::connect(address).await.unwrap();
    ask(&mut used, "/quick").await;
    quick_answer(&mut used).await;
    let mut silent = TcpStream::connect(address).await.unwrap();
    stop.send(()).unwrap();
    server.await.unwrap().unwrap();
    assert_eq!((rest(&mut used).await, rest(&mut silent).await), (String::new(), String::new()));
}

#[tokio::test]
async fn headers_that_never_end_are_answered_with_408_and_closed() {
    let limits = ServerLimits { header_timeout: TINY, ..patient() };
    let server = Server::start(quick(), limits).await;
    let mut client = server.connect().await;
    client.write_all(b"GET /quick HTTP/1.1\r\nHost: loc").await.unwrap();
    let response = rest(&mut client).await;
    assert!(response.starts_with("HTTP/1.1 408 Request Timeout\r\n"), "{response}");
    assert!(response.contains("content-type: application/problem+json\r\n"), "{response}");
    assert!(
        response.contains(r#""kind":"timeout""#) && response.contains("within 50ms"),
        "{response}"
    );
}

#[tokio::test]
async fn a_connection_that_never_says_anything_is_closed() {
    let limits = ServerLimits { header_timeout: TINY, ..patient() };
    let server = Server::start(quick(), limits).await;
    let mut client = server.connect().await;
    assert_eq!(rest(&mut client).await, "");
}

#[tokio::test]
async fn a_connection_may_idle_between_requests_but_not_for_ever() {
    let server = Server::start(quick(), patient()).await;
    let mut client = server.connect().await;
    for _ in 0..2 {
        ask(&mut client, "/quick").await;
        assert!(quick_answer(&mut client).await.starts_with("HTTP/1.1 200 OK"));
        sleep(TINY).await;
    }
    let limits = ServerLimits { idle_timeout: TINY, ..patient() };
    let server = Server::start(quick(), limits).await;
    let mut client = server.connect().await;
    ask(&mut client, "/quick").await;
    assert!(quick_answer(&mut client).await.starts_with("HTTP/1.1 200 OK"));
    assert_eq!(rest(&mut client).await, "", "nothing was asked, so nothing is said");
}

#[tokio::test]
async fn an_answer_may_take_longer_than_every_timeout() {
    let slow = get(async || {
        sleep(SHORT + TINY).await;
        "quick"
    });
    let limits = ServerLimits {
        header_timeout: SHORT,
        body_timeout: SHORT,
        idle_timeout: SHORT,
        ..ServerLimits::default()
    };
    let server = Server::start(Router::new().route("/slow", slow), limits).await;
    let mut client = server.connect().await;
    ask(&mut client, "/slow").await;
    assert!(quick_answer(&mut client).await.starts_with("HTTP/1.1 200 OK"));
}

#[tokio::test]
async fn at_the_limit_the_longest_idle_connection_makes_room() {
    let limits = ServerLimits { max_connections: 2, ..patient() };
    let server = Server::start(quick(), limits).await;
    let mut clients = Vec::new();
    for _ in 0..3 {
        let mut client = server.connect().await;
        ask(&mut client, "/quick").await;
        assert!(quick_answer(&mut client).await.starts_with("HTTP/1.1 200 OK"));
        // Times are kept in milliseconds.
        sleep(Duration::from_millis(5)).await;
        clients.push(client);
    }
    assert_eq!(rest(&mut clients[0]).await, "", "the first has idled the longest");
    for client in &mut clients[1..] {
        ask(client, "/quick").await;
        assert!(quick_answer(client).await.starts_with("HTTP/1.1 200 OK"));
    }
}

#[tokio::test]
async fn silent_connections_do_not_keep_others_out() {
    let limits = ServerLimits { max_connections: 16, ..patient() };
    let server = Server::start(quick(), limits).await;
    let mut silent = Vec::new();
    for _ in 0..64 {
        silent.push(server.connect().await);
    }
    let mut client = server.connect().await;
    ask(&mut client, "/quick").await;
    assert!(quick_answer(&mut client).await.starts_with("HTTP/1.1 200 OK"));
}

#[tokio::test]
async fn when_all_connections_are_busy_a_new_one_gets_503() {
    let begun = Arc::new(Notify::new());
    let begins = Arc::clone(&begun);
    let endless = get(async move || {
        begins.notify_one();
        std::future::pending::<()>().await;
    });
    let limits = ServerLimits { max_connections: 1, ..patient() };
    let server = Server::start(Router::new().route("/endless", endless), limits).await;
    let mut busy = server.connect().await;
    ask(&mut busy, "/endless").await;
    begun.notified().await;
    let mut client = server.connect().await;
    ask(&mut client, "/endless").await;
    let response = rest(&mut client).await;
    assert!(
        response.starts_with("HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\n"),
        "{response}"
    );
    assert!(response.contains("1 connections are open and all are busy"), "{response}");
}

/// Says when it is dropped.
struct Dropped(Arc<Notify>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_its_response_is_closed() {
    let given_up = Arc::new(Notify::new());
    let noted = Arc::clone(&given_up);
    let endless = get(async move || {
        let state = Dropped(Arc::clone(&noted));
        Body::from_stream(futures_util::stream::unfold(state, async |state| {
            Some((Ok::<_, io::Error>(vec![b'x'; 65_536]), state))
        }))
    });
    let limits = ServerLimits { body_timeout: TINY, ..patient() };
    let server = Server::start(Router::new().route("/endless", endless), limits).await;
    let mut client = server.connect().await;
    ask(&mut client, "/endless").await;
    given_up.notified().await;
}

#[tokio::test]
async fn hundreds_of_connections_may_wait_to_be_accepted() {
    let listener = listen("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let allowed = std::fs::read_to_string("/proc/sys/net/core/somaxconn");
    let allowed: usize = allowed.map_or(128, |text| text.trim().parse().unwrap());
    let mut waiting = Vec::new();
    for _ in 0..allowed.min(400) {
        waiting.push(timeout(LONG, TcpStream::connect(address)).await.unwrap().unwrap());
    }
}
