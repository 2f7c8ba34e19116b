//! `everwhen tail`: what the proxy does, as it happens.

use everwhen::time::Zone;
use serde_json::Value;

use crate::client::Request;
use crate::console::{Console, rows_of, text};
use crate::failure::Result;
use crate::output;

/// Longest text of an entry in a line.
const SHOWN_CHARS: usize = 100;

/// Prints events until the server ends.
pub(crate) async fn run(console: &Console) -> Result<()> {
    let zone = console.zone().await?.clone();
    let mut events = console.watch(Request::get("/proxy/tail")).await?;
    output::note("Watching the proxy; send a chat through it to see what it does. Ctrl-C ends it.");
    while let Some(event) = events.next().await? {
        if console.json {
            output::json(&event)?;
            continue;
        }
        let mut event: Value = serde_json::from_str(&event).unwrap_or_default();
        make_plain(&mut event);
        for line in lines(&event, &zone) {
            output::line(&line)?;
        }
    }
    Ok(())
}

/// Makes the control characters of every text in an event visible: they come from clients, models
/// and memory.
fn make_plain(value: &mut Value) {
    match value {
        Value::String(text) => *text = output::plain(text),
        Value::Array(items) => items.iter_mut().for_each(make_plain),
        Value::Object(fields) => fields.values_mut().for_each(make_plain),
        _ => {}
    }
}

/// One event for people.
fn lines(event: &Value, zone: &Zone) -> Vec<String> {
    let time = everwhen::time::read_time(text(&event["time"]));
    let time = time.map(|time| zone.show(time).strftime("%H:%M:%S").to_string());
    let memory = event["memory"].as_str().unwrap_or("no memory");
    let begun = format!("{} {}", time.unwrap_or_default(), output::bold(memory));
    match text(&event["event"]) {
        "asked" => asked(event, begun),
        _ => vec![answered(event, &begun)],
    }
}

fn asked(event: &Value, begun: String) -> Vec<String> {
    let source = event["memory_source"].as_str().map(|source| format!(" (by {source})"));
    let model = event["model"].as_str().unwrap_or("a model");
    let is_auxiliary = event["is_auxiliary"] == true;
    let kind = if is_auxiliary { ", an auxiliary request (not remembered)" } else { "" };
    let mut lines = vec![format!(
        "{begun}{} → {model} at {}: {} messages, {} stamped{kind}",
        source.unwrap_or_default(),
        text(&event["upstream"]),
        event["messages"],
        rows_of(&event["stamped"]).len(),
    )];
    for stored in rows_of(&event["stored"]) {
        let (role, said) = (text(&stored["role"]), short(text(&stored["content"])));
        lines.push(format!("  stored {} {role}: {said}", text(&stored["conversation_time"])));
    }
    let injected = text(&event["injected"]).lines().filter(|line| !line.is_empty());
    lines.extend(injected.map(|line| format!("  + {line}")));
    let not_remembered = rows_of(&event["not_remembered"]).iter();
    lines.extend(not_remembered.map(|one| format!("  not remembered: {}", text(&one["reason"]))));
    lines.extend(event["degraded"].as_str().map(|why| format!("  degraded: {why}")));
    lines
}

fn answered(event: &Value, begun: &str) -> String {
    let cut = if event["truncated"] == true { ", cut off" } else { "" };
    let not_kept = event["degraded"].as_str().or(event["not_remembered"].as_str());
    let kept = match (event["entry"].as_str(), not_kept) {
        (_, Some(why)) if event["degraded"].is_null() => format!(", not remembered: {why}"),
        (_, Some(why)) => format!(", not kept yet: {why}"),
        (Some(entry), None) => format!(", kept as {entry}"),
        (None, None) => String::new(),
    };
    format!("{begun} ← {} characters{cut}{kept}", event["characters"])
}

fn short(text: &str) -> String {
    let line: String =
        text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if line.chars().count() <= SHOWN_CHARS {
        return line;
    }
    line.chars().take(SHOWN_CHARS).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_said_cannot_move_the_terminal_of_whoever_watches() {
        let hostile = "\u{1b}]0;OWNED\u{7}";
        let mut event = json!({
            "event": "asked", "time": "2025-06-01T12:00:00Z", "memory": hostile, "model": hostile,
            "upstream": hostile, "injected": hostile, "degraded": hostile, "stamped": [],
            "stored": [{ "role": "user", "conversation_time": hostile, "content": hostile }],
        });
        make_plain(&mut event);
        let shown = lines(&event, &Zone::utc()).concat();
        let unstyled = anstream::adapter::strip_str(&shown).to_string();
        assert!(!shown.contains("\u{1b}]") && !unstyled.contains('\u{7}'), "{shown:?}");
        assert!(unstyled.contains("\\u{1b}]0;OWNED"), "{unstyled}");
    }
}
