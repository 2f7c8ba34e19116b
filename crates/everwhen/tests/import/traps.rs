//! Traps that one source has alone.

use everwhen::import::{DateOrder, Options, Plan};
use everwhen::memory::{TimeFrom, TimePrecision, ZoneFrom};
use everwhen::time::Zone;
use serde_json::{Value, json};

use crate::fixtures::all;
use crate::stage::{Stage, options};

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

#[test]
fn a_message_without_a_time_is_placed_after_its_neighbour() {
    let stage = Stage::new();
    let fixture = all().into_iter().find(|one| one.source == "open-webui").unwrap();
    stage.import(&stage.file("in", fixture.file, &fixture.golden));
    let entry = stage.entries().into_iter().find(|one| one.content.as_str() == "y").unwrap();
    let from = entry.provenance.unwrap();
    assert_eq!((from.time_from, from.precision), (TimeFrom::Neighbour, TimePrecision::Unknown));
}

#[test]
fn missing_parts_of_a_manifest_are_told() {
    let stage = Stage::new();
    let fixture = all().into_iter().find(|one| one.source == "chatgpt").unwrap();
    stage.file("in", "conversations-000.json", &fixture.golden);
    stage.file("in", "export_manifest.json", json!({ "version": 1, "manifest_file": "export_manifest.json",
        "logical_files": { "conversations.json": { "files": ["conversations-000.json", "conversations-001.json"],
        "sharded": true } } }).to_string());
    let (totals, report) = stage.import(&stage.directory.path().join("in"));
    assert_eq!(totals.stored, 4);
    assert!(
        report.warnings.iter().any(|one| one.contains("conversations-001.json")),
        "{:?}",
        report.warnings
    );
}

#[test]
fn a_fork_of_claude_code_adds_only_its_own() {
    let stage = Stage::new();
    let fixture = all().into_iter().find(|one| one.source == "claude-code").unwrap();
    stage.file("in/p", "s1.jsonl", &fixture.golden);
    let mut forked: Vec<Value> =
        fixture.grown.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut forked {
        if line.get("sessionId").is_some() {
            line["sessionId"] = json!("s2");
        }
    }
    stage.file("in/p", "s2.jsonl", lines(&forked));
    let (totals, _) = stage.import(&stage.directory.path().join("in"));
    assert_eq!(totals.stored, 4);
    let (again, _) = stage.import(&stage.directory.path().join("in"));
    assert_eq!(again.stored, 0);
}

/// A session of Codex with one turn, and a fork of it that repeats the turn at the time of the fork.
fn codex_fork(turn: &str) -> (String, String) {
    let line = |time: &str, kind: &str, payload: Value| json!({ "timestamp": time, "type": kind, "payload": payload });
    let said = |text: &str| json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": text }] });
    let (old, new) = ("2026-05-01T10:00:00.000Z", "2026-05-22T10:00:00.000Z");
    let parent = [
        line(old, "session_meta", json!({ "id": "p", "timestamp": old })),
        line(old, "turn_context", json!({ "turn_id": turn })),
        line(old, "response_item", said("old")),
    ];
    let child = [
        line(new, "session_meta", json!({ "id": "c", "timestamp": new, "forked_from_id": "p" })),
        line(new, "session_meta", json!({ "id": "p", "timestamp": old })),
        line(new, "turn_context", json!({ "turn_id": turn })),
        line(new, "response_item", said("old")),
        line(
            "2026-05-22T10:05:00.000Z",
            "turn_context",
            json!({ "turn_id": "T2", "timezone": "Asia/Tokyo" }),
        ),
        line("2026-05-22T10:05:01.000Z", "response_item", said("new")),
    ];
    (lines(&parent), lines(&child))
}

#[test]
fn a_fork_of_codex_does_not_redate_its_parent() {
    let stage = Stage::new();
    let (parent, child) = codex_fork("T1");
    stage.file("in", "rollout-1-p.jsonl", parent);
    stage.file("in", "rollout-2-c.jsonl", child);
    stage.import(&stage.directory.path().join("in"));
    let rows: Vec<(String, String)> =
        stage.rows().into_iter().map(|(time, _, text)| (time, text)).collect();
    assert_eq!(
        rows,
        [
            ("2026-05-01T10:00:00Z".into(), "old".into()),
            ("2026-05-22T10:05:01Z".into(), "new".into())
        ]
    );
}

#[test]
fn a_fork_of_codex_without_its_parent_is_dated_by_ids_or_said_to_be_unknown() {
    let stage = Stage::new();
    // 2026-05-01T10:00:00Z in milliseconds is 0x019de3225d00.
    let (_, child) = codex_fork("019de322-5d00-7abc-8def-0123456789ab");
    stage.import(&stage.file("in", "rollout-2-c.jsonl", child));
    let old = stage.entries().into_iter().find(|one| one.content.as_str() == "old").unwrap();
    assert!(
        old.conversation_time.to_string().starts_with("2026-05-0"),
        "{}",
        old.conversation_time
    );
    assert_eq!(old.provenance.unwrap().time_from, TimeFrom::Id);
    let stage = Stage::new();
    let (_, child) = codex_fork("T1");
    let (_, report) = stage.import(&stage.file("in", "rollout-2-c.jsonl", child));
    let old = stage.entries().into_iter().find(|one| one.content.as_str() == "old").unwrap();
    assert_eq!(old.provenance.unwrap().precision, TimePrecision::Unknown);
    assert!(report.warnings.iter().any(|one| one.contains("fork")));
    let new = stage.entries().into_iter().find(|one| one.content.as_str() == "new").unwrap();
    assert_eq!(new.provenance.unwrap().precision, TimePrecision::Millisecond);
}

/// A session of Codex whose messages have no ids.
fn codex_session(texts: &[&str]) -> Vec<Value> {
    let time = |minute: usize| format!("2026-05-01T10:{minute:02}:00.000Z");
    let id = "0190a6f4-1c00-7abc-8def-0123456789ab";
    let meta = json!({ "timestamp": time(0), "type": "session_meta", "payload": { "id": id, "timestamp": time(0) } });
    let said = |(minute, text): (usize, &&str)| {
        json!({ "timestamp": time(minute), "type": "response_item", "payload": { "type": "message",
            "role": "user", "content": [{ "type": "input_text", "text": text }] } })
    };
    std::iter::once(meta).chain(texts.iter().enumerate().map(said)).collect()
}

#[test]
fn a_session_of_codex_that_loses_its_beginning_keeps_what_it_had() {
    for name in ["rollout-1.jsonl", "rollout-2026-0190a6f4-1c00-7abc-8def-0123456789ab.jsonl"] {
        let stage = Stage::new();
        let all = codex_session(&["one", "two", "yes", "yes", "five", "six"]);
        let (totals, _) = stage.import(&stage.file("in", name, lines(&all[..6])));
        assert_eq!(totals.stored, 5);
        for start in [3, 4, 2] {
            let rest = format!("\"rest of a line\"}}\n{}", lines(&all[start..]));
            let (totals, _) = stage.import(&stage.file("in", name, rest));
            assert_eq!(totals.corrected, 0, "{name} from line {start}");
        }
        let texts: Vec<String> = stage.rows().into_iter().map(|(_, _, text)| text).collect();
        assert_eq!(texts, ["one", "two", "yes", "yes", "five", "six"], "{name}");
    }
}

#[test]
fn a_session_of_codex_that_an_earlier_version_numbered_is_not_stored_again() {
    let stage = Stage::new();
    let name = "rollout-2026-0190a6f4-1c00-7abc-8def-0123456789ab.jsonl";
    let mut all = codex_session(&["one", "yes", "yes"]);
    // Two messages that are alike in everything are two.
    all[3]["timestamp"] = all[2]["timestamp"].clone();
    let path = stage.file("in", name, lines(&all));
    let numbered = |place: usize| format!("0190a6f4-1c00-7abc-8def-0123456789ab/{}", place + 2);
    assert_eq!(stage.import_under(&path, &numbered), 3);
    let (totals, _) = stage.import(&path);
    assert_eq!((totals.stored, totals.corrected, totals.known), (0, 0, 3));
    all.push(codex_session(&["", "", "", "four"]).remove(4));
    let (totals, _) = stage.import(&stage.file("in", name, lines(&all[2..])));
    assert_eq!((totals.stored, totals.corrected), (1, 0), "without its beginning, grown");
    assert_eq!(stage.rows().len(), 4);
}

/// A chat of SillyTavern without a reply yet.
fn unanswered(character: &str) -> Vec<Value> {
    vec![
        json!({ "user_name": "Bo", "character_name": character, "create_date": "2026-01-01T10:00:00.000Z",
            "chat_metadata": { "integrity": "7f" } }),
        json!({ "name": "Bo", "is_user": true, "send_date": "2026-01-01T10:00:05.000Z", "mes": "anyone?" }),
    ]
}

#[test]
fn a_chat_of_sillytavern_without_a_reply_may_be_renamed() {
    for character in ["Ana", "unused"] {
        let stage = Stage::new();
        let mut all = unanswered(character);
        stage.import(&stage.file("in/Ana", "first.jsonl", lines(&all)));
        let (totals, _) = stage.import(&stage.file("in/Ana", "renamed.jsonl", lines(&all)));
        assert_eq!((totals.stored, totals.known), (0, 1), "{character}");
        all.push(json!({ "name": "Ana", "is_user": false, "send_date": "2026-01-01T10:00:09.000Z", "mes": "I am" }));
        let (totals, _) = stage.import(&stage.file("in/Ana", "first.jsonl", lines(&all)));
        assert_eq!((totals.stored, totals.known), (1, 1), "{character}: the reply came");
        let other = [
            json!({ "user_name": "Bo", "character_name": "Cy", "create_date": "2026-01-02T10:00:00.000Z" }),
            all[1].clone(),
        ];
        let (totals, _) = stage.import(&stage.file("in/Cy", "other.jsonl", lines(&other)));
        assert_eq!(totals.stored, 1, "{character}: the same words in another chat");
    }
}

#[test]
fn sillytavern_infers_its_zone_and_says_so() {
    let stage = Stage::new();
    let fixture = all().into_iter().find(|one| one.source == "sillytavern").unwrap();
    let (_, report) = stage.import(&stage.file("in", fixture.file, &fixture.golden));
    assert!(
        report.warnings.iter().any(|one| one.contains("UTC+02:00 from 1 replies")),
        "{:?}",
        report.warnings
    );
    for entry in stage.entries() {
        let from = entry.provenance.unwrap();
        assert_eq!((from.zone_from, from.precision), (ZoneFrom::Inferred, TimePrecision::Minute));
    }
}

#[test]
fn whatsapp_asks_where_it_cannot_know() {
    let stage = Stage::new();
    let path = stage.file("in", "WhatsApp Chat with A.txt", "03/04/24, 10:00 - A: x\n");
    let (totals, report) = stage.import(&path);
    assert_eq!(totals.stored, 0);
    let problem = &report.problems[0];
    assert!(
        problem.contains("3 April")
            && problem.contains("4 March")
            && problem.contains("--date-order"),
        "{problem}"
    );
    let stated = Options {
        date_order: Some(DateOrder::MonthFirst),
        zone: Some(Zone::named("Europe/Berlin").unwrap()),
        ..options("UTC")
    };
    stage.import_with(&path, &stated, false).unwrap();
    let entry = stage.entries().remove(0);
    assert_eq!(entry.conversation_time.to_string(), "2024-03-04T09:00:00Z");
    assert_eq!(entry.provenance.unwrap().zone_from, ZoneFrom::Asked);
}

#[test]
fn a_local_time_that_clocks_skip_is_moved_and_says_so() {
    let stage = Stage::new();
    let lines = "[26.03.23, 01:59:00] A: before\n[26.03.23, 02:30:00] A: in the gap\n[26.03.23, 03:00:00] A: after\n";
    let path = stage.file("in", "WhatsApp Chat with A.txt", lines);
    let stated = Options {
        date_order: Some(DateOrder::DayFirst),
        zone: Some(Zone::named("Europe/Berlin").unwrap()),
        ..options("UTC")
    };
    let (totals, report) = stage.import_with(&path, &stated, false).unwrap();
    assert_eq!((totals.stored, &report.problems[..]), (3, &[][..]));
    let counts: Vec<_> = report.time_from.into_iter().collect();
    assert_eq!(counts, [(TimeFrom::Stated, 2), (TimeFrom::Moved, 1)]);
    let known = |text: &str| {
        let entry = stage.entries().into_iter().find(|one| one.content.as_str() == text).unwrap();
        let from = entry.provenance.unwrap();
        (entry.conversation_time.to_string(), from.precision, from.time_from)
    };
    let moved = ("2023-03-26T01:30:00Z".to_owned(), TimePrecision::Hour, TimeFrom::Moved);
    assert_eq!(known("in the gap"), moved);
    let after = ("2023-03-26T01:00:00Z".to_owned(), TimePrecision::Second, TimeFrom::Stated);
    assert_eq!(known("after"), after);
}

#[test]
fn an_edited_message_corrects_the_old_one() {
    let stage = Stage::new();
    let fixture = all().into_iter().find(|one| one.source == "telegram").unwrap();
    stage.import(&stage.file("in", fixture.file, &fixture.golden));
    let edited = fixture.golden.replace("without unix time", "edited words");
    let (totals, _) = stage.import(&stage.file("in", fixture.file, edited));
    assert_eq!((totals.stored, totals.corrected), (0, 1));
    let entries = stage.entries();
    let new = entries.iter().find(|one| one.content.as_str() == "edited words").unwrap();
    assert_eq!(new.corrects.as_ref().unwrap().reason, "changed in its source");
}

#[test]
fn what_has_no_time_is_listed_and_never_now() {
    let stage = Stage::new();
    let path =
        stage.file("in", "train.jsonl", "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}\n");
    let (totals, report) = stage.import(&path);
    assert_eq!((totals.stored, report.undated), (0, 1));
    let stated = Options { at: Some("2024-03-03T00:00:00Z".parse().unwrap()), ..options("UTC") };
    let (totals, _) = stage.import_with(&path, &stated, false).unwrap();
    assert_eq!(totals.stored, 1);
    let from = stage.entries().remove(0).provenance.unwrap();
    assert_eq!((from.time_from, from.precision), (TimeFrom::Conversation, TimePrecision::Day));
    assert_eq!(
        from.precision.about("2023-03-03T00:00:00Z".parse().unwrap(), &Zone::utc()).unwrap(),
        "about 3 March 2023"
    );
}

#[test]
fn a_claude_manifest_of_downloads_says_what_to_do() {
    let stage = Stage::new();
    let list =
        json!({ "files": [{ "name": "conversations-000.zip", "url": "https://example.org/x" }] });
    for name in ["manifest-1-2026.json", "renamed.json"] {
        let (totals, report) = stage.import(&stage.file("in", name, list.to_string()));
        assert_eq!(totals.stored, 0);
        assert!(
            report.problems[0].contains("only lists downloads"),
            "{name}: {:?}",
            report.problems
        );
    }
}

#[test]
fn files_beside_the_messages_are_known() {
    let stage = Stage::new();
    let slack =
        json!([{ "type": "message", "user": "U1", "text": "hi", "ts": "1704103200.000100" }]);
    stage.file("slack/general", "2024-01-01.json", slack.to_string());
    stage.file("slack", "users.json", json!([{ "id": "U1", "name": "ana" }]).to_string());
    stage.file("slack", "channels.json", json!([{ "id": "C1", "name": "general" }]).to_string());
    let message = json!({ "id": "01HWTB0001ABCDEFGHJKMNPQRS", "object": "thread.message", "thread_id": "t1",
        "role": "user", "content": [{ "type": "text", "text": { "value": "yo" } }], "created_at": 1_714_557_600 });
    stage.file("jan/threads/t1", "messages.jsonl", message.to_string());
    let thread = stage.file(
        "jan/threads/t1",
        "thread.json",
        json!({ "id": "t1", "title": "Talk" }).to_string(),
    );
    let root = thread.ancestors().nth(4).unwrap();
    let plan = Plan::of_paths(&[root.join("slack"), root.join("jan")], &options("UTC")).unwrap();
    assert_eq!(plan.unknown, Vec::<String>::new());
}

#[test]
fn the_mcp_memory_server_has_the_time_of_its_file_alone() {
    let stage = Stage::new();
    let path = stage.file("in", "memory.jsonl", lines(&[
        json!({ "type": "entity", "name": "Ana", "entityType": "person", "observations": ["likes tea"] }),
        json!({ "type": "relation", "from": "Ana", "to": "Bo", "relationType": "knows" }),
    ]));
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
    let (totals, report) = stage.import(&path);
    assert_eq!(totals.stored, 2, "{report:?}");
    let from = stage.entries().remove(0).provenance.unwrap();
    assert_eq!((from.time_from, from.precision), (TimeFrom::File, TimePrecision::Unknown));
}
