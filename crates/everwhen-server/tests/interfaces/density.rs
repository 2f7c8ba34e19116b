//! How much there is over time, timelines from the newest on, and the past of what is derived.

use serde_json::json;

use crate::stage::{DIARY, Stage, column};

async fn response(stage: &Stage) {
    for (time, text) in [
        ("2025-01-01T12:00:00Z", "one"),
        ("2025-01-01T18:00:00Z", "two"),
        ("2025-01-08T12:00:00Z", "three"),
        ("2025-01-11T12:00:00Z", "four"),
    ] {
        stage.say(time, text).await;
    }
}

#[tokio::test]
async fn density_counts_on_either_clock_now_and_as_of_another_time() {
    let stage = Stage::new().await;
    response(&stage).await;
    stage.clock.advance(jiff::SignedDuration::from_hours(24));
    stage.say("2025-01-02T12:00:00Z", "late").await;
    let path = format!("{DIARY}/density");
    let said = stage.get(&format!("{path}?buckets=10")).await;
    assert_eq!(said["first"], "2025-01-01T12:00:00Z");
    assert_eq!(said["last"], "2025-01-11T12:00:00Z");
    assert_eq!(said["counts"], json!([2, 1, 0, 0, 0, 0, 0, 1, 0, 1]));
    let before = stage.get(&format!("{path}?buckets=10&as_of=2025-06-01T23:00:00Z")).await;
    assert_eq!(before["counts"], json!([2, 0, 0, 0, 0, 0, 0, 1, 0, 1]));
    let stored = stage.get(&format!("{path}?by=creation_time&buckets=2")).await;
    assert_eq!(
        (&stored["counts"], &stored["last"]),
        (&json!([4, 1]), &json!("2025-06-02T12:00:00Z"))
    );
    let inside = "after=2025-01-01T00:00:00Z&before=2025-01-03T00:00:00Z&buckets=2";
    assert_eq!(stage.get(&format!("{path}?{inside}")).await["counts"], json!([2, 1]));
}

#[tokio::test]
async fn density_of_nothing_is_nothing_and_wrong_numbers_are_refused() {
    let stage = Stage::new().await;
    stage.post("/v1/vaults/ana/memories", json!({ "name": "empty" })).await;
    let empty = stage.get("/v1/vaults/ana/memories/empty/density?buckets=3").await;
    assert_eq!(empty, json!({ "first": null, "last": null, "counts": [0, 0, 0] }));
    for wrong in ["buckets=0", "buckets=2001", "by=mood", "after=2025-02-01&before=2025-01-01"] {
        let ask = stage.ask("GET", &format!("/v1/vaults/ana/memories/empty/density?{wrong}"));
        ask.response().await.problem(400, "invalid");
    }
}

#[tokio::test]
async fn a_timeline_can_begin_with_the_newest() {
    let stage = Stage::new().await;
    response(&stage).await;
    let path = format!("{DIARY}/timeline?order=desc&limit=3");
    let page = stage.get(&path).await;
    assert_eq!(column(&page, "event"), ["four", "three", "two"]);
    assert_eq!(column(&page, "gap"), [&json!("+3 days"), &json!("+7 days"), &json!(null)]);
    let cursor = page["next_cursor"].as_str().unwrap();
    let rest = stage.get(&format!("{path}&cursor={cursor}")).await;
    assert_eq!(
        (column(&rest, "event"), column(&rest, "gap")),
        (vec![&json!("one")], vec![&json!(null)])
    );
    let short = stage.get(&format!("{DIARY}/timeline?order=desc&limit=2")).await;
    assert_eq!(column(&short, "gap"), ["+3 days", "+7 days"], "the gap to the next page is told");
}

#[tokio::test]
async fn profile_and_chapters_can_be_asked_for_as_they_were() {
    let stage = Stage::new().await;
    let settle = async || {
        stage.clock.advance(jiff::SignedDuration::from_hours(48));
        stage.engine.settle().await.unwrap();
    };
    stage.say("2025-01-10T12:00:00Z", "My A1C was 7.4%").await;
    settle().await;
    let between = stage.engine.now().to_string();
    stage.say("2025-04-12T12:00:00Z", "A1C improved to 7.0%").await;
    settle().await;
    let value = async |query: &str| {
        let profile = stage.get(&format!("{DIARY}/profile{query}")).await;
        column(&profile, "value").first().map(|value| (*value).clone())
    };
    assert_eq!(value("").await, Some(json!("7.0%")));
    assert_eq!(value(&format!("?as_of={between}")).await, Some(json!("7.4%")));
    assert_eq!(value("?as_of=2020-01-01T00:00:00Z").await, None);
    let chapters = stage.get(&format!("{DIARY}/chapters?as_of=2020-01-01T00:00:00Z")).await;
    assert_eq!(chapters["data"], json!([]));
}

#[tokio::test]
async fn browsers_are_sent_to_the_web_interface_and_programs_are_not() {
    let stage = Stage::new().await;
    let browser = stage.ask("GET", "/").header("accept", "text/html,*/*;q=0.8").response().await;
    assert_eq!(browser.status, 307);
    stage.ask("GET", "/").header("accept", "*/*").response().await.problem(404, "not_found");
    stage.ask("POST", "/ui/").response().await.problem(405, "method_not_allowed");
}
