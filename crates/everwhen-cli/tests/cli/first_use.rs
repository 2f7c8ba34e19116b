//! The story of a new user: one command, a few entries, a crash, and everything is still there.

use everwhen::SystemClock;
use everwhen::time::{Clock, Zone};
use serde_json::Value;

use crate::stage::Stage;

/// The 8th of last month, as a user would type it.
fn last_month() -> String {
    let now = Zone::named("Europe/Berlin").unwrap().show(SystemClock.now());
    let first = now.date().first_of_month().yesterday().unwrap().first_of_month();
    first.saturating_add(jiff::Span::new().days(7)).to_string()
}

fn contents(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|row| row["content"].as_str().unwrap()).collect()
}

#[test]
fn what_is_remembered_is_there_after_the_process_is_killed() {
    let stage = Stage::new();
    let day = last_month();
    let server = stage.serve();
    // Out of order on purpose: the times decide.
    let said = [
        ("The dinosaurs were the best part", "12:55"),
        ("I went to the museum today", "12:49"),
        ("Now I am tired", "13:10"),
    ];
    for (text, time) in said {
        stage.ok(&["remember", text, "--at", &format!("{day} {time}")]);
    }
    stage.ok(&["remember", "Good morning"]);

    let in_order = [
        "I went to the museum today",
        "The dinosaurs were the best part",
        "Now I am tired",
        "Good morning",
    ];
    let before = stage.json(&["entries", "--all"]);
    assert_eq!(contents(&before), in_order);
    let conversations = stage.json(&["conversations"]);
    assert_eq!(conversations["data"].as_array().unwrap().len(), 2, "{conversations}");

    server.kill();
    let server = stage.serve();
    assert_eq!(stage.json(&["entries", "--all"]), before);
    assert_eq!(stage.json(&["conversations"])["data"].as_array().unwrap().len(), 2);

    assert_eq!(server.terminate(), 0);
    assert!(!stage.data().join("server.json").exists());
    assert_eq!(stage.json(&["entries", "--all"]), before, "without a server it is the same");
}

#[test]
fn people_see_the_time_on_the_wall_clock_of_the_vault() {
    let stage = Stage::new();
    stage.ok(&["remember", "I went to the museum\nand liked it", "--at", "2023-01-08T11:49:00Z"]);
    stage.ok(&["remember", "A lovely day!", "--role", "assistant", "--at", "2023-01-08 12:50"]);
    let listed = stage.run(&["entries"]);
    let lines: Vec<&str> = listed.stdout.lines().collect();
    assert!(lines[0].starts_with("2023-01-08 12:49  ent_"), "{lines:?}");
    assert!(lines[0].ends_with("  user       I went to the museum"), "{lines:?}");
    assert_eq!(lines[1].find("and liked it"), lines[0].find("I went"), "{lines:?}");
    assert!(lines[2].ends_with("  assistant  A lovely day!"), "{lines:?}");
    assert!(!listed.stdout.contains('\u{1b}'), "color off a terminal");
    assert!(listed.stderr.contains("2 entries; times in Europe/Berlin"), "{}", listed.stderr);
}

#[test]
fn the_museum_visits_are_a_week_apart() {
    let stage = Stage::new();
    stage.ok(&["remember", "I went to the museum", "--at", "2023-01-08 12:49"]);
    stage.ok(&["remember", "Went again", "--at", "2023-01-15"]);
    assert_eq!(
        stage.ok(&["timeline"]),
        "2023-01-08 – I went to the museum\n2023-01-15 – Went again (+7 days)\n"
    );
    let later = stage.ok(&["timeline", "--after", "2023-01-09"]);
    assert_eq!(later, "2023-01-15 – Went again\n");
    let none = stage.run(&["timeline", "--after", "2024-01-01"]);
    assert_eq!((none.code, none.stdout.as_str()), (0, ""));
    assert!(none.stderr.contains("nothing was said then"), "{}", none.stderr);
}

/// Processor time until the server says where it is: other processes do not change it.
#[cfg(target_os = "linux")]
#[test]
fn a_server_starts_with_little_work() {
    let stage = Stage::new();
    let server = stage.serve();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.pid())).unwrap();
    // Behind the name of the program: state, then numbers; user and system time are the 12th and 13th.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let hundredths: u64 = fields[11..13].iter().map(|field| field.parse::<u64>().unwrap()).sum();
    assert!(hundredths < 70, "{hundredths} hundredths of a second");
}
