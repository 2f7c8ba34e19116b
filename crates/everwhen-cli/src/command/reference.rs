//! Reference pages that are made from the code: `everwhen help commands` and `everwhen help settings`.

use clap::Command;
use everwhen::{Config, Environment, Flags, Origin};

use crate::args;
use crate::failure::Result;

/// Where data is unless something else is set, as it reads on any machine.
const DATA: &str = "~/.local/share/everwhen";

/// Every command with its help, as a page.
pub(super) fn commands() -> String {
    let mut all = args::plain_command();
    all.build();
    let mut page = "# Commands\n\nEverything that `--help` shows, on one page.\n".to_owned();
    for command in all.get_subcommands_mut() {
        describe(command, &mut page);
    }
    page
}

fn describe(command: &mut Command, page: &mut String) {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned();
    let help = command.render_long_help().to_string();
    *page += &format!("\n## {name}\n\n```text\n{}\n```\n", help.trim_end());
    for below in command.get_subcommands_mut() {
        describe(below, page);
    }
}

/// Every setting with its variable, its default and its meaning, as a page.
pub(super) fn settings() -> Result<String> {
    let flags = Flags { data: Some(DATA.into()), zone: Some("UTC".into()), ..Flags::default() };
    let defaults = Config::load(&Environment::default(), &flags)?;
    let mut page = "# Settings\n\n\
        A setting is a line of the configuration file (`everwhen config path` says where it is), an environment variable, \
        or for some a flag; the later overrides the earlier. `everwhen config` shows the value in use and where it comes from.\n\n\
        | setting | variable | default | meaning | value |\n|---|---|---|---|---|\n"
        .to_owned();
    for setting in defaults.listing() {
        let default = match (&setting.from, setting.key.name) {
            (_, "data") => DATA.to_owned(),
            (_, "zone") => "the system's".to_owned(),
            (Origin::Default, _) => setting.value.trim_matches('"').to_owned(),
            _ => String::new(),
        };
        let cells = [
            setting.key.name,
            setting.key.variable,
            &default,
            setting.key.about,
            setting.key.right,
        ];
        let cells = cells.map(|cell| cell.replace('|', "\\|").replace('\n', " "));
        page += &format!(
            "| `{}` | `{}` | {} | {} | {} |\n",
            cells[0], cells[1], cells[2], cells[3], cells[4]
        );
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_a_line() {
        let page = settings().unwrap();
        for key in everwhen::KEYS {
            let line = page.lines().find(|line| line.starts_with(&format!("| `{}` |", key.name)));
            assert!(line.is_some_and(|line| line.contains(key.variable)), "{}", key.name);
        }
        assert!(page.contains("| `listen` | `EVERWHEN_LISTEN` | 127.0.0.1:3939 |"), "{page}");
    }

    #[test]
    fn every_command_has_its_part() {
        let page = commands();
        for part in
            ["\n## everwhen remember\n", "\n## everwhen bench run\n", "Usage: everwhen keys add"]
        {
            assert!(page.contains(part), "{part:?}");
        }
    }
}
