//! Before a request is passed on: whose it is, when everything in it was said, and what else the
//! model should know. None of it may break the chat: whatever fails, the request goes on as it
//! came, and the answer says why.

use std::future::Future;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;

use axum::http::HeaderMap;
use everwhen::ledger::{Begun, Client, Commit, KnownMessage, Style};
use everwhen::memory::{Address, Person, VaultId};
use everwhen::memory_block::{self, BlockOptions};
use everwhen::{Error, ProxyChange, ProxySettings, Reach, Result, Vault};
use everwhen_protocols::{ChatEndpoint, Draft, Message, RequestView};
use futures_util::FutureExt;
use tokio::time::Instant;

use super::additions;
use super::memory::ProxyMemory;
use super::memory_name::{self, NamedMemory, RequestHints};
use super::programs::Purpose;
use super::recording::Recording;
use super::relay::Gathered;
use super::user_token::{self, OPENWEBUI_USER};
use super::wire::seen::{AskedSeen, StampSeen, StoredSeen};
use super::{client, headers, inject, person};
use crate::access::{Caller, ProxyCaller};
use crate::proxy::ProxyState;

/// The header that names the vault, for callers that may choose.
const VAULT: &str = "x-everwhen-vault";

/// A request that has come in.
pub(crate) struct ProxyRequest<'a> {
    pub(crate) state: &'a ProxyState,
    pub(crate) chat: &'static ChatEndpoint,
    pub(crate) caller: &'a ProxyCaller,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) memory_in_path: Option<&'a str>,
    /// The address it comes from, where that is known.
    pub(crate) peer: Option<IpAddr>,
    pub(crate) asked: &'a RequestView<'a>,
    /// What the request is for.
    pub(crate) purpose: &'a Purpose,
    /// Whether a trace of it was requested.
    pub(crate) is_watched: bool,
    /// Something local answers: nothing is added, and the time of the reply is settled so.
    pub(crate) local: Option<Commit>,
}

/// What became of it.
#[derive(Default)]
pub(crate) struct PreparedRequest {
    pub(crate) seen: AskedSeen,
    /// The exchange in the ledger, for something local.
    pub(crate) begun: Option<Begun>,
    /// The exchange as it is recorded.
    pub(crate) recording: Option<Recording>,
    /// The vault's epoch of forgetting when the request was read, if that is known.
    pub(crate) epoch: Option<u64>,
    /// Whether the reply may begin with a stamp.
    pub(crate) strips: bool,
    /// How long memory may be waited for.
    deadline: Option<Instant>,
}

impl PreparedRequest {
    /// Waits until what was said is in the store or in the outbox, which was going on beside the asking
    /// of an upstream; answers why it is not in the store, unless that was told.
    pub(crate) async fn settle(&mut self) -> Option<String> {
        let (recording, deadline) = (self.recording.as_mut()?, self.deadline?);
        let settled = recording.settle(deadline).await;
        settled.err().map(|error| error.message().to_owned())
    }

    /// The reply has ended, or was cut off. What follows is waited for until all of it is safe.
    pub(crate) fn finish(
        &mut self,
        request: u64,
        said: Gathered,
    ) -> impl Future<Output = ()> + Send + use<> {
        let safe = self.recording.take().map(|recording| recording.finish(request, said));
        async move {
            if let Some(safe) = safe {
                safe.await;
            }
        }
    }
}

/// No reply came, or the client went away before it did.
impl Drop for PreparedRequest {
    fn drop(&mut self) {
        if let Some(recording) = self.recording.take() {
            recording.abandon();
        }
    }
}

/// Does all of that to a draft of the request.
pub(crate) async fn prepare(request: &ProxyRequest<'_>, draft: &mut Draft<'_>) -> PreparedRequest {
    let mut prepared = PreparedRequest::default();
    prepared.seen.messages = request.asked.messages.len();
    prepared.seen.is_auxiliary = *request.purpose == Purpose::Auxiliary;
    inject::without_tags(draft, request.asked);
    if !prepared.seen.is_auxiliary && !request.asked.messages.is_empty() {
        let as_it_came = draft.mark();
        let remembering = AssertUnwindSafe(remember(request, draft, &mut prepared)).catch_unwind();
        let remembered = remembering.await.unwrap_or_else(|_| {
            draft.back_to(as_it_came);
            Err(Error::damaged("memory failed inside; the log says more"))
        });
        prepared.seen.degraded = remembered.err().map(|error| error.message().to_owned());
    }
    prepared
}

async fn remember(
    request: &ProxyRequest<'_>,
    draft: &mut Draft<'_>,
    prepared: &mut PreparedRequest,
) -> Result<()> {
    let (change, wrong_wish) = change(request.headers);
    let settings = request.settings(None, &change);
    let deadline = Instant::now() + settings.deadline;
    prepared.deadline = Some(deadline);
    let (vault, named) = (request.vault()?, request.named(&settings)?);
    request.check_names(&vault, named.as_ref(), deadline).await?;
    let recording = Recording::new(request, vault, named, &settings);
    let recording = prepared.recording.insert(recording);
    let begun = recording.begin(request, &change, deadline).await;
    prepared.seen.vault = recording.vault_id();
    prepared.seen.memory = recording.named.as_ref().map(|named| named.name.clone());
    prepared.seen.memory_source = recording.named.as_ref().map(|named| named.source);
    let settings = request.settings(prepared.seen.memory.as_deref(), &change);
    let begun = begun?;
    prepared.epoch = Some(begun.exchange.forget_epoch());
    if request.is_watched {
        prepared.seen.stored = stored(request.asked, &begun);
    }
    if request.local.is_some() {
        prepared.begun = Some(begun);
    } else if request.chat.format.takes_additions() {
        stamp(request, draft, &begun, settings.stamps, prepared);
        add(request, draft, &begun, &settings, deadline, prepared).await?;
    }
    wrong_wish.map_or(Ok(()), Err)
}

impl ProxyRequest<'_> {
    /// The settings for a memory.
    pub(crate) fn settings(&self, memory: Option<&str>, change: &ProxyChange) -> ProxySettings {
        self.state.proxy.config.settings(self.caller.label.as_deref(), memory, change)
    }

    /// The vault: that of the key, else the one that is named, else the usual one.
    pub(crate) fn vault(&self) -> Result<Address<VaultId>> {
        match (self.caller.caller, headers::given(self.headers, VAULT)) {
            (Caller::Holder(vault, _), _) => Ok(vault.into()),
            (_, Some(name)) => Address::read("vault", &name),
            (_, None) => Ok(self.state.proxy.vault.clone()),
        }
    }

    /// The user that Open WebUI has signed for.
    fn signed_user(&self) -> Option<String> {
        let secret = self.state.proxy.config.openwebui_secret.value.as_ref()?;
        let token = headers::text(self.headers, OPENWEBUI_USER)?;
        user_token::user(&token, secret.bytes(), ProxyMemory::of(self.state).now())
    }

    /// What the request says of itself.
    fn hints(&self, settings: &ProxySettings) -> RequestHints<'_> {
        RequestHints {
            headers: self.headers,
            path: self.memory_in_path,
            asked: self.asked,
            trusted: self.caller.is_trusted,
            signed_user: self.signed_user(),
            prompt_cache_key: settings.prompt_cache_key,
        }
    }

    /// Who sends it.
    pub(crate) fn client(&self) -> Client {
        let settings = self.settings(None, &ProxyChange::default());
        let identity = memory_name::identity(&self.hints(&settings));
        client::client(self.headers, identity.as_ref(), self.peer)
    }

    fn named(&self, settings: &ProxySettings) -> Result<Option<NamedMemory>> {
        memory_name::named(&self.hints(settings))
    }

    /// Refuses names that nothing has and nothing new could get, before anything is recorded for them.
    async fn check_names(
        &self,
        vault: &Address<VaultId>,
        named: Option<&NamedMemory>,
        deadline: Instant,
    ) -> Result<()> {
        let memory = ProxyMemory::of(self.state);
        let caller = self.caller.caller;
        memory.check_vault(caller, vault, deadline).await.map_err(|error| error.at(VAULT))?;
        let Some(named) = named else { return Ok(()) };
        let checked = memory.check_memory(caller, vault, &named.memory, deadline).await;
        checked.map_err(|error| error.at(named.source))
    }

    /// Who speaks.
    pub(crate) fn person(&self) -> Person {
        let hints = self.hints(&self.settings(None, &ProxyChange::default()));
        person::person(&hints, self.caller.credential_travels)
    }

    /// Whether the request says who speaks.
    pub(crate) fn names_user(&self) -> bool {
        let settings = self.settings(None, &ProxyChange::default());
        person::user(&self.hints(&settings)).is_some_and(|user| !user.is_empty())
    }

    /// What to add from memory.
    fn block_options(&self, begun: &Begun, settings: &ProxySettings) -> BlockOptions {
        let user = person::user(&self.hints(settings));
        let speaker = (self.person(), user.as_deref());
        BlockOptions {
            briefing: settings.briefing,
            budget_tokens: settings.budget_tokens as usize,
            chats_of: person::person_in_reach(speaker, begun.chat_of.as_ref(), settings),
            tool_entries: settings.tool_entries,
        }
    }
}

/// What the request itself wants otherwise: `x-everwhen-stamps` and the like; with the reason why one of them cannot
/// be read. Such a header changes nothing; only where it was to say what the request may see, that is the least.
fn change(headers: &HeaderMap) -> (ProxyChange, Option<Error>) {
    let (mut change, mut wrong) = (ProxyChange::default(), None);
    for name in ProxyChange::NAMES {
        let header = format!("x-everwhen-{}", name.replace('_', "-"));
        let Some(text) = headers::given(headers, &header) else { continue };
        if let Err(error) = change.set(name, &text) {
            if name == "reach" {
                change.reach = Some(Reach::Memory);
            }
            wrong = wrong.or(Some(error.at(header)));
        }
    }
    (change, wrong)
}

/// When the time of a reply is settled.
pub(crate) fn commit(settings: &ProxySettings) -> Commit {
    if settings.group_chat { Commit::AtOnce } else { Commit::NextTurn }
}

fn stored(asked: &RequestView<'_>, begun: &Begun) -> Vec<StoredSeen> {
    let known = asked.messages.iter().zip(&begun.messages).enumerate();
    let known = known.filter(|(_, (_, known))| known.is_new);
    let one = |(place, (message, known)): (usize, (&Message<'_>, &KnownMessage))| {
        Some(StoredSeen {
            message: place,
            entry: known.entry?.to_string(),
            role: message.role.as_str(),
            conversation_time: begun.zone.rfc3339(known.time?),
            content: message.words().to_owned(),
        })
    };
    known.filter_map(one).collect()
}

fn stamp(
    request: &ProxyRequest<'_>,
    draft: &mut Draft<'_>,
    begun: &Begun,
    style: Style,
    prepared: &mut PreparedRequest,
) {
    let stamps = begun.stamps(style);
    prepared.strips = style != Style::Off;
    if request.is_watched {
        let stamps = stamps.iter().enumerate();
        let seen = stamps
            .filter_map(|(message, stamp)| Some(StampSeen { message, stamp: stamp.clone()? }));
        prepared.seen.stamped = seen.collect();
    }
    inject::stamps(draft, request.asked, stamps);
}

/// Adds what the model should know beside the messages. What was added to a message once is added
/// again with the same bytes, so that prompt caches hold.
async fn add(
    request: &ProxyRequest<'_>,
    draft: &mut Draft<'_>,
    begun: &Begun,
    settings: &ProxySettings,
    deadline: Instant,
    prepared: &mut PreparedRequest,
) -> Result<()> {
    let Some((place, message)) = inject::last_said(request.asked, begun) else { return Ok(()) };
    let adding = additions::Adding::new(request, settings);
    adding.again(draft, begun, place);
    if let Some(text) = adding.kept(begun, place) {
        prepared.seen.injected = Some(text.to_owned());
        return Ok(());
    }
    let options = request.block_options(begun, settings);
    let recording = prepared.recording.as_mut().expect("the exchange is recorded");
    if begun.changed_past && settings.briefing {
        // Else what was just edited would be remembered as it was.
        recording.stored(deadline).await?;
    }
    let vault = recording.vault.clone().expect("an exchange has begun in a vault");
    let (memory, asked) = (ProxyMemory::of(request.state), (message.words(), options));
    let (found, lacks) = remembered(&memory, (&vault, begun), asked, deadline).await;
    let now = settings.now.then(|| memory_block::now(begun));
    let text = memory_block::text(&found, now.as_deref());
    if !text.is_empty() {
        recording.added.extend(adding.first(draft, begun, (place, &text)));
        prepared.seen.injected = Some(text);
    }
    lacks.map_or(Ok(()), Err)
}

/// What is remembered: from all chats in reach; if that takes too long from the chat's own memory;
/// else without a look into memory. With the reason why it is less than it could be.
async fn remembered(
    memory: &ProxyMemory,
    (vault, begun): (&Vault, &Begun),
    (message, mut options): (&str, BlockOptions),
    deadline: Instant,
) -> (String, Option<Error>) {
    let mut lacks = None;
    if options.chats_of.is_some() {
        let now = Instant::now();
        let first = now + deadline.saturating_duration_since(now) * 2 / 3;
        match memory.remembered(vault, begun, (message, options.clone()), first).await {
            Ok(text) => return (text, None),
            Err(error) => lacks = Some(error),
        }
        options.chats_of = None;
    }
    match memory.remembered(vault, begun, (message, options.clone()), deadline).await {
        Ok(text) => (text, lacks),
        Err(error) => (memory_block::remembered_at_once(begun, message, &options), Some(error)),
    }
}
