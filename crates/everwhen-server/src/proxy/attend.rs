//! Before a request is passed on: whose it is, when everything in it was said, and what else the
//! model should know. None of it may break the chat: whatever fails, the request goes on as it
//! came, and the answer says why.

use std::future::Future;
use std::net::IpAddr;

use axum::body::Bytes;
use axum::http::HeaderMap;
use everwhen::aside::{self, Wishes};
use everwhen::ledger::{Begun, Client, Commit, Style};
use everwhen::memory::{Address, Person, VaultId};
use everwhen::{Error, ProxyChange, ProxySettings, Result, Vault};
use tokio::time::{Instant, timeout_at};

use super::additions;
use super::draft::Draft;
use super::keep::Keeper;
use super::programs::Purpose;
use super::relay::Gathered;
use super::route::Route;
use super::signed::{self, OPENWEBUI_USER};
use super::whose::{self, Named, Signs};
use super::wire::seen::{AskedSeen, StampSeen, StoredSeen};
use super::wire::{Asked, Message};
use super::{client, headers, person, write};
use crate::Door;
use crate::access::{Caller, ProxyCaller};

/// The header that names the vault, for those who may choose.
const VAULT: &str = "x-everwhen-vault";

/// A request that has come in.
pub(crate) struct Visit<'a> {
    pub(crate) door: &'a Door,
    pub(crate) route: &'static Route,
    pub(crate) guest: &'a ProxyCaller,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) memory_in_path: Option<&'a str>,
    /// The address it comes from, where that is known.
    pub(crate) peer: Option<IpAddr>,
    pub(crate) body: &'a Bytes,
    pub(crate) asked: &'a Asked<'a>,
    /// Whether somebody wants to see what is done to it.
    pub(crate) is_watched: bool,
    /// Something local answers: nothing is added, and the time of the reply is settled so.
    pub(crate) local: Option<Commit>,
}

/// What became of it.
#[derive(Default)]
pub(crate) struct Attended {
    pub(crate) seen: AskedSeen,
    /// The exchange in the ledger, for something local.
    pub(crate) begun: Option<Begun>,
    /// Whoever keeps the reply.
    pub(crate) keeper: Option<Keeper>,
    /// Whether the reply may begin with a stamp.
    pub(crate) strips: bool,
    /// How long memory may be waited for.
    deadline: Option<Instant>,
}

impl Attended {
    /// Waits until what was said is kept for good, which was going on beside the asking of an
    /// upstream; answers why it is not.
    pub(crate) async fn settle(&mut self) -> Option<String> {
        let keeper = self.keeper.as_mut()?;
        let settled = keeper.settle(self.deadline).await;
        settled.err().map(|error| error.message().to_owned())
    }

    /// The reply has ended, or was cut off.
    pub(crate) fn finish(&mut self, request: u64, said: Gathered) {
        if let Some(keeper) = self.keeper.take() {
            keeper.finish(request, said);
        }
    }
}

/// No reply came, or the client went away before it did. What was said is kept already, unless
/// memory failed too.
impl Drop for Attended {
    fn drop(&mut self) {
        if let Some(keeper) = self.keeper.take() {
            keeper.abandon();
        }
    }
}

/// Does all of that to a draft of the request.
pub(crate) async fn attend(visit: &Visit<'_>, draft: &mut Draft<'_>) -> Attended {
    let mut attended = Attended::default();
    attended.seen.messages = visit.asked.messages.len();
    attended.seen.errand = visit.asked.purpose == Purpose::Errand;
    write::without_tags(draft, visit.asked);
    if !attended.seen.errand && !visit.asked.messages.is_empty() {
        let remembered = remember(visit, draft, &mut attended).await;
        attended.seen.degraded = remembered.err().map(|error| error.message().to_owned());
    }
    attended
}

async fn remember(visit: &Visit<'_>, draft: &mut Draft<'_>, attended: &mut Attended) -> Result<()> {
    let change = change(visit.headers)?;
    let settings = visit.settings(None, &change);
    let deadline = Instant::now() + settings.deadline;
    attended.deadline = Some(deadline);
    let keeper = Keeper::new(visit, visit.vault()?, visit.named(&settings)?);
    let keeper = attended.keeper.insert(keeper);
    let begun = in_time(deadline, keeper.begin(visit, &change)).await;
    attended.seen.vault = keeper.vault_id();
    attended.seen.memory = keeper.named.as_ref().map(|named| named.name.clone());
    attended.seen.memory_source = keeper.named.as_ref().map(|named| named.source);
    let settings = visit.settings(attended.seen.memory.as_deref(), &change);
    let begun = begun?;
    if visit.is_watched {
        attended.seen.stored = stored(visit.asked, &begun);
    }
    if visit.local.is_some() {
        attended.begun = Some(begun);
    } else if visit.route.wording.takes_additions() {
        stamp(visit, draft, &begun, settings.stamps, attended);
        add(visit, draft, &begun, &settings, deadline, attended).await?;
    }
    Ok(())
}

/// Waits for memory, but not longer than somebody in a chat would.
pub(crate) async fn in_time<T>(
    deadline: Instant,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    timeout_at(deadline, work)
        .await
        .unwrap_or_else(|_| Err(Error::unavailable("memory took longer than proxy.deadline_ms")))
}

impl Visit<'_> {
    /// The settings for a memory.
    pub(crate) fn settings(&self, memory: Option<&str>, change: &ProxyChange) -> ProxySettings {
        self.door.proxy.config.settings(self.guest.label.as_deref(), memory, change)
    }

    /// The vault: that of the key, else the one that is named, else the usual one.
    fn vault(&self) -> Result<Address<VaultId>> {
        match (self.guest.caller, headers::text(self.headers, VAULT)) {
            (Caller::Holder(vault, _), _) => Ok(vault.into()),
            (_, Some(name)) => Address::read("vault", &name),
            (_, None) => Ok(self.door.proxy.vault.clone()),
        }
    }

    /// The user that Open WebUI has signed for.
    fn signed_user(&self) -> Option<String> {
        let secret = self.door.proxy.config.openwebui_secret.value.as_ref()?;
        let token = headers::text(self.headers, OPENWEBUI_USER)?;
        signed::user(&token, secret.bytes(), self.door.engine.now())
    }

    /// What the request says of itself.
    fn signs(&self, settings: &ProxySettings) -> Signs<'_> {
        Signs {
            headers: self.headers,
            path: self.memory_in_path,
            asked: self.asked,
            trusted: self.guest.is_trusted,
            signed_user: self.signed_user(),
            prompt_cache_key: settings.prompt_cache_key,
        }
    }

    /// Who sends it.
    pub(crate) fn client(&self) -> Client {
        let settings = self.settings(None, &ProxyChange::default());
        let identity = whose::identity(&self.signs(&settings));
        client::client(self.headers, identity.as_ref(), self.peer)
    }

    fn named(&self, settings: &ProxySettings) -> Result<Option<Named>> {
        whose::named(&self.signs(settings))
    }

    /// Who speaks.
    pub(crate) fn person(&self) -> Person {
        let signs = self.signs(&self.settings(None, &ProxyChange::default()));
        person::person(&signs, self.guest.credential_travels)
    }

    /// What to tell of memory.
    fn wishes(&self, begun: &Begun, settings: &ProxySettings) -> Wishes {
        let speaker = (self.person(), person::user(&self.signs(settings)).is_some());
        Wishes {
            briefing: settings.briefing,
            budget_tokens: settings.budget_tokens as usize,
            chats_of: person::told_of(speaker, begun.chat_of.as_ref(), settings),
            tool_entries: settings.tool_entries,
        }
    }
}

/// What the request itself wants otherwise: `x-everwhen-stamps` and the like.
fn change(headers: &HeaderMap) -> Result<ProxyChange> {
    let mut change = ProxyChange::default();
    for name in ProxyChange::NAMES {
        let header = format!("x-everwhen-{}", name.replace('_', "-"));
        if let Some(text) = headers::text(headers, &header) {
            change.set(name, &text).map_err(|error| error.at(header))?;
        }
    }
    Ok(change)
}

/// When the time of a reply is settled.
pub(crate) fn commit(settings: &ProxySettings) -> Commit {
    if settings.group_chat { Commit::AtOnce } else { Commit::NextTurn }
}

/// An address as its text.
pub(crate) fn shown<Id: std::fmt::Display>(address: &Address<Id>) -> String {
    match address {
        Address::Id(id) => id.to_string(),
        Address::Name(name) => name.to_string(),
    }
}

fn stored(asked: &Asked<'_>, begun: &Begun) -> Vec<StoredSeen> {
    let told = asked.messages.iter().zip(&begun.messages).filter(|(_, told)| told.is_new);
    let one = |(message, told): (&Message<'_>, &everwhen::ledger::Told)| {
        Some(StoredSeen {
            entry: told.entry?.to_string(),
            role: message.role.as_str(),
            conversation_time: begun.zone.rfc3339(told.time?),
            content: message.words().to_owned(),
        })
    };
    told.filter_map(one).collect()
}

fn stamp(
    visit: &Visit<'_>,
    draft: &mut Draft<'_>,
    begun: &Begun,
    style: Style,
    attended: &mut Attended,
) {
    let stamps = begun.stamps(style);
    attended.strips = style != Style::Off;
    if visit.is_watched {
        let stamps = stamps.iter().enumerate();
        let seen = stamps
            .filter_map(|(message, stamp)| Some(StampSeen { message, stamp: stamp.clone()? }));
        attended.seen.stamped = seen.collect();
    }
    write::stamps(draft, visit.asked, stamps);
}

/// Adds what the model should know beside the messages. What was added to a message once is added
/// again with the same bytes, so that prompt caches hold.
async fn add(
    visit: &Visit<'_>,
    draft: &mut Draft<'_>,
    begun: &Begun,
    settings: &ProxySettings,
    deadline: Instant,
    attended: &mut Attended,
) -> Result<()> {
    let Some((place, message)) = write::last_said(visit.asked, begun) else { return Ok(()) };
    let adding = additions::Adding::new(visit, settings);
    adding.again(draft, begun, place);
    if let Some(text) = adding.kept(begun, place) {
        attended.seen.injected = Some(text.to_owned());
        return Ok(());
    }
    let wishes = visit.wishes(begun, settings);
    let keeper = attended.keeper.as_mut().expect("somebody has begun the exchange");
    if begun.changed_past && settings.briefing {
        // Else what was just edited would be remembered as it was.
        keeper.settle(Some(deadline)).await?;
    }
    let vault = keeper.vault.clone().expect("an exchange has begun in a vault");
    let (told, lacks) = remembered(&vault, begun, message.words(), wishes, deadline).await;
    let now = settings.now.then(|| aside::now(begun));
    let text = aside::text(&told, now.as_deref());
    if !text.is_empty() {
        keeper.added.extend(adding.first(draft, begun, (place, &text)));
        attended.seen.injected = Some(text);
    }
    lacks.map_or(Ok(()), Err)
}

/// What is remembered: from all chats in reach; if that takes too long from the chat's own memory;
/// else without a look into memory. With the reason why it is less than it could be.
async fn remembered(
    vault: &Vault,
    begun: &Begun,
    message: &str,
    mut wishes: Wishes,
    deadline: Instant,
) -> (String, Option<Error>) {
    let mut lacks = None;
    if wishes.chats_of.is_some() {
        let now = Instant::now();
        let first = now + deadline.saturating_duration_since(now) * 2 / 3;
        match in_time(first, vault.remembered_for(begun, message, &wishes)).await {
            Ok(text) => return (text, None),
            Err(error) => lacks = Some(error),
        }
        wishes.chats_of = None;
    }
    match in_time(deadline, vault.remembered_for(begun, message, &wishes)).await {
        Ok(text) => (text, lacks),
        Err(error) => (aside::remembered_at_once(begun, message, &wishes), Some(error)),
    }
}
