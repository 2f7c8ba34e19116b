//! One parsed workflow file: its constants and its nodes in order.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, nearest};
use crate::node::{
    self, ChunkProcessor, Node, NodeKind, Prompt, Standard, SubWorkflow, Summarizer, WorkflowChoice,
};
use crate::properties::Amount;
use crate::source::{self, Located, Value};
use crate::template::Template;
use crate::variables;

/// A workflow.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Workflow {
    /// Its name: the file name without the extension.
    pub name: String,
    /// The folder it is in, below the directory of all folders; empty if there are none.
    pub folder: String,
    /// The file.
    pub file: PathBuf,
    /// Its constants: every key of the file except `nodes`.
    pub constants: BTreeMap<String, Template>,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The index of the node that answers the user.
    pub responder: usize,
}

impl Workflow {
    /// Its name with its folder, which no other workflow has.
    pub(crate) fn path(&self) -> String {
        match self.folder.is_empty() {
            true => self.name.clone(),
            false => format!("{}/{}", self.folder, self.name),
        }
    }
}

/// What a file is.
pub(crate) enum FileKind {
    /// A workflow, unless it has errors.
    Workflow(Option<Workflow>),
    /// Settings, which stand beside workflows in files that begin with an underscore.
    Settings,
}

/// Parses a file; also returns its diagnostics. `names` are variables that users define.
pub(crate) fn read(
    file: &Path,
    text: &str,
    names: &BTreeSet<String>,
) -> (FileKind, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let value = source::read(file, text).map_err(|flaw| diagnostics.push(flaw)).ok();
    let reserved = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with('_'));
    if reserved && value.as_ref().is_some_and(is_settings) {
        return (FileKind::Settings, diagnostics);
    }
    let workflow = value.and_then(|value| parts(file, &value, &mut diagnostics));
    if let Some(workflow) = &workflow {
        check_variables(workflow, names, &mut diagnostics);
    }
    let sound = diagnostics.iter().all(|flaw| flaw.harmless);
    (FileKind::Workflow(workflow.filter(|_| sound)), diagnostics)
}

fn is_settings(value: &Located) -> bool {
    matches!(value.value, Value::Object(_)) && value.get("nodes").is_none()
}

fn parts(file: &Path, value: &Located, diagnostics: &mut Vec<Diagnostic>) -> Option<Workflow> {
    let nodes = node_list(file, value, diagnostics)?;
    let mut read = Vec::new();
    for value in nodes {
        read.extend(node::node(file, value, diagnostics));
    }
    if nodes.is_empty() {
        diagnostics.push(Diagnostic::new(
            file,
            value.line,
            "there are no nodes; a workflow needs at least one",
        ));
    }
    if read.len() < nodes.len() || read.is_empty() {
        return None;
    }
    Some(Workflow {
        name: file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
        folder: String::new(),
        file: file.to_owned(),
        constants: constants(file, value, diagnostics),
        responder: responder(file, &read, diagnostics),
        nodes: read,
    })
}

fn node_list<'v>(
    file: &Path,
    value: &'v Located,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<&'v [Located]> {
    let nodes = match &value.value {
        Value::List(_) => Some(value),
        Value::Object(_) => value.get("nodes"),
        _ => None,
    };
    let sentence = match nodes.map(|nodes| &nodes.value) {
        Some(Value::List(nodes)) => return Some(nodes),
        Some(_) => "\"nodes\" must be a list of nodes",
        None if value.get("type").is_some() => {
            "this is a single node; put it into a list, or into \"nodes\" of an object"
        }
        None => "a workflow is a list of nodes, or an object with \"nodes\"",
    };
    diagnostics.push(Diagnostic::new(file, nodes.unwrap_or(value).line, sentence));
    None
}

fn constants(
    file: &Path,
    value: &Located,
    diagnostics: &mut Vec<Diagnostic>,
) -> BTreeMap<String, Template> {
    let Value::Object(properties) = &value.value else { return BTreeMap::new() };
    let mut read = BTreeMap::new();
    for (name, value) in properties.iter().filter(|(name, _)| name != "nodes") {
        match value.shown() {
            Some(text) => drop(read.insert(name.clone(), Template::read(&text))),
            None => {
                let kind = value.value.kind();
                let sentence = format!("{name:?} is {kind}; a variable holds text or a number");
                diagnostics.push(Diagnostic::hint(file, value.line, sentence));
            }
        }
    }
    read
}

/// The first node that is marked as the responder, else the last node.
fn responder(file: &Path, nodes: &[Node], diagnostics: &mut Vec<Diagnostic>) -> usize {
    let mut answering = (0..nodes.len()).filter(|place| nodes[*place].answers);
    let responder = answering.next().unwrap_or(nodes.len() - 1);
    for second in answering {
        let first = &nodes[responder];
        let sentence = format!("{first} answers the user already; this one will not");
        diagnostics.push(Diagnostic::hint(file, nodes[second].line, sentence));
    }
    responder
}

/// Which variables a text can see.
#[derive(Clone, Copy)]
enum VariableScope {
    /// Only those that are known before any node runs.
    Early,
    /// Also the outputs of the nodes before this index.
    Before(usize),
}

fn check_variables(
    workflow: &Workflow,
    names: &BTreeSet<String>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut check = |line: usize, scope: VariableScope, template: &Template| {
        let unknown = template.variables().into_iter().filter(|name| !names.contains(*name));
        diagnostics.extend(unknown.filter_map(|name| missing(workflow, (line, scope), name)));
    };
    for template in workflow.constants.values() {
        check(1, VariableScope::Before(workflow.nodes.len()), template);
    }
    for (place, node) in workflow.nodes.iter().enumerate() {
        if let Some((endpoint, preset)) = node.asked() {
            check(node.line, VariableScope::Early, endpoint);
            preset.into_iter().for_each(|preset| check(node.line, VariableScope::Early, preset));
        }
        for template in templates(&node.kind) {
            check(node.line, VariableScope::Before(place), template);
        }
    }
}

/// Says why a variable has no value, if it has none. For a name that resembles no known one this is only a
/// hint: as in WilmerAI, such a variable stays in the text as it is written.
fn missing(
    workflow: &Workflow,
    (line, scope): (usize, VariableScope),
    name: &str,
) -> Option<Diagnostic> {
    if workflow.constants.contains_key(name) || variables::input(name).is_some() {
        return None;
    }
    let wrong = |sentence: String| Some(Diagnostic::new(&workflow.file, line, sentence));
    let own = workflow.constants.keys().map(String::as_str);
    let meant = nearest(name, variables::known().chain(own));
    let said = format!("there is no variable {{{name}}}");
    let VariableScope::Before(place) = scope else {
        if !variables::is_known(name) && variables::output(name).is_none() && meant.is_none() {
            return Some(Diagnostic::hint(&workflow.file, line, said));
        }
        return wrong(format!(
            "{{{name}}} cannot stand in \"endpointName\" or \"preset\"; only what the file itself \
             defines and {{agent1Input}} and so on can"
        ));
    };
    if let Some(output) = variables::output(name) {
        let late = output == 0 || output > place;
        let said = "is used before that node has run; a node sees those above it";
        return late.then(|| wrong(format!("{{{name}}} {said}"))).flatten();
    }
    if variables::is_known(name) {
        return None;
    }
    match meant {
        Some(meant) => wrong(format!("{said}; is {{{meant}}} meant?")),
        None => {
            let sentence = format!("{said}; it stays in the text as it is written");
            Some(Diagnostic::hint(&workflow.file, line, sentence))
        }
    }
}

/// The texts of a node that can see every variable.
fn templates(kind: &NodeKind) -> Vec<&Template> {
    match kind {
        NodeKind::Standard(standard) => standard_templates(standard),
        NodeKind::ChatSummarySummarizer(summarizer) => summarizer_templates(summarizer),
        NodeKind::ImageProcessor(image) => {
            standard_templates(&image.ask).into_iter().chain(&image.message).collect()
        }
        NodeKind::KeywordSearch(search) => {
            std::iter::once(&search.keywords).chain(amounts([&search.lookback])).collect()
        }
        NodeKind::WriteCurrentSummaryToFileAndReturnIt { input } => vec![input],
        NodeKind::DelimitedChunker { content, delimiter, .. } => vec![content, delimiter],
        NodeKind::ConversationChunkProcessor(processor) => chunk_templates(processor),
        NodeKind::RecentMemorySummarizerTool(recent)
        | NodeKind::RecentMemory(recent)
        | NodeKind::ConversationMemory(recent) => {
            amounts([&recent.turns, &recent.chapters, &recent.skip])
        }
        NodeKind::VectorMemorySearch(search) => {
            let texts = std::iter::once(&search.input).chain(&search.semantic);
            texts.chain(amounts([&search.limit])).collect()
        }
        NodeKind::CustomWorkflow(one) => inputs(one),
        NodeKind::ConditionalCustomWorkflow(fork) => choice_templates(fork),
        NodeKind::Conditional(condition) => condition.templates(),
        NodeKind::StringConcatenator { strings, .. } => strings.iter().collect(),
        NodeKind::StaticResponse { content } => vec![content],
        NodeKind::GetCustomFile(file) => vec![&file.path],
        NodeKind::SaveCustomFile { path, content, .. } => vec![path, content],
        NodeKind::TagTextExtractor { from, tag, otherwise } => {
            [from, tag].into_iter().chain(otherwise).collect()
        }
        NodeKind::JsonExtractor { from, field } => vec![from, field],
        NodeKind::ArithmeticProcessor { expression } => vec![expression],
        NodeKind::QualityMemory
        | NodeKind::GetCurrentSummaryFromFile
        | NodeKind::FullChatSummary { .. }
        | NodeKind::GetCurrentMemoryFromFile
        | NodeKind::GetCurrentStateDocument
        | NodeKind::ChatSummaryMemoryGatheringTool
        | NodeKind::ContextCompactor
        | NodeKind::Foreign(_)
        | NodeKind::WorkflowLock { .. } => Vec::new(),
    }
}

fn chunk_templates(processor: &ChunkProcessor) -> Vec<&Template> {
    let own = std::iter::once(&processor.directory).chain(&processor.return_file);
    let sizes = amounts([&processor.size, &processor.lookback]);
    own.chain(inputs(&processor.run)).chain(sizes).collect()
}

fn choice_templates(choice: &WorkflowChoice) -> Vec<&Template> {
    let workflows = choice.routes.iter().map(|(_, one)| one).chain(&choice.otherwise);
    let own = std::iter::once(&choice.key).chain(&choice.otherwise_text);
    own.chain(workflows.flat_map(inputs)).collect()
}

fn summarizer_templates(summarizer: &Summarizer) -> Vec<&Template> {
    let sizes = amounts([&summarizer.min_memories, &summarizer.loop_if_exceed]);
    let own = summarizer.own.iter().flat_map(|own| {
        [&own.system_prompt, &own.prompt].into_iter().chain(amounts([&own.max_tokens]))
    });
    own.chain(sizes).collect()
}

fn standard_templates(standard: &Standard) -> Vec<&Template> {
    let windows = &standard.windows;
    let prompts = [&standard.system_prompt, &standard.prompt];
    let prompts = prompts.into_iter().filter_map(|prompt| match prompt {
        Prompt::Plain(template) => Some(template),
        Prompt::Jinja(_) => None,
    });
    let sizes = amounts([
        &standard.last_messages,
        &standard.max_tokens,
        &windows.messages,
        &windows.tokens,
        &windows.min_messages,
        &windows.max_tokens,
        &standard.passing.max_images,
    ]);
    prompts.chain(sizes).chain(&standard.response_start).collect()
}

/// The inputs of a workflow that is run as a step; its prompts are filled in by that workflow.
fn inputs(one: &SubWorkflow) -> Vec<&Template> {
    one.inputs.iter().collect()
}

fn amounts<'a>(amounts: impl IntoIterator<Item = &'a Amount>) -> Vec<&'a Template> {
    let open = amounts.into_iter().filter_map(|amount| match amount {
        Amount::Open(template, _) => Some(template),
        Amount::Fixed(_) => None,
    });
    open.collect()
}

#[cfg(test)]
mod tests;
