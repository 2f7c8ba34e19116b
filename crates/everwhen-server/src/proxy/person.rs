//! Who speaks? A chat that names no memory belongs to the person who holds it, as far as the
//! request says who that is. An unverified identity may restrict what a chat can see,
//! never extend it: a chat sees only chats of exactly the same person.

use axum::http::HeaderMap;
use everwhen::memory::Person;
use everwhen::{ProxySettings, Reach};
use sha2::{Digest, Sha256};

use super::headers;
use super::memory_name::{self, NamedMemory, RequestHints};
use super::user_token::{self, OPENWEBUI_USER};

/// Headers that carry a credential for a provider.
const CREDENTIALS: [&str; 4] = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];
/// Sources that name one particular memory. All others name a chat.
const NAMING: [&str; 5] =
    ["x-everwhen-memory", "path", "DiscussionId", "x-discussion-id", "default"];

/// Whether what named a memory recognised a chat, one of many.
pub(crate) fn is_chat(named: &NamedMemory) -> bool {
    !NAMING.contains(&named.source)
}

/// The person a request comes from. A token of Open WebUI that proves nothing still keeps its user
/// apart from others.
///
/// A credential that is meant for a provider keeps people apart, too: who shows another one is
/// another person, whatever name is claimed. One of our own keys has one vault, which does that.
pub(crate) fn person(hints: &RequestHints<'_>, credential_travels: bool) -> Person {
    let credential = credential_travels.then(|| credential(hints.headers)).flatten();
    match (memory_name::identity(hints), user(hints), credential) {
        (Some(identity), ..) if identity.is_proven => Person::signed(&identity.user),
        (_, Some(user), Some(key)) => Person::claimed(&format!("{user} with key {key}")),
        (_, Some(user), None) => Person::claimed(&user),
        (_, None, Some(key)) => Person::claimed(&format!("key {key}")),
        (_, None, None) => Person::Unnamed,
    }
}

/// The user that a request names, with or without proof; empty if its header for that has no name.
pub(crate) fn user(hints: &RequestHints<'_>) -> Option<String> {
    let named = memory_name::identity(hints).map(|identity| identity.user);
    let token = || {
        let token = headers::given(hints.headers, OPENWEBUI_USER)?;
        let claimed = user_token::claimed(&token).filter(|user| !user.trim().is_empty());
        Some(claimed.unwrap_or_default())
    };
    match named {
        Some(user) if !user.is_empty() => Some(user),
        empty => token().or(empty),
    }
}

/// What tells the credential for a provider from others: a few digits of its hash.
fn credential(headers: &HeaderMap) -> Option<String> {
    let shown: Vec<&[u8]> =
        CREDENTIALS.iter().filter_map(|name| Some(headers.get(*name)?.as_bytes())).collect();
    let hash = Sha256::digest(shown.join(&b'\n'));
    (!shown.is_empty()).then(|| hash[..8].iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The person whose other chats a chat may see; none if absent. `chat_of` says whose chat its memory is,
/// nothing if the client named the memory; `user`, who speaks, as far as the request says that ([`user`]).
pub(crate) fn person_in_reach(
    (person, user): (Person, Option<&str>),
    chat_of: Option<&Person>,
    settings: &ProxySettings,
) -> Option<Person> {
    let reach = match chat_of {
        Some(owner) if *owner != person => Reach::Memory,
        Some(_) => settings.reach,
        None => settings.named_reach,
    };
    let is_one_person = user.map_or(!settings.shared, |user| !user.is_empty());
    (reach == Reach::Vault && is_one_person).then_some(person)
}
