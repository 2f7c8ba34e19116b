//! The six commands of Anthropic's memory tool. Their texts are copied exactly, because models have learned them.

use std::collections::BTreeMap;

use super::stored::StoredFiles;
use crate::{Error, Result};

/// The directory that holds all files.
const ROOT: &str = "/memories";
/// Most lines of a file that can be viewed.
const MOST_LINES: usize = 999_999;
/// Levels that a view of a directory shows.
const LEVELS: usize = 2;
/// Lines around a change that are shown.
const AROUND: usize = 2;

/// A command on files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileCommand {
    /// Shows a directory or a file.
    View {
        /// The path.
        path: String,
        /// The first and the last line to show; -1 is the end of the file.
        lines: Option<(i64, i64)>,
    },
    /// Creates a file.
    Create {
        /// The path.
        path: String,
        /// Its text.
        text: String,
    },
    /// Replaces a text that occurs once.
    Replace {
        /// The path.
        path: String,
        /// The text to replace.
        old: String,
        /// The text in its place.
        new: String,
    },
    /// Inserts text after a line.
    Insert {
        /// The path.
        path: String,
        /// The line number; 0 inserts at the beginning.
        line: i64,
        /// The text.
        text: String,
    },
    /// Deletes a file or a directory.
    Delete {
        /// The path.
        path: String,
    },
    /// Renames a file or a directory.
    Rename {
        /// The path.
        from: String,
        /// The new path.
        to: String,
    },
}

/// A version of a file to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileWrite {
    /// The path at which the file is stored now; nothing if it is new.
    pub(super) stored_at: Option<String>,
    /// The path of this version.
    pub(super) path: String,
    /// The text; nothing if the file is deleted.
    pub(super) text: Option<String>,
}

impl FileCommand {
    /// The answer to the command, and the versions to store.
    pub(super) fn apply(&self, files: &StoredFiles) -> Result<(String, Vec<FileWrite>)> {
        match self {
            Self::View { path, lines } => Ok((view(files, path, *lines)?, Vec::new())),
            Self::Create { path, text } => create(files, path, text),
            Self::Replace { path, old, new } => replace(files, path, old, new),
            Self::Insert { path, line, text } => insert(files, path, *line, text),
            Self::Delete { path } => delete(files, path),
            Self::Rename { from, to } => rename(files, from, to),
        }
    }

    /// The answer to a command that was carried out before, when `before` is the text that it edited.
    pub(super) fn repeated(&self, before: Option<&str>) -> String {
        let snippet = |path, old, new| {
            let files = StoredFiles::of(&[(&resolved(path).ok()?, before?)]);
            replace(&files, path, old, new).ok().map(|(text, _)| text)
        };
        match self {
            Self::Replace { path, old, new } => {
                snippet(path, old, new).unwrap_or_else(|| edited(path))
            }
            Self::View { path, .. } | Self::Insert { path, .. } => edited(path),
            Self::Create { path, .. } => created(path),
            Self::Delete { path } => deleted(path),
            Self::Rename { from, to } => renamed(from, to),
        }
    }
}

fn edited(path: &str) -> String {
    format!("The file {path} has been edited.")
}

fn created(path: &str) -> String {
    format!("File created successfully at: {path}")
}

fn deleted(path: &str) -> String {
    format!("Successfully deleted {path}")
}

fn renamed(from: &str, to: &str) -> String {
    format!("Successfully renamed {from} to {to}")
}

/// The normalized path; paths outside the root are refused.
fn resolved(path: &str) -> Result<String> {
    let inside = path.strip_prefix(ROOT).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let rest =
        inside.ok_or_else(|| refused(format!("Path must start with /memories, got: {path}")))?;
    let mut parts = Vec::new();
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_none() => {
                return Err(refused(format!("Path {path} would escape /memories directory")));
            }
            ".." => {}
            part => parts.push(part),
        }
    }
    Ok(std::iter::once(ROOT).chain(parts).collect::<Vec<_>>().join("/"))
}

fn refused(text: String) -> Error {
    Error::invalid(text)
}

fn absent(path: &str) -> Error {
    refused(format!("The path {path} does not exist. Please provide a valid path."))
}

/// The text of a file that must exist.
fn text_of<'f>(files: &'f StoredFiles, path: &str) -> Result<(String, &'f str)> {
    let place = resolved(path)?;
    if let Some(text) = files.text(&place) {
        return Ok((place, text));
    }
    match is_directory(files, &place) {
        true => Err(refused(format!("The path {path} is not a file."))),
        false => Err(absent(path)),
    }
}

/// Refuses a new path below something that is a file.
fn check_parents(files: &StoredFiles, path: &str, place: &str) -> Result<()> {
    let parents = place.match_indices('/').map(|(at, _)| &place[..at]);
    match parents.into_iter().find(|parent| files.text(parent).is_some()) {
        Some(file) => Err(refused(format!("The path {path} is below {file}, which is a file."))),
        None => Ok(()),
    }
}

fn is_directory(files: &StoredFiles, place: &str) -> bool {
    place == ROOT || files.below(place).next().is_some()
}

fn view(files: &StoredFiles, path: &str, lines: Option<(i64, i64)>) -> Result<String> {
    let place = resolved(path)?;
    if let Some(text) = files.text(&place) {
        return view_file(path, text, lines);
    }
    match is_directory(files, &place) {
        true => Ok(view_directory(files, path, &place)),
        false => Err(absent(path)),
    }
}

fn view_file(path: &str, text: &str, lines: Option<(i64, i64)>) -> Result<String> {
    let all: Vec<&str> = text.split('\n').collect();
    if all.len() > MOST_LINES {
        return Err(refused(format!("File {path} exceeds maximum line limit of 999,999 lines.")));
    }
    let (first, last) = lines.unwrap_or((1, -1));
    let first = usize::try_from(first.max(1)).unwrap_or(1) - 1;
    let last = usize::try_from(last).unwrap_or(all.len()).min(all.len());
    let shown = all.get(first..last).unwrap_or_default();
    Ok(format!("Here's the content of {path} with line numbers:\n{}", numbered(shown, first + 1)))
}

fn numbered(lines: &[&str], first: usize) -> String {
    let lines = lines.iter().enumerate();
    let lines: Vec<String> = lines.map(|(at, line)| format!("{:>6}\t{line}", at + first)).collect();
    lines.join("\n")
}

fn view_directory(files: &StoredFiles, path: &str, place: &str) -> String {
    // Each directory has the size of all in it.
    let (mut items, mut whole) = (BTreeMap::<Vec<&str>, (usize, bool)>::new(), 0);
    for (file, text) in files.below(place) {
        let parts: Vec<&str> = file[place.len() + 1..].split('/').collect();
        if parts.iter().any(|part| part.starts_with('.')) {
            continue;
        }
        whole += text.len();
        for depth in 1..=parts.len().min(LEVELS) {
            let item = items.entry(parts[..depth].to_vec()).or_insert((0, depth < parts.len()));
            item.0 += text.len();
        }
    }
    let mut lines = vec![
        format!(
            "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
        ),
        format!("{}\t{path}", size(whole)),
    ];
    lines.extend(items.iter().map(|(parts, (bytes, is_directory))| {
        let end = if *is_directory { "/" } else { "" };
        format!("{}\t{path}/{}{end}", size(*bytes), parts.join("/"))
    }));
    lines.join("\n")
}

/// A size as `ls -h` would write it: `0B`, `1.5K`, `4K`.
fn size(bytes: usize) -> String {
    let units = ["B", "K", "M", "G"];
    let mut unit = 0;
    let mut scaled = bytes as f64;
    while scaled >= 1024.0 && unit < units.len() - 1 {
        scaled /= 1024.0;
        unit += 1;
    }
    match scaled.fract() == 0.0 {
        true => format!("{scaled:.0}{}", units[unit]),
        false => format!("{scaled:.1}{}", units[unit]),
    }
}

fn edit(path: String, text: String) -> Vec<FileWrite> {
    vec![FileWrite { stored_at: Some(path.clone()), path, text: Some(text) }]
}

fn create(files: &StoredFiles, path: &str, text: &str) -> Result<(String, Vec<FileWrite>)> {
    let place = resolved(path)?;
    if files.text(&place).is_some() || is_directory(files, &place) {
        return Err(refused(format!("File {path} already exists")));
    }
    check_parents(files, path, &place)?;
    let write = FileWrite { stored_at: None, path: place, text: Some(text.to_owned()) };
    Ok((created(path), vec![write]))
}

fn replace(
    files: &StoredFiles,
    path: &str,
    old: &str,
    new: &str,
) -> Result<(String, Vec<FileWrite>)> {
    let (place, text) = text_of(files, path)?;
    let line_of = |at: usize| text[..at].matches('\n').count();
    let at = text.find(old).filter(|_| !old.is_empty()).ok_or_else(|| not_found(old, path))?;
    if text.matches(old).nth(1).is_some() {
        let lines = occurrences(text, old).map(|at| (line_of(at) + 1).to_string());
        return Err(refused(format!(
            "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. \
             Please ensure it is unique",
            lines.collect::<Vec<_>>().join(", ")
        )));
    }
    let changed = [&text[..at], new, &text[at + old.len()..]].concat();
    let lines: Vec<&str> = changed.split('\n').collect();
    let first = line_of(at).saturating_sub(AROUND);
    let last = (line_of(at) + AROUND + 1).min(lines.len());
    let message = format!(
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{}",
        numbered(&lines[first..last], first + 1)
    );
    Ok((message, edit(place, changed.clone())))
}

/// Where a text occurs, overlapping occurrences included.
fn occurrences<'t>(text: &'t str, old: &'t str) -> impl Iterator<Item = usize> {
    text.char_indices().map(|(at, _)| at).filter(move |at| text[*at..].starts_with(old))
}

fn not_found(old: &str, path: &str) -> Error {
    refused(format!(
        "No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
    ))
}

fn insert(
    files: &StoredFiles,
    path: &str,
    line: i64,
    inserted: &str,
) -> Result<(String, Vec<FileWrite>)> {
    let (place, text) = text_of(files, path)?;
    let mut lines: Vec<&str> = text.split('\n').collect();
    // Nothing follows the last line break, so it starts no line.
    if lines.last() == Some(&"") {
        lines.pop();
    }
    let at = usize::try_from(line).ok().filter(|at| *at <= lines.len());
    let Some(at) = at else {
        return Err(refused(format!(
            "Invalid `insert_line` parameter: {line}. It should be within the range [0, {}].",
            lines.len()
        )));
    };
    lines.insert(at, inserted.trim_end_matches('\n'));
    let mut changed = lines.join("\n");
    if !changed.ends_with('\n') {
        changed.push('\n');
    }
    Ok((edited(path), edit(place, changed)))
}

fn delete(files: &StoredFiles, path: &str) -> Result<(String, Vec<FileWrite>)> {
    let place = resolved(path)?;
    if place == ROOT {
        return Err(refused("Cannot delete the /memories directory itself".to_owned()));
    }
    let gone: Vec<FileWrite> = affected(files, &place)
        .into_iter()
        .map(|(path, _)| FileWrite { stored_at: Some(path.clone()), path, text: None })
        .collect();
    match gone.is_empty() {
        true => Err(refused(format!("The path {path} does not exist"))),
        false => Ok((deleted(path), gone)),
    }
}

fn rename(files: &StoredFiles, from: &str, to: &str) -> Result<(String, Vec<FileWrite>)> {
    let (old, new) = (resolved(from)?, resolved(to)?);
    if old == ROOT {
        return Err(refused("Cannot rename the /memories directory itself".to_owned()));
    }
    if files.text(&new).is_some() || is_directory(files, &new) {
        return Err(refused(format!("The destination {to} already exists")));
    }
    check_parents(files, to, &new)?;
    if new.strip_prefix(&old).is_some_and(|rest| rest.starts_with('/')) {
        return Err(refused(format!("Cannot rename {from} to a path inside itself")));
    }
    let moved = affected(files, &old).into_iter().map(|(path, text)| FileWrite {
        path: format!("{new}{}", &path[old.len()..]),
        stored_at: Some(path),
        text: Some(text),
    });
    let writes: Vec<FileWrite> = moved.collect();
    match writes.is_empty() {
        true => Err(refused(format!("The path {from} does not exist"))),
        false => Ok((renamed(from, to), writes)),
    }
}

/// The file at a path, or all files below it.
fn affected(files: &StoredFiles, place: &str) -> Vec<(String, String)> {
    match files.text(place) {
        Some(text) => vec![(place.to_owned(), text.to_owned())],
        None => files.below(place).map(|(path, text)| (path.to_owned(), text.to_owned())).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> StoredFiles {
        StoredFiles::of(&[
            ("/memories/notes.md", "one\ntwo\nthree\nfour\nfive\n"),
            ("/memories/deep/er/est.md", &"x".repeat(1536)),
            ("/memories/.hidden", "no"),
        ])
    }

    fn message(command: FileCommand) -> String {
        command.apply(&files()).map_or_else(|error| error.message().to_owned(), |(text, _)| text)
    }

    #[test]
    fn views_read_as_models_know_them() {
        let view = |path: &str, lines| message(FileCommand::View { path: path.into(), lines });
        assert_eq!(
            view("/memories", None),
            "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n\
             1.5K\t/memories\n1.5K\t/memories/deep/\n1.5K\t/memories/deep/er/\n24B\t/memories/notes.md"
        );
        assert_eq!(
            view("/memories/notes.md", Some((2, 3))),
            "Here's the content of /memories/notes.md with line numbers:\n     2\ttwo\n     3\tthree"
        );
        assert!(view("/memories/notes.md", None).ends_with("     6\t"));
        assert_eq!(view("/etc", None), "Path must start with /memories, got: /etc");
        assert_eq!(
            view("/memories/../etc", None),
            "Path /memories/../etc would escape /memories directory"
        );
        assert_eq!(
            view("/memories/no", None),
            "The path /memories/no does not exist. Please provide a valid path."
        );
        assert_eq!(size(0), "0B");
        assert_eq!(size(4096), "4K");
    }

    #[test]
    fn edits_answer_with_the_exact_texts() {
        let path = || "/memories/notes.md".to_owned();
        let replace = |old: &str| {
            message(FileCommand::Replace { path: path(), old: old.into(), new: "drei".into() })
        };
        assert_eq!(
            replace("three"),
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n\
             \x20    1\tone\n     2\ttwo\n     3\tdrei\n     4\tfour\n     5\tfive"
        );
        assert_eq!(
            replace("e\n"),
            "No replacement was performed. Multiple occurrences of old_str `e\n` in lines: 1, 3, 5. \
             Please ensure it is unique"
        );
        assert_eq!(
            replace("six"),
            "No replacement was performed, old_str `six` did not appear verbatim in /memories/notes.md."
        );
        let insert = FileCommand::Insert { path: path(), line: 9, text: "x".into() };
        assert_eq!(
            message(insert),
            "Invalid `insert_line` parameter: 9. It should be within the range [0, 5]."
        );
        let insert = FileCommand::Insert { path: path(), line: 0, text: "zero\n".into() };
        let (text, writes) = insert.apply(&files()).unwrap();
        assert_eq!(text, "The file /memories/notes.md has been edited.");
        assert!(writes[0].text.as_deref().unwrap().starts_with("zero\none\n"));
        let create = FileCommand::Create { path: path(), text: "x".into() };
        assert_eq!(message(create), "File /memories/notes.md already exists");
    }

    #[test]
    fn directories_are_deleted_and_renamed_with_all_in_them() {
        let delete = |path: &str| FileCommand::Delete { path: path.into() };
        let (text, gone) = delete("/memories/deep").apply(&files()).unwrap();
        assert_eq!(text, "Successfully deleted /memories/deep");
        let path = "/memories/deep/er/est.md".to_owned();
        assert_eq!(gone, [FileWrite { stored_at: Some(path.clone()), path, text: None }]);
        assert_eq!(message(delete("/memories/")), "Cannot delete the /memories directory itself");
        assert_eq!(message(delete("/memories/no")), "The path /memories/no does not exist");
        let rename =
            FileCommand::Rename { from: "/memories/deep".into(), to: "/memories/d".into() };
        let (text, writes) = rename.apply(&files()).unwrap();
        assert_eq!(text, "Successfully renamed /memories/deep to /memories/d");
        assert_eq!(writes[0].path, "/memories/d/er/est.md");
        assert_eq!(writes[0].stored_at.as_deref(), Some("/memories/deep/er/est.md"));
        let onto =
            FileCommand::Rename { from: "/memories/deep".into(), to: "/memories/notes.md".into() };
        assert_eq!(message(onto), "The destination /memories/notes.md already exists");
        let rename = |from: &str, to: &str| {
            message(FileCommand::Rename { from: from.into(), to: to.into() })
        };
        assert_eq!(
            rename("/memories/deep", "/memories/deep/down"),
            "Cannot rename /memories/deep to a path inside itself"
        );
        assert_eq!(
            rename("/memories/", "/memories/x"),
            "Cannot rename the /memories directory itself"
        );
        assert_eq!(rename("/memories/no", "/memories/x"), "The path /memories/no does not exist");
        let below = "/memories/notes.md/x";
        let create = FileCommand::Create { path: below.into(), text: "x".into() };
        let refused = "The path /memories/notes.md/x is below /memories/notes.md, which is a file.";
        assert_eq!(
            (message(create), rename("/memories/deep", below)),
            (refused.into(), refused.into())
        );
    }

    #[test]
    fn paths_outside_the_directory_are_refused_by_every_command() {
        let outside =
            ["/memories/../etc", "/memories/a/../../x", "/memoriesx", "memories/a", "/", ""];
        for path in outside {
            let (path, safe) = (path.to_owned(), "/memories/notes.md".to_owned());
            let (old, new, text) = ("one".to_owned(), String::new(), "x".to_owned());
            let commands = [
                FileCommand::View { path: path.clone(), lines: None },
                FileCommand::Create { path: path.clone(), text: text.clone() },
                FileCommand::Replace { path: path.clone(), old, new },
                FileCommand::Insert { path: path.clone(), line: 0, text },
                FileCommand::Delete { path: path.clone() },
                FileCommand::Rename { from: path.clone(), to: "/memories/x".into() },
                FileCommand::Rename { from: safe, to: path.clone() },
            ];
            for command in commands {
                let error = command.apply(&files()).unwrap_err();
                let text = error.message();
                assert!(
                    text.contains("Path must start") || text.contains("would escape"),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn overlapping_occurrences_are_counted_as_the_reference_does() {
        let files = StoredFiles::of(&[("/memories/a", "aaa\nébébéb")]);
        let replace = |old: &str| {
            let (path, new) = ("/memories/a".to_owned(), "x".to_owned());
            let command = FileCommand::Replace { path, old: old.into(), new };
            command.apply(&files).map_or_else(
                |error| error.message().to_owned(),
                |(_, w)| w[0].text.clone().unwrap(),
            )
        };
        assert_eq!(replace("aa"), "xa\nébébéb");
        assert!(replace("éb").contains("in lines: 2, 2, 2."));
        assert!(replace("").contains("did not appear verbatim"));
    }

    #[test]
    fn a_repeated_command_gets_the_first_answer() {
        let (path, text) = ("/memories/notes.md".to_owned(), "one\ntwo\nthree\nfour\nfive\n");
        let replace = FileCommand::Replace { path, old: "two".into(), new: "2".into() };
        let again = replace.repeated(Some(text));
        assert_eq!(again, message(replace));
    }
}
