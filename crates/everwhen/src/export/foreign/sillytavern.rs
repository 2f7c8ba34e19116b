//! Chats as SillyTavern keeps them: a file of JSON lines each, other answers as swipes.
//!
//! Any other branch is what SillyTavern makes of one: a chat of its own that repeats what was said before the
//! fork, names the chat it left in `chat_metadata.main_chat`, and is named by the message before the fork in
//! `extra.branches`. When a branch was put aside has no field there, so an import finds it beside each of
//! the branch's own messages.

use std::collections::HashSet;

use everwhen_engine::memory::{Entry, Role};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::read::{ChatBranch, ExportedChat};
use super::{beside, model};

/// Longest part of a file name, in characters.
const NAME_CHARS: usize = 80;

/// The names of files that are taken.
#[derive(Default)]
pub(super) struct FileNames(HashSet<String>);

/// A branch that is a file of its own.
struct BranchFile<'c> {
    branch: &'c ChatBranch,
    name: String,
    /// How many entries of the current line it repeats.
    shared: usize,
}

/// The files of a conversation: name and text of the chat, then of each branch.
pub(super) fn files(chat: &ExportedChat, names: &mut FileNames) -> Vec<(String, String)> {
    let main = (!chat.entries.is_empty()).then(|| names.free(chat, ""));
    let replaced: Vec<Option<usize>> = chat
        .branches
        .iter()
        .map(|branch| chat.entries.iter().position(|entry| is_swipe(branch, entry)))
        .collect();
    let others = chat.branches.iter().zip(&replaced).filter(|(_, place)| place.is_none());
    let others: Vec<BranchFile<'_>> = others
        .zip(1..)
        .map(|((branch, _), number)| BranchFile {
            branch,
            name: names.free(chat, &format!(" - Branch {number}")),
            shared: shared(chat, branch),
        })
        .collect();
    let lines = chat.entries.iter().enumerate().map(|(place, entry)| {
        let swipes = chat.branches.iter().zip(&replaced).filter(|(_, of)| **of == Some(place));
        let swipes: Vec<&Entry> = swipes.flat_map(|(branch, _)| &branch.entries).collect();
        with_branches(line(chat, entry, &swipes), &others, place)
    });
    let stem = main.as_deref().map(stem);
    let mut files = Vec::new();
    files.extend(main.clone().map(|name| (name, text(chat, None, lines))));
    files.extend(others.iter().map(|one| (one.name.clone(), one.text(chat, stem))));
    files
}

/// How many entries were said before a branch was begun and put aside.
fn shared(chat: &ExportedChat, branch: &ChatBranch) -> usize {
    let first = branch.entries.first().map(|one| one.conversation_time);
    let fork = first.map_or(branch.archived_at, |first| first.min(branch.archived_at));
    chat.entries.iter().take_while(|one| one.conversation_time < fork).count()
}

/// Whether a branch is another answer in place of this entry.
fn is_swipe(branch: &ChatBranch, entry: &Entry) -> bool {
    branch.entries.len() == 1
        && branch.archived_at == entry.conversation_time
        && entry.role == Role::Assistant
        && branch.entries[0].role == Role::Assistant
}

/// A line that names the branches that were begun after it.
fn with_branches(mut line: Value, others: &[BranchFile<'_>], place: usize) -> Value {
    let begun: Vec<&str> =
        others.iter().filter(|one| one.shared == place + 1).map(|one| stem(&one.name)).collect();
    if !begun.is_empty() {
        line["extra"]["branches"] = json!(begun);
    }
    line
}

impl BranchFile<'_> {
    fn text(&self, chat: &ExportedChat, main: Option<&str>) -> String {
        let before = chat.entries[..self.shared].iter().map(|entry| line(chat, entry, &[]));
        let own = self.branch.entries.iter().map(|entry| {
            let mut line = line(chat, entry, &[]);
            line["extra"]["everwhen"]["branch"] = written(self.branch.archived_at).into();
            line
        });
        text(chat, main, before.chain(own))
    }
}

fn text(chat: &ExportedChat, main: Option<&str>, lines: impl Iterator<Item = Value>) -> String {
    let mut header = json!({
        "user_name": speaker(chat, Role::User),
        "character_name": speaker(chat, Role::Assistant),
        "create_date": written(chat.conversation.started_at),
        "chat_metadata": { "everwhen": { "conversation": chat.id, "title": chat.title } },
    });
    if let Some(main) = main {
        header["chat_metadata"]["main_chat"] = main.into();
    }
    std::iter::once(header).chain(lines).map(|line| format!("{line}\n")).collect()
}

fn line(chat: &ExportedChat, entry: &Entry, swipes: &[&Entry]) -> Value {
    let extra = |one: &Entry| json!({ "model": model(one), "everwhen": beside(one, chat.source) });
    let name = entry.speaker.as_ref().map_or(speaker(chat, entry.role), |name| name.as_str());
    let mut line = json!({
        "name": name,
        "is_user": entry.role == Role::User,
        "is_system": entry.role == Role::System,
        "send_date": written(entry.conversation_time),
        "mes": entry.content.as_str(),
        "extra": extra(entry),
    });
    if !swipes.is_empty() {
        let all: Vec<&Entry> = swipes.iter().copied().chain([entry]).collect();
        let texts: Vec<&str> = all.iter().map(|one| one.content.as_str()).collect();
        let about = |one: &&Entry| json!({ "send_date": written(one.conversation_time), "extra": extra(one) });
        line["swipe_id"] = swipes.len().into();
        line["swipe_info"] = all.iter().map(about).collect();
        line["swipes"] = json!(texts);
    }
    line
}

fn written(time: Timestamp) -> String {
    time.to_string()
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

/// The name that SillyTavern calls a chat by: of its file, without folder and ending.
fn stem(name: &str) -> &str {
    let file = name.rsplit_once('/').map_or(name, |(_, file)| file);
    file.strip_suffix(".jsonl").unwrap_or(file)
}

/// A part of a file name that every file system takes.
fn plain(text: &str) -> String {
    let is_odd = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    let name: String =
        text.chars().map(|c| if is_odd(c) { '-' } else { c }).take(NAME_CHARS).collect();
    let name = name.trim_matches([' ', '.']);
    if name.is_empty() { "chat".to_owned() } else { name.to_owned() }
}
