//! The doctor: well when all is well, and with an exit code when it is not.

use crate::stage::{Stage, eventually};

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

#[test]
fn settings_that_do_not_apply_to_a_vault_are_said_with_the_command_that_changes_them() {
    let stage = Stage::new();
    stage.ok(&["vaults", "add", "ana", "--zone", "Europe/Lisbon"]);
    stage.ok(&["remember", "hello"]);
    stage.file("config.toml", "[conversations]\nconversationIdleTimeoutMinutes = 5\n");
    let with = ["--config", "config.toml"];
    let shown = stage.ok(&[&with[..], &["doctor"]].concat());
    let said = "vault ana has zone Europe/Lisbon (configured: Europe/Berlin), \
                conversationIdleTimeoutMinutes 30 (configured: 5); to change it: ";
    let change = ["vaults", "set", "ana", "--zone", "Europe/Berlin", "--idle-timeout", "5"];
    let command = format!("{said}everwhen {}", change.join(" "));
    assert!(shown.contains(&command), "{shown}");
    assert!(!shown.contains("vault default has"), "it applies to the default vault: {shown}");
    stage.ok(&[&with[..], &change].concat());
    let shown = stage.ok(&[&with[..], &["doctor"]].concat());
    assert!(!shown.contains("vault settings"), "{shown}");

    // The key is taken away again: both vaults keep what it said.
    let shown = stage.ok(&["doctor"]);
    let server = stage.serve();
    eventually("the log says it", || {
        stage.server_log().contains("set default --idle-timeout 30").then_some(())
    });
    server.terminate();
    for text in [shown, stage.server_log()] {
        for vault in ["ana", "default"] {
            let said = format!(
                "vault {vault} has conversationIdleTimeoutMinutes 5 (default: 30); \
                 to change it: everwhen vaults set {vault} --idle-timeout 30"
            );
            assert!(text.contains(&said), "{text}");
        }
    }
}

#[test]
fn a_clock_that_was_wrong_is_told_without_a_server() {
    let stage = Stage::new();
    stage.ok(&["remember", "hello"]);
    let database = rusqlite::Connection::open(stage.data().join("everwhen.db")).unwrap();
    let ten_years = 3650 * 86_400 * 1_000_000_i64;
    let set = "UPDATE memory SET last_creation = last_creation + ?1";
    assert_eq!(database.execute(set, [ten_years]).unwrap(), 1);
    drop(database);
    let ran = stage.run(&["doctor"]);
    let told = "the memory default of the vault default was last written at 20";
    assert!(ran.code == 1 && ran.stdout.contains(told), "{ran:?}");
    let ran = stage.run(&["remember", "after it"]);
    assert!(ran.code == 0 && ran.stderr.contains("but later the clock said"), "{ran:?}");
    assert!(!stage.run(&["remember", "and again"]).stderr.contains("the clock said"));
    stage.ok(&["doctor"]);
}

#[test]
fn a_job_that_may_have_ended_the_process_needs_a_look() {
    let stage = Stage::new();
    stage.ok(&["remember", "hello"]);
    let database = rusqlite::Connection::open(stage.data().join("everwhen.db")).unwrap();
    let set = "UPDATE job SET crashes = 2, last_error = 'it may be the reason'";
    assert_eq!(database.execute(set, []).unwrap(), 1);
    drop(database);
    let ran = stage.run(&["doctor"]);
    let told = "close: 1 ran when the process ended, twice or more, and may be the reason";
    assert!(ran.code == 1 && ran.stdout.contains(told), "{ran:?}");
}
