//! A memory in the format of another program gives back the same memory.

use everwhen::export::ForeignFormat;
use everwhen::memory::{Entry, Role};
use serde_json::{Value, json};

use crate::fixtures::all;
use crate::stage::Stage;

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
            let (told, report) = empty.import(&path);
            let name = format.as_str();
            assert!(report.problems.is_empty(), "{name}: {report:?}");
            assert_eq!(entries(&empty, true), entries(&stage, true), "{name}");
            assert_eq!(empty.conversations(), stage.conversations(), "{name}");
            assert_eq!(told.branches, fixture.branches, "{name}");
            let (again, _) = stage.import(&path);
            assert_eq!((again.stored, again.corrected), (0, 0), "{name}, into the same memory");
            let second = empty.directory.path().join(file_of(format));
            empty.export(format, &second);
            if format != ForeignFormat::SillyTavern {
                let [one, other] = [&path, &second].map(|path| std::fs::read(path).unwrap());
                assert!(one == other, "{name}: a second export differs");
            }
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
            let without_branches = |stage: &Stage| -> Vec<String> {
                let all = entries(stage, false);
                all.into_iter().map(|line| line.rsplit_once(' ').unwrap().0.to_owned()).collect()
            };
            if format == ForeignFormat::SillyTavern && fixture.branches > 0 {
                // A branch of several messages is a chat of its own there.
                assert_eq!(without_branches(&empty).len(), without_branches(&stage).len());
                continue;
            }
            assert_eq!(entries(&empty, false), entries(&stage, false), "{source} as {format:?}");
        }
    }
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
