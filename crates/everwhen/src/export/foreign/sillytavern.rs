//! ExportedChats as SillyTavern keeps them: a file of JSON lines each, other answers as swipes.
//!
//! A branch of several messages is a chat of its own there, with what was said before the fork.

use std::collections::HashSet;

use everwhen_engine::memory::{Entry, Role};
use serde_json::{Value, json};

use super::read::{ChatBranch, ExportedChat};
use super::{beside, model};

/// Longest part of a file name, in characters.
const NAME_CHARS: usize = 80;

/// The names of files that are taken.
#[derive(Default)]
pub(super) struct FileNames(HashSet<String>);

/// The files of a conversation: name and text of the chat, then of each branch.
pub(super) fn files(chat: &ExportedChat, names: &mut FileNames) -> Vec<(String, String)> {
    let swiped = |entry: &Entry| -> Vec<&Entry> {
        let swipes = chat.branches.iter().filter(|branch| is_swipe(branch, entry));
        swipes.flat_map(|branch| &branch.entries).collect()
    };
    let mut files = Vec::new();
    if !chat.entries.is_empty() {
        let lines = chat.entries.iter().map(|entry| line(chat, entry, &swiped(entry)));
        files.push((names.free(chat, ""), text(chat, &chat.id, lines)));
    }
    let is_other = |branch: &&ChatBranch| !chat.entries.iter().any(|one| is_swipe(branch, one));
    for (branch, number) in chat.branches.iter().filter(is_other).zip(1..) {
        let mark = format!(" - Branch {number}");
        let before = chat.entries.iter().filter(|one| one.conversation_time < branch.archived_at);
        let first = branch.entries.first().map(|one| one.conversation_time);
        let before = before.filter(|one| first.is_none_or(|first| one.conversation_time < first));
        let lines = before.chain(&branch.entries).map(|entry| line(chat, entry, &[]));
        let id = format!("{}{mark}", chat.id);
        files.push((names.free(chat, &mark), text(chat, &id, lines)));
    }
    files
}

/// Whether a branch is another answer in the place of this entry.
fn is_swipe(branch: &ChatBranch, entry: &Entry) -> bool {
    branch.entries.len() == 1
        && branch.archived_at == entry.conversation_time
        && entry.role == Role::Assistant
        && branch.entries[0].role == Role::Assistant
}

fn text(chat: &ExportedChat, id: &str, lines: impl Iterator<Item = Value>) -> String {
    let header = json!({
        "user_name": speaker(chat, Role::User),
        "character_name": speaker(chat, Role::Assistant),
        "create_date": chat.conversation.started_at.to_string(),
        "chat_metadata": { "everwhen": { "conversation": id, "title": chat.title } },
    });
    std::iter::once(header).chain(lines).map(|line| format!("{line}\n")).collect()
}

fn line(chat: &ExportedChat, entry: &Entry, swipes: &[&Entry]) -> Value {
    let extra = |one: &Entry| json!({ "model": model(one), "everwhen": beside(one, chat.source) });
    let date = |one: &Entry| one.conversation_time.to_string();
    let name = entry.speaker.as_ref().map_or(speaker(chat, entry.role), |name| name.as_str());
    let mut line = json!({
        "name": name,
        "is_user": entry.role == Role::User,
        "is_system": entry.role == Role::System,
        "send_date": date(entry),
        "mes": entry.content.as_str(),
        "extra": extra(entry),
    });
    if !swipes.is_empty() {
        let all: Vec<&Entry> = swipes.iter().copied().chain([entry]).collect();
        let texts: Vec<&str> = all.iter().map(|one| one.content.as_str()).collect();
        let about = all.iter().map(|one| json!({ "send_date": date(one), "extra": extra(one) }));
        line["swipe_id"] = swipes.len().into();
        line["swipe_info"] = about.collect();
        line["swipes"] = json!(texts);
    }
    line
}

/// The name of the first speaker of a role.
fn speaker(chat: &ExportedChat, role: Role) -> &str {
    let mut own = chat.entries.iter().filter(|entry| entry.role == role);
    let named = own.find_map(|entry| entry.speaker.as_ref());
    named.map_or(if role == Role::User { "User" } else { "Assistant" }, |name| name.as_str())
}

impl FileNames {
    /// `Ana/Ana - 2023-6-19.jsonl`: a folder for each character, and a name that no other file has.
    fn free(&mut self, chat: &ExportedChat, mark: &str) -> String {
        let (folder, stem) = match chat.id.rsplit_once('/') {
            Some((folder, stem)) => (folder, stem),
            None => (speaker(chat, Role::Assistant), chat.id.as_str()),
        };
        let stem = format!("{}/{}{mark}", plain(folder), plain(stem));
        let mut name = format!("{stem}.jsonl");
        for number in 2.. {
            if self.0.insert(name.to_lowercase()) {
                break;
            }
            name = format!("{stem} ({number}).jsonl");
        }
        name
    }
}

/// A part of a file name that every file system takes.
fn plain(text: &str) -> String {
    let is_odd = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    let name: String =
        text.chars().map(|c| if is_odd(c) { '-' } else { c }).take(NAME_CHARS).collect();
    let name = name.trim_matches([' ', '.']);
    if name.is_empty() { "chat".to_owned() } else { name.to_owned() }
}
