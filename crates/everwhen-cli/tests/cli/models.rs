//! Fetching models. The real one is fetched in the tests of everwhen-models.

use crate::stage::{Stage, finish};

#[test]
fn models_that_can_be_fetched_are_listed() {
    let stage = Stage::new();
    assert_eq!(stage.ok(&["models"]), "minilm  all-MiniLM-L6-v2  not fetched\n");
    assert!(stage.json(&["models", "list"])["data"][0]["directory"].is_null());
    assert!(!stage.data().exists());
}

#[test]
fn only_known_models_are_fetched_and_only_if_they_are_what_they_should_be() {
    let stage = Stage::new();
    let unknown = stage.run(&["models", "pull", "gpt"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("available: minilm"), "{}", unknown.stderr);
    stage.file("model.onnx", "something else");
    let home = stage.home().display().to_string();
    let wrong = stage.run(&["models", "pull", "minilm", "--from", &home]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("not all-MiniLM-L6-v2: its sha256 is"), "{}", wrong.stderr);
    assert_eq!(std::fs::read_dir(stage.data().join("models")).unwrap().count(), 0);
}

#[test]
fn without_an_index_other_ways_are_named() {
    let stage = Stage::new();
    let ran = stage.run(&["models", "pull", "minilm", "--python", "no-such-python"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("--from DIRECTORY"), "{}", ran.stderr);
    let ran = stage.run(&["models", "pull", "minilm", "--url", "http://127.0.0.1:1/hub"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("Connection refused"), "{}", ran.stderr);
}

#[test]
fn without_certificates_plain_addresses_can_be_asked_and_secure_ones_say_why_not() {
    let stage = Stage::new();
    let said = |args: &[&str]| {
        let mut command = stage.command(args);
        let nowhere = stage.home().join("nowhere");
        finish(command.env("SSL_CERT_FILE", &nowhere).env("SSL_CERT_DIR", &nowhere), "").stderr
    };
    let plain = said(&["entries", "--server", "http://127.0.0.1:1"]);
    assert!(plain.contains("Connection refused"), "{plain}");
    let secure = said(&["models", "pull", "minilm", "--url", "https://127.0.0.1:1/hub"]);
    assert!(secure.contains("No CA certificates"), "{secure}");
}

#[test]
fn a_transformer_that_is_not_there_is_said_with_the_way_to_get_it() {
    let stage = Stage::new();
    stage.file("my.toml", "[embedder]\nkind = 'transformer'\n");
    stage.ok(&["remember", "anything"]);
    let ran = stage.run(&["recall", "anything", "--config", "my.toml"]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("`everwhen models pull minilm`"), "{}", ran.stderr);
}
