//! The rules of this repository that no compiler checks, read from the tree itself.
//!
//! Each rule is one test. When it breaks, it says where, what the rule is and why it is there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use everwhen_testkit::phrases;

#[path = "tidy/map.rs"]
mod map;
#[path = "tidy/modules.rs"]
mod modules;
#[path = "tidy/source.rs"]
mod source;

/// Which of our crates each of our crates is built on. A new crate needs a reason, and a line here.
const EDGES: [(&str, &[&str]); 14] = [
    ("everwhen-platform", &[]),
    ("everwhen-protocols", &[]),
    ("everwhen-time", &[]),
    ("everwhen-search", &[]),
    ("everwhen-engine", &["everwhen-search", "everwhen-time"]),
    ("everwhen-store", &["everwhen-engine", "everwhen-platform"]),
    ("everwhen-models", &["everwhen-engine", "everwhen-protocols"]),
    (
        "everwhen",
        &[
            "everwhen-engine",
            "everwhen-models",
            "everwhen-platform",
            "everwhen-protocols",
            "everwhen-store",
        ],
    ),
    ("everwhen-server", &["everwhen", "everwhen-protocols", "everwhen-ui", "everwhen-workflow"]),
    ("everwhen-ui", &[]),
    // Both replace files, which is done right in one place.
    ("everwhen-bench", &["everwhen", "everwhen-platform"]),
    ("everwhen-workflow", &["everwhen", "everwhen-platform"]),
    (
        "everwhen-cli",
        &[
            "everwhen",
            "everwhen-bench",
            "everwhen-platform",
            "everwhen-server",
            "everwhen-workflow",
        ],
    ),
    ("everwhen-testkit", &["everwhen-engine"]),
];
/// The layers of the engine, from the bottom up. A module uses modules of lower layers only, so modules
/// of one layer do not know each other. ARCHITECTURE.md shows the same table.
const ENGINE_LAYERS: [&[&str]; 18] = [
    &["error", "json", "limits"],
    &["memory", "stamp"],
    &["job", "key", "receipt", "text"],
    &["dated", "ports", "reach", "summary", "transcript"],
    &["tombstones"],
    &["idempotency", "past", "similarity"],
    &["fact_views", "memory_edit"],
    &["index"],
    &["engine"],
    &["vault"],
    &["activity", "job_run", "usage"],
    &["chapters", "facts"],
    &["contexts"],
    &["erase"],
    &["conversations"],
    &["recall", "remember"],
    &["export", "files", "forget", "graph", "import", "ledger", "timeline"],
    &["memory_block", "work"],
];
/// All that the engine is built on.
const ENGINE_USES: [&str; 9] = [
    "blake3",
    "everwhen-search",
    "everwhen-time",
    "foldhash",
    "jiff",
    "sha2",
    "unicode-normalization",
    "unicode-segmentation",
    "uuid",
];
/// Parts of the standard library that reach into the world.
const IO_MODULES: [&str; 6] = ["env", "fs", "io", "net", "process", "thread"];
/// Technologies the engine does not know.
const TECHNOLOGIES: [&str; 6] = ["axum", "reqwest", "rusqlite", "serde", "tokio", "tracing"];
/// Most lines of a file: under `src`, and under `tests`.
const FILE_LINES: (usize, usize) = (600, 900);
/// Most lines of a function: under `src`, and under `tests`.
const FUNCTION_LINES: (usize, usize) = (50, 60);
/// Half of all functions outside tests are no longer than this.
const MEDIAN_LINES: usize = 8;
/// Names of modules that could hold anything.
const VAGUE_NAMES: [&str; 11] = [
    "base", "common", "core", "helper", "helpers", "impl", "manager", "misc", "types", "util",
    "utils",
];
/// Where types may be written to or read from a wire, a row or a file: parts of paths.
const WIRES: [&str; 7] = [
    "wire",
    "row",
    "config",
    "server/src/error",
    "client",
    "everwhen-bench/",
    "everwhen-protocols/",
];
/// Where texts in the code are words to recognise, not messages: parts of paths.
const WORD_LISTS: [&str; 3] =
    ["everwhen-time/src/phrase", "testkit/src/phrases.rs", "cli/src/command/demo/"];
/// What compiles on one system only.
const ONE_SYSTEM: [&str; 7] = [
    "std::os::",
    "signal::unix",
    "signal::windows",
    "rustix::",
    "libc::",
    "cfg(unix)",
    "cfg(windows)",
];
/// Most operations that a store implements.
const STORE_OPERATIONS: usize = 45;
/// Documents for people, which must not name what does not exist.
const DOCUMENTS: [&str; 4] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];

#[test]
fn crates_depend_only_downwards() {
    let known: BTreeSet<&str> = EDGES.iter().map(|(name, _)| *name).collect();
    let mut broken: Vec<String> = crate_names()
        .into_iter()
        .filter(|name| !known.contains(name.as_str()))
        .map(|name| format!("crates/{name} is not in the table"))
        .collect();
    for (name, allowed) in EDGES {
        let ours: Vec<String> = dependencies(name);
        let ours: Vec<&str> =
            ours.iter().map(String::as_str).filter(|used| used.starts_with("everwhen")).collect();
        if ours != allowed {
            broken.push(format!("{name} is built on {ours:?}, and should be on {allowed:?}"));
        }
    }
    hold(
        "our crates depend on each other exactly as the table EDGES says, the testkit only in tests",
        "arrows point down, so that a crate can be understood, tested and replaced without the others",
        &broken,
    );
}

#[test]
fn engine_modules_use_lower_layers_only() {
    let layer = |name: &str| ENGINE_LAYERS.iter().position(|layer| layer.contains(&name));
    let mut broken = Vec::new();
    for (module, used) in module_edges("everwhen-engine") {
        let Some(own) = layer(&module) else {
            broken.push(format!("{module} is in no layer"));
            continue;
        };
        for (used, file) in used {
            if layer(&used).is_none_or(|other| other >= own) {
                broken.push(format!("{module} uses {used}, in {file}"));
            }
        }
    }
    hold(
        "a module of the engine uses modules of lower layers only, as the table ENGINE_LAYERS says",
        "without circles a module can be read, tested and moved without the rest",
        &broken,
    );
}

#[test]
fn the_map_shows_the_layers() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the map");
    let (_, table) = text.split_once("#### Layers").expect("a heading \"#### Layers\"");
    let rows = table.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let shown: Vec<Vec<&str>> = rows
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.split('`').skip(1).step_by(2).collect())
        .collect();
    let table: Vec<Vec<&str>> = ENGINE_LAYERS.iter().map(|layer| layer.to_vec()).collect();
    assert_eq!(shown, table, "ARCHITECTURE.md and ENGINE_LAYERS differ");
}

#[test]
fn the_map_counts_the_operations_of_a_store() {
    let path = root().join("crates/everwhen-store/src/transaction.rs");
    let text = std::fs::read_to_string(path).expect("the port over the tables");
    let (reads, writes) = map::store_operations(&source::code(&text));
    let all = reads + writes;
    assert!(all <= STORE_OPERATIONS, "{all} operations; a third store has to implement them");
    let said = format!(
        "a store is {all} row operations: {reads} that read (`Snapshot`) and {writes} that write (`Tx`)"
    );
    assert!(map::text(&root()).contains(&said), "ARCHITECTURE.md does not say: {said}");
}

#[test]
fn the_map_names_modules_that_exist() {
    let missing = map::missing_modules(&root());
    hold(
        "every module that the code map of ARCHITECTURE.md names exists in the crate of its section",
        "a reader opens what the map names",
        &missing,
    );
}

#[test]
fn the_map_counts_languages_and_commands() {
    let languages = files_under("crates/everwhen-time/src/phrase/languages");
    let languages = languages.iter().filter(|file| file.path.ends_with(".txt")).count();
    let path = root().join("crates/everwhen-engine/src/files/command.rs");
    let code = source::code(&std::fs::read_to_string(path).expect("the commands for files"));
    let commands = source::variants(&code, "FileCommand").len();
    let map = map::text(&root());
    for said in [
        format!("time phrases in {} languages", map::in_words(languages)),
        format!("the {} commands of Anthropic's memory tool", map::in_words(commands)),
    ] {
        assert!(map.contains(&said), "ARCHITECTURE.md does not say: {said}");
    }
}

#[test]
fn modules_run_in_no_circle() {
    let mut broken = Vec::new();
    for name in crate_names() {
        let circle = modules::circle(&module_edges(&name));
        if !circle.is_empty() {
            broken.push(format!("{name}: {circle:?}"));
        }
    }
    hold(
        "no crate has modules that use each other in a circle",
        "what runs in a circle has to be understood all at once",
        &broken,
    );
}

/// The edges between the top-level modules of a crate.
fn module_edges(name: &str) -> modules::Edges {
    let src = format!("crates/{name}/src/");
    modules::edges(&files_under(&src), &src)
}

#[test]
fn a_type_name_means_one_thing() {
    let mut seen = std::collections::BTreeMap::<(String, String), Vec<String>>::new();
    let is_library = |file: &&File| file.path.contains("/src/") && !file.is_test();
    for file in rust_files().iter().filter(is_library) {
        let of = file.path.split('/').nth(1).unwrap_or_default().to_owned();
        for name in source::type_names(&modules::without_tests(&source::code(&file.text))) {
            seen.entry((of.clone(), name)).or_default().push(file.path.clone());
        }
    }
    let twice = seen.into_iter().filter(|(_, files)| files.len() > 1);
    let broken: Vec<String> =
        twice.map(|((of, name), files)| format!("{of}: {name} in {files:?}")).collect();
    hold(
        "within a crate no two types have the same name",
        "a reader who has learnt a name knows what it is wherever it is used",
        &broken,
    );
}

#[test]
fn people_read_plain_words() {
    // Prompts for models stand in `src`; they are not for people. The command line tests its help.
    let is_document = |file: &&File| {
        file.path == "openapi.json" || file.path.ends_with(".md") && !file.path.contains("/src/")
    };
    let is_package = |file: &&File| {
        let is_text = [".py", ".ts", ".md"].iter().any(|kind| file.path.ends_with(kind));
        is_text && !file.path.contains("/tests/")
    };
    let documents = [all_files(), files_under("docs")].concat();
    let packages = [files_under("sdk/python/everwhen"), files_under("sdk/typescript/src")].concat();
    let page = files_under("crates/everwhen-ui/page/texts");
    let read = documents.iter().filter(is_document);
    let read = read.chain(packages.iter().filter(is_package));
    let read = read.chain(page.iter().filter(|file| file.path.ends_with("en.js")));
    let mut broken = Vec::new();
    for file in read {
        broken.extend(phrases::found(&file.text).map(|found| format!("{}: {found}", file.name())));
    }
    hold(
        "documents, openapi.json, the packages and the texts of the page contain none of the phrases \
         in everwhen_testkit::phrases",
        "readers know the field's words; ours they would have to translate",
        &broken,
    );
}

#[test]
fn messages_use_plain_words() {
    let is_message = |file: &&File| {
        let is_library = file.path.contains("/src/") && !file.path.ends_with("/tests.rs");
        is_library && !WORD_LISTS.iter().any(|part| file.path.contains(part))
    };
    let mut broken = Vec::new();
    for file in rust_files().iter().filter(is_message) {
        let code = file.text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let messages = source::texts(code).into_iter().filter(|(_, text)| text.contains(' '));
        for (line, text) in messages {
            broken.extend(phrases::found(&text).map(|it| format!("{}:{line}: {it}", file.path)));
        }
    }
    hold(
        "texts in the code contain none of the phrases in everwhen_testkit::phrases",
        "errors, notices and output are read by people who do not know the code",
        &broken,
    );
}

#[test]
fn comments_use_plain_words() {
    let tools = files_under("tools");
    let mut broken = Vec::new();
    // The list itself names the phrases.
    let rust = rust_files();
    let rust = rust.iter().filter(|file| !file.path.ends_with("src/phrases.rs"));
    for file in rust.chain(&tools) {
        let comments = file.text.lines().enumerate().filter(|(_, line)| is_comment(file, line));
        for (number, line) in comments {
            let found =
                phrases::found(line).map(|it| format!("{}:{}: {it}", file.path, number + 1));
            broken.extend(found);
        }
    }
    hold(
        "comments contain none of the phrases in everwhen_testkit::phrases",
        "a contributor reads them as documentation",
        &broken,
    );
}

fn is_comment(file: &File, line: &str) -> bool {
    let marks: &[&str] =
        if file.path.starts_with("crates/") { &["//"] } else { &["//", "/*", "#", "\"\"\""] };
    marks.iter().any(|mark| line.trim_start().starts_with(mark))
}

#[test]
fn every_crate_obeys_the_lints() {
    let opted_out = |name: &String| !manifest(name).contains("[lints]\nworkspace = true");
    let broken: Vec<String> = crate_names().into_iter().filter(opted_out).collect();
    hold(
        "every Cargo.toml says [lints] workspace = true",
        "without it, none of the workspace's lints holds in that crate",
        &broken,
    );
}

#[test]
fn the_engine_knows_no_technology() {
    let used = dependencies("everwhen-engine");
    let mut broken = Vec::new();
    if used != ENGINE_USES {
        broken.push(format!("it is built on {used:?}, and should be on {ENGINE_USES:?}"));
    }
    for file in
        rust_files().iter().filter(|file| file.path.starts_with("crates/everwhen-engine/src"))
    {
        let code = source::code(&file.text);
        let found = TECHNOLOGIES.into_iter().filter(|name| has_word(&code, name));
        broken.extend(found.map(|name| format!("{}: {name}", file.path)));
        let found = IO_MODULES.into_iter().filter(|part| uses_std(&code, part));
        broken.extend(found.map(|part| format!("{}: std::{part}", file.path)));
    }
    hold(
        "the engine does no I/O, spawns nothing and knows no runtime, format or database",
        "it decides; time, chance and storage are arguments, so all of it runs from a seed in a test",
        &broken,
    );
}

#[test]
fn unsafe_code_is_in_one_crate() {
    let is_broken = |file: &&File| {
        let is_allowed = file.path.starts_with("crates/everwhen-search/src/vectors");
        !is_allowed && has_word(&source::code(&file.text), "unsafe")
    };
    let broken: Vec<String> = rust_files().iter().filter(is_broken).map(File::name).collect();
    hold(
        "only the vectors of everwhen-search contain unsafe code",
        "each block has a stated reason and a test against portable code, which needs one place",
        &broken,
    );
}

#[test]
fn code_for_one_system_is_in_one_file() {
    let is_broken = |file: &&File| {
        let code = modules::without_tests(&source::code(&file.text));
        let is_allowed = file.path == "crates/everwhen-platform/src/lib.rs";
        let is_test = file.is_test() || file.path.ends_with("/tests.rs");
        let is_library = file.path.contains("/src/") && !is_test;
        is_library && !is_allowed && ONE_SYSTEM.iter().any(|part| code.contains(part))
    };
    let broken: Vec<String> = rust_files().iter().filter(is_broken).map(File::name).collect();
    hold(
        &format!("only everwhen-platform contains {ONE_SYSTEM:?}"),
        "the program is built for Linux, macOS and Windows; what differs there stands in one place",
        &broken,
    );
}

#[test]
fn every_file_says_what_it_is() {
    let is_undocumented = |file: &&File| !file.text.starts_with("//! ");
    let broken: Vec<String> = rust_files().iter().filter(is_undocumented).map(File::name).collect();
    hold(
        "every Rust file begins with //! and a sentence",
        "a reader who opens a file learns first what it is and why it is there",
        &broken,
    );
}

#[test]
fn files_and_functions_stay_small() {
    let mut broken = Vec::new();
    let mut lengths = Vec::new();
    for file in rust_files() {
        let (lines, most) = (file.text.lines().count(), file.most_lines());
        if lines > most {
            broken.push(format!("{}: {lines} lines, at most {most}", file.path));
        }
        for function in source::functions(&source::code(&file.text)) {
            let source::Function { name, line, length } = function;
            if length > file.most_function_lines() {
                broken.push(format!("{}:{line}: {name} has {length} lines", file.path));
            }
            if !file.is_test() {
                lengths.push(length);
            }
        }
    }
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    println!("{} functions outside tests, half of them up to {median} lines", lengths.len());
    if median > MEDIAN_LINES {
        broken.push(format!("half of {} functions have over {median} lines", lengths.len()));
    }
    hold(
        &format!(
            "files up to {FILE_LINES:?} lines (src, tests), functions up to {FUNCTION_LINES:?}, \
             half of them up to {MEDIAN_LINES}"
        ),
        "what fits on a screen can be read at once; split by meaning, not by length",
        &broken,
    );
}

#[test]
fn module_names_are_specific() {
    let is_vague = |file: &&File| {
        let path = file.path.strip_suffix(".rs").unwrap_or(&file.path);
        path.split('/').skip(2).any(|part| VAGUE_NAMES.contains(&part))
    };
    let broken: Vec<String> = rust_files().iter().filter(is_vague).map(File::name).collect();
    hold(
        &format!("no module is called {VAGUE_NAMES:?}"),
        "such a name says nothing about what is inside, so everything ends up there",
        &broken,
    );
}

#[test]
fn wire_forms_live_at_the_edge() {
    let derives = |file: &&File| {
        let code = source::code(&file.text);
        let lists = code.split("derive(").skip(1).filter_map(|rest| rest.split(')').next());
        lists.into_iter().any(|list| has_word(list, "Serialize") || has_word(list, "Deserialize"))
    };
    let broken: Vec<String> = rust_files()
        .iter()
        .filter(derives)
        .filter(|file| !WIRES.iter().any(|part| file.path.contains(part)))
        .map(File::name)
        .collect();
    hold(
        &format!("Serialize and Deserialize are derived only where the path contains {WIRES:?}"),
        "wire types are not domain types: a renamed field must not change a file or an API by itself",
        &broken,
    );
}

#[test]
fn nothing_is_left_undone_or_silenced() {
    let notes = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")];
    let silencers = ["#[ignore", "#[allow(", "#![allow("];
    let mut broken = Vec::new();
    for file in rust_files() {
        let code = source::code(&file.text);
        let noted = notes.into_iter().filter(|note| has_word(&file.text, note));
        let silenced = silencers.into_iter().filter(|silencer| code.contains(silencer));
        broken.extend(noted.chain(silenced).map(|found| format!("{}: {found}", file.path)));
    }
    hold(
        "no notes of unfinished work, no ignored tests, no allowed lints",
        "what is unfinished is an issue; a lint that must yield says why: #[expect(…, reason = …)]",
        &broken,
    );
}

#[test]
fn no_file_knows_the_machine_it_was_written_on() {
    let places = [concat!("/ro", "ot/"), concat!("/wo", "rk/"), concat!("/Us", "ers/")];
    let mut broken = Vec::new();
    for file in all_files() {
        let found = places.into_iter().filter(|place| file.text.contains(place));
        broken.extend(found.map(|place| format!("{}: {place}", file.path)));
    }
    hold(
        "no path of one machine stands in any file",
        "it works nowhere else, and tells strangers about somebody's disk",
        &broken,
    );
}

#[test]
fn every_story_has_its_snapshot_and_its_rule() {
    let files = files_under("stories");
    let stems = |ending: &str| -> BTreeSet<String> {
        files.iter().filter_map(|file| Some(file.path.strip_suffix(ending)?.to_owned())).collect()
    };
    let (stories, snapshots) = (stems(".story"), stems(".snap"));
    let unpaired =
        stories.symmetric_difference(&snapshots).map(|stem| format!("{stem} has no counterpart"));
    let without_rule =
        files.iter().filter(|file| file.path.ends_with(".story") && !file.text.starts_with("# "));
    let broken: Vec<String> = unpaired
        .chain(without_rule.map(|file| format!("{}: no rule in its first line", file.path)))
        .collect();
    hold(
        "every .story has a .snap, every .snap a .story, and a story begins with # and its rule",
        "an answer nobody compares proves nothing, and a story without a rule cannot be judged",
        &broken,
    );
}

#[test]
fn documents_speak_of_what_is_there() {
    let mut broken = Vec::new();
    for document in DOCUMENTS {
        let Ok(text) = std::fs::read_to_string(root().join(document)) else {
            broken.push(format!("{document} is missing"));
            continue;
        };
        let spoken = text.split('`').skip(1).step_by(2);
        let missing = spoken.filter_map(place_of).filter(|place| !root().join(place).exists());
        broken.extend(missing.map(|place| format!("{document}: {place}")));
    }
    hold(
        &format!("{DOCUMENTS:?} exist, and the crates, files and stories they name in `…` do, too"),
        "a map that shows what is not there is worse than none",
        &broken,
    );
}

/// The path that a word in a document names, if it names one.
fn place_of(word: &str) -> Option<String> {
    let path = word.split(['*', '{', '<', ' ']).next()?.trim_end_matches('/');
    if FOLDERS.iter().any(|folder| path.starts_with(folder)) {
        return Some(path.to_owned());
    }
    let name = word.strip_prefix("everwhen-")?;
    name.bytes().all(|byte| byte.is_ascii_lowercase()).then(|| format!("crates/{word}"))
}

/// Folders at the root whose files documents name.
const FOLDERS: [&str; 7] =
    ["crates/", "deploy/", "docs/", "plugins/", "sdk/", "stories/", "tools/"];

/// Fails with the rule, its reason and every place that breaks it.
fn hold(rule: &str, why: &str, broken: &[String]) {
    let places = broken.join("\n  ");
    assert!(broken.is_empty(), "\nrule: {rule}\nwhy:  {why}\nbroken by:\n  {places}\n");
}

/// A file of the tree, with its path from the root.
#[derive(Clone)]
struct File {
    path: String,
    text: String,
}

impl File {
    fn name(&self) -> String {
        self.path.clone()
    }

    fn is_test(&self) -> bool {
        self.path.contains("/tests/")
    }

    fn most_lines(&self) -> usize {
        if self.is_test() { FILE_LINES.1 } else { FILE_LINES.0 }
    }

    fn most_function_lines(&self) -> usize {
        if self.is_test() { FUNCTION_LINES.1 } else { FUNCTION_LINES.0 }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn rust_files() -> Vec<File> {
    let files = files_under("crates");
    let rust: Vec<File> = files.into_iter().filter(|file| file.path.ends_with(".rs")).collect();
    assert!(rust.len() > 50, "the tree was not found: {} Rust files", rust.len());
    rust
}

/// All text files: crates, stories, and those at the root.
fn all_files() -> Vec<File> {
    // In a linked checkout `.git` is a file that names a directory of this machine.
    let is_ours = |path: &PathBuf| path.is_file() && !path.ends_with(".git");
    let at_root = entries(&root()).into_iter().filter(is_ours);
    files_under("crates")
        .into_iter()
        .chain(files_under("stories"))
        .chain(at_root.filter_map(|path| read(&path)))
        .collect()
}

fn files_under(folder: &str) -> Vec<File> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        let (inner, found): (Vec<PathBuf>, Vec<PathBuf>) =
            entries(&folder).into_iter().partition(|path| path.is_dir());
        folders.extend(inner);
        files.extend(found.iter().filter_map(|path| read(path)));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let listing = std::fs::read_dir(folder).expect("the tree can be read");
    listing.map(|entry| entry.expect("the tree can be read").path()).collect()
}

/// A file as text; nothing if it is something else, such as a database.
fn read(path: &Path) -> Option<File> {
    let text = std::fs::read_to_string(path).ok()?;
    let path = path.strip_prefix(root()).expect("files lie under the root");
    Some(File { path: path.to_string_lossy().replace('\\', "/"), text })
}

fn crate_names() -> Vec<String> {
    let folders = entries(&root().join("crates")).into_iter().filter(|path| path.is_dir());
    let mut names: Vec<String> =
        folders.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    names.sort();
    names
}

fn manifest(name: &str) -> String {
    let path = root().join("crates").join(name).join("Cargo.toml");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What a crate is built on outside tests, on any platform, in order.
fn dependencies(name: &str) -> Vec<String> {
    let manifest = manifest(name);
    let mut inside = false;
    let mut names = BTreeSet::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            let header = header.trim_matches(['[', ']']);
            let (kind, single) = header.split_once("dependencies").unwrap_or(("dev-", ""));
            let in_tests = kind.ends_with("dev-");
            names.extend(single.strip_prefix('.').filter(|_| !in_tests).map(str::to_owned));
            inside = single.is_empty() && !in_tests;
        } else if inside && !line.is_empty() && !line.starts_with('#') {
            names.extend(line.split(['.', '=', ' ']).next().map(str::to_owned));
        }
    }
    names.into_iter().collect()
}

fn has_word(text: &str, word: &str) -> bool {
    let part_of_word =
        |letter: Option<char>| letter.is_some_and(|l| l.is_alphanumeric() || l == '_');
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !part_of_word(before.chars().next_back()) && !part_of_word(after.chars().next())
    })
}

/// Whether code names a part of the standard library, alone or in a group.
fn uses_std(code: &str, part: &str) -> bool {
    let groups = code.split("std::{").skip(1).filter_map(|rest| rest.split(';').next());
    has_word(code, &format!("std::{part}")) || groups.into_iter().any(|group| has_word(group, part))
}
