//! Broken, hostile and foreign files: each has a clear message, and what came before the fault stays.

use crate::fixtures::all;
use crate::stage::{Stage, options};

fn chatgpt(count: usize) -> String {
    let one = |n: usize| {
        format!(
            "{{\"id\":\"c{n}\",\"title\":\"t\",\"current_node\":\"a\",\"mapping\":{{\"a\":{{\"id\":\"a\",\"parent\":null,\
             \"message\":{{\"author\":{{\"role\":\"user\"}},\"create_time\":17000000{:02},\"content\":\
             {{\"content_type\":\"text\",\"parts\":[\"said {n}\"]}}}}}}}}}}",
            n % 100
        )
    };
    let all: Vec<String> = (0..count).map(one).collect();
    format!("[{}]", all.join(","))
}

#[test]
fn half_a_file_gives_its_first_half_and_goes_on_later() {
    let stage = Stage::new();
    let whole = chatgpt(10);
    let cut = whole.find("\"c7\"").unwrap();
    let (totals, report) = stage.import(&stage.file("in", "conversations.json", &whole[..cut]));
    assert_eq!(totals.stored, 7);
    assert!(
        report.problems[0].contains("conversations.json") && report.problems[0].contains("column"),
        "{:?}",
        report.problems
    );
    let (totals, report) = stage.import(&stage.file("in", "conversations.json", &whole));
    assert_eq!((totals.stored, totals.known), (3, 7));
    assert!(report.problems.is_empty());
}

#[test]
fn a_cut_archive_is_named() {
    let stage = Stage::new();
    let path = stage.directory.path().join("cut.zip");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    zip.start_file("conversations.json", zip::write::SimpleFileOptions::default()).unwrap();
    std::io::Write::write_all(&mut zip, chatgpt(50).as_bytes()).unwrap();
    zip.finish().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let error = stage.import_with(&path, &options("UTC"), false).unwrap_err();
    assert!(error.message().contains("cut.zip") && error.message().contains("again"), "{error}");
}

#[test]
fn a_member_that_unpacks_to_far_more_is_not_read() {
    let stage = Stage::new();
    let path = stage.directory.path().join("bomb.zip");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    let usual = zip::write::SimpleFileOptions::default();
    zip.start_file("conversations.json", usual).unwrap();
    let zeros = vec![b' '; 1024 * 1024];
    for _ in 0..80 {
        std::io::Write::write_all(&mut zip, &zeros).unwrap();
    }
    zip.add_symlink("link.json", "/etc/passwd", usual).unwrap();
    zip.finish().unwrap();
    let error = stage.import_with(&path, &options("UTC"), false).unwrap_err();
    assert!(error.message().contains("unpack"), "{error}");
}

#[test]
fn a_file_of_no_known_program_names_those_that_are() {
    let stage = Stage::new();
    for (name, content) in
        [("x.json", "{\"a\":1}"), ("x.bin", "\u{1}\u{2}\u{3}"), ("y.json", "not json")]
    {
        let path = stage.file("in", name, content);
        let error = stage.import_with(&path, &options("UTC"), false).unwrap_err();
        assert!(
            error.message().contains("--from") && error.message().contains("chatgpt"),
            "{error}"
        );
    }
    let missing = stage.directory.path().join("nothing.json");
    assert!(
        stage
            .import_with(&missing, &options("UTC"), false)
            .unwrap_err()
            .message()
            .contains("nothing.json")
    );
}

#[test]
fn other_encodings_are_read() {
    let stage = Stage::new();
    let text = "28/03/24, 10:01 - Ana: Grüße aus München, schöne Straße\n28/03/24, 10:02 - Bo: über Köln\n";
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    stage.import(&stage.file("in", "WhatsApp Chat with A.txt", utf16));
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let (totals, report) = stage.import(&stage.file("in", "WhatsApp Chat with A.txt", latin));
    assert_eq!((totals.stored, totals.known), (0, 2), "{report:?}");
    assert!(!report.warnings.is_empty());
}

#[test]
fn a_message_of_megabytes_is_split_and_a_line_of_megabytes_is_read() {
    let stage = Stage::new();
    let long = "word ".repeat(500_000);
    let line = serde_json::json!({ "messages": [{ "role": "user", "content": long, "timestamp": 1_700_000_000 }] });
    let (totals, report) = stage.import(&stage.file("in", "big.jsonl", format!("{line}\n")));
    assert_eq!(totals.stored, 3, "{report:?}");
    let (again, _) = stage.import(&stage.file("in", "big.jsonl", format!("{line}\n")));
    assert_eq!(again.stored, 0);
}

#[test]
fn any_order_of_files_gives_the_same() {
    let write = |stage: &Stage, names: [&str; 2]| {
        for (fixture, folder) in
            all().iter().filter(|one| one.source == "chatgpt" || one.source == "claude").zip(names)
        {
            stage.file(folder, fixture.file, &fixture.golden);
        }
    };
    let (one, two) = (Stage::new(), Stage::new());
    write(&one, ["in/a", "in/b"]);
    write(&two, ["in/b", "in/a"]);
    one.import(&one.directory.path().join("in"));
    two.import(&two.directory.path().join("in"));
    assert_eq!(one.rows(), two.rows());
    assert_eq!(one.rows().len(), 7);
}

#[test]
fn an_older_export_after_a_newer_one_does_not_bring_its_summary() {
    let export = |messages: u32| {
        let message = |number: u32| {
            let words = ["train", "ferry", "museum", "garden", "market", "bridge"];
            serde_json::json!({ "id": format!("m{number}"),
                "parent": number.checked_sub(1).map(|before| format!("m{before}")),
                "message": { "id": format!("m{number}"), "author": { "role": "user" },
                    "create_time": 1_700_000_000 + number, "metadata": {},
                    "content": { "content_type": "text",
                        "parts": [format!("The {} by the sea.", words[number as usize])] } } })
        };
        let mapping: serde_json::Map<String, serde_json::Value> =
            (0..messages).map(|number| (format!("m{number}"), message(number))).collect();
        serde_json::json!([{ "id": "c", "conversation_id": "c", "title": "A trip to the sea",
            "create_time": 1_700_000_000, "update_time": 1_700_000_000 + messages,
            "current_node": format!("m{}", messages - 1), "mapping": mapping }])
        .to_string()
    };
    let imported = |order: &[u32]| {
        let stage = Stage::new();
        for messages in order {
            stage.import(&stage.file("in", "conversations.json", export(*messages)));
        }
        stage.summaries()
    };
    let expected = imported(&[6]);
    assert_eq!(expected.len(), 1);
    assert_eq!(expected[0].0, "A trip to the sea");
    assert_ne!(imported(&[2]), expected, "they tell different things");
    assert_eq!(imported(&[2, 6]), expected);
    assert_eq!(imported(&[6, 2]), expected);
}

#[test]
fn a_file_of_two_zones_keeps_both() {
    let stage = Stage::new();
    let rows = serde_json::json!([
        { "timestamp": "2024-02-02T10:00:00+09:00", "text": "in Tokyo" },
        { "timestamp": "2024-02-02T10:00:00-05:00", "text": "in New York" },
    ]);
    stage.import(&stage.file("in", "rows.json", rows.to_string()));
    let times: Vec<String> = stage.rows().into_iter().map(|(time, ..)| time).collect();
    assert_eq!(times, ["2024-02-02T01:00:00Z", "2024-02-02T15:00:00Z"]);
}
