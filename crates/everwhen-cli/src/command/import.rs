//! `everwhen import`: imports data of other programs.
//!
//! `files` imports what the library recognises. The rest is for the plugin's file alone: it reads the
//! file, checks every conversation with a dry run, then stores them one by one and prints the counts. So
//! invalid conversations are reported before anything is stored.

mod body;
mod export_file;
pub(super) mod files;
mod found;
mod smarthole;

use axum::http::Method;
use serde_json::{Map, Value, json};

use super::{wilmer, wilmer_times};
use crate::args::{ImportArgs, ImportFileArgs, ImportSource};
use crate::client::{Reply, Request};
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::input::file_or_stdin;
use crate::{output, show};

/// The content of a file.
#[derive(Debug, Default)]
struct ImportFile {
    drafts: Vec<ConversationDraft>,
    refused: Vec<SkippedItem>,
    /// Messages and conversations without text.
    blank: u64,
    /// Settings about conversations, under their names in the API.
    settings: Map<String, Value>,
}

/// A conversation in the format of the API.
#[derive(Debug)]
struct ConversationDraft {
    /// Its position in the file.
    place: String,
    body: Value,
    /// The positions of its entries among the messages of the file.
    messages: Vec<usize>,
    entries: u64,
}

/// What cannot be imported, and why.
#[derive(Debug)]
struct SkippedItem {
    place: String,
    problem: String,
}

/// What was imported, or would be.
#[derive(Debug, Default)]
struct ConversationCounts {
    conversations: u64,
    entries: u64,
    branches: u64,
    already: u64,
    answers: Vec<Value>,
}

/// Imports a file.
pub(crate) async fn run(console: &Console, args: &ImportArgs) -> Result<()> {
    match &args.source {
        Some(ImportSource::Smarthole(args)) => conversations(console, args).await,
        Some(ImportSource::Wilmer(args)) => wilmer::import(console, args).await,
        Some(ImportSource::WilmerTimestamps(args)) => wilmer_times::import(console, args).await,
        None => files::run(console, &args.files).await,
    }
}

async fn conversations(console: &Console, args: &ImportFileArgs) -> Result<()> {
    let ImportFile { drafts, mut refused, blank, settings } =
        smarthole::read(&file_or_stdin(&args.file)?)?;
    let (drafts, foreseen) = dry_run_all(console, drafts, &mut refused).await?;
    if !args.skip_invalid && !refused.is_empty() {
        return Err(Failure::usage(complain(&refused)));
    }
    let tally = if args.dry_run { foreseen } else { store(console, drafts, foreseen).await? };
    if !args.dry_run {
        take_settings(console, &settings).await?;
    }
    if console.json {
        return output::json(&report(args, &tally, &refused).to_string());
    }
    for SkippedItem { place, problem } in &refused {
        output::note(&output::plain(&format!("left out {place}: {problem}")));
    }
    if blank > 0 {
        output::note(&format!("left out {blank} in which nothing was said"));
    }
    output::line(&tally.summary(args.dry_run))
}

/// Gives the vault the settings of the file.
async fn take_settings(console: &Console, settings: &Map<String, Value>) -> Result<()> {
    if settings.is_empty() {
        return Ok(());
    }
    let body = json!({ "settings": settings });
    let request = Request::new(Method::PATCH, console.in_vault("")).body(body.to_string());
    console.send(request).await?;
    let values: Vec<String> =
        settings.iter().map(|(name, value)| format!("{name} {value}")).collect();
    output::note(&format!("the vault has the settings of the file: {}", values.join(", ")));
    Ok(())
}

/// Checks every conversation with a dry run. Returns those with new entries, and the counts.
async fn dry_run_all(
    console: &Console,
    drafts: Vec<ConversationDraft>,
    refused: &mut Vec<SkippedItem>,
) -> Result<(Vec<ConversationDraft>, ConversationCounts)> {
    let bar = output::progress(drafts.iter().map(|draft| draft.entries).sum(), "entries");
    let mut tally = ConversationCounts::default();
    let mut news = Vec::new();
    for draft in drafts {
        let reply = console.attempt(draft.request(console).with("dry_run", Some("true"))).await?;
        bar.inc(draft.entries);
        match reply.refusal() {
            Some(problem) => refused.push(draft.refused(&problem)),
            None => {
                let reply = reply.success()?;
                tally.count(&reply)?;
                if !reply.replayed {
                    news.push(draft);
                }
            }
        }
    }
    bar.finish_and_clear();
    Ok((news, tally))
}

/// Stores what is new.
async fn store(
    console: &Console,
    drafts: Vec<ConversationDraft>,
    foreseen: ConversationCounts,
) -> Result<ConversationCounts> {
    let bar = output::progress(drafts.iter().map(|draft| draft.entries).sum(), "entries");
    let known = foreseen.answers.len() - drafts.len();
    let mut tally = ConversationCounts { already: known as u64, ..ConversationCounts::default() };
    let mut begun: Option<String> = None;
    for draft in drafts {
        check_memory(console, begun.as_deref()).await?;
        let reply = console.send(draft.request(console)).await;
        let stored = tally.conversations;
        tally.count(&reply.map_err(|failure| failure.reword(|said| halfway(&said, stored)))?)?;
        bar.inc(draft.entries);
        if begun.is_none() {
            begun =
                Some(console.memory_id(console.memory()).await.map_err(|it| gone(console, it))?);
        }
    }
    bar.finish_and_clear();
    Ok(tally)
}

/// Ends the import if the memory that it began to write to was forgotten meanwhile: the next request would make it
/// again.
async fn check_memory(console: &Console, begun: Option<&str>) -> Result<()> {
    let Some(id) = begun else { return Ok(()) };
    console.memory_id(id).await.map(drop).map_err(|failure| gone(console, failure))
}

fn gone(console: &Console, failure: Failure) -> Failure {
    match failure.is_not_found() {
        true => Failure::forgotten_meanwhile(console.memory()),
        false => failure,
    }
}

fn halfway(said: &str, stored: u64) -> String {
    let stored = show::count(stored, "conversation is", "conversations are");
    format!("{said}; {stored} stored, run it again to go on: nothing is stored twice")
}

fn complain(refused: &[SkippedItem]) -> String {
    let lines =
        refused.iter().map(|SkippedItem { place, problem }| format!("\n  {place}: {problem}"));
    output::plain(&format!(
        "{} cannot be imported:{}\nnothing is stored; --skip-invalid leaves them out",
        show::count(refused.len() as u64, "part of the file", "parts of the file"),
        lines.collect::<String>()
    ))
}

fn report(args: &ImportFileArgs, tally: &ConversationCounts, refused: &[SkippedItem]) -> Value {
    let refused = refused.iter();
    let refused = refused.map(|one| json!({ "place": one.place, "problem": one.problem }));
    json!({
        "dry_run": args.dry_run,
        "imported": tally.answers,
        "already_here": tally.already,
        "left_out": refused.collect::<Vec<_>>(),
    })
}

impl ConversationDraft {
    /// The request that imports it. Its idempotency key is a hash of its content, so that the same
    /// conversation is the same write.
    fn request(&self, console: &Console) -> Request {
        let (path, body) = (console.in_memory("/conversations/import"), self.body.to_string());
        let digest = blake3::hash(format!("{path}\n{body}").as_bytes()).to_hex();
        Request::post(path, &self.body).once(Some(format!("import-{digest}")))
    }

    /// Translates an entry's position in the request to its position in the file.
    fn refused(&self, said: &str) -> SkippedItem {
        let place = said.strip_prefix("entries[").and_then(|rest| rest.split_once(']'));
        let in_file = place.and_then(|(index, rest)| {
            let message = self.messages.get(index.parse::<usize>().ok()?)?;
            Some(format!("messages[{message}]{rest}"))
        });
        let problem = in_file.unwrap_or_else(|| said.to_owned());
        SkippedItem { place: self.place.clone(), problem }
    }
}

impl ConversationCounts {
    fn count(&mut self, reply: &Reply) -> Result<()> {
        let answer = reply.value()?;
        let number = |field: &str| answer[field].as_u64().unwrap_or_default();
        let (entries, branches) = (number("message_count"), number("branch_count"));
        if reply.replayed || entries + branches == 0 {
            self.already += 1;
        } else {
            self.conversations += 1;
            self.entries += entries;
            self.branches += branches;
        }
        self.answers.push(answer);
        Ok(())
    }

    fn summary(&self, dry_run: bool) -> String {
        let verb = if dry_run { "Would import" } else { "Imported" };
        let conversations = show::count(self.conversations, "conversation", "conversations");
        let entries = show::count(self.entries, "entry", "entries");
        let branches = match self.branches {
            0 => String::new(),
            some => format!(", {} put aside", show::count(some, "branch", "branches")),
        };
        let already = match self.already {
            0 => String::new(),
            some => format!("; {some} here already"),
        };
        format!("{verb} {conversations} with {entries}{branches}{already}")
    }
}
