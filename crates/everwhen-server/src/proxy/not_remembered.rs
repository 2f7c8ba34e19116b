//! What was said and is not remembered, because it is longer than an entry may be. It is named in a
//! header, in the log (without its text) and in the trace.

use everwhen::limits::CONTENT_BYTES;

use everwhen_protocols::RequestView;

use super::wire::seen::NotRememberedSeen;

/// The messages of a request that no entry can hold.
pub(crate) fn messages(asked: &RequestView<'_>) -> Vec<NotRememberedSeen> {
    let all = asked.messages.iter().enumerate();
    let said = all.filter(|(_, message)| !message.is_instruction());
    let long = said.filter_map(|(place, message)| {
        let why = too_long(message.words())?;
        let reason = format!("message {} of {} {why}", place + 1, asked.messages.len());
        tracing::warn!(reason, "a message is not remembered");
        Some(NotRememberedSeen { message: place, reason })
    });
    long.collect()
}

/// Why a reply is not remembered, if it is not.
pub(crate) fn reply(text: &str) -> Option<String> {
    too_long(text).map(|why| format!("the reply {why}"))
}

fn too_long(text: &str) -> Option<String> {
    let bytes = text.len();
    (bytes > CONTENT_BYTES).then(|| format!("has {bytes} bytes, over the limit of {CONTENT_BYTES}"))
}
