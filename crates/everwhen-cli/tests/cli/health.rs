//! What containers ask of the binary: is a server alive, and can one be started before the rest is there.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::stage::{Stage, finish};

#[test]
fn a_server_that_runs_is_healthy_and_one_that_does_not_is_not() {
    let stage = Stage::new();
    let server = stage.serve();
    let address = server.url.trim_start_matches("http://").to_owned();
    let alive = stage.ok(&["health", "--url", &server.url]);
    assert_eq!(alive, format!("{} is alive\n", server.url));
    let ready = stage.ok(&["health", "--ready", "--server", &address]);
    assert_eq!(ready, format!("{} is ready\n", server.url));
    let by_configuration = finish(stage.command(&["health"]).env("EVERWHEN_LISTEN", &address), "");
    assert_eq!((by_configuration.code, by_configuration.stdout), (0, alive));
    assert_eq!(stage.json(&["health", "--url", &server.url])["status"], "ok");

    server.kill();
    let dead = stage.run(&["health", "--url", &format!("http://{address}")]);
    assert_eq!(dead.code, 1, "{dead:?}");
    assert!(dead.stderr.contains(&format!("no answer from http://{address}/healthz")), "{dead:?}");
}

#[test]
fn another_program_that_answers_requests_is_told_from_a_server() {
    let stage = Stage::new();
    for (status, body) in
        [("200 OK", "{}"), ("200 OK", "<html>"), ("404 Not Found", r#"{"detail": "Not Found"}"#)]
    {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                crate::stage::read_request(&mut stream);
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
                );
                std::io::Write::write_all(&mut stream, (head + body).as_bytes()).unwrap();
            }
        });
        let commands = [
            &["vaults"][..],
            &["entries"],
            &["recall", "x"],
            &["remember", "x", "--at", "2024-01-01"],
        ];
        for command in commands {
            let ran = stage.run(&[command, &["--server", &url]].concat());
            assert_eq!(ran.code, 1, "{command:?}: {ran:?}");
            assert!(
                ran.stderr.contains("no Everwhen server"),
                "{command:?}, {body}: {}",
                ran.stderr
            );
        }
    }
}

#[test]
fn another_program_at_the_address_is_not_a_healthy_server() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let other = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        crate::stage::read_request(&mut stream);
        let refusal = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        std::io::Write::write_all(&mut stream, refusal.as_bytes()).unwrap();
    });
    let stage = Stage::new();
    let asked = stage.run(&["health", "--url", &format!("http://{address}/")]);
    other.join().unwrap();
    assert_eq!(asked.code, 1, "{asked:?}");
    assert!(asked.stderr.contains("/healthz answered 404"), "{asked:?}");
}

#[test]
fn a_server_that_was_told_to_wait_starts_once_there_is_a_key() {
    let stage = Stage::new();
    let url = crate::growing::fresh();
    let mut command = stage.command(&["serve", "--json", "--listen", "0.0.0.0:0"]);
    command.env("EVERWHEN_STORE_URL", &url);
    let refused = finish(&mut command, "");
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("there are no keys yet"), "{refused:?}");

    let command = command.args(["--wait", "600"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    let waits = log.find(|line| line.as_ref().unwrap().contains("waiting")).unwrap().unwrap();
    assert!(waits.contains("there are no keys yet"), "{waits}");
    let key = stage.ok(&["keys", "add", "--store", &url]);
    let mut hello = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut hello).unwrap();
    let hello: Value = serde_json::from_str(&hello).unwrap();
    let server = hello["url"].as_str().unwrap();
    let answered = stage.run(&["entries", "--server", server, "--key", key.trim()]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(answered.code, 3, "an empty memory, not a refusal: {answered:?}");
}
