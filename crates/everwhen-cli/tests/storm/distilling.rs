//! Killed while a model writes titles, facts, chapters and summaries: what is there in the end is
//! what an undisturbed server leaves, and no answer is paid for twice but the one under way.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use everwhen_testkit::{ModelEndpoint, ModelReply};
use serde_json::{Value, json};

use crate::server::{Server, request};

/// How often the server is killed, unless `EVERWHEN_TEST_KILLS` says how often.
const KILLS: usize = 12;
const MEMORIES: [&str; 2] = ["ana", "ben"];
/// How long the model takes to answer.
const ANSWER: Duration = Duration::from_millis(40);
/// Nothing here takes longer, on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(900);

#[test]
fn a_server_killed_while_it_distils_ends_like_one_that_is_not() {
    let (calm, calm_model) = (tempfile::tempdir().unwrap(), model());
    let server = Server::start(calm.path(), Some(&calm_model.url));
    store_conversations(&server.host);
    wait_until_done(calm.path());
    let expected = left_behind(&server.host);
    let (questions, paid) = counted(&calm_model);
    assert_eq!(paid, questions, "nothing is asked twice");
    assert!(questions >= 4 * conversations(), "{questions} questions");

    let (torn, torn_model) = (tempfile::tempdir().unwrap(), model());
    let killed = storm(torn.path(), &torn_model);
    assert_eq!(killed, kills(), "too few questions for so many kills");
    let server = Server::start(torn.path(), Some(&torn_model.url));
    wait_until_done(torn.path());
    assert_eq!(left_behind(&server.host), expected);
    let (again, paid) = counted(&torn_model);
    assert_eq!(again, questions);
    assert!(paid <= questions + killed, "{paid} answers to {questions} questions, {killed} kills");
}

#[expect(clippy::disallowed_methods, reason = "a longer run is asked for by the environment")]
fn kills() -> usize {
    let asked = std::env::var("EVERWHEN_TEST_KILLS").ok().and_then(|kills| kills.parse().ok());
    asked.unwrap_or(KILLS)
}

/// Conversations of each memory: enough questions for that number of kills.
fn conversations() -> usize {
    kills() / 2
}

/// A model that says something of its own about everything it is shown.
fn model() -> ModelEndpoint {
    ModelEndpoint::start(|body| {
        std::thread::sleep(ANSWER);
        let shown = body["messages"][1]["content"].as_str().unwrap();
        let said =
            shown.split_once("User: ").map_or("", |(_, rest)| rest.split('.').next().unwrap());
        let size = shown.len();
        let reply = json!({ "title": format!("A day of {size} letters in the garden"),
            "summary": format!("They said: {said}."), "entities": [], "key_phrases": [said] });
        let fact = json!({ "line": 1, "quote": said, "statement": said, "matter": "", "value": "",
            "tags": ["garden"] });
        ModelReply::Text(match body["response_format"]["json_schema"]["name"].as_str() {
            Some("facts") => json!({ "facts": [fact] }).to_string(),
            Some("retelling") => {
                json!({ "title": reply["title"], "summary": reply["summary"] }).to_string()
            }
            Some("context") => json!({ "description": "", "preferences": [], "decisions": [],
                "topics": [], "entities": [], "notes": [] })
            .to_string(),
            Some(_) => reply.to_string(),
            None => format!("All of it in {size} letters."),
        })
    })
}

/// Conversations of long ago, each a day after the one before.
fn store_conversations(host: &str) {
    for memory in MEMORIES {
        let entries: Vec<Value> =
            (0..conversations()).flat_map(|day| spoken(memory, day)).collect();
        let path = format!("/v1/vaults/storm/memories/{memory}/entries/batch");
        let body = json!({ "entries": entries }).to_string();
        let (status, response) = request(host, "POST", &path, &body).unwrap();
        assert_eq!(status, 201, "{response}");
    }
}

fn spoken(memory: &str, day: usize) -> Vec<Value> {
    let line = |number: usize| {
        let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
        let content = format!("I planted {} tulips with {memory}. It was fine.", 10 * day + number);
        json!({ "role": role, "content": content,
            "conversation_time": format!("2025-01-{:02}T10:0{number}:00Z", day + 1) })
    };
    (0..4).map(line).collect()
}

/// Starts the server and kills it while, or just after, the model answers; again and again.
fn storm(data: &Path, model: &ModelEndpoint) -> usize {
    for kill in 0..kills() {
        let mut server = Server::start(data, Some(&model.url));
        if kill == 0 {
            store_conversations(&server.host);
        }
        let (began, before) = (Instant::now(), model.asked().len());
        while model.asked().len() < before + 1 + kill % 3 {
            if began.elapsed() > PATIENCE {
                return kill;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis((kill as u64 * 29) % 90));
        server.kill();
    }
    kills()
}

/// Whether no job is left, as the doctor sees it.
fn is_done(data: &Path) -> bool {
    let mut command = Command::new(env!("CARGO_BIN_EXE_everwhen"));
    command.env_remove("EVERWHEN_TEST_KILLS");
    let examined = command.args(["doctor", "--json", "--data"]).arg(data).output().unwrap();
    let report: Value = serde_json::from_slice(&examined.stdout).unwrap();
    assert_eq!(report["jobs"]["set_aside"], json!([]));
    report["jobs"]["waiting"] == 0
}

fn wait_until_done(data: &Path) {
    let began = Instant::now();
    while !is_done(data) {
        assert!(began.elapsed() < PATIENCE, "the work does not end");
        std::thread::sleep(Duration::from_millis(300));
    }
}

/// Everything that was derived, without ids and times of storing.
fn left_behind(host: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for memory in MEMORIES {
        for list in ["facts?all=true&limit=100", "chapters", "summary", "conversations"] {
            let path = format!("/v1/vaults/storm/memories/{memory}/{list}");
            let (status, response) = request(host, "GET", &path, "").unwrap();
            assert_eq!(status, 200, "{response}");
            found.push(lasting(response));
        }
        let facts = found[found.len() - 4]["data"].as_array().unwrap().len();
        assert_eq!(facts, conversations(), "one fact of each conversation");
    }
    found
}

/// A value without what differs from run to run.
fn lasting(value: Value) -> Value {
    match value {
        Value::Object(members) => members
            .into_iter()
            .filter(|(name, _)| !is_fleeting(name))
            .map(|(name, value)| (name, lasting(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(lasting).collect(),
        Value::String(text) if text.starts_with("fct_") => json!("another fact"),
        other => other,
    }
}

fn is_fleeting(name: &str) -> bool {
    name == "id" || name.ends_with("_id") || ["creation_time", "known"].contains(&name)
}

/// Different questions the model was asked, and how often it was asked at all. Context documents do
/// not count: they are written whenever what they tell has changed, and a kill decides how much.
fn counted(model: &ModelEndpoint) -> (usize, usize) {
    let mut asked = model.asked();
    asked.retain(|body| body["response_format"]["json_schema"]["name"] != "context");
    let mut questions: HashMap<String, usize> = HashMap::new();
    for body in &asked {
        *questions.entry(body["messages"].to_string()).or_default() += 1;
    }
    (questions.len(), asked.len())
}
