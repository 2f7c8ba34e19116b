//! Replies that come as a whole: the rounds become one message.

use axum::body::{Body, Bytes};
use serde_json::{Value, json};

use super::round::Round;
use super::{Next, ToolTurn};
use crate::proxy::refusal::Refusal;
use crate::proxy::relay::read_reply;
use crate::proxy::upstream::UpstreamResponse;

/// Counts of tokens that are added up over the rounds.
pub(super) const COUNTS: [&str; 4] =
    ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];

/// Reads the reply, answers commands until there are none, and gives the client one message.
pub(super) async fn merged(
    turn: ToolTurn,
    mut body: String,
    mut answer: UpstreamResponse,
) -> Result<UpstreamResponse, Refusal> {
    let (mut before, mut usage) = (Vec::new(), json!({}));
    for rounds in 1.. {
        let read = read_reply(answer.body, turn.responder.name()).await?;
        let Ok(mut message) = serde_json::from_slice::<Value>(&read) else {
            return Ok(UpstreamResponse { body: Body::from(read), ..answer });
        };
        let round = Round::whole(&turn.tool, &message);
        let next = turn.after(&body, &round, rounds).await;
        if rounds == 1 && !round.is_waiting() {
            return Ok(UpstreamResponse { body: Body::from(read), ..answer });
        }
        add_usage(&mut usage, &message["usage"]);
        before.extend(round.blocks().into_iter().filter(|one| !round.is_command(one)).cloned());
        match next {
            Next::End => {
                message["stop_reason"] = json!(round.shown_reason());
                message["content"] = json!(before);
                message["usage"] = usage;
                answer.body = Body::from(Bytes::from(message.to_string()));
                return Ok(answer);
            }
            Next::Ask(next) => {
                body = next;
                let reply = turn.send(&body).await?;
                if !reply.status.is_success() {
                    return Ok(reply);
                }
                answer.body = reply.body;
            }
        }
    }
    Ok(answer)
}

/// Adds the counts of a round; other fields are those of the last round.
pub(super) fn add_usage(sum: &mut Value, round: &Value) {
    let Some(fields) = round.as_object() else { return };
    for (name, value) in fields {
        let before = sum[name].as_u64().unwrap_or_default();
        let count = value.as_u64().filter(|_| COUNTS.contains(&name.as_str()));
        sum[name] = count.map_or_else(|| value.clone(), |count| json!(before + count));
    }
}
