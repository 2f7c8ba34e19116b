//! Gemini, as Google Takeout has it: `My Activity/Gemini Apps/MyActivity.json`. It has times and no
//! conversations, so these begin after a pause.

use std::collections::HashMap;

use everwhen_engine::memory::Role;
use serde_json::Value;

use super::Source;
use crate::import::gaps::take_by_gaps;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample};
use crate::import::text;
use crate::import::thread::Message;

/// Gemini.
pub(super) static SOURCE: Source = Source {
    name: "gemini",
    title: "Gemini (Google Takeout)",
    takes: "the Takeout zip with My Activity > Gemini Apps in the format JSON, or MyActivity.json of it",
    folders: &[],
    claims,
    read,
};

/// What Google writes before a prompt, in several languages.
const PREFIXES: [&str; 9] = [
    "Prompted ",
    "Live Prompt ",
    "Asked ",
    "Said ",
    "Prompt : ",
    "Prompt: ",
    "Eingabe: ",
    "Prompt enviado: ",
    "Ha chiesto ",
];

fn claims(sample: &Sample<'_>) -> Claim {
    let is_ours = |one: &Value| {
        let products = one["products"].as_array().map_or(&[][..], Vec::as_slice);
        let named = products.iter().chain([&one["header"]]).filter_map(Value::as_str);
        one.get("time").is_some() && named.into_iter().any(|name| name.contains("Gemini"))
    };
    let is_html = sample.file == "MyActivity.html" && sample.text.contains("Gemini Apps");
    Claim::when(sample.any(is_ours) || is_html)
}

fn read(reading: &mut Reading<'_>) {
    let mut messages = Vec::new();
    let mut occurrences: HashMap<String, u32> = HashMap::new();
    for document in reading.documents() {
        if document.file_name().ends_with(".html") {
            reading.problem(
                document,
                "this is the activity as HTML, whose times are local text; ask \
                Takeout again, with My Activity in the format JSON",
            );
            continue;
        }
        reading.elements(document, &[], &mut |reading, _, _, record| {
            let written = record["time"].as_str().unwrap_or_default().to_owned();
            let number = occurrences.entry(written.clone()).or_default();
            *number += 1;
            exchange(reading, &record, &format!("{written}/{number}"), &mut messages);
        });
    }
    take_by_gaps(reading, "gemini", "Gemini activity", messages);
}

fn exchange(reading: &mut Reading<'_>, record: &Value, id: &str, messages: &mut Vec<Message>) {
    let title = record["title"].as_str().unwrap_or_default();
    let prompt = PREFIXES.iter().find_map(|prefix| title.strip_prefix(prefix));
    let details = |name: &str| {
        let all = record["details"].as_array().map_or(&[][..], Vec::as_slice);
        all.iter()
            .find(|one| one["name"].as_str() == Some(name))
            .and_then(|one| one["value"].as_str())
    };
    let replies = record["safeHtmlItem"].as_array().map_or(&[][..], Vec::as_slice);
    let replies: Vec<String> =
        replies.iter().filter_map(|one| one["html"].as_str()).map(text::of_html).collect();
    let reply = details("Response")
        .map_or_else(|| text::join(replies.iter().map(String::as_str)), str::to_owned);
    // A title in an unknown language is taken as it is if there is an answer to it.
    let prompt =
        prompt.or_else(|| details("Request")).or_else(|| (!reply.is_empty()).then_some(title));
    let Some(prompt) = prompt else {
        reading.leave_out("activity that is no prompt");
        return;
    };
    let time = moment::of_value(&record["time"]);
    let mut user = Message::new(Role::User, prompt, time.clone()).id(format!("{id}/prompt"));
    if prompt != title {
        user.more.insert("title".to_owned(), title.into());
    }
    messages.push(user);
    if !reply.is_empty() {
        messages.push(Message::new(Role::Assistant, reply, time).id(format!("{id}/reply")));
    }
}
