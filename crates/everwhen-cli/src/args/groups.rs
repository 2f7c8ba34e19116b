//! The commands in groups, as `everwhen --help` shows them.

use clap::builder::styling::Styles;
use clap::{Command, CommandFactory};

use super::Cli;

/// A heading and the commands below it.
type Group = (&'static str, &'static [&'static str]);

/// All groups.
const GROUPS: [Group; 5] = [
    (
        "Use",
        &[
            "remember",
            "recall",
            "timeline",
            "facts",
            "profile",
            "pin",
            "context",
            "prompt",
            "import",
            "watch",
            "export",
            "connect",
            "disconnect",
            "mcp",
            "ui",
            "demo",
        ],
    ),
    (
        "Inspect",
        &[
            "entries",
            "entry",
            "conversations",
            "conversation",
            "chapters",
            "summary",
            "memories",
            "tail",
            "usage",
        ],
    ),
    (
        "Manage",
        &[
            "correct",
            "tags",
            "forget",
            "end",
            "fork",
            "restore",
            "retrospection",
            "regenerate",
            "distill",
            "vaults",
            "keys",
            "backup",
            "models",
            "workflow",
        ],
    ),
    (
        "Operate",
        &[
            "serve",
            "service",
            "health",
            "doctor",
            "config",
            "migrate",
            "store",
            "completions",
            "man",
            "version",
            "help",
            "hook",
        ],
    ),
    ("Measure", &["bench"]),
];

/// The group of commands that are in none.
const OTHERS: &str = "Operate";

/// The definition of all commands, with the help of the program itself in groups.
pub(crate) fn command() -> Command {
    let command = plain_command();
    let template = template(&command);
    command.help_template(template)
}

/// The definition of all commands, for what reads it: completions and manual pages.
pub(crate) fn plain_command() -> Command {
    Cli::command()
}

fn template(command: &Command) -> String {
    let styles = Styles::styled();
    let (head, name) = (styles.get_header(), styles.get_literal());
    let width = command.get_subcommands().map(|one| one.get_name().len()).max().unwrap_or_default();
    let mut text = "{about-section}\n{usage-heading} {usage}\n".to_owned();
    for (title, commands) in grouped(command) {
        text += &format!("\n{head}{title}:{head:#}\n");
        for (command, about) in commands {
            text += &format!("  {name}{command:width$}{name:#}  {about}\n");
        }
    }
    text + &format!("\n{head}Global options:{head:#}\n{{options}}{{after-help}}")
}

/// Each heading with its commands and what they are for.
fn grouped(command: &Command) -> Vec<(&'static str, Vec<(&str, String)>)> {
    let about = |name: &str| {
        let found = command.find_subcommand(name)?;
        Some((found.get_name(), found.get_about().map(ToString::to_string).unwrap_or_default()))
    };
    let mut groups: Vec<(&str, Vec<(&str, String)>)> = GROUPS
        .iter()
        .map(|(title, names)| (*title, names.iter().filter_map(|name| about(name)).collect()))
        .collect();
    let is_listed = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let others = command.get_subcommands().filter(|one| !is_listed(one.get_name()));
    if let Some((_, operate)) = groups.iter_mut().find(|(title, _)| *title == OTHERS) {
        operate.extend(others.filter_map(|one| about(one.get_name())));
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_listed_once_and_the_table_names_no_other() {
        let command = plain_command();
        let mut listed: Vec<&str> = grouped(&command)
            .iter()
            .flat_map(|(_, all)| all.iter().map(|(name, _)| *name))
            .collect();
        listed.sort_unstable();
        let mut all: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        all.sort_unstable();
        assert_eq!(listed, all);
        for name in GROUPS.iter().flat_map(|(_, names)| *names) {
            assert!(all.contains(name), "there is no command {name}");
        }
    }

    #[test]
    fn the_help_shows_groups_options_and_examples() {
        let help = command().render_long_help().to_string();
        for part in ["Use:\n  remember ", "\nMeasure:\n  bench", "--memory <MEMORY>", "EXAMPLES\n"]
        {
            assert!(help.contains(part), "{part:?} in {help}");
        }
    }
}
