//! Which process holds the data directory, and what happens to a second one.

use std::net::TcpListener;
use std::process::Stdio;

use crate::stage::{Stage, finish};

#[test]
fn a_second_server_is_told_who_was_first() {
    let stage = Stage::new();
    let server = stage.serve();
    let ran = stage.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains(&format!("held by process {}", server.pid())), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("serves at {}", server.url)), "{}", ran.stderr);
}

#[test]
fn commands_ask_the_server_that_holds_the_directory() {
    let stage = Stage::new();
    let server = stage.serve();
    stage.ok(&["remember", "through the server"]);
    server.kill();
    // Its note is still there, but no process holds the lock.
    assert!(stage.data().join("server.json").exists());
    assert_eq!(stage.json(&["entries"])["data"][0]["content"], "through the server");
    assert!(!stage.data().join("server.json").exists());
}

#[test]
fn a_server_can_be_named() {
    let (stage, elsewhere) = (Stage::new(), Stage::new());
    let server = stage.serve();
    elsewhere.ok(&["remember", "from afar", "--server", &server.url]);
    assert!(!elsewhere.data().exists());
    let ran = finish(elsewhere.command(&["entries"]).env("EVERWHEN_SERVER", &server.url), "");
    assert!(ran.stdout.contains("from afar"), "{ran:?}");
    assert_eq!(stage.json(&["entries"])["data"][0]["content"], "from afar");
}

#[test]
fn a_server_that_is_not_there_is_said_to_be_unreachable() {
    let stage = Stage::new();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let ran = stage.run(&["entries", "--server", &format!("127.0.0.1:{port}")]);
    assert_eq!(ran.code, 1);
    let expected = format!("cannot reach the server at http://127.0.0.1:{port}: ");
    assert!(ran.stderr.contains(&expected), "{}", ran.stderr);
}

#[test]
fn an_address_in_use_is_said_to_be() {
    let stage = Stage::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ran = stage.run(&["serve", "--listen", &address]);
    assert_eq!(ran.code, 1);
    let expected = format!("cannot listen on {address}: another program listens there");
    assert!(ran.stderr.contains(&expected), "{}", ran.stderr);
    assert!(ran.stderr.contains("--listen"), "{}", ran.stderr);
}

#[test]
fn other_machines_are_let_in_only_with_keys() {
    let stage = Stage::new();
    let ran = stage.run(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("everwhen keys add --vault default"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");

    stage.ok(&["remember", "hello"]);
    stage.ok(&["keys", "add", "--vault", "default"]);
    let server = stage.serve_at("0.0.0.0:0");
    assert!(server.url.starts_with("http://127.0.0.1:"), "{}", server.url);
    assert_eq!(stage.json(&["entries"])["data"][0]["content"], "hello");
}

#[test]
fn directories_that_cannot_be_written_are_refused() {
    let stage = Stage::new();
    let file = stage.file("file", "x");
    let below = file.join("below");
    for (path, reason) in [
        (file.to_str().unwrap(), "is a file"),
        (below.to_str().unwrap(), "cannot make the data directory"),
        ("/proc/everwhen", "cannot make the data directory"),
        ("/proc/self/fdinfo", "cannot write to the data directory"),
    ] {
        for command in [&["serve", "--data", path][..], &["remember", "x", "--data", path]] {
            let ran = stage.run(command);
            assert_eq!(ran.code, 1, "{ran:?}");
            assert!(ran.stderr.contains(reason), "{}", ran.stderr);
            assert!(ran.stderr.contains(path), "{}", ran.stderr);
        }
    }
}

#[test]
fn commands_at_the_same_time_wait_for_each_other() {
    let stage = Stage::new();
    let mut running: Vec<_> = (0..6)
        .map(|number| {
            let mut command = stage.command(&["remember", &format!("number {number}")]);
            command.stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for child in &mut running {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(stage.json(&["entries"])["data"].as_array().unwrap().len(), 6);
}

#[test]
fn a_server_told_to_stop_waits_for_no_idle_connection() {
    let stage = Stage::new();
    let server = stage.serve();
    stage.ok(&["remember", "x"]);
    let idle = std::net::TcpStream::connect(server.url.strip_prefix("http://").unwrap()).unwrap();
    assert_eq!(server.terminate(), 0);
    let log = stage.server_log();
    assert!(!log.contains("cut off"), "it waited until the end of its grace period: {log}");
    drop(idle);
}

#[test]
fn a_store_that_may_not_grow_says_so_and_keeps_what_it_has() {
    let stage = Stage::new();
    stage.ok(&["remember", "small"]);
    let text = "x".repeat(900 * 1024);
    let mut last = None;
    for _ in 0..3 {
        let mut command = stage.command(&["remember", "-"]);
        last = Some(finish(command.env("EVERWHEN_STORE_MAX_SIZE_MB", "2"), &text));
    }
    let ran = last.unwrap();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("full"), "{}", ran.stderr);
    let first = stage.json(&["entries", "--all"])["data"][0]["content"].clone();
    assert_eq!(first, "small");
}

#[test]
fn a_database_of_a_newer_version_is_left_alone() {
    let stage = Stage::new();
    stage.ok(&["remember", "from the past"]);
    let path = stage.data().join("everwhen.db");
    let mut bytes = std::fs::read(&path).unwrap();
    // Where SQLite keeps the version a program gave the file.
    bytes[60..64].copy_from_slice(&999u32.to_be_bytes());
    std::fs::write(&path, &bytes).unwrap();
    for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["remember", "x"], &["doctor"]] {
        let ran = stage.run(command);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.stderr.contains("999") && ran.stderr.contains("newer"), "{}", ran.stderr);
    }
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}
