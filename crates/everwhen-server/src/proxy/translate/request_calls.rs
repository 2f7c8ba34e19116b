//! Which result answers which call, in a history that is translated.
//!
//! OpenAI's kind matches a result to its call by an id. Ollama's clients may send ids, the tool's
//! name, or neither: then results follow their calls in order.

use std::collections::HashMap;

use serde_json::Value;

/// The calls of a history, as far as it was read.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Calls of the last message that has any, without those that were answered: id and name.
    open: Vec<(String, String)>,
    /// Names of all calls, by id.
    names: HashMap<String, String>,
}

impl Calls {
    /// The ids of the calls in a message, the message's place being `place`. A call without an id
    /// gets one that stays the same as long as the history before it does.
    pub(super) fn made(&mut self, place: usize, calls: &[Value]) -> Vec<String> {
        self.open.clear();
        for (number, call) in calls.iter().enumerate() {
            let id = text(&call["id"]).unwrap_or_else(|| format!("call_{place}_{number}"));
            let name = text(&call["function"]["name"]).unwrap_or_default();
            self.names.insert(id.clone(), name.clone());
            self.open.push((id, name));
        }
        self.open.iter().map(|(id, _)| id.clone()).collect()
    }

    /// The id of the call that a message answers: the one it names, else the first open call of
    /// the tool it names, else the first open call.
    pub(super) fn answered(&mut self, place: usize, result: &Value) -> String {
        if let Some(id) = text(&result["tool_call_id"]) {
            self.open.retain(|(open, _)| *open != id);
            return id;
        }
        let tool = text(&result["tool_name"]).or_else(|| text(&result["name"]));
        let named = self.open.iter().position(|(_, name)| Some(name) == tool.as_ref());
        let found = named.or((!self.open.is_empty()).then_some(0));
        found.map_or_else(|| format!("call_{place}_0"), |at| self.open.remove(at).0)
    }

    /// The tool whose call a message answers.
    pub(super) fn tool(&self, result: &Value) -> Option<String> {
        let known = text(&result["tool_call_id"]).and_then(|id| self.names.get(&id).cloned());
        known.or_else(|| text(&result["name"])).filter(|name| !name.is_empty())
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn calls(names: &[&str]) -> Vec<Value> {
        names.iter().map(|name| json!({ "function": { "name": name } })).collect()
    }

    #[test]
    fn results_without_a_name_follow_their_calls_in_order() {
        let mut known = Calls::default();
        assert_eq!(known.made(1, &calls(&["a", "b"])), ["call_1_0", "call_1_1"]);
        assert_eq!(known.answered(2, &json!({})), "call_1_0");
        assert_eq!(known.answered(3, &json!({})), "call_1_1");
    }

    #[test]
    fn results_are_matched_by_id_then_by_name_each_call_once() {
        let mut known = Calls::default();
        known.made(1, &calls(&["a", "b", "a"]));
        assert_eq!(known.answered(2, &json!({ "tool_name": "b" })), "call_1_1");
        assert_eq!(known.answered(3, &json!({ "tool_name": "a" })), "call_1_0");
        assert_eq!(known.answered(4, &json!({ "tool_name": "a" })), "call_1_2");
        let with_ids =
            [json!({ "id": "x", "function": { "name": "a" } }), calls(&["b"])[0].clone()];
        assert_eq!(known.made(5, &with_ids), ["x", "call_5_1"]);
        assert_eq!(known.answered(6, &json!({ "tool_name": "b" })), "call_5_1");
        assert_eq!(known.answered(7, &json!({ "tool_call_id": "x" })), "x");
        assert_eq!(known.tool(&json!({ "tool_call_id": "x" })).as_deref(), Some("a"));
        assert_eq!(known.tool(&json!({ "tool_call_id": "?", "name": "f" })).as_deref(), Some("f"));
    }
}
