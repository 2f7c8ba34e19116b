//! New chats that are being answered for the first time: the same request from the same client is
//! the same chat until that is over.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use everwhen::memory::VaultId;
use jiff::Timestamp;

/// A request: the vault and the hash of the client and everything it sends.
type Request = (VaultId, [u8; 32]);

/// First requests that are under way.
#[derive(Clone, Default)]
pub(crate) struct NewChats(Arc<Mutex<HashMap<Request, Weak<Claim>>>>);

/// The name of a new chat, claimed for its first request.
#[derive(Debug)]
pub(crate) struct Claim {
    name: String,
}

impl Claim {
    /// The name of the chat.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl NewChats {
    /// The chat that a request begins: a new one, or the one that the same request has just begun
    /// and that is still being answered.
    pub(crate) fn claim(&self, request: Request, now: Timestamp, chance: [u8; 16]) -> Arc<Claim> {
        let mut claims = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        claims.retain(|_, claim| claim.strong_count() > 0);
        if let Some(claim) = claims.get(&request).and_then(Weak::upgrade) {
            return claim;
        }
        let claim = Arc::new(Claim { name: fresh_name(now, chance) });
        claims.insert(request, Arc::downgrade(&claim));
        claim
    }

    /// The chat that the same request has just begun.
    pub(crate) fn claimed(&self, request: &Request) -> Option<Arc<Claim>> {
        let claims = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        claims.get(request).and_then(Weak::upgrade)
    }
}

/// A name that no other chat has: 128 random bits behind the time.
pub(crate) fn fresh_name(now: Timestamp, chance: [u8; 16]) -> String {
    let digits: String = chance.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("chat-{}-{digits}", now.strftime("%Y-%m-%d-%H%M%S"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_claimed_until_it_is_let_go() {
        let (turns, now) = (NewChats::default(), Timestamp::UNIX_EPOCH);
        let request = (VaultId::from(uuid::Uuid::nil()), [1; 32]);
        let first = turns.claim(request, now, [1; 16]);
        assert_eq!(turns.claim(request, now, [2; 16]).name(), first.name());
        assert!(turns.claimed(&request).is_some());
        assert_ne!(turns.claim((request.0, [2; 32]), now, [2; 16]).name(), first.name());
        drop(first);
        assert!(turns.claimed(&request).is_none());
        let name = turns.claim(request, now, [0xab; 16]).name().to_owned();
        assert_eq!(name, format!("chat-1970-01-01-000000-{}", "ab".repeat(16)));
    }
}
