//! The modules that every view needs, as one file: what a browser asks for file by file takes it longer than the same in one.
//!
//! The file has the modules one after the other, each behind those it imports, without the imports between them, at the address of
//! the main module. Other modules import from there. So no name may be declared twice at the top of these modules, and none is
//! renamed in an import; tests say so. Names that end up beside each other are the only thing that this changes.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::files::PageFile;

/// The module that starts the page, and the address of the file.
pub(crate) const MAIN: &str = "lib/main.js";
/// Where the modules are that are put into it.
const SHARED: &str = "lib/";

/// The files with the shared modules as one.
pub(crate) fn packed(files: Vec<PageFile>) -> Vec<PageFile> {
    let scripts: HashMap<&'static str, String> = files
        .iter()
        .filter(|(path, _)| path.ends_with(".js"))
        .map(|(path, bytes)| (*path, String::from_utf8_lossy(bytes).into_owned()))
        .collect();
    let mut shared = Vec::new();
    collect(MAIN, &scripts, &mut shared);
    let file = |(path, bytes): PageFile| match scripts.get(path) {
        Some(_) if path == MAIN => Some((path, together(&shared, &scripts).into_bytes().into())),
        Some(_) if shared.contains(&path) => None,
        Some(text) => Some((path, redirected(path, text, &shared))),
        None => Some((path, bytes)),
    };
    files.into_iter().filter_map(file).collect()
}

/// Adds the shared modules that `module` imports, directly or not, and then the module itself.
fn collect(module: &str, scripts: &HashMap<&'static str, String>, shared: &mut Vec<&'static str>) {
    let Some((path, text)) = scripts.get_key_value(module) else { return };
    for found in text.lines().filter_map(|line| imported(module, line)) {
        if found.starts_with(SHARED) && !shared.contains(&found.as_str()) {
            collect(&found, scripts, shared);
        }
    }
    shared.push(path);
}

/// The shared modules one after the other.
fn together(shared: &[&'static str], scripts: &HashMap<&'static str, String>) -> String {
    let is_between = |module: &str, line: &str| {
        imported(module, line).is_some_and(|path| shared.contains(&path.as_str()))
    };
    let mut all = String::new();
    for (module, text) in shared.iter().filter_map(|module| scripts.get_key_value(module)) {
        for line in text.lines().filter(|line| !is_between(module, line)) {
            all.push_str(line);
            all.push('\n');
        }
    }
    all
}

/// A module that imports from the one file what it imported from shared modules.
fn redirected(module: &str, text: &str, shared: &[&'static str]) -> Cow<'static, [u8]> {
    let to = "../".repeat(module.matches('/').count()) + MAIN;
    let line = |line: &str| match imported(module, line) {
        Some(path) if shared.contains(&path.as_str()) => {
            let names = line.rsplit_once(" from '").map_or("", |(names, _)| names);
            format!("{names} from '{to}';\n")
        }
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect::<String>().into_bytes().into()
}

/// The path below `page/` that a line of a module imports.
pub(crate) fn imported(module: &str, line: &str) -> Option<String> {
    let (_, from) = line.strip_prefix("import ")?.rsplit_once(" from '")?;
    let relative = from.strip_suffix("';")?;
    let mut folder: Vec<&str> = module.split('/').collect();
    folder.pop();
    for part in relative.split('/') {
        match part {
            "." => {}
            ".." => {
                folder.pop();
            }
            name => folder.push(name),
        }
    }
    Some(folder.join("/"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::files::FILES;

    fn of(files: &[(&'static str, &'static str)]) -> Vec<(&'static str, String)> {
        let files = files.iter().map(|(path, text)| (*path, Cow::Borrowed(text.as_bytes())));
        let text = |bytes: Cow<'static, [u8]>| String::from_utf8(bytes.into_owned()).unwrap();
        packed(files.collect()).into_iter().map(|(path, bytes)| (path, text(bytes))).collect()
    }

    /// The real page, packed.
    fn page() -> HashMap<&'static str, String> {
        let text = |bytes: &'static [u8]| std::str::from_utf8(bytes).unwrap();
        let files: Vec<_> = FILES.iter().map(|(path, bytes)| (*path, text(bytes))).collect();
        of(&files).into_iter().collect()
    }

    /// The names that a line declares at the top of a module.
    fn declared(line: &str) -> Vec<&str> {
        let line = line.strip_prefix("export ").unwrap_or(line);
        let kinds = ["const ", "let ", "function ", "async function ", "class "];
        let Some(rest) = kinds.iter().find_map(|kind| line.strip_prefix(kind)) else {
            return Vec::new();
        };
        let all = match rest.strip_prefix(['{', '[']) {
            Some(list) => list.split(['}', ']']).next().unwrap(),
            None => rest.split([' ', '(']).next().unwrap(),
        };
        all.split(',').map(|name| name.rsplit(':').next().unwrap().trim()).collect()
    }

    #[test]
    fn modules_follow_those_they_import_and_others_import_from_the_one_file() {
        let found = of(&[
            ("early.js", "export const e = 1;\n"),
            ("lib/a.js", "import { b } from './b.js';\nexport const a = b;\n"),
            ("lib/b.js", "import { e } from '../early.js';\nexport const b = e;\n"),
            ("lib/later.js", "import { a } from './a.js';\nexport const later = a;\n"),
            (MAIN, "import { b } from './b.js';\nimport { a } from './a.js';\nshow(a, b);\n"),
            ("style.css", "p { color: red }\n"),
            ("views/v.js", "import { a } from '../lib/a.js';\nimport('../lib/later.js');\n"),
        ]);
        let expected = [
            ("early.js", "export const e = 1;\n"),
            ("lib/later.js", "import { a } from '../lib/main.js';\nexport const later = a;\n"),
            (
                MAIN,
                "import { e } from '../early.js';\nexport const b = e;\nexport const a = b;\nshow(a, b);\n",
            ),
            ("style.css", "p { color: red }\n"),
            ("views/v.js", "import { a } from '../lib/main.js';\nimport('../lib/later.js');\n"),
        ];
        assert_eq!(found, expected.map(|(path, text)| (path, text.to_owned())));
    }

    #[test]
    fn no_name_is_declared_twice_in_the_one_file() {
        let page = page();
        let mut seen = BTreeSet::new();
        for name in page[MAIN].lines().flat_map(declared) {
            assert!(seen.insert(name), "{name} is declared twice at the top of shared modules");
        }
        assert!(seen.len() > 100 && seen.contains("useLayoutEffect"), "{seen:?}");
    }

    #[test]
    fn shared_modules_import_each_other_by_the_names_that_were_given() {
        let mut seen = 0;
        for (path, bytes) in FILES.iter().filter(|(path, _)| path.starts_with(SHARED)) {
            for line in std::str::from_utf8(bytes).unwrap().lines() {
                let is_shared = imported(path, line).is_some_and(|from| from.starts_with(SHARED));
                assert!(!(is_shared && line.contains(" as ")), "{path}: {line}");
                // An import that is written otherwise would stay, and the module would come twice.
                let is_import = line.starts_with("import ") || line.starts_with("export * from");
                assert!(!is_import || imported(path, line).is_some(), "{path}: {line}");
                seen += usize::from(is_shared);
            }
        }
        assert!(seen > 20, "{seen} imports");
    }

    #[test]
    fn nothing_imports_a_module_that_is_in_the_one_file() {
        let page = page();
        assert!(!page.contains_key("lib/api.js"));
        for (path, text) in page.iter().filter(|(path, _)| path.ends_with(".js")) {
            for from in text.lines().filter_map(|line| imported(path, line)) {
                assert!(page.contains_key(from.as_str()), "{path} imports {from}");
            }
        }
    }
}
