//! `everwhen import wilmer`: memories, summaries, state documents and times of WilmerAI's discussions.
//!
//! A discussion is a memory. Importing it again changes nothing, and what WilmerAI has condensed or added
//! meanwhile comes over.

use everwhen::chapters::ChapterKind;
use everwhen::limits;
use everwhen::memory::{Name, Provenance, TimePrecision};
use everwhen::time::{Clock, Zone, read_time_in};
use everwhen::wilmer::{DatedChapter, Dating, Discussion, find};
use everwhen::{SystemClock, wilmer};
use serde_json::{Value, json};

use super::wilmer_times;
use crate::args::ImportWilmerArgs;
use crate::client::{Request, escape};
use crate::console::{Console, rows};
use crate::failure::{Failure, Result};
use crate::{output, show};

/// What became of one discussion.
#[derive(Default)]
struct Outcome {
    memory: String,
    stored: u64,
    known: u64,
    removed: u64,
    summary: bool,
    state_document: bool,
    times: usize,
    /// Memories whose time is not known.
    undated: usize,
    problems: Vec<String>,
}

/// Imports discussions.
pub(crate) async fn import(console: &Console, args: &ImportWilmerArgs) -> Result<()> {
    let discussions = find(&args.paths)?;
    if discussions.is_empty() {
        let places: Vec<String> =
            args.paths.iter().map(|path| path.display().to_string()).collect();
        return Err(Failure::usage(format!(
            "no memories.json, chat_summary.json, vector_memory.db or timestamps.json in {}",
            places.join(", ")
        )));
    }
    let dating = dating(console, args).await?;
    let mut outcomes = Vec::new();
    for discussion in &discussions {
        let memory = match discussions.len() {
            1 => console.memory_or(&discussion.id),
            _ => &discussion.id,
        };
        outcomes.push(one(console, discussion, memory, &dating, args.dry_run).await?);
    }
    let nothing = outcomes.iter().all(Outcome::is_nothing);
    let problem = outcomes.iter().find_map(|one| one.problems.first());
    let failure = problem
        .filter(|_| nothing)
        .map(|problem| Failure::usage(format!("nothing was imported: {}", output::plain(problem))));
    report(console, args, &outcomes)?;
    failure.map_or(Ok(()), Err)
}

/// Says what became of all discussions.
fn report(console: &Console, args: &ImportWilmerArgs, outcomes: &[Outcome]) -> Result<()> {
    if console.json {
        let imported: Vec<Value> = outcomes.iter().map(Outcome::json).collect();
        let answer = json!({ "dry_run": args.dry_run, "imported": imported });
        return output::json(&answer.to_string());
    }
    for outcome in outcomes {
        for problem in &outcome.problems {
            output::note(&output::plain(&format!("left out {problem}")));
        }
        output::line(&output::plain(&outcome.summary(args.dry_run)))?;
    }
    let undated: usize = outcomes.iter().map(|one| one.undated).sum();
    if undated > 0 {
        output::note(&format!(
            "{} no time: timestamps.json does not have the last message they tell of. They keep \
             their order and are shown without a date",
            show::count(undated as u64, "memory has", "memories have")
        ));
    }
    Ok(())
}

async fn dating(console: &Console, args: &ImportWilmerArgs) -> Result<Dating> {
    let named = args.timezone.as_deref().map(Zone::named).transpose();
    let named = named.map_err(|error| Failure::usage(error.to_string()))?;
    let is_zone_stated = named.is_some();
    let zone = match named {
        Some(zone) => zone,
        None => console.zone().await?.clone(),
    };
    let at = args.at.as_deref().map(|text| read_time_in(text, &zone)).transpose();
    let at = at.map_err(|error| Failure::usage(error.to_string()))?;
    Ok(Dating { zone, is_zone_stated, at, now: SystemClock.now() })
}

async fn one(
    console: &Console,
    discussion: &Discussion,
    memory: &str,
    dating: &Dating,
    dry_run: bool,
) -> Result<Outcome> {
    let problems = discussion.problems.clone();
    let mut outcome = Outcome { memory: memory.to_owned(), problems, ..Outcome::default() };
    let path = console.in_vault(&format!("/memories/{}", escape(memory)));
    let (times, wrong) = wilmer_times::body(&discussion.times, &dating.zone);
    outcome.times = wilmer_times::count(&times);
    outcome.problems.extend(wrong.into_iter().map(|wrong| format!("{memory}: {wrong}")));
    if outcome.times > 0 && !dry_run {
        wilmer_times::put(console, memory, &times).await?;
    }
    let chapters = chapters(discussion, dating)?;
    outcome.undated = chapters.iter().filter(|one| is_undated(one)).count();
    let summary = summary(discussion);
    let all: Vec<&[Value]> = chapters.chunks(limits::IMPORT_ENTRIES).collect();
    let is_complete = all.len() <= 1;
    for (place, part) in all.iter().enumerate() {
        let last = place + 1 == all.len();
        let summary = if last { summary.clone() } else { Value::Null };
        let body = json!({ "chapters": part, "summary": summary, "complete": is_complete });
        outcome.count(&send(console, &path, &body, dry_run).await?);
    }
    if all.is_empty() && !summary.is_null() {
        let body = json!({ "chapters": [], "summary": summary });
        outcome.count(&send(console, &path, &body, dry_run).await?);
    }
    outcome.state_document = state_document(console, &path, discussion, dry_run).await?;
    Ok(outcome)
}

async fn send(console: &Console, path: &str, body: &Value, dry_run: bool) -> Result<Value> {
    let request = Request::post(format!("{path}/chapters/import"), body);
    let request = request.with("dry_run", dry_run.then_some("true"));
    console.send(request).await?.value()
}

/// All memories, in the format of the API.
fn chapters(discussion: &Discussion, dating: &Dating) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    let dated = discussion.dated_memories(dating)?;
    for (memory, dated) in discussion.memories.iter().zip(dated) {
        let mut chapter = chapter(ChapterKind::Imported, &memory.text, &memory.hash, &dated);
        chapter["title"] = Value::Null;
        all.push(chapter);
    }
    let dated = discussion.dated_searchable(dating)?;
    for (memory, dated) in discussion.searchable.iter().zip(dated) {
        let hash = memory.hash.as_deref().unwrap_or_default();
        let mut chapter = chapter(ChapterKind::Searchable, &memory.text, hash, &dated);
        let names = |name: &str| -> Vec<String> {
            memory.list_of(name).iter().filter_map(|text| one_line(text)).collect()
        };
        chapter["title"] = memory.text_of("title").and_then(one_line).into();
        chapter["entities"] = names("entities").into();
        chapter["key_phrases"] = names("key_phrases").into();
        chapter["metadata"] = Value::Object(memory.metadata.clone());
        all.push(chapter);
    }
    Ok(all)
}

fn chapter(kind: ChapterKind, text: &str, hash: &str, dated: &DatedChapter) -> Value {
    let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    json!({
        "kind": kind.as_str(),
        "text": text,
        "last_at": dated.until.to_string(),
        "last_message_hash": is_hash.then_some(hash),
        "provenance": provenance(&dated.provenance),
    })
}

fn provenance(from: &Provenance) -> Value {
    json!({
        "source": from.source.as_str(),
        "source_id": from.source_id.as_ref().map(Name::as_str),
        "time_text": from.time_text.as_ref().map(Name::as_str),
        "precision": from.precision.as_str(),
        "time_from": from.time_from.as_str(),
        "zone_from": from.zone_from.as_str(),
    })
}

fn is_undated(chapter: &Value) -> bool {
    chapter["provenance"]["precision"] == TimePrecision::Unknown.as_str()
}

/// A text as a name may be: one line, not too long.
fn one_line(text: &str) -> Option<String> {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line: String = line.trim().chars().take(limits::NAME_CHARS).collect();
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// The summary, with the id of the last memory that is in it.
fn summary(discussion: &Discussion) -> Value {
    let Some(summary) = &discussion.summary else { return Value::Null };
    let is_here = discussion.memories.iter().any(|one| one.hash == summary.hash);
    let through = is_here.then(|| format!("{}{}", wilmer::MEMORY_ID, summary.hash));
    json!({ "text": summary.text, "through": through })
}

/// Stores the state document as a version of the context document, unless some version is the same; says
/// whether it is new.
async fn state_document(
    console: &Console,
    path: &str,
    discussion: &Discussion,
    dry_run: bool,
) -> Result<bool> {
    let Some(content) = &discussion.state_document else { return Ok(false) };
    let request = Request::get(format!("{path}/context/versions")).with("limit", Some("1000"));
    let page = console.attempt(request).await?.found()?.unwrap_or_default();
    if rows(&page).iter().any(|one| one["content"] == content.as_str()) {
        return Ok(false);
    }
    if !dry_run {
        let body = json!({ "content": content });
        console.send(Request::put(format!("{path}/context"), &body)).await?;
    }
    Ok(true)
}

impl Outcome {
    fn count(&mut self, answer: &Value) {
        let number = |field: &str| answer[field].as_u64().unwrap_or_default();
        self.stored += number("stored");
        self.known += number("known");
        self.removed += number("removed");
        self.summary |= answer["summary"].as_bool().unwrap_or_default();
    }

    /// Whether nothing came over, and nothing was here before.
    fn is_nothing(&self) -> bool {
        self.stored + self.known == 0 && self.times == 0 && !self.summary && !self.state_document
    }

    fn json(&self) -> Value {
        json!({
            "memory": self.memory,
            "stored": self.stored,
            "known": self.known,
            "removed": self.removed,
            "summary": self.summary,
            "state_document": self.state_document,
            "times": self.times,
            "undated": self.undated,
            "problems": self.problems,
        })
    }

    fn summary(&self, dry_run: bool) -> String {
        let verb = if dry_run { "Would import" } else { "Imported" };
        let mut parts = vec![show::count(self.stored, "memory", "memories")];
        if self.summary {
            parts.push("the summary".to_owned());
        }
        if self.state_document {
            parts.push("the state document".to_owned());
        }
        if self.times > 0 {
            parts.push(show::count(self.times as u64, "time", "times"));
        }
        let mut summary = format!("{}: {verb} {}", self.memory, parts.join(", "));
        if self.known > 0 {
            summary.push_str(&format!("; {} already here", self.known));
        }
        if self.removed > 0 {
            summary.push_str(&format!("; {} no longer there and removed", self.removed));
        }
        summary
    }
}
