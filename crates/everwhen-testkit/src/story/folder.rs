//! The folder of stories: every `.story` beside its `.snap`, and the runner of one test each.
//!
//! `cargo test --test stories -- --bless` rewrites the snapshots; review them before you commit.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

use super::{Backend, run};

/// The argument that writes snapshots instead of comparing them.
const BLESS: &str = "--bless";
/// Lines shown around the first difference.
const SHOWN: usize = 12;

/// Runs all stories on stores made by `backend`, as the `main` of a test without a harness.
pub fn run_all(backend: fn() -> Box<dyn Backend>) -> ExitCode {
    let (bless, rest): (Vec<String>, Vec<String>) = std::env::args().partition(|a| a == BLESS);
    let bless = !bless.is_empty();
    let names = story_names(&folder()).into_iter();
    let trials = names
        .map(|name| Trial::test(name.clone(), move || Ok(run_story(&name, &*backend(), bless)?)))
        .chain([Trial::test("every_snapshot_has_its_story", || Ok(no_orphans(&folder())?))]);
    libtest_mimic::run(&Arguments::from_iter(rest), trials.collect()).exit_code()
}

/// Where the stories are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../stories")
}

fn story_names(folder: &Path) -> BTreeSet<String> {
    files_ending(folder, "story")
}

fn files_ending(folder: &Path, ending: &str) -> BTreeSet<String> {
    let listing = std::fs::read_dir(folder).expect("the folder of stories can be read");
    listing
        .map(|file| file.expect("the folder of stories can be read").path())
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect()
}

fn no_orphans(folder: &Path) -> Result<(), String> {
    let (stories, snapshots) = (story_names(folder), files_ending(folder, "snap"));
    let orphans: Vec<&String> = snapshots.difference(&stories).collect();
    match orphans.as_slice() {
        [] => Ok(()),
        _ => Err(format!("snapshots without a story: {orphans:?}; remove them")),
    }
}

/// Runs one story and compares what it told with its snapshot.
fn run_story(name: &str, backend: &dyn Backend, bless: bool) -> Result<(), String> {
    let file = |ending: &str| folder().join(format!("{name}.{ending}"));
    let read = |path: PathBuf| std::fs::read_to_string(path).map_err(|error| error.to_string());
    let transcript = run(&read(file("story"))?, backend)
        .map_err(|error| format!("stories/{name}.story, {error}"))?;
    if bless {
        return std::fs::write(file("snap"), transcript).map_err(|error| error.to_string());
    }
    let known = read(file("snap"))
        .map_err(|_| format!("stories/{name}.snap is missing; {}", how_to_bless(name)))?;
    if known == transcript {
        return Ok(());
    }
    Err(format!("{}\n{}", difference(&known, &transcript), how_to_bless(name)))
}

fn how_to_bless(name: &str) -> String {
    format!(
        "if the new answer is right, write it with\n  \
         cargo test -p everwhen-testkit --test stories -- {BLESS} {name}\n\
         and read stories/{name}.snap"
    )
}

/// The lines in which two texts differ, from the first to the last.
fn difference(known: &str, transcript: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (known.lines().collect(), transcript.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = (&old[same..], &new[same..]);
    let tail = rest.0.iter().rev().zip(rest.1.iter().rev()).take_while(|(a, b)| a == b).count();
    let shown = |sign: &'static str, lines: &[&str]| {
        let differing = &lines[..lines.len() - tail];
        differing.iter().take(SHOWN).map(|line| format!("{sign}{line}")).collect::<Vec<_>>()
    };
    let context = old[same.saturating_sub(3)..same].iter().map(|line| format!(" {line}"));
    let lines: Vec<String> = context.chain(shown("-", rest.0)).chain(shown("+", rest.1)).collect();
    format!("the story tells something else from line {} on:\n{}", same + 1, lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_shows_where_and_what() {
        let shown = difference("a\nb\nc\nd\n", "a\nb\nX\nd\n");
        assert!(shown.contains("from line 3 on"), "{shown}");
        assert!(shown.ends_with(" a\n b\n-c\n+X"), "{shown}");
    }
}
