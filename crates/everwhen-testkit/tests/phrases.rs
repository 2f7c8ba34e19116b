//! Phrases that the documents for users no longer use, each with the word to write instead.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

/// The phrase in lower case, and what to write instead.
const PHRASES: [(&str, &str); 12] = [
    ("so many", "\"maximum number of\" or \"number of\""),
    ("so often", "\"number of attempts\" or \"number of rounds\""),
    ("whoever", "the caller, the client, the process"),
    ("somebody", "a user, a client, another process"),
    ("nobody", "no caller, no process"),
    ("anew", "\"again\", or regenerate, rebuild, retry"),
    ("at hand", "cached, available"),
    ("in force", "current"),
    ("front door", "the library"),
    ("shall", "must, or the present tense"),
    ("where chance begins", "random seed"),
    ("how-manieth", "index"),
];

#[test]
fn documents_for_users_use_the_words_of_the_field() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut documents: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "openapi.json"]
            .iter()
            .map(|name| root.join(name))
            .collect();
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    documents.extend(docs.filter(|path| path.extension().is_some_and(|end| end == "md")));
    let broken: Vec<String> = documents.iter().flat_map(|path| found(path)).collect();
    assert!(broken.is_empty(), "phrases to reword:\n{}", broken.join("\n"));
}

/// Every line of a document with one of the phrases in it.
fn found(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().enumerate().flat_map(|(number, line)| {
        let line = format!(" {} ", line.to_lowercase());
        PHRASES
            .iter()
            .filter(move |(phrase, _)| has_words(&line, phrase))
            .map(move |(phrase, instead)| format!("{}: {phrase:?}, write {instead}", number + 1))
    });
    lines.map(|line| format!("{}:{line}", path.display())).collect()
}

/// Whether a line contains the phrase as whole words.
fn has_words(line: &str, phrase: &str) -> bool {
    let is_part = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    line.match_indices(phrase).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + phrase.len()..].chars().next();
        !is_part(before) && !is_part(after)
    })
}
