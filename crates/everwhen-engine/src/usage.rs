//! Asking the language model on behalf of a vault: known answers cost nothing, what the rest takes
//! is written down, and spending has an end.
//!
//! Walk: look whether the same was asked before → is there money left this month → ask, outside
//! any transaction → keep the answer, if it is of use, and what it took in one. Answers hold what people said in
//! other words, so forgetting anything in a vault drops all of them.

use std::sync::Arc;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::engine::Engine;
use crate::json::Json;
pub use crate::ports::Usage;
use crate::ports::{AskedHash, Llm, Prompt, Removal, Reply, Row, Spent};
use crate::vault::Vault;
use crate::{ConflictReason, Error, ErrorKind, Result};

/// How long answers are kept for being asked again.
const REPLIES_KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

impl Engine {
    /// Sets the maximum spending in a calendar month, in billionths.
    #[must_use]
    pub fn with_spending_cap(mut self, cap_nanos: Option<u64>) -> Self {
        self.spending_cap = cap_nanos;
        self
    }
}

/// What models cost in a calendar month, in billionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthCost {
    /// The first day of the month, in UTC.
    pub since: Date,
    /// What was spent for the vault.
    pub vault_nanos: u64,
    /// What was spent for all vaults; the cap is for these together.
    pub total_nanos: u64,
    /// What may be spent, if there is a cap.
    pub cap_nanos: Option<u64>,
}

impl Vault {
    /// Asks the language model. `purpose` is what usage is kept under.
    pub async fn ask(&self, purpose: &'static str, prompt: &Prompt) -> Result<Reply> {
        let epoch = self.look(|snapshot, vault| snapshot.forget_epoch(vault).map(Some)).await?;
        self.ask_for(purpose, prompt, epoch.unwrap_or(0), |reply| Ok(reply.clone())).await
    }

    /// Asks, and reads the answer. One that cannot be read is paid for and not kept, so that
    /// asking again can give another. Neither is one whose prompt was written before the epoch of
    /// forgetting that the vault is in by then.
    pub(crate) async fn ask_for<T: Send>(
        &self,
        purpose: &'static str,
        prompt: &Prompt,
        epoch: u64,
        read: impl Fn(&Reply) -> Result<T> + Send,
    ) -> Result<T> {
        if let Some(Ok(answer)) = self.answered(purpose, prompt).await?.map(|reply| read(&reply)) {
            return Ok(answer);
        }
        self.check_money().await?;
        let llm = self.engine.llm().ok_or_else(no_llm)?;
        let reply = without_nul(llm.ask(prompt).await?);
        let answer = match &reply.unusable {
            Some(error) => Err(error.clone()),
            None => read(&reply),
        };
        let keep = answer.is_ok().then(|| (hash(llm.name(), prompt), epoch));
        self.note(purpose, llm, &reply, keep).await?;
        answer
    }

    /// The answer, if the same was asked before.
    pub(crate) async fn answered(
        &self,
        purpose: &'static str,
        prompt: &Prompt,
    ) -> Result<Option<Reply>> {
        let llm = self.engine.llm().ok_or_else(no_llm)?;
        let asked = hash(llm.name(), prompt);
        let kept = self.look(move |snapshot, vault| snapshot.kept_reply(vault, &asked)).await?;
        let Some(reply) = kept.map(|reply| Reply { cached: true, ..reply }) else {
            return Ok(None);
        };
        self.note(purpose, llm, &reply, None).await?;
        Ok(Some(reply))
    }

    /// What the vault used from a day on.
    pub async fn usage(&self, since: Date) -> Result<Vec<Usage>> {
        self.info().await?;
        let used = self.look(move |snapshot, vault| snapshot.usage(vault, since).map(Some)).await?;
        Ok(used.unwrap_or_default())
    }

    /// What models cost in this calendar month, and what they may cost.
    pub async fn month_cost(&self) -> Result<MonthCost> {
        let since = month(self.engine.now());
        let used = self.usage(since).await?;
        let total_nanos = self.engine.total_cost(since).await?;
        let vault_nanos = used.iter().map(|row| row.spent.cost_nanos).sum();
        Ok(MonthCost { since, vault_nanos, total_nanos, cap_nanos: self.engine.spending_cap })
    }

    /// Adds what a model took that was asked for this vault by other means than the engine's, such as a node of a
    /// workflow.
    pub async fn note_spent(&self, purpose: &str, model: &str, spent: Spent) -> Result<()> {
        let (day, model, purpose) = (day(self.engine.now()), model.to_owned(), purpose.to_owned());
        let usage = Usage { day, model, purpose, calls: 1, cached: 0, spent };
        self.engine.reach.cost.add(spent.cost_nanos);
        self.write_rows(move |tx, vault| tx.put(Row::Usage(vault, &usage))).await
    }

    /// Refuses if the month's money for models is spent. A caller that asks a model by other means than the engine
    /// calls this first.
    pub async fn check_money(&self) -> Result<()> {
        let Some(cap) = self.engine.spending_cap else { return Ok(()) };
        let since = month(self.engine.now());
        check_cap(self.engine.total_cost(since).await?, cap)
    }

    /// Writes down what an answer took, and keeps it if it is to be given again.
    async fn note(
        &self,
        purpose: &str,
        llm: &Arc<dyn Llm>,
        reply: &Reply,
        keep: Option<(AskedHash, u64)>,
    ) -> Result<()> {
        let now = self.engine.now();
        let usage = Usage {
            day: day(now),
            model: llm.name().to_owned(),
            purpose: purpose.to_owned(),
            calls: u64::from(!reply.cached),
            cached: u64::from(reply.cached),
            spent: if reply.cached { Spent::default() } else { reply.spent },
        };
        let reply = reply.clone();
        self.engine.reach.cost.add(usage.spent.cost_nanos);
        self.write_rows(move |tx, vault| {
            tx.put(Row::Usage(vault, &usage))?;
            let Some((asked, epoch)) = &keep else { return Ok(()) };
            tx.remove(Removal::Replies(vault, Some(now - REPLIES_KEPT)))?;
            tx.put(Row::Reply(vault, asked, &reply, now, *epoch))
        })
        .await
    }
}

impl Engine {
    /// What all vaults together cost from the beginning of a month on. While a part of the store is away, that is what
    /// they cost when all could be asked, and what this process has spent since.
    async fn total_cost(&self, since: Date) -> Result<u64> {
        match self.store.look(move |snapshot| snapshot.cost_since(since)).await {
            Ok(nanos) => {
                self.reach.cost.set(since, nanos);
                Ok(nanos)
            }
            Err(error) if error.kind() == ErrorKind::Unavailable && self.store.is_spread() => {
                self.reach.cost.of(since).ok_or(error)
            }
            Err(error) => Err(error),
        }
    }
}

/// A reply as every store can keep what is made of it.
fn without_nul(reply: Reply) -> Reply {
    let (text, model) = (reply.text.replace('\0', ""), reply.model.replace('\0', ""));
    Reply { text, model, json: reply.json.map(Json::without_nul), ..reply }
}

pub(crate) fn no_llm() -> Error {
    Error::conflict("no language model is configured; set [llm] provider and model")
        .because(ConflictReason::NoLanguageModel)
}

fn check_cap(cost: u64, cap: u64) -> Result<()> {
    if cost < cap {
        return Ok(());
    }
    let amount = |nanos: u64| nanos as f64 / 1e9;
    Err(Error::new(
        ErrorKind::Busy,
        format!(
            "this month {} was spent on the language model and {} may be; raise \
             llm.spending_cap, or wait for the next month",
            amount(cost),
            amount(cap)
        ),
    ))
}

fn day(now: Timestamp) -> Date {
    now.to_zoned(TimeZone::UTC).date()
}

fn month(now: Timestamp) -> Date {
    day(now).first_of_month()
}

/// What makes two questions the same: the model and every part of the prompt.
fn hash(model: &str, prompt: &Prompt) -> AskedHash {
    let mut hasher = blake3::Hasher::new();
    let mut part = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    part(model);
    part(prompt.schema.as_ref().map_or("", |schema| &schema.text));
    part(&format!("{} {}", prompt.max_tokens, prompt.temperature));
    for message in &prompt.messages {
        part(message.role.as_str());
        part(&message.content);
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_prompt_counts_and_parts_do_not_run_together() {
        let base = Prompt::new("a", "b");
        let others = [
            Prompt::new("ab", ""),
            Prompt::new("a", "c"),
            base.clone().with_schema("s", "{}"),
            base.clone().with_max_tokens(9),
            Prompt { temperature: 0.5, ..base.clone() },
        ];
        assert_eq!(hash("m", &base), hash("m", &base.clone()));
        assert_ne!(hash("m", &base), hash("n", &base));
        assert!(others.iter().all(|other| hash("m", other) != hash("m", &base)));
    }

    #[test]
    fn months_begin_on_their_first_day_in_utc() {
        let now = "2025-02-28T23:59:00-05:00".parse().unwrap();
        assert_eq!(month(now).to_string(), "2025-03-01");
        assert!(check_cap(9, 10).is_ok());
        assert!(check_cap(10, 10).unwrap_err().is_retryable());
    }
}
