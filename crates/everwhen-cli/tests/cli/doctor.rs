//! The doctor: well when all is well, and with an exit code when it is not.

use crate::stage::Stage;

#[test]
fn a_healthy_directory_is_said_to_be() {
    let stage = Stage::new();
    stage.ok(&["remember", "hello"]);
    let shown = stage.ok(&["doctor"]);
    for line in ["database            whole", "jobs                1 waiting"] {
        assert!(shown.contains(line), "{shown}");
    }
    assert!(shown.contains(stage.data().to_str().unwrap()), "{shown}");
    assert!(!shown.contains("LOOK"), "{shown}");
    assert_eq!(stage.json(&["doctor"])["problems"], serde_json::json!([]));
}

#[test]
fn a_server_is_asked_where_one_runs() {
    let stage = Stage::new();
    let server = stage.serve();
    let shown = stage.ok(&["doctor"]);
    assert!(shown.contains(&format!("the server at {}", server.url)), "{shown}");
}

#[test]
fn a_damaged_database_needs_a_look() {
    let stage = Stage::new();
    stage.ok(&["remember", "hello"]);
    let path = stage.data().join("everwhen.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].fill(0x5a);
    std::fs::write(&path, bytes).unwrap();
    let ran = stage.run(&["doctor"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(!ran.stderr.is_empty());
}

#[test]
fn jobs_that_were_set_aside_can_be_retried_together() {
    let stage = Stage::new();
    stage.ok(&["remember", "hello"]);
    assert_eq!(stage.ok(&["doctor", "--retry-all"]).trim(), "0 jobs queued again");
    let all = ["doctor", "--retry-all", "--kind", "distill", "--this-memory"];
    assert_eq!(stage.ok(&all).trim(), "0 jobs queued again");
    let ran = stage.run(&["doctor", "--retry-all", "--kind", "dream"]);
    assert!(ran.code == 2 && ran.stderr.contains("distill"), "{ran:?}");
    assert_eq!(stage.run(&["doctor", "--kind", "distill"]).code, 2);
}
