//! Importing files of other programs, exporting a vault, and backups, as typed.

use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::stage::Stage;

/// A conversation as ChatGPT exports it, with this number of messages.
fn conversation(number: u32, messages: u32) -> Value {
    let id = |message: u32| format!("{number:08}-{message:04}");
    let node = |message: u32| {
        let parent = message.checked_sub(1).map(id);
        let said = json!({
            "id": id(message), "author": { "role": if message.is_multiple_of(2) { "user" } else { "assistant" } },
            "create_time": 1_714_557_600.0 + f64::from(number * 86_400 + message * 60),
            "content": { "content_type": "text", "parts": [format!("talk {number} message {message}")] },
        });
        (id(message), json!({ "id": id(message), "parent": parent, "message": said }))
    };
    let mapping: serde_json::Map<String, Value> = (0..messages).map(node).collect();
    json!({ "id": format!("conv-{number}"), "title": format!("Talk {number}"), "create_time": 1_714_557_600.0,
            "current_node": id(messages - 1), "mapping": mapping })
}

fn archive(stage: &Stage, name: &str, conversations: &[Value]) -> PathBuf {
    let path = stage.home().join(name);
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file("conversations.json", options).unwrap();
    zip.write_all(json!(conversations).to_string().as_bytes()).unwrap();
    zip.finish().unwrap();
    path
}

fn import(stage: &Stage, path: &std::path::Path, args: &[&str]) -> Value {
    stage.json(&[&["import", path.to_str().unwrap(), "--yes"], args].concat())
}

fn counts(report: &Value) -> (u64, u64) {
    (report["stored"].as_u64().unwrap(), report["known"].as_u64().unwrap())
}

#[test]
fn an_archive_is_shown_then_stored_once_and_a_newer_one_adds_what_is_new() {
    let stage = Stage::new();
    let path = archive(&stage, "chatgpt.zip", &[conversation(1, 4), conversation(2, 3)]);
    let shown = stage.ok(&["import", path.to_str().unwrap(), "--dry-run"]);
    assert!(shown.contains("ChatGPT") && shown.contains("2 conversations"), "{shown}");
    assert!(shown.contains("Would store 7 entries in memory \"chatgpt\""), "{shown}");
    assert_eq!(stage.ok(&["vaults"]), "", "a dry run stores nothing");
    assert_eq!(counts(&import(&stage, &path, &[])), (7, 0));
    assert_eq!(counts(&import(&stage, &path, &[])), (0, 7));
    let newer = archive(&stage, "newer.zip", &[conversation(1, 6), conversation(3, 2)]);
    assert_eq!(counts(&import(&stage, &newer, &[])), (4, 4));
    let list = stage.json(&["entries", "--memory", "chatgpt"]);
    let first =
        list["data"].as_array().unwrap().iter().find(|row| row["content"] == "talk 1 message 0");
    let first = first.unwrap();
    assert_eq!(first["conversation_time"], "2024-05-02T10:00:00Z");
    assert_eq!(first["provenance"]["source"], "chatgpt");
    let server = stage.serve();
    assert_eq!(
        counts(&import(&stage, &newer, &[])),
        (0, 8),
        "a server stores nothing twice either"
    );
    server.kill();
}

#[test]
fn files_in_any_order_make_the_same_memory() {
    let parts = [conversation(1, 5), conversation(2, 4), conversation(3, 3)];
    let seen = |order: [usize; 3]| {
        let stage = Stage::new();
        for place in order {
            let path = archive(&stage, &format!("{place}.zip"), &parts[place..=place]);
            import(&stage, &path, &[]);
        }
        let list = stage.json(&["entries", "--memory", "chatgpt"]);
        let rows = list["data"].as_array().unwrap().iter();
        rows.map(|row| (row["conversation_time"].to_string(), row["content"].to_string()))
            .collect::<Vec<_>>()
    };
    let first = seen([0, 1, 2]);
    assert_eq!(first.len(), 12);
    assert_eq!(seen([2, 0, 1]), first);
}

#[test]
fn a_broken_archive_and_a_foreign_file_say_what_is_wrong() {
    let stage = Stage::new();
    let whole = archive(&stage, "whole.zip", &[conversation(1, 50)]);
    let bytes = std::fs::read(&whole).unwrap();
    let cut = stage.home().join("cut.zip");
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let ran = stage.run(&["import", cut.to_str().unwrap(), "--yes"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("cut.zip"), "{ran:?}");
    let half = json!([conversation(1, 3), conversation(2, 40)]).to_string();
    let half = stage.file("conversations.json", &half[..half.len() - 200]);
    let ran = stage.run(&["import", half.to_str().unwrap(), "--yes"]);
    assert_eq!(ran.code, 0, "what came before the fault is stored: {ran:?}");
    assert!(ran.stdout.contains("Stored 3 entries"), "{ran:?}");
    assert!(ran.stdout.contains("conversations.json"), "the fault is named: {ran:?}");
    let foreign = stage.file("holiday.bin", "\u{1}\u{2}nothing that is known");
    let ran = stage.run(&["import", foreign.to_str().unwrap()]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("holiday.bin") && ran.stderr.contains("--from"), "{ran:?}");
}

#[test]
fn an_exported_vault_comes_back() {
    let stage = Stage::new();
    let path = archive(&stage, "chatgpt.zip", &[conversation(1, 6)]);
    import(&stage, &path, &[]);
    stage.ok(&["remember", "I went to the museum", "--at", "2023-01-08 12:49"]);
    let file = stage.home().join("everything.jsonl");
    stage.ok(&["export", "vault", file.to_str().unwrap()]);
    let refused = stage.run(&["export", "vault", file.to_str().unwrap()]);
    assert_ne!(refused.code, 0, "an existing file is not replaced");
    let other = Stage::new();
    let shown = other.ok(&["import", file.to_str().unwrap(), "--dry-run"]);
    assert!(shown.contains("Would restore 7 entries"), "{shown}");
    assert_eq!(other.ok(&["vaults"]), "");
    let output = other.ok(&["import", file.to_str().unwrap(), "--yes"]);
    assert!(output.contains("Restored 7 entries in vault \"default\""), "{output}");
    let again = other.home().join("again.jsonl");
    other.ok(&["export", "vault", again.to_str().unwrap()]);
    // Every command also does work that is due, such as making facts; what was said does not change by it.
    let said = |path: &PathBuf| -> Vec<String> {
        let text = std::fs::read_to_string(path).unwrap();
        let lines = text.lines().filter(|line| line.starts_with("{\"type\":\"entry\""));
        lines.map(ToOwned::to_owned).collect()
    };
    assert_eq!((said(&again).len(), said(&again)), (7, said(&file)));
    let output = other.ok(&["import", file.to_str().unwrap(), "--yes"]);
    assert!(output.contains("Restored 0 entries") && output.contains("7 already here"), "{output}");
}

#[test]
fn a_backup_is_verified_and_restored() {
    let stage = Stage::new();
    stage.ok(&["remember", "I went to the museum", "--at", "2023-01-08 12:49"]);
    let file = stage.home().join("backup.zip");
    stage.ok(&["backup", file.to_str().unwrap()]);
    let mode = std::os::unix::fs::PermissionsExt::mode(&file.metadata().unwrap().permissions());
    assert_eq!(mode & 0o077, 0, "only its owner may read it");
    stage.ok(&["backup", file.to_str().unwrap(), "--verify"]);
    assert_ne!(stage.run(&["backup", file.to_str().unwrap()]).code, 0, "nothing is replaced");
    let data = stage.home().join("restored");
    let data = data.to_str().unwrap();
    stage.ok(&["backup", file.to_str().unwrap(), "--restore", "--data", data]);
    assert!(stage.ok(&["timeline", "--data", data]).contains("I went to the museum"));
    let bytes = std::fs::read(&file).unwrap();
    let cut = stage.home().join("cut.zip");
    std::fs::write(&cut, &bytes[..bytes.len() - 30]).unwrap();
    let ran = stage.run(&["backup", cut.to_str().unwrap(), "--verify"]);
    assert!(ran.code != 0 && ran.stderr.contains("cut.zip"), "{ran:?}");
}

/// A line of a session of Claude Code.
fn line(number: u32, text: &str) -> String {
    let parent = number.checked_sub(1).map(|before| format!("u-{before}"));
    let line = json!({
        "type": "user", "uuid": format!("u-{number}"), "parentUuid": parent, "sessionId": "s-1",
        "timestamp": format!("2026-03-01T10:{number:02}:00.000Z"), "cwd": "/w", "version": "2.0.1",
        "message": { "role": "user", "content": text },
    });
    format!("{line}\n")
}

#[test]
fn a_followed_folder_is_imported_as_it_grows_shrinks_and_moves() {
    let stage = Stage::new();
    let folder = stage.home().join(".claude/projects/-w");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("s-1.jsonl");
    let texts = || -> Vec<String> {
        let list = stage.run(&["entries", "--memory", "claude-code", "--json"]);
        let list: Value = serde_json::from_str(&list.stdout).unwrap_or_default();
        let rows = list["data"].as_array().cloned().unwrap_or_default();
        let mut texts: Vec<String> =
            rows.iter().map(|row| row["content"].as_str().unwrap().to_owned()).collect();
        texts.sort();
        texts
    };
    let watch = || stage.ok(&["watch", "--once"]);
    std::fs::write(&file, line(0, "a") + &line(1, "b")).unwrap();
    assert!(watch().contains("Stored 2 entries in memory \"claude-code\""));
    assert_eq!(watch(), "", "nothing is new");
    // The last line is only half written.
    let half = line(3, "d");
    std::fs::write(&file, line(0, "a") + &line(1, "b") + &line(2, "c") + &half[..20]).unwrap();
    watch();
    assert_eq!(texts(), ["a", "b", "c"]);
    std::fs::write(&file, line(0, "a") + &line(1, "b") + &line(2, "c") + &half).unwrap();
    watch();
    assert_eq!(texts(), ["a", "b", "c", "d"]);
    // Truncated, then moved away and continued in another file.
    std::fs::write(&file, line(3, "d")).unwrap();
    watch();
    std::fs::rename(&file, folder.join("s-1-old.jsonl")).unwrap();
    std::fs::write(&file, line(3, "d") + &line(4, "e")).unwrap();
    watch();
    std::fs::remove_file(&file).unwrap();
    watch();
    assert_eq!(texts(), ["a", "b", "c", "d", "e"], "what a source deletes stays here");
}

#[test]
fn a_server_follows_the_configured_folders_and_backs_up() {
    let stage = Stage::new();
    let folder = stage.home().join(".claude/projects/-w");
    std::fs::create_dir_all(&folder).unwrap();
    stage.ok(&["remember", "before"]);
    let mut command = stage.command(&[]);
    command.env("EVERWHEN_WATCH_SOURCES", "claude-code");
    command.env("EVERWHEN_WATCH_EVERY_SECONDS", "1");
    command.env("EVERWHEN_BACKUP_EVERY", "24h");
    let server = stage.serve_with(command, "127.0.0.1:0");
    std::fs::write(folder.join("s-1.jsonl"), line(0, "while it runs")).unwrap();
    let found =
        || stage.run(&["entries", "--memory", "claude-code"]).stdout.contains("while it runs");
    let backups = || std::fs::read_dir(stage.data().join("backups")).into_iter().flatten().count();
    while !found() || backups() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert_eq!(server.terminate(), 0);
}

#[test]
fn a_backup_of_a_database_restores_into_either_kind_of_store() {
    let stage = Stage::new();
    let (from, to) = (crate::growing::fresh(), crate::growing::fresh());
    for (day, text) in [("2023-01-08 12:49", "I visited MoMA"), ("2023-01-15 10:00", "The Met")] {
        stage.ok(&["remember", text, "--at", day, "--store", &from]);
    }
    let file = stage.home().join("backup.zip");
    let file = file.to_str().unwrap();
    let made = stage.json(&["backup", file, "--store", &from]);
    assert_eq!(made["entries"], 2);
    stage.ok(&["backup", file, "--verify"]);
    stage.ok(&["backup", file, "--restore", "--store", &to]);
    let back = stage.home().join("back");
    let back = back.to_str().unwrap();
    stage.ok(&["backup", file, "--restore", "--data", back]);
    let timeline = |place: &[&str]| stage.ok(&[&["timeline"], place].concat());
    let expected = timeline(&["--store", &from]);
    assert!(expected.contains("I visited MoMA"), "{expected}");
    assert_eq!(timeline(&["--store", &to]), expected);
    assert_eq!(timeline(&["--data", back]), expected);
    let again = stage.run(&["backup", file, "--restore", "--store", &to]);
    assert_ne!(again.code, 0, "a store that is not empty is not written to");
}

#[test]
fn a_day_without_a_time_is_found_by_any_hour_of_it_and_said_to_be_about_that_day() {
    let stage = Stage::new();
    let rows = "time,role,text\n2023-03-03,user,The cat was ill\n2023-03-05T10:00:00Z,user,The cat is well\n";
    let path = stage.file("notes.csv", rows);
    assert_eq!(counts(&import(&stage, &path, &["--from", "rows", "--memory", "m"])), (2, 0));
    let in_memory = |args: &[&str]| stage.ok(&[args, &["--memory", "m"]].concat());
    let hour = ["--after", "2023-03-03 15:00", "--before", "2023-03-03 16:00"];
    for output in [
        in_memory(&[&["entries"], &hour[..]].concat()),
        in_memory(&[&["timeline"], &hour[..]].concat()),
        in_memory(&[&["recall", "cat"], &hour[..]].concat()),
        in_memory(&["recall", "What about the cat on 3 March 2023?", "--period", "filter"]),
        in_memory(&["recall", "What about the cat on 3 March 2023?", "--briefing"]),
    ] {
        assert!(
            output.contains("bout 3 March 2023") && output.contains("The cat was ill"),
            "{output}"
        );
    }
    let next = in_memory(&["entries", "--after", "2023-03-04 00:00"]);
    assert!(!next.contains("ill") && next.contains("well"), "{next}");
}

#[test]
fn notes_have_times_as_precise_as_they_are_known_and_come_back_with_them() {
    let stage = Stage::new();
    let rows = "time,role,text\n2023-03,user,in March\n2023-04-03,user,on a day\n\
        2023-04-03T10:20Z,user,in a minute\n2023-04-03T10:20:30Z,user,in a second\n";
    let path = stage.file("notes.csv", rows);
    import(&stage, &path, &["--from", "rows", "--memory", "m"]);
    let folder = stage.home().join("notes");
    let export = ["export", "markdown", folder.to_str().unwrap(), "--memory", "m"];
    stage.ok(&export);
    let mut notes: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|one| std::fs::read_to_string(one.unwrap().path()).unwrap())
        .collect();
    notes.sort();
    let all = notes.concat();
    for line in [
        "\n[2023-03] **user**: in March\n",
        "\n[2023-04-03] **user**: on a day\n",
        "\n[2023-04-03 12:20 +02:00] **user**: in a minute\n",
        "\n[2023-04-03 12:20:30 +02:00] **user**: in a second\n",
        "\ndate: 2023-03-01\n",
    ] {
        assert!(all.contains(line), "{line}: {all}");
    }
    import(&stage, &folder, &["--memory", "again"]);
    let known = |memory: &str| -> Vec<(Value, Value, Value)> {
        let list = stage.json(&["entries", "--memory", memory]);
        let rows = list["data"].as_array().unwrap().clone();
        let one = |row: &Value| {
            let precision = row["provenance"]["precision"].clone();
            (row["content"].clone(), row["conversation_time"].clone(), precision)
        };
        rows.iter().map(one).collect()
    };
    assert_eq!(known("again"), known("m"));
}

#[test]
fn a_backup_of_a_database_amid_writes_has_all_that_was_acknowledged_before() {
    let stage = Stage::new();
    let (from, to) = (crate::growing::fresh(), crate::growing::fresh());
    let mut command = stage.command(&[]);
    command.env("EVERWHEN_STORE_URL", &from);
    let server = stage.serve_with(command, "127.0.0.1:0");
    let acknowledged = std::sync::Mutex::new(Vec::new());
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let file = stage.home().join("backup.zip");
    let before = std::thread::scope(|scope| {
        for writer in 0..4 {
            let (host, acknowledged, is_over) = (&server.url, &acknowledged, &is_over);
            scope.spawn(move || {
                for number in 0.. {
                    if is_over.load(std::sync::atomic::Ordering::SeqCst) {
                        return;
                    }
                    let content = format!("writer {writer} entry {number}");
                    let body = json!({ "role": "user", "content": content }).to_string();
                    if crate::stage::post(
                        host,
                        &format!("/v1/vaults/v/memories/m{writer}/entries"),
                        &body,
                    ) {
                        acknowledged.lock().unwrap().push(content);
                    }
                }
            });
        }
        let known = || acknowledged.lock().unwrap().len();
        crate::stage::eventually("writes", || (known() >= 40).then_some(()));
        let before = acknowledged.lock().unwrap().clone();
        stage.ok(&["backup", file.to_str().unwrap(), "--store", &from]);
        let during = known();
        is_over.store(true, std::sync::atomic::Ordering::SeqCst);
        assert!(during > before.len(), "nothing was written while the backup was made");
        before
    });
    assert_eq!(server.terminate(), 0);
    stage.ok(&["backup", file.to_str().unwrap(), "--verify"]);
    stage.ok(&["backup", file.to_str().unwrap(), "--restore", "--store", &to]);
    let mut restored = std::collections::HashSet::new();
    for writer in 0..4 {
        let memory = format!("m{writer}");
        let args = ["entries", "--vault", "v", "--memory", &memory, "--store", &to, "--all"];
        let list = stage.json(&args);
        let rows = list["data"].as_array().unwrap().clone();
        restored.extend(rows.iter().map(|row| row["content"].as_str().unwrap().to_owned()));
    }
    for content in before {
        assert!(restored.contains(&content), "{content} was acknowledged before the backup");
    }
}

#[test]
fn the_chats_of_a_memory_go_to_other_programs_and_back() {
    let stage = Stage::new();
    let path = archive(&stage, "chatgpt.zip", &[conversation(1, 4), conversation(2, 3)]);
    import(&stage, &path, &[]);
    for (format, name) in [
        ("chatgpt", "conversations.json"),
        ("claude", "claude.json"),
        ("open-webui", "webui.json"),
        ("sillytavern", "chats.zip"),
    ] {
        let file = stage.home().join(name);
        let output = stage.ok(&["export", format, file.to_str().unwrap(), "--memory", "chatgpt"]);
        assert!(output.contains(name), "{output}");
        let again = stage.run(&["export", format, file.to_str().unwrap(), "--memory", "chatgpt"]);
        assert_ne!(again.code, 0, "{format}: nothing is replaced");
        let memory = format!("from {format}");
        let output = import(&stage, &file, &["--memory", &memory]);
        assert_eq!(counts(&output), (7, 0), "{format}: {output}");
        let said = |memory: &str| -> Vec<(Value, Value)> {
            let list = stage.json(&["entries", "--memory", memory]);
            let rows = list["data"].as_array().unwrap().clone();
            rows.iter().map(|r| (r["conversation_time"].clone(), r["content"].clone())).collect()
        };
        assert_eq!(said(&memory), said("chatgpt"), "{format}");
    }
    for format in ["chatgpt", "messages"] {
        let missing = stage.run(&["export", format, "x.json", "--memory", "none"]);
        assert!(missing.code == 3 && !stage.home().join("x.json").exists(), "{missing:?}");
    }
    let printed = stage.ok(&["export", "messages", "-", "--memory", "chatgpt"]);
    let file = stage.home().join("messages.jsonl");
    stage.ok(&["export", "messages", file.to_str().unwrap(), "--memory", "chatgpt"]);
    assert_eq!(printed, std::fs::read_to_string(&file).unwrap());
    assert!(printed.starts_with("{\"") && !stage.home().join("-").exists(), "{printed}");
    let again = stage.run(&["export", "messages", file.to_str().unwrap(), "--memory", "chatgpt"]);
    assert!(again.code == 4 && again.stderr.contains("name another file"), "{again:?}");
}

#[test]
fn an_import_of_which_nothing_can_be_stored_is_a_failure() {
    let stage = Stage::new();
    stage.ok(&["remember", "hello"]);
    let file = stage.home().join("all.jsonl");
    stage.ok(&["export", "vault", file.to_str().unwrap()]);
    let ran = stage.run(&["import", file.to_str().unwrap(), "--yes", "--vault", "two"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("nothing of the file can be imported"), "{ran:?}");
    assert_eq!(stage.run(&["import", file.to_str().unwrap(), "--yes"]).code, 0, "all is here");
}

#[test]
fn a_part_of_an_export_is_not_imported_as_the_whole() {
    let stage = Stage::new();
    stage.ok(&["remember", "hello"]);
    let file = stage.home().join("all.jsonl");
    stage.ok(&["export", "vault", file.to_str().unwrap()]);
    let other = Stage::new();
    for (option, value) in [("--since", "2026-01-01"), ("--timezone", "Mars"), ("--me", "Ana")] {
        let ran = other.run(&["import", file.to_str().unwrap(), "--yes", option, value]);
        assert!(ran.code == 2 && ran.stderr.contains(option), "{ran:?}");
    }
    assert_eq!(other.ok(&["vaults"]), "", "nothing was stored");
}

#[test]
fn what_a_memory_exported_is_known_there() {
    let stage = Stage::new();
    stage.ok(&["remember", "the train leaves at nine"]);
    stage.ok(&["remember", "old", "--at", "1999-12-31 10:00"]);
    let path = archive(&stage, "chatgpt.zip", &[conversation(1, 4)]);
    import(&stage, &path, &["--memory", "default"]);
    for format in ["messages", "chatgpt", "claude", "open-webui"] {
        let file = stage.home().join(format!("{format}.json"));
        let file = if format == "messages" { file.with_extension("jsonl") } else { file };
        stage.ok(&["export", format, file.to_str().unwrap()]);
        for (memory, expected) in [("default", (0, 6)), (format, (6, 0)), (format, (0, 6))] {
            let output = import(&stage, &file, &["--memory", memory]);
            assert_eq!(counts(&output), expected, "{format} into {memory}: {output}");
        }
        let second = stage.home().join(format!("again {}", file.file_name().unwrap().display()));
        stage.ok(&["export", format, second.to_str().unwrap(), "--memory", format]);
        for memory in ["default", format] {
            let output = import(&stage, &second, &["--memory", memory]);
            assert_eq!(counts(&output), (0, 6), "{format}, a second export into {memory}");
        }
    }
}
