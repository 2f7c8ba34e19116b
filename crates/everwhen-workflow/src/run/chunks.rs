//! Runs a workflow for every group of messages that it has not run for yet. A file holds one line
//! for each group that is done: a fingerprint of its last message.

use everwhen::Result;
use everwhen::memory::Role;
use everwhen::ports::{PromptMessage, Spent};

use super::{NodeOutput, Run, RunObserver};
use crate::node::ChunkProcessor;
use crate::variables::ChatVariables;

impl Run<'_> {
    pub(super) async fn process_chunks(
        &mut self,
        node: &ChunkProcessor,
        follow: &mut dyn RunObserver,
    ) -> Result<NodeOutput> {
        let path = self.cursor_path(node)?;
        let mut done = self.context.files.read(&path)?.unwrap_or_default();
        let said = self.said();
        let kept = said.len().saturating_sub(self.count(&node.lookback)?);
        let begin = first_new(&said[..kept], &done);
        let (mut count, mut spent) = (0, Spent::default());
        let size = self.count(&node.size)?.max(1);
        for group in said[begin..kept].chunks_exact(size) {
            let chat = self.only(group);
            let text = group.iter().map(|message| message.content.as_str());
            let text = text.collect::<Vec<_>>().join("\n");
            let others = node.run.inputs.iter().map(|input| self.fill(input));
            let others = others.collect::<Result<Vec<_>>>()?;
            let inputs = std::iter::once(text).chain(others).collect();
            let left = self.run_child((&node.run, inputs), Some(chat), false, follow).await?;
            spent = spent + left.spent;
            count += 1;
            done.push_str(&format!("{}\n", fingerprint_of(&group[size - 1])));
            self.context.files.write(&path, &done, false)?;
        }
        let output = match &node.return_file {
            Some(file) => {
                let file = self.fill(file)?;
                self.context.files.read(&file)?.unwrap_or_default()
            }
            None => format!("{count} groups of {size} messages were processed"),
        };
        Ok(NodeOutput { spent, ..NodeOutput::output(output) })
    }

    fn cursor_path(&self, node: &ChunkProcessor) -> Result<String> {
        let directory = self.fill(&node.directory)?;
        let name = self.variables().discussion_id.replace(['/', '\\', ':'], "_");
        Ok(format!("{directory}/chunk_cursor_{}_{name}.txt", node.id))
    }

    fn said(&self) -> Vec<PromptMessage> {
        let said = self.variables().messages.iter();
        said.filter(|message| message.role != Role::System).cloned().collect()
    }

    /// The chat with these messages alone.
    fn only(&self, messages: &[PromptMessage]) -> ChatVariables {
        let raw = vec![None; messages.len()];
        ChatVariables { messages: messages.to_vec(), raw, ..self.variables().clone() }
    }
}

/// Where the messages begin that no group which is done holds.
fn first_new(said: &[PromptMessage], done: &str) -> usize {
    let known: Vec<&str> = done.lines().collect();
    let last = said.iter().rposition(|message| known.contains(&fingerprint_of(message).as_str()));
    last.map_or(0, |place| place + 1)
}

fn fingerprint_of(message: &PromptMessage) -> String {
    fingerprint([message.role.as_str().to_owned(), message.content.clone()].into_iter())
}

/// A short name of texts by their content (FNV-1a, 64 bits).
pub(super) fn fingerprint(texts: impl Iterator<Item = String>) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for text in texts {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}
