//! Reading the conversations of a memory, one at a time, with their branches.

use everwhen_engine::memory::{Address, BranchId, Conversation, ConversationId, Entry, MemoryId};
use everwhen_engine::ports::{ArchiveFilter, ConversationQuery, EntryQuery, Which};
use everwhen_engine::{Vault, limits};
use jiff::Timestamp;

use crate::Result;

/// A conversation to be written.
pub(super) struct ExportedChat {
    /// Its name in its source, or its id.
    pub(super) id: String,
    pub(super) title: Option<String>,
    pub(super) summary: Option<String>,
    pub(super) conversation: Conversation,
    /// The current entries, oldest first.
    pub(super) entries: Vec<Entry>,
    pub(super) branches: Vec<ChatBranch>,
    /// The source that reads the format.
    pub(super) source: &'static str,
}

/// What an edit or another answer replaced.
pub(super) struct ChatBranch {
    pub(super) archived_at: Timestamp,
    pub(super) entries: Vec<Entry>,
}

impl ChatBranch {
    /// What branches are ordered by: their ids differ between two vaults.
    fn order(&self) -> (Timestamp, Option<(Timestamp, &str)>) {
        let first = self.entries.first();
        (self.archived_at, first.map(|one| (one.conversation_time, one.content.as_str())))
    }
}

/// The conversations of a memory, by when they started; of several at the same time by their names, so that
/// two vaults with the same conversations give the same export.
pub(super) struct ExportedChats<'v> {
    vault: &'v Vault,
    memory: Address<MemoryId>,
    source: &'static str,
    waiting: std::vec::IntoIter<Conversation>,
    /// The end of the page: those that started at the same time, of which the next page may have more.
    held: Vec<Conversation>,
    from: Option<(Timestamp, ConversationId)>,
    is_last_page: bool,
}

impl<'v> ExportedChats<'v> {
    pub(super) fn new(vault: &'v Vault, memory: Address<MemoryId>, source: &'static str) -> Self {
        let (waiting, held) = (Vec::new().into_iter(), Vec::new());
        Self { vault, memory, source, waiting, held, from: None, is_last_page: false }
    }

    /// The next conversation in which anything was said.
    pub(super) async fn next(&mut self) -> Result<Option<ExportedChat>> {
        loop {
            let Some(conversation) = self.waiting.next() else {
                if self.is_last_page {
                    return Ok(None);
                }
                self.read_page().await?;
                continue;
            };
            let chat = self.read(conversation).await?;
            if !chat.entries.is_empty() || !chat.branches.is_empty() {
                return Ok(Some(chat));
            }
        }
    }

    async fn read_page(&mut self) -> Result<()> {
        let query = ConversationQuery {
            archive: ArchiveFilter::Both,
            from: self.from,
            limit: Some(limits::PAGE_ROWS),
            ..ConversationQuery::default()
        };
        let page = self.vault.conversations(self.memory.clone(), query).await?;
        (self.from, self.is_last_page) = (page.next, page.next.is_none());
        let mut list = std::mem::take(&mut self.held);
        list.extend(page.data);
        list.sort_by(|one, other| {
            (one.started_at, &one.name, one.id).cmp(&(other.started_at, &other.name, other.id))
        });
        if let Some(last) = list.last().filter(|_| !self.is_last_page) {
            let start = list.partition_point(|one| one.started_at < last.started_at);
            self.held = list.split_off(start);
        }
        self.waiting = list.into_iter();
        Ok(())
    }

    async fn read(&self, conversation: Conversation) -> Result<ExportedChat> {
        let view = self.vault.conversation(self.memory.clone(), conversation.id.into()).await?;
        let mut branches = Vec::new();
        for branch in view.branches {
            let entries = self.branch(conversation.id, branch.id).await?;
            if !entries.is_empty() {
                branches.push(ChatBranch { archived_at: branch.archived_at, entries });
            }
        }
        branches.sort_by(|one, other| one.order().cmp(&other.order()));
        let summary = view.conversation.summary.as_ref();
        Ok(ExportedChat {
            id: self.id(&conversation),
            title: summary.map(|summary| summary.title.clone()),
            summary: summary.map(|summary| summary.text.clone()),
            entries: view.entries,
            branches,
            conversation: view.conversation,
            source: self.source,
        })
    }

    /// The name of a conversation, else its id. An import of an export gives a conversation without a name
    /// its former id as a name, after that of the source: this is the id again.
    fn id(&self, conversation: &Conversation) -> String {
        let Some(name) = &conversation.name else { return conversation.id.to_string() };
        let own = name.as_str().strip_prefix(self.source).and_then(|rest| rest.strip_prefix(':'));
        let own = own.filter(|id| id.parse::<ConversationId>().is_ok());
        own.unwrap_or(name.as_str()).to_owned()
    }

    async fn branch(&self, conversation: ConversationId, branch: BranchId) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        let mut from = None;
        loop {
            let query = EntryQuery {
                which: Which::Branch(branch),
                from,
                limit: Some(limits::PAGE_ROWS),
                ..EntryQuery::default()
            };
            let page =
                self.vault.entries(self.memory.clone(), Some(conversation.into()), query).await?;
            entries.extend(page.data);
            from = page.next;
            if from.is_none() {
                return Ok(entries);
            }
        }
    }
}
