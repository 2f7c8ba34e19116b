//! Letta: an agent file (`.af`), with several agents or one.

use serde_json::Value;

use super::Source;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::{Message, Thread};

/// Letta.
pub(super) static SOURCE: Source = Source {
    name: "letta",
    title: "Letta",
    takes: "an agent file (.af)",
    folders: &[],
    claims,
    read,
};

fn is_agent(one: &Value) -> bool {
    has(one, &["messages"])
        && (has(one, &["in_context_message_ids"])
            || has(one, &["core_memory"])
            || has(one, &["block_ids"]))
}

fn claims(sample: &Sample<'_>) -> Claim {
    let is_file = |one: &Value| {
        one["agents"].as_array().is_some_and(|all| all.iter().any(|a| has(a, &["messages"])))
    };
    Claim::when(sample.any(is_agent) || sample.any(is_file))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let Some(file) = reading.value(document) else { continue };
        let agents = file["agents"].as_array();
        let agents: Vec<&Value> = agents.map_or_else(|| vec![&file], |list| list.iter().collect());
        let stem = document.file_name().trim_end_matches(".af");
        for (index, agent) in agents.iter().enumerate() {
            let id = agent["id"].as_str().map_or_else(|| format!("{stem}-{index}"), str::to_owned);
            let mut thread = Thread::new(format!("{stem}/{id}"), document.place.as_str());
            thread.title = agent["name"].as_str().map(str::to_owned);
            thread.created = moment::of_value(&agent["created_at"]);
            for (number, one) in agent["messages"].as_array().into_iter().flatten().enumerate() {
                thread.messages.extend(message(reading, one).map(|message| {
                    let own = one["id"].as_str().map_or_else(|| number.to_string(), str::to_owned);
                    message.id(format!("{stem}/{id}/{own}"))
                }));
            }
            reading.take(thread);
        }
        let blocks = file["blocks"].as_array().map_or(0, Vec::len) as u64;
        reading.report.leave_out("memory blocks, which have no time", blocks);
    }
}

fn message(reading: &mut Reading<'_>, one: &Value) -> Option<Message> {
    let role = text::role(one["role"].as_str()?)?;
    let said = text::of_content(&one["content"], &mut |kind| match kind {
        "reasoning" | "redacted_reasoning" | "omitted_reasoning" => reading.leave_out("thoughts"),
        other => reading.leave_out(&format!("block of type {other}")),
    });
    let said =
        if said.is_empty() { one["text"].as_str().unwrap_or_default().to_owned() } else { said };
    let mut taken =
        Message::new(role, said, moment::of_value(&one["created_at"])).model(one["model"].as_str());
    let calls = one["tool_calls"].as_array().into_iter().flatten();
    taken.tools =
        calls.filter_map(|call| call["function"]["name"].as_str().map(str::to_owned)).collect();
    Some(taken)
}
