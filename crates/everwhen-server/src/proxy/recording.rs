//! Records an exchange: stores its request, and its reply when that has ended or was cut off.
//! Before the reply ends, all of it is in the store or in the outbox.

use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use everwhen::ledger::{Begun, Commit, Exchange, History, Message};
use everwhen::memory::{Address, Chance, Role, VaultId};
use everwhen::outbox::{Ack, OutboxRow, RowState};
use everwhen::ports::{Addition, MemoryRef};
use everwhen::{
    Error, ProxyChange, ProxyConfig, ProxySettings, Result, SystemChance, Unnamed, Vault,
};
use jiff::Timestamp;
use tokio::sync::oneshot;
use tokio::time::{Instant as Moment, timeout, timeout_at};

use super::history;
use super::memory::{ProxyMemory, Write, too_slow};
use super::memory_name::NamedMemory;
use super::new_chats::fresh_name;
use super::not_remembered;
use super::outbox::heard;
use super::outbox::lanes::LaneName;
use super::outbox::store::{Live, Pending};
use super::person::is_chat;
use super::prepare::{ProxyRequest, commit};
use super::recognise::{UnprovenMemory, recognise};
use super::relay::Gathered;
use super::wire::kept::{KeptHead, KeptReply, write_message};
use super::wire::seen::AnsweredSeen;
use crate::access::Caller;
use crate::proxy::ProxyState;

/// How long a chat waits for the outbox, which is a local file.
const OUTBOX: Duration = Duration::from_millis(250);
/// A reply that the store has not taken after this time is written to the outbox.
const QUICK: Duration = Duration::from_millis(50);

/// The state of storing the request.
enum ExchangeStart {
    /// Not tried yet, or failed.
    None,
    /// In progress.
    Under(Mutex<Write<Begun>>),
    /// Durable.
    Stored(Box<Exchange>),
}

/// What is known of the request before it is durable.
struct EarlyStart {
    vault: Vault,
    named: NamedMemory,
    commit: Commit,
    begun: Begun,
}

/// The settings for recording an exchange, once its memory is known.
struct RecordingOptions {
    /// The label of the caller's key.
    label: Option<String>,
    /// The overrides in the request's headers.
    change: ProxyChange,
    /// When the reply gets its time, if that is given.
    commit: Option<Commit>,
    /// The memory of a history without evidence.
    otherwise: UnprovenMemory,
}

impl RecordingOptions {
    /// When the reply gets its time in a memory, and whether the latest conversations are added.
    fn in_memory(&self, config: &ProxyConfig, memory: &str) -> (Commit, bool) {
        let settings = config.settings(self.label.as_deref(), Some(memory), &self.change);
        (self.commit.unwrap_or_else(|| commit(&settings)), settings.context)
    }
}

/// One exchange that is being recorded.
pub(crate) struct Recording {
    state: ProxyState,
    caller: Caller,
    id: i64,
    lane: String,
    address: Address<VaultId>,
    /// The vault, once it is found.
    pub(crate) vault: Option<Vault>,
    /// The memory, once it is known.
    pub(crate) named: Option<NamedMemory>,
    /// Where the exchange is stored, once it is.
    place: Option<MemoryRef>,
    history: History,
    head: KeptHead,
    /// The memory of a history without evidence.
    otherwise: UnprovenMemory,
    beginning: ExchangeStart,
    /// The write of the request to the outbox.
    written: Option<Ack>,
    /// The model that is called.
    model: Option<String>,
    /// When the model was called.
    since: Instant,
    /// What was added to messages of the request, by the number of the message.
    pub(crate) added: Vec<(u64, Addition)>,
    /// How long the end of the reply may be delayed.
    patience: Duration,
}

impl Recording {
    /// Starts recording a request; its order in the chat is fixed from now on.
    pub(crate) fn new(
        request: &ProxyRequest<'_>,
        address: Address<VaultId>,
        named: Option<NamedMemory>,
        settings: &ProxySettings,
    ) -> Self {
        let (state, proxy) = (request.state.clone(), &request.state.proxy);
        let at = proxy.outbox.time(ProxyMemory::of(&state).now());
        let mut history = history::history(request.asked, request.purpose, request.headers);
        history.client = request.client();
        history.chat_of = named.as_ref().is_none_or(is_chat).then(|| request.person());
        let at_once = request.local.unwrap_or_else(|| commit(settings)) == Commit::AtOnce;
        let mut head = KeptHead::of(&history, at, at_once);
        head.resends_all = named.as_ref().is_some_and(|named| named.resends_all);
        history.sent_at = Some(head.time());
        let vault = shown(&address);
        let otherwise = otherwise(settings.unnamed, head.time());
        if let UnprovenMemory::New(at, chance) = &otherwise {
            head.otherwise = Some(fresh_name(*at, *chance));
        }
        let memory = named.as_ref().map(|named| shown(&named.memory));
        let lane = LaneName { vault, memory, chat: chat_of(&history.messages) };
        Self {
            caller: request.caller.caller,
            id: proxy.outbox.enter(&lane),
            lane: lane.text(),
            address,
            vault: None,
            named,
            place: None,
            history,
            head,
            otherwise,
            beginning: ExchangeStart::None,
            written: None,
            model: request.asked.model.as_ref().map(ToString::to_string),
            since: Instant::now(),
            added: Vec::new(),
            patience: settings.deadline.max(OUTBOX),
            state,
        }
    }

    /// Stores the request. If that takes a while, the request is written to the outbox meanwhile;
    /// at the deadline the chat goes on without memory.
    pub(crate) async fn begin(
        &mut self,
        request: &ProxyRequest<'_>,
        change: &ProxyChange,
        deadline: Moment,
    ) -> Result<Begun> {
        let (sender, mut early) = oneshot::channel();
        let options = RecordingOptions {
            label: request.caller.label.clone(),
            change: change.clone(),
            commit: request.local,
            otherwise: self.otherwise.clone(),
        };
        let work = self.beginning(options, sender);
        self.beginning = ExchangeStart::Under(Mutex::new(ProxyMemory::of(&self.state).write(work)));
        let now = Moment::now();
        let soon = now + deadline.saturating_duration_since(now) / 4;
        let heard = match timeout_at(soon, &mut early).await {
            Ok(heard) => heard,
            Err(_) => {
                self.write_request();
                timeout_at(deadline, &mut early).await.map_err(|_| too_slow())?
            }
        };
        let Ok(early) = heard else { return Err(self.failure(deadline).await) };
        self.vault = Some(early.vault);
        self.place = Some(early.begun.exchange.memory);
        self.named = Some(early.named);
        self.head.at_once = early.commit == Commit::AtOnce;
        self.head.resends_all = self.named.as_ref().is_some_and(|named| named.resends_all);
        self.since = Instant::now();
        Ok(early.begun)
    }

    /// The task that stores the request: waits for its turn, finds vault and memory, and writes.
    fn beginning(
        &self,
        options: RecordingOptions,
        sender: oneshot::Sender<Box<EarlyStart>>,
    ) -> impl Future<Output = Result<Begun>> + Send + 'static {
        let (state, lane, id) = (self.state.clone(), self.lane.clone(), self.id);
        let (caller, address, named) = (self.caller, self.address.clone(), self.named.clone());
        let mut history = self.history.clone();
        async move {
            state.proxy.outbox.lanes.turn(&lane, id).await?;
            let vault = ProxyMemory::of(&state).vault(caller, address.clone()).await?;
            let named = match named {
                Some(named) => named,
                None => recognise(&state, &vault, &history, options.otherwise.clone()).await?,
            };
            history.resends_all = named.resends_all;
            history.chat_of = history.chat_of.filter(|_| is_chat(&named));
            let (commit, recent_context) = options.in_memory(&state.proxy.config, &named.name);
            let name = shown(&named.memory);
            let (memory, early) = (named.memory.clone(), (vault.clone(), named, commit));
            let (sender, proxy, place) =
                (Mutex::new(Some(sender)), state.proxy.clone(), lane.clone());
            let hear = move |begun: &Begun| {
                proxy.outbox.lanes.has_begun(&place, id);
                proxy.outbox.names.note(&shown(&address), &name, begun.exchange.memory);
                let sender = sender.lock().ok().and_then(|mut sender| sender.take());
                let (vault, named, commit) = early.clone();
                let early = EarlyStart { vault, named, commit, begun: begun.clone() };
                // The receiver is gone if the client has disconnected.
                let _ = sender.map(|it| it.send(Box::new(early)));
            };
            let begun =
                vault.begin_exchange_early(memory, history, commit, recent_context, hear).await;
            state.proxy.outbox.work(&state, &lane);
            begun
        }
    }

    /// Why the request is not stored: the error, or a timeout.
    async fn failure(&mut self, deadline: Moment) -> Error {
        let failed = self.stored(deadline).await.err();
        self.write_request();
        failed.unwrap_or_else(|| Error::damaged("memory did not say what it has begun"))
    }

    /// Waits until the request is durable in the store.
    pub(crate) async fn stored(&mut self, deadline: Moment) -> Result<()> {
        let done = match &mut self.beginning {
            ExchangeStart::Under(write) => match write.get_mut() {
                Ok(write) => write.by(deadline).await,
                Err(_) => None,
            },
            ExchangeStart::None | ExchangeStart::Stored(_) => return Ok(()),
        };
        self.note(done.ok_or_else(too_slow)?)
    }

    fn note(&mut self, done: Result<Begun>) -> Result<()> {
        match done {
            Ok(begun) => {
                self.beginning = ExchangeStart::Stored(Box::new(begun.exchange));
                Ok(())
            }
            Err(error) => {
                self.beginning = ExchangeStart::None;
                Err(error)
            }
        }
    }

    /// Waits until the request is in the store or in the outbox. The error says why it is not in
    /// the store.
    pub(crate) async fn settle(&mut self, deadline: Moment) -> Result<()> {
        let was_begun = !matches!(self.beginning, ExchangeStart::None);
        let stored = self.stored(deadline).await;
        if matches!(self.beginning, ExchangeStart::Stored(_)) {
            return Ok(());
        }
        self.write_request();
        if let Some(ack) = self.written.take() {
            let written = timeout(OUTBOX, heard(ack)).await;
            written.unwrap_or_else(|_| Err(Error::unavailable("the outbox takes too long")))?;
        }
        if was_begun { stored } else { Ok(()) }
    }

    /// Writes the request to the outbox, unless it is there.
    fn write_request(&mut self) {
        if self.written.is_none() {
            self.written = self.state.proxy.outbox.put(self.row(RowState::Open));
        }
    }

    /// The id of the vault; its address while it is not found.
    pub(crate) fn vault_id(&self) -> String {
        self.place.map_or_else(|| shown(&self.address), |place| place.vault.to_string())
    }

    /// The reply has ended. The future completes when all of it is in the outbox.
    pub(crate) fn finish(
        mut self,
        request: u64,
        said: Gathered,
    ) -> impl Future<Output = ()> + Send {
        let lasted = i64::try_from(self.since.elapsed().as_micros()).unwrap_or(i64::MAX);
        let is_watched = self.state.proxy.tail.is_watched();
        let shown = is_watched.then(|| AnsweredSeen::shown(&said.text));
        let seen = AnsweredSeen {
            id: request,
            vault: self.vault_id(),
            memory: self.named.as_ref().map(|named| named.name.clone()),
            characters: said.text.chars().count(),
            content: shown.unwrap_or_default(),
            truncated: !said.is_whole,
            not_remembered: not_remembered::reply(&said.text),
            ..AnsweredSeen::default()
        };
        if let Some(reason) = &seen.not_remembered {
            tracing::warn!(reason, "a reply is not remembered");
        }
        self.head.reply = Some(KeptReply {
            content: said.text,
            truncated: !said.is_whole,
            tools: said.tools,
            ids: said.ids,
            model: self.model.take(),
            lasted,
        });
        self.over(Some(seen))
    }

    /// There is no reply, or the client disconnected before it.
    pub(crate) fn abandon(mut self) {
        self.look();
        match &self.beginning {
            ExchangeStart::Stored(_) => {
                let (state, lane) = (self.state.clone(), std::mem::take(&mut self.lane));
                state.proxy.outbox.leave(&state, &lane, self.id);
            }
            // The row is written and stored in the background.
            ExchangeStart::Under(_) | ExchangeStart::None => drop(self.over(None)),
        }
    }

    /// Takes over the result of storing the request, if it is known by now.
    fn look(&mut self) {
        if let ExchangeStart::Under(write) = &mut self.beginning
            && let Some(done) = write.get_mut().ok().and_then(Write::now)
        {
            // A failed request is stored from the outbox.
            let _ = self.note(done);
        }
    }

    /// Hands the exchange to the outbox. Completes once it is in the store or in the file.
    fn over(mut self, seen: Option<AnsweredSeen>) -> impl Future<Output = ()> + Send + use<> {
        self.look();
        let (state, patience, row) =
            (self.state.clone(), self.patience, self.row(RowState::Complete));
        let outbox = &state.proxy.outbox;
        let is_wanted = !outbox.is_forgotten(&self.lane, self.id);
        let pending = Pending::new(is_wanted.then(|| row.clone()));
        // A store that has taken the request takes the reply as well, as a rule.
        let is_quick = seen.is_some() && matches!(self.beginning, ExchangeStart::Stored(_));
        let ack = if is_quick { None } else { pending.write(outbox) };
        let (exchange, beginning) = match self.beginning {
            ExchangeStart::Under(write) => (None, write.into_inner().ok()),
            ExchangeStart::Stored(exchange) => (Some(exchange), None),
            ExchangeStart::None => (None, None),
        };
        let (head, vault, added) = (self.head, self.vault, self.added);
        let waiting = Arc::clone(&pending);
        let live = Live { row, pending, head, vault, exchange, beginning, added, seen };
        outbox.over_with(&state, &self.lane, self.id, live);
        let written = ack.map(|ack| tokio::spawn(written(state.clone(), self.lane, self.id, ack)));
        async move {
            let safe = async {
                match written {
                    Some(written) => written.await.unwrap_or_else(|_| Err(too_slow())),
                    None if is_quick && is_wanted => {
                        waiting.is_safe(&state.proxy.outbox, QUICK).await
                    }
                    None => Ok(()),
                }
            };
            let safe = timeout(patience, safe).await;
            if let Err(error) = safe.unwrap_or_else(|_| Err(Error::unavailable("too slow"))) {
                tracing::error!(%error, "a reply ends before it is in the outbox");
            }
        }
    }

    /// The outbox row of the exchange.
    fn row(&self, state: RowState) -> OutboxRow {
        let (mut vault, named) = (shown(&self.address), self.named.as_ref());
        let mut memory = named.map(|named| shown(&named.memory));
        let known = |name: &String| self.state.proxy.outbox.names.get(&vault, name);
        let stored = match &self.beginning {
            ExchangeStart::Stored(exchange) => Some(exchange.memory),
            _ => memory.as_ref().and_then(known),
        };
        if let Some(place) = stored {
            (vault, memory) = (place.vault.to_string(), Some(place.memory.to_string()));
        }
        OutboxRow {
            id: self.id,
            lane: self.lane.clone(),
            vault,
            memory,
            state,
            accepted_at: self.head.time(),
            head: self.head.write(),
            parts: self.history.messages.iter().map(|one| write_message(one).into()).collect(),
        }
    }
}

/// Waits until the row of an exchange is in the file, and notes that there.
async fn written(state: ProxyState, lane: String, id: i64, ack: Ack) -> Result<()> {
    heard(ack).await?;
    state.proxy.outbox.is_written(&state, &lane, id);
    Ok(())
}

/// The memory for a history without evidence, sent at this time.
fn otherwise(unnamed: Unnamed, at: Timestamp) -> UnprovenMemory {
    match unnamed {
        Unnamed::Default => UnprovenMemory::Usual,
        Unnamed::New => {
            let mut chance = [0; 16];
            SystemChance.fill(&mut chance);
            UnprovenMemory::New(at, chance)
        }
    }
}

/// A hash of what all requests of one chat have in common: its first messages.
pub(crate) fn chat_of(messages: &[Message]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let first = messages.iter().find(|message| message.role != Role::System);
    first.map(|first| (first.role.as_str(), first.content.trim(), &first.other)).hash(&mut hasher);
    hasher.finish()
}

/// An address as text.
pub(crate) fn shown<Id: std::fmt::Display>(address: &Address<Id>) -> String {
    match address {
        Address::Id(id) => id.to_string(),
        Address::Name(name) => name.to_string(),
    }
}
