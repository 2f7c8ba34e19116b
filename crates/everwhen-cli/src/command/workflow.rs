//! `everwhen workflow`: what is wrong with workflow files, what they do, and what can be written.

mod run;

use std::path::Path;

use everwhen::{Config, WorkflowTree};
use everwhen_workflow::{Diagnostic, WorkflowSet};
use serde_json::json;

use crate::args::{WorkflowAction, WorkflowArgs};
use crate::failure::{Failure, Result};
use crate::output;

/// Does what was asked about workflows.
pub(crate) async fn run(config: &Config, args: &WorkflowArgs, json: bool) -> Result<()> {
    match &args.action {
        WorkflowAction::Check { directory } => check(config, directory, json),
        WorkflowAction::Nodes => output::line(everwhen_workflow::reference().trim_end()),
        WorkflowAction::Run(args) => run::run(config, args, json).await,
    }
}

/// Checks all that the server checks: workflows, endpoints, presets and the settings file.
fn check(config: &Config, directory: &Path, json: bool) -> Result<()> {
    if let Err(error) = std::fs::read_dir(directory) {
        return Err(Failure::usage(format!("cannot read {}: {error}", directory.display())));
    }
    let set = WorkflowSet::read(directory, &config.endpoints);
    let settings = WorkflowTree::find(directory).settings_file();
    let settings = settings.or_else(|| config.chapter_settings.value.clone());
    let problems = set.settings_problems(settings.as_deref());
    let errors = set.diagnostics().iter().filter(|flaw| !flaw.harmless).count() + problems.len();
    if json {
        show_json(&set, &problems)?;
    } else {
        show(&set, &problems)?;
    }
    match errors {
        0 => Ok(()),
        1 => Err(Failure::new("1 error")),
        _ => Err(Failure::new(format!("{errors} errors"))),
    }
}

fn show(set: &WorkflowSet, problems: &[String]) -> Result<()> {
    for flaw in set.diagnostics() {
        let hint = if flaw.harmless { output::dim("hint: ") } else { String::new() };
        let place = output::bold(&format!("{}:{}:", flaw.file.display(), flaw.line));
        output::line(&format!("{place} {hint}{}", output::plain(&flaw.sentence)))?;
    }
    for problem in problems {
        output::line(&output::plain(problem))?;
    }
    for name in set.names() {
        let nodes = match set.nodes(name) {
            Some(1) => "1 node".to_owned(),
            Some(nodes) => format!("{nodes} nodes"),
            None => "chooses a workflow by category".to_owned(),
        };
        output::line(&format!("{} {name}, {nodes}", output::mark(true)))?;
    }
    if set.names().next().is_none() {
        output::line("no workflow can be used")?;
    }
    Ok(())
}

fn show_json(set: &WorkflowSet, problems: &[String]) -> Result<()> {
    let flaw = |flaw: &Diagnostic| {
        json!({
            "file": flaw.file,
            "line": flaw.line,
            "sentence": flaw.sentence,
            "harmless": flaw.harmless,
        })
    };
    let diagnostics: Vec<_> = set.diagnostics().iter().map(flaw).collect();
    let workflows: Vec<&str> = set.names().collect();
    let mut report = json!({ "workflows": workflows, "flaws": diagnostics });
    if !problems.is_empty() {
        report["settings"] = problems.into();
    }
    output::json(&report.to_string())
}
