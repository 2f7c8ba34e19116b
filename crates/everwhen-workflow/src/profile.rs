//! What a user of WilmerAI's tree has of their own: a folder, variables, and where a chat begins.

use std::collections::BTreeMap;
use std::path::Path;

use everwhen::WorkflowTree;
use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::library::{folder_name, unreadable};

/// The workflow that answers a user whose file names no other.
pub(crate) const DEFAULT: &str = "_DefaultWorkflow";

/// A user, or the only user of a plain directory.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Profile {
    /// The user's name; empty in a plain directory.
    pub(crate) name: String,
    /// The folder of the user's workflows.
    pub(crate) home: String,
    /// Where a chat begins.
    pub(crate) entry: Entry,
    /// `userWideWorkflowVariables`.
    pub(crate) variables: BTreeMap<String, String>,
    /// The user's workflows for memory nodes.
    pub(crate) tools: ToolWorkflows,
    /// What stands between messages in variables, if not a line break.
    pub(crate) separator: Option<String>,
    /// The folder whose subfolders are models of this user, if shared workflows are allowed.
    pub(crate) shared: Option<String>,
    /// The subdirectory of the user's endpoints.
    pub(crate) endpoints: String,
    /// The subdirectory of the user's presets.
    pub(crate) presets: String,
}

/// Where a chat begins.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum Entry {
    /// With `_DefaultWorkflow`.
    #[default]
    Default,
    /// With this workflow.
    Workflow(String),
    /// With a workflow that chooses a category.
    Routed(Routing),
}

/// Routing by category.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Routing {
    /// The workflow that names a category.
    pub(crate) categorizer: String,
    /// The categories.
    pub(crate) categories: Vec<Category>,
    /// How often the workflow is asked.
    pub(crate) attempts: usize,
}

/// A category and the workflow for it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Category {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) workflow: String,
}

/// Workflows that a user names for memory nodes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ToolWorkflows {
    pub(crate) conversation_memory: Option<String>,
    pub(crate) recent_memory: Option<String>,
    pub(crate) chat_summary: Option<String>,
}

impl Profile {
    /// Reads a user's file.
    pub(crate) fn read(
        tree: &WorkflowTree,
        (name, path): (&str, &Path),
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let file = object(path, diagnostics)?;
        let text = |key: &str| file[key].as_str().filter(|text| !text.trim().is_empty());
        let owned = |key: &str| text(key).map(str::to_owned);
        let separate = file["separateConversationInVariables"] == true;
        let shared = owned("sharedWorkflowsSubDirectoryOverride").unwrap_or("_shared".into());
        Some(Self {
            name: name.to_owned(),
            home: folder_name(tree, &tree.home(name, &file)),
            entry: entry(tree, &file, diagnostics),
            variables: scalars(&file["userWideWorkflowVariables"]),
            tools: ToolWorkflows {
                conversation_memory: owned("conversationMemoryToolWorkflow"),
                recent_memory: owned("recentMemoryToolWorkflow"),
                chat_summary: owned("chatSummaryToolWorkflow"),
            },
            separator: owned("conversationSeparationDelimiter").filter(|_| separate),
            shared: (file["allowSharedWorkflows"] == true).then_some(shared),
            endpoints: owned("endpointConfigsSubDirectory").unwrap_or_default(),
            presets: owned("presetConfigsSubDirectoryOverride").unwrap_or_else(|| name.to_owned()),
        })
    }
}

fn entry(tree: &WorkflowTree, file: &Value, diagnostics: &mut Vec<Diagnostic>) -> Entry {
    let text = |key: &str| file[key].as_str().filter(|text| !text.trim().is_empty());
    if file["customWorkflowOverride"] == true {
        return text("customWorkflow").map_or(Entry::Default, |name| Entry::Workflow(name.into()));
    }
    let (Some(routing), Some(categorizer)) =
        (text("routingConfig"), text("categorizationWorkflow"))
    else {
        return Entry::Default;
    };
    let Some(configs) = &tree.configs else { return Entry::Default };
    let path = configs.join("Routing").join(format!("{routing}.json"));
    let Some(file_of_routes) = object(&path, diagnostics) else { return Entry::Default };
    let attempts = file["maxCategorizationAttempts"].as_u64().unwrap_or(1).clamp(1, 10);
    Entry::Routed(Routing {
        categorizer: categorizer.to_owned(),
        categories: categories(&file_of_routes),
        attempts: usize::try_from(attempts).unwrap_or(1),
    })
}

fn categories(file: &Value) -> Vec<Category> {
    let rows = file.as_object().into_iter().flatten();
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let category = |(name, row): (&String, &Value)| Category {
        name: name.clone(),
        description: text(row, "description"),
        workflow: text(row, "workflow"),
    };
    rows.map(category).filter(|category| !category.workflow.is_empty()).collect()
}

impl Routing {
    /// The variables of the workflow that names a category.
    pub(crate) fn variables(&self) -> BTreeMap<String, String> {
        let names: Vec<&str> = self.categories.iter().map(|one| one.name.as_str()).collect();
        let described: Vec<String> = self
            .categories
            .iter()
            .map(|one| format!("{}: {}", one.name, one.description))
            .collect();
        let about: Vec<&str> = self.categories.iter().map(|one| one.description.as_str()).collect();
        let list = |lines: Vec<String>| -> String {
            lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
        };
        let bullets = list(names.iter().map(|name| (*name).to_owned()).collect());
        [
            ("category_colon_descriptions", described.join("; ")),
            ("category_colon_descriptions_newline_bulletpoint", list(described)),
            ("categoriesSeparatedByOr", names.join(" or ")),
            ("categoryNameBulletpoints", bullets),
            ("category_list", names.join(", ")),
            ("category_descriptions", about.join(", ")),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
    }

    /// The workflow of the first category that a reply names.
    pub(crate) fn chosen(&self, reply: &str) -> Option<&str> {
        let words = reply
            .split_whitespace()
            .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase());
        for word in words.filter(|word| !word.is_empty()) {
            let same = self.categories.iter().find(|one| one.name.to_lowercase() == word);
            let inside =
                || self.categories.iter().find(|one| word.contains(&one.name.to_lowercase()));
            if let Some(found) = same.or_else(inside) {
                return Some(&found.workflow);
            }
        }
        None
    }
}

/// A JSON object in a file; anything else is reported.
pub(crate) fn object(path: &Path, diagnostics: &mut Vec<Diagnostic>) -> Option<Value> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| diagnostics.push(unreadable(path, &error)))
        .ok()?;
    match crate::source::read(path, &text).map(crate::source::Located::into_json) {
        Ok(value) if value.is_object() => Some(value),
        Ok(_) => {
            diagnostics.push(Diagnostic::new(path, 1, "this must be an object of settings"));
            None
        }
        Err(flaw) => {
            diagnostics.push(flaw);
            None
        }
    }
}

/// The texts, numbers and flags of an object.
fn scalars(value: &Value) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (name, value) in value.as_object().into_iter().flatten() {
        match value {
            Value::String(text) => drop(found.insert(name.clone(), text.clone())),
            Value::Number(number) => drop(found.insert(name.clone(), number.to_string())),
            Value::Bool(flag) => drop(found.insert(name.clone(), flag.to_string())),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routing() -> Routing {
        let category = |name: &str| Category {
            name: name.into(),
            description: format!("about {}", name.to_lowercase()),
            workflow: format!("{name}-Workflow"),
        };
        Routing {
            categorizer: "Choose".into(),
            categories: vec![category("CODING"), category("GENERAL")],
            attempts: 1,
        }
    }

    #[test]
    fn a_category_is_found_in_whatever_a_model_says() {
        for (reply, chosen) in [
            ("CODING", Some("CODING-Workflow")),
            ("I think it is **general**.", Some("GENERAL-Workflow")),
            ("category:coding", Some("CODING-Workflow")),
            ("neither", None),
            ("", None),
        ] {
            assert_eq!(routing().chosen(reply), chosen, "{reply:?}");
        }
    }

    #[test]
    fn every_variable_of_categories_has_a_value() {
        let variables = routing().variables();
        for (name, _) in crate::variables::CATEGORY {
            assert!(!variables[name].is_empty(), "{name}");
        }
        assert_eq!(variables["categoriesSeparatedByOr"], "CODING or GENERAL");
        assert_eq!(
            variables["category_colon_descriptions"],
            "CODING: about coding; GENERAL: about general"
        );
    }
}
