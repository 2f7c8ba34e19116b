//! A conversation as a tree of messages that know their parent.

use std::collections::{HashMap, HashSet};

use everwhen_engine::memory::{Entry, EntryId};

use super::read::{ChatBranch, ExportedChat};

/// A message in the tree.
pub(super) struct ChatNode<'c> {
    pub(super) id: String,
    pub(super) parent: Option<String>,
    pub(super) entry: &'c Entry,
}

/// The messages of a conversation, and the last one of the current line.
pub(super) struct ChatTree<'c> {
    pub(super) nodes: Vec<ChatNode<'c>>,
    pub(super) current: Option<String>,
}

impl<'c> ChatTree<'c> {
    /// Lays the branches beside the current line. What replaced a branch began when the branch was
    /// archived; a branch that nothing replaced goes on from the end.
    pub(super) fn new(chat: &'c ExportedChat) -> Self {
        let mut tree = Self { nodes: Vec::new(), current: None };
        let mut used = HashSet::new();
        let mut line = Vec::new();
        for entry in &chat.entries {
            let id = free_id(chat, entry, &mut used);
            let parent = tree.current.replace(id.clone());
            line.push((entry, parent.clone()));
            tree.nodes.push(ChatNode { id, parent, entry });
        }
        for ChatBranch { archived_at, entries } in &chat.branches {
            let instead = line.iter().find(|(entry, _)| entry.conversation_time == *archived_at);
            let mut parent = match instead {
                Some((_, parent)) => parent.clone(),
                None => tree.current.clone(),
            };
            for entry in entries {
                let id = free_id(chat, entry, &mut used);
                let above = parent.replace(id.clone());
                tree.nodes.push(ChatNode { id, parent: above, entry });
            }
        }
        tree
    }

    /// The ids of the messages below each one; below `None` those without a parent.
    pub(super) fn children(&self) -> HashMap<Option<&str>, Vec<&str>> {
        let mut children: HashMap<Option<&str>, Vec<&str>> = HashMap::new();
        for node in &self.nodes {
            children.entry(node.parent.as_deref()).or_default().push(&node.id);
        }
        children
    }
}

/// The id a message has in its source, without the conversation; else the id of the entry.
fn free_id(chat: &ExportedChat, entry: &Entry, used: &mut HashSet<String>) -> String {
    let from = entry.provenance.as_ref().filter(|from| from.source.as_str() == chat.source);
    let own = from.and_then(|from| {
        let id = from.source_id.as_ref()?.as_str();
        if id.parse::<EntryId>().is_ok() {
            // An earlier export gave it its id here.
            return Some(id.to_owned());
        }
        id.strip_prefix(chat.id.as_str())?.strip_prefix('/').map(str::to_owned)
    });
    let id = own.filter(|id| !used.contains(id)).unwrap_or_else(|| entry.id.to_string());
    used.insert(id.clone());
    id
}
