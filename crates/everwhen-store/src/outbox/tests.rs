//! The outbox against its promises: durable, in order, bounded, erasable, one process a file.

use std::path::Path;

use super::*;

const MEGABYTE: u64 = 1024 * 1024;

fn open(directory: &Path) -> Outbox {
    Outbox::open(directory, MEGABYTE).unwrap()
}

fn heard<T>(ack: Ack<T>) -> Result<T> {
    ack.blocking_recv().unwrap()
}

fn row(outbox: &Outbox, memory: Option<&str>, text: &str) -> OutboxRow {
    OutboxRow {
        id: outbox.next_id(),
        lane: "lane".into(),
        vault: "v".into(),
        memory: memory.map(Into::into),
        state: RowState::Complete,
        accepted_at: Timestamp::from_second(1_000_000).unwrap(),
        head: b"head".to_vec(),
        parts: vec![part("the same again"), part(text)],
    }
}

fn part(text: impl AsRef<[u8]>) -> Arc<[u8]> {
    text.as_ref().into()
}

/// The row with this id, if it is there.
fn load(outbox: &Outbox, id: i64) -> Option<OutboxRow> {
    heard(outbox.load(vec![id])).unwrap().pop()
}

/// Whether any file in the directory holds this text.
fn holds(directory: &Path, text: &str) -> bool {
    let files = std::fs::read_dir(directory).unwrap();
    files
        .map(|file| std::fs::read(file.unwrap().path()).unwrap())
        .any(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
}

#[test]
fn rows_survive_and_are_read_in_their_order() {
    let directory = tempfile::tempdir().unwrap();
    let outbox = open(directory.path());
    let rows = ["one", "two", "three"].map(|text| row(&outbox, Some("m"), text));
    rows.iter().for_each(|row| heard(outbox.put(row.clone())).unwrap());
    outbox.remove(rows[1].id);
    drop(outbox);
    let outbox = open(directory.path());
    let waiting: Vec<i64> = heard(outbox.waiting()).unwrap().iter().map(|row| row.id).collect();
    assert_eq!(waiting, [rows[0].id, rows[2].id]);
    assert_eq!(load(&outbox, rows[2].id).as_ref(), Some(&rows[2]));
    assert_eq!(load(&outbox, rows[1].id), None);
    assert!(outbox.next_id() > rows[2].id, "an id is not given twice");
}

#[test]
fn a_row_is_replaced_by_its_id_and_shared_parts_are_kept_once() {
    let directory = tempfile::tempdir().unwrap();
    let outbox = open(directory.path());
    let history: Vec<Arc<[u8]>> = (0..20_u8).map(|number| part(vec![number; 1000])).collect();
    for turn in 1..=20 {
        let parts = history[..turn].to_vec();
        heard(outbox.put(OutboxRow { parts, ..row(&outbox, None, "") })).unwrap();
    }
    let bytes = outbox.stats().bytes;
    assert!(bytes < 120_000, "a history that is sent again costs its text again: {bytes} bytes");
    let first = row(&outbox, None, "first");
    heard(outbox.put(first.clone())).unwrap();
    let second = OutboxRow { parts: vec![part("second")], ..first.clone() };
    heard(outbox.put(second.clone())).unwrap();
    assert_eq!(load(&outbox, first.id), Some(second));
    assert_eq!(outbox.stats().rows, 21);
}

#[test]
fn what_does_not_fit_is_refused_but_the_end_of_a_known_row_is_not() {
    let directory = tempfile::tempdir().unwrap();
    let outbox = open(directory.path());
    let known = OutboxRow { state: RowState::Open, ..row(&outbox, None, "known") };
    heard(outbox.put(known.clone())).unwrap();
    let text = "x".repeat(MEGABYTE as usize);
    let error = heard(outbox.put(row(&outbox, None, &text))).unwrap_err();
    assert!(error.message().contains("proxy.outbox_bytes"), "{error}");
    assert_eq!(outbox.stats().rows, 1);
    let ended = OutboxRow { parts: vec![part(text)], state: RowState::Complete, ..known };
    heard(outbox.put(ended)).unwrap();
}

#[test]
fn what_is_erased_is_in_no_file_any_more() {
    let directory = tempfile::tempdir().unwrap();
    let outbox = open(directory.path());
    for (memory, text) in
        [(Some("m"), "SECRET"), (None, "UNKNOWN"), (Some("other"), "stays"), (Some("m"), "OPEN")]
    {
        let state = if text == "OPEN" { RowState::Open } else { RowState::Complete };
        heard(outbox.put(OutboxRow { state, ..row(&outbox, memory, text) })).unwrap();
    }
    let memories = Some(vec!["m".into()]);
    let all = Erase { vaults: vec!["v".into()], memories, part_since: None };
    assert_eq!(heard(outbox.erase(all)).unwrap(), 3);
    for text in ["SECRET", "UNKNOWN", "OPEN"] {
        assert!(!holds(directory.path(), text), "{text}");
    }
    assert!(holds(directory.path(), "stays"));
}

/// With a part of a memory those rows go that were set aside and may hold it; and what the store has taken.
#[test]
fn of_what_was_set_aside_only_what_may_hold_the_forgotten_part_is_erased() {
    let directory = tempfile::tempdir().unwrap();
    let outbox = open(directory.path());
    for (memory, accepted_at, text) in [
        (Some("m"), 9, "EARLIER"),
        (Some("m"), 10, "SECRET"),
        (None, 11, "UNKNOWN"),
        (Some("other"), 11, "ELSEWHERE"),
    ] {
        let accepted_at = Timestamp::from_second(accepted_at).unwrap();
        let row = OutboxRow { accepted_at, ..row(&outbox, memory, text) };
        heard(outbox.put(row.clone())).unwrap();
        heard(outbox.set_aside(row.id, "because".into())).unwrap();
    }
    let stored: Vec<OutboxRow> = (0..99).map(|_| row(&outbox, Some("m"), "STORED")).collect();
    for row in [&stored[..], &[row(&outbox, Some("m"), "WAITING")]].concat() {
        heard(outbox.put(row)).unwrap();
    }
    stored.iter().for_each(|row| outbox.remove(row.id));
    let part_since = Some(Timestamp::from_second(10).unwrap());
    let memories = Some(vec!["m".into()]);
    let part = Erase { vaults: vec!["v".into()], memories, part_since };
    assert_eq!(heard(outbox.erase(part)).unwrap(), 2);
    for text in ["SECRET", "UNKNOWN", "STORED"] {
        assert!(!holds(directory.path(), text), "{text}");
    }
    for text in ["EARLIER", "ELSEWHERE", "WAITING"] {
        assert!(holds(directory.path(), text), "{text}");
    }
    assert_eq!(outbox.stats().set_aside, 2);
}

#[test]
fn what_can_never_be_stored_is_listed_with_its_reason_until_it_is_too_old() {
    let directory = tempfile::tempdir().unwrap();
    let outbox = open(directory.path());
    let (kept, gone) = (row(&outbox, Some("m"), "KEPT"), row(&outbox, Some("m"), "GONE"));
    for row in [&kept, &gone] {
        heard(outbox.put(row.clone())).unwrap();
    }
    heard(outbox.set_aside(kept.id, "because".into())).unwrap();
    heard(outbox.discard(gone.id)).unwrap();
    assert!(heard(outbox.waiting()).unwrap().is_empty());
    assert_eq!(heard(outbox.list_set_aside(10)).unwrap()[0].reason, "because");
    assert_eq!((outbox.stats().rows, outbox.stats().set_aside), (0, 1));
    assert_eq!(load(&outbox, kept.id).unwrap().parts.len(), 2);
    assert!(holds(directory.path(), "KEPT") && !holds(directory.path(), "GONE"));
    heard(outbox.put(row(&outbox, None, "young"))).unwrap();
    assert_eq!(heard(outbox.expire(Timestamp::from_second(999_999).unwrap())).unwrap(), 0);
    assert_eq!(heard(outbox.expire(Timestamp::from_second(1_000_001).unwrap())).unwrap(), 1);
    assert_eq!(outbox.stats().rows + outbox.stats().set_aside, 0);
}

#[test]
fn a_second_process_gets_a_file_of_its_own_and_its_rows_are_taken_over_when_it_is_gone() {
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("made/at/start");
    let (first, second) = (open(&directory), open(&directory));
    heard(first.put(row(&first, None, "of the first"))).unwrap();
    heard(second.put(row(&second, None, "of the second"))).unwrap();
    drop(second);
    drop(first);
    let again = open(&directory);
    let rows = heard(again.waiting()).unwrap();
    let text = |id: i64| load(&again, id).unwrap().parts[1].to_vec();
    assert_eq!(text(rows[0].id), b"of the first");
    assert_eq!(text(rows[1].id), b"of the second");
    assert!(!directory.join("proxy-outbox-2.db").exists());
}

#[test]
fn a_part_goes_with_the_last_row_that_uses_it() {
    let directory = tempfile::tempdir().unwrap();
    let outbox = open(directory.path());
    let rows = [(); 3].map(|()| row(&outbox, Some("m"), "SHARED"));
    for row in &rows {
        // An open row, then the whole one in its place.
        heard(outbox.put(OutboxRow { state: RowState::Open, ..row.clone() })).unwrap();
        heard(outbox.put(row.clone())).unwrap();
    }
    heard(outbox.discard(rows[0].id)).unwrap();
    drop(outbox);
    let outbox = open(directory.path());
    heard(outbox.discard(rows[1].id)).unwrap();
    assert_eq!(load(&outbox, rows[2].id).as_ref(), Some(&rows[2]));
    let run = heard(outbox.load(rows.iter().map(|row| row.id).collect())).unwrap();
    assert_eq!(run, [rows[2].clone()]);
    heard(outbox.discard(rows[2].id)).unwrap();
    assert!(!holds(directory.path(), "SHARED"));
}

#[test]
fn the_memory_of_rows_that_wait_is_noted() {
    let directory = tempfile::tempdir().unwrap();
    let outbox = open(directory.path());
    let (one, two) = (row(&outbox, None, "one"), row(&outbox, None, "two"));
    for row in [&one, &two] {
        heard(outbox.put(row.clone())).unwrap();
    }
    let gone = outbox.next_id();
    let heads = vec![(one.id, b"new".to_vec()), (gone, b"gone".to_vec())];
    heard(outbox.assign("m".into(), heads)).unwrap();
    let noted = OutboxRow { memory: Some("m".into()), head: b"new".to_vec(), ..one.clone() };
    assert_eq!(load(&outbox, one.id), Some(noted));
    assert_eq!(load(&outbox, two.id), Some(two));
    assert_eq!(outbox.stats().rows, 2);
}

#[test]
fn an_outbox_of_the_first_version_is_taken_over() {
    let directory = tempfile::tempdir().unwrap();
    let file = rusqlite::Connection::open(directory.path().join("proxy-outbox.db")).unwrap();
    file.execute_batch(include_str!("version_1.sql")).unwrap();
    drop(file);
    let outbox = open(directory.path());
    let rows = heard(outbox.load(vec![7, 9])).unwrap();
    let texts =
        |row: &OutboxRow| -> Vec<Vec<u8>> { row.parts.iter().map(|p| p.to_vec()).collect() };
    assert_eq!(texts(&rows[0]), [b"hello".to_vec(), b"hi".to_vec()]);
    assert_eq!(texts(&rows[1]), [b"hello".to_vec(), b"hi".to_vec(), b"hello".to_vec()]);
    assert_eq!((rows[1].memory.as_deref(), rows[1].head.as_slice()), (Some("m"), &b"head"[..]));
    heard(outbox.discard(9)).unwrap();
    assert_eq!(heard(outbox.load(vec![7])).unwrap(), rows[..1]);
}

#[cfg(unix)]
#[test]
fn nobody_else_reads_it() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    std::fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let outbox = open(directory.path());
    heard(outbox.put(row(&outbox, None, "private"))).unwrap();
    for file in std::fs::read_dir(directory.path()).unwrap() {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", file.path().display());
    }
}
