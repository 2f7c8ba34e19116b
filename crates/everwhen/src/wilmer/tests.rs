//! Folders as WilmerAI writes them are read and written without a change.

use std::path::PathBuf;

use everwhen_engine::memory::{TimeFrom, TimePrecision};
use everwhen_engine::time::Zone;
use serde_json::json;

use super::*;

const HASH: &str = "a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e";
const OTHER: &str = "b591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e";

fn discussion() -> Discussion {
    let metadata = json!({
        "title": "Stardust", "summary": "The parameters are final.", "entities": ["Dr. \"Eve\" Reed"],
        "key_phrases": ["mission parameters"], "sentiment": "calm",
    });
    let memory = |text: &str, hash: &str| FileMemory { text: text.into(), hash: hash.into() };
    Discussion {
        id: "chat 1".into(),
        memories: vec![
            memory("Ana likes caf\u{e9}s \u{1f600}.\nSecond line.", HASH),
            memory("More.", OTHER),
        ],
        summary: Some(memory("All of it.", HASH)),
        searchable: vec![SearchableMemory {
            id: 7,
            text: "The parameters are final.".into(),
            date_added: "2025-09-21T08:00:00.123456+00:00".into(),
            metadata: metadata.as_object().unwrap().clone(),
            hash: Some(HASH.into()),
        }],
        log: vec![(HASH.into(), "2025-09-21T08:00:00.223456+00:00".into())],
        state_document: Some("# State\n\nAna lives in Rome.\n".into()),
        condensed: Some(HASH.into()),
        ..Discussion::default()
    }
}

fn dating() -> Dating {
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    Dating { zone: Zone::named("Europe/Berlin").unwrap(), is_zone_stated: true, at: None, now }
}

/// What was read, without the time of the file, which is not in it.
fn read_again(folder: PathBuf) -> Discussion {
    let mut found = find(&[folder]).unwrap();
    assert_eq!(found.len(), 1);
    Discussion { modified: None, ..found.remove(0) }
}

#[test]
fn a_folder_comes_back_as_it_was_written() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("DiscussionIds/chat 1");
    write(&discussion(), &folder).unwrap();
    let text = std::fs::read_to_string(folder.join(MEMORIES)).unwrap();
    let first = "[\n    {\n        \"text_block\": \"Ana likes caf\\u00e9s \\ud83d\\ude00.\\nSecond line.\",";
    assert!(text.starts_with(first), "as Python's json module writes it: {text}");
    assert_eq!(read_again(home.path().to_owned()), discussion());
    assert_eq!(read_again(folder.clone()), discussion());
    write(&read_again(folder.clone()), &folder).unwrap();
    assert_eq!(std::fs::read_to_string(folder.join(MEMORIES)).unwrap(), text);
}

#[test]
fn files_beside_each_other_are_told_apart_by_the_id() {
    let home = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(home.path().join(name), text).unwrap();
    put(
        "a_memories.jsonl",
        "{\"text_block\": \"one\", \"hash\": \"x\"}\n\n{\"text_block\": \"two\", \"hash\": \"y\"}\n",
    );
    put("a_chat_summary.json", "[{\"text_block\": \"sum\", \"hash\": \"y\"}]");
    put("b_memories.json", "gAAAAABencrypted");
    put("b_timestamps.json", "{\"x\": \"(Saturday, 2025-09-20 18:31:21)\"}");
    let found = find(&[home.path().to_owned()]).unwrap();
    let ids: Vec<&str> = found.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["a", "b"]);
    assert_eq!(
        (found[0].memories.len(), found[0].summary.as_ref().unwrap().text.as_str()),
        (2, "sum")
    );
    assert!(found[1].problems[0].contains("or it is encrypted"), "{:?}", found[1].problems);
    assert_eq!(found[1].times.len(), 1, "the rest is read");
}

#[test]
fn an_older_database_beside_the_folder_belongs_to_its_discussion() {
    let home = tempfile::tempdir().unwrap();
    let public = home.path().join("Public");
    let folder = public.join("DiscussionIds/chat 1");
    write(&discussion(), &folder).unwrap();
    std::fs::rename(folder.join(DATABASE), public.join("chat 1_vector_memory.db")).unwrap();
    assert_eq!(read_again(public.clone()), discussion());
    // The same id under two keys is two discussions.
    write(&discussion(), &public.join("DiscussionIds/0123456789abcdef/chat 1")).unwrap();
    let ids: Vec<String> = find(&[public]).unwrap().into_iter().map(|one| one.id).collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
}

#[test]
fn a_memory_is_dated_by_its_last_message_or_its_date_is_unknown() {
    let mut discussion = discussion();
    discussion.times = [(HASH.to_owned(), "(Saturday, 2025-09-20 18:31:21)".to_owned())].into();
    let memories = discussion.dated_memories(&dating()).unwrap();
    assert_eq!(memories[0].until.to_string(), "2025-09-20T16:31:21Z");
    assert_eq!(memories[0].provenance.precision, TimePrecision::Second);
    assert_eq!(memories[1].until.to_string(), "2025-09-20T16:31:21.000001Z");
    assert_eq!(memories[1].provenance.precision, TimePrecision::Unknown);
    assert_eq!(memories[1].provenance.time_from, TimeFrom::Neighbour);
    let searchable = discussion.dated_searchable(&dating()).unwrap();
    assert_eq!(searchable[0].until, memories[0].until, "the log says which message it ends with");
    discussion.times.clear();
    let stored = discussion.dated_searchable(&dating()).unwrap();
    assert_eq!(stored[0].until.to_string(), "2025-09-21T08:00:00.123456Z");
    assert_eq!(stored[0].provenance.time_from, TimeFrom::Generation);
    assert_eq!(stored[0].provenance.precision, TimePrecision::Day);
    let none = discussion.dated_memories(&dating()).unwrap();
    assert!(none.iter().all(|one| one.provenance.precision == TimePrecision::Unknown));
    assert!(none[0].until < none[1].until);
}
