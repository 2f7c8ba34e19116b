//! Messages without a date, with one that is none, and with dates that are easily misread.

use everwhen::memory::{Entry, TimeFrom, TimePrecision};
use serde_json::json;

use crate::stage::Stage;

fn times(stage: &Stage) -> Vec<(String, String)> {
    let row = |one: Entry| (one.conversation_time.to_string(), one.content.as_str().to_owned());
    stage.entries().into_iter().map(row).collect()
}

/// Times after which nothing is said for a moment, and the texts at them.
fn expect(stage: &Stage, expected: &[(&str, &str)]) {
    let expected: Vec<(String, String)> =
        expected.iter().map(|(time, text)| ((*time).to_owned(), (*text).to_owned())).collect();
    assert_eq!(times(stage), expected);
}

#[test]
fn a_message_without_a_time_stays_behind_the_one_before_it() {
    let stage = Stage::new();
    let rows = "time,role,text\n2024-01-01 10:00,user,first question\n,assistant,undated answer\n\
                ,user,undated thanks\n2024-01-01 10:05,user,last\n,assistant,at the end\n";
    stage.import(&stage.file("in", "nd.csv", rows));
    expect(
        &stage,
        &[
            ("2024-01-01T10:00:00Z", "first question"),
            ("2024-01-01T10:00:00.000001Z", "undated answer"),
            ("2024-01-01T10:00:00.000002Z", "undated thanks"),
            ("2024-01-01T10:05:00Z", "last"),
            ("2024-01-01T10:05:00.000001Z", "at the end"),
        ],
    );
}

#[test]
fn in_a_file_with_the_newest_first_the_message_before_stands_below() {
    let stage = Stage::new();
    let rows = "time,role,text\n,user,newest\n2024-01-01 12:05,user,last\n,assistant,answer\n\
                2024-01-01 12:00,user,question\n2024-01-01 10:00,user,first\n";
    stage.import(&stage.file("in", "falls.csv", rows));
    expect(
        &stage,
        &[
            ("2024-01-01T10:00:00Z", "first"),
            ("2024-01-01T12:00:00Z", "question"),
            ("2024-01-01T12:00:00.000001Z", "answer"),
            ("2024-01-01T12:05:00Z", "last"),
            ("2024-01-01T12:05:00.000001Z", "newest"),
        ],
    );
}

#[test]
fn one_bad_date_in_a_chat_stays_in_its_place() {
    let stage = Stage::new();
    let message = |id: u32, date: &str, text: &str| json!({ "id": id, "type": "message", "date": date, "from": "Ana", "text": text });
    let chat = json!({ "name": "Ana", "type": "personal_chat", "id": 1, "messages": [
        message(1, "2024-01-01T10:00:00", "first"), message(2, "2024-01-01T13:00:00", "second"),
        message(3, "broken", "third"), message(4, "2024-01-01T15:00:00", "fourth"),
    ] });
    stage.import(&stage.file("in", "result.json", chat.to_string()));
    expect(
        &stage,
        &[
            ("2024-01-01T10:00:00Z", "first"),
            ("2024-01-01T13:00:00Z", "second"),
            ("2024-01-01T13:00:00.000001Z", "third"),
            ("2024-01-01T15:00:00Z", "fourth"),
        ],
    );
    let third = stage.entries().remove(2);
    assert_eq!(third.provenance.unwrap().time_from, TimeFrom::Neighbour);
}

#[test]
fn written_dates_before_2000_are_dates_and_the_beginning_of_a_clock_is_none() {
    let stage = Stage::new();
    let line = json!({ "conversation_id": "c", "messages": [
        { "role": "user", "content": "old", "timestamp": "1999-12-31T10:00:00Z" },
        { "role": "user", "content": "epoch", "timestamp": "1970-01-01T00:00:00Z" },
        { "role": "user", "content": "local epoch", "timestamp": "1970-01-01 00:00" },
        { "role": "user", "content": "number", "timestamp": 915_148_800 },
    ] });
    stage.import(&stage.file("in", "old.jsonl", format!("{line}\n")));
    expect(
        &stage,
        &[
            ("1999-12-31T10:00:00Z", "old"),
            ("1999-12-31T10:00:00.000001Z", "epoch"),
            ("1999-12-31T10:00:00.000002Z", "local epoch"),
            ("1999-12-31T10:00:00.000003Z", "number"),
        ],
    );
}

#[test]
fn a_heading_with_the_name_of_a_month_is_a_day() {
    for heading in [
        "## 2024-03-04",
        "## March 4, 2024",
        "## Mar 4, 2024",
        "## 4 March 2024",
        "## Monday, March 4, 2024",
        "## Monday, 4 March 2024",
    ] {
        let stage = Stage::new();
        stage.import(&stage.file("in", "note.md", format!("{heading}\nsaid\n")));
        let entry = stage.entries().remove(0);
        assert_eq!(entry.conversation_time.to_string(), "2024-03-04T00:00:00Z", "{heading}");
        assert_eq!(entry.provenance.unwrap().precision, TimePrecision::Day, "{heading}");
    }
    let stage = Stage::new();
    stage.import(&stage.file("in", "note.md", "## March 4, 2024, 10:30 AM\nsaid\n"));
    let entry = stage.entries().remove(0);
    assert_eq!(entry.conversation_time.to_string(), "2024-03-04T10:30:00Z");
    assert_eq!(entry.provenance.unwrap().precision, TimePrecision::Minute);
}

#[test]
fn a_date_that_cannot_be_read_is_named_and_kept_as_written() {
    let stage = Stage::new();
    let rows = "time,role,text\n2024-01-01 10:00,user,first\n2024-02-30 10:00,user,bad\nhello,user,worse\n\
                ,user,none\n1970-01-01 00:00,user,zero\n31/31/2024,user,slashed\n25/01/2024,user,end\n";
    let (totals, report) = stage.import(&stage.file("in", "bd.csv", rows));
    assert_eq!(
        (totals.stored, report.unread_dates, report.problems.len()),
        (7, 3, 3),
        "{report:?}"
    );
    for (problem, row, text) in [
        (&report.problems[0], "row 3", "\"2024-02-30 10:00\""),
        (&report.problems[1], "row 4", "\"hello\""),
        (&report.problems[2], "row 7", "\"31/31/2024\""),
    ] {
        for part in ["bd.csv", row, text, "placed after the one before it"] {
            assert!(problem.contains(part), "{part}: {problem}");
        }
    }
    let written = |text: &str| {
        let entry = stage.entries().into_iter().find(|one| one.content.as_str() == text).unwrap();
        entry.provenance.unwrap().time_text.map(|written| written.to_string())
    };
    assert_eq!(written("bad").as_deref(), Some("2024-02-30 10:00"));
    assert_eq!(written("none"), None);

    let line = json!({ "messages": [
        { "role": "user", "content": "a", "timestamp": "2024-01-01T10:00:00+25:00" },
    ] });
    let (totals, report) = stage.import(&stage.file("in", "one.jsonl", format!("{line}\n")));
    assert_eq!((totals.stored, report.unread_dates), (0, 1));
    let problem = &report.problems[0];
    assert!(problem.contains("line 1, message 1") && problem.contains("left out"), "{problem}");
}
