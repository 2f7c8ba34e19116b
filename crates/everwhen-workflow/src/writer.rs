//! Writes chapters as the settings file says: with a workflow if it names one, else with its
//! prompts and endpoint.

use std::sync::Arc;

use everwhen::memory::{Address, Role};
use everwhen::ports::{ChapterMaterial, ChapterWords, ChapterWriter, PromptMessage, Wait};
use everwhen::{Config, Engine, Error, MemorySettings, Result};
use serde_json::Value;

use crate::chat::Chat;
use crate::chat_memory::{MemoryPlace, VaultMemory};
use crate::port::{Endpoints, Question};
use crate::run::{Progress, RunObserver, RunUntil, Trace, answer, run};
use crate::workflows::{Workflows, fresh_name};

/// The separator between memories in a prompt.
const BETWEEN: &str = "\n--------------\n";
const NONE_BEFORE: &str = "No preceding memories to show";
/// How many memories count as recent.
const RECENT: usize = 3;

/// The engine with a chapter writer, if the settings file defines one.
pub fn with_writer(
    engine: Engine,
    config: &Config,
    workflows: Option<&Arc<Workflows>>,
) -> Result<Engine> {
    let Some(path) = &config.chapter_settings.value else { return Ok(engine) };
    let settings = MemorySettings::load(path)?;
    let how = match (&settings.rules.workflow, &settings.endpoint) {
        (None, None) => return Ok(engine),
        (Some(name), _) => How::Workflow(name.clone()),
        (None, Some(_)) => How::Prompts,
    };
    let workflows = workflows.ok_or_else(|| {
        let what = "it names a workflow or an endpoint, but workflow.dir is not set";
        Error::invalid(format!("{}: {what}", path.display()))
    })?;
    let writer = Writer { workflows: Arc::clone(workflows), engine: engine.clone(), settings, how };
    writer.check().map_err(|error| error.at(path.display()))?;
    Ok(engine.with_chapter_writer(Arc::new(writer)))
}

enum How {
    Workflow(String),
    Prompts,
}

struct Writer {
    workflows: Arc<Workflows>,
    /// The engine without this writer.
    engine: Engine,
    settings: MemorySettings,
    how: How,
}

impl Writer {
    fn check(&self) -> Result<()> {
        if let How::Workflow(name) = &self.how {
            return self.workflows.found(name).map(drop);
        }
        let endpoint = self.settings.endpoint.as_deref().unwrap_or_default();
        self.workflows.endpoints.check(endpoint, self.settings.preset.as_deref())
    }

    async fn text(&self, material: &ChapterMaterial) -> Result<String> {
        match &self.how {
            How::Workflow(name) => self.run(name, material).await,
            How::Prompts => self.ask(material).await,
        }
    }

    /// Runs a workflow with the excerpt, the recent memories, all memories and the summary as
    /// inputs.
    async fn run(&self, name: &str, material: &ChapterMaterial) -> Result<String> {
        let workflow = self.workflows.found(name)?;
        let vault = self.engine.vault(Address::Id(material.place.vault)).await?;
        let zone = vault.info().await?.zone;
        let memory = Address::Id(material.place.memory);
        let shown = vault.memory(memory.clone()).await?.name.to_string();
        let place = MemoryPlace { engine: self.engine.clone(), vault, memory };
        let message = PromptMessage { role: Role::User, content: material.transcript.clone() };
        let mut chat = Chat::unknown(vec![message], self.engine.now(), zone);
        chat.discussion_id = shown;
        let memory = VaultMemory::new(place, &chat, &fresh_name());
        let inputs = vec![
            material.transcript.clone(),
            recent(material),
            joined(&material.chapters),
            material.summary.clone(),
        ];
        let mut progress = Progress { inputs, ..Progress::default() };
        let variables = chat.variables();
        let files = self.workflows.files_of(Some(material.place.vault));
        let context = self.workflows.context(&memory, &files, &variables);
        run(context, workflow, &mut progress, RunUntil::End, &mut DiscardPieces).await?;
        Ok(answer(workflow, &progress).unwrap_or_default().to_owned())
    }

    /// Calls the endpoint with the user's prompts.
    async fn ask(&self, material: &ChapterMaterial) -> Result<String> {
        const PLACE: &str = "[TextChunk]";
        let rules = &self.settings.rules;
        let own = rules.system_prompt.as_deref();
        let system = own.unwrap_or(include_str!("prompts/chapter.md"));
        let prompt = rules.prompt.as_deref().unwrap_or(PLACE);
        let told = system.contains(PLACE) || prompt.contains(PLACE);
        let prompt = if told { prompt.to_owned() } else { format!("{prompt}\n\n{PLACE}") };
        let message = |role, text: &str| PromptMessage { role, content: filled(text, material) };
        let question = Question {
            endpoint: self.settings.endpoint.as_deref().unwrap_or_default(),
            preset: self.settings.preset.as_deref(),
            messages: vec![message(Role::System, system), message(Role::User, &prompt)],
            max_tokens: rules.max_response_tokens,
        };
        Ok(self.workflows.endpoints.ask(&question, &mut |_| {}).await?.text)
    }
}

impl ChapterWriter for Writer {
    fn write<'a>(&'a self, material: &'a ChapterMaterial) -> Wait<'a, ChapterWords> {
        Box::pin(async move {
            let text = self.text(material).await?;
            match self.settings.searchable {
                true => searchable(&text),
                false => Ok(ChapterWords { text, ..ChapterWords::default() }),
            }
        })
    }
}

/// Fills in the placeholders of a prompt once: inserted text is not parsed again.
fn filled(text: &str, material: &ChapterMaterial) -> String {
    let places = [
        ("[TextChunk]", material.transcript.clone()),
        ("[Memory_file]", recent(material)),
        ("[Full_Memory_file]", joined(&material.chapters)),
        ("[Chat_Summary]", material.summary.clone()),
    ];
    let mut filled = String::new();
    let mut rest = text;
    loop {
        let found = places
            .iter()
            .filter_map(|(place, value)| rest.find(place).map(|at| (at, place.len(), value)));
        let Some((at, length, value)) = found.min_by_key(|(at, ..)| *at) else {
            return filled + rest;
        };
        filled.push_str(&rest[..at]);
        filled.push_str(value);
        rest = &rest[at + length..];
    }
}

fn recent(material: &ChapterMaterial) -> String {
    let chapters = &material.chapters;
    joined(&chapters[chapters.len().saturating_sub(RECENT)..])
}

fn joined(chapters: &[String]) -> String {
    if chapters.is_empty() { NONE_BEFORE.to_owned() } else { chapters.join(BETWEEN) }
}

/// Parses a searchable memory: JSON with a title, a summary, entities and key phrases, one object
/// or several, with any text around it.
fn searchable(text: &str) -> Result<ChapterWords> {
    let wrong = || {
        Error::unavailable(
            "the answer is no JSON with \"title\", \"summary\", \"entities\" and \"key_phrases\"",
        )
    };
    let all = match json_in(text).ok_or_else(wrong)? {
        Value::Array(all) => all,
        one => vec![one],
    };
    let mut words = ChapterWords::default();
    for one in &all {
        let text = |name: &str| one[name].as_str().map(str::trim).filter(|text| !text.is_empty());
        let list = |name: &str| one[name].as_array().map(|list| texts(list));
        let (Some(title), Some(summary)) = (text("title"), text("summary")) else { continue };
        let (Some(entities), Some(phrases)) = (list("entities"), list("key_phrases")) else {
            continue;
        };
        if words.text.is_empty() {
            words.title = title.to_owned();
        } else {
            words.text.push('\n');
        }
        words.text.push_str(summary);
        words.entities.extend(entities);
        words.key_phrases.extend(phrases);
    }
    if words.text.is_empty() { Err(wrong()) } else { Ok(words) }
}

fn texts(list: &[Value]) -> Vec<String> {
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The JSON in a text: in a code fence, else from the first bracket to the last.
fn json_in(text: &str) -> Option<Value> {
    let fenced = text.split_once("```json").and_then(|(_, rest)| rest.split_once("```"));
    if let Some(value) = fenced.and_then(|(inside, _)| serde_json::from_str(inside).ok()) {
        return Some(value);
    }
    [('[', ']'), ('{', '}')].into_iter().find_map(|(open, close)| {
        let (begin, end) = (text.find(open)?, text.rfind(close)?);
        let value: Value = serde_json::from_str(text.get(begin..=end)?).ok()?;
        let objects = value.as_array().is_none_or(|all| all.iter().all(Value::is_object));
        objects.then_some(value)
    })
}

/// Discards the pieces of a reply that is only used as a whole.
struct DiscardPieces;

impl RunObserver for DiscardPieces {
    fn hear(&mut self, _piece: &str) {}

    fn ran(&mut self, _trace: Trace) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn material() -> ChapterMaterial {
        let id = "vlt_00000000000000000000000000".parse();
        let memory = "mem_00000000000000000000000000".parse();
        ChapterMaterial {
            place: everwhen::ports::MemoryRef { vault: id.unwrap(), memory: memory.unwrap() },
            transcript: "said [Chat_Summary]".into(),
            chapters: ["a", "b", "c", "d"].map(str::to_owned).into(),
            summary: "sum".into(),
        }
    }

    #[test]
    fn places_in_prompts_are_filled_once() {
        let text = filled("<[TextChunk]|[Memory_file]|[Chat_Summary]|[TextChunk]>", &material());
        let recent = "b\n--------------\nc\n--------------\nd";
        assert_eq!(text, format!("<said [Chat_Summary]|{recent}|sum|said [Chat_Summary]>"));
        assert_eq!(joined(&[]), NONE_BEFORE);
    }

    #[test]
    fn a_searchable_memory_is_found_in_whatever_a_model_says() {
        let one = r#"{"title": "T", "summary": "S", "entities": ["E"], "key_phrases": ["K"], "mood": "x"}"#;
        for text in [one.to_owned(), format!("Sure:\n```json\n{one}\n```"), format!("[{one}] ok?")]
        {
            let words = searchable(&text).unwrap();
            assert_eq!((words.title.as_str(), words.text.as_str()), ("T", "S"), "{text}");
            assert_eq!((words.entities.len(), words.key_phrases.len()), (1, 1));
        }
        let both = searchable(&format!("[{one}, {{\"title\": \"lacks\"}}, {one}]")).unwrap();
        assert_eq!(both.text, "S\nS");
        for text in ["no JSON", "{\"title\": \"T\"}", "[]"] {
            assert!(searchable(text).is_err(), "{text}");
        }
    }
}
