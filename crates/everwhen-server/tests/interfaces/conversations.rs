//! Conversations and the timeline: where people paused, and what was said when.

use serde_json::{Value, json};

use crate::stage::{DIARY, Stage, TOKEN, column};

/// Runs the jobs; a summary waits a moment for more entries.
async fn settle(stage: &Stage) -> Value {
    stage.clock.advance(jiff::SignedDuration::from_mins(1));
    stage.ask("POST", "/v1/settle").key(TOKEN).response().await.with(200)
}

#[tokio::test]
async fn a_pause_makes_two_conversations_and_the_first_is_summarized() {
    let stage = Stage::new().await;
    stage.say("2025-05-01T10:00:00Z", "I went to the museum today.").await;
    stage.say("2025-06-01T11:50:00Z", "Hello again.").await;
    assert!(settle(&stage).await["done"].as_u64().unwrap() > 0);
    let page = stage.get(&format!("{DIARY}/conversations")).await;
    let [first, second] = page["data"].as_array().unwrap().as_slice() else { panic!("{page}") };
    assert_eq!(first["ended_at"], "2025-05-01T10:30:00Z");
    assert_eq!((&first["ended_by"], &first["summary_by"]), (&json!("idle"), &json!("extractive")));
    assert!(first["title"].is_string() && first["summary"].is_string());
    assert_eq!(first["message_count"], 1);
    let open = ["ended_at", "ended_by", "title", "summary", "summary_by"];
    assert!(open.iter().all(|field| second[field].is_null()), "{second}");
    let ask = async |query: &str| stage.get(&format!("{DIARY}/conversations?{query}")).await;
    assert_eq!(column(&ask("state=open").await, "id"), [&second["id"]]);
    assert_eq!(column(&ask("state=ended").await, "id"), [&first["id"]]);
    assert_eq!(column(&ask("order=desc&limit=1").await, "id"), [&second["id"]]);
    assert_eq!(column(&ask("before=2025-05-02T00:00:00Z").await, "id"), [&first["id"]]);
}

#[tokio::test]
async fn pages_of_conversations_go_on_where_they_stopped() {
    let stage = Stage::new().await;
    for day in 10..15 {
        stage.say(&format!("2025-05-{day}T10:00:00Z"), "Another day.").await;
    }
    let all = stage.get(&format!("{DIARY}/conversations?by=ended&order=desc")).await;
    let first = stage.get(&format!("{DIARY}/conversations?by=ended&order=desc&limit=3")).await;
    let cursor = first["next_cursor"].as_str().unwrap();
    let path = format!("{DIARY}/conversations?by=ended&order=desc&cursor={cursor}");
    let rest = stage.get(&path).await;
    let mut walked = column(&first, "id");
    walked.extend(column(&rest, "id"));
    assert_eq!(walked, column(&all, "id"));
    assert_eq!(walked.len(), 5);
}

#[tokio::test]
async fn somebody_ends_the_active_conversation_with_or_without_a_word() {
    let stage = Stage::new().await;
    stage.say("2025-06-01T11:50:00Z", "Bye.").await;
    let path = format!("{DIARY}/conversations/end");
    let ended =
        stage.ask("POST", &path).json(&json!({ "reason": "done" })).response().await.with(200);
    assert_eq!((&ended["ended_by"], &ended["end_reason"]), (&json!("caller"), &json!("done")));
    assert_eq!(ended["ended_at"], "2025-06-01T12:00:00Z");
    let again = stage.ask("POST", &path).response().await;
    assert!(again.problem(409, "conflict").contains("no active conversation"));
    let named = json!({ "role": "user", "content": "Hi", "conversation_id": "chat-7" });
    stage.post(&format!("{DIARY}/entries"), named).await;
    let by_name = json!({ "conversation_id": "chat-7" });
    let ended = stage.ask("POST", &path).json(&by_name).response().await.with(200);
    assert_eq!(ended["source_id"], "chat-7");
    assert_eq!(ended.get("end_reason"), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_ends_at_once_exactly_one_wins() {
    let stage = Stage::new().await;
    let named = json!({ "role": "user", "content": "Hi", "conversation_id": "chat-7" });
    stage.post(&format!("{DIARY}/entries"), named).await;
    let path = format!("{DIARY}/conversations/end");
    let body = json!({ "conversation_id": "chat-7" });
    let ends: Vec<_> =
        (0..8).map(|_| tokio::spawn(stage.ask("POST", &path).json(&body).response())).collect();
    let mut won = 0;
    for end in ends {
        let response = end.await.unwrap();
        match response.status {
            200 => won += 1,
            _ => assert!(response.problem(409, "conflict").contains("already ended")),
        }
    }
    assert_eq!(won, 1);
}

#[tokio::test]
async fn a_fork_puts_the_rest_on_a_branch() {
    let stage = Stage::new().await;
    let first = stage.say("2025-06-01T11:50:00Z", "one").await;
    stage.say("2025-06-01T11:51:00Z", "two").await;
    let id = first["conversation_id"].as_str().unwrap();
    let path = format!("{DIARY}/conversations/{id}");
    let body = json!({ "after": first["id"] });
    let fork = stage.ask("POST", &format!("{path}/fork")).json(&body).response().await.with(201);
    assert_eq!(fork["message_count"], 1);
    let whole = stage.get(&path).await;
    assert_eq!(whole["message_count"], 1);
    assert_eq!(whole["entries"][0]["content"], "one");
    assert_eq!(whole["branches"][0]["id"], fork["branch_id"]);
    assert_eq!(whole["branches"][0]["message_count"], 1);
    let branch = fork["branch_id"].as_str().unwrap();
    let put_aside = stage.get(&format!("{DIARY}/entries?branch={branch}")).await;
    assert_eq!(column(&put_aside, "content"), ["two"]);
    assert_eq!(put_aside["data"][0]["branch_id"], branch);
    let again = stage.ask("POST", &format!("{path}/fork")).json(&body).response().await;
    assert!(again.problem(409, "conflict").contains("the last of its conversation"));
}

#[tokio::test]
async fn what_was_archived_can_be_restored() {
    let stage = Stage::new().await;
    let rules = json!({ "name": "ana", "settings": { "maxConversationsRetained": 1 } });
    stage.post("/v1/vaults", rules).await;
    stage.say("2025-05-01T10:00:00Z", "Old.").await;
    stage.say("2025-05-02T10:00:00Z", "Newer.").await;
    settle(&stage).await;
    let archived = stage.get(&format!("{DIARY}/conversations?archived=true")).await;
    let ids = column(&archived, "id");
    assert_eq!(ids.len(), 1);
    assert!(archived["data"][0]["archived_at"].is_string());
    let path = format!("{DIARY}/conversations/{}/restore", ids[0].as_str().unwrap());
    let restored = stage.ask("POST", &path).response().await.with(200);
    assert_eq!((&restored["id"], restored.get("archived_at")), (ids[0], None));
    let again = stage.ask("POST", &path).response().await;
    assert!(again.problem(409, "conflict").contains("not archived"));
}

#[tokio::test]
async fn the_prompt_tells_the_current_conversation() {
    let stage = Stage::new().await;
    stage.say("2025-06-01T11:50:00Z", "I like tea.").await;
    let response = stage.get(&format!("{DIARY}/conversations/prompt")).await;
    let prompt = response["prompt"].as_str().unwrap();
    assert!(prompt.starts_with("## Current Conversation"), "{prompt}");
    assert!(prompt.contains("[2025-06-01T11:50:00Z]\nUser: I like tea."), "{prompt}");
}

#[tokio::test]
async fn the_timeline_counts_the_days_between() {
    let stage = Stage::new().await;
    stage.post("/v1/vaults", json!({ "name": "ana", "zone": "America/New_York" })).await;
    stage.say("2023-01-08T12:49:00Z", "Visited MoMA").await;
    stage.say("2023-01-16T03:00:00Z", "Visited the Met").await;
    let first = stage.get(&format!("{DIARY}/timeline?limit=1")).await;
    let line = &first["data"][0];
    assert_eq!((&line["date"], &line["gap"]), (&json!("2023-01-08"), &Value::Null));
    assert_eq!(line["text"], "2023-01-08 – Visited MoMA");
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = stage.get(&format!("{DIARY}/timeline?cursor={cursor}")).await;
    let line = &second["data"][0];
    assert_eq!((&line["date"], &line["event"]), (&json!("2023-01-15"), &json!("Visited the Met")));
    assert_eq!((&line["gap"], &second["has_more"]), (&json!("+7 days"), &json!(false)));
    assert_eq!(line["text"], "2023-01-15 – Visited the Met (+7 days)");
    assert!(line["entry_id"].is_string() && line["conversation_id"].is_string());
    let none = stage.get(&format!("{DIARY}/timeline?role=tool")).await;
    assert_eq!(none["data"], json!([]));
}

#[tokio::test]
async fn a_conversation_tells_how_much_of_it_was_working() {
    let stage = Stage::new().await;
    stage.say("2025-06-01T11:50:00Z", "How far is the moon?").await;
    stage.say("2025-06-01T11:51:00Z", "And the sun?").await;
    let page = stage.get(&format!("{DIARY}/conversations")).await;
    let path = format!("{DIARY}/conversations/{}", page["data"][0]["id"].as_str().unwrap());
    let one = stage.get(&path).await;
    let time = &one["conversation_time"];
    assert_eq!((&time["active_unknown"], &time["conversation_turns"]), (&json!(true), &json!(2)));
    let work = |second: u8| {
        let began_at = format!("2025-06-01T11:50:{second}Z");
        json!({ "kind": "model", "name": "m", "began_at": began_at, "lasted_ms": 20_000 })
    };
    let body = json!({ "activities": [work(10), work(20)] });
    let activities = format!("{path}/activities");
    let time = stage.ask("POST", &activities).json(&body).response().await.with(200);
    assert_eq!(time["conversation_elapsed_ms"], 60_000);
    assert_eq!(time["conversation_active_ms"], 30_000);
    assert_eq!(time["conversation_idle_ms"], 30_000);
    assert_eq!(time["conversation_end_at"], "2025-06-01T11:51:00Z");
    assert_eq!(stage.get(&path).await["activities"][1]["began_at"], "2025-06-01T11:50:20Z");
    let none = stage.ask("POST", &activities).json(&json!({ "activities": [] })).response().await;
    assert!(none.problem(400, "invalid").contains("send 1 to 1000"));

    stage.ask("POST", &format!("{DIARY}/conversations/end")).response().await.with(200);
    let metrics = stage.ask("GET", "/metrics").response().await.text;
    for line in [
        "everwhen_conversation_elapsed_seconds_sum 60",
        "everwhen_conversation_active_seconds_sum 30",
        "everwhen_conversation_idle_seconds_bucket{le=\"60\"} 1",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line} is not in\n{metrics}");
    }
}

#[tokio::test]
async fn usage_is_told_by_day_and_starts_at_nothing() {
    let stage = Stage::new().await;
    stage.say("2025-06-01T11:50:00Z", "Hello.").await;
    let vault = DIARY.split("/memories").next().unwrap();
    let usage = stage.get(&format!("{vault}/usage?since=2025-01-01")).await;
    assert_eq!(usage["data"], json!([]));
    assert_eq!((&usage["total"]["calls"], &usage["total"]["cost"]), (&json!(0), &json!(0.0)));
    let month = json!({ "since": "2025-06-01", "cost": 0.0, "server_cost": 0.0, "cap": null });
    assert_eq!(usage["month"], month);
    let wrong = stage.ask("GET", &format!("{vault}/usage?since=yesterday")).response().await;
    assert!(wrong.problem(400, "invalid").contains("2025-03-01"));
}

#[tokio::test]
async fn d16_one_conversation_is_summarized_on_demand() {
    let stage = Stage::new().await;
    stage.say("2025-05-01T10:00:00Z", "I went to the museum today.").await;
    stage.say("2025-06-01T11:50:00Z", "Hello again.").await;
    settle(&stage).await;
    let page = stage.get(&format!("{DIARY}/conversations?state=ended")).await;
    let id = page["data"][0]["id"].as_str().unwrap();
    let path = format!("{DIARY}/conversations/{id}/summary");
    let response = stage.ask("POST", &path).response().await.with(200);
    assert_eq!(response["id"], id);
    assert!(settle(&stage).await["done"].as_u64().unwrap() > 0, "its summary was written again");
    let open = stage.get(&format!("{DIARY}/conversations?state=open")).await;
    let open = open["data"][0]["id"].as_str().unwrap();
    let path = format!("{DIARY}/conversations/{open}/summary");
    stage.ask("POST", &path).response().await.problem(409, "conflict");
}
