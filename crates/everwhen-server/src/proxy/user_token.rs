//! Users signed by Open WebUI: a JSON Web Token in a header, signed with HMAC-SHA256 and a shared
//! secret. A token that is invalid in any part is ignored.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use sha2::Sha256;

use everwhen_protocols::json::Object;

/// The header that carries the token.
pub(crate) const OPENWEBUI_USER: &str = "x-openwebui-user-jwt";
/// The required issuer.
const ISSUER: &str = "open-webui";

/// The user of a token, if it was signed with this secret and is valid at `now`.
pub(crate) fn user(token: &str, secret: &[u8], now: Timestamp) -> Option<String> {
    let (signed, signature) = token.rsplit_once('.')?;
    let (head, claims) = signed.split_once('.')?;
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).ok()?;
    mac.update(signed.as_bytes());
    mac.verify_slice(&URL_SAFE_NO_PAD.decode(signature).ok()?).ok()?;
    let (head, claims) = (text(head)?, text(claims)?);
    let (head, claims) = (Object::read(&head)?, Object::read(&claims)?);
    let is_right = head.text("alg")? == "HS256" && claims.text("iss")? == ISSUER;
    let until: f64 = claims.get("exp")?.parse().ok()?;
    let holds = (now.as_second() as f64) < until;
    let user = claims.text("sub")?.into_owned();
    Some(user).filter(|user| is_right && holds && !user.trim().is_empty())
}

/// The user of a token, without verification.
pub(crate) fn claimed(token: &str) -> Option<String> {
    let claims = text(token.split('.').nth(1)?)?;
    Object::read(&claims)?.text("sub").map(|user| user.into_owned())
}

fn text(part: &str) -> Option<String> {
    String::from_utf8(URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Made with Python's hmac and base64, independently of the code under test.
    const TOKEN: &str = "eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAidXNlci03IiwgImVtYWlsIjogImFAZXhhbXBsZS5vcmciLCAibmFtZSI6ICJBbmEiLCAicm9sZSI6ICJ1c2VyIiwgImlzcyI6ICJvcGVuLXdlYnVpIiwgImlhdCI6IDE3NDg3NzkyMDAsICJleHAiOiAxNzQ4Nzc5NTAwfQ.r-ArH6UnCIOFliO5l1d94uhrtt8uCPhLi0MvDjBYmm4";
    const UNSIGNED: &str = "eyJhbGciOiAibm9uZSIsICJ0eXAiOiAiSldUIn0.eyJzdWIiOiAidXNlci03IiwgImVtYWlsIjogImFAZXhhbXBsZS5vcmciLCAibmFtZSI6ICJBbmEiLCAicm9sZSI6ICJ1c2VyIiwgImlzcyI6ICJvcGVuLXdlYnVpIiwgImlhdCI6IDE3NDg3NzkyMDAsICJleHAiOiAxNzQ4Nzc5NTAwfQ.";
    const SECRET: &[u8] = b"a shared secret";

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_token_signed_with_the_secret_names_its_user_until_it_ends() {
        assert_eq!(user(TOKEN, SECRET, at(1_748_779_299)).as_deref(), Some("user-7"));
        assert_eq!(user(TOKEN, SECRET, at(1_748_779_500)), None, "it has ended");
    }

    #[test]
    fn a_token_that_proves_nothing_still_claims_somebody() {
        assert_eq!(claimed(UNSIGNED).as_deref(), Some("user-7"));
        for token in ["", ".", "a.b.c", "a.%%.c"] {
            assert_eq!(claimed(token), None, "{token}");
        }
    }

    #[test]
    fn any_other_token_says_nothing() {
        let now = at(1_748_779_299);
        assert_eq!(user(TOKEN, b"another secret", now), None);
        assert_eq!(user(UNSIGNED, SECRET, now), None);
        let (signed, signature) = TOKEN.rsplit_once('.').unwrap();
        let claims = URL_SAFE_NO_PAD.encode(r#"{"sub":"admin","iss":"open-webui","exp":9e9}"#);
        let forged = format!("{}.{claims}.{signature}", signed.split_once('.').unwrap().0);
        for token in ["", ".", "..", signed, &forged, &TOKEN[..TOKEN.len() - 2]] {
            assert_eq!(user(token, SECRET, now), None, "{token}");
        }
    }
}
