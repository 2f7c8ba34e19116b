//! Puts what the engine answers into lines that a person can check.

use everwhen_engine::ConversationView;
use everwhen_engine::facts::FactView;
use everwhen_engine::job::{Job, JobState};
use everwhen_engine::memory::{
    Branch, ContextBy, ContextDocument, Conversation, EndedBy, Entry, Name,
};
use everwhen_engine::ports::Removed;
use everwhen_engine::recall::Recollection;
use everwhen_engine::receipt::{Done, EntriesReceipt, Receipt};
use everwhen_engine::time::Zone;
use jiff::Timestamp;

/// A time on the wall clock: `2023-01-08 12:49`, with seconds only where there are some.
pub(super) fn time(zone: &Zone, instant: Timestamp) -> String {
    let shown = zone.show(instant);
    let form = match (shown.second(), shown.subsec_nanosecond()) {
        (0, 0) => "%Y-%m-%d %H:%M",
        (_, 0) => "%Y-%m-%d %H:%M:%S",
        _ => "%Y-%m-%d %H:%M:%S%.f",
    };
    shown.strftime(form).to_string()
}

/// What a write did.
pub(super) fn done(done: &Done, zone: &Zone) -> String {
    let text = match &done.receipt {
        Receipt::Vault(id) => id.to_string(),
        Receipt::Memory(id) => id.to_string(),
        Receipt::Entries(receipt) => entries(receipt, zone),
        Receipt::Context { version, .. } => format!("context version {version}"),
        Receipt::Conversation(id) => id.to_string(),
        Receipt::Imported { conversation, entries, .. } => {
            format!("{} in {conversation}", count(*entries, "entry", "entries"))
        }
        Receipt::Forked { branch, entries } => {
            format!("{} on branch {branch}", count(*entries, "entry", "entries"))
        }
        Receipt::Fact(id) => id.to_string(),
        Receipt::Regenerating(number) => {
            format!("{} made again", count(*number, "conversation", "conversations"))
        }
        Receipt::Forgotten(removed) => forgotten(removed),
    };
    if done.replayed { format!("{text} (stored before)") } else { text }
}

fn entries(receipt: &EntriesReceipt, zone: &Zone) -> String {
    let stored = receipt.entries.iter().map(|one| format!("{} in {}", one.id, one.conversation));
    let answers = receipt.pending.map(|pending| {
        format!("answers {}, asked {}", pending.question, time(zone, pending.asked_at))
    });
    stored.chain(answers).collect::<Vec<_>>().join(", ")
}

fn forgotten(removed: &Removed) -> String {
    let counts = [
        (removed.memories, "memory", "memories"),
        (removed.conversations, "conversation", "conversations"),
        (removed.entries, "entry", "entries"),
        (removed.contexts, "context version", "context versions"),
        (removed.facts, "fact", "facts"),
        (removed.jobs, "job", "jobs"),
    ];
    let parts: Vec<String> = counts
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, many)| count(number, one, many))
        .collect();
    format!("forgotten: {}", if parts.is_empty() { "nothing".into() } else { parts.join(", ") })
}

fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// An entry on one line; when it was stored only if that is not when it was said.
pub(super) fn entry(entry: &Entry, zone: &Zone) -> String {
    let said = time(zone, entry.conversation_time);
    let stored = (entry.creation_time != entry.conversation_time)
        .then(|| format!("stored {}", time(zone, entry.creation_time)));
    let notes: Vec<String> = stored.into_iter().chain(notes(entry, zone)).collect();
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
    let text = entry.content.as_str();
    format!("{} {said} {}: {text}{notes}", entry.id, entry.role.as_str())
}

/// What else is known of an entry.
fn notes(entry: &Entry, zone: &Zone) -> impl Iterator<Item = String> {
    let list = |what: &str, names: &[Name]| {
        let names: Vec<&str> = names.iter().map(Name::as_str).collect();
        (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
    };
    let branch =
        entry.branch.map(|(branch, at)| format!("on branch {branch} since {}", time(zone, at)));
    let corrects =
        entry.corrects.as_ref().map(|why| format!("corrects {}: {}", why.entry, why.reason));
    let corrected = entry
        .corrected
        .map(|corrected| format!("corrected by {} {}", corrected.by, time(zone, corrected.at)));
    [
        entry.speaker.as_ref().map(|name| format!("speaker {name}")),
        entry.summary.as_ref().map(|summary| format!("in short: {summary}")),
        list("tags", &entry.tags),
        list("used", &entry.tools_used),
        entry.is_question.then(|| "a question".to_owned()),
        corrects,
        corrected,
        branch,
    ]
    .into_iter()
    .flatten()
}

/// An entry with both its times and its conversation.
pub(super) fn entry_in_full(one: &Entry, zone: &Zone) -> String {
    let conversation = one
        .conversation_name
        .as_ref()
        .map_or_else(|| one.conversation.to_string(), ToString::to_string);
    format!(
        "{}\nconversation_time {}\ncreation_time {}\nconversation {conversation}",
        entry(one, zone),
        zone.rfc3339(one.conversation_time),
        zone.rfc3339(one.creation_time),
    )
}

/// A conversation as lists show it.
pub(super) fn conversation(one: &Conversation, zone: &Zone) -> String {
    let mut text = format!(
        "{} {} to {}, {}",
        one.wire_name(),
        time(zone, one.started_at),
        time(zone, one.last_at),
        count(one.entries, "entry", "entries")
    );
    text.push_str(&one.ended.as_ref().map_or_else(
        || ", open".to_owned(),
        |ended| format!(", ended {} {}", time(zone, ended.at), by(&ended.by)),
    ));
    for (what, at) in [("archived", one.archived_at), ("restored", one.restored_at)] {
        text.extend(at.map(|at| format!(", {what} {}", time(zone, at))));
    }
    text.extend(one.summary.as_ref().map(|summary| {
        format!("\n  {}\n  ({}) {}", summary.title, summary.by.as_str(), summary.text)
    }));
    text
}

fn by(by: &EndedBy) -> String {
    match by {
        EndedBy::Idle => "by silence".into(),
        EndedBy::Caller { reason: None } => "by the caller".into(),
        EndedBy::Caller { reason: Some(reason) } => format!("by the caller: {reason}"),
    }
}

/// A conversation with its branches and entries.
pub(super) fn conversation_in_full(view: &ConversationView, zone: &Zone) -> String {
    let branch = |branch: &Branch| {
        let entries = count(branch.entries, "entry", "entries");
        format!("  branch {}: {entries} since {}", branch.id, time(zone, branch.archived_at))
    };
    let entries = view.entries.iter().map(|one| format!("  {}", entry(one, zone)));
    [conversation(&view.conversation, zone)]
        .into_iter()
        .chain(view.branches.iter().map(branch))
        .chain(entries)
        .collect::<Vec<_>>()
        .join("\n")
}

/// A version of the context document.
pub(super) fn context(one: &ContextDocument, zone: &Zone) -> String {
    let (said, stored) = (time(zone, one.conversation_time), time(zone, one.creation_time));
    let by = match one.by {
        ContextBy::Agent => String::new(),
        by => format!(" ({})", by.as_str()),
    };
    format!("version {}{by}, as of {said}, stored {stored}: {}", one.version, one.content)
}

/// A fact: when it holds, and whether it is believed now.
pub(super) fn fact(view: &FactView, zone: &Zone) -> String {
    let day = |time: Option<Timestamp>| time.map(|time| zone.day(time).to_string());
    let (since, until) = (day(view.holds.since()), day(view.holds.until()));
    let holds = format!("{}/{}", since.unwrap_or_default(), until.unwrap_or_default());
    let current = if view.is_current() { "current" } else { "replaced" };
    format!("{} ({}) holds {holds}, {current}", view.text, view.fact.source.as_str())
}

/// What recall answered: facts best first, then the first entries.
pub(super) fn recollection(recollection: &Recollection, zone: &Zone) -> Vec<String> {
    let facts = recollection.facts.iter().map(|found| format!("fact: {}", found.fact.text));
    let items = recollection.items.iter().take(3);
    let items = items.map(|found| format!("entry: {}", entry(&found.entry, zone)));
    facts.chain(items).collect()
}

/// Background work.
pub(super) fn job(job: &Job, zone: &Zone) -> String {
    let state = match job.state {
        JobState::Waiting => "waiting".to_owned(),
        JobState::Leased { until } => format!("claimed until {}", time(zone, until)),
        JobState::SetAside => "set aside".to_owned(),
    };
    let due = time(zone, job.due_at);
    format!("{} {} due {due}, {state}", job.kind.as_str(), job.subject)
}
