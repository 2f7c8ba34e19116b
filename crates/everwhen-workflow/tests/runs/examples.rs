//! The workflows that come with the program: each can be used as it stands, with whatever endpoint there is.

use std::path::{Path, PathBuf};

use everwhen::ledger::Commit;

use crate::stage::{Notes, Stage};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/workflows")
}

#[tokio::test]
async fn every_example_answers_and_writes_what_it_says() {
    let mut names = Vec::new();
    for file in std::fs::read_dir(directory()).unwrap() {
        let path = file.unwrap().path();
        names.push(path.file_stem().unwrap().to_string_lossy().into_owned());
        let text = std::fs::read_to_string(&path).unwrap();
        let stage = Stage::new(&[("main.json", &text)]).await;
        stage.remember_garden().await;
        stage.model.says("In May.");
        let (chat, _) =
            stage.chat(&["s:Terse.", "u:When did I plant roses?"], Commit::NextTurn).await;
        let mut notes = Notes::default();
        let played = stage.workflows.play("main", &chat, &stage.place(), &mut notes).await;
        assert_eq!(played.unwrap().1.as_deref(), Some("In May."), "{}", path.display());
        assert_eq!(notes.heard, "In May.");
        let heard = stage.model.heard().join("\n");
        assert!(heard.contains("When did I plant roses?"), "{heard}");
        let dated =
            heard.contains("(Sunday, 2025-06-01 12:00:00)") || heard.contains("[Sent less than");
        let finds = heard.contains("[2025-05-");
        match names.last().unwrap().as_str() {
            "time-aware-chat" | "group-chat" => assert!(dated, "{heard}"),
            "chat-with-all-memory" => assert!(dated && finds, "{heard}"),
            "retrieval-with-dates" => assert!(finds, "{heard}"),
            "background-memory" => assert!(!dated && !finds, "{heard}"),
            other => panic!("what does {other} promise?"),
        }
        if names.last().unwrap().contains("memory") {
            let last = notes.traces.last().unwrap();
            assert_eq!(last.kind, "chatSummarySummarizer");
            assert!(last.output.contains("2025-05-16"), "{}", last.output);
        }
    }
    assert_eq!(names.len(), 5);
}
