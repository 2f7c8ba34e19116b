//! A language model that gives the answers of a test.

use std::sync::{Mutex, PoisonError};

use everwhen_engine::json::Json;
use everwhen_engine::ports::{Finish, Llm, Prompt, Reply, Spent, Wait};
use everwhen_engine::{Error, Result};
use serde_json::Value;

type PromptScript = Box<dyn FnMut(&Prompt) -> Result<String> + Send>;

/// A model that follows a script and remembers what it was asked.
pub struct ScriptedLlm {
    script: Mutex<PromptScript>,
    asked: Mutex<Vec<Prompt>>,
    cost_nanos: u64,
}

impl ScriptedLlm {
    /// A model that answers with what `script` makes of the prompt. It fails where the script does,
    /// and where a schema was given but the script's answer is no JSON.
    pub fn new(script: impl FnMut(&Prompt) -> Result<String> + Send + 'static) -> Self {
        Self { script: Mutex::new(Box::new(script)), asked: Mutex::default(), cost_nanos: 0 }
    }

    /// A model that gives these answers, one after the other, and then fails.
    pub fn saying(answers: impl IntoIterator<Item = &'static str>) -> Self {
        let answers: Vec<&'static str> = answers.into_iter().collect();
        let mut answers = answers.into_iter();
        Self::new(move |_| match answers.next() {
            Some(answer) => Ok(answer.to_owned()),
            None => Err(Error::unavailable("the script is at its end")),
        })
    }

    /// Sets the cost of each answer, in billionths.
    #[must_use]
    pub fn costing(mut self, cost_nanos: u64) -> Self {
        self.cost_nanos = cost_nanos;
        self
    }

    /// What it was asked, in order.
    pub fn asked(&self) -> Vec<Prompt> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn reply(&self, prompt: &Prompt) -> Result<Reply> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(prompt.clone());
        let text = (self.script.lock().unwrap_or_else(PoisonError::into_inner))(prompt)?;
        let json = prompt.schema.as_ref().map(|_| read_json(&text)).transpose()?;
        let words = |text: &str| text.split_whitespace().count() as u64;
        let input_tokens = prompt.messages.iter().map(|message| words(&message.content)).sum();
        let spent =
            Spent { input_tokens, output_tokens: words(&text), cost_nanos: self.cost_nanos };
        let model = self.name().to_owned();
        Ok(Reply { text, json, model, finish: Finish::Stop, spent, cached: false, unusable: None })
    }
}

impl Llm for ScriptedLlm {
    fn name(&self) -> &str {
        "scripted"
    }

    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Wait<'a, Reply> {
        Box::pin(async move { self.reply(prompt) })
    }
}

fn read_json(text: &str) -> Result<Json> {
    let wrong = |_| Error::invalid("the model scripted answered with text that is no JSON");
    serde_json::from_str(text).map(json).map_err(wrong)
}

fn json(value: Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(value),
        Value::Number(number) => Json::Number(number.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => Json::Text(text),
        Value::Array(items) => Json::List(items.into_iter().map(json).collect()),
        Value::Object(members) => {
            Json::Object(members.into_iter().map(|(name, value)| (name, json(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_on;

    #[test]
    fn answers_in_order_counts_words_and_then_fails() {
        let model = ScriptedLlm::saying(["one two", r#"{"a": [1]}"#, "no JSON"]);
        let plain = Prompt::new("be brief", "say something");
        let reply = block_on(model.ask(&plain)).unwrap();
        assert_eq!((reply.text.as_str(), reply.json), ("one two", None));
        assert_eq!((reply.spent.input_tokens, reply.spent.output_tokens), (4, 2));
        let strict = plain.clone().with_schema("a", "{}");
        let json = block_on(model.ask(&strict)).unwrap().json.unwrap();
        assert_eq!(json.list("a"), [Json::Number(1.0)]);
        assert!(
            !block_on(model.ask(&strict)).unwrap_err().is_retryable(),
            "asking again would not help"
        );
        assert!(block_on(model.ask(&plain)).is_err());
        assert_eq!(model.asked().len(), 4);
    }
}
