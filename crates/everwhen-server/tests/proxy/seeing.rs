//! Seeing it work: traces of single requests, and the tail.

use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::stage::{Stage, chat};

const PATH: &str = "/v1/chat/completions";

#[tokio::test]
async fn a_trace_shows_what_was_done_to_a_request() {
    let stage = Stage::with("[proxy]\nbriefing = 'off'\n").await;
    let ask = stage.post(PATH, &chat(&["s:Be kind.", "u:hi"])).memory("m");
    let response = ask.header("x-everwhen-trace", "1").response().await;
    let place = response.header("x-everwhen-trace").unwrap().to_owned();
    let trace = stage.get(&place).response().await.json();
    assert_eq!(trace["injected"], "[It is Sunday, 2025-06-01 12:00 +00:00 (UTC).]");
    assert_eq!(
        trace["stamped"],
        json!([{ "message": 1, "stamp": "(Sunday, 2025-06-01 12:00:00) " }])
    );
    assert_eq!(
        (&trace["memory"], &trace["memory_source"]),
        (&json!("m"), &json!("x-everwhen-memory"))
    );
    let stored = &trace["stored"][0];
    assert_eq!((&stored["message"], &stored["content"]), (&json!(1), &json!("hi")));
    assert_eq!(stage.get("/proxy/traces/999").response().await.status, 404);
}

#[tokio::test]
async fn the_last_traces_are_listed_newest_first() {
    let stage = Stage::new().await;
    stage.chat(&["u:nobody watches"]).await;
    assert_eq!(stage.get("/proxy/traces").response().await.json(), json!({ "data": [] }));
    for text in ["u:first", "u:second"] {
        stage
            .post(PATH, &chat(&[text]))
            .memory("m")
            .header("x-everwhen-trace", "1")
            .response()
            .await;
    }
    let (_, _, tail) = stage.get("/proxy/tail").begun().await;
    stage.post(PATH, &chat(&["u:watched"])).memory("m").response().await;
    drop(tail);
    let said = async |query: &str| {
        let listed = stage.get(&format!("/proxy/traces{query}")).response().await.json();
        let listed = listed["data"].as_array().unwrap().clone();
        let words = listed.iter().map(|seen| seen["stored"][0]["content"].clone());
        words.collect::<Vec<Value>>()
    };
    assert_eq!(said("").await, ["watched", "second", "first"]);
    assert_eq!(said("?limit=1").await, ["watched"]);
    assert_eq!(stage.get("/proxy/traces?limit=x").response().await.status, 400);
}

#[tokio::test]
async fn the_tail_tells_both_halves_of_an_exchange() {
    let stage = Stage::new().await;
    let (status, headers, mut tail) = stage.get("/proxy/tail").begun().await;
    assert_eq!((status, &headers["content-type"]), (200, &"text/event-stream".parse().unwrap()));
    stage.chat(&["u:hi"]).await;
    let mut events = Vec::new();
    for _ in 0..2 {
        let frame = tail.frame().await.unwrap().unwrap().into_data().unwrap();
        let text = String::from_utf8(frame.to_vec()).unwrap();
        let event = text.strip_prefix("data: ").unwrap();
        events.push(serde_json::from_str::<Value>(event).unwrap());
    }
    assert_eq!((&events[0]["event"], &events[1]["event"]), (&json!("asked"), &json!("answered")));
    assert_eq!(events[0]["stored"][0]["content"], "hi");
    assert_eq!((&events[1]["characters"], &events[1]["content"]), (&json!(6), &json!("Noted.")));
    assert!(events[1]["entry"].as_str().unwrap().starts_with("ent_"));
    assert_eq!(events[0]["id"], events[1]["id"]);
}

#[tokio::test]
async fn nobody_sees_another_vaults_traces() {
    let stage = Stage::new().await;
    let ana = stage.key("ana", &json!({})).await;
    let ben = stage.key("ben", &json!({})).await;
    let ask = stage.post(PATH, &chat(&["u:hi"])).memory("m").key(&ana);
    let response = ask.header("x-everwhen-trace", "1").response().await;
    let place = response.header("x-everwhen-trace").unwrap();
    assert_eq!(stage.get(place).key(&ana).response().await.status, 200);
    assert_eq!(stage.get(place).key(&ben).response().await.status, 404);
    assert_eq!(stage.get("/proxy/tail").response().await.status, 401);
}
