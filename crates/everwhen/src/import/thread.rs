//! A conversation as a source has it, before its times are repaired and its texts are checked.

use everwhen_engine::memory::Role;
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::moment::{self, Moment};
use super::tree::{self, Node};

/// One message of a source.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    /// Its id, unique in the source.
    pub(crate) id: Option<String>,
    pub(crate) role: Role,
    pub(crate) text: String,
    /// When it was said, if the source says.
    pub(crate) time: Option<Moment>,
    /// What the source has instead of a time that can be read.
    pub(crate) unread: Option<UnreadTime>,
    /// Who spoke, where several people share a role.
    pub(crate) speaker: Option<String>,
    /// The model that wrote it.
    pub(crate) model: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) tools: Vec<String>,
    /// What else should be kept with it.
    pub(crate) more: Map<String, Value>,
}

impl Message {
    /// Something said.
    pub(crate) fn new(role: Role, text: impl Into<String>, time: Option<Moment>) -> Self {
        Self {
            id: None,
            role,
            text: text.into(),
            time,
            unread: None,
            speaker: None,
            model: None,
            tags: Vec::new(),
            tools: Vec::new(),
            more: Map::new(),
        }
    }

    /// With its id in the source.
    #[must_use]
    pub(crate) fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// With what the source writes as its time, if that cannot be read, and where it stands.
    #[must_use]
    pub(crate) fn dated_by(mut self, written: &Value, place: impl FnOnce() -> String) -> Self {
        if self.time.is_none() {
            self.unread = moment::unread(written).map(|text| UnreadTime { text, place: place() });
        }
        self
    }

    /// With the name of its speaker.
    #[must_use]
    pub(crate) fn by(mut self, speaker: Option<&str>) -> Self {
        self.speaker = speaker.map(str::to_owned);
        self
    }

    /// With the model that wrote it.
    #[must_use]
    pub(crate) fn model(mut self, model: Option<&str>) -> Self {
        self.model = model.map(str::to_owned);
        self
    }
}

/// A time that cannot be read.
#[derive(Debug, Clone)]
pub(crate) struct UnreadTime {
    /// As the source writes it.
    pub(crate) text: String,
    /// The file, and the place in it.
    pub(crate) place: String,
}

/// A conversation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Thread {
    /// Its id in the source.
    pub(crate) id: String,
    pub(crate) title: Option<String>,
    pub(crate) summary: Option<String>,
    /// When it began, if the source says.
    pub(crate) created: Option<Moment>,
    /// When it was ended explicitly, if the source says.
    pub(crate) ended: Option<Timestamp>,
    /// The current line.
    pub(crate) messages: Vec<Message>,
    pub(crate) branches: Vec<Branch>,
    /// Where it stands: the file, and the place in it.
    pub(crate) place: String,
}

/// What an edit or another answer replaced.
#[derive(Debug, Clone, Default)]
pub(crate) struct Branch {
    /// When it was replaced, if that is known.
    pub(crate) at: Option<Timestamp>,
    /// The time of the message before the fork.
    pub(crate) after: Option<Moment>,
    pub(crate) messages: Vec<Message>,
}

/// A node of a tree of messages; one without a message only holds the tree together.
pub(crate) struct TreeMessage {
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
    pub(crate) message: Option<Message>,
}

impl Thread {
    /// An empty conversation.
    pub(crate) fn new(id: impl Into<String>, place: impl Into<String>) -> Self {
        Self { id: id.into(), place: place.into(), ..Self::default() }
    }

    /// Takes the current line and the branches of a tree.
    pub(crate) fn take_tree(&mut self, mut nodes: Vec<TreeMessage>, current: Option<&str>) {
        let time = |node: &TreeMessage| Some(node.message.as_ref()?.time.as_ref()?.at);
        let found = {
            let about: Vec<Node<'_>> = nodes
                .iter()
                .map(|node| Node { id: &node.id, parent: node.parent.as_deref(), time: time(node) })
                .collect();
            tree::lines(&about, current)
        };
        let after: Vec<Option<Moment>> =
            found.branches.iter().map(|side| moment_above(&nodes, side.nodes[0])).collect();
        let at: Vec<Option<Timestamp>> = found
            .branches
            .iter()
            .map(|side| side.instead.and_then(|node| time(&nodes[node])))
            .collect();
        let mut take = |line: Vec<usize>| -> Vec<Message> {
            line.into_iter().filter_map(|node| nodes[node].message.take()).collect()
        };
        self.messages = take(found.main);
        for ((side, after), at) in found.branches.into_iter().zip(after).zip(at) {
            let messages = take(side.nodes);
            if !messages.is_empty() {
                self.branches.push(Branch { at, after, messages });
            }
        }
    }
}

/// The time of the nearest message above a node.
fn moment_above(nodes: &[TreeMessage], node: usize) -> Option<Moment> {
    let mut parent = nodes[node].parent.as_deref();
    for _ in 0..64 {
        let above = nodes.iter().find(|one| Some(one.id.as_str()) == parent)?;
        if let Some(time) = above.message.as_ref().and_then(|message| message.time.clone()) {
            return Some(time);
        }
        parent = above.parent.as_deref();
    }
    None
}
