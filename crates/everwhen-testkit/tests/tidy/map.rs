//! ARCHITECTURE.md as the tidy test reads it: the modules and the numbers that it names.

use std::path::Path;

/// The text of the map, with single spaces.
pub(crate) fn text(root: &Path) -> String {
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("the map");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The number of operations that a store implements, to read and to write: given the code of
/// `transaction.rs`, which has one method or one line of a macro for each.
pub(crate) fn store_operations(code: &str) -> (usize, usize) {
    let (_, code) = code.split_once("impl Snapshot for").expect("the port to read");
    let (reads, code) = code.split_once("reads!(").expect("the end of it");
    let (_, code) = code.split_once("impl Tx for").expect("the port to write");
    let (writes, _) = code.split_once("\n}").expect("the end of it");
    let methods = |part: &str| part.lines().filter(|line| line.trim().starts_with("fn ")).count();
    let forwarded = reads.lines().filter(|line| line.contains("::") && line.contains(" as "));
    // `Tx::snapshot` shows the same state and reads nothing.
    (methods(reads) + forwarded.count(), methods(writes) - 1)
}

/// Modules that the code map names, in the first column of a table or in prose, and that do not exist.
pub(crate) fn missing_modules(root: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("the map");
    let (_, map) = text.split_once("## Code map").expect("a code map");
    let (map, _) = map.split_once("\n## ").expect("a section behind it");
    let mut missing = Vec::new();
    for section in map.split("\n### ").skip(1) {
        let (heading, _) = section.split_once('\n').unwrap_or((section, ""));
        let crates: Vec<&Path> =
            names(heading).filter(|name| name.starts_with("crates/")).map(Path::new).collect();
        let Some(first) = crates.first() else { continue };
        let (places, _) = section.split_once("#### Layers").unwrap_or((section, ""));
        let source = root.join(first).join("src");
        let in_tables = places.lines().filter_map(first_column);
        let mut absent: Vec<&str> =
            in_tables.flat_map(|names| absent_modules(&source, &names)).collect();
        let files: Vec<String> = crates.iter().flat_map(|one| paths(root, one)).collect();
        let named = names(places).filter(|name| is_module(name));
        absent.extend(named.filter(|name| !is_there(root, &files, name)));
        missing.extend(absent.into_iter().map(|module| format!("{heading}: {module}")));
    }
    missing
}

/// What stands in `…`.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// Whether a name in prose is one of a module or a file: lower case, and no keyword.
fn is_module(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_lowercase() || "_/.".contains(letter);
    name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name.chars().all(is_letter)
        && name != "unsafe"
}

/// Whether a name is a path that ends so, with or without its ending, or a function of several words.
fn is_there(root: &Path, files: &[String], name: &str) -> bool {
    let name = name.trim_end_matches('/');
    let ends_so = |path: &String| {
        let stem = path.rsplit_once('.').map_or(path.as_str(), |it| it.0);
        [path, stem].iter().any(|path| path.ends_with(&format!("/{name}")))
    };
    let declared = || {
        let code = format!("fn {name}(");
        let sources = paths(root, Path::new("crates")).into_iter();
        let mut rust = sources.filter(|path| path.ends_with(".rs"));
        rust.any(|path| std::fs::read_to_string(path).is_ok_and(|text| text.contains(&code)))
    };
    files.iter().any(ends_so) || root.join(name).exists() || name.contains('_') && declared()
}

/// The paths of all folders and files below one.
fn paths(root: &Path, folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        let listing = std::fs::read_dir(&folder).expect("the tree can be read");
        let inner = listing.map(|entry| entry.expect("the tree can be read").path());
        let (inner, files): (Vec<_>, Vec<_>) = inner.partition(|path| path.is_dir());
        let shown = |path: &std::path::PathBuf| path.to_string_lossy().replace('\\', "/");
        found.extend(inner.iter().chain(&files).map(shown));
        folders.extend(inner);
    }
    found
}

/// A small number as documents write it.
pub(crate) fn in_words(number: usize) -> String {
    let words = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    words.get(number).map_or_else(|| number.to_string(), |word| (*word).to_owned())
}

/// The names in the first column of a row of a table.
fn first_column(line: &str) -> Option<Vec<&str>> {
    let cell = line.strip_prefix('|')?.split('|').next()?;
    Some(cell.split('`').skip(1).step_by(2).collect())
}

/// The modules of one row that do not exist. They stand in `src`, or in the folder of the first one.
fn absent_modules<'n>(source: &Path, names: &[&'n str]) -> Vec<&'n str> {
    let folder = names.first().and_then(|first| first.rsplit_once('/')).map_or("", |it| it.0);
    let exists = |module: &str| {
        [source.join(module), source.join(folder).join(module)]
            .iter()
            .any(|path| path.is_dir() || path.with_extension("rs").is_file())
    };
    names.iter().copied().filter(|module| !exists(module)).collect()
}

#[test]
fn operations_are_counted() {
    let code = "impl Snapshot for $rows<'_> {\n fn one(&self)\n forward! {\n a::b as two() -> u8;\n }\n}\nreads!(View);\n\
                impl Tx for T<'_> {\n fn snapshot(&self)\n fn put(&self)\n}\nfn other() {}";
    assert_eq!(store_operations(code), (2, 1));
}

#[test]
fn names_of_a_row_are_read() {
    assert_eq!(first_column("| `a/b`, `c` | what `d` is |"), Some(vec!["a/b", "c"]));
    assert_eq!(first_column("no row"), None);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert_eq!(absent_modules(&source, &["plain/state", "past", "nothing"]), ["nothing"]);
}

#[test]
fn names_in_prose_are_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = paths(&root, Path::new("crates/everwhen-testkit"));
    for name in ["phrases", "tidy/map", "src/", "map.rs", "names_in_prose_are_found"] {
        assert!(is_module(name) && is_there(&root, &files, name), "{name}");
    }
    assert!(!is_there(&root, &files, "tidy/nothing"));
    assert!(!is_module("Vault") && !is_module("unsafe") && !is_module("cargo test"));
    assert_eq!((in_words(12), in_words(13)), ("twelve".to_owned(), "13".to_owned()));
}
