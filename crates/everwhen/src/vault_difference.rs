//! What vaults have otherwise than the configuration says.
//!
//! The configuration applies to new vaults; of those that exist, the default vault gets the rules that
//! are written under `[conversations]`. Whatever else differs stays, and is said here with the command
//! that changes it.

use std::fmt::Display;

use crate::config::{Config, ConversationsConfig, Origin};
use crate::memory::{Lifecycle, Settings, SettingsChange};
use crate::{Engine, Result};

/// Vaults read at a time.
const PAGE: usize = 1000;

/// A line for each vault with another zone or other rules than the configuration says, by name: `most`
/// of them, and how many more there are.
pub async fn vault_differences(
    engine: &Engine,
    config: &Config,
    most: usize,
) -> Result<(Vec<String>, usize)> {
    let (mut lines, mut more, mut after) = (Vec::new(), 0, None);
    loop {
        let page = engine.vaults(after, PAGE).await?;
        let found = page.iter().filter_map(|vault| {
            vault_difference(config, vault.name.as_str(), vault.zone.name(), vault.settings)
        });
        let mut found = found;
        let room = most - lines.len();
        lines.extend(found.by_ref().take(room));
        more += found.count();
        after = match page.last() {
            Some(last) if page.len() == PAGE => Some(last.name.clone()),
            _ => return Ok((lines, more)),
        };
    }
}

/// What a vault has otherwise than the configuration says, with the command that changes it; nothing if
/// it has nothing otherwise. A zone that is not configured is not compared: it is the machine's.
pub fn vault_difference(
    config: &Config,
    name: &str,
    zone: &str,
    known: Settings,
) -> Option<String> {
    let mut found = Differences::default();
    let (wanted, from) = (config.zone.value.name(), &config.zone.from);
    if *from != Origin::Default && zone != wanted {
        found.add(("zone", "zone"), from, zone, wanted);
    }
    found.add_rules(&config.conversations, known, config.vault_defaults().settings);
    let (said, flags) = (found.said.join(", "), found.flags.join(" "));
    let command = format!("everwhen vaults set {} {flags}", in_shell(name));
    (!found.said.is_empty()).then(|| format!("vault {name} has {said}; to change it: {command}"))
}

/// What differs, and the flags that make it the same.
#[derive(Default)]
struct Differences {
    said: Vec<String>,
    flags: Vec<String>,
}

impl Differences {
    fn add(
        &mut self,
        (key, flag): (&str, &str),
        from: &Origin,
        known: impl Display,
        wanted: impl Display,
    ) {
        let source = if *from == Origin::Default { "default" } else { "configured" };
        self.said.push(format!("{key} {known} ({source}: {wanted})"));
        self.flags.push(format!("--{flag} {wanted}"));
    }

    /// Adds the rules that differ. A preset sets timers, so those are compared as they are with it.
    fn add_rules(&mut self, config: &ConversationsConfig, known: Settings, wanted: Settings) {
        let lifecycle = wanted.lifecycle.filter(|wanted| known.lifecycle != Some(*wanted));
        if let Some(preset) = lifecycle {
            let had = known.lifecycle.map_or("none", Lifecycle::as_str);
            let names = ("lifecycle", "lifecycle");
            self.add(names, &config.lifecycle.from, had, preset.as_str());
        }
        let mut then = SettingsChange { lifecycle, ..SettingsChange::default() }.on(known);
        for rule in rules(config) {
            let value = (rule.value)(&wanted);
            if (rule.value)(&then) != value {
                self.add((rule.key, rule.flag), rule.from, (rule.value)(&known), value);
            }
            // What cools after half of the idle timeout changes with it.
            then.idle_timeout_minutes = wanted.idle_timeout_minutes;
        }
    }
}

/// A rule of vaults.
struct VaultRule<'c> {
    key: &'static str,
    flag: &'static str,
    value: fn(&Settings) -> String,
    from: &'c Origin,
}

/// All rules but the preset, the idle timeout first.
fn rules<'c>(config: &'c ConversationsConfig) -> [VaultRule<'c>; 6] {
    let (idle, preset) = (&config.idle_timeout_minutes.from, &config.lifecycle.from);
    let timer = move |own: &'c Origin| if *own == Origin::Default { preset } else { own };
    let rule = |key, flag, from, value| VaultRule { key, flag, value, from };
    [
        rule("conversationIdleTimeoutMinutes", "idle-timeout", timer(idle), |rules| {
            rules.idle_timeout_minutes.to_string()
        }),
        rule("coolingTimeoutMinutes", "cooling", timer(&config.cooling_minutes.from), |rules| {
            rules.cools_after_minutes().to_string()
        }),
        rule("closedTimeoutMinutes", "closed", timer(&config.closed_minutes.from), |rules| {
            rules.closes_after_minutes().to_string()
        }),
        rule(
            "maxConversationsRetained",
            "retained",
            &config.conversations_retained.from,
            |rules| rules.conversations_retained.to_string(),
        ),
        rule(
            "conversationStateTimeoutMinutes",
            "state-timeout",
            &config.state_timeout_minutes.from,
            |rules| rules.state_timeout_minutes.to_string(),
        ),
        rule("retention", "retention", &config.retention.from, |rules| {
            rules.retention.as_str().to_owned()
        }),
    ]
}

/// A name as an argument in a shell.
fn in_shell(name: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./:@+".contains(letter);
    match name.chars().all(is_plain) {
        true => name.to_owned(),
        false => format!("'{}'", name.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Environment, Flags};

    fn config(variables: &[(&str, &str)]) -> Config {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("config.toml");
        let lines: Vec<String> =
            variables.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        std::fs::write(&file, format!("[conversations]\n{}", lines.join("\n"))).unwrap();
        let data = Some(directory.path().display().to_string());
        let flags = Flags { config: Some(file), data, ..Flags::default() };
        Config::load(&Environment::default(), &flags).unwrap()
    }

    fn flags_for(variables: &[(&str, &str)], known: Settings) -> Option<String> {
        let line = vault_difference(&config(variables), "ana's", "Asia/Tokyo", known)?;
        Some(line.split_once(r"vaults set 'ana'\''s' ").unwrap().1.to_owned())
    }

    #[test]
    fn what_a_preset_says_is_compared_with_what_numbers_come_to() {
        let known = Settings::default();
        let preset = ("lifecycle", "'daily-checkin'");
        assert_eq!(flags_for(&[], known), None, "neither a zone nor a rule is configured");
        assert_eq!(flags_for(&[preset], known).unwrap(), "--lifecycle daily-checkin");
        let daily = known.with_lifecycle(Lifecycle::DailyCheckin);
        assert_eq!(flags_for(&[preset], daily), None);
        let beside = [preset, ("closedTimeoutMinutes", "99")];
        assert_eq!(flags_for(&beside, known).unwrap(), "--lifecycle daily-checkin --closed 99");
        let without = "--idle-timeout 30 --cooling 15 --closed 43200";
        assert_eq!(flags_for(&[], daily).unwrap(), without, "the preset was taken away");
    }

    #[test]
    fn a_rule_that_follows_from_another_is_not_said_twice() {
        let idle = ("conversationIdleTimeoutMinutes", "5");
        assert_eq!(flags_for(&[idle], Settings::default()).unwrap(), "--idle-timeout 5");
        let cooling = Settings { cooling_minutes: Some(3), ..Settings::default() };
        let both = "--idle-timeout 5";
        assert_eq!(flags_for(&[idle], cooling).unwrap(), both, "half of five minutes, rounded up");
    }
}
