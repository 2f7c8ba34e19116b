//! A memory in the format of another program gives back the same memory.

use everwhen::export::ForeignFormat;
use everwhen::import::message_in_note;
use everwhen::memory::{Entry, NewEntry, Role, Said};
use serde_json::{Value, json};

use crate::fixtures::all;
use crate::stage::{ImportTotals, Stage};

fn file_of(format: ForeignFormat) -> &'static str {
    match format {
        ForeignFormat::SillyTavern => "chats.zip",
        _ => "conversations.json",
    }
}

/// All that an import gives an entry. Who is its source changes with the format, and with it its id.
fn said(entry: &Entry, with_source: bool) -> String {
    let from = entry.provenance.as_ref().unwrap();
    let source = with_source.then(|| (from.source.to_string(), from.source_id.clone()));
    format!(
        "{} {:?} {:?} {} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {source:?}",
        entry.conversation_time,
        entry.role,
        entry.speaker,
        entry.content.as_str(),
        entry.tags,
        entry.tools_used,
        entry.metadata,
        from.time_text,
        from.precision,
        (from.time_from, from.zone_from),
        entry.branch.map(|(_, at)| at),
    )
}

fn entries(stage: &Stage, with_source: bool) -> Vec<String> {
    let mut all: Vec<String> =
        stage.entries().iter().map(|entry| said(entry, with_source)).collect();
    all.sort();
    all
}

#[test]
fn what_a_program_exported_goes_back_and_comes_again_as_it_was() {
    for format in ForeignFormat::ALL {
        let fixture = all().into_iter().find(|one| one.source == format.as_str()).unwrap();
        for content in [&fixture.golden, &fixture.grown] {
            let (stage, empty) = (Stage::new(), Stage::new());
            stage.import(&fixture.write(&stage, content));
            let path = stage.directory.path().join(file_of(format));
            stage.export(format, &path);
            let (totals, report) = empty.import(&path);
            let name = format.as_str();
            assert!(report.problems.is_empty(), "{name}: {report:?}");
            assert_eq!(entries(&empty, true), entries(&stage, true), "{name}");
            assert_eq!(empty.conversations(), stage.conversations(), "{name}");
            assert_eq!(totals.branches, fixture.branches, "{name}");
            let (again, _) = stage.import(&path);
            assert_eq!((again.stored, again.corrected), (0, 0), "{name}, into the same memory");
            let second = empty.directory.path().join(file_of(format));
            empty.export(format, &second);
            let [one, other] = [&path, &second].map(|path| std::fs::read(path).unwrap());
            assert!(one == other, "{name}: a second export differs");
        }
    }
}

#[test]
fn what_another_program_exported_keeps_dates_tags_and_speakers_in_every_format() {
    for source in ["chatgpt", "claude-code", "whatsapp", "telegram", "slack", "markdown", "mem0"] {
        let fixture = all().into_iter().find(|one| one.source == source).unwrap();
        for format in ForeignFormat::ALL {
            let (stage, empty) = (Stage::new(), Stage::new());
            stage.import(&fixture.write(&stage, &fixture.golden));
            let path = stage.directory.path().join(file_of(format));
            stage.export(format, &path);
            let (_, report) = empty.import(&path);
            assert!(report.problems.is_empty(), "{source} as {format:?}: {report:?}");
            assert_eq!(entries(&empty, false), entries(&stage, false), "{source} as {format:?}");
            assert_eq!(empty.conversations(), stage.conversations(), "{source} as {format:?}");
            let (again, _) = stage.import(&path);
            let name = format!("{source} as {format:?}, into the same memory");
            assert_eq!((again.stored, again.corrected, again.branches), (0, 0, 0), "{name}");
            let second = empty.directory.path().join(file_of(format));
            empty.export(format, &second);
            let [one, other] = [&path, &second].map(|path| std::fs::read(path).unwrap());
            assert!(one == other, "{source} as {format:?}: a second export differs");
        }
    }
}

#[test]
fn what_was_remembered_here_is_known_in_every_export_of_it() {
    let said = |role, text: &str, time: &str| {
        NewEntry::new(role, Said::new(text).unwrap()).said_at(time.parse().unwrap())
    };
    for format in ForeignFormat::ALL {
        let stage = Stage::new();
        stage.remember(vec![
            said(Role::User, "the train leaves at nine", "2025-03-01T12:00:00Z"),
            said(Role::Assistant, "  then at eight \n", "2025-03-01T12:00:01.25Z"),
            said(Role::User, "then at eight", "2025-03-01T12:00:01.25Z"),
        ]);
        let path = stage.directory.path().join(file_of(format));
        stage.export(format, &path);
        for _ in 0..2 {
            let (again, report) = stage.import(&path);
            assert_eq!(again, ImportTotals { known: 3, ..ImportTotals::default() }, "{format:?}");
            assert!(report.problems.is_empty(), "{format:?}: {report:?}");
        }
        let (other, _) = Stage::new().import(&path);
        assert_eq!(other.stored, 3, "{format:?}, elsewhere");
        // A text that was changed in the file is not lost, and does not come twice.
        if format != ForeignFormat::SillyTavern {
            let text = std::fs::read_to_string(&path).unwrap().replace("nine", "ten");
            let changed = stage.file("changed", file_of(format), text);
            for stored in [1, 0] {
                let (totals, _) = stage.import(&changed);
                assert_eq!((totals.stored, totals.corrected), (stored, 0), "{format:?}, changed");
            }
        }
    }
}

/// A conversation of ChatGPT in which a question was asked again after an answer and its reply.
fn forked() -> String {
    let node = |id: &str, parent: &str, role: &str, second: u32| {
        let message = json!({ "id": id, "author": { "role": role }, "create_time": 1_760_000_000 + second,
            "content": { "content_type": "text", "parts": [format!("words of {id}")] } });
        (id.to_owned(), json!({ "id": id, "parent": parent, "message": message }))
    };
    let mapping: serde_json::Map<String, Value> = [
        node("u1", "r", "user", 1),
        node("a1", "u1", "assistant", 2),
        node("u2", "a1", "user", 3),
        node("a2", "u2", "assistant", 4),
        node("u3", "a2", "user", 5),
        node("u2b", "a1", "user", 60),
        node("a2b", "u2b", "assistant", 61),
        node("a2c", "u2b", "assistant", 62),
    ]
    .into_iter()
    .collect();
    json!([{ "id": "c", "current_node": "a2c", "create_time": 1_760_000_000, "mapping": mapping }])
        .to_string()
}

#[test]
fn a_branch_is_a_chat_of_its_own_in_sillytavern_and_a_branch_again_here() {
    let (stage, empty) = (Stage::new(), Stage::new());
    stage.import(&stage.file("in", "conversations.json", forked()));
    let path = stage.directory.path().join("chats.zip");
    stage.export(ForeignFormat::SillyTavern, &path);
    let mut zip = zip::ZipArchive::new(std::fs::File::open(&path).unwrap()).unwrap();
    let mut chats: Vec<(String, Vec<Value>)> = (0..zip.len())
        .map(|place| {
            let mut member = zip.by_index(place).unwrap();
            let text = std::io::read_to_string(&mut member).unwrap();
            let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            (member.name().unwrap().into_owned(), lines)
        })
        .collect();
    chats.sort_by_key(|(name, _)| name.len());
    let [(main, lines), (branch, own)] = &chats[..] else { panic!("{chats:?}") };
    assert_eq!(
        (main.as_str(), branch.as_str()),
        ("Assistant/c.jsonl", "Assistant/c - Branch 1.jsonl")
    );
    // What SillyTavern itself reads to show the branch.
    assert_eq!(own[0]["chat_metadata"]["main_chat"], "c");
    assert_eq!(lines[2]["extra"]["branches"], json!(["c - Branch 1"]));
    let said = |lines: &[Value]| -> Vec<Value> {
        lines[1..].iter().map(|line| line["mes"].clone()).collect()
    };
    assert_eq!(said(own), ["u1", "a1", "u2", "a2", "u3"].map(|id| format!("words of {id}")));
    assert_eq!(lines[4]["swipes"], json!(["words of a2b", "words of a2c"]));
    // Files in any order, alone and together, make the same memory.
    for place in [branch, main, branch] {
        let (_, lines) = chats.iter().find(|(name, _)| name == place).unwrap();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        empty.import(&empty.file("in", place, text));
    }
    assert_eq!(entries(&empty, false), entries(&stage, false));
    assert_eq!(empty.conversations(), stage.conversations());
    let second = empty.directory.path().join("chats.zip");
    empty.export(ForeignFormat::SillyTavern, &second);
    assert_eq!(std::fs::read(&second).unwrap(), std::fs::read(&path).unwrap());
}

#[test]
fn what_the_programs_themselves_need_is_there() {
    let fixture = all().into_iter().find(|one| one.source == "chatgpt").unwrap();
    let stage = Stage::new();
    stage.import(&fixture.write(&stage, &fixture.golden));
    let written = |format: ForeignFormat| -> Value {
        let path = stage.directory.path().join(format.as_str());
        stage.export(format, &path);
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    };
    let chatgpt = written(ForeignFormat::ChatGpt);
    let mapping = chatgpt[0]["mapping"].as_object().unwrap();
    for (id, node) in mapping {
        for child in node["children"].as_array().unwrap() {
            assert_eq!(mapping[child.as_str().unwrap()]["parent"], json!(id));
        }
        assert!(node["parent"].is_null() || mapping.contains_key(node["parent"].as_str().unwrap()));
    }
    let current = chatgpt[0]["current_node"].as_str().unwrap();
    assert_eq!(mapping[current]["message"]["content"]["parts"][0], "edited words");
    assert_eq!(mapping["u1"]["message"]["create_time"], json!(1_760_000_001.5));

    let claude = written(ForeignFormat::Claude);
    assert_eq!(claude[0]["uuid"], "c1");
    assert_eq!(claude[0]["chat_messages"][0]["sender"], "assistant");
    assert_eq!(claude[0]["chat_messages"][0]["created_at"], "2025-10-09T08:58:19.995000Z");

    let open_webui = written(ForeignFormat::OpenWebUi);
    let history = &open_webui[0]["chat"]["history"];
    let last = history["currentId"].as_str().unwrap();
    assert_eq!(history["messages"][last]["content"], "edited words");
    assert_eq!(history["messages"][last]["timestamp"], json!(1_760_000_300));
    assert_eq!(open_webui[0]["chat"]["messages"].as_array().unwrap().len(), 2);
    assert!(stage.entries().iter().any(|entry| entry.role == Role::User));
}

#[test]
fn a_message_of_a_note_comes_back_whatever_its_lines_look_like() {
    let contents = [
        "Your plan:\n# Week of 2024-05-05\n- run\n## User\n  ## Assistant - 2024-05-06\n# Plain heading",
        "[2024-05-05 10:00] not a stamp\n[2024-05-05 10:00] **user**: not one either\n[link](x)",
        "\\# Week of 2024-05-05\n\\\\# 2024-05-06\n\\[ x \\]\n\\[2024-05-05]",
        "```rust\n# 2024-05-05\n```\n# 2024-05-06",
        "never closed:\n```\n# 2024-05-06\nend",
        "```\n# 2024-05-06",
        "closed\n```\n[2024-05-06] x\n```\nopen\n```\n[2024-05-07] y",
        "**bold** words",
        "\\```\nx",
    ];
    let stamped = |place: usize, text: &str| {
        format!("\n[2024-01-01 10:00:{place:02} +00:00] **user**:{text}\n")
    };
    let note: String = contents
        .iter()
        .enumerate()
        .map(|(place, text)| stamped(place, &message_in_note(text)))
        .collect();
    let stage = Stage::new();
    stage.import(&stage.file("in", "note.md", format!("---\ntitle: t\n---\n{note}")));
    let found: Vec<String> = stage.rows().into_iter().map(|(_, _, text)| text).collect();
    assert_eq!(found, contents, "{note}");
    assert_eq!(message_in_note("a\n# Plain\n[x](y)\n\\[ x \\]"), " a\n# Plain\n[x](y)\n\\[ x \\]");
}
