//! A large file never stands in memory as a whole. Alone in its process, because what is measured is the most
//! memory that the process had.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::io::{BufWriter, Write};
use std::path::Path;

use everwhen::import::{Options, Plan};
use everwhen::time::Zone;

/// Messages in each file, and the bytes of each.
const MESSAGES: u64 = 30_000;
const TEXT: usize = 2_500;
/// The most that reading may take above what the process has, in KiB. The files have 75 MB and more.
const MOST_KIB: u64 = 40 * 1024;

/// A time of a message: one every ten minutes, with a silence of an hour after every hundredth.
fn second(number: u64) -> i64 {
    1_600_000_000 + (number * 600 + number / 100 * 3_600) as i64
}

fn written(number: u64, format: &str) -> String {
    let time = jiff::Timestamp::from_second(second(number)).unwrap();
    time.to_zoned(jiff::tz::TimeZone::UTC).strftime(format).to_string()
}

fn said(number: u64) -> String {
    let mut text = format!("message {number} ");
    while text.len() < TEXT {
        write!(text, "word{} ", number.wrapping_mul(31) % 997).unwrap();
    }
    text
}

fn save(path: &Path, head: &str, tail: &str, one: impl Fn(u64) -> String) {
    let mut file = BufWriter::new(std::fs::File::create(path).unwrap());
    file.write_all(head.as_bytes()).unwrap();
    for number in 0..MESSAGES {
        file.write_all(one(number).as_bytes()).unwrap();
    }
    file.write_all(tail.as_bytes()).unwrap();
    file.flush().unwrap();
}

/// A value of `/proc/self/status` in KiB.
fn status(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn large_files_are_read_in_little_memory() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let message = |number: u64| {
        let comma = if number == 0 { "" } else { ",\n" };
        let second = second(number);
        format!(
            "{comma}{{\"id\":{number},\"type\":\"message\",\"date\":\"{}\",\"date_unixtime\":\"{second}\",\"from\":\"Ana\",\"text\":\"{}\"}}",
            written(number, "%Y-%m-%dT%H:%M:%S"),
            said(number)
        )
    };
    save(
        &path("result.json"),
        "{\"name\":\"Ana\",\"type\":\"personal_chat\",\"id\":7,\"messages\":[",
        "]}",
        message,
    );
    let account = "{\"about\":\"x\",\"chats\":{\"about\":\"y\",\"list\":[{\"name\":\"Ana\",\"type\":\"personal_chat\",\"id\":7,\"messages\":[";
    save(&path("account.json"), account, "]}]}}", message);
    save(&path("WhatsApp Chat with Ana.txt"), "", "", |number| {
        format!("{} - Ana: {}\n", written(number, "%d/%m/%Y, %H:%M"), said(number))
    });
    save(&path("log.csv"), "time,sender,text\n", "", |number| {
        format!("{},Ana,{}\n", written(number, "%d/%m/%Y %H:%M"), said(number))
    });
    save(&path("named.csv"), "time,conversation_id,text\n", "", |number| {
        format!("{},c{},{}\n", written(number, "%Y-%m-%dT%H:%M:%SZ"), number % 50, said(number))
    });
    let now = "2026-11-14T00:00:00Z".parse().unwrap();
    let options = Options::new(Zone::utc(), now);
    for name in
        ["result.json", "account.json", "WhatsApp Chat with Ana.txt", "log.csv", "named.csv"]
    {
        let plan = Plan::of_paths(&[path(name)], &options).unwrap();
        // The most memory is counted from here on.
        std::fs::write("/proc/self/clear_refs", "5").unwrap();
        let before = status("VmRSS");
        let (mut conversations, mut entries) = (0, 0);
        let report = plan.read(&options, &mut |_, one| {
            conversations += 1;
            entries += one.entries.len() as u64;
            true
        });
        let most = status("VmHWM").saturating_sub(before);
        assert!(report.problems.is_empty(), "{name}: {:?}", report.problems);
        assert_eq!(entries, MESSAGES, "{name}");
        assert!(conversations >= 50, "{name}: {conversations} conversations");
        assert!(most < MOST_KIB, "{name}: {most} KiB");
        let size = std::fs::metadata(path(name)).unwrap().len() / 1024;
        assert!(size > 70_000, "{name}: the file has {size} KiB, so it was not held as a whole");
    }
}
