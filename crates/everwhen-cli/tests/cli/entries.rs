//! Remembering, listing, correcting and forgetting from the command line.

use serde_json::{Value, json};

use crate::stage::Stage;

/// Remembers and answers the id.
fn remember(stage: &Stage, args: &[&str]) -> String {
    let receipt = stage.json(&[&["remember"], args].concat());
    receipt["id"].as_str().unwrap_or_else(|| panic!("{receipt}")).to_owned()
}

fn contents(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|row| row["content"].as_str().unwrap()).collect()
}

#[test]
fn everything_that_can_be_said_about_an_entry_is_kept() {
    let stage = Stage::new();
    let id = remember(
        &stage,
        &[
            "Shall we go to the museum?",
            "--role=assistant",
            "--at=2023-01-08T12:49:00+01:00",
            "--speaker=Mira",
            "--tag=art",
            "--tag=plans",
            "--tool=calendar",
            "--summary=museum?",
            "--conversation-id=chat 7/b",
            "--metadata={\"mood\": \"happy\"}",
            "--question",
        ],
    );
    let mut entry = stage.json(&["entry", &id]);
    let entry = entry.as_object_mut().unwrap();
    assert!(entry.remove("creation_time").unwrap().as_str().unwrap() > "2024");
    assert!(entry.remove("memory_id").unwrap().as_str().unwrap().starts_with("mem_"));
    assert!(entry.remove("vault_id").unwrap().as_str().unwrap().starts_with("vlt_"));
    assert_eq!(
        Value::from(entry.clone()),
        json!({
            "id": id,
            "sequence": 1,
            "role": "assistant",
            "content": "Shall we go to the museum?",
            "conversation_time": "2023-01-08T11:49:00Z",
            "conversation_id": "chat 7/b",
            "speaker": "Mira",
            "summary": "museum?",
            "tags": ["art", "plans"],
            "tools_used": ["calendar"],
            "metadata": {"mood": "happy"},
            "is_question": true,
        })
    );
    let shown = stage.ok(&["entry", &id]);
    for line in ["said          2023-01-08 12:49", "tags          art, plans"] {
        assert!(shown.contains(line), "{shown}");
    }
}

#[test]
fn typed_times_are_read_on_the_wall_clock_of_the_vault() {
    let stage = Stage::new();
    stage.ok(&["vaults", "add", "tokyo", "--zone", "Asia/Tokyo"]);
    let cases = [
        ("default", "2023-01-08 12:49", "2023-01-08T11:49:00Z"),
        ("default", "2023-07-08", "2023-07-07T22:00:00Z"),
        ("default", "2023-01-08T12:49:00-05:00", "2023-01-08T17:49:00Z"),
        ("tokyo", "2023-01-08 12:49", "2023-01-08T03:49:00Z"),
    ];
    for (vault, typed, kept) in cases {
        let receipt = stage.json(&["remember", "x", "--vault", vault, "--at", typed]);
        assert_eq!(receipt["conversation_time"], kept, "{typed} in {vault}");
    }
    for wrong in ["2023-02-30", "2023-02-30 10:00", "8.1.2023", "12:49", ""] {
        let ran = stage.run(&["remember", "x", "--at", wrong]);
        assert_eq!(ran.code, 2, "{wrong}: {ran:?}");
        assert!(ran.stderr.starts_with("everwhen: could not remember: "), "{}", ran.stderr);
    }
    let ran = stage.run(&["remember", "x", "--at", "2999-01-01"]);
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("in the future"), "{}", ran.stderr);
}

#[test]
fn the_last_entries_are_listed_in_order_of_time() {
    let stage = Stage::new();
    for hour in [15, 11, 13] {
        stage.ok(&["remember", &format!("at {hour}"), "--at", &format!("2023-01-08 {hour}:00")]);
    }
    let rows = |args: &[&str]| -> Vec<String> {
        let printed = stage.ok(&[&["entries"], args].concat());
        let last = |line: &str| line.rsplit("at ").next().unwrap().to_owned();
        printed.lines().map(last).collect()
    };
    assert_eq!(rows(&[]), ["11", "13", "15"]);
    assert_eq!(rows(&["--limit", "2"]), ["13", "15"]);
    assert_eq!(rows(&["--newest"]), ["15", "13", "11"]);
    assert_eq!(rows(&["--after", "2023-01-08 13:00"]), ["13", "15"]);
    assert_eq!(rows(&["--before", "2023-01-08 13:00", "--all"]), ["11"]);
    assert!(stage.run(&["entries", "--limit", "2"]).stderr.contains("and more before them"));
    assert_eq!(contents(&stage.json(&["entries", "--limit", "2"])), ["at 15", "at 13"]);
}

#[test]
fn all_entries_means_all_pages() {
    let stage = Stage::new();
    let line = |number: u32| {
        let time = format!("2023-01-08T12:{:02}:{:02}Z", number / 60, number % 60);
        format!("{{\"role\":\"user\",\"content\":\"{number}\",\"conversation_time\":\"{time}\"}}\n")
    };
    let file = stage.file("many.jsonl", &(0..1203).map(line).collect::<String>());
    let args = ["remember", "--file", file.to_str().unwrap()];
    assert_eq!(stage.ok(&args), "Remembered 1203 entries\n");
    let receipts = stage.json(&[&args[..], &["--memory", "other"]].concat());
    assert_eq!(receipts["entries"].as_array().unwrap().len(), 1203);
    assert_eq!(receipts["entries"][1202]["sequence"], 1203);
    let page = stage.json(&["entries", "--all"]);
    let expected: Vec<String> = (0..1203).map(|number| number.to_string()).collect();
    assert_eq!(contents(&page), expected);
    assert_eq!(page["has_more"], false);
}

#[test]
fn a_file_with_a_wrong_line_says_which() {
    let stage = Stage::new();
    let good = r#"{"role": "user", "content": "fine"}"#;
    for (wrong, problem) in [
        ("not json", "line 3: not a JSON object"),
        ("[1]", "line 3: not a JSON object"),
        (
            r#"{"role": "user"}"#,
            "line 3: the body does not match the schema: missing field `content`",
        ),
        (
            r#"{"role": "robot", "content": "x"}"#,
            "line 3: the body does not match the schema: unknown variant",
        ),
        (r#"{"role": "user", "content": " "}"#, "line 3: "),
        (r#"{"role": "user", "content": "x", "conversation_time": "soon"}"#, "line 3: "),
    ] {
        let file = stage.file("some.jsonl", &format!("{good}\n\n{wrong}\n{good}\n"));
        let ran = stage.run(&["remember", "--file", file.to_str().unwrap()]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(problem), "{wrong}: {}", ran.stderr);
        assert!(ran.stderr.contains("nothing of the file is stored"), "{}", ran.stderr);
    }
    assert_eq!(stage.run(&["entries"]).code, 3, "nothing was stored");
}

#[test]
fn a_file_sent_twice_under_one_name_is_stored_once() {
    let stage = Stage::new();
    let line = "{\"role\": \"user\", \"content\": \"hello\"}\n";
    let file = stage.file("some.jsonl", &line.repeat(600));
    let args = ["remember", "--file", file.to_str().unwrap(), "--idempotency-key", "import-1"];
    stage.ok(&args);
    stage.ok(&args);
    assert_eq!(contents(&stage.json(&["entries", "--all"])).len(), 600);
    let ran = stage.run(&["remember", "other", "--idempotency-key", "import-1/1"]);
    assert_eq!(ran.code, 4, "{ran:?}");
}

#[test]
fn text_comes_from_standard_input_too() {
    let stage = Stage::new();
    let ran = stage.run_with_input(&["remember", "-"], "Dear diary,\nhello\n");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(contents(&stage.json(&["entries"])), ["Dear diary,\nhello"]);
}

#[test]
fn a_correction_takes_the_place_and_the_old_one_stays_in_the_past() {
    let stage = Stage::new();
    let id = remember(&stage, &["I run 50 km", "--at", "2023-01-08 12:49"]);
    let before = stage.json(&["entry", &id])["creation_time"].as_str().unwrap().to_owned();
    stage.ok(&["correct", &id, "I run 5 km", "--reason", "typo"]);
    assert_eq!(contents(&stage.json(&["entries"])), ["I run 5 km"]);
    assert_eq!(contents(&stage.json(&["entries", "--as-of", &before])), ["I run 50 km"]);
    assert!(stage.ok(&["entry", &id]).contains("corrected by  ent_"));
    let again = stage.run(&["correct", &id, "I run 7 km", "--reason", "again"]);
    assert_eq!(again.code, 4, "{again:?}");
}

#[test]
fn forgetting_needs_a_yes_and_says_what_went() {
    let stage = Stage::new();
    let id = remember(&stage, &["secret", "--at", "2023-01-08 12:00"]);
    remember(&stage, &["also secret", "--at", "2023-01-09 12:00"]);
    remember(&stage, &["public", "--at", "2023-01-10 12:00"]);
    let unasked = stage.run(&["forget", "--entry", &id]);
    assert_eq!(unasked.code, 2);
    assert!(unasked.stderr.contains("--yes"), "{}", unasked.stderr);
    assert_eq!(stage.run(&["forget", "--yes"]).code, 2, "nothing named");

    let output = stage.ok(&["forget", "--entry", &id, "--yes"]);
    assert!(output.starts_with("Forgot 1 conversation, 1 entry"), "{output}");
    assert_eq!(stage.run(&["entry", &id]).code, 3);
    stage.ok(&["forget", "--after", "2023-01-09", "--before", "2023-01-10", "--yes"]);
    assert_eq!(contents(&stage.json(&["entries"])), ["public"]);
    let gone = stage.json(&["forget", "--whole-memory", "--yes"]);
    assert_eq!((&gone["memories"], &gone["entries"]), (&json!(1), &json!(1)));
    stage.ok(&["forget", "--whole-vault", "--yes"]);
    assert_eq!(stage.run(&["memories"]).code, 3);
}

#[test]
fn context_documents_keep_their_versions() {
    let stage = Stage::new();
    assert_eq!(stage.run(&["context"]).code, 3);
    let file = stage.file("notes.md", "# Ana\nlikes museums\n");
    stage.ok(&["context", "put", file.to_str().unwrap()]);
    assert_eq!(stage.run_with_input(&["context", "put", "-"], "Ana paints\n").code, 0);
    assert_eq!(stage.ok(&["context"]), "Ana paints\n");
    assert_eq!(stage.ok(&["context", "get", "--version", "1"]), "# Ana\nlikes museums\n");
    let versions = stage.ok(&["context", "versions"]);
    let starts: Vec<&str> = versions.lines().map(|line| &line[..9]).collect();
    assert_eq!(starts, ["version 2", "version 1"]);
}

#[test]
fn bad_input_is_refused_and_nothing_is_stored() {
    let stage = Stage::new();
    for (args, problem) in [
        (&["remember", ""][..], "empty"),
        (&["remember", "x", "--metadata", "[1]"], "--metadata is not a JSON object"),
        (&["remember", "x", "--metadata", "{"], "--metadata is not JSON"),
        (&["remember", "x", "--question"], "is_question"),
        (&["remember", "x", "--vault", " padded "], "`vault` is \" padded \""),
        (&["vaults", "add", "x", "--zone", "Europe/Atlantis"], "unknown time zone"),
    ] {
        let ran = stage.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {ran:?}");
        assert!(ran.stderr.contains(problem), "{args:?}: {}", ran.stderr);
    }
    let huge = "x".repeat(1024 * 1024 + 1);
    let ran = stage.run_with_input(&["remember", "-"], &huge);
    assert_eq!(ran.code, 2);
    assert!(!ran.stderr.contains("xxxx"), "an error shows what was said");
    assert_eq!(stage.ok(&["vaults"]), "");
}
