//! One reply of the model: its content, the commands in it, and why it ended.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// A call of the memory tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ToolCallBlock {
    pub(super) id: String,
    pub(super) input: Value,
}

/// A reply of the model, read so far.
#[derive(Default)]
pub(super) struct Round {
    tool: String,
    /// The blocks of the content by their index.
    blocks: BTreeMap<u64, Value>,
    /// The input of calls, which comes in pieces.
    inputs: BTreeMap<u64, String>,
    stop_reason: Option<String>,
    calls: Vec<ToolCallBlock>,
}

impl Round {
    /// A reply of which nothing was read yet.
    pub(super) fn new(tool: &str) -> Self {
        Self { tool: tool.to_owned(), ..Self::default() }
    }

    /// A reply that came as a whole.
    pub(super) fn whole(tool: &str, message: &Value) -> Self {
        let mut round = Self::new(tool);
        for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
            round.blocks.insert(index as u64, block.clone());
        }
        round.end(message["stop_reason"].as_str());
        round
    }

    /// A block begins; answers whether it is a call of the memory tool.
    pub(super) fn begin(&mut self, index: u64, block: &Value) -> bool {
        self.blocks.insert(index, block.clone());
        self.is_command(block)
    }

    /// A piece of a block has come.
    pub(super) fn add(&mut self, index: u64, delta: &Value) {
        let Some(block) = self.blocks.get_mut(&index) else { return };
        let (field, piece) = match delta["type"].as_str() {
            Some("text_delta") => ("text", &delta["text"]),
            Some("thinking_delta") => ("thinking", &delta["thinking"]),
            Some("signature_delta") => ("signature", &delta["signature"]),
            Some("input_json_delta") => {
                let piece = delta["partial_json"].as_str().unwrap_or_default();
                self.inputs.entry(index).or_default().push_str(piece);
                return;
            }
            Some("citations_delta") => {
                match block["citations"].as_array_mut() {
                    Some(citations) => citations.push(delta["citation"].clone()),
                    None => block["citations"] = json!([delta["citation"]]),
                }
                return;
            }
            _ => return,
        };
        let text = block[field].as_str().unwrap_or_default().to_owned();
        block[field] = json!(text + piece.as_str().unwrap_or_default());
    }

    /// The reply has ended for this reason.
    pub(super) fn end(&mut self, stop_reason: Option<&str>) {
        for (index, input) in std::mem::take(&mut self.inputs) {
            if let Some(block) = self.blocks.get_mut(&index) {
                block["input"] = serde_json::from_str(&input).unwrap_or_else(|_| json!({}));
            }
        }
        self.stop_reason = stop_reason.map(str::to_owned);
        let commands = self.blocks.values().filter(|block| self.is_command(block));
        let call = |block: &Value| ToolCallBlock {
            id: block["id"].as_str().unwrap_or_default().to_owned(),
            input: block["input"].clone(),
        };
        self.calls = commands.map(call).collect();
    }

    /// Whether a block is a call of the memory tool.
    pub(super) fn is_command(&self, block: &Value) -> bool {
        block["type"] == "tool_use" && block["name"] == self.tool.as_str()
    }

    /// Whether the model waits for results of the memory tool.
    pub(super) fn is_waiting(&self) -> bool {
        self.stop_reason.as_deref() == Some("tool_use") && !self.calls.is_empty()
    }

    /// The calls of the memory tool.
    pub(super) fn commands(&self) -> &[ToolCallBlock] {
        &self.calls
    }

    /// The content, in order.
    pub(super) fn blocks(&self) -> Vec<&Value> {
        self.blocks.values().collect()
    }

    /// The calls of other tools, which the client answers.
    pub(super) fn other_calls(&self) -> impl Iterator<Item = &str> {
        let calls = self.blocks.values().filter(|block| block["type"] == "tool_use");
        calls.filter(|block| !self.is_command(block)).filter_map(|block| block["id"].as_str())
    }

    /// Whether the model also called other tools.
    pub(super) fn has_other_calls(&self) -> bool {
        self.other_calls().next().is_some()
    }

    /// The reason that the client gets: without a call that it has to answer, the turn has ended.
    pub(super) fn shown_reason(&self) -> Option<&str> {
        match self.is_waiting() && !self.has_other_calls() {
            true => Some("end_turn"),
            false => self.stop_reason.as_deref(),
        }
    }
}
