//! Which top-level modules of a crate use which, read from the paths in their code.
//!
//! A path counts wherever it stands: in a `use`, in a `pub use`, or in an expression. Methods have
//! no path, so a method of a type belongs to no edge. Tests may use anything.

use std::collections::{BTreeMap, BTreeSet};

use super::{File, source};

/// Each module with the modules it uses, and one file in which it does.
pub(crate) type Edges = BTreeMap<String, BTreeMap<String, String>>;

/// The edges between the top-level modules of a crate, given its files below `src`.
pub(crate) fn edges(files: &[File], src: &str) -> Edges {
    let root = files.iter().find(|file| is_root(&file.path, src));
    let root = root.map(|file| source::code(&file.text)).unwrap_or_default();
    let modules: BTreeSet<String> = root
        .split(';')
        .filter_map(|item| item.trim_end().rsplit_once("mod "))
        .filter(|(before, name)| {
            before.is_empty() || before.ends_with([' ', '\n', ')']) && is_name(name)
        })
        .map(|(_, name)| name.to_owned())
        .collect();
    let exported = exported(&root, &modules);
    let mut edges: Edges = modules.iter().map(|name| (name.clone(), BTreeMap::new())).collect();
    for file in files.iter().filter(|file| file.path.starts_with(src)) {
        let Some(place) = place_of(&file.path, src) else { continue };
        let Some(used) = edges.get_mut(&place[0]) else { continue };
        for path in paths(&without_tests(&source::code(&file.text))) {
            let Some(first) = first_module(&path, &place) else { continue };
            let module = if modules.contains(&first) { Some(&first) } else { exported.get(&first) };
            if let Some(module) = module.filter(|module| **module != place[0]) {
                used.entry(module.clone()).or_insert_with(|| file.path.clone());
            }
        }
    }
    edges
}

/// The modules that are part of a circle, if there is one.
pub(crate) fn circle(edges: &Edges) -> Vec<String> {
    let mut left: BTreeMap<&str, BTreeSet<&str>> = edges
        .iter()
        .map(|(name, used)| (name.as_str(), used.keys().map(String::as_str).collect()))
        .collect();
    loop {
        let done: Vec<&str> =
            left.iter().filter(|(_, used)| used.is_empty()).map(|(name, _)| *name).collect();
        let used_by_none: Vec<&str> = left
            .keys()
            .copied()
            .filter(|name| left.values().all(|used| !used.contains(name)))
            .collect();
        if done.is_empty() && used_by_none.is_empty() {
            return left.into_keys().map(str::to_owned).collect();
        }
        for name in done.into_iter().chain(used_by_none) {
            left.remove(name);
            left.values_mut().for_each(|used| {
                used.remove(name);
            });
        }
    }
}

fn is_root(path: &str, src: &str) -> bool {
    path.strip_prefix(src).is_some_and(|rest| matches!(rest, "lib.rs" | "main.rs"))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// Where a file stands: its module path. Nothing for the root and for files of tests.
fn place_of(path: &str, src: &str) -> Option<Vec<String>> {
    let inner = path.strip_prefix(src)?.strip_suffix(".rs")?;
    let place: Vec<String> = inner.split('/').map(str::to_owned).collect();
    let is_test = place.iter().any(|part| part == "tests");
    (!is_test && !matches!(inner, "lib" | "main")).then_some(place)
}

/// Names that the root exports, each with the module it comes from.
fn exported(root: &str, modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut exported = BTreeMap::new();
    for path in paths(root) {
        let parts: Vec<&str> = path.split("::").filter(|part| *part != "crate").collect();
        if let [module, .., name] = parts.as_slice()
            && modules.contains(*module)
        {
            exported.insert((*name).to_owned(), (*module).to_owned());
        }
    }
    exported
}

/// The first name below the root that a path leads to from a place; nothing if it leads elsewhere.
fn first_module(path: &str, place: &[String]) -> Option<String> {
    let parts: Vec<&str> = path.split("::").collect();
    match parts[0] {
        "crate" => parts.get(1).map(|name| (*name).to_owned()),
        "super" => {
            let up = parts.iter().take_while(|part| **part == "super").count();
            let below = place.len().checked_sub(up)?;
            if below > 0 {
                return place.first().cloned();
            }
            parts.get(up).map(|name| (*name).to_owned())
        }
        _ => None,
    }
}

/// Code without the modules that are compiled for tests only.
pub(crate) fn without_tests(code: &str) -> String {
    let mut left = String::new();
    let mut rest = code;
    while let Some(at) = rest.find("#[cfg(test)]") {
        let (before, marked) = rest.split_at(at);
        left.push_str(before);
        let item = marked["#[cfg(test)]".len()..].trim_start();
        let inline = item.starts_with("mod ") && item.find('{') < item.find(';');
        rest = if inline { &item[block(item)..] } else { item };
    }
    left + rest
}

/// Where the first block in braces ends.
fn block(code: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in code.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 1 => return at + 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

/// All paths in a piece of code: those of `use`, taken apart, and those that begin with `crate` or
/// `super` elsewhere.
fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = String::new();
    for (index, piece) in words(code, "use ").into_iter().enumerate() {
        match piece.split_once(';').filter(|_| index > 0) {
            Some((tree, after)) => {
                let tree: String = tree.replace(" as ", "@").split_whitespace().collect();
                expand("", &tree, &mut found);
                rest.push_str(after);
            }
            None => rest.push_str(piece),
        }
    }
    for start in ["crate::", "super::"] {
        for piece in words(&rest, start).into_iter().skip(1) {
            let end = piece
                .find(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != ':')
                .unwrap_or(piece.len());
            found.push(format!("{start}{}", piece[..end].trim_end_matches(':')));
        }
    }
    found
}

/// The code between the places where a word begins.
fn words<'c>(code: &'c str, word: &str) -> Vec<&'c str> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for (at, _) in code.match_indices(word) {
        let before = code[..at].chars().next_back();
        if at >= from && !before.is_some_and(|l| l.is_alphanumeric() || l == '_' || l == ':') {
            pieces.push(&code[from..at]);
            from = at + word.len();
        }
    }
    pieces.push(&code[from..]);
    pieces
}

/// The paths of a tree such as `crate::{a, b::{c, d}}`, without blanks.
fn expand(prefix: &str, tree: &str, found: &mut Vec<String>) {
    let Some((head, inner)) = tree.split_once('{') else {
        let path = tree.split('@').next().unwrap_or(tree);
        if !path.is_empty() {
            found.push(format!("{prefix}{path}"));
        }
        return;
    };
    let prefix = format!("{prefix}{head}");
    let inner = inner.strip_suffix('}').unwrap_or(inner);
    let (mut depth, mut from) = (0, 0);
    for (at, letter) in inner.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&prefix, &inner[from..at], found);
                from = at + 1;
            }
            _ => {}
        }
    }
    expand(&prefix, &inner[from..], found);
}

#[test]
fn paths_are_read_wherever_they_stand() {
    let code = "use crate::{a, b::{c as d, e}};\nuse super::f;\npub use g::h;\n\
                fn i(j: crate::k::L) { super::super::m::n(crate::o) }\n\
                #[cfg(test)]\nmod tests { use crate::p; fn q() {} }\nuse crate::r;";
    let found = paths(&without_tests(code));
    let expected = [
        "crate::a",
        "crate::b::c",
        "crate::b::e",
        "super::f",
        "g::h",
        "crate::r",
        "crate::k::L",
        "crate::o",
        "super::super::m::n",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_circle_is_found() {
    let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
    let files = [
        file("src/lib.rs", "mod a;\npub mod b;\nmod c;\npub use c::Thing;"),
        file("src/a.rs", "use crate::b;"),
        file("src/b/inner.rs", "use super::super::Thing;"),
        file("src/c.rs", "use crate::a::X;"),
    ];
    let found = edges(&files, "src/");
    assert_eq!(found["b"].keys().collect::<Vec<_>>(), ["c"]);
    assert_eq!(circle(&found), ["a", "b", "c"]);
    assert!(circle(&edges(&files[..3], "src/")).is_empty());
}
