//! The documents as a book: every page is in the summary, every link leads somewhere, and the README stays short.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Most lines of the README.
const README_LINES: usize = 150;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The pages of the book.
fn pages() -> Vec<PathBuf> {
    let files = std::fs::read_dir(root().join("docs")).unwrap().map(|file| file.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// A document without its code blocks, in which nothing is a link or a heading.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// The targets of all links and pictures of a document.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.map(|target| target.split(' ').next().unwrap_or_default().to_owned()).collect()
}

/// The anchors of a document's headings, as Git hosts and tools/book make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let prose = prose(text);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let letters = words.chars().map(|letter| if letter == ' ' { '-' } else { letter });
        letters.filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect()
    };
    headings.map(anchor).collect()
}

/// What is wrong with the links of one document.
fn broken(document: &Path) -> Vec<String> {
    let text = read(document);
    let mut found = Vec::new();
    for link in links(&text) {
        if link.contains("://") || link.starts_with("mailto:") {
            continue;
        }
        let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
        let target = match file {
            "" => document.to_owned(),
            file => document.parent().unwrap().join(file),
        };
        if !target.exists() {
            found.push(format!("{}: {link}: there is no such file", document.display()));
        } else if !anchor.is_empty() && !anchors(&read(&target)).contains(anchor) {
            found.push(format!("{}: {link}: there is no such heading", document.display()));
        }
    }
    found
}

#[test]
fn every_link_leads_somewhere() {
    let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];
    let all = pages().into_iter().chain(top.map(|name| root().join(name)));
    let broken: Vec<String> = all.flat_map(|document| broken(&document)).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_page_is_in_the_summary_once() {
    let summary = root().join("docs/SUMMARY.md");
    let mut listed = links(&read(&summary));
    let count = listed.len();
    listed.sort();
    listed.dedup();
    assert_eq!(listed.len(), count, "a page is listed twice");
    let names = pages().into_iter().map(|path| path.file_name().unwrap().to_owned());
    let mut pages: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    pages.retain(|name| name != "SUMMARY.md");
    pages.sort();
    assert_eq!(listed, pages);
}

#[test]
fn the_readme_is_one_screen_for_each_reader() {
    let lines = read(&root().join("README.md")).lines().count();
    assert!(lines <= README_LINES, "{lines} lines; details belong into docs/");
}
