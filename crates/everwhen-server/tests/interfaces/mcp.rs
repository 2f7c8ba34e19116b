//! The MCP interface: tools, resources, prompts and completions for an agent that has a URL.

use everwhen::memory::Address;
use serde_json::{Value, json};

use crate::stage::{HttpResponse, Stage};

/// An agent, and the address it was given.
struct Agent<'s> {
    stage: &'s Stage,
    address: &'static str,
    key: Option<String>,
}

impl<'s> Agent<'s> {
    fn at(stage: &'s Stage, address: &'static str) -> Self {
        Self { stage, address, key: None }
    }

    async fn send(&self, method: &str, params: Value) -> HttpResponse {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let ask = self
            .stage
            .ask("POST", self.address)
            .header("host", "localhost:3939")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-11-25")
            .json(&message);
        match &self.key {
            Some(key) => ask.key(key).response().await,
            None => ask.response().await,
        }
    }

    async fn ask(&self, method: &str, params: Value) -> Value {
        self.send(method, params).await.with(200)
    }

    /// What a tool gives.
    async fn call(&self, tool: &str, arguments: Value) -> Value {
        let response =
            self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        assert_eq!(response["result"]["isError"], false, "{tool}: {response}");
        let text = response["result"]["content"][0]["text"].as_str().unwrap();
        let gives = response["result"]["structuredContent"].clone();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), gives);
        gives
    }

    /// Why a tool refuses.
    async fn refusal(&self, tool: &str, arguments: Value) -> String {
        let response =
            self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        assert_eq!(response["result"]["isError"], true, "{tool}: {response}");
        response["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

async fn remember_museums(agent: &Agent<'_>) {
    for (time, said) in [
        ("2023-01-08T12:49:00Z", "I visited MoMA today."),
        ("2023-01-15T10:00:00Z", "The Met has a fine armor hall."),
    ] {
        let entry = json!({ "role": "user", "raw_entry": said, "conversation_time": time });
        let stored = agent.call("add_entry", entry).await;
        assert_eq!(stored["conversation_time"], time);
        assert_eq!(stored["creation_time"], "2025-06-01T12:00:00Z");
    }
}

#[tokio::test]
async fn two_visits_a_week_apart_are_found_with_the_days_between() {
    let stage = Stage::new().await;
    let agent = Agent::at(&stage, "/mcp");
    remember_museums(&agent).await;

    let question = json!({ "query": "which museums did I see in January 2023?" });
    let response = agent.call("search_memories", question).await;
    assert_eq!(response["about"]["words"], json!(["in January 2023"]));
    assert_eq!(response["items"].as_array().unwrap().len(), 2);
    assert!(response["items"][0].get("raw_entry").is_none());
    let briefing = response["briefing"].as_str().unwrap();
    assert!(
        briefing.contains("2023-01-15 – The Met has a fine armor hall. (+7 days)"),
        "{briefing}"
    );

    let sunday = json!({
        "query": "Where was I last Sunday?", "asked_at": "2023-01-16T09:00:00Z", "period": "filter",
    });
    let response = agent.call("search_memories", sunday).await;
    assert_eq!(response["about"]["since"], "2023-01-15T00:00:00Z");
    assert_eq!(response["items"].as_array().unwrap().len(), 1);
    assert_eq!(response["items"][0]["conversation_time"], "2023-01-15T10:00:00Z");

    let raw = json!({ "query": "museum", "include_raw": true, "top_k": 1 });
    let response = agent.call("search_memories", raw).await;
    assert!(response["items"][0]["raw_entry"].is_string());

    let lines = "2023-01-08 – I visited MoMA today.\n\
                 2023-01-15 – The Met has a fine armor hall. (+7 days)";
    assert_eq!(agent.call("get_timeline", json!({})).await["timeline"], lines);
    let about = agent.call("get_timeline", json!({ "about": "museums in January 2023" })).await;
    assert_eq!(about["timeline"], lines);
    let half = agent.call("get_timeline", json!({ "before": "2023-01-10T00:00:00Z" })).await;
    assert_eq!(half["lines"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_time_that_cannot_be_read_stores_nothing_and_shows_the_right_form() {
    let stage = Stage::new().await;
    let agent = Agent::at(&stage, "/mcp");
    let entry = |time: &str| json!({ "role": "user", "raw_entry": "x", "conversation_time": time });
    for wrong in ["yesterday", "2023-01-08", "2023-01-08T12:49:00"] {
        let why = agent.refusal("add_entry", entry(wrong)).await;
        assert!(why.starts_with("conversation_time: "), "{why}");
        assert!(why.contains("2023-01-08T12:49:00Z"), "{why}");
    }
    let why = agent.refusal("add_entry", entry("2125-01-01T00:00:00Z")).await;
    assert!(why.contains("in the future"), "{why}");
    let why = agent.refusal("add_entry", json!({ "role": "user", "text": "x" })).await;
    assert!(why.contains("unknown field `text`") && why.contains("`raw_entry`"), "{why}");
    let found = agent.call("search_memories", json!({ "query": "x" })).await;
    assert_eq!(found["items"], json!([]), "nothing was stored");
}

#[tokio::test]
async fn a_conversation_is_ended_and_read_as_the_plugin_tells_it() {
    let stage = Stage::new().await;
    let agent = Agent::at(&stage, "/mcp");
    let entry = json!({ "role": "user", "raw_entry": "Thanks, that is all for today." });
    let stored = agent.call("add_entry", entry).await;
    let id = json!({ "conversation_id": stored["conversation_id"] });
    let why = agent.refusal("get_conversation", id.clone()).await;
    let active =
        "Cannot retrieve active conversation. Only completed conversations are accessible.";
    assert_eq!(why, active);

    let ended = agent.call("end_conversation", json!({ "reason": "task completed" })).await;
    assert_eq!(ended["conversation_id"], stored["conversation_id"]);
    let message = ended["message"].as_str().unwrap();
    assert!(message.starts_with("Conversation ended successfully. Reason: task completed."));
    let why = agent.refusal("end_conversation", json!({})).await;
    assert_eq!(why, "No active conversation to end.");

    stage.engine.settle().await.unwrap();
    let whole = agent.call("get_conversation", id).await;
    assert_eq!(whole["messages"][0]["timestamp"], "2025-06-01T12:00:00Z");
    assert_eq!(whole["messages"][0]["role"], "user");
    assert!(whole["title"].is_string() && whole["summary"].is_string());
    let list = agent.call("get_conversation", json!({ "list_recent": 1.9 })).await;
    assert_eq!(list["conversations"][0]["messageCount"], 1);
    for (wrong, why) in [
        ("nope", "Conversation not found: nope"),
        ("", "conversation_id must be a non-empty string"),
    ] {
        let refused = agent.refusal("get_conversation", json!({ "conversation_id": wrong })).await;
        assert_eq!(refused, why);
    }
}

#[tokio::test]
async fn a_limit_out_of_range_is_named_as_the_tool_names_it() {
    let stage = Stage::new().await;
    let agent = Agent::at(&stage, "/mcp?tools=full");
    remember_museums(&agent).await;
    for (tool, arguments, words) in [
        ("get_timeline", json!({ "limit": 0 }), "limit is 0; use 1 to 100"),
        ("list_facts", json!({ "limit": 101 }), "limit is 101; use 1 to 100"),
        ("search_memories", json!({ "query": "museum", "top_k": 0 }), "top_k is 0; use 1 to 100"),
    ] {
        let refusal = agent.refusal(tool, arguments).await;
        assert!(refusal.contains(words), "{tool}: {refusal}");
    }
}

#[tokio::test]
async fn parameters_that_do_not_fit_are_no_unknown_method() {
    let stage = Stage::new().await;
    let agent = Agent::at(&stage, "/mcp");
    let code = async |method: &str, params: Value| {
        let text = agent.send(method, params).await.text;
        let answer: Value = serde_json::from_str(&text).unwrap();
        (answer["error"]["code"].as_i64().unwrap(), answer["error"]["message"].to_string())
    };
    for (method, params, words) in [
        (
            "tools/call",
            json!({ "name": "search_memories", "arguments": [] }),
            "params of tools/call",
        ),
        ("tools/call", json!({ "arguments": {} }), "missing field `name`"),
        ("initialize", json!({}), "missing field"),
        ("prompts/get", json!({}), "missing field `name`"),
    ] {
        let (code, message) = code(method, params).await;
        assert_eq!(code, -32602, "{method}: {message}");
        assert!(message.contains(words), "{method}: {message}");
    }
    assert_eq!(code("tools/frog", json!({})).await.0, -32601);
}

#[tokio::test]
async fn a_version_without_initialize_does_not_know_it() {
    let stage = Stage::new().await;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "_meta": meta } });
    let ask = stage
        .ask("POST", "/mcp")
        .header("host", "localhost:3939")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "initialize")
        .json(&message);
    let answer = ask.response().await.with(404);
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
}

#[tokio::test]
async fn the_same_key_stores_once() {
    let stage = Stage::new().await;
    let agent = Agent::at(&stage, "/mcp");
    let entry = json!({ "role": "user", "raw_entry": "once", "idempotency_key": "k-1" });
    let first = agent.call("add_entry", entry.clone()).await;
    assert_eq!(agent.call("add_entry", entry).await, first);
    let other = json!({ "role": "user", "raw_entry": "twice", "idempotency_key": "k-1" });
    assert!(agent.refusal("add_entry", other).await.contains("different write"));
    let timeline = agent.call("get_timeline", json!({})).await;
    assert_eq!(timeline["lines"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_context_document_is_kept_whole() {
    let stage = Stage::new().await;
    let agent = Agent::at(&stage, "/mcp?memory=ana");
    assert_eq!(agent.call("put_context", json!({ "content": "# Facts\nOne" })).await["version"], 1);
    assert_eq!(agent.call("put_context", json!({ "content": "# Facts\nTwo" })).await["version"], 2);
    assert_eq!(agent.call("get_context", json!({})).await["content"], "# Facts\nTwo");
    let elsewhere = agent.refusal("get_context", json!({ "memory": "bob" })).await;
    assert!(elsewhere.contains("memory not found"), "{elsewhere}");
}

#[tokio::test]
async fn all_tools_are_there_for_those_who_ask() {
    let stage = Stage::new().await;
    let (few, all) = (Agent::at(&stage, "/mcp"), Agent::at(&stage, "/mcp?tools=full"));
    let why = few.ask("tools/call", json!({ "name": "forget", "arguments": {} })).await;
    assert!(why["error"]["message"].as_str().unwrap().contains("--tools full"), "{why}");

    all.call("create_vault", json!({ "name": "ana", "zone": "Europe/Berlin" })).await;
    all.call("create_memory_in_vault", json!({ "name": "diary", "vault": "ana" })).await;
    let place = |mut arguments: Value| {
        arguments["vault"] = "ana".into();
        arguments["memory"] = "diary".into();
        arguments
    };
    let entry = json!({
        "role": "user", "raw_entry": "I visitd MoMA", "conversation_time": "2023-01-08T23:30:00Z",
    });
    let stored = all.call("add_entry", place(entry)).await;
    let id = &stored["entry_id"];
    let right = json!({ "entry_id": id, "raw_entry": "I visited MoMA", "reason": "spelling" });
    let corrected = all.call("correct_entry", place(right)).await;
    let old = all.call("get_entry", place(json!({ "entry_id": id }))).await;
    assert_eq!(old["corrected_by"], corrected["entry_id"]);
    let list = all.call("list_entries", place(json!({}))).await;
    assert_eq!(list["entries"][0]["raw_entry"], "I visited MoMA");

    // Half past midnight in Berlin.
    let between = json!({ "from": corrected["entry_id"], "to": "2023-01-15" });
    let between = all.call("time_between", place(between)).await;
    assert_eq!((&between["days"], &between["calendar"]), (&json!(6), &json!("6 days")));

    stage.engine.settle().await.unwrap();
    let waited = all.call("await_consistency", place(json!({}))).await;
    assert_eq!(waited["status"], "consistent");
    assert!(all.refusal("forget", place(json!({}))).await.contains("say what to forget"));
    let gone = json!({ "entry_id": corrected["entry_id"] });
    assert_eq!(all.call("forget", place(gone)).await["entries"], 2);
    assert_eq!(all.call("list_vaults", json!({})).await["vaults"][0]["name"], "ana");
    let memories = all.call("list_memories", json!({ "vault": "ana" })).await;
    assert_eq!(memories["memories"][0]["name"], "diary");
    let prompts = all.call("get_default_prompts", json!({})).await;
    assert!(prompts["build_context"].as_str().unwrap().contains("Oldest first"));
}

#[tokio::test]
async fn resources_prompts_and_completions_lead_to_what_is_there() {
    let stage = Stage::new().await;
    let agent = Agent::at(&stage, "/mcp?memory=ana+%26+co");
    assert_eq!(agent.ask("resources/list", json!({})).await["result"]["resources"], json!([]));
    remember_museums(&agent).await;
    stage.clock.advance(jiff::SignedDuration::from_hours(24));
    stage.engine.settle().await.unwrap();

    let list = agent.ask("resources/list", json!({})).await;
    let resources = list["result"]["resources"].as_array().unwrap();
    assert_eq!(resources.len(), 4, "{resources:?}");
    for resource in resources {
        let read = agent.ask("resources/read", json!({ "uri": resource["uri"] })).await;
        let text = read["result"]["contents"][0]["text"].as_str().unwrap();
        assert!(text.contains("Met") || text.contains("MoMA"), "{}: {text}", resource["uri"]);
    }
    assert_eq!(resources[1]["uri"], "everwhen://timeline/ana%20%26%20co");
    let missing = agent.ask("resources/read", json!({ "uri": "everwhen://memories/none" })).await;
    assert_eq!(missing["error"]["code"], -32002);

    let templates = agent.ask("resources/templates/list", json!({})).await;
    assert_eq!(templates["result"]["resourceTemplates"].as_array().unwrap().len(), 3);
    let complete = |uri: &str, name: &str, value: &str| {
        json!({ "ref": { "type": "ref/resource", "uri": uri },
                "argument": { "name": name, "value": value } })
    };
    let names = complete("everwhen://timeline/{memory}", "memory", "AN");
    let response = agent.ask("completion/complete", names).await;
    assert_eq!(response["result"]["completion"]["values"], json!(["ana & co"]));
    let ids = complete("everwhen://conversations/{id}", "id", "cnv_");
    let response = agent.ask("completion/complete", ids).await;
    assert_eq!(response["result"]["completion"]["total"], 2);

    let prompts = agent.ask("prompts/list", json!({})).await;
    assert_eq!(prompts["result"]["prompts"].as_array().unwrap().len(), 4);
    let asked = json!({ "name": "recall", "arguments": { "question": "when was MoMA?" } });
    let response = agent.ask("prompts/get", asked).await;
    let text = response["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.starts_with("Answer from memory: when was MoMA?"), "{text}");
    let response = agent.ask("prompts/get", json!({ "name": "recall" })).await;
    assert!(response["error"]["message"].as_str().unwrap().contains("question"), "{response}");
}

#[tokio::test]
async fn a_key_opens_its_vault_and_no_other() {
    let stage = Stage::new().await;
    let stranger = Agent::at(&stage, "/mcp?tools=full");
    stranger
        .call("add_entry", json!({ "role": "user", "raw_entry": "bob's", "vault": "bob" }))
        .await;
    stage.post("/v1/vaults", json!({ "name": "ana" })).await;
    let key = stage.key_of("ana").await;
    let ana = Agent { key: Some(key), ..stranger };
    ana.call("add_entry", json!({ "role": "user", "raw_entry": "ana's" })).await;
    let own = ana.call("list_vaults", json!({})).await;
    assert_eq!(own["vaults"].as_array().unwrap().len(), 1);
    let why = ana.refusal("get_timeline", json!({ "vault": "bob" })).await;
    assert!(why.contains("vault not found"), "{why}");
    let why = ana.refusal("create_vault", json!({ "name": "carl" })).await;
    assert!(why.contains("one vault"), "{why}");

    let stranger = Agent::at(&stage, "/mcp");
    let response = stranger.send("tools/list", json!({})).await;
    assert_eq!(response.status, 401);
    let wrong = Agent { key: Some("wrong".into()), ..Agent::at(&stage, "/mcp") };
    assert_eq!(wrong.send("tools/list", json!({})).await.status, 401);
}

#[tokio::test]
async fn a_page_from_elsewhere_is_turned_away() {
    let stage = Stage::new().await;
    for (host, origin, status) in [
        ("localhost", None, 200),
        ("[::1]:3939", Some("http://localhost:6274"), 200),
        ("evil.example", None, 403),
        ("localhost", Some("http://evil.example"), 403),
    ] {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
        let mut ask = stage
            .ask("POST", "/mcp")
            .header("host", host)
            .header("accept", "application/json, text/event-stream")
            .json(&message);
        if let Some(origin) = origin {
            ask = ask.header("origin", origin);
        }
        let response = ask.response().await;
        assert_eq!(response.status, status, "{host} {origin:?}");
        if status == 403 {
            assert!(response.problem(403, "denied").contains("server.allowed_"));
        }
    }
}

#[tokio::test]
async fn a_choice_nobody_knows_is_refused() {
    let stage = Stage::new().await;
    let response = Agent::at(&stage, "/mcp?toolz=full").send("tools/list", json!({})).await;
    assert!(response.problem(400, "invalid").contains("tools=full"));
}

/// Instructions, names of tools and names of prompts that a client gets.
async fn offered(agent: &Agent<'_>) -> (String, Vec<String>, Vec<String>) {
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "agent", "version": "1" },
    });
    let hello = agent.ask("initialize", hello).await;
    let names = |list: &Value| {
        let rows = list.as_array().unwrap().iter();
        rows.map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    let tools = names(&agent.ask("tools/list", json!({})).await["result"]["tools"]);
    let prompts = names(&agent.ask("prompts/list", json!({})).await["result"]["prompts"]);
    (hello["result"]["instructions"].as_str().unwrap().to_owned(), tools, prompts)
}

#[tokio::test]
async fn instructions_name_no_tool_that_the_client_does_not_see() {
    let stage = Stage::new().await;
    let (_, every, _) = offered(&Agent::at(&stage, "/mcp?tools=full")).await;
    for address in ["/mcp", "/mcp?profile=recall", "/mcp?profile=graph", "/mcp?profile=files"] {
        let (told, tools, _) = offered(&Agent::at(&stage, address)).await;
        let unseen: Vec<_> =
            every.iter().filter(|name| told.contains(*name) && !tools.contains(name)).collect();
        assert!(unseen.is_empty(), "{address} names {unseen:?}: {told}");
    }
}

#[tokio::test]
async fn an_agent_whose_hooks_record_is_not_asked_to_record() {
    let stage = Stage::new().await;
    let agent = Agent::at(&stage, "/mcp?profile=recall");
    let (told, tools, prompts) = offered(&agent).await;
    assert!(told.contains("record nothing yourself"), "{told}");
    let expected =
        ["search_memories", "get_timeline", "get_conversation", "get_context", "put_context"];
    assert_eq!(tools, expected);
    assert_eq!(prompts, ["build_context", "recall", "retrospect"]);
    let refused = agent.ask("tools/call", json!({ "name": "add_entry", "arguments": {} })).await;
    assert_eq!(refused["error"]["message"], "Unknown tool: add_entry");
    let (_, all, _) = offered(&Agent::at(&stage, "/mcp?profile=recall&tools=full")).await;
    assert!(all.contains(&"list_facts".to_owned()) && !all.contains(&"add_entry".to_owned()));
}

#[tokio::test]
async fn the_graph_keeps_what_was_and_when() {
    let stage = Stage::new().await;
    let agent = Agent::at(&stage, "/mcp?profile=graph");
    let tools = agent.ask("tools/list", json!({})).await;
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 9);
    assert_eq!(
        agent.call("read_graph", json!({})).await,
        json!({ "entities": [], "relations": [] })
    );

    let ana = json!({ "name": "Ana", "entityType": "person", "observations": ["likes jazz"] });
    let acme = json!({ "name": "Acme", "entityType": "company", "observations": [] });
    let made = agent.call("create_entities", json!({ "entities": [ana, acme, ana] })).await;
    assert_eq!(made["entities"], json!([ana, acme]));
    let again = agent.call("create_entities", json!({ "entities": [ana] })).await;
    assert_eq!(again["entities"], json!([]));
    let works = json!({ "from": "Ana", "to": "Acme", "relationType": "works_at" });
    let made = agent.call("create_relations", json!({ "relations": [works, works] })).await;
    assert_eq!(made["relations"], json!([works]));
    let more =
        json!({ "observations": [{ "entityName": "Ana", "contents": ["likes jazz", "sings"] }] });
    let added = agent.call("add_observations", more).await;
    assert_eq!(added["results"], json!([{ "entityName": "Ana", "addedObservations": ["sings"] }]));
    let nobody = json!({ "observations": [{ "entityName": "Bo", "contents": ["x"] }] });
    let why = agent.refusal("add_observations", nobody).await;
    assert_eq!(why, "Entity with name Bo not found");

    let found = agent.call("search_nodes", json!({ "query": "JAZZ" })).await;
    assert_eq!(
        (&found["entities"][0]["name"], &found["relations"]),
        (&json!("Ana"), &json!([works]))
    );
    let opened = agent.call("open_nodes", json!({ "names": ["Acme"] })).await;
    assert_eq!(opened["entities"].as_array().unwrap().len(), 1);

    let before = stage.engine.now();
    stage.clock.advance(jiff::SignedDuration::from_hours(24));
    let gone = json!({ "deletions": [{ "entityName": "Ana", "observations": ["likes jazz"] }] });
    assert_eq!(agent.call("delete_observations", gone).await["success"], true);
    agent.call("delete_entities", json!({ "entityNames": ["Acme"] })).await;
    let left = agent.call("read_graph", json!({})).await;
    assert_eq!(left["entities"].as_array().unwrap().len(), 1);
    assert_eq!(left["entities"][0]["observations"], json!(["sings"]));
    assert_eq!(left["relations"], json!([]));

    // What was is still there, and dated.
    let vault = stage.engine.vault(Address::read("vault", "default").unwrap()).await.unwrap();
    let memory = Address::read("memory", "graph").unwrap();
    let earlier = vault.graph(memory, Some(before)).await.unwrap();
    assert_eq!(earlier.entities.len(), 2);
    assert_eq!(earlier.relations.len(), 1);
    let timeline = stage.get("/v1/vaults/default/memories/graph/timeline").await;
    let last = timeline["data"].as_array().unwrap().last().unwrap()["text"].clone();
    assert_eq!(last, "2025-06-02 – No longer: Ana works_at Acme");
}

#[tokio::test]
async fn facts_are_listed_for_those_who_ask_for_all_tools() {
    let stage = Stage::new().await;
    for (time, text) in [
        ("2025-03-15T12:00:00Z", "My A1C was 7.4%"),
        ("2025-05-20T12:00:00Z", "My A1C is now at 6.8%"),
    ] {
        stage.say(time, text).await;
    }
    stage.clock.advance(jiff::SignedDuration::from_mins(60));
    stage.engine.settle().await.unwrap();
    let agent = Agent::at(&stage, "/mcp?tools=full");
    let now = agent.call("list_facts", json!({ "vault": "ana", "memory": "diary" })).await;
    assert_eq!(
        now["text"],
        "--- May 2025 ---\n- My A1C is now at 6.8% (mentioned 2025-05-20) (confirmed)"
    );
    let then = agent
        .call("list_facts", json!({ "about": "April 2025", "vault": "ana", "memory": "diary" }))
        .await;
    assert_eq!(then["facts"][0]["statement"], "My A1C was 7.4%");
    assert_eq!(then["facts"][0]["current"], false);
    assert_eq!(then["facts"][0]["superseded_by"], now["facts"][0]["id"]);
}

#[tokio::test]
async fn b54_search_finds_the_context_document() {
    let stage = Stage::new().await;
    let agent = Agent::at(&stage, "/mcp?tools=full");
    remember_museums(&agent).await;
    agent.call("put_context", json!({ "content": "The user collects xylophones." })).await;
    let found = agent.call("search_memories", json!({ "query": "xylophones" })).await;
    assert_eq!(found["contexts"][0]["content"], "The user collects xylophones.", "{found}");
    assert_eq!(found["contexts"][0]["version"], 1);
    let gone = agent.call("forget", json!({ "context_version": 1 })).await;
    assert_eq!(gone["contexts"], 1);
    let found = agent.call("search_memories", json!({ "query": "xylophones" })).await;
    assert!(found.get("contexts").is_none(), "{found}");
}

#[tokio::test]
async fn b63_an_agent_changes_tags() {
    let stage = Stage::new().await;
    let agent = Agent::at(&stage, "/mcp?tools=full");
    let entry = json!({ "role": "user", "raw_entry": "I live in Bern", "tags": ["old"] });
    let id = agent.call("add_entry", entry).await["entry_id"].clone();
    let change = json!({ "entry_id": id, "tags": ["home"] });
    let changed = agent.call("set_tags", change).await;
    assert_eq!((&changed["entry_id"], &changed["tags"]), (&id, &json!(["home"])));
}

#[tokio::test]
async fn d8_the_exchange_in_which_an_agent_ends_a_conversation_belongs_to_it() {
    let stage = Stage::new().await;
    let agent = Agent::at(&stage, "/mcp");
    let add = async |role: &str, text: &str| {
        stage.clock.advance(jiff::SignedDuration::from_secs(9));
        let entry = json!({ "role": role, "raw_entry": text });
        agent.call("add_entry", entry).await["conversation_id"].clone()
    };
    let first = add("user", "What is the time?").await;
    add("assistant", "Noon.").await;
    let ended = agent.call("end_conversation", json!({})).await;
    assert_eq!(ended["conversation_id"], first);
    assert_eq!(add("user", "Thanks, bye!").await, first);
    assert_eq!(add("assistant", "Bye!").await, first);
    assert_ne!(add("user", "Hello again").await, first);
}

#[tokio::test]
async fn d45_there_is_a_prompt_for_looking_back() {
    let stage = Stage::new().await;
    let agent = Agent::at(&stage, "/mcp?tools=full");
    let response = agent.ask("prompts/get", json!({ "name": "retrospect" })).await;
    let text = response["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("get_conversation") && text.contains("put_context"), "{text}");
    let texts = agent.call("get_default_prompts", json!({})).await;
    assert_eq!(texts["retrospect"], text);
}

#[tokio::test]
async fn s4_a_first_question_is_answered_with_nothing_instead_of_an_error() {
    let stage = Stage::new().await;
    let agent = Agent::at(&stage, "/mcp?tools=full");
    let nothing = [
        ("search_memories", json!({ "query": "my dog" }), "items"),
        ("get_timeline", json!({}), "lines"),
        ("get_conversation", json!({}), "conversations"),
        ("list_entries", json!({}), "entries"),
        ("list_facts", json!({}), "facts"),
        ("get_profile", json!({}), "values"),
        ("list_memories", json!({}), "memories"),
    ];
    // First no vault, then a vault without the default memory.
    for _ in 0..2 {
        for (tool, arguments, list) in &nothing {
            let response = agent.call(tool, arguments.clone()).await;
            if *tool != "list_memories" {
                assert_eq!(response[*list], json!([]), "{tool}: {response}");
            }
        }
        let context = agent.call("get_context", json!({})).await;
        assert_eq!(context, json!({ "content": "", "version": 0 }));
        let said = json!({ "role": "user", "raw_entry": "Hi", "memory": "other" });
        agent.call("add_entry", said).await;
    }
    let why = agent.refusal("search_memories", json!({ "query": "x", "memory": "othre" })).await;
    assert!(why.contains("memory not found") && why.contains("add_entry makes it"), "{why}");
    let why = agent.refusal("get_entry", json!({ "entry_id": "ent_x" })).await;
    assert!(!why.is_empty());
}

#[tokio::test]
async fn s4_the_text_of_an_entry_may_be_called_content_as_in_rest() {
    let stage = Stage::new().await;
    let agent = Agent::at(&stage, "/mcp?tools=full");
    let stored =
        agent.call("add_entry", json!({ "role": "user", "content": "I live in Bern" })).await;
    let id = stored["entry_id"].clone();
    assert_eq!(
        agent.call("get_entry", json!({ "entry_id": id })).await["raw_entry"],
        "I live in Bern"
    );
    let correction = json!({ "entry_id": id, "content": "I live in Basel", "reason": "slip" });
    agent.call("correct_entry", correction).await;
    let listed = agent.call("list_entries", json!({})).await;
    assert_eq!(listed["entries"][0]["raw_entry"], "I live in Basel");
}

#[tokio::test]
async fn the_files_profile_is_the_memory_tool_in_plain_text() {
    let stage = Stage::new().await;
    let agent = Agent::at(&stage, "/mcp?profile=files");
    let tools = agent.ask("tools/list", json!({})).await;
    let tools = tools["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0]["name"], "memory");
    let commands = json!(["view", "create", "str_replace", "insert", "delete", "rename"]);
    assert_eq!(tools[0]["inputSchema"]["properties"]["command"]["enum"], commands);
    let run = async |arguments: Value| {
        let response =
            agent.ask("tools/call", json!({ "name": "memory", "arguments": arguments })).await;
        let result = &response["result"];
        (result["content"][0]["text"].as_str().unwrap().to_owned(), result["isError"] == true)
    };
    let path = "/memories/notes.md";
    let create = json!({ "command": "create", "path": path, "file_text": "Ana\n" });
    assert_eq!(run(create.clone()).await, (format!("File created successfully at: {path}"), false));
    assert_eq!(run(create).await, (format!("File {path} already exists"), true));
    stage.clock.advance(jiff::SignedDuration::from_mins(1));
    let replace =
        json!({ "command": "str_replace", "path": path, "old_str": "Ana", "new_str": "Bea" });
    assert!(!run(replace).await.1);
    let view = |as_of: Value| json!({ "command": "view", "path": path, "as_of": as_of });
    assert!(run(view(Value::Null)).await.0.contains("     1\tBea\n"));
    assert!(run(view(json!("2025-06-01T12:00:30Z"))).await.0.contains("     1\tAna\n"));
    let escape = json!({ "command": "delete", "path": "/memories/../x" });
    assert_eq!(
        run(escape).await,
        ("Path /memories/../x would escape /memories directory".to_owned(), true)
    );
    let memories = stage.get("/v1/vaults/default/memories").await;
    assert_eq!(memories["data"][0]["name"], "files");
}
