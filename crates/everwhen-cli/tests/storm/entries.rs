//! Every acknowledged entry survives `kill -9` at any moment.
//!
//! A server is killed in the middle of a storm of writes, again and again, on the same data. After
//! each kill it starts again, and every receipt it ever gave must be found, once, as it was given.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::server::{Server, request};

const KILLS: usize = 24;
const WRITERS: usize = 8;

/// What was acknowledged: the content by entry id.
type Receipts = Mutex<HashMap<String, String>>;

#[test]
fn every_acknowledged_entry_survives_being_killed() {
    let directory = tempfile::tempdir().unwrap();
    let receipts = Receipts::default();
    for kill in 0..KILLS {
        let mut server = Server::start(directory.path(), None);
        assert_all_there(&server.host, &receipts.lock().unwrap());
        storm(&mut server, kill, &receipts);
    }
    let server = Server::start(directory.path(), None);
    let receipts = receipts.into_inner().unwrap();
    assert!(receipts.len() > KILLS * WRITERS, "too calm: {} receipts", receipts.len());
    assert_all_there(&server.host, &receipts);
}

/// Writers write until the server dies under them, at a different moment every time.
fn storm(server: &mut Server, round: usize, receipts: &Receipts) {
    let (host, stop) = (server.host.clone(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (host, stop) = (&host, &stop);
            scope.spawn(move || write_until(host, (round, writer), stop, receipts));
        }
        std::thread::sleep(Duration::from_millis(40 + (round as u64 * 37) % 160));
        server.kill();
        stop.store(true, Ordering::Relaxed);
    });
}

fn write_until(
    host: &str,
    (round, writer): (usize, usize),
    stop: &AtomicBool,
    receipts: &Receipts,
) {
    let path = format!("/v1/vaults/storm/memories/m{}/entries", writer % 3);
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let content = format!("round {round} writer {writer} entry {number}");
        let body = serde_json::json!({"role": "user", "content": content}).to_string();
        let Some((201, answer)) = request(host, "POST", &path, &body) else { return };
        let id = answer["id"].as_str().unwrap().to_owned();
        assert!(receipts.lock().unwrap().insert(id, content).is_none(), "an id was given twice");
    }
}

/// Every receipt is found once, with what was said; nothing stands there twice.
fn assert_all_there(host: &str, receipts: &HashMap<String, String>) {
    let mut found: HashMap<String, String> = HashMap::new();
    for memory in 0..3 {
        let path = format!("/v1/vaults/storm/memories/m{memory}/entries?limit=1000");
        let mut cursor = String::new();
        loop {
            let (status, page) = request(host, "GET", &format!("{path}{cursor}"), "").unwrap();
            if status == 404 && receipts.is_empty() {
                return;
            }
            assert_eq!(status, 200, "{page}");
            for entry in page["data"].as_array().unwrap() {
                let text = |field: &str| entry[field].as_str().unwrap().to_owned();
                assert!(found.insert(text("id"), text("content")).is_none(), "listed twice");
            }
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
    }
    for (id, content) in receipts {
        assert_eq!(found.get(id), Some(content), "acknowledged and lost: {id}");
    }
}
