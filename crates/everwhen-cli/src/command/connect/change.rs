//! Additions to one configuration file, and how they are taken out again.

use std::path::PathBuf;

use serde_json::Value;

use super::json_text;
use crate::failure::{Failure, Result};

/// The first and the last line of what is added to a TOML file.
const BEGIN: &str = "# everwhen: begin (written by `everwhen connect`)\n";
const END: &str = "# everwhen: end\n";

/// Something that is added to a file.
pub(super) enum Addition {
    /// A member of the object at a path of a JSON file.
    Member(Vec<&'static str>, &'static str, Value),
    /// An item of the list at a path of a JSON file.
    Item(Vec<String>, Value),
    /// A member of the object at the top of a JSON file, unless it is there.
    Default(&'static str, Value),
    /// Lines of a TOML file.
    Block(String),
    /// The whole file.
    Whole(String),
}

/// What is added to a file.
pub(super) struct FileChange {
    pub(super) path: PathBuf,
    additions: Vec<Addition>,
}

impl FileChange {
    /// Additions to the file at `path`.
    pub(super) fn new(path: PathBuf, additions: Vec<Addition>) -> Self {
        Self { path, additions }
    }

    /// The file with the additions. `text` has none of them; it is `None` if there is no file.
    pub(super) fn added(&self, text: Option<&str>) -> Result<String> {
        let is_json = self.additions.iter().any(Addition::is_json);
        let empty = if is_json { "{}\n" } else { "" };
        let text = text.filter(|text| !text.trim().is_empty()).unwrap_or(empty);
        let added = self.additions.iter().try_fold(text.to_owned(), |text, one| one.add(&text));
        added.map_err(|failure| self.explained(failure))
    }

    /// The file without the additions, as far as they are there; `None` if nothing is left. `before` is
    /// the file as it was, where that is known.
    pub(super) fn removed(&self, text: &str, before: Option<&str>) -> Result<Option<String>> {
        let mut rest = text.to_owned();
        for addition in &self.additions {
            rest = addition.remove(&rest, before).map_err(|failure| self.explained(failure))?;
        }
        let defaults = self.additions.iter().filter_map(|one| match one {
            Addition::Default(key, _) => Some(*key),
            _ => None,
        });
        let defaults: Vec<&str> = defaults.collect();
        let is_json = self.additions.iter().any(Addition::is_json);
        let is_bare = match is_json {
            true => json_text::keys(&rest).iter().all(|key| defaults.contains(&key.as_str())),
            false => rest.trim().is_empty(),
        };
        // A file that someone else made stays, even with nothing in it.
        let is_ours = rest != text && before.is_none();
        Ok((!(is_bare && is_ours)).then_some(rest))
    }

    /// Whether the file has something else under the name of one of the additions, written by its user.
    pub(super) fn has_another(&self, text: &str) -> bool {
        self.additions.iter().any(|addition| match addition {
            Addition::Member(path, key, ours) => {
                let place: Vec<&str> = path.iter().copied().chain([*key]).collect();
                let runs = |server: &Value| [server["command"].clone(), server["args"].clone()];
                json_text::value(text, &place).is_some_and(|theirs| runs(&theirs) != runs(ours))
            }
            Addition::Block(block) => {
                let is_marked = text.contains(BEGIN) || text.contains(END);
                !is_marked && text.lines().any(|line| is_table_of(block, line.trim()))
            }
            Addition::Whole(whole) => text.lines().next() != whole.lines().next(),
            Addition::Item(..) | Addition::Default(..) => false,
        })
    }

    fn explained(&self, failure: Failure) -> Failure {
        failure.reword(|said| format!("{}: {said}; nothing was changed", self.path.display()))
    }
}

impl Addition {
    fn is_json(&self) -> bool {
        matches!(self, Self::Member(..) | Self::Item(..) | Self::Default(..))
    }

    fn add(&self, text: &str) -> Result<String> {
        match self {
            Self::Member(path, key, value) => json_text::add_member(text, path, key, value),
            Self::Item(path, value) => json_text::add_item(text, &borrowed(path), value),
            Self::Default(key, _) if json_text::has(text, &[key]) => Ok(text.to_owned()),
            Self::Default(key, value) => json_text::add_member(text, &[], key, value),
            Self::Block(block) => Ok(with_block(text, block)),
            Self::Whole(whole) => Ok(whole.clone()),
        }
    }

    fn remove(&self, text: &str, before: Option<&str>) -> Result<String> {
        match self {
            Self::Member(path, key, _) => {
                let whole: Vec<&str> = path.iter().copied().chain([*key]).collect();
                let rest = json_text::remove_member(text, &whole)?;
                if rest == text { Ok(rest) } else { pruned(rest, path, before) }
            }
            Self::Item(path, value) => {
                let agent = hook_words(value);
                let is_ours = |item: &str| item.contains("everwhen") && item.contains(&agent);
                let path = borrowed(path);
                let rest = json_text::remove_items(text, &path, &is_ours)?;
                if rest == text { Ok(rest) } else { pruned(rest, &path, before) }
            }
            Self::Default(..) => Ok(text.to_owned()),
            Self::Block(block) => Ok(without_block(text, block)),
            Self::Whole(_) => Ok(String::new()),
        }
    }
}

fn borrowed(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}

/// The words of a hook's command that name the agent, such as ` hook codex`.
fn hook_words(item: &Value) -> String {
    let text = item.to_string();
    let start = text.find(" hook ").unwrap_or_default();
    let words = text[start..].chars().enumerate();
    let is_end = |letter: char| letter == ' ' || letter == '"' || letter == '\\';
    words
        .take_while(|(at, letter)| *at < " hook ".len() || !is_end(*letter))
        .map(|(_, one)| one)
        .collect()
}

/// Removes containers that are empty now and were not there before.
fn pruned(mut text: String, path: &[&str], before: Option<&str>) -> Result<String> {
    for depth in (1..=path.len()).rev() {
        let path = &path[..depth];
        let was_there = before.is_some_and(|before| json_text::has(before, path));
        if was_there || !json_text::is_empty(&text, path) {
            break;
        }
        text = json_text::remove_member(&text, path)?;
    }
    Ok(text)
}

fn with_block(text: &str, block: &str) -> String {
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{text}{gap}{BEGIN}{block}{END}")
}

/// The text without the table of a block and the tables below it, wherever the agent has put them, and
/// without the marks. Codex writes tables again and moves comments.
fn without_block(text: &str, block: &str) -> String {
    let mut rest = String::new();
    let mut is_inside = false;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if bare == BEGIN.trim_end() && rest.ends_with("\n\n") {
            rest.pop();
        }
        if bare.starts_with('[') {
            is_inside = is_table_of(block, bare);
        }
        let is_mark = bare == BEGIN.trim_end() || bare == END.trim_end();
        let is_comment = bare.starts_with('#');
        if !is_mark && (is_comment || !is_inside) {
            rest.push_str(line);
        }
        is_inside &= bare != END.trim_end();
    }
    rest
}

/// Whether this line begins the table of a block, or one below it.
fn is_table_of(block: &str, line: &str) -> bool {
    let table = block.lines().next().unwrap_or_default().trim_end_matches(']');
    line.strip_prefix(table).is_some_and(|rest| rest.starts_with([']', '.']))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_others_wrote_meanwhile_stays() {
        let hook = json!({ "hooks": [{ "command": "everwhen hook codex --memory x" }] });
        let change = FileChange::new(
            PathBuf::from("f"),
            vec![Addition::Item(vec!["hooks".into(), "Stop".into()], hook)],
        );
        let before = "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n";
        let added = change.added(Some(before)).unwrap();
        let touched = added.replacen("{\n", "{\n  \"theirs\": true,\n", 1);
        let rest = change.removed(&touched, Some(before)).unwrap().unwrap();
        assert_eq!(rest, "{\n  \"theirs\": true,\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n");
        let own = change.added(None).unwrap();
        assert_eq!(change.removed(&own, None).unwrap(), None);
    }

    #[test]
    fn a_hook_of_another_agent_or_program_is_left_alone() {
        let ours = json!({ "command": "/opt/everwhen hook codex" });
        let change =
            FileChange::new(PathBuf::from("f"), vec![Addition::Item(vec!["hooks".into()], ours)]);
        let others =
            "{\"hooks\": [{\"command\": \"lint\"}, {\"command\": \"everwhen hook cursor\"}]}";
        assert_eq!(change.removed(others, Some(others)).unwrap().as_deref(), Some(others));
    }

    #[test]
    fn a_block_goes_and_what_stands_around_it_stays() {
        let change =
            FileChange::new(PathBuf::from("f"), vec![Addition::Block("[a.b]\nc = 1\n".into())]);
        for before in ["model = \"x\"\n", "model = \"x\"", "[t]\nk = 2\n\n"] {
            let added = change.added(Some(before)).unwrap();
            let touched = format!("{added}[projects.\"/w\"]\ntrust_level = \"trusted\"\n");
            let rest = change.removed(&touched, Some(before)).unwrap().unwrap();
            assert!(
                rest.starts_with(before.trim_end()) && rest.ends_with("\"trusted\"\n"),
                "{rest}"
            );
            assert!(!rest.contains("everwhen"));
        }
    }

    #[test]
    fn a_table_below_ours_goes_and_one_of_a_longer_name_stays() {
        let change =
            FileChange::new(PathBuf::from("f"), vec![Addition::Block("[a.b]\nc = 1\n".into())]);
        let text = "[a.bc]\nd = 1\n\n[a.b]\nc = [\n  1,\n]\n# a note\n[a.b.x]\ny = 1\n[z]\n";
        let rest = change.removed(text, Some("")).unwrap();
        assert_eq!(rest.as_deref(), Some("[a.bc]\nd = 1\n\n# a note\n[z]\n"));
    }
}
