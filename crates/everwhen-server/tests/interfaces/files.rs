//! Files of Anthropic's memory tool over REST: the six commands, dated versions, forgetting.

use serde_json::{Value, json};

use crate::stage::{DIARY, Stage, column};

/// Runs a command; the text and whether it was refused.
async fn run(stage: &Stage, command: Value) -> (String, bool) {
    let answer = stage.post(&format!("{DIARY}/files"), command).await;
    (answer["text"].as_str().unwrap().to_owned(), answer["is_error"].as_bool().unwrap())
}

/// Runs a command that succeeds.
async fn done(stage: &Stage, command: Value) -> String {
    let (text, is_error) = run(stage, command).await;
    assert!(!is_error, "{text}");
    stage.clock.advance(jiff::SignedDuration::from_mins(1));
    text
}

/// Runs a command that is refused.
async fn refused(stage: &Stage, command: Value) -> String {
    let (text, is_error) = run(stage, command).await;
    assert!(is_error, "{text}");
    text
}

const NOTES: &str = "/memories/notes.md";
const HEADER: &str =
    "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:";

#[tokio::test]
async fn the_six_commands_answer_as_the_reference_does() {
    let stage = Stage::new().await;
    let empty = done(&stage, json!({ "command": "view", "path": "/memories" })).await;
    assert_eq!(empty, format!("{HEADER}\n0B\t/memories"));
    let create = json!({ "command": "create", "path": NOTES, "file_text": "Ana\nPorto\n" });
    assert_eq!(
        done(&stage, create.clone()).await,
        "File created successfully at: /memories/notes.md"
    );
    assert_eq!(refused(&stage, create).await, "File /memories/notes.md already exists");
    let replace =
        json!({ "command": "str_replace", "path": NOTES, "old_str": "Porto", "new_str": "Bern" });
    assert_eq!(
        done(&stage, replace.clone()).await,
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n\
         \x20    1\tAna\n     2\tBern\n     3\t"
    );
    assert_eq!(
        refused(&stage, replace).await,
        "No replacement was performed, old_str `Porto` did not appear verbatim in /memories/notes.md."
    );
    let insert = |line: Value| json!({ "command": "insert", "path": NOTES, "insert_line": line, "insert_text": "31" });
    assert_eq!(
        done(&stage, insert(json!(1.0))).await,
        "The file /memories/notes.md has been edited."
    );
    assert_eq!(
        refused(&stage, insert(json!(9))).await,
        "Invalid `insert_line` parameter: 9. It should be within the range [0, 3]."
    );
    let view = json!({ "command": "view", "path": NOTES, "view_range": [2, -1] });
    assert_eq!(
        done(&stage, view).await,
        "Here's the content of /memories/notes.md with line numbers:\n     2\t31\n     3\tBern\n     4\t"
    );
}

#[tokio::test]
async fn files_are_renamed_and_deleted_and_paths_outside_are_refused() {
    let stage = Stage::new().await;
    let create = json!({ "command": "create", "path": NOTES, "file_text": "Ana\n31\nBern\n" });
    done(&stage, create).await;
    let rename =
        json!({ "command": "rename", "old_path": NOTES, "new_path": "/memories/people/ana.md" });
    assert_eq!(
        done(&stage, rename).await,
        "Successfully renamed /memories/notes.md to /memories/people/ana.md"
    );
    assert_eq!(
        done(&stage, json!({ "command": "view", "path": "/memories" })).await,
        format!("{HEADER}\n12B\t/memories\n12B\t/memories/people/\n12B\t/memories/people/ana.md")
    );
    let delete = |path: &str| json!({ "command": "delete", "path": path });
    assert_eq!(
        done(&stage, delete("/memories/people")).await,
        "Successfully deleted /memories/people"
    );
    assert_eq!(
        refused(&stage, delete("/memories")).await,
        "Cannot delete the /memories directory itself"
    );
    let outside = json!({ "command": "view", "path": "/memories/../../etc/passwd" });
    assert_eq!(
        refused(&stage, outside).await,
        "Path /memories/../../etc/passwd would escape /memories directory"
    );
    assert_eq!(
        refused(&stage, json!({ "command": "create", "path": NOTES })).await,
        "Missing required parameter: `file_text`"
    );
}

#[tokio::test]
async fn every_version_has_its_date_and_stays_visible() {
    let stage = Stage::new().await;
    // One minute passes after each command; the clock starts at 12:00.
    done(&stage, json!({ "command": "create", "path": NOTES, "file_text": "one" })).await;
    let replace = |old: &str, new: &str| json!({ "command": "str_replace", "path": NOTES, "old_str": old, "new_str": new });
    done(&stage, replace("one", "two")).await;
    done(&stage, json!({ "command": "rename", "old_path": NOTES, "new_path": "/memories/b.md" }))
        .await;
    done(&stage, json!({ "command": "delete", "path": "/memories/b.md" })).await;
    done(&stage, json!({ "command": "create", "path": NOTES, "file_text": "" })).await;
    let at = async |time: &str, path: &str| {
        let time = format!("2025-06-01T12:{time}Z");
        run(&stage, json!({ "command": "view", "path": path, "as_of": time })).await
    };
    assert!(at("00:30", NOTES).await.0.ends_with("     1\tone"));
    assert!(at("01:30", NOTES).await.0.ends_with("     1\ttwo"));
    assert!(at("02:30", NOTES).await.1, "it had another name");
    assert!(at("02:30", "/memories/b.md").await.0.ends_with("     1\ttwo"));
    assert!(at("03:30", "/memories").await.0.ends_with("0B\t/memories"));
    assert!(at("04:30", NOTES).await.0.ends_with("     1\t"), "an empty file is a file");
    let past = json!({ "command": "delete", "path": NOTES, "as_of": "2025-06-01T12:00:30Z" });
    assert!(refused(&stage, past).await.contains("as_of is for view only"));
}

#[tokio::test]
async fn recall_finds_files_and_forgetting_removes_every_version() {
    let stage = Stage::new().await;
    let text = "The user collects xylophones.";
    done(&stage, json!({ "command": "create", "path": NOTES, "file_text": text })).await;
    let replace = json!({ "command": "str_replace", "path": NOTES, "old_str": "xylophones", "new_str": "marimbas" });
    done(&stage, replace).await;
    let question = json!({ "query": "marimbas" });
    let found = stage.post(&format!("{DIARY}/recall"), question.clone()).await;
    assert_eq!(found["items"][0]["entry"]["content"], "The user collects marimbas.", "{found}");

    let entries = stage.get(&format!("{DIARY}/entries")).await;
    assert_eq!(column(&entries, "content"), ["The user collects marimbas."]);
    let id = entries["data"][0]["id"].as_str().unwrap();
    stage.ask("DELETE", &format!("{DIARY}/entries/{id}")).response().await.with(200);
    for time in ["12:00:30", "12:01:30"] {
        let time = format!("2025-06-01T{time}Z");
        let view = json!({ "command": "view", "path": NOTES, "as_of": time });
        assert!(refused(&stage, view).await.contains("does not exist"), "{time}");
    }
    let found = stage.post(&format!("{DIARY}/recall"), question).await;
    assert_eq!(found["items"], json!([]));
    done(&stage, json!({ "command": "create", "path": NOTES, "file_text": "new" })).await;
}

#[tokio::test]
async fn a_repeated_edit_is_done_once_and_answered_the_same() {
    let stage = Stage::new().await;
    done(&stage, json!({ "command": "create", "path": NOTES, "file_text": "a\nb\nc\n" })).await;
    let replace =
        json!({ "command": "str_replace", "path": NOTES, "old_str": "b", "new_str": "bb" });
    let send = || stage.ask("POST", &format!("{DIARY}/files")).json(&replace).once("k").response();
    let (first, again) = (send().await, send().await);
    assert!(again.replayed() && !first.replayed());
    assert_eq!(first.with(200), again.with(200));
    let view = done(&stage, json!({ "command": "view", "path": NOTES })).await;
    assert!(view.contains("     2\tbb\n"), "{view}");
}

#[tokio::test]
async fn what_does_not_fit_the_schema_is_refused() {
    let stage = Stage::new().await;
    let wrong = [
        json!({ "command": "chmod", "path": NOTES }),
        json!({ "command": "view", "path": NOTES, "view_range": [1] }),
        json!({ "command": "view", "path": NOTES, "view_range": [9_223_372_036_854_775_808_u64, 0] }),
        json!({ "command": "insert", "path": NOTES, "insert_line": 1.5, "insert_text": "x" }),
        json!({ "command": "view", "path": NOTES, "mode": "x" }),
        json!({ "command": "view", "path": NOTES, "as_of": "yesterday" }),
    ];
    for command in wrong {
        let response = stage.ask("POST", &format!("{DIARY}/files")).json(&command).response().await;
        response.problem(400, "invalid");
    }
    let large = "x".repeat(1024 * 1024 + 1);
    let create = json!({ "command": "create", "path": NOTES, "file_text": large });
    assert!(refused(&stage, create).await.contains("1 MiB"));
    let long = format!("/memories/{}", "x".repeat(200));
    let create = json!({ "command": "create", "path": long, "file_text": "x" });
    assert!(refused(&stage, create).await.contains("has more than 190 characters"));
}
