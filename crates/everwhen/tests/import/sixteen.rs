//! What must hold for every source.

use everwhen::import::{Options, Plan, SOURCES};
use everwhen::memory::TimeFrom;
use serde_json::Value;

use crate::databases::{otherwise_written, with_times};
use crate::fixtures::{Fixture, Form, all};
use crate::stage::{Stage, now, options};

fn expected(fixture: &Fixture) -> Vec<(String, String, String)> {
    let mut rows: Vec<_> = fixture
        .expected
        .iter()
        .map(|(time, role, text)| ((*time).to_owned(), (*role).to_owned(), (*text).to_owned()))
        .collect();
    rows.sort_by_key(|(time, role, text)| {
        (time.parse::<jiff::Timestamp>().unwrap(), role.clone(), text.clone())
    });
    rows
}

/// The file of the same source and content, otherwise written.
fn rewritten(fixture: &Fixture, change: impl Fn(&mut Value) + Copy) -> String {
    let rewrite = |text: &str| {
        let mut value: Value = serde_json::from_str(text).unwrap();
        change(&mut value);
        value
    };
    match fixture.form {
        Form::Json => serde_json::to_string_pretty(&rewrite(&fixture.golden)).unwrap(),
        Form::Lines => fixture.golden.lines().map(|line| format!("{}\n", rewrite(line))).collect(),
        Form::Text => fixture.golden.clone(),
        Form::Database => otherwise_written(&fixture.golden),
    }
}

fn each_object(value: &mut Value, change: &dyn Fn(&mut serde_json::Map<String, Value>)) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|one| each_object(one, change)),
        Value::Object(map) => {
            map.values_mut().for_each(|one| each_object(one, change));
            change(map);
        }
        _ => {}
    }
}

#[test]
fn t01_the_golden_file_gives_exactly_its_entries() {
    for fixture in all() {
        let stage = Stage::new();
        let path = fixture.write(&stage, &fixture.golden);
        let (totals, report) = stage.import(&path);
        let name = fixture.file;
        assert_eq!(stage.rows(), expected(&fixture), "{name}: {report:?}");
        assert_eq!(totals.branches, fixture.branches, "{name}");
        assert!(report.problems.is_empty(), "{name}: {:?}", report.problems);
        for entry in stage.entries() {
            let from = entry.provenance.unwrap();
            assert_eq!(from.source.as_str(), fixture.source, "{name}");
        }
    }
}

#[test]
fn t02_again_stores_nothing() {
    for fixture in all() {
        let stage = Stage::new();
        let path = fixture.write(&stage, &fixture.golden);
        stage.import(&path);
        let before = stage.rows();
        let (totals, _) = stage.import(&path);
        assert_eq!(
            (totals.stored, totals.corrected, totals.branches),
            (0, 0, 0),
            "{}",
            fixture.file
        );
        assert_eq!(totals.known, fixture.expected.len() as u64, "{}", fixture.file);
        assert_eq!(stage.rows(), before);
    }
}

#[test]
fn t03_a_grown_file_stores_its_tail() {
    for fixture in all() {
        let stage = Stage::new();
        stage.import(&fixture.write(&stage, &fixture.golden));
        let (totals, _) = stage.import(&fixture.write(&stage, &fixture.grown));
        assert_eq!((totals.stored, totals.corrected), (fixture.more, 0), "{}", fixture.file);
        assert!(stage.rows().iter().any(|(_, _, text)| text == "later words"), "{}", fixture.file);
    }
}

#[test]
fn t04_otherwise_written_is_the_same() {
    for fixture in all() {
        let stage = Stage::new();
        stage.import(&fixture.write(&stage, &fixture.golden));
        let (totals, _) = stage.import(&fixture.write(&stage, &rewritten(&fixture, |_| {})));
        assert_eq!((totals.stored, totals.corrected), (0, 0), "{}", fixture.file);
    }
}

#[test]
fn t05_an_older_file_after_a_newer_one_takes_nothing_away() {
    for fixture in all() {
        let stage = Stage::new();
        stage.import(&fixture.write(&stage, &fixture.grown));
        let before = stage.rows();
        let (totals, _) = stage.import(&fixture.write(&stage, &fixture.golden));
        assert_eq!((totals.stored, totals.corrected), (0, 0), "{}", fixture.file);
        assert_eq!(stage.rows(), before, "{}", fixture.file);
    }
}

#[test]
fn t06_marks_and_line_ends_change_nothing_and_cuts_only_shorten() {
    for fixture in all() {
        let stage = Stage::new();
        let marked = match fixture.form {
            Form::Database => fixture.golden.clone(),
            _ => format!("\u{feff}{}", fixture.golden.replace('\n', "\r\n")),
        };
        stage.import(&fixture.write(&stage, &marked));
        let texts = |rows: Vec<(String, String, String)>| -> Vec<_> {
            rows.into_iter()
                .map(|(time, role, text)| (time, role, text.replace('\r', "")))
                .collect()
        };
        assert_eq!(texts(stage.rows()), expected(&fixture), "{}", fixture.file);
        if fixture.form == Form::Database {
            cut_database(&fixture, &stage);
            continue;
        }
        for part in 1..8 {
            let cut = fixture.golden.floor_char_boundary(fixture.golden.len() * part / 8);
            let bytes = fixture.golden.as_bytes()[..cut].to_vec();
            let Ok(plan) = Plan::of_bytes(fixture.file, bytes, &options("UTC")) else { continue };
            let report = plan.read(&options("UTC"), &mut |_, _| true);
            assert!(
                report.messages <= fixture.expected.len() as u64,
                "{} cut at {cut}",
                fixture.file
            );
        }
        let empty = stage.file("in", fixture.file, "");
        let error = stage.import_with(&empty, &options("UTC"), false).unwrap_err();
        assert!(error.message().contains("empty"), "{error}");
    }
}

/// A database that is cut gives no more than it has, and an empty one is refused.
fn cut_database(fixture: &Fixture, stage: &Stage) {
    let whole = std::fs::read(fixture.write(stage, &fixture.golden)).unwrap();
    for part in 0..8 {
        let path = stage.file("cut", fixture.file, &whole[..whole.len() * part / 8]);
        let Ok(plan) = Plan::of_paths(&[path], &options("UTC")) else { continue };
        assert!(part > 0, "{}: an empty file is refused", fixture.file);
        let report = plan.read(&options("UTC"), &mut |_, _| true);
        assert!(report.messages <= fixture.expected.len() as u64, "{}", fixture.file);
    }
}

#[test]
fn t07_unknown_fields_and_blocks_are_no_fault() {
    for fixture in all() {
        let stage = Stage::new();
        let changed = rewritten(&fixture, |value| {
            if let Value::Object(_) | Value::Array(_) = value {
                each_object(value, &|map| {
                    if !map.contains_key("u1") && !map.contains_key("m1") {
                        map.insert("zz_unknown".into(), serde_json::json!([1, { "a": null }]));
                    }
                });
            }
        });
        let (_, report) = stage.import(&fixture.write(&stage, &changed));
        assert_eq!(stage.rows(), expected(&fixture), "{}: {report:?}", fixture.file);
    }
}

#[test]
fn t08_impossible_times_are_never_used() {
    for fixture in all() {
        for (text, number) in [
            ("null", "null"),
            ("\"2099-01-01T00:00:00Z\"", "4070908800"),
            ("\"1970-01-01T00:00:00Z\"", "0"),
        ] {
            let stage = Stage::new();
            let changed = match fixture.form {
                Form::Database => with_times(&fixture.golden, number),
                _ => rewritten(&fixture, |value| each_time(value, text, number)),
            };
            let path = fixture.write(&stage, &changed);
            let Ok((totals, report)) = stage.import_with(&path, &options("UTC"), false) else {
                continue;
            };
            let spoken = totals.stored + report.undated;
            assert_eq!(
                spoken,
                fixture.expected.len() as u64,
                "{} {text}: {report:?}",
                fixture.file
            );
            for (time, ..) in stage.rows() {
                let year: i32 = time[..4].parse().unwrap();
                assert!((2010..=2026).contains(&year), "{} {text}: {time}", fixture.file);
                assert!(time.parse::<jiff::Timestamp>().unwrap() < now(), "{time}");
            }
        }
    }
}

/// Replaces all times of messages.
fn each_time(value: &mut Value, text: &str, number: &str) {
    let fields = [
        "create_time",
        "created_at",
        "createdAt",
        "timestamp",
        "time",
        "date_unixtime",
        "valid_at",
    ];
    each_object(value, &|map| {
        for field in fields {
            match map.get_mut(field) {
                Some(old @ Value::Number(_)) => *old = serde_json::from_str(number).unwrap(),
                Some(old @ Value::String(_)) => *old = serde_json::from_str(text).unwrap(),
                _ => {}
            }
        }
    });
}

#[test]
fn t09_circles_and_orphans_lose_nothing() {
    for fixture in all() {
        let Some(field) = fixture.parent else { continue };
        for parent in ["gone", "u1", "1", "h1", "m1"] {
            let stage = Stage::new();
            let of_database = || {
                let old = format!("\"{field}\":\"m1\"");
                fixture.golden.replace(&old, &format!("\"{field}\":\"{parent}\""))
            };
            let of_json = |value: &mut Value| {
                each_object(value, &|map| {
                    if map.contains_key(field) {
                        map.insert(field.into(), parent.into());
                    }
                });
            };
            let changed = match fixture.form {
                Form::Database => of_database(),
                _ => rewritten(&fixture, of_json),
            };
            stage.import(&fixture.write(&stage, &changed));
            let mut texts: Vec<String> =
                stage.rows().into_iter().map(|(_, _, text)| text).collect();
            let mut wanted: Vec<String> =
                expected(&fixture).into_iter().map(|(_, _, text)| text).collect();
            texts.sort();
            wanted.sort();
            assert_eq!(texts, wanted, "{} with parent {parent}", fixture.file);
        }
    }
}

#[test]
fn t10_a_long_chain_is_read_and_split() {
    let mut mapping = serde_json::Map::new();
    for n in 0..25_000_u32 {
        let parent = n.checked_sub(1).map(|n| format!("n{n}"));
        mapping.insert(format!("n{n}"), serde_json::json!({ "id": format!("n{n}"), "parent": parent, "message": {
            "author": { "role": if n % 2 == 0 { "user" } else { "assistant" } },
            "create_time": 1_700_000_000 + n, "content": { "content_type": "text", "parts": [format!("said {n}")] } } }));
    }
    let export = serde_json::json!([{ "id": "long", "title": "x", "current_node": "n24999", "mapping": mapping }]);
    let bytes = export.to_string().into_bytes();
    let plan = Plan::of_bytes("conversations.json", bytes, &options("UTC")).unwrap();
    let mut parts = Vec::new();
    let report = plan.read(&options("UTC"), &mut |_, one| {
        parts.push((one.name.to_string(), one.entries.len()));
        true
    });
    assert_eq!(report.messages, 25_000);
    assert_eq!(
        parts,
        [("long".into(), 10_000), ("long#2".into(), 10_000), ("long#3".into(), 5_000)]
    );
}

#[test]
fn t11_an_archive_is_read_wherever_the_file_is_in_it() {
    for fixture in all() {
        let stage = Stage::new();
        let path = stage.directory.path().join("export.zip");
        let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
        let usual = zip::write::SimpleFileOptions::default();
        let golden = std::fs::read(fixture.write(&stage, &fixture.golden)).unwrap();
        for (name, content) in [
            (format!("deep/er/{}", fixture.file), golden.as_slice()),
            ("../outside.json".to_owned(), b"{}"),
            ("readme.bin".to_owned(), b"\x01\x02"),
        ] {
            zip.start_file(name, usual).unwrap();
            std::io::Write::write_all(&mut zip, content).unwrap();
        }
        zip.finish().unwrap();
        if fixture.form == Form::Database {
            let error = stage.import_with(&path, &options("UTC"), false).unwrap_err();
            assert!(error.message().contains("unpack"), "{}: {error}", fixture.file);
            continue;
        }
        let (_, report) = stage.import(&path);
        if fixture.source == "mcp-memory" {
            // It has the time of its file alone, and a member of an archive is no file.
            assert_eq!(report.undated, fixture.expected.len() as u64);
        } else {
            assert_eq!(stage.rows(), expected(&fixture), "{}", fixture.file);
        }
        assert!(report.problems.iter().any(|one| one.contains("outside")), "{:?}", report.problems);
    }
}

#[test]
fn t12_odd_characters_are_kept_or_replaced() {
    for fixture in all() {
        let stage = Stage::new();
        let odd = match fixture.form {
            Form::Text => "a\u{1f600}\0b".to_owned(),
            _ => "a\\ud83d\\ude00\\u0000\\ud83d b".to_owned(),
        };
        let changed = fixture
            .golden
            .replace("'first words'", "'a\u{1f600}' || char(0) || 'b'")
            .replace("first words", &odd)
            .replace("\"first \"", &format!("\"{odd} \""));
        stage.import(&fixture.write(&stage, &changed));
        let found = stage
            .rows()
            .iter()
            .any(|(_, _, text)| text.contains('\u{1f600}') && !text.contains('\0'));
        assert!(found, "{}: {:?}", fixture.file, stage.rows());
    }
}

#[test]
fn t13_a_file_of_another_program_is_refused_by_name() {
    let generic = ["messages", "rows", "markdown"];
    for fixture in all() {
        let stage = Stage::new();
        let path = fixture.write(&stage, &fixture.golden);
        for source in
            SOURCES.iter().filter(|one| one.name != fixture.source && !generic.contains(&one.name))
        {
            let forced = Options { from: Some(source.name.into()), ..options("UTC") };
            let refusal = stage.import_with(&path, &forced, false).unwrap_err();
            assert!(refusal.message().contains(source.title), "{}: {refusal}", fixture.file);
        }
    }
}

#[test]
fn t14_a_rehearsal_tells_what_happens() {
    for fixture in all() {
        let stage = Stage::new();
        let path = fixture.write(&stage, &fixture.golden);
        let (totals, _) = stage.import_with(&path, &options("UTC"), true).unwrap();
        assert!(stage.rows().is_empty(), "{}", fixture.file);
        let (done, _) = stage.import(&path);
        assert_eq!(totals, done, "{}", fixture.file);
    }
}

#[test]
fn t15_no_zone_changes_a_stated_time() {
    for fixture in all().into_iter().filter(|one| one.is_utc) {
        let rows = ["Asia/Tokyo", "America/New_York"].map(|zone| {
            let stage = Stage::new();
            let path = fixture.write(&stage, &fixture.golden);
            stage.import_with(&path, &options(zone), false).unwrap();
            stage.rows()
        });
        assert_eq!(rows[0], rows[1], "{}", fixture.file);
    }
}

#[test]
fn t16_a_stated_time_is_kept_as_it_was_written() {
    for fixture in all() {
        let stage = Stage::new();
        stage.import(&fixture.write(&stage, &fixture.golden));
        for entry in stage.entries() {
            let from = entry.provenance.unwrap();
            if from.time_from != TimeFrom::Stated {
                continue;
            }
            let text = from.time_text.expect("a stated time has its text").to_string();
            assert!(fixture.golden.contains(&text), "{}: {text:?}", fixture.file);
            if let Ok(stated) = text.parse::<jiff::Timestamp>() {
                assert_eq!(stated, entry.conversation_time, "{}", fixture.file);
            }
        }
    }
}
