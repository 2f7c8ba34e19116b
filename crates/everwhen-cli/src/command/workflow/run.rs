//! `everwhen workflow run`: one message through one workflow, with what every node did.

use std::path::Path;
use std::time::Duration;

use everwhen::ledger::{Begun, Commit, ExchangeReply, History, Message};
use everwhen::memory::{Address, Entry, MemoryId, Role};
use everwhen::ports::{EntryQuery, Order, PromptMessage, Spent};
use everwhen::{Config, Everwhen, Opened, Vault};
use everwhen_workflow::{
    Chat, Diagnostic, MemoryPlace, RunObserver, RunOutcome, SaidAt, Trace, Workflows, with_writer,
};
use serde_json::json;

use crate::args::WorkflowRunArgs;
use crate::failure::{Failure, Result};
use crate::output;

/// The number of earlier messages of the memory that are part of the chat.
const EARLIER: usize = 20;

/// Runs it, and shows the answer.
pub(crate) async fn run(config: &Config, args: &WorkflowRunArgs, as_json: bool) -> Result<()> {
    let (name, workflows) = read(config, &args.file)?;
    let workflows = std::sync::Arc::new(workflows);
    let everwhen = open(config, &name)?;
    let engine = with_writer(everwhen.engine().clone(), config, Some(&workflows));
    let vault = engine.vault_to_write(Address::read("vault", &config.vault.value)?).await?;
    let memory: Address<MemoryId> = Address::read("memory", &config.memory.value)?;
    let at_once = workflows.current().dating(&name).group_chat;
    let commit = if at_once { Commit::AtOnce } else { Commit::NextTurn };
    let earlier = earlier(&vault, &memory).await?;
    let history = History::from(vec![Message::new(Role::User, args.message.clone())]);
    let begun = vault.begin_exchange(memory.clone(), history, commit).await?;
    let chat = chat(&begun, &earlier, args, &config.memory.value);
    let place = MemoryPlace { engine: engine.clone(), vault: vault.clone(), memory };
    let mut notes = Notes::default();
    let played = workflows.play(&name, &chat, &place, &mut notes).await;
    if played.is_err() && args.trace {
        show_nodes(&notes.traces)?;
    }
    let (ended, text) = played?;
    let reply =
        ExchangeReply { content: text.clone().unwrap_or_default(), ..ExchangeReply::default() };
    vault.finish_exchange(begun.exchange, reply).await?;
    match as_json {
        true => show_json(&ended, text.as_deref(), &notes.traces),
        false => show(&ended, text.as_deref(), &notes.traces, args.trace),
    }
}

/// The workflows beside a file, and the name of that one. Prints whatever is wrong with it.
fn read(config: &Config, file: &Path) -> Result<(String, Workflows)> {
    if !file.is_file() {
        return Err(Failure::usage(format!("there is no workflow file {}", file.display())));
    }
    let directory = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    let files = config.workflow.files.value.clone().unwrap_or_else(|| directory.join("files"));
    let workflows = Workflows::read(directory, &files, &config.endpoints);
    let set = workflows.current();
    let same = |flaw: &&Diagnostic| !flaw.harmless && flaw.file.file_name() == file.file_name();
    let wrong: Vec<String> =
        set.diagnostics().iter().filter(same).map(ToString::to_string).collect();
    if !wrong.is_empty() {
        return Err(Failure::usage(wrong.join("\n")));
    }
    let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    Ok((name.unwrap_or_default(), workflows))
}

fn open(config: &Config, name: &str) -> Result<Everwhen> {
    match Everwhen::open_or_find(config)? {
        Opened::Here(everwhen) => Ok(*everwhen),
        Opened::Elsewhere(_) => Err(Failure::new(format!(
            "a server holds the data directory; stop it, name another with --data, or chat with the \
             model everwhen/{name} through it"
        ))),
    }
}

/// What was said last in the memory, oldest first.
async fn earlier(vault: &Vault, memory: &Address<MemoryId>) -> Result<Vec<Entry>> {
    let query = EntryQuery { order: Order::Newest, limit: Some(EARLIER), ..EntryQuery::default() };
    match vault.entries(memory.clone(), None, query).await {
        Ok(page) => Ok(page.data.into_iter().rev().collect()),
        Err(error) if error.kind() == everwhen::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// The chat: what was said before, and the message.
fn chat(begun: &Begun, earlier: &[Entry], args: &WorkflowRunArgs, memory: &str) -> Chat {
    let new = PromptMessage { role: Role::User, content: args.message.clone() };
    let mut chat = Chat::of(begun, vec![new], memory.to_owned());
    let mut since = None;
    for (place, entry) in earlier.iter().enumerate() {
        let content = entry.content.as_str().to_owned();
        chat.messages.insert(place, PromptMessage { role: entry.role, content });
        let time = entry.conversation_time;
        chat.times.insert(place, Some(SaidAt { time, since }));
        since = Some(time);
    }
    chat
}

#[derive(Default)]
struct Notes {
    traces: Vec<Trace>,
}

impl RunObserver for Notes {
    fn on_text(&mut self, _piece: &str) {}

    fn ran(&mut self, trace: Trace) {
        self.traces.push(trace);
    }
}

fn show(ended: &RunOutcome, text: Option<&str>, traces: &[Trace], all: bool) -> Result<()> {
    if all {
        show_nodes(traces)?;
        let (took, spent) = whole(traces);
        output::line(&output::dim(&format!("all: {}", cost(took, spent))))?;
    }
    if let RunOutcome::Locked { lock } = ended {
        output::note(&format!("stopped: another run holds the lock {lock:?}"));
    }
    output::line(&output::plain(text.unwrap_or_default()))
}

fn show_nodes(traces: &[Trace]) -> Result<()> {
    for trace in traces {
        let indent = "  ".repeat(trace.depth);
        let title = if trace.title.is_empty() { "" } else { " " };
        let head =
            format!("{}.{} {}{title}{}", trace.workflow, trace.place, trace.kind, trace.title);
        let head = output::bold(&output::plain(&head));
        output::line(&format!("{indent}{head} {}", output::dim(&cost(trace.took, trace.spent))))?;
        for (what, text) in [("in ", &trace.input), ("out", &trace.output)] {
            for line in text.lines() {
                output::line(&format!("{indent}  {what} {}", output::plain(line)))?;
            }
        }
    }
    Ok(())
}

/// Time, tokens and money in a few words.
fn cost(took: Duration, spent: Spent) -> String {
    let millis = took.as_secs_f64() * 1e3;
    let tokens = format!("{} + {} tokens", spent.input_tokens, spent.output_tokens);
    match (spent.input_tokens + spent.output_tokens, spent.cost_nanos) {
        (0, 0) => format!("{millis:.1} ms"),
        (_, 0) => format!("{millis:.1} ms, {tokens}"),
        (_, nanos) => format!("{millis:.1} ms, {tokens}, cost {}", nanos as f64 / 1e9),
    }
}

fn whole(traces: &[Trace]) -> (Duration, Spent) {
    let outer = traces.iter().filter(|trace| trace.depth == 0);
    outer.fold(Default::default(), |(took, spent), trace| (took + trace.took, spent + trace.spent))
}

fn show_json(ended: &RunOutcome, text: Option<&str>, traces: &[Trace]) -> Result<()> {
    let node = |trace: &Trace| {
        json!({
            "workflow": trace.workflow, "place": trace.place, "depth": trace.depth,
            "type": trace.kind, "title": trace.title, "input": trace.input,
            "output": trace.output, "took_ms": trace.took.as_secs_f64() * 1e3,
            "input_tokens": trace.spent.input_tokens,
            "output_tokens": trace.spent.output_tokens,
            "cost": trace.spent.cost_nanos as f64 / 1e9,
        })
    };
    let nodes: Vec<_> = traces.iter().map(node).collect();
    let (took, spent) = whole(traces);
    let locked = match ended {
        RunOutcome::Locked { lock } => Some(lock),
        RunOutcome::Done => None,
    };
    let report = json!({
        "answer": text, "locked": locked, "nodes": nodes, "took_ms": took.as_secs_f64() * 1e3,
        "cost": spent.cost_nanos as f64 / 1e9,
    });
    output::json(&report.to_string())
}
