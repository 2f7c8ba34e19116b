//! The messages that a node sends: text, and what of the chat goes beside it.

use std::collections::BTreeMap;

use everwhen::memory::Role;
use everwhen::ports::PromptMessage;
use everwhen::{Error, Result};
use serde_json::{Value, json};

use super::Run;
use crate::node::Standard;
use crate::variables::{ChatVariables, estimated_tokens};

/// Messages, and by their place those that hold more than text.
#[derive(Default)]
pub(super) struct Outgoing {
    pub(super) messages: Vec<PromptMessage>,
    pub(super) raw: BTreeMap<usize, Value>,
}

impl Outgoing {
    pub(super) fn push(&mut self, role: Role, content: String) {
        self.messages.push(PromptMessage { role, content });
    }

    fn push_raw(&mut self, message: &PromptMessage, raw: Option<Value>) {
        if let Some(raw) = raw {
            self.raw.insert(self.messages.len(), raw);
        }
        self.messages.push(message.clone());
    }
}

impl Run<'_> {
    /// Adds an own prompt, with the images and the tool exchange that the node wants.
    pub(super) fn add_prompt(
        &self,
        outgoing: &mut Outgoing,
        prompt: String,
        standard: &Standard,
    ) -> Result<()> {
        let variables = self.variables();
        let images = match standard.passing.images {
            true => limited(all_images(variables), self.count(&standard.passing.max_images)?),
            false => Vec::new(),
        };
        let raw = (!images.is_empty()).then(|| with_images("user", &prompt, images));
        outgoing.push_raw(&PromptMessage { role: Role::User, content: prompt }, raw);
        if standard.passing.tool_exchange {
            for (message, raw) in tool_exchange(variables) {
                outgoing.push_raw(message, Some(raw.clone()));
            }
        }
        Ok(())
    }

    /// Adds the latest messages of the chat.
    pub(super) fn add_last_messages(
        &self,
        outgoing: &mut Outgoing,
        standard: &Standard,
        variables: &ChatVariables,
    ) -> Result<()> {
        let said: Vec<usize> = (0..variables.messages.len())
            .filter(|place| variables.messages[*place].role != Role::System)
            .collect();
        let count = self.count(&standard.last_messages)?.max(1);
        let mut last = &said[said.len().saturating_sub(count)..];
        if last.is_empty() {
            return Err(Error::invalid("the prompt is empty and so is the chat; say something"));
        }
        if let Some(tokens) = &standard.passing.last_messages_tokens {
            let fits = fitting(variables, last, self.count(tokens)?);
            last = &last[last.len() - fits..];
        }
        let images = match standard.passing.images {
            true => self.count(&standard.passing.max_images)?,
            false => 0,
        };
        let mut left = if standard.passing.images && images == 0 { usize::MAX } else { images };
        let mut rows = Vec::new();
        for place in last.iter().rev() {
            let message = &variables.messages[*place];
            let raw = variables.raw.get(*place).and_then(Option::as_ref);
            rows.push((message, raw.and_then(|raw| self.raw(message, raw, standard, &mut left))));
        }
        for (message, raw) in rows.into_iter().rev() {
            add_row(outgoing, message, raw, standard);
        }
        Ok(())
    }

    /// A message with what it holds beside text, as far as the node wants it.
    fn raw(
        &self,
        message: &PromptMessage,
        raw: &Value,
        standard: &Standard,
        images_left: &mut usize,
    ) -> Option<Value> {
        let tools = standard.passing.tools || standard.passing.tool_exchange;
        if is_of_tools(raw) {
            return tools.then(|| raw.clone());
        }
        let images = images(raw);
        let kept = images.len().min(*images_left);
        *images_left -= kept;
        let images = images[images.len() - kept..].to_vec();
        let role = message.role.as_str();
        (!images.is_empty()).then(|| with_images(role, &message.content, images))
    }
}

/// Adds a message, joined with or separated from an assistant's message before it.
fn add_row(
    outgoing: &mut Outgoing,
    message: &PromptMessage,
    raw: Option<Value>,
    standard: &Standard,
) {
    let plain =
        raw.is_none() && !outgoing.raw.contains_key(&outgoing.messages.len().wrapping_sub(1));
    let again = message.role == Role::Assistant
        && plain
        && outgoing.messages.last().is_some_and(|before| before.role == Role::Assistant);
    match (&standard.passing.merge_with, &standard.passing.between) {
        (Some(delimiter), _) if again => {
            if let Some(before) = outgoing.messages.last_mut() {
                before.content = format!("{}{delimiter}{}", before.content, message.content);
            }
        }
        (_, Some(text)) if again => {
            outgoing.push(Role::User, text.clone());
            outgoing.push_raw(message, raw);
        }
        _ => outgoing.push_raw(message, raw),
    }
}

/// How many of the latest messages fit into this number of tokens; at least one.
fn fitting(variables: &ChatVariables, places: &[usize], tokens: usize) -> usize {
    let mut spent = 0;
    let fits = places.iter().rev().take_while(|place| {
        spent += estimated_tokens(&variables.messages[**place].content);
        spent <= tokens
    });
    fits.count().max(1)
}

/// Whether a message calls tools or holds a result of one.
pub(super) fn is_of_tools(raw: &Value) -> bool {
    raw["role"] == "tool" || raw["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty())
}

/// The images of a message.
pub(super) fn images(raw: &Value) -> Vec<Value> {
    let parts = raw["content"].as_array().into_iter().flatten();
    parts.filter(|part| part["type"] == "image_url").cloned().collect()
}

fn all_images(variables: &ChatVariables) -> Vec<Value> {
    variables.raw.iter().flatten().flat_map(images).collect()
}

/// The latest images, at most this many; 0 means all.
fn limited(images: Vec<Value>, most: usize) -> Vec<Value> {
    let skipped = if most == 0 { 0 } else { images.len().saturating_sub(most) };
    images.into_iter().skip(skipped).collect()
}

/// A message of text and images.
pub(super) fn with_images(role: &str, text: &str, images: Vec<Value>) -> Value {
    let parts = std::iter::once(json!({ "type": "text", "text": text })).chain(images);
    json!({ "role": role, "content": parts.collect::<Vec<_>>() })
}

/// The calls of tools and their results at the end of the chat.
fn tool_exchange(variables: &ChatVariables) -> Vec<(&PromptMessage, &Value)> {
    let rows = variables.messages.iter().zip(&variables.raw).rev();
    let rows = rows.map_while(|(message, raw)| {
        raw.as_ref().filter(|raw| is_of_tools(raw)).map(|raw| (message, raw))
    });
    let mut rows: Vec<_> = rows.collect();
    rows.reverse();
    rows
}

/// The chat with the tools that were called shown in messages without text.
pub(super) fn with_shown_calls(variables: &ChatVariables) -> ChatVariables {
    let mut shown = variables.clone();
    for (message, raw) in shown.messages.iter_mut().zip(&shown.raw) {
        let calls = raw.as_ref().and_then(|raw| raw["tool_calls"].as_array());
        if !message.content.trim().is_empty() {
            continue;
        }
        let names = calls.into_iter().flatten().map(|call| {
            format!("[Tool Call: {}]", call["function"]["name"].as_str().unwrap_or_default())
        });
        message.content = names.collect::<Vec<_>>().join("\n");
    }
    shown
}
