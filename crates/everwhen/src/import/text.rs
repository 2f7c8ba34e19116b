//! What was said, as it should be kept: without control characters, marks of citations or markup.

use everwhen_engine::memory::Role;
use serde_json::Value;

/// The role that other programs mean by a word; `None` for one that is unknown.
pub(crate) fn role(word: &str) -> Option<Role> {
    Some(match word.trim().to_lowercase().as_str() {
        "user" | "human" | "you" | "request" | "me" | "prompt" | "person" | "customer" => {
            Role::User
        }
        "assistant" | "ai" | "model" | "gemini" | "gpt" | "chatgpt" | "bot" | "response"
        | "claude" | "agent" | "llm" | "copilot" | "grok" => Role::Assistant,
        "system" | "developer" | "instructions" => Role::System,
        "tool" | "function" | "toolresult" | "tool_result" | "observation" | "ipython" => {
            Role::Tool
        }
        _ => return None,
    })
}

/// Text without NUL characters and private-use marks of citations, and without blank ends.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut in_mark = false;
    for character in text.chars() {
        match character {
            '\u{e200}' => in_mark = true,
            '\u{e201}' => in_mark = false,
            '\0' => {}
            _ if in_mark => {}
            other => cleaned.push(other),
        }
    }
    if in_mark {
        // A mark that never ends was none.
        cleaned = text.chars().filter(|c| !matches!(c, '\0' | '\u{e200}'..='\u{e202}')).collect();
    }
    let trimmed = cleaned.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if trimmed.len() == cleaned.len() { cleaned } else { trimmed.trim_end().to_owned() }
}

/// Text parts, one per paragraph.
pub(crate) fn join<'t>(parts: impl IntoIterator<Item = &'t str>) -> String {
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
    parts.join("\n\n")
}

/// A picture or file, by its name, so that a message of nothing else still has its moment.
pub(crate) fn attachment(kind: &str, name: &str, bytes: Option<u64>) -> String {
    let name = if name.is_empty() { "without name" } else { name };
    match bytes {
        Some(bytes) if bytes >= 1_000 => format!("[{kind}: {name}, {} kB]", bytes / 1_000),
        _ => format!("[{kind}: {name}]"),
    }
}

/// The text of content in the usual forms: a text, or a list of texts and typed blocks. Blocks of
/// thinking and tools are no speech; `other` gets the type of each block that gives no text.
pub(crate) fn of_content(content: &Value, other: &mut dyn FnMut(&str)) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<String> = blocks.iter().map(|block| of_block(block, other)).collect();
            join(texts.iter().map(String::as_str))
        }
        Value::Object(_) => of_block(content, other),
        _ => String::new(),
    }
}

fn of_block(block: &Value, other: &mut dyn FnMut(&str)) -> String {
    if let Value::String(text) = block {
        return text.clone();
    }
    let kind = block["type"].as_str().unwrap_or("text");
    match kind {
        "text" | "input_text" | "output_text" | "markdown" | "main_text" => {
            let text = &block["text"];
            let text = text.as_str().or_else(|| text["value"].as_str());
            text.or_else(|| block["content"].as_str()).unwrap_or_default().to_owned()
        }
        "image" | "image_url" | "input_image" | "image_file" | "photo" => {
            let name = block["name"].as_str().or_else(|| block["filename"].as_str());
            attachment("image", name.unwrap_or_default(), None)
        }
        "file" | "input_file" | "document" => {
            let name = block["name"].as_str().or_else(|| block["file_name"].as_str());
            let name = name.or_else(|| block["filename"].as_str());
            attachment("file", name.unwrap_or_default(), block["size"].as_u64())
        }
        _ => {
            other(kind);
            String::new()
        }
    }
}

/// The text of a piece of HTML.
pub(crate) fn of_html(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        text.push_str(&entities(&rest[..open]));
        let Some(close) = rest[open..].find('>') else {
            text.push_str(&entities(&rest[open..]));
            return tidy(&text);
        };
        let tag = rest[open + 1..open + close].trim_start_matches('/').to_lowercase();
        let name: String = tag.chars().take_while(char::is_ascii_alphanumeric).collect();
        match name.as_str() {
            "br" | "p" | "div" | "tr" | "h1" | "h2" | "h3" | "h4" | "pre" | "ul" | "ol" => {
                text.push('\n');
            }
            "li" => text.push_str(if rest[open + 1..].starts_with('/') { "" } else { "\n- " }),
            _ => {}
        }
        rest = &rest[open + close + 1..];
    }
    text.push_str(&entities(rest));
    tidy(&text)
}

fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut kept: Vec<&str> = Vec::new();
    for line in lines {
        if !line.is_empty() || kept.last().is_some_and(|last| !last.is_empty()) {
            kept.push(line);
        }
    }
    kept.join("\n").trim().to_owned()
}

/// Text in which the entities of HTML are the characters they mean.
pub(crate) fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let found = rest.find(';').filter(|end| *end < 12);
        match found.and_then(|end| Some((end, entity(&rest[1..end])?))) {
            Some((end, character)) => {
                out.push(character);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code);
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_citations_and_nul_go() {
        assert_eq!(clean("second \u{e200}cite\u{e202}turn0search0\u{e201}"), "second");
        assert_eq!(clean("a\0b"), "ab");
        assert_eq!(clean("  indented\n"), "indented");
        assert_eq!(clean("a \u{e200}b"), "a b");
    }

    #[test]
    fn html_becomes_text() {
        assert_eq!(of_html("<p>About <b>384,400&nbsp;km</b>.</p>"), "About 384,400\u{a0}km.");
        assert_eq!(of_html("a<br>b<ul><li>c</li></ul>&lt;d&gt; &x"), "a\nb\n\n- c\n<d> &x");
    }

    #[test]
    fn blocks_that_are_no_speech_are_told() {
        let content = serde_json::json!([
            {"type": "text", "text": "a"}, {"type": "thinking", "thinking": "x"}, "b",
            {"type": "image", "name": "cat.png"}
        ]);
        let mut others = Vec::new();
        let text = of_content(&content, &mut |kind| others.push(kind.to_owned()));
        assert_eq!(text, "a\n\nb\n\n[image: cat.png]");
        assert_eq!(others, ["thinking"]);
    }
}
