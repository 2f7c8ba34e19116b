//! The payload of a background job: the progress of a run and the snapshot of its chat. Images and
//! tools are not part of it: what runs after the answer works with text.

use everwhen::memory::Role;
use everwhen::ports::PromptMessage;
use everwhen::time::Zone;
use everwhen::{Error, Result};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::chat::{Chat, SaidAt};
use crate::run::Progress;

/// A workflow that stopped at its answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PendingRun {
    /// The path of the workflow.
    pub(crate) workflow: String,
    /// The model that was asked, which says whose workflow it is.
    pub(crate) model: String,
    /// The id of the run, which owns its locks.
    pub(crate) run: String,
    /// Its progress.
    pub(crate) progress: Progress,
    /// The snapshot of the chat.
    pub(crate) chat: Chat,
}

#[derive(Serialize, Deserialize)]
struct PendingRunRow {
    workflow: String,
    #[serde(default)]
    model: String,
    run: String,
    outputs: Vec<String>,
    locks: Vec<String>,
    messages: Vec<MessageRow>,
    now: i64,
    zone: String,
    pause_seconds: i64,
    discussion_id: String,
    time_context_summary: String,
    asked: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct MessageRow {
    role: String,
    content: String,
    time: Option<i64>,
    since: Option<i64>,
}

impl PendingRun {
    /// Serializes it as the payload of a job.
    pub(crate) fn written(&self) -> String {
        let Self { workflow, model, run, progress, chat } = self;
        let message = |(message, said): (&PromptMessage, &Option<SaidAt>)| MessageRow {
            role: message.role.as_str().to_owned(),
            content: message.content.clone(),
            time: said.map(|said| said.time.as_microsecond()),
            since: said.and_then(|said| said.since).map(Timestamp::as_microsecond),
        };
        let row = PendingRunRow {
            workflow: workflow.clone(),
            model: model.clone(),
            run: run.clone(),
            outputs: progress.outputs.clone(),
            locks: progress.locks.clone(),
            messages: chat.messages.iter().zip(&chat.times).map(message).collect(),
            now: chat.now.as_microsecond(),
            zone: chat.zone.name().to_owned(),
            pause_seconds: chat.pause.as_secs(),
            discussion_id: chat.discussion_id.clone(),
            time_context_summary: chat.time_context_summary.clone(),
            asked: chat.asked.map(|entry| entry.to_string()),
        };
        serde_json::to_string(&row).expect("texts, times and numbers can be written")
    }

    /// Parses the payload of a job.
    pub(crate) fn read(payload: &str) -> Result<Self> {
        // A serde error may quote the text of an entry, so it is not shown.
        let row: PendingRunRow = serde_json::from_str(payload)
            .map_err(|_| Error::damaged("a job carries no workflow that can be gone on with"))?;
        let times = row.messages.iter().map(said_at).collect::<Result<_>>()?;
        let messages = row.messages.into_iter().map(|row| {
            let role = Role::named(&row.role)?;
            Ok(PromptMessage { role, content: row.content })
        });
        let chat = Chat {
            times,
            messages: messages.collect::<Result<_>>()?,
            now: instant(row.now)?,
            zone: Zone::named(&row.zone)?,
            pause: SignedDuration::from_secs(row.pause_seconds),
            discussion_id: row.discussion_id,
            time_context_summary: row.time_context_summary,
            asked: row.asked.map(|entry| entry.parse()).transpose()?,
            raw: Vec::new(),
            tools: None,
        };
        let progress = Progress { outputs: row.outputs, inputs: Vec::new(), locks: row.locks };
        Ok(Self { workflow: row.workflow, model: row.model, run: row.run, progress, chat })
    }
}

fn said_at(row: &MessageRow) -> Result<Option<SaidAt>> {
    let since = row.since.map(instant).transpose()?;
    row.time.map(|time| Ok(SaidAt { time: instant(time)?, since })).transpose()
}

fn instant(micros: i64) -> Result<Timestamp> {
    Timestamp::from_microsecond(micros).map_err(|_| Error::damaged("a job carries no right time"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nonsense_is_not_repeated() {
        let now: Timestamp = "2025-03-01T12:00:00Z".parse().unwrap();
        let message = PromptMessage { role: Role::User, content: "hi \"{x}\"".into() };
        let zone = Zone::named("Europe/Berlin").unwrap();
        let mut chat = Chat::unknown(vec![message.clone(), message], now, zone);
        chat.times[1] = Some(SaidAt { time: now, since: Some(now) });
        let progress =
            Progress { outputs: vec!["a".into()], inputs: vec![], locks: vec!["l".into()] };
        let (workflow, model, run) = ("a/w".into(), "a".into(), "r".into());
        let rest = PendingRun { workflow, model, run, progress, chat };
        assert_eq!(PendingRun::read(&rest.written()).unwrap(), rest);
        let error = PendingRun::read("{\"workflow\": \"my diary\"}").unwrap_err();
        assert!(!error.message().contains("diary"), "{error}");
    }
}
