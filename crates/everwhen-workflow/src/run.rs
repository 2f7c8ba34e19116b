//! Running a workflow. Walk: each node in turn fills in its texts, does its one thing and leaves a
//! text, which later nodes see as `{agent1Output}` and so on. The responder's text goes to the user
//! piece by piece; what comes behind it is the rest, which can be run later and elsewhere.

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
use crate::node::{Kind, Node, SubWorkflow};
use crate::port::{Desk, Endpoints, Files};
use crate::properties::Amount;
use crate::template::Template;
use crate::variables::{self, Scene, Sizes};
use crate::workflow::Workflow;

/// What all runs share.
#[derive(Clone, Copy)]
pub struct Stage<'s> {
    /// The workflows.
    pub folder: &'s Folder,
    /// The models.
    pub endpoints: &'s dyn Endpoints,
    /// The memory of the chat.
    pub desk: &'s dyn Desk,
    /// The files.
    pub files: &'s dyn Files,
    /// The chat.
    pub scene: &'s Scene,
}

/// How far a run has come: what is needed to go on with it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// What each node left, in order.
    pub outputs: Vec<String>,
    /// What a parent passed in.
    pub inputs: Vec<String>,
    /// Locks that are held.
    pub locks: Vec<String>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// All nodes asked for have run.
    Done,
    /// Somebody else is behind this lock; the rest is theirs.
    Locked {
        /// The lock.
        lock: String,
    },
}

/// What one node did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// How deep in workflows that run workflows, from 0.
    pub depth: usize,
    /// The workflow.
    pub workflow: String,
    /// The place of the node, from 1.
    pub place: usize,
    /// Its type.
    pub kind: &'static str,
    /// What its author calls it.
    pub title: String,
    /// What it was asked, where it asks.
    pub input: String,
    /// What it left.
    pub output: String,
    /// How long it took.
    pub took: Duration,
    /// What models took for it.
    pub spent: Spent,
}

/// Follows a run.
pub trait Follow: Send {
    /// A piece of the answer to the user.
    fn hear(&mut self, piece: &str);
    /// A node has run.
    fn ran(&mut self, trace: Trace);
}

/// Which nodes to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Up to the responder.
    Answered,
    /// So many nodes in all.
    Nodes(usize),
    /// To the end.
    End,
}

type Waiting<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// What a node leaves, and what it was asked.
struct Left {
    output: String,
    input: String,
    spent: Spent,
}

impl Left {
    fn output(output: impl Into<String>) -> Self {
        Self { output: output.into(), input: String::new(), spent: Spent::default() }
    }
}

/// The chat as a node sees it: dated or not, and how much of it.
#[derive(Clone, Copy)]
struct View<'v> {
    scene: &'v Scene,
    sizes: Sizes,
}

/// One workflow on its way.
struct Run<'r> {
    stage: Stage<'r>,
    workflow: &'r Workflow,
    depth: usize,
    progress: &'r mut Progress,
    /// Texts that a parent put in place of the first node's own.
    first: (Option<String>, Option<String>),
}

/// Runs a workflow from where it has come to. Whoever stops at the answer may go on later with the
/// same progress.
pub async fn run(
    stage: Stage<'_>,
    workflow: &Workflow,
    progress: &mut Progress,
    until: Until,
    follow: &mut dyn Follow,
) -> Result<Ended> {
    let run = Run { stage, workflow, depth: 0, progress, first: (None, None) };
    run.go(until, true, follow).await
}

/// What the user was answered, once the responder has run.
pub fn answer<'p>(workflow: &Workflow, progress: &'p Progress) -> Option<&'p str> {
    progress.outputs.get(workflow.responder).map(String::as_str)
}

impl Run<'_> {
    /// Runs the nodes that are left. `aloud` says whether the responder is heard by the user. Locks
    /// are let go at the end of the workflow, or when it fails.
    async fn go(mut self, until: Until, aloud: bool, follow: &mut dyn Follow) -> Result<Ended> {
        let end = match until {
            Until::Answered => self.workflow.responder + 1,
            Until::Nodes(count) => count.min(self.workflow.nodes.len()),
            Until::End => self.workflow.nodes.len(),
        };
        let ended = match self.take_locks_again().await? {
            Some(lock) => Ok(Ended::Locked { lock }),
            None => self.nodes(end, aloud, follow).await,
        };
        let goes_on = matches!(ended, Ok(Ended::Done)) && end < self.workflow.nodes.len();
        if !goes_on {
            self.let_go().await?;
        }
        ended
    }

    async fn nodes(&mut self, end: usize, aloud: bool, follow: &mut dyn Follow) -> Result<Ended> {
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
        Ok(Ended::Done)
    }

    /// A run that goes on elsewhere holds its locks anew; which one somebody else has by now.
    async fn take_locks_again(&self) -> Result<Option<String>> {
        for lock in &self.progress.locks {
            if !self.stage.desk.lock(&self.workflow.name, lock).await? {
                return Ok(Some(lock.clone()));
            }
        }
        Ok(None)
    }

    async fn let_go(&mut self) -> Result<()> {
        for lock in std::mem::take(&mut self.progress.locks) {
            self.stage.desk.let_go(&self.workflow.name, &lock).await?;
        }
        Ok(())
    }

    fn trace(&self, node: &Node, place: usize, left: &Left, began: Instant) -> Trace {
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

    /// Does what one node says; nothing if it met a lock that somebody holds.
    async fn step(
        &mut self,
        node: &Node,
        answers: bool,
        follow: &mut dyn Follow,
    ) -> Result<Option<Left>> {
        let left = match &node.kind {
            Kind::Standard(standard) => {
                let mut deaf = |_: &str| {};
                let mut hear = |piece: &str| follow.hear(piece);
                let hear: Hear<'_> = if answers { &mut hear } else { &mut deaf };
                return self.ask(standard, hear).await.map(Some);
            }
            Kind::CustomWorkflow(one) => {
                return self.descend(one, answers, follow).await.map(Some);
            }
            Kind::ConditionalCustomWorkflow(fork) => match self.route(fork)? {
                Ok(one) => return self.descend(one, answers, follow).await.map(Some),
                Err(text) => Left::output(text),
            },
            Kind::WorkflowLock { lock } => {
                if !self.stage.desk.lock(&self.workflow.name, lock).await? {
                    return Ok(None);
                }
                self.progress.locks.push(lock.clone());
                Left::output(lock)
            }
            Kind::QualityMemory
            | Kind::ChatSummarySummarizer { .. }
            | Kind::RecentMemorySummarizerTool(_)
            | Kind::RecentMemory(_)
            | Kind::GetCurrentSummaryFromFile
            | Kind::FullChatSummary { .. }
            | Kind::VectorMemorySearch(_)
            | Kind::GetCurrentMemoryFromFile => self.remembered(&node.kind).await?,
            _ => Left::output(self.text(&node.kind)?),
        };
        if answers {
            follow.hear(&left.output);
        }
        Ok(Some(left))
    }

    /// Runs another workflow as one step of this one. A responder in it is heard only if this step
    /// answers the user.
    fn descend<'a>(
        &'a self,
        one: &'a SubWorkflow,
        answers: bool,
        follow: &'a mut dyn Follow,
    ) -> Waiting<'a, Left> {
        Box::pin(async move {
            let workflow =
                self.stage.folder.get(&one.name).ok_or_else(|| {
                    Error::not_found(format!("there is no workflow {:?}", one.name))
                })?;
            let inputs = one.inputs.iter().map(|input| self.fill(input)).collect::<Result<_>>()?;
            let overridden =
                |text: &Option<Template>| text.as_ref().map(|text| self.fill(text)).transpose();
            let first = (overridden(&one.system_prompt)?, overridden(&one.prompt)?);
            let mut progress = Progress { inputs, ..Progress::default() };
            let child = Run {
                stage: self.stage,
                workflow,
                depth: self.depth + 1,
                progress: &mut progress,
                first,
            };
            let mut counting = Counting { follow, spent: Spent::default() };
            child.go(Until::End, answers, &mut counting).await?;
            let output = answer(workflow, &progress).unwrap_or_default();
            Ok(Left { spent: counting.spent, ..Left::output(output) })
        })
    }

    /// The text with its variables filled in.
    fn fill(&self, template: &Template) -> Result<String> {
        self.fill_seeing(template, self.view())
    }

    /// What a node sees of the chat that does not say otherwise.
    fn view(&self) -> View<'_> {
        View { scene: self.stage.scene, sizes: Sizes::default() }
    }

    fn fill_seeing(&self, template: &Template, view: View<'_>) -> Result<String> {
        template.fill(|name| self.value(name, view)).map_err(|name| unknown(&name))
    }

    /// What a variable stands for. A value the author defined may hold variables itself.
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
        view.scene.value(name, view.sizes)
    }

    /// A number, filled in if it is a variable.
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

    /// The same where less than nothing is nothing.
    fn count(&self, amount: &Amount) -> Result<usize> {
        Ok(usize::try_from(self.amount(amount)?).unwrap_or(0))
    }
}

/// Adds up what the nodes of a workflow take, for the node that runs it.
struct Counting<'f> {
    follow: &'f mut dyn Follow,
    spent: Spent,
}

impl Follow for Counting<'_> {
    fn hear(&mut self, piece: &str) {
        self.follow.hear(piece);
    }

    fn ran(&mut self, trace: Trace) {
        self.spent = self.spent + trace.spent;
        self.follow.ran(trace);
    }
}

fn stopped_by(node: &Node) -> Ended {
    let lock = match &node.kind {
        Kind::WorkflowLock { lock } => lock.clone(),
        _ => String::new(),
    };
    Ended::Locked { lock }
}

fn unknown(name: &str) -> Error {
    Error::invalid(format!("the variable {{{name}}} stands for nothing"))
}

#[cfg(test)]
mod tests;
