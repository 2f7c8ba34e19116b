//! `everwhen import PATH...`: recognise, show, ask, store.
//!
//! Files are read twice: once to show what is in them, once to store it. Reading is a thread of its own;
//! conversations travel in batches, of which a few are under way at a time.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use everwhen::export::ExportFile;
use everwhen::import::{
    self, DateOrder, Fields, ImportBatch, ImportCounts, ImportProgress, ImportTarget, Options,
    Plan, Report,
};
use everwhen::memory::Address;
use everwhen::time::{Clock, Zone, read_time_in};
use everwhen::{ConflictReason, Engine, ImportMode, SystemClock};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::sync::{Mutex, mpsc};

use super::{body, export_file, found};
use crate::args::{ImportPathsArgs, ImportWilmerArgs};
use crate::client::{Request, escape};
use crate::command::wilmer;
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::{output, show};

/// How often progress is shown.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);
/// Batches under way at a time.
const UNDER_WAY: usize = 3;

/// Imports files.
pub(super) async fn run(console: &Console, args: &ImportPathsArgs) -> Result<()> {
    if args.paths.is_empty() {
        return Err(Failure::usage("name a file, a folder or an archive to import"));
    }
    if let [file] = args.paths.as_slice()
        && args.from.is_none()
        && ExportFile::is_one(file)
    {
        return export_file::run(console, file, args).await;
    }
    let options = options(console, args).await?;
    let plan = match (Plan::of_paths(&args.paths, &options), are_discussions(args)) {
        (Ok(plan), true) if plan.sources().iter().all(|(one, _)| is_generic(one.name)) => {
            return discussions(console, args).await;
        }
        (Ok(plan), _) => Arc::new(plan),
        (Err(_), true) => return discussions(console, args).await,
        (Err(error), false) => return Err(error.into()),
    };
    let looked = plan.read(&options, &mut |_, _| true);
    let zone = console.zone().await?;
    if !console.json {
        let found = found::lines(&plan, &looked, zone, args.list);
        output::announce(found.iter().map(|line| output::plain(line)))?;
    }
    if looked.messages == 0 {
        return nothing(console, &plan, &looked);
    }
    if !args.dry_run && !args.yes && !console.json && output::can_ask() {
        let count = show::count(looked.messages, "message", "messages");
        if !output::ask(&format!("Import {count} into {}?", memories(console, &plan)))? {
            return Err(Failure::new("you did not say yes; nothing is stored"));
        }
    }
    let mode = ImportMode { is_rehearsal: args.dry_run, ..ImportMode::default() };
    let counts = store(console, &plan, &options, (mode, looked.messages)).await?;
    tell(console, args.dry_run, (&plan, &looked), &counts)
}

/// Says what became of the files; fails if nothing of them could be imported.
fn tell(
    console: &Console,
    dry_run: bool,
    (plan, looked): (&Plan, &Report),
    counts: &ImportCounts,
) -> Result<()> {
    if console.json {
        output::json(&report(dry_run, plan, looked, counts).to_string())?;
    } else {
        for refused in &counts.refused {
            output::note(&format!("left out {refused}"));
        }
        output::line(&summary(counts, dry_run, &memories(console, plan)))?;
    }
    match is_nothing(counts) && !counts.refused.is_empty() {
        true => Err(Failure::usage("nothing of these files can be imported")),
        false => Ok(()),
    }
}

/// Whether files are discussions of WilmerAI, which keeps memories, not messages.
fn are_discussions(args: &ImportPathsArgs) -> bool {
    args.from.is_none() && everwhen::wilmer::find(&args.paths).is_ok_and(|found| !found.is_empty())
}

/// Whether a source reads files of no particular program.
fn is_generic(source: &str) -> bool {
    matches!(source, "markdown" | "rows" | "messages")
}

/// Imports discussions of WilmerAI.
async fn discussions(console: &Console, args: &ImportPathsArgs) -> Result<()> {
    output::note("These are discussions of WilmerAI; as everwhen import wilmer does:");
    let (paths, timezone, at) = (args.paths.clone(), args.timezone.clone(), args.at.clone());
    let args = ImportWilmerArgs { paths, dry_run: args.dry_run, timezone, at };
    wilmer::import(console, &args).await
}

/// How files are read unless something else is asked for.
pub(crate) async fn usual_options(console: &Console) -> Result<Options> {
    Ok(Options::new(console.zone().await?.clone(), SystemClock.now()))
}

/// Stores what a plan reads. Returns the number of new entries and the memories they are in.
pub(crate) async fn store_plan(
    console: &Console,
    plan: Plan,
    options: &Options,
) -> Result<(u64, String)> {
    let plan = Arc::new(plan);
    let mode = ImportMode { skips_forgotten: true, ..ImportMode::default() };
    let counts = store(console, &plan, options, (mode, 0)).await?;
    Ok((counts.stored, memories(console, &plan)))
}

fn nothing(console: &Console, plan: &Plan, looked: &Report) -> Result<()> {
    if console.json {
        output::json(&report(true, plan, looked, &ImportCounts::default()).to_string())?;
    }
    let why = match looked.problems.first() {
        Some(problem) => problem.clone(),
        None if looked.undated > 0 => {
            "no message has a time; state one with --at, or name the field with --time-field"
                .to_owned()
        }
        None => "nothing was said in these files".to_owned(),
    };
    Err(Failure::usage(format!("nothing to import: {why}")))
}

async fn options(console: &Console, args: &ImportPathsArgs) -> Result<Options> {
    let vault_zone = console.zone().await?.clone();
    let zone = args.timezone.as_deref().map(Zone::named).transpose();
    let zone = zone.map_err(|error| Failure::usage(error.to_string()))?;
    let in_zone = zone.as_ref().unwrap_or(&vault_zone).clone();
    let time = |text: &Option<String>| {
        let read = text.as_deref().map(|text| read_time_in(text, &in_zone)).transpose();
        read.map_err(|error| Failure::usage(error.to_string()))
    };
    Ok(Options {
        from: args.from.clone(),
        date_order: args.date_order.as_deref().map(DateOrder::named).transpose()?,
        at: time(&args.at)?,
        since: time(&args.since)?,
        until: time(&args.until)?,
        zone,
        tools: args.tools,
        system: args.system,
        hidden: args.hidden,
        drop_branches: args.drop_branches,
        me: args.me.clone(),
        fields: Fields {
            time: args.time_field.clone(),
            role: args.role_field.clone(),
            text: args.text_field.clone(),
            conversation: args.conversation_field.clone(),
        },
        ..Options::new(vault_zone, SystemClock.now())
    })
}

/// The memories that are imported into: the named one, or one for each source.
fn memories(console: &Console, plan: &Plan) -> String {
    let mut names: Vec<String> = plan
        .sources()
        .iter()
        .map(|(source, _)| format!("memory {:?}", console.memory_or(source.name)))
        .collect();
    names.dedup();
    names.join(" and ")
}

async fn store(
    console: &Console,
    plan: &Arc<Plan>,
    options: &Options,
    (mode, messages): (ImportMode, u64),
) -> Result<ImportCounts> {
    let bar = output::progress(messages, "messages");
    if let Some(engine) = console.engine() {
        let stored = store_here(engine, console, plan, options, (mode, &bar)).await;
        bar.finish_and_clear();
        return stored;
    }
    let mut counts = ImportCounts::default();
    let (send, mut receive) = mpsc::channel(UNDER_WAY);
    let (reader, settings) = (Arc::clone(plan), options.clone());
    std::thread::spawn(move || read(&reader, &settings, &send));
    let batches = futures_util::stream::poll_fn(move |context| receive.poll_recv(context));
    let begun = BegunMemories::default();
    let batches = batches.map(|batch| deliver(console, batch, mode, &begun));
    let mut answers = Box::pin(batches.buffered(UNDER_WAY));
    while let Some(answer) = answers.next().await {
        let (entries, answer) = answer.map_err(|stopped| failure(&counts, stopped))?;
        count(&mut counts, &answer);
        bar.inc(entries);
    }
    bar.finish_and_clear();
    Ok(counts)
}

/// Reads all files and sends batches, until the receiver has gone.
fn read(plan: &Plan, options: &Options, send: &mpsc::Sender<ImportBatch>) {
    import::read_batches(plan, options, &mut |batch| send.blocking_send(batch).is_ok());
}

/// Stores everything through the engine of this process.
async fn store_here(
    engine: &Engine,
    console: &Console,
    plan: &Arc<Plan>,
    options: &Options,
    (mode, bar): (ImportMode, &indicatif::ProgressBar),
) -> Result<ImportCounts> {
    let vault = engine.vault_to_write(Address::read("vault", console.vault())?).await?;
    let memory = console.named_memory().map(|name| Address::read("memory", name)).transpose()?;
    let target = ImportTarget { vault, memory, mode };
    let progress = Arc::new(ImportProgress::default());
    let storing = import::run(Arc::clone(plan), options.clone(), &target, &progress);
    let reporting = async {
        loop {
            tokio::time::sleep(PROGRESS_EVERY).await;
            bar.set_position(progress.counts().messages);
        }
    };
    let stored: everwhen::Result<()> = tokio::select! {
        stored = storing => stored,
        () = reporting => Ok(()),
    };
    let counts = progress.counts();
    match stored {
        Ok(()) => Ok(counts),
        Err(error) if error.reason() == Some(ConflictReason::Forgotten) => Err(error.into()),
        Err(error) => Err(failure(&counts, Stopped::Halfway(error.into()))),
    }
}

/// The ids of the memories that the first batches went to, by how they are named.
type BegunMemories = Mutex<HashMap<String, String>>;

/// Why not everything was stored.
enum Stopped {
    /// Something failed that may pass: the same import can go on later.
    Halfway(Failure),
    /// What was imported into is gone.
    Forgotten(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Halfway(failure)
    }
}

/// Sends a batch. The first one for a memory goes alone; the next ones go to the id that it has then, so that none of
/// them makes it again once it is forgotten.
async fn deliver(
    console: &Console,
    batch: ImportBatch,
    mode: ImportMode,
    begun: &BegunMemories,
) -> Result<(u64, Value), Stopped> {
    let memory = console.memory_or(batch.source).to_owned();
    if mode.is_rehearsal {
        return Ok(send(console, &memory, batch, mode).await?);
    }
    let mut known = begun.lock().await;
    if let Some(id) = known.get(&memory).cloned() {
        drop(known);
        let sent = send(console, &id, batch, mode).await;
        return sent.map_err(|failure| ended_by_forgetting(failure, &memory));
    }
    let sent = send(console, &memory, batch, mode).await?;
    let found = console.memory_id(&memory).await;
    known.insert(memory.clone(), found.map_err(|failure| ended_by_forgetting(failure, &memory))?);
    Ok(sent)
}

/// A memory that is not found was there before.
fn ended_by_forgetting(failure: Failure, memory: &str) -> Stopped {
    match failure.is_not_found() {
        true => Stopped::Forgotten(Failure::forgotten_meanwhile(memory)),
        false => Stopped::Halfway(failure),
    }
}

async fn send(
    console: &Console,
    memory: &str,
    batch: ImportBatch,
    mode: ImportMode,
) -> Result<(u64, Value)> {
    let path =
        console.in_vault(&format!("/memories/{}/conversations/import/batch", escape(memory)));
    let conversations: Vec<Value> = batch.conversations.iter().map(body::conversation).collect();
    let request = Request::post(path, &json!({ "conversations": conversations }))
        .with("dry_run", mode.is_rehearsal.then_some("true"))
        .with("skip_forgotten", mode.skips_forgotten.then_some("true"));
    let reply = console.send(request).await?;
    Ok((batch.entries, reply.value()?))
}

fn count(counts: &mut ImportCounts, answer: &Value) {
    for outcome in answer["outcomes"].as_array().into_iter().flatten() {
        let number = |field: &str| outcome[field].as_u64().unwrap_or_default();
        counts.stored += number("stored");
        counts.known += number("known");
        counts.corrected += number("corrected");
        counts.branches += number("branches");
        if let Some(problem) = outcome["problem"].as_str() {
            let id = outcome["conversation_id"].as_str().unwrap_or_default();
            counts.refused.push(format!("{id}: {problem}"));
        }
    }
}

fn is_nothing(counts: &ImportCounts) -> bool {
    counts.stored + counts.known + counts.corrected + counts.branches == 0
}

fn failure(counts: &ImportCounts, stopped: Stopped) -> Failure {
    match stopped {
        Stopped::Halfway(failure) => failure.reword(|said| halfway(counts, &said)),
        Stopped::Forgotten(failure) => failure,
    }
}

fn halfway(counts: &ImportCounts, said: &str) -> String {
    let stored = show::count(counts.stored, "entry is", "entries are");
    format!("{said}; {stored} stored, run it again to go on: nothing is stored twice")
}

fn summary(counts: &ImportCounts, dry_run: bool, memories: &str) -> String {
    let verb = if dry_run { "Would store" } else { "Stored" };
    let mut summary =
        format!("{verb} {} in {memories}", show::count(counts.stored, "entry", "entries"));
    if counts.known > 0 {
        summary.push_str(&format!("; {} already here", counts.known));
    }
    if counts.corrected > 0 {
        summary.push_str(&format!("; {} changed in the source and corrected", counts.corrected));
    }
    summary
}

fn report(dry_run: bool, plan: &Plan, looked: &Report, counts: &ImportCounts) -> Value {
    json!({
        "dry_run": dry_run,
        "found": found::json(plan, looked),
        "stored": counts.stored,
        "known": counts.known,
        "corrected": counts.corrected,
        "branches": counts.branches,
        "refused": counts.refused,
    })
}
