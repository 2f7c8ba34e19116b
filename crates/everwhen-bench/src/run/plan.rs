//! `bench.toml`: which questions, how they are asked, who answers and who judges.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use everwhen::LlmConfig;
use everwhen::memory::SeededChance;
use everwhen::models::{LlmSetting, Price, RemoteLlm, Secret};
use everwhen::ports::Llm;
use serde::{Deserialize, Serialize};

use super::extractive::Extractive;
use super::source::Form;

/// How far a question is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Ingest its sessions.
    Ingest,
    /// And what it asks for is looked up.
    Retrieval,
    /// And it is answered and judged.
    Qa,
}

/// The plan of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Which questions.
    pub dataset: DatasetPlan,
    /// How questions are processed.
    #[serde(default)]
    pub run: RunPlan,
    /// The model that writes summaries and facts of ingested sessions; none if absent.
    pub ingest: Option<ModelPlan>,
    /// Who answers; if absent, the sentence that fits best.
    #[serde(default)]
    pub answer: ModelPlan,
    /// The model that judges in addition to the rules; none if absent.
    pub judge: Option<ModelPlan>,
}

/// Which questions.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatasetPlan {
    /// The data; relative to the plan.
    pub path: PathBuf,
    /// Its form.
    pub form: Form,
}

/// How questions are processed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunPlan {
    /// How far.
    pub mode: Mode,
    /// The number of questions at once.
    pub workers: usize,
    /// The model may ask for more before it answers.
    pub two_pass: bool,
    /// Tokens of what is remembered that the model is shown.
    pub budget_tokens: usize,
    /// Time goes by in steps of its own, so that every run measures the same.
    pub scripted_clock: bool,
    /// Whether conversation time is measured.
    pub metrics: bool,
    /// Random seed, for the jitter of retries.
    pub seed: u64,
}

impl Default for RunPlan {
    fn default() -> Self {
        Self {
            mode: Mode::Qa,
            workers: 1,
            two_pass: true,
            budget_tokens: 3000,
            scripted_clock: false,
            metrics: true,
            seed: 1,
        }
    }
}

/// A model.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelPlan {
    /// `openai`, `anthropic`, `ollama`, or `extractive`, which needs no model.
    pub provider: String,
    /// Where it is, if not where it usually is.
    pub base_url: Option<String>,
    /// Which one.
    pub model: String,
    /// What to show the provider; never written anywhere. Without it, that of `[llm]`.
    #[serde(skip_serializing)]
    pub key: Option<String>,
    /// Tokens of a reply.
    pub max_tokens: u32,
    /// Price of a million tokens read.
    pub input_price: f64,
    /// Price of a million tokens written.
    pub output_price: f64,
}

impl Default for ModelPlan {
    fn default() -> Self {
        Self {
            provider: "extractive".into(),
            base_url: None,
            model: String::new(),
            key: None,
            max_tokens: 300,
            input_price: 0.0,
            output_price: 0.0,
        }
    }
}

impl Plan {
    /// Reads a plan; paths in it begin where it lies.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let mut plan: Self =
            toml::from_str(&text).with_context(|| format!("{} is no plan", path.display()))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        plan.dataset.path = folder.join(&plan.dataset.path);
        Ok(plan)
    }
}

impl ModelPlan {
    /// The model, ready to ask.
    pub(super) fn open(&self, settings: &LlmConfig, seed: u64) -> Result<Arc<dyn Llm>> {
        if self.provider == "extractive" {
            return Ok(Arc::new(Extractive));
        }
        let usual =
            LlmSetting::new(LlmSetting::protocol_named(&self.provider)?, self.model.clone());
        let own = self.key.as_deref().map(Secret::new);
        let setting = LlmSetting {
            url: self.base_url.clone().unwrap_or(usual.url),
            key: own.or_else(|| settings.key.value.clone()),
            price: Price::per_million(self.input_price, self.output_price),
            requests_per_minute: settings.requests_per_minute.value,
            ..usual
        };
        Ok(Arc::new(RemoteLlm::new(setting, Arc::new(SeededChance::new(seed)))?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_plan_is_enough_and_keys_are_never_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("bench.toml");
        let text = "[dataset]\npath = 'q.jsonl'\nform = 'dialogue'\n\
                    [answer]\nprovider = 'openai'\nmodel = 'm'\nkey = 'sk-secret'\n";
        std::fs::write(&path, text).unwrap();
        let plan = Plan::read(&path).unwrap();
        assert_eq!(plan.dataset.path, directory.path().join("q.jsonl"));
        assert_eq!((plan.run.mode, plan.run.workers), (Mode::Qa, 1));
        assert!(!serde_json::to_string(&plan).unwrap().contains("sk-secret"));
        std::fs::write(&path, format!("{text}colour = 'red'\n")).unwrap();
        assert!(format!("{:#}", Plan::read(&path).unwrap_err()).contains("colour"));
    }
}
