//! What people get wrong: each is a clear error or the documented rule, and never a hang.

use everwhen::ErrorKind;
use everwhen_workflow::RunOutcome;

use crate::stage::Stage;

/// What is said about files, and about asking for `a`, which is refused.
async fn refused(files: &[(&str, &str)]) -> String {
    let stage = Stage::new(files).await;
    let set = stage.workflows.current();
    assert!(!set.has("a"), "it was taken");
    let flaws: Vec<String> = set.diagnostics().iter().map(ToString::to_string).collect();
    let error = stage.play("a", &["u:Hi"]).await.0.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.message().contains("has errors"), "{error}");
    flaws.join("\n")
}

#[tokio::test]
async fn what_is_wrong_with_files_is_told_at_the_start() {
    let message = refused(&[("a.json", "[\n{]")]).await;
    assert!(message.contains("a.json:2: this is not JSON"), "{message}");
    let message =
        refused(&[("a.json", r#"[{"type": "CustomWorkflow", "workflowName": "b"}]"#)]).await;
    assert!(message.contains("a.json:1: there is no workflow \"b\" here"), "{message}");
    let run = |name: &str| format!(r#"[{{"type": "CustomWorkflow", "workflowName": "{name}"}}]"#);
    let message = refused(&[("a.json", &run("b")), ("b.json", &run("a"))]).await;
    assert!(message.contains("this never ends: a runs b runs a"), "{message}");
    let message = refused(&[("a.json", r#"[{"type": "Standard"}]"#)]).await;
    assert!(message.contains("a Standard node needs \"endpointName\""), "{message}");
    let message =
        refused(&[("a.json", r#"[{"type": "Standard", "endpointName": "nowhere"}]"#)]).await;
    assert!(message.contains("no endpoint \"nowhere\" is configured"), "{message}");
    let node = r#"[{"type": "Standard", "endpointName": "e", "preset": "nowhere"}]"#;
    let message = refused(&[("a.json", node)]).await;
    assert!(message.contains("there is no preset \"nowhere\""), "{message}");
    let message = refused(&[("a.json", r#"[{"type": "Kettle"}]"#)]).await;
    assert!(message.contains("Known types: Standard, QualityMemory"), "{message}");
}

#[tokio::test]
async fn a_flawed_file_is_refused_alone_and_so_is_a_flawed_settings_file() {
    let hello = r#"[{"type": "StaticResponse", "content": "hello"}]"#;
    let name = "_DiscussionId-MemoryFile-Workflow-Settings.json";
    for (settings, problem) in [
        (r#"{"fileMemoryWorkflowName": "no"}"#, "there is no workflow \"no\""),
        (r#"{"endpointName": "no"}"#, "no endpoint \"no\" is configured"),
        ("{", "not JSON"),
    ] {
        let stage = Stage::new(&[("a.json", "{"), ("b.json", hello), (name, settings)]).await;
        let path = stage.directory.path().join("flows").join(name);
        let problems = stage.workflows.current().settings_problems(Some(&path));
        assert!(problems[0].contains(problem), "{problems:?}");
        assert_eq!(stage.play("b", &["u:Hi"]).await.0.unwrap().1.as_deref(), Some("hello"));
    }
}

#[tokio::test]
async fn of_two_responders_the_first_answers() {
    let node = |text: &str| {
        format!(r#"{{"type": "StaticResponse", "content": "{text}", "returnToUser": true}}"#)
    };
    let stage = Stage::new(&[("a.json", &format!("[{}, {}]", node("one"), node("two")))]).await;
    let (played, notes) = stage.play("a", &["u:Hi"]).await;
    assert_eq!(played.unwrap().1.as_deref(), Some("one"));
    assert_eq!(notes.heard, "one");
}

#[tokio::test]
async fn an_endpoint_that_is_down_is_named_unless_it_has_a_backup() {
    let ask = |name: &str| {
        format!(
            r#"[{{"title": "Ask", "type": "Standard", "endpointName": "{name}", "prompt": "x"}}]"#
        )
    };
    let stage = Stage::new(&[
        ("down.json", &ask("down")),
        ("guarded.json", &ask("guarded")),
        ("any.json", &ask("any")),
    ])
    .await;
    let (played, _) = stage.play("down", &["u:Hi"]).await;
    let error = played.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.message().contains("down: the node \"Ask\" on line 1"), "{error}");
    let (played, _) = stage.play("guarded", &["u:Hi"]).await;
    assert_eq!(played.unwrap().1.as_deref(), Some("heard 1 letters"));
    // An endpoint without a model asks for the first one that is served.
    stage.play("any", &["u:Hi"]).await.0.unwrap();
    assert_eq!(stage.model.asked().pop().unwrap()["model"], "served");
}

#[tokio::test]
async fn more_keywords_than_a_search_takes_are_cut_off() {
    let node = format!(r#"[{{"type": "VectorMemorySearch", "input": "{}"}}]"#, "x;".repeat(61));
    let stage = Stage::new(&[("a.json", &node)]).await;
    let output = stage.output("a").await;
    assert!(output.starts_with("No relevant memories"), "{output}");
}

#[tokio::test]
async fn a_lock_that_is_never_let_go_is_free_when_its_lease_is_over() {
    let flow = r#"[{"type": "StaticResponse", "content": "a", "returnToUser": true},
        {"type": "WorkflowLock", "workflowLockId": "writing"},
        {"type": "SaveCustomFile", "filepath": "n.txt", "content": "x", "mode": "append"}]"#;
    let stage = Stage::new(&[("a.json", flow)]).await;
    stage.play("a", &["u:Hi"]).await.0.unwrap();
    // A worker takes it and dies.
    let lock = everwhen::Lock { name: "a/writing".into(), holder: "gone".into() };
    assert!(stage.vault.take_lock(crate::stage::memory(), lock).await.unwrap());
    let (played, notes) = stage.play("a", &["u:Hi"]).await;
    assert_eq!(played.unwrap().0, RunOutcome::Locked { lock: "writing".into() });
    assert_eq!(notes.heard, "a", "the answer was given");
    stage.clock.advance(everwhen::limits::JOB_LEASE);
    let (played, _) = stage.play("a", &["u:Hi"]).await;
    assert_eq!(played.unwrap().0, RunOutcome::Done);
    let file = format!("flows/files/vaults/{}/n.txt", stage.vault.id());
    let written = std::fs::read_to_string(stage.directory.path().join(file)).unwrap();
    assert_eq!(written, "xx");
}

#[tokio::test]
async fn a_delimiter_in_a_text_does_not_divide_it_and_braces_stay_braces() {
    let stage = Stage::new(&[(
        "a.json",
        r#"[{"type": "Standard", "endpointName": "e", "prompt": "{chat_user_prompt_last_one} {{x}}"}]"#,
    )])
    .await;
    stage.play("a", &["u:{agent1Output} {\"json\": {}} {persona}"]).await.0.unwrap();
    assert_eq!(stage.model.heard(), ["user: {agent1Output} {\"json\": {}} {persona} {x}"]);
}
