//! Facts by a language model, and what of its answer is believed.
//!
//! A model proposes; code decides. It can only propose statements: there is nothing it could say
//! that changes or removes a fact. Each must name a line that was shown to it, share words with that
//! line and contain no figure that the line does not. Dates are never the model's: the day comes from
//! the entry, the event from the words that were quoted.

use std::ops::Range;

use super::draft::{Draft, event, without_date};
use super::extract::stated_matter;
use super::{Source, WrittenBy};
use crate::job_run::Asker;
use crate::json::Json;
use crate::memory::{Entry, Role};
use crate::ports::{Prompt, Reply};
use crate::similarity::figures;
use crate::text::content_words;
use crate::time::Zone;
use crate::transcript::{transcript, windows};
use crate::{Error, Result};

/// Tokens an answer may have.
const REPLY_TOKENS: u32 = 2_000;
/// Facts asked for from each thing a user said, and from all that is shown.
const PER_LINE: usize = 2;
const MOST_ASKED: usize = 12;
/// Most facts believed from one answer.
const MOST_FACTS: usize = 40;

/// What a model finds in these entries. The answers are checked one by one.
pub(crate) async fn drafts(asker: &Asker, entries: &[Entry], zone: &Zone) -> Result<Vec<Draft>> {
    let spoken: Vec<&Entry> =
        entries.iter().filter(|one| matches!(one.role, Role::User | Role::Assistant)).collect();
    let mut drafts = Vec::new();
    for window in windows(&spoken) {
        let read = |reply: &Reply| found(reply, window, zone);
        drafts.extend(asker.ask("facts", &prompt(window, zone), read).await?);
    }
    Ok(drafts)
}

/// What of an answer is believed.
fn found(reply: &Reply, window: &[&Entry], zone: &Zone) -> Result<Vec<Draft>> {
    let facts = reply.json.as_ref().and_then(|json| json.get("facts")).ok_or_else(no_list)?;
    let proposed = facts.as_list().iter().take(MOST_FACTS);
    Ok(proposed.filter_map(|one| believed(one, window, zone)).collect())
}

fn no_list() -> Error {
    Error::unavailable("the model's answer holds no list of facts")
}

fn prompt(window: &[&Entry], zone: &Zone) -> Prompt {
    // A small model goes on until it is stopped.
    let said = window.iter().filter(|entry| entry.role == Role::User).count();
    let most = (said * PER_LINE).clamp(PER_LINE, MOST_ASKED).to_string();
    let schema = include_str!("prompts/facts.schema.json").replace("\"{most}\"", &most);
    Prompt::new(include_str!("prompts/facts.md"), transcript(window, zone))
        .with_schema("facts", schema)
        .with_max_tokens(REPLY_TOKENS)
}

/// A proposed fact, if its line bears it out.
fn believed(proposed: &Json, window: &[&Entry], zone: &Zone) -> Option<Draft> {
    let line = proposed.get("line")?.as_number()?;
    let entry = *window.get((line as usize).checked_sub(1)?)?;
    let statement = without_date(proposed.text("statement")?);
    if !is_borne_out(&statement, entry) {
        return None;
    }
    let content = entry.content.as_str();
    let quote = proposed.text("quote").and_then(|quote| find(content, quote));
    let range = quote.clone().unwrap_or(0..content.len());
    let mut draft = Draft::on(entry, range, &statement, WrittenBy::Llm);
    let confirmed = quote.is_some() && entry.role == Role::User;
    draft.source = if confirmed { Source::Confirmed } else { Source::Inferred };
    if let Some(quote) = quote {
        draft.event = event(&content[quote], entry.conversation_time, zone);
    }
    let tags = proposed.list("tags").iter().filter_map(Json::as_text);
    Some(about_matter(draft.with_tags(tags), proposed, entry))
}

/// Whether an entry bears a statement out: words of it occur there, and all of its figures do.
fn is_borne_out(statement: &str, entry: &Entry) -> bool {
    let content = entry.content.as_str().to_lowercase();
    let shares = content_words(statement).any(|word| word.len() > 2 && content.contains(&word));
    let known = figures(&content);
    shares && figures(statement).iter().all(|figure| known.contains(figure))
}

/// The matter as our own rules read it from the words, else as the model names it, if the value it
/// gives was said.
fn about_matter(draft: Draft, proposed: &Json, entry: &Entry) -> Draft {
    let content = entry.content.as_str();
    let quoted = &content[draft.evidence.range.clone()];
    let named = || {
        let (key, value) = (proposed.text("matter")?, proposed.text("value")?);
        let said = content.to_lowercase().contains(&value.trim().to_lowercase());
        said.then(|| (key.to_owned(), value.trim().to_lowercase()))
    };
    let found = if entry.role == Role::User { stated_matter(quoted) } else { None };
    match found.or_else(named) {
        Some((key, value)) => {
            let key = entry.speaker.as_ref().map_or(key.clone(), |name| format!("{name}: {key}"));
            draft.with_matter(&key, &value)
        }
        None => draft,
    }
}

/// Where a quote stands in a text, if it stands there word for word.
fn find(content: &str, quote: &str) -> Option<Range<usize>> {
    let quote = quote.trim().trim_matches(['"', '“', '”']);
    let start = content.find(quote).filter(|_| !quote.is_empty())?;
    Some(start..start + quote.len())
}

#[cfg(test)]
mod tests;
