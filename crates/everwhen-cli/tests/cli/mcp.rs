//! `everwhen mcp`: an agent speaks over standard input, alone, beside others, and through a server.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::stage::Stage;

/// An agent and the process it started.
struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Agent {
    fn start(stage: &Stage, args: &[&str]) -> Self {
        Self::spawn(&mut stage.command(&[&["mcp"], args].concat()))
    }

    fn spawn(command: &mut Command) -> Self {
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut agent = Self { input: child.stdin.take(), child, output };
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let response = agent.ask("initialize", hello);
        assert_eq!(response["result"]["serverInfo"]["name"], "everwhen");
        agent.write(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
        agent
    }

    fn write(&mut self, line: &str) {
        self.write_bytes(line.as_bytes());
    }

    fn write_bytes(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).and_then(|()| input.write_all(b"\n")).unwrap();
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let message = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        self.write(&message.to_string());
        let response = self.read();
        assert_eq!(
            (&response["jsonrpc"], &response["id"]),
            (&json!("2.0"), &json!(7)),
            "{response}"
        );
        response
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let response = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_eq!(response["result"]["isError"], false, "{response}");
        response["result"]["structuredContent"].clone()
    }

    fn say(&mut self, text: &str) {
        self.call("add_entry", json!({ "role": "user", "raw_entry": text }));
    }

    /// Goes away; answers the exit code, once nothing more was printed.
    fn leave(mut self) -> i32 {
        drop(self.input.take());
        let mut rest = String::new();
        assert_eq!(self.output.read_line(&mut rest).unwrap(), 0, "{rest}");
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

/// What was said, oldest first.
fn texts(stage: &Stage) -> Vec<String> {
    let page = stage.json(&["entries"]);
    let rows = page["data"].as_array().unwrap().iter().rev();
    rows.map(|row| row["content"].as_str().unwrap().to_owned()).collect()
}

/// The seed's literal call, with the origin's field names, and what agents could not say before.
#[test]
fn b17_bug_11_bug_16_the_seeds_example_future_times_questions_and_pages() {
    let stage = Stage::new();
    let mut agent = Agent::start(&stage, &["--memory", "ana", "--tools", "full"]);
    let example = json!({
        "raw_entry": "Hi there, could you help me compare options for X?",
        "summary": "User asked for help comparing options for X.",
        "conversation_time": "2023-01-08T12:49:00Z",
        "tags": { "role": "user", "topic": "x" },
        "memory_id": "ana",
    });
    let stored = agent.call("add_entry", example);
    let entry = agent.call("get_entry", json!({ "entry_id": stored["entry_id"] }));
    assert_eq!((&entry["role"], &entry["tags"]), (&json!("user"), &json!(["topic:x"])));
    let memory = agent.call("get_memory", json!({ "memory_id": "ana" }));
    assert_eq!((&memory["memory_id"], &memory["name"]), (&entry["memory_id"], &json!("ana")));
    assert_eq!(memory["vault_id"], entry["vault_id"]);
    let coming = json!({ "role": "assistant", "raw_entry": "See you then?", "is_question": true,
        "tools_used": ["calendar"], "conversation_time": "2999-01-01T00:00:00Z",
        "allow_future": true });
    let asked = agent.call("add_entry", coming);
    assert_eq!(agent.call("get_memory", json!({}))["waiting_question"], asked["entry_id"]);
    for number in 0..5 {
        agent.call(
            "add_entry",
            json!({ "role": "user", "raw_entry": format!("line {number}"),
            "conversation_time": "2024-01-01T00:00:00Z" }),
        );
    }
    let mut said = Vec::new();
    let mut query = json!({ "limit": 2, "after": "2024-01-01T00:00:00Z" });
    loop {
        let page = agent.call("list_entries", query.clone());
        let rows = page["entries"].as_array().unwrap();
        said.extend(rows.iter().map(|row| row["raw_entry"].as_str().unwrap().to_owned()));
        if page["has_more"] == false {
            break;
        }
        query["cursor"] = page["next_cursor"].clone();
    }
    assert_eq!(said.len(), 6, "{said:?}");
    assert_eq!(agent.leave(), 0);
}

#[test]
fn an_agent_records_and_finds_without_a_server() {
    let stage = Stage::new();
    let mut agent = Agent::start(&stage, &["--memory", "ana", "--tools", "full"]);
    let entry = json!({
        "role": "user", "raw_entry": "I went to the museum",
        "conversation_time": "2023-01-08T12:49:00Z",
    });
    agent.call("add_entry", entry);
    let found = agent.call("search_memories", json!({ "query": "museum" }));
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
    let tools = agent.ask("tools/list", json!({}));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 25);
    assert_eq!(agent.leave(), 0);
    let kept = stage.json(&["entries", "--memory", "ana"]);
    assert_eq!(kept["data"][0]["content"], "I went to the museum");
    assert!(!stage.data().join("server.json").exists());
}

#[test]
fn lines_that_are_no_messages_are_answered_and_nothing_else_is_printed() {
    let stage = Stage::new();
    let mut agent = Agent::start(&stage, &[]);
    agent.write("not json");
    assert_eq!(agent.read()["error"]["code"], -32700);
    agent.write("[]");
    assert_eq!(agent.read()["error"]["code"], -32600);
    agent.write("");
    agent.write_bytes(b"\xff\xfe");
    assert_eq!(agent.read()["error"]["code"], -32700);
    agent.write(&"x".repeat(17 * 1024 * 1024));
    let long = agent.read();
    assert_eq!(long["error"]["code"], -32600, "{long}");
    let unknown = agent.ask("no/such", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    assert_eq!(agent.leave(), 0);
}

#[test]
fn the_newer_protocol_is_spoken_too() {
    let stage = Stage::new();
    let mut agent = Agent::start(&stage, &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let response = agent.ask("server/discover", json!({ "_meta": meta }));
    let versions = response["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{response}");
    let entry = json!({ "role": "user", "raw_entry": "hello" });
    let params = json!({ "name": "add_entry", "arguments": entry, "_meta": meta });
    let response = agent.ask("tools/call", params);
    assert_eq!(response["result"]["resultType"], "complete", "{response}");
    let uri = json!({ "uri": "everwhen://timeline/日記", "_meta": meta });
    assert_eq!(agent.ask("resources/read", uri)["error"]["code"], -32602);
    assert_eq!(agent.leave(), 0);
}

#[test]
fn several_agents_share_a_directory_and_the_next_takes_over() {
    let stage = Stage::new();
    let mut first = Agent::start(&stage, &[]);
    let mut second = Agent::start(&stage, &[]);
    first.say("one");
    second.say("two");
    // Commands reach it as well.
    stage.ok(&["remember", "three"]);
    assert_eq!(first.leave(), 0);
    second.say("four");
    let mut third = Agent::start(&stage, &[]);
    third.say("five");
    // As a power cut would.
    second.child.kill().unwrap();
    second.child.wait().unwrap();
    third.say("six");
    assert_eq!(third.leave(), 0);
    assert_eq!(texts(&stage), ["one", "two", "three", "four", "five", "six"]);
}

#[test]
fn nobody_comes_in_beside_an_agent_without_the_token() {
    let stage = Stage::new();
    let agent = Agent::start(&stage, &[]);
    let note = std::fs::read_to_string(stage.data().join("server.json")).unwrap();
    let note: Value = serde_json::from_str(&note).unwrap();
    let stranger = Stage::new();
    let ran = stranger.run(&["vaults", "--server", note["url"].as_str().unwrap()]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("an API key is required"), "{}", ran.stderr);
    assert_eq!(agent.leave(), 0);
}

#[test]
fn an_agent_goes_through_the_server_that_holds_the_directory_or_is_named() {
    let (stage, elsewhere) = (Stage::new(), Stage::new());
    let server = stage.serve();
    let mut here = Agent::start(&stage, &[]);
    here.say("here");
    let mut there = Agent::start(&elsewhere, &["--server", &server.url]);
    there.say("there");
    assert!(!elsewhere.data().exists());
    assert_eq!(texts(&stage), ["here", "there"]);
    drop(server);
    let message = json!({ "name": "get_timeline", "arguments": {} });
    let response = there.ask("tools/call", message);
    let why = response["error"]["message"].as_str().unwrap();
    assert!(why.contains("cannot reach the server"), "{why}");
    here.say("taken over");
    assert_eq!((here.leave(), there.leave()), (0, 0));
}

#[test]
fn what_was_said_never_reaches_the_log() {
    let stage = Stage::new();
    let mut agent = Agent::spawn(stage.command(&["mcp"]).env("EVERWHEN_LOG", "trace"));
    agent.say("a very private sentence");
    agent.call("search_memories", json!({ "query": "a very private question" }));
    drop(agent.input.take());
    let log = agent.child.wait_with_output().unwrap().stderr;
    let log = String::from_utf8(log).unwrap();
    assert!(log.contains("answered"), "{log}");
    assert!(!log.contains("private"), "{log}");
}
