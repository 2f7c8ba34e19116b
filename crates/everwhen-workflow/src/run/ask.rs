//! Calls a model: a system prompt, then either one user prompt or the latest messages of the chat.

use everwhen::ledger::EchoStripper;
use everwhen::memory::Role;
use everwhen::models::Hear;
use everwhen::ports::PromptMessage;
use everwhen::{Error, Result};

use super::{NodeOutput, Run, View};
use crate::jinja;
use crate::node::{Prompt, Standard};
use crate::port::{ModelReply, Question};
use crate::variables::{ChatVariables, Sizes};

impl Run<'_> {
    pub(super) async fn ask(&self, standard: &Standard, hear: Hear<'_>) -> Result<NodeOutput> {
        let stamped = self.stamped(standard).await?;
        let view = View {
            variables: stamped.as_ref().unwrap_or(self.context.variables),
            sizes: self.sizes(standard)?,
        };
        let endpoint = self.fill(&standard.endpoint)?;
        let preset = standard.preset.as_ref().map(|preset| self.fill(preset)).transpose()?;
        let (system, prompt) = self.prompts(standard, view)?;
        let mut messages = Vec::new();
        if !system.trim().is_empty() {
            messages.push(PromptMessage { role: Role::System, content: system });
        }
        if prompt.trim().is_empty() {
            messages.extend(self.last_messages(standard, view.variables)?);
        } else {
            messages.push(PromptMessage { role: Role::User, content: prompt });
        }
        let max_tokens = u32::try_from(self.amount(&standard.max_tokens)?).unwrap_or(u32::MAX);
        let preset = preset.as_deref();
        let question = Question { endpoint: &endpoint, preset, messages, max_tokens };
        let ModelReply { text, spent } = match standard.stamps.on {
            true => self.ask_without_echo(&question, hear).await?,
            false => self.context.endpoints.ask(&question, hear).await?,
        };
        Ok(NodeOutput { output: text, input: told(&question.messages), spent })
    }

    /// Removes a stamp that a model echoes at the start of its reply.
    async fn ask_without_echo(
        &self,
        question: &Question<'_>,
        hear: Hear<'_>,
    ) -> Result<ModelReply> {
        let mut stripper = EchoStripper::new();
        let mut heard = String::new();
        let mut listen = |piece: &str| {
            let piece = stripper.push(piece);
            heard.push_str(&piece);
            if !piece.is_empty() {
                hear(&piece);
            }
        };
        let told = self.context.endpoints.ask(question, &mut listen).await?;
        let rest = stripper.finish();
        if !rest.is_empty() {
            hear(&rest);
        }
        heard.push_str(&rest);
        Ok(ModelReply { text: heard, ..told })
    }

    /// System and user prompt. A parent workflow may have replaced those of the first node.
    fn prompts(&self, standard: &Standard, view: View<'_>) -> Result<(String, String)> {
        let first = self.progress.outputs.is_empty();
        let (system, prompt) = match first {
            true => (self.first.0.clone(), self.first.1.clone()),
            false => (None, None),
        };
        let own = |text: Option<String>, prompt: &Prompt| match text {
            Some(text) => Ok(text),
            None => self.prompt(prompt, view),
        };
        Ok((own(system, &standard.system_prompt)?, own(prompt, &standard.prompt)?))
    }

    fn prompt(&self, prompt: &Prompt, view: View<'_>) -> Result<String> {
        match prompt {
            Prompt::Plain(template) => self.fill_seeing(template, view),
            Prompt::Jinja(text) => {
                let value = |name: &str| self.value(name, view);
                jinja::render(text, &view.variables.messages, &value)
            }
        }
    }

    /// The chat with every message dated, if the node asks for that.
    async fn stamped(&self, standard: &Standard) -> Result<Option<ChatVariables>> {
        if !standard.stamps.on {
            return Ok(None);
        }
        let variables = self.context.variables;
        let messages = self.context.memory.stamp(&variables.messages, standard.stamps).await?;
        Ok(Some(ChatVariables { messages, ..variables.clone() }))
    }

    fn last_messages(
        &self,
        standard: &Standard,
        variables: &ChatVariables,
    ) -> Result<Vec<PromptMessage>> {
        let said = variables.messages.iter().filter(|message| message.role != Role::System);
        let said: Vec<&PromptMessage> = said.collect();
        let count = self.count(&standard.last_messages)?.max(1);
        let last = &said[said.len().saturating_sub(count)..];
        if last.is_empty() {
            return Err(Error::invalid("the prompt is empty and so is the chat; say something"));
        }
        Ok(last.iter().copied().cloned().collect())
    }

    fn sizes(&self, standard: &Standard) -> Result<Sizes> {
        let windows = &standard.windows;
        Ok(Sizes {
            messages: self.count(&windows.messages)?,
            tokens: self.count(&windows.tokens)?,
            min_messages: self.count(&windows.min_messages)?,
            max_tokens: self.count(&windows.max_tokens)?,
            tags: windows.tags,
        })
    }
}

fn told(messages: &[PromptMessage]) -> String {
    let line = |message: &PromptMessage| format!("{}: {}", message.role.as_str(), message.content);
    messages.iter().map(line).collect::<Vec<_>>().join("\n")
}
