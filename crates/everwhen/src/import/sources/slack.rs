//! Slack: the zip of a workspace export, with a folder per channel and a file per day.

use std::collections::{BTreeMap, HashMap};

use everwhen_engine::memory::Role;
use serde_json::Value;

use super::Source;
use crate::import::gaps::take_by_gaps;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::{Message, Thread};

/// Slack.
pub(super) static SOURCE: Source = Source {
    name: "slack",
    title: "Slack",
    takes: "the zip of a workspace export",
    folders: &[],
    claims,
    read,
};

/// Kinds of messages in which a person speaks.
const SPOKEN: [&str; 4] = ["bot_message", "thread_broadcast", "me_message", "file_share"];

fn claims(sample: &Sample<'_>) -> Claim {
    let is_message = |one: &Value| one["ts"].is_string() && one["type"].as_str() == Some("message");
    let is_list = matches!(
        sample.file,
        "users.json" | "channels.json" | "groups.json" | "dms.json" | "mpims.json"
    );
    let is_entry = |one: &Value| {
        has(one, &["id"])
            && ["team_id", "members", "profile", "name"].iter().any(|field| has(one, &[field]))
    };
    Claim::when(sample.any(is_message) || (is_list && sample.any(is_entry)))
}

fn read(reading: &mut Reading<'_>) {
    let mut people: HashMap<String, String> = HashMap::new();
    // A channel is read at a time: its files follow each other.
    let mut channels: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let documents = reading.documents();
    for (place, document) in documents.iter().enumerate() {
        match document.file_name() {
            "users.json" => reading.elements(document, &[], &mut |_, _, _, user| {
                let profile = &user["profile"];
                let names = [
                    &profile["display_name"],
                    &profile["real_name"],
                    &user["real_name"],
                    &user["name"],
                ];
                let name =
                    names.iter().filter_map(|name| name.as_str()).find(|name| !name.is_empty());
                if let (Some(id), Some(name)) = (user["id"].as_str(), name) {
                    people.insert(id.to_owned(), name.to_owned());
                }
            }),
            "channels.json" | "groups.json" | "dms.json" | "mpims.json" => {}
            _ => {
                let channel = document.name.rsplit('/').nth(1).unwrap_or("slack").to_owned();
                channels.entry(channel).or_default().push(place);
            }
        }
    }
    for (channel, places) in channels {
        let mut found = Channel { name: channel, ..Channel::default() };
        for place in &places {
            reading.elements(documents[*place], &[], &mut |reading, _, _, one| {
                found.message(reading, &people, &one);
            });
        }
        let place = documents[places[0]].place.as_str();
        found.take(reading, place);
        if reading.is_stopped() {
            return;
        }
    }
}

#[derive(Default)]
struct Channel {
    name: String,
    loose: Vec<Message>,
    threads: BTreeMap<String, Vec<Message>>,
}

impl Channel {
    fn message(
        &mut self,
        reading: &mut Reading<'_>,
        people: &HashMap<String, String>,
        one: &Value,
    ) {
        if one["subtype"].as_str().is_some_and(|kind| !SPOKEN.contains(&kind)) {
            return reading.leave_out("notices of the program");
        }
        let ts = one["ts"].as_str().unwrap_or_default();
        let mut parts = vec![plain(one["text"].as_str().unwrap_or_default(), people)];
        for file in one["files"].as_array().into_iter().flatten() {
            parts.push(text::attachment(
                "file",
                file["name"].as_str().unwrap_or_default(),
                file["size"].as_u64(),
            ));
        }
        let user = one["user"].as_str();
        let is_bot = one["bot_id"].is_string() && user.is_none();
        let name = user.map(|id| people.get(id).map_or(id, String::as_str));
        let name = name.or_else(|| one["username"].as_str()).or_else(|| one["bot_id"].as_str());
        let role = if is_bot { Role::Assistant } else { Role::User };
        let said = text::join(parts.iter().map(String::as_str));
        let message = Message::new(role, said, moment::of_text(ts))
            .by(name)
            .id(format!("{}/{ts}", self.name));
        match one["thread_ts"].as_str() {
            Some(thread) => self.threads.entry(thread.to_owned()).or_default().push(message),
            None => self.loose.push(message),
        }
    }

    fn take(self, reading: &mut Reading<'_>, place: &str) {
        take_by_gaps(reading, &format!("#{}", self.name), place, self.loose);
        for (ts, mut messages) in self.threads {
            messages.sort_by_key(|message| message.time.as_ref().map(|time| time.at));
            let mut thread = Thread::new(format!("#{}/{ts}", self.name), place);
            thread.messages = messages;
            reading.take(thread);
        }
    }
}

/// Text without Slack's marks: `<@U1>`, `<https://x|label>`, `&amp;`.
fn plain(said: &str, people: &HashMap<String, String>) -> String {
    let (mut out, mut rest) = (String::new(), said);
    while let Some(start) = rest.find('<') {
        let Some(end) = rest[start..].find('>') else { break };
        out.push_str(&rest[..start]);
        let mark = &rest[start + 1..start + end];
        let (target, label) =
            mark.split_once('|').map_or((mark, None), |(to, label)| (to, Some(label)));
        match target.chars().next() {
            Some('@') => {
                let name =
                    people.get(&target[1..]).map(String::as_str).or(label).unwrap_or(&target[1..]);
                out.push('@');
                out.push_str(name);
            }
            Some('#') => {
                out.push('#');
                out.push_str(label.unwrap_or(&target[1..]));
            }
            Some('!') => {
                out.push('@');
                out.push_str(label.unwrap_or(&target[1..]));
            }
            _ => match label {
                Some(label) if label != target => out.push_str(&format!("{label} ({target})")),
                _ => out.push_str(target),
            },
        }
        rest = &rest[start + end + 1..];
    }
    out.push_str(rest);
    text::entities(&out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_text() {
        let people = HashMap::from([("U1".to_owned(), "Ana".to_owned())]);
        let said = "<@U1> see <https://x.y|this> in <#C1|general> &amp; <!here> a < b";
        assert_eq!(plain(said, &people), "@Ana see this (https://x.y) in #general & @here a < b");
    }
}
