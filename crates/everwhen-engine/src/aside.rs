//! What a model is told beside the messages: what time it is, what was talked about last, and what
//! is remembered about what is asked.
//!
//! It changes from turn to turn, so it stands behind everything that stays. What the model sees
//! anyway, because it is in the history that the client sends, is not told again.

use jiff::Timestamp;

use crate::conversations::backdrop;
use crate::desk::Desk;
use crate::ledger::Begun;
use crate::memory::{Address, EntryId};
use crate::recall::Query;
use crate::vault::Vault;
use crate::when::ago;
use crate::{ErrorKind, Result};

const NOW: &str = include_str!("aside/now.txt");
const NOW_AFTER: &str = include_str!("aside/now_after.txt");
const REMEMBERED: &str = include_str!("aside/remembered.txt");

/// The question for recall has no more characters than this.
const QUESTION_CHARS: usize = 2_000;
/// So many items are looked for.
const ITEMS: usize = 20;

/// What to tell of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wishes {
    /// What is remembered about what is asked.
    pub briefing: bool,
    /// How long that may be.
    pub budget_tokens: usize,
}

/// What the history of a request shows already.
pub(crate) struct Shown {
    /// Entries in it.
    pub(crate) entries: Vec<EntryId>,
    /// When the first of them was said.
    pub(crate) since: Option<Timestamp>,
}

impl Shown {
    fn of(begun: &Begun) -> Self {
        Self {
            entries: begun.messages.iter().filter_map(|told| told.entry).collect(),
            since: begun.messages.iter().filter_map(|told| told.time).min(),
        }
    }

    /// Whether only the newest message is sent, so that the model sees nothing of what went before.
    pub(crate) fn is_single(&self) -> bool {
        self.entries.len() <= 1
    }
}

/// What time it is and how long ago the message before was sent, in one line.
pub fn now(begun: &Begun) -> String {
    let zone = &begun.zone;
    let time = zone.show(begun.now).strftime("%A, %Y-%m-%d %H:%M %:z");
    let time = format!("{time} ({})", zone.name());
    match begun.last_at {
        None => NOW.trim_end().replace("{time}", &time),
        Some(last) => {
            let line = NOW_AFTER.trim_end().replace("{time}", &time);
            line.replace("{ago}", &ago(last, begun.now))
        }
    }
}

/// All that is told, as one text; empty if there is nothing to tell.
pub fn text(remembered: &str, now: Option<&str>) -> String {
    let remembered =
        (!remembered.is_empty()).then(|| REMEMBERED.trim_end().replace("{remembered}", remembered));
    let parts: Vec<&str> = remembered.as_deref().into_iter().chain(now).collect();
    parts.join("\n\n")
}

impl Vault {
    /// What is remembered that helps to answer a message of an exchange, without what its history
    /// shows, behind its backdrop; empty if there is nothing.
    pub async fn remembered_for(
        &self,
        begun: &Begun,
        message: &str,
        wishes: &Wishes,
    ) -> Result<String> {
        let mut parts = vec![begun.backdrop.clone()];
        if wishes.briefing && !message.trim().is_empty() {
            parts.push(self.briefing(begun, message, wishes.budget_tokens).await?);
        }
        parts.retain(|part| !part.is_empty());
        Ok(parts.join("\n\n"))
    }

    async fn briefing(&self, begun: &Begun, message: &str, budget_tokens: usize) -> Result<String> {
        let query = Query {
            asked_at: Some(begun.now),
            limit: Some(ITEMS),
            budget_tokens: Some(budget_tokens),
            except: Shown::of(begun).entries.into_iter().collect(),
            ..Query::new(message.chars().take(QUESTION_CHARS).collect::<String>())
        };
        match self.recall(Address::Id(begun.exchange.memory.memory), query).await {
            Ok(found) if !found.items.is_empty() => Ok(found.briefing),
            Ok(_) => Ok(String::new()),
            // A memory that is just being made remembers nothing.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(error),
        }
    }
}

/// What was talked about before the history of an exchange begins, as the exchange leaves it.
pub(crate) fn backdrop(desk: &Desk<'_>, begun: &Begun, budget_tokens: usize) -> Result<String> {
    let (rows, shown) = (desk.tx.snapshot(), Shown::of(begun));
    backdrop::render(rows, &desk.vault, &desk.memory, begun.now, &shown, budget_tokens)
}
