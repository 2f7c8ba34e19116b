//! The exam of recall, with a floor under every number.

use everwhen_bench::EmbedderChoice;
use everwhen_bench::quality::exam::{self, ExamScores};

/// A number may fall this far below what was measured when the floor was set.
const SLACK: f64 = 4.0;

async fn check(embedder: EmbedderChoice, measured: [(&str, [f64; 4]); 4]) {
    let report = exam::run(&embedder, &|_, _| ()).await.expect("the exam runs");
    for (kind, [conversation_1, conversation_5, entry_1, entry_5]) in measured {
        let found = &report.kinds[kind];
        let ExamScores { n, .. } = found;
        assert_eq!(*n, 120, "{kind}");
        let pairs = [
            (found.conversation_1, conversation_1),
            (found.conversation_5, conversation_5),
            (found.entry_1, entry_1),
            (found.entry_5, entry_5),
        ];
        for (found, measured) in pairs {
            assert!(found >= measured - SLACK, "{kind} fell:\n{report}");
        }
    }
}

#[tokio::test]
async fn recall_passes_the_exam_with_the_static_table() {
    check(
        EmbedderChoice::Static,
        [
            ("same words", [97.5, 100.0, 97.5, 100.0]),
            ("other words", [28.3, 69.2, 28.3, 57.5]),
            ("day", [99.2, 100.0, 55.0, 100.0]),
            ("month and kind", [43.3, 99.2, 78.3, 93.3]),
        ],
    )
    .await;
}

#[tokio::test]
async fn recall_passes_the_exam_by_words_and_time_alone() {
    check(
        EmbedderChoice::None,
        [
            ("same words", [98.3, 100.0, 99.2, 100.0]),
            ("other words", [5.0, 16.7, 5.0, 11.7]),
            ("day", [100.0, 100.0, 73.3, 100.0]),
            ("month and kind", [32.5, 99.2, 45.8, 84.2]),
        ],
    )
    .await;
}
