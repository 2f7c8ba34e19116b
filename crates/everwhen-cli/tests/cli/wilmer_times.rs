//! Times of messages as WilmerAI keeps them: in from both layouts, and out again.

use serde_json::json;

use crate::stage::Stage;

const HELLO: &str = "a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e";
const SAID: &str = "(Saturday, 2025-09-20 18:31:21)";

#[test]
fn both_layouts_come_in_and_go_out_as_they_were() {
    let stage = Stage::new();
    let folder = stage.home().join("DiscussionIds");
    std::fs::create_dir_all(folder.join("key/new")).unwrap();
    let map = json!({ HELLO: SAID, "PLACEHOLDER_TIMESTAMP_HASH_0000": "(Saturday, 2025-09-20 18:31:25)" });
    let document = format!("{map:#}").replace("  ", "    ");
    std::fs::write(folder.join("key/new/timestamps.json"), &document).unwrap();
    std::fs::write(folder.join("old_timestamps.json"), &document).unwrap();
    std::fs::write(folder.join("old_memories.json"), "[]").unwrap();
    let from = folder.to_str().unwrap();
    let rehearsed = stage.ok(&["import", "wilmer-timestamps", from, "--dry-run"]);
    assert_eq!(rehearsed, "Would import 2 times into 2 memories\n");
    assert!(!stage.run(&["memories", "show", "new"]).stdout.contains("new"));
    let imported = stage.ok(&["import", "wilmer-timestamps", from]);
    assert_eq!(imported, "Imported 2 times into 2 memories\n");
    let out = stage.home().join("out");
    let to = out.to_str().unwrap();
    stage.ok(&["export", "wilmer-timestamps", to, "--memory", "new"]);
    stage.ok(&["export", "wilmer-timestamps", to, "--memory", "old", "--flat"]);
    for written in ["new/timestamps.json", "old_timestamps.json"] {
        assert_eq!(std::fs::read_to_string(out.join(written)).unwrap(), document, "{written}");
    }
}

#[test]
fn what_cannot_be_read_is_told_and_nothing_is_stored() {
    let stage = Stage::new();
    for (document, expected) in [
        ("gAAAAABencrypted", "not a JSON object"),
        (r#"{"a591": "2025-09-20"}"#, "(Saturday, 2025-09-20 18:31:21)"),
        (r#"{"a591": "(Saturday, 2025-09-20 18:31:21)"}"#, "64 hexadecimal digits"),
    ] {
        let file = stage.file("d_timestamps.json", document);
        let ran = stage.run(&["import", "wilmer-timestamps", file.to_str().unwrap()]);
        assert!(ran.code != 0 && ran.stderr.contains(expected), "{ran:?}");
    }
    let empty = stage.home().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let ran = stage.run(&["import", "wilmer-timestamps", empty.to_str().unwrap()]);
    assert!(ran.code == 2 && ran.stderr.contains("timestamps.json"), "{ran:?}");
    assert_eq!(stage.run(&["export", "wilmer-timestamps", "out", "--memory", "d"]).code, 3);
}
