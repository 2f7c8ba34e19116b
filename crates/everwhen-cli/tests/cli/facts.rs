//! Facts, chapters and summaries from the command line.

use crate::stage::{Stage, eventually};

/// Distils until there is something to show: jobs wait a moment for more entries.
fn distill(stage: &Stage) {
    std::thread::sleep(std::time::Duration::from_millis(2_200));
    assert!(stage.ok(&["distill", "--all"]).starts_with("Ran "));
}

#[test]
fn facts_can_be_shown_as_they_stood_and_pinned() {
    let stage = Stage::new();
    stage.ok(&["remember", "My A1C was 7.4%", "--at", "2025-03-02 10:00"]);
    stage.ok(&["remember", "My A1C is 7.0% now", "--at", "2025-04-02 10:00"]);
    distill(&stage);
    let march = stage.ok(&["facts", "--about", "2025-03"]);
    assert!(march.contains("7.4% (mentioned 2025-03-02) (confirmed, replaced)"), "{march}");
    let now = stage.ok(&["facts", "--text"]);
    assert_eq!(
        now.trim(),
        "--- April 2025 ---\n- My A1C is 7.0% now (mentioned 2025-04-02) (confirmed)"
    );
    let listed = stage.json(&["facts"]);
    let id = listed["data"][0]["id"].as_str().unwrap();
    assert!(stage.ok(&["pin", id]).contains("(confirmed, pinned)"));
    assert!(stage.ok(&["facts", "--pinned"]).contains(id));
    assert!(!stage.ok(&["pin", id, "--off"]).contains("pinned"));
    assert_eq!(stage.ok(&["facts", "--history", id]).lines().count(), 2);
}

#[test]
fn a_fact_is_corrected_and_removed_in_a_memory_that_is_named_behind_it() {
    let stage = Stage::new();
    stage.ok(&["remember", "I live in Lisbon.", "--memory", "work", "--at", "2025-01-01 10:00"]);
    distill(&stage);
    let facts = || stage.json(&["facts", "--memory", "work"])["data"].as_array().unwrap().clone();
    let id = facts()[0]["id"].as_str().unwrap().to_owned();
    let words = "I live in Porto.";
    let shown = stage.ok(&["facts", "--correct", &id, words, "--memory", "work"]);
    assert!(shown.contains(words), "{shown}");
    let id = facts()[0]["id"].as_str().unwrap().to_owned();
    stage.json(&["facts", "--remove", &id, "--memory", "work"]);
    assert!(facts().is_empty());
    let both = stage.run(&["facts", "--remove", &id, "--all"]);
    assert!(both.code == 2 && both.stderr.contains("cannot be used with"), "{both:?}");
    let unknown = stage.run(&["facts", "--remove", "x", "--memory", "work"]);
    assert!(unknown.stderr.contains("could not remove the fact"), "{unknown:?}");
}

#[test]
fn chapters_grow_and_can_be_made_anew() {
    let stage = Stage::new();
    for minute in 10..18 {
        let at = format!("2025-03-01 10:{minute}");
        stage.ok(&["remember", &format!("We walked through Lisbon, part {minute}"), "--at", &at]);
    }
    assert_eq!(stage.run(&["summary"]).code, 3, "there is none yet");
    distill(&stage);
    let chapters = stage.ok(&["chapters"]);
    assert!(chapters.starts_with("2025-03-01 10:10 – 2025-03-01 10:14  "), "{chapters}");
    assert!(stage.ok(&["regenerate"]).starts_with("Regenerating chapters and summaries"));
    distill(&stage);
    assert_eq!(stage.ok(&["chapters"]), chapters);
}

/// A number of conversations, a day apart, each with one fact.
const CONVERSATIONS: usize = 400;

/// What is done when a user interrupts the work stays done; the next command does the rest, once.
#[test]
fn distilling_can_be_interrupted_and_goes_on() {
    let stage = Stage::new();
    let line = |number: usize| {
        let (month, day) = (number / 28 % 12 + 1, number % 28 + 1);
        let time = format!("20{:02}-{month:02}-{day:02}T10:00:00Z", 10 + number / 336);
        let content = format!("I own house number {number} in street {}", number * 7);
        serde_json::json!({ "role": "user", "content": content, "conversation_time": time })
    };
    let lines: Vec<String> = (0..CONVERSATIONS).map(|number| line(number).to_string()).collect();
    let file = stage.file("said.jsonl", &lines.join("\n"));
    stage.ok(&["remember", "--file", file.to_str().unwrap()]);
    let known = || stage.json(&["facts", "--all"])["data"].as_array().unwrap().len();
    let mut work = stage.command(&["distill", "--all", "--json"]);
    let mut work = work.stdout(std::process::Stdio::null()).spawn().unwrap();
    let log = stage.data().join("everwhen.db-wal");
    let written = || std::fs::metadata(&log).map_or(0, |file| file.len());
    eventually("its first results are written", || (written() > 100_000).then_some(()));
    work.kill().unwrap();
    let ended = work.wait().unwrap();
    assert!(!ended.success(), "it was interrupted too late to show anything");
    distill(&stage);
    assert_eq!(known(), CONVERSATIONS);
}
