//! The text that is added to a request for a model: what time it is, what was talked about last, and what
//! is remembered about what is asked.
//!
//! It changes from turn to turn, so it is placed after everything that stays. What the model sees
//! anyway, because it is in the history that the client sends, is not told again.

mod render;
mod shown;

use std::collections::HashSet;

use self::render::Remembered;
use crate::ledger::Begun;
use crate::memory::{Address, Conversation, EntryId, Person, Role};
use crate::recall::{Query, Recollection};
use crate::time::ago;
use crate::vault::Vault;
use crate::{ErrorKind, Result};

const NOW: &str = include_str!("memory_block/now.txt");
const NOW_AFTER: &str = include_str!("memory_block/now_after.txt");
const REMEMBERED: &str = include_str!("memory_block/remembered.txt");

/// The question for recall has no more characters than this.
const QUESTION_CHARS: usize = 2_000;
/// The number of items that are looked for.
const ITEMS: usize = 20;
/// The roles that are searched; what tools answer is added only on request.
const SPOKEN: [Role; 3] = [Role::User, Role::Assistant, Role::System];

/// What to add from memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockOptions {
    /// What is remembered about what is asked.
    pub briefing: bool,
    /// The maximum number of tokens of all that is added from memory.
    pub budget_tokens: usize,
    /// The person whose other chats are read, too; none if absent.
    pub chats_of: Option<Person>,
    /// Tell what tools answered, too.
    pub tool_entries: bool,
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

/// All that is added, as one text; empty if nothing is remembered.
pub fn text(remembered: &str, now: Option<&str>) -> String {
    let remembered =
        (!remembered.is_empty()).then(|| REMEMBERED.trim_end().replace("{remembered}", remembered));
    let parts: Vec<&str> = remembered.as_deref().into_iter().chain(now).collect();
    parts.join("\n\n")
}

/// What is remembered without a look into memory: the recent context of an exchange alone.
pub fn remembered_at_once(begun: &Begun, message: &str, options: &BlockOptions) -> String {
    written(begun, message, options, &BlockSources::default())
}

/// What was found that helps to answer a message.
#[derive(Default)]
struct BlockSources {
    recollection: Option<Recollection>,
    /// Conversations of other chats that ended last, oldest first.
    elsewhere: Vec<Conversation>,
}

fn written(begun: &Begun, message: &str, options: &BlockOptions, found: &BlockSources) -> String {
    let remembered = Remembered {
        zone: &begun.zone,
        own: begun.exchange.memory.memory,
        is_chat: begun.chat_of.is_some(),
        recent_context: &begun.recent_context,
        elsewhere: &found.elsewhere,
        recollection: found.recollection.as_ref(),
        message,
        before: begun.additions.iter().flatten().map(|one| one.text.as_str()).collect(),
    };
    let frame = REMEMBERED.len().div_ceil(render::LETTERS_PER_TOKEN);
    render::render(&remembered, options.budget_tokens.saturating_sub(frame))
}

impl Vault {
    /// What is remembered that helps to answer a message of an exchange, without what its history
    /// shows, behind its recent context; empty if there is nothing.
    pub async fn remembered_for(
        &self,
        begun: &Begun,
        message: &str,
        options: &BlockOptions,
    ) -> Result<String> {
        let found = if options.briefing && !message.trim().is_empty() {
            self.found_for(begun, message, options).await?
        } else {
            BlockSources::default()
        };
        Ok(written(begun, message, options, &found))
    }

    async fn found_for(
        &self,
        begun: &Begun,
        message: &str,
        options: &BlockOptions,
    ) -> Result<BlockSources> {
        let query = Query {
            asked_at: Some(begun.now),
            limit: Some(ITEMS),
            // The text is written here, not there.
            budget_tokens: Some(0),
            roles: if options.tool_entries { Vec::new() } else { SPOKEN.to_vec() },
            except: shown_anyway(begun),
            ..Query::new(message.chars().take(QUESTION_CHARS).collect::<String>())
        };
        let memory = begun.exchange.memory.memory;
        let found = match &options.chats_of {
            None => self.recall(Address::Id(memory), query).await.map(|found| (found, Vec::new())),
            Some(person) => self.recall_chats(memory, person.clone(), query).await,
        };
        match found {
            Ok((found, elsewhere)) => Ok(BlockSources { recollection: Some(found), elsewhere }),
            // A memory that is just being made remembers nothing.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(BlockSources::default()),
            Err(error) => Err(error),
        }
    }
}

/// The entries that a model sees without looking for them.
fn shown_anyway(begun: &Begun) -> HashSet<EntryId> {
    let recent_context = &begun.recent_context;
    let last = recent_context
        .current
        .iter()
        .chain(recent_context.pending.as_ref().map(|(_, entry)| entry));
    last.map(|entry| entry.id).chain(begun.shown().entries).collect()
}
