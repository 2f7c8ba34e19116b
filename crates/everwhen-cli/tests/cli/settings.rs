//! Configuration as the binary sees it.

use crate::stage::{Stage, finish};

#[test]
fn an_unknown_key_names_the_nearest_and_nothing_happens() {
    let stage = Stage::new();
    let file = stage.file("my.toml", "vault = 'a'\nlistn = '127.0.0.1:1'\n");
    let ran = stage.run(&["remember", "x", "--config", file.to_str().unwrap()]);
    assert_eq!(ran.code, 2);
    let expected = format!(
        "everwhen: could not remember: {}:2: unknown key `listn`; did you mean `listen`?\n",
        file.display()
    );
    assert_eq!(ran.stderr, expected);
    assert!(!stage.data().exists());
}

#[test]
fn a_wrong_value_says_what_would_be_right() {
    let stage = Stage::new();
    let file = stage.file("my.toml", "[store]\nsynchronous = true\n");
    let ran = stage.run(&["config", "--config", file.to_str().unwrap()]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains(":2: `store.synchronous` is of type boolean"), "{}", ran.stderr);
    assert!(ran.stderr.contains("write \"full\" or \"normal\""), "{}", ran.stderr);
}

#[test]
fn every_value_says_where_it_came_from() {
    let stage = Stage::new();
    let file = stage.file("my.toml", "memory = 'diary'\n");
    let shown = stage.ok(&["config", "--config", "my.toml", "--vault", "ana"]);
    let line = |key: &str| {
        let start = format!("{key} = ");
        let found = shown.lines().find(|line| line.starts_with(&start));
        found.unwrap_or_else(|| panic!("{key} is missing in {shown}")).to_owned()
    };
    assert!(line("memory").contains("\"diary\"  "), "{shown}");
    assert!(line("memory").ends_with("# my.toml:1"), "{shown}");
    assert!(line("vault").ends_with("# flag --vault"), "{shown}");
    assert!(line("zone").ends_with("# environment EVERWHEN_ZONE"), "{shown}");
    assert!(line("conversations.retention").ends_with("# default"), "{shown}");

    let json = stage.json(&["config", "show", "--config", file.to_str().unwrap()]);
    assert_eq!(json["settings"]["memory"]["value"], "diary");
    assert_eq!(json["file"], file.to_str().unwrap());
}

#[test]
fn the_path_of_the_file_is_shown_whether_or_not_it_exists() {
    let stage = Stage::new();
    let path = stage.home().join(".config/everwhen/config.toml");
    assert_eq!(stage.ok(&["config", "path"]), format!("{}\n", path.display()));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "memory = 'from-the-usual-place'\n").unwrap();
    assert!(stage.ok(&["config"]).contains("from-the-usual-place"));
}

#[test]
fn an_unknown_variable_is_refused() {
    let stage = Stage::new();
    let ran = finish(stage.command(&["entries"]).env("EVERWHEN_VALUT", "x"), "");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("did you mean EVERWHEN_VAULT?"), "{}", ran.stderr);
}

#[test]
fn new_vaults_get_what_the_configuration_says() {
    let stage = Stage::new();
    let text = "zone = 'Asia/Tokyo'\n[conversations]\nconversationIdleTimeoutMinutes = 5\n";
    stage.file("my.toml", text);
    let remember = |args: &[&str]| {
        let mut command = stage.command(&[args, &["--config", "my.toml"]].concat());
        let ran = finish(command.env_remove("EVERWHEN_ZONE"), "");
        assert_eq!(ran.code, 0, "{ran:?}");
    };
    remember(&["remember", "one", "--at", "2023-01-08 12:00"]);
    remember(&["remember", "two", "--at", "2023-01-08 12:06"]);
    let entries = stage.json(&["entries", "--all"]);
    assert_eq!(entries["data"][0]["conversation_time"], "2023-01-08T03:00:00Z");
    assert_eq!(stage.json(&["conversations"])["data"].as_array().unwrap().len(), 2);
}
