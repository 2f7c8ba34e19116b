//! `everwhen help`: the commands in groups, the help of one command, or a page of the documentation.

use super::reference;
use crate::args::{self, HelpArgs};
use crate::failure::{Failure, Result};
use crate::output;

/// A page by its name, with its text.
type DocPage = (&'static str, &'static str);

macro_rules! pages {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../docs/", $name, ".md")))),*]
    };
}

/// The documentation: the pages of `docs/`.
const PAGES: &[DocPage] = pages![
    "concepts",
    "configuration",
    "ui",
    "troubleshooting",
    "proxy",
    "frontends",
    "agents",
    "mcp",
    "rest",
    "sdk",
    "mem0",
    "workflows",
    "wilmer",
    "wilmer-features",
    "import",
    "export",
    "backup",
    "forgetting",
    "server",
    "access",
    "scale",
    "releasing",
    "benchmarks",
    "recall",
    "seeds",
];
/// The page that is not in `docs/`.
const SECURITY: DocPage = ("security", include_str!("../../../../SECURITY.md"));

/// Pages that are made from the code.
const MADE: [&str; 2] = ["commands", "settings"];

/// The names of all pages.
fn topics() -> impl Iterator<Item = &'static str> {
    PAGES.iter().chain([&SECURITY]).map(|(name, _)| *name).chain(MADE)
}

fn page(name: &str) -> Result<Option<String>> {
    match name {
        "commands" => return Ok(Some(reference::commands())),
        "settings" => return reference::settings().map(Some),
        _ => {}
    }
    let mut pages = PAGES.iter().chain([&SECURITY]);
    Ok(pages.find(|(topic, _)| *topic == name).map(|(_, text)| readable(text)))
}

/// Shows what was asked for.
pub(crate) fn run(args: &HelpArgs) -> Result<()> {
    let words: Vec<&str> = args.words.iter().map(String::as_str).collect();
    let as_page = match words[..] {
        [name] => page(name)?,
        _ => None,
    };
    match (of_command(&words), as_page) {
        (Some(help), None) => output::line(help.trim_end()),
        (Some(help), Some(_)) if !args.page => {
            output::line(help.trim_end())?;
            output::note(&format!("there is a page, too: everwhen help --page {}", words[0]));
            Ok(())
        }
        (_, Some(text)) => output::line(&output::plain(&text)),
        (None, None) => Err(unknown(&words)),
    }
}

/// The help of a command, or of everything.
fn of_command(words: &[&str]) -> Option<String> {
    let mut command = args::command();
    command.build();
    let mut found = &mut command;
    for word in words {
        found = found.find_subcommand_mut(word)?;
    }
    Some(found.render_long_help().ansi().to_string())
}

/// A page without the comments that are for tools.
fn readable(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("<!--"));
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

fn unknown(words: &[&str]) -> Failure {
    let topics: Vec<&str> = topics().collect();
    Failure::usage(format!(
        "there is no command or topic {:?}; topics are {}",
        words.join(" "),
        topics.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_of_the_documentation_is_a_topic() {
        let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
        let files = std::fs::read_dir(docs).unwrap().map(|file| file.unwrap().path());
        let pages = files.filter(|path| path.extension().is_some_and(|kind| kind == "md"));
        for path in pages {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let is_topic = name == "SUMMARY" || topics().any(|topic| topic == name);
            assert!(is_topic, "docs/{name}.md is no topic");
        }
    }

    #[test]
    fn a_page_is_shown_without_comments_for_tools() {
        let text = include_str!("../../../../docs/concepts.md");
        assert!(text.contains("<!-- "), "the test would not notice");
        let shown = page("concepts").unwrap().unwrap();
        assert!(shown.starts_with("# Concepts\n") && !shown.contains("<!-- "), "{shown}");
    }

    #[test]
    fn the_help_lists_every_topic() {
        let help = of_command(&["help"]).unwrap();
        for topic in topics() {
            assert!(help.contains(topic), "{topic} is not in {help}");
        }
    }
}
