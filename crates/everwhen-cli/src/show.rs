//! Responses of the API as text: dates in the vault's time zone, aligned columns.

use everwhen::memory::TimePrecision;
use everwhen::time::{Zone, read_time};
use serde_json::Value;

use crate::console::{show_minute, text};
use crate::output::{bold, dim, hang, plain};

/// Entries, one block each: time, id, speaker, text.
pub(crate) fn entries(entries: &[&Value], zone: &Zone) -> Vec<String> {
    let width = entries.iter().map(|entry| speaker(entry).chars().count()).max().unwrap_or(0);
    entries.iter().map(|entry| entry_block(entry, zone, width)).collect()
}

fn entry_block(entry: &Value, zone: &Zone, width: usize) -> String {
    let (time, id) = (entry_time(entry, zone), text(&entry["id"]));
    let lead = format!("{time}  {}  {:width$}  ", dim(id), bold_padded(&speaker(entry), width));
    let indent = time.len() + id.len() + width + 6;
    hang(&lead, indent, text(&entry["content"]))
}

/// When an entry was said: to the minute, or as well as it is known.
pub(crate) fn entry_time(entry: &Value, zone: &Zone) -> String {
    let precision = TimePrecision::named(text(&entry["provenance"]["precision"])).ok();
    let at = read_time(text(&entry["conversation_time"])).ok();
    let about = precision.zip(at).and_then(|(precision, at)| precision.about(at, zone));
    about.unwrap_or_else(|| show_minute(&entry["conversation_time"], zone))
}

/// Pads before it styles: escape codes have no width.
fn bold_padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{}{}", bold(text), " ".repeat(missing))
}

/// The speaker: the name, else the role.
fn speaker(entry: &Value) -> String {
    plain(entry["speaker"].as_str().unwrap_or_else(|| text(&entry["role"])))
}

/// `1 entry`, `2 entries`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

/// Labels with their values; empty values are left out.
pub(crate) fn fields(pairs: &[(&str, String)]) -> Vec<String> {
    let known = pairs.iter().filter(|(_, value)| !value.is_empty());
    let width = known.clone().map(|(label, _)| label.len()).max().unwrap_or(0) + 2;
    known.map(|(label, value)| hang(&format!("{label:width$}"), width, value)).collect()
}

/// A list of texts, joined.
pub(crate) fn joined(list: &Value) -> String {
    let texts: Vec<&str> =
        list.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn entries_stand_in_columns_on_the_wall_clock_of_the_vault() {
        let zone = Zone::named("Europe/Berlin").unwrap();
        let one = json!({"id": "ent_1", "role": "user", "content": "Hi\nthere",
            "conversation_time": "2023-01-08T11:49:00Z"});
        let two = json!({"id": "ent_2", "role": "assistant", "speaker": "Mira", "content": "Yes",
            "conversation_time": "2023-07-08T11:49:00Z"});
        let blocks = entries(&[&one, &two], &zone);
        let shown: Vec<String> =
            blocks.iter().map(|block| anstream::adapter::strip_str(block).to_string()).collect();
        assert_eq!(
            shown[0],
            "2023-01-08 12:49  ent_1  user  Hi\n                               there"
        );
        assert_eq!(shown[1], "2023-07-08 13:49  ent_2  Mira  Yes");
    }

    #[test]
    fn fields_without_a_value_are_left_out() {
        let lines = fields(&[("id", "x".into()), ("speaker", String::new()), ("role", "y".into())]);
        assert_eq!(lines, ["id    x", "role  y"]);
    }
}
