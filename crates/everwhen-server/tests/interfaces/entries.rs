//! Entries: remember, list by time, correct, look back.

use serde_json::{Value, json};

use crate::stage::{DIARY, Stage, column};

#[tokio::test]
async fn an_entry_has_two_times_and_makes_what_it_needs() {
    let stage = Stage::new().await;
    let entry = json!({
        "role": "assistant", "content": "You went to the Louvre.", "speaker": "Mira",
        "conversation_time": "2023-01-08T12:49:00.5+01:00", "summary": "Louvre",
        "tags": ["art", "paris"], "tools_used": ["search"],
        "metadata": { "b": [1.5, null] },
        "is_question": true, "conversation_id": "chat-7",
    });
    let receipt = stage.post(&format!("{DIARY}/entries"), entry.clone()).await;
    let id = receipt["id"].as_str().unwrap();
    assert_eq!(
        receipt,
        json!({
            "id": id, "sequence": 1, "conversation_time": "2023-01-08T11:49:00.5Z",
            "creation_time": "2025-06-01T12:00:00Z", "conversation_id": "chat-7",
        })
    );
    let mut kept = entry;
    for field in ["id", "sequence", "conversation_time", "creation_time"] {
        kept[field] = receipt[field].clone();
    }
    let response = stage.get(&format!("{DIARY}/entries/{id}")).await;
    for field in ["memory_id", "vault_id"] {
        assert!(response[field].is_string(), "{response}");
        kept[field] = response[field].clone();
    }
    assert_eq!(response, kept);
}

#[tokio::test]
async fn metadata_comes_back_as_it_was_written() {
    let stage = Stage::new().await;
    let metadata = r#"{"z":123456789012345678901234567890,"a":1.50,"é":"\u0000"}"#;
    let body = format!(r#"{{"role":"user","content":"x","metadata":{metadata}}}"#);
    let path = format!("{DIARY}/entries");
    let sent = stage.ask("POST", &path).raw("application/json", body.into_bytes()).response().await;
    sent.with(201);
    let response = stage.ask("GET", &path).response().await;
    assert!(response.text.contains(metadata), "{}", response.text);
}

#[tokio::test]
async fn what_was_not_said_is_not_told() {
    let stage = Stage::new().await;
    let id = stage.say("2025-06-01T11:00:00Z", "Hello").await["id"].clone();
    let response = stage.get(&format!("{DIARY}/entries/{}", id.as_str().unwrap())).await;
    let fields: Vec<&String> = response.as_object().unwrap().keys().collect();
    let expected = [
        "content",
        "conversation_id",
        "conversation_time",
        "creation_time",
        "id",
        "memory_id",
        "role",
        "sequence",
        "vault_id",
    ];
    assert_eq!(fields, expected);
    assert!(response["conversation_id"].as_str().unwrap().starts_with("cnv_"));
}

#[tokio::test]
async fn a_batch_is_remembered_in_the_order_given_and_listed_in_order_of_time() {
    let stage = Stage::new().await;
    let entries = [("03", "c"), ("01", "a"), ("02", "b")].map(|(day, content)| {
        json!({ "role": "user", "content": content,
                "conversation_time": format!("2025-05-{day}T10:00:00Z") })
    });
    let path = format!("{DIARY}/entries/batch");
    let response = stage.ask("POST", &path).json(&json!({ "entries": entries })).response().await;
    let receipt = response.with(201);
    let sequences: Vec<&Value> =
        receipt["entries"].as_array().unwrap().iter().map(|one| &one["sequence"]).collect();
    assert_eq!(sequences, [1, 2, 3]);
    let list = |query: &str| format!("{DIARY}/entries?{query}");
    assert_eq!(column(&stage.get(&list("")).await, "content"), ["a", "b", "c"]);
    assert_eq!(column(&stage.get(&list("order=desc")).await, "content"), ["c", "b", "a"]);
}

#[tokio::test]
async fn a_list_narrows_by_every_filter() {
    let stage = Stage::new().await;
    stage.say("2025-05-01T10:00:00Z", "first").await;
    stage.clock.advance(jiff::SignedDuration::from_mins(1));
    let second = json!({ "role": "assistant", "content": "second", "tags": ["x"],
                         "conversation_time": "2025-05-02T10:00:00Z", "conversation_id": "chat" });
    stage.post(&format!("{DIARY}/entries"), second).await;
    for (query, expected) in [
        ("after=2025-05-02T10:00:00Z", vec!["second"]),
        ("before=2025-05-02T10:00:00Z", vec!["first"]),
        ("after=2025-05-01T12:00:00%2B02:00&before=2025-05-03T00:00:00Z", vec!["first", "second"]),
        ("created_after=2025-06-01T12:01:00Z", vec!["second"]),
        ("created_before=2025-06-01T12:01:00Z", vec!["first"]),
        ("as_of=2025-06-01T12:00:30Z", vec!["first"]),
        ("as_of=2025-06-01T12:00:30Z&include=all", vec!["first"]),
        ("role=assistant", vec!["second"]),
        ("tag=x", vec!["second"]),
        ("conversation_id=chat", vec!["second"]),
        ("include=all", vec!["first", "second"]),
    ] {
        let page = stage.get(&format!("{DIARY}/entries?{query}")).await;
        assert_eq!(column(&page, "content"), expected, "{query}");
    }
}

#[tokio::test]
async fn pages_stay_right_while_entries_come_in() {
    let stage = Stage::new().await;
    for minute in 10..15 {
        stage.say(&format!("2025-06-01T10:{minute}:00Z"), &minute.to_string()).await;
    }
    let first = stage.get(&format!("{DIARY}/entries?limit=2")).await;
    assert_eq!(column(&first, "content"), ["10", "11"]);
    stage.say("2025-06-01T10:10:30Z", "before the cursor").await;
    stage.say("2025-06-01T10:12:30Z", "behind the cursor").await;
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = stage.get(&format!("{DIARY}/entries?limit=9&cursor={cursor}")).await;
    assert_eq!(column(&rest, "content"), ["12", "behind the cursor", "13", "14"]);
    assert_eq!((&rest["has_more"], &rest["next_cursor"]), (&json!(false), &Value::Null));
}

#[tokio::test]
async fn a_correction_takes_the_place_of_an_entry_from_then_on() {
    let stage = Stage::new().await;
    let id = stage.say("2025-05-01T10:00:00Z", "It was the Louvre").await["id"].clone();
    let path = format!("{DIARY}/entries/{}", id.as_str().unwrap());
    stage.clock.advance(jiff::SignedDuration::from_mins(1));
    let correction = json!({ "content": "It was the Orsay", "reason": "wrong museum" });
    let response =
        stage.ask("POST", &format!("{path}/correction")).json(&correction).response().await;
    let new = response.with(201)["id"].clone();
    let now = stage.get(&format!("{DIARY}/entries")).await;
    assert_eq!(column(&now, "content"), ["It was the Orsay"]);
    assert_eq!(now["data"][0]["corrects"], json!({ "entry_id": id, "reason": "wrong museum" }));
    let then = stage.get(&format!("{DIARY}/entries?as_of=2025-06-01T12:00:00Z")).await;
    assert_eq!(column(&then, "content"), ["It was the Louvre"]);
    let old = stage.get(&path).await;
    assert_eq!(old["corrected_by"], json!({ "entry_id": new, "at": "2025-06-01T12:01:00Z" }));
    let again = stage.ask("POST", &format!("{path}/correction")).json(&correction).response().await;
    assert!(again.problem(409, "conflict").contains(new.as_str().unwrap()));
}

#[tokio::test]
async fn a_question_is_delivered_with_its_answer() {
    let stage = Stage::new().await;
    let path = format!("{DIARY}/entries");
    let question = json!({ "role": "assistant", "content": "Which one?", "is_question": true });
    let asked = stage.post(&path, question).await;
    let answer = stage.post(&path, json!({ "role": "user", "content": "The blue one" })).await;
    let expected = json!({ "entry_id": asked["id"], "asked_at": "2025-06-01T12:00:00Z" });
    assert_eq!(answer["pending"], expected);
    let batch = json!({ "entries": [{ "role": "user", "content": "And more" }] });
    assert_eq!(stage.post(&format!("{path}/batch"), batch).await.get("pending"), None);
}
