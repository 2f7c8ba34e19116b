//! What the three documents on conversation time, dated facts and conversations ask for, from the
//! command line. Tests are named after the rows of docs/seeds.md.

use std::time::Duration;

use everwhen_testkit::{ModelEndpoint, ModelReply};

use crate::stage::Stage;

/// Distils what was remembered: jobs wait a moment for more entries.
fn distill(stage: &Stage) {
    std::thread::sleep(Duration::from_millis(2_200));
    stage.ok(&["distill", "--all"]);
}

fn first_fact(stage: &Stage) -> String {
    stage.json(&["facts"])["data"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn c44_a_removed_fact_stays_away_and_a_corrected_one_stays() {
    let stage = Stage::new();
    stage.ok(&["remember", "I live in Bern", "--at", "2025-03-02 10:00"]);
    stage.ok(&["remember", "My cat is called Tom", "--at", "2025-04-02 10:00"]);
    distill(&stage);
    let fact = first_fact(&stage);
    let output = stage.ok(&["facts", "--correct", &fact, "I live in Basel"]);
    assert!(output.starts_with("I live in Basel (mentioned 2025-03-02)"), "{output}");
    let cat = stage.json(&["facts"])["data"][1]["id"].as_str().unwrap().to_owned();
    assert!(stage.ok(&["facts", "--remove", &cat]).starts_with("Removed fact "));
    stage.ok(&["regenerate"]);
    distill(&stage);
    let left = stage.ok(&["facts", "--all"]);
    assert!(left.contains("Basel") && !left.contains("Bern") && !left.contains("Tom"), "{left}");
}

#[test]
fn c33_the_text_shows_the_whole_series_with_marks() {
    let stage = Stage::new();
    stage.ok(&["remember", "My A1C was 7.4%", "--at", "2025-03-02 10:00"]);
    stage.ok(&["remember", "My A1C is 7.0% now", "--at", "2025-04-02 10:00"]);
    distill(&stage);
    let text = stage.ok(&["facts", "--text", "--all", "--marks"]);
    assert!(text.contains("- [IMPORTANT] My A1C was 7.4% (mentioned 2025-03-02)"), "{text}");
    assert!(text.contains("(confirmed, replaced)") && text.contains("7.0%"), "{text}");
}

#[test]
fn c32_bug_15_pins_stand_first_and_in_every_briefing() {
    let stage = Stage::new();
    stage.ok(&["remember", "I live in Bern", "--at", "2025-03-02 10:00"]);
    stage.ok(&["remember", "I'm allergic to peanuts", "--at", "2025-04-02 10:00"]);
    distill(&stage);
    let listed = stage.json(&["facts"]);
    let allergy = listed["data"][1]["id"].as_str().unwrap();
    stage.ok(&["pin", allergy]);
    assert_eq!(stage.json(&["facts"])["data"][0]["id"], allergy);
    let briefing = stage.ok(&["recall", "where is my home?", "--briefing"]);
    assert!(briefing.contains("allergic to peanuts"), "{briefing}");
}

#[test]
fn c34_and_c45_the_profile_has_several_values_and_facts_are_pinned_by_words() {
    let stage = Stage::new();
    stage.file("config.toml", "[facts]\nauto_pin = 'health'\n");
    let with = |args: &[&str]| stage.ok(&[&["--config", "config.toml"], args].concat());
    with(&["remember", "I'm allergic to peanuts", "--at", "2025-03-02 10:00"]);
    with(&["remember", "I'm allergic to Penicillin", "--at", "2025-04-02 10:00"]);
    with(&["remember", "I live in Bern", "--at", "2025-05-02 10:00"]);
    std::thread::sleep(Duration::from_millis(2_200));
    with(&["distill", "--all"]);
    let profile = with(&["profile"]);
    for value in ["peanuts", "Penicillin", "Bern"] {
        assert!(profile.contains(value), "{value} in its own spelling: {profile}");
    }
    assert_eq!(with(&["facts", "--pinned"]).lines().count(), 2);
}

#[test]
fn c14_ephemeral_storage_leaves_nothing() {
    let stage = Stage::new();
    stage.ok(&["remember", "I live in Bern", "--data", ":memory:"]);
    assert!(!stage.data().exists() && !stage.home().join(":memory:").exists());
    assert_ne!(stage.run(&["entries"]).code, 0, "nothing has been remembered here");
}

#[test]
fn e3_bug_13_a_time_that_clocks_skip_and_a_day_that_is_none_are_errors() {
    let stage = Stage::new();
    let skipped = stage.run(&["remember", "x", "--at", "2025-03-30 02:30"]);
    assert!(skipped.stderr.contains("does not exist in Europe/Berlin"), "{}", skipped.stderr);
    let none = stage.run(&["remember", "x", "--at", "2025-02-30 10:00"]);
    assert!(none.stderr.contains("the day 2025-02-30 does not exist"), "{}", none.stderr);
}

#[test]
fn d29_bug_12_a_changed_setting_takes_effect_on_the_default_vault() {
    let stage = Stage::new();
    stage.ok(&["remember", "x"]);
    stage.file("config.toml", "[conversations]\nconversationIdleTimeoutMinutes = 5\n");
    stage.ok(&["--config", "config.toml", "entries"]);
    let vaults = stage.json(&["vaults"]);
    assert_eq!(vaults["data"][0]["settings"]["conversationIdleTimeoutMinutes"], 5, "{vaults}");
}

#[test]
fn e5_without_a_server_facts_come_by_themselves_or_are_told_of() {
    let stage = Stage::new();
    stage.ok(&["remember", "I live in Bern", "--at", "2025-03-02 10:00"]);
    let ran = stage.run(&["facts"]);
    let is_explained =
        ran.stdout.contains("Bern") || ran.stderr.contains("run them with: everwhen distill");
    assert!(is_explained, "{ran:?}");
    std::thread::sleep(Duration::from_millis(2_200));
    let facts = stage.ok(&["facts"]);
    assert!(facts.contains("I live in Bern"), "{facts}");
}

#[test]
fn b54_context_documents_are_found_by_recall() {
    let stage = Stage::new();
    stage.ok(&["remember", "Hello there, my friend"]);
    stage.file("about.md", "The user collects xylophones.");
    stage.ok(&["context", "put", "about.md"]);
    let output = stage.json(&["recall", "what about xylophones?"]);
    assert_eq!(output["contexts"][0]["content"], "The user collects xylophones.", "{output}");
}

#[test]
fn b23_events_are_ordered_by_when_they_happened() {
    let stage = Stage::new();
    stage.ok(&["remember", "I visited Rome in 2023.", "--at", "2024-03-01 10:00"]);
    stage.ok(&["remember", "We were in Paris in 2022.", "--at", "2024-07-05 10:00"]);
    distill(&stage);
    let output = stage.ok(&["timeline", "--events"]);
    let lines: Vec<&str> = output.lines().collect();
    assert!(lines[0].starts_with("2022-01-01 – We were in Paris in 2022."), "{output}");
    assert!(lines[1].starts_with("2023-01-01 – I visited Rome in 2023."), "{output}");
}

#[test]
fn b23_an_event_stays_when_what_it_led_to_is_replaced() {
    let stage = Stage::new();
    stage.ok(&["remember", "I moved to Lisbon on 1 March 2024.", "--at", "2024-03-05 12:00"]);
    stage.ok(&["remember", "I live in Porto now.", "--at", "2025-01-01 12:00"]);
    distill(&stage);
    let output = stage.ok(&["timeline", "--events"]);
    assert!(output.starts_with("2024-03-01 – I moved to Lisbon on 1 March 2024."), "{output}");
}

#[test]
fn b23_events_to_come_are_dated_ahead() {
    let stage = Stage::new();
    let at = ["--at", "2024-02-22 10:00"];
    for said in ["My dentist appointment is on the 14th.", "I have an exam on Tuesday."] {
        stage.ok(&["remember", said, at[0], at[1]]);
    }
    distill(&stage);
    let output = stage.ok(&["timeline", "--events"]);
    let lines: Vec<&str> = output.lines().collect();
    assert!(lines[0].starts_with("2024-02-27 – I have an exam"), "{output}");
    assert!(lines[1].starts_with("2024-03-14 – My dentist appointment"), "{output}");
}

#[test]
fn b63_tags_change_with_a_correction() {
    let stage = Stage::new();
    let id = stage.json(&["remember", "I live in Bern", "--tag", "old"])["id"].clone();
    let id = id.as_str().unwrap();
    stage.ok(&["correct", id, "I live in Bern", "--reason", "tags", "--tag", "home"]);
    let entries = stage.json(&["entries"]);
    assert_eq!(entries["data"][0]["tags"], serde_json::json!(["home"]), "{entries}");
}

#[test]
fn d43_a_plugins_file_goes_in_and_comes_out() {
    let stage = Stage::new();
    let message = |id: &str, role: &str, content: &str| {
        serde_json::json!({ "id": id, "timestamp": "2026-02-05T10:30:00.000Z", "role": role,
            "content": content })
    };
    let document = serde_json::json!({
        "apiKey": "kept", "conversationIdleTimeoutMinutes": 45,
        "conversationStates": { "conv-1": { "isWaitingForResponse": true } },
        "conversationData": { "conversations": [{ "id": "conv-1",
            "startedAt": "2026-02-05T10:30:00.000Z", "endedAt": null, "title": null, "summary": null,
            "messages": [message("m1", "user", "Sort."), message("m2", "assistant", "By date?")] }] },
    });
    stage.file("data.json", &document.to_string());
    stage.ok(&["import", "smarthole", "data.json"]);
    stage.ok(&["export", "smarthole", "data.json"]);
    let text = std::fs::read_to_string(stage.home().join("data.json")).unwrap();
    let back: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&back["apiKey"], &back["conversationIdleTimeoutMinutes"]),
        (&serde_json::json!("kept"), &serde_json::json!(45))
    );
    let conversation = &back["conversationData"]["conversations"][0];
    assert_eq!(
        (&conversation["id"], &conversation["messages"][1]["id"]),
        (&serde_json::json!("conv-1"), &serde_json::json!("m2"))
    );
    assert_eq!(back["conversationStates"]["conv-1"]["isWaitingForResponse"], true, "{back}");
}

#[test]
fn b63_tags_and_context_versions_are_changed_and_deleted() {
    let stage = Stage::new();
    let id = stage.json(&["remember", "I live in Bern", "--tag", "old"])["id"].clone();
    let id = id.as_str().unwrap();
    assert!(stage.ok(&["tags"]).starts_with("old "));
    assert_eq!(stage.ok(&["tags", id, "home", "city"]).trim(), format!("{id}: home, city"));
    assert_eq!(stage.json(&["tags"])["data"][1]["tag"], "home");
    assert_eq!(stage.ok(&["tags", id, "--none"]).trim(), format!("{id}: no tags"));
    assert_eq!(stage.run(&["tags", id]).code, 2);
    stage.file("about.md", "The user collects xylophones.");
    stage.ok(&["context", "put", "about.md"]);
    assert_eq!(stage.ok(&["context", "delete", "1"]).trim(), "Deleted version 1");
    assert_eq!(stage.run(&["context", "delete", "1"]).code, 3);
}

#[test]
fn c26_thresholds_are_measured_saved_and_used() {
    let stage = Stage::new();
    let output = stage.json(&["models", "calibrate"]);
    assert_eq!(output["embedder"], "static256-e2");
    for name in ["same", "related", "borne_out"] {
        assert_eq!(output[name]["threshold"], output[name]["in_use"], "{name}: {output}");
        assert!(output[name]["precision"].as_f64().unwrap() > 0.8, "{name}: {output}");
    }
    let pair = |label: &str, a: &str, b: &str| {
        serde_json::json!({ "is": label, "a": a, "b": b }).to_string()
    };
    let own = [
        pair("same", "I live in Bern", "I live in Bern"),
        pair("unrelated", "I live in Bern", "My cat is called Tom"),
        pair("follows", "I live in Bern", "I live in Bern"),
        pair("does_not_follow", "I live in Bern", "My cat is called Tom"),
    ];
    stage.file("pairs.jsonl", &own.join("\n"));
    let saved = stage.json(&["models", "calibrate", "--pairs", "pairs.jsonl", "--save"]);
    assert_eq!((&saved["saved"], &saved["same"]["threshold"]), (&true.into(), &1.0.into()));
    let again = stage.json(&["models", "calibrate"]);
    assert_eq!(again["same"]["in_use"], 1.0, "{again}");
    // With a threshold of 1 for the same, a paraphrase is a fact of its own.
    let lines = ["I enjoy hiking in the mountains", "I love mountain hiking"];
    stage.ok(&["remember", lines[0], "--at", "2025-03-02 10:00"]);
    stage.ok(&["remember", lines[1], "--at", "2025-04-02 10:00"]);
    distill(&stage);
    assert_eq!(stage.json(&["facts"])["data"].as_array().unwrap().len(), 2);
    stage.file("pairs.jsonl", "{}");
    let flawed = stage.run(&["models", "calibrate", "--pairs", "pairs.jsonl"]);
    assert!(flawed.stderr.contains("pairs.jsonl: line 1: "), "{}", flawed.stderr);
}

#[test]
fn c24_a_paraphrase_is_one_fact() {
    let stage = Stage::new();
    stage.ok(&["remember", "I enjoy hiking in the mountains", "--at", "2025-03-02 10:00"]);
    stage.ok(&["remember", "I love mountain hiking", "--at", "2025-04-02 10:00"]);
    distill(&stage);
    let facts = stage.json(&["facts"]);
    assert_eq!(facts["data"].as_array().unwrap().len(), 1, "{facts}");
}

/// A language model that proposes these facts about every conversation and looks back with a sentence;
/// answers with the configuration that names it.
fn with_model(stage: &Stage, facts: serde_json::Value) -> (ModelEndpoint, String) {
    let model = ModelEndpoint::start(move |body| {
        let schema = &body["response_format"]["json_schema"]["name"];
        ModelReply::Text(match schema.as_str() {
            Some("facts") => serde_json::json!({ "facts": facts }).to_string(),
            Some("retelling") => {
                let title = "The talk about habits of today";
                serde_json::json!({ "title": title, "summary": "A talk." }).to_string()
            }
            Some(_) => "{}".to_owned(),
            None => "Ask about dates first.".to_owned(),
        })
    });
    let config = format!(
        "[llm]\nprovider = 'openai'\nmodel = 'm'\nbase_url = '{}'\n\
         [conversations]\nretrospection = 'on'\n",
        model.url
    );
    let path = stage.file("config.toml", &config).display().to_string();
    (model, path)
}

#[test]
fn c42_what_is_said_in_other_words_is_kept_by_its_meaning_and_the_rest_is_counted() {
    let stage = Stage::new();
    let said = "I quit smoking last spring";
    let proposed = |statement: &str| {
        serde_json::json!({ "line": 1, "quote": said, "statement": statement, "matter": "",
            "value": "", "tags": [] })
    };
    let facts =
        serde_json::json!([proposed("Gave up cigarettes"), proposed("Keeps tropical fish")]);
    let (_model, config) = with_model(&stage, facts);
    stage.ok(&["remember", said, "--at", "2025-03-02 10:00"]);
    std::thread::sleep(Duration::from_millis(2_200));
    stage.ok(&["--config", &config, "distill"]);
    let kept = stage.ok(&["facts"]);
    assert!(kept.contains("Gave up cigarettes (mentioned 2025-03-02) (inferred)"), "{kept}");
    assert!(!kept.contains("fish"), "{kept}");
    let conversations = stage.json(&["conversations"]);
    assert_eq!(conversations["data"][0]["facts_dropped"], 1, "{conversations}");
}

#[test]
fn d45_the_model_looks_back_at_past_conversations() {
    let stage = Stage::new();
    stage.ok(&["remember", "Please sort my notes", "--at", "2025-03-02 10:00"]);
    distill(&stage);
    assert_eq!(stage.json(&["retrospection"])["conversations"], serde_json::json!([]));
    assert_eq!(stage.run(&["retrospection", "--run"]).code, 4, "there is no model");
    let (_model, config) = with_model(&stage, serde_json::json!([]));
    let output = stage.ok(&["--config", &config, "retrospection", "--run"]);
    assert!(output.starts_with("## ") && output.contains(" — 2025-03-02 "), "{output}");
    assert!(output.ends_with("Ask about dates first.\n"), "{output}");
    // One that ends later is looked back at without being asked for.
    stage.ok(&["remember", "Please sort my mails", "--at", "2025-04-02 10:00"]);
    std::thread::sleep(Duration::from_millis(2_200));
    stage.ok(&["--config", &config, "distill"]);
    let count = stage.json(&["retrospection"])["conversations"].as_array().unwrap().len();
    assert_eq!(count, 2);
}
