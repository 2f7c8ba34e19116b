//! Broken, hostile and foreign files, as typed: each has a message with the file, the place and what to do; what
//! came before the fault is stored and listed, and the import goes on with a whole file.

use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::stage::{Ran, Stage};

/// A ChatGPT export with this number of conversations of one message.
fn chatgpt(count: usize) -> String {
    let one = |n: usize| {
        json!({ "id": format!("c{n}"), "title": "t", "current_node": "a", "mapping": { "a": { "id": "a", "parent": null,
            "message": { "author": { "role": "user" }, "create_time": 1_700_000_000 + n,
                "content": { "content_type": "text", "parts": [format!("said {n}")] } } } } })
    };
    json!((0..count).map(one).collect::<Vec<Value>>()).to_string()
}

fn zip_of(stage: &Stage, name: &str, members: &[(&str, &[u8])]) -> PathBuf {
    let path = stage.home().join(name);
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    for (name, content) in members {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap();
    path
}

fn bytes(stage: &Stage, name: &str, content: &[u8]) -> PathBuf {
    let path = stage.home().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

fn import(stage: &Stage, path: &std::path::Path, args: &[&str]) -> Ran {
    stage.run(&[&["import", path.to_str().unwrap(), "--yes"], args].concat())
}

fn stored(stage: &Stage, memory: &str) -> usize {
    let list = stage.run(&["entries", "--memory", memory, "--json"]);
    let list: Value = serde_json::from_str(&list.stdout).unwrap_or_default();
    list["data"].as_array().map_or(0, Vec::len)
}

#[test]
fn what_cannot_be_read_at_all_is_refused_with_file_place_and_advice() {
    let stage = Stage::new();
    let whole = zip_of(&stage, "whole.zip", &[("conversations.json", chatgpt(50).as_bytes())]);
    let whole = std::fs::read(whole).unwrap();
    let cases: [(PathBuf, &[&str], &[&str]); 9] = [
        (bytes(&stage, "cut.zip", &whole[..whole.len() / 2]), &[], &["cut.zip", "again"]),
        (
            zip_of(&stage, "bomb.zip", &[("conversations.json", &vec![b' '; 80 << 20])]),
            &[],
            &["bomb.zip", "conversations.json", "unpack"],
        ),
        (
            zip_of(&stage, "tricks.zip", &[("../../conversations.json", chatgpt(1).as_bytes())]),
            &[],
            &["tricks.zip", "conversations.json", "outside"],
        ),
        (
            bytes(&stage, "half.json", b"[{\"title\": \"A trip to Lis"),
            &[],
            &["half.json", "cut off", "line 1, column 25", "again"],
        ),
        (
            bytes(&stage, "half.json", b"[{\"title\": \"A trip to Lis"),
            &["--from", "chatgpt"],
            &["half.json", "cut off", "line 1, column 25", "again"],
        ),
        (bytes(&stage, "empty.json", b""), &[], &["empty.json", "empty"]),
        (
            bytes(&stage, "other.json", b"{\"a\": 1}"),
            &[],
            &["other.json", "no program is known", "--from", "chatgpt"],
        ),
        (
            bytes(&stage, "conversations.json", chatgpt(2).as_bytes()),
            &["--from", "telegram"],
            &["conversations.json", "no file of Telegram", "looks like ChatGPT"],
        ),
        (
            bytes(&stage, "_chat.txt", "03/04/24, 10:00 - Ana: hi\n".as_bytes()),
            &[],
            &["_chat.txt", "day or month", "--date-order dmy reads Wednesday, 3 April 2024"],
        ),
    ];
    for (path, args, words) in cases {
        let ran = import(&stage, &path, args);
        assert_ne!(ran.code, 0, "{}: {ran:?}", path.display());
        let output = format!("{}{}", ran.stdout, ran.stderr);
        for word in words {
            assert!(output.contains(word), "{}: {word:?} is not in {output}", path.display());
        }
    }
    assert_eq!(stage.ok(&["vaults"]), "", "nothing is stored");
}

#[test]
fn what_came_before_a_fault_is_stored_and_listed_and_the_whole_file_goes_on() {
    let stage = Stage::new();
    let whole = chatgpt(10);
    let cut = whole.find("\"c7\"").unwrap();
    let path = bytes(&stage, "conversations.json", &whole.as_bytes()[..cut]);
    let ran = import(&stage, &path, &[]);
    let output = format!("{}{}", ran.stdout, ran.stderr);
    for word in
        ["conversations.json", "breaks off", "line 1 column", "7 before it were taken", "again"]
    {
        assert!(output.contains(word), "{word:?} is not in {output}");
    }
    assert!(output.contains("Stored 7 entries"), "{output}");
    assert_eq!(stored(&stage, "chatgpt"), 7);
    bytes(&stage, "conversations.json", whole.as_bytes());
    let ran = import(&stage, &path, &[]);
    assert!(ran.code == 0 && ran.stdout.contains("Stored 3 entries"), "{ran:?}");
    assert_eq!(stored(&stage, "chatgpt"), 10);

    // One member is hostile, the other is read.
    let members: [(&str, &[u8]); 2] =
        [("conversations.json", whole.as_bytes()), ("../evil.json", b"{}")];
    let path = zip_of(&stage, "mixed.zip", &members);
    let ran = import(&stage, &path, &["--memory", "mixed"]);
    assert!(format!("{}{}", ran.stdout, ran.stderr).contains("evil.json"), "{ran:?}");
    assert_eq!(stored(&stage, "mixed"), 10);
}

#[test]
fn odd_files_are_read_and_what_is_odd_is_said() {
    let stage = Stage::new();
    let german = "28/03/24, 10:01 - Ana: Grüße aus München, schöne Straße\n28/03/24, 10:02 - Bo: über Köln\n";
    let latin: Vec<u8> = german.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let foreign = "[28.03.24, 10:01:05] Ana: Привет\n[28.03.24, 10:02:05] Bo: ‎image omitted\n\
        [28.03.24, 10:03:05] ‎Die Nachrichten sind Ende-zu-Ende-verschlüsselt.\n";
    let long = json!({ "messages": [{ "role": "user", "content": "x".repeat(1_200_000), "timestamp": 1_700_000_000 }] });
    let zones = json!([
        { "timestamp": "2024-02-02T10:00:00+09:00", "text": "in Tokyo" },
        { "timestamp": "2024-02-02T10:00:00-05:00", "text": "in New York" },
    ]);
    let years = json!([
        { "timestamp": "1970-01-01T00:00:00Z", "text": "the clock was not set" },
        { "timestamp": "2099-01-01T00:00:00Z", "text": "from the future" },
        { "timestamp": "2024-01-01T00:00:00Z", "text": "in its time" },
    ]);
    let cases: [(&str, Vec<u8>, usize, &[&str]); 5] = [
        ("latin.txt", latin, 2, &["windows-1252"]),
        ("foreign.txt", foreign.into(), 2, &["from 2024-03-28"]),
        ("long.jsonl", format!("{long}\n").into(), 2, &["longer than 1 MiB"]),
        ("zones.json", zones.to_string().into(), 2, &["2 messages"]),
        (
            "years.json",
            years.to_string().into(),
            3,
            &["2099-01-01", "future", "2 placed after their neighbour"],
        ),
    ];
    for (name, content, count, words) in cases {
        let path = bytes(&stage, name, &content);
        let memory = name.split('.').next().unwrap();
        let ran = import(&stage, &path, &["--memory", memory]);
        let output = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, 0, "{name}: {output}");
        for word in words {
            assert!(output.contains(word), "{name}: {word:?} is not in {output}");
        }
        assert_eq!(stored(&stage, memory), count, "{name}: {output}");
    }
    let list = stage.json(&["entries", "--memory", "zones"]);
    let times: Vec<&str> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["conversation_time"].as_str().unwrap())
        .collect();
    assert!(times.contains(&"2024-02-02T01:00:00Z") && times.contains(&"2024-02-02T15:00:00Z"));
    let list = stage.json(&["entries", "--memory", "years"]);
    for row in list["data"].as_array().unwrap() {
        assert!(row["conversation_time"].as_str().unwrap().starts_with("202"), "{row}");
    }
}
