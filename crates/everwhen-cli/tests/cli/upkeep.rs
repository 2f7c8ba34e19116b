//! Help, completions and exit codes.

use std::process::{Output, Stdio};

use crate::stage::Stage;

#[test]
fn completions_know_every_command() {
    let stage = Stage::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = stage.ok(&["completions", shell]);
        for command in ["serve", "remember", "timeline", "doctor"] {
            assert!(script.contains(command), "{shell} does not know {command}");
        }
    }
    assert!(!stage.data().exists());
}

#[test]
fn help_teaches_by_example() {
    let stage = Stage::new();
    let help = stage.ok(&["--help"]);
    assert!(help.contains("EXAMPLES"), "{help}");
    for command in ["remember", "entries", "forget", "serve"] {
        assert!(help.contains(&format!("\n  {command}")), "{help}");
        assert!(stage.ok(&[command, "--help"]).contains("EXAMPLES"));
    }
}

#[test]
fn exit_codes_tell_failures_apart() {
    let stage = Stage::new();
    assert_eq!(stage.run(&["remember"]).code, 2, "nothing to remember");
    assert_eq!(stage.run(&["no-such-command"]).code, 2);
    assert_eq!(stage.run(&["remember", "x", "--at", "yesterday"]).code, 2);
    assert_eq!(stage.run(&["remember", "x", "--role", "robot"]).code, 2);
    assert_eq!(stage.run(&["entries"]).code, 3, "the vault does not exist yet");
    stage.ok(&["remember", "x"]);
    assert_eq!(stage.run(&["entry", "ent_0695mmbd3hw97cyqkp9w4ny34r"]).code, 3);
    stage.ok(&["end"]);
    let ended = stage.run(&["end"]);
    assert_eq!(ended.code, 4);
    assert_eq!(
        ended.stderr,
        "everwhen: could not end the conversation: no active conversation to end\n"
    );
}

#[test]
fn whatever_is_wrong_with_what_was_given_has_the_code_of_invalid_arguments() {
    let stage = Stage::new();
    stage.ok(&["remember", "x"]);
    let file = stage.file("some.jsonl", "not json\n");
    let file = file.to_str().unwrap();
    let settings = stage.file("wrong.toml", "no_such_key = 3\n");
    let huge = "x".repeat(70_000);
    for args in [
        &["remember", "  "][..],
        &["remember", "x", "--tag", ""],
        &["remember", "x", "--at", "2099-01-01"],
        &["remember", "--file", file],
        &["remember", "--file", "no-such.jsonl"],
        &["remember", "x", "--summary", &huge],
        &["recall", ""],
        &["recall", "x", "--limit", "0"],
        &["recall", "x", "--min-score", "2"],
        &["entry", "ent_x"],
        &["timeline", "--after", "2024-01-02", "--before", "2024-01-01"],
        &["serve", "--zone", "Mars"],
        &["vaults", "add", "v", "--zone", "Foo/Bar"],
        &["keys", "add", "--expires", "2020-01-01"],
        &["import", file, "--from", "frog"],
        &["import", "no-such.json"],
        &["usage", "--since", "foo"],
        &["entries", "--server", ""],
        &["entries", "--server", "ftp://example.org"],
        &["ui", "--server", "http://"],
        &["config", "--config", settings.to_str().unwrap()],
    ] {
        let ran = stage.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {ran:?}");
    }
}

#[test]
fn a_reader_who_leaves_early_is_no_failure() {
    let stage = Stage::new();
    for number in 0..3 {
        stage.ok(&["remember", &format!("{number}").repeat(60_000)]);
    }
    let output = run_unread(&stage, &["entries"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn what_is_announced_is_done_though_nobody_reads_it() {
    let stage = Stage::new();
    assert_eq!(run_unread(&stage, &["connect", "codex"]).status.code(), Some(0));
    assert!(stage.home().join(".codex/hooks.json").exists());
    assert_eq!(run_unread(&stage, &["disconnect", "codex"]).status.code(), Some(0));
    assert!(!stage.home().join(".codex").exists());
    let said = r#"[{"role": "user", "content": "hello", "timestamp": "2024-01-01T10:00:00Z"}]"#;
    let file = stage.file("said.json", said);
    let output = run_unread(&stage, &["import", file.to_str().unwrap(), "--yes"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(stage.ok(&["recall", "hello", "--all"]).contains("hello"));
}

/// Runs a command whose standard output is closed at once.
fn run_unread(stage: &Stage, args: &[&str]) -> Output {
    let mut command = stage.command(args);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.wait_with_output().unwrap()
}
