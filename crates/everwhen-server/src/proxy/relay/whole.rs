//! A whole reply of an upstream: all of it, or what came before it was cut off.

use std::error::Error;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use http_body_util::BodyExt;

use super::super::MOST_BYTES;
use super::super::refusal::Refusal;

/// A reply that did not arrive whole.
pub(crate) struct CutReply {
    /// What came of it.
    pub(crate) came: Vec<u8>,
    /// The error that the client gets.
    pub(crate) refusal: Refusal,
}

impl From<CutReply> for Refusal {
    fn from(cut: CutReply) -> Self {
        cut.refusal
    }
}

/// Reads the whole body of a reply from this upstream.
pub(crate) async fn read_reply(mut body: Body, upstream: &str) -> Result<Bytes, CutReply> {
    let mut came = Vec::new();
    while let Some(frame) = body.frame().await {
        let data = match frame {
            Ok(frame) => frame.into_data().unwrap_or_default(),
            Err(error) => return Err(CutReply { came, refusal: cut(upstream, &error) }),
        };
        if came.len() + data.len() > MOST_BYTES {
            let message = format!("the upstream {upstream:?} sent more than {MOST_BYTES} bytes");
            let refusal =
                Refusal::new(StatusCode::BAD_GATEWAY, "upstream_reply_too_large", message);
            came.extend_from_slice(&data[..MOST_BYTES - came.len()]);
            return Err(CutReply { came, refusal });
        }
        came.extend_from_slice(&data);
    }
    Ok(came.into())
}

/// The error that a client gets for a reply that broke off.
fn cut(upstream: &str, error: &(dyn Error + 'static)) -> Refusal {
    if is_timeout(error) {
        return Refusal::too_slow(format!(
            "the upstream {upstream:?} stopped sending before the reply was complete"
        ));
    }
    let message = format!(
        "the upstream {upstream:?} closed the connection before the reply was complete: {}",
        deepest(error)
    );
    Refusal::new(StatusCode::BAD_GATEWAY, "upstream_reply_cut", message)
}

/// Whether an error, or one of its causes, is that an upstream was silent for too long.
fn is_timeout(error: &(dyn Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |error| (*error).source());
    causes
        .any(|cause| cause.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_timeout))
}

/// The first cause of an error: it names no address.
pub(crate) fn deepest<'e>(error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    std::iter::successors(Some(error), |error| (*error).source()).last().unwrap_or(error)
}
