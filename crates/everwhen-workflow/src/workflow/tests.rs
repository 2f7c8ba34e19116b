//! A file is read completely, or rejected with all of its errors.

use super::*;

fn read(text: &str) -> (Option<Workflow>, Vec<Diagnostic>) {
    let (kind, diagnostics) = super::read(Path::new("flows/chat.json"), text, &BTreeSet::new());
    match kind {
        FileKind::Workflow(workflow) => (workflow, diagnostics),
        FileKind::Settings => panic!("this is no file of settings"),
    }
}

/// The errors of a rejected file, as `line: message`.
fn diagnostics(text: &str) -> Vec<String> {
    let (workflow, diagnostics) = read(text);
    assert_eq!(workflow, None, "{text}");
    diagnostics.into_iter().map(|flaw| format!("{}: {}", flaw.line, flaw.sentence)).collect()
}

#[test]
fn an_object_and_a_bare_list_are_the_same() {
    let nodes = r#"[{"type": "StaticResponse", "content": "hi"}]"#;
    let (list, _) = read(nodes);
    let (object, _) = read(&format!(r#"{{"persona": "kind", "nodes": {nodes}}}"#));
    let (list, object) = (list.unwrap(), object.unwrap());
    assert_eq!(list.nodes, object.nodes);
    assert_eq!((list.name.as_str(), list.responder), ("chat", 0));
    assert_eq!(object.constants["persona"], Template::read("kind"));
}

#[test]
fn the_first_that_answers_is_the_responder_else_the_last() {
    let text = |flags: [bool; 3]| {
        let node = |flag| format!(r#"{{"type": "StaticResponse", "returnToUser": {flag}}}"#);
        format!("[{}]", flags.map(node).join(","))
    };
    let responder = |flags| read(&text(flags)).0.unwrap().responder;
    assert_eq!(responder([false, false, false]), 2);
    assert_eq!(responder([true, false, true]), 0);
    assert_eq!(responder([false, true, false]), 1);
    let (_, hints) = read(&text([true, false, true]));
    assert!(hints.iter().all(|flaw| flaw.harmless));
    assert!(hints[0].sentence.contains("answers the user already"), "{}", hints[0]);
}

#[test]
fn is_responder_wins_over_its_older_name() {
    let text = r#"[{"type": "StaticResponse", "is_responder": false, "returnToUser": true},
        {"type": "StaticResponse"}]"#;
    assert_eq!(read(text).0.unwrap().responder, 1);
}

#[test]
fn an_unknown_type_lists_the_known_ones_and_says_what_was_meant() {
    let flaws = diagnostics("[\n{\"type\": \"standart\", \"endpointName\": \"e\"}]");
    assert!(flaws[0].starts_with("2: there is no node type \"standart\"; is \"Standard\" meant?"));
    assert!(flaws[0].contains("VectorMemorySearch, "), "{flaws:?}");
}

#[test]
fn a_type_that_needs_a_foreign_service_loads_with_the_reason_and_what_to_use_instead() {
    let (workflow, hints) = read(r#"[{"type": "OfflineWikiApiPartialArticle"}]"#);
    assert_eq!(workflow.unwrap().nodes[0].kind.name(), "OfflineWikiApiPartialArticle");
    assert!(hints[0].harmless);
    assert!(hints[0].sentence.contains("an offline Wikipedia service; offer it"), "{}", hints[0]);
}

#[test]
fn a_variable_that_resembles_no_other_is_a_hint() {
    let (workflow, hints) =
        read(r#"[{"type": "GetCustomFile", "filepath": "{gameTempDir}/x.txt"}]"#);
    assert!(workflow.is_some());
    assert!(hints[0].sentence.contains("{gameTempDir}; it stays in the text"), "{}", hints[0]);
}

#[test]
fn every_flaw_is_told_with_its_line() {
    let flaws = diagnostics(
        r#"{
  "persona": "You are kind.",
  "nodes": [
    {"type": "Standard", "prompt": "{persna}"},
    {"type": "Standard", "endpointName": "{agent1Output}", "prompt": "{agent2Output}"},
    {"type": "Conditional", "condition": "1 =="},
    {"type": "VectorMemorySearch", "input": 7, "limit": "many"}
  ]
}"#,
    );
    for part in [
        "4: a Standard node needs \"endpointName\"",
        "6: the condition cannot be read",
        "7: \"input\" is a number; it must be text",
        "7: \"limit\" must be a whole number",
    ] {
        assert!(flaws.iter().any(|flaw| flaw.starts_with(part)), "{part} in {flaws:#?}");
    }
}

#[test]
fn variables_that_stand_for_nothing_are_named() {
    let flaws = diagnostics(
        r#"{"persona": "kind", "nodes": [
        {"type": "Standard", "endpointName": "{persona}", "prompt": "{persna}"},
        {"type": "Standard", "endpointName": "{agent1Output}", "prompt": "{agent2Output}"},
        {"type": "StaticResponse", "content": "{agent1Output} {agent1Input} {current_tim_12h}"}
    ]}"#,
    );
    assert_eq!(flaws.len(), 4, "{flaws:#?}");
    assert!(flaws[0].contains("no variable {persna}; is {persona} meant?"));
    assert!(flaws[1].contains("cannot stand in \"endpointName\""));
    assert!(flaws[2].contains("{agent2Output} is used before that node has run"));
    assert!(flaws[3].contains("is {current_time_12h} meant?"));
}

#[test]
fn what_is_no_workflow_is_told_what_one_is() {
    for (text, part) in [
        ("7", "a workflow is a list of nodes"),
        ("{}", "a workflow is a list of nodes"),
        (r#"{"nodes": 7}"#, "must be a list"),
        (r#"{"type": "Standard"}"#, "a single node"),
        ("[]", "there are no nodes"),
        ("[7]", "must be an object"),
    ] {
        let flaws = diagnostics(text);
        assert!(flaws.iter().any(|flaw| flaw.contains(part)), "{text}: {flaws:?}");
    }
}

#[test]
fn a_slip_in_a_property_is_hinted_at_and_a_remark_is_not() {
    let text = r#"[{"type": "Standard", "endpointName": "e", "promt": "x", "_remark": "y"}]"#;
    let (workflow, hints) = read(text);
    assert!(workflow.is_some());
    assert_eq!(hints.len(), 1, "{hints:?}");
    assert!(hints[0].sentence.contains("is \"prompt\" meant?"));
}
