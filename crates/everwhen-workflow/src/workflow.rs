//! One workflow file, read: values its author defined, and nodes in order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::flaw::{Flaw, nearest};
use crate::node::{self, Kind, Node, Prompt, Standard, SubWorkflow};
use crate::properties::Amount;
use crate::source::{self, Located, Value};
use crate::template::Template;
use crate::variables;

/// A workflow.
#[derive(Debug, Clone, PartialEq)]
pub struct Workflow {
    /// What it is called: the name of the file without its ending.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// What its author defined: every key of the file but `nodes`.
    pub constants: BTreeMap<String, Template>,
    /// The steps.
    pub nodes: Vec<Node>,
    /// The place of the node that answers the user.
    pub responder: usize,
}

/// Reads a file; what is wrong with it comes beside.
pub(crate) fn read(file: &Path, text: &str) -> (Option<Workflow>, Vec<Flaw>) {
    let mut flaws = Vec::new();
    let workflow = source::read(file, text)
        .map_err(|flaw| flaws.push(flaw))
        .ok()
        .and_then(|value| parts(file, &value, &mut flaws));
    if let Some(workflow) = &workflow {
        check_variables(workflow, &mut flaws);
    }
    (workflow.filter(|_| flaws.iter().all(|flaw| flaw.harmless)), flaws)
}

fn parts(file: &Path, value: &Located, flaws: &mut Vec<Flaw>) -> Option<Workflow> {
    let nodes = node_list(file, value, flaws)?;
    let mut read = Vec::new();
    for value in nodes {
        read.extend(node::node(file, value, flaws));
    }
    if nodes.is_empty() {
        flaws.push(Flaw::new(
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
        file: file.to_owned(),
        constants: constants(file, value, flaws),
        responder: responder(file, &read, flaws),
        nodes: read,
    })
}

fn node_list<'v>(file: &Path, value: &'v Located, flaws: &mut Vec<Flaw>) -> Option<&'v [Located]> {
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
    flaws.push(Flaw::new(file, nodes.unwrap_or(value).line, sentence));
    None
}

fn constants(file: &Path, value: &Located, flaws: &mut Vec<Flaw>) -> BTreeMap<String, Template> {
    let Value::Object(properties) = &value.value else { return BTreeMap::new() };
    let mut read = BTreeMap::new();
    for (name, value) in properties.iter().filter(|(name, _)| name != "nodes") {
        match value.shown() {
            Some(text) => drop(read.insert(name.clone(), Template::read(&text))),
            None => {
                let kind = value.value.kind();
                let sentence = format!("{name:?} is {kind}; a variable holds text or a number");
                flaws.push(Flaw::new(file, value.line, sentence));
            }
        }
    }
    read
}

/// The first node that says it answers, else the last.
fn responder(file: &Path, nodes: &[Node], flaws: &mut Vec<Flaw>) -> usize {
    let mut answering = (0..nodes.len()).filter(|place| nodes[*place].answers);
    let responder = answering.next().unwrap_or(nodes.len() - 1);
    for second in answering {
        let first = &nodes[responder];
        let sentence = format!("{first} answers the user already; this one will not");
        flaws.push(Flaw::hint(file, nodes[second].line, sentence));
    }
    responder
}

/// Which variables may stand where.
#[derive(Clone, Copy)]
enum Sight {
    /// Only what is known before anything runs.
    Early,
    /// Everything that nodes before this place have left.
    Before(usize),
}

fn check_variables(workflow: &Workflow, flaws: &mut Vec<Flaw>) {
    let mut check = |line: usize, sight: Sight, template: &Template| {
        for name in template.variables() {
            if let Some(sentence) = missing(workflow, sight, name) {
                flaws.push(Flaw::new(&workflow.file, line, sentence));
            }
        }
    };
    for template in workflow.constants.values() {
        check(1, Sight::Before(workflow.nodes.len()), template);
    }
    for (place, node) in workflow.nodes.iter().enumerate() {
        if let Kind::Standard(standard) = &node.kind {
            check(node.line, Sight::Early, &standard.endpoint);
            standard.preset.iter().for_each(|preset| check(node.line, Sight::Early, preset));
        }
        for template in templates(&node.kind) {
            check(node.line, Sight::Before(place), template);
        }
    }
}

/// Why a variable stands for nothing, if it does.
fn missing(workflow: &Workflow, sight: Sight, name: &str) -> Option<String> {
    let known = workflow.constants.contains_key(name) || variables::input(name).is_some();
    if known {
        return None;
    }
    let Sight::Before(place) = sight else {
        return Some(format!(
            "{{{name}}} cannot stand in \"endpointName\" or \"preset\"; only what the file itself \
             defines and {{agent1Input}} and so on can"
        ));
    };
    if let Some(output) = variables::output(name) {
        return (output == 0 || output > place).then(|| {
            format!("{{{name}}} is used before that node has run; a node sees those above it")
        });
    }
    if variables::KNOWN.contains(&name) {
        return None;
    }
    let own = workflow.constants.keys().map(String::as_str);
    let meant = nearest(name, variables::KNOWN.into_iter().chain(own));
    let meant = meant.map(|meant| format!("; is {{{meant}}} meant?")).unwrap_or_default();
    Some(format!("there is no variable {{{name}}}{meant}"))
}

/// The texts of a node that see every variable.
fn templates(kind: &Kind) -> Vec<&Template> {
    match kind {
        Kind::Standard(standard) => standard_templates(standard),
        Kind::ChatSummarySummarizer { min_memories, loop_if_exceed } => {
            amounts([min_memories, loop_if_exceed])
        }
        Kind::RecentMemorySummarizerTool(recent) | Kind::RecentMemory(recent) => {
            amounts([&recent.turns, &recent.chapters, &recent.skip])
        }
        Kind::VectorMemorySearch(search) => {
            std::iter::once(&search.input).chain(amounts([&search.limit])).collect()
        }
        Kind::CustomWorkflow(one) => inputs(one),
        Kind::ConditionalCustomWorkflow(fork) => {
            let ways = fork.routes.iter().map(|(_, one)| one).chain(&fork.otherwise);
            let own = std::iter::once(&fork.key).chain(&fork.otherwise_text);
            own.chain(ways.flat_map(inputs)).collect()
        }
        Kind::Conditional(condition) => condition.templates(),
        Kind::StringConcatenator { strings, .. } => strings.iter().collect(),
        Kind::StaticResponse { content } => vec![content],
        Kind::GetCustomFile(file) => vec![&file.path],
        Kind::SaveCustomFile { path, content, .. } => vec![path, content],
        Kind::TagTextExtractor { from, tag, otherwise } => {
            [from, tag].into_iter().chain(otherwise).collect()
        }
        Kind::JsonExtractor { from, field } => vec![from, field],
        Kind::ArithmeticProcessor { expression } => vec![expression],
        Kind::QualityMemory
        | Kind::GetCurrentSummaryFromFile
        | Kind::FullChatSummary { .. }
        | Kind::GetCurrentMemoryFromFile
        | Kind::WorkflowLock { .. } => Vec::new(),
    }
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
    ]);
    prompts.chain(sizes).collect()
}

/// What a parent fills in for a workflow it runs; the prompts are filled in by that workflow.
fn inputs(one: &SubWorkflow) -> Vec<&Template> {
    one.inputs.iter().collect()
}

fn amounts<'a>(amounts: impl IntoIterator<Item = &'a Amount>) -> Vec<&'a Template> {
    let open = amounts.into_iter().filter_map(|amount| match amount {
        Amount::Open(template) => Some(template),
        Amount::Fixed(_) => None,
    });
    open.collect()
}

#[cfg(test)]
mod tests;
