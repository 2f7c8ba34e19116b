//! Who sends a request, as two hashes: the person (credential and user) and the program. They tell
//! clients apart and hold nothing that could be read back.

use std::net::IpAddr;

use axum::http::HeaderMap;
use axum::http::header::USER_AGENT;
use everwhen::ledger::Client;
use sha2::{Digest, Sha256};

use super::headers;
use super::memory_name::Identity;

/// Headers that carry a credential, for this server or for the upstream.
const CREDENTIALS: [&str; 5] =
    ["authorization", "x-api-key", "api-key", "x-goog-api-key", "x-everwhen-key"];
/// Where proxies before us say who called them.
const FORWARDED: &str = "x-forwarded-for";

/// Who sends these headers, on behalf of this user, from this address.
pub(crate) fn client(
    headers: &HeaderMap,
    identity: Option<&Identity>,
    peer: Option<IpAddr>,
) -> Client {
    let mut person = Sha256::new();
    for name in CREDENTIALS {
        add(&mut person, headers.get(name).map(|value| value.as_bytes()));
    }
    add(&mut person, identity.map(|identity| identity.user.as_bytes()));
    let mut app = Sha256::new();
    let agent = headers::text(headers, USER_AGENT.as_str()).map(|text| product(&text));
    add(&mut app, agent.as_ref().map(|text| text.as_bytes()));
    let forwarded = headers::text(headers, FORWARDED);
    let first = forwarded.as_ref().and_then(|text| text.split(',').next()).map(str::trim);
    add(&mut app, first.map(str::as_bytes));
    add(&mut app, peer.map(|peer| peer.to_string()).as_ref().map(|text| text.as_bytes()));
    Client { person: person.finalize().into(), app: app.finalize().into() }
}

/// The first product of a user agent, without its version: programs are updated during a chat.
fn product(agent: &str) -> String {
    let end = agent.find(['/', ' ']).unwrap_or(agent.len());
    agent[..end].to_lowercase()
}

fn add(hasher: &mut Sha256, part: Option<&[u8]>) {
    let length = part.map_or(u64::MAX, |part| part.len() as u64);
    hasher.update(length.to_le_bytes());
    hasher.update(part.unwrap_or_default());
}

/// A client as text, for the spool.
pub(crate) fn written(client: &Client) -> String {
    let bytes = client.person.iter().chain(&client.app);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// Parses a client; an invalid text gives the anonymous client.
pub(crate) fn read(text: &str) -> Client {
    let byte = |at: usize| u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..64).map(byte).collect();
    let Some(bytes) = bytes.filter(|_| text.len() == 128) else { return Client::default() };
    let mut client = Client::default();
    client.person.copy_from_slice(&bytes[..32]);
    client.app.copy_from_slice(&bytes[32..]);
    client
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (name.parse().unwrap(), value.parse().unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    fn of(pairs: &[(&'static str, &'static str)], user: Option<&str>) -> Client {
        let identity = user.map(|user| Identity { user: user.into(), is_proven: false });
        client(&headers(pairs), identity.as_ref(), None)
    }

    #[test]
    fn credentials_and_users_make_persons() {
        let one = of(&[("authorization", "Bearer a")], None);
        assert_eq!(one, of(&[("authorization", "Bearer a")], None));
        for other in [
            of(&[("authorization", "Bearer b")], None),
            of(&[("x-api-key", "Bearer a")], None),
            of(&[("authorization", "Bearer a")], Some("ana")),
            of(&[], None),
        ] {
            assert_ne!(one.person, other.person);
            assert_eq!(one.app, other.app);
        }
    }

    #[test]
    fn a_program_may_be_updated_and_another_is_another() {
        let one = of(&[("user-agent", "OpenAI/Python 2.1.0")], None);
        assert_eq!(one, of(&[("user-agent", "OpenAI/Python 2.2.0 (x)")], None));
        assert_ne!(one.app, of(&[("user-agent", "python-httpx/0.28")], None).app);
        assert_ne!(one.app, of(&[], None).app);
        let forwarded =
            [("user-agent", "OpenAI/Python"), ("x-forwarded-for", "10.0.0.7, 10.0.0.1")];
        assert_ne!(one.app, of(&forwarded, None).app);
        let near = client(&headers(&[]), None, Some(IpAddr::from([127, 0, 0, 1])));
        assert_ne!(near.app, of(&[], None).app);
    }

    #[test]
    fn a_client_survives_being_written() {
        let one = of(&[("authorization", "Bearer a"), ("user-agent", "x")], Some("ana"));
        assert_eq!(read(&written(&one)), one);
        assert_eq!(read("nonsense"), Client::default());
    }
}
