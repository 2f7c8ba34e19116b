//! Configuration read from files, variables and flags, right and wrong.

mod allowed;
mod endpoints;

use std::fs;

use super::*;
use crate::ErrorKind;
use crate::ledger::Style;
use crate::memory::Retention;

const HOME: [(&str, &str); 1] = [("HOME", "/home/ana")];

/// Loads a configuration from this text of a file, in a fresh directory.
fn load_file(text: &str) -> Result<Config> {
    load(text, HOME.into(), Flags::default())
}

fn load(text: &str, environment: Environment, flags: Flags) -> Result<Config> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("config.toml");
    fs::write(&path, text).unwrap();
    Config::load(&environment, &Flags { config: Some(path), ..flags })
}

fn problem(text: &str) -> String {
    let error = load_file(text).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    error.message().split_once("config.toml:").expect("the file is named").1.to_owned()
}

#[test]
fn without_anything_the_defaults_hold() {
    let config = Config::load(&HOME.into(), &Flags::default()).unwrap();
    assert_eq!(config.data.value, Path::new("/home/ana/.local/share/everwhen"));
    assert_eq!(config.listen.value, "127.0.0.1:3939");
    assert_eq!(config.settings(), Settings::default());
    assert_eq!(config.store_options().max_bytes, None);
    assert!(config.listing().iter().all(|setting| setting.from == Origin::Default));
    assert_eq!(config.file, None);
}

#[test]
fn xdg_directories_are_honored_if_absolute() {
    let environment = [("HOME", "/home/ana"), ("XDG_DATA_HOME", "/big/disk")].into();
    let config = Config::load(&environment, &Flags::default()).unwrap();
    assert_eq!(config.data.value, Path::new("/big/disk/everwhen"));
    let environment = [("HOME", "/home/ana"), ("XDG_DATA_HOME", "disk")].into();
    let config = Config::load(&environment, &Flags::default()).unwrap();
    assert_eq!(config.data.value, Path::new("/home/ana/.local/share/everwhen"));
}

#[test]
fn without_a_home_the_directory_must_be_named() {
    let error = Config::load(&Environment::default(), &Flags::default()).unwrap_err();
    assert!(error.message().contains("--data"), "{error}");
    let flags = Flags { data: Some("/here".into()), ..Flags::default() };
    let config = Config::load(&Environment::default(), &flags).unwrap();
    assert_eq!(config.data, Chosen { value: "/here".into(), from: Origin::Flag("data") });
}

#[test]
fn flags_beat_variables_beat_the_file() {
    let text = "listen = '127.0.0.1:1'\nvault = 'one'\nzone = 'Europe/Berlin'\n";
    let environment = [("EVERWHEN_LISTEN", "127.0.0.1:2"), ("EVERWHEN_VAULT", "two"), HOME[0]];
    let flags = Flags { listen: Some("127.0.0.1:3".into()), ..Flags::default() };
    let config = load(text, environment.into(), flags).unwrap();
    assert_eq!(config.listen.value, "127.0.0.1:3");
    assert_eq!(config.listen.from.to_string(), "flag --listen");
    assert_eq!(config.vault.value, "two");
    assert_eq!(config.vault.from.to_string(), "environment EVERWHEN_VAULT");
    assert_eq!(config.zone.value.name(), "Europe/Berlin");
    assert!(config.zone.from.to_string().ends_with("config.toml:3"), "{}", config.zone.from);
}

/// A file that sets every key.
const EVERY_KEY: &str = r#"
data = "/d"
listen = "[::1]:80"
zone = "UTC"
vault = "v"
memory = "m"
log = "debug"
log_format = "json"
[conversations]
conversationIdleTimeoutMinutes = 5
maxConversationsRetained = 7
conversationStateTimeoutMinutes = 9
retention = "delete"
lifecycle = "long-term"
coolingTimeoutMinutes = 3
closedTimeoutMinutes = 600
retrospection = "on"
[store]
url = "postgres://ana@db/memory"
connections = 4
statement_timeout_seconds = 12
synchronous = "normal"
max_size_mb = 3
commit_group = 1
[proxy]
stamps = "gap"
now = "off"
context = "off"
briefing = "off"
budget_tokens = 300
deadline_ms = 50
reach = "memory"
tool_entries = "on"
group_chat = "on"
unnamed = "default"
prompt_cache_key = "on"
tool_output = "on"
memory_tool = "on"
outbox_bytes = 1000000
outbox_days = 3
openwebui_secret = "(not shown)"
[server]
allowed_hosts = "*.example.net, box:8080"
allowed_origins = "https://app.example.org, chrome-extension://abc"
header_timeout_seconds = 11
body_timeout_seconds = 31
idle_timeout_seconds = 61
max_connections = 100
max_requests = 50
max_body_mb = 32
max_upload_mb = 1000
max_buffered_mb = 128
max_json_depth = 64
[mcp]
allowed_hosts = "localhost, memory.example.org"
allowed_origins = "*"
[embedder]
kind = "ollama"
path = "/m"
model = "nomic-embed-text"
base_url = "http://127.0.0.1:11434"
key = "(not shown)"
dimensions = 256
query_prefix = "search_query: "
passage_prefix = "search_document: "
threads = 2
[llm]
provider = "ollama"
base_url = "http://127.0.0.1:1"
model = "m"
key = "(not shown)"
timeout_seconds = 5
tries = 2
requests_per_minute = 60
input_price = 0.15
output_price = 0.6
spending_cap = 5
fallback = "rules"
[chapters]
settings = "/s.json"
[facts]
forgetting = "on"
half_life_days = 90
auto_pin = "health, passport"
same = 0.9
related = 0.7
borne_out = 0.3
[workflow]
dir = "/w"
files = "/f"
[backup]
every = "6h"
keep = 3
dir = "/b"
[watch]
sources = "codex, /chats"
memory = "coding"
every_seconds = 5
"#;

#[test]
fn every_key_can_be_set_in_the_file_and_is_listed_as_written() {
    let text = EVERY_KEY;
    let text = &format!("upstream = \"http://localhost:8080/v1\"\n{text}");
    let config = load_file(text).unwrap();
    assert_eq!(config.store_options().max_bytes, Some(3 * 1024 * 1024));
    assert_eq!(config.settings().retention, Retention::Delete);
    assert_eq!(config.settings().idle_timeout_minutes, 5, "it stands beside a preset");
    for setting in config.listing() {
        let name = setting.key.name.rsplit('.').next().unwrap();
        let line = format!("{name} = {}\n", setting.value);
        assert!(text.contains(&line), "{line}");
        assert_ne!(setting.from, Origin::Default, "{name}");
    }
}

/// A value for every key, in their order.
const VALUES: [&str; KEYS.len()] = [
    "/d",
    "localhost:80",
    "UTC",
    "v",
    "m",
    "off",
    "json",
    "5",
    "7",
    "9",
    "delete",
    "weekly-therapy",
    "3",
    "600",
    "What went well today?",
    "sqlite",
    "4",
    "12",
    "normal",
    "3",
    "1",
    "a.example",
    "https://a.example",
    "11",
    "31",
    "61",
    "100",
    "50",
    "32",
    "1000",
    "128",
    "64",
    "h",
    "https://o:1",
    "http://box:1/v1",
    "relative",
    "off",
    "off",
    "off",
    "400",
    "10",
    "memory",
    "on",
    "on",
    "default",
    "on",
    "on",
    "on",
    "1000000",
    "3",
    "(not shown)",
    "transformer",
    "/m",
    "minilm",
    "http://h",
    "(not shown)",
    "256",
    "q:",
    "p:",
    "2",
    "openai",
    "http://127.0.0.1:1",
    "m",
    "(not shown)",
    "5",
    "2",
    "60",
    "0.15",
    "0.6",
    "5",
    "rules",
    "/s.json",
    "on",
    "90",
    "health",
    "0.9",
    "0.7",
    "0.3",
    "/w",
    "/f",
    "6h",
    "3",
    "/b",
    "codex, /chats",
    "coding",
    "5",
];

#[test]
fn every_key_can_be_set_by_its_variable() {
    let pairs: [(&str, &str); KEYS.len()] =
        std::array::from_fn(|place| (KEYS[place].variable, VALUES[place]));
    let config = Config::load(&pairs.into(), &Flags::default()).unwrap();
    for (setting, value) in config.listing().iter().zip(VALUES) {
        assert_eq!(setting.value.trim_matches('"'), value);
        assert_eq!(setting.from, Origin::Environment(setting.key.variable));
    }
}

#[test]
fn a_preset_sets_the_timers_of_conversations() {
    let config = load_file("[conversations]\nlifecycle = 'daily-checkin'\n").unwrap();
    assert_eq!(config.settings().idle_timeout_minutes, 150);
    let problem = problem("[conversations]\nlifecycle = 'hourly'\n");
    assert!(problem.contains("weekly-therapy"), "{problem}");
}

#[test]
fn an_unknown_key_is_an_error_that_names_the_nearest() {
    assert_eq!(problem("\nlistn = 'x'"), "2: unknown key `listn`; did you mean `listen`?");
    let nested = problem("[store]\nsynchronus = 'full'");
    assert_eq!(nested, "2: unknown key `store.synchronus`; did you mean `store.synchronous`?");
    let misplaced = problem("conversationIdleTimeoutMinutes = 5");
    assert!(misplaced.contains("`conversations.conversationIdleTimeoutMinutes`"), "{misplaced}");
    assert!(problem("[stores]\nx = 1").contains("unknown key `stores`"));
}

#[test]
fn all_unknown_keys_are_told_in_the_order_of_their_lines() {
    let message =
        problem("[store]\nsynchronus = 'full'\n[proxy]\nstampz = 'off'\n[llm]\nmodle = 'm'");
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines.len(), 3, "{message}");
    assert!(lines[0].starts_with("2: unknown key `store.synchronus`"), "{message}");
    assert!(lines[1].contains("config.toml:4: unknown key `proxy.stampz`"), "{message}");
    assert!(lines[2].ends_with("unknown key `llm.modle`; did you mean `llm.model`?"), "{message}");
}

#[test]
fn an_unknown_variable_is_an_error_too() {
    let environment = [("EVERWHEN_LISTN", "x"), HOME[0]].into();
    let error = Config::load(&environment, &Flags::default()).unwrap_err();
    assert_eq!(
        error.message(),
        "unknown environment variable EVERWHEN_LISTN; did you mean EVERWHEN_LISTEN?"
    );
    let known =
        [("EVERWHEN_SERVER", "http://x"), ("EVERWHEN_BINARY", "e"), ("EVERWHEN_KEY", "k"), HOME[0]]
            .into();
    assert!(Config::load(&known, &Flags::default()).is_ok());
}

#[test]
fn a_wrong_value_names_the_key_and_what_would_be_right() {
    for (text, expected) in [
        ("listen = 3939", "1: `listen` is a number; write an address with a port"),
        ("listen = '3939'", "1: `listen` is \"3939\"; write an address with a port"),
        ("listen = '::1:80'", "`listen` is \"::1:80\""),
        ("zone = 'Europe/Atlantis'", "1: `zone` is \"Europe/Atlantis\"; write an IANA name"),
        ("log = 'loud'", "`log` is \"loud\"; write \"off\", \"error\""),
        ("log_format = true", "`log_format` is of type boolean; write \"text\" or \"json\""),
        ("vault = ' '", "`vault` is empty"),
        ("vault = ' x'", "`vault` is \" x\""),
        ("[store]\nmax_size_mb = '5'", "2: `store.max_size_mb` is text; write a whole number"),
        ("[store]\nmax_size_mb = -5", "`store.max_size_mb` is -5"),
        ("[store]\nsynchronous = 'off'", "write \"full\" or \"normal\""),
        ("[conversations]\nretention = 'keep'", "write \"archive\" or \"delete\""),
        ("[conversations]\nmaxConversationsRetained = 0", "is 0; write a whole number"),
        ("[server]\nallowed_hosts = 'http://a'", "`server.allowed_hosts` is \"http://a\"; write"),
        ("[server]\nallowed_origins = 'a.example'", "such as \"https://app.example.org"),
        ("[server]\nmax_body_mb = 2000", "2: `server.max_body_mb` is \"2000\"; write a whole"),
        ("[server]\nmax_requests = 0", "`server.max_requests` is 0"),
        ("store = 5", "1: `store` is a table; write [store] above its keys"),
        ("data = [", "1: not valid TOML"),
    ] {
        let said = problem(text);
        assert!(said.contains(expected), "{text}: {said}");
    }
}

#[test]
fn a_wrong_number_in_a_variable_names_the_variable() {
    let environment = [("EVERWHEN_STORE_MAX_SIZE_MB", "big"), HOME[0]].into();
    let error = Config::load(&environment, &Flags::default()).unwrap_err();
    let expected = "environment EVERWHEN_STORE_MAX_SIZE_MB: `store.max_size_mb` is \"big\"";
    assert!(error.message().starts_with(expected), "{error}");
}

#[test]
fn upstreams_are_read_in_order_and_their_keys_shown_to_nobody() {
    let text = r#"
[[upstream]]
base_url = "http://localhost:8080/v1"
key = "sk-secret"

[[upstream]]
name = "box"
kind = "ollama"
base_url = "http://box:1/api"
key_variable = "BOX_KEY"
"#;
    let environment = [("BOX_KEY", "b"), HOME[0]].into();
    let flags = Flags { upstream: Some("anthropic+http://a".into()), ..Flags::default() };
    let config = load(text, environment, flags).unwrap();
    let shown: Vec<String> = config.upstreams.iter().map(|one| format!("{one:?}")).collect();
    assert_eq!(
        shown,
        [
            "anthropic (anthropic at http://a)",
            "openai (openai at http://localhost:8080/v1)",
            "box (ollama at http://box:1)"
        ]
    );
    let listed: Vec<(usize, String)> = config
        .named_upstreams()
        .map(|(one, from)| (one.fields().len(), from.to_string()))
        .collect();
    assert_eq!(listed[0], (4, "flag --upstream".to_owned()));
    let in_file = |(fields, from): &(usize, String)| *fields == 5 && from.contains("config.toml:");
    assert!(listed[1..].iter().all(in_file), "{listed:?}");
    let key = config.upstreams[2].key.as_ref().unwrap();
    assert_eq!(key.bearer(), "Bearer b");
    assert!(!format!("{config:?}").contains("sk-secret"));
}

#[test]
fn the_proxy_behaves_otherwise_where_it_is_told_to() {
    let text = r#"
[proxy]
stamps = "gap"
[[proxy.for]]
key = "tavern"
briefing = "off"
deadline_ms = 30
[[proxy.for]]
key = "tavern"
memory = "mira"
stamps = "relative"
"#;
    let proxy = load_file(text).unwrap().proxy;
    let request = |change: &ProxyChange, key, memory| {
        let settings = proxy.settings(key, memory, change);
        (settings.stamps, settings.briefing, settings.deadline.as_millis())
    };
    let usual = |key, memory| request(&ProxyChange::default(), key, memory);
    assert_eq!(usual(None, Some("mira")), (Style::Gap, true, 250));
    assert_eq!(usual(Some("tavern"), None), (Style::Gap, false, 30));
    assert_eq!(usual(Some("tavern"), Some("mira")), (Style::Relative, false, 30));
    let mut change = ProxyChange::default();
    change.set("stamps", "off").unwrap();
    assert_eq!(request(&change, Some("tavern"), Some("mira")), (Style::Off, false, 30));
    assert!(change.set("briefing", "maybe").unwrap_err().message().contains("\"on\" or \"off\""));
}

#[test]
fn how_far_a_briefing_reaches_is_said_per_key_memory_and_request() {
    let text = r#"
[[proxy.for]]
key = "family"
shared = true
[[proxy.for]]
key = "work"
reach = "memory"
[[proxy.for]]
memory = "all"
reach = "vault"
"#;
    let proxy = load_file(text).unwrap().proxy;
    let settings = |change: &ProxyChange, key, memory| {
        let settings = proxy.settings(key, memory, change);
        (settings.reach, settings.named_reach, settings.shared)
    };
    let usual = |key, memory| settings(&ProxyChange::default(), key, memory);
    assert_eq!(usual(None, None), (Reach::Vault, Reach::Memory, false));
    assert_eq!(usual(Some("family"), None), (Reach::Vault, Reach::Memory, true));
    assert_eq!(usual(Some("work"), None), (Reach::Memory, Reach::Memory, false));
    assert_eq!(usual(Some("work"), Some("all")), (Reach::Vault, Reach::Vault, false));
    let mut change = ProxyChange::default();
    change.set("reach", "memory").unwrap();
    assert_eq!(settings(&change, None, Some("all")), (Reach::Memory, Reach::Memory, false));
    let wrong = change.set("reach", "far").unwrap_err();
    assert!(wrong.message().contains("\"vault\" or \"memory\""), "{wrong}");
    let wrong = change.set("shared", "off").unwrap_err();
    assert!(wrong.message().contains("cannot be set here"), "no request takes it back: {wrong}");
}

#[test]
fn a_table_that_may_stand_several_times_names_the_line_that_is_wrong() {
    for (text, expected) in [
        ("[[upstream]]\nname = 'x'", "1: [[upstream]] lacks `base_url`; write an address"),
        ("[[upstream]]\nbase_url = 'box:1'", "2: `base_url` of [[upstream]] is wrong"),
        ("[[upstream]]\nbase_url = 'http://x'\nkind = 'x'", "3: `kind` of [[upstream]] is wrong"),
        (
            "[[upstream]]\nurl = 'http://x'",
            "2: unknown field `url` of [[upstream]]; known are name",
        ),
        ("[[upstream]]\nbase_url='http://x'\nkey_variable='NOPE'", "a variable that is set"),
        (
            "[[upstream]]\nbase_url='http://x'\n[[upstream]]\nbase_url='http://y'",
            "no other upstream",
        ),
        ("[[upstream]]\nbase_url='http://x'\nname='a/b'", "a name without a slash"),
        ("upstream = 'box'", "1: `upstream` is \"box\"; write an address"),
        ("[[proxy.for]]\nstamps = 'gap'", "[[proxy.for]] lacks `key`"),
        ("[[proxy.for]]\nkey = 'k'\nstamps = 'x'", "3: unknown stamps \"x\"; use absolute"),
        ("[[proxy.for]]\nkey = 'k'\nshared = 3", "3: `shared` of [[proxy.for]] is wrong"),
        ("[[proxy.for]]\nkey = 'k'\nunnamed = 'new'", "3: `unnamed` cannot be set here"),
    ] {
        let said = problem(text);
        assert!(said.contains(expected), "{text}: {said}");
    }
}

#[test]
fn a_file_that_was_named_must_exist() {
    let flags = Flags { config: Some("/nowhere/at/all.toml".into()), ..Flags::default() };
    let error = Config::load(&HOME.into(), &flags).unwrap_err();
    assert!(error.message().contains("/nowhere/at/all.toml"), "{error}");
    let environment = [("EVERWHEN_CONFIG", "/nowhere/else.toml"), HOME[0]].into();
    let error = Config::load(&environment, &Flags::default()).unwrap_err();
    assert!(error.message().contains("/nowhere/else.toml"), "{error}");
}

#[test]
fn the_usual_file_is_read_if_it_exists() {
    let directory = tempfile::tempdir().unwrap();
    let home = directory.path().to_str().unwrap();
    fs::create_dir_all(directory.path().join(".config/everwhen")).unwrap();
    let file = directory.path().join(".config/everwhen/config.toml");
    fs::write(&file, "vault = 'mine'").unwrap();
    let config = Config::load(&[("HOME", home)].into(), &Flags::default()).unwrap();
    assert_eq!(config.vault.value, "mine");
    assert_eq!(config.file, Some(file));
}

#[test]
fn paths_in_a_file_begin_where_the_file_is_or_at_home() {
    let relative = load_file("data = 'mem'").unwrap();
    let beside = relative.file.clone().unwrap().parent().unwrap().join("mem");
    assert_eq!(relative.data.value, beside);
    assert_eq!(load_file("data = '~/mem'").unwrap().data.value, Path::new("/home/ana/mem"));
}

#[test]
fn an_embedder_is_chosen_and_its_key_is_never_told() {
    let text = "[embedder]\nkind = 'openai'\nmodel = 'm'\nkey = 'sk-very-secret'\n";
    let config = load_file(text).unwrap();
    let listed = format!("{:?} {:?}", config.listing(), config);
    assert!(listed.contains("(not shown)") && !listed.contains("very-secret"), "{listed}");
    let flags = Flags { embedder: Some("none".into()), ..Flags::default() };
    let none = load(text, HOME.into(), flags).unwrap();
    assert_eq!(none.embedder.kind.value, EmbedderKind::None);
    assert_eq!(none.embedder.kind.from.to_string(), "flag --embedder");
    assert!(problem("[embedder]\nkind = 'word2vec'").contains("\"static\", \"transformer\""));
    assert!(problem("[embedder]\nkind = 'ollama'").contains("write `embedder.model`"));
}

#[test]
fn a_transformer_is_looked_for_where_models_are_pulled_to() {
    use everwhen_models::EmbedderSetting::Directory;
    let place = |text: &str| {
        let setting = load_file(text).unwrap().embedder.setting(Path::new("/d"));
        let Directory { path, .. } = setting else { panic!("no transformer: {setting:?}") };
        path
    };
    assert_eq!(place("[embedder]\nkind = 'transformer'"), Path::new("/d/models/minilm"));
    let named = "[embedder]\nkind = 'transformer'\nmodel = 'bge'";
    assert_eq!(place(named), Path::new("/d/models/bge"));
    let path = "[embedder]\nkind = 'transformer'\npath = '~/bge'";
    assert_eq!(place(path), Path::new("/home/ana/bge"));
}

const MODEL: &str = "[llm]\nprovider = 'anthropic'\nmodel = 'm'\nkey = 'sk-secret'\n\
    input_price = 3\noutput_price = 0.5\nspending_cap = 2.5\ntimeout_seconds = 9\n";

#[test]
fn a_language_model_is_read_priced_and_its_key_hidden() {
    let config = load_file(MODEL).unwrap();
    let setting = config.llm.setting().unwrap();
    assert_eq!((setting.model.as_str(), setting.retry.timeout.as_secs()), ("m", 9));
    assert_eq!(setting.url, "https://api.anthropic.com");
    assert_eq!(config.llm.cap_nanos(), Some(2_500_000_000));
    assert_eq!(config.listing().len(), KEYS.len());
    let shown = |name: &str| {
        let found = config.listing().into_iter().find(|setting| setting.key.name == name);
        found.unwrap().value
    };
    assert_eq!(shown("llm.key"), "\"(not shown)\"");
    assert_eq!(shown("llm.provider"), "\"anthropic\"");
    assert_eq!(shown("llm.output_price"), "0.5");
    assert!(!format!("{config:?}").contains("sk-secret"));
    assert!(load_file("").unwrap().llm.setting().is_none());
}

#[test]
fn variables_set_prices_too() {
    let environment =
        [("HOME", "/home/ana"), ("EVERWHEN_LLM_INPUT_PRICE", "0.25"), ("EVERWHEN_LLM_KEY", "k")];
    let config = load(MODEL, environment.into(), Flags::default()).unwrap();
    assert!((config.llm.input_price.value - 0.25).abs() < f64::EPSILON);
    assert_eq!(config.llm.key.from, Origin::Environment("EVERWHEN_LLM_KEY"));
}

#[test]
fn half_a_language_model_is_refused() {
    assert!(problem("[llm]\nprovider = 'openai'\n").contains("write llm.model as well"));
    assert!(problem("[llm]\nmodel = 'm'\n").contains("write llm.provider as well"));
    assert!(
        problem("[llm]\nprovider = 'gpt'\nmodel = 'm'\n").contains("`llm.provider` is \"gpt\"")
    );
    assert!(problem(&MODEL.replace("2.5", "-1.0")).contains("`llm.spending_cap` is -1"));
    assert!(problem(&MODEL.replace("2.5", "'much'")).contains("`llm.spending_cap` is text"));
    assert!(problem(&MODEL.replace("'sk-secret'", "7")).contains("`llm.key` is a number"));
}
