//! Stories: dated conversations with actions and questions, run on a real engine.
//!
//! A story reads like a diary. Its answers stand in a snapshot beside it, so a change of behaviour
//! shows as a changed line that a person can judge:
//!
//! ```text
//! # The museum: two visits said a week apart.
//! zone America/New_York
//! 2023-01-08 12:49  user: I visited MoMA today.
//! 2023-01-15 10:00  user [tags=art]: I went to the Met.
//! ! wait 45m
//! ? timeline
//! expect: (+7 days)
//! ```
//!
//! - `now TIME` puts the clock. A line dated later than now moves the clock there; one dated
//!   earlier is history told afterwards. A line without a date is said now.
//! - `!` does something, `?` asks something; each problem in a story lists what may stand there.
//! - Entries are `e1`, `e2`, … in the order they are stored, conversations `c1`, … as they appear,
//!   branches `b1`, …; a conversation may also be named as its caller does.
//! - `expect:`, `expect not:` and `expect error:` say what the line above must answer, so that the
//!   point of a story is in the story. An unexpected failure fails the story.
//! - Indented lines continue what was said. Lines that begin with `#` are for the reader.

mod action;
mod answers;
mod folder;
mod names;
mod render;
mod runner;
mod said_line;
mod script;
mod sent;
mod words;

use std::sync::Arc;

use everwhen_engine::ports::Store;
use everwhen_engine::{Error, ErrorKind};

pub use folder::{folder, run_all};
use runner::StoryRunner;
use script::{Expectation, Line};

use crate::{PlainStore, block_on};

/// Makes the stores that stories run on. One value is one place where data is kept.
pub trait Backend {
    /// An empty store.
    fn open(&self) -> everwhen_engine::Result<Arc<dyn Store>>;

    /// Opens the store again, as the next process finds it. `old` is the last hold on the store
    /// that was open; let go of it first.
    fn reopen(&self, old: Arc<dyn Store>) -> everwhen_engine::Result<Arc<dyn Store>>;
}

/// The oracle store as a place: what it keeps outlives the engine that wrote it.
impl Backend for PlainStore {
    fn open(&self) -> everwhen_engine::Result<Arc<dyn Store>> {
        Ok(Arc::new(self.clone()))
    }

    fn reopen(&self, old: Arc<dyn Store>) -> everwhen_engine::Result<Arc<dyn Store>> {
        drop(old);
        self.open()
    }
}

/// Runs a story and returns its transcript, or what is wrong with it.
pub fn run(text: &str, backend: &dyn Backend) -> Result<String, String> {
    let script = script::read(text)?;
    block_on(async {
        let runner = StoryRunner::new(backend, script.begins).await;
        let mut runner = runner.map_err(|error| error.to_string())?;
        let mut transcript = String::new();
        for line in &script.lines {
            let answer = runner.run_line(&line.meaning).await;
            let rendered =
                runner.names.settle(&answer.as_ref().map_or_else(render_error, String::clone));
            check(line, answer.is_ok(), &rendered)?;
            transcript.push_str(&transcript_line(line, &rendered));
        }
        runner.check().await.map(|()| transcript)
    })
}

fn render_error(error: &Error) -> String {
    let kind = match error.kind() {
        ErrorKind::Invalid => "invalid",
        ErrorKind::NotFound => "not found",
        ErrorKind::Denied => "denied",
        ErrorKind::Conflict => "conflict",
        ErrorKind::TooLarge => "too large",
        ErrorKind::Busy => "busy",
        ErrorKind::Unavailable => "unavailable",
        ErrorKind::Damaged => "damaged",
    };
    format!("error ({kind}): {error}")
}

/// Compares an answer with what the story expects of it.
fn check(line: &Line, succeeded: bool, rendered: &str) -> Result<(), String> {
    let mut failure_expected = false;
    for (number, expectation) in &line.expected {
        let (met, wish) = match expectation {
            Expectation::Contains(part) => (rendered.contains(part), format!("{part:?}")),
            Expectation::Lacks(part) => (!rendered.contains(part), format!("no {part:?}")),
            Expectation::Error(part) => {
                failure_expected = true;
                (!succeeded && rendered.contains(part), format!("an error with {part:?}"))
            }
        };
        if !met {
            return Err(format!("line {number}: expected {wish}, but the answer is\n{rendered}"));
        }
    }
    if succeeded || failure_expected {
        return Ok(());
    }
    Err(format!(
        "line {}: {rendered}\n(if that is right, say \"expect error: …\" below it)",
        line.number
    ))
}

/// A line of the story and, indented below it, what it answered.
fn transcript_line(line: &Line, rendered: &str) -> String {
    let answer: String = rendered
        .lines()
        .map(|line| if line.is_empty() { "\n".into() } else { format!("    {line}\n") })
        .collect();
    format!("{}\n{answer}", line.text.replace('\n', "\n  "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transcript(text: &str) -> Result<String, String> {
        run(text, &PlainStore::new())
    }

    #[test]
    fn a_transcript_shows_every_line_and_its_answer() {
        let transcript =
            transcript("2023-01-08 12:49  user: Hello.\n# a comment\n? timeline\n").unwrap();
        assert_eq!(
            transcript,
            "2023-01-08 12:49  user: Hello.\n    e1 in c1\n? timeline\n    2023-01-08 – Hello.\n"
        );
    }

    #[test]
    fn what_is_expected_must_come_true() {
        let start = "2023-01-08 12:49  user: Hello.\n? timeline\n";
        assert!(transcript(&format!("{start}expect: Hello\nexpect not: Bye")).is_ok());
        for (line, problem) in [
            ("expect: Bye", "line 3: expected \"Bye\""),
            ("expect not: Hello", "line 3: expected no \"Hello\""),
            ("expect error: Hello", "line 3: expected an error"),
            ("! restore c1", "line 3: error (conflict): conversation c1 is not archived"),
            ("! forget e2", "line 3: error (invalid): there is no entry e2 here"),
        ] {
            let failed = transcript(&format!("{start}{line}")).unwrap_err();
            assert!(failed.starts_with(problem), "{failed}");
        }
        assert!(transcript(&format!("{start}! restore c1\nexpect error: not archived")).is_ok());
    }

    #[test]
    fn a_restart_leaves_the_store_and_nothing_else() {
        struct EmptyOnReopen;
        impl Backend for EmptyOnReopen {
            fn open(&self) -> everwhen_engine::Result<Arc<dyn Store>> {
                Ok(Arc::new(PlainStore::new()))
            }
            fn reopen(&self, old: Arc<dyn Store>) -> everwhen_engine::Result<Arc<dyn Store>> {
                assert_eq!(Arc::strong_count(&old), 1, "the store is still in use");
                self.open()
            }
        }
        let story = "2023-01-08 12:49  user: Hello.\n! restart\n? timeline\n";
        let forgetful = run(story, &EmptyOnReopen).unwrap_err();
        assert!(forgetful.contains("vault not found"), "{forgetful}");
        assert!(transcript(story).unwrap().ends_with("2023-01-08 – Hello.\n"));
    }
}
