//! What a story lets people do (`! end`) and ask (`? timeline`).

use everwhen_engine::facts::FactQuery;
use everwhen_engine::memory::{Name, Role};
use everwhen_engine::ports::{
    ArchiveFilter, ContextVersion, ConversationOrder, ConversationQuery, EntryQuery, Order, Which,
};
use everwhen_engine::recall::Query;
use everwhen_engine::time::Zone;
use jiff::{Span, Timestamp};

use super::script::read_time;
use super::sent::Sent;
use super::words::words;

/// Something done. Things are named as the snapshot names them: `e2`, `c1`.
pub(super) enum Action {
    /// Time passes and background work that falls due is done.
    Wait(Span),
    /// The process ends and another opens the same store.
    Restart,
    /// A conversation is ended: the one named, else the active one.
    End { conversation: Option<String>, reason: Option<String> },
    /// An entry is corrected.
    Correct { entry: String, content: String, reason: String },
    /// The entries behind one are put on a branch.
    Fork { conversation: String, after: String },
    /// An archived conversation is brought back.
    Restore(String),
    /// A new version of the context document is written.
    Context { content: String, time: Option<Timestamp> },
    /// The context document is rebuilt from facts and chapters.
    Rebuild,
    /// Something is forgotten.
    Forget(Forgotten),
    /// A client sends its history.
    Send(Sent),
}

/// What is forgotten.
pub(super) enum Forgotten {
    /// An entry.
    Entry(String),
    /// A conversation.
    Conversation(String),
    /// What was said in a period.
    Period(Option<Timestamp>, Option<Timestamp>),
    /// Everything.
    Memory,
}

/// Something asked.
pub(super) enum Question {
    /// The timeline.
    Timeline(Filter),
    /// Entries.
    Entries(Filter),
    /// The next page of the last list.
    More,
    /// One entry.
    Entry(String),
    /// Conversations.
    Conversations(ConversationQuery),
    /// One conversation.
    Conversation(String),
    /// The text a model gets.
    Prompt,
    /// The context document.
    Context(ContextVersion),
    /// All its versions.
    Contexts,
    /// Background work that waits.
    Jobs,
    /// Facts.
    Facts(FactQuery),
    /// What is believed, by month.
    Months,
    /// What recall answers: facts and the first entries.
    Recall(Box<Query>),
    /// Where each conversation stands.
    States,
}

/// Which entries are meant.
#[derive(Clone, Default)]
pub(super) struct Filter {
    /// As the engine takes it, but for the two below.
    pub(super) query: EntryQuery,
    /// Only of this conversation.
    pub(super) conversation: Option<String>,
    /// Only on this branch.
    pub(super) branch: Option<String>,
}

const ACTIONS: &str = "use ! wait 45m, ! restart, ! end [c1] [because \"…\"], \
    ! correct e1 \"…\" because \"…\", ! fork c1 after e2, ! restore c1, ! context \"…\" [at TIME], ! rebuild, \
    ! forget e1 | c1 | memory | [after TIME] [before TIME], \
    ! send with a history below it";
const QUESTIONS: &str = "use ? timeline, ? entries, ? more, ? entry e1, ? conversations, \
    ? conversation c1, ? prompt, ? context, ? contexts, ? jobs, ? facts [all] [as-of TIME] \
    [about \"…\"], ? months, ? recall \"…\" [as-of TIME], ? states";
const FILTERS: &str = "use after TIME, before TIME, created-after TIME, created-before TIME, \
    as-of TIME, role NAME, tag NAME, in c1, branch b1, limit N, newest, all";
const CONVERSATION_FILTERS: &str =
    "use ended, open, archived, all, by-end, newest, after TIME, before TIME, limit N";

impl Action {
    /// Reads what follows `!`.
    pub(super) fn read(text: &str, zone: &Zone) -> Result<Self, String> {
        if let Some(("send", sent)) = text.trim().split_once('\n') {
            return Sent::read(sent).map(Self::Send);
        }
        let words = words(text)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let text = |text: &&str| (*text).to_owned();
        Ok(match words.as_slice() {
            ["wait", span @ ..] => Self::Wait(read_span(&span.join(" "))?),
            ["restart"] => Self::Restart,
            ["end", whom @ .., "because", reason] if whom.len() < 2 => {
                Self::End { conversation: whom.first().map(text), reason: Some(text(reason)) }
            }
            ["end", whom @ ..] if whom.len() < 2 => {
                Self::End { conversation: whom.first().map(text), reason: None }
            }
            ["correct", entry, content, "because", reason] => {
                Self::Correct { entry: text(entry), content: text(content), reason: text(reason) }
            }
            ["fork", conversation, "after", entry] => {
                Self::Fork { conversation: text(conversation), after: text(entry) }
            }
            ["restore", conversation] => Self::Restore(text(conversation)),
            ["rebuild"] => Self::Rebuild,
            ["context", content] => Self::Context { content: text(content), time: None },
            ["context", content, "at", time] => {
                Self::Context { content: text(content), time: Some(read_time(time, zone)?) }
            }
            ["forget", what @ ..] => Self::Forget(Forgotten::read(what, zone)?),
            _ => return Err(format!("this action is unknown; {ACTIONS}")),
        })
    }
}

fn read_span(text: &str) -> Result<Span, String> {
    text.parse().map_err(|_| format!("cannot read the wait {text:?}; write 45m, 30m 1s or 7 days"))
}

impl Forgotten {
    fn read(words: &[&str], zone: &Zone) -> Result<Self, String> {
        match words {
            ["memory"] => Ok(Self::Memory),
            [name] if name.starts_with('e') => Ok(Self::Entry((*name).to_owned())),
            [name] => Ok(Self::Conversation((*name).to_owned())),
            _ => {
                let query = Filter::read(words, zone)?.query;
                Ok(Self::Period(query.after, query.before))
            }
        }
    }
}

impl Question {
    /// Reads what follows `?`.
    pub(super) fn read(text: &str, zone: &Zone) -> Result<Self, String> {
        let words = words(text)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Ok(match words.as_slice() {
            ["timeline", filters @ ..] => Self::Timeline(Filter::read(filters, zone)?),
            ["entries", filters @ ..] => Self::Entries(Filter::read(filters, zone)?),
            ["more"] => Self::More,
            ["entry", entry] => Self::Entry((*entry).to_owned()),
            ["conversations", filters @ ..] => {
                Self::Conversations(read_conversation_query(filters, zone)?)
            }
            ["conversation", conversation] => Self::Conversation((*conversation).to_owned()),
            ["prompt"] => Self::Prompt,
            ["context"] => Self::Context(ContextVersion::Current),
            ["context", "version", number] => {
                Self::Context(ContextVersion::Number(read_number(number)?))
            }
            ["context", "as-of", time] => {
                Self::Context(ContextVersion::AsOf(read_time(time, zone)?))
            }
            ["contexts"] => Self::Contexts,
            ["jobs"] => Self::Jobs,
            ["facts", filters @ ..] => Self::Facts(read_fact_query(filters, zone)?),
            ["months"] => Self::Months,
            ["recall", question] => Self::Recall(Box::new(Query::new(*question))),
            ["recall", question, "as-of", time] => {
                let as_of = Some(read_time(time, zone)?);
                Self::Recall(Box::new(Query { as_of, ..Query::new(*question) }))
            }
            ["states"] => Self::States,
            _ => return Err(format!("this question is unknown; {QUESTIONS}")),
        })
    }
}

fn read_number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text:?} should be a number, such as 10"))
}

impl Filter {
    fn read(words: &[&str], zone: &Zone) -> Result<Self, String> {
        let mut filter = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "newest" => filter.query.order = Order::Newest,
                "all" => filter.query.which = Which::All,
                name => filter.put(name, words.next().copied().unwrap_or(""), zone)?,
            }
        }
        Ok(filter)
    }

    fn put(&mut self, name: &str, value: &str, zone: &Zone) -> Result<(), String> {
        let time = || read_time(value, zone);
        let query = &mut self.query;
        match name {
            "after" => query.after = Some(time()?),
            "before" => query.before = Some(time()?),
            "created-after" => query.created_after = Some(time()?),
            "created-before" => query.created_before = Some(time()?),
            "as-of" => query.which = Which::AsOf(time()?),
            "role" => query.role = Some(Role::named(value).map_err(|error| error.to_string())?),
            "tag" => query.tag = Some(Name::new("tag", value).map_err(|error| error.to_string())?),
            "in" => self.conversation = Some(value.to_owned()),
            "branch" => self.branch = Some(value.to_owned()),
            "limit" => query.limit = Some(read_number(value)?),
            _ => return Err(format!("{name:?} does not narrow a list; {FILTERS}")),
        }
        Ok(())
    }
}

fn read_conversation_query(words: &[&str], zone: &Zone) -> Result<ConversationQuery, String> {
    let mut query = ConversationQuery::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().copied().unwrap_or("");
        match *word {
            "ended" => query.ended = Some(true),
            "open" => query.ended = Some(false),
            "archived" => query.archive = ArchiveFilter::Archived,
            "all" => query.archive = ArchiveFilter::Both,
            "by-end" => query.by = ConversationOrder::Ended,
            "newest" => query.order = Order::Newest,
            "after" => query.after = Some(read_time(value(), zone)?),
            "before" => query.before = Some(read_time(value(), zone)?),
            "limit" => query.limit = Some(read_number(value())?),
            _ => {
                return Err(format!(
                    "{word:?} does not narrow a list of conversations; {CONVERSATION_FILTERS}"
                ));
            }
        }
    }
    Ok(query)
}

fn read_fact_query(words: &[&str], zone: &Zone) -> Result<FactQuery, String> {
    let mut query = FactQuery::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().copied().unwrap_or("");
        match *word {
            "all" => query.all = true,
            "as-of" => query.as_of = Some(read_time(value(), zone)?),
            "about" => query.about = Some(value().to_owned()),
            _ => return Err(format!("{word:?} does not narrow facts; use all, as-of or about")),
        }
    }
    Ok(query)
}
