//! The reference of node types, variables and placeholders, written from the tables that the reader
//! uses, so that it cannot drift from them.

use std::fmt::Write;

use crate::node::{COMMON, FOREIGN, NODE_TYPES, Property};
use crate::variables;

/// Placeholders in prompts, and where they are filled in.
const PLACEHOLDERS: [(&str, &str); 7] = [
    ("[TextChunk]", "prompts of the settings file: the messages of the chapter, dated"),
    ("[Memory_file]", "prompts of the settings file: the latest three chapters"),
    ("[Full_Memory_file]", "prompts of the settings file: all chapters"),
    ("[Chat_Summary]", "prompts of the settings file: the rolling summary"),
    ("[CHAT_SUMMARY]", "prompts of chatSummarySummarizer: the rolling summary"),
    ("[LATEST_MEMORIES]", "prompts of chatSummarySummarizer: the chapters to fold"),
    ("[IMAGE_BLOCK]", "`message` of ImageProcessor: the description of the images"),
];

/// Every node type with its properties, every variable and every placeholder, as Markdown.
pub fn reference() -> String {
    let mut text = String::from("### Node types\n");
    table(&mut text, "Properties of all nodes.", &[COMMON]);
    for kind in &NODE_TYPES {
        let _ = write!(text, "\n#### `{}`\n", kind.name);
        table(&mut text, kind.about, kind.properties);
    }
    text.push_str("\n### Node types that are refused\n\n");
    text.push_str(
        "A workflow with such a node loads; a run that reaches the node ends there with ",
    );
    text.push_str("the reason.\n\n| Type | Needs | Instead |\n|---|---|---|\n");
    for foreign in &FOREIGN {
        let _ = writeln!(text, "| `{}` | {} | {} |", foreign.name, foreign.needs, foreign.instead);
    }
    text.push_str("\n### Variables\n\n| Variable | Value |\n|---|---|\n");
    for (name, value) in [
        ("agent1Output", "the output of node 1 of the same workflow; likewise for other numbers"),
        ("agent1Input", "the first of `scoped_variables`; likewise for other numbers"),
    ] {
        let _ = writeln!(text, "| `{{{name}}}` | {value} |");
    }
    for (name, value) in variables::all() {
        let _ = writeln!(text, "| `{{{name}}}` | {value} |");
    }
    for (name, value) in variables::CATEGORY {
        let _ = writeln!(text, "| `{{{name}}}` | in a categorization workflow: {value} |");
    }
    text.push_str("| any top-level key of the file | its value, in which other variables work |\n");
    text.push_str("| any key of `userWideWorkflowVariables` | its value |\n");
    text.push_str("\n### Placeholders\n\n| Placeholder | Where and what |\n|---|---|\n");
    for (name, value) in PLACEHOLDERS {
        let _ = writeln!(text, "| `{name}` | {value} |");
    }
    text
}

fn table(text: &mut String, about: &str, properties: &[&[Property]]) {
    let _ = write!(text, "\n{about}\n");
    if properties.iter().all(|group| group.is_empty()) {
        return;
    }
    text.push_str("\n| Property | Meaning |\n|---|---|\n");
    for (name, meaning) in properties.iter().copied().flatten() {
        let _ = writeln!(text, "| `{name}` | {meaning} |");
    }
}
