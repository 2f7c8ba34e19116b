//! Has a model describe the images of the chat.

use everwhen::Result;
use everwhen::memory::Role;
use everwhen::ports::{PromptMessage, Spent};
use serde_json::Value;

use super::outgoing::{Outgoing, images, with_images};
use super::{NodeOutput, Run, View};
use crate::node::ImageProcessor;
use crate::variables::ChatVariables;

/// WilmerAI's text for a chat without images.
const NO_IMAGES: &str = "There were no images attached to the message";
/// The message that is added if the node has none of its own.
const ADDED: &str = "[SYSTEM: The user has added images to the conversation. They are described \
                     here:]\n[IMAGE_BLOCK]";
const BLOCK: &str = "[IMAGE_BLOCK]";

impl Run<'_> {
    /// Describes the images, message by message, and adds the descriptions to the chat if the node
    /// says so.
    pub(super) async fn describe(&mut self, node: &ImageProcessor) -> Result<NodeOutput> {
        let holding: Vec<(usize, Vec<Value>)> = self
            .variables()
            .raw
            .iter()
            .enumerate()
            .filter_map(|(place, raw)| Some((place, images(raw.as_ref()?))))
            .filter(|(_, images)| !images.is_empty())
            .collect();
        if holding.is_empty() {
            return Ok(NodeOutput::output(NO_IMAGES));
        }
        let (mut described, mut spent) = (Vec::new(), Spent::default());
        for (place, images) in holding {
            let left = self.described(node, images).await?;
            spent = spent + left.spent;
            described.push((place, left.output));
        }
        let texts: Vec<&str> = described.iter().map(|(_, text)| text.as_str()).collect();
        let output = texts.join("\n\n");
        if node.add_as_message {
            self.changed = Some(self.with_descriptions(node, &described)?);
        }
        Ok(NodeOutput { spent, ..NodeOutput::output(output) })
    }

    async fn described(&self, node: &ImageProcessor, images: Vec<Value>) -> Result<NodeOutput> {
        let kept = node.keeps.then(|| format!("{}/{}.txt", self.kept_images(), digest(&images)));
        if let Some(text) = kept.as_ref().and_then(|path| self.context.files.read(path).ok()?) {
            return Ok(NodeOutput::output(text));
        }
        let view = View { variables: self.variables(), sizes: self.sizes(&node.ask)? };
        let (system, prompt) = self.prompts(&node.ask, view)?;
        let mut outgoing = Outgoing::default();
        if !system.trim().is_empty() {
            outgoing.push(Role::System, system);
        }
        outgoing.raw.insert(outgoing.messages.len(), with_images("user", &prompt, images));
        outgoing.push(Role::User, prompt);
        let left = self.call(&node.ask, outgoing, &mut |_| {}).await?;
        if let Some(path) = kept
            && let Err(error) = self.context.files.write(&path, &left.output, false)
        {
            tracing::warn!(%error, "the description of an image could not be kept");
        }
        Ok(left)
    }

    /// The chat with a message before each one that holds images.
    fn with_descriptions(
        &self,
        node: &ImageProcessor,
        described: &[(usize, String)],
    ) -> Result<ChatVariables> {
        let message = node.message.as_ref().map(|text| self.fill(text)).transpose()?;
        let message = message.filter(|text| text.contains(BLOCK)).unwrap_or_else(|| ADDED.into());
        let mut chat = self.variables().clone();
        for (place, text) in described.iter().rev() {
            let content = message.replace(BLOCK, text);
            chat.messages.insert(*place, PromptMessage { role: Role::User, content });
            chat.raw.insert(*place, None);
        }
        Ok(chat)
    }

    fn kept_images(&self) -> String {
        let view = self.view();
        let directory = self.value("Discussion_Directory", view).unwrap_or_default();
        format!("{directory}/images")
    }
}

/// A name for images by their content (FNV-1a).
fn digest(images: &[Value]) -> String {
    super::chunks::fingerprint(images.iter().map(ToString::to_string))
}
