//! The first minutes: what a server says of itself, and where what was said can be found.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::proxy::{say_at, upstream};
use crate::stage::Stage;

const READING: [&[&str]; 4] = [&["recall", "dog"], &["timeline"], &["entries"], &["facts"]];

#[test]
fn where_nothing_was_said_yet_every_reading_command_says_so() {
    let stage = Stage::new();
    for command in READING {
        let ran = stage.run(command);
        assert_eq!(ran.code, 3, "{command:?}");
        assert!(ran.stderr.contains("nothing has been remembered here yet"), "{}", ran.stderr);
        assert!(ran.stderr.contains("everwhen remember"), "{}", ran.stderr);
    }
}

/// A mistyped directory would be answered as if it were empty, and be there afterwards.
#[test]
fn what_is_about_things_that_are_there_makes_no_directory() {
    let stage = Stage::new();
    let missing = stage.home().join("typo");
    let missing = missing.to_str().unwrap();
    let entry = "ent_0695mmbd3hw97cyqkp9w4ny34r";
    for command in READING.into_iter().chain([
        &["conversations"][..],
        &["vaults"],
        &["memories"],
        &["keys"],
        &["doctor"],
        &["context"],
        &["usage"],
        &["prompt"],
        &["export", "vault", "out.jsonl"],
        &["forget", "--whole-vault", "--yes"],
        &["correct", entry, "x", "--reason", "y"],
    ]) {
        let ran = stage.run(&[command, &["--data", missing]].concat());
        assert_eq!(ran.code, 3, "{command:?}: {ran:?}");
        let why = format!("there is no data directory {missing}");
        assert!(ran.stderr.contains(&why), "{command:?}: {}", ran.stderr);
    }
    let ui = stage.run(&["ui", "--data", missing]);
    assert!(ui.code == 1 && ui.stderr.contains("no server runs"), "{ui:?}");
    assert!(!std::path::Path::new(missing).exists());
    assert!(!stage.home().join("out.jsonl").exists());
    stage.ok(&["demo", "--fill", "--data", missing]);
    let kept = stage.run(&["recall", "dog", "--data", ":memory:"]);
    assert!(kept.code == 3 && !kept.stderr.contains("no data directory"), "{kept:?}");
}

#[test]
fn what_makes_something_makes_the_directory() {
    for command in [
        &["remember", "x"][..],
        &["vaults", "add", "v"],
        &["keys", "add"],
        &["memories", "add", "m"],
    ] {
        let stage = Stage::new();
        stage.ok(command);
        assert!(stage.data().join("everwhen.db").exists(), "{command:?}");
    }
}

#[test]
fn after_a_chat_through_the_proxy_every_reading_command_says_where_it_is() {
    let stage = Stage::new();
    let (url, _heard) = upstream();
    let server = stage.serve_before(&url);
    let answer = say_at(&server.url, "/v1/chat/completions", "I have a dog called Rex.");
    let name = answer.split_once("x-everwhen-memory: ").unwrap().1.split("\r\n").next().unwrap();
    for command in READING {
        let ran = stage.run(command);
        assert_eq!(ran.code, 3, "{command:?}");
        for word in [name, "--memory NAME", "--all", "last active 20"] {
            assert!(ran.stderr.contains(word), "{word} in {}", ran.stderr);
        }
    }
    let ran = stage.run(&["recall", "dog", "--all"]);
    assert!(ran.code == 0 && ran.stdout.contains("Rex"), "{}", ran.stdout);
    for number in 0..6 {
        stage.ok(&["remember", "hello", "--memory", &format!("m{number}")]);
    }
    let output = stage.run(&["timeline"]).stderr;
    assert!(output.contains("7 other memories") && output.contains("m5"), "{output}");
    assert_eq!(output.matches("(last active").count(), 5, "{output}");
    assert!(!output.contains(name), "five, the last active first: {output}");
    assert_eq!(server.terminate(), 0);
}

#[test]
fn a_server_says_whom_it_asks_and_which_address_an_app_needs() {
    let stage = Stage::new();
    let lines = |upstream: &str| {
        let mut command =
            stage.command(&["serve", "--listen", "127.0.0.1:0", "--upstream", upstream]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap()).lines();
        let lines: Vec<String> = out.take(6).map(Result::unwrap).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        lines.join("\n")
    };
    let output = lines("http://127.0.0.1:11434");
    for words in
        ["http://127.0.0.1:11434 (kind: ollama", "OpenAI base URL for your app", "Gemini base URL"]
    {
        assert!(output.contains(words), "{words} in {output}");
    }
    let output = lines("anthropic+http://127.0.0.1:9");
    assert!(
        output.contains("kind: anthropic") && output.contains("Anthropic base URL"),
        "{output}"
    );
}

#[test]
fn a_time_that_cannot_be_read_is_answered_with_what_people_write() {
    let stage = Stage::new();
    let ran = stage.run(&["remember", "hi", "--at", "tomorrow"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("2026-11-10 09:00"), "{}", ran.stderr);
}

#[test]
fn the_version_is_said_as_a_command_too() {
    let stage = Stage::new();
    let ran = stage.run(&["version"]);
    assert_eq!((ran.code, ran.stdout.trim()), (0, concat!("everwhen ", env!("CARGO_PKG_VERSION"))));
}
