//! What the three documents on conversation time, dated facts and conversations ask for, from the
//! command line. Tests are named after the rows of docs/seeds.md.

use std::time::Duration;

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
    let told = stage.ok(&["facts", "--correct", &fact, "I live in Basel"]);
    assert!(told.starts_with("I live in Basel (mentioned 2025-03-02)"), "{told}");
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
fn c32_pins_stand_first_and_in_every_briefing() {
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
fn e3_a_time_that_clocks_skip_and_a_day_that_is_none_are_errors() {
    let stage = Stage::new();
    let skipped = stage.run(&["remember", "x", "--at", "2025-03-30 02:30"]);
    assert!(skipped.stderr.contains("does not exist in Europe/Berlin"), "{}", skipped.stderr);
    let none = stage.run(&["remember", "x", "--at", "2025-02-30 10:00"]);
    assert!(none.stderr.contains("the day 2025-02-30 does not exist"), "{}", none.stderr);
}

#[test]
fn d29_a_changed_setting_takes_effect_on_the_default_vault() {
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
    let told =
        ran.stdout.contains("Bern") || ran.stderr.contains("run them with: everwhen distill");
    assert!(told, "{ran:?}");
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
    let told = stage.json(&["recall", "what about xylophones?"]);
    assert_eq!(told["contexts"][0]["content"], "The user collects xylophones.", "{told}");
}

#[test]
fn b23_events_are_ordered_by_when_they_happened() {
    let stage = Stage::new();
    stage.ok(&["remember", "I visited Rome in 2023.", "--at", "2024-03-01 10:00"]);
    stage.ok(&["remember", "We were in Paris in 2022.", "--at", "2024-07-05 10:00"]);
    distill(&stage);
    let told = stage.ok(&["timeline", "--events"]);
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[0].starts_with("2022-01-01 – We were in Paris in 2022."), "{told}");
    assert!(lines[1].starts_with("2023-01-01 – I visited Rome in 2023."), "{told}");
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
