//! Sources that are databases: their fixtures are SQL, from which the file is made.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::fixtures::{Fixture, Form};
use crate::stage::{Stage, options};

fn fixture(source: &'static str, file: &'static str, golden: String, more: &str) -> Fixture {
    Fixture {
        source,
        file,
        form: Form::Database,
        grown: format!("{golden}{more}"),
        golden,
        expected: Vec::new(),
        branches: 0,
        more: 1,
        is_utc: true,
        parent: None,
    }
}

/// A row, as a statement.
fn insert(table: &str, cells: &[&str]) -> String {
    let cells: Vec<String> = cells
        .iter()
        .map(|cell| match cell.parse::<i64>() {
            Ok(number) => number.to_string(),
            Err(_) => format!("'{}'", cell.replace('\'', "''")),
        })
        .collect();
    format!("INSERT INTO {table} VALUES ({});\n", cells.join(", "))
}

/// Makes the database that a script describes.
pub(crate) fn make(path: &Path, script: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = std::fs::remove_file(path);
    if script.is_empty() {
        std::fs::write(path, "").unwrap();
        return;
    }
    rusqlite::Connection::open(path).unwrap().execute_batch(script).unwrap();
}

/// The same rows in another order, and with a column that no program knows.
pub(crate) fn otherwise_written(script: &str) -> String {
    let (tables, rows): (Vec<&str>, Vec<&str>) =
        script.lines().partition(|line| line.starts_with("CREATE"));
    let tables = tables.join("\n");
    let rows: Vec<&str> = rows.into_iter().rev().collect();
    let columns: String = tables
        .split("CREATE TABLE ")
        .filter_map(|one| one.split('(').next().filter(|name| !name.trim().is_empty()))
        .map(|name| format!("ALTER TABLE {name} ADD COLUMN zz_unknown TEXT;\n"))
        .collect();
    format!("{tables}\n{}\n{columns}", rows.join("\n"))
}

/// The script with every time of a message replaced.
pub(crate) fn with_times(script: &str, number: &str) -> String {
    let mut out = String::new();
    let mut digits = String::new();
    for character in script.chars().chain(['\n']) {
        if character.is_ascii_digit() {
            digits.push(character);
            continue;
        }
        let is_time = digits.starts_with('1') && matches!(digits.len(), 10 | 13);
        match (is_time, number) {
            (true, "4070908800") if digits.len() == 13 => out.push_str("4070908800000"),
            (true, _) => out.push_str(number),
            (false, _) => out.push_str(&digits),
        }
        digits.clear();
        out.push(character);
    }
    out
}

pub(crate) fn opencode() -> Fixture {
    let message = |id: &str, role: &str, at: i64| {
        let data =
            json!({ "role": role, "time": { "created": at }, "modelID": "m", "providerID": "p" });
        insert("message", &[id, "ses_1", &data.to_string()])
    };
    let part = |id: &str, message: &str, data: serde_json::Value| {
        insert("part", &[id, message, "ses_1", &data.to_string()])
    };
    let text = |said: &str| json!({ "type": "text", "text": said });
    let golden = [
        "CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);\n",
        "CREATE TABLE message (id TEXT, session_id TEXT, data TEXT);\n",
        "CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);\n",
    ]
    .concat()
        + &insert("session", &["ses_1", "", "/work", "T", "1760000000000", "1760000009000"])
        + &message("msg_1", "user", 1_760_000_001_000)
        + &part("prt_1", "msg_1", text("first words"))
        + &part("prt_2", "msg_1", json!({ "type": "text", "text": "a file", "synthetic": true }))
        + &message("msg_2", "assistant", 1_760_000_002_500)
        + &part("prt_3", "msg_2", json!({ "type": "reasoning", "text": "hm" }))
        + &part("prt_4", "msg_2", json!({ "type": "tool", "tool": "bash", "state": {} }))
        + &part("prt_5", "msg_2", text("A reply."));
    let more =
        message("msg_3", "user", 1_760_000_050_000) + &part("prt_6", "msg_3", text("later words"));
    let expected = vec![
        ("2025-10-09T08:53:21Z", "user", "first words"),
        ("2025-10-09T08:53:22.5Z", "assistant", "A reply."),
    ];
    Fixture { expected, ..fixture("opencode", "opencode.db", golden, &more) }
}

pub(crate) fn open_webui_database() -> Fixture {
    let chat = |more: Option<serde_json::Value>, current: &str| {
        let mut messages = json!({
            "m1": { "id": "m1", "parentId": null, "role": "user", "content": "first words", "timestamp": 1_700_000_001 },
            "m2": { "id": "m2", "parentId": "m1", "role": "assistant", "content": "x", "timestamp": 1_700_000_002 },
            "m3": { "id": "m3", "parentId": "m1", "role": "assistant", "content": "y", "timestamp": 1_700_000_003 },
        });
        if let Some(more) = more {
            messages["m4"] = more;
        }
        json!({ "title": "T", "history": { "currentId": current, "messages": messages } })
            .to_string()
    };
    let tables = "CREATE TABLE user (id TEXT);\nCREATE TABLE auth (id TEXT);\n\
        CREATE TABLE chat (id TEXT, user_id TEXT, title TEXT, chat TEXT, created_at INTEGER, updated_at INTEGER);\n";
    let row = |chat: &str| insert("chat", &["k", "u", "T", chat, "1700000000", "1700000100"]);
    let later = json!({ "id": "m4", "parentId": "m3", "role": "user", "content": "later words",
        "timestamp": 1_700_000_050 });
    let expected = vec![
        ("2023-11-14T22:13:21Z", "user", "first words"),
        ("2023-11-14T22:13:22Z", "assistant", "x"),
        ("2023-11-14T22:13:23Z", "assistant", "y"),
    ];
    let golden = format!("{tables}{}", row(&chat(None, "m3")));
    let grown = format!("{tables}{}", row(&chat(Some(later), "m4")));
    let found = fixture("open-webui", "webui.db", golden, "");
    Fixture { grown, expected, branches: 1, parent: Some("parentId"), ..found }
}

pub(crate) fn signal() -> Fixture {
    let message = |id: &str, at: &str, kind: &str, body: &str| {
        insert("messages", &[id, "c1", at, kind, body])
    };
    let golden = [
        "CREATE TABLE messages (id TEXT, conversationId TEXT, sent_at INTEGER, type TEXT, body TEXT);\n",
        "CREATE TABLE conversations (id TEXT, name TEXT, profileFullName TEXT, type TEXT);\n",
        "CREATE TABLE items (id TEXT, json TEXT);\nCREATE TABLE sessions (id TEXT);\n",
    ]
    .concat()
        + &insert("conversations", &["c1", "Ana", "Ana A.", "private"])
        + &message("s1", "1760000001000", "outgoing", "first words")
        + &message("s2", "1760000002500", "incoming", "A reply.")
        + &message("s3", "1760000003000", "timer-notification", "");
    let more = message("s4", "1760000050000", "incoming", "later words");
    let expected = vec![
        ("2025-10-09T08:53:21Z", "user", "first words"),
        ("2025-10-09T08:53:22.5Z", "user", "A reply."),
    ];
    Fixture { expected, ..fixture("signal", "db.sqlite", golden, &more) }
}

#[test]
fn the_older_files_of_opencode_are_read_like_its_database() {
    let stage = Stage::new();
    let write = |path: &str, value: serde_json::Value| -> PathBuf {
        stage.file("storage", path, value.to_string())
    };
    write(
        "session/p/ses_1.json",
        json!({ "id": "ses_1", "title": "T", "time": { "created": 1_760_000_000_000_i64 } }),
    );
    for (id, role, at, said) in [
        ("msg_1", "user", 1_760_000_001_000_i64, "first words"),
        ("msg_2", "assistant", 1_760_000_002_500, "A reply."),
    ] {
        let message = json!({ "id": id, "sessionID": "ses_1", "role": role, "time": { "created": at }, "modelID": "m" });
        write(&format!("message/ses_1/{id}.json"), message);
        let part = json!({ "id": format!("prt_{id}"), "messageID": id, "sessionID": "ses_1", "type": "text", "text": said });
        write(&format!("part/{id}/prt_{id}.json"), part);
    }
    stage.import(&stage.directory.path().join("storage"));
    let fixture = opencode();
    let texts: Vec<_> = stage.rows().into_iter().map(|(time, _, text)| (time, text)).collect();
    let expected: Vec<_> = fixture
        .expected
        .iter()
        .map(|(time, _, text)| ((*time).to_owned(), (*text).to_owned()))
        .collect();
    assert_eq!(texts, expected);
    // The same session, moved into the database by a newer version, is the same.
    let path = fixture.write(&stage, &fixture.golden);
    let (totals, _) = stage.import(&path);
    assert_eq!((totals.stored, totals.known), (0, 2));
}

#[test]
fn people_are_named_and_tools_are_kept_with_the_reply() {
    let stage = Stage::new();
    let signal = signal();
    let path = signal.write(&stage, &signal.golden);
    let me = everwhen::import::Options { me: Some("Bo".into()), ..options("UTC") };
    stage.import_with(&path, &me, false).unwrap();
    let speakers: Vec<String> =
        stage.entries().iter().map(|entry| entry.speaker.as_ref().unwrap().to_string()).collect();
    assert_eq!(speakers, ["Bo", "Ana"]);

    let stage = Stage::new();
    let opencode = opencode();
    stage.import(&opencode.write(&stage, &opencode.golden));
    let entries = stage.entries();
    assert_eq!(entries[1].tools_used[0].as_str(), "bash");
    assert!(entries[1].metadata.as_ref().unwrap().as_str().contains("\"model\":\"m\""));
}
