//! Questions that ask for a series of values: "how has my A1C changed over time?"

/// Words by which a question asks how something has changed.
const ASKED: [&str; 14] = [
    "changed over",
    "change over",
    "changed since",
    "has changed",
    "have changed",
    "over time",
    "history of",
    "progress",
    "trend",
    "evolved",
    "developed over",
    "how has my",
    "how have my",
    "all my readings",
];

/// Returns whether a question asks how something has changed, so that what was replaced is an answer.
pub(super) fn is_asked_for(question: &str) -> bool {
    let lower = question.to_lowercase();
    ASKED.iter().any(|phrase| lower.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_is_asked_for_in_several_ways() {
        assert!(is_asked_for("How has my A1C changed over time?"));
        assert!(is_asked_for("show the trend of my weight"));
        assert!(!is_asked_for("What is my A1C?"));
    }
}
