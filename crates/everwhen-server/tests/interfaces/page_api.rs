//! What the web interface asks for and other clients can use: conversations as they stood, what just missed the limit
//! of a question, where the lines of a briefing come from, and the state of scheduled backups.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::stage::{DIARY, Stage, TOKEN, column};

async fn correct(stage: &Stage, id: &Value, content: &str) {
    let path = format!("{DIARY}/entries/{}/correction", id.as_str().unwrap());
    let body = json!({ "content": content, "reason": "misheard" });
    stage.ask("POST", &path).json(&body).response().await.with(201);
}

#[tokio::test]
async fn conversations_are_listed_as_they_stood() {
    let stage = Stage::new().await;
    stage.say("2025-05-01T10:00:00Z", "We met at the museum.").await;
    let early = stage.engine.now();
    stage.clock.advance(SignedDuration::from_hours(1));
    stage.say("2025-05-01T10:10:00Z", "It rained all day.").await;
    stage.say("2025-05-20T10:00:00Z", "The roof is repaired.").await;
    let list = async |query: &str| stage.get(&format!("{DIARY}/conversations?{query}")).await;

    let then = list(&format!("as_of={early}")).await;
    assert_eq!(column(&then, "message_count"), [1]);
    assert_eq!(column(&then, "last_at"), ["2025-05-01T10:00:00Z"]);
    assert_eq!(column(&list("").await, "message_count"), [2, 1]);
    let now = stage.engine.now();
    assert_eq!(column(&list(&format!("as_of={now}")).await, "message_count"), [2, 1]);
    assert_eq!(list("as_of=2020-01-01T00:00:00Z").await["data"], json!([]));

    let first = list(&format!("as_of={now}&limit=1")).await;
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = list(&format!("as_of={now}&limit=1&cursor={cursor}")).await;
    assert_eq!(column(&rest, "started_at"), ["2025-05-20T10:00:00Z"]);
}

#[tokio::test]
async fn a_conversation_has_the_words_it_had() {
    let stage = Stage::new().await;
    let said = stage.say("2025-05-01T10:00:00Z", "The code is 4711.").await;
    let early = stage.engine.now();
    stage.clock.advance(SignedDuration::from_hours(1));
    correct(&stage, &said["id"], "The code is 4712.").await;
    let listed = stage.get(&format!("{DIARY}/conversations")).await;
    let id = listed["data"][0]["id"].as_str().unwrap();
    let read = async |query: &str| stage.get(&format!("{DIARY}/conversations/{id}{query}")).await;
    let words = |view: &Value| view["entries"][0]["content"].clone();

    assert_eq!(words(&read("").await), "The code is 4712.");
    assert_eq!(words(&read(&format!("?as_of={early}")).await), "The code is 4711.");
    let path = format!("{DIARY}/conversations/{id}?as_of=2020-01-01T00:00:00Z");
    stage.ask("GET", &path).response().await.problem(404, "not_found");
    stage
        .ask("GET", &format!("{DIARY}/conversations/{id}?as_of=soon"))
        .response()
        .await
        .problem(400, "invalid");
}

#[tokio::test]
async fn what_just_missed_is_told_where_it_is_wanted() {
    let stage = Stage::new().await;
    for day in 1..=6 {
        stage
            .say(&format!("2025-05-0{day}T10:00:00Z"), &format!("Garden note number {day}."))
            .await;
    }
    let recall = async |body: Value| {
        stage.ask("POST", &format!("{DIARY}/recall")).json(&body).response().await
    };
    let response =
        recall(json!({ "query": "garden note", "limit": 2, "missed": 3 })).await.with(200);
    let ids = |field: &str| -> Vec<Value> {
        response[field].as_array().unwrap().iter().map(|one| one["entry"]["id"].clone()).collect()
    };
    let (found, missed) = (ids("items"), ids("missed"));
    assert_eq!((found.len(), missed.len()), (2, 3));
    assert!(missed.iter().all(|id| !found.contains(id)), "{response}");
    let scores: Vec<f64> = response["missed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["score"].as_f64().unwrap())
        .collect();
    assert!(scores.is_sorted_by(|one, next| one >= next), "best first: {scores:?}");
    let briefing = response["briefing"].as_str().unwrap();
    assert_eq!(briefing.matches("Garden note").count(), 4, "two in both parts: {briefing}");

    let without = recall(json!({ "query": "garden note", "limit": 2 })).await.with(200);
    assert!(without.get("missed").is_none() && without.get("briefing_lines").is_none());
    let facts = json!({ "query": "garden note", "kinds": ["fact"], "missed": 3 });
    assert!(recall(facts).await.with(200).get("missed").is_none());
    recall(json!({ "query": "garden note", "missed": 101 })).await.problem(400, "invalid");
    let all = json!({ "query": "garden note", "limit": 1, "missed": 2 });
    let vault = stage.ask("POST", "/v1/vaults/ana/recall").json(&all).response().await.with(200);
    assert_eq!(vault["missed"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn every_line_of_a_briefing_says_where_it_comes_from() {
    let stage = Stage::new().await;
    stage.say("2025-05-01T10:00:00Z", "I live in Porto.").await;
    stage.say("2025-05-20T10:00:00Z", "My dog Rex lives in Porto,\ntoo.").await;
    stage.clock.advance(SignedDuration::from_hours(3));
    stage.ask("POST", "/v1/settle").key(TOKEN).response().await.with(200);
    let question = json!({ "query": "who lives in Porto?", "explain": true });
    let response =
        stage.ask("POST", &format!("{DIARY}/recall")).json(&question).response().await.with(200);
    let lines: Vec<&str> = response["briefing"].as_str().unwrap().lines().collect();
    let origins = response["briefing_lines"].as_array().unwrap();
    let of = |id: &str| {
        response["items"].as_array().unwrap().iter().find(|one| one["entry"]["id"] == id)
    };
    let mut named = Vec::new();
    for origin in origins {
        let line = usize::try_from(origin["line"].as_u64().unwrap()).unwrap();
        named.push(line);
        if let Some(id) = origin["entry_id"].as_str() {
            let words = of(id).unwrap()["entry"]["content"].as_str().unwrap();
            let first: String = words.chars().take(10).collect();
            assert!(lines[line].contains(&first), "{} does not tell {words}", lines[line]);
        } else {
            let id = origin["fact_id"].as_str().unwrap();
            let facts = response["facts"].as_array().unwrap();
            let fact = facts.iter().find(|one| one["fact"]["id"] == id).unwrap();
            assert!(
                lines[line].contains(fact["fact"]["statement"].as_str().unwrap()),
                "{}",
                lines[line]
            );
        }
    }
    let others = lines.iter().enumerate().filter(|(line, _)| !named.contains(line));
    for (_, text) in others {
        assert!(
            text.is_empty() || text.starts_with('#'),
            "nobody says where this comes from: {text}"
        );
    }
}
