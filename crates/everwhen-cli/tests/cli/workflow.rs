//! `everwhen workflow check` says what is wrong, where, and what would be right; `run` shows what nodes did.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

use crate::stage::{Serving, Stage, eventually, read_request};

fn folder(stage: &Stage, files: &[(&str, &str)]) {
    std::fs::create_dir(stage.home().join("flows")).unwrap();
    for (name, text) in files {
        stage.file(&format!("flows/{name}"), text);
    }
}

#[test]
fn good_files_are_listed() {
    let stage = Stage::new();
    folder(&stage, &[("hello.json", "// says hello\n[{\"type\": \"StaticResponse\"}]")]);
    assert_eq!(stage.ok(&["workflow", "check", "flows"]), "ok   hello, 1 node\n");
    let output = stage.json(&["workflow", "check", "flows"]);
    assert_eq!(output, serde_json::json!({ "workflows": ["hello"], "flaws": [] }));
}

#[test]
fn flaws_are_told_with_file_and_line() {
    let stage = Stage::new();
    folder(&stage, &[("a.json", "[\n{\"type\": \"StaticRespons\"}]"), ("b.json", "{")]);
    let ran = stage.run(&["workflow", "check", "flows"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("flows/a.json:2: there is no node type \"StaticRespons\""));
    assert!(ran.stdout.contains("is \"StaticResponse\" meant?"), "{ran:?}");
    assert!(ran.stdout.contains("flows/b.json:1: this is not JSON"), "{ran:?}");
    assert!(ran.stderr.contains("2 errors"), "{ran:?}");
}

#[test]
fn a_directory_that_is_not_there_is_named() {
    let ran = Stage::new().run(&["workflow", "check", "nowhere"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("cannot read nowhere"), "{ran:?}");
}

const FLOW: &str = r#"[{"type": "VectorMemorySearch", "input": "museum", "includeDates": true},
    {"title": "Answer", "type": "StaticResponse", "content": "{Discussion_Id} says {agent1Output}", "returnToUser": true},
    {"type": "WorkflowLock", "workflowLockId": "writing"},
    {"type": "SaveCustomFile", "filepath": "seen.txt", "content": "{chat_user_prompt_last_two}"}]"#;

/// A file that a workflow of the only vault has written.
fn written(stage: &Stage, name: &str) -> Option<std::path::PathBuf> {
    let vaults = std::fs::read_dir(stage.home().join("flows/files/vaults")).ok()?;
    let mut files = vaults.map(|vault| vault.unwrap().path().join(name));
    files.find(|file| file.exists())
}

#[test]
fn a_message_runs_through_a_workflow_and_is_kept() {
    let stage = Stage::new();
    folder(&stage, &[("chat.json", FLOW)]);
    stage.ok(&["remember", "I went to the museum", "--at", "2023-01-08 12:49", "--memory", "ana"]);
    let run =
        ["workflow", "run", "flows/chat.json", "--memory", "ana", "--message", "When was it?"];
    let said = "ana says [2023-01-08] I went to the museum";
    assert_eq!(stage.ok(&run), format!("{said}\n"));
    let seen = std::fs::read_to_string(written(&stage, "seen.txt").unwrap()).unwrap();
    assert_eq!(
        seen, "I went to the museum\nWhen was it?",
        "what stands behind the answer was done"
    );
    let output = stage.json(&["entries", "--memory", "ana"]);
    assert_eq!(output["data"][0]["content"], said, "{output}");
    let output = stage.json(&run);
    let nodes = output["nodes"].as_array().unwrap();
    let kinds: Vec<&str> = nodes.iter().map(|node| node["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["VectorMemorySearch", "StaticResponse", "WorkflowLock", "SaveCustomFile"]);
    assert_eq!((&nodes[0]["input"], &nodes[1]["title"]), (&"museum".into(), &"Answer".into()));
    assert!(nodes[0]["took_ms"].as_f64().unwrap() > 0.0 && output["cost"] == 0.0, "{output}");
    let traced = stage.ok(&[&run[..], &["--trace"]].concat());
    assert!(traced.contains("chat.2 StaticResponse Answer"), "{traced}");
    assert!(traced.contains("  in  museum\n"), "{traced}");
}

#[test]
fn a_workflow_that_cannot_run_says_why() {
    let stage = Stage::new();
    folder(&stage, &[("chat.json", "[{\"type\": \"Standard\", \"endpointName\": \"e\"}]")]);
    let ran = stage.run(&["workflow", "run", "flows/chat.json", "--message", "Hi"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("the node on line 1: no endpoint \"e\" is configured"), "{ran:?}");
    let ran = stage.run(&["workflow", "run", "flows/none.json", "--message", "Hi"]);
    assert!(ran.stderr.contains("there is no workflow file flows/none.json"), "{ran:?}");
}

const BEHIND: &str = r#"[{"type": "Standard", "endpointName": "e", "prompt": "first", "returnToUser": true},
    {"type": "WorkflowLock", "workflowLockId": "writing"},
    {"type": "Standard", "endpointName": "e", "prompt": "second"},
    {"type": "SaveCustomFile", "filepath": "done.txt", "content": "{agent3Output}", "mode": "append"}]"#;

/// A model that answers with the number of the question, but leaves the second one waiting for ever; tells
/// when it is asked.
fn model() -> (String, mpsc::Receiver<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (sender, heard) = mpsc::channel();
    std::thread::spawn(move || {
        let mut waiting = Vec::new();
        for (number, stream) in (1..).zip(listener.incoming()) {
            let mut stream = stream.unwrap();
            read_request(&mut stream);
            let _ = sender.send(number);
            if number == 2 {
                waiting.push(stream);
                continue;
            }
            let reply =
                format!(r#"{{"choices":[{{"index":0,"message":{{"content":"{number}"}}}}]}}"#);
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
            let reply = format!("{head}content-length: {}\r\n\r\n{reply}", reply.len());
            stream.write_all(reply.as_bytes()).unwrap();
        }
    });
    (url, heard)
}

fn say(server: &Serving, text: &str) -> String {
    let mut stream = TcpStream::connect(server.url.strip_prefix("http://").unwrap()).unwrap();
    let message = format!(r#"[{{"role":"user","content":"{text}"}}]"#);
    let body = format!(r#"{{"model":"everwhen/chat","messages":{message}}}"#);
    let head = "POST /m/diary/v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                content-type: application/json\r\n";
    let request = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn what_stands_behind_an_answer_survives_a_kill() {
    let stage = Stage::new();
    folder(&stage, &[("chat.json", BEHIND)]);
    let (url, asked) = model();
    let config = format!(
        "upstream = '{url}'\n[[endpoint]]\nname = 'e'\nmodel = 'm'\n[proxy]\ndeadline_ms = 20000\n\
         [workflow]\ndir = 'flows'\n"
    );
    let config = stage.file("flow.toml", &config).display().to_string();
    let serve = || stage.serve_with(stage.command(&["--config", &config]), "127.0.0.1:0");
    let server = serve();
    let answer = say(&server, "Hi");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"content\":\"1\""), "{answer}");
    let next = || asked.recv().unwrap();
    assert_eq!((next(), next()), (1, 2), "it goes on behind the answer");
    server.kill();
    // The lock and the job are free at once, and the answer is not asked for again.
    let server = serve();
    assert_eq!(next(), 3);
    let done = || std::fs::read_to_string(written(&stage, "done.txt")?).ok();
    let done = eventually("done.txt is written", || done().filter(|text| !text.is_empty()));
    assert_eq!(done, "3");
    assert_eq!(server.terminate(), 0);
}
