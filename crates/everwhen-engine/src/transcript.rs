//! Entries as numbered lines for a language model, a window at a time.

use crate::memory::Entry;
use crate::text::shorten;
use crate::time::Zone;

/// Characters of conversation shown at a time.
const WINDOW_CHARS: usize = 8_000;
/// Characters shown of one entry.
const LINE_CHARS: usize = 2_000;

/// Entries in numbered lines, each on one line whatever is in it.
pub(crate) fn transcript(entries: &[&Entry], zone: &Zone) -> String {
    let lines = entries.iter().enumerate().map(|(place, entry)| {
        let time = entry.about(zone).unwrap_or_else(|| zone.minute(entry.conversation_time));
        let said = shorten(entry.content.as_str(), LINE_CHARS);
        format!("[{}] {time} {}: {said}", place + 1, entry.speaker_label())
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Entries in runs of limited length, at least one each.
pub(crate) fn windows<'w, 'e>(entries: &'w [&'e Entry]) -> Vec<&'w [&'e Entry]> {
    let mut windows = Vec::new();
    let (mut start, mut size) = (0, 0);
    for (place, entry) in entries.iter().enumerate() {
        let length = entry.content.as_str().len().min(LINE_CHARS);
        if place > start && size + length > WINDOW_CHARS {
            windows.push(&entries[start..place]);
            (start, size) = (place, 0);
        }
        size += length;
    }
    windows.push(&entries[start..]);
    windows.retain(|window| !window.is_empty());
    windows
}
