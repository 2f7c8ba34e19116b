//! What the program says of itself: what to do next, help in groups, pages offline, the manual, the service.

use crate::stage::{Stage, finish};

#[test]
fn without_a_command_it_says_how_to_begin_and_creates_nothing() {
    let stage = Stage::new();
    let shown = stage.ok(&[]);
    for words in ["Nothing has been remembered here yet", "everwhen remember", "everwhen demo"] {
        assert!(shown.contains(words), "{words} in {shown}");
    }
    assert!(!stage.data().exists(), "looking creates nothing");
    assert_eq!(stage.json(&[])["memories"], 0);
}

#[test]
fn without_a_command_it_says_what_there_is_and_how_to_go_on() {
    let stage = Stage::new();
    stage.ok(&["remember", "hello", "--memory", "diary", "--at", "2025-03-02 10:00"]);
    let shown = stage.ok(&[]);
    for words in ["1 memory", "last active: diary, 20", "everwhen timeline"] {
        assert!(shown.contains(words), "{words} in {shown}");
    }
    let server = stage.serve();
    assert!(stage.ok(&[]).contains(&format!("the server at {}", server.url)));
    assert_eq!(stage.json(&[])["last_active"], "diary");
}

#[test]
fn help_is_grouped_and_explains_commands_and_topics() {
    let stage = Stage::new();
    let all = stage.ok(&["help"]);
    for heading in ["Use:", "Inspect:", "Manage:", "Operate:", "Measure:", "Global options:"] {
        assert!(all.contains(heading), "{heading} in {all}");
    }
    assert_eq!(stage.ok(&["--help"]).trim(), all.trim());
    assert!(stage.ok(&["help", "bench", "run"]).contains("Usage: everwhen bench run"));
    assert!(stage.ok(&["help", "frontends"]).starts_with("# Front ends, step by step"));
    let import = stage.run(&["help", "import"]);
    assert!(import.stdout.contains("Usage: everwhen import"), "{}", import.stdout);
    assert!(import.stderr.contains("everwhen help --page import"), "{}", import.stderr);
    assert!(stage.ok(&["help", "--page", "import"]).starts_with("# Import"));
    assert!(stage.ok(&["help", "settings"]).contains("`EVERWHEN_LISTEN` | 127.0.0.1:3939 |"));
    assert!(stage.ok(&["help", "commands"]).contains("## everwhen bench run\n"));
    let unknown = stage.run(&["help", "cooking"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("troubleshooting"), "{}", unknown.stderr);
}

#[test]
fn the_demo_fills_a_directory_wherever_it_is_named() {
    let stage = Stage::new();
    let before = stage.home().join("before");
    stage.ok(&["--data", before.to_str().unwrap(), "demo", "--fill"]);
    assert!(before.join("everwhen.db").exists() && !stage.data().exists());
    stage.ok(&["demo", "--fill"]);
    assert!(stage.data().join("everwhen.db").exists(), "EVERWHEN_DATA names it");
    let again = stage.run(&["demo", "--fill"]);
    assert!(again.code == 2 && again.stderr.contains("holds a memory already"), "{again:?}");
    let unkept = stage.run(&["demo", "--fill", "--data", ":memory:"]);
    assert!(unkept.code == 2 && unkept.stderr.contains("--data DIR"), "{unkept:?}");
    assert!(!stage.home().join(":memory:").exists());
    let nowhere = finish(stage.command(&["demo", "--fill"]).env_remove("EVERWHEN_DATA"), "");
    assert!(nowhere.code == 2 && nowhere.stderr.contains("--data DIR"), "{nowhere:?}");
}

#[test]
fn every_command_has_a_page_in_the_manual() {
    let stage = Stage::new();
    stage.ok(&["man", "man/man1"]);
    for name in ["everwhen.1", "everwhen-remember.1", "everwhen-bench-run.1"] {
        let page = std::fs::read_to_string(stage.home().join("man/man1").join(name)).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{name}: {page}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_service_is_written_shown_and_removed() {
    let stage = Stage::new();
    let unit = stage.home().join(".config/systemd/user/everwhen.service");
    let printed = stage.ok(&["service", "install", "--print"]);
    assert!(
        printed.contains("ExecStart=\"") && printed.contains("NoNewPrivileges=yes"),
        "{printed}"
    );
    assert!(!unit.exists(), "printing writes nothing");
    let none = stage.run(&["service", "status"]);
    assert!(none.code == 1 && none.stderr.contains("everwhen service install"), "{none:?}");
    let output = stage.ok(&["service", "install", "--no-start"]);
    assert!(output.contains("systemctl --user enable --now everwhen.service"), "{output}");
    let text = std::fs::read_to_string(&unit).unwrap();
    let data = format!("--data \"{}\"", stage.data().display());
    assert!(text.contains(&data), "{data} in {text}");
    assert_eq!(text.trim(), printed.trim());
    assert!(stage.run(&["service", "status"]).stdout.contains("installed: "));
    assert!(stage.ok(&["service", "remove"]).contains("data stays"));
    assert!(!unit.exists());
}
