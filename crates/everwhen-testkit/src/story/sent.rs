//! `! send`: a chat client sends its whole history again, and gets a reply.
//!
//! ```text
//! ! send
//!   user: hi
//!   assistant: hello
//!   user: how are you?
//!   -> fine
//! ```
//!
//! The answer is what a model would see. Without `->` the reply is lost.

use everwhen_engine::Result;
use everwhen_engine::ledger::{Begun, Commit, ExchangeReply, History, Message, Style};
use everwhen_engine::memory::Role;

use super::runner::StoryRunner;

/// A request with its reply.
pub(super) struct Sent {
    messages: Vec<Message>,
    reply: Option<String>,
}

impl Sent {
    /// Reads the lines below `! send`.
    pub(super) fn read(text: &str) -> std::result::Result<Self, String> {
        let mut sent = Self { messages: Vec::new(), reply: None };
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if let Some(reply) = line.strip_prefix("->") {
                sent.reply = Some(reply.trim().to_owned());
                continue;
            }
            let (role, content) = line.split_once(": ").ok_or_else(|| {
                format!("{line:?} should be \"user: …\", or \"-> …\" for the reply")
            })?;
            let role = Role::named(role).map_err(|error| error.to_string())?;
            sent.messages.push(Message::new(role, content));
        }
        Ok(sent)
    }

    /// Sends it and returns what the model sees.
    pub(super) async fn send(&self, runner: &StoryRunner<'_>) -> Result<String> {
        let history = History::from(self.messages.clone());
        let vault = runner.vault();
        let begun = vault.begin_exchange(runner.memory(), history, Commit::NextTurn).await?;
        let seen = self.seen(&begun);
        if let Some(content) = &self.reply {
            let reply = ExchangeReply { content: content.clone(), ..ExchangeReply::default() };
            vault.finish_exchange(begun.exchange, reply).await?;
        }
        Ok(seen)
    }

    fn seen(&self, begun: &Begun) -> String {
        let stamps = begun.stamps(Style::Absolute);
        let stamped = self.messages.iter().zip(stamps).map(|(message, stamp)| {
            format!("{}: {}{}", message.role.as_str(), stamp.unwrap_or_default(), message.content)
        });
        stamped.chain([begun.time_context_summary()]).collect::<Vec<String>>().join("\n")
    }
}
