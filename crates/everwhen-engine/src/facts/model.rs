//! Facts by a language model, and what of its answer is believed.
//!
//! A model proposes; code decides. It can only propose statements: there is nothing it could say
//! that changes or removes a fact. Each must name a line that was shown to it, share words with that
//! line (or quote it and be close to it in meaning) and contain no figure that the line does not.
//! What is not believed is counted. Dates are never the model's: the day comes from
//! the entry, the event from the words that were quoted.

use std::ops::Range;

use super::draft::{Draft, event, without_date};
use super::extract::{is_framed, stated_matter};
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

/// What a model proposes, sorted by how far the entries bear it out.
#[derive(Debug, Default)]
pub(crate) struct Proposed {
    /// Facts that share words with their line.
    pub(crate) believed: Vec<Draft>,
    /// Facts that quote their line and share no word with it, so that only the meaning can tell.
    pub(crate) unshared: Vec<Draft>,
    /// Number of proposals that no line bears out.
    pub(crate) dropped: u64,
}

/// What a model finds in these entries. The answers are checked one by one.
pub(crate) async fn drafts(asker: &Asker, entries: &[Entry], zone: &Zone) -> Result<Proposed> {
    let spoken: Vec<&Entry> =
        entries.iter().filter(|one| matches!(one.role, Role::User | Role::Assistant)).collect();
    let mut all = Proposed::default();
    for window in windows(&spoken) {
        let read = |reply: &Reply| found(reply, window, zone);
        let found = asker.ask("facts", &prompt(window, zone), read).await?;
        all.believed.extend(found.believed);
        all.unshared.extend(found.unshared);
        all.dropped += found.dropped;
    }
    Ok(all)
}

/// What of an answer is believed.
fn found(reply: &Reply, window: &[&Entry], zone: &Zone) -> Result<Proposed> {
    let facts = reply.json.as_ref().and_then(|json| json.get("facts")).ok_or_else(no_list)?;
    let mut all = Proposed::default();
    for one in facts.as_list().iter().take(MOST_FACTS) {
        match believed(one, window, zone) {
            Some((draft, true)) => all.believed.push(draft),
            Some((draft, false)) => all.unshared.push(draft),
            None => all.dropped += 1,
        }
    }
    Ok(all)
}

fn no_list() -> Error {
    Error::invalid("the model's answer holds no list of facts")
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

/// A proposed fact and whether it shares words with its line; nothing if no line bears it out.
fn believed(proposed: &Json, window: &[&Entry], zone: &Zone) -> Option<(Draft, bool)> {
    let line = proposed.get("line")?.as_number()?;
    let entry = *window.get((line as usize).checked_sub(1)?)?;
    let statement = without_date(proposed.text("statement")?);
    let content = entry.content.as_str();
    let quote = proposed.text("quote").and_then(|quote| find(content, quote));
    let shares = shares_words(&statement, content);
    let has_content = content_words(&statement).next().is_some();
    if !has_content || !has_all_figures(&statement, content) || (!shares && quote.is_none()) {
        return None;
    }
    let range = quote.clone().unwrap_or(0..content.len());
    let mut draft = Draft::on(entry, range, &statement, WrittenBy::Llm);
    let confirmed = quote.is_some() && shares && entry.role == Role::User;
    draft.source = if confirmed { Source::Confirmed } else { Source::Inferred };
    if let Some(quote) = quote {
        draft.event = event(&content[quote], entry.conversation_time, zone);
    }
    let tags = proposed.list("tags").iter().filter_map(Json::as_text);
    Some((about_matter(draft.with_tags(tags), proposed, entry), shares))
}

/// Whether words of a statement occur in what was said.
fn shares_words(statement: &str, content: &str) -> bool {
    let content = content.to_lowercase();
    content_words(statement).any(|word| word.len() > 2 && content.contains(&word))
}

/// Whether all figures of a statement were said.
fn has_all_figures(statement: &str, content: &str) -> bool {
    let known = figures(content);
    figures(statement).iter().all(|figure| known.contains(figure))
}

/// The matter as the model names it, if the value it gives was said; else as our own rules read it
/// from the words. Where both read the same value and the rules know a fixed name for it, that name
/// stands, since a model calls it now `home` and now `city`.
fn about_matter(draft: Draft, proposed: &Json, entry: &Entry) -> Draft {
    let content = entry.content.as_str();
    let quoted = &content[draft.evidence.range.clone()];
    let named = || {
        let (key, value) = (proposed.text("matter")?, proposed.text("value")?.trim());
        let is_complete = !key.trim().is_empty() && !value.is_empty();
        let said = content.to_lowercase().contains(&value.to_lowercase());
        (is_complete && said).then(|| (plain_key(key), value.to_owned()))
    };
    let read = if entry.role == Role::User { stated_matter(quoted) } else { None };
    let matter = match (named(), read) {
        (Some((_, value)), Some((key, own))) if is_framed(&key) && is_alike(&own, &value) => {
            Some((key, value))
        }
        (named, read) => named.or(read),
    };
    match matter {
        Some((key, value)) => {
            let key = entry.speaker.as_ref().map_or(key.clone(), |name| format!("{name}: {key}"));
            draft.with_matter(&key, &value)
        }
        None => draft,
    }
}

/// A key without what models put around it: "the user's A1C level" is `a1c`.
fn plain_key(key: &str) -> String {
    let lower = key.trim().to_lowercase();
    let owned = ["the user's ", "user's ", "my ", "the "];
    let bare = owned.iter().find_map(|start| lower.strip_prefix(start)).unwrap_or(&lower);
    let kinds = [" level", " value", " reading", " result"];
    let bare = kinds.iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(bare);
    match bare {
        "allergies" => "allergy".to_owned(),
        "hobbies" => "hobby".to_owned(),
        "medications" | "conditions" | "goals" | "languages" | "pets" => {
            bare.trim_end_matches('s').to_owned()
        }
        other => other.to_owned(),
    }
}

/// Whether one of two values contains the other.
fn is_alike(a: &str, b: &str) -> bool {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    a.contains(&b) || b.contains(&a)
}

/// Where a quote stands in a text, if it stands there word for word.
fn find(content: &str, quote: &str) -> Option<Range<usize>> {
    let quote = quote.trim().trim_matches(['"', '“', '”']);
    let start = content.find(quote).filter(|_| !quote.is_empty())?;
    Some(start..start + quote.len())
}

#[cfg(test)]
mod tests;
