//! The settings file for chapters, `_DiscussionId-MemoryFile-Workflow-Settings.json`: JSON with
//! comments, in WilmerAI's format.
//!
//! `useVectorForQualityMemory` chooses between two sets of keys; the other set is parsed and
//! checked, too. A workflow overrides the prompts. Keys that have no effect here are accepted and
//! listed; a key that looks like a misspelled one is rejected with the one that was meant.

mod upkeep;

use std::path::Path;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::chapters::ChapterRules;
use crate::ports::CondenseRule;
use crate::{Error, Result};

/// The values of the file, with defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemorySettings {
    /// `useVectorForQualityMemory`: chapters have a title, a summary, entities and key phrases for
    /// search, instead of plain text.
    pub searchable: bool,
    /// The chapter rules of the chosen set.
    pub rules: ChapterRules,
    /// `endpointName`, or `vectorMemoryEndpointName` in that set: the endpoint to call.
    pub endpoint: Option<String>,
    /// `preset`, or `vectorMemoryPreset`: the preset of the call.
    pub preset: Option<String>,
    /// `condenseMemories` and its keys: how several chapters become one.
    pub condensing: Option<Condensing>,
    /// `useStateDocument` and its keys: the workflow that merges new chapters into a document.
    pub state_document: Option<StateDocument>,
    /// `vectorMemoryIndexTopics`: topics that a model names are key phrases, too.
    pub index_topics: bool,
    /// Keys of WilmerAI that have no effect here, with their lines.
    pub idle: Vec<(String, usize)>,
}

/// How several chapters become one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condensing {
    /// When.
    pub rule: CondenseRule,
    /// The endpoint to call.
    pub endpoint: Option<String>,
    /// The preset of the call.
    pub preset: Option<String>,
    /// The user's own system prompt.
    pub system_prompt: Option<String>,
    /// The user's own prompt, with `[MemoriesToCondense]` where the chapters go.
    pub prompt: Option<String>,
    /// Maximum length of the text, in tokens.
    pub max_tokens: u32,
}

/// How a state document is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateDocument {
    /// The workflow that merges new chapters into it.
    pub workflow: String,
    /// A version with a smaller share of the document before it is refused, in thousandths.
    pub min_retention: u32,
}

/// Numbers, texts and booleans that have an effect here.
const NUMBERS: [&str; 13] = [
    "chunkEstimatedTokenSize",
    "maxMessagesBetweenChunks",
    "lookbackStartTurn",
    "maxResponseSizeInTokens",
    "vectorMemoryChunkEstimatedTokenSize",
    "vectorMemoryMaxMessagesBetweenChunks",
    "vectorMemoryLookBackTurns",
    "vectorMemoryMaxResponseSizeInTokens",
    "minMemoriesPerSummary",
    "loopIfMemoriesExceed",
    "memoriesBeforeCondensation",
    "memoryCondensationBuffer",
    "condenseMemoriesMaxResponseSizeInTokens",
];
const TEXTS: [&str; 14] = [
    "systemPrompt",
    "prompt",
    "endpointName",
    "preset",
    "fileMemoryWorkflowName",
    "vectorMemoryWorkflowName",
    "vectorMemoryEndpointName",
    "vectorMemoryPreset",
    "wilmerContextEstimationLevel",
    "condenseMemoriesEndpointName",
    "condenseMemoriesPreset",
    "condenseMemoriesSystemPrompt",
    "condenseMemoriesPrompt",
    "stateDocumentWorkflowName",
];
const SWITCHES: [&str; 4] = [
    "useVectorForQualityMemory",
    "condenseMemories",
    "useStateDocument",
    "vectorMemoryIndexTopics",
];
/// A share, from 0 to 1.
const RATIO: &str = "stateDocumentMinRetentionRatio";
/// Numbers that may be 0.
const MAY_BE_ZERO: [&str; 3] =
    ["lookbackStartTurn", "vectorMemoryLookBackTurns", "memoryCondensationBuffer"];
/// Keys of WilmerAI that have no effect here.
const IDLE: [&str; 3] =
    ["condensationLockTimeoutSeconds", "embeddingBackfillBatchSize", "embeddingEndpointName"];

impl Default for MemorySettings {
    fn default() -> Self {
        let rules = ChapterRules::default();
        Self {
            searchable: false,
            rules,
            endpoint: None,
            preset: None,
            condensing: None,
            state_document: None,
            index_topics: false,
            idle: Vec::new(),
        }
    }
}

impl MemorySettings {
    /// Reads the file at this path.
    pub fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Error::invalid(format!("cannot read the memory settings {}: {error}", path.display()))
        })?;
        Self::read(path, &text)
    }

    /// Parses a text; `path` is used in errors.
    pub fn read(path: &Path, text: &str) -> Result<Self> {
        let file = File { path, text };
        let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
        let parsed = parsed.map_err(|error| {
            let problem = format!("this is not JSON: {}; comments are allowed", error.kind());
            file.refuse_line(error.line_display(), &problem)
        })?;
        match &parsed.value {
            Some(Value::Object(object)) => Read::of(&file, object)?.settings(),
            _ => Err(file.refuse_line(1, "write an object with the settings, such as {}")),
        }
    }
}

/// The file being parsed.
struct File<'a> {
    path: &'a Path,
    text: &'a str,
}

impl File<'_> {
    fn line(&self, place: usize) -> usize {
        self.text.as_bytes().iter().take(place).filter(|byte| **byte == b'\n').count() + 1
    }

    fn refuse_line(&self, line: usize, problem: &str) -> Error {
        Error::invalid(format!("{}:{line}: {problem}", self.path.display()))
    }
}

/// Values by key, each of the type of its key.
struct Read<'f> {
    file: &'f File<'f>,
    numbers: Vec<(&'static str, u32)>,
    texts: Vec<(&'static str, String, usize)>,
    switches: Vec<(&'static str, bool, usize)>,
    searchable: bool,
    /// A share in thousandths.
    retention: Option<u32>,
    idle: Vec<(String, usize)>,
}

impl<'f> Read<'f> {
    fn of(file: &'f File<'f>, object: &Object<'_>) -> Result<Self> {
        let (numbers, texts) = (Vec::new(), Vec::new());
        let (switches, idle) = (Vec::new(), Vec::new());
        let mut read =
            Self { file, numbers, texts, switches, searchable: false, retention: None, idle };
        for property in &object.properties {
            read.take(property.name.as_str(), &property.value, property.start())?;
        }
        read.searchable = read.is_on("useVectorForQualityMemory");
        Ok(read)
    }

    fn take(&mut self, name: &str, value: &Value<'_>, place: usize) -> Result<()> {
        let line = self.file.line(place);
        let known = |names: &[&'static str]| names.iter().copied().find(|one| *one == name);
        if let Some(key) = known(&NUMBERS) {
            self.numbers.push((key, self.number(key, value, line)?));
        } else if let Some(key) = known(&TEXTS) {
            let text = self.text(key, value, line)?;
            self.texts.push((key, text, line));
        } else if let Some(key) = known(&SWITCHES) {
            self.switches.push((key, self.switch(key, value, line)?, line));
        } else if name == RATIO {
            self.retention = Some(self.ratio(value, line)?);
        } else if known(&IDLE).is_some() {
            self.idle.push((name.to_owned(), line));
        } else if let Some(problem) = unknown(name) {
            return Err(self.file.refuse_line(line, &problem));
        } else if !is_remark(name) {
            self.idle.push((name.to_owned(), line));
        }
        Ok(())
    }

    fn number(&self, key: &str, value: &Value<'_>, line: usize) -> Result<u32> {
        let least = u32::from(!MAY_BE_ZERO.contains(&key));
        let number = match value {
            Value::NumberLit(number) => number.value.parse().ok(),
            _ => None,
        };
        number.filter(|number| *number >= least).ok_or_else(|| {
            let right = format!("`{key}` takes a whole number from {least} on");
            self.file.refuse_line(line, &right)
        })
    }

    fn text(&self, key: &str, value: &Value<'_>, line: usize) -> Result<String> {
        match value {
            Value::StringLit(text) => Ok(text.value.to_string()),
            Value::NullKeyword(_) => Ok(String::new()),
            _ => Err(self.file.refuse_line(line, &format!("`{key}` takes text"))),
        }
    }

    fn switch(&self, key: &str, value: &Value<'_>, line: usize) -> Result<bool> {
        match value {
            Value::BooleanLit(flag) => Ok(flag.value),
            _ => Err(self.file.refuse_line(line, &format!("`{key}` takes true or false"))),
        }
    }

    /// A share from 0 to 1, in thousandths.
    fn ratio(&self, value: &Value<'_>, line: usize) -> Result<u32> {
        let share = match value {
            Value::NumberLit(number) => number.value.parse::<f64>().ok(),
            _ => None,
        };
        let share = share.filter(|share| (0.0..=1.0).contains(share));
        let wrong =
            || self.file.refuse_line(line, &format!("`{RATIO}` takes a number from 0 to 1"));
        share.map(|share| (share * 1_000.0) as u32).ok_or_else(wrong)
    }

    fn is_on(&self, key: &str) -> bool {
        self.switches.iter().any(|(name, on, _)| *name == key && *on)
    }

    /// The value of the first of these keys that is set.
    fn first_number(&self, keys: &[&str]) -> Option<u32> {
        keys.iter()
            .find_map(|key| self.numbers.iter().find(|(name, _)| name == key))
            .map(|one| one.1)
    }

    /// The text of the first of these keys that is set and not empty.
    fn first_text(&self, keys: &[&str]) -> Option<String> {
        let filled = |key: &&str| {
            self.texts.iter().find(|(name, text, _)| name == key && !text.trim().is_empty())
        };
        keys.iter().find_map(filled).map(|(_, text, _)| text.clone())
    }

    fn settings(&self) -> Result<MemorySettings> {
        let (endpoint, preset): (&[&str], &[&str]) = match self.searchable {
            true => {
                (&["vectorMemoryEndpointName", "endpointName"], &["vectorMemoryPreset", "preset"])
            }
            false => (&["endpointName"], &["preset"]),
        };
        Ok(MemorySettings {
            searchable: self.searchable,
            rules: self.rules()?,
            endpoint: self.first_text(endpoint),
            preset: self.first_text(preset),
            condensing: self.condensing(),
            state_document: self.state_document(),
            index_topics: self.searchable && self.is_on("vectorMemoryIndexTopics"),
            idle: self.without_effect(),
        })
    }

    fn rules(&self) -> Result<ChapterRules> {
        let usual = ChapterRules::default();
        let number = |keys: &[&str], usual: usize| {
            self.first_number(keys).map_or(usual, |number| number as usize)
        };
        let mut rules = ChapterRules {
            min_per_summary: number(&["minMemoriesPerSummary"], usual.min_per_summary),
            most_per_summary: number(&["loopIfMemoriesExceed"], usual.most_per_summary),
            ..if self.searchable { self.searchable_rules(number) } else { self.plain_rules(number) }
        };
        rules.chunk_tokens = (rules.chunk_tokens as f64 * self.stretch()?) as usize;
        Ok(rules)
    }

    /// The rules of searchable chapters.
    fn searchable_rules(&self, number: impl Fn(&[&str], usize) -> usize) -> ChapterRules {
        let usual = ChapterRules::default();
        let response = self.first_number(&["vectorMemoryMaxResponseSizeInTokens"]);
        ChapterRules {
            chunk_tokens: number(&["vectorMemoryChunkEstimatedTokenSize"], usual.chunk_tokens),
            max_messages: number(&["vectorMemoryMaxMessagesBetweenChunks"], usual.max_messages),
            lookback: number(&["vectorMemoryLookBackTurns", "lookbackStartTurn"], usual.lookback),
            max_response_tokens: response.unwrap_or(1024),
            workflow: self.first_text(&["vectorMemoryWorkflowName"]),
            ..usual
        }
    }

    /// The rules of plain chapters. A workflow overrides the prompts.
    fn plain_rules(&self, number: impl Fn(&[&str], usize) -> usize) -> ChapterRules {
        let usual = ChapterRules::default();
        let workflow = self.first_text(&["fileMemoryWorkflowName"]);
        let prompt = |key: &str| self.first_text(&[key]).filter(|_| workflow.is_none());
        let response = self.first_number(&["maxResponseSizeInTokens"]);
        ChapterRules {
            chunk_tokens: number(&["chunkEstimatedTokenSize"], usual.chunk_tokens),
            max_messages: number(&["maxMessagesBetweenChunks"], usual.max_messages),
            lookback: number(&["lookbackStartTurn"], usual.lookback),
            max_response_tokens: response.unwrap_or(usual.max_response_tokens),
            system_prompt: prompt("systemPrompt"),
            prompt: prompt("prompt"),
            workflow,
            ..usual
        }
    }

    /// Factor by which a chapter may be larger, because tokens are overestimated.
    fn stretch(&self) -> Result<f64> {
        const KEY: &str = "wilmerContextEstimationLevel";
        let level = self.texts.iter().find(|(name, ..)| *name == KEY);
        let Some((_, level, line)) = level.filter(|(_, level, _)| !level.is_empty()) else {
            return Ok(1.0);
        };
        match level.to_lowercase().as_str() {
            "conservative" => Ok(1.0),
            "balanced" => Ok(1.25),
            "aggressive" => Ok(1.5),
            "xaggressive" => Ok(1.85),
            _ => Err(self.file.refuse_line(
                *line,
                &format!("`{KEY}` takes conservative, balanced, aggressive or xaggressive"),
            )),
        }
    }
}

/// Whether a key is a remark for people, such as WilmerAI's `Display_Only_Description`.
fn is_remark(name: &str) -> bool {
    let name = name.to_lowercase().replace('_', "");
    name.starts_with("displayonly") || name.starts_with("comment")
}

/// What is wrong with an unknown key, if it looks like a known one. Other keys are accepted: files
/// carry remarks and settings that have no effect here.
fn unknown(name: &str) -> Option<String> {
    let known = NUMBERS.iter().chain(&TEXTS).chain(&SWITCHES);
    let likeness = |known: &str| strsim::jaro_winkler(&name.to_lowercase(), &known.to_lowercase());
    let nearest = known.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let nearest = nearest.filter(|nearest| likeness(nearest) > 0.9)?;
    Some(format!("unknown key `{name}`; did you mean `{nearest}`?"))
}

#[cfg(test)]
mod tests;
