//! `everwhen workflow`: what is wrong with workflow files, and what they do.

mod run;

use std::path::Path;

use everwhen::Config;
use everwhen_workflow::{Diagnostic, Folder};
use serde_json::json;

use crate::args::{WorkflowAction, WorkflowArgs};
use crate::failure::{Failure, Result};
use crate::output;

/// Does what was asked about workflows.
pub(crate) async fn run(config: &Config, args: &WorkflowArgs, json: bool) -> Result<()> {
    match &args.action {
        WorkflowAction::Check { directory } => check(directory, json),
        WorkflowAction::Run(args) => run::run(config, args, json).await,
    }
}

fn check(directory: &Path, json: bool) -> Result<()> {
    let (folder, diagnostics) = Folder::read(directory)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", directory.display())))?;
    let errors = diagnostics.iter().filter(|flaw| !flaw.harmless).count();
    if json {
        show_json(&folder, &diagnostics)?;
    } else {
        show(&folder, &diagnostics)?;
    }
    match errors {
        0 => Ok(()),
        1 => Err(Failure::new("1 error")),
        _ => Err(Failure::new(format!("{errors} errors"))),
    }
}

fn show(folder: &Folder, diagnostics: &[Diagnostic]) -> Result<()> {
    for flaw in diagnostics {
        let hint = if flaw.harmless { output::dim("hint: ") } else { String::new() };
        let place = output::bold(&format!("{}:{}:", flaw.file.display(), flaw.line));
        output::line(&format!("{place} {hint}{}", output::plain(&flaw.sentence)))?;
    }
    for workflow in folder.names().filter_map(|name| folder.get(name)) {
        let nodes = workflow.nodes.len();
        let nodes = if nodes == 1 { "1 node".to_owned() } else { format!("{nodes} nodes") };
        output::line(&format!("{} {}, {nodes}", output::mark(true), workflow.name))?;
    }
    Ok(())
}

fn show_json(folder: &Folder, diagnostics: &[Diagnostic]) -> Result<()> {
    let flaw = |flaw: &Diagnostic| {
        json!({
            "file": flaw.file,
            "line": flaw.line,
            "sentence": flaw.sentence,
            "harmless": flaw.harmless,
        })
    };
    let diagnostics: Vec<_> = diagnostics.iter().map(flaw).collect();
    let workflows: Vec<&str> = folder.names().collect();
    output::json(&json!({ "workflows": workflows, "flaws": diagnostics }).to_string())
}
