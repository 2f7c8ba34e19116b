//! The table of files. A test says that it and the folder agree.

use std::borrow::Cow;

/// A file by its path below `page/`.
pub(crate) type PageFile = (&'static str, Cow<'static, [u8]>);

/// Makes the table: every path with what it contains.
macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_bytes!(concat!("../page/", $path)))),*]
    };
}

/// Every file of the page, by its path below `page/`.
pub(crate) const FILES: &[(&str, &[u8])] = files![
    "early.js",
    "icon.svg",
    "index.html",
    "lib/acts.js",
    "lib/api.js",
    "lib/bytes.js",
    "lib/chart.js",
    "lib/connect.js",
    "lib/diff.js",
    "lib/drop.js",
    "lib/keyboard.js",
    "lib/main.js",
    "lib/moment.js",
    "lib/parts.js",
    "lib/router.js",
    "lib/stream.js",
    "lib/strip.js",
    "lib/text.js",
    "lib/theme.js",
    "lib/time.js",
    "lib/transfer.js",
    "lib/view.js",
    "style/page.css",
    "texts/de.js",
    "texts/en.js",
    "vendor/LICENSES.txt",
    "vendor/library.js",
    "views/ask.js",
    "views/conversation.js",
    "views/document.js",
    "views/facts.js",
    "views/live.js",
    "views/memories.js",
    "views/settings.js",
    "views/timeline.js",
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::FILES;

    #[test]
    fn the_table_and_the_folder_agree() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let mut found = Vec::new();
        let mut folders = vec![page.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push(path.strip_prefix(&page).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        found.sort();
        let listed: Vec<&str> = FILES.iter().map(|(path, _)| *path).collect();
        assert_eq!(listed, found);
    }

    #[test]
    fn nothing_in_the_page_makes_markup_or_code_from_text() {
        let dangers = ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("];
        for (path, bytes) in FILES.iter().filter(|(path, _)| !path.starts_with("vendor/")) {
            let text = std::str::from_utf8(bytes).unwrap();
            for danger in dangers {
                assert!(!text.contains(danger), "{path} contains {danger}");
            }
        }
    }

    #[test]
    fn every_language_has_the_same_texts() {
        let names = |path: &str| {
            let (_, bytes) = FILES.iter().find(|(one, _)| *one == path).unwrap();
            let text = std::str::from_utf8(bytes).unwrap();
            let mut names: Vec<String> = text
                .split(['\n', ','])
                .filter_map(|part| part.split_once(": '"))
                .map(|(name, _)| name.trim().trim_matches('\'').to_owned())
                .filter(|name| {
                    name.chars().all(|c| c.is_ascii_lowercase() || ".0123456789".contains(c))
                })
                .collect();
            names.sort();
            names
        };
        assert!(names("texts/en.js").len() > 200);
        assert_eq!(names("texts/en.js"), names("texts/de.js"));
    }
}
