//! Calls a model: a system prompt, then either one user prompt or the latest messages of the chat.

use everwhen::Result;
use everwhen::ledger::EchoStripper;
use everwhen::memory::Role;
use everwhen::models::OnText;
use everwhen::ports::PromptMessage;

use super::outgoing::{Outgoing, with_shown_calls};
use super::{NodeOutput, Run, View};
use crate::jinja;
use crate::node::{Prompt, Standard};
use crate::port::{ModelReply, Question};
use crate::variables::{ChatVariables, Sizes};

impl Run<'_> {
    pub(super) async fn ask(&self, standard: &Standard, on_text: OnText<'_>) -> Result<NodeOutput> {
        let seen = self.seen(standard).await?;
        let view = View {
            variables: seen.as_ref().unwrap_or(self.variables()),
            sizes: self.sizes(standard)?,
        };
        let (system, prompt) = self.prompts(standard, view)?;
        let mut outgoing = Outgoing::default();
        if !system.trim().is_empty() {
            outgoing.push(Role::System, system);
        }
        match prompt.trim().is_empty() {
            true => self.add_last_messages(&mut outgoing, standard, view.variables)?,
            false => self.add_prompt(&mut outgoing, prompt, standard)?,
        }
        self.call(standard, outgoing, on_text).await
    }

    /// Sends messages as a node says.
    pub(super) async fn call(
        &self,
        standard: &Standard,
        outgoing: Outgoing,
        on_text: OnText<'_>,
    ) -> Result<NodeOutput> {
        let endpoint = self.fill(&standard.endpoint)?;
        let preset = standard.preset.as_ref().map(|preset| self.fill(preset)).transpose()?;
        let removed = standard.response_start.as_ref().map(|text| self.fill(text)).transpose()?;
        let question = Question {
            endpoint: &endpoint,
            preset: preset.as_deref(),
            messages: outgoing.messages,
            max_tokens: u32::try_from(self.amount(&standard.max_tokens)?).unwrap_or(u32::MAX),
            raw: outgoing.raw,
            tools: self.variables().tools.as_ref().filter(|_| standard.passing.tools),
            removed_start: removed.filter(|text| !text.is_empty()),
        };
        let ModelReply { text, model: _, spent, mut calls } = match standard.stamps.on {
            true => self.ask_without_echo(&question, on_text).await?,
            false => self.context.endpoints.ask(&question, on_text).await?,
        };
        if standard.passing.lowercase_calls {
            for call in &mut calls {
                let name = call["function"]["name"].as_str().unwrap_or_default().to_lowercase();
                call["function"]["name"] = name.into();
            }
        }
        Ok(NodeOutput { output: text, input: transcript(&question.messages), spent, calls })
    }

    /// Removes a stamp that a model echoes at the start of its reply.
    async fn ask_without_echo(
        &self,
        question: &Question<'_>,
        on_text: OnText<'_>,
    ) -> Result<ModelReply> {
        let mut stripper = EchoStripper::new();
        let mut text = String::new();
        let mut listen = |piece: &str| {
            let piece = stripper.push(piece);
            text.push_str(&piece);
            if !piece.is_empty() {
                on_text(&piece);
            }
        };
        let reply = self.context.endpoints.ask(question, &mut listen).await?;
        let rest = stripper.finish();
        if !rest.is_empty() {
            on_text(&rest);
        }
        text.push_str(&rest);
        Ok(ModelReply { text, ..reply })
    }

    /// System and user prompt. A parent workflow may have replaced those of the first node.
    pub(super) fn prompts(&self, standard: &Standard, view: View<'_>) -> Result<(String, String)> {
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

    /// The chat as the node wants to see it, if that is not as it is: with tool calls shown, and
    /// with every message dated.
    async fn seen(&self, standard: &Standard) -> Result<Option<ChatVariables>> {
        let shown = standard.passing.show_calls.then(|| with_shown_calls(self.variables()));
        if !standard.stamps.on {
            return Ok(shown);
        }
        let variables = shown.as_ref().unwrap_or(self.variables());
        let messages = self.context.memory.stamp(&variables.messages, standard.stamps).await?;
        Ok(Some(ChatVariables { messages, ..variables.clone() }))
    }

    pub(super) fn sizes(&self, standard: &Standard) -> Result<Sizes> {
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

fn transcript(messages: &[PromptMessage]) -> String {
    let line = |message: &PromptMessage| format!("{}: {}", message.role.as_str(), message.content);
    messages.iter().map(line).collect::<Vec<_>>().join("\n")
}
