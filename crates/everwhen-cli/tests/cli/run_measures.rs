//! What runs of a benchmark measure when models fail, retry, or the data is odd.

use std::sync::atomic::{AtomicUsize, Ordering};

use everwhen_testkit::{ModelEndpoint, ModelReply};
use serde_json::{Value, json};

use crate::runs::{furnish, lines, place, run, summary};
use crate::stage::Stage;

/// The plan with a model that answers and a real clock.
fn ask(stage: &Stage, model: &ModelEndpoint) {
    let url = &model.url;
    let plan = format!(
        "[dataset]\npath = 'questions.jsonl'\nform = 'dialogue'\n[run]\ntwo_pass = false\n\
         [answer]\nprovider = 'openai'\nmodel = 'm'\nbase_url = '{url}'\n"
    );
    stage.file("bench.toml", &plan);
}

fn number(value: &Value, name: &str) -> i64 {
    value[name].as_i64().unwrap_or_else(|| panic!("{name} of {value}"))
}

#[test]
fn bug_1_waiting_between_tries_is_idle() {
    let stage = Stage::new();
    furnish(&stage, 1, 1);
    let asked = AtomicUsize::new(0);
    let model = ModelEndpoint::start(move |_| match asked.fetch_add(1, Ordering::Relaxed) {
        0 | 1 => ModelReply::Status(500, "{}".into()),
        _ => ModelReply::Text("100 euros".into()),
    });
    ask(&stage, &model);
    stage.ok(&run("retried", &[]));
    let line = &lines(&place(&stage, "retried"))[0];
    let events = std::fs::read_to_string(place(&stage, "retried").join("events.jsonl")).unwrap();
    assert_eq!(events.matches("\"name\":\"answer\"").count(), 3, "one for each try: {events}");
    // Two pauses of at least half of 0.5 s and of 1 s.
    assert!(number(line, "conversation_idle_ms") >= 700, "{line}");
    let parts = number(line, "conversation_idle_ms") + number(line, "conversation_active_ms");
    assert_eq!(number(line, "conversation_elapsed_ms"), parts);
    stage.ok(&["bench", "verify", place(&stage, "retried").to_str().unwrap()]);
}

#[test]
fn bugs_2_and_3_a_failed_question_is_wrong_visible_and_lasts_until_it_failed() {
    let stage = Stage::new();
    furnish(&stage, 2, 1);
    let model = ModelEndpoint::start(|body| match body.to_string().contains("bicycle") {
        true => ModelReply::Text("100".into()),
        false => ModelReply::Status(401, "{}".into()),
    });
    ask(&stage, &model);
    let ran = stage.run(&run("failed", &[]));
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("1 of 2 questions failed and count as wrong"), "{}", ran.stderr);
    assert!(ran.stdout.contains("FAIL q01: "), "{}", ran.stdout);
    let directory = place(&stage, "failed");
    let output = summary(&directory);
    assert_eq!(output["accuracy"]["all"], json!({ "n": 2, "right": 1, "percent": 50.0 }));
    assert!(output["failures"]["q01"].as_str().unwrap().contains("check the key"), "{output}");
    for line in lines(&directory) {
        let (elapsed, active) =
            (number(&line, "conversation_elapsed_ms"), number(&line, "conversation_active_ms"));
        assert!(active <= elapsed, "{line}");
    }
    stage.ok(&["bench", "verify", directory.to_str().unwrap()]);
}

#[test]
fn a33_verify_finds_more_active_than_elapsed_time() {
    let stage = Stage::new();
    furnish(&stage, 1, 1);
    stage.ok(&run("one", &[]));
    let path = place(&stage, "one").join("hypotheses.jsonl");
    let mut line = lines(&place(&stage, "one"))[0].clone();
    line["conversation_active_ms"] = json!(number(&line, "conversation_elapsed_ms") + 900);
    std::fs::write(&path, format!("{line}\n")).unwrap();
    let ran = stage.run(&["bench", "verify", place(&stage, "one").to_str().unwrap()]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("question q00: active is "), "{}", ran.stdout);
}

#[test]
fn bugs_8_and_17_odd_data_is_told_and_a_run_that_cannot_start_leaves_nothing() {
    let stage = Stage::new();
    furnish(&stage, 1, 1);
    let text = std::fs::read_to_string(stage.home().join("questions.jsonl")).unwrap();
    stage.file("questions.jsonl", &text.replace("2023/01/01 (Sun) 12:49", "1 January"));
    let ran = stage.run(&run("odd", &[]));
    assert!(ran.stderr.contains("question q00, session s0: cannot read the date"), "{ran:?}");
    assert!(!place(&stage, "odd").exists());
    stage.file("questions.jsonl", &text.replace("\"date\":\"2023/01/01 (Sun) 12:49\",", ""));
    stage.ok(&run("odd", &["--mode", "ingest"]));
    let log = std::fs::read_to_string(place(&stage, "odd").join("run.log")).unwrap();
    assert!(log.contains("NOTE q00: session s0 has no date"), "{log}");
    assert!(log.contains("question=q00 session=s0"), "{log}");
    assert_eq!(summary(&place(&stage, "odd"))["retrieval"], json!({}));
}

#[test]
fn a31_logs_of_the_original_benchmarker_are_measured() {
    let stage = Stage::new();
    let log = "2025-09-01 10:00:01,000 INFO SESSION_START session_id=s1\n\
               2025-09-01 10:00:01,500 INFO MSG role=user\n\
               2025-09-01 10:00:06,500 INFO SESSION_END session_id=s1\n";
    let path = stage.file("q1.log", log);
    let output = stage.ok(&["bench", "logs", path.to_str().unwrap()]);
    assert!(
        output.starts_with("CONV_TIME total=0 active=0 idle=0 turns=1 status=DONE"),
        "{output}"
    );
}

#[test]
fn bug_17_a_run_that_cannot_start_leaves_nothing_and_ingest_scores_no_retrieval() {
    let stage = Stage::new();
    furnish(&stage, 2, 1);
    let nobody = stage.run(&run("again", &["--via", "http://127.0.0.1:1"]));
    assert_ne!(nobody.code, 0);
    assert!(!place(&stage, "again").exists(), "{nobody:?}");
    let output = stage.ok(&run("again", &["--mode", "ingest"]));
    assert!(!output.contains("-0.0000") && !output.contains("recall"), "{output}");
    assert_eq!(summary(&place(&stage, "again"))["retrieval"], json!({}));
}

#[test]
fn a_benchmark_that_makes_its_own_store_refuses_another() {
    let output = Stage::new().run(&["bench", "exam", "--store", "postgres://ana@db/x"]);
    assert_eq!(output.code, 2, "{}", output.stderr);
    assert!(output.stderr.contains("--store is for `bench store`"), "{}", output.stderr);
}
