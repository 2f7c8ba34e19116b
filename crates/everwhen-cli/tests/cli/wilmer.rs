//! WilmerAI's discussions: in from its own files, and out again as they were.

use std::path::Path;

use everwhen::wilmer::{Discussion, FileMemory, SearchableMemory, find, write};
use serde_json::{Value, json};

use crate::stage::Stage;

const HELLO: &str = "a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e";
const TIMES: &str = "{\n    \"a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e\": \"(Saturday, 2025-09-20 18:31:21)\"\n}";

fn folder(stage: &Stage) -> std::path::PathBuf {
    let metadata = json!({
        "title": "Project Stardust", "summary": "The parameters are final.",
        "entities": ["Dr. Evelyn Reed"], "key_phrases": ["mission parameters"], "topics": ["space"],
    });
    let memory = |text: &str, hash: &str| FileMemory { text: text.into(), hash: hash.into() };
    let discussion = Discussion {
        id: "d1".into(),
        memories: vec![
            memory("Ana moved to Rome.\n\nShe likes caf\u{e9}s.", HELLO),
            memory("Ana found work.", &"c".repeat(64)),
        ],
        summary: Some(memory("Ana lives and works in Rome.", HELLO)),
        searchable: vec![SearchableMemory {
            id: 3,
            text: "The parameters are final.".into(),
            date_added: "2025-09-21T08:00:00.123456+00:00".into(),
            metadata: metadata.as_object().unwrap().clone(),
            hash: Some(HELLO.into()),
        }],
        log: vec![(HELLO.into(), "2025-09-21T08:00:00.123456+00:00".into())],
        state_document: Some("# State\nAna: Rome\n".into()),
        ..Discussion::default()
    };
    let public = stage.home().join("Public");
    let folder = public.join("DiscussionIds/d1");
    write(&discussion, &folder).unwrap();
    std::fs::write(folder.join("timestamps.json"), TIMES).unwrap();
    public
}

/// Chapters without what differs from vault to vault.
fn chapters(stage: &Stage, vault: &str) -> Vec<Value> {
    let output = stage.ok(&["chapters", "--json", "--memory", "d1", "--vault", vault]);
    let page: Value = serde_json::from_str(&output).unwrap();
    let mut rows = page["data"].as_array().unwrap().clone();
    for row in &mut rows {
        for field in ["id", "creation_time"] {
            row.as_object_mut().unwrap().remove(field);
        }
    }
    rows
}

fn read(folder: &Path) -> Discussion {
    let mut found = find(&[folder.to_owned()]).unwrap();
    Discussion { modified: None, ..found.remove(0) }
}

#[test]
fn a_discussion_comes_over_and_goes_back_unchanged() {
    let stage = Stage::new();
    let public = folder(&stage);
    let from = public.to_str().unwrap();
    let dry = stage.ok(&["import", "wilmer", from, "--dry-run", "--vault", "a"]);
    assert_eq!(dry, "d1: Would import 3 memories, the summary, the state document, 1 time\n");
    assert_ne!(stage.run(&["chapters", "--memory", "d1", "--vault", "a"]).code, 0);
    let ran = stage.run(&["import", "wilmer", from, "--vault", "a"]);
    assert_eq!(ran.stdout, "d1: Imported 3 memories, the summary, the state document, 1 time\n");
    assert!(ran.stderr.contains("1 memory has no time"), "{}", ran.stderr);
    let first = chapters(&stage, "a");
    let kinds: Vec<&str> = first.iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["imported", "searchable", "imported"]);
    assert_eq!(first[2]["provenance"]["precision"], "unknown");
    let again = stage.ok(&["import", "wilmer", from, "--vault", "a"]);
    assert_eq!(again, "d1: Imported 0 memories, 1 time; 3 already here\n");
    assert_eq!(chapters(&stage, "a"), first);
    let summary = stage.ok(&["summary", "--memory", "d1", "--vault", "a"]);
    assert!(summary.starts_with("Ana lives and works in Rome."), "{summary}");

    let out = stage.home().join("out");
    stage.ok(&["export", "wilmer", out.to_str().unwrap(), "--memory", "d1", "--vault", "a"]);
    assert_eq!(read(&out), read(&public));
    for file in ["memories.json", "chat_summary.json", "state_document.md", "timestamps.json"] {
        let bytes = |folder: &Path| std::fs::read(folder.join(file)).unwrap();
        assert_eq!(bytes(&out.join("d1")), bytes(&public.join("DiscussionIds/d1")), "{file}");
    }
    stage.ok(&["import", "wilmer", out.to_str().unwrap(), "--vault", "b"]);
    assert_eq!(chapters(&stage, "b"), first);
}

#[test]
fn what_changed_in_wilmer_comes_over_and_what_cannot_be_read_is_told() {
    let stage = Stage::new();
    let public = folder(&stage);
    let from = public.to_str().unwrap();
    stage.ok(&["import", "wilmer", from]);
    let memories = public.join("DiscussionIds/d1/memories.json");
    std::fs::write(&memories, json!([{"text_block": "Both.", "hash": HELLO}]).to_string()).unwrap();
    std::fs::write(public.join("DiscussionIds/d1/chat_summary.json"), "gAAAAencrypted").unwrap();
    let ran = stage.run(&["import", "wilmer", from]);
    let expected = "d1: Imported 1 memory, 1 time; 1 already here; 1 no longer there and removed\n";
    assert_eq!(ran.stdout, expected);
    assert!(ran.stderr.contains("chat_summary.json: this is not JSON"), "{}", ran.stderr);
    let plain = stage.run(&["import", &format!("{from}/DiscussionIds/d1"), "--vault", "other"]);
    assert!(plain.stderr.contains("everwhen import wilmer"), "{plain:?}");
    assert!(plain.code == 0 && plain.stdout.contains("d1: Imported"), "{plain:?}");
    let broken = stage.home().join("broken");
    std::fs::create_dir_all(&broken).unwrap();
    std::fs::write(broken.join("memories.json"), "[{\"text_block\": \"Bo").unwrap();
    let ran = stage.run(&["import", "wilmer", broken.to_str().unwrap()]);
    assert!(ran.code == 2 && ran.stderr.contains("memories.json"), "{ran:?}");
    assert!(ran.stderr.contains("nothing was imported"), "{ran:?}");
    let empty = stage.home().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let ran = stage.run(&["import", "wilmer", empty.to_str().unwrap()]);
    assert!(ran.code == 2 && ran.stderr.contains("no memories.json"), "{ran:?}");
}
