//! From one machine to many: the same answers from a database, through any number of servers.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use everwhen_testkit::{sql, test_database};

use crate::stage::{Stage, finish};

/// A schema of its own in the tests' database.
pub(crate) fn fresh() -> String {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let name = format!("cli_{}_{}", std::process::id(), MADE.fetch_add(1, Ordering::SeqCst));
    let database = test_database();
    sql(&database, &format!("CREATE SCHEMA {name}"));
    let sign = if database.contains('?') { '&' } else { '?' };
    format!("{database}{sign}options=-csearch_path%3D{name}")
}

fn diary(stage: &Stage) {
    for (day, text) in [
        ("2023-01-08 12:49", "I visited MoMA today."),
        ("2023-01-15 10:00", "The Met has a fine armor hall."),
        ("2023-02-01 09:30", "The dentist was kind."),
    ] {
        stage.ok(&["remember", text, "--at", day, "--tag", "art"]);
    }
}

#[test]
fn everything_moves_to_a_database_and_back() {
    let stage = Stage::new();
    diary(&stage);
    let url = fresh();
    let from = format!("sqlite:{}", stage.data().display());
    let moved = stage.json(&["migrate", "--from", &from, "--to", &url]);
    let rows = |table: &str| {
        let moved = moved["moved"].as_array().unwrap();
        moved.iter().find(|it| it["table"] == table).unwrap()["rows"].as_u64().unwrap()
    };
    assert_eq!((rows("entry"), rows("vault"), rows("memory")), (3, 1, 1));

    let back = stage.home().join("back");
    let to = format!("sqlite:{}", back.display());
    stage.ok(&["migrate", "--from", &url, "--to", &to]);
    for question in ["museum armor", "when did I see the dentist?"] {
        // Titles are left out: each command does some of the work that waits.
        let asked = |place: &[&str]| {
            let found = stage.json(&[&["recall", question], place].concat());
            (found["items"].clone(), found["briefing"].clone())
        };
        let here = asked(&[]);
        assert_eq!(asked(&["--store", &url]), here);
        assert_eq!(asked(&["--data", back.to_str().unwrap()]), here);
    }
    let refused = stage.run(&["migrate", "--from", &from, "--to", &url]);
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.stderr.contains("is not empty"), "{refused:?}");
}

#[test]
fn what_one_server_keeps_another_finds() {
    let (one, other) = (Stage::new(), Stage::new());
    let url = fresh();
    let serve = |stage: &Stage| {
        let mut command: Command = stage.command(&[]);
        command.env("EVERWHEN_STORE_URL", &url);
        stage.serve_with(command, "127.0.0.1:0")
    };
    let (first, second) = (serve(&one), serve(&other));
    one.ok(&["remember", "I went to the harbour", "--server", &first.url]);
    let found = other.json(&["recall", "harbour", "--server", &second.url]);
    assert_eq!(found["items"][0]["entry"]["content"], "I went to the harbour");

    first.kill();
    other.ok(&["remember", "The ferry was late", "--server", &second.url]);
    let alone = one.json(&["entries", "--store", &url]);
    assert_eq!(alone["data"].as_array().unwrap().len(), 2);
}

#[test]
fn a_database_says_what_it_is_and_what_it_is_not() {
    let stage = Stage::new();
    let url = fresh();
    let healthy = stage.ok(&["doctor", "--store", &url]);
    assert!(healthy.contains("postgres://everwhen@127.0.0.1"), "{healthy}");
    let refused = stage.run(&["store", "distribute", "--store", &url]);
    assert!(refused.stderr.contains("has no Citus extension"), "{refused:?}");
    let refused = stage.run(&["store", "distribute"]);
    assert!(refused.stderr.contains("name it with --store"), "{refused:?}");
    let refused = stage.run(&["migrate", "--from", "sqlite:nowhere", "--to", &url]);
    assert_eq!(refused.code, 3, "{refused:?}");
}

#[test]
fn a_password_is_never_printed() {
    let stage = Stage::new();
    let mut command = stage.command(&["config"]);
    command.env("EVERWHEN_STORE_URL", "postgres://ana:s3cr3t@127.0.0.1:1/x");
    let shown = finish(&mut command, "");
    assert!(shown.stdout.contains("postgres://ana@127.0.0.1:1/x"), "{shown:?}");
    let mut command = stage.command(&["entries", "--store", "postgre://ana:s3cr3t@h/x"]);
    let refused = finish(&mut command, "");
    assert_ne!(refused.code, 0);
    assert!(!format!("{shown:?} {refused:?}").contains("s3cr3t"));
}
