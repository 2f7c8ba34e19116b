//! `everwhen connect` and `disconnect`: what they write, and that it can be undone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::hooks::text_of;
use crate::stage::{Stage, finish};

const AGENTS: [&str; 5] = ["claude-code", "codex", "cursor", "gemini-cli", "opencode"];

/// Files as people have them: odd layouts, comments, other hooks, numbers that must not change.
const FILES: [(&str, &str); 6] = [
    (
        ".claude/settings.json",
        "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"lint\"}]}]}\n}",
    ),
    (
        ".claude.json",
        "{\"numStartups\": 12345678901234567890, \"mcpServers\": {\"x\": {\"command\": \"y\"}}, \"big\": 1.0e3}\n",
    ),
    (".codex/config.toml", "# mine\nmodel = \"gpt\"\n\n[mcp_servers.other]\ncommand = \"x\""),
    (".cursor/mcp.json", "{\r\n    \"mcpServers\": {}\r\n}\r\n"),
    (".gemini/settings.json", "{}"),
    (".config/opencode/opencode.jsonc", "{\n  // the model\n  \"model\": \"a/b\",\n}\n"),
];

/// All files below a folder, but for the data directory.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Option<String>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.ends_with("data") {
            continue;
        }
        if path.is_dir() {
            found.extend(tree(&path));
            found.insert(path, None);
        } else {
            let text = text_of(&path);
            found.insert(path, Some(text));
        }
    }
    found
}

fn home_with_files() -> Stage {
    let stage = Stage::new();
    for (name, text) in FILES {
        let path = stage.home().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    stage
}

#[test]
fn disconnecting_leaves_everything_byte_equal() {
    for stage in [Stage::new(), home_with_files()] {
        for scope in ["user", "project"] {
            let before = tree(stage.home());
            for agent in AGENTS {
                let shown = stage.ok(&["connect", agent, "--scope", scope]);
                assert!(shown.contains(" hook ") || agent == "opencode", "{shown}");
                assert!(shown.contains("is connected: each project has its own memory"), "{shown}");
            }
            let connected = tree(stage.home());
            assert_ne!(connected, before);
            for agent in AGENTS {
                let again = stage.ok(&["connect", agent, "--scope", scope]);
                assert!(again.contains("nothing to change"), "{again}");
            }
            assert_eq!(tree(stage.home()), connected, "connecting twice is connecting once");
            for agent in AGENTS {
                stage.ok(&["disconnect", agent, "--scope", scope]);
            }
            assert_eq!(tree(stage.home()), before);
        }
    }
}

#[test]
fn print_changes_nothing_and_shows_everything() {
    let stage = home_with_files();
    let before = tree(stage.home());
    for agent in AGENTS {
        let shown = stage.ok(&["connect", agent, "--print"]);
        assert!(shown.contains("nothing was written"), "{shown}");
        assert!(shown.contains("mcp") && shown.contains("--project"), "{shown}");
        stage.ok(&["disconnect", agent, "--print"]);
    }
    assert_eq!(tree(stage.home()), before);
    assert!(!stage.data().join("connections").exists());
}

#[test]
fn what_an_agent_wrote_meanwhile_stays() {
    let stage = home_with_files();
    stage.ok(&["connect", "claude-code"]);
    stage.ok(&["connect", "codex"]);
    // Claude Code writes the whole file again in its own layout; Codex appends.
    let own = stage.home().join(".claude.json");
    let mut value: Value = serde_json::from_str(&text_of(&own)).unwrap();
    value["tips"] = 3.into();
    std::fs::write(&own, format!("{value:#}")).unwrap();
    let config = stage.home().join(".codex/config.toml");
    let appended = "\n[projects.\"/w\"]\ntrust_level = \"trusted\"\n";
    std::fs::write(&config, text_of(&config) + appended).unwrap();
    stage.ok(&["disconnect", "claude-code"]);
    stage.ok(&["disconnect", "codex"]);
    let rest: Value = serde_json::from_str(&text_of(&own)).unwrap();
    value["mcpServers"].as_object_mut().unwrap().remove("everwhen");
    assert_eq!(rest, value);
    assert!(text_of(&config).ends_with(appended) && !text_of(&config).contains("everwhen"));
    assert_eq!(text_of(&stage.home().join(".claude/settings.json")), FILES[0].1);
}

#[test]
fn without_a_record_ours_is_found_by_what_it_is() {
    let stage = home_with_files();
    for agent in AGENTS {
        stage.ok(&["connect", agent]);
    }
    std::fs::remove_dir_all(stage.data()).unwrap();
    for agent in AGENTS {
        stage.ok(&["disconnect", agent]);
    }
    for (path, text) in tree(stage.home()) {
        assert!(!text.unwrap_or_default().contains("everwhen"), "{}", path.display());
    }
}

#[test]
fn a_file_that_is_not_understood_is_refused_and_nothing_is_written() {
    let stage = Stage::new();
    std::fs::create_dir(stage.home().join(".claude")).unwrap();
    std::fs::write(stage.home().join(".claude.json"), "{ broken").unwrap();
    let before = tree(stage.home());
    let ran = stage.run(&["connect", "claude-code"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains(".claude.json: not JSON at byte"), "{ran:?}");
    assert_eq!(tree(stage.home()), before);
    let ran = stage.run(&["connect", "codex", "--key", "secret"]);
    assert!(ran.code == 2 && ran.stderr.contains("EVERWHEN_KEY"), "{ran:?}");
}

#[test]
fn options_travel_into_the_commands() {
    let stage = Stage::new();
    let data = stage.home().join("my data").display().to_string();
    stage.ok(&["connect", "codex", "--memory", "work", "--data", &data]);
    let hooks = text_of(&stage.home().join(".codex/hooks.json"));
    assert!(hooks.contains(&format!("hook codex --data '{data}' --memory work")), "{hooks}");
    let servers = text_of(&stage.home().join(".codex/config.toml"));
    assert!(
        servers.contains(&format!(
            "[\"mcp\",\"--profile\",\"recall\",\"--data\",\"{data}\",\"--memory\",\"work\"]"
        )),
        "{servers}"
    );
    let ran = finish(stage.command(&["disconnect", "codex"]).args(["--data", &data]), "");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!stage.home().join(".codex").exists());
}

#[test]
fn what_the_user_has_named_everwhen_is_not_replaced() {
    let own = "{\"mcpServers\": {\"everwhen\": {\"command\": \"everwhen\", \"args\": [\"mcp\"]}}}";
    for (agent, file, text, way_out) in [
        ("cursor", ".cursor/mcp.json", own, "everwhen disconnect cursor"),
        ("claude-code", ".claude.json", own, "everwhen disconnect claude-code"),
        ("gemini-cli", ".gemini/settings.json", own, "everwhen disconnect gemini-cli"),
        (
            "codex",
            ".codex/config.toml",
            "[mcp_servers.everwhen]\ncommand = \"everwhen\"\nargs = [\"mcp\"]\n",
            "everwhen disconnect codex",
        ),
        (
            "opencode",
            ".config/opencode/plugins/everwhen.js",
            "export const Mine = 1;\n",
            "everwhen disconnect opencode",
        ),
    ] {
        let stage = Stage::new();
        let path = stage.home().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        let before = tree(stage.home());
        let ran = stage.run(&["connect", agent]);
        assert_eq!(ran.code, 1, "{agent}: {ran:?}");
        assert!(ran.stderr.contains(file) && ran.stderr.contains(way_out), "{ran:?}");
        assert_eq!(tree(stage.home()), before, "{agent}");
        stage.ok(&["disconnect", agent]);
        stage.ok(&["connect", agent]);
    }
}

#[test]
fn what_codex_makes_of_its_file_is_undone_too() {
    let stage = home_with_files();
    stage.ok(&["connect", "codex"]);
    let config = stage.home().join(".codex/config.toml");
    // `codex mcp add` writes the tables of all servers again, without the comment before the first.
    let server = text_of(&config);
    let server = server.lines().find(|line| line.starts_with("args = [\"mcp\"")).unwrap();
    let theirs = format!(
        "# mine\nmodel = \"gpt\"\n\n[mcp_servers.everwhen]\ncommand = \"x\"\n{server}\n\n\
         [mcp_servers.everwhen.tools.add_entry]\napproval_mode = \"approve\"\n\n\
         [mcp_servers.other]\ncommand = \"foo\"\nargs = [\"bar\"]\n# everwhen: end\n\n\
         [projects.\"/w\"]\ntrust_level = \"trusted\"\n"
    );
    std::fs::write(&config, theirs).unwrap();
    stage.ok(&["connect", "codex"]);
    assert_eq!(text_of(&config).matches("[mcp_servers.everwhen").count(), 1);
    stage.ok(&["disconnect", "codex"]);
    let rest = "# mine\nmodel = \"gpt\"\n\n[mcp_servers.other]\ncommand = \"foo\"\nargs = [\"bar\"]\n\n\
                [projects.\"/w\"]\ntrust_level = \"trusted\"\n";
    assert_eq!(text_of(&config), rest);
}

#[cfg(unix)]
#[test]
fn what_is_kept_of_other_programs_files_is_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let stage = home_with_files();
    stage.ok(&["connect", "claude-code"]);
    let rights = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = stage.data().join("connections");
    assert_eq!((rights(&stage.data()), rights(&folder)), (0o700, 0o700));
    assert_eq!(rights(&folder.join("claude-code.json")), 0o600);
}
