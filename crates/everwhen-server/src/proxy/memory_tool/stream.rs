//! Replies that are streamed: the rounds become one stream of events.
//!
//! Events are passed on as they come. Those of commands are left out, blocks of later rounds are
//! numbered after those of earlier ones, and the end of a round is held until it is the last.

use std::collections::BTreeMap;

use axum::body::{Body, Bytes};
use everwhen_protocols::{EventReader, Framing};
use futures_util::stream::unfold;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::round::Round;
use super::whole::{COUNTS, add_usage};
use super::{Next, ToolTurn};
use crate::proxy::relay::read_reply;

/// The count of tokens in a reply.
const OUTPUT: &str = "output_tokens";
/// Pieces that wait for a slow client.
const WAITING: usize = 16;

type Piece = Result<Bytes, std::io::Error>;

/// The client has gone, or the reply has failed and the client got the error.
struct Stopped;

/// The body with all rounds. Nothing more is asked once the client has gone.
pub(super) fn merged(turn: ToolTurn, body: String, first: Body) -> Body {
    let (sender, receiver) = mpsc::channel::<Piece>(WAITING);
    tokio::spawn(async move {
        // The client got the error, or has gone.
        let _ = Merger::new(turn, sender).run(body, first).await;
    });
    Body::from_stream(unfold(receiver, |mut receiver| async move {
        Some((receiver.recv().await?, receiver))
    }))
}

/// Makes one stream of several.
struct Merger {
    turn: ToolTurn,
    sender: mpsc::Sender<Piece>,
    /// The client's index of each block of this round; none for a command.
    indexes: BTreeMap<u64, Option<u64>>,
    /// The index of the next block that the client gets.
    next_index: u64,
    usage: Value,
    /// The event that says why a round ended.
    end: Option<Value>,
}

impl Merger {
    fn new(turn: ToolTurn, sender: mpsc::Sender<Piece>) -> Self {
        let (indexes, usage) = (BTreeMap::new(), json!({}));
        Self { turn, sender, indexes, next_index: 0, usage, end: None }
    }

    async fn run(mut self, mut body: String, mut reply: Body) -> Result<(), Stopped> {
        for rounds in 1.. {
            let mut round = Round::new(&self.turn.tool);
            self.indexes.clear();
            self.read(reply, &mut round, rounds).await?;
            match self.turn.after(&body, &round, rounds).await {
                Next::End => return self.finish(&round, rounds).await,
                Next::Ask(next) => body = next,
            }
            reply = self.ask(&body).await?;
        }
        Ok(())
    }

    async fn ask(&self, body: &str) -> Result<Body, Stopped> {
        match self.turn.send(body).await {
            Ok(reply) if reply.status.is_success() => Ok(reply.body),
            Ok(reply) => {
                let said = read_reply(reply.body, self.turn.responder.name()).await;
                let said = said.map(|said| String::from_utf8_lossy(&said).into_owned());
                self.fail(&said.unwrap_or_else(|cut| cut.refusal.message)).await
            }
            Err(refusal) => self.fail(&refusal.message).await,
        }
    }

    /// Tells the client of an error in the middle of a stream.
    async fn fail<T>(&self, text: &str) -> Result<T, Stopped> {
        let error = serde_json::from_str::<Value>(text).ok().map(|body| body["error"].clone());
        let error = error.filter(Value::is_object);
        let error = error.unwrap_or_else(|| json!({ "type": "api_error", "message": text }));
        self.event("error", &json!({ "type": "error", "error": error })).await?;
        Err(Stopped)
    }

    /// Reads a round to its end.
    async fn read(
        &mut self,
        mut reply: Body,
        round: &mut Round,
        rounds: usize,
    ) -> Result<(), Stopped> {
        let mut events = EventReader::new(Framing::Sse);
        while let Some(frame) = reply.frame().await {
            match frame {
                Ok(frame) => events.push(&frame.into_data().unwrap_or_default()),
                Err(error) => return self.cut_off(&error.to_string()).await,
            }
            while let Some(event) = events.next_event() {
                if self.take(event, round, rounds).await? {
                    return Ok(());
                }
            }
            if events.is_too_long() {
                return self.cut_off("the upstream sent an event without an end").await;
            }
        }
        self.cut_off("the upstream closed the stream before the reply was complete").await
    }

    async fn cut_off(&self, why: &str) -> Result<(), Stopped> {
        // The connection ends as the upstream's did.
        let _ = self.sender.send(Err(std::io::Error::other(why.to_owned()))).await;
        Err(Stopped)
    }

    /// Takes an event; answers whether it ends the round.
    async fn take(
        &mut self,
        event: Vec<u8>,
        round: &mut Round,
        rounds: usize,
    ) -> Result<bool, Stopped> {
        let text = String::from_utf8_lossy(&event);
        let data = Framing::Sse.data(&text).and_then(|data| serde_json::from_str(data).ok());
        let Some(mut data) = data.filter(Value::is_object) else {
            return self.pass(event.into()).await.map(|()| false);
        };
        let kind = data["type"].as_str().unwrap_or_default().to_owned();
        match kind.as_str() {
            "message_start" => {
                // The end of the round tells how many tokens it has.
                let mut usage = data["message"]["usage"].clone();
                usage.as_object_mut().map(|usage| usage.remove(OUTPUT));
                add_usage(&mut self.usage, &usage);
                if rounds > 1 {
                    return Ok(false);
                }
            }
            "content_block_start" | "content_block_delta" | "content_block_stop" => {
                let index = data["index"].as_u64().unwrap_or_default();
                let Some(shown) = self.block(&data, &kind, index, round) else { return Ok(false) };
                if shown != index {
                    data["index"] = json!(shown);
                    return self.event(&kind, &data).await.map(|()| false);
                }
            }
            "message_delta" => {
                round.end(data["delta"]["stop_reason"].as_str());
                add_usage(&mut self.usage, &json!({ OUTPUT: data["usage"][OUTPUT] }));
                self.end = Some(data);
                return Ok(false);
            }
            "message_stop" => return Ok(true),
            "error" => {
                self.pass(event.into()).await?;
                return Err(Stopped);
            }
            _ => {}
        }
        self.pass(event.into()).await.map(|()| false)
    }

    /// Reads an event of a block; answers the index that the client gets, unless it is a command.
    fn block(&mut self, data: &Value, kind: &str, index: u64, round: &mut Round) -> Option<u64> {
        match kind {
            "content_block_start" => {
                let is_command = round.begin(index, &data["content_block"]);
                let shown = (!is_command).then_some(self.next_index);
                self.next_index += u64::from(!is_command);
                self.indexes.insert(index, shown);
            }
            "content_block_delta" => round.add(index, &data["delta"]),
            _ => {}
        }
        self.indexes.get(&index).copied().flatten()
    }

    /// The message is complete.
    async fn finish(&mut self, round: &Round, rounds: usize) -> Result<(), Stopped> {
        if let Some(mut end) = self.end.take() {
            end["delta"]["stop_reason"] = json!(round.shown_reason());
            if rounds > 1 {
                // Its counts are those of the last round; the first event told those of the first.
                for name in COUNTS {
                    if let Some(count) = self.usage[name].as_u64() {
                        end["usage"][name] = json!(count);
                    }
                }
            }
            self.event("message_delta", &end).await?;
        }
        self.event("message_stop", &json!({ "type": "message_stop" })).await
    }

    async fn event(&self, name: &str, data: &Value) -> Result<(), Stopped> {
        self.pass(format!("event: {name}\ndata: {data}\n\n").into()).await
    }

    async fn pass(&self, bytes: Bytes) -> Result<(), Stopped> {
        self.sender.send(Ok(bytes)).await.map_err(|_| Stopped)
    }
}
