//! Plays a sequence against a proxy before a recording upstream, and compares.

use std::collections::BTreeMap;

use everwhen::memory::Entry;
use serde_json::{Map, Value, json};

use crate::shape::{Protocol, merged};
use crate::stage::{Fault, HttpResponse, Stage};
use crate::stamps;
use crate::wire::{Sequence, Step};

/// Upstreams of every kind.
const UPSTREAMS: &str = r#"
[[upstream]]
base_url = "UPSTREAM/v1"
[[upstream]]
kind = "ollama"
base_url = "UPSTREAM"
[[upstream]]
kind = "anthropic"
base_url = "UPSTREAM"
"#;
/// Nothing but stamps is added.
const STAMPS_ONLY: &str = "[proxy]\nnow = 'off'\ncontext = 'off'\nbriefing = 'off'\n";
/// On a busy machine memory may take long; that is tested elsewhere.
const PATIENT: &str = "[proxy]\ndeadline_ms = 60000\n";
/// The label of what is passed and not remembered.
const NONE: &str = "none";

/// A step that has been played, as later ones may refer to it.
struct Played {
    name: Option<String>,
    /// The messages of the request and what a client keeps of the reply.
    messages: Vec<Value>,
}

/// What a client sent and what the upstream was sent.
pub(crate) struct Exchange {
    pub(crate) protocol: Protocol,
    pub(crate) body: String,
    pub(crate) sent: String,
    /// Minutes since the sequence began.
    pub(crate) minute: i64,
    pub(crate) failed: bool,
}

/// A sequence being played.
pub(crate) struct Play<'s> {
    sequence: &'s Sequence,
    stage: Stage,
    /// How the store fails.
    fault: Option<Fault>,
    played: Vec<Played>,
    /// How many minutes have passed.
    minute: i64,
    /// The memory behind each label.
    memories: BTreeMap<String, String>,
}

/// Plays all steps; answers what differs first. With a fault, the store fails during all steps and works
/// again afterwards: every request passes as it came, and what is stored in the end is the same.
pub(crate) async fn play(sequence: Sequence, fault: Option<Fault>) -> Result<(), String> {
    if sequence.program.is_empty() || sequence.shows.is_empty() {
        return Err("say in `program` and `shows` whose requests these are and why".into());
    }
    let settings = sequence.settings.as_deref().unwrap_or(STAMPS_ONLY);
    let mut play = Play::new(&sequence, settings, fault).await;
    if let Some(fault) = fault {
        play.stage.store.fail(fault, true);
    }
    play.steps().await?;
    match fault {
        None => play.stored().await,
        Some(fault) => {
            play.stage.store.fail(fault, false);
            play.stage.drained().await;
            play.stored_anywhere().await
        }
    }
}

impl<'s> Play<'s> {
    /// The stage is set with these settings; nothing has been played.
    pub(crate) async fn new(sequence: &'s Sequence, settings: &str, fault: Option<Fault>) -> Self {
        let settings = match fault {
            Some(_) => settings.replace("[proxy]\n", "[proxy]\ndeadline_ms = 60\n"),
            None => settings.replace("[proxy]\n", PATIENT),
        };
        Self {
            sequence,
            stage: Stage::with(&format!("{UPSTREAMS}{settings}")).await,
            fault,
            played: Vec::new(),
            minute: 0,
            memories: BTreeMap::new(),
        }
    }

    /// Plays all steps; answers what differs first.
    async fn steps(&mut self) -> Result<(), String> {
        for (number, step) in (1..).zip(&self.sequence.step) {
            let name = step.name.clone().unwrap_or_default();
            self.step(step).await.map_err(|error| format!("step {number} {name}: {error}"))?;
        }
        Ok(())
    }

    /// The messages of the nth step and what a client keeps of its reply.
    pub(crate) fn history(&self, step: usize) -> Vec<Value> {
        self.played[step].messages.clone()
    }

    async fn step(&mut self, step: &Step) -> Result<(), String> {
        let (response, Exchange { body, sent, .. }) = self.exchange(step).await?;
        if let Some(fault) = self.fault {
            let adds_more = self.sequence.settings.is_some();
            return passed(step, (fault, adds_more), &response, (&body, &sent));
        }
        self.compare_memory(step, &response)?;
        self.compare(step, &response, &body, &sent)
    }

    /// Sends the request of a step and waits until everything about it is stored.
    pub(crate) async fn exchange(
        &mut self,
        step: &Step,
    ) -> Result<(HttpResponse, Exchange), String> {
        self.stage.wait(step.wait);
        self.minute += step.wait;
        let path = step.path.as_ref().unwrap_or(&self.sequence.path);
        let protocol = Protocol::of(path);
        let mut messages = self.messages(step, protocol)?;
        let body = self.body(step, protocol, &messages);
        let before = self.stage.upstream.sent().len();
        self.stage.upstream.answers(protocol.script(step, step.stream));
        let mut ask = self.stage.post(path, &body);
        for (name, value) in self.sequence.headers.iter().chain(&step.headers) {
            ask = ask.header(name, value);
        }
        let response = ask.response().await;
        self.stage.state.settle().await;
        messages.extend(protocol.kept(step));
        self.played.push(Played { name: step.name.clone(), messages });
        let sent = self.stage.upstream.sent();
        let [sent] = &sent[before..] else { return Err("the upstream was not asked once".into()) };
        let (sent, failed) = (sent.body.clone(), step.status >= 400);
        Ok((response, Exchange { protocol, body, sent, minute: self.minute, failed }))
    }

    fn body(&self, step: &Step, protocol: Protocol, messages: &[Value]) -> String {
        let mut fields = Map::from_iter([("model".to_owned(), json!("m"))]);
        if step.stream || protocol == Protocol::Ollama {
            fields.insert("stream".into(), json!(step.stream));
        }
        let mut body = merged(&[&fields, &self.sequence.fields, &step.fields]);
        body.insert(protocol.list().into(), json!(messages));
        Value::Object(body).to_string()
    }

    /// The messages of a request: `+` and `+name` stand for those of an earlier step and its reply.
    fn messages(&self, step: &Step, protocol: Protocol) -> Result<Vec<Value>, String> {
        let mut messages = Vec::new();
        for one in &step.messages {
            let Value::String(text) = one else {
                messages.push(one.clone());
                continue;
            };
            if let Some(name) = text.strip_prefix('+') {
                messages.extend(self.earlier(name)?.messages.clone());
                continue;
            }
            let (role, text) =
                text.split_once(": ").ok_or_else(|| format!("{text:?} has no role"))?;
            messages.push(protocol.message(role, text));
        }
        Ok(messages)
    }

    fn earlier(&self, name: &str) -> Result<&Played, String> {
        let mut played = self.played.iter().rev();
        let found = match name {
            "" => played.next(),
            name => played.find(|played| played.name.as_deref() == Some(name)),
        };
        found.ok_or_else(|| format!("there is no step {name:?} before this one"))
    }

    fn compare(
        &self,
        step: &Step,
        response: &HttpResponse,
        body: &str,
        sent: &str,
    ) -> Result<(), String> {
        same("status", &step.status, &response.status)?;
        if let Some(reason) = response.header("x-everwhen-degraded") {
            return Err(format!("memory failed: {reason}"));
        }
        only_additions(body, sent, self.sequence.settings.is_some())?;
        if step.memory == NONE && body != sent {
            return Err(format!("it was not passed as it came:\n{sent}"));
        }
        if let Some(expected) = &step.stamped {
            let sent: Value = serde_json::from_str(sent).map_err(|error| error.to_string())?;
            same("stamped", expected, &stamps::found(&sent))?;
        }
        let escaped = |text: &String| json!(text).to_string().trim_matches('"').to_owned();
        let has = |text: &&String| sent.contains(&escaped(text));
        if let Some(missing) = step.upstream_has.iter().find(|text| !has(text)) {
            return Err(format!("{missing:?} did not reach the upstream:\n{sent}"));
        }
        match step.upstream_lacks.iter().find(has) {
            Some(text) => Err(format!("{text:?} reached the upstream:\n{sent}")),
            None => Ok(()),
        }
    }

    /// A label means one memory, named by the same name in every step, and two labels for two.
    pub(crate) fn compare_memory(
        &mut self,
        step: &Step,
        response: &HttpResponse,
    ) -> Result<(), String> {
        let Some(memory) = response.header("x-everwhen-memory") else {
            return same("memory", &step.memory.as_str(), &NONE);
        };
        if step.memory == NONE {
            return Err(format!("it is remembered in {memory}"));
        }
        let known = self.memories.iter().find(|(_, known)| *known == memory);
        if let Some((label, _)) = known {
            return same("memory", &step.memory, label);
        }
        match self.memories.insert(step.memory.clone(), memory.to_owned()) {
            Some(before) => Err(format!("memory {} was {before} and is {memory}", step.memory)),
            None => Ok(()),
        }
    }

    /// Compares what is stored in every memory.
    async fn stored(&self) -> Result<(), String> {
        let count = self.stage.memories().await.len();
        same("number of memories", &self.memories.len(), &count)?;
        for (label, memory) in &self.memories {
            let entries = self.stage.entries(memory).await;
            let stored: Vec<String> = entries.iter().map(line).collect();
            let expected = self.sequence.stored.get(label).cloned().unwrap_or_default();
            same(&format!("stored in {label}"), &expected, &stored)?;
        }
        match self.sequence.stored.keys().find(|label| !self.memories.contains_key(*label)) {
            Some(label) => Err(format!("no step has the memory {label:?}")),
            None => Ok(()),
        }
    }
}

impl Play<'_> {
    /// Compares what is stored in all memories, whatever they are called: no client was told.
    async fn stored_anywhere(&self) -> Result<(), String> {
        let mut expected: Vec<Vec<String>> = self.sequence.stored.values().cloned().collect();
        let mut stored = Vec::new();
        for memory in self.stage.memories().await {
            let entries = self.stage.entries(&memory).await;
            stored.push(entries.iter().map(line).collect::<Vec<String>>());
        }
        expected.sort();
        stored.sort();
        same("stored", &expected, &stored)
    }
}

/// While memory fails, a request passes as it came, and the client gets a header that says so.
fn passed(
    step: &Step,
    (fault, adds_more): (Fault, bool),
    response: &HttpResponse,
    (body, sent): (&str, &str),
) -> Result<(), String> {
    same("status", &step.status, &response.status)?;
    match fault {
        // It is known when everything was said before the answer is lost.
        Fault::LosesAnswers => only_additions(body, sent, adds_more)?,
        _ => same("what the upstream was sent", &without_tags(body).as_str(), &sent)?,
    }
    let is_degraded = response.header("x-everwhen-degraded").is_some();
    same("whether the client is told", &(step.memory != NONE), &is_degraded)
}

/// An entry: `12:00 user hi`, `12:00 assistant [Read] (Ana) Done.`.
fn line(entry: &Entry) -> String {
    let tools: Vec<String> = entry.tools_used.iter().map(ToString::to_string).collect();
    let tools = if tools.is_empty() { String::new() } else { format!("[{}] ", tools.join(", ")) };
    let speaker = entry.speaker.as_ref().map(|name| format!("({name}) ")).unwrap_or_default();
    let time = stamps::clock(entry.conversation_time);
    format!("{time} {} {tools}{speaker}{}", entry.role.as_str(), entry.content.as_str())
}

/// Every byte that the client sent reaches the upstream, in order; where only stamps are added,
/// nothing else does.
fn only_additions(body: &str, sent: &str, adds_more: bool) -> Result<(), String> {
    let body = without_tags(body);
    let mut rest = sent.bytes();
    let is_there = body.bytes().all(|byte| rest.any(|other| other == byte));
    if !is_there || (!adds_more && stamps::without(sent) != body) {
        return Err(format!("the upstream was sent something else:\n{sent}\nthan:\n{body}"));
    }
    Ok(())
}

/// The body without the tags that name a memory, which never reach an upstream.
fn without_tags(body: &str) -> String {
    let mut left = body.to_owned();
    while let (Some(start), Some(end)) = (left.find("[DiscussionId]"), left.find("[/DiscussionId]"))
    {
        left.replace_range(start..end + "[/DiscussionId]".len(), "");
    }
    left
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, expected: &T, found: &T) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    Err(format!("{what}:\nexpected {expected:#?}\nfound    {found:#?}"))
}
