//! Reads the text of a story into lines that can be run.
//!
//! Every problem names its line and what would be right there.

use everwhen_engine::memory::{Lifecycle, Retention};
use everwhen_engine::time::{Zone, read_time_in};
use jiff::Timestamp;

use super::action::{Action, Question};
use super::said_line::SaidLine;

/// A story, ready to be run.
pub(super) struct Script {
    /// Where the clock stands when it begins.
    pub(super) begins: Timestamp,
    /// Its lines, comments and blanks left out.
    pub(super) lines: Vec<Line>,
}

/// One line that does something.
pub(super) struct Line {
    /// Its number in the file, from 1.
    pub(super) number: usize,
    /// As it is written.
    pub(super) text: String,
    /// What it means.
    pub(super) meaning: Meaning,
    /// What it must answer, by the lines below it.
    pub(super) expected: Vec<(usize, Expectation)>,
}

/// What a line means.
pub(super) enum Meaning {
    /// `zone Europe/Berlin`: where the days of the vault begin.
    Zone(Zone),
    /// `set conversationIdleTimeoutMinutes 10`: a rule of the vault.
    Set(Rule),
    /// `now 2023-02-01 09:00`: puts the clock.
    Now(Timestamp),
    /// `worker off`: background work stands still until `worker on`.
    Worker(bool),
    /// `2023-01-08 12:49  user: …`: something was said.
    Said(Box<SaidLine>),
    /// `! …`: an action.
    Action(Action),
    /// `? …`: a question.
    Question(Box<Question>),
}

/// A rule of the vault, under the name its users know.
pub(super) enum Rule {
    IdleTimeoutMinutes(u32),
    ConversationsRetained(u32),
    StateTimeoutMinutes(u32),
    CoolingMinutes(u32),
    ClosedMinutes(u32),
    Retention(Retention),
    Lifecycle(Lifecycle),
}

/// What an answer must be like.
pub(super) enum Expectation {
    /// It contains this.
    Contains(String),
    /// It does not contain this.
    Lacks(String),
    /// It is an error that contains this.
    Error(String),
}

/// Reads a story.
pub(super) fn read(text: &str) -> Result<Script, String> {
    let mut zone = Zone::utc();
    let mut lines: Vec<Line> = Vec::new();
    for (number, text) in lines_of(text)? {
        let place = |error: String| format!("line {number}: {error}");
        if text.starts_with("expect") {
            let above = lines.last_mut().ok_or_else(|| place("nothing has answered yet".into()))?;
            above.expected.push((number, read_expectation(&text).map_err(place)?));
            continue;
        }
        let meaning = read_line(&text, &zone).map_err(place)?;
        if let Meaning::Zone(new) = &meaning {
            zone = new.clone();
        }
        lines.push(Line { number, text, meaning, expected: Vec::new() });
    }
    let begins = lines.iter().find_map(begins_at).ok_or(
        "the story has no time; begin with a dated line, or with \"now 2023-01-08 09:00\"",
    )?;
    Ok(Script { begins, lines })
}

/// The lines that mean something, numbered, with the indented ones joined to what they continue.
fn lines_of(text: &str) -> Result<Vec<(usize, String)>, String> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let continues = line.starts_with([' ', '\t']);
        match lines.last_mut() {
            _ if line.trim().is_empty() || line.starts_with('#') => {}
            Some((_, said)) if continues => {
                said.push('\n');
                said.push_str(line.trim());
            }
            _ if continues => {
                return Err(format!("line {}: nothing stands above that it continues", index + 1));
            }
            _ => lines.push((index + 1, line.trim_end().to_owned())),
        }
    }
    Ok(lines)
}

fn begins_at(line: &Line) -> Option<Timestamp> {
    match &line.meaning {
        Meaning::Now(time) => Some(*time),
        Meaning::Said(said) => said.time,
        _ => None,
    }
}

fn read_line(line: &str, zone: &Zone) -> Result<Meaning, String> {
    if let Some(action) = line.strip_prefix('!') {
        return Action::read(action, zone).map(Meaning::Action);
    }
    if let Some(question) = line.strip_prefix('?') {
        return Question::read(question, zone)
            .map(|question| Meaning::Question(Box::new(question)));
    }
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let rest = rest.trim();
    match word {
        "zone" => Zone::named(rest).map(Meaning::Zone).map_err(|error| error.to_string()),
        "set" => read_rule(rest).map(Meaning::Set),
        "now" => read_time(rest, zone).map(Meaning::Now),
        "worker" => read_switch(rest).map(Meaning::Worker),
        _ => SaidLine::read(line, zone).map(|said| Meaning::Said(Box::new(said))),
    }
}

/// A time as the story types it, on the wall clock of its zone.
pub(super) fn read_time(text: &str, zone: &Zone) -> Result<Timestamp, String> {
    read_time_in(text, zone).map_err(|error| {
        format!("{error}; in a story also 2023-01-08 12:49 on the wall clock of its zone")
    })
}

fn read_switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("worker {text:?} is unknown; write \"worker off\" or \"worker on\"")),
    }
}

fn read_rule(text: &str) -> Result<Rule, String> {
    let (name, value) = text.split_once(' ').unwrap_or((text, ""));
    let value = value.trim();
    let number = || {
        value.parse().map_err(|_| format!("{name} is {value:?}; write a number, such as \"30\""))
    };
    match name {
        "conversationIdleTimeoutMinutes" => number().map(Rule::IdleTimeoutMinutes),
        "maxConversationsRetained" => number().map(Rule::ConversationsRetained),
        "conversationStateTimeoutMinutes" => number().map(Rule::StateTimeoutMinutes),
        "coolingTimeoutMinutes" => number().map(Rule::CoolingMinutes),
        "closedTimeoutMinutes" => number().map(Rule::ClosedMinutes),
        "retention" => {
            Retention::named(value).map(Rule::Retention).map_err(|error| error.to_string())
        }
        "lifecycle" => {
            Lifecycle::named(value).map(Rule::Lifecycle).map_err(|error| error.to_string())
        }
        _ => Err(format!(
            "unknown setting {name:?}; use conversationIdleTimeoutMinutes, \
             maxConversationsRetained, conversationStateTimeoutMinutes, coolingTimeoutMinutes, \
             closedTimeoutMinutes, retention or lifecycle"
        )),
    }
}

fn read_expectation(line: &str) -> Result<Expectation, String> {
    type Make = fn(String) -> Expectation;
    let kinds: [(&str, Make); 3] = [
        ("expect:", Expectation::Contains),
        ("expect not:", Expectation::Lacks),
        ("expect error:", Expectation::Error),
    ];
    let found = kinds.iter().find_map(|(word, make)| Some((line.strip_prefix(word)?.trim(), make)));
    match found {
        Some((text, make)) if !text.is_empty() => Ok(make(text.to_owned())),
        _ => Err("write \"expect: words of the answer\", \"expect not: …\" or \
                  \"expect error: …\""
            .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        read(text).err().unwrap_or_else(|| panic!("{text:?} should not be readable"))
    }

    #[test]
    fn a_problem_names_its_line_and_what_would_be_right() {
        let start = "# A story.\nnow 2023-01-08 09:00\n";
        for (line, right) in [
            ("narrator: hello", "use user, assistant, system or tool"),
            ("2023-02-30 10:00 user: hello", "2023-02-30"),
            ("2023-01-08 user: hello", "such as 2023-01-08 12:49"),
            ("2023-01-08 10:00 user hello", "a colon"),
            ("2023-01-08 10:00 user [colour=red]: hello", "unknown option \"colour\""),
            ("set patience 3", "conversationIdleTimeoutMinutes"),
            ("set maxConversationsRetained many", "write a number"),
            ("zone Europe/Atlantis", "Europe/Berlin"),
            ("worker asleep", "worker off"),
            ("expects: x", "expect:"),
            ("expect:", "words of the answer"),
            ("! dance", "! end"),
            ("! wait long", "45m"),
            ("? mood", "? timeline"),
            ("? entries since 2023-01-01", "after"),
            ("? entries limit few", "a number"),
        ] {
            let problem = problem(&format!("{start}{line}\n"));
            assert!(problem.starts_with("line 3: "), "{problem}");
            assert!(problem.contains(right), "{line}: {problem}");
        }
    }

    #[test]
    fn a_story_needs_a_time_and_a_line_to_continue() {
        assert!(problem("? timeline").contains("no time"));
        assert!(problem("# said\n  more").starts_with("line 2: nothing stands above"));
    }

    #[test]
    fn indented_lines_continue_what_was_said() {
        let script = read("2023-01-08 12:49 user: one\n  two\n\n# aside\n  three\n").unwrap();
        let Meaning::Said(said) = &script.lines[0].meaning else { panic!("something is said") };
        assert_eq!(said.content, "one\ntwo\nthree");
    }
}
