//! What the page names in its head, so that the browser asks for everything a view needs at once and does not find one module
//! in another.

use std::collections::HashMap;

use crate::pack::{MAIN, imported};

/// Scripts that the page names itself.
const SCRIPTS: [&str; 2] = [MAIN, "early.js"];
const DEFAULT_VIEW: &str = "views/timeline.js";
const DEFAULT_LANGUAGE: &str = "en";

/// The module of the view at an address, as `lib/router.js` reads it.
pub(crate) fn view(address: &str) -> &'static str {
    let parts: Vec<&str> = address.split('/').filter(|part| !part.is_empty()).skip(1).collect();
    match parts[..] {
        ["-", "live", ..] => "views/live.js",
        ["-", ..] => "views/settings.js",
        [] | [_] => "views/memories.js",
        [_, _, "c", _, ..] => "views/conversation.js",
        [_, _, "ask", ..] => "views/ask.js",
        [_, _, "facts", ..] => "views/facts.js",
        [_, _, "document", ..] => "views/document.js",
        _ => DEFAULT_VIEW,
    }
}

/// The texts of the first language that the browser asks for and the page has. A user may have chosen another one in the page;
/// then that one is loaded a little later.
pub(crate) fn texts<'a>(wanted: &str, all: &[&'a str]) -> Option<&'a str> {
    let of = |language: &str| {
        let path = format!("texts/{}.js", language.to_ascii_lowercase());
        all.iter().copied().find(|one| **one == path)
    };
    let first = |wish: &str| wish.trim().get(..2).and_then(of);
    wanted.split(',').find_map(first).or_else(|| of(DEFAULT_LANGUAGE))
}

/// Modules that `view` needs with these texts: all that it and the main script import, directly or not, each once.
pub(crate) fn modules<'a>(
    view: &'a str,
    texts: &'a str,
    files: &HashMap<&'a str, &'a str>,
) -> Vec<&'a str> {
    let mut found = vec![MAIN, view];
    let mut at = 0;
    while let Some(module) = found.get(at).copied() {
        let text = files.get(module).copied().unwrap_or_default();
        for path in text.lines().filter_map(|line| imported(module, line)) {
            if let Some((path, _)) = files.get_key_value(path.as_str())
                && !found.contains(path)
            {
                found.push(path);
            }
        }
        at += 1;
    }
    found.push(texts);
    found.retain(|module| !SCRIPTS.contains(module));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::FILES;

    #[test]
    fn every_address_names_the_module_of_its_view() {
        for (address, expected) in [
            ("/ui/", "memories"),
            ("/ui/default", "memories"),
            ("/ui/default/ana", "timeline"),
            ("/ui/default/ana/", "timeline"),
            ("/ui/default/ana/unknown", "timeline"),
            ("/ui/default/ana/c", "timeline"),
            ("/ui/default/ana/c/cnv_1", "conversation"),
            ("/ui/default/ana/ask", "ask"),
            ("/ui/default/ana/facts", "facts"),
            ("/ui/default/ana/document", "document"),
            ("/ui/-/live", "live"),
            ("/ui/-/settings", "settings"),
        ] {
            assert_eq!(view(address), format!("views/{expected}.js"), "{address}");
            assert!(FILES.iter().any(|(path, _)| *path == view(address)));
        }
    }

    #[test]
    fn texts_are_those_of_the_first_language_there_is() {
        let all = ["texts/de.js", "texts/en.js"];
        for (wanted, expected) in [
            ("de-DE,de;q=0.9,en;q=0.8", "texts/de.js"),
            ("fr-FR, DE;q=0.9", "texts/de.js"),
            ("en-GB", "texts/en.js"),
            ("fr", "texts/en.js"),
            ("", "texts/en.js"),
        ] {
            assert_eq!(texts(wanted, &all), Some(expected), "{wanted:?}");
        }
    }

    #[test]
    fn modules_are_found_through_modules_and_named_once() {
        let files = HashMap::from([
            ("lib/main.js", "import { a } from './a.js';\nimport '../early.js';"),
            ("early.js", ""),
            ("lib/a.js", "import b from '../vendor/b.js';\nimport { k } from '../early.js';"),
            ("vendor/b.js", "const later = () => import('./never.js');"),
            ("views/timeline.js", "import { a } from '../lib/a.js';"),
            ("texts/en.js", ""),
        ]);
        let found = modules("views/timeline.js", "texts/en.js", &files);
        assert_eq!(found, ["views/timeline.js", "lib/a.js", "vendor/b.js", "texts/en.js"]);
    }
}
