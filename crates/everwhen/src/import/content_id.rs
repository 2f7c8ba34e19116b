//! Ids for messages of sources that have none: derived from time, role and text, so that they stay the same
//! when the file is renamed or copied, and when it loses its beginning.

use std::collections::HashMap;

use everwhen_engine::memory::Role;
use serde_json::Value;

/// Makes ids. Messages of one file that are alike in everything are counted.
#[derive(Default)]
pub(super) struct ContentIds {
    occurrences: HashMap<String, u32>,
}

impl ContentIds {
    /// The id of the next message. `whose` keeps messages apart that are alike in several conversations;
    /// `date` is the time as the source writes it.
    pub(super) fn next(&mut self, whose: &str, date: &Value, role: Role, text: &str) -> String {
        let key = format!("{whose}/{date}/{}/{}", role.as_str(), short_hash(text));
        let number = self.occurrences.entry(key.clone()).or_default();
        *number += 1;
        format!("{key}/{number}")
    }
}

/// Enough of the hash of a text to know it again.
pub(super) fn short_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}
