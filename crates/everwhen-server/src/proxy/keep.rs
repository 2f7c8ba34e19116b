//! Keeps an exchange: begins it in the ledger, and finishes it when the reply is over, also when
//! that was cut off. What cannot be kept now goes to the spool.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use everwhen::activity::{Activity, ActivityKind};
use everwhen::ledger::{Begun, Client, Commit, Exchange, Finished, History, Reply};
use everwhen::memory::{Address, MemoryId, Name, Person, VaultId};
use everwhen::ports::Addition;
use everwhen::{Error, ProxyChange, ProxySettings, Result, Vault};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{RwLock, oneshot};
use tokio::time::Instant as TokioInstant;

use super::attend::{Visit, commit, in_time, shown};
use super::client;
use super::history::{self, names};
use super::not_remembered;
use super::person::is_chat;
use super::programs;
use super::recognise::recognise;
use super::relay::Gathered;
use super::route::Route;
use super::spool::Kept;
use super::whose::Named;
use super::wire::seen::{AnsweredSeen, Seen};
use crate::Door;
use crate::access::Caller;

/// A beginning that is being made durable.
type Durable = Pin<Box<dyn Future<Output = Result<Begun>> + Send>>;

/// Whoever keeps one exchange.
pub(crate) struct Keeper {
    door: Door,
    route: &'static Route,
    address: Address<VaultId>,
    /// The vault, once it is found.
    pub(crate) vault: Option<Vault>,
    /// The memory, once it is known.
    pub(crate) named: Option<Named>,
    /// Who speaks.
    person: Person,
    commit: Commit,
    started_at: Timestamp,
    exchange: Option<Exchange>,
    /// Its beginning, as long as that is not durable. Nobody locks it; it only has to be shareable.
    durable: Mutex<Option<Durable>>,
    /// The model that is asked.
    model: Option<Name>,
    /// Since when it has been at work.
    since: Instant,
    body: Bytes,
    /// Who sends the request.
    client: Client,
    /// What was added to messages of the request, by the number of the line.
    pub(crate) added: Vec<(u64, Addition)>,
}

impl Keeper {
    /// Somebody to keep this request and its reply.
    pub(crate) fn new(visit: &Visit<'_>, address: Address<VaultId>, named: Option<Named>) -> Self {
        Self {
            door: visit.door.clone(),
            route: visit.route,
            address,
            vault: None,
            named,
            person: visit.person(),
            commit: Commit::default(),
            started_at: visit.door.engine.now(),
            exchange: None,
            durable: Mutex::default(),
            model: visit.asked.model().and_then(|model| Name::new("model", model).ok()),
            since: Instant::now(),
            body: visit.body.clone(),
            client: visit.client(),
            added: Vec::new(),
        }
    }

    /// Finds the vault and the memory, and begins the exchange there.
    pub(crate) async fn begin(&mut self, visit: &Visit<'_>, change: &ProxyChange) -> Result<Begun> {
        let engine = &visit.door.engine;
        let vault = visit.guest.caller.vault_to_write(engine, self.address.clone()).await?;
        self.vault = Some(vault.clone());
        let history = history::history(visit.asked, visit.headers);
        let mut history = History { client: self.client, ..history };
        let usual = visit.settings(None, change);
        let named = match self.named.take() {
            Some(named) => named,
            None => recognise(visit.door, &vault, &history, usual.unnamed).await?,
        };
        history.resends_all = named.resends_all;
        let settings = visit.settings(Some(&named.name), change);
        self.commit = visit.local.unwrap_or_else(|| commit(&settings));
        self.named = Some(named.clone());
        history.chat_of = self.chat_of();
        let (early, mut durable) =
            begin_early(vault, named.memory, history, (self.commit, &settings));
        let begun = tokio::select! {
            Ok(begun) = early => {
                self.durable = Mutex::new(Some(durable));
                begun
            }
            begun = &mut durable => begun?,
        };
        self.has_begun(&begun);
        self.since = Instant::now();
        Ok(begun)
    }

    /// Whose chat its memory is, if it is made by this exchange.
    fn chat_of(&self) -> Option<Person> {
        self.named.as_ref().is_none_or(is_chat).then(|| self.person.clone())
    }

    fn has_begun(&mut self, begun: &Begun) {
        self.started_at = begun.exchange.started_at;
        self.exchange = Some(begun.exchange.clone());
    }

    /// Waits until the beginning is durable. An exchange whose beginning is lost has not begun.
    pub(crate) async fn settle(&mut self, deadline: Option<TokioInstant>) -> Result<()> {
        let waiting = self.durable.get_mut().ok().and_then(Option::take);
        let Some(durable) = waiting else { return Ok(()) };
        let settled = match deadline {
            Some(deadline) => in_time(deadline, durable).await,
            None => durable.await,
        };
        self.exchange = None;
        settled.map(|begun| self.has_begun(&begun))
    }

    /// The vault's id; its address as long as it was not found.
    pub(crate) fn vault_id(&self) -> String {
        match (&self.exchange, &self.vault) {
            (Some(exchange), _) => exchange.memory.vault.to_string(),
            (None, Some(vault)) => vault.id().to_string(),
            (None, None) => shown(&self.address),
        }
    }

    /// Keeps what was said, in the background: the client has it already.
    pub(crate) fn finish(self, request: u64, said: Gathered) {
        let (lasted, busy) = (self.since.elapsed(), Arc::clone(&self.door.proxy.busy));
        in_background(busy, async move { self.keep(request, said, lasted).await });
    }

    /// No reply came; what was said is put on the spool if it cannot be kept.
    pub(crate) fn abandon(mut self) {
        let is_durable = self.durable.get_mut().is_ok_and(|waiting| waiting.is_none());
        if self.exchange.is_some() && is_durable {
            return;
        }
        let busy = Arc::clone(&self.door.proxy.busy);
        in_background(busy, async move {
            if self.settle(None).await.is_err() || self.exchange.is_none() {
                self.keep(0, Gathered::default(), Duration::ZERO).await;
            }
        });
    }

    async fn keep(self, request: u64, said: Gathered, lasted: Duration) {
        let (door, at) = (self.door.clone(), self.started_at);
        let mut seen = AnsweredSeen {
            id: request,
            vault: self.vault_id(),
            memory: self.named.as_ref().map(|named| named.name.clone()),
            characters: said.text.chars().count(),
            truncated: !said.is_whole,
            not_remembered: not_remembered::reply(&said.text),
            ..AnsweredSeen::default()
        };
        if let Some(reason) = &seen.not_remembered {
            tracing::warn!(reason, "a reply is not remembered");
        }
        let reply = Reply {
            content: said.text,
            truncated: !said.is_whole,
            tools_used: names(said.tools.iter()),
            work: self.work(lasted),
            ids: said.ids,
            added: self.added.clone(),
        };
        match self.store(&reply).await {
            Ok(finished) => seen.entry = finished.entry.map(|entry| entry.to_string()),
            Err(error) => {
                tracing::warn!(%error, "a reply could not be kept now; it goes to the spool");
                seen.degraded = Some(error.message().to_owned());
                door.proxy.spool.put(&self.record(at, reply)).await;
            }
        }
        seen.time = door.engine.now().to_string();
        door.proxy.tail.tell(Seen::Answered(seen));
    }

    /// How long the model was at work.
    fn work(&self, lasted: Duration) -> Option<Activity> {
        Some(Activity {
            kind: ActivityKind::Model,
            name: self.model.clone(),
            began_at: self.exchange.as_ref()?.started_at,
            lasted: SignedDuration::try_from(lasted).ok()?,
        })
    }

    async fn store(&self, reply: &Reply) -> Result<Finished> {
        match (&self.vault, &self.exchange) {
            (Some(vault), Some(exchange)) => {
                vault.finish_exchange(exchange.clone(), reply.clone()).await
            }
            _ => Err(Error::unavailable("the exchange had not begun")),
        }
    }

    fn record(self, at: Timestamp, reply: Reply) -> Kept {
        Kept {
            vault: shown(&self.address),
            chat_of: self.chat_of().map(|person| person.to_string()),
            memory: self.named.map(|named| shown(&named.memory)),
            route: self.route.name.to_owned(),
            at,
            at_once: self.commit == Commit::AtOnce,
            request: String::from_utf8_lossy(&self.body).into_owned(),
            reply: reply.content,
            truncated: reply.truncated,
            tools: reply.tools_used.iter().map(ToString::to_string).collect(),
            ids: reply.ids,
            client: client::written(&self.client),
        }
    }
}

/// Keeps something while others go on; those who ask whether all is kept wait for it.
fn in_background(busy: Arc<RwLock<()>>, keeping: impl Future<Output = ()> + Send + 'static) {
    // Taken before anything else can ask.
    let guard = Arc::clone(&busy).try_read_owned();
    tokio::spawn(async move {
        let _busy = match guard {
            Ok(guard) => guard,
            Err(_) => busy.read_owned().await,
        };
        keeping.await;
    });
}

/// Begins an exchange: what is decided comes first, and that it is durable a little later.
fn begin_early(
    vault: Vault,
    memory: Address<MemoryId>,
    history: History,
    (commit, settings): (Commit, &ProxySettings),
) -> (oneshot::Receiver<Begun>, Durable) {
    let (tell, early) = oneshot::channel();
    let tell = Mutex::new(Some(tell));
    let hear = move |begun: &Begun| {
        if let Some(tell) = tell.lock().ok().and_then(|mut tell| tell.take()) {
            // Nobody hears it if the client has gone.
            let _ = tell.send(begun.clone());
        }
    };
    let backdrop = settings.context;
    let begin =
        async move { vault.begin_exchange_early(memory, history, commit, backdrop, hear).await };
    (early, Box::pin(begin))
}

/// Keeps what was put on the spool.
pub(crate) async fn replay(door: &Door, route: &'static Route, kept: &Kept) -> Result<()> {
    let address = Address::read("vault", &kept.vault)?;
    let vault = Caller::Operator.vault_to_write(&door.engine, address).await?;
    let asked = route.wording.read(&kept.request);
    let mut asked =
        asked.ok_or_else(|| Error::invalid("the request on the spool cannot be read"))?;
    let keeps_tool_output = door.proxy.config.tool_output.value;
    programs::attribute(&mut asked, &axum::http::HeaderMap::new(), keeps_tool_output);
    let history = history::history(&asked, &axum::http::HeaderMap::new());
    let client = client::read(&kept.client);
    let chat_of = kept.chat_of.as_deref().map(Person::read).transpose()?;
    let mut history = History { sent_at: Some(kept.at), client, chat_of, ..history };
    let memory: Address<MemoryId> = match &kept.memory {
        Some(name) => Address::read("memory", name)?,
        None => {
            let unnamed = door.proxy.config.unnamed.value;
            let named = recognise(door, &vault, &history, unnamed).await?;
            history.chat_of = history.chat_of.filter(|_| is_chat(&named));
            named.memory
        }
    };
    let commit = if kept.at_once { Commit::AtOnce } else { Commit::NextTurn };
    let reply = Reply {
        content: kept.reply.clone(),
        truncated: kept.truncated,
        tools_used: names(kept.tools.iter()),
        ids: kept.ids.clone(),
        ..Reply::default()
    };
    vault.keep_exchange(memory, history, commit, reply).await.map(drop)
}
