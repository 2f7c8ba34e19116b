//! Writes chapters and the rolling summary as the settings file says: with a workflow if it names
//! one, else with its prompts and endpoint.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use everwhen::memory::{Address, Role};
use everwhen::ports::{
    ChapterMaterial, ChapterWords, ChapterWriter, CondenseMaterial, CondenseRule, MemoryRef,
    PromptMessage, StateMaterial, SummaryMaterial, Wait,
};
use everwhen::{Config, Engine, Error, MemorySettings, Result, StateDocument};
use serde_json::Value;

use crate::chat::Chat;
use crate::chat_memory::{MemoryPlace, VaultMemory};
use crate::metered::MeteredEndpoints;
use crate::port::Question;
use crate::run::{Progress, RunObserver, RunUntil, Trace, answer, run};
use crate::search::BETWEEN_MEMORIES;
use crate::set::WorkflowSet;
use crate::summarizer::{NodeSummarizer, filled};
use crate::template::Template;
use crate::variables::Sizes;
use crate::workflows::{Workflows, fresh_name};

/// The separator between memories in a prompt.
const BETWEEN: &str = "\n--------------\n";
const NONE_BEFORE: &str = "No preceding memories to show";
/// How many memories count as recent.
const RECENT: usize = 3;
/// A state document of at most this many characters may shrink as it likes.
const SMALL_DOCUMENT: usize = 500;
/// Maximum length of a summary that is written with our own prompt, in tokens.
const SUMMARY_TOKENS: u32 = 800;

/// The engine with a writer of chapters and summaries, if a settings file or a workflow defines one.
/// What is wrong with the settings file is logged, and the engine writes by itself then.
pub fn with_writer(engine: Engine, config: &Config, workflows: Option<&Arc<Workflows>>) -> Engine {
    let Some(workflows) = workflows else { return engine };
    let settings = config.chapter_settings.value.clone();
    for problem in workflows.current().settings_problems(settings.as_deref()) {
        tracing::error!("{problem}");
    }
    let (workflows, writer_engine) = (Arc::clone(workflows), engine.clone());
    engine.with_chapter_writer(Arc::new(Writer { workflows, engine: writer_engine, settings }))
}

/// A call to an endpoint.
struct Call<'c> {
    endpoint: &'c str,
    preset: Option<&'c str>,
    max_tokens: u32,
}

struct Writer {
    workflows: Arc<Workflows>,
    /// The engine without this writer.
    engine: Engine,
    /// The settings file, which is read again for every chapter.
    settings: Option<PathBuf>,
}

impl Writer {
    fn settings(&self) -> Option<MemorySettings> {
        MemorySettings::load(self.settings.as_deref()?).ok()
    }

    async fn text(&self, material: &ChapterMaterial) -> Result<(String, MemorySettings)> {
        let settings = self.settings().ok_or_else(|| Error::unavailable("no settings file"))?;
        let text = match &settings.rules.workflow {
            Some(name) => self.run(name, material).await?,
            None => self.ask(&settings, material).await?,
        };
        Ok((text, settings))
    }

    /// Runs a workflow with the excerpt, the recent memories, all memories and the summary as
    /// inputs.
    async fn run(&self, name: &str, material: &ChapterMaterial) -> Result<String> {
        let inputs = vec![
            material.transcript.clone(),
            recent(material),
            joined(&material.chapters),
            material.summary.clone(),
        ];
        self.run_with(name, material.place, inputs).await
    }

    /// Runs a workflow in a chat whose only message is the first input.
    pub(crate) async fn run_with(
        &self,
        name: &str,
        place: MemoryRef,
        inputs: Vec<String>,
    ) -> Result<String> {
        let set = self.workflows.current();
        let chosen = set.for_settings();
        let workflow = set.found_in(&chosen, name)?;
        let chat = self.chat(place, inputs.first().cloned().unwrap_or_default()).await?;
        let vault = self.engine.vault(Address::Id(place.vault)).await?;
        let memory = Address::Id(place.memory);
        let models = MeteredEndpoints::over(chosen.endpoints, Some(&vault));
        let home = MemoryPlace { engine: self.engine.clone(), vault, memory };
        let files = self.workflows.files_at(Some(&home)).await;
        let memory = VaultMemory::new(home, &chat, &fresh_name(), files.read_at());
        let mut progress = Progress { inputs, ..Progress::default() };
        let (variables, extra) = (chat.variables(None), BTreeMap::new());
        let context = set.context(&chosen, &models, (&memory, &files), &variables, &extra);
        run(context, workflow, &mut progress, RunUntil::End, &mut DiscardPieces).await?;
        Ok(answer(workflow, &progress).unwrap_or_default().to_owned())
    }

    /// A chat with one message.
    async fn chat(&self, place: MemoryRef, content: String) -> Result<Chat> {
        let vault = self.engine.vault(Address::Id(place.vault)).await?;
        let zone = vault.info().await?.zone;
        let memory = vault.memory(Address::Id(place.memory)).await?;
        let message = PromptMessage { role: Role::User, content };
        let mut chat = Chat::unknown(vec![message], self.engine.now(), zone);
        chat.discussion_id = memory.name.to_string();
        Ok(chat)
    }

    /// Calls the endpoint with the user's prompts.
    async fn ask(&self, settings: &MemorySettings, material: &ChapterMaterial) -> Result<String> {
        const PLACE: &str = "[TextChunk]";
        let rules = &settings.rules;
        let usual = match settings.searchable {
            true => include_str!("prompts/searchable.md"),
            false => include_str!("prompts/chapter.md"),
        };
        let system = rules.system_prompt.as_deref().unwrap_or(usual);
        let prompt = rules.prompt.as_deref().unwrap_or(PLACE);
        let has_place = system.contains(PLACE) || prompt.contains(PLACE);
        let prompt = if has_place { prompt.to_owned() } else { format!("{prompt}\n\n{PLACE}") };
        let recent = recent(material);
        let all = joined(&material.chapters);
        let places = [
            (PLACE, material.transcript.as_str()),
            ("[Memory_file]", &recent),
            ("[Full_Memory_file]", &all),
            ("[Chat_Summary]", &material.summary),
        ];
        let call = Call {
            endpoint: settings.endpoint.as_deref().unwrap_or_default(),
            preset: settings.preset.as_deref(),
            max_tokens: rules.max_response_tokens,
        };
        let said = material.transcript.clone();
        self.call(&call, (material.place, said), (system, &prompt), &places).await
    }

    /// Calls an endpoint with prompts of the settings file: variables first, so that what was said is
    /// never read as a variable, then the placeholders.
    async fn call(
        &self,
        call: &Call<'_>,
        (place, said): (MemoryRef, String),
        (system, prompt): (&str, &str),
        places: &[(&str, &str)],
    ) -> Result<String> {
        let set = self.workflows.current();
        let chosen = set.for_settings();
        let chat = self.chat(place, said).await?.variables(None);
        let message = |role, text: &str| {
            let value = |name: &str| {
                let users = chosen.profile.variables.get(name).cloned();
                let value = users.or_else(|| chat.value(name, Sizes::default()));
                Some(value.unwrap_or_else(|| format!("{{{name}}}")))
            };
            let text = Template::read(text).fill(value).unwrap_or_else(|_| text.to_owned());
            PromptMessage { role, content: filled(&text, places) }
        };
        let question = Question {
            endpoint: call.endpoint,
            preset: call.preset,
            messages: vec![message(Role::System, system), message(Role::User, prompt)],
            max_tokens: call.max_tokens,
            ..Question::default()
        };
        let vault = self.engine.vault(Address::Id(place.vault)).await?;
        let models = MeteredEndpoints::over(chosen.endpoints, Some(&vault));
        Ok(models.ask(&question, &mut |_| {}).await?.text)
    }

    async fn condensed(&self, material: &CondenseMaterial) -> Result<String> {
        const PLACE: &str = "[MemoriesToCondense]";
        let settings = self.settings().and_then(|settings| settings.condensing);
        let settings = settings.ok_or_else(|| Error::unavailable("no settings file"))?;
        let endpoint = settings.endpoint.as_deref().unwrap_or_default();
        let (preset, max_tokens) = (settings.preset.as_deref(), settings.max_tokens);
        let system = settings.system_prompt.as_deref();
        let system = system.unwrap_or(include_str!("prompts/condense.md"));
        let prompt = settings.prompt.as_deref().unwrap_or(PLACE);
        let has_place = system.contains(PLACE) || prompt.contains(PLACE);
        let prompt = if has_place { prompt.to_owned() } else { format!("{prompt}\n\n{PLACE}") };
        let (memories, before) = (joined(&material.chapters), joined(&material.before));
        let places =
            [(PLACE, memories.as_str()), ("[Memories_Before_Memories_to_Condense]", &before)];
        let call = Call { endpoint, preset, max_tokens };
        self.call(&call, (material.place, memories.clone()), (system, &prompt), &places).await
    }

    /// The next version of the state document. An empty one and one that has lost too much are
    /// refused.
    async fn merged(&self, document: &StateDocument, material: &StateMaterial) -> Result<String> {
        let new_chapters =
            material.new_chapters.iter().flat_map(|text| text.split(BETWEEN_MEMORIES));
        let new_chapters: Vec<String> =
            new_chapters.map(|one| format!("- {}", one.trim())).collect();
        let inputs = vec![new_chapters.join("\n"), material.document.clone()];
        let text = self.run_with(&document.workflow, material.place, inputs).await?;
        let (before, after) = (material.document.chars().count(), text.trim().chars().count());
        if after == 0 {
            return Err(Error::unavailable("the workflow returned an empty document"));
        }
        if before > SMALL_DOCUMENT && after * 1_000 < before * document.min_retention as usize {
            return Err(Error::unavailable(format!(
                "the workflow returned {after} characters instead of {before}"
            )));
        }
        Ok(text)
    }

    /// Who writes the rolling summary: the prompts of the user's workflow for it, else the endpoint
    /// of the settings file with our own prompt.
    fn summarizer(&self, set: &WorkflowSet) -> Option<NodeSummarizer> {
        set.summarizer().or_else(|| {
            let settings = self.settings()?;
            Some(NodeSummarizer {
                endpoints: Arc::clone(set.for_settings().endpoints),
                endpoint: settings.endpoint?,
                preset: settings.preset,
                system: include_str!("prompts/summary.md").to_owned(),
                prompt: "Summary so far:\n[CHAT_SUMMARY]\n\nNext chapters:\n[LATEST_MEMORIES]"
                    .into(),
                max_tokens: SUMMARY_TOKENS,
            })
        })
    }
}

impl ChapterWriter for Writer {
    fn write<'a>(&'a self, material: &'a ChapterMaterial) -> Wait<'a, ChapterWords> {
        Box::pin(async move {
            let (text, settings) = self.text(material).await?;
            match settings.searchable {
                true => searchable(&text, settings.index_topics),
                false => Ok(ChapterWords { text, ..ChapterWords::default() }),
            }
        })
    }

    fn writes_chapters(&self) -> bool {
        self.settings().is_some_and(|settings| {
            settings.rules.workflow.is_some() || settings.endpoint.is_some()
        })
    }

    fn fold<'a>(&'a self, material: &'a SummaryMaterial) -> Wait<'a, Option<String>> {
        Box::pin(async move {
            let Some(mut summarizer) = self.summarizer(&self.workflows.current()) else {
                return Ok(None);
            };
            let vault = self.engine.vault(Address::Id(material.place.vault)).await?;
            summarizer.endpoints = MeteredEndpoints::over(&summarizer.endpoints, Some(&vault));
            summarizer.ask(material).await.map(Some)
        })
    }

    fn condenses(&self) -> Option<CondenseRule> {
        Some(self.settings()?.condensing?.rule)
    }

    fn condense<'a>(&'a self, material: &'a CondenseMaterial) -> Wait<'a, Option<String>> {
        Box::pin(async move {
            let text = self.condensed(material).await.and_then(|text| match text.trim() {
                "" => Err(Error::unavailable("the model's answer is empty")),
                text => Ok(text.to_owned()),
            });
            match text {
                Ok(text) => Ok(Some(text)),
                Err(error) => {
                    tracing::warn!(%error, "memories are not condensed; a later time tries again");
                    Ok(None)
                }
            }
        })
    }

    fn keeps_state_document(&self) -> bool {
        self.settings().is_some_and(|settings| settings.state_document.is_some())
    }

    fn merge_state<'a>(&'a self, material: &'a StateMaterial) -> Wait<'a, Option<String>> {
        Box::pin(async move {
            let Some(document) = self.settings().and_then(|settings| settings.state_document)
            else {
                return Ok(None);
            };
            match self.merged(&document, material).await {
                Ok(text) => Ok(Some(text)),
                Err(error) => {
                    tracing::warn!(%error, "the state document stays as it is");
                    Ok(None)
                }
            }
        })
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
fn searchable(text: &str, with_topics: bool) -> Result<ChapterWords> {
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
            words.text.push_str(BETWEEN_MEMORIES);
        }
        words.text.push_str(&summary.replace(BETWEEN_MEMORIES, ", "));
        words.entities.extend(entities);
        words.key_phrases.extend(phrases);
        words.key_phrases.extend(list("topics").filter(|_| with_topics).unwrap_or_default());
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
    fn on_text(&mut self, _piece: &str) {}

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
        let material = material();
        let recent = recent(&material);
        let places = [
            ("[TextChunk]", material.transcript.as_str()),
            ("[Memory_file]", &recent),
            ("[Chat_Summary]", &material.summary),
        ];
        let text = filled("<[TextChunk]|[Memory_file]|[Chat_Summary]|[TextChunk]>", &places);
        let recent = "b\n--------------\nc\n--------------\nd";
        assert_eq!(text, format!("<said [Chat_Summary]|{recent}|sum|said [Chat_Summary]>"));
        assert_eq!(joined(&[]), NONE_BEFORE);
    }

    #[test]
    fn a_searchable_memory_is_found_in_whatever_a_model_says() {
        let one = r#"{"title": "T", "summary": "S", "entities": ["E"], "key_phrases": ["K"], "mood": "x"}"#;
        for text in [one.to_owned(), format!("Sure:\n```json\n{one}\n```"), format!("[{one}] ok?")]
        {
            let words = searchable(&text, false).unwrap();
            assert_eq!((words.title.as_str(), words.text.as_str()), ("T", "S"), "{text}");
            assert_eq!((words.entities.len(), words.key_phrases.len()), (1, 1));
        }
        let both = searchable(&format!("[{one}, {{\"title\": \"lacks\"}}, {one}]"), true).unwrap();
        assert_eq!(both.text, "S • S");
        for text in ["no JSON", "{\"title\": \"T\"}", "[]"] {
            assert!(searchable(text, false).is_err(), "{text}");
        }
    }
}
