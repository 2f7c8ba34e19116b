//! The settings file of a memory, `_DiscussionId-MemoryFile-Workflow-Settings.json`: JSON with comments
//! that says how chapters are written.
//!
//! `useVectorForQualityMemory` chooses between two sets of keys; the other set is read and checked all
//! the same. A named workflow overrides the prompts beside it. Keys of the original that change nothing
//! here are accepted and listed, unknown ones are refused with the one that was probably meant.

use std::path::Path;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::chapters::ChapterRules;
use crate::{Error, Result};

/// What the file says, with what holds where it says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemorySettings {
    /// `useVectorForQualityMemory`: chapters are made to be searched (title, summary, entities, key
    /// phrases) instead of in plain words.
    pub searchable: bool,
    /// The rules that follow, of the set that was chosen.
    pub rules: ChapterRules,
    /// `endpointName`, or `vectorMemoryEndpointName` where that set is chosen: who is asked.
    pub endpoint: Option<String>,
    /// `preset`, or `vectorMemoryPreset`: how.
    pub preset: Option<String>,
    /// Keys that the original knows and that change nothing here, with their lines.
    pub idle: Vec<(String, usize)>,
}

/// Whole numbers, texts and switches that have a meaning here.
const NUMBERS: [&str; 10] = [
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
];
const TEXTS: [&str; 9] = [
    "systemPrompt",
    "prompt",
    "endpointName",
    "preset",
    "fileMemoryWorkflowName",
    "vectorMemoryWorkflowName",
    "vectorMemoryEndpointName",
    "vectorMemoryPreset",
    "wilmerContextEstimationLevel",
];
const SWITCHES: [&str; 1] = ["useVectorForQualityMemory"];
/// Numbers that may be nothing at all.
const MAY_BE_ZERO: [&str; 2] = ["lookbackStartTurn", "vectorMemoryLookBackTurns"];
/// Keys of the original for what is done otherwise here, or not at all.
const IDLE: [&str; 14] = [
    "condensationLockTimeoutSeconds",
    "condenseMemories",
    "memoriesBeforeCondensation",
    "memoryCondensationBuffer",
    "condenseMemoriesEndpointName",
    "condenseMemoriesPreset",
    "condenseMemoriesMaxResponseSizeInTokens",
    "condenseMemoriesSystemPrompt",
    "condenseMemoriesPrompt",
    "embeddingBackfillBatchSize",
    "embeddingEndpointName",
    "stateDocumentMinRetentionRatio",
    "stateDocumentWorkflowName",
    "useStateDocument",
];
/// Another key of the same kind.
const IDLE_TOPICS: &str = "vectorMemoryIndexTopics";

impl Default for MemorySettings {
    fn default() -> Self {
        let rules = ChapterRules::default();
        Self { searchable: false, rules, endpoint: None, preset: None, idle: Vec::new() }
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

    /// Reads a text; `path` is for what may be said about it.
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

/// The file being read.
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

/// Values by key, each of the kind its key takes.
struct Read<'f> {
    file: &'f File<'f>,
    numbers: Vec<(&'static str, u32)>,
    texts: Vec<(&'static str, String, usize)>,
    searchable: bool,
    idle: Vec<(String, usize)>,
}

impl<'f> Read<'f> {
    fn of(file: &'f File<'f>, object: &Object<'_>) -> Result<Self> {
        let (numbers, texts) = (Vec::new(), Vec::new());
        let mut read = Self { file, numbers, texts, searchable: false, idle: Vec::new() };
        for property in &object.properties {
            read.take(property.name.as_str(), &property.value, property.start())?;
        }
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
        } else if known(&SWITCHES).is_some() {
            self.searchable = self.switch(name, value, line)?;
        } else if known(&IDLE).is_some() || name == IDLE_TOPICS {
            self.idle.push((name.to_owned(), line));
        } else {
            return Err(self.file.refuse_line(line, &unknown(name)));
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

    /// The value of the first of these keys that has one.
    fn first_number(&self, keys: &[&str]) -> Option<u32> {
        keys.iter()
            .find_map(|key| self.numbers.iter().find(|(name, _)| name == key))
            .map(|one| one.1)
    }

    /// The same of texts; an empty one says nothing.
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
            idle: self.idle.clone(),
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

    /// The rules of chapters that are made to be searched.
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

    /// The rules of chapters in plain words. A workflow overrides the prompts.
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

    /// By how much a chapter may be larger, because the estimate of tokens is on the safe side.
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

fn unknown(name: &str) -> String {
    let known = NUMBERS.iter().chain(&TEXTS).chain(&SWITCHES);
    let likeness = |known: &str| strsim::jaro_winkler(&name.to_lowercase(), &known.to_lowercase());
    let nearest = known.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match nearest.filter(|nearest| likeness(nearest) > 0.8) {
        Some(nearest) => format!("unknown key `{name}`; did you mean `{nearest}`?"),
        None => format!("unknown key `{name}`; take it out"),
    }
}

#[cfg(test)]
mod tests;
