//! What connecting means for each agent: which files, and what is added to them.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::change::{Addition, FileChange};
use crate::args::{AgentName, ConnectScope};

/// The name of our entry among an agent's MCP servers.
const SERVER: &str = "everwhen";
/// Where opencode's plugin has the command.
const PLUGIN_COMMAND: &str = r#"["everwhen", "hook", "opencode"]"#;
/// opencode's plugin.
const PLUGIN: &str = include_str!("../../../../../plugins/opencode/everwhen.js");

/// Where agents have their configuration.
pub(super) struct Places {
    pub(super) home: PathBuf,
    pub(super) project: PathBuf,
    pub(super) scope: ConnectScope,
    /// `CLAUDE_CONFIG_DIR`.
    pub(super) claude: Option<PathBuf>,
    /// `CODEX_HOME`.
    pub(super) codex: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub(super) config: Option<PathBuf>,
}

/// The command that agents run.
pub(super) struct Commands {
    /// This program.
    pub(super) program: String,
    /// Options that both commands get.
    pub(super) options: Vec<String>,
    /// Whether each project has its own memory.
    pub(super) per_project: bool,
}

impl Commands {
    /// The program and arguments of the MCP server.
    fn server(&self) -> Vec<String> {
        // The hooks record what is said; a model that records it, too, stores everything twice.
        let own = ["mcp", "--profile", "recall"].into_iter();
        let own = own.chain(self.per_project.then_some("--project"));
        let program = std::iter::once(self.program.clone());
        program.chain(own.map(str::to_owned)).chain(self.options.clone()).collect()
    }

    /// The program and arguments of a hook.
    fn hook(&self, agent: AgentName) -> Vec<String> {
        let own = [self.program.clone(), "hook".into(), agent.name().into()];
        own.into_iter().chain(self.options.clone()).collect()
    }

    /// The hook as a line for a shell.
    fn hook_line(&self, agent: AgentName) -> String {
        self.hook(agent).iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./:=@%+,".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// What to add, file by file.
pub(super) fn changes(agent: AgentName, places: &Places, commands: &Commands) -> Vec<FileChange> {
    match agent {
        AgentName::ClaudeCode => claude_code(places, commands),
        AgentName::Codex => codex(places, commands),
        AgentName::Cursor => cursor(places, commands),
        AgentName::GeminiCli => gemini_cli(places, commands),
        AgentName::Opencode => opencode(places, commands),
    }
}

fn claude_code(places: &Places, commands: &Commands) -> Vec<FileChange> {
    let (settings, servers) = match (places.scope, &places.claude) {
        (ConnectScope::Project, _) => {
            (places.project.join(".claude/settings.json"), places.project.join(".mcp.json"))
        }
        (ConnectScope::User, Some(own)) => (own.join("settings.json"), own.join(".claude.json")),
        (ConnectScope::User, None) => {
            (places.home.join(".claude/settings.json"), places.home.join(".claude.json"))
        }
    };
    vec![
        FileChange::new(settings, hooks(&claude_code_hooks(commands))),
        FileChange::new(servers, vec![stdio_server(commands, true)]),
    ]
}

fn claude_code_hooks(commands: &Commands) -> Value {
    let line = commands.hook_line(AgentName::ClaudeCode);
    let hook = |timeout: u32| json!({ "type": "command", "command": line, "timeout": timeout });
    let mut unawaited = hook(30);
    unawaited["async"] = true.into();
    json!({
        "SessionStart": [{ "matcher": "startup|resume|clear|compact", "hooks": [hook(10)] }],
        "UserPromptSubmit": [{ "hooks": [hook(10)] }],
        "Stop": [{ "hooks": [unawaited] }],
        "PreCompact": [{ "hooks": [hook(30)] }],
        "SessionEnd": [{ "hooks": [hook(30)] }],
    })
}

fn codex(places: &Places, commands: &Commands) -> Vec<FileChange> {
    let folder = match (places.scope, &places.codex) {
        (ConnectScope::Project, _) => places.project.join(".codex"),
        (ConnectScope::User, Some(own)) => own.clone(),
        (ConnectScope::User, None) => places.home.join(".codex"),
    };
    let server = commands.server();
    // JSON's strings and lists of strings are TOML's, too.
    let block = format!(
        "[mcp_servers.{SERVER}]\ncommand = {}\nargs = {}\n",
        json!(server[0]),
        json!(server[1..])
    );
    vec![
        FileChange::new(folder.join("hooks.json"), hooks(&codex_hooks(commands))),
        FileChange::new(folder.join("config.toml"), vec![Addition::Block(block)]),
    ]
}

fn codex_hooks(commands: &Commands) -> Value {
    let line = commands.hook_line(AgentName::Codex);
    let hook = |timeout: u32| json!([{ "hooks": [{ "type": "command", "command": line, "timeout": timeout }] }]);
    json!({
        "SessionStart": hook(10),
        "UserPromptSubmit": hook(10),
        "Stop": hook(30),
        "PreCompact": hook(30),
    })
}

fn cursor(places: &Places, commands: &Commands) -> Vec<FileChange> {
    let folder = match places.scope {
        ConnectScope::Project => places.project.join(".cursor"),
        ConnectScope::User => places.home.join(".cursor"),
    };
    let mut additions = vec![Addition::Default("version", 1.into())];
    additions.extend(hooks(&cursor_hooks(commands)));
    vec![
        FileChange::new(folder.join("hooks.json"), additions),
        FileChange::new(folder.join("mcp.json"), vec![stdio_server(commands, false)]),
    ]
}

fn cursor_hooks(commands: &Commands) -> Value {
    let line = commands.hook_line(AgentName::Cursor);
    let hook = |timeout: u32| json!([{ "command": line, "timeout": timeout }]);
    json!({
        "sessionStart": hook(10),
        "beforeSubmitPrompt": hook(10),
        "afterAgentResponse": hook(30),
        "preCompact": hook(30),
        "sessionEnd": hook(30),
    })
}

fn gemini_cli(places: &Places, commands: &Commands) -> Vec<FileChange> {
    let folder = match places.scope {
        ConnectScope::Project => &places.project,
        ConnectScope::User => &places.home,
    };
    let mut additions = hooks(&gemini_cli_hooks(commands));
    additions.push(stdio_server(commands, false));
    vec![FileChange::new(folder.join(".gemini/settings.json"), additions)]
}

fn gemini_cli_hooks(commands: &Commands) -> Value {
    let line = commands.hook_line(AgentName::GeminiCli);
    // In milliseconds.
    let hook = |timeout: u32| {
        let hook =
            json!({ "name": SERVER, "type": "command", "command": line, "timeout": timeout });
        json!([{ "hooks": [hook] }])
    };
    json!({
        "SessionStart": hook(10_000),
        "BeforeAgent": hook(10_000),
        "AfterAgent": hook(30_000),
        "PreCompress": hook(30_000),
        "SessionEnd": hook(30_000),
    })
}

fn opencode(places: &Places, commands: &Commands) -> Vec<FileChange> {
    let (folder, plugins) = match (places.scope, &places.config) {
        (ConnectScope::Project, _) => (places.project.clone(), places.project.join(".opencode")),
        (ConnectScope::User, Some(config)) => (config.join("opencode"), config.join("opencode")),
        (ConnectScope::User, None) => {
            let folder = places.home.join(".config/opencode");
            (folder.clone(), folder)
        }
    };
    let with_comments = folder.join("opencode.jsonc");
    let file = if with_comments.exists() { with_comments } else { folder.join("opencode.json") };
    let server = json!({ "type": "local", "command": commands.server(), "enabled": true });
    let hook = json!(commands.hook(AgentName::Opencode)).to_string();
    vec![
        FileChange::new(file, vec![Addition::Member(vec!["mcp"], SERVER, server)]),
        FileChange::new(
            plugins.join("plugins/everwhen.js"),
            vec![Addition::Whole(PLUGIN.replace(PLUGIN_COMMAND, &hook))],
        ),
    ]
}

fn stdio_server(commands: &Commands, is_typed: bool) -> Addition {
    let server = commands.server();
    let mut value = json!({ "command": server[0], "args": server[1..] });
    if is_typed {
        value["type"] = "stdio".into();
    }
    Addition::Member(vec!["mcpServers"], SERVER, value)
}

/// Each hook of an object of lists, below `hooks`.
fn hooks(events: &Value) -> Vec<Addition> {
    let events = events.as_object().into_iter().flatten();
    let items = events.flat_map(|(event, items)| {
        let items = items.as_array().cloned().unwrap_or_default();
        items.into_iter().map(|item| Addition::Item(vec!["hooks".into(), event.clone()], item))
    });
    items.collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn plain() -> Commands {
        Commands { program: "everwhen".into(), options: Vec::new(), per_project: true }
    }

    fn file(name: &str) -> Value {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let text = std::fs::read_to_string(root.join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn the_plugins_run_the_commands_that_connect_writes() {
        let commands = plain();
        for (name, hooks) in [
            ("plugins/claude-code/hooks/hooks.json", claude_code_hooks(&commands)),
            ("plugins/codex/hooks/hooks.json", codex_hooks(&commands)),
            ("plugins/cursor/hooks/hooks.json", cursor_hooks(&commands)),
            ("plugins/gemini-cli/hooks/hooks.json", gemini_cli_hooks(&commands)),
        ] {
            assert_eq!(file(name)["hooks"], hooks, "{name}");
        }
        for name in [
            "plugins/claude-code/.mcp.json",
            "plugins/codex/.mcp.json",
            "plugins/cursor/mcp.json",
            "plugins/gemini-cli/gemini-extension.json",
        ] {
            let server = &file(name)["mcpServers"]["everwhen"];
            assert_eq!(server["command"], "everwhen", "{name}");
            assert_eq!(
                server["args"],
                json!(["mcp", "--profile", "recall", "--project"]),
                "{name}"
            );
        }
        assert!(PLUGIN.contains(PLUGIN_COMMAND));
    }

    #[test]
    fn the_plugins_have_the_version_of_the_program() {
        let version = env!("CARGO_PKG_VERSION");
        for name in [
            "plugins/claude-code/.claude-plugin/plugin.json",
            "plugins/codex/.codex-plugin/plugin.json",
            "plugins/cursor/.cursor-plugin/plugin.json",
            "plugins/gemini-cli/gemini-extension.json",
        ] {
            assert_eq!(file(name)["version"], version, "{name}");
        }
        assert_eq!(file(".claude-plugin/marketplace.json")["plugins"][0]["version"], version);
    }

    #[test]
    fn each_marketplace_leads_to_the_plugin_of_its_agent() {
        for (marketplace, source, manifest) in [
            (".claude-plugin/marketplace.json", "/plugins/0/source", ".claude-plugin/plugin.json"),
            // Codex would read Claude Code's, if there were none of its own.
            (
                ".agents/plugins/marketplace.json",
                "/plugins/0/source/path",
                ".codex-plugin/plugin.json",
            ),
            (".cursor-plugin/marketplace.json", "/plugins/0/source", ".cursor-plugin/plugin.json"),
        ] {
            let catalog = file(marketplace);
            let folder = catalog.pointer(source).and_then(Value::as_str).unwrap_or_default();
            let plugin = file(&format!("{folder}/{manifest}"));
            assert_eq!(plugin["name"], catalog["plugins"][0]["name"], "{marketplace}");
        }
    }

    #[test]
    fn words_that_a_shell_would_split_are_quoted() {
        let commands = Commands {
            program: "/opt/my tools/everwhen".into(),
            options: vec!["--memory".into(), "it's".into()],
            per_project: false,
        };
        assert_eq!(
            commands.hook_line(AgentName::Codex),
            r"'/opt/my tools/everwhen' hook codex --memory 'it'\''s'"
        );
        assert_eq!(commands.server()[1..], ["mcp", "--profile", "recall", "--memory", "it's"]);
    }
}
