//! `everwhen workflow check` says what is wrong, where, and what would be right.

use crate::stage::Stage;

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
    let told = stage.json(&["workflow", "check", "flows"]);
    assert_eq!(told, serde_json::json!({ "workflows": ["hello"], "flaws": [] }));
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
    assert!(ran.stderr.contains("2 things are wrong"), "{ran:?}");
}

#[test]
fn a_directory_that_is_not_there_is_named() {
    let ran = Stage::new().run(&["workflow", "check", "nowhere"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("cannot read nowhere"), "{ran:?}");
}
