//! Which result answers which call, in a history that is translated.
//!
//! OpenAI's and Anthropic's kind match a result to its call by an id. Ollama's and Gemini's clients
//! may send ids, the tool's name, or neither: then results follow their calls in order.

use std::collections::HashMap;

use crate::{ChatMessage, Part, Role};

/// Gives every call of a history an id, and every result the id and the tool of the call that it
/// answers.
pub(crate) fn resolve(messages: &mut [ChatMessage]) {
    let mut known = KnownCalls::default();
    for (place, message) in messages.iter_mut().enumerate() {
        known.name_calls(place, message);
        for part in &mut message.parts {
            if let Part::Result { id, name, .. } = part {
                *id = known.answered(place, id, name);
                if name.is_empty() {
                    *name = known.names.get(id).cloned().unwrap_or_default();
                }
            }
        }
    }
}

/// The messages with every result in a message of its own, for protocols where a result is one.
pub(crate) fn with_separate_results(messages: Vec<ChatMessage>) -> Vec<(usize, ChatMessage)> {
    let mut separate = Vec::new();
    for (place, message) in messages.into_iter().enumerate() {
        let is_result = |part: &Part| matches!(part, Part::Result { .. });
        if !message.parts.iter().any(is_result) {
            separate.push((place, message));
            continue;
        }
        let (results, others): (Vec<Part>, Vec<Part>) =
            message.parts.into_iter().partition(is_result);
        let one = |part| (place, ChatMessage { role: Role::Tool, parts: vec![part] });
        separate.extend(results.into_iter().map(one));
        if !others.is_empty() {
            separate.push((place, ChatMessage { role: Role::User, parts: others }));
        }
    }
    separate
}

/// The messages with results that follow each other in one message, for protocols where all results
/// of a turn belong together.
pub(crate) fn with_joined_results(messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
    let mut joined: Vec<ChatMessage> = Vec::new();
    for message in messages {
        match joined.last_mut() {
            Some(before) if before.role == Role::Tool && message.role == Role::Tool => {
                before.parts.extend(message.parts);
            }
            _ => joined.push(message),
        }
    }
    joined
}

/// The calls of a history, as far as it was read.
#[derive(Debug, Default)]
struct KnownCalls {
    /// Calls of the last message that has any, without those that were answered: id and name.
    open: Vec<(String, String)>,
    /// Names of all calls, by id.
    names: HashMap<String, String>,
}

impl KnownCalls {
    /// Gives the calls in a message ids. One without an id gets one that stays the same as long as
    /// the history before it does.
    fn name_calls(&mut self, place: usize, message: &mut ChatMessage) {
        let calls = message.parts.iter_mut().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            _ => None,
        });
        let mut open = Vec::new();
        for (number, call) in calls.enumerate() {
            if call.id.is_empty() {
                call.id = format!("call_{place}_{number}");
            }
            self.names.insert(call.id.clone(), call.name.clone());
            open.push((call.id.clone(), call.name.clone()));
        }
        if !open.is_empty() {
            self.open = open;
        }
    }

    /// The id of the call that a result answers: the one it names, else the first open call of the
    /// tool it names, else the first open call.
    fn answered(&mut self, place: usize, id: &str, tool: &str) -> String {
        if !id.is_empty() {
            self.open.retain(|(open, _)| open != id);
            return id.to_owned();
        }
        let named = self.open.iter().position(|(_, name)| !tool.is_empty() && name == tool);
        let found = named.or((!self.open.is_empty()).then_some(0));
        found.map_or_else(|| format!("call_{place}_0"), |at| self.open.remove(at).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolCall;

    fn calls(ids_and_names: &[(&str, &str)]) -> ChatMessage {
        let call = |(id, name): &(&str, &str)| {
            Part::Call(ToolCall { id: (*id).into(), name: (*name).into(), ..ToolCall::default() })
        };
        ChatMessage { role: Role::Assistant, parts: ids_and_names.iter().map(call).collect() }
    }

    fn result(id: &str, name: &str) -> ChatMessage {
        let part = Part::Result { id: id.into(), name: name.into(), content: String::new() };
        ChatMessage { role: Role::Tool, parts: vec![part] }
    }

    fn answered(mut messages: Vec<ChatMessage>) -> Vec<(String, String)> {
        resolve(&mut messages);
        let result = |part: &Part| match part {
            Part::Result { id, name, .. } => Some((id.clone(), name.clone())),
            _ => None,
        };
        messages.iter().flat_map(|message| &message.parts).filter_map(result).collect()
    }

    fn pair(id: &str, name: &str) -> (String, String) {
        (id.into(), name.into())
    }

    #[test]
    fn results_without_a_name_follow_their_calls_in_order() {
        let history = vec![calls(&[("", "a"), ("", "b")]), result("", ""), result("", "")];
        assert_eq!(answered(history), [pair("call_0_0", "a"), pair("call_0_1", "b")]);
    }

    #[test]
    fn results_are_matched_by_id_then_by_name_each_call_once() {
        let history = vec![
            calls(&[("", "a"), ("", "b"), ("", "a")]),
            result("", "b"),
            result("", "a"),
            result("", "a"),
            calls(&[("x", "a"), ("", "b")]),
            result("", "b"),
            result("x", ""),
            result("?", "f"),
        ];
        let expected = [
            pair("call_0_1", "b"),
            pair("call_0_0", "a"),
            pair("call_0_2", "a"),
            pair("call_4_1", "b"),
            pair("x", "a"),
            pair("?", "f"),
        ];
        assert_eq!(answered(history), expected);
    }

    #[test]
    fn results_stand_alone_or_together_as_a_protocol_wants_them() {
        let together = with_joined_results(vec![result("1", "a"), result("2", "b")]);
        assert_eq!((together.len(), together[0].parts.len()), (1, 2));
        let mut mixed = together;
        mixed[0].parts.push(Part::Text("And then?".into()));
        let separate = with_separate_results(mixed);
        let roles: Vec<Role> = separate.iter().map(|(_, message)| message.role).collect();
        assert_eq!(roles, [Role::Tool, Role::Tool, Role::User]);
    }
}
