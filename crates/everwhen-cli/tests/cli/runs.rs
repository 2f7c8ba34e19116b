//! Runs of a benchmark by the real binary: whole, killed and resumed, over a server, verified.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use everwhen_testkit::{ModelEndpoint, ModelReply};
use serde_json::{Value, json};

use crate::stage::{Stage, eventually};

const THINGS: [&str; 10] = [
    "bicycle",
    "telescope",
    "guitar",
    "camera",
    "kayak",
    "piano",
    "canoe",
    "drone",
    "lantern",
    "easel",
];

/// A plan, and questions with several sessions each, of which one holds the answer.
pub(crate) fn furnish(stage: &Stage, questions: usize, sessions: usize) -> PathBuf {
    let mut lines = String::new();
    for number in 0..questions {
        let question = question(number, sessions);
        lines += &format!("{question}\n");
    }
    stage.file("questions.jsonl", &lines);
    let plan = "[dataset]\npath = 'questions.jsonl'\nform = 'dialogue'\n\
                [run]\nscripted_clock = true\nworkers = 2\n";
    stage.file("bench.toml", plan)
}

fn question(number: usize, sessions: usize) -> Value {
    let thing = THINGS[number % THINGS.len()];
    let gold = number % sessions;
    let session = |place: usize| {
        let said = match place == gold {
            true => format!("Today I bought a {thing} for {} euros.", 100 + number),
            false => format!("The weather in week {place} was mild."),
        };
        json!({ "id": format!("s{place}"), "date": format!("2023/01/{:02} (Sun) 12:49", place + 1),
            "turns": [{ "role": "user", "content": said },
                      { "role": "assistant", "content": "Thank you for telling me." }] })
    };
    json!({
        "question_id": format!("q{number:02}"), "question": format!("How many euros was the {thing}?"),
        "question_date": "2023-03-01T10:00:00Z", "question_type": "single",
        "answer": 100 + number, "answer_session_ids": [format!("s{gold}")],
        "sessions": (0..sessions).map(session).collect::<Vec<_>>(),
    })
}

pub(crate) fn run<'a>(id: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["bench", "run", "bench.toml", "--run-id", id], more].concat()
}

pub(crate) fn place(stage: &Stage, id: &str) -> PathBuf {
    stage.home().join("out").join(format!("run_{id}"))
}

pub(crate) fn lines(directory: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(directory.join("hypotheses.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn summary(directory: &Path) -> Value {
    let text = std::fs::read_to_string(directory.join("summary.json")).unwrap();
    let mut summary: Value = serde_json::from_str(&text).unwrap();
    summary["run_id"] = Value::Null;
    summary
}

/// Runs until this many more bytes of events are written, then kills it; false if it was done before.
fn kill_after(stage: &Stage, args: &[&str], events: &Path, bytes: u64) -> bool {
    let size = || std::fs::metadata(events).map_or(0, |file| file.len());
    let before = size();
    let mut child = stage.command(args).stderr(std::process::Stdio::null()).spawn().unwrap();
    while size() < before + bytes {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    true
}

#[test]
fn a_run_that_is_killed_five_times_ends_like_one_that_is_not() {
    let stage = Stage::new();
    furnish(&stage, 20, 6);
    stage.ok(&run("whole", &[]));
    let events = place(&stage, "killed").join("events.jsonl");
    assert!(kill_after(&stage, &run("killed", &[]), &events, 3000));
    for _ in 0..4 {
        assert!(kill_after(&stage, &run("killed", &["--resume"]), &events, 6000));
    }
    assert!(!lines(&place(&stage, "killed")).is_empty(), "bug A24: lines are there after a kill");
    stage.ok(&run("killed", &["--resume"]));
    let (whole, killed) = (place(&stage, "whole"), place(&stage, "killed"));
    assert_eq!(lines(&whole).len(), 20);
    for (whole, killed) in lines(&whole).iter().zip(lines(&killed)) {
        assert_eq!(*whole, killed);
    }
    assert_eq!(summary(&whole), summary(&killed));
    assert_own_dates(&events);
    for directory in [&whole, &killed] {
        let output = stage.ok(&["bench", "verify", directory.to_str().unwrap()]);
        assert_eq!(output, "140 sessions and 20 questions agree\n");
    }
    let compared =
        stage.ok(&["bench", "compare", whole.to_str().unwrap(), killed.to_str().unwrap()]);
    assert!(compared.contains("accuracy +0.00 points"), "{compared}");
}

/// However often a run was resumed, each session was taken in at its own date.
fn assert_own_dates(events: &Path) {
    let text = std::fs::read_to_string(events).unwrap();
    let events = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut checked = 0;
    for event in events.filter(|event| event["event"] == "session_start") {
        let session = event["session"].as_str().unwrap();
        if let Some(place) = session.strip_prefix('s') {
            let day: usize = place.parse::<usize>().unwrap() + 1;
            assert_eq!(event["conversation_time"], format!("2023-01-{day:02}T12:49:00Z"));
            checked += 1;
        }
    }
    assert!(checked >= 120, "{checked}");
}

/// Runs until this many bytes of events are written, then breaks it off as Ctrl-C does.
fn interrupt_after(stage: &Stage, args: &[&str], events: &Path, bytes: u64) -> Output {
    let child = stage.command(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let size = || std::fs::metadata(events).map_or(0, |file| file.len());
    eventually("events are written", || (size() >= bytes).then_some(()));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    child.wait_with_output().unwrap()
}

/// Interrupts a run and answers how many questions it broke off.
fn broken_off(stage: &Stage, id: &str, bytes: u64) -> u64 {
    let broken = place(stage, id);
    let ran = interrupt_after(stage, &run(id, &[]), &broken.join("events.jsonl"), bytes);
    let output = String::from_utf8(ran.stderr).unwrap();
    assert!(!ran.status.success());
    assert!(
        output.contains(&format!("interrupted; go on with --resume --run-id {id}")),
        "{output}"
    );
    let counts = summary(&broken)["questions_by_status"].clone();
    let count = |status: &str| counts[status].as_u64().unwrap();
    assert!(count("CANCEL") <= 2, "two workers: {counts}");
    assert!(count("DONE") + count("CANCEL") < 12 && count("FAIL") == 0, "{counts}");
    count("CANCEL")
}

#[test]
fn a_run_that_is_interrupted_counts_what_it_broke_off_and_goes_on() {
    let stage = Stage::new();
    furnish(&stage, 12, 6);
    stage.ok(&run("whole", &[]));
    // Both workers may be between two questions when the signal comes; then it breaks off nothing.
    let mut tries = (3000..5800).step_by(70).map(|bytes| (format!("broken-{bytes}"), bytes));
    let (id, _) = tries.find(|(id, bytes)| broken_off(&stage, id, *bytes) > 0).unwrap();
    let id = id.as_str();
    let (whole, broken) = (place(&stage, "whole"), place(&stage, id));
    let cancelled = lines(&broken).into_iter().find(|line| line["status"] == "CANCEL").unwrap();
    assert_eq!(cancelled["error"], "interrupted");
    stage.ok(&["bench", "verify", broken.to_str().unwrap()]);
    stage.ok(&run(id, &["--resume"]));
    assert_eq!(lines(&whole), lines(&broken));
    assert_eq!(summary(&whole), summary(&broken));
    assert_eq!(summary(&broken)["questions_by_status"]["CANCEL"], 0);
    stage.ok(&["bench", "verify", broken.to_str().unwrap()]);
}

/// A model that wants to see more first, answers with a number, and judges that it is wrong.
fn answering() -> ModelEndpoint {
    ModelEndpoint::start(|body| {
        let system = body["messages"][0]["content"].as_str().unwrap();
        let shown = body["messages"][1]["content"].as_str().unwrap();
        ModelReply::Text(match system {
            system if system.contains("REFINE:") => "REFINE: euros paid".to_owned(),
            system if system.starts_with("You judge") => "No.".to_owned(),
            _ => {
                let paid = shown.find(" euros").map_or("?", |at| &shown[at - 3..at]);
                format!("It was {paid} euros.")
            }
        })
    })
}

#[test]
fn a_model_looks_twice_answers_and_judges_and_what_it_took_is_told() {
    let stage = Stage::new();
    furnish(&stage, 2, 3);
    let model = answering();
    let of = |table: &str| {
        let url = &model.url;
        format!(
            "[{table}]\nprovider = 'openai'\nmodel = 'm'\nbase_url = '{url}'\ninput_price = 1.0\n"
        )
    };
    let plan = std::fs::read_to_string(stage.home().join("bench.toml")).unwrap();
    stage.file("bench.toml", &(plan + &of("answer") + &of("judge")));
    let output = stage.json(&run("asked", &[]));
    assert_eq!(output["disagreements"], json!(["q00", "q01"]), "rules say right, the model wrong");
    assert_eq!(output["accuracy"]["all"], json!({ "n": 2, "right": 0, "percent": 0.0 }));
    assert_eq!((&output["input_tokens"], &output["output_tokens"]), (&json!(60), &json!(30)));
    assert!((output["cost"].as_f64().unwrap() - 0.00006).abs() < 1e-9, "{}", output["cost"]);
    let lines = lines(&place(&stage, "asked"));
    assert_eq!(lines[0]["hypothesis"], "It was 100 euros.");
    assert_eq!(lines[1]["verdict"], json!({ "matched": true, "judged": false }));
    let asked = model.asked();
    assert_eq!(asked.len(), 6, "enough, answer, judge");
    for body in asked.iter().filter(|body| !body.to_string().contains("You judge")) {
        let shown = body["messages"][1]["content"].as_str().unwrap();
        assert!(shown.contains("Asked on: Wednesday, 2023-03-01 10:00"), "{shown}");
        assert!(shown.contains("2023-01-0"), "sessions keep their dates: {shown}");
    }
    let events = std::fs::read_to_string(place(&stage, "asked").join("events.jsonl")).unwrap();
    let named = |name: &str| events.matches(&format!("\"name\":\"{name}\"")).count();
    assert_eq!((named("recall"), named("enough"), named("answer")), (4, 2, 2));
}

#[test]
fn what_measuring_costs_is_written_into_the_summary() {
    let stage = Stage::new();
    furnish(&stage, 3, 3);
    stage.ok(&run("one", &[]));
    let output =
        stage.json(&["bench", "overhead", "bench.toml", "--run-id", "one", "--rounds", "3"]);
    assert_eq!((&output["questions"], output["with"].as_array().unwrap().len()), (&json!(3), 3));
    let percent = output["overhead_percent"].as_f64().unwrap();
    assert!((-90.0..900.0).contains(&percent), "{percent}");
    let kept = summary(&place(&stage, "one"))["overhead"].clone();
    assert_eq!(kept["percent"], output["overhead_percent"]);
    assert_eq!(kept["standard_error"], output["standard_error_percent"]);
    assert_eq!(kept["rounds"], 3);
    stage.ok(&["bench", "verify", place(&stage, "one").to_str().unwrap()]);
}

#[test]
fn a_run_leaves_what_others_can_check() {
    let stage = Stage::new();
    furnish(&stage, 3, 3);
    let output = stage.json(&run("one", &[]));
    let directory = place(&stage, "one");
    assert_eq!(output["accuracy"]["all"], json!({ "n": 3, "right": 3, "percent": 100.0 }));
    assert_eq!(output["retrieval"]["all"]["any@5"], 100.0);
    assert_eq!(output["sessions_by_status"], json!({ "CANCEL": 0, "DONE": 12, "FAIL": 0 }));
    let line = &lines(&directory)[0];
    assert_eq!((&line["question_id"], &line["status"]), (&json!("q00"), &json!("DONE")));
    assert!(line["hypothesis"].as_str().unwrap().contains("bicycle"));
    let (elapsed, active) = (&line["conversation_elapsed_ms"], &line["conversation_active_ms"]);
    let idle = elapsed.as_i64().unwrap() - active.as_i64().unwrap();
    assert_eq!(line["conversation_idle_ms"], idle);
    assert_eq!(line["conversation_turns"], 8);
    let report = std::fs::read_to_string(directory.join("report.html")).unwrap();
    assert!(report.contains("<svg") && !report.contains("src=") && !report.contains("http"));
    let log = std::fs::read_to_string(directory.join("run.log")).unwrap();
    assert_eq!(log.lines().filter(|line| line.contains("CONV_TIME total=")).count(), 12);
    assert!(log.contains("question=q00 session=s1\n"), "{log}");
    assert_eq!(output["by_kind"]["ingest"]["n"], 9);
    assert_eq!(output["by_kind"]["question"]["n"], 3);
    let setup = std::fs::read_to_string(directory.join("setup.json")).unwrap();
    for name in ["dataset_hash", "version", "seed", "plan"] {
        assert!(setup.contains(&format!("\"{name}\": ")), "{setup}");
    }

    let again = stage.run(&run("one", &[]));
    assert!(again.stderr.contains("--resume"), "{}", again.stderr);
    let path = directory.join("events.jsonl");
    let events = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, events.replace("\"lasted_us\":250000", "\"lasted_us\":2500000")).unwrap();
    let ran = stage.run(&["bench", "verify", directory.to_str().unwrap()]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("ms from the events"), "{}", ran.stdout);
}

#[test]
fn over_a_server_a_run_finds_and_says_the_same() {
    let stage = Stage::new();
    furnish(&stage, 4, 3);
    stage.ok(&run("here", &[]));
    let server = stage.serve();
    stage.ok(&run("there", &["--via", &server.url]));
    let results = |id: &str| -> Vec<Value> {
        let rows = lines(&place(&stage, id)).into_iter();
        let result = |row: Value| {
            let asked = [&row["question_id"], &row["question_type"], &row["question_date"]];
            let found = [&row["retrieved"], &row["hypothesis"], &row["verdict"]];
            json!([asked, found, row["conversation_turns"], row["status"]])
        };
        rows.map(result).collect()
    };
    assert_eq!(results("here"), results("there"));
}

#[test]
fn sessions_are_taken_in_first_and_questions_answered_later() {
    let stage = Stage::new();
    furnish(&stage, 2, 2);
    stage.ok(&run("later", &["--mode", "ingest"]));
    assert_eq!(lines(&place(&stage, "later"))[0]["retrieved"], json!([]));
    stage.ok(&run("later", &["--resume", "--qa-only"]));
    let line = &lines(&place(&stage, "later"))[0];
    assert_eq!(line["verdict"], json!({ "matched": true, "judged": null }));
    assert_eq!(line["conversation_turns"], 6);
    stage.ok(&["bench", "verify", place(&stage, "later").to_str().unwrap()]);
}

#[test]
fn a_retrieval_run_needs_no_answer_and_says_how_far_it_is() {
    let stage = Stage::new();
    furnish(&stage, 2, 2);
    let ran = stage.run(&run("r", &["--mode", "retrieval", "--monitor", "--num-questions", "1"]));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("1/1 questions, 3 sessions"), "{}", ran.stderr);
    assert!(ran.stderr.contains("CONV_TIME total="), "{}", ran.stderr);
    assert_eq!(lines(&place(&stage, "r"))[0]["hypothesis"], "");
}
