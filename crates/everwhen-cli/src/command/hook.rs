//! `everwhen hook`: answers an event of a coding agent.
//!
//! An agent waits for its hooks, and a hook that fails may stop what the user wanted. So everything
//! happens on a thread that is waited for only so long; whatever becomes of it, the answer is one that
//! the agent accepts, and the exit code is 0.
//!
//! Where the user waits, the process ends with the answer, and the memory is not closed: everything that
//! was stored is durable, and copying the log of the database into its file, which is what closing does,
//! takes as long as answering. The next process that closes it does that, such as the one that stores
//! the reply.

mod briefing;
mod event;
mod transcript;

use std::io::{IsTerminal, Read, copy, sink, stdin};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

use everwhen::{Config, Environment};
use serde_json::{Value, json};

use self::event::{AgentEvent, Moment};
use crate::args::{AgentName, CommonArgs, HookArgs};
use crate::client::Request;
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::{output, project};

/// Longer events are read and not kept.
const LONGEST_EVENT: u64 = 16 * 1024 * 1024;
/// How long the user may wait for what is remembered.
const RECALL_LIMIT: Duration = Duration::from_secs(4);
/// How long storing may take.
const STORING: Duration = Duration::from_secs(25);
/// Storing is tried again after this, while another process is about to end.
const AGAIN: Duration = Duration::from_millis(200);
/// Times that storing is tried.
const TRIALS: usize = 5;
/// How long an event that nothing is done with is read.
const DISCARDING: Duration = Duration::from_secs(1);

/// What the thread reports: what kind of event it is, then the answer.
enum Progress {
    Began(Moment),
    Done(Result<Value>),
}

/// Answers the event on standard input. Never fails.
pub(crate) fn run(common: CommonArgs, args: &HookArgs) {
    let (send, progress) = mpsc::channel();
    let agent = args.agent;
    std::thread::spawn(move || {
        let (answer, open) = match answer(agent, common, &send) {
            Ok((answer, open)) => (Ok(answer), open),
            Err(failure) => (Err(failure), None),
        };
        // The receiver has stopped waiting if it took too long.
        let _ = send.send(Progress::Done(answer));
        std::mem::forget(open);
    });
    let answer = wait(&progress).unwrap_or_else(|failure| {
        let why = failure.message.unwrap_or_default();
        output::note(&format!("everwhen hook {}: {why}", agent.name()));
        silence(agent)
    });
    // A closed output means that the agent does not read the answer.
    let _ = output::line(&answer.to_string());
}

fn wait(progress: &mpsc::Receiver<Progress>) -> Result<Value> {
    let mut limit = RECALL_LIMIT;
    loop {
        match progress.recv_timeout(limit) {
            Ok(Progress::Began(Moment::SessionStart | Moment::Prompt)) => limit = RECALL_LIMIT,
            Ok(Progress::Began(_)) => limit = STORING,
            Ok(Progress::Done(answer)) => return answer,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                return Err(Failure::new(format!("not done within {} s", limit.as_secs())));
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                return Err(Failure::new("stopped by a bug"));
            }
        }
    }
}

/// The memory that was asked, and what it runs on.
type OpenMemory = (Console, tokio::runtime::Runtime);

/// The answer, and the memory if it is still open.
fn answer(
    agent: AgentName,
    common: CommonArgs,
    send: &mpsc::Sender<Progress>,
) -> Result<(Value, Option<OpenMemory>)> {
    let event = AgentEvent::read(&input()?)?;
    let _ = send.send(Progress::Began(event.moment));
    if event.moment == Moment::Other {
        return Ok((json!({}), None));
    }
    let hook = Hook::new(agent, common, event)?;
    let runtime = super::runtime()?;
    let (answer, console) = runtime.block_on(hook.answer())?;
    Ok((answer, console.map(|console| (console, runtime))))
}

/// Reads the event, all of it: an agent whose pipe is closed while it writes may take that for a failure.
fn input() -> Result<String> {
    let (mut bytes, mut input) = (Vec::new(), stdin().lock());
    input.by_ref().take(LONGEST_EVENT).read_to_end(&mut bytes)?;
    copy(&mut input, &mut sink())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads an event with which nothing can be done, for a moment at most.
pub(crate) fn discard_input() {
    if stdin().is_terminal() {
        return;
    }
    let (send, done) = mpsc::channel();
    std::thread::spawn(move || {
        let read = copy(&mut stdin().lock(), &mut sink());
        // The receiver has stopped waiting if it took too long.
        let _ = send.send(read.is_ok());
    });
    let _ = done.recv_timeout(DISCARDING);
}

/// The answer that says nothing and stops nothing.
fn silence(agent: AgentName) -> Value {
    match agent {
        // A prompt has to be let through explicitly.
        AgentName::Cursor => json!({ "continue": true }),
        _ => json!({}),
    }
}

/// One event, and what is needed to answer it.
struct Hook {
    agent: AgentName,
    event: AgentEvent,
    config: Config,
    environment: Environment,
    common: CommonArgs,
}

impl Hook {
    fn new(agent: AgentName, mut common: CommonArgs, event: AgentEvent) -> Result<Self> {
        let environment = Environment::of_process()?;
        if common.memory.is_none() {
            let folder = event.folder.clone().map_or_else(current_folder, Ok)?;
            common.memory = Some(project::memory_name(&folder));
        }
        let config = Config::load(&environment, &super::flags(&common, None))?;
        Ok(Self { agent, event, config, environment, common })
    }

    /// The answer, and the console if it is still open.
    async fn answer(&self) -> Result<(Value, Option<Console>)> {
        match self.event.moment {
            Moment::SessionStart => {
                let console = self.console_for_recall().await?;
                let answer = self.formatted(briefing::of_session(&console).await?);
                Ok((answer, Some(console)))
            }
            Moment::Prompt => {
                let console = self.console_for_recall().await?;
                let store = async {
                    match self.event.transcript.is_some() && self.has_transcripts() {
                        true => Ok(()),
                        false => self.store_words(&console, "user").await,
                    }
                };
                // The session of the prompt is not asked, so that neither has to wait for the other.
                let answer = briefing::of_prompt(&console, &self.event);
                let (answer, ()) = tokio::try_join!(answer, store)?;
                Ok((self.formatted(answer), Some(console)))
            }
            Moment::Reply | Moment::BeforeCompaction | Moment::SessionEnd => {
                self.store_patiently().await?;
                Ok((json!({}), None))
            }
            Moment::Other => Ok((json!({}), None)),
        }
    }

    /// Opens the memory and does nothing else: what is due may wait, the user may not.
    async fn console_for_recall(&self) -> Result<Console> {
        Console::open_briefly(&self.config, &self.environment, &self.common).await
    }

    async fn console_to_store(&self) -> Result<Console> {
        Console::open_at_once(&self.config, &self.environment, &self.common).await
    }

    /// Whether the agent writes files that hold everything that was said.
    fn has_transcripts(&self) -> bool {
        matches!(self.agent, AgentName::ClaudeCode | AgentName::Codex)
    }

    /// At the end of a session the process that holds the directory often ends as well.
    async fn store_patiently(&self) -> Result<()> {
        let mut trials = 0;
        loop {
            trials += 1;
            match self.store().await {
                Err(_) if trials < TRIALS => tokio::time::sleep(AGAIN).await,
                done => return done,
            }
        }
    }

    async fn store(&self) -> Result<()> {
        let console = self.console_to_store().await?;
        match &self.event.transcript {
            Some(file) if self.has_transcripts() => {
                let is_spoken = self.event.moment == Moment::Reply;
                transcript::store(&console, file, self.agent.name(), is_spoken).await?;
            }
            _ if self.event.moment == Moment::Reply => {
                self.store_words(&console, "assistant").await?;
            }
            _ => {}
        }
        console.close().await
    }

    /// Stores the words of the event as said now.
    async fn store_words(&self, console: &Console, role: &str) -> Result<()> {
        let Some(said) = &self.event.said else { return Ok(()) };
        let body = json!({
            "role": role,
            "content": said,
            "conversation_id": self.event.session,
            "metadata": { "agent": self.agent.name() },
        });
        let request = Request::post(console.in_memory("/entries"), &body).once(self.once(role));
        console.send(request).await.map(drop)
    }

    /// What makes storing the same turn twice store it once.
    fn once(&self, role: &str) -> Option<String> {
        let (session, turn) = (self.event.session.as_ref()?, self.event.turn.as_ref()?);
        let said = self.event.said.as_deref().unwrap_or_default();
        let text = [self.agent.name(), session, turn, role, said].join("\n");
        Some(format!("hook-{}", blake3::hash(text.as_bytes()).to_hex()))
    }

    /// The answer in the agent's format.
    fn formatted(&self, context: Option<String>) -> Value {
        let is_start = self.event.moment == Moment::SessionStart;
        let context = context.map(|text| briefing::enclosed(&text));
        match (self.agent, context) {
            // A prompt cannot be given context there.
            (AgentName::Cursor, _) if !is_start => silence(self.agent),
            (_, None) => silence(self.agent),
            (AgentName::Cursor, Some(context)) => json!({ "additional_context": context }),
            (AgentName::Opencode, Some(context)) => json!({ "context": context }),
            (_, Some(context)) => json!({ "hookSpecificOutput": {
                "hookEventName": self.event.name,
                "additionalContext": context,
            }}),
        }
    }
}

fn current_folder() -> Result<PathBuf> {
    Ok(std::env::current_dir()?)
}
