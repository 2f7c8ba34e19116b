//! How much of a provider's prompt cache survives: a sequence is played with everything that the proxy
//! adds by default, and its chat goes on for ten turns with a tool call each.

use serde_json::Value;

use crate::play::{Exchange, Play};
use crate::prefix;
use crate::shape::Protocol;
use crate::wire::{Sequence, Step, ToolCall};

const TURNS: usize = 10;
/// Providers keep what they have cached at least this long.
const CACHED_MINUTES: i64 = 5;
/// Everything that is on by default.
const DEFAULTS: &str = "[proxy]\n";

/// The smallest share of a request that still stands at the beginning of the next one of its chat.
pub(crate) async fn share(sequence: &Sequence, last: usize) -> Result<f64, String> {
    let settings = sequence.settings.as_deref().unwrap_or(DEFAULTS);
    let mut play = Play::new(sequence, settings, None).await;
    let mut exchanges = Vec::new();
    for step in &sequence.step {
        exchanges.push(play.exchange(step).await?.1);
    }
    let base = &sequence.step[last];
    let mut history = joined(play.history(last));
    for turn in 0..TURNS {
        for step in [asks(base, turn), answers(base, turn)] {
            history.push(said(&step, turn, exchanges[last].protocol));
            let (response, exchange) = play.exchange(&Step { messages: history, ..step }).await?;
            play.compare_memory(base, &response)?;
            exchanges.push(exchange);
            history = play.history(exchanges.len() - 1);
        }
    }
    let shares: Vec<f64> = shares(&exchanges).collect();
    // The first request of the turns may join a reply to the message before it, and repeat none.
    if shares.len() < 2 * TURNS - 1 {
        return Err(format!("only {} requests repeat an earlier one", shares.len()));
    }
    Ok(shares.into_iter().fold(1.0, f64::min))
}

/// What is new in a request: a question, or what the tool answered.
fn said(step: &Step, turn: usize, protocol: Protocol) -> Value {
    match step.calls.is_empty() {
        false => protocol.message("user", &format!("Question {turn} about the garden.")),
        true => protocol.tool_result(&call(turn), "The tool has found this and that."),
    }
}

/// The upstream calls a tool.
fn asks(base: &Step, turn: usize) -> Step {
    let calls = vec![call(turn)];
    Step {
        wait: 7,
        name: None,
        reply: None,
        calls,
        reply_id: Some(format!("resp_t{turn}a")),
        ..base.clone()
    }
}

/// It answers with words.
fn answers(base: &Step, turn: usize) -> Step {
    let reply = Some(format!("Answer {turn}: water it in the morning."));
    let reply_id = Some(format!("resp_t{turn}b"));
    Step { wait: 1, name: None, reply, calls: Vec::new(), reply_id, ..base.clone() }
}

fn call(turn: usize) -> ToolCall {
    let id = format!("call_q{turn}KzXbWvRtYpLmNcDfGhJ");
    ToolCall { id, name: "look".into(), arguments: serde_json::Map::new() }
}

/// What a client makes of a reply that goes on where the last message of its request broke off.
fn joined(mut history: Vec<Value>) -> Vec<Value> {
    let is_text = |one: &Value| one["role"] == "assistant" && one["content"].is_string();
    if let [.., begun, reply] = &mut history[..]
        && is_text(begun)
        && is_text(reply)
    {
        let (begun_text, rest) = (text(begun), text(reply));
        let space = if rest.starts_with(' ') { "" } else { " " };
        begun["content"] = Value::String(format!("{begun_text}{space}{rest}"));
        history.pop();
    }
    history
}

fn text(message: &Value) -> String {
    message["content"].as_str().unwrap_or_default().to_owned()
}

/// For every request that repeats an earlier one and goes on: the share of what the upstream was sent
/// then that it is sent again. What failed is in no cache. What is asked again in the same words after
/// a while is in none any more, and gets the new time.
fn shares(exchanges: &[Exchange]) -> impl Iterator<Item = f64> {
    exchanges.iter().enumerate().filter_map(|(at, exchange)| {
        let list = exchange.protocol.list();
        let own = prefix::of(list, &exchange.body);
        let repeated = exchanges[..at].iter().rev().find(|earlier| {
            let before = || prefix::of(list, &earlier.body);
            earlier.protocol == exchange.protocol && !earlier.failed && own.starts_with(&before())
        })?;
        let is_again = repeated.body == exchange.body;
        if is_again && exchange.minute - repeated.minute >= CACHED_MINUTES {
            return None;
        }
        Some(prefix::share(&prefix::of(list, &repeated.sent), &prefix::of(list, &exchange.sent)))
    })
}
