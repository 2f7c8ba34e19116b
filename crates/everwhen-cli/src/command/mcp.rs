//! `everwhen mcp`: the protocol on standard input and output, one message per line.
//!
//! Every message is forwarded to `/mcp`, in this process or at a server. Nothing else is ever
//! written to standard output.

mod connection;
mod lines;
mod message;

use std::collections::HashMap;
use std::sync::Arc;

use clap::ValueEnum;
use everwhen::{Config, Environment, Origin};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use crate::args::{CommonArgs, McpArgs};
use crate::client::Request;
use crate::command::shutdown::{at_once, stop_on_signal, stopped};
use crate::failure::{Failure, Result};
use crate::log;
use connection::ApiConnection;
use lines::next_line;
use message::Message;

/// Capacity of the queue of answers.
const WAITING: usize = 64;

/// Serves the protocol until standard input ends or a signal arrives.
pub(crate) fn run(
    config: Config,
    environment: Environment,
    common: CommonArgs,
    args: &McpArgs,
) -> Result<()> {
    // Without a configured level, log warnings only and not every request.
    let quiet = matches!(config.log.from, Origin::Default);
    log::start(&config, if quiet { "warn" } else { &config.log.value });
    let address = address(&config, args);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let spoken = runtime.block_on(speak(ApiConnection::new(config, environment, common), address));
    // A blocked read of standard input must not keep the process alive.
    runtime.shutdown_background();
    spoken
}

/// The request for messages, with the options of this command.
fn address(config: &Config, args: &McpArgs) -> Request {
    let chosen = |value: &everwhen::Chosen<String>| {
        (value.from != Origin::Default).then(|| value.value.clone())
    };
    let name = |value: Option<clap::builder::PossibleValue>| Some(value?.get_name().to_owned());
    Request::new(axum::http::Method::POST, "/mcp")
        .with("vault", chosen(&config.vault))
        .with("memory", chosen(&config.memory))
        .with("tools", name(args.tools.to_possible_value()))
        .with("profile", name(args.profile.to_possible_value()))
}

async fn speak(connection: ApiConnection, address: Request) -> Result<()> {
    let stop = stop_on_signal()?;
    let connection = Arc::new(connection);
    connection.open().await?;
    let (sender, answers) = mpsc::channel(WAITING);
    let writer = tokio::spawn(write(answers));
    tokio::select! {
        heard = listen(&connection, &address, sender) => heard?,
        () = stopped(stop.clone()) => {}
    }
    tokio::select! {
        () = connection.close() => {}
        () = at_once(stop) => return Ok(()),
    }
    writer.await.map_err(|error| Failure::new(error.to_string()))?
}

/// Reads messages and answers each; several in parallel, started in the order they arrived.
async fn listen(
    connection: &Arc<ApiConnection>,
    address: &Request,
    sender: mpsc::Sender<String>,
) -> Result<()> {
    let mut input = BufReader::new(tokio::io::stdin());
    let mut working = JoinSet::new();
    let mut running: HashMap<String, AbortHandle> = HashMap::new();
    while let Some(line) = next_line(&mut input).await? {
        let Some((message, line)) = Message::of(line) else { continue };
        if let Some(handle) = message.cancels().and_then(|id| running.remove(&id)) {
            handle.abort();
        }
        running.retain(|_, handle| !handle.is_finished());
        let (connection, address, sender) =
            (Arc::clone(connection), address.clone(), sender.clone());
        let id = message.id();
        let handle = working.spawn(async move {
            for answer in connection.answer(&message, line, address).await {
                // The receiver is gone only when the process ends.
                let _ = sender.send(answer).await;
            }
        });
        running.extend(id.map(|id| (id, handle)));
    }
    while working.join_next().await.is_some() {}
    Ok(())
}

async fn write(mut answers: mpsc::Receiver<String>) -> Result<()> {
    let mut out = tokio::io::stdout();
    while let Some(mut answer) = answers.recv().await {
        answer.push('\n');
        out.write_all(answer.as_bytes()).await?;
        out.flush().await?;
    }
    Ok(())
}
