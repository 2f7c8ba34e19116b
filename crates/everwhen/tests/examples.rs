//! The examples of the crate run and show what they say.

#[path = "../examples/earlier_versions.rs"]
mod earlier_versions;
#[path = "../examples/remember_and_recall.rs"]
mod remember_and_recall;

#[test]
fn all_examples_run_to_their_end() {
    remember_and_recall::main().unwrap();
    earlier_versions::main().unwrap();
}

#[tokio::test]
async fn a_question_about_january_finds_both_visits_with_the_days_between() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().display().to_string();
    let briefing = remember_and_recall::briefing(&data).await.unwrap();
    assert!(briefing.contains("MoMA"), "{briefing}");
    assert!(briefing.contains("The Met has a fine armor hall. (+7 days)"), "{briefing}");
}

#[tokio::test]
async fn both_versions_of_an_entry_and_of_a_file_are_there() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().display().to_string();
    let versions = earlier_versions::versions(&data).await.unwrap();
    let file = |text: &str| {
        format!("Here's the content of /memories/ana.md with line numbers:\n     1\t{text}")
    };
    assert_eq!(versions, ["I live in Porto", &file("Ana"), "I live in Bern", &file("Bea")]);
}
