//! One small file of each source, made after its layout and with its traps, and what is in it.

use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::databases::{make, open_webui_database, opencode, signal};
use crate::stage::Stage;

/// How a file is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Json,
    Lines,
    Text,
    /// A SQLite database, written as SQL.
    Database,
}

/// A file, what it becomes when it grows, and what is in it.
pub(crate) struct Fixture {
    pub(crate) source: &'static str,
    pub(crate) file: &'static str,
    pub(crate) form: Form,
    pub(crate) golden: String,
    pub(crate) grown: String,
    /// Time, role and text of every entry, those on branches included.
    pub(crate) expected: Vec<(&'static str, &'static str, &'static str)>,
    pub(crate) branches: u64,
    /// Entries that the grown file has more.
    pub(crate) more: u64,
    /// Whether all times are stated in UTC, so that no zone changes them.
    pub(crate) is_utc: bool,
    /// The field with the parent of a message, if the source has a tree.
    pub(crate) parent: Option<&'static str>,
}

type Rows = Vec<(&'static str, &'static str, &'static str)>;

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

fn json_pair(golden: Value, grown: Value) -> (String, String) {
    (golden.to_string(), grown.to_string())
}

fn fixture(
    source: &'static str,
    file: &'static str,
    form: Form,
    (golden, grown): (String, String),
    expected: Rows,
    (branches, more): (u64, u64),
) -> Fixture {
    Fixture {
        source,
        file,
        form,
        golden,
        grown,
        expected,
        branches,
        more,
        is_utc: true,
        parent: None,
    }
}

/// All fixtures.
pub(crate) fn all() -> Vec<Fixture> {
    vec![
        chatgpt(),
        claude(),
        claude_code(),
        codex(),
        gemini(),
        gemini_cli(),
        copilot_cli(),
        sillytavern(),
        open_webui(),
        librechat(),
        lmstudio(),
        jan(),
        whatsapp(),
        telegram(),
        discord(),
        slack(),
        smarthole(),
        mycelian(),
        vitamem(),
        mem0(),
        graphiti(),
        mcp_memory(),
        mcp_memory_service(),
        letta(),
        mempalace(),
        messages(),
        rows(),
        csv(),
        markdown(),
        opencode(),
        open_webui_database(),
        signal(),
    ]
}

impl Fixture {
    /// Writes the file with this content below `in`.
    pub(crate) fn write(&self, stage: &Stage, content: &str) -> PathBuf {
        match self.form {
            Form::Database => {
                let path = stage.directory.path().join("in").join(self.file);
                make(&path, content);
                path
            }
            _ => {
                let path = stage.file("in", self.file, content);
                let file = std::fs::File::options().write(true).open(&path).unwrap();
                file.set_modified(UNIX_EPOCH + Duration::from_secs(1_700_000_000)).unwrap();
                path
            }
        }
    }
}

fn chatgpt() -> Fixture {
    let message = |id: &str, parent: &str, role: &str, time: Value, content: Value| {
        json!({ "id": id, "parent": parent, "message": { "id": id, "author": { "role": role, "name": null },
            "create_time": time, "content": content, "metadata": {} } })
    };
    let text = |said: &str| json!({ "content_type": "text", "parts": [said] });
    let voice = json!({ "content_type": "multimodal_text", "parts": [null,
        { "content_type": "audio_transcription", "text": "edited words", "direction": "in" }] });
    let thoughts =
        json!({ "content_type": "thoughts", "thoughts": [{ "summary": "s", "content": "c" }] });
    let mut conversation = json!({ "id": "c1", "conversation_id": "c1", "title": null,
        "create_time": 1_760_000_000.25, "update_time": 1_760_000_600.5, "current_node": "a2",
        "default_model_slug": "auto", "conversation_template_id": "g-p-abc", "mapping": {
            "r": { "id": "r", "parent": null, "message": null },
            "u1": message("u1", "r", "user", json!(1_760_000_001.5), text("first words")),
            "a1": message("a1", "u1", "assistant", json!(1_760_000_002.0), text("first reply")),
            "u1b": message("u1b", "r", "user", json!(1_760_000_300.0), voice),
            "t": message("t", "u1b", "assistant", json!(null), thoughts),
            "a2": message("a2", "t", "assistant", json!(1_760_000_299.995),
                text("second \u{e200}cite\u{e202}turn0search0\u{e201}")),
        } });
    let golden = json!([conversation.clone()]);
    conversation["mapping"]["u3"] = message("u3", "a2", "user", json!(null), text("later words"));
    conversation["current_node"] = json!("u3");
    let expected = vec![
        ("2025-10-09T08:53:21.5Z", "user", "first words"),
        ("2025-10-09T08:53:22Z", "assistant", "first reply"),
        ("2025-10-09T08:58:19.995Z", "assistant", "second"),
        ("2025-10-09T08:58:20Z", "user", "edited words"),
    ];
    let pair = json_pair(golden, json!([conversation]));
    let found = fixture("chatgpt", "conversations.json", Form::Json, pair, expected, (1, 1));
    Fixture { parent: Some("parent"), ..found }
}

fn claude() -> Fixture {
    let message = |id: &str, parent: &str, sender: &str, second: u32, said: &str| {
        json!({ "uuid": id, "sender": sender, "text": "", "content": [
                { "type": "thinking", "thinking": "hm" },
                { "type": "text", "text": said, "start_timestamp": null, "citations": [] },
                { "type": "surprise_block", "x": 1 }],
            "created_at": format!("2026-02-03T04:05:{second:02}.200000+00:00"), "updated_at": "…",
            "attachments": [], "files": [], "parent_message_uuid": parent })
    };
    let root = "00000000-0000-4000-8000-000000000000";
    let mut conversation = json!({ "uuid": "v", "name": "", "summary": "",
        "created_at": "2026-02-03T04:05:06.123456Z", "updated_at": "…", "account": { "uuid": "x" },
        "chat_messages": [
            message("h1", root, "human", 6, "first words"),
            message("a1", "h1", "assistant", 8, "tried"),
            message("a2", "h1", "assistant", 20, "tried again"),
        ] });
    let golden = json!([conversation.clone()]);
    let list = conversation["chat_messages"].as_array_mut().unwrap();
    list.push(message("h2", "a2", "human", 40, "later words"));
    let expected = vec![
        ("2026-02-03T04:05:06.2Z", "user", "first words"),
        ("2026-02-03T04:05:08.2Z", "assistant", "tried"),
        ("2026-02-03T04:05:20.2Z", "assistant", "tried again"),
    ];
    let pair = json_pair(golden, json!([conversation]));
    let found = fixture("claude", "conversations.json", Form::Json, pair, expected, (1, 1));
    Fixture { parent: Some("parent_message_uuid"), ..found }
}

fn claude_code_line(kind: &str, uuid: &str, parent: Value, second: u32, message: Value) -> Value {
    json!({ "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s1",
        "timestamp": format!("2026-05-06T07:08:{second:02}.123Z"), "cwd": "/work", "isSidechain": false,
        "message": message })
}

fn claude_code() -> Fixture {
    let line = claude_code_line;
    let mut all = vec![
        json!({ "type": "summary", "summary": "T", "leafUuid": "b" }),
        line(
            "user",
            "u1",
            json!(null),
            1,
            json!({ "role": "user", "content": "<system-reminder>x</system-reminder>first words" }),
        ),
        line(
            "assistant",
            "a1",
            json!("u1"),
            2,
            json!({ "id": "msg1", "role": "assistant", "model": "m",
            "content": [{ "type": "text", "text": "I look." }] }),
        ),
        line(
            "assistant",
            "a1b",
            json!("a1"),
            3,
            json!({ "id": "msg1", "role": "assistant",
            "content": [{ "type": "tool_use", "name": "Read", "id": "t", "input": {} }] }),
        ),
        line(
            "user",
            "t1",
            json!("a1b"),
            4,
            json!({ "role": "user",
            "content": [{ "type": "tool_result", "tool_use_id": "t", "content": "file" }] }),
        ),
        line(
            "assistant",
            "a2",
            json!("t1"),
            5,
            json!({ "id": "msg2", "role": "assistant",
            "content": [{ "type": "text", "text": "Done." }] }),
        ),
    ];
    let golden = lines(&all);
    let later = json!({ "role": "user", "content": "later words" });
    all.push(line("user", "u2", json!("a2"), 30, later));
    let expected = vec![
        ("2026-05-06T07:08:01.123Z", "user", "first words"),
        ("2026-05-06T07:08:02.123Z", "assistant", "I look."),
        ("2026-05-06T07:08:05.123Z", "assistant", "Done."),
    ];
    let found =
        fixture("claude-code", "s1.jsonl", Form::Lines, (golden, lines(&all)), expected, (0, 1));
    Fixture { parent: Some("parentUuid"), ..found }
}

fn codex() -> Fixture {
    let line = |kind: &str, second: u32, payload: Value| json!({ "timestamp": format!("2026-06-07T08:09:{second:02}.456Z"), "type": kind, "payload": payload });
    let said = |role: &str, kind: &str, text: &str| json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }] });
    let mut all = vec![
        line(
            "session_meta",
            0,
            json!({ "id": "0190a6f4-1c00-7abc-8def-0123456789ab",
            "timestamp": "2026-06-07T08:09:00.456Z", "cwd": "/x", "source": "cli" }),
        ),
        line("turn_context", 1, json!({ "turn_id": "T1", "timezone": "Asia/Tokyo" })),
        line(
            "response_item",
            1,
            said("user", "input_text", "<environment_context>x</environment_context>"),
        ),
        line("response_item", 2, said("user", "input_text", "first words")),
        line("event_msg", 2, json!({ "type": "user_message", "message": "first words" })),
        line("response_item", 3, json!({ "type": "function_call", "name": "shell" })),
        line("response_item", 4, said("assistant", "output_text", "A reply.")),
        line("surprise", 4, json!({})),
    ];
    let golden = lines(&all);
    all.push(line("response_item", 9, said("user", "input_text", "later words")));
    let expected = vec![
        ("2026-06-07T08:09:02.456Z", "user", "first words"),
        ("2026-06-07T08:09:04.456Z", "assistant", "A reply."),
    ];
    fixture(
        "codex",
        "rollout-2026-06-07T10-09-00-x.jsonl",
        Form::Lines,
        (golden, lines(&all)),
        expected,
        (0, 1),
    )
}

fn gemini() -> Fixture {
    let record = |minute: u32, title: &str, html: Option<&str>| {
        let mut one = json!({ "header": "Gemini Apps", "title": title, "products": ["Gemini Apps"],
            "time": format!("2026-03-02T09:{minute:02}:00.000Z") });
        if let Some(html) = html {
            one["safeHtmlItem"] = json!([{ "html": html }]);
        }
        one
    };
    let first = record(15, "Prompted first words", Some("<p>About <b>384,400&nbsp;km</b>.</p>"));
    let second = record(16, "Used a feature", None);
    let third = record(20, "Prompted later words", None);
    let expected = vec![
        ("2026-03-02T09:15:00Z", "assistant", "About 384,400\u{a0}km."),
        ("2026-03-02T09:15:00Z", "user", "first words"),
    ];
    let pair = json_pair(json!([first, second]), json!([third, first, second]));
    fixture("gemini", "MyActivity.json", Form::Json, pair, expected, (0, 1))
}

fn gemini_cli() -> Fixture {
    let message = |id: &str, second: u32, kind: &str, content: Value| {
        json!({ "id": id, "timestamp": format!("2026-04-05T06:07:{second:02}.000Z"), "type": kind,
            "content": content, "model": "g" })
    };
    let mut session = json!({ "sessionId": "g1", "projectHash": "h", "startTime": "2026-04-05T06:07:00Z",
        "messages": [
            message("1", 1, "user", json!([{ "text": "first words" }])),
            message("2", 2, "gemini", json!("A reply.")),
            message("3", 3, "info", json!("note")),
        ] });
    let golden = session.clone();
    session["messages"].as_array_mut().unwrap().push(message("4", 9, "user", json!("later words")));
    let expected = vec![
        ("2026-04-05T06:07:01Z", "user", "first words"),
        ("2026-04-05T06:07:02Z", "assistant", "A reply."),
    ];
    fixture(
        "gemini-cli",
        "session-1.json",
        Form::Json,
        json_pair(golden, session),
        expected,
        (0, 1),
    )
}

fn copilot_cli() -> Fixture {
    let event = |kind: &str, second: u32, data: Value| json!({ "type": kind, "data": data, "timestamp": format!("2026-07-08T09:10:{second:02}.000Z") });
    let mut all = vec![
        event("session.start", 0, json!({ "sessionId": "p1" })),
        event("user.message", 1, json!({ "content": "first words" })),
        event("tool.execution_start", 2, json!({})),
        event("assistant.message", 3, json!({ "content": "A reply." })),
    ];
    let golden = lines(&all);
    all.push(event("user.message", 9, json!({ "content": "later words" })));
    let expected = vec![
        ("2026-07-08T09:10:01Z", "user", "first words"),
        ("2026-07-08T09:10:03Z", "assistant", "A reply."),
    ];
    fixture("copilot-cli", "events.jsonl", Form::Lines, (golden, lines(&all)), expected, (0, 1))
}

fn sillytavern() -> Fixture {
    let mut all = vec![
        json!({ "user_name": "unused", "character_name": "unused", "create_date": "2024-7-12@01h31m37s",
            "chat_metadata": { "integrity": "i" } }),
        json!({ "name": "Ana", "is_user": true, "is_system": false, "send_date": "July 12, 2024 1:32am",
            "mes": "first words", "extra": {} }),
        json!({ "name": "Bot", "is_user": false, "send_date": "July 12, 2024 1:32am",
            "gen_started": "2024-07-11T23:32:10.000Z", "gen_finished": "2024-07-11T23:32:18.500Z", "mes": "b",
            "swipes": ["a", "b"], "swipe_id": 1, "swipe_info": [{ "send_date": "July 12, 2024 1:32am" },
            { "send_date": "July 12, 2024 1:32am" }], "extra": { "model": "m" } }),
    ];
    let golden = lines(&all);
    all.push(json!({ "name": "Ana", "is_user": true, "send_date": "2025-11-24T10:11:12.345Z", "mes": "later words" }));
    let expected = vec![
        ("2024-07-11T23:32:00Z", "assistant", "a"),
        ("2024-07-11T23:32:00Z", "assistant", "b"),
        ("2024-07-11T23:32:00Z", "user", "first words"),
    ];
    fixture(
        "sillytavern",
        "chats/Bot/Bot - 2024.jsonl",
        Form::Lines,
        (golden, lines(&all)),
        expected,
        (1, 1),
    )
}

fn open_webui() -> Fixture {
    let mut row = json!({ "id": "k", "title": "T", "created_at": 1_700_000_000, "updated_at": 1_700_000_100, "chat": {
        "timestamp": 1_700_000_000_000_i64, "history": { "currentId": "m3", "messages": {
            "m1": { "id": "m1", "parentId": null, "childrenIds": ["m2", "m3"], "role": "user",
                "content": "first words", "timestamp": 1_700_000_001 },
            "m2": { "id": "m2", "parentId": "m1", "childrenIds": [], "role": "assistant", "content": "x",
                "model": "a", "timestamp": 1_700_000_002_000_i64 },
            "m3": { "id": "m3", "parentId": "m1", "childrenIds": [], "role": "assistant", "model": "b",
                "content": "<details type=\"reasoning\" done=\"true\">hm</details>y" },
        } } } });
    let golden = json!([row.clone()]);
    row["chat"]["history"]["messages"]["m4"] = json!({ "id": "m4", "parentId": "m3", "childrenIds": [],
        "role": "user", "content": "later words", "timestamp": 1_700_000_050 });
    row["chat"]["history"]["currentId"] = json!("m4");
    let expected = vec![
        ("2023-11-14T22:13:21Z", "user", "first words"),
        ("2023-11-14T22:13:21.000001Z", "assistant", "y"),
        ("2023-11-14T22:13:22Z", "assistant", "x"),
    ];
    let pair = json_pair(golden, json!([row]));
    let found = fixture("open-webui", "chat-export-1.json", Form::Json, pair, expected, (1, 1));
    Fixture { parent: Some("parentId"), ..found }
}

fn librechat() -> Fixture {
    let message = |id: &str, parent: &str, by_user: bool, second: u32, said: &str| {
        json!({ "messageId": id, "parentMessageId": parent, "sender": "S", "text": said,
            "isCreatedByUser": by_user, "createdAt": format!("2025-01-02T03:04:{second:02}.000Z"), "model": "m" })
    };
    let root = "00000000-0000-0000-0000-000000000000";
    let mut export = json!({ "conversationId": "l1", "title": "T", "exportAt": "10:00:00", "branches": true,
        "recursive": false, "messages": [
            message("1", root, true, 1, "first words"),
            message("2", "1", false, 2, "one"),
            message("3", "1", false, 5, "two"),
        ] });
    let golden = export.clone();
    export["messages"].as_array_mut().unwrap().push(message("4", "3", true, 9, "later words"));
    let expected = vec![
        ("2025-01-02T03:04:01Z", "user", "first words"),
        ("2025-01-02T03:04:02Z", "assistant", "one"),
        ("2025-01-02T03:04:05Z", "assistant", "two"),
    ];
    let found = fixture(
        "librechat",
        "export.json",
        Form::Json,
        json_pair(golden, export),
        expected,
        (1, 1),
    );
    Fixture { parent: Some("parentMessageId"), ..found }
}

fn lmstudio() -> Fixture {
    let reply = |step: &str, said: &str| {
        json!({ "type": "multiStep", "role": "assistant", "steps": [{ "type": "contentBlock",
            "stepIdentifier": step, "content": [{ "type": "text", "text": said }] }] })
    };
    let asked = |said: &str| {
        json!({ "currentlySelected": 0, "versions": [{ "type": "singleStep", "role": "user",
            "content": [{ "type": "text", "text": said }] }] })
    };
    let mut conversation = json!({ "name": "n", "createdAt": 1_780_959_551_824_i64, "messages": [
        asked("first words"),
        { "currentlySelected": 1, "versions": [reply("1780959836856-0.2", "a"), reply("1780959899000-0.3", "b")] },
    ] });
    let golden = conversation.clone();
    conversation["messages"].as_array_mut().unwrap().push(asked("later words"));
    let expected = vec![
        ("2026-06-08T22:59:11.824Z", "user", "first words"),
        ("2026-06-08T23:03:56.856Z", "assistant", "a"),
        ("2026-06-08T23:04:59Z", "assistant", "b"),
    ];
    fixture(
        "lmstudio",
        "1.conversation.json",
        Form::Json,
        json_pair(golden, conversation),
        expected,
        (1, 1),
    )
}

fn jan() -> Fixture {
    let message = |id: &str, role: &str, time: Value, said: &str| {
        json!({ "id": id, "object": "thread.message", "thread_id": "j1", "role": role, "created_at": time,
            "content": [{ "type": "text", "text": { "value": said, "annotations": [] } }], "status": "ready" })
    };
    let mut all = vec![
        message("01ARZ3NDEKTSV4RRFFQ69G5FAV", "user", json!(1_700_000_000), "first words"),
        message(
            "01ARZ3NDEKTSV4RRFFQ69G5FAW",
            "assistant",
            json!(1_700_000_005_000_i64),
            "A reply.",
        ),
    ];
    let golden = lines(&all);
    all.push(message("01HF7YAT00TSV4RRFFQ69G5FAX", "user", json!(0), "later words"));
    let expected = vec![
        ("2023-11-14T22:13:20Z", "user", "first words"),
        ("2023-11-14T22:13:25Z", "assistant", "A reply."),
    ];
    fixture(
        "jan",
        "threads/j1/messages.jsonl",
        Form::Lines,
        (golden, lines(&all)),
        expected,
        (0, 1),
    )
}

fn whatsapp() -> Fixture {
    let golden = "\u{200e}28/03/24, 10:00 - Messages are end-to-end encrypted.\n\
        28/03/24, 10:01 - Ana: first words\nmore of it\n10.5 is no time\n\
        28/03/24, 10:02\u{202f}PM - Bo: ok\n28/03/24, 10:02\u{202f}PM - Bo: ok\n";
    let grown = format!("{golden}02/05/24, 9:29 p. m. - Ana: later words\n");
    let expected = vec![
        ("2024-03-28T10:01:00Z", "user", "first words\nmore of it\n10.5 is no time"),
        ("2024-03-28T22:02:00Z", "user", "ok"),
        ("2024-03-28T22:02:00Z", "user", "ok"),
    ];
    let pair = (golden.to_owned(), grown);
    let found =
        fixture("whatsapp", "WhatsApp Chat with Ana.txt", Form::Text, pair, expected, (0, 1));
    Fixture { is_utc: false, ..found }
}

fn telegram() -> Fixture {
    let mut chat = json!({ "name": "A", "type": "personal_chat", "id": 1, "messages": [
        { "id": 5, "type": "message", "date": "2024-05-01T12:00:00", "date_unixtime": "1714557600", "from": "A",
            "from_id": "user1", "text": ["first ", { "type": "link", "text": "words" }], "text_entities": [] },
        { "id": 6, "type": "service", "date": "2024-05-01T12:00:01", "date_unixtime": "1714557601", "text": "" },
        { "id": 7, "type": "message", "date": "2024-05-01T12:05:00", "from": "B", "from_id": "user2",
            "text": "without unix time" },
    ] });
    let golden = chat.clone();
    chat["messages"].as_array_mut().unwrap().push(json!({ "id": 8, "type": "message",
        "date": "2024-05-01T12:06:00", "date_unixtime": "1714557960", "from": "A", "text": "later words" }));
    let expected = vec![
        ("2024-05-01T10:00:00Z", "user", "first words"),
        ("2024-05-01T10:05:00Z", "user", "without unix time"),
    ];
    fixture("telegram", "result.json", Form::Json, json_pair(golden, chat), expected, (0, 1))
}

fn discord() -> Fixture {
    let message = |id: &str, time: &str, said: &str, bot: bool| {
        json!({ "id": id, "type": "Default", "timestamp": time, "content": said,
            "author": { "id": "9", "name": "ana", "nickname": "Ana", "isBot": bot }, "attachments": [] })
    };
    let mut channel = json!({ "guild": { "id": "1", "name": "G" }, "channel": { "id": "2", "name": "general" },
        "messages": [
            message("1100000000000000000", "2023-04-24T12:00:00.123+02:00", "first words", false),
            message("1100000000000000001", "2023-04-24T12:01:00+02:00", "beep", true),
        ] });
    let golden = channel.clone();
    channel["messages"].as_array_mut().unwrap().push(message(
        "1100000000000000002",
        "2023-04-24T12:02:00+02:00",
        "later words",
        false,
    ));
    let expected = vec![
        ("2023-04-24T10:00:00.123Z", "user", "first words"),
        ("2023-04-24T10:01:00Z", "assistant", "beep"),
    ];
    fixture("discord", "general.json", Form::Json, json_pair(golden, channel), expected, (0, 1))
}

fn slack() -> Fixture {
    let message =
        |ts: &str, said: &str| json!({ "type": "message", "user": "U1", "text": said, "ts": ts });
    let first = message("1700000000.000100", "first words");
    let second = message("1700000001.000200", "a &amp; b");
    let joined = json!({ "type": "message", "subtype": "channel_join", "user": "U1", "text": "x", "ts": "1700000002.0" });
    let third = message("1700000009.000300", "later words");
    let expected = vec![
        ("2023-11-14T22:13:20.0001Z", "user", "first words"),
        ("2023-11-14T22:13:21.0002Z", "user", "a & b"),
    ];
    let pair = json_pair(json!([first, second, joined]), json!([first, second, joined, third]));
    fixture("slack", "general/2023-11-14.json", Form::Json, pair, expected, (0, 1))
}

fn smarthole() -> Fixture {
    let message = |id: &str, minute: u32, role: &str, said: &str| json!({ "id": id, "timestamp": format!("2026-02-05T10:{minute:02}:00.000Z"), "role": role, "content": said });
    let mut data = json!({ "llmApiKey": "x", "conversationData": { "conversations": [{
        "id": "conv-1", "startedAt": "2026-02-05T10:00:00.000Z", "endedAt": null, "title": null, "summary": null,
        "messages": [message("1", 0, "user", "first words"), message("2", 1, "assistant", "A reply.")],
        "archivedBranches": [{ "archivedAt": "2026-02-05T10:10:00.000Z", "messages": [message("0", 5, "user", "Old.")] }],
    }] } });
    let golden = data.clone();
    let list = data["conversationData"]["conversations"][0]["messages"].as_array_mut().unwrap();
    list.push(message("3", 20, "user", "later words"));
    let expected = vec![
        ("2026-02-05T10:00:00Z", "user", "first words"),
        ("2026-02-05T10:01:00Z", "assistant", "A reply."),
        ("2026-02-05T10:05:00Z", "user", "Old."),
    ];
    fixture("smarthole", "data.json", Form::Json, json_pair(golden, data), expected, (1, 1))
}

fn mycelian() -> Fixture {
    let entry = |id: &str, second: u32, said: &str| {
        json!({ "entryId": id, "rawEntry": said, "creationTime": "2026-01-01T00:00:00Z",
            "conversationTime": format!("2025-12-01T00:00:{second:02}Z") })
    };
    let (one, two) = (entry("1", 1, "first words"), entry("2", 2, "later words"));
    let expected = vec![("2025-12-01T00:00:01Z", "user", "first words")];
    let pair = json_pair(json!({ "entries": [one] }), json!({ "entries": [one, two] }));
    fixture("mycelian", "entries.json", Form::Json, pair, expected, (0, 1))
}

fn vitamem() -> Fixture {
    let memory = |id: &str, said: &str| {
        json!({ "id": id, "content": said, "threadId": "t", "userId": "u", "source": "inferred",
            "createdAt": "2026-01-09T10:00:00Z" })
    };
    let one = memory("1", "first words (mentioned 2025-11-03)");
    let two = memory("2", "later words");
    let expected = vec![("2025-11-03T00:00:00Z", "user", "first words")];
    let pair = json_pair(json!({ "memories": [one] }), json!({ "memories": [one, two] }));
    fixture("vitamem", "vitamem.json", Form::Json, pair, expected, (0, 1))
}

fn mem0() -> Fixture {
    let memory = |id: &str, said: &str| {
        json!({ "id": id, "memory": said, "hash": "h", "metadata": null, "user_id": "u",
            "created_at": "2025-07-01T03:00:00.5-07:00", "updated_at": null })
    };
    let (one, two) = (memory("1", "first words"), memory("2", "later words"));
    let expected = vec![("2025-07-01T10:00:00.5Z", "user", "first words")];
    let pair = json_pair(json!({ "results": [one] }), json!({ "results": [one, two] }));
    fixture("mem0", "mem0.json", Form::Json, pair, expected, (0, 1))
}

fn graphiti() -> Fixture {
    let episode = |id: &str, second: u32, said: &str| {
        json!({ "uuid": id, "name": "e", "group_id": "g", "source": "message", "content": said,
            "created_at": "2026-01-01T00:00:00+00:00", "valid_at": format!("2025-09-01T00:00:{second:02}+00:00") })
    };
    let (one, two) =
        (episode("1", 1, "user: first words"), episode("2", 2, "assistant: later words"));
    let expected = vec![("2025-09-01T00:00:01Z", "user", "first words")];
    let pair = json_pair(json!({ "episodes": [one] }), json!({ "episodes": [one, two] }));
    fixture("graphiti", "episodes.json", Form::Json, pair, expected, (0, 1))
}

/// Has no times but that of its file.
fn mcp_memory() -> Fixture {
    let mut all = vec![
        json!({ "type": "entity", "name": "Ana", "entityType": "person", "observations": ["first words"] }),
        json!({ "type": "relation", "from": "Ana", "to": "Bo", "relationType": "knows" }),
    ];
    let golden = lines(&all);
    all.push(json!({ "type": "relation", "from": "later", "to": "", "relationType": "words" }));
    let expected = vec![
        ("2023-11-14T22:13:20Z", "user", "Ana knows Bo"),
        ("2023-11-14T22:13:20Z", "user", "Ana: first words"),
    ];
    fixture("mcp-memory", "memory.jsonl", Form::Lines, (golden, lines(&all)), expected, (0, 1))
}

fn mcp_memory_service() -> Fixture {
    let memory = |hash: &str, time: f64, said: &str| json!({ "content": said, "content_hash": hash, "tags": ["a"], "created_at": time, "memory_type": "note" });
    let (one, two) = (
        memory("h1", 1_700_000_000.5, "first words"),
        memory("h2", 1_700_000_009.0, "later words"),
    );
    let expected = vec![("2023-11-14T22:13:20.5Z", "user", "first words")];
    let export = |list: Value| json!({ "export_metadata": { "source": "x" }, "memories": list });
    let pair = json_pair(export(json!([one])), export(json!([one, two])));
    fixture("mcp-memory-service", "export.json", Form::Json, pair, expected, (0, 1))
}

fn letta() -> Fixture {
    let message = |id: &str, role: &str, second: u32, said: &str| {
        json!({ "id": id, "role": role, "content": [{ "type": "text", "text": said }],
            "created_at": format!("2025-08-01T00:00:{second:02}.123456+00:00") })
    };
    let file = |list: Value| {
        json!({ "agents": [{ "id": "agent-0", "name": "A", "messages": list,
        "in_context_message_ids": [] }], "blocks": [{ "label": "human", "value": "x" }] })
    };
    let (one, two, three) = (
        message("m1", "user", 1, "first words"),
        message("m2", "assistant", 2, "A reply."),
        message("m3", "user", 9, "later words"),
    );
    let expected = vec![
        ("2025-08-01T00:00:01.123456Z", "user", "first words"),
        ("2025-08-01T00:00:02.123456Z", "assistant", "A reply."),
    ];
    let pair = json_pair(file(json!([one, two])), file(json!([one, two, three])));
    fixture("letta", "agent.af", Form::Json, pair, expected, (0, 1))
}

fn mempalace() -> Fixture {
    let drawer = |id: &str, said: &str| json!({ "id": id, "document": said, "metadata": { "wing": "w", "room": "r", "filed_at": "2026-01-02T03:04:05Z" } });
    let (one, two) = (drawer("1", "first words"), drawer("2", "later words"));
    let expected = vec![("2026-01-02T03:04:05Z", "user", "first words")];
    fixture(
        "mempalace",
        "drawers.json",
        Form::Json,
        json_pair(json!([one]), json!([one, two])),
        expected,
        (0, 1),
    )
}

fn messages() -> Fixture {
    let row = |id: &str, said: &str| {
        json!({ "id": id, "created_at": 1_700_000_000, "messages": [{ "role": "user", "content": said },
            { "role": "assistant", "content": "A reply.", "timestamp": "2023-11-14T22:14:00Z" }] })
    };
    let (one, two) = (row("r1", "first words"), row("r2", "later words"));
    let expected = vec![
        ("2023-11-14T22:13:20Z", "user", "first words"),
        ("2023-11-14T22:14:00Z", "assistant", "A reply."),
    ];
    let pair = (lines(std::slice::from_ref(&one)), lines(&[one, two]));
    fixture("messages", "train.jsonl", Form::Lines, pair, expected, (0, 2))
}

fn rows() -> Fixture {
    let row = |id: &str, second: u32, said: &str| json!({ "id": id, "timestamp": format!("2024-02-02T00:00:{second:02}Z"), "author": "user", "text": said });
    let (one, two) = (row("1", 1, "first words"), row("2", 2, "later words"));
    let expected = vec![("2024-02-02T00:00:01Z", "user", "first words")];
    fixture(
        "rows",
        "log.json",
        Form::Json,
        json_pair(json!([one]), json!([one, two])),
        expected,
        (0, 1),
    )
}

fn csv() -> Fixture {
    let golden = "Conversation,Time,Author,Message\nc,28/02/2024 14:36,user,\"first words, \"\"quoted\"\"\"\n";
    let grown = format!("{golden}c,29/02/2024 09:00,AI,later words\n");
    let expected = vec![("2024-02-28T14:36:00Z", "user", "first words, \"quoted\"")];
    let pair = (golden.to_owned(), grown);
    let found = fixture("rows", "activity.csv", Form::Text, pair, expected, (0, 1));
    Fixture { is_utc: false, ..found }
}

fn markdown() -> Fixture {
    let golden = "---\ntitle: A day\n---\n# 2024-05-01\n\nfirst words\n\n## User - Sep 7, 2026, 10:42 AM\n\nasked\n\n\
        ## Assistant - Sep 7, 2026, 10:43 AM\n\nanswered\n";
    let grown = format!("{golden}\n# 2026-09-08\n\nlater words\n");
    let expected = vec![
        ("2024-05-01T00:00:00Z", "user", "first words"),
        ("2026-09-07T10:42:00Z", "user", "asked"),
        ("2026-09-07T10:43:00Z", "assistant", "answered"),
    ];
    let found =
        fixture("markdown", "day.md", Form::Text, (golden.to_owned(), grown), expected, (0, 1));
    Fixture { is_utc: false, ..found }
}
