//! Runs a workflow. Each node in turn fills in its texts, does one thing and returns a text, which
//! later nodes see as `{agent1Output}` and so on. The responder's text is streamed to the user; the
//! nodes after it can run later, in another process.

mod ask;
mod memory;
mod text;

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use everwhen::models::Hear;
use everwhen::ports::Spent;
use everwhen::{Error, Result};

use crate::folder::Folder;
use crate::node::{Node, NodeKind, SubWorkflow};
use crate::port::{ChatMemory, Endpoints, Files};
use crate::properties::Amount;
use crate::template::Template;
use crate::variables::{self, ChatVariables, Sizes};
use crate::workflow::Workflow;

/// What all nodes of a run can reach.
#[derive(Clone, Copy)]
pub struct RunContext<'s> {
    /// All workflows, for nodes that run another one.
    pub folder: &'s Folder,
    /// The models.
    pub endpoints: &'s dyn Endpoints,
    /// The memory of the chat.
    pub memory: &'s dyn ChatMemory,
    /// The files.
    pub files: &'s dyn Files,
    /// The values that variables read from the chat.
    pub variables: &'s ChatVariables,
}

/// The progress of a run: everything needed to continue it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// The outputs of the nodes that have run, in order.
    pub outputs: Vec<String>,
    /// The inputs that a parent workflow passed.
    pub inputs: Vec<String>,
    /// The locks that the run holds.
    pub locks: Vec<String>,
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
    fn hear(&mut self, piece: &str);
    /// Called after each node.
    fn ran(&mut self, trace: Trace);
}

/// Which nodes to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunUntil {
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
}

impl NodeOutput {
    fn output(output: impl Into<String>) -> Self {
        Self { output: output.into(), input: String::new(), spent: Spent::default() }
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
}

/// Runs a workflow from its current progress. A run that stopped at the answer can be continued
/// later with the same progress.
pub async fn run(
    context: RunContext<'_>,
    workflow: &Workflow,
    progress: &mut Progress,
    until: RunUntil,
    follow: &mut dyn RunObserver,
) -> Result<RunOutcome> {
    let run = Run { context, workflow, depth: 0, progress, first: (None, None) };
    run.go(until, true, follow).await
}

/// The answer to the user, once the responder has run.
pub fn answer<'p>(workflow: &Workflow, progress: &'p Progress) -> Option<&'p str> {
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
                let mut deaf = |_: &str| {};
                let mut hear = |piece: &str| follow.hear(piece);
                let hear: Hear<'_> = if answers { &mut hear } else { &mut deaf };
                return self.ask(standard, hear).await.map(Some);
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
            NodeKind::QualityMemory
            | NodeKind::ChatSummarySummarizer { .. }
            | NodeKind::RecentMemorySummarizerTool(_)
            | NodeKind::RecentMemory(_)
            | NodeKind::GetCurrentSummaryFromFile
            | NodeKind::FullChatSummary { .. }
            | NodeKind::VectorMemorySearch(_)
            | NodeKind::GetCurrentMemoryFromFile => self.remembered(&node.kind).await?,
            _ => NodeOutput::output(self.text(&node.kind)?),
        };
        if answers {
            follow.hear(&left.output);
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
            let workflow =
                self.context.folder.get(&one.name).ok_or_else(|| {
                    Error::not_found(format!("there is no workflow {:?}", one.name))
                })?;
            let inputs = one.inputs.iter().map(|input| self.fill(input)).collect::<Result<_>>()?;
            let overridden =
                |text: &Option<Template>| text.as_ref().map(|text| self.fill(text)).transpose();
            let first = (overridden(&one.system_prompt)?, overridden(&one.prompt)?);
            let mut progress = Progress { inputs, ..Progress::default() };
            let child = Run {
                context: self.context,
                workflow,
                depth: self.depth + 1,
                progress: &mut progress,
                first,
            };
            let mut counting = UsageCounter { follow, spent: Spent::default() };
            child.go(RunUntil::End, answers, &mut counting).await?;
            let output = answer(workflow, &progress).unwrap_or_default();
            Ok(NodeOutput { spent: counting.spent, ..NodeOutput::output(output) })
        })
    }

    /// Fills in the variables of a text.
    fn fill(&self, template: &Template) -> Result<String> {
        self.fill_seeing(template, self.view())
    }

    /// The default view of the chat, for nodes that do not set sizes.
    fn view(&self) -> View<'_> {
        View { variables: self.context.variables, sizes: Sizes::default() }
    }

    fn fill_seeing(&self, template: &Template, view: View<'_>) -> Result<String> {
        template.fill(|name| self.value(name, view)).map_err(|name| unknown(&name))
    }

    /// The value of a variable. A constant of the file may itself contain variables.
    fn value(&self, name: &str, view: View<'_>) -> Option<String> {
        self.plain_value(name, view).or_else(|| {
            let constant = self.workflow.constants.get(name)?;
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
            Amount::Open(template) => {
                let text = self.fill(template)?;
                let number = text.trim().parse();
                number.map_err(|_| Error::invalid(format!("{text:?} is not a whole number")))
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
    fn hear(&mut self, piece: &str) {
        self.follow.hear(piece);
    }

    fn ran(&mut self, trace: Trace) {
        self.spent = self.spent + trace.spent;
        self.follow.ran(trace);
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
    Error::invalid(format!("the variable {{{name}}} stands for nothing"))
}

#[cfg(test)]
mod tests;
