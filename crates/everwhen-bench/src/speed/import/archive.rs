//! An archive as ChatGPT exports it: shards of conversations, each a tree of messages.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Result;
use serde_json::json;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Messages of a conversation.
const MESSAGES: u64 = 40;
/// Conversations of a shard.
const CONVERSATIONS: u64 = 100;
/// When the first conversation began, in seconds since 1970: 2023-01-01.
const BEGIN: u64 = 1_672_531_200;
/// Words that messages are made of.
const WORDS: [&str; 32] = [
    "Lisbon", "train", "museum", "garden", "recipe", "python", "letter", "winter", "budget",
    "guitar", "camera", "window", "coffee", "doctor", "summer", "ticket", "bridge", "market",
    "forest", "laptop", "meeting", "holiday", "battery", "chapter", "harbour", "lecture",
    "morning", "painter", "quarter", "sailing", "theatre", "village",
];

/// Writes an archive with this number of messages. Returns its bytes.
pub(super) fn write(file: &Path, messages: u64) -> Result<u64> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut zip = ZipWriter::new(BufWriter::new(File::create(file)?));
    let conversations = messages.div_ceil(MESSAGES);
    for shard in 0..conversations.div_ceil(CONVERSATIONS) {
        zip.start_file(format!("conversations-{shard:03}.json"), options)?;
        zip.write_all(b"[")?;
        let first = shard * CONVERSATIONS;
        for number in first..conversations.min(first + CONVERSATIONS) {
            let count = MESSAGES.min(messages - number * MESSAGES);
            let separator: &[u8] = if number == first { b"" } else { b"," };
            zip.write_all(separator)?;
            zip.write_all(conversation(number, count).as_bytes())?;
        }
        zip.write_all(b"]")?;
    }
    zip.finish()?.flush()?;
    Ok(std::fs::metadata(file)?.len())
}

fn conversation(number: u64, count: u64) -> String {
    let begin = BEGIN + number * 3_600;
    let id = |message: u64| format!("{number:08x}-0000-4000-8000-{message:012x}");
    let mut mapping = serde_json::Map::new();
    mapping.insert(
        id(0),
        json!({ "id": id(0), "parent": null, "message": null, "children": [id(1)] }),
    );
    for message in 1..=count {
        let role = if message % 2 == 1 { "user" } else { "assistant" };
        let time = (begin + message * 30) as f64 + 0.25;
        let node = json!({
            "id": id(message),
            "parent": id(message - 1),
            "children": if message < count { vec![id(message + 1)] } else { Vec::new() },
            "message": {
                "id": id(message),
                "author": { "role": role },
                "create_time": time,
                "content": { "content_type": "text", "parts": [text(number, message)] },
                "metadata": {},
            },
        });
        mapping.insert(id(message), node);
    }
    json!({
        "id": id(0), "conversation_id": id(0), "title": format!("Talk {number}"),
        "create_time": begin as f64, "update_time": (begin + count * 30) as f64,
        "current_node": id(count), "mapping": mapping,
    })
    .to_string()
}

/// A few sentences, the same each time.
fn text(conversation: u64, message: u64) -> String {
    let mut state = conversation.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (message << 17) | 1;
    let mut words = Vec::new();
    for _ in 0..24 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        words.push(WORDS[(state % WORDS.len() as u64) as usize]);
    }
    format!("Message {message} of talk {conversation} about {}.", words.join(" "))
}
