//! Runs a workflow. Each node in turn fills in its texts, does one thing and returns a text, which
//! later nodes see as `{agent1Output}` and so on. The responder's text is streamed to the user; the
//! nodes after it can run later, in another process.

mod ask;
mod chunks;
mod image;
mod memory;
mod outgoing;
mod text;

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use everwhen::models::OnText;
use everwhen::ports::Spent;
use everwhen::{Error, Result};
use serde_json::Value;

use crate::library::Library;
use crate::node::{Node, NodeKind, SubWorkflow, refusal};
use crate::port::{ChatMemory, Endpoints, Files};
use crate::profile::Profile;
use crate::properties::Amount;
use crate::template::Template;
use crate::variables::{self, ChatVariables, Sizes};
use crate::workflow::Workflow;

/// What all nodes of a run can reach.
#[derive(Clone, Copy)]
pub(crate) struct RunContext<'s> {
    /// All workflows, for nodes that run another one.
    pub(crate) library: &'s Library,
    /// Whose workflows they are.
    pub(crate) profile: &'s Profile,
    /// The folder in which workflows are looked for first.
    pub(crate) home: &'s str,
    /// The models.
    pub(crate) endpoints: &'s Arc<dyn Endpoints>,
    /// The memory of the chat.
    pub(crate) memory: &'s dyn ChatMemory,
    /// The files.
    pub(crate) files: &'s dyn Files,
    /// The values that variables read from the chat.
    pub(crate) variables: &'s ChatVariables,
    /// Variables of this run alone, which win over all others.
    pub(crate) extra: &'s BTreeMap<String, String>,
}

/// The progress of a run: everything needed to continue it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Progress {
    /// The outputs of the nodes that have run, in order.
    pub(crate) outputs: Vec<String>,
    /// The inputs that a parent workflow passed.
    pub(crate) inputs: Vec<String>,
    /// The locks that the run holds.
    pub(crate) locks: Vec<String>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOutcome {
    /// All requested nodes have run.
    Done,
    /// Another run holds this lock and does the rest.
    Locked {
        /// The name of the lock.
        lock: String,
    },
}

/// What one node did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// Nesting depth of the workflow, from 0.
    pub depth: usize,
    /// The workflow.
    pub workflow: String,
    /// The position of the node, from 1.
    pub place: usize,
    /// Its type.
    pub kind: &'static str,
    /// The title its author gave it.
    pub title: String,
    /// What it asked a model, if it called one.
    pub input: String,
    /// Its output.
    pub output: String,
    /// How long it took.
    pub took: Duration,
    /// Tokens and cost of its model calls.
    pub spent: Spent,
}

/// Receives the output and the trace of a run.
pub trait RunObserver: Send {
    /// Called with each piece of the answer to the user.
    fn on_text(&mut self, piece: &str);
    /// Called after each node.
    fn ran(&mut self, trace: Trace);
    /// Called with the tools that the answer calls, as OpenAI's protocol writes them.
    fn called(&mut self, _calls: &[Value]) {}
}

/// Which nodes to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunUntil {
    /// Up to the responder.
    Answered,
    /// Up to this number of nodes in total.
    Nodes(usize),
    /// To the end.
    End,
}

type Waiting<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// A node's output and what it asked.
struct NodeOutput {
    output: String,
    input: String,
    spent: Spent,
    /// Tools that the model calls.
    calls: Vec<Value>,
}

impl NodeOutput {
    fn output(output: impl Into<String>) -> Self {
        let (input, spent, calls) = (String::new(), Spent::default(), Vec::new());
        Self { output: output.into(), input, spent, calls }
    }
}

/// The part of the chat that a node sees, and whether it is dated.
#[derive(Clone, Copy)]
struct View<'v> {
    variables: &'v ChatVariables,
    sizes: Sizes,
}

/// One workflow that is running.
struct Run<'r> {
    context: RunContext<'r>,
    workflow: &'r Workflow,
    depth: usize,
    progress: &'r mut Progress,
    /// Prompts of a parent that replace those of the first node.
    first: (Option<String>, Option<String>),
    /// The chat as a node has changed it for those after it.
    changed: Option<ChatVariables>,
}

/// Runs a workflow from its current progress. A run that stopped at the answer can be continued
/// later with the same progress.
pub(crate) async fn run(
    context: RunContext<'_>,
    workflow: &Workflow,
    progress: &mut Progress,
    until: RunUntil,
    follow: &mut dyn RunObserver,
) -> Result<RunOutcome> {
    let first = (None, None);
    let run = Run { context, workflow, depth: 0, progress, first, changed: None };
    run.go(until, true, follow).await
}

/// The answer to the user, once the responder has run.
pub(crate) fn answer<'p>(workflow: &Workflow, progress: &'p Progress) -> Option<&'p str> {
    progress.outputs.get(workflow.responder).map(String::as_str)
}

impl Run<'_> {
    /// Runs the remaining nodes. `aloud` says whether the responder's text is streamed to the user.
    /// Locks are released at the end of the workflow, or when it fails.
    async fn go(
        mut self,
        until: RunUntil,
        aloud: bool,
        follow: &mut dyn RunObserver,
    ) -> Result<RunOutcome> {
        let end = match until {
            RunUntil::Answered => self.workflow.responder + 1,
            RunUntil::Nodes(count) => count.min(self.workflow.nodes.len()),
            RunUntil::End => self.workflow.nodes.len(),
        };
        let ended = match self.take_locks_again().await? {
            Some(lock) => Ok(RunOutcome::Locked { lock }),
            None => self.nodes(end, aloud, follow).await,
        };
        let goes_on = matches!(ended, Ok(RunOutcome::Done)) && end < self.workflow.nodes.len();
        if !goes_on {
            self.unlock().await?;
        }
        ended
    }

    async fn nodes(
        &mut self,
        end: usize,
        aloud: bool,
        follow: &mut dyn RunObserver,
    ) -> Result<RunOutcome> {
        let workflow = self.workflow;
        while self.progress.outputs.len() < end {
            let place = self.progress.outputs.len();
            let node = &workflow.nodes[place];
            let began = Instant::now();
            let answers = aloud && place == workflow.responder;
            let left = self
                .step(node, answers, follow)
                .await
                .map_err(|error| error.at(format!("{}: {node}", workflow.name)))?;
            let Some(left) = left else { return Ok(stopped_by(node)) };
            follow.ran(self.trace(node, place, &left, began));
            self.progress.outputs.push(left.output);
        }
        Ok(RunOutcome::Done)
    }

    /// Acquires the locks again for a run that continues elsewhere. Returns the name of a lock that
    /// another run holds by now.
    async fn take_locks_again(&self) -> Result<Option<String>> {
        for lock in &self.progress.locks {
            if !self.context.memory.lock(&self.workflow.name, lock).await? {
                return Ok(Some(lock.clone()));
            }
        }
        Ok(None)
    }

    async fn unlock(&mut self) -> Result<()> {
        for lock in std::mem::take(&mut self.progress.locks) {
            self.context.memory.unlock(&self.workflow.name, &lock).await?;
        }
        Ok(())
    }

    fn trace(&self, node: &Node, place: usize, left: &NodeOutput, began: Instant) -> Trace {
        Trace {
            depth: self.depth,
            workflow: self.workflow.name.clone(),
            place: place + 1,
            kind: node.kind.name(),
            title: node.title.clone(),
            input: left.input.clone(),
            output: left.output.clone(),
            took: began.elapsed(),
            spent: left.spent,
        }
    }

    /// Runs one node. Returns `None` if it needs a lock that another run holds.
    async fn step(
        &mut self,
        node: &Node,
        answers: bool,
        follow: &mut dyn RunObserver,
    ) -> Result<Option<NodeOutput>> {
        let left = match &node.kind {
            NodeKind::Standard(standard) => {
                let mut ignore = |_: &str| {};
                let mut on_text = |piece: &str| follow.on_text(piece);
                let on_text: OnText<'_> = if answers { &mut on_text } else { &mut ignore };
                let left = self.ask(standard, on_text).await?;
                if answers && !left.calls.is_empty() {
                    follow.called(&left.calls);
                }
                return Ok(Some(left));
            }
            NodeKind::CustomWorkflow(one) => {
                return self.descend(one, answers, follow).await.map(Some);
            }
            NodeKind::ConditionalCustomWorkflow(fork) => match self.route(fork)? {
                Ok(one) => return self.descend(one, answers, follow).await.map(Some),
                Err(text) => NodeOutput::output(text),
            },
            NodeKind::WorkflowLock { lock } => {
                if !self.context.memory.lock(&self.workflow.name, lock).await? {
                    return Ok(None);
                }
                self.progress.locks.push(lock.clone());
                NodeOutput::output(lock)
            }
            NodeKind::ImageProcessor(image) => self.describe(image).await?,
            NodeKind::ConversationChunkProcessor(processor) => {
                self.process_chunks(processor, follow).await?
            }
            NodeKind::Foreign(foreign) => return Err(Error::invalid(refusal(foreign))),
            kind => match self.remembered(kind, follow).await? {
                Some(left) => left,
                None => NodeOutput::output(self.text(kind)?),
            },
        };
        if answers {
            follow.on_text(&left.output);
        }
        Ok(Some(left))
    }

    /// Runs another workflow as one step of this one. Its responder is streamed only if this step
    /// answers the user.
    fn descend<'a>(
        &'a self,
        one: &'a SubWorkflow,
        answers: bool,
        follow: &'a mut dyn RunObserver,
    ) -> Waiting<'a, NodeOutput> {
        Box::pin(async move {
            let inputs = one.inputs.iter().map(|input| self.fill(input)).collect::<Result<_>>()?;
            let chat = self.changed.clone();
            self.run_child((one, inputs), chat, answers, follow).await
        })
    }

    /// Runs another workflow with these inputs, for this chat if it is another one.
    fn run_child<'a>(
        &'a self,
        (one, inputs): (&'a SubWorkflow, Vec<String>),
        chat: Option<ChatVariables>,
        answers: bool,
        follow: &'a mut dyn RunObserver,
    ) -> Waiting<'a, NodeOutput> {
        Box::pin(async move {
            let context = self.context;
            let found = context.library.find(context.home, &self.workflow.folder, one);
            let workflow = found.ok_or_else(|| self.not_found(one))?;
            let overridden =
                |text: &Option<Template>| text.as_ref().map(|text| self.fill(text)).transpose();
            let first = (overridden(&one.system_prompt)?, overridden(&one.prompt)?);
            let mut progress = Progress { inputs, ..Progress::default() };
            let depth = self.depth + 1;
            let child =
                Run { context, workflow, depth, progress: &mut progress, first, changed: chat };
            let mut counting = UsageCounter { follow, spent: Spent::default() };
            child.go(RunUntil::End, answers, &mut counting).await?;
            let output = answer(workflow, &progress).unwrap_or_default();
            Ok(NodeOutput { spent: counting.spent, ..NodeOutput::output(output) })
        })
    }

    fn not_found(&self, one: &SubWorkflow) -> Error {
        let library = self.context.library;
        match library.problem_of(self.context.home, &self.workflow.folder, one) {
            Some(problem) => Error::invalid(problem),
            None => Error::not_found(format!("there is no workflow {:?}", one.name)),
        }
    }

    /// The chat as nodes see it now.
    fn variables(&self) -> &ChatVariables {
        self.changed.as_ref().unwrap_or(self.context.variables)
    }

    /// Fills in the variables of a text.
    fn fill(&self, template: &Template) -> Result<String> {
        self.fill_seeing(template, self.view())
    }

    /// The default view of the chat, for nodes that do not set sizes.
    fn view(&self) -> View<'_> {
        View { variables: self.variables(), sizes: Sizes::default() }
    }

    /// Fills in the variables of a text; as in WilmerAI, a variable without a value stays as it is.
    fn fill_seeing(&self, template: &Template, view: View<'_>) -> Result<String> {
        let value = |name: &str| {
            let known = self.value(name, view);
            known.or_else(|| variables::input(name).is_none().then(|| format!("{{{name}}}")))
        };
        template.fill(value).map_err(|name| unknown(&name))
    }

    /// The value of a variable. A constant of the file and a variable of the user may themselves
    /// contain variables.
    fn value(&self, name: &str, view: View<'_>) -> Option<String> {
        let extra = self.context.extra.get(name).cloned();
        extra.or_else(|| self.plain_value(name, view)).or_else(|| {
            let users = self.context.profile.variables.get(name);
            let users = users.map(|text| Template::read(text));
            let constant = self.workflow.constants.get(name).or(users.as_ref())?;
            constant.fill(|name| self.plain_value(name, view)).ok()
        })
    }

    fn plain_value(&self, name: &str, view: View<'_>) -> Option<String> {
        if let Some(number) = variables::input(name) {
            return self.progress.inputs.get(number.checked_sub(1)?).cloned();
        }
        if let Some(number) = variables::output(name) {
            return self.progress.outputs.get(number.checked_sub(1)?).cloned();
        }
        view.variables.value(name, view.sizes)
    }

    /// A number, resolved if it is a variable.
    fn amount(&self, amount: &Amount) -> Result<i64> {
        match amount {
            Amount::Fixed(number) => Ok(*number),
            Amount::Open(template, usual) => {
                let text = self.fill(template)?;
                Ok(text.trim().parse().unwrap_or_else(|_| {
                    tracing::warn!("{text:?} is not a whole number; {usual} is used");
                    *usual
                }))
            }
        }
    }

    /// A number, where negative values count as 0.
    fn count(&self, amount: &Amount) -> Result<usize> {
        Ok(usize::try_from(self.amount(amount)?).unwrap_or(0))
    }
}

/// Sums the usage of all nodes of a workflow, for the node that runs it.
struct UsageCounter<'f> {
    follow: &'f mut dyn RunObserver,
    spent: Spent,
}

impl RunObserver for UsageCounter<'_> {
    fn on_text(&mut self, piece: &str) {
        self.follow.on_text(piece);
    }

    fn ran(&mut self, trace: Trace) {
        self.spent = self.spent + trace.spent;
        self.follow.ran(trace);
    }

    fn called(&mut self, calls: &[Value]) {
        self.follow.called(calls);
    }
}

fn stopped_by(node: &Node) -> RunOutcome {
    let lock = match &node.kind {
        NodeKind::WorkflowLock { lock } => lock.clone(),
        _ => String::new(),
    };
    RunOutcome::Locked { lock }
}

fn unknown(name: &str) -> Error {
    Error::invalid(format!("the variable {{{name}}} has no value"))
}

#[cfg(test)]
mod tests;
