//! Folders of other programs are followed while they grow, break off, shrink and move.

use std::path::Path;

use serde_json::{Value, json};

use crate::stage::Stage;

/// A program whose folder is followed.
struct Program {
    name: &'static str,
    /// Where it keeps a session, below the home directory, and where it moves an old one.
    file: &'static str,
    moved: &'static str,
    /// Writes a session with the messages from one number to another. What does not begin with the first has
    /// no header either, where a program writes one.
    write: fn(&Path, std::ops::Range<u32>, Cut),
}

/// What is missing of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    Nothing,
    /// The end of the last message, which is still being written.
    End,
    /// The beginning of the first.
    Beginning,
}

fn said(number: u32) -> String {
    format!("message {number}")
}

fn time(number: u32) -> String {
    format!("2026-03-01T10:{number:02}:00.000Z")
}

/// Writes lines of JSON.
fn write_lines(path: &Path, lines: Vec<Value>, cut: Cut) {
    let mut text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    match cut {
        Cut::Nothing => {}
        Cut::End => text.truncate(text.len() - 40),
        Cut::Beginning => drop(text.drain(..40)),
    }
    std::fs::write(path, text).unwrap();
}

fn claude_code(path: &Path, messages: std::ops::Range<u32>, cut: Cut) {
    let line = |number: u32| {
        let parent = number.checked_sub(1).map(|before| format!("u-{before}"));
        json!({ "type": "user", "uuid": format!("u-{number}"), "parentUuid": parent, "sessionId": "s-1",
            "timestamp": time(number), "cwd": "/w", "message": { "role": "user", "content": said(number) } })
    };
    write_lines(path, messages.map(line).collect(), cut);
}

fn codex(path: &Path, messages: std::ops::Range<u32>, cut: Cut) {
    let id = "0190a6f4-1c00-7abc-8def-0123456789ab";
    let mut lines = vec![json!({ "timestamp": time(0), "type": "session_meta",
        "payload": { "id": id, "timestamp": time(0), "cwd": "/w", "source": "cli" } })];
    lines.retain(|_| messages.start == 0);
    lines.extend(messages.map(|number| {
        json!({ "timestamp": time(number), "type": "response_item", "payload": { "type": "message", "role": "user",
            "content": [{ "type": "input_text", "text": said(number) }] } })
    }));
    write_lines(path, lines, cut);
}

fn gemini_cli(path: &Path, messages: std::ops::Range<u32>, cut: Cut) {
    let message = |number: u32| {
        json!({ "id": number.to_string(), "timestamp": time(number), "type": "user",
            "content": [{ "text": said(number) }] })
    };
    let session = json!({ "sessionId": "g1", "projectHash": "h", "startTime": time(0),
        "messages": messages.map(message).collect::<Vec<Value>>() });
    write_lines(path, vec![session], cut);
}

fn sillytavern(path: &Path, messages: std::ops::Range<u32>, cut: Cut) {
    let mut lines =
        vec![json!({ "user_name": "Bo", "character_name": "Ana", "create_date": time(0) })];
    lines.retain(|_| messages.start == 0);
    lines.extend(messages.map(|number| {
        json!({ "name": "Ana", "is_user": false, "is_system": false, "send_date": time(number), "mes": said(number) })
    }));
    write_lines(path, lines, cut);
}

/// A database is never half written: what is not committed is not there.
fn opencode(path: &Path, messages: std::ops::Range<u32>, cut: Cut) {
    let _ = std::fs::remove_file(path);
    let mut connection = rusqlite::Connection::open(path).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE session (id TEXT, title TEXT, time_created INTEGER);
             CREATE TABLE message (id TEXT, session_id TEXT, data TEXT);
             CREATE TABLE part (id TEXT, message_id TEXT, data TEXT);
             INSERT INTO session VALUES ('ses_1', 'T', 1772359200000);",
        )
        .unwrap();
    for number in messages.clone() {
        let transaction = connection.transaction().unwrap();
        let at = 1_772_359_200_000_i64 + i64::from(number) * 60_000;
        let message = json!({ "role": "user", "time": { "created": at } }).to_string();
        let part = json!({ "type": "text", "text": said(number) }).to_string();
        let ids = (format!("msg_{number:04}"), format!("prt_{number:04}"));
        transaction
            .execute("INSERT INTO message VALUES (?1, 'ses_1', ?2)", (&ids.0, message))
            .unwrap();
        transaction
            .execute("INSERT INTO part VALUES (?1, ?2, ?3)", (&ids.1, &ids.0, part))
            .unwrap();
        if cut == Cut::End && number + 1 == messages.end {
            transaction.rollback().unwrap();
        } else {
            transaction.commit().unwrap();
        }
    }
}

const PROGRAMS: [Program; 5] = [
    Program {
        name: "claude-code",
        file: ".claude/projects/-w/s-1.jsonl",
        moved: ".claude/projects/-w/s-1-old.jsonl",
        write: claude_code,
    },
    Program {
        name: "codex",
        file: ".codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-0190a6f4-1c00-7abc-8def-0123456789ab.jsonl",
        moved: ".codex/archived_sessions/rollout-2026-03-01T10-00-00-0190a6f4-1c00-7abc-8def-0123456789ab.jsonl",
        write: codex,
    },
    Program {
        name: "gemini-cli",
        file: ".gemini/tmp/h/chats/session-1.json",
        moved: ".gemini/tmp/h/chats/session-1-old.json",
        write: gemini_cli,
    },
    Program {
        name: "opencode",
        file: ".local/share/opencode/opencode.db",
        moved: ".local/share/opencode/opencode-old.db",
        write: opencode,
    },
    Program {
        name: "sillytavern",
        file: "SillyTavern/data/default-user/chats/Ana/Ana - 2026.jsonl",
        moved: "SillyTavern/data/default-user/chats/Ana/Ana - old.jsonl",
        write: sillytavern,
    },
];

#[test]
fn sessions_of_every_program_are_followed_as_they_grow_tear_shrink_lose_their_beginning_and_move() {
    for program in PROGRAMS {
        let stage = Stage::new();
        let (file, moved) = (stage.home().join(program.file), stage.home().join(program.moved));
        for path in [&file, &moved] {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        }
        let name = program.name;
        // Looks until the files have stopped changing, then imports.
        let watch = || stage.ok(&["watch", name, "--once"]);
        let texts = || -> Vec<String> {
            let list = stage.run(&["entries", "--memory", name, "--json"]);
            let list: Value = serde_json::from_str(&list.stdout).unwrap_or_default();
            let rows = list["data"].as_array().cloned().unwrap_or_default();
            let mut texts: Vec<String> =
                rows.iter().map(|row| row["content"].as_str().unwrap().to_owned()).collect();
            texts.sort();
            texts
        };
        let first = |count: u32| -> Vec<String> { (0..count).map(said).collect() };
        (program.write)(&file, 0..2, Cut::Nothing);
        let output = watch();
        assert!(
            output.contains(&format!("Stored 2 entries in memory {name:?}")),
            "{name}: {output}"
        );
        assert_eq!(watch(), "", "{name}: nothing is new");
        (program.write)(&file, 0..4, Cut::End);
        watch();
        let partly = texts();
        assert!(partly.len() >= 2 && first(3).starts_with(&partly), "{name}: {partly:?}");
        (program.write)(&file, 0..4, Cut::Nothing);
        watch();
        assert_eq!(texts(), first(4), "{name}: the torn message came later");
        // Truncated, then moved away and written again with what is new.
        (program.write)(&file, 0..1, Cut::Nothing);
        watch();
        assert_eq!(texts(), first(4), "{name}: what a source cuts off stays here");
        std::fs::rename(&file, &moved).unwrap();
        (program.write)(&file, 0..5, Cut::Nothing);
        watch();
        assert_eq!(texts(), first(5), "{name}: after a rotation");
        // The beginning is lost, at the end of a message and in the middle of one, while more is said.
        (program.write)(&file, 3..7, Cut::Nothing);
        watch();
        assert_eq!(texts(), first(7), "{name}: without its beginning");
        (program.write)(&file, 5..9, Cut::Beginning);
        watch();
        let partly = texts();
        assert!(partly.len() >= 7 && first(9).starts_with(&partly), "{name}: {partly:?}");
        (program.write)(&file, 5..9, Cut::Nothing);
        watch();
        assert_eq!(texts(), first(9), "{name}: after its beginning was torn");
        std::fs::remove_file(&file).unwrap();
        std::fs::remove_file(&moved).unwrap();
        watch();
        assert_eq!(texts(), first(9), "{name}: what a source deletes stays here");
    }
}
