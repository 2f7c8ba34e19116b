//! Diagnostics for workflow files: where, what is wrong, and what would be right.

use std::fmt;
use std::path::{Path, PathBuf};

/// One error or warning about a workflow file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong and what would be right.
    pub sentence: String,
    /// Whether the file runs in spite of it.
    pub harmless: bool,
}

impl Diagnostic {
    /// An error: the file does not run.
    pub(crate) fn new(file: &Path, line: usize, sentence: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, sentence: sentence.into(), harmless: false }
    }

    /// A warning: the file runs, but probably not as intended.
    pub(crate) fn hint(file: &Path, line: usize, sentence: impl Into<String>) -> Self {
        Self { harmless: true, ..Self::new(file, line, sentence) }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.sentence)
    }
}

/// The known name closest to `name`, for "did you mean".
pub(crate) fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let near = |known: &&str| strsim::jaro_winkler(&name.to_lowercase(), &known.to_lowercase());
    known
        .into_iter()
        .map(|known| (known, near(&known)))
        .filter(|(_, nearness)| *nearness > 0.85)
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
        .map(|(known, _)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where_like_a_compiler() {
        let flaw = Diagnostic::new(Path::new("flows/chat.json"), 7, "no endpoint");
        assert_eq!(flaw.to_string(), "flows/chat.json:7: no endpoint");
    }

    #[test]
    fn a_slip_of_the_pen_is_recognized_and_a_stranger_is_not() {
        let known = ["Standard", "StaticResponse", "WorkflowLock"];
        assert_eq!(nearest("standard", known), Some("Standard"));
        assert_eq!(nearest("StaticResponce", known), Some("StaticResponse"));
        assert_eq!(nearest("Kettle", known), None);
    }
}
