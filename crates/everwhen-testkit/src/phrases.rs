//! Phrases that texts for users no longer use, each with what to write instead. One list for the
//! documents, the texts of the API, the help of the command line, the web interface, the packages, and
//! comments and messages in the code.

/// The phrases in lower case.
const PHRASES: [(&str, &str); 32] = [
    ("so many", "\"maximum number of\" or \"number of\""),
    ("so often", "\"number of attempts\" or \"number of rounds\""),
    ("whoever", "the caller, the client, the process"),
    ("somebody", "a user, a client, another process"),
    ("nobody", "no caller, no process"),
    ("anybody", "a caller, another process"),
    ("anew", "\"again\", or regenerate, rebuild, retry"),
    ("at hand", "cached, available"),
    ("in force", "current"),
    ("front door", "the library"),
    ("shall", "must, or the present tense"),
    ("where chance begins", "random seed"),
    ("how-manieth", "index"),
    ("stood otherwise", "was different"),
    ("for good", "permanently"),
    ("in the place of", "\"in place of\", or replaces"),
    ("tells of", "covers, contains, reports"),
    ("told of", "covered by, reported"),
    ("everybody", "all clients, all callers"),
    ("those who", "callers that, clients that"),
    ("is told", "gets, is notified, is reported"),
    ("are told", "get, are notified, are reported"),
    ("tells it", "distinguishes it, reports it"),
    ("heard", "received"),
    ("door", "interface"),
    ("doors", "interfaces"),
    ("stands for", "means, replaces, is a placeholder for"),
    ("stands behind", "follows"),
    ("errand", "auxiliary request"),
    ("errands", "auxiliary requests"),
    ("in the hands of", "claimed by, used by"),
    ("himself", "\"themselves\", or say it without"),
];

/// What is wrong with a text: each phrase in it, with what to write instead. What stands in `…` is code.
pub fn found(text: &str) -> impl Iterator<Item = String> {
    let text = without_code(text).to_lowercase();
    PHRASES
        .into_iter()
        .filter(move |(phrase, _)| has_words(&text, phrase))
        .map(|(phrase, instead)| format!("{phrase:?}; write {instead}"))
}

/// The text without code between backticks on one line.
fn without_code(text: &str) -> String {
    let prose = |line: &str| line.split('`').step_by(2).collect::<Vec<_>>().join("`");
    text.lines().map(prose).collect::<Vec<_>>().join("\n")
}

/// Whether a text contains the phrase as whole words.
fn has_words(text: &str, phrase: &str) -> bool {
    let is_part = |letter: Option<char>| letter.is_some_and(|l| l.is_alphanumeric() || l == '_');
    text.match_indices(phrase).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + phrase.len()..]);
        !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn phrases_are_found_as_whole_words() {
        let found = |text| super::found(text).count();
        assert_eq!(found("At most so many. Somebody."), 2);
        assert_eq!(found("Marshall is in full effect"), 0);
        assert_eq!(found("An indoor shepherd"), 0);
        assert_eq!(found("A door is told."), 2);
        assert_eq!(found("`door` is now `protocol`"), 0);
    }
}
