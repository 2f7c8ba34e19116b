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

/// Modules that tables of the code map name in their first column, and that do not exist.
pub(crate) fn missing_modules(root: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("the map");
    let (_, map) = text.split_once("## Code map").expect("a code map");
    let (map, _) = map.split_once("\n## ").expect("a section behind it");
    let mut missing = Vec::new();
    for section in map.split("\n### ").skip(1) {
        let Some(name) = section.strip_prefix("`crates/").and_then(|rest| rest.split('`').next())
        else {
            continue;
        };
        let source = root.join("crates").join(name).join("src");
        let (places, _) = section.split_once("#### Layers").unwrap_or((section, ""));
        for names in places.lines().filter_map(first_column) {
            let absent = absent_modules(&source, &names);
            missing.extend(absent.into_iter().map(|module| format!("{name}: {module}")));
        }
    }
    missing
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
